package fsx

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

var errNotDir, errIsDir, errNotEmpty = syscall.ENOTDIR, syscall.EISDIR, syscall.ENOTEMPTY

// Mem is a file system in memory that keeps, beside its present state, the state
// a crash would leave. Make it with NewMem. Names are separated by slashes; the
// working directory is the root.
type Mem struct {
	mu    sync.Mutex
	root  *node
	locks map[string]bool
}

// NewMem returns an empty file system.
func NewMem() *Mem { return &Mem{root: newDir(), locks: make(map[string]bool)} }

var _ FS = (*Mem)(nil)

// node is a file or a directory, with what of it is durable.
type node struct {
	dir           bool
	data, durable []byte
	dirty         int // data and durable are equal below this offset
	names, synced map[string]*node
	links         int // names, in present directories, that lead here
	modTime       time.Time
}

func newDir() *node {
	return &node{dir: true, names: make(map[string]*node), synced: make(map[string]*node)}
}

func clean(name string) string { return strings.TrimPrefix(path.Clean("/"+name), "/") }

// lookup returns the node of a name, or its directory and last element when it
// is missing there. m.mu is held.
func (m *Mem) lookup(name string) (n, dir *node, base string, err error) {
	n = m.root
	for rest := clean(name); rest != ""; {
		if n == nil {
			return nil, nil, "", fs.ErrNotExist
		}
		if !n.dir {
			return nil, nil, "", errNotDir
		}
		dir = n
		base, rest, _ = strings.Cut(rest, "/")
		n = dir.names[base]
	}
	return n, dir, base, nil
}

func (d *node) add(base string, n *node) {
	d.drop(base)
	d.names[base] = n
	n.links++
}

func (d *node) drop(base string) {
	if old := d.names[base]; old != nil {
		old.links--
		delete(d.names, base)
	}
}

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &os.PathError{Op: op, Path: name, Err: err}
}

// Create implements vfs.FS.
func (m *Mem) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.create(name)
}

func (m *Mem) create(name string) (vfs.File, error) {
	n, dir, base, err := m.lookup(name)
	if err == nil && (dir == nil || n != nil && n.dir) {
		err = errIsDir
	}
	if err != nil {
		return nil, pathError("create", name, err)
	}
	n = &node{modTime: time.Now()}
	dir.add(base, n)
	return &memFile{m: m, n: n, name: base, write: true}, nil
}

func (m *Mem) open(name string, write bool) (vfs.File, error) {
	n, _, base, err := m.lookup(name)
	if err == nil && n == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return &memFile{m: m, n: n, name: base, write: write && !n.dir}, nil
}

// Open implements vfs.FS.
func (m *Mem) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open(name, false)
}

// OpenReadWrite implements vfs.FS.
func (m *Mem) OpenReadWrite(name string, _ vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, err := m.open(name, true)
	if errors.Is(err, fs.ErrNotExist) {
		return m.create(name)
	}
	return f, err
}

// OpenDir implements vfs.FS.
func (m *Mem) OpenDir(name string) (vfs.File, error) { return m.Open(name) }

// Link implements vfs.FS.
func (m *Mem) Link(oldname, newname string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, _, _, err := m.lookup(oldname)
	if err == nil && n == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return pathError("link", oldname, err)
	}
	to, dir, base, err := m.lookup(newname)
	if err == nil && to != nil {
		err = fs.ErrExist
	}
	if err != nil {
		return pathError("link", newname, err)
	}
	dir.add(base, n)
	return nil
}

// Remove implements vfs.FS.
func (m *Mem) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, dir, base, err := m.lookup(name)
	switch {
	case err != nil:
	case n == nil:
		err = fs.ErrNotExist
	case len(n.names) > 0 || dir == nil:
		err = errNotEmpty
	default:
		dir.drop(base)
	}
	return pathError("remove", name, err)
}

// RemoveAll implements vfs.FS.
func (m *Mem) RemoveAll(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, dir, base, err := m.lookup(name)
	if err != nil || dir == nil {
		return nil
	}
	dir.drop(base)
	return nil
}

// Rename implements vfs.FS.
func (m *Mem) Rename(oldname, newname string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rename(oldname, newname)
}

func (m *Mem) rename(oldname, newname string) error {
	n, from, oldbase, err := m.lookup(oldname)
	if err == nil && (n == nil || from == nil) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return pathError("rename", oldname, err)
	}
	old, to, newbase, err := m.lookup(newname)
	if err == nil && (to == nil || old != nil && old.dir) {
		err = fs.ErrExist
	}
	if err != nil || old == n {
		return pathError("rename", newname, err)
	}
	to.add(newbase, n)
	from.drop(oldbase)
	return nil
}

// ReuseForWrite implements vfs.FS.
func (m *Mem) ReuseForWrite(oldname, newname string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.rename(oldname, newname); err != nil {
		return nil, err
	}
	return m.open(newname, true)
}

// MkdirAll implements vfs.FS.
func (m *Mem) MkdirAll(dir string, _ os.FileMode) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.root
	for base := range strings.SplitSeq(clean(dir), "/") {
		if base == "" {
			continue
		}
		if n.names[base] == nil {
			n.add(base, newDir())
		}
		if n = n.names[base]; !n.dir {
			return pathError("mkdir", dir, errNotDir)
		}
	}
	return nil
}

// Lock implements vfs.FS. Locks do not outlive a crash.
func (m *Mem) Lock(name string) (io.Closer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.locks[clean(name)] {
		return nil, pathError("lock", name, syscall.EAGAIN)
	}
	f, err := m.create(name)
	if err != nil {
		return nil, err
	}
	m.locks[clean(name)] = true
	return &memLock{File: f, m: m, name: clean(name)}, nil
}

type memLock struct {
	vfs.File
	m    *Mem
	name string
}

func (l *memLock) Close() error {
	if err := l.File.Close(); err != nil {
		return err
	}
	l.m.mu.Lock()
	defer l.m.mu.Unlock()
	delete(l.m.locks, l.name)
	return nil
}

// List implements vfs.FS.
func (m *Mem) List(dir string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, _, _, err := m.lookup(dir)
	switch {
	case err != nil:
	case n == nil:
		err = fs.ErrNotExist
	case !n.dir:
		err = errNotDir
	default:
		names := make([]string, 0, len(n.names))
		for name := range n.names {
			names = append(names, name)
		}
		return names, nil
	}
	return nil, pathError("list", dir, err)
}

// Stat implements vfs.FS.
func (m *Mem) Stat(name string) (vfs.FileInfo, error) {
	f, err := m.Open(name)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	return st, errors.Join(err, f.Close())
}

// Truncate implements FS.
func (m *Mem) Truncate(name string, size int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, _, _, err := m.lookup(name)
	switch {
	case err != nil:
	case n == nil:
		err = fs.ErrNotExist
	case n.dir:
		err = errIsDir
	case size < 0:
		err = syscall.EINVAL
	default:
		n.resize(int(size))
	}
	return pathError("truncate", name, err)
}

// PathBase implements vfs.FS.
func (*Mem) PathBase(p string) string { return path.Base(p) }

// PathJoin implements vfs.FS.
func (*Mem) PathJoin(elem ...string) string { return path.Join(elem...) }

// PathDir implements vfs.FS.
func (*Mem) PathDir(p string) string { return path.Dir(p) }

// GetDiskUsage implements vfs.FS: 1 TiB, all of it free. Use Faulty for a full disk.
func (*Mem) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: 1 << 40, TotalBytes: 1 << 40}, nil
}

// Unwrap implements vfs.FS.
func (*Mem) Unwrap() vfs.FS { return nil }
