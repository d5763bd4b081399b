package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"exclave/internal/fsx"
)

// Ref is the place of one record: the bytes [Offset, Offset+Length) of a file
// are its gzip member or its frame of zstd.
type Ref struct {
	File           uint32
	Offset, Length int64
}

// Span is the place of a capture: the bytes [Start, End) of a file.
type Span struct {
	File       uint32
	Start, End int64
}

// maxBuffer is how much of a capture is kept until it is written: a usual page
// is one write call, a large one costs no more memory than this.
const maxBuffer = 256 << 10

// errNoCapture is a programming error of the owner.
var errNoCapture = errors.New("no capture was begun")

// File is a WARC file with one owner, from Acquire to Release. Each capture is
// Begin, Write for each record, End; after an error of Write or End nothing of
// the capture remains in the file.
type File struct {
	p      *Pool
	number uint32
	name   string // final base name

	// Of the owner.
	to     compressor
	zstd   bool        // not gzip
	dict   *Dictionary // that the file begins with; may be nil
	small  small
	buf    []byte
	head   []byte
	copy   []byte // to copy blocks through
	open   bool   // between Begin and End
	failed error  // of the present capture
	info   string // ID of the warcinfo record, "" while it is not known

	// mu orders the owner's writes and the committer's syncs.
	mu        sync.Mutex
	a         *fsx.Append
	written   int64 // end of the last capture that ended
	synced    int64
	committed int64
	sealed    bool
	gone      bool // closed, by whatever way
}

// Number returns the file number, as in Ref and Span.
func (f *File) Number() uint32 { return f.number }

// Begin starts a capture. What an unfinished capture before it wrote is removed.
func (f *File) Begin() error {
	if f.open {
		if err := f.Rollback(); err != nil {
			return err
		}
	}
	f.open, f.failed = true, nil
	return nil
}

// Write appends one record to the capture. The record's ID and BlockDigest are
// set when they were empty. The first capture of a file gets the warcinfo record
// in front. The error is about the record (nothing was written), the block's
// reader or the file; after it the capture is rolled back, the file can be used
// for the next capture unless the error says that it cannot, and Release sorts
// that out.
func (f *File) Write(r *Record) (Ref, error) {
	if !f.open {
		return Ref{}, fmt.Errorf("warc: write %s: %w", r.TargetURI, errNoCapture)
	}
	if f.failed != nil {
		return Ref{}, f.failed
	}
	ref, err := f.write(r)
	if err != nil {
		return Ref{}, f.abandon(err)
	}
	return ref, nil
}

func (f *File) write(r *Record) (Ref, error) {
	if err := f.describe(); err != nil {
		return Ref{}, err
	}
	if r.Type != TypeWarcinfo {
		r.WarcinfoID = f.info
	}
	return f.append(r)
}

// describe puts the dictionary and the warcinfo record in front of the first capture, and finds that record of a file that was begun before a
// restart.
func (f *File) describe() error {
	if f.pos() == 0 {
		if f.dict != nil {
			f.buf = append(f.buf, f.dict.Frame()...)
		}
		r := f.p.warcinfo(f.name)
		_, err := f.append(r)
		f.info = r.ID
		return err
	}
	if f.info != "" {
		return nil
	}
	in, err := f.p.fs.Open(f.a.Name())
	if err != nil {
		return fmt.Errorf("warc: %w", err)
	}
	e, err := NewReaderAt(in, 0, f.a.Size()).Next()
	if err == nil {
		f.info = e.ID()
	}
	if err = errors.Join(err, in.Close()); err != nil {
		return fmt.Errorf("warc: warcinfo record of %s: %w", f.name, err)
	}
	return nil
}

func (f *File) append(r *Record) (Ref, error) {
	if err := r.complete(f.copy); err != nil {
		return Ref{}, err
	}
	if err := r.check(); err != nil {
		return Ref{}, err
	}
	start := f.pos()
	f.head = r.appendHeader(f.head[:0])
	if size := r.size(); !f.zstd && int64(len(f.head))+size+4 <= smallRecord && f.p.c.GzipLevel <= smallLevel {
		return f.appendSmall(r, start)
	}
	if err := f.compress(f.head, r.reader(), r.size(), r.TargetURI); err != nil {
		return Ref{}, err
	}
	return Ref{File: f.number, Offset: start, Length: f.pos() - start}, nil
}

// compress appends a record of a header and a block of size bytes.
func (f *File) compress(head []byte, block io.Reader, size int64, uri string) error {
	f.to.Reset((*bufferTo)(f), int64(len(head))+size+4)
	if _, err := f.to.Write(head); err != nil {
		return err
	}
	n, err := io.CopyBuffer(f.to, block, f.copy)
	if err == nil && n != size {
		err = fmt.Errorf("warc: write %s: block has %d bytes, %d could be read", uri, size, n)
	}
	if err != nil {
		return err
	}
	if _, err := f.to.Write(f.copy[:copy(f.copy, "\r\n\r\n")]); err != nil {
		return err
	}
	return f.to.Close()
}

// Copy appends to the capture the records that lie between two offsets of another file: byte for byte, as they are compressed, when this file has the
// same form and dictionary, else compressed anew, with the same headers and blocks. The first capture of a file gets the warcinfo record in front, as
// with Write; that the bytes are whole records the caller knows. After an error the capture is rolled back.
func (f *File) Copy(src io.ReaderAt, from, to int64) error {
	if !f.open {
		return fmt.Errorf("warc: copy: %w", errNoCapture)
	}
	if f.failed != nil {
		return f.failed
	}
	if err := f.copyFrom(src, from, to); err != nil {
		return f.abandon(fmt.Errorf("warc: copy %d bytes at %d: %w", to-from, from, err))
	}
	return nil
}

func (f *File) copyFrom(src io.ReaderAt, from, to int64) error {
	if err := f.describe(); err != nil {
		return err
	}
	same, err := f.like(src, from)
	if err != nil {
		return err
	}
	if !same {
		return f.copyAnew(src, from, to)
	}
	n, err := io.CopyBuffer((*bufferTo)(f), io.NewSectionReader(src, from, to-from), f.copy)
	if err == nil && n != to-from {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// like reports whether the record at an offset of another file can stand in this one as it is.
func (f *File) like(src io.ReaderAt, from int64) (bool, error) {
	b := make([]byte, 18)
	n, err := src.ReadAt(b, from)
	if b = b[:n]; err != nil && err != io.EOF {
		return false, err
	}
	switch {
	case len(b) > 1 && b[0] == 0x1f && b[1] == 0x8b:
		return !f.zstd, nil
	case !isFrame(b):
		return false, defect(from, KindGarbage, "no compressed record begins here")
	case !f.zstd || !startsFrame(b):
		return false, nil
	}
	var h zstd.Header
	if err := h.Decode(b); err != nil {
		return false, err
	}
	if h.DictionaryID == 0 || f.dict == nil || h.DictionaryID != idOf(f.dict.data) {
		return h.DictionaryID == 0 && f.dict == nil, nil
	}
	d, err := dictionaryAt(src)
	return d.equal(f.dict), err
}

func (f *File) copyAnew(src io.ReaderAt, from, to int64) error {
	for r := NewReaderAt(src, from, to); ; {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f.compress([]byte(e.Raw()), e.Block, e.Size, e.TargetURI()); err != nil {
			return err
		}
	}
}

// appendSmall appends a record whose header is in f.head and that is no longer than
// smallRecord.
func (f *File) appendSmall(r *Record, start int64) (Ref, error) {
	n := len(f.head)
	f.head = append(f.head, make([]byte, r.size())...)
	if r.Block != nil {
		if m, err := r.Block.ReadAt(f.head[n:], 0); m < len(f.head)-n {
			return Ref{}, fmt.Errorf("warc: write %s: block has %d bytes, %d could be read: %w", r.TargetURI, len(f.head)-n, m, err)
		}
	}
	f.head = append(f.head, "\r\n\r\n"...)
	f.buf = f.small.appendMember(f.buf, f.head)
	if len(f.buf) >= maxBuffer {
		if err := f.flush(); err != nil {
			return Ref{}, err
		}
	}
	return Ref{File: f.number, Offset: start, Length: f.pos() - start}, nil
}

// End finishes the capture: its bytes are in the file, not yet durable.
func (f *File) End() (Span, error) {
	if !f.open {
		return Span{}, fmt.Errorf("warc: end of capture: %w", errNoCapture)
	}
	if f.failed != nil {
		f.open = false
		return Span{}, f.failed
	}
	if err := f.flush(); err != nil {
		err = f.abandon(err)
		f.open = false
		return Span{}, err
	}
	f.open = false
	f.mu.Lock()
	defer f.mu.Unlock()
	s := Span{File: f.number, Start: f.written, End: f.a.Size()}
	f.written = s.End
	return s, nil
}

// Rollback removes what the present capture has written, if anything. An error
// means that the file will not be written again.
func (f *File) Rollback() error {
	f.open, f.failed = false, nil
	return f.cut()
}

// abandon cuts a failed capture off; later calls repeat the error.
func (f *File) abandon(cause error) error {
	f.failed = cause
	if err := f.cut(); err != nil {
		f.failed = fmt.Errorf("%w; file %s is given up: %w", cause, f.name, err)
	}
	return f.failed
}

func (f *File) cut() error {
	f.buf = f.buf[:0]
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.a.Size() == f.written && f.a.Err() == nil {
		return nil
	}
	if err := f.a.Truncate(f.written); err != nil {
		return err
	}
	return f.a.Err()
}

// pos is where the next byte goes.
func (f *File) pos() int64 { return f.a.Size() + int64(len(f.buf)) }

// bufferTo is the writer under the compressor.
type bufferTo File

func (b *bufferTo) Write(p []byte) (int, error) {
	f := (*File)(b)
	f.buf = append(f.buf, p...)
	if len(f.buf) >= maxBuffer {
		if err := f.flush(); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

func (f *File) flush() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	b := f.buf
	if f.p.fp != nil && len(b) > 1 {
		if _, err := f.a.Write(b[:len(b)/2]); err != nil {
			return err
		}
		f.p.fp.Hit("warc.write.mid")
		b = b[len(b)/2:]
	}
	_, err := f.a.Write(b)
	f.buf = f.buf[:0]
	return err
}

// warcinfo makes the first record of a file.
func (p *Pool) warcinfo(name string) *Record {
	return &Record{
		Type: TypeWarcinfo, Date: p.clock.Now(), ContentType: ContentFields,
		Extra: []Field{{"WARC-Filename", name}},
		Block: bytes.NewReader(Fields(p.info.fields())),
	}
}
