package rewrite

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

func idSum(id string) (out [16]byte) {
	sum := sha256.Sum256([]byte(id))
	copy(out[:], sum[:])
	return out
}

// Divide names outputs: by host, by date (2006, 2006-01 or 2006-01-02 in UTC), by size, or any of them.
type Divide struct {
	Prefix string // folder and beginning of the names
	Form   Form
	Host   bool
	Date   string // layout of time.Format; empty: not by date
	Size   int64  // an output takes no capture any more from this size on; 0: no limit
	parts  map[string]int
}

// Name is for a Plan.
func (d *Divide) Name(s *Set, capture []*Record) (string, error) {
	if d.parts == nil {
		d.parts = map[string]int{}
	}
	name := d.Prefix
	if d.Host {
		host := ""
		for _, r := range capture {
			if host = HostOf(r); host != "" {
				break
			}
		}
		name += "-" + fileSafe(host)
	}
	if d.Date != "" {
		date := "undated"
		if t := capture[0].Date; !t.IsZero() {
			date = t.UTC().Format(d.Date)
		}
		name += "-" + date
	}
	if d.Size == 0 {
		return name + d.Form.Ending(), nil
	}
	for {
		numbered := fmt.Sprintf("%s-%05d%s", name, d.parts[name], d.Form.Ending())
		o, err := s.File(numbered)
		if err != nil || o.Size() < d.Size {
			return numbered, err
		}
		d.parts[name]++
	}
}

// fileSafe makes a host the part of a file's name.
func fileSafe(host string) string {
	if host == "" {
		return "no-host"
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, host[:min(len(host), 200)])
}
