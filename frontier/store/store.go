package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable/block"

	"exclave/frontier/schema"
	"exclave/internal/fsx"
)

// Options are what a store is opened with.
type Options struct {
	FS       fsx.FS
	Dir      string
	ReadOnly bool // nothing is changed, no folder made
	// Cache is the size in bytes of the cache of blocks; 0: that of a crawl, 128 MB.
	Cache  int64
	Logger *slog.Logger
	// Advice says what to do about a damaged store; it ends the error.
	Advice string
}

// Store is an open state.
type Store struct {
	reader
	o       Options
	db      *pebble.DB
	death   *death
	opened  atomic.Bool
	guarded guarded
	copied  atomic.Int64 // bytes, see storeFS.Link
}

// ErrNone is wrapped by the error of a read-only [Open] of a folder without a store.
var ErrNone = errors.New("there is no store")

// Open opens the store in a folder, or makes it. The error of a damaged one ends with the advice.
func Open(o Options) (*Store, error) {
	s := &Store{o: o, death: newDeath()}
	opts := PebbleOptions()
	opts.FS, opts.ReadOnly, opts.Logger = storeFS{o.FS, s}, o.ReadOnly, logger{o.Logger, s.death}
	if o.Cache > 0 {
		opts.CacheSize = o.Cache
	}
	opts.EventListener = &pebble.EventListener{DataCorruption: func(i pebble.DataCorruptionInfo) {
		s.death.die(fmt.Errorf("%s is damaged: %w; %s", i.Path, i.Details, o.Advice))
	}}
	if !o.ReadOnly {
		if err := fsx.MkdirAll(o.FS, o.Dir); err != nil {
			return nil, err
		}
	}
	switch names, err := halfMade(o.FS, o.Dir); {
	case err != nil:
		return nil, err
	case len(names) > 0 && o.ReadOnly:
		return nil, fmt.Errorf("%w: %s was never made to its end", ErrNone, o.Dir)
	default:
		for _, n := range names {
			if err := o.FS.Remove(o.FS.PathJoin(o.Dir, n)); err != nil {
				return nil, err
			}
		}
	}
	opened := make(chan *pebble.DB, 1)
	err := s.Guard(func() (err error) {
		var db *pebble.DB
		defer func() { opened <- db }() // also when it dies
		db, err = pebble.Open(o.Dir, opts)
		return err
	})
	if err == nil {
		s.db = <-opened
		s.opened.Store(true)
		s.reader = reader{s.db}
		return s, nil
	}
	patience := time.NewTimer(closePatience)
	defer patience.Stop()
	select {
	case db := <-opened:
		if db != nil { // it was open when it died
			s.db = db
			err = errors.Join(err, s.Close())
		}
	case <-patience.C:
	}
	switch {
	case errors.Is(err, pebble.ErrDBDoesNotExist):
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	case s.Cause() == nil && isDamage(err):
		return nil, fmt.Errorf("%w; %s", err, o.Advice)
	}
	return nil, err
}

// halfMade names the files of a store that was being made when the machine stopped: it names a manifest that did not
// reach the disk, and holds nothing, neither tables nor a log with anything in it. It is empty for every other folder. Pebble makes the
// manifest before what names it, but a disk that fails and then loses power keeps of the two what it likes.
func halfMade(fsys fsx.FS, dir string) (names []string, err error) {
	names, err = fsys.List(dir)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	named := false
	for _, n := range names {
		switch {
		case strings.HasPrefix(n, "marker.manifest."):
			named = true
		case n == "LOCK", strings.HasPrefix(n, "marker."), strings.HasPrefix(n, "OPTIONS-"), strings.HasSuffix(n, ".dbtmp"):
		case strings.HasSuffix(n, ".log"):
			st, err := fsys.Stat(fsys.PathJoin(dir, n))
			if err != nil {
				return nil, err
			}
			if st.Size() > 0 {
				return nil, nil
			}
		default: // a manifest, tables, or what is not ours
			return nil, nil
		}
	}
	if !named {
		return nil, nil
	}
	return names, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// PebbleOptions are the options of the store, without file system and logger.
func PebbleOptions() *pebble.Options {
	opts := &pebble.Options{FormatMajorVersion: pebble.FormatNewest, MemTableSize: 32 << 20, CacheSize: 128 << 20, MaxOpenFiles: 500}
	last := len(opts.Levels) - 1
	for i := range last {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	opts.Levels[last].FilterPolicy = pebble.NoFilterPolicy // most keys looked up exist
	compression := pebble.DBCompressionBalanced
	for i := range last - 1 { // these levels are soon rewritten
		compression.Levels[i] = block.NoCompression
	}
	opts.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return compression })
	return opts
}

// isDamage reports whether an error is about the contents of the store's files, not about the machine. Pebble does
// not mark all of these as corruption.
func isDamage(err error) bool {
	switch {
	case errors.Is(err, pebble.ErrCorruption), errors.Is(err, fs.ErrNotExist): // a file that another one names
		return true
	}
	return !errors.As(err, new(syscall.Errno)) && !strings.Contains(err.Error(), "lock held")
}

// TableBytes returns the bytes on disk of each table of the state, by its letter, as an estimate by whole
// blocks. What is not yet written to files is not counted.
func (s *Store) TableBytes() (map[string]uint64, error) {
	out := map[string]uint64{}
	for _, t := range schema.Tables() {
		n, err := s.db.EstimateDiskUsage(t.Table.Prefix(), t.Table.End())
		if err != nil {
			return nil, fmt.Errorf("size of the state: %w", err)
		}
		out[t.Table.String()] = n
	}
	return out, nil
}

// Compact rewrites everything, as small as it gets. The store can be used meanwhile.
func (s *Store) Compact(ctx context.Context) error {
	return s.Guard(func() error {
		if err := s.db.Flush(); err != nil {
			return fmt.Errorf("compact: %w", err)
		}
		if err := s.db.Compact(ctx, []byte{0}, []byte{0xff}, true); err != nil {
			return fmt.Errorf("compact: %w", err)
		}
		return nil
	})
}

// Flush writes to files what is in memory and in the log.
func (s *Store) Flush() error { return s.Guard(s.db.Flush) }

// Logged is how many bytes were written to Pebble's log since the store was opened.
func (s *Store) Logged() uint64 { return s.db.Metrics().WAL.BytesWritten }

// Checkpoint copies the store into the new folder dir: tables as hard links where the file system has
// them, the rest by its bytes; copied are the bytes of tables that could not be linked. Nothing may be
// committed meanwhile: Pebble uses its log files again, and a copy of one that is being written may mix old
// and new.
func (s *Store) Checkpoint(dir string) (copied int64, err error) {
	before := s.copied.Load()
	err = s.Guard(func() error {
		return survive(func() error { return s.db.Checkpoint(dir, pebble.WithFlushedWAL()) })
	})
	return s.copied.Load() - before, err
}

// closePatience is how long a store that died has to close; it may never finish.
const closePatience = time.Second

// Close closes the store. What a dead one cannot release, its lock above all, is released when the process
// ends.
func (s *Store) Close() error {
	closed := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil && s.Cause() == nil {
				panic(p)
			}
		}()
		if s.Cause() != nil {
			<-s.guarded.ended() // they may still read; Pebble is not to be closed meanwhile
		}
		err := s.db.Close()
		if dead := s.Cause(); dead != nil {
			err = dead // other errors follow from this one
		}
		closed <- err
	}()
	select {
	case err := <-closed:
		return err
	case <-s.death.died:
	}
	patience := time.NewTimer(closePatience)
	defer patience.Stop()
	select {
	case err := <-closed:
		return err
	case <-patience.C:
		return s.death.err
	}
}
