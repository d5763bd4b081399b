package lint

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"exclave/internal/sharedtest"
)

// go is the tool as `make fuzz` sees it: two packages with five fuzz tests.
const fakeGo = `#!/usr/bin/env bash
case "$*" in
"list ./...") echo one; echo two ;;
"test -list ^Fuzz one") printf 'FuzzGood\nFuzzSlow\nFuzzBad\nok one\n' ;;
"test -list ^Fuzz two") printf 'FuzzBoth\nFuzzLast\nok two\n' ;;
*FuzzGood*) echo "$*" >> "$RAN"; echo PASS ;;
*FuzzSlow*) echo "$*" >> "$RAN"; printf -- '--- FAIL: FuzzSlow (30.11s)\n    context deadline exceeded\nFAIL\n'; exit 1 ;;
*FuzzBad*) echo "$*" >> "$RAN"; [ -z "$BAD" ] || { printf -- '--- FAIL: FuzzBad (0.1s)\n    Failing input written to testdata/fuzz/FuzzBad/1\n'; exit 1; } ;;
*FuzzBoth*) echo "$*" >> "$RAN"; [ -z "$BAD" ] || { printf 'context deadline exceeded\nFailing input written to testdata/fuzz/FuzzBoth/1\n'; exit 1; } ;;
*FuzzLast*) echo "$*" >> "$RAN" ;;
*) echo "unexpected: $*"; exit 9 ;;
esac
`

// A fuzz test that was only slow must not keep the others from running, nor hide one that
// failed: all run, and only what failed fails.
func TestMakeFuzzGoesOn(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	for _, c := range []struct {
		bad, says string
		fails     bool
	}{{"", "slow, not failed: one FuzzSlow\n", false}, {"1", "FAILED: one FuzzBad\nFAILED: two FuzzBoth\n", true}} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "go"), []byte(fakeGo), 0o700); err != nil {
			t.Fatal(err)
		}
		ran := filepath.Join(dir, "ran")
		cmd := exec.CommandContext(t.Context(), bash, filepath.Join(sharedtest.ModuleRoot(t), ".ci", "fuzz"))
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "RAN="+ran, "BAD="+c.bad, "FUZZTIME=1s")
		out, err := cmd.CombinedOutput()
		if (err != nil) != c.fails || !strings.HasSuffix(string(out), c.says) {
			t.Errorf("bad %q: %v\n%s", c.bad, err, out)
		}
		lines, err := os.ReadFile(ran)
		if n := strings.Count(string(lines), "-fuzztime 1s"); err != nil || n != 5 {
			t.Errorf("bad %q: %d ran (%v)\n%s", c.bad, n, err, lines)
		}
	}
}
