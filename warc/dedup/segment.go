package dedup

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sort"
	"sync"

	"exclave/internal/fsx"
)

// Form of a segment: magic, blocks of rows, the fence of the blocks, prints of the rows, footer.
const (
	magic      = "exdedup1"
	blockBytes = 4 << 10
	fenceLen   = 8 + 8 + 4 + 4     // prefix of the first key, offset, checksum, rows
	footerLen  = 8 + 8 + 8 + 4 + 4 // rows, blocks, where the fence begins, checksums of fence and prints, and of the footer
	printLen   = 2
)

// ErrDamaged is the error of a folder whose segments are not what was written.
var ErrDamaged = errors.New("the index is damaged; remove the file and build it again from what was indexed (exclave dedup build)")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fence is what is known of a block without reading it.
type fence struct {
	prefix   uint64
	offset   int64
	sum      uint32
	firstRow uint32
}

// segment is an open file of sorted rows.
type segment struct {
	name   string
	f      *os.File
	fences []fence // and one behind the last, where the blocks end
	prints []uint16
}

func (s *segment) damaged(what string, a ...any) error {
	return fmt.Errorf("dedup: %s: %s: %w", s.name, fmt.Sprintf(what, a...), ErrDamaged)
}

// openSegment reads what is kept in memory.
func openSegment(name string) (_ *segment, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("dedup: %w", err)
	}
	s := &segment{name: name, f: f}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("dedup: %w", err)
	}
	if st.Size() < int64(len(magic)+footerLen) {
		return nil, s.damaged("%d bytes are too few", st.Size())
	}
	var head [len(magic)]byte
	var foot [footerLen]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, fmt.Errorf("dedup: %w", err)
	}
	if _, err := f.ReadAt(foot[:], st.Size()-footerLen); err != nil {
		return nil, fmt.Errorf("dedup: %w", err)
	}
	if string(head[:]) != magic {
		return nil, s.damaged("it does not begin as a segment does")
	}
	if crc32.Checksum(foot[:footerLen-4], castagnoli) != binary.BigEndian.Uint32(foot[footerLen-4:]) {
		return nil, s.damaged("its end is not that of a segment")
	}
	rows, blocks, at := binary.BigEndian.Uint64(foot[:]), binary.BigEndian.Uint64(foot[8:]), binary.BigEndian.Uint64(foot[16:])
	if rows > 1<<32 || blocks > rows || at+blocks*fenceLen+rows*printLen+footerLen != uint64(st.Size()) {
		return nil, s.damaged("%d rows in %d blocks do not make %d bytes", rows, blocks, st.Size())
	}
	return s, s.load(int(rows), int(blocks), int64(at), binary.BigEndian.Uint32(foot[24:]))
}

func (s *segment) load(rows, blocks int, at int64, sum uint32) error {
	hash := crc32.New(castagnoli)
	in := bufio.NewReaderSize(io.TeeReader(io.NewSectionReader(s.f, at, int64(blocks)*fenceLen+int64(rows)*printLen), hash), 64<<10)
	s.fences, s.prints = make([]fence, 0, blocks+1), make([]uint16, rows)
	var b [fenceLen]byte
	n, end := uint32(0), int64(len(magic))
	for range blocks {
		if _, err := io.ReadFull(in, b[:]); err != nil {
			return fmt.Errorf("dedup: %s: %w", s.name, err)
		}
		f := fence{binary.BigEndian.Uint64(b[:]), int64(binary.BigEndian.Uint64(b[8:])), binary.BigEndian.Uint32(b[16:]), n}
		if f.offset < end || f.offset >= at {
			return s.damaged("a block lies outside")
		}
		end = f.offset
		n += binary.BigEndian.Uint32(b[20:])
		s.fences = append(s.fences, f)
	}
	s.fences = append(s.fences, fence{prefix: 1<<64 - 1, offset: at, firstRow: n})
	for i := range s.prints {
		if _, err := io.ReadFull(in, b[:printLen]); err != nil {
			return fmt.Errorf("dedup: %s: %w", s.name, err)
		}
		s.prints[i] = binary.BigEndian.Uint16(b[:])
	}
	if hash.Sum32() != sum || int(n) != rows {
		return s.damaged("its checksum is wrong")
	}
	return nil
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// block reads a block into b.
func (s *segment) block(i int, b []byte) ([]byte, error) {
	f := s.fences[i]
	n := int(s.fences[i+1].offset - f.offset)
	if cap(b) < n {
		b = make([]byte, max(n, 2*blockBytes))
	}
	b = b[:n]
	if _, err := s.f.ReadAt(b, f.offset); err != nil {
		return b, fmt.Errorf("dedup: %s: %w", s.name, err)
	}
	if crc32.Checksum(b, castagnoli) != f.sum {
		return b, s.damaged("the checksum of the block at %d is wrong", f.offset)
	}
	return b, nil
}

// cutRow takes the first row of a block.
func cutRow(b []byte) (row, rest []byte, err error) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n < rowLen || n > uint64(len(b)-k) {
		return nil, nil, errRow
	}
	return b[k : k+int(n)], b[k+int(n):], nil
}

// find calls each for the rows of some content, in order, until it returns false; the bytes are valid until then.
func (s *segment) find(content []byte, each func(row []byte) (more bool, err error)) error {
	prefix, mark := prefixOf(content), printOf(content)
	blocks := len(s.fences) - 1
	i := max(sort.Search(blocks, func(i int) bool { return s.fences[i].prefix >= prefix })-1, 0)
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	for ; i < blocks && s.fences[i].prefix <= prefix; i++ {
		may := false
		for _, p := range s.prints[s.fences[i].firstRow:s.fences[i+1].firstRow] {
			may = may || p == mark
		}
		if !may {
			continue
		}
		b, err := s.block(i, *buf)
		*buf = b
		if err != nil {
			return err
		}
		for len(b) > 0 {
			var row []byte
			if row, b, err = cutRow(b); err != nil {
				return s.damaged("block at %d: %v", s.fences[i].offset, err)
			}
			if beyond(row, content) {
				return nil
			}
			if !bytes.HasPrefix(row, content) {
				continue
			}
			if more, err := each(row); !more || err != nil {
				return err
			}
		}
	}
	return nil
}

// each calls do for every row in order.
func (s *segment) each(do func(row []byte) error) error {
	var b []byte
	for i := range len(s.fences) - 1 {
		var err error
		if b, err = s.block(i, b); err != nil {
			return err
		}
		for rest := b; len(rest) > 0; {
			var row []byte
			if row, rest, err = cutRow(rest); err != nil {
				return s.damaged("block at %d: %v", s.fences[i].offset, err)
			}
			if err := do(row); err != nil {
				return err
			}
		}
	}
	return nil
}

// writer writes a segment; rows come in order.
type writer struct {
	f      *os.File
	out    *bufio.Writer
	at     int64
	block  []byte
	rows   uint32 // of the block
	all    uint64
	fences []byte
	prints []byte
}

func newWriter(name string) (*writer, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, fsx.FileMode)
	if err != nil {
		return nil, fmt.Errorf("dedup: %w", err)
	}
	w := &writer{f: f, out: bufio.NewWriterSize(f, 256<<10), at: int64(len(magic))}
	_, _ = w.out.WriteString(magic) // Flush says it again
	return w, nil
}

func (w *writer) add(row []byte) {
	if w.rows > 0 && len(w.block)+len(row) > blockBytes {
		w.flush()
	}
	if w.rows == 0 {
		w.fences = binary.BigEndian.AppendUint64(w.fences, prefixOf(row))
	}
	w.block = append(binary.AppendUvarint(w.block, uint64(len(row))), row...)
	w.prints = binary.BigEndian.AppendUint16(w.prints, printOf(row))
	w.rows++
	w.all++
}

func (w *writer) flush() {
	if w.rows == 0 {
		return
	}
	w.fences = binary.BigEndian.AppendUint64(w.fences, uint64(w.at))
	w.fences = binary.BigEndian.AppendUint32(w.fences, crc32.Checksum(w.block, castagnoli))
	w.fences = binary.BigEndian.AppendUint32(w.fences, w.rows)
	_, _ = w.out.Write(w.block)
	w.at += int64(len(w.block))
	w.block, w.rows = w.block[:0], 0
}

// close ends the file and makes it durable.
func (w *writer) close() error {
	w.flush()
	hash := crc32.New(castagnoli)
	to := io.MultiWriter(w.out, hash)
	_, _ = to.Write(w.fences)
	_, _ = to.Write(w.prints)
	foot := binary.BigEndian.AppendUint64(nil, w.all)
	foot = binary.BigEndian.AppendUint64(foot, uint64(len(w.fences)/fenceLen))
	foot = binary.BigEndian.AppendUint64(foot, uint64(w.at))
	foot = binary.BigEndian.AppendUint32(foot, hash.Sum32())
	foot = binary.BigEndian.AppendUint32(foot, crc32.Checksum(foot, castagnoli))
	_, _ = w.out.Write(foot)
	err := w.out.Flush()
	if err == nil {
		err = w.f.Sync()
	}
	if err = errors.Join(err, w.f.Close()); err != nil {
		return fmt.Errorf("dedup: %w", err)
	}
	return nil
}
