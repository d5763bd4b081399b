package crawllog_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/internal/crawllog"
)

// The sample of formats.md.
const sample = `2011-06-23T17:12:08.802Z   200       1299 http://example.com/robots.txt LREP http://example.com/x text/plain #014 20110623171208574+225 sha1:YIUOKDGOLGI5JYHDTXRFFQ5FF4N2EJRV - -`

// formats.md, the table of fields: every field is read.
func TestParse(t *testing.T) {
	e, err := crawllog.Parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%+v", e), `{Time:2011-06-23 17:12:08.802 +0000 UTC Status:200 Size:1299 URL:http://example.com/robots.txt Hops:LREP EarlierHops:0 Via:http://example.com/x MIME:text/plain Worker:14 Started:2011-06-23 17:12:08.574 +0000 UTC Took:225ms Digest:sha1:YIUOKDGOLGI5JYHDTXRFFQ5FF4N2EJRV Source: Annotations:[] ContentSize:-1 WARCFilename: WARCFileOffset:-1 Simhash: TextHash:}`; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// docs/formats/crawl-log.md: how many bytes came is known of lines of any age.
func TestReceived(t *testing.T) {
	for _, c := range []struct {
		why, line string
		want      int64
	}{
		{"field 3 is the body, contentSize has the header too", sample + ` {"contentSize":1518}`, 1518},
		{"an archived URI of an older version, whose field 3 had the header too", strings.Replace(sample, "1299", "1518", 1) +
			` {"contentSize":1518,"warcFilename":"a.warc.gz","warcFileOffset":5}`, 1518},
		{"one that was not archived: it has no thirteenth field", strings.Replace(sample, "1299", "1518", 1), 1518},
		{"an answer without a body", strings.Replace(sample, "1299", "   0", 1) + ` {"contentSize":219}`, 219},
		{"nothing came", strings.Replace(sample, "1299", "   -", 1), 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			e, err := crawllog.Parse(c.line)
			if err != nil || e.Received() != c.want {
				t.Errorf("%d, want %d (%v)", e.Received(), c.want, err)
			}
		})
	}
}

func TestParseForms(t *testing.T) {
	for _, c := range []struct {
		why, line string
		ok        func(crawllog.Entry) bool
	}{
		{"the manual parts start and duration by ';'", strings.Replace(sample, "+225", ";225", 1),
			func(e crawllog.Entry) bool { return e.Took == 225*time.Millisecond && e.Started.Nanosecond() == 574e6 }},
		{"formats.md writes the duration with its unit", strings.Replace(sample, "+225", "+225ms", 1),
			func(e crawllog.Entry) bool { return e.Took == 225*time.Millisecond }},
		{"a longer hop path is N+ and 50 letters", strings.Replace(sample, "LREP", "7+"+strings.Repeat("L", 50), 1),
			func(e crawllog.Entry) bool { return e.EarlierHops == 7 && len(e.Hops) == 50 }},
		{"a seed that failed has blanks nearly everywhere", `2009-03-21T23:12:29.421Z    -2          - http://example.com/ - - no-type #003 - - - 3t`,
			func(e crawllog.Entry) bool {
				return e.Status == -2 && e.Size == -1 && e.EarlierHops == 0 && e.Hops == "" && e.Via == "" && e.Started.IsZero() && e.Digest == "" && slices.Contains(e.Annotations, "3t")
			}},
		{"dns", `2009-03-21T23:12:29.421Z     1         55 dns:example.com P http://example.com/ text/dns #049 20090321231229300+100 sha1:2WB5OVAWYSU4YA4KSCYVMXPAOGFGPAH7 - -`,
			func(e crawllog.Entry) bool {
				return e.Status == 1 && e.URL == "dns:example.com" && e.MIME == "text/dns"
			}},
		{"thirteenth field, with blanks in it", sample[:len(sample)-3] + `src 2t,dol:5 {"contentSize":7, "warcFilename":"x y.warc.gz", "warcFileOffset":0}`,
			func(e crawllog.Entry) bool {
				return e.Source == "src" && slices.Equal(e.Annotations, []string{"2t", "dol:5"}) && e.ContentSize == 7 && e.WARCFilename == "x y.warc.gz" && e.WARCFileOffset == 0
			}},
		{"the hashes of a page's text", sample + ` {"contentSize":7,"simhash":"00000000000000ff","textHash":"0123456789abcdef"}`,
			func(e crawllog.Entry) bool {
				return e.Simhash == "00000000000000ff" && e.TextHash == "0123456789abcdef"
			}},
		{"another program's thirteenth field", sample + " {cut", func(e crawllog.Entry) bool { return e.ContentSize == -1 && e.WARCFilename == "" }},
		{"Heritrix 3 without milliseconds in front, tabs between fields, a DOS line end", strings.ReplaceAll(strings.Replace(sample, ".802Z", "Z", 1), " ", "\t") + "\r\n",
			func(e crawllog.Entry) bool { return e.Worker == 14 && e.Time.Second() == 8 }},
	} {
		t.Run(c.why, func(t *testing.T) {
			e, err := crawllog.Parse(c.line)
			if err != nil || !c.ok(e) {
				t.Errorf("%+v %v", e, err)
			}
		})
	}
}

func TestParseBroken(t *testing.T) {
	for _, bad := range []string{
		"", "x", strings.TrimSuffix(sample, " -"), strings.Replace(sample, "2011-06", "2011-13", 1), strings.Replace(sample, " 200 ", " ok ", 1),
		strings.Replace(sample, "1299", "many", 1), strings.Replace(sample, "1299", "-5", 1), strings.Replace(sample, "#014", "#x", 1),
		strings.Replace(sample, "#014", "014", 1), strings.Replace(sample, "20110623171208574+225", "today", 1),
		strings.Replace(sample, "+225", "+-1", 1), strings.Replace(sample, "+225", "/225", 1), strings.Replace(sample, "20110623171208574", "20111323171208574", 1),
		strings.Replace(sample, "LREP", "x+LREP", 1), strings.Replace(sample, "LREP", "-1+LREP", 1), strings.Replace(sample, "LREP", "http://a.com/", 1),
	} {
		if e, err := crawllog.Parse(bad); !errors.Is(err, crawllog.ErrLine) {
			t.Errorf("%q: %+v %v", bad, e, err)
		}
	}
}

// all reads to the end; broken lines by their numbers.
func all(t *testing.T, in io.Reader) (urls []string, broken []int64) {
	t.Helper()
	r, err := crawllog.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	for {
		e, err := r.Next()
		var bad *crawllog.LineError
		switch {
		case errors.Is(err, io.EOF):
			return urls, broken
		case errors.As(err, &bad):
			broken = append(broken, bad.Line)
		case err != nil:
			t.Fatal(err)
		default:
			urls = append(urls, fmt.Sprintf("%d:%s", r.Line(), e.URL))
		}
	}
}

// Logs of whole harvests have broken lines: they are named, and reading goes on;
// gzip of several members is as good as plain.
func TestReader(t *testing.T) {
	part := []string{sample + "\n\n", "no line\n" + strings.Repeat("x", 2<<20) + "\n", sample} // no end of the last line
	var z bytes.Buffer
	for _, p := range part {
		w := gzip.NewWriter(&z)
		if _, err := io.WriteString(w, p); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, in := range map[string]io.Reader{"plain": strings.NewReader(strings.Join(part, "")), "gzip": &z} {
		urls, broken := all(t, in)
		if !slices.Equal(urls, []string{"1:http://example.com/robots.txt", "5:http://example.com/robots.txt"}) || !slices.Equal(broken, []int64{3, 4}) {
			t.Errorf("%s: %v, broken %v", name, urls, broken)
		}
	}
	if urls, broken := all(t, strings.NewReader("")); urls != nil || broken != nil {
		t.Errorf("an empty log has %v %v", urls, broken)
	}
}

// A source that breaks off is not the end of the log.
func TestReaderCut(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	fmt.Fprintln(w, sample)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := crawllog.NewReader(bytes.NewReader(z.Bytes()[:z.Len()-4]))
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = r.Next()
	}
	if errors.Is(err, io.EOF) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a gzip file that is cut: %v", err)
	}
}

// Logs of other harvests are outside bytes.
func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add(sample + ` {"contentSize":`)
	f.Add(strings.Replace(sample, "+", ";", 1))
	f.Add(strings.Repeat("- ", 14))
	f.Fuzz(func(t *testing.T, line string) {
		e, err := crawllog.Parse(line)
		if err == nil && (e.EarlierHops < 0 || e.Size < -1 || e.Took < 0) {
			t.Errorf("%q: %+v", line, e)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := crawllog.Parse(sample); err != nil {
			b.Fatal(err)
		}
	}
}
