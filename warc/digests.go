package warc

import (
	"crypto/sha1"
	"errors"
	"strings"

	"exclave/internal/record"
)

// Digests checks the digests of a record while its block is written to it. Of an unknown algorithm or form nothing is checked.
type Digests struct {
	block, payload *recorded
	entity         *entitySum
	entry          *Entry
	http, answer   bool
	head           []byte // until the payload begins
	begun          bool
}

// NewDigests returns what checks the digests that the header of e names, or makes those of an ARC record, which has none.
func NewDigests(e *Entry) *Digests {
	d := &Digests{entry: e, block: parseDigest(e.Header.Get("WARC-Block-Digest")), answer: e.Type() != TypeRequest}
	if e.Type() != TypeRevisit && e.Header.Get("WARC-Segment-Number") == "" {
		d.payload = parseDigest(e.Header.Get("WARC-Payload-Digest"))
	}
	kind := e.Header.Get("Content-Type")
	d.http = len(kind) >= len(anyHTTP) && strings.EqualFold(kind[:len(anyHTTP)], anyHTTP)
	d.begun = !d.http
	if e.Version == VersionARC {
		d.block = &recorded{Hash: sha1.New()}
		if d.http {
			d.payload = &recorded{Hash: sha1.New()}
		}
	}
	return d
}

// Made returns the digests of an ARC record, as fields, after the whole block was written. What they vouch for is that nothing changed since.
func (d *Digests) Made() (out []Field) {
	d.end()
	for _, c := range []struct {
		d    *recorded
		name string
	}{{d.block, "WARC-Block-Digest"}, {d.payload, "WARC-Payload-Digest"}} {
		if c.d != nil && c.d.want == nil {
			out = append(out, Field{c.name, Label(c.d.Sum(nil))})
		}
	}
	return out
}

func (d *Digests) end() {
	if !d.begun && d.payload != nil {
		d.begin()
	}
}

// Write takes the next bytes of the block. It returns no error.
func (d *Digests) Write(p []byte) (int, error) {
	if d.block != nil {
		d.block.Write(p)
	}
	if d.payload == nil {
		return len(p), nil
	}
	if d.begun {
		d.body(p)
		return len(p), nil
	}
	if d.head = append(d.head, p...); len(d.head) >= record.MaxHead {
		d.begin()
	}
	return len(p), nil
}

// begin looks for the end of the HTTP header.
func (d *Digests) begin() {
	d.begun = true
	head := d.head[:min(len(d.head), record.MaxHead)]
	n := record.HeadLenOf(head, d.answer)
	d.entity = newEntitySum(d.entry, d.head[:n])
	d.body(d.head[n:])
	d.head = nil
}

// body takes the next bytes of the payload.
func (d *Digests) body(p []byte) {
	d.payload.Write(p)
	if d.entity != nil {
		_, _ = d.entity.Write(p)
	}
}

// Wrong says what differs, after the whole block was written; it is empty when nothing does.
func (d *Digests) Wrong() string {
	d.end()
	var errs []error
	for _, c := range []struct {
		d *recorded
		k Kind
	}{{d.block, KindBlock}, {d.payload, KindPayload}} {
		if c.d != nil && c.d.want != nil {
			if m := c.d.mismatch(nil); m != "" && (c.k != KindPayload || !d.entity.right()) {
				errs = append(errs, errors.New(string(c.k)+": "+m))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return ""
}
