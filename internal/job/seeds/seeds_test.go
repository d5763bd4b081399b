package seeds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/chain/decide"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/seedlog"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// offered is a frontier that remembers marks, and what it was offered.
type offered struct {
	marks map[string][]byte
	urls  []string
	known map[string]bool
	stop  int // fails behind so many seeds; 0 = never
	traps bool
}

// What a log says was refused as a trap is left out, and counted; a setting that takes it counts also for a
// file that was read. What the scope refuses of the nation's own domain is told.
func TestSeedTraps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scope.log")
	const log = `2019-05-02T10:11:12.123Z 0 RejectDecideRule REJECT http://a.com/
2019-05-02T10:11:12.124Z 0 RejectDecideRule REJECT http://a.cz/
2019-05-02T10:11:12.125Z 2 TooManyHopsDecideRule REJECT http://b.com/
2019-05-02T10:11:12.126Z 6 PathologicalPathDecideRule REJECT http://b.cz/b/b/b/b
`
	if err := os.WriteFile(file, []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	o := &offered{marks: map[string][]byte{}}
	for range 2 { // the second time as the mark says
		if r := o.take(t, file, "scope.log"); r.Lines != 4 || r.Accepted != 1 || r.LeftOut() != 2 || r.Rejected["hosts"] != 1 || r.OwnDomain["hosts"] != 1 {
			t.Errorf("%+v", r)
		}
	}
	o.traps = true
	for range 2 {
		if r := o.take(t, file, "scope.log"); r.Accepted != 2 || r.LeftOut() != 0 || r.OwnDomain["hosts"] != 2 || r.Rules["TooManyHopsDecideRule"] != 1 {
			t.Errorf("taken: %+v", r)
		}
	}
	if want := []string{"http://a.com/", "http://a.com/", "http://b.com/"}; !slices.Equal(o.urls, want) {
		t.Errorf("offered %q, want %q", o.urls, want)
	}
}

// Each rule of a scope is one that refuses traps or one that does not: a new one must be put into the set of
// package seedlog, or into this list.
func TestTrapRules(t *testing.T) {
	others := []string{"accept", "reject", "hosts", "regex", "surt-prefixes", "transclusion", "prerequisite", "seeds"}
	for _, name := range decide.Names() {
		if seedlog.IsTrap(name) == slices.Contains(others, name) {
			t.Errorf("rule %s: does it refuse traps?", name)
		}
	}
}

var errStopped = errors.New("stopped")

func (o *offered) take(t *testing.T, path, name string) Report {
	t.Helper()
	r, err := o.try(t, path, name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (o *offered) try(t *testing.T, path, name string) (Report, error) {
	t.Helper()
	scope, problems := decide.Build([]decide.RuleConfig{{Rule: "accept"}, {Rule: "hosts", Decision: "reject", List: []string{"cz"}}}, "", time.Time{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s := Seeder{cfg: &config.Config{}, scope: scope, national: []string{"cz"}, frontier: o}
	s.cfg.Job.SeedTraps = o.traps
	return s.file(t.Context(), name, path, false)
}

// ScheduleMark implements [Frontier].
func (o *offered) ScheduleMark(_ context.Context, mark string, value []byte, cs ...crawl.Candidate) (int, error) {
	if o.stop > 0 && len(o.urls) >= o.stop {
		return 0, errStopped
	}
	o.marks[mark] = value
	known := 0
	for _, c := range cs {
		o.urls = append(o.urls, c.URL)
		if o.known[c.Key] {
			known++
		}
		if o.known != nil {
			o.known[c.Key] = true
		}
	}
	return known, nil
}

// Marked implements [Frontier].
func (o *offered) Marked(name string) ([]byte, bool, error) {
	v, ok := o.marks[name]
	return v, ok, nil
}

// ScheduleLater implements [Frontier].
func (o *offered) ScheduleLater(ctx context.Context, cs []crawl.Candidate) (func() (int, error), error) {
	return func() (int, error) { return o.ScheduleMark(ctx, "", nil, cs...) }, nil
}

func TestSeedFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "s.txt")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := &offered{marks: map[string][]byte{}}
	is := func(why string, want ...string) {
		t.Helper()
		if !slices.Equal(o.urls, want) {
			t.Errorf("%s: offered %q, want %q", why, o.urls, want)
		}
		o.urls = nil
	}
	write("http://a.com/\nhttp://b.cz/\n\x00{bad\ngopher://c.com/\n" + strings.Repeat("x", 2*seedlog.MaxLine) + "\nhttp://d.com/")
	r := o.take(t, file, "s.txt")
	is("broken lines are never fatal (formats.md)", "http://a.com/", "http://d.com/")
	if r.Lines != 6 || r.Accepted != 2 || r.Broken != 3 || r.Rejected["hosts"] != 1 || len(r.Samples) != 3 || !r.Done {
		t.Errorf("counted %+v", r)
	}
	o.take(t, file, "s.txt")
	is("what was taken is not read again")
	o.take(t, file, "other/s.txt")
	is("a file of the same name elsewhere is another", "http://a.com/", "http://d.com/")
	changed := func(why, from, to string, want ...string) {
		t.Helper()
		write(from)
		o.take(t, file, "s.txt")
		o.urls = nil
		write(to)
		o.take(t, file, "s.txt")
		is(why, want...)
	}
	changed("what was added is read", "http://a.com/\n", "http://a.com/\nhttp://e.com/\n", "http://e.com/")
	changed("a corrected line is read, with the rest",
		"http://a.com/\nhttp://e.com/\n", "http://x.com/\nhttp://e.com/\n", "http://x.com/", "http://e.com/")
	changed("a last line that was being written is read again, with the rest",
		"http://x.com/\nhttp://e.com/a", "http://x.com/\nhttp://e.com/abc\n", "http://x.com/", "http://e.com/abc")
	changed("behind a last line that had no end the next is read",
		"http://x.com/\nhttp://e.com/abc", "http://x.com/\nhttp://e.com/abc\nhttp://f.com/\n", "http://f.com/")
}

// total is the number of lines that a report accounts for.
func (r Report) total() int64 {
	n := r.Blank + r.Skipped + r.Broken + r.LeftOut() + r.Accepted + r.Known
	for _, k := range r.Rejected {
		n += k
	}
	return n
}

// Every line is accounted for once, also those that name what is known already,
// and the mark says the same as the report.
func TestSeedCountsAddUp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scope.log")
	var text strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&text, "2019-05-02T10:11:12.123Z %d RejectDecideRule REJECT http://host%d.com/\n", i%9, i%1200)
		fmt.Fprintf(&text, "2019-05-02T10:11:12.123Z 3 SurtPrefixedDecideRule ACCEPT http://a.cz/\n")
		fmt.Fprintf(&text, "2019-05-02T10:11:12.123Z 4 HopsDecideRule REJECT http://a%d.cz/\n", i)
	}
	text.WriteString("2019-05-02T10:11:12.123Z 4 Hops\n\n")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	o := &offered{marks: map[string][]byte{}, known: map[string]bool{}}
	for _, again := range []string{"at once", "from the mark"} {
		r := o.take(t, file, "scope.log")
		if r.Accepted != 1200 || r.Known != 1300 || r.Rejected["hosts"] != 2500 || r.Skipped != 2500 || r.Broken != 1 || r.Blank != 1 || r.Format != "scope" {
			t.Errorf("%s: %+v", again, r)
		}
		if r.total() != r.Lines || r.Lines != 7502 {
			t.Errorf("%s: %d lines, %d accounted for", again, r.Lines, r.total())
		}
	}
}

// A compressed file is a seed file like any other: what was taken of it is not
// offered again, a stopped run goes on, what is appended is read, a file that was
// made anew is read anew, a damaged one as far as it goes.
func TestCompressedSeedFiles(t *testing.T) {
	lines := func(from, to int) (out []string) {
		for i := from; i < to; i++ {
			out = append(out, fmt.Sprintf("http://host%d.com/", i))
		}
		return out
	}
	text := func(lines []string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }
	for name, pack := range map[string]func([]byte) []byte{
		"gz": func(b []byte) []byte {
			var out bytes.Buffer
			w := gzip.NewWriter(&out)
			if _, err := w.Write(b); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			return out.Bytes()
		},
		"zst": func(b []byte) []byte {
			w, err := zstd.NewWriter(nil)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			return w.EncodeAll(b, nil)
		},
	} {
		file := filepath.Join(t.TempDir(), "seeds."+name)
		write := func(b ...[]byte) {
			t.Helper()
			if err := os.WriteFile(file, bytes.Join(b, nil), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		o := &offered{marks: map[string][]byte{}, stop: 2000}
		is := func(why string, r Report, lines int64, want ...string) {
			t.Helper()
			if !slices.Equal(o.urls, want) {
				t.Errorf("%s: %s: offered %d, want %d", name, why, len(o.urls), len(want))
			}
			if r.Lines != lines {
				t.Errorf("%s: %s: %d lines, want %d", name, why, r.Lines, lines)
			}
			o.urls = nil
		}
		first := pack(text(lines(0, 4500)))
		write(first)
		if _, err := o.try(t, file, "s"); !errors.Is(err, errStopped) {
			t.Fatal(err)
		}
		is("until it was stopped", Report{}, 0, lines(0, 2000)...)
		o.stop = 0
		is("where it stopped", o.take(t, file, "s"), 4500, lines(2000, 4500)...)
		is("again", o.take(t, file, "s"), 4500)
		write(first, pack(text(lines(4500, 4600))))
		is("what was appended", o.take(t, file, "s"), 4600, lines(4500, 4600)...)
		write(pack(text(lines(7000, 9000))))
		is("made anew", o.take(t, file, "s"), 2000, lines(7000, 9000)...)
		write(first[:len(first)-20])
		r := o.take(t, file, "s")
		if r.Damage == "" || !slices.Equal(o.urls, lines(0, len(o.urls))) {
			t.Errorf("%s: cut off: %d seeds, %+v", name, len(o.urls), r)
		}
		was := len(o.urls)
		o.urls = nil
		write(first)
		if o.take(t, file, "s"); was+len(o.urls) != 4500 {
			t.Errorf("%s: repaired: %d and %d of 4500", name, was, len(o.urls))
		}
	}
}
