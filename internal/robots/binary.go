package robots

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// ErrCorrupt is returned by UnmarshalBinary for bytes MarshalBinary did not make.
var ErrCorrupt = errors.New("robots: unmarshal rules: corrupt")

const (
	binaryVersion = 1

	flagDelay       = 1 << 0
	flagUnreachable = 1 << 1
	flagSince       = 1 << 2
	flagAnyAll      = 1 << 3
	flagOthers      = 1 << 4
	allFlags        = 1<<5 - 1

	ruleAllow    = 1 << 0
	ruleAnchored = 1 << 1
)

// MarshalBinary returns what decides verdicts and delays, without sitemaps: a
// version byte, a flag byte, the delay in milliseconds (uvarint, when there is
// one), since when it is unreachable in seconds (uvarint, when that is known), and rules: their number (uvarint), and
// of each a flag byte, the length of its pattern (uvarint) and the pattern. Then, when there are some, the number
// of others (uvarint) and the rules of each. It never fails.
func (r *Rules) MarshalBinary() ([]byte, error) {
	var flags byte
	if r.hasDelay {
		flags |= flagDelay
	}
	if r.unreachable {
		flags |= flagUnreachable
	}
	if !r.since.IsZero() {
		flags |= flagSince
	}
	if r.anyAll {
		flags |= flagAnyAll
	}
	if len(r.others) > 0 {
		flags |= flagOthers
	}
	b := []byte{binaryVersion, flags}
	if r.hasDelay {
		b = binary.AppendUvarint(b, uint64(r.delay/time.Millisecond))
	}
	if !r.since.IsZero() {
		b = binary.AppendUvarint(b, uint64(max(r.since.Unix(), 0)))
	}
	b = appendRules(b, r.rules)
	if len(r.others) > 0 {
		b = binary.AppendUvarint(b, uint64(len(r.others)))
		for _, other := range r.others {
			b = appendRules(b, other)
		}
	}
	return b, nil
}

func appendRules(b []byte, rules []rule) []byte {
	b = binary.AppendUvarint(b, uint64(len(rules)))
	for _, rule := range rules {
		var flags byte
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
	return b
}

// UnmarshalBinary replaces r by what MarshalBinary wrote. It keeps no part of
// data. On ErrCorrupt r is unchanged.
func (r *Rules) UnmarshalBinary(data []byte) error {
	if len(data) < 2 || data[0] != binaryVersion || data[1]&^allFlags != 0 {
		return ErrCorrupt
	}
	v := Rules{hasDelay: data[1]&flagDelay != 0, unreachable: data[1]&flagUnreachable != 0, anyAll: data[1]&flagAnyAll != 0}
	d := decoder{data: data[2:], text: string(data[2:])}
	if v.hasDelay {
		v.delay = time.Duration(d.uvarint(uint64(MaxCrawlDelay/time.Millisecond))) * time.Millisecond
	}
	if data[1]&flagSince != 0 {
		v.since = time.Unix(int64(d.uvarint(math.MaxInt64)), 0).UTC()
	}
	v.rules = d.rules()
	if data[1]&flagOthers != 0 {
		for n := d.uvarint(maxAgents + 1); n > 0 && !d.bad; n-- {
			v.others = append(v.others, d.rules())
		}
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
	text string // of which data is the end: all patterns are parts of it
	bad  bool
}

func (d *decoder) rules() []rule {
	n := d.uvarint(uint64(len(d.data)) / 2) // a rule has two bytes at least
	rules := make([]rule, 0, n)
	for ; n > 0 && !d.bad; n-- {
		flags := d.take(1)
		pattern := d.take(d.uvarint(uint64(len(d.data))))
		if d.bad || flags[0]&^(ruleAllow|ruleAnchored) != 0 {
			d.bad, d.data = true, nil
			break
		}
		end := len(d.text) - len(d.data)
		rules = append(rules, rule{
			pattern: d.text[end-len(pattern) : end], allow: flags[0]&ruleAllow != 0, anchored: flags[0]&ruleAnchored != 0,
		})
	}
	return rules
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
