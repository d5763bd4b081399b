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

// Origin is the row of an origin that failed. The zero row is that of an origin that did not.
type Origin struct {
	Name    string
	Backoff uint8     // failures that its back-off is for, halved by each answer
	GaveUp  bool      // a URI was given up because the origin did not answer: others are tried once
	Until   time.Time // end of its back-off; wall time
}

// Failing reports whether one URI of the origin at a time may be in process.
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
