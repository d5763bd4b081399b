package interop_test

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"exclave/internal/sharedtest"
)

// Issue: packages are accepted by wacz validate: of a job, of its profile and of a host, and of every file of other people that is whole.
func TestWACZ(t *testing.T) {
	root := sharedtest.Path(t, "data/warc")
	exclave, wacz := build(t), sharedtest.Wacz(t)
	dir := t.TempDir()
	validate := func(t *testing.T, name string) {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), wacz, "validate", "-f", name).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Version detected as 1.1.1") || !strings.HasSuffix(strings.TrimSpace(string(out)), "Validation succeeded, the passed WACZ is valid") {
			t.Errorf("wacz validate %s: %v\n%s", filepath.Base(name), err, out)
		}
	}
	demo := demoJob(t, exclave)
	job := filepath.Dir(filepath.Dir(demo.files[0]))
	for name, flags := range map[string][]string{"all": nil, "cz": {"--profile", "cz"}, "host": {"--host", "pilarna-horak.com", "--host", "www.prekladatel.info"}} {
		out := filepath.Join(dir, name+".wacz")
		run(t, exclave, append([]string{"wacz", job, "-o", out}, flags...)...)
		validate(t, out)
	}
	packed := 0
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !warcFile.MatchString(path) {
			return err
		}
		out := filepath.Join(dir, "other.wacz")
		said, err := exec.CommandContext(t.Context(), exclave, "wacz", path, "-o", out).CombinedOutput()
		// What is damaged is refused: other tests say which files are.
		if err == nil {
			packed++
			validate(t, out)
			run(t, "rm", out)
		} else if exec.CommandContext(t.Context(), exclave, "warc", "merge", path, "-o", out+".warc.gz").Run() == nil {
			t.Errorf("%s is whole, but: %v\n%s", path, err, said)
		}
		run(t, "rm", "-f", out+".warc.gz")
		return nil
	}))
	if packed < 45 {
		t.Errorf("only %d files were packed", packed)
	}
}
