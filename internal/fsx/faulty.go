package fsx

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Op is one operation on a file system, as Faulty counts them.
type Op struct {
	// Kind is the method in lower case: create, open, openreadwrite, opendir,
	// link, remove, removeall, rename, reuse, mkdirall, lock, list, stat,
	// truncate, usage; of a file: read, readat, write, writeat, sync, syncdata,
	// syncto, close, preallocate, filestat.
	Kind string
	// Path is the name the file was opened under, or the (old) name given.
	Path string
}

// Reads reports whether the operation changes nothing.
func (o Op) Reads() bool {
	switch o.Kind {
	case "open", "opendir", "list", "stat", "usage", "read", "readat", "filestat":
		return true
	}
	return false
}

// Fault says which operations fail and how.
type Fault struct {
	// At is the number, from 0, of the first operation to fail among those that
	// Match; negative for none.
	At int64
	// Stay makes all later ones fail as well: a disk that is full or gone.
	Stay bool
	// Err is what they fail with, syscall.ENOSPC for example.
	Err error
	// Match chooses the operations that are counted; nil counts all that are
	// not Reads. It is called with a lock held.
	Match func(Op) bool
}

// Faulty makes chosen operations of another file system fail. A failing write
// has written the first half of its bytes; a failing close has closed the file.
// Make it with NewFaulty.
type Faulty struct {
	under FS
	mu    sync.Mutex
	fault Fault
	ops   int64
	fails int64
}

// NewFaulty wraps a file system. It counts from the start.
func NewFaulty(under FS, fault Fault) *Faulty { return &Faulty{under: under, fault: fault} }

var _ FS = (*Faulty)(nil)

// Set replaces the fault and counts anew from 0.
func (f *Faulty) Set(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault, f.ops, f.fails = fault, 0, 0
}

// Counts returns how many operations were counted and how many failed since the
// last Set. A loop over At ends at the first run that had no failure.
func (f *Faulty) Counts() (ops, failed int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ops, f.fails
}

func (f *Faulty) op(kind, path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := Op{Kind: kind, Path: path}
	if f.fault.Match == nil && o.Reads() || f.fault.Match != nil && !f.fault.Match(o) {
		return nil
	}
	n := f.ops
	f.ops++
	if f.fault.At < 0 || n < f.fault.At || n > f.fault.At && !f.fault.Stay {
		return nil
	}
	f.fails++
	return &os.PathError{Op: kind, Path: path, Err: fmt.Errorf("injected at operation %d: %w", n, f.fault.Err)}
}

func (f *Faulty) file(kind, name string, open func() (vfs.File, error)) (vfs.File, error) {
	if err := f.op(kind, name); err != nil {
		return nil, err
	}
	file, err := open()
	if err != nil {
		return nil, err
	}
	return &faultyFile{File: file, fs: f, name: name}, nil
}

// Create implements vfs.FS.
func (f *Faulty) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.file("create", name, func() (vfs.File, error) { return f.under.Create(name, c) })
}

// Open implements vfs.FS.
func (f *Faulty) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	return f.file("open", name, func() (vfs.File, error) { return f.under.Open(name, opts...) })
}

// OpenReadWrite implements vfs.FS.
func (f *Faulty) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return f.file("openreadwrite", name, func() (vfs.File, error) { return f.under.OpenReadWrite(name, c, opts...) })
}

// OpenDir implements vfs.FS.
func (f *Faulty) OpenDir(name string) (vfs.File, error) {
	return f.file("opendir", name, func() (vfs.File, error) { return f.under.OpenDir(name) })
}

// ReuseForWrite implements vfs.FS.
func (f *Faulty) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.file("reuse", oldname, func() (vfs.File, error) { return f.under.ReuseForWrite(oldname, newname, c) })
}

// Link implements vfs.FS.
func (f *Faulty) Link(oldname, newname string) error {
	if err := f.op("link", oldname); err != nil {
		return err
	}
	return f.under.Link(oldname, newname)
}

// Remove implements vfs.FS.
func (f *Faulty) Remove(name string) error {
	if err := f.op("remove", name); err != nil {
		return err
	}
	return f.under.Remove(name)
}

// RemoveAll implements vfs.FS.
func (f *Faulty) RemoveAll(name string) error {
	if err := f.op("removeall", name); err != nil {
		return err
	}
	return f.under.RemoveAll(name)
}

// Rename implements vfs.FS.
func (f *Faulty) Rename(oldname, newname string) error {
	if err := f.op("rename", oldname); err != nil {
		return err
	}
	return f.under.Rename(oldname, newname)
}

// MkdirAll implements vfs.FS.
func (f *Faulty) MkdirAll(dir string, perm os.FileMode) error {
	if err := f.op("mkdirall", dir); err != nil {
		return err
	}
	return f.under.MkdirAll(dir, perm)
}

// Truncate implements FS.
func (f *Faulty) Truncate(name string, size int64) error {
	if err := f.op("truncate", name); err != nil {
		return err
	}
	return f.under.Truncate(name, size)
}

// Lock implements vfs.FS.
func (f *Faulty) Lock(name string) (io.Closer, error) {
	if err := f.op("lock", name); err != nil {
		return nil, err
	}
	return f.under.Lock(name)
}

// List implements vfs.FS.
func (f *Faulty) List(dir string) ([]string, error) {
	if err := f.op("list", dir); err != nil {
		return nil, err
	}
	return f.under.List(dir)
}

// Stat implements vfs.FS.
func (f *Faulty) Stat(name string) (vfs.FileInfo, error) {
	if err := f.op("stat", name); err != nil {
		return nil, err
	}
	return f.under.Stat(name)
}

// GetDiskUsage implements vfs.FS.
func (f *Faulty) GetDiskUsage(path string) (vfs.DiskUsage, error) {
	if err := f.op("usage", path); err != nil {
		return vfs.DiskUsage{}, err
	}
	return f.under.GetDiskUsage(path)
}

// PathBase implements vfs.FS.
func (f *Faulty) PathBase(p string) string { return f.under.PathBase(p) }

// PathJoin implements vfs.FS.
func (f *Faulty) PathJoin(elem ...string) string { return f.under.PathJoin(elem...) }

// PathDir implements vfs.FS.
func (f *Faulty) PathDir(p string) string { return f.under.PathDir(p) }

// Unwrap implements vfs.FS.
func (f *Faulty) Unwrap() vfs.FS { return f.under }

type faultyFile struct {
	vfs.File
	fs   *Faulty
	name string
}

func (f *faultyFile) Read(p []byte) (int, error) {
	if err := f.fs.op("read", f.name); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f *faultyFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.fs.op("readat", f.name); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

func (f *faultyFile) Write(p []byte) (int, error) {
	if err := f.fs.op("write", f.name); err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

func (f *faultyFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.fs.op("writeat", f.name); err != nil {
		n, _ := f.File.WriteAt(p[:len(p)/2], off)
		return n, err
	}
	return f.File.WriteAt(p, off)
}

func (f *faultyFile) Sync() error {
	if err := f.fs.op("sync", f.name); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *faultyFile) SyncData() error {
	if err := f.fs.op("syncdata", f.name); err != nil {
		return err
	}
	return f.File.SyncData()
}

func (f *faultyFile) SyncTo(length int64) (bool, error) {
	if err := f.fs.op("syncto", f.name); err != nil {
		return false, err
	}
	return f.File.SyncTo(length)
}

func (f *faultyFile) Preallocate(off, length int64) error {
	if err := f.fs.op("preallocate", f.name); err != nil {
		return err
	}
	return f.File.Preallocate(off, length)
}

func (f *faultyFile) Stat() (vfs.FileInfo, error) {
	if err := f.fs.op("filestat", f.name); err != nil {
		return nil, err
	}
	return f.File.Stat()
}

func (f *faultyFile) Close() error {
	err := f.fs.op("close", f.name)
	if closed := f.File.Close(); err == nil {
		err = closed
	}
	return err
}
