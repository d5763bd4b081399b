// Command exclave recognises and archives the pages of a nation outside its
// top-level domain. A job is a folder; the verbs make, check, run and prove it.
// Results go to stdout, everything else to stderr; exit codes are in
// docs/howto/exit-codes.md. Each verb has a file of its own. What is not here:
// anything that a crawl does (internal/job).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"exclave/internal/printable"
)

func main() {
	tuneRuntime()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// tuneRuntime lets Go collect garbage when there is half as much as what is in use, where GOGC
// does not say otherwise: most of that is the cache of the state, which takes no time to collect.
func tuneRuntime() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// run is the program: arguments in, exit code out.
func run(args []string, stdin io.Reader, out, errOut io.Writer) int {
	// Whatever verb: no text of a stranger steers the terminal.
	stdout, stderr := printable.NewWriter(out), printable.NewWriter(errOut)
	defer func() { _ = errors.Join(stdout.Flush(), stderr.Flush()) }() // a character that was cut off
	began := false
	root := newRoot(&began)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(context.Background())
	if err != nil && !began {
		err = withCode(exitUsage, fmt.Errorf("%w (exclave --help lists what there is)", err))
	}
	if err != nil && !errors.Is(err, errSaid) {
		fmt.Fprintln(stderr, "exclave:", err)
	}
	return codeOf(err)
}
