package frontier

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"exclave/frontier/schema"
)

// puts are the changes of a commit to rows. They are applied in the order of their keys:
// the memory table finds a place next to the last one in half the time.
type puts struct {
	ops  []put
	size int
}

// put sets a row or, without a value to set, deletes it. first is how its key begins, as a
// number that sorts as keys do.
type put struct {
	first      uint64
	number     int
	key, value []byte
	deletes    bool
}

// Set notes a value, which is no longer the caller's.
func (p *puts) Set(key, value []byte) error {
	p.add(put{key: key, value: value})
	return nil
}

// Delete notes that there is to be no such row.
func (p *puts) Delete(key []byte) error {
	p.add(put{key: key, deletes: true})
	return nil
}

func (p *puts) add(o put) {
	var b [8]byte
	copy(b[:], o.key)
	o.first = binary.BigEndian.Uint64(b[:])
	o.number = len(p.ops)
	p.size += len(o.key) + len(o.value) + 8
	p.ops = append(p.ops, o)
}

// batch makes a batch of what was noted; the last of several changes to a row counts.
func (p *puts) batch(db *pebble.DB) (*pebble.Batch, error) {
	slices.SortFunc(p.ops, func(a, b put) int {
		if a.first != b.first {
			return cmp.Compare(a.first, b.first)
		}
		return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(a.number, b.number))
	})
	n := 0
	for i, o := range p.ops {
		if i+1 < len(p.ops) && o.first == p.ops[i+1].first && bytes.Equal(o.key, p.ops[i+1].key) {
			continue
		}
		p.ops[n] = o
		n++
	}
	p.ops = p.ops[:n]
	b := db.NewBatchWithSize(p.size + 64)
	var others turns
	for _, o := range p.ops {
		others.step(4 * everyRow)
		var err error
		if o.deletes {
			err = b.Delete(o.key, nil)
		} else {
			err = b.Set(o.key, o.value, nil)
		}
		if err != nil {
			return nil, errors.Join(err, b.Close())
		}
	}
	return b, nil
}

// from returns the changes, once they are in order, from a key on.
func (p *puts) from(key []byte) []put {
	i, _ := slices.BinarySearchFunc(p.ops, key, func(o put, key []byte) int { return bytes.Compare(o.key, key) })
	return p.ops[i:]
}

// table returns those of a table, once they are in order.
func (p *puts) table(t schema.Table) []put {
	ops := p.from(t.Prefix())
	n, _ := slices.BinarySearchFunc(ops, byte(t)+1, func(o put, next byte) int { return cmp.Compare(o.key[0], next) })
	return ops[:n]
}

// batchWriter is a batch that takes rows.
type batchWriter struct{ *pebble.Batch }

// Set implements Writer.
func (w batchWriter) Set(key, value []byte) error { return w.Batch.Set(key, value, nil) }

// Delete implements Writer.
func (w batchWriter) Delete(key []byte) error { return w.Batch.Delete(key, nil) }
