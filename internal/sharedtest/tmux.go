package sharedtest

import "testing"

// Tmux returns the path of tmux: what $EXCLAVE_TMUX names, else the one on PATH.
// When there is neither, the test ends as with [Missing].
func Tmux(t testing.TB) string {
	t.Helper()
	return tool(t, "tmux", "EXCLAVE_TMUX", "apt-get install tmux")
}
