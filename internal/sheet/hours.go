package sheet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"exclave/internal/urlx"
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

// Closing is that a sheet has what it applies to wait.
type Closing struct {
	Sheet string    `json:"sheet"`
	Hours string    `json:"hours"`
	Until time.Time `json:"until"` // when they begin
}

// String says it: "outside the hours 22:00-06:00 of sheet night, until 22:00".
func (c Closing) String() string {
	return fmt.Sprintf("outside the hours %s of sheet %s, until %s", c.Hours, c.Sheet, c.Until.Format("15:04"))
}

func closing(of *Sheet, now time.Time) (Closing, bool) {
	if of.Hours == nil {
		return Closing{}, false
	}
	wait := of.Hours.Wait(now)
	return Closing{of.Name, of.Hours.String(), now.Add(wait).Truncate(time.Second)}, wait > 0
}

// Closed returns the sheets outside whose hours it is now, by their names.
func (s *Set) Closed(now time.Time) (out []Closing) {
	for _, of := range s.all() {
		if c, closed := closing(of, now); closed {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Closing) int { return cmp.Compare(a.Sheet, b.Sheet) })
	return out
}

// ClosedFor reports whether a URL waits now for the hours in force for it.
func (s *Set) ClosedFor(u *urlx.URL, now time.Time) (c Closing, closed bool) {
	for p := range s.covering(u) {
		for _, of := range slices.Backward(p.own) {
			if of.Hours != nil {
				return closing(of, now)
			}
		}
	}
	return Closing{}, false
}

// HasHours reports whether a sheet sets hours.
func (s *Set) HasHours() bool {
	return slices.ContainsFunc(s.all(), func(of *Sheet) bool { return of.Hours != nil })
}
