package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/testweb"
)

// jobsFolder is a folder of jobs, crawled by the real binary.
type jobsFolder struct {
	t    *testing.T
	dir  string
	srv  *testweb.Server
	held heldWeb
	web  *watchedWeb // outside of held
}

// newFolder makes the jobs 1, 2 and 3, of the sites a, b and c. The second page of b
// does not answer before held.open is closed.
func newFolder(t *testing.T) *jobsFolder {
	t.Helper()
	f := &jobsFolder{t: t, dir: t.TempDir(), held: heldWeb{asked: make(chan struct{}, 1), open: make(chan struct{}), Web: testweb.Tiny{
		"http://a.test/":     testweb.NationalPage(1, "/2"),
		"http://a.test/2":    testweb.NationalPage(2),
		"http://b.test/":     testweb.NationalPage(3, "/held"),
		"http://b.test/held": testweb.NationalPage(4, "/4"),
		"http://b.test/4":    testweb.NationalPage(5),
		"http://c.test/":     testweb.NationalPage(6),
	}}}
	f.web = &watchedWeb{Web: f.held}
	srv, err := testweb.Start(f.web, testweb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = srv.Close() })
	f.srv = srv
	f.web.arm(0, nil)
	for name, seed := range map[string]string{"1": "http://a.test/", "2": "http://b.test/", "3": "http://c.test/"} {
		writeKillJobAt(t, filepath.Join(f.dir, name), srv, []string{seed})
	}
	if err := os.Mkdir(filepath.Join(f.dir, "none"), 0o755); err != nil { // no job
		t.Fatal(err)
	}
	return f
}

// crawl lets the crawl of the folder end, and returns what it printed.
func (f *jobsFolder) crawl(want exitCode, flags ...string) string {
	f.t.Helper()
	out, err := exec.Command("exclave", append(append([]string{"crawl", "--quiet"}, flags...), f.dir)...).CombinedOutput()
	if c := code(f.t, err); c != int(want) {
		f.t.Fatalf("exit code %d, want %d\n%s", c, want, out)
	}
	return string(out)
}

// until begins to crawl, sends a signal when the held page is asked for, and waits
// for the end.
func (f *jobsFolder) until(s syscall.Signal) (string, error) {
	f.t.Helper()
	var out strings.Builder
	cmd := exec.Command("exclave", "crawl", "--quiet", f.dir)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	select {
	case <-f.held.asked:
	case <-time.After(5 * time.Minute):
		_ = cmd.Process.Kill()
		f.t.Fatal("the held page is not asked for")
	}
	if err := cmd.Process.Signal(s); err != nil {
		f.t.Fatal(err)
	}
	err := cmd.Wait() // it writes until then
	return out.String(), err
}

// says wants a row of the table for each job.
func (f *jobsFolder) says(out string, rows ...string) {
	f.t.Helper()
	for _, row := range rows {
		if !regexp.MustCompile(`(?m)^ *` + row).MatchString(out) {
			f.t.Errorf("no row %q in\n%s", row, out)
		}
	}
}

// Jobs of a folder run one after another; what a signal or SIGKILL interrupts goes
// on, what is finished is not asked for again, and one that is wrong keeps no other
// from its turn (ADR 24).
func TestCrawlFolder(t *testing.T) {
	f := newFolder(t)
	out, err := f.until(syscall.SIGTERM)
	if c := code(t, err); c != int(exitOK) {
		t.Fatalf("exit code %d\n%s", c, out)
	}
	if !f.web.asked("http://a.test/2") || f.web.asked("http://c.test/") {
		t.Error("not one after another")
	}

	f.web.arm(0, nil)
	if _, err := f.until(syscall.SIGKILL); err == nil {
		t.Fatal("not killed")
	}
	if f.web.asked("http://a.test/") || f.web.asked("http://c.test/") {
		t.Error("the finished job was repeated, or the third was begun before its turn")
	}

	if err := os.MkdirAll(filepath.Join(f.dir, "0"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.dir, "0", "job.toml"), []byte("[job]\nnome = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f.web.arm(0, nil)
	if out := f.crawl(exitUsage, "--fail-fast"); !strings.Contains(out, "nothing was begun") || f.web.asked("http://b.test/held") {
		t.Errorf("a wrong job and --fail-fast:\n%s", out)
	}
	close(f.held.open)
	out = f.crawl(exitFailure)
	f.says(out, "0 +failed", "1 +finished before .* 2 +0 +0\n", "2 +finished +[0-9.]+m?s", "3 +finished +[0-9.]+m?s")
	if f.web.asked("http://a.test/") || !f.web.asked("http://b.test/4") || !f.web.asked("http://c.test/") {
		t.Error("not gone on with")
	}

	if err := os.RemoveAll(filepath.Join(f.dir, "0")); err != nil {
		t.Fatal(err)
	}
	f.web.arm(0, nil)
	f.says(f.crawl(exitOK), "1 +finished before", "2 +finished before", "3 +finished before")
	if n := f.web.arm(0, nil); n > 0 {
		t.Errorf("%d requests of jobs that are finished", n)
	}
	for name, pages := range map[string]int{"1": 2, "2": 3, "3": 1} {
		dir := filepath.Join(f.dir, name)
		if out, err := exec.Command("exclave", "verify", dir).CombinedOutput(); err != nil {
			t.Errorf("verify %s: %v\n%s", name, err, out)
		}
		n := 0
		for url := range archived(t, dir) {
			if !strings.HasSuffix(url, "/robots.txt") {
				n++
			}
		}
		if n != pages {
			t.Errorf("job %s archived %d pages, want %d", name, n, pages)
		}
	}

	// What comes to a finished job from outside is work again.
	c := exec.Command("exclave", "seeds", "import", filepath.Join(f.dir, "3"), "-")
	c.Stdin = strings.NewReader("http://a.test/2\n")
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	f.says(f.crawl(exitOK), "2 +finished before", "3 +finished +[0-9.]+m?s")
	if !f.web.asked("http://a.test/2") {
		t.Error("a seed that was imported into a finished job was not crawled")
	}
}

// A limit that is the job's own ends it for good; one that fails does not keep the
// next from its turn, but with --fail-fast it does.
func TestCrawlFolderOfLimitsAndFailures(t *testing.T) {
	f := newFolder(t)
	close(f.held.open)
	config := filepath.Join(f.dir, "2", "job.toml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(strings.Replace(string(text), "[crawl]\n", "[crawl]\nmax_urls = 1\n", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(f.dir, "1", folder.StateDir)
	if err := os.MkdirAll(state, 0o755); err != nil {
		t.Fatal(err)
	}
	lock, err := fsx.Real().Lock(filepath.Join(state, folder.LockFile))
	if err != nil {
		t.Fatal(err)
	}
	f.says(f.crawl(exitFailure, "--fail-fast"), "1 +failed", "2 +not begun", "3 +not begun")
	f.says(f.crawl(exitFailure), "1 +failed", "2 +URL limit +[0-9.]+m?s", "3 +finished +[0-9.]+m?s")
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	f.says(f.crawl(exitOK), "1 +finished +[0-9.]+m?s", "2 +URL limit before", "3 +finished before")
}
