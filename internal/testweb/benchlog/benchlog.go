// Package benchlog writes the out-of-scope log of a national harvest that never
// was, of any length: hosts by a power law, links of a page behind each other, links
// that were found before, traps of the nation's own domain, broken lines. Each line follows from the parameters and its
// number alone, so that nothing is held in memory and the same parameters give the
// same bytes.
package benchlog

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"exclave/internal/conf"
)

// Params say what the log is like.
type Params struct {
	Seed       uint64
	Lines      int64
	Hosts      int     // linked to; the n-th of them 1/n as often as the first
	Domains    int     // that link, of the nation and, one in ten, others; likewise
	TLD        string  // of the nation
	Format     string  // one of [Formats]
	Duplicates float64 // share of lines that name an address again: 80 % of them a recent one
	Broken     float64 // share of lines that are none of the format
	Traps      float64 // share of lines that were refused as traps, on the domain that links; a list has none
	Sources    bool    // with source tags
}

// Formats returns the formats that can be written: scope.log of Heritrix 3,
// out-of-scope.jsonl, a list.
func Formats() []string { return []string{"scope", "exclave", "list"} }

// DefaultParams returns a log of a million lines.
func DefaultParams() Params {
	return Params{Seed: 1, Lines: 1_000_000, Hosts: 50_000, Domains: 5_000, TLD: "cz", Format: "scope", Duplicates: 0.4, Broken: 0.001, Traps: 0.1}
}

// Validate returns what is wrong.
func (p Params) Validate() (ps conf.Problems) {
	ps.Check(p.Lines >= 0, "", "%d lines are less than none", p.Lines)
	ps.Check(p.Hosts >= 1 && p.Domains >= 1, "", "%d hosts and %d domains: there must be one of each at least", p.Hosts, p.Domains)
	ps.Check(p.TLD != "", "", "no top-level domain of the nation is given")
	ps.Check(slices.Contains(Formats(), p.Format), "", "there is no format %q; there are %v", p.Format, Formats())
	ps.Check(p.Duplicates >= 0 && p.Duplicates <= 1, "", "%v duplicates are not between 0 and 1", p.Duplicates)
	ps.Check(p.Broken >= 0 && p.Broken <= 1, "", "%v broken lines are not between 0 and 1", p.Broken)
	ps.Check(p.Traps >= 0 && p.Traps <= 1, "", "%v traps are not between 0 and 1", p.Traps)
	return ps
}

// Numbers of the mixture.
const (
	perPage  = 12     // links of a page
	recent   = 10_000 // lines that most duplicates repeat one of
	others   = 0.1    // share of domains that are not the nation's
	accepted = 0.02   // share of lines of links that were let in
	listed   = 0.03   // share of lines of links that an expression refused
)

// reason is why a link was refused, or let in: as scope.log of Heritrix's default scope
// says it, and as ours does.
type reason struct {
	heritrix, ours string
	trap           bool
}

var reasons = [...]reason{
	{" 0 RejectDecideRule REJECT ", "hosts", false},
	{" 1 SurtPrefixedDecideRule ACCEPT ", "", false},
	{" 5 MatchesListRegexDecideRule REJECT ", "regex", false},
	{" 2 TooManyHopsDecideRule REJECT ", "too-many-hops", true},
	{" 6 PathologicalPathDecideRule REJECT ", "pathological-path", true},
	{" 7 TooManyPathSegmentsDecideRule REJECT ", "too-many-path-segments", true},
}

// trapped is why a trap was refused: six in ten times because of its hops.
func trapped(d *dice) reason {
	switch d.below(10) {
	case 0:
		return reasons[5]
	case 1, 2, 3:
		return reasons[4]
	}
	return reasons[3]
}

// Write writes the log.
func (p Params) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 256<<10)
	var b []byte
	for i := range uint64(p.Lines) {
		b = p.line(b[:0], i)
		if _, err := out.Write(b); err != nil {
			return fmt.Errorf("benchlog: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("benchlog: %w", err)
	}
	return nil
}

// dice are numbers that follow from a few others (splitmix64: Steele, Lea, Flood
// 2014).
type dice uint64

func (p Params) dice(what, n uint64) dice {
	d := dice(p.Seed + what*0xd1342543de82ef95 + n*0x2545f4914f6cdd1d)
	d.next()
	return d
}

func (d *dice) next() uint64 {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (d *dice) share() float64 { return float64(d.next()>>11) / (1 << 53) }

func (d *dice) below(n int) int { return int(d.next() % uint64(n)) }

// rank is a number from 0 to n-1, k about 1/(k+1) as often as 0.
func (d *dice) rank(n int) int { return min(int(math.Pow(float64(n+1), d.share())), n) - 1 }

// What dice are thrown for.
const (
	forLine = iota
	forOrigin
	forAddress
	forPage
	forHost
	forDomain
)

// line appends line i.
func (p Params) line(b []byte, i uint64) []byte {
	d := p.dice(forLine, i)
	from := len(b)
	if d.share() < p.Broken {
		if d.below(2) == 0 {
			return append(b, "java.io.IOException: \x00\xff stream closed\n"...)
		}
		b = p.entry(b, i, &d)
		return append(b[:from+min(30, len(b)-from)], '\n') // cut off
	}
	return append(p.entry(b, i, &d), '\n')
}

func (p Params) entry(b []byte, i uint64, d *dice) []byte {
	n, page := p.origin(i), i/perPage
	if p.Format == "list" {
		return p.address(b, n)
	}
	r := reasons[0]
	if let := d.share(); d.share() < p.Traps {
		r = trapped(d)
	} else if let < accepted && p.Format == "scope" {
		r = reasons[1]
	} else if let > 1-listed {
		r = reasons[2]
	}
	address := p.address
	if r.trap {
		address = func(b []byte, n uint64) []byte { return p.trap(b, r, page, n) }
	}
	if p.Format == "exclave" {
		b = append(address(append(b, `{"url":"`...), n), `","via":"`...)
		b = append(append(append(p.page(b, page), `","hops":"LL","rule":"`...), r.ours...), `","time":"`...)
		b = append(stamp(b, i), `","source":"`...)
		if p.Sources {
			b = p.home(b, page)
		}
		return append(b, `"}`...)
	}
	b = append(stamp(b, i), r.heritrix...)
	b = append(address(b, n), ` {"hopPath":"LL","via":"`...)
	b = p.page(b, page)
	if p.Sources {
		b = p.home(append(b, `","seed":"`...), page)
	}
	return append(b, `"}`...)
}

// origin is the line that is the first to name the address of line i.
func (p Params) origin(i uint64) uint64 {
	for {
		d := p.dice(forOrigin, i)
		if i == 0 || d.share() >= p.Duplicates {
			return i
		}
		if d.share() < 0.8 {
			i -= 1 + d.next()%min(i, recent)
		} else {
			i = d.next() % i
		}
	}
}

// stamp appends the time of line i.
func stamp(b []byte, i uint64) []byte {
	const begin = 1_556_791_872_123 // 2019-05-02
	return time.UnixMilli(int64(begin+i/3)).UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
}

// address appends the address that line n is the first to name.
func (p Params) address(b []byte, n uint64) []byte {
	d := p.dice(forAddress, n)
	h := d.rank(p.Hosts)
	if hd := p.dice(forHost, uint64(h)); hd.below(3) > 0 {
		b = append(b, "https://"...)
	} else {
		b = append(b, "http://"...)
	}
	b = append(p.host(b, h), '/')
	if d.below(20) == 0 {
		return b // a home page
	}
	for range 1 + d.below(3) {
		b = append(word(b, &d), '/')
	}
	b = append(word(b, &d), '-')
	b = strconv.AppendUint(b, n, 36)
	switch d.below(4) {
	case 0:
		b = append(b, ".html"...)
	case 1:
		b = append(word(append(b, "?q="...), &d), "&page="...)
		b = strconv.AppendInt(b, int64(d.below(50)), 10)
	}
	return b
}

// trap appends an address of a trap on the domain of the page that links to it.
func (p Params) trap(b []byte, r reason, page, n uint64) []byte {
	b = p.home(b, page)
	switch r {
	case reasons[3]:
		b = strconv.AppendUint(append(b, "kalendar?rok="...), 2000+n%5000, 10)
		return strconv.AppendUint(append(b, "&den="...), n/5000, 10)
	case reasons[4]:
		return strconv.AppendUint(append(b, "akce/akce/akce/akce/"...), n, 36)
	}
	for range 22 {
		b = append(b, "a/"...)
	}
	return strconv.AppendUint(b, n, 36)
}

func (p Params) host(b []byte, h int) []byte {
	d := p.dice(forHost, uint64(h))
	d.next() // the scheme
	switch d.below(6) {
	case 0:
	case 1:
		b = append(word(b, &d), '.')
	default:
		b = append(b, "www."...)
	}
	b = word(b, &d)
	b = strconv.AppendInt(append(b, '-'), int64(h), 36)
	tlds := [...]string{"com", "com", "com", "com", "net", "org", "de", "eu", "sk", "at", "pl", "info", "co.uk", "xyz", "io", "ru"}
	return append(append(b, '.'), tlds[d.below(len(tlds))]...)
}

// home appends the home page of the domain of a page.
func (p Params) home(b []byte, page uint64) []byte {
	d := p.dice(forPage, page)
	n := uint64(d.rank(p.Domains))
	d = p.dice(forDomain, n)
	b = append(b, "http://www."...)
	b = strconv.AppendUint(append(word(b, &d), '-'), n, 36)
	if d.share() < others {
		return append(b, ".example/"...)
	}
	return append(append(append(b, '.'), p.TLD...), '/')
}

func (p Params) page(b []byte, page uint64) []byte {
	d := p.dice(forPage, page)
	d.next() // the domain
	b = word(p.home(b, page), &d)
	return strconv.AppendUint(append(b, '/'), page, 36)
}

// word appends a few syllables.
func word(b []byte, d *dice) []byte {
	syllables := [...]string{"ba", "de", "fir", "go", "hra", "ja", "kni", "le", "ma", "no", "po", "re", "sta", "te", "vy", "zem"}
	n := d.next()
	for range 2 + n%3 {
		n >>= 4
		b = append(b, syllables[n%16]...)
	}
	return b
}
