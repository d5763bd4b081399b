package warc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"

	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// openSuffix ends the name of a file that is not yet complete.
const openSuffix = ".open"

// FileState is what the caller keeps of a file in its own state.
type FileState struct {
	Number    uint32
	Name      string // final base name; see DiskName
	Committed int64  // bytes acknowledged
	Final     bool   // complete: renamed, never written again
}

// DiskName returns the base name the file has at present.
func (s FileState) DiskName() string {
	if s.Final {
		return s.Name
	}
	return s.Name + openSuffix
}

// Event says that a file is complete and has its final name.
type Event struct {
	File uint32
	Name string // final base name
}

// ErrClosed is returned by a pool that was closed.
var ErrClosed = errors.New("warc: pool is closed")

// Pool owns the WARC files being written.
type Pool struct {
	fs    fsx.FS
	c     Config
	info  Info
	clock clock.Clock
	fp    *fsx.FailPoints

	owners chan struct{} // a token for each file in use

	mu     sync.Mutex
	closed bool
	next   uint32
	idle   []*File
	files  map[uint32]*File // not final
	events []Event          // not yet reported
	errs   []error          // of sealing outside Committed, not yet reported
}

// OpenPool starts writing in c.Dir. New files get numbers from nextFile on. The
// files in open, as Recover returned them, are continued. fp may be nil. The
// points are warc.create (file made, nothing in it), warc.write.mid (half of the
// bytes of a write), warc.sync (before), warc.synced (after), warc.rename
// (before), warc.renamed (after, directory not synced).
func OpenPool(fs fsx.FS, c Config, info Info, clk clock.Clock, nextFile uint32, open []FileState, fp *fsx.FailPoints) (*Pool, error) {
	if err := c.Validate().Err("warc"); err != nil {
		return nil, err
	}
	p := &Pool{
		fs: fs, c: c, info: info, clock: clk, fp: fp, next: nextFile,
		owners: make(chan struct{}, c.PoolSize), files: make(map[uint32]*File),
	}
	for _, s := range open {
		if s.Final {
			continue
		}
		if err := p.reopen(s); err != nil {
			return nil, errors.Join(err, p.closeAll())
		}
	}
	return p, nil
}

func (p *Pool) reopen(s FileState) error {
	if s.Number >= p.next {
		return fmt.Errorf("warc: open %s: its number %d is not below the next, %d", s.Name, s.Number, p.next)
	}
	f, err := p.openFile(s.Number, s.Name)
	if err != nil {
		return err
	}
	p.files[s.Number] = f
	if size := f.a.Size(); size != s.Committed {
		return fmt.Errorf("warc: open %s: it has %d bytes, %d are committed; recover it first", f.a.Name(), size, s.Committed)
	}
	f.written, f.synced, f.committed = s.Committed, s.Committed, s.Committed
	p.retire(f)
	return nil
}

func (p *Pool) openFile(number uint32, name string) (*File, error) {
	a, err := fsx.OpenAppendShared(p.fs, p.fs.PathJoin(p.c.Dir, name+openSuffix))
	if err != nil {
		return nil, fmt.Errorf("warc: open %s: %w", name, err)
	}
	f := &File{p: p, number: number, name: name, a: a, copy: make([]byte, 32<<10)}
	if err := f.form(); err != nil {
		return nil, errors.Join(fmt.Errorf("warc: open %s: %w", name, err), a.Close())
	}
	return f, nil
}

// form makes what compresses the records of a file: its name says how, and its beginning with which dictionary. Both may be other than the
// configuration asks for, of a file that was begun with another.
func (f *File) form() (err error) {
	c := f.p.c
	if f.zstd = strings.HasSuffix(f.name, zstdEnding); !f.zstd {
		gz, err := gzip.NewWriterLevel(nil, c.GzipLevel)
		f.to = members{gz}
		return err
	}
	if f.dict = c.Dictionary; f.a.Size() > 0 {
		if f.dict, err = dictionaryAt(f.a); err != nil {
			return err
		}
	}
	f.to, err = NewZstdWriter(c.ZstdLevel, f.dict)
	return err
}

// Acquire returns a file with room, which the caller owns until Release. It
// blocks while PoolSize files are in use, until ctx is done.
func (p *Pool) Acquire(ctx context.Context) (*File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case p.owners <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	f, err := p.take()
	if err != nil {
		<-p.owners
	}
	return f, err
}

func (p *Pool) take() (*File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if n := len(p.idle); n > 0 {
		f := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return f, nil
	}
	number := p.next
	p.next++
	f, err := p.openFile(number, p.c.fileName(p.clock.Now(), number))
	if err != nil {
		return nil, err
	}
	p.fp.Hit("warc.create")
	p.files[number] = f
	return f, nil
}

// Release gives a file back. A capture that was not ended is rolled back. A full
// or broken file is not handed out again.
func (p *Pool) Release(f *File) {
	if f.open {
		// A failure leaves the file broken, which retire sees.
		_ = f.Rollback()
	}
	p.mu.Lock()
	p.retire(f)
	p.mu.Unlock()
	<-p.owners
}

// retire makes a file idle, or seals it. p.mu is held.
func (p *Pool) retire(f *File) {
	f.mu.Lock()
	full := f.written >= p.c.MaxSize || f.a.Err() != nil
	f.sealed = f.sealed || full
	f.mu.Unlock()
	if !full {
		p.idle = append(p.idle, f)
		return
	}
	if err := p.finish(f); err != nil {
		p.errs = append(p.errs, err)
	}
}

// File returns the state of a file that is not final, for its row: the name, and
// what is committed so far.
func (p *Pool) File(number uint32) (FileState, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.files[number]
	if f == nil {
		return FileState{}, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return FileState{Number: number, Name: f.name, Committed: f.committed}, true
}

// Sync makes every ended capture of the named files durable. After an error the
// files it names can never be synced; their captures must be made again.
func (p *Pool) Sync(files []uint32) error {
	var errs []error
	for _, n := range files {
		p.mu.Lock()
		f := p.files[n]
		p.mu.Unlock()
		if f == nil {
			errs = append(errs, fmt.Errorf("warc: sync: no open file has number %d", n))
			continue
		}
		if err := f.sync(); err != nil {
			errs = append(errs, fmt.Errorf("warc: sync file %d: %w", n, err))
		}
	}
	return errors.Join(errs...)
}

func (f *File) sync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.synced == f.written {
		return nil
	}
	f.p.fp.Hit("warc.sync")
	if err := f.a.Sync(); err != nil {
		return err
	}
	// What is synced into a file without a name is lost all the same.
	if st, err := f.p.fs.Stat(f.a.Name()); err != nil || st.Size() < f.written {
		return fmt.Errorf("%s was moved, removed or cut by somebody else while it is being written (%d bytes were): give it its name back, and let nobody move WARC files that end in %s",
			f.a.Name(), f.written, openSuffix)
	}
	f.synced = f.written
	f.p.fp.Hit("warc.synced")
	return nil
}

// Committed says that the caller's state now holds length as the committed
// length of the file: the end of a capture, synced. It returns the files that
// became complete since the last call, whatever file it is called for. With an
// error about a file that could not be completed, the file keeps its ".open"
// name and is completed by the next Recover and pool; what is committed is safe.
func (p *Pool) Committed(file uint32, length int64) ([]Event, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.files[file]
	if f == nil {
		return nil, fmt.Errorf("warc: commit: no open file has number %d", file)
	}
	f.mu.Lock()
	if length < f.committed || length > f.synced {
		defer f.mu.Unlock()
		return nil, fmt.Errorf("warc: commit %s: length %d is not within %d (committed) … %d (synced)", f.name, length, f.committed, f.synced)
	}
	f.committed = length
	f.mu.Unlock()
	err := p.finish(f)
	return p.report(err)
}

func (p *Pool) report(err error) ([]Event, error) {
	err = errors.Join(append(p.errs, err)...)
	events := p.events
	p.events, p.errs = nil, nil
	return events, err
}

// finish completes a sealed file of which every byte is committed. p.mu is held.
func (p *Pool) finish(f *File) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.sealed || f.gone || f.committed != f.written {
		return nil
	}
	if f.a.Err() != nil {
		// A rest that could not be cut off, or bytes nobody can vouch for:
		// Recover cuts the file when it is opened next.
		return p.forget(f)
	}
	if f.written == 0 {
		if err := p.forget(f); err != nil {
			return err
		}
		if err := p.fs.Remove(f.a.Name()); err != nil {
			return fmt.Errorf("warc: remove empty %s: %w", f.name, err)
		}
		return nil
	}
	if err := p.forget(f); err != nil {
		return err
	}
	p.fp.Hit("warc.rename")
	if err := p.fs.Rename(f.a.Name(), p.fs.PathJoin(p.c.Dir, f.name)); err != nil {
		return fmt.Errorf("warc: complete %s: %w", f.name, err)
	}
	p.fp.Hit("warc.renamed")
	if err := fsx.SyncDir(p.fs, p.c.Dir); err != nil {
		return fmt.Errorf("warc: complete %s: %w", f.name, err)
	}
	p.events = append(p.events, Event{File: f.number, Name: f.name})
	return nil
}

// forget closes a file and drops it from the pool. p.mu and f.mu are held.
func (p *Pool) forget(f *File) error {
	f.gone = true
	delete(p.files, f.number)
	return f.a.Close()
}

// Close completes every file and returns those that the caller has not been told
// of. It is called after all files were released and all captures committed; a
// file for which that is not so keeps its ".open" name and is named in the error.
func (p *Pool) Close() ([]Event, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil
	}
	p.closed = true
	var errs []error
	for _, f := range p.sorted() {
		f.mu.Lock()
		f.sealed = true
		left := f.written - f.committed
		f.mu.Unlock()
		if left != 0 {
			errs = append(errs, fmt.Errorf("warc: close %s: %d bytes are not committed; they are cut off at the next start", f.name, left))
			continue
		}
		errs = append(errs, p.finish(f))
	}
	errs = append(errs, p.closeAll())
	return p.report(errors.Join(errs...))
}

func (p *Pool) sorted() []*File {
	var fs []*File
	for _, f := range p.files {
		fs = append(fs, f)
	}
	slices.SortFunc(fs, func(a, b *File) int { return cmp.Compare(a.number, b.number) })
	return fs
}

// closeAll closes what is still open, without touching names.
func (p *Pool) closeAll() error {
	var errs []error
	for _, f := range p.sorted() {
		f.mu.Lock()
		errs = append(errs, p.forget(f))
		f.mu.Unlock()
	}
	return errors.Join(errs...)
}
