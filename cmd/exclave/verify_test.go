package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A verification that is interrupted says so, at once, with the code of docs/howto/exit-codes.md.
func TestVerifySignal(t *testing.T) {
	t.Chdir(t.TempDir())
	newJob(t, "job", `{"url":"http://b.example/x","source":"s"}`+"\n")
	for _, flags := range [][]string{nil, {"--fast"}} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var out bytes.Buffer
		root := newRoot(new(bool))
		root.SetArgs(append([]string{"verify", "job"}, flags...))
		root.SetOut(&out)
		root.SetErr(&out)
		err := root.ExecuteContext(ctx)
		if codeOf(err) != int(exitInterrupt) || !strings.Contains(err.Error(), "verify job: interrupted; 0 defects so far; nothing was changed") {
			t.Errorf("%v: %d %v\n%s", flags, codeOf(err), err, &out)
		}
	}
}

// A division that is interrupted makes nothing, and says so.
func TestDivideSignal(t *testing.T) {
	t.Chdir(t.TempDir())
	newJob(t, "job", `{"url":"http://b.example/x","source":"s"}`+"\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	root := newRoot(new(bool))
	root.SetArgs([]string{"divide", "job", "-o", "parts"})
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	err := root.ExecuteContext(ctx)
	if codeOf(err) != int(exitInterrupt) || !strings.Contains(err.Error(), "divide job: interrupted; nothing was made") {
		t.Errorf("%d %v", codeOf(err), err)
	}
	if left, err := filepath.Glob("parts*"); err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// A quick look says what it did not check; progress is on stderr, and --quiet leaves it out.
func TestVerifyFast(t *testing.T) {
	t.Chdir(t.TempDir())
	newJob(t, "job", `{"url":"http://b.example/x","source":"s"}`+"\n")
	code, stdout, stderr := inside("", "verify", "--fast", "job")
	if code != 0 || !strings.Contains(stdout, "job: not checked: ") || !strings.HasSuffix(stdout, "job: state, archive and logs agree, as far as was checked\n") {
		t.Errorf("%d %q", code, stdout)
	}
	if !strings.HasPrefix(stderr, "verify: ") {
		t.Errorf("progress: %q", stderr)
	}
	if _, _, stderr := inside("", "verify", "--quiet", "job"); stderr != "" {
		t.Errorf("with --quiet: %q", stderr)
	}
}

// A folder for temporary files that is none is told before anything is read.
func TestVerifyTempIsNoFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	newJob(t, "job", `{"url":"http://b.example/x","source":"s"}`+"\n")
	for _, temp := range []string{"nowhere", "job/job.toml"} {
		code, _, stderr := inside("", "verify", "--temp", temp, "job")
		if code != int(exitUsage) || !strings.Contains(stderr, "--temp "+temp+" is no folder") {
			t.Errorf("%s: %d %q", temp, code, stderr)
		}
	}
}

// A temporary folder without room is a failure of our own, with what to do about it.
func TestVerifyTempIsFull(t *testing.T) {
	err := verifyError(fmt.Errorf("extsort: write: %w", syscall.ENOSPC))
	if codeOf(err) != int(exitFailure) || !strings.Contains(err.Error(), "--temp names one with more room") {
		t.Errorf("%d %v", codeOf(err), err)
	}
}
