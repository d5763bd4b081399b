package dedup

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"exclave/internal/extsort"
	"exclave/internal/fsx"
)

const (
	numberLen    = 8
	sortChunk    = 32 << 20 // of memory; two are used
	mostSegments = 8        // with more they become one
	partEnd      = ".part"
)

// ErrLocked is the error of a folder that another process adds to.
var ErrLocked = errors.New("another process adds to the index")

// Builder adds to a folder. Close it.
type Builder struct {
	dir     string
	lock    interface{ Close() error }
	scratch *extsort.Scratch
	sorter  *extsort.Sorter
	row     []byte
}

// NewBuilder begins to add to the index in dir, which is made when it is not there. What is added is sorted in a folder of its own in temp,
// "" for the system's.
func NewBuilder(dir, temp string) (*Builder, error) {
	real := fsx.Real()
	if err := fsx.MkdirAll(real, dir); err != nil {
		return nil, err
	}
	lock, err := real.Lock(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("dedup: %s: %w", dir, errors.Join(ErrLocked, err))
	}
	s := extsort.NewScratch(temp, sortChunk)
	return &Builder{dir: dir, lock: lock, scratch: s, sorter: s.Sorter("rows")}, nil
}

// Add takes an original. What no index can keep, an address of 60,000 characters, is left out.
func (b *Builder) Add(c Content, o *Original) error {
	b.row = appendRow(b.row[:0], c, o)
	if len(b.row) > mostRow {
		return nil
	}
	return b.add(b.row)
}

func (b *Builder) add(row []byte) error {
	if err := b.sorter.Add(binary.BigEndian.Uint64(row), binary.BigEndian.Uint64(row[8:]), row); err != nil {
		return fmt.Errorf("dedup: sort: %w", err)
	}
	return nil
}

// Commit writes what was added and is not in the index already, durably, and returns how many rows that were. It is called once. When
// there are many segments, all become one.
func (b *Builder) Commit() (added int64, err error) {
	names, err := segmentsOf(b.dir)
	if err != nil {
		return 0, err
	}
	x := &Index{dir: b.dir}
	if len(names) > 0 {
		if x, err = Open(b.dir); err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, x.Close()) }()
	}
	merge := len(names) >= mostSegments
	if merge {
		for _, s := range x.segments {
			if err := s.each(b.add); err != nil {
				return 0, err
			}
		}
	}
	next := 1
	if len(names) > 0 {
		if _, err := fmt.Sscanf(filepath.Base(names[len(names)-1]), "%d", &next); err != nil {
			return 0, fmt.Errorf("dedup: %w", err)
		}
		next++
	}
	name := filepath.Join(b.dir, fmt.Sprintf("%0*d%s", numberLen, next, segmentEnd))
	wrote, added, err := b.write(name+partEnd, x, merge)
	if err == nil && wrote {
		err = os.Rename(name+partEnd, name)
	}
	if err != nil || !wrote {
		if rm := os.Remove(name + partEnd); rm != nil && !os.IsNotExist(rm) {
			err = errors.Join(err, rm)
		}
		return 0, err
	}
	if err := fsx.SyncDir(fsx.Real(), b.dir); err != nil {
		return 0, err
	}
	if merge { // what is left of a crash here is in both
		for _, n := range names {
			if err := os.Remove(n); err != nil {
				return 0, fmt.Errorf("dedup: %w", err)
			}
		}
	}
	return added, nil
}

// write writes the sorted rows, the first of each key.
func (b *Builder) write(name string, x *Index, merge bool) (wrote bool, added int64, err error) {
	m, err := b.sorter.Sorted()
	if err != nil {
		return false, 0, fmt.Errorf("dedup: sort: %w", err)
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	w, err := newWriter(name)
	if err != nil {
		return false, 0, err
	}
	last := make([]byte, 0, keyLen)
	for m.Next() {
		key := m.Data[:keyLen]
		if bytes.Equal(key, last) {
			continue
		}
		last = append(last[:0], key...)
		known, err := x.has(key)
		if err != nil {
			return false, 0, errors.Join(err, w.f.Close())
		}
		if !known {
			added++
		}
		if merge || !known {
			w.add(m.Data)
		}
	}
	if m.Err != nil {
		return false, 0, errors.Join(fmt.Errorf("dedup: sort: %w", m.Err), w.f.Close())
	}
	return w.all > 0, added, w.close()
}

// Close gives up what was not committed.
func (b *Builder) Close() error {
	b.sorter.Abandon()
	return errors.Join(b.scratch.Close(), b.lock.Close())
}
