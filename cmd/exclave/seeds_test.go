package main

import (
	"os/exec"
	"strings"
	"testing"
)

// A running crawl takes seeds from another process, does not end before they are
// in, and crawls them; a second import finds them known (docs/howto/seeds.md).
func TestSeedsImportIntoRunningCrawl(t *testing.T) {
	web, dir, cmd, out := startHeld(t, "1s")
	give := func(want int) string {
		t.Helper()
		c := exec.Command("exclave", "seeds", "import", "--source", "late", dir, "-")
		c.Stdin = strings.NewReader("http://a.test/late\nnonsense\n")
		text, err := c.CombinedOutput()
		if got := code(t, err); got != want {
			t.Fatalf("exit code %d, want %d\n%s", got, want, text)
		}
		return string(text)
	}
	if text := give(0); !strings.Contains(text, "1 accepted, 0 known, 0 out of scope, 0 no seeds, 0 blank, 1 broken") {
		t.Error(text)
	}
	if text := give(1); !strings.Contains(text, "0 accepted, 1 known") {
		t.Error(text)
	}
	close(web.open)
	if c := code(t, cmd.Wait()); c != int(exitOK) {
		t.Fatalf("exit code %d\n%s", c, out)
	}
	if got := archived(t, dir); got["http://a.test/late"] == "" {
		t.Errorf("the imported seed was not archived: %v", got)
	}
}
