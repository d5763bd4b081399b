package robots

import (
	"encoding/binary"
	"errors"
	"time"
)

// ErrCorrupt is returned by UnmarshalBinary for bytes MarshalBinary did not make.
var ErrCorrupt = errors.New("robots: unmarshal rules: corrupt")

const (
	binaryVersion = 1

	flagDelay       = 1 << 0
	flagUnreachable = 1 << 1

	ruleAllow    = 1 << 0
	ruleAnchored = 1 << 1
)

// MarshalBinary returns what decides verdicts and delays, without sitemaps: a
// version byte, a flag byte, the delay in milliseconds (uvarint, when there is
// one), the number of rules (uvarint), and of each rule a flag byte, the length
// of its pattern (uvarint) and the pattern. It never fails.
func (r *Rules) MarshalBinary() ([]byte, error) {
	var flags byte
	if r.hasDelay {
		flags |= flagDelay
	}
	if r.unreachable {
		flags |= flagUnreachable
	}
	b := []byte{binaryVersion, flags}
	if r.hasDelay {
		b = binary.AppendUvarint(b, uint64(r.delay/time.Millisecond))
	}
	b = binary.AppendUvarint(b, uint64(len(r.rules)))
	for _, rule := range r.rules {
		flags = 0
		if rule.allow {
			flags |= ruleAllow
		}
		if rule.anchored {
			flags |= ruleAnchored
		}
		b = append(b, flags)
		b = binary.AppendUvarint(b, uint64(len(rule.pattern)))
		b = append(b, rule.pattern...)
	}
	return b, nil
}

// UnmarshalBinary replaces r by what MarshalBinary wrote. It keeps no part of
// data. On ErrCorrupt r is unchanged.
func (r *Rules) UnmarshalBinary(data []byte) error {
	if len(data) < 2 || data[0] != binaryVersion || data[1]&^(flagDelay|flagUnreachable) != 0 {
		return ErrCorrupt
	}
	v := Rules{hasDelay: data[1]&flagDelay != 0, unreachable: data[1]&flagUnreachable != 0}
	d := decoder{data: data[2:]}
	if v.hasDelay {
		v.delay = time.Duration(d.uvarint(uint64(MaxCrawlDelay/time.Millisecond))) * time.Millisecond
	}
	n := d.uvarint(uint64(len(d.data)) / 2) // a rule has two bytes at least
	v.rules = make([]rule, 0, n)
	text := string(d.data) // all patterns are parts of one string
	for ; n > 0 && !d.bad; n-- {
		flags := d.take(1)
		pattern := d.take(d.uvarint(uint64(len(d.data))))
		if d.bad || flags[0]&^(ruleAllow|ruleAnchored) != 0 {
			return ErrCorrupt
		}
		end := len(text) - len(d.data)
		v.rules = append(v.rules, rule{
			pattern: text[end-len(pattern) : end], allow: flags[0]&ruleAllow != 0, anchored: flags[0]&ruleAnchored != 0,
		})
	}
	if d.bad || len(d.data) != 0 {
		return ErrCorrupt
	}
	*r = v
	return nil
}

// decoder turns bad at the first value that cannot be; then all are zero.
type decoder struct {
	data []byte
	bad  bool
}

func (d *decoder) uvarint(limit uint64) uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 || v > limit {
		d.bad, d.data = true, nil
		return 0
	}
	d.data = d.data[n:]
	return v
}

func (d *decoder) take(n uint64) []byte {
	if d.bad || n > uint64(len(d.data)) {
		d.bad, d.data = true, nil
		return nil
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}
