package warc

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"exclave/internal/fsx"
	"exclave/internal/record"
)

// RecordInfo is what Verify tells of each record it could frame.
type RecordInfo struct {
	Ref          Ref // File is 0: Verify knows names only
	Type         string
	ID           string // without brackets
	TargetURI    string
	Date         time.Time // zero when missing or invalid
	ConcurrentTo []string  // for the caller to resolve
	Header       Header
	Size         int64  // of the block
	Status       int    // of an HTTP response, else 0
	Payload      string // WARC-Payload-Digest as recorded
}

// Verify reads a whole file: gzip members with their checksums, headers,
// lengths, digests recomputed, target URIs, IDs that occur once, and gowarc's
// opinion of each record. It calls each, unless nil, for every record whose
// framing is whole, in file order; an error of it ends the verification and is
// returned. The returned error is about reading the file, never about its
// contents. Defects are in file order, damaged stretches once, at their start.
func Verify(fs fsx.FS, name string, each func(RecordInfo) error) ([]Defect, error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, fmt.Errorf("warc: verify %s: %w", name, err)
	}
	v := verifier{name: name, ids: make(map[string]int64), second: newSecondOpinion(), each: each}
	err = v.file(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return v.defects, fmt.Errorf("warc: verify %s: %w", name, err)
	}
	return v.defects, nil
}

type verifier struct {
	name    string
	ids     map[string]int64 // where each record ID was first seen
	second  *secondOpinion
	each    func(RecordInfo) error
	defects []Defect
}

func (v *verifier) report(d Defect) {
	d.File = v.name
	v.defects = append(v.defects, d)
}

func (v *verifier) reportf(off int64, k Kind, format string, a ...any) {
	v.report(*defect(off, k, format, a...))
}

func (v *verifier) file(f io.ReaderAt) error {
	r := NewTolerantReader(io.NewSectionReader(f, 0, 1<<62), v.report)
	for {
		e, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := v.record(r, e); err != nil {
			return err
		}
	}
}

// wholeBlock is the largest block that is kept in memory: to find the end of an
// HTTP header in, and for gowarc to see. Of a larger one gowarc sees the header.
const wholeBlock = maxHTTPHeader

func (v *verifier) record(r *Reader, e *Entry) error {
	before := len(v.defects)
	b, err := digestBlock(e)
	if err != nil {
		// The reader finds the same error again and reports it.
		_, _ = r.Finish()
		return sourceError(r)
	}
	length, err := r.Finish()
	if err != nil && err != io.EOF {
		return err
	}
	if length < 0 {
		return nil
	}
	info := infoOf(e, length)
	info.Status = b.status
	v.header(e, info)
	for _, d := range b.wrong {
		v.reportf(e.Offset, d.Kind, "%s", d.Detail)
	}
	if len(v.defects) == before {
		// What we already object to need not be said twice in other words.
		for _, objection := range v.second.of(e, b.head, b.whole) {
			v.reportf(e.Offset, KindStandard, "%s", objection)
		}
	}
	if v.each == nil {
		return nil
	}
	return v.each(info)
}

// sourceError is what ended the reader, when that was not the file's content.
func sourceError(r *Reader) error {
	if r.done == io.EOF {
		return nil
	}
	return r.done
}

func infoOf(e *Entry, length int64) RecordInfo {
	date, err := e.Date()
	if err != nil {
		date = time.Time{}
	}
	return RecordInfo{
		Ref: Ref{Offset: e.Offset, Length: length}, Type: e.Type(), ID: e.ID(),
		TargetURI: e.TargetURI(), Date: date, ConcurrentTo: e.ConcurrentTo(),
		Header: e.Header, Size: e.Size, Payload: e.Header.Get("WARC-Payload-Digest"),
	}
}

// header checks the fields (WARC 1.1 section 5).
func (v *verifier) header(e *Entry, i RecordInfo) {
	off := e.Offset
	switch i.Type {
	case "":
		v.reportf(off, KindHeader, "WARC-Type is missing")
	case TypeWarcinfo, TypeMetadata:
		if i.TargetURI != "" && !validURI(i.TargetURI) {
			v.reportf(off, KindURI, "%q is no URI", i.TargetURI)
		}
	case TypeResponse, TypeResource, TypeRequest, TypeRevisit, TypeConversion, TypeContinuation:
		if !validURI(i.TargetURI) {
			v.reportf(off, KindURI, "%q is no URI", i.TargetURI)
		}
	}
	if i.Date.IsZero() {
		v.reportf(off, KindHeader, "WARC-Date %q is missing or invalid", e.Header.Get("WARC-Date"))
	}
	if !validID(i.ID) {
		v.reportf(off, KindHeader, "WARC-Record-ID %q is missing or invalid", i.ID)
	} else if first, ok := v.ids[i.ID]; ok {
		v.reportf(off, KindDuplicate, "record ID %s was used at offset %d", i.ID, first)
	} else {
		v.ids[i.ID] = off
	}
	for _, name := range []string{"WARC-Block-Digest", "WARC-Payload-Digest"} {
		if d := e.Header.Get(name); d != "" && !validDigest(d) {
			v.reportf(off, KindHeader, "%s %q is invalid", name, d)
		}
	}
}

// digested is what one pass over a block gives.
type digested struct {
	head   []byte // the block, or its first wholeBlock bytes
	whole  bool   // head is the block
	status int
	wrong  []Defect
}

func digestBlock(e *Entry) (digested, error) {
	var out digested
	head, err := io.ReadAll(io.LimitReader(e.Block, wholeBlock))
	if err != nil {
		return out, err
	}
	out.head, out.whole = head, int64(len(head)) == e.Size
	body, err := out.payloadAt(e)
	if err != nil {
		return out, err
	}
	block := parseDigest(e.Header.Get("WARC-Block-Digest"))
	var payload *recorded
	if e.Type() != TypeRevisit && e.Header.Get("WARC-Segment-Number") == "" {
		payload = parseDigest(e.Header.Get("WARC-Payload-Digest"))
	}
	var hashes []io.Writer
	if block != nil {
		block.Write(head)
		hashes = append(hashes, block)
	}
	if payload != nil {
		payload.Write(head[body:])
		hashes = append(hashes, payload)
	}
	if _, err := io.Copy(io.MultiWriter(hashes...), e.Block); err != nil {
		return out, err
	}
	for _, c := range []struct {
		d *recorded
		k Kind
	}{{block, KindBlock}, {payload, KindPayload}} {
		if c.d != nil {
			if m := c.d.mismatch(); m != "" {
				out.wrong = append(out.wrong, Defect{Kind: c.k, Detail: m})
			}
		}
	}
	return out, nil
}

// payloadAt returns the offset of the payload within head.
func (b *digested) payloadAt(e *Entry) (int64, error) {
	if !strings.HasPrefix(strings.ToLower(e.Header.Get("Content-Type")), "application/http") {
		return 0, nil
	}
	block, length := bytes.NewReader(b.head), record.HeadLen
	if e.Type() == TypeRequest {
		length = record.RequestHeadLen
	}
	n, err := headerAt(block, 0, length)
	if err == nil && (e.Type() == TypeResponse || e.Type() == TypeRevisit) {
		b.status, err = statusAt(block, 0)
	}
	return n, err
}

// ReadAt returns the record whose gzip member is the given bytes of a file. The
// entry's Block may be read until close is called; a damaged record is an error
// here or of the Block.
func ReadAt(fs fsx.FS, name string, ref Ref) (e *Entry, close func() error, err error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("warc: read record: %w", err)
	}
	r := NewReader(io.NewSectionReader(f, ref.Offset, ref.Length))
	e, err = r.Next()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		_ = f.Close() // only read from
		return nil, nil, fmt.Errorf("warc: read record at %s offset %d: %w", name, ref.Offset, err)
	}
	e.Offset = ref.Offset
	return e, f.Close, nil
}
