package sharedtest

// Tests are those of a package: *testing.M.
type Tests interface{ Run() int }

// InMemory has the temporary files of tests and of the programs that they run lie in memory, where there is a file system for
// that and TMPDIR names no other. Tests of jobs wait for the disk thousands of times, and what they show does not depend on
// it: a crash is that of a process, or of a file system of our own.
func InMemory(m Tests) Tests { return inMemory{m} }

type inMemory struct{ Tests }

// Run implements [Tests].
func (m inMemory) Run() int {
	defer moveToMemory()()
	return m.Tests.Run()
}
