package main

import (
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"exclave/internal/job/question"
)

// exclave runs the program and returns what it said and its exit code.
func exclave(t *testing.T, args ...string) (string, int) {
	t.Helper()
	out, err := exec.Command("exclave", args...).CombinedOutput()
	return string(out), code(t, err)
}

// A crawl is looked at, paused, resumed and stopped from other processes; what it
// left is crawled by the next (docs/howto/control.md).
func TestControl(t *testing.T) {
	web, dir, cmd, out := startHeld(t, "1s")
	type call struct {
		args []string
		code exitCode
		says string
	}
	run := func(calls ...call) {
		t.Helper()
		for _, c := range calls {
			if text, got := exclave(t, c.args...); got != int(c.code) || !strings.Contains(text, c.says) {
				t.Errorf("%v: exit code %d\n%s", c.args, got, text)
			}
		}
	}
	run(call{[]string{"show", dir, "http://a.test/held"}, exitOK, "in process"},
		call{[]string{"show", dir, "http://a.test/"}, exitOK, "profile cz: valid"},
		call{[]string{"show", dir, "http://nobody.test/"}, exitNegative, "not known to this job"},
		call{[]string{"show", dir, "nobody"}, exitUsage, "not a URL"},
		call{[]string{"why", dir}, exitOK, "hosts: 1 in process"},
		call{[]string{"why", dir, "http://a.test/held"}, exitOK, "A ToeThread works on it"},
		call{[]string{"why", dir, "http://a.test/late"}, exitNegative, "never seen"},
		call{[]string{"why", dir, "dns:a.test"}, exitOK, "archived beside the first page"},
		call{[]string{"why", dir, "robots:http://a.test"}, exitOK, "archived beside the first page"},
		call{[]string{"frontier", dir}, exitOK, "1 in process"},
		call{[]string{"frontier", "show", dir, "a.test"}, exitOK, "in process: one of its URIs"},
		call{[]string{"frontier", "list", dir}, exitOK, "http://a.test/"},
		call{[]string{"frontier", "show", dir, "http://a.test/"}, exitOK, "in process: one of its URIs"},
		call{[]string{"frontier", "list", "--host", "http://a.test/", dir}, exitOK, "http://a.test/"},
		call{[]string{"frontier", "delete", "--host", "nobody.test", dir}, exitNegative, "0 deleted"},
		call{[]string{"frontier", "delete", "--regex", "(", dir}, exitUsage, "not a filter"},
		call{[]string{"checkpoint", "--name", "held", dir}, exitOK, "held: "},
		call{[]string{"checkpoint", "--name", "held", dir}, exitUsage, "is there already"},
		call{[]string{"checkpoint", "list", dir}, exitOK, "/checkpoints/held"},
		call{[]string{"reload", dir}, exitOK, "sheets in force: 0"},
		call{[]string{"sheet", dir, "http://a.test/"}, exitNegative, "none of 0 applies"},
		call{[]string{"sheet", dir, "x"}, exitUsage, "not a URL"},
		call{[]string{"pause", dir}, exitOK, "paused"},
		call{[]string{"resume", dir}, exitOK, "running"},
		call{[]string{"pause", dir}, exitOK, "paused"},
		// It does not wait; a stop that does is in TestControlAfterKill.
		call{[]string{"stop", "--timeout", "0", dir}, exitOK, "stopping"})
	if c := code(t, cmd.Wait()); c != int(exitOK) || !strings.Contains(out.String(), "stopped") {
		t.Fatalf("the crawl: exit code %d\n%s", c, out)
	}
	run(call{[]string{"verify", dir}, exitOK, "agree"},
		call{[]string{"pause", dir}, exitNegative, "no crawl of this job is running"},
		call{[]string{"stop", dir}, exitNegative, "no crawl of this job is running"})
	close(web.open)
	again := filepath.Join(t.TempDir(), "again")
	run(call{[]string{"checkpoint", "restore", filepath.Join(dir, "checkpoints", "held"), again}, exitOK, "exclave crawl " + again})
	run(call{[]string{"frontier", again}, exitOK, "discovered"}) // which was never opened
	for _, verb := range []string{"crawl", "verify"} {
		for _, dir := range []string{dir, again} {
			if text, c := exclave(t, verb, dir); c != 0 {
				t.Fatalf("%s: exit code %d\n%s", verb, c, text)
			}
		}
	}
	if got, want := archived(t, again), archived(t, dir); !maps.Equal(got, want) {
		t.Errorf("the job of the checkpoint archived %v, the job itself %v", got, want)
	}
	text, c := exclave(t, "show", "--json", dir, "http://a.test/held")
	var s question.Shown
	if err := json.Unmarshal([]byte(text), &s); err != nil || c != 0 || !s.Archived || s.Via[0].URL != "http://a.test/" {
		t.Errorf("exit code %d, %v\n%s", c, err, text)
	}
}

// A crawl that was killed leaves its socket behind: verbs say that nothing runs,
// and the next crawl has one again.
func TestControlAfterKill(t *testing.T) {
	web, dir, cmd, _ := startHeld(t, "1s")
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // says that it was killed
	if text, c := exclave(t, "pause", dir); c != int(exitNegative) {
		t.Errorf("pause of a killed crawl: exit code %d\n%s", c, text)
	}
	again := exec.Command("exclave", "crawl", "--quiet", dir)
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Process.Kill() })
	<-web.asked
	if text, c := exclave(t, "stop", dir); c != int(exitOK) || !strings.Contains(text, "stopped") {
		t.Errorf("stop of the crawl after the kill: exit code %d\n%s", c, text)
	}
	if c := code(t, again.Wait()); c != int(exitOK) {
		t.Errorf("the crawl after the kill: exit code %d", c)
	}
}
