package dedup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// segmentEnd is what names of segments end with; before it stands their number.
const segmentEnd = ".seg"

// Index is an open folder. Close it.
type Index struct {
	dir      string
	segments []*segment // the oldest first
}

// ErrNone is the error of a folder without an index.
var ErrNone = errors.New("there is no index; make one with exclave dedup build")

// Info says what an index holds.
type Info struct {
	Segments int
	Rows     int64 // contents at addresses
	Bytes    int64 // on disk
	Memory   int64 // bytes held while it is open
}

// Open opens an index that is there. What is damaged is refused with [ErrDamaged]; blocks of rows are checked when they are read.
func Open(dir string) (_ *Index, err error) {
	if st, err := os.Stat(dir); err == nil && !st.IsDir() {
		return nil, fmt.Errorf("dedup: %s is a file: %w of it, in a folder", dir, ErrNone)
	}
	names, err := segmentsOf(dir)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("dedup: %s: %w", dir, ErrNone)
	}
	x := &Index{dir: dir}
	for _, name := range names {
		s, err := openSegment(name)
		if err != nil {
			return nil, errors.Join(err, x.Close())
		}
		x.segments = append(x.segments, s)
	}
	return x, nil
}

// segmentsOf returns the segments of a folder, the oldest first; none when it is not there.
func segmentsOf(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("dedup: %w", err)
	}
	var names []string
	for _, e := range entries {
		if base, ok := strings.CutSuffix(e.Name(), segmentEnd); ok && len(base) == numberLen && strings.Trim(base, "0123456789") == "" {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(names)
	return names, nil
}

// Find returns an answer with some content: one of url if there is one, else, unless only that is wanted, another; of several that
// was indexed first.
func (x *Index) Find(c Content, url string, only bool) (o Original, ok bool, err error) {
	key := appendKey(make([]byte, 0, keyLen), c, url)
	var other []byte
	for _, s := range x.segments {
		var at []byte
		err := s.find(key[:contentLen], func(row []byte) (bool, error) {
			if bytes.HasPrefix(row, key) {
				at = bytes.Clone(row)
				return false, nil
			}
			if other == nil && !only {
				other = bytes.Clone(row)
			}
			return bytes.Compare(row[:keyLen], key) < 0, nil
		})
		if err != nil {
			return o, false, err
		}
		if at != nil {
			o, err = readRow(at)
			return o, err == nil, err
		}
	}
	if other == nil {
		return o, false, nil
	}
	o, err = readRow(other)
	return o, err == nil, err
}

// All returns the answers with some content, one for each address.
func (x *Index) All(c Content) (all []Original, err error) {
	for _, s := range x.segments {
		err := s.find(c.append(nil), func(row []byte) (bool, error) {
			o, err := readRow(row)
			all = append(all, o)
			return true, err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Each calls do for every answer, segment by segment in the order of contents, until it returns an error.
func (x *Index) Each(do func(Original) error) error {
	for _, s := range x.segments {
		err := s.each(func(row []byte) error {
			o, err := readRow(row)
			if err != nil {
				return s.damaged("%v", err)
			}
			return do(o)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// has reports whether there is a row of a key.
func (x *Index) has(key []byte) (found bool, err error) {
	for _, s := range x.segments {
		err := s.find(key[:contentLen], func(row []byte) (bool, error) {
			found = bytes.HasPrefix(row, key)
			return !found && bytes.Compare(row[:keyLen], key) < 0, nil
		})
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// Info returns what the index holds.
func (x *Index) Info() (Info, error) {
	i := Info{Segments: len(x.segments)}
	for _, s := range x.segments {
		st, err := s.f.Stat()
		if err != nil {
			return i, fmt.Errorf("dedup: %w", err)
		}
		i.Rows += int64(len(s.prints))
		i.Bytes += st.Size()
		i.Memory += int64(cap(s.prints))*printLen + int64(cap(s.fences))*fenceLen
	}
	return i, nil
}

// Close closes the files.
func (x *Index) Close() error {
	var errs []error
	for _, s := range x.segments {
		errs = append(errs, s.f.Close())
	}
	return errors.Join(errs...)
}
