package fsx

import (
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// slow is a file system whose syncs take longer.
type slow struct {
	FS
	by time.Duration
}

// Slow returns a file system like under, each sync of which takes longer by the given
// time: a disk as slow as others have it, for measurements.
func Slow(under FS, by time.Duration) FS { return slow{under, by} }

func (s slow) file(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return slowFile{f, s.by}, nil
}

// Create implements vfs.FS.
func (s slow) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return s.file(s.FS.Create(name, c))
}

// OpenReadWrite implements vfs.FS.
func (s slow) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return s.file(s.FS.OpenReadWrite(name, c, opts...))
}

// OpenDir implements vfs.FS.
func (s slow) OpenDir(name string) (vfs.File, error) { return s.file(s.FS.OpenDir(name)) }

// ReuseForWrite implements vfs.FS.
func (s slow) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return s.file(s.FS.ReuseForWrite(oldname, newname, c))
}

// Unwrap implements vfs.FS.
func (s slow) Unwrap() vfs.FS { return s.FS }

type slowFile struct {
	vfs.File
	by time.Duration
}

// Sync implements vfs.File.
func (f slowFile) Sync() error {
	time.Sleep(f.by)
	return f.File.Sync()
}

// SyncData implements vfs.File.
func (f slowFile) SyncData() error {
	time.Sleep(f.by)
	return f.File.SyncData()
}
