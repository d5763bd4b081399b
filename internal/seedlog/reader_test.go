package seedlog

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"exclave/internal/sharedtest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func gz(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, part := range parts {
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, part); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// skippable is a frame that decoders pass over (RFC 8878 §3.1.2).
const skippable = "\x5a\x2a\x4d\x18\x03\x00\x00\x00abc"

func zst(t testing.TB, parts ...string) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	out := []byte(skippable)
	for _, part := range parts {
		out = append(w.EncodeAll([]byte(part), out), skippable...)
	}
	return out
}

// halves cuts a text at a place that is not the end of a line, as members of a
// compressed file may be.
func halves(s string) []string { return []string{s[:len(s)/2], s[len(s)/2:]} }

func read(t testing.TB, in io.Reader, o Options) (urls []string, state State, d *Reader) {
	t.Helper()
	d, err := Open(in, o)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for {
		e, err := d.Next()
		if errors.Is(err, io.EOF) {
			return urls, d.State(), d
		}
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, string(e.URL))
	}
}

// Every source of formats.md, plain and compressed in several members, is
// recognised by itself and gives its addresses; every line is accounted for.
func TestFormats(t *testing.T) {
	for _, s := range samples() {
		for _, c := range []struct {
			compression Compression
			data        []byte
		}{{Plain, []byte(s.text)}, {Gzip, gz(t, halves(s.text)...)}, {Zstd, zst(t, halves(s.text)...)}} {
			urls, state, d := read(t, bytes.NewReader(c.data), Options{Name: s.name})
			if d.Format() != s.format || d.Compression() != c.compression || state.Format != s.format {
				t.Errorf("%s: taken for %s, %s", s, d.Format(), d.Compression())
			}
			if !slices.Equal(urls, s.urls) {
				t.Errorf("%s, %s: read %q, want %q", s, c.compression, urls, s.urls)
			}
			if state.Skipped != s.skipped || state.Broken != s.broken || len(state.Samples) != int(s.broken) || state.Damage != "" {
				t.Errorf("%s: %+v, want %d skipped, %d broken", s, state, s.skipped, s.broken)
			}
			if sum := state.Blank + state.Skipped + state.Broken + int64(len(urls)); sum != state.Lines || state.Lines != int64(strings.Count(s.text, "\n")) {
				t.Errorf("%s: %d lines, of which %d are told", s, state.Lines, sum)
			}
			if state.Offset != int64(len(s.text)) {
				t.Errorf("%s: offset %d of %d", s, state.Offset, len(s.text))
			}
		}
	}
}

// The confusion matrix: long logs of each format, a tenth of their lines replaced
// by those of each other format, are still recognised. Logs start with strange
// lines: what a shell printed, what another program appended.
func TestRecognisedAmongOthers(t *testing.T) {
	for _, s := range samples() {
		text := strings.Split(s.long(100), "\n")
		for _, other := range samples() {
			if s.format == other.format || s.name != "" ||
				// Every address alone is a line of a list too, and of the bare shape of
				// LinksScoper.log: a wrapped line among them says what it is.
				s.format == List && other.format == LinksScoper ||
				// An origin with a path is no line of Veidemann.
				s.format == Veidemann && slices.Contains([]Format{List, LinksScoper, SURT, Veidemann}, other.format) {
				continue
			}
			mixed := slices.Clone(text)
			strange := strings.Split(strings.TrimSpace(other.text), "\n")
			for i := 0; i < len(mixed); i += 10 {
				mixed[i] = strange[i/10%len(strange)]
			}
			_, _, d := read(t, strings.NewReader(strings.Join(mixed, "\n")), Options{})
			if d.Format() != s.format {
				t.Errorf("%s with lines of %s: taken for %s (%+v)", s, string(other.format), string(d.Format()), d.Guess())
			}
		}
	}
}

// What the log says of an address reaches the entry.
func TestEntryFields(t *testing.T) {
	for _, c := range []struct {
		format Format
		line   string
		want   Entry
	}{
		{Scope, `2019-05-02T10:11:12.126Z 5 MatchesListRegexDecideRule REJECT https://a.com/x {"host":"a.com","hopPath":"LLE","via":"http://b.cz/?a=1\u0026b=2","seed":"http://b.cz/"}`,
			Entry{URL: []byte("https://a.com/x"), Via: []byte("http://b.cz/?a=1&b=2"), Hops: []byte("LLE"), Rule: []byte("MatchesListRegexDecideRule"), Time: []byte("2019-05-02T10:11:12.126Z"), Source: []byte("http://b.cz/"), Line: 1}},
		{Crawl, `2011-06-23T17:12:09.001Z -5000          - http://www.firma.com/ LL http://example.com/x no-type #002 - - http://example.com/ -`,
			Entry{URL: []byte("http://www.firma.com/"), Via: []byte("http://example.com/x"), Hops: []byte("LL"), Rule: []byte("-5000"), Time: []byte("2011-06-23T17:12:09.001Z"), Source: []byte("http://example.com/"), Line: 1}},
		{Exclave, `{"url":"http://a.com/","via":"http://b.cz/","hops":"L","rule":"hosts#2","time":"2026-11-21T05:12:08.802Z","source":"harvest"}`,
			Entry{URL: []byte("http://a.com/"), Via: []byte("http://b.cz/"), Hops: []byte("L"), Rule: []byte("hosts#2"), Time: []byte("2026-11-21T05:12:08.802Z"), Source: []byte("harvest"), Line: 1}},
		{Browsertrix, `{"url":"http://a.com/","seedUrl":"http://b.cz/","depth":1,"reason":"outOfScope","ts":"2026-02-05T10:11:12.123Z"}`,
			Entry{URL: []byte("http://a.com/"), Rule: []byte("outOfScope"), Time: []byte("2026-02-05T10:11:12.123Z"), Source: []byte("http://b.cz/"), Line: 1}},
		{LinksScoper, `11/21/2006 15:04:05 +0000 INFO org.archive.crawler.postprocessor.LinksScoper outOfScope http://a.com/`,
			Entry{URL: []byte("http://a.com/"), Time: []byte("11/21/2006 15:04:05 +0000"), Line: 1}},
	} {
		d, err := Open(strings.NewReader(c.line), Options{Format: c.format})
		if err != nil {
			t.Fatal(err)
		}
		e, err := d.Next()
		if err != nil {
			t.Fatalf("%s: %v %+v", c.line, err, d.State())
		}
		for _, f := range []struct {
			name      string
			got, want []byte
		}{{"url", e.URL, c.want.URL}, {"via", e.Via, c.want.Via}, {"hops", e.Hops, c.want.Hops}, {"rule", e.Rule, c.want.Rule}, {"time", e.Time, c.want.Time}, {"source", e.Source, c.want.Source}} {
			if !bytes.Equal(f.got, f.want) {
				t.Errorf("%s: %s %q, want %q", c.line, f.name, f.got, f.want)
			}
		}
		d.Close()
	}
}

// A line of several megabytes, a line at the cap, a last line without its end.
func TestLineCap(t *testing.T) {
	long := "http://a.com/" + strings.Repeat("x", MaxLine)
	text := "http://a.com/1\n" + long + "\n" + strings.Repeat(long, 60) + "\nhttp://a.com/2\n" + long[:MaxLine] + "\nhttp://a.com/3"
	urls, state, _ := read(t, iotest.HalfReader(strings.NewReader(text)), Options{})
	if want := []string{"http://a.com/1", "http://a.com/2", long[:MaxLine], "http://a.com/3"}; !slices.Equal(urls, want) {
		t.Errorf("read %.30q", urls)
	}
	if state.Broken != 2 || state.Causes[string(errLong)] != 2 || state.Lines != 6 || state.Offset != int64(len(text)) || len(state.Samples[1]) > 300 {
		t.Errorf("%.200v", state)
	}
}

// A broken transfer costs what is behind the damage and nothing before; the line
// that lost its end is no address; the damage is told with its place.
func TestDamage(t *testing.T) {
	var lines []string
	for i := range 50_000 {
		lines = append(lines, "http://host"+strings.Repeat("x", i%7)+".com/page/"+strings.Repeat("y", i%13))
	}
	text := strings.Join(lines, "\n") + "\n"
	for name, data := range map[string][]byte{"gzip": gz(t, halves(text)...), "zstd": zst(t, halves(text)...)} {
		for what, bad := range map[string][]byte{
			"truncated": data[:len(data)*3/4],
			"corrupt":   append(append(slices.Clone(data[:len(data)*3/4]), bytes.Repeat([]byte{0xa5}, 64)...), data[len(data)*3/4+64:]...),
			"trailing":  append(slices.Clone(data), "garbage after the last member"...),
		} {
			urls, state, _ := read(t, bytes.NewReader(bad), Options{})
			if what == "corrupt" && name == "gzip" {
				// Deflate notices late: what stands before is right, then comes nonsense.
				if good := lines[:len(lines)/2]; len(urls) < len(good) || !slices.Equal(urls[:len(good)], good) || state.Damage == "" {
					t.Errorf("%s %s: %d addresses, damage %q", what, name, len(urls), state.Damage)
				}
				continue
			}
			if len(urls) < len(lines)/2 || !slices.Equal(urls, lines[:len(urls)]) {
				t.Errorf("%s %s: %d addresses of %d, or other ones", what, name, len(urls), len(lines))
			}
			if what == "trailing" && len(urls) != len(lines) {
				t.Errorf("%s %s: %d addresses of %d", what, name, len(urls), len(lines))
			}
			if !strings.Contains(state.Damage, name+" damaged at byte ") {
				t.Errorf("%s %s: damage %q", what, name, state.Damage)
			}
			if state.Offset > int64(len(text)) || !strings.HasSuffix(text[:state.Offset], "\n") {
				t.Errorf("%s %s: taken up to %d, which is in a line", what, name, state.Offset)
			}
			// The file repaired: what is missing is read, nothing twice.
			rest, _, _ := read(t, bytes.NewReader(data), Options{Resume: state})
			if !slices.Equal(append(urls, rest...), lines) {
				t.Errorf("%s %s: %d and %d addresses of %d", what, name, len(urls), len(rest), len(lines))
			}
		}
	}
	for name, data := range map[string]string{"a gzip header that is cut off": "\x1f\x8b\x08"} {
		urls, state, _ := read(t, strings.NewReader(data), Options{})
		if len(urls) != 0 || state.Damage == "" {
			t.Errorf("%s: %q, damage %q", name, urls, state.Damage)
		}
	}
}

// A source that cannot be read is an error, not the end of a log.
func TestUnreadableSource(t *testing.T) {
	broken := errors.New("the cable was pulled")
	for name, data := range map[string][]byte{"plain": []byte(strings.Repeat("http://a.com/\n", 50_000)), "gzip": gz(t, strings.Repeat("http://a.com/\n", 50_000))} {
		d, err := Open(io.MultiReader(bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(broken)), Options{})
		if err == nil {
			for err == nil {
				_, err = d.Next()
			}
			d.Close()
		}
		if !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A run that was stopped goes on behind the last line it took, in the same
// format: a CDX file has its legend only at its beginning.
func TestResume(t *testing.T) {
	for _, s := range samples() {
		text := s.long(30)
		for name, data := range map[string][]byte{"plain": []byte(text), "gzip": gz(t, halves(text)...), "zstd": zst(t, halves(text)...)} {
			want, all, _ := read(t, bytes.NewReader(data), Options{Name: s.name})
			var got []string
			var state State
			for range len(want) + 1 {
				d, err := Open(bytes.NewReader(data), Options{Name: s.name, Resume: state})
				if err != nil {
					t.Fatal(err)
				}
				if e, err := d.Next(); err == nil {
					got = append(got, string(e.URL))
				}
				state = d.State()
				d.Close()
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s %s: one by one %d addresses, at once %d", s, name, len(got), len(want))
			}
			if state.Lines != all.Lines || state.Broken != all.Broken || state.Blank != all.Blank || state.Skipped != all.Skipped || state.Offset != all.Offset {
				t.Errorf("%s %s: one by one %+v, at once %+v", s, name, state, all)
			}
		}
	}
}

// Which statuses of a crawl.log are seeds is the user's choice.
func TestStatuses(t *testing.T) {
	var log string
	for _, s := range samples() {
		if s.format == Crawl {
			log = s.text
		}
	}
	urls, _, _ := read(t, strings.NewReader(log), Options{Statuses: []int{200, 1}})
	if want := []string{"http://example.com/robots.txt", "dns:example.com"}; !slices.Equal(urls, want) {
		t.Errorf("read %q", urls)
	}
}

// Indexes of other people are recognised and read to their end.
func TestSharedIndexes(t *testing.T) {
	dir := sharedtest.Path(t, "data/warc")
	for name, want := range map[string]struct {
		format       Format
		urls, broken int
	}{
		"warc-specifications/primers/web-archive-formats/hello-world.warc.cdx": {CDX, 4, 0},
		"warc-specifications/primers/web-archive-formats/cdx.unsorted.out":     {CDX, 1, 0},
		"ipwb/samples/indexes/salam-home.cdxj":                                 {CDXJ, 1, 0},
		"ipwb/samples/indexes/5mementos.cdxj":                                  {CDXJ, 0, 5},  // a list of versions: no keys
		"ipwb/samples/indexes/sample-old.cdxj":                                 {CDXJ, 0, 65}, // keys only
	} {
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		urls, state, d := read(t, f, Options{})
		if d.Format() != want.format || len(urls) != want.urls || int(state.Broken) != want.broken {
			t.Errorf("%s: %s, %q, %d broken: %q", name, d.Format(), urls, state.Broken, state.Samples)
		}
		f.Close()
	}
}
