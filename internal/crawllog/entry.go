package crawllog

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ErrLine is wrapped by errors about lines that are not of crawl.log.
var ErrLine = errors.New("not a line of crawl.log")

// Entry is a line of crawl.log. A text that is "-" in the line is empty.
type Entry struct {
	Time        time.Time // of the line, UTC
	Status      int       // HTTP status, 1 for a DNS answer, or one of Heritrix's negative codes
	Size        int64     // of the body, as received; of lines before ContentSize was on each: see Received; -1 when not given
	URL         string
	Hops        string // the last 50 hops at most
	EarlierHops int    // the hops before them
	Via         string
	MIME        string // without parameters; "unknown" when there is none
	Worker      int
	Started     time.Time // of the fetch; zero when nothing was fetched
	Took        time.Duration
	Digest      string // scheme:base32
	Source      string
	Annotations []string
	// Of the thirteenth field; -1 and "" when it does not say.
	ContentSize    int64
	WARCFilename   string
	WARCFileOffset int64
	Simhash        string // of the text of an archived page (package simhash)
	TextHash       string
}

// Received is how many bytes were received, header and body: what the thirteenth
// field says. A line without it is Heritrix's (without logExtraInfo), of which only
// the body is known, or one that this crawler wrote when its third field still
// counted the header. 0 when nothing was received.
func (e *Entry) Received() int64 {
	if e.ContentSize >= 0 {
		return e.ContentSize
	}
	return max(e.Size, 0)
}

// fields are those of the table, without the JSON.
const fields = 12

// Parse reads one line, with or without its end. A thirteenth field that is not a
// JSON object is ignored: programs in the middle append their own.
func Parse(line string) (Entry, error) {
	var f [fields]string
	rest := line
	for i := range f {
		rest = strings.TrimLeft(rest, " \t\r\n")
		end := strings.IndexAny(rest, " \t\r\n")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return Entry{}, fmt.Errorf("crawllog: %w: it has %d fields, not %d", ErrLine, i, fields)
		}
		f[i], rest = rest[:end], rest[end:]
	}
	p := parser{}
	e := Entry{
		Time: p.time("log time", f[0]), Status: int(p.number("status", f[1], 32)), Size: -1,
		URL: text(f[3]), Via: text(f[5]), MIME: text(f[6]),
		Digest: text(f[9]), Source: text(f[10]), ContentSize: -1, WARCFileOffset: -1,
	}
	if f[2] != "-" {
		e.Size = p.count("size", f[2])
	}
	e.EarlierHops, e.Hops = p.hops(text(f[4]))
	number, ok := strings.CutPrefix(f[7], "#")
	if !ok {
		p.fail("worker", f[7], nil)
	} else {
		e.Worker = int(p.number("worker", number, 32))
	}
	e.Started, e.Took = p.fetch(f[8])
	if a := text(f[11]); a != "" {
		e.Annotations = strings.Split(a, ",")
	}
	if p.err != nil {
		return Entry{}, p.err
	}
	e.extra(strings.TrimSpace(rest))
	return e, nil
}

func text(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

func (e *Entry) extra(s string) {
	if !strings.HasPrefix(s, "{") {
		return
	}
	var x struct {
		ContentSize    *int64 `json:"contentSize"`
		WARCFilename   string `json:"warcFilename"`
		WARCFileOffset *int64 `json:"warcFileOffset"`
		Simhash        string `json:"simhash"`
		TextHash       string `json:"textHash"`
	}
	if json.Unmarshal([]byte(s), &x) != nil {
		return
	}
	e.WARCFilename, e.Simhash, e.TextHash = x.WARCFilename, x.Simhash, x.TextHash
	if x.ContentSize != nil {
		e.ContentSize = *x.ContentSize
	}
	if x.WARCFileOffset != nil {
		e.WARCFileOffset = *x.WARCFileOffset
	}
}

// parser keeps the first fault.
type parser struct{ err error }

func (p *parser) fail(field, value string, err error) {
	if p.err != nil {
		return
	}
	p.err = fmt.Errorf("crawllog: %w: %s %q", ErrLine, field, value)
	var num *strconv.NumError
	if errors.As(err, &num) {
		p.err = fmt.Errorf("%w: %w", p.err, num.Err)
	} else if err != nil {
		p.err = fmt.Errorf("%w: %w", p.err, err)
	}
}

func (p *parser) number(field, s string, bits int) int64 {
	n, err := strconv.ParseInt(s, 10, bits)
	if err != nil {
		p.fail(field, s, err)
	}
	return n
}

// count is a number of bytes.
func (p *parser) count(field, s string) int64 {
	n := p.number(field, s, 64)
	if n < 0 {
		p.fail(field, s, errors.New("is negative"))
	}
	return n
}

func (p *parser) time(field, s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		p.fail(field, s, nil)
	}
	return t
}

// hops reads "LLE" or "7+" and the last letters of a longer path.
func (p *parser) hops(s string) (earlier int, shown string) {
	if head, tail, cut := strings.Cut(s, "+"); cut {
		earlier, s = int(p.number("hop path", head, 31)), tail
		if earlier < 0 {
			p.fail("hop path", head, nil)
		}
	}
	for _, c := range s {
		if c < 'A' || c > 'Z' {
			p.fail("hop path", s, nil)
			break
		}
	}
	return earlier, s
}

// fetch reads start and duration: 17 digits, '+' as the code writes it or ';' as
// the manual has it, milliseconds.
func (p *parser) fetch(s string) (time.Time, time.Duration) {
	const field, digits = "fetch time", len("20060102150405000")
	if s == "-" {
		return time.Time{}, 0
	}
	if len(s) < digits {
		p.fail(field, s, nil)
		return time.Time{}, 0
	}
	began, took := s[:digits], s[digits:]
	t, err := time.Parse("20060102150405.000", began[:14]+"."+began[14:])
	if err != nil {
		p.fail(field, s, nil)
	}
	if took == "" {
		return t, 0
	}
	if took[0] != '+' && took[0] != ';' {
		p.fail(field, s, nil)
		return t, 0
	}
	ms, err := strconv.ParseUint(strings.TrimSuffix(took[1:], "ms"), 10, 40)
	if err != nil {
		p.fail(field, s, err)
	}
	return t, time.Duration(ms) * time.Millisecond
}

// Truncated reports that the answer was cut: too long, too slow, or broken off.
func (e *Entry) Truncated() bool {
	for _, a := range e.Annotations {
		switch a {
		case "lenTrunc", "timeTrunc", "discTrunc":
			return true
		}
	}
	return false
}
