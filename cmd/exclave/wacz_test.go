package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/internal/sharedtest"
)

// A package that is interrupted is none, and says so.
func TestWACZSignal(t *testing.T) {
	name := sharedtest.Path(t, "data/warc/warcio/test/data/example.warc.gz")
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	root := newRoot(new(bool))
	root.SetArgs([]string{"wacz", name, "-o", "x.wacz"})
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	err := root.ExecuteContext(ctx)
	if codeOf(err) != int(exitInterrupt) || !strings.Contains(err.Error(), "wacz: interrupted; nothing was made") {
		t.Errorf("%d %v", codeOf(err), err)
	}
	if left, err := filepath.Glob("x*"); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// What was named must be packed, or nothing is: a folder without archives is a mistake.
func TestWACZMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "folder/page.html", "<p>x")
	if err := os.Mkdir("empty", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"folder", "empty"} {
		code, _, stderr := inside("", "wacz", dir, "-o", "x.wacz")
		if code != int(exitUsage) || !strings.Contains(stderr, "no WARC file in "+dir) {
			t.Errorf("%s: %d %q", dir, code, stderr)
		}
	}
	if code, _, stderr := inside("", "wacz", "folder", "-o", "x.wacz", "--temp", "nowhere"); code != int(exitUsage) || !strings.Contains(stderr, "--temp nowhere is no folder") {
		t.Errorf("%d %q", code, stderr)
	}
}
