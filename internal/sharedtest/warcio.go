package sharedtest

import (
	"os"
	"os/exec"
	"testing"
)

// Warcio returns the path of the command warcio: what $EXCLAVE_WARCIO names, else
// the one on PATH. When there is neither, the test ends as with [Missing].
func Warcio(t testing.TB) string {
	t.Helper()
	if tool := os.Getenv("EXCLAVE_WARCIO"); tool != "" {
		return tool
	}
	tool, err := exec.LookPath("warcio")
	if err != nil {
		Missing(t, "no warcio: pip install warcio, or say in $EXCLAVE_WARCIO where it is")
	}
	return tool
}
