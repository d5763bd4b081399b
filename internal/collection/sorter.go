package collection

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"exclave/internal/fsx"

	"github.com/klauspost/compress/s2"
)

// Bounds of the memory of a sorter: two chunks, where its recent records are, and the
// readers of the runs that are merged at the same time, 100 KB each.
const (
	chunkBytes = 16 << 20
	remembered = 1 << 16
	fanIn      = 128
	blockBytes = 64 << 10
	itemBytes  = 24
)

// record is what is sorted: by a, then b, then the bytes of data.
type record struct {
	a, b uint64
	data []byte
}

// compare looks at the bytes only when it must: a merge compares records a dozen
// times each.
func (r *record) compare(o *record) int {
	if r.a != o.a {
		return cmp.Compare(r.a, o.a)
	}
	if r.b != o.b {
		return cmp.Compare(r.b, o.b)
	}
	return bytes.Compare(r.data, o.data)
}

// item is a record within a chunk.
type item struct {
	a, b    uint64
	off, to uint32
}

type chunk struct {
	data  []byte
	items []item
}

// pool holds the chunks that no sorter uses. It belongs to one goroutine.
type pool struct {
	most int // bytes of a chunk
	free []*chunk
}

func newPool(most int) *pool { return &pool{most: most} }

func (p *pool) get() *chunk {
	if last := len(p.free) - 1; last >= 0 {
		c := p.free[last]
		p.free = p.free[:last]
		return c
	}
	// All at once: growing copies.
	const usual = 40 // bytes of data of a short record
	return &chunk{data: make([]byte, 0, p.most), items: make([]item, 0, p.most/(itemBytes+usual))}
}

func (c *chunk) size() int { return len(c.data) + itemBytes*len(c.items) }

// sorter sorts records that need not fit in memory, and drops all but one of equal
// ones. It sorts a chunk and writes it to disk while the next one is filled.
type sorter struct {
	dir, name string
	pool      *pool
	now, next *chunk     // nil before the first record
	recent    []uint32   // by hash, the last record of now, its index + 1: most duplicates are of these
	done      chan error // of the run being written from next; nil: none is
	runs      [][]string // by how often they were merged
	made      int
}

func newSorter(dir, name string, p *pool) *sorter { return &sorter{dir: dir, name: name, pool: p} }

// remember makes the sorter drop duplicates of recent records before they are sorted.
func (s *sorter) remember() *sorter {
	s.recent = make([]uint32, remembered)
	return s
}

// add takes a record whose data are parts, one behind the other.
func (s *sorter) add(a, b uint64, parts ...[]byte) error {
	c, off := s.begin(parts...)
	if s.recent != nil {
		at := &s.recent[(a^b)%remembered]
		if last, ok := c.last(*at, a, b); ok && bytes.Equal(last, c.data[off:]) {
			c.data = c.data[:off]
			return nil
		}
		*at = uint32(len(c.items) + 1)
	}
	return s.end(a, b, off)
}

// addLeast is add where of the records whose data begin with the same n bytes only the
// first in order is wanted: of those it remembers it drops the others.
func (s *sorter) addLeast(a, b uint64, data []byte, n int) error {
	c, off := s.begin(data)
	at := &s.recent[(a^b)%remembered]
	if last, ok := c.last(*at, a, b); ok && bytes.HasPrefix(last, data[:n]) && bytes.Compare(last, data) <= 0 {
		c.data = c.data[:off]
		return nil
	}
	*at = uint32(len(c.items) + 1)
	return s.end(a, b, off)
}

// last returns the data of the record at-1, if it has the hashes; at 0 stands for none.
func (c *chunk) last(at uint32, a, b uint64) ([]byte, bool) {
	if at == 0 {
		return nil, false
	}
	i := c.items[at-1]
	return c.data[i.off:i.to], i.a == a && i.b == b
}

// begin puts the data of a record behind the others.
func (s *sorter) begin(parts ...[]byte) (c *chunk, off int) {
	if s.now == nil {
		s.now, s.next = s.pool.get(), s.pool.get()
	}
	c = s.now
	off = len(c.data)
	for _, p := range parts {
		c.data = append(c.data, p...)
	}
	return c, off
}

// end makes what stands behind off a record.
func (s *sorter) end(a, b uint64, off int) error {
	c := s.now
	c.items = append(c.items, item{a, b, uint32(off), uint32(len(c.data))})
	if c.size() < s.pool.most {
		return nil
	}
	return s.flush()
}

// flush begins to write the chunk and waits for the one before it.
func (s *sorter) flush() error {
	if err := s.wait(); err != nil {
		return err
	}
	if len(s.runs) > 0 && len(s.runs[0]) >= fanIn {
		if err := s.mergeRuns(); err != nil {
			return err
		}
	}
	c, done, name := s.now, make(chan error, 1), s.newRun(0)
	s.now, s.next, s.done = s.next, c, done
	clear(s.recent)
	go func() {
		err := c.write(name)
		c.data, c.items = c.data[:0], c.items[:0]
		done <- err
	}()
	return nil
}

// wait ends when no run is being written.
func (s *sorter) wait() (err error) {
	if s.done != nil {
		err = <-s.done
		s.done = nil
	}
	return err
}

// newRun names a run that was merged level times.
func (s *sorter) newRun(level int) string {
	s.made++
	name := filepath.Join(s.dir, fmt.Sprintf("%s-%d.run", s.name, s.made))
	for len(s.runs) <= level {
		s.runs = append(s.runs, nil)
	}
	s.runs[level] = append(s.runs[level], name)
	return name
}

// mergeRuns makes one run of those of a level that has too many, and so upwards.
func (s *sorter) mergeRuns() error {
	for level := 0; level < len(s.runs) && len(s.runs[level]) >= fanIn; level++ {
		m, err := openMerge(s.runs[level])
		if err != nil {
			return err
		}
		s.runs[level] = nil
		w, err := newRunWriter(s.newRun(level + 1))
		if err != nil {
			return errors.Join(err, m.close())
		}
		for m.next() {
			if err = w.write(&m.record); err != nil {
				break
			}
		}
		if err := errors.Join(err, m.err, m.close(), w.close()); err != nil {
			return err
		}
	}
	return nil
}

// sorted returns all records in order and gives the memory up; nothing can be
// added after it.
func (s *sorter) sorted() (*merge, error) {
	if s.now != nil && len(s.now.items) > 0 {
		if err := s.flush(); err != nil {
			return nil, err
		}
	}
	if err := s.wait(); err != nil {
		return nil, err
	}
	if s.now != nil {
		s.pool.free = append(s.pool.free, s.now, s.next)
	}
	s.now, s.next, s.recent = nil, nil, nil
	return openMerge(slices.Concat(s.runs...))
}

// abandon waits for what works in the background. The files stay.
func (s *sorter) abandon() { _ = s.wait() }

// write sorts the chunk into a new file.
func (c *chunk) write(name string) error {
	data := c.data
	slices.SortFunc(c.items, func(x, y item) int {
		if x.a != y.a {
			return cmp.Compare(x.a, y.a)
		}
		if x.b != y.b {
			return cmp.Compare(x.b, y.b)
		}
		return bytes.Compare(data[x.off:x.to], data[y.off:y.to])
	})
	w, err := newRunWriter(name)
	if err != nil {
		return err
	}
	for i, it := range c.items {
		r := record{it.a, it.b, data[it.off:it.to]}
		if i > 0 {
			before := c.items[i-1]
			if before.a == it.a && before.b == it.b && bytes.Equal(data[before.off:before.to], r.data) {
				continue
			}
		}
		if err := w.write(&r); err != nil {
			return errors.Join(err, w.close())
		}
	}
	return w.close()
}

// runWriter writes records to a compressed file: a and b, big-endian, the length
// of data as a varint, data.
type runWriter struct {
	file *os.File
	z    *s2.Writer
	out  *bufio.Writer
	head []byte
}

func newRunWriter(name string) (*runWriter, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, fsx.FileMode)
	if err != nil {
		return nil, fmt.Errorf("collection: %w", err)
	}
	z := s2.NewWriter(f, s2.WriterConcurrency(1), s2.WriterBlockSize(blockBytes))
	return &runWriter{file: f, z: z, out: bufio.NewWriterSize(z, blockBytes)}, nil
}

func (w *runWriter) write(r *record) error {
	w.head = binary.BigEndian.AppendUint64(w.head[:0], r.a)
	w.head = binary.BigEndian.AppendUint64(w.head, r.b)
	w.head = binary.AppendUvarint(w.head, uint64(len(r.data)))
	if _, err := w.out.Write(w.head); err != nil {
		return fmt.Errorf("collection: %w", err)
	}
	if _, err := w.out.Write(r.data); err != nil {
		return fmt.Errorf("collection: %w", err)
	}
	return nil
}

func (w *runWriter) close() error {
	if err := errors.Join(w.out.Flush(), w.z.Close(), w.file.Close()); err != nil {
		return fmt.Errorf("collection: %w", err)
	}
	return nil
}

// runReader reads what a runWriter wrote.
type runReader struct {
	record
	file *os.File
	in   *bufio.Reader
}

func openRun(name string) (*runReader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("collection: %w", err)
	}
	z := s2.NewReader(f, s2.ReaderMaxBlockSize(blockBytes), s2.ReaderAllocBlock(blockBytes))
	return &runReader{file: f, in: bufio.NewReaderSize(z, 4<<10)}, nil
}

// next reads a record, io.EOF at the end. data is valid until the next call.
func (r *runReader) next() error {
	var head [16]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return fmt.Errorf("collection: read %s: %w", r.file.Name(), err)
	}
	n, err := binary.ReadUvarint(r.in)
	if err == nil {
		r.a, r.b = binary.BigEndian.Uint64(head[:8]), binary.BigEndian.Uint64(head[8:])
		r.data = slices.Grow(r.data[:0], int(n))[:n]
		_, err = io.ReadFull(r.in, r.data)
	}
	if err != nil {
		return fmt.Errorf("collection: read %s: %w", r.file.Name(), err)
	}
	return nil
}

// close removes the file: each run is read once.
func (r *runReader) close() error {
	return errors.Join(r.file.Close(), os.Remove(r.file.Name()))
}

// merge reads runs as one, in order, without duplicates. Close it.
type merge struct {
	record // the last one read; valid until the next call of next
	err    error
	heap   []*runReader // the least first
	all    []*runReader
	begun  bool
}

func openMerge(runs []string) (*merge, error) {
	m := &merge{}
	for _, name := range runs {
		r, err := openRun(name)
		if err != nil {
			return nil, errors.Join(err, m.close())
		}
		m.all = append(m.all, r)
		switch err := r.next(); {
		case err == nil:
			m.heap = append(m.heap, r)
		case !errors.Is(err, io.EOF):
			return nil, errors.Join(err, m.close())
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return m, nil
}

// next reads the next record; at the end, or after an error, it returns false.
func (m *merge) next() bool {
	for m.err == nil && len(m.heap) > 0 {
		top := m.heap[0]
		fresh := !m.begun || top.compare(&m.record) != 0
		if fresh {
			m.begun = true
			m.a, m.b = top.a, top.b
			m.data, top.data = top.data, m.data // top reads its next over it
		}
		switch err := top.next(); {
		case err == nil:
		case errors.Is(err, io.EOF):
			last := len(m.heap) - 1
			m.heap[0], m.heap = m.heap[last], m.heap[:last]
		default:
			m.err = err
			return false
		}
		m.down(0)
		if fresh {
			return true
		}
	}
	return false
}

func (m *merge) down(i int) {
	for {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(m.heap) && m.heap[child].compare(&m.heap[least].record) < 0 {
				least = child
			}
		}
		if least == i {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}

func (m *merge) close() error {
	var errs []error
	for _, r := range m.all {
		errs = append(errs, r.close())
	}
	m.all, m.heap = nil, nil
	return errors.Join(errs...)
}
