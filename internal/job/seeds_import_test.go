package job_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/chain/decide"
	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/job/seeds"
	"exclave/internal/testweb"
)

// Seeds reach a job that is merely opened, whatever log they come in; a second
// import finds them known; the next run crawls them.
func TestImportSeeds(t *testing.T) {
	j := newJob(t, testweb.Tiny{
		"http://a.test/":  testweb.NationalPage(1),
		"http://b.test/x": testweb.NationalPage(2),
	}, func(c *config.Config) {
		c.Scope = slices.DeleteFunc(c.Scope, func(r decide.RuleConfig) bool { return r.Rule == "seeds" })
	})
	if err := os.WriteFile(filepath.Join(j.cfg.Dir, "seeds.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	const log = `2019-05-02T10:11:12.123Z REJECT http://a.test/
2019-05-02T10:11:12.124Z ACCEPT http://c.test/
2019-05-02T10:11:12.125Z REJECT http://b.test/x#y
2019-05-02T10:11:12.125Z REJECT http://b.test/x
2019-05-02T10:11:12.125Z REJECT http://firma.cz/
2019-05-02T10:11:12.126Z REJECT gopher://b.test/
`
	b, err := job.Open(t.Context(), j.cfg, job.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []seeds.Report{{Accepted: 2, Known: 1}, {Accepted: 0, Known: 3}} {
		r, err := b.ImportSeeds(t.Context(), strings.NewReader(log), "candidateScoper.log", seeds.ImportOptions{Source: "harvest"})
		if err != nil {
			t.Fatal(err)
		}
		if r.Accepted != want.Accepted || r.Known != want.Known || r.Broken != 1 || r.Skipped != 1 || len(r.Rejected) != 1 || r.Lines != 6 {
			t.Errorf("import %d: %s %+v", i+1, r, r)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	h := j.run(job.Options{})
	if got, want := h.archived(), []string{"http://a.test/", "http://b.test/x"}; !slices.Equal(wanted(got), want) {
		t.Errorf("archived %q, want %q", got, want)
	}
	of := h.of("metadata", "http://a.test/")
	if len(of) == 0 || !strings.Contains(string(of[0].block), "harvest") {
		t.Errorf("the source tag is not in the archive: %+v", of)
	}
}

// wanted leaves out what is fetched for the sake of pages.
func wanted(urls []string) []string {
	return slices.DeleteFunc(slices.Clone(urls), func(u string) bool {
		return strings.HasPrefix(u, "dns:") || strings.HasSuffix(u, "/robots.txt")
	})
}

// An import that is cut short says so, and keeps what it took.
func TestImportSeedsOfABrokenSource(t *testing.T) {
	j := newJob(t, testweb.Tiny{}, nil)
	b, err := job.Open(t.Context(), j.cfg, job.Options{})
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	r, err := b.ImportSeeds(t.Context(), &failingReader{strings.NewReader(strings.Repeat("http://a.test/\n", 100_000)), gone}, "-", seeds.ImportOptions{})
	if !errors.Is(err, gone) || r.Accepted != 1 || r.Known == 0 || r.Known%1000 != 999 {
		t.Errorf("%v, %s", err, r)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

// An import that is interrupted says what was taken: exactly that is known to the next one.
func TestImportSeedsInterrupted(t *testing.T) {
	j := newJob(t, testweb.Tiny{}, nil)
	b, err := job.Open(t.Context(), j.cfg, job.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const n = 20000
	var list strings.Builder
	for i := range n {
		fmt.Fprintf(&list, "http://h%d.test/%s\n", i, strings.Repeat("x", 20))
	}
	ctx, cancel := context.WithCancel(t.Context())
	half := io.MultiReader(strings.NewReader(list.String()[:list.Len()/2]), readerFunc(func([]byte) (int, error) {
		cancel()
		return 0, nil
	}), strings.NewReader(list.String()[list.Len()/2:]))
	first, err := b.ImportSeeds(ctx, half, "-", seeds.ImportOptions{})
	if !errors.Is(err, context.Canceled) || first.Accepted == 0 || first.Accepted == n || first.Known != 0 {
		t.Errorf("%v, %s", err, first)
	}
	again, err := b.ImportSeeds(t.Context(), strings.NewReader(list.String()), "-", seeds.ImportOptions{})
	if err != nil || again.Known != first.Accepted || again.Accepted != n-first.Accepted {
		t.Errorf("%v, %s after %s", err, again, first)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

// readerFunc is called once and then at its end.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) {
	n, _ := f(p)
	return n, io.EOF
}

// failingReader ends with an error of its own.
type failingReader struct {
	*strings.Reader
	err error
}

func (f *failingReader) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err != nil {
		err = f.err
	}
	return n, err
}
