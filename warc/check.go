package warc

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"exclave/internal/fsx"
)

// maxLast is the longest last capture that [Check] reads; of a longer one it reads the first record's
// header.
const maxLast = 16 << 20

// Check compares the files of a directory with what rows say is acknowledged, and changes nothing: each is
// there, is as long as it should be (one that is open may be longer), and the last capture that is
// acknowledged of it, which last returns, is whole. A file that is missing is no fault when moved
// reports its name: it was complete, whether its row says so or not. moved is asked after the directory was read. With strict, no open file may be longer, and none may be unknown. A complete file named by this package
// that no row knows is always a fault: the state is older than the archive. The error names up to ten faults.
func Check(fsys fsx.FS, dir string, rows []FileState, last func(file uint32) (Span, bool, error), moved func(name string) bool, strict bool) error {
	r := recovery{fs: fsys, dir: dir, sizes: make(map[string]int64)}
	if err := r.look(); err != nil {
		return err
	}
	c := checker{recovery: &r, last: last, moved: moved, strict: strict}
	known := make(map[string]bool)
	for i := range rows {
		known[rows[i].Name], known[rows[i].Name+openSuffix] = true, true
		if err := c.row(&rows[i]); err != nil {
			return fmt.Errorf("warc: check %s: %w", rows[i].Name, err)
		}
	}
	for name := range r.sizes {
		if !known[name] && (oursFinal(name) || strict && oursOpen(name) && r.sizes[name] > 0) {
			c.fault("the state does not know %s: the state is older than the archive, or the file is another job's and must lie elsewhere; "+
				"put the state back from a copy, restore a checkpoint (exclave checkpoint list JOB), or make a state anew (exclave recover JOB)", fsys.PathJoin(dir, name))
		}
	}
	return c.err()
}

type checker struct {
	*recovery
	last   func(uint32) (Span, bool, error)
	moved  func(string) bool
	strict bool
	faults []string
}

// mostFaults are said; a folder that is not mounted has thousands.
const mostFaults = 10

func (c *checker) fault(format string, a ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, a...))
}

func (c *checker) err() error {
	n := len(c.faults)
	if n == 0 {
		return nil
	}
	if n > mostFaults {
		c.faults = append(c.faults[:mostFaults], fmt.Sprintf("and %d more", n-mostFaults))
	}
	return errors.New("warc: " + strings.Join(c.faults, "; ") + "; nothing was changed")
}

const putBack = "put it back from a copy, or, if it was moved away on purpose, register that: exclave moved JOB "

func (c *checker) row(row *FileState) error {
	name, size, there := row.DiskName(), int64(0), false
	if size, there = c.sizes[name]; !there && !row.Final {
		name = row.Name // renamed since
		size, there = c.sizes[name]
	}
	path := c.fs.PathJoin(c.dir, name)
	switch {
	case !there && row.Committed == 0:
		return nil
	case !there && c.moved(row.Name):
		return nil
	case !there && !row.Final:
		c.fault("%s is missing, %d bytes of it were acknowledged: put it back from a copy, or have what is lost fetched again (exclave recover JOB --fetch-missing)",
			c.fs.PathJoin(c.dir, row.DiskName()), row.Committed)
		return nil
	case !there:
		c.fault("%s is missing, %d bytes of it were acknowledged: %s%s", path, row.Committed, putBack, row.Name)
		return nil
	case size < row.Committed:
		c.fault("%s has %d bytes, %d were acknowledged: acknowledged captures are lost; put the complete file back from a copy, or have what is lost fetched again (exclave recover JOB)", path, size, row.Committed)
		return nil
	case size > row.Committed && (row.Final || c.strict || name == row.Name):
		c.fault("%s has %d bytes, the state knows of %d: the state is older than the archive; put the state back from a copy, restore a checkpoint into a new folder (exclave checkpoint list JOB), "+
			"or make a state anew (exclave recover JOB)", path, size, row.Committed)
		return nil
	}
	span, ok, err := c.last(row.Number)
	if err != nil || !ok {
		return err
	}
	return c.capture(path, span)
}

// capture reads the last capture.
func (c *checker) capture(path string, s Span) error {
	f, err := c.fs.Open(path)
	if errors.Is(err, fs.ErrNotExist) && c.moved(c.fs.PathBase(path)) { // just now
		return nil
	}
	if err != nil {
		return err
	}
	r := NewReaderAt(f, s.Start, s.End)
	_, err = r.Next()
	for err == nil && s.End-s.Start <= maxLast {
		_, err = r.Next()
	}
	var d *Defect
	switch {
	case errors.As(err, &d):
		c.fault("%s: the last acknowledged capture, from %d to %d, is damaged (%s: %s): put the file back from a copy, or have what is lost fetched again (exclave recover JOB); exclave verify JOB tells what else is damaged", path, s.Start, s.End, d.Kind, d.Detail)
		err = nil
	case errors.Is(err, io.EOF):
		err = nil
	}
	return errors.Join(err, f.Close())
}
