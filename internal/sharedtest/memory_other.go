//go:build !linux

package sharedtest

// moveToMemory does nothing where no file system in memory is known.
func moveToMemory() (remove func()) { return func() {} }
