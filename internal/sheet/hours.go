package sheet

import (
	"fmt"
	"strings"
	"time"
)

// Hours is a part of the day, in the time zone of the machine: "22:00-06:00". It may go over midnight.
type Hours struct {
	from, to time.Duration // since midnight; to is not part of it
}

// UnmarshalText reads "22:00-06:00".
func (h *Hours) UnmarshalText(text []byte) error {
	from, to, ok := strings.Cut(string(text), "-")
	a, err := timeOfDay(from)
	b, err2 := timeOfDay(to)
	if !ok || err != nil || err2 != nil || a == b {
		return fmt.Errorf("%q: must be two times of day, such as \"22:00-06:00\"", text)
	}
	h.from, h.to = a, b
	return nil
}

func timeOfDay(text string) (time.Duration, error) {
	t, err := time.Parse("15:04", strings.TrimSpace(text))
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, err
}

// String returns what UnmarshalText reads.
func (h Hours) String() string {
	clock := func(d time.Duration) string {
		return fmt.Sprintf("%02d:%02d", d/time.Hour, d%time.Hour/time.Minute)
	}
	return clock(h.from) + "-" + clock(h.to)
}

// Wait returns how long it is from now until requests may be made; 0 = they may.
func (h Hours) Wait(now time.Time) time.Duration {
	at := time.Duration(now.Hour())*time.Hour + time.Duration(now.Minute())*time.Minute + time.Duration(now.Second())*time.Second
	in := at >= h.from && at < h.to
	if h.from > h.to {
		in = at >= h.from || at < h.to
	}
	if in {
		return 0
	}
	return (h.from - at + 24*time.Hour) % (24 * time.Hour)
}
