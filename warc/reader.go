package warc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// Defect is something wrong at a place of a file.
type Defect struct {
	File   string // name as given to Verify; empty from a Reader
	Offset int64  // of the record, or of the first wrong byte between records
	Kind   Kind
	Detail string
}

// Kind classes defects.
type Kind string

// Kinds of defects.
const (
	KindFormat    Kind = "format"         // not a WARC file of the form this package reads
	KindGzip      Kind = "gzip"           // member damaged: header, data, checksum or length
	KindZstd      Kind = "zstd"           // frame damaged, or its dictionary is missing
	KindTruncated Kind = "truncated"      // the file ends inside a record
	KindGarbage   Kind = "garbage"        // bytes that are no record
	KindHeader    Kind = "header"         // header broken, or a field missing or invalid
	KindLength    Kind = "content-length" // missing, invalid, or not the length of the block
	KindBlock     Kind = "block-digest"   // differs from the block
	KindPayload   Kind = "payload-digest" // differs from the payload
	KindURI       Kind = "target-uri"     // missing or invalid
	KindDuplicate Kind = "duplicate-id"   // a record ID occurs twice
	KindStandard  Kind = "standard"       // gowarc's objection
)

// Error makes a Defect the error of a strict Reader.
func (d *Defect) Error() string {
	where := ""
	if d.File != "" {
		where = d.File + ": "
	}
	return fmt.Sprintf("warc: read: %soffset %d: %s: %s", where, d.Offset, d.Kind, d.Detail)
}

// Header is the fields of a record in the order of the file.
type Header []Field

// Get returns the first value of a field, names compared without case.
func (h Header) Get(name string) string {
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// All returns every value of a field.
func (h Header) All(name string) []string {
	var out []string
	for _, f := range h {
		if strings.EqualFold(f.Name, name) {
			out = append(out, f.Value)
		}
	}
	return out
}

// Entry is a record as read. Its Block may be read until the next call of Next.
type Entry struct {
	Offset  int64  // in the file, of its gzip member or of "WARC/"
	Version string // "1.0", "1.1"; VersionARC of an ARC record, whose Header has the fields that correspond
	Header  Header
	Size    int64 // Content-Length
	Block   io.Reader
	raw     string // the header as it stands
}

// Type returns WARC-Type.
func (e *Entry) Type() string { return e.Header.Get("WARC-Type") }

// ID returns the record ID without brackets.
func (e *Entry) ID() string { return unbracket(e.Header.Get("WARC-Record-ID")) }

// TargetURI returns the target URI without the brackets some WARC 1.0 writers put.
func (e *Entry) TargetURI() string { return unbracket(e.Header.Get("WARC-Target-URI")) }

// ConcurrentTo returns the IDs of the other records of the capture.
func (e *Entry) ConcurrentTo() []string {
	ids := e.Header.All("WARC-Concurrent-To")
	for i := range ids {
		ids[i] = unbracket(ids[i])
	}
	return ids
}

// Date returns WARC-Date.
func (e *Entry) Date() (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, e.Header.Get("WARC-Date"))
	if err != nil {
		return time.Time{}, fmt.Errorf("warc: date of record: %w", err)
	}
	return t, nil
}

func unbracket(s string) string {
	if in, ok := strings.CutPrefix(s, "<"); ok {
		return strings.TrimSuffix(in, ">")
	}
	return s
}

const (
	readBuffer      = 64 << 10
	maxRecordHeader = 1 << 20
)

// Reader reads the records of one WARC or ARC file: plain, one gzip member per record, frames of zstd
// (https://iipc.github.io/warc-specifications/specifications/warc-zstd/), or gzip or zstd over several records
// (see [Reader.Stream]). What it is, is told by the bytes of each record.
type Reader struct {
	src     *counted
	br      *bufio.Reader
	file    io.ReaderAt // nil: the source is read from its beginning
	gz      *gzip.Reader
	base    int64 // offset of the first byte src gave
	far     int64 // how far the file was read
	probe   *gzip.Reader
	onFault func(Defect)
	cur     *Entry
	body    *io.LimitedReader // rest of the block
	inner   *bufio.Reader     // what the record is read from: br, or over gz
	zipped  bool
	zstd    *frames // made when first needed
	framed  bool    // the record is in frames of zstd, not a member of gzip
	stream  *stream // the source, once several records were found in one member
	plain   int64   // bytes of the records that were finished, unpacked
	arc     bool    // an ARC record was seen
	warc    bool    // a WARC record was seen
	behind  int64   // where the header of the last record ends, if it was finished and is plain; else 0
	lines   []byte  // of a header
	end     int64   // where the last record ended
	done    error   // io.EOF or the error every further call returns

	doubt  func(Defect)   // of SecondOpinion; nil = nobody asks
	second *secondOpinion // made when first needed
	fields *bytes.Buffer  // the block of the record, if it is one of fields; nil for another
}

// NewReader returns a strict reader: Next fails, with a *Defect, at the first
// thing that is wrong.
func NewReader(r io.Reader) *Reader {
	src := &counted{r: r}
	return &Reader{src: src, br: bufio.NewReaderSize(src, readBuffer)}
}

// NewReaderAt returns a strict reader of the records between two offsets of a file; the offsets of Entries are those of the file. The
// dictionary that records of zstd may need is read from its beginning.
func NewReaderAt(f io.ReaderAt, from, to int64) *Reader {
	r := NewReader(nil)
	r.reset(f, from, to)
	return r
}

// NewTolerantReader returns a reader that reports what is wrong and goes on with
// the next record that can be found. When r is an io.Seeker the search starts
// one byte after the start of the damaged record, else where reading failed.
func NewTolerantReader(r io.Reader, report func(Defect)) *Reader {
	out := NewReader(r)
	out.onFault = report
	return out
}

// reset makes r read the bytes of a file between two offsets.
func (r *Reader) reset(f io.ReaderAt, from, to int64) {
	*r.src = counted{r: io.NewSectionReader(f, from, to-from)}
	r.br.Reset(r.src)
	r.base, r.far, r.end, r.cur, r.done = from, 0, 0, nil, nil
	if r.file = f; r.zstd != nil {
		r.zstd.known = false
	}
}

// Compressed reports that the last record of [Reader.Next] has a gzip member or frames of its own.
func (r *Reader) Compressed() bool { return r.zipped }

func (r *Reader) pos() int64 { return r.base + r.src.n - int64(r.br.Buffered()) }

// Next returns the next record, after reading the present one to its end. It
// returns io.EOF at the end of the file.
func (r *Reader) Next() (*Entry, error) {
	for r.done == nil {
		if r.cur != nil {
			if _, err := r.Finish(); err != nil {
				break
			}
			continue
		}
		e, err := r.start()
		if err == nil {
			r.cur = e
			r.keepFields(e)
			return e, nil
		}
		r.fault(e, err)
	}
	return nil, r.done
}

// Finish reads the present record to its end and returns its length in the file:
// with Entry.Offset, what CDX and ReadAt need. Only then is it known that the
// record is whole: an error, or with a tolerant reader a defect at its offset,
// says that it is not. A length of −1 is that of a damaged record.
func (r *Reader) Finish() (int64, error) {
	e := r.cur
	if e == nil {
		return -1, r.done
	}
	r.cur = nil
	if err := r.finish(e); err != nil {
		r.fault(e, err)
		return -1, r.done
	}
	r.end, r.behind = r.pos(), 0
	if !r.zipped {
		r.behind = e.Offset + int64(len(e.raw))
	}
	r.ask(e, r.end-e.Offset)
	return r.end - e.Offset, nil
}

// fault decides what follows an error: the end, or the next record.
func (r *Reader) fault(e *Entry, err error) {
	var d *Defect
	if !errors.As(err, &d) {
		r.done = err
		return
	}
	if r.onFault == nil {
		r.done = d
		return
	}
	r.onFault(*d)
	if d.Kind == KindFormat {
		r.done = io.EOF
		return
	}
	from := d.Offset + 1
	if e != nil {
		from = e.Offset + 1
	}
	if d.Kind == KindGarbage && r.behind > 0 {
		// The last record may have lost bytes, and have others at the end of its block.
		from = r.behind
	}
	r.behind = 0
	if err := r.resync(from); err != nil {
		r.done = err
	}
}

func defect(off int64, k Kind, format string, a ...any) *Defect {
	return &Defect{Offset: off, Kind: k, Detail: fmt.Sprintf(format, a...)}
}

// start reads the header of the record at the present position.
func (r *Reader) start() (*Entry, error) {
	off := r.pos()
	magic, err := r.br.Peek(9)
	if len(magic) == 0 {
		if err == io.EOF || err == io.ErrUnexpectedEOF && r.stream == nil {
			return nil, io.EOF
		}
		return nil, damage(off, err)
	}
	e := &Entry{Offset: off}
	if err := r.openAt(e, magic); err != nil {
		return e, err
	}
	if err := r.header(e); err != nil {
		return e, err
	}
	return e, r.length(e)
}

// openAt opens what begins with magic, at the present position.
func (r *Reader) openAt(e *Entry, magic []byte) error {
	switch {
	case magic[0] == 0x1f && (len(magic) < 2 || magic[1] == 0x8b):
		r.zipped, r.framed = true, false
		if err := r.member(); err != nil {
			return damage(e.Offset, err)
		}
	case isFrame(magic):
		if err := r.openFrame(e); err != nil {
			return err
		}
	case bytes.HasPrefix(magic, []byte("WARC/")):
		r.zipped, r.inner = false, r.br
	case schemed(magic) && atARC(r.br), bytes.HasPrefix(magic, []byte(versionBlock)):
		r.zipped, r.inner, r.arc = false, r.br, true
	default:
		return defect(e.Offset, KindGarbage, "bytes %q are no start of a record", magic[:min(5, len(magic))])
	}
	return nil
}

func (r *Reader) member() error {
	var err error
	if r.gz == nil {
		r.gz, err = gzip.NewReader(r.br)
	} else {
		err = r.gz.Reset(r.br)
	}
	if err != nil {
		r.gz = nil
		return err
	}
	r.gz.Multistream(false)
	if r.inner == nil || r.inner == r.br {
		r.inner = bufio.NewReaderSize(r.gz, 4096)
	} else {
		r.inner.Reset(r.gz)
	}
	return nil
}

// damage turns an error of the decompressor into a defect; an error of the
// source stays what it is.
func damage(off int64, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return defect(off, KindTruncated, "the file ends inside the record")
	}
	if isGzip(err) {
		return defect(off, KindGzip, "%v", err)
	}
	var bad *frameError
	if errors.As(err, &bad) {
		return defect(off, KindZstd, "%v", bad.err)
	}
	return fmt.Errorf("warc: read: offset %d: %w", off, err)
}

// parseLength reads Content-Length.
func (e *Entry) parseLength() error {
	v := e.Header.Get("Content-Length")
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 0 || v[0] == '+' {
		return defect(e.Offset, KindLength, "Content-Length %q is not a number of bytes", v)
	}
	e.Size = n
	return nil
}

func (r *Reader) length(e *Entry) error {
	if err := e.parseLength(); err != nil {
		return err
	}
	r.body = &io.LimitedReader{R: r.inner, N: e.Size}
	e.Block = &block{r: r, e: e}
	return nil
}

// block is the Block of an Entry: the end of the file within it is no clean end.
type block struct {
	r *Reader
	e *Entry
}

func (b *block) Read(p []byte) (int, error) {
	if b.r.cur != b.e {
		return 0, errors.New("warc: read: the block was read after the next record was asked for")
	}
	if b.r.body.N == 0 {
		return 0, io.EOF
	}
	n, err := b.r.body.Read(p)
	if err == io.EOF {
		err = nil
		if b.r.body.N > 0 {
			err = b.r.short(b.e)
		}
	} else if err != nil {
		err = damage(b.e.Offset, err)
	}
	return n, err
}

func (r *Reader) short(e *Entry) error {
	if r.zipped {
		return defect(e.Offset, KindLength, "Content-Length is %d, the member ends %d bytes earlier", e.Size, r.body.N)
	}
	return defect(e.Offset, KindTruncated, "the file ends inside the record")
}

// finish reads the rest of a record, the two empty lines and the trailer.
func (r *Reader) finish(e *Entry) error {
	if _, err := io.Copy(io.Discard, r.body); err != nil {
		return damage(e.Offset, err)
	}
	if r.body.N > 0 {
		return r.short(e)
	}
	if e.Version == VersionARC {
		return r.finishARC(e)
	}
	tail, err := r.inner.Peek(4)
	if len(tail) < 4 && (err != io.EOF || !r.zipped && !onlyLineEnds(tail)) {
		return damage(e.Offset, err)
	}
	if string(tail) != "\r\n\r\n" {
		return r.otherEnd(e, defect(e.Offset, KindLength, "after %d bytes of block comes %q, not two empty lines", e.Size, tail))
	}
	_, _ = r.inner.Discard(4) // they were seen
	r.plain += int64(len(e.raw)) + e.Size + 4
	if !r.zipped {
		return nil
	}
	if r.framed {
		r.zstd.whole = true
	}
	switch next, err := r.inner.Peek(len("WARC/")); {
	case string(next) == "WARC/":
		return r.unstream(e, int64(len(e.raw))+e.Size+4)
	case len(next) > 0:
		return defect(e.Offset, KindLength, "bytes follow the record within its member")
	case err != io.EOF:
		return damage(e.Offset, err)
	}
	return nil
}

func onlyLineEnds(b []byte) bool { return len(b) > 0 && len(bytes.Trim(b, "\r\n")) == 0 }

// otherEnd is what follows a record that ends with other line ends than it should: told by a tolerant reader, which
// loses nothing by it when the next record, or the end of the member or file, comes behind.
func (r *Reader) otherEnd(e *Entry, d *Defect) error {
	if r.onFault == nil {
		return d
	}
	b, err := r.inner.Peek(16)
	n := 0
	for n < len(b) && (b[n] == '\r' || b[n] == '\n') {
		n++
	}
	last := n == len(b) && errors.Is(err, io.EOF)
	if !last && (r.zipped || !bytes.HasPrefix(b[n:], []byte("WARC/"))) {
		return d
	}
	if err != nil && !last && !errors.Is(err, io.EOF) {
		return damage(e.Offset, err)
	}
	_, _ = r.inner.Discard(n) // they were seen
	if r.framed && r.zipped {
		r.zstd.whole = true
	}
	r.onFault(*d)
	return nil
}
