package schema

import (
	"encoding/binary"
	"time"
)

// OriginID is an origin in a queue.
type OriginID struct {
	Queue uint64
	Tag   uint32
}

// Key returns the key of the row.
func (o OriginID) Key() []byte {
	return binary.BigEndian.AppendUint32(numberKey(FailedOrigins, o.Queue), o.Tag)
}

// Origin is what is known of an origin that failed. The zero row is that of one that did not.
type Origin struct {
	Name    string
	Backoff uint8     // failures that made it rest, halved by every answer
	GaveUp  bool      // a URI was given up because nobody answered: others are tried once
	Until   time.Time // not before; wall time
}

// Failing reports whether the origin is asked for one URI at a time.
func (o *Origin) Failing() bool { return o.Backoff > 0 || o.GaveUp }

// Encode writes the row.
func (o *Origin) Encode() []byte {
	e := newEnc()
	e.str(o.Name)
	e.uv(uint64(o.Backoff))
	e.flags(o.GaveUp)
	e.time(o.Until)
	return e.b
}

// DecodeOrigin reads the row.
func DecodeOrigin(v []byte) (o Origin, err error) {
	d := newDec(v)
	o.Name, o.Backoff = d.str(), uint8(d.uv())
	d.flags(&o.GaveUp)
	o.Until = d.time()
	return o, d.end()
}

// OriginsPrefix is what the keys of origins in a queue begin with.
func OriginsPrefix(queue uint64) []byte { return numberKey(FailedOrigins, queue) }

func checkOrigin(k, v []byte) error {
	if err := keyLen(k, 13); err != nil {
		return err
	}
	_, err := DecodeOrigin(v)
	return err
}
