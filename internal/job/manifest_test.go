package job_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/warc"
	"exclave/warc/cdx"
)

// Issue 20: a complete file is registered with its SHA-256, in a manifest that sha256sum -c reads. What is not, is at the next run.
func TestManifest(t *testing.T) {
	t.Parallel()
	j := newJob(t, tiny(pages{"/a": same(), "/b": same(), "/next": foreign()}), func(c *config.Config) { c.WARC.MaxSize = 1 })
	name := filepath.Join(j.cfg.Dir, folder.WARCDir, warc.ManifestName)
	want := func() (all string) {
		files, err := filepath.Glob(filepath.Join(j.cfg.Dir, folder.WARCDir, "*.warc.gz"))
		must(t, err)
		for _, f := range files { // sorted
			data, err := os.ReadFile(f)
			must(t, err)
			all += fmt.Sprintf("%x  %s\n", sha256.Sum256(data), filepath.Base(f))
		}
		return all
	}
	check := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(name); err != nil || string(got) != want || want == "" {
			t.Errorf("%v\n%s\nwant\n%s", err, got, want)
		}
	}
	// The index of each file, beside it, is what exclave cdx makes of the file (ADR 82).
	indexes := func() (n int) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(j.cfg.Dir, folder.WARCDir, "*.warc.gz"))
		must(t, err)
		for _, f := range files {
			got, err := os.ReadFile(filepath.Join(j.cfg.Dir, folder.IndexDir, filepath.Base(f)+cdx.ReadySuffix))
			if err != nil {
				t.Error(err)
			}
			x := cdx.NewIndex(cdx.CDXJ, t.TempDir())
			in, err := os.Open(f)
			must(t, err)
			must(t, cdx.Read(in, filepath.Base(f), cdx.Options{Post: true}, func(d warc.Defect) { t.Error(d) }, x.Add))
			var want bytes.Buffer
			_, err = x.WriteTo(&want)
			must(t, errors.Join(err, x.Close(), in.Close()))
			if !bytes.Equal(got, want.Bytes()) || len(got) == 0 {
				t.Errorf("index of %s:\n%s\nwant\n%s", f, got, want.Bytes())
			}
			n++
		}
		return n
	}
	j.run(job.Options{}, site+"/a")
	check(want())
	indexes()
	first, rest, _ := strings.Cut(want(), "\n")
	must(t, os.WriteFile(name, []byte(rest), 0o600))
	j.run(job.Options{}, site+"/b")
	all := want()
	n := indexes()
	must(t, os.RemoveAll(filepath.Join(j.cfg.Dir, folder.IndexDir))) // and all of them again
	if strings.Count(all, "\n") < 2 {
		t.Fatalf("one file only: %s", all)
	}
	check(all)

	must(t, os.WriteFile(name, []byte(first+"\nthis is no line\n"), 0o600))
	j.run(job.Options{Recrawl: true})
	check(first + "\nthis is no line\n")
	if again := indexes(); again < n || n < 2 {
		t.Errorf("%d indexes, were %d", again, n)
	}
	must(t, os.Remove(name))
	must(t, os.WriteFile(name+".tmp", nil, 0o600)) // a kill left it
	if d := verifyAll(t, j.cfg, job.Options{}); len(d) > 0 {
		t.Errorf("verify: %v", d)
	}
	j.run(job.Options{}, site+"/a")
	check(want())
}
