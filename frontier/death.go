package frontier

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/frontier/schema"
	"exclave/internal/fsx"
)

// death is the end of the state store: Pebble found that it cannot go on, on
// whatever goroutine, and must not be asked for anything that may need its locks.
type death struct {
	once sync.Once
	came chan struct{} // closed after err is set
	err  error
}

func newDeath() *death { return &death{came: make(chan struct{})} }

func (d *death) die(err error) {
	d.once.Do(func() {
		d.err = err
		close(d.came)
	})
}

// damaged is called for a file of the store that cannot be what was written.
func (d *death) damaged(i pebble.DataCorruptionInfo) {
	d.die(fmt.Errorf("%s is damaged: %w; %s", i.Path, i.Details, mend))
}

// cause returns why the store died, nil while it lives.
func (d *death) cause() error {
	select {
	case <-d.came:
		return d.err
	default:
		return nil
	}
}

// guard runs fn, which asks the store for something it may die of, and returns
// what fn does, or at the store's death why it died; fn is then left behind.
func (d *death) guard(fn func() error) error {
	if err := d.cause(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- fn() }()
	select {
	case err := <-done:
		return err
	case <-d.came:
		return d.err
	}
}

// survive returns what fn does. Pebble panics when it cannot sync a folder; when that is
// not the store's own, it is an error like others.
func survive(fn func() error) (err error) {
	defer func() {
		p := recover()
		if e, ok := p.(error); ok && errors.As(e, new(otherDirError)) {
			err = e
		} else if p != nil {
			panic(p)
		}
	}()
	return fn()
}

// storeLogger passes Pebble's complaints on; its progress is of no interest.
type storeLogger struct {
	log  *slog.Logger
	dead *death
}

// Infof implements [pebble.Logger].
func (storeLogger) Infof(string, ...any) {}

// Errorf implements [pebble.Logger].
func (l storeLogger) Errorf(format string, args ...any) {
	l.log.Error("state store", "what", fmt.Sprintf(format, args...))
}

// Fatalf is called when Pebble cannot go on; it must not return. A panic would
// end the process when the goroutine is Pebble's own.
func (l storeLogger) Fatalf(format string, args ...any) {
	l.dead.die(fmt.Errorf(format, args...))
	runtime.Goexit()
}

// storeFS ends the store when a directory cannot be synced: Pebble panics then,
// in the background too.
type storeFS struct {
	fsx.FS
	dir    string // of the store
	dead   *death
	copied *atomic.Int64 // bytes, of files that could not be linked
}

// Link implements vfs.FS. Pebble links for checkpoints, into other folders; where that
// cannot be it copies, but not after every such error.
func (s storeFS) Link(oldname, newname string) error {
	err := s.FS.Link(oldname, newname)
	if !fsx.CannotLink(err) {
		return err
	}
	st, err := s.Stat(oldname)
	if err != nil {
		return err
	}
	s.copied.Add(st.Size())
	return fsx.CopyStart(s.FS, oldname, newname, st.Size())
}

// OpenDir implements vfs.FS.
func (s storeFS) OpenDir(name string) (vfs.File, error) {
	f, err := s.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	if name != s.dir {
		return otherDir{f}, nil
	}
	return storeDir{f, s.dead}, nil
}

type storeDir struct {
	vfs.File
	dead *death
}

// Sync implements vfs.File.
func (d storeDir) Sync() error {
	err := d.File.Sync()
	if err != nil {
		d.dead.die(err)
		runtime.Goexit()
	}
	return nil
}

// watchStore fails the frontier when the store dies, also of work in the
// background that nobody waits for.
func (f *Frontier) watchStore() {
	select {
	case <-f.dead.came:
		f.fail(f.dead.err)
	case <-f.idle:
	}
}

// closePatience is how long a store that died is given to close; it may never do.
const closePatience = time.Second

// closeDB closes the store. What a dead one does not give back, its lock above
// all, ends with the process.
func (f *Frontier) closeDB() error {
	closed := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil && f.dead.cause() == nil {
				panic(p)
			}
		}()
		err := f.db.Close()
		if dead := f.dead.cause(); dead != nil {
			err = dead // what a dead store misses when it closes is of its death
		}
		closed <- err
	}()
	select {
	case err := <-closed:
		return err
	case <-f.dead.came:
	}
	patience := time.NewTimer(closePatience)
	defer patience.Stop()
	select {
	case err := <-closed:
		return err
	case <-patience.C:
		return f.dead.err
	}
}

// commit writes a batch and gives it back.
func (f *Frontier) commit(b *pebble.Batch, o *pebble.WriteOptions) error {
	err := f.dead.guard(func() error { return b.Commit(o) })
	return errors.Join(err, f.discard(b))
}

// discard gives a batch back, unless a store that died may still read it.
func (f *Frontier) discard(b *pebble.Batch) error {
	if f.dead.cause() != nil {
		return nil
	}
	return b.Close()
}

// setClean notes whether the state was closed in order.
func (f *Frontier) setClean(clean bool) error {
	b := f.db.NewBatch()
	if err := b.Set(schema.MetaKey(schema.MetaClean), schema.EncodeClean(clean), nil); err != nil {
		return errors.Join(err, f.discard(b))
	}
	return f.commit(b, pebble.Sync)
}
