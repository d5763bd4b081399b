package store

import (
	"runtime"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/internal/fsx"
)

// storeFS ends the store when its folder cannot be synced or its log not be written, where Pebble would panic, even in the background.
type storeFS struct {
	fsx.FS
	s *Store
}

// Link implements vfs.FS. Pebble links for checkpoints, into other folders. Where links are impossible it copies, but
// not after every such error.
func (f storeFS) Link(oldname, newname string) error {
	err := f.FS.Link(oldname, newname)
	if !fsx.CannotLink(err) {
		return err
	}
	st, err := f.Stat(oldname)
	if err != nil {
		return err
	}
	f.s.copied.Add(st.Size())
	return fsx.CopyStart(f.FS, oldname, newname, st.Size())
}

// Create implements vfs.FS.
func (f storeFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	switch file := f.PathBase(name); {
	case f.PathDir(name) != f.s.o.Dir:
	case strings.HasSuffix(file, ".log"):
		return f.log(func() (vfs.File, error) { return f.FS.Create(name, c) })
	case strings.HasPrefix(file, "MANIFEST-"):
		file, err := f.FS.Create(name, c)
		if err != nil {
			return nil, err
		}
		return &ownFile{File: file, s: f.s}, nil
	}
	file, err := f.FS.Create(name, c)
	if err != nil || !strings.HasSuffix(name, ".sst") {
		return file, err
	}
	return backgroundFile{file}, nil
}

// ReuseForWrite implements vfs.FS.
func (f storeFS) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if strings.HasSuffix(newname, ".log") && f.PathDir(newname) == f.s.o.Dir {
		return f.log(func() (vfs.File, error) { return f.FS.ReuseForWrite(oldname, newname, c) })
	}
	return f.FS.ReuseForWrite(oldname, newname, c)
}

// Remove implements vfs.FS. A dead store removes nothing: what was to take the place of a file may not be there.
func (f storeFS) Remove(name string) error {
	if err := f.s.Cause(); err != nil {
		return err
	}
	return f.FS.Remove(name)
}

// Rename implements vfs.FS. A dead store says nothing more of its files.
func (f storeFS) Rename(oldname, newname string) error {
	if err := f.s.Cause(); err != nil {
		return err
	}
	return f.FS.Rename(oldname, newname)
}

// log makes a file of the log, which Pebble cannot do without from when it is open.
func (f storeFS) log(make func() (vfs.File, error)) (vfs.File, error) {
	opened := f.s.opened.Load()
	if opened && f.s.Cause() != nil {
		return vfs.NewMem().Create("nowhere", vfs.WriteCategoryUnspecified)
	}
	file, err := make()
	switch {
	case err == nil:
		return &ownFile{File: file, s: f.s, log: true}, nil
	case !opened:
		return nil, err
	}
	f.s.death.die(err)
	return vfs.NewMem().Create("nowhere", vfs.WriteCategoryUnspecified)
}

// OpenDir implements vfs.FS.
func (f storeFS) OpenDir(name string) (vfs.File, error) {
	dir, err := f.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	if name != f.s.o.Dir {
		return otherDir{dir}, nil
	}
	return storeDir{dir, f.s}, nil
}

// storeDir is the folder of the store. Pebble syncs it also while it does not hold a lock that it then releases.
type storeDir struct {
	vfs.File
	s *Store
}

// Sync implements vfs.File.
func (d storeDir) Sync() error {
	if d.s.opened.Load() && d.s.Cause() != nil {
		return nil
	}
	err := d.File.Sync()
	if err == nil {
		return nil
	}
	d.s.death.die(err)
	if !d.s.opened.Load() {
		runtime.Goexit()
	}
	return nil // as of a file of the log
}

// ownFile is a file of the log, or a manifest. Pebble panics when it cannot go on to the next file of the log, and does so without a lock that it
// then releases, which nothing survives. So the first error of the log is the end of the store, and is not told. From then on what is
// written is written nowhere, the manifest must not say more than the log and the tables have, and [Store.Guard] tells those that wait.
type ownFile struct {
	vfs.File
	s   *Store
	log bool
}

// do runs an operation, unless the store is dead.
func (l *ownFile) do(fn func() error) error {
	opened := l.s.opened.Load()
	if opened && l.s.Cause() != nil {
		return nil
	}
	err := fn()
	if err != nil && opened && l.log {
		l.s.death.die(err)
		return nil
	}
	return err
}

// Write implements vfs.File.
func (l *ownFile) Write(p []byte) (n int, err error) {
	err = l.do(func() error {
		n, err = l.File.Write(p)
		return err
	})
	if err == nil {
		n = len(p) // also of what was written nowhere
	}
	return n, err
}

// Sync implements vfs.File.
func (l *ownFile) Sync() error { return l.do(l.File.Sync) }

// SyncData implements vfs.File.
func (l *ownFile) SyncData() error { return l.do(l.File.SyncData) }

// SyncTo implements vfs.File.
func (l *ownFile) SyncTo(length int64) (full bool, err error) {
	full = true
	err = l.do(func() error {
		full, err = l.File.SyncTo(length)
		return err
	})
	return full, err
}

// Preallocate implements vfs.File.
func (l *ownFile) Preallocate(offset, length int64) error {
	return l.do(func() error { return l.File.Preallocate(offset, length) })
}

// Stat implements vfs.File.
func (l *ownFile) Stat() (info vfs.FileInfo, err error) {
	info, err = l.File.Stat()
	if err == nil || !l.log || !l.s.opened.Load() {
		return info, err
	}
	l.s.death.die(err)
	return vfs.NewMem().Stat("/")
}

// Close implements vfs.File.
func (l *ownFile) Close() error {
	err := l.File.Close()
	return l.do(func() error { return err })
}

// otherDir is a folder that is not the store's own: a sync that fails there is no reason
// to end the store.
type otherDir struct{ vfs.File }

// Sync implements vfs.File.
func (d otherDir) Sync() error {
	if err := d.File.Sync(); err != nil {
		return otherDirError{err}
	}
	return nil
}

type otherDirError struct{ error }

// Unwrap returns what the file system said.
func (e otherDirError) Unwrap() error { return e.error }

// backgroundFile is a table of the store that is written in the background: each write yields first.
type backgroundFile struct{ vfs.File }

// Write implements vfs.File.
func (p backgroundFile) Write(b []byte) (int, error) {
	runtime.Gosched()
	return p.File.Write(b)
}
