package fsx

import (
	"io"
	"os"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// memFile is an open file or directory of Mem.
type memFile struct {
	m      *Mem
	n      *node
	name   string
	pos    int
	write  bool
	closed bool
}

func (n *node) resize(size int) {
	n.dirty = min(n.dirty, size, len(n.data))
	if grow := size - len(n.data); grow > 0 {
		n.data = append(n.data, make([]byte, grow)...)
	}
	n.data = n.data[:size]
	n.modTime = time.Now()
}

func (n *node) writeAt(p []byte, off int) {
	if end := off + len(p); end > len(n.data) {
		n.resize(end)
	}
	copy(n.data[off:], p)
	n.dirty = min(n.dirty, off)
	n.modTime = time.Now()
}

func (n *node) sync() {
	if n.dir {
		clear(n.synced)
		for name, child := range n.names {
			n.synced[name] = child
		}
		return
	}
	n.durable = append(n.durable[:n.dirty], n.data[n.dirty:]...)
	n.dirty = len(n.data)
}

// locked runs f on the node with the file system locked.
func (f *memFile) locked(op string, do func(*node) error) error {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if f.closed {
		return pathError(op, f.name, os.ErrClosed)
	}
	if err := do(f.n); err != nil {
		if err == io.EOF {
			return err
		}
		return pathError(op, f.name, err)
	}
	return nil
}

func (f *memFile) Read(p []byte) (n int, err error) {
	err = f.locked("read", func(nd *node) error {
		n, err = nd.readAt(p, f.pos)
		f.pos += n
		if n > 0 && err == io.EOF {
			return nil
		}
		return err
	})
	return n, err
}

func (f *memFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.locked("read", func(nd *node) error {
		n, err = nd.readAt(p, int(off))
		return err
	})
	return n, err
}

func (n *node) readAt(p []byte, off int) (int, error) {
	switch {
	case n.dir:
		return 0, errIsDir
	case off < 0:
		return 0, syscall.EINVAL
	case len(p) == 0:
		return 0, nil
	case off >= len(n.data):
		return 0, io.EOF
	}
	c := copy(p, n.data[off:])
	if c < len(p) {
		return c, io.EOF
	}
	return c, nil
}

func (f *memFile) Write(p []byte) (int, error) {
	err := f.writable(func(n *node) {
		n.writeAt(p, f.pos)
		f.pos += len(p)
	})
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

func (f *memFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.writable(func(n *node) { n.writeAt(p, int(off)) }); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (f *memFile) writable(do func(*node)) error {
	return f.locked("write", func(n *node) error {
		if !f.write {
			return syscall.EBADF
		}
		do(n)
		return nil
	})
}

func (f *memFile) Close() error {
	return f.locked("close", func(*node) error {
		f.closed = true
		return nil
	})
}

func (f *memFile) Sync() error {
	return f.locked("sync", func(n *node) error {
		n.sync()
		return nil
	})
}

func (f *memFile) SyncData() error { return f.Sync() }

// SyncTo promises nothing unless it reports a full sync, so it does nothing: a
// caller that relies on it is found out.
func (f *memFile) SyncTo(int64) (fullSync bool, err error) { return false, nil }

func (f *memFile) Preallocate(_, _ int64) error { return nil }
func (f *memFile) Prefetch(_, _ int64) error    { return nil }
func (f *memFile) Fd() uintptr                  { return vfs.InvalidFd }

func (f *memFile) Stat() (vfs.FileInfo, error) {
	var st memInfo
	err := f.locked("stat", func(n *node) error {
		st = memInfo{name: f.name, size: int64(len(n.data)), dir: n.dir, modTime: n.modTime}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return st, nil
}

type memInfo struct {
	name    string
	size    int64
	dir     bool
	modTime time.Time
}

func (i memInfo) Name() string           { return i.name }
func (i memInfo) Size() int64            { return i.size }
func (i memInfo) ModTime() time.Time     { return i.modTime }
func (i memInfo) IsDir() bool            { return i.dir }
func (i memInfo) Sys() any               { return nil }
func (i memInfo) DeviceID() vfs.DeviceID { return vfs.DeviceID{} }

func (i memInfo) Mode() os.FileMode {
	if i.dir {
		return os.ModeDir | 0o755
	}
	return 0o644
}
