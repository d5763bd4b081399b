package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// reader runs the program as somebody who may read a job, and write nothing of it: another user where
// the test runs as root, otherwise the same one without rights to write.
type reader struct {
	program string
	as      *syscall.Credential
}

func newReader(t *testing.T) reader {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := reader{program: filepath.Join(dir, "exclave")}
	if os.Geteuid() != 0 {
		r.program = "exclave"
		return r
	}
	// Another user may not enter the folders of the tests.
	text, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(r.program, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	enter(t, dir)
	r.as = &syscall.Credential{Uid: 65534, Gid: 65534}
	return r
}

// enter lets everybody into a folder of the tests.
func enter(t *testing.T, dir string) {
	t.Helper()
	for ; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// seal takes the right to write from everything in a job, and lets others read it, until unseal is called or the
// test ends.
func seal(t *testing.T, dir string) (unseal func()) {
	t.Helper()
	set := func(file, folder os.FileMode) {
		if err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case e.IsDir():
				return os.Chmod(name, folder)
			case e.Type().IsRegular():
				return os.Chmod(name, file)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	enter(t, filepath.Dir(dir))
	unseal = func() { set(0o644, 0o755) }
	t.Cleanup(unseal)
	set(0o444, 0o555)
	return unseal
}

func (r reader) run(t *testing.T, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(r.program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: r.as}
	cmd.Dir = "/"
	out, err := cmd.CombinedOutput()
	return string(out), code(t, err)
}

// listing is everything in a folder: names, sizes, times, contents that may be read.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	if err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := os.Lstat(name)
		if err == nil {
			fmt.Fprintln(&b, name, st.Size(), st.Mode(), st.ModTime())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Verbs that look need no right to write: a job on a read-only file system, or of another user, tells the
// same, also one that was killed and has a log of its state to replay (issue 16).
func TestReaders(t *testing.T) {
	if st, err := os.Stat(os.TempDir()); err == nil && st.Mode().Perm()&1 == 0 {
		t.Setenv("TMPDIR", "/tmp") // nobody else may enter the folder that the tests were given
	}
	r := newReader(t)
	web, dir, cmd, out := startHeld(t, "1s")
	if text, code := exclave(t, "checkpoint", "--name", "one", dir); code != 0 {
		t.Fatal(text)
	}
	looks := [][]string{
		{"verify", dir}, {"report", dir, "crawl", "hosts", "seeds", "source", "mimetype", "statmime", "responsecode", "frontier-summary", "frontier-nonempty"}, {"show", dir, "http://a.test/"}, {"show", "--json", dir, "http://a.test/held"},
		{"show", dir, "http://nobody.test/"}, {"why", dir}, {"why", dir, "http://a.test/"}, {"why", dir, "http://a.test/late"}, {"check", dir},
		{"frontier", dir}, {"frontier", "list", dir}, {"frontier", "show", dir, "a.test"}, {"frontier", "export", dir}, {"checkpoint", "list", dir},
		{"frontier", "delete", "--dry-run", "--host", "a.test", dir}, {"url", "--job", dir, "http://a.test/"},
	}
	same := func(what string) {
		t.Helper()
		for _, args := range looks {
			want, code := exclave(t, args...)
			unseal := seal(t, dir)
			sealed := listing(t, dir)
			got, readers := r.run(t, args...)
			if after := listing(t, dir); after != sealed {
				t.Errorf("%s: %v: changed:\n%s\nwas\n%s", what, args, after, sealed)
			}
			unseal()
			if readers != code || got != want || code > 1 {
				t.Errorf("%s: %v: exit code %d, of a reader %d\n%s\nof a reader:\n%s", what, args, code, readers, want, got)
			}
		}
	}
	if os.Geteuid() == 0 { // else there is nobody else to be
		unseal := seal(t, dir)
		for _, args := range looks[:7] {
			if text, code := r.run(t, args...); code != int(exitLocked) {
				t.Errorf("while it runs: %v: exit code %d\n%s", args, code, text)
			}
		}
		if text, code := r.run(t, "pause", dir); code != int(exitFailure) || !strings.Contains(text, "cannot be asked") {
			t.Errorf("pause by a reader: exit code %d\n%s", code, text)
		}
		unseal()
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if t.Failed() {
		t.Log(out)
	}
	same("killed")
	unseal := seal(t, dir)
	if text, code := r.run(t, "crawl", "--quiet", dir); code != int(exitFailure) || !strings.Contains(text, "permission denied") {
		t.Errorf("crawl by a reader: exit code %d\n%s", code, text)
	}
	unseal()
	close(web.open)
	if text, code := exclave(t, "crawl", "--quiet", dir); code != 0 {
		t.Fatal(text)
	}
	same("finished")

	// What may not be read is said, with what to do.
	for _, name := range []string{"state", "job.toml"} {
		if err := os.Chmod(filepath.Join(dir, name), 0); err != nil {
			t.Fatal(err)
		}
		for _, args := range looks[:8] {
			if text, code := r.run(t, args...); code != int(exitFailure) || !strings.Contains(text, "permission denied") || !strings.Contains(text, "let the group read it") {
				t.Errorf("%s of mode 0: %v: exit code %d\n%s", name, args, code, text)
			}
		}
	}
}
