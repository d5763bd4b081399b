package job

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/chain/decide"
	"exclave/crawl"
)

func TestParseSeed(t *testing.T) {
	for _, c := range []struct{ why, line, url, err string }{
		{"a bare URI per line (formats.md)", "http://a.com/x", "http://a.com/x", ""},
		{"our own out-of-scope log (docs/formats/out-of-scope.md)", `{"url":"http://a.com/","via":"http://b.cz/"}`, "http://a.com/", ""},
		{"people write hosts without a scheme", "a.com/x", "http://a.com/x", ""},
		{"a port is not a scheme", "a.com:8080/x", "http://a.com:8080/x", ""},
		{"a byte order mark of an editor", "\ufeffhttp://a.com/", "http://a.com/", ""},
		{"comments and blank lines are not seeds", "# http://a.com/", "", ""},
		{"a cut line of a log is told", `{"url":"http://a.com`, "", "out-of-scope log"},
		{"a line of another log is told", `{"uri":"http://a.com/"}`, "", `no "url"`},
	} {
		s, ok, err := parseSeed([]byte(c.line))
		if ok != (c.url != "") || s.URL != c.url && ok || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %q, %v, %v", c.why, s.URL, ok, err)
		}
	}
}

// FuzzParseSeed: a seed log is a stranger's bytes.
func FuzzParseSeed(f *testing.F) {
	f.Add([]byte("http://a.com/"))
	f.Add([]byte(`{"url":"x:","via":1}`))
	f.Fuzz(func(_ *testing.T, line []byte) { _, _, _ = parseSeed(line) })
}

// offered runs seed files through a seeder that remembers marks like the
// frontier does.
type offered struct {
	marks map[string][]byte
	urls  []string
}

func (o *offered) take(t *testing.T, path, name string) SeedReport {
	t.Helper()
	scope, problems := decide.Build([]decide.RuleConfig{{Rule: "accept"}, {Rule: "hosts", Decision: "reject", List: []string{"cz"}}}, "")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s := seeder{scope: scope,
		schedule: func(_ context.Context, mark string, value []byte, cs ...crawl.Candidate) (int, error) {
			o.marks[mark] = value
			for _, c := range cs {
				o.urls = append(o.urls, c.URL)
			}
			return 0, nil
		},
		marked: func(name string) ([]byte, bool, error) { v, ok := o.marks[name]; return v, ok, nil }}
	r, err := s.file(t.Context(), name, path)
	if err != nil {
		t.Fatal(err)
	}
	return r
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
	write("http://a.com/\nhttp://b.cz/\n\x00{bad\nftp://c.com/\n" + strings.Repeat("x", 2*maxSeedLine) + "\nhttp://d.com/")
	r := o.take(t, file, "s.txt")
	is("broken lines are never fatal (formats.md)", "http://a.com/", "http://d.com/")
	if r.Lines != 6 || r.Accepted != 2 || r.Broken != 3 || r.Rejected["hosts"] != 1 || len(r.Samples) != 3 || !r.Done {
		t.Errorf("counted %+v", r)
	}
	o.take(t, file, "s.txt")
	is("what was taken is not read again")
	o.take(t, file, "other/s.txt")
	is("a file of the same name elsewhere is another", "http://a.com/", "http://d.com/")
	write("http://a.com/\n")
	o.take(t, file, "s.txt")
	o.urls = nil
	write("http://a.com/\nhttp://e.com/\n")
	o.take(t, file, "s.txt")
	is("what was added is read", "http://e.com/")
	write("http://x.com/\nhttp://e.com/\n")
	o.take(t, file, "s.txt")
	is("a corrected line is read, with the rest", "http://x.com/", "http://e.com/")
}
