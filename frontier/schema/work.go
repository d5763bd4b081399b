package schema

import (
	"encoding/binary"

	"exclave/crawl"
)

// WorkKind is a kind of work item: what follows from a commit but may be too much for it.
type WorkKind byte

// The kinds of work items. Values are stored; never renumber.
const (
	WorkLinks WorkKind = 1 // the links of an archived page get its greater claims
	WorkKeep  WorkKind = 2 // the redirects that lead to a URI are archived
)

// Work is a work item. They are done in the order of their numbers.
type Work struct {
	Number uint64
	Kind   WorkKind
	ID     crawl.ID
	From   uint64 // how far it was done
}

// WorkKey returns the key of a work item.
func WorkKey(number uint64) []byte { return numberKey(Works, number) }

// Encode writes the row.
func (w *Work) Encode() []byte {
	e := newEnc()
	e.uv(uint64(w.Kind))
	e.id(w.ID)
	e.uv(w.From)
	return e.b
}

// DecodeWork reads the row of a key.
func DecodeWork(k, v []byte) (Work, error) {
	d := newDec(v)
	w := Work{Number: binary.BigEndian.Uint64(k[1:]), Kind: WorkKind(d.uv()), ID: d.id(), From: d.uv()}
	return w, d.end()
}

func checkWork(k, v []byte) error {
	if err := keyLen(k, 9); err != nil {
		return err
	}
	_, err := DecodeWork(k, v)
	return err
}
