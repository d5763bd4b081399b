package warc

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"
	"time"

	"exclave/internal/fsx"
	"exclave/internal/record"
)

// RecordInfo is what Verify tells of each record it could frame.
type RecordInfo struct {
	Ref          Ref    // File is 0: Verify knows names only
	Version      string // as [Entry.Version]
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

// DuplicateID is the detail of a [KindDuplicate]: for the ID and the offset of its first record.
const DuplicateID = "record ID %s was used at offset %d"

// VerifyFrom reads a whole file: gzip members with their checksums, headers, lengths, digests
// recomputed, target URIs, and gowarc's opinion of each record. It calls each, unless nil,
// for every record whose framing is whole, and report for each defect, in file order, of
// damaged stretches once, at their start. It holds nothing but the present record: IDs that occur twice are the
// caller's to find. An error is one of reading the file, or of each, which ends it.
func VerifyFrom(f io.ReaderAt, each func(*RecordInfo) error, report func(Defect)) error {
	v := verifier{second: newSecondOpinion(), scratch: &scratch{}, each: each, tell: report}
	return v.file(f)
}

type verifier struct {
	second  *secondOpinion
	scratch *scratch
	each    func(*RecordInfo) error
	tell    func(Defect) // nil: keep them
	found   int
	defects []Defect
}

func (v *verifier) report(d Defect) {
	v.found++
	if v.tell != nil {
		v.tell(d)
		return
	}
	v.defects = append(v.defects, d)
}

func (v *verifier) reportf(off int64, k Kind, format string, a ...any) {
	v.report(*defect(off, k, format, a...))
}

func (v *verifier) file(f io.ReaderAt) error {
	return v.all(NewTolerantReader(io.NewSectionReader(f, 0, 1<<62), v.report))
}

// all verifies every record that a tolerant Reader gives.
func (v *verifier) all(r *Reader) error {
	for told := false; ; {
		e, err := r.Next()
		if r.Stream() && !told {
			told = true
			v.reportf(0, KindFormat, "%s", streamed)
		}
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
const wholeBlock = record.MaxHead

func (v *verifier) record(r *Reader, e *Entry) error {
	before := v.found
	b, err := v.scratch.digest(e)
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
	return v.judge(e, length, b, before)
}

// streamed is the detail of a [KindFormat] of a file whose records are not compressed each by itself.
const streamed = "several records in one member: offsets from here on are those of the unpacked file; compress each record by itself"

// judge checks a record that is whole. before is how many defects there were when it began.
func (v *verifier) judge(e *Entry, length int64, b digested, before int) error {
	info := infoOf(e, length)
	info.Status = b.status
	v.header(e, &info)
	for _, d := range b.wrong {
		v.reportf(e.Offset, d.Kind, "%s", d.Detail)
	}
	if v.found == before && e.Version != VersionARC && !ownForm(e, &info, b.head, b.whole) {
		// What we already object to need not be said twice in other words.
		for _, objection := range v.second.of(e, b.head, b.whole) {
			v.reportf(e.Offset, KindStandard, "%s", objection)
		}
	}
	if v.each == nil {
		return nil
	}
	return v.each(&info)
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
		Ref: Ref{Offset: e.Offset, Length: length}, Version: e.Version, Type: e.Type(), ID: e.ID(),
		TargetURI: e.TargetURI(), Date: date, ConcurrentTo: e.ConcurrentTo(),
		Header: e.Header, Size: e.Size, Payload: e.Header.Get("WARC-Payload-Digest"),
	}
}

// header checks the fields (WARC 1.1 section 5).
func (v *verifier) header(e *Entry, i *RecordInfo) {
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

// scratch is what is used again for the next record. It belongs to one goroutine.
type scratch struct {
	head   []byte
	hashes [2]hash.Hash // SHA-1
	sum    [64]byte
}

// keptHead is how much room for blocks is kept; most are smaller.
const keptHead = 64 << 10

// digest reads the block of a record. What it returns is valid until the next call.
func (s *scratch) digest(e *Entry) (out digested, err error) {
	out.head, err = s.readHead(e)
	if err != nil {
		return out, err
	}
	out.whole = int64(len(out.head)) == e.Size
	body := out.payloadAt(e)
	block := s.recorded(0, e.Header.Get("WARC-Block-Digest"))
	var payload *recorded
	if e.Type() != TypeRevisit && e.Header.Get("WARC-Segment-Number") == "" {
		payload = s.recorded(1, e.Header.Get("WARC-Payload-Digest"))
	}
	var entity *entitySum
	var hashes []io.Writer
	if block != nil {
		block.Write(out.head)
		hashes = append(hashes, block)
	}
	if payload != nil {
		payload.Write(out.head[body:])
		hashes = append(hashes, payload)
		if !out.whole {
			if entity = newEntitySum(e, out.head[:body]); entity != nil {
				_, _ = entity.Write(out.head[body:])
				hashes = append(hashes, entity)
			}
		}
	}
	if !out.whole {
		if _, err := io.Copy(io.MultiWriter(hashes...), e.Block); err != nil {
			return out, err
		}
	}
	for _, c := range []struct {
		d *recorded
		k Kind
	}{{block, KindBlock}, {payload, KindPayload}} {
		if c.d != nil {
			m := c.d.mismatch(s.sum[:0])
			if m != "" && c.k == KindPayload && out.whole {
				if entity = newEntitySum(e, out.head[:body]); entity != nil {
					_, _ = entity.Write(out.head[body:])
				}
			}
			if m != "" && (c.k != KindPayload || !entity.right()) {
				out.wrong = append(out.wrong, Defect{Kind: c.k, Detail: m})
			}
		}
	}
	return out, nil
}

// readHead reads a block, or its first wholeBlock bytes.
func (s *scratch) readHead(e *Entry) ([]byte, error) {
	want := min(e.Size, wholeBlock)
	if cap(s.head) > keptHead && want <= keptHead {
		s.head = nil
	}
	b := s.head[:0]
	for int64(len(b)) < want {
		// A length that is not true takes no more room than there are bytes.
		if len(b) == cap(b) {
			b = slices.Grow(b, int(min(want-int64(len(b)), max(int64(len(b)), keptHead))))
		}
		n, err := e.Block.Read(b[len(b):min(int64(cap(b)), want)])
		b = b[:len(b)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			s.head = b[:0]
			return nil, err
		}
	}
	s.head = b[:0]
	return b, nil
}

// recorded is [parseDigest], with a hash that is used again for what this program writes.
func (s *scratch) recorded(n int, label string) *recorded {
	value, ok := strings.CutPrefix(label, "sha1:")
	if !ok || len(value) != 32 {
		return parseDigest(label)
	}
	if s.hashes[n] == nil {
		s.hashes[n] = sha1.New()
	}
	r := &recorded{label: label, Hash: s.hashes[n]}
	r.Reset()
	var err error
	if r.want, err = base32.StdEncoding.DecodeString(value); err != nil || len(r.want) != sha1.Size {
		return parseDigest(label)
	}
	return r
}

// payloadAt returns the offset of the payload within head.
func (b *digested) payloadAt(e *Entry) int64 {
	kind := e.Header.Get("Content-Type")
	if len(kind) < len(anyHTTP) || !strings.EqualFold(kind[:len(anyHTTP)], anyHTTP) {
		return 0
	}
	if t := e.Type(); t == TypeResponse || t == TypeRevisit {
		line, _, _ := bytes.Cut(b.head[:min(len(b.head), 64)], []byte("\n"))
		head := record.ParseHead(line)
		b.status = head.Status
	}
	return record.HeadLenOf(b.head, e.Type() != TypeRequest)
}

const anyHTTP = "application/http"

// ReadAt returns the record that is the given bytes of a file. The
// entry's Block may be read until close is called; a damaged record is an error
// here or of the Block.
func ReadAt(fs fsx.FS, name string, ref Ref) (e *Entry, close func() error, err error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("warc: read record: %w", err)
	}
	e, err = NewReaderAt(f, ref.Offset, ref.Offset+ref.Length).Next()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		_ = f.Close() // only read from
		return nil, nil, fmt.Errorf("warc: read record at %s offset %d: %w", name, ref.Offset, err)
	}
	return e, f.Close, nil
}
