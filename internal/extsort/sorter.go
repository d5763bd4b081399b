package extsort

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
	remembered = 1 << 16
	fanIn      = 128
	blockBytes = 64 << 10
	itemBytes  = 24
	firstBytes = 64 << 10
)

// Record is what is sorted: by A, then B, then the bytes of Data.
type Record struct {
	A, B uint64
	Data []byte
}

// compare looks at the bytes only when it must: a merge compares records a dozen
// times each.
func (r *Record) compare(o *Record) int {
	if r.A != o.A {
		return cmp.Compare(r.A, o.A)
	}
	if r.B != o.B {
		return cmp.Compare(r.B, o.B)
	}
	return bytes.Compare(r.Data, o.Data)
}

// item is a Record within a chunk.
type item struct {
	a, b    uint64
	off, to uint32
}

type chunk struct {
	data  []byte
	items []item
}

// Pool holds the chunks that no Sorter uses. It belongs to one goroutine.
type Pool struct {
	most  int // bytes of a chunk
	grows bool
	free  []*chunk
}

// NewPool returns a pool of chunks of so many bytes; a sorter has two of them.
func NewPool(most int) *Pool { return &Pool{most: most} }

// Growing makes chunks begin small: for sorters that may get little.
func (p *Pool) Growing() *Pool {
	p.grows = true
	return p
}

func (p *Pool) get() *chunk {
	if last := len(p.free) - 1; last >= 0 {
		c := p.free[last]
		p.free = p.free[:last]
		return c
	}
	// All at once: growing copies.
	if p.grows {
		return &chunk{data: make([]byte, 0, min(p.most, firstBytes)), items: make([]item, 0, min(p.most, firstBytes)/itemBytes)}
	}
	const usual = 40 // bytes of data of a short record
	return &chunk{data: make([]byte, 0, p.most), items: make([]item, 0, p.most/(itemBytes+usual))}
}

func (c *chunk) size() int { return len(c.data) + itemBytes*len(c.items) }

// Sorter sorts records that need not fit in memory, and drops all but one of equal
// ones. It sorts a chunk and writes it to disk while the next one is filled.
type Sorter struct {
	dir, name string
	scratch   *Scratch // instead of dir
	pool      *Pool
	now, next *chunk     // nil before the first Record
	recent    []recent   // by hash, the last Record of now: most duplicates are of these
	done      chan error // of the run being written from next; nil: none is
	runs      [][]string // by how often they were merged
	made      int
}

// NewSorter returns a sorter whose runs are named after it, in dir.
func NewSorter(dir, name string, p *Pool) *Sorter { return &Sorter{dir: dir, name: name, pool: p} }

// Remember makes the Sorter drop duplicates of recent records before they are sorted.
func (s *Sorter) Remember() *Sorter {
	s.recent = make([]recent, remembered)
	return s
}

// Add takes a record whose data are parts, one behind the other.
func (s *Sorter) Add(a, b uint64, parts ...[]byte) error {
	c, off := s.begin(parts...)
	if s.recent != nil {
		at := &s.recent[(a^b)%remembered]
		if last, ok := c.last(*at, a, b); ok && bytes.Equal(last, c.data[off:]) {
			c.data = c.data[:off]
			return nil
		}
		*at = c.upcoming(a, b)
	}
	return s.end(a, b, off)
}

// AddLeast is Add where of the records whose data begin with the same n bytes only the
// first in order is wanted: of those it remembers it drops the others.
func (s *Sorter) AddLeast(a, b uint64, data []byte, n int) error {
	c, off := s.begin()
	at := &s.recent[(a^b)%remembered]
	if last, ok := c.last(*at, a, b); ok && bytes.HasPrefix(last, data[:n]) && bytes.Compare(last, data) <= 0 {
		return nil
	}
	*at = c.upcoming(a, b)
	c.data = append(c.data, data...)
	return s.end(a, b, off)
}

// recent is a record of a chunk: its index + 1, 0 for none, and what is left of its hashes,
// so that others need not be looked at: they are far away in memory.
type recent struct{ at, tag uint32 }

func tagOf(a, b uint64) uint32 { return uint32((a ^ b) >> 32) }

// upcoming is the record that the chunk gets next.
func (c *chunk) upcoming(a, b uint64) recent { return recent{uint32(len(c.items) + 1), tagOf(a, b)} }

// last returns the data of a recent record, if it has the hashes.
func (c *chunk) last(r recent, a, b uint64) ([]byte, bool) {
	if r.at == 0 || r.tag != tagOf(a, b) {
		return nil, false
	}
	i := c.items[r.at-1]
	return c.data[i.off:i.to], i.a == a && i.b == b
}

// begin puts the data of a record behind the others.
func (s *Sorter) begin(parts ...[]byte) (c *chunk, off int) {
	if s.now == nil {
		s.now = s.pool.get()
	}
	c = s.now
	off = len(c.data)
	for _, p := range parts {
		c.data = append(c.data, p...)
	}
	return c, off
}

// end makes what stands behind off a record.
func (s *Sorter) end(a, b uint64, off int) error {
	c := s.now
	c.items = append(c.items, item{a, b, uint32(off), uint32(len(c.data))})
	if c.size() < s.pool.most {
		return nil
	}
	return s.flush()
}

// flush begins to write the chunk and waits for the one before it.
func (s *Sorter) flush() error {
	if err := s.wait(); err != nil {
		return err
	}
	if len(s.runs) > 0 && len(s.runs[0]) >= fanIn {
		if err := s.mergeRuns(); err != nil {
			return err
		}
	}
	name, err := s.newRun(0)
	if err != nil {
		return err
	}
	if s.next == nil {
		s.next = s.pool.get()
	}
	c, done := s.now, make(chan error, 1)
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
func (s *Sorter) wait() (err error) {
	if s.done != nil {
		err = <-s.done
		s.done = nil
	}
	return err
}

// newRun names a run that was merged level times.
func (s *Sorter) newRun(level int) (string, error) {
	dir := s.dir
	if s.scratch != nil {
		var err error
		if dir, err = s.scratch.folder(); err != nil {
			return "", err
		}
	}
	s.made++
	name := filepath.Join(dir, fmt.Sprintf("%s-%d.run", s.name, s.made))
	for len(s.runs) <= level {
		s.runs = append(s.runs, nil)
	}
	s.runs[level] = append(s.runs[level], name)
	return name, nil
}

// mergeRuns makes one run of those of a level that has too many, and so upwards.
func (s *Sorter) mergeRuns() error {
	for level := 0; level < len(s.runs) && len(s.runs[level]) >= fanIn; level++ {
		m, err := openMerge(s.runs[level])
		if err != nil {
			return err
		}
		s.runs[level] = nil
		name, err := s.newRun(level + 1)
		if err != nil {
			return errors.Join(err, m.Close())
		}
		w, err := NewRunWriter(name)
		if err != nil {
			return errors.Join(err, m.Close())
		}
		for m.Next() {
			if err = w.Write(&m.Record); err != nil {
				break
			}
		}
		if closed := w.Close(); err == nil {
			err = closed
		}
		if err := errors.Join(err, m.Err, m.Close()); err != nil {
			return err
		}
	}
	return nil
}

// Sorted returns all records in order and gives the memory up; nothing can be
// added after it.
func (s *Sorter) Sorted() (*Merge, error) {
	if s.made == 0 && s.now != nil { // it never came to a file
		c := s.now
		s.now, s.recent = nil, nil
		c.sort()
		m := &Merge{}
		if r := (&RunReader{chunk: c, pool: s.pool}); r.Next() == nil {
			m.all, m.heap = []*RunReader{r}, []*RunReader{r}
		}
		return m, nil
	}
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

// Abandon waits for what works in the background. The files stay.
func (s *Sorter) Abandon() { _ = s.wait() }

// sort puts the items in order.
func (c *chunk) sort() {
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
}

// write sorts the chunk into a new file.
func (c *chunk) write(name string) error {
	c.sort()
	data := c.data
	w, err := NewRunWriter(name)
	if err != nil {
		return err
	}
	for i, it := range c.items {
		r := Record{it.a, it.b, data[it.off:it.to]}
		if i > 0 {
			before := c.items[i-1]
			if before.a == it.a && before.b == it.b && bytes.Equal(data[before.off:before.to], r.Data) {
				continue
			}
		}
		if err := w.Write(&r); err != nil {
			_ = w.Close() // which says the same
			return err
		}
	}
	return w.Close()
}

// RunWriter writes records to a compressed file: A and B, big-endian, the length
// of data as a varint, data.
type RunWriter struct {
	file *os.File
	z    *s2.Writer
	out  *bufio.Writer
	head []byte
}

// NewRunWriter makes a file of records in order.
func NewRunWriter(name string) (*RunWriter, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, fsx.FileMode)
	if err != nil {
		return nil, fmt.Errorf("extsort: %w", err)
	}
	z := s2.NewWriter(f, s2.WriterConcurrency(1), s2.WriterBlockSize(blockBytes))
	return &RunWriter{file: f, z: z, out: bufio.NewWriterSize(z, blockBytes)}, nil
}

// Write adds a record; records come in order.
func (w *RunWriter) Write(r *Record) error {
	w.head = binary.BigEndian.AppendUint64(w.head[:0], r.A)
	w.head = binary.BigEndian.AppendUint64(w.head, r.B)
	w.head = binary.AppendUvarint(w.head, uint64(len(r.Data)))
	if _, err := w.out.Write(w.head); err != nil {
		return fmt.Errorf("extsort: %w", err)
	}
	if _, err := w.out.Write(r.Data); err != nil {
		return fmt.Errorf("extsort: %w", err)
	}
	return nil
}

// Close ends the file.
func (w *RunWriter) Close() error {
	err := w.out.Flush()
	if err == nil { // else Close says the same again
		err = w.z.Close()
	}
	if closed := w.file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("extsort: %w", err)
	}
	return nil
}

// RunReader reads what a RunWriter wrote, or a sorted chunk.
type RunReader struct {
	Record
	file  *os.File // nil: of a chunk
	in    *bufio.Reader
	chunk *chunk
	at    int // item of chunk
	pool  *Pool
}

// OpenRun opens what a RunWriter wrote.
func OpenRun(name string) (*RunReader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("extsort: %w", err)
	}
	z := s2.NewReader(f, s2.ReaderMaxBlockSize(blockBytes), s2.ReaderAllocBlock(blockBytes))
	return &RunReader{file: f, in: bufio.NewReaderSize(z, 4<<10)}, nil
}

// Next reads a record, io.EOF at the end. Data is valid until the next call.
func (r *RunReader) Next() error {
	if c := r.chunk; c != nil {
		if r.at == len(c.items) {
			return io.EOF
		}
		it := c.items[r.at]
		r.Record = Record{it.a, it.b, c.data[it.off:it.to]}
		r.at++
		return nil
	}
	var head [16]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return fmt.Errorf("extsort: read %s: %w", r.file.Name(), err)
	}
	n, err := binary.ReadUvarint(r.in)
	if err == nil {
		r.A, r.B = binary.BigEndian.Uint64(head[:8]), binary.BigEndian.Uint64(head[8:])
		r.Data = slices.Grow(r.Data[:0], int(n))[:n]
		_, err = io.ReadFull(r.in, r.Data)
	}
	if err != nil {
		return fmt.Errorf("extsort: read %s: %w", r.file.Name(), err)
	}
	return nil
}

// Close removes the file: each run is read once.
func (r *RunReader) Close() error {
	if c := r.chunk; c != nil {
		c.data, c.items = c.data[:0], c.items[:0]
		r.pool.free = append(r.pool.free, c)
		r.chunk = nil
		return nil
	}
	return errors.Join(r.file.Close(), os.Remove(r.file.Name()))
}

// Merge reads runs as one, in order, without duplicates. Close it.
type Merge struct {
	Record              // the last one read; valid until the next call of Next
	Err    error        // that ended it before its end
	heap   []*RunReader // the least first
	all    []*RunReader
	begun  bool
}

func openMerge(runs []string) (*Merge, error) {
	m := &Merge{}
	for _, name := range runs {
		r, err := OpenRun(name)
		if err != nil {
			return nil, errors.Join(err, m.Close())
		}
		m.all = append(m.all, r)
		switch err := r.Next(); {
		case err == nil:
			m.heap = append(m.heap, r)
		case !errors.Is(err, io.EOF):
			return nil, errors.Join(err, m.Close())
		}
	}
	for i := len(m.heap)/2 - 1; i >= 0; i-- {
		m.down(i)
	}
	return m, nil
}

// Next reads the next record; at the end, or after an error, it returns false.
func (m *Merge) Next() bool {
	for m.Err == nil && len(m.heap) > 0 {
		top := m.heap[0]
		fresh := !m.begun || top.compare(&m.Record) != 0
		if fresh {
			m.begun = true
			m.A, m.B = top.A, top.B
			m.Data, top.Data = top.Data, m.Data // top reads its next over it, unless it is a chunk
		}
		switch err := top.Next(); {
		case err == nil:
		case errors.Is(err, io.EOF):
			last := len(m.heap) - 1
			m.heap[0], m.heap = m.heap[last], m.heap[:last]
		default:
			m.Err = err
			return false
		}
		m.down(0)
		if fresh {
			return true
		}
	}
	return false
}

func (m *Merge) down(i int) {
	for {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(m.heap) && m.heap[child].compare(&m.heap[least].Record) < 0 {
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

// Close gives its files and its memory up.
func (m *Merge) Close() error {
	var errs []error
	for _, r := range m.all {
		errs = append(errs, r.Close())
	}
	m.all, m.heap = nil, nil
	return errors.Join(errs...)
}
