package heritrixlogs

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Line is a line of crawl.log. "" stands for a field that is "-".
type Line struct {
	Logged                 time.Time
	Status                 int
	Size                   int64 // document size; -1 = "-"
	URI, Path, Via, MIME   string
	Thread                 int
	Began                  time.Time // zero: nothing was fetched
	Took                   time.Duration
	Digest, Source, Annots string
	ContentSize            int64 // of the extra information; -1 = not said
	WARCFilename           string
}

// Annotated reports whether an annotation begins so.
func (l Line) Annotated(prefix string) bool { return strings.Contains(","+l.Annots, ","+prefix) }

// crawlLine is how the formatter puts the fields together: single blanks, status and
// size right-aligned, and nothing within a field that would part it.
var crawlLine = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([ \d-]{5,}) ([ \d-]{10,}) (\S+) (\S+) (\S+) (\S+) #(\d{3,}) (\d{17}\+\d+|-) (\S+) (\S+) (\S+)(?: (\{.*\}))?$`)

var hopPath = regexp.MustCompile(`^(-|[A-Z]{1,50}|[1-9]\d*\+[A-Z]{50})$`)

var digest = regexp.MustCompile(`^(-|sha1:[A-Z2-7]{32})$`)

// CrawlLog reads a crawl.log.
func CrawlLog(in io.Reader) ([]Line, error) {
	var out []Line
	err := eachLine(in, func(n int, text string) error {
		f := crawlLine.FindStringSubmatch(text)
		if f == nil {
			return fmt.Errorf("line %d is not of the format: %q", n, text)
		}
		l := Line{URI: f[4], Path: none(f[5]), Via: none(f[6]), MIME: f[7], Digest: none(f[10]), Source: none(f[11]), Annots: none(f[12]), ContentSize: -1}
		p := checker{}
		l.Logged = p.time("2006-01-02T15:04:05.000Z", f[1])
		l.Status = int(p.aligned(f[2], 5))
		l.Size = -1
		if strings.TrimLeft(f[3], " ") != "-" {
			l.Size = p.aligned(f[3], 10)
			p.must(l.Size >= 0, "size %d", l.Size)
		} else {
			p.must(len(f[3]) == 10, "field 3 %q is not 10 wide", f[3])
		}
		p.must(hopPath.MatchString(f[5]), "hop path %q", f[5])
		p.must((l.Path == "") == (l.Via == "") || l.Path == "", "hop path %q, via %q", f[5], f[6])
		p.must(!strings.Contains(f[7], ";"), "MIME type %q has parameters", f[7])
		l.Thread = int(p.number(f[8]))
		if began, took, ok := strings.Cut(f[9], "+"); ok {
			l.Began = p.time("20060102150405.000", began[:14]+"."+began[14:])
			l.Took = time.Duration(p.number(took)) * time.Millisecond
		}
		p.must(digest.MatchString(f[10]), "digest %q", f[10])
		if f[13] != "" {
			var x struct {
				ContentSize    *int64 `json:"contentSize"`
				WARCFilename   string `json:"warcFilename"`
				WARCFileOffset *int64 `json:"warcFileOffset"`
			}
			p.must(json.Unmarshal([]byte(f[13]), &x) == nil, "extra information %q", f[13])
			p.must((x.WARCFilename == "") == (x.WARCFileOffset == nil), "file and offset in %q", f[13])
			if x.ContentSize != nil {
				l.ContentSize = *x.ContentSize
			}
			l.WARCFilename = x.WARCFilename
		}
		p.must(l.ContentSize < 0 || l.Size <= l.ContentSize, "a body of %d in %d bytes", l.Size, l.ContentSize)
		if p.err != nil {
			return fmt.Errorf("line %d: %w: %q", n, p.err, text)
		}
		out = append(out, l)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("crawl.log: %w", err)
	}
	return out, nil
}

func none(s string) string {
	if s == "-" {
		return ""
	}
	return s
}

// eachLine calls fn for every line, which must have an end.
func eachLine(in io.Reader, fn func(n int, text string) error) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if !strings.HasSuffix(line, "\n") {
			return fmt.Errorf("line %d has no end: %q", n, line)
		}
		if err := fn(n, strings.TrimSuffix(line, "\n")); err != nil {
			return err
		}
	}
	return nil
}

// checker keeps the first thing that is wrong.
type checker struct{ err error }

func (c *checker) must(ok bool, format string, args ...any) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// number reads a decimal number as Java prints it.
func (c *checker) number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	c.must(err == nil, "%q is not a number", s)
	return n
}

// decimal reads what Java prints of a fraction.
func (c *checker) decimal(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	c.must(err == nil, "%q is not a number", s)
	return f
}

// aligned reads a number that is right-aligned, wider only when it must be.
func (c *checker) aligned(s string, width int) int64 {
	n := strings.TrimLeft(s, " ")
	c.must(len(s) == max(width, len(n)), "%q is not right-aligned to %d", s, width)
	return c.number(n)
}

func (c *checker) time(layout, s string) time.Time {
	t, err := time.Parse(layout, s)
	c.must(err == nil, "%q is not a time", s)
	return t
}
