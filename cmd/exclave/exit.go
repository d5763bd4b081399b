package main

import "errors"

// exitCode is what the process ends with. docs/howto/exit-codes.md explains the
// codes to users; a test compares.
type exitCode int

const (
	exitOK        exitCode = 0   // done; also a crawl that a limit or a signal ended in order
	exitNegative  exitCode = 1   // the answer is no: defects found, no page valid
	exitUsage     exitCode = 2   // arguments or configuration are wrong; nothing was done
	exitFailure   exitCode = 3   // our own failure: disk, state, memory
	exitLocked    exitCode = 4   // another process works on the job
	exitInterrupt exitCode = 130 // interrupted a second time; the job can be continued
)

// errSaid ends a verb that has already told the user what is wrong.
var errSaid = errors.New("see above")

// coded is an error with the exit code it asks for.
type coded struct {
	code exitCode
	err  error
}

func (c coded) Error() string { return c.err.Error() }
func (c coded) Unwrap() error { return c.err }

func withCode(code exitCode, err error) error { return coded{code, err} }

// codeOf is the one place where errors become exit codes.
func codeOf(err error) int {
	var c coded
	switch {
	case err == nil:
		return int(exitOK)
	case errors.As(err, &c):
		return int(c.code)
	}
	return int(exitFailure)
}
