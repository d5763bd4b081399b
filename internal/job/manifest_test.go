package job_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/warc"
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
	j.run(job.Options{}, site+"/a")
	check(want())
	first, rest, _ := strings.Cut(want(), "\n")
	must(t, os.WriteFile(name, []byte(rest), 0o600))
	j.run(job.Options{}, site+"/b")
	all := want()
	if strings.Count(all, "\n") < 2 {
		t.Fatalf("one file only: %s", all)
	}
	check(all)

	must(t, os.WriteFile(name, []byte(first+"\nthis is no line\n"), 0o600))
	j.run(job.Options{Recrawl: true})
	check(first + "\nthis is no line\n")
	must(t, os.Remove(name))
	must(t, os.WriteFile(name+".tmp", nil, 0o600)) // a kill left it
	if d := verifyAll(t, j.cfg, job.Options{}); len(d) > 0 {
		t.Errorf("verify: %v", d)
	}
	j.run(job.Options{}, site+"/a")
	check(want())
}
