package sharedtest

import (
	"fmt"
	"os/exec"
)

// Build compiles the program of package pkg, as the go command in folder dir finds it, and puts it at to. The go command keeps
// what it links for go run, but not for go build: tests that want the same program link it once, and not again
// before something changes.
func Build(dir, pkg, to string, flags ...string) error {
	args := append([]string{"run", "-exec", "cp"}, flags...)
	cmd := exec.Command("go", append(args, pkg, to)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("sharedtest: build %s: %w\n%s", pkg, err, out)
	}
	return nil
}
