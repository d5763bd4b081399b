package cdx

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"exclave/internal/extsort"
)

// sortChunk bounds the memory of an Index; two of them are used. fileChunk is that of one that is made beside other work.
const (
	sortChunk = 16 << 20
	fileChunk = 2 << 20
)

// Index sorts lines. Close it.
type Index struct {
	format  Format
	scratch *extsort.Scratch
	sorter  *extsort.Sorter
	line    []byte
}

// NewIndex returns an empty index that sorts in a folder of its own in temp, "" for the system's.
func NewIndex(f Format, temp string) *Index { return newIndex(f, temp, sortChunk) }

func newIndex(f Format, temp string, chunk int) *Index {
	s := extsort.NewScratch(temp, chunk)
	return &Index{format: f, scratch: s, sorter: s.Sorter("lines")}
}

// Add takes a capture, which is the caller's again afterwards.
func (x *Index) Add(c *Capture) error {
	x.line = x.format.Append(x.line[:0], c)
	return x.add()
}

// add takes x.line.
func (x *Index) add() error {
	var head [16]byte
	copy(head[:], x.line)
	if err := x.sorter.Add(binary.BigEndian.Uint64(head[:]), binary.BigEndian.Uint64(head[8:]), x.line); err != nil {
		return fmt.Errorf("cdx: sort: %w", err)
	}
	return nil
}

// Each calls do with every line in order of its bytes, with its line end; the bytes are valid until do returns. It is called once, after the last Add.
func (x *Index) Each(do func(line []byte) error) (err error) {
	m, err := x.sorter.Sorted()
	if err != nil {
		return fmt.Errorf("cdx: sort: %w", err)
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	for m.Next() {
		if err := do(m.Data); err != nil {
			return err
		}
	}
	return m.Err
}

// WriteTo writes the header of the format, if it has one, and the lines: [Index.Each] into w.
func (x *Index) WriteTo(w io.Writer) (n int64, err error) {
	out := bufio.NewWriterSize(w, 64<<10)
	write := func(line []byte) error {
		m, err := out.Write(line)
		n += int64(m)
		return err
	}
	if err := write([]byte(x.format.Header())); err != nil {
		return n, err
	}
	err = x.Each(write)
	return n, errors.Join(err, out.Flush())
}

// Close removes what is on disk.
func (x *Index) Close() error {
	x.sorter.Abandon()
	return x.scratch.Close()
}
