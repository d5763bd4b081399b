package schema

import (
	"encoding/binary"

	"exclave/crawl"
)

// CaptureKey returns the key of the capture that begins at an offset of a file.
func CaptureKey(file uint32, start int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(Captures.Prefix(), file), uint64(start))
}

// Capture is a capture in a WARC file.
type Capture struct {
	Span     crawl.Span
	ID       crawl.ID
	Response bool // it holds a response or revisit; else only a verdict
	// Original is the record whose payload the revisit record in it has; zero: it holds none of an identical payload.
	Original  crawl.Ref
	Abandoned string // why it is an abandoned capture, "" when it is not
	Carried   []string
}

// Encode writes the row.
func (c *Capture) Encode() []byte {
	e := newEnc()
	e.uv(uint64(c.Span.End))
	e.id(c.ID)
	e.flags(c.Response, !c.Original.IsZero())
	e.str(c.Abandoned)
	e.uv(uint64(len(c.Carried)))
	for _, k := range c.Carried {
		e.str(k)
	}
	if !c.Original.IsZero() {
		e.ref(c.Original)
	}
	return e.b
}

// DecodeCapture reads the row of a key.
func DecodeCapture(k, b []byte) (Capture, error) {
	d := newDec(b)
	file, start := binary.BigEndian.Uint32(k[1:]), int64(binary.BigEndian.Uint64(k[5:]))
	c := Capture{Span: crawl.Span{File: file, Start: start, End: int64(d.uv())}, ID: d.id()}
	revisit := false
	d.flags(&c.Response, &revisit)
	c.Abandoned = d.str()
	for range min(d.uv(), uint64(len(d.b))) {
		c.Carried = append(c.Carried, d.str())
	}
	if revisit {
		c.Original = d.ref()
	}
	return c, d.end()
}

// CapturesOf is what the keys of the captures of a file begin with.
func CapturesOf(file uint32) []byte { return binary.BigEndian.AppendUint32(Captures.Prefix(), file) }

func checkCapture(k, v []byte) error {
	if err := keyLen(k, 13); err != nil {
		return err
	}
	_, err := DecodeCapture(k, v)
	return err
}
