package interop_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"exclave/internal/sharedtest"
)

// Issue: exclave warc check, warcio check and jwarc validate agree on the files of other people, but for differences that are
// listed, with the reason, in docs/formats/checks.md. All three are run on every file.
func TestChecks(t *testing.T) {
	root := sharedtest.Path(t, "data/warc")
	listed := listedChecks(t)
	exclave, warcio, jwarc := build(t), sharedtest.Warcio(t), sharedtest.Jwarc(t)
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !warcFile.MatchString(path) {
			return err
		}
		seen++
		name, err := filepath.Rel(root, path)
		must(t, err)
		var got []string
		for _, tool := range [][]string{{exclave, "warc", "check"}, {warcio, "check"}, slices.Concat(jwarc, []string{"validate", "--threads", "1"})} {
			cmd := exec.CommandContext(t.Context(), tool[0], append(slices.Clone(tool[1:]), path)...)
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState == nil {
				t.Fatal(err)
			}
			switch code := cmd.ProcessState.ExitCode(); code {
			case 0:
				got = append(got, "good")
			case 1:
				got = append(got, "bad")
			default:
				t.Errorf("%s %s: exit code %d\n%s", tool[0], name, code, out)
			}
		}
		want, ok := listed[name]
		delete(listed, name)
		switch {
		case !ok && len(slices.Compact(slices.Clone(got))) != 1:
			t.Errorf("%s: exclave, warcio and jwarc say %v; a difference belongs in docs/formats/checks.md, with its reason", name, got)
		case ok && !slices.Equal(got, want):
			t.Errorf("%s: exclave, warcio and jwarc say %v; the list says %v", name, got, want)
		}
		return nil
	})
	must(t, err)
	if seen < 50 {
		t.Errorf("%d files", seen)
	}
	for name := range listed {
		t.Errorf("docs/formats/checks.md: there is no %s", name)
	}
}

var (
	warcFile = regexp.MustCompile(`\.warc(\.gz(\.bad)?)?$`)
	checkRow = regexp.MustCompile("^\\| `([^`]+)` \\| (good|bad) \\| (good|bad) \\| (good|bad) \\| .+ \\|$")
)

// listedChecks reads the table of docs/formats/checks.md.
func listedChecks(t *testing.T) map[string][]string {
	data, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), "docs", "formats", "checks.md"))
	must(t, err)
	out := map[string][]string{}
	for line := range bytes.Lines(data) {
		if m := checkRow.FindStringSubmatch(strings.TrimSpace(string(line))); m != nil {
			out[m[1]] = m[2:]
		}
	}
	if len(out) == 0 {
		t.Fatal("docs/formats/checks.md has no table")
	}
	return out
}
