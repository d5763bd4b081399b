package fsx

import (
	"errors"
	"io"
	"path/filepath"
	"syscall"
	"testing"
)

// What looks at a job changes nothing, even where it might (issue 16).
func TestReadOnly(t *testing.T) {
	for name, under := range map[string]struct {
		fs  FS
		dir string
	}{"real": {Real(), t.TempDir()}, "memory": {NewMem(), "/"}} {
		file := filepath.Join(under.dir, "file")
		if err := WriteFileAtomic(under.fs, file, []byte("text")); err != nil {
			t.Fatal(err)
		}
		r := ReadOnly(under.fs)
		_, create := r.Create(file, "")
		_, open := r.OpenReadWrite(file, "")
		_, reuse := r.ReuseForWrite(file, file+"2", "")
		for op, err := range map[string]error{"create": create, "open": open, "reuse": reuse, "link": r.Link(file, file+"2"), "remove": r.Remove(file),
			"remove all": r.RemoveAll(file), "rename": r.Rename(file, file+"2"), "mkdir": r.MkdirAll(file+"3", 0o777), "truncate": r.Truncate(file, 0)} {
			if !errors.Is(err, syscall.EROFS) {
				t.Errorf("%s: %s: %v", name, op, err)
			}
		}
		f, err := r.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		if string(text) != "text" || errors.Join(err, f.Close()) != nil {
			t.Errorf("%s: read %q, %v", name, text, err)
		}
		if names, err := r.List(under.dir); len(names) != 1 || err != nil {
			t.Errorf("%s: there are %q, %v", name, names, err)
		}
		// The lock is the same as everybody's.
		lock, err := r.Lock(file + ".lock")
		if err != nil {
			t.Fatal(err)
		}
		if second, err := under.fs.Lock(file + ".lock"); err == nil {
			_ = second.Close()
			t.Errorf("%s: locked twice", name)
		}
		if err := lock.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Where the lock file cannot be written, as on a read-only file system, readers keep writers out, and nothing else.
func TestReadOnlyLock(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	sealed := ReadOnly(NewFaulty(Real(), Fault{Stay: true, Err: syscall.EROFS}))
	none, err := sealed.Lock(file)
	if err != nil {
		t.Fatalf("without a lock file: %v", err)
	}
	if err := WriteFileAtomic(Real(), file, nil); err != nil {
		t.Fatal(err)
	}
	a, err := sealed.Lock(file)
	if err != nil {
		t.Fatal(err)
	}
	b, err := sealed.Lock(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []io.Closer{none, a, b} {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
