package schema

import (
	"crypto/sha256"

	"exclave/crawl"
)

// payloadKeyLen is how many bytes of the hash of what a payload is known by its key has.
const payloadKeyLen = 20

// PayloadKey returns the key of the record that has a payload, by what that is known by (the name in [crawl.Payload]).
func PayloadKey(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return append(Payloads.Prefix(), sum[:payloadKeyLen]...)
}

// EncodePayload writes the row of a record that revisit records may refer to.
func EncodePayload(o *crawl.Original) []byte {
	e := newEnc()
	e.ref(o.Ref)
	e.str(o.ID)
	e.str(o.URL)
	e.time(o.Date)
	e.str(o.Digest)
	return e.b
}

// DecodePayload reads it.
func DecodePayload(v []byte) (o crawl.Original, err error) {
	d := newDec(v)
	o.Ref, o.ID, o.URL, o.Date, o.Digest = d.ref(), d.str(), d.str(), d.time(), d.str()
	return o, d.end()
}

func checkPayload(k, v []byte) error {
	if err := keyLen(k, 1+payloadKeyLen); err != nil {
		return err
	}
	_, err := DecodePayload(v)
	return err
}
