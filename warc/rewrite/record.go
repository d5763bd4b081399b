package rewrite

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"exclave/internal/record"
	"exclave/warc"
)

const (
	inMemory     = 1 << 20 // of a block; the rest is in a temporary file
	mostTogether = 32      // records of a capture; further ones are a capture of their own
)

// Record is a record that was read to its end and is whole.
type Record struct {
	Input  string // name of the file
	Offset int64  // there
	Length int64  // there, compressed
	Head   string // its header, with the empty line
	Fields warc.Header
	Type   string
	ID     string // without brackets
	URI    string // WARC-Target-URI, without brackets
	Date   time.Time
	Size   int64  // of the block
	Status int    // of an HTTP answer, else 0
	MIME   string // of the answer's header, of another record its Content-Type; lower case, without parameters; may be empty
	Digest string // what is wrong with the digests, or empty

	start []byte
	rest  *os.File // without a name; nil when start is all
}

// Block returns the block from its beginning.
func (r *Record) Block() io.Reader {
	if r.rest == nil {
		return bytes.NewReader(r.start)
	}
	return io.MultiReader(bytes.NewReader(r.start), io.NewSectionReader(r.rest, 0, r.Size-int64(len(r.start))))
}

// Close removes what is on disk.
func (r *Record) Close() error {
	if r.rest == nil {
		return nil
	}
	f := r.rest
	r.rest = nil
	return f.Close()
}

// Read reads the rest of an Entry and keeps it. ok is false when the record is not whole; the Reader has told why.
func Read(in *warc.Reader, e *warc.Entry, input, temp string) (rec *Record, ok bool, err error) {
	r := &Record{Input: input, Fields: e.Header, Type: strings.ToLower(e.Type()), ID: e.ID(), URI: e.TargetURI(), Size: e.Size}
	defer func() {
		if !ok || err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	digests := warc.NewDigests(e)
	block := io.TeeReader(e.Block, digests)
	r.start, err = io.ReadAll(io.LimitReader(block, inMemory))
	if err == nil && int64(len(r.start)) < e.Size {
		if r.rest, err = spool(block, temp); err != nil && r.rest == nil {
			return nil, false, err
		}
	}
	var d *warc.Defect
	if err != nil && !errors.As(err, &d) {
		return nil, false, err
	}
	r.Length, err = in.Finish()
	if err != nil && err != io.EOF {
		return nil, false, err
	}
	if r.Length < 0 {
		return nil, false, nil
	}
	r.Offset = e.Offset
	r.Head, r.Digest = e.Head(digests.Made()), digests.Wrong()
	if r.Date, err = e.Date(); err != nil {
		r.Date, err = time.Time{}, nil
	}
	r.look()
	return r, true, nil
}

// spool keeps what is left of a block in a file that has no name any more.
func spool(block io.Reader, dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "exclave-warc-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	_, err = io.Copy(f, block)
	return f, err
}

// look reads what rules ask for from the block.
func (r *Record) look() {
	kind := strings.ToLower(r.Fields.Get("Content-Type"))
	r.MIME = plainMIME(kind)
	if !strings.HasPrefix(kind, "application/http") || r.Type != warc.TypeResponse && r.Type != warc.TypeRevisit {
		return
	}
	n := record.HeadLenOf(r.start, true)
	head := record.ParseHead(r.start[:n])
	r.Status, r.MIME = head.Status, plainMIME(strings.ToLower(head.Get("Content-Type")))
}

func plainMIME(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return strings.TrimSpace(s)
}

// names returns the IDs that a record names.
func (r *Record) names() (ids []string) {
	for _, f := range []string{"WARC-Concurrent-To", "WARC-Refers-To"} {
		for _, id := range r.Fields.All(f) {
			ids = append(ids, strings.Trim(id, "<>"))
		}
	}
	return ids
}
