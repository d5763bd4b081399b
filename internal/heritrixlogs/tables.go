package heritrixlogs

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Seed is a row of the seeds-report.
type Seed struct {
	Code           int
	Crawled        bool
	URI, Redirects string // Redirects to, "" = nowhere
}

// Host is a row of the hosts-report.
type Host struct {
	URLs, Bytes                                                             int64
	Name                                                                    string
	Robots, Remaining                                                       int64
	NovelURLs, NovelBytes, DupURLs, DupBytes, UnmodifiedURLs, UnmodifiedLen int64
}

// Source is a row of the source-report.
type Source struct {
	Tag, Host string
	URLs      int64
}

// Count is a row of the mimetype-report or, without Bytes, of the responsecode-report.
type Count struct {
	URLs, Bytes int64
	Name        string
}

// rows reads a table: its header to the byte, then rows of words parted by one blank.
func rows(in io.Reader, name, header string, row func(c *checker, f []string) bool) error {
	seen := false
	err := eachLine(in, func(n int, text string) error {
		if n == 1 {
			seen = true
			if text != header {
				return fmt.Errorf("the header is %q, not %q", text, header)
			}
			return nil
		}
		c := &checker{}
		switch ok := row(c, strings.Split(text, " ")); {
		case c.err != nil:
			return fmt.Errorf("line %d is no row: %q: %w", n, text, c.err)
		case !ok:
			return fmt.Errorf("line %d is no row: %q", n, text)
		}
		return nil
	})
	if err == nil && !seen {
		err = fmt.Errorf("no header")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Seeds reads a seeds-report: none yet attempted first, then failures by ascending
// absolute value, then answers, the greatest code first.
func Seeds(in io.Reader) (out []Seed, err error) {
	rank := func(code int) int { // SeedRecord.sortShiftStatusCode, but for its overflow at 1
		if code <= 0 {
			return -code
		}
		return 1<<31 - code
	}
	return out, rows(in, "seeds-report", "[code] [status] [seed] [redirect]", func(c *checker, f []string) bool {
		if len(f) != 3 && len(f) != 4 {
			return false
		}
		s := Seed{Code: int(c.number(f[0])), Crawled: f[1] == "CRAWLED", URI: f[2]}
		c.must(f[1] == "CRAWLED" || f[1] == "NOTCRAWLED", "status %q", f[1])
		c.must(s.Crawled == (s.Code > 0), "%s with code %d", f[1], s.Code)
		if len(f) == 4 {
			s.Redirects = f[3]
			c.must(s.Code >= 300 && s.Code < 400, "a redirect with code %d", s.Code)
		}
		if n := len(out); n > 0 {
			c.must(rank(out[n-1].Code) <= rank(s.Code), "code %d after %d", s.Code, out[n-1].Code)
		}
		out = append(out, s)
		return true
	})
}

const hostsHeader = "[#urls] [#bytes] [host] [#robots] [#remaining] [#novel-urls] [#novel-bytes] [#dup-by-hash-urls] [#dup-by-hash-bytes] [#not-modified-urls] [#not-modified-bytes]"

// Hosts reads a hosts-report, whose lines end with a blank, hosts with most URLs first.
func Hosts(in io.Reader) (out []Host, err error) {
	return out, rows(in, "hosts-report", hostsHeader, func(c *checker, f []string) bool {
		if len(f) != 12 || f[11] != "" {
			return false
		}
		var v [11]int64
		for i := range v {
			if i != 2 {
				v[i] = c.number(f[i])
				c.must(v[i] >= 0, "negative %q", f[i])
			}
		}
		h := Host{v[0], v[1], f[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]}
		c.must(h.URLs == h.NovelURLs+h.DupURLs+h.UnmodifiedURLs, "URLs do not add up")
		c.must(h.Bytes == h.NovelBytes+h.DupBytes+h.UnmodifiedLen, "bytes do not add up")
		if n := len(out); n > 0 {
			c.must(h.URLs <= out[n-1].URLs, "out of order")
		}
		out = append(out, h)
		return h.Name != ""
	})
}

// Sources reads a source-report: by source, hosts with most URLs first.
func Sources(in io.Reader) (out []Source, err error) {
	done := map[string]bool{}
	return out, rows(in, "source-report", "[source] [host] [#urls]", func(c *checker, f []string) bool {
		if len(f) != 3 {
			return false
		}
		s := Source{f[0], f[1], c.number(f[2])}
		if n := len(out); n > 0 && out[n-1].Tag == s.Tag {
			c.must(s.URLs <= out[n-1].URLs, "out of order")
		} else {
			c.must(!done[s.Tag], "%s comes twice", s.Tag)
			done[s.Tag] = true
		}
		out = append(out, s)
		return s.URLs > 0
	})
}

// MIMETypes reads a mimetype-report.
func MIMETypes(in io.Reader) (out []Count, err error) {
	return out, rows(in, "mimetype-report", "[#urls] [#bytes] [mime-types]", func(c *checker, f []string) bool {
		if len(f) != 3 {
			return false
		}
		return counted(c, &out, Count{c.number(f[0]), c.number(f[1]), f[2]})
	})
}

// responseCode is one of those of successes, the only ones in the report.
var responseCode = regexp.MustCompile(`^(1|2001|[1-9]\d\d)$`)

// ResponseCodes reads a responsecode-report.
func ResponseCodes(in io.Reader) (out []Count, err error) {
	return out, rows(in, "responsecode-report", "[#urls] [rescode]", func(c *checker, f []string) bool {
		if len(f) != 2 {
			return false
		}
		c.must(responseCode.MatchString(f[1]), "code %q is not of a success", f[1])
		return counted(c, &out, Count{URLs: c.number(f[0]), Name: f[1]})
	})
}

// counted takes a row, the most frequent first, each name once.
func counted(c *checker, out *[]Count, row Count) bool {
	for i, o := range *out {
		c.must(o.Name != row.Name, "%s comes twice", row.Name)
		c.must(i < len(*out)-1 || row.URLs <= o.URLs, "out of order")
	}
	*out = append(*out, row)
	return row.URLs > 0 && row.Bytes >= 0
}
