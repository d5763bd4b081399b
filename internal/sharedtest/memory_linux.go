package sharedtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// enoughMemory is the room, in bytes, that a file system in memory must have for the files of tests.
const enoughMemory = 4 << 30

// moveToMemory sets TMPDIR, unless it is set; remove removes that folder.
func moveToMemory() (remove func()) {
	const memory = "/dev/shm"
	none := func() {}
	var st syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &st) != nil || st.Bavail*uint64(st.Bsize) < enoughMemory {
		return none
	}
	dir, err := os.MkdirTemp(memory, "exclave-test-")
	if err != nil {
		return none
	}
	remove = func() { _ = os.RemoveAll(dir) }
	program := filepath.Join(dir, "true")
	if text, err := os.ReadFile("/bin/true"); err != nil || os.WriteFile(program, text, 0o700) != nil || exec.Command(program).Run() != nil || os.Setenv("TMPDIR", dir) != nil {
		remove() // nothing may be run there
		return none
	}
	return remove
}
