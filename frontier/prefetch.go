package frontier

import (
	"bytes"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"exclave/crawl"
)

// prefetch reads the records that candidates and finished URIs are about, and the rows of
// the hosts of those that are new, in the order of their keys: neighbouring seeks share most
// of their way.
func (t *tx) prefetch(rs []*request) error {
	var ids []crawl.ID
	for _, r := range rs {
		for i := range r.cands {
			ids = append(ids, t.f.id(r.cands[i].Key))
		}
		if r.uri == nil {
			continue
		}
		ids = append(ids, r.uri.ID)
		for i := range r.uri.Links {
			if i >= maxLinks && i < r.ahead {
				continue
			}
			ids = append(ids, t.f.id(r.uri.Links[i].Key))
		}
	}
	slices.SortFunc(ids, byID)
	ids = slices.Compact(ids)
	keys := make([][]byte, len(ids))
	for i, id := range ids {
		keys[i] = idKey('u', id)
	}
	values, err := t.values(keys)
	if err != nil {
		return err
	}
	var hosts []uint64
	keys = keys[:0]
	for i, id := range ids {
		switch {
		case values[i] != nil:
			if _, err := t.decode(id, values[i]); err != nil {
				return err
			}
		default:
			t.recs[id] = nil                                       // known to be new
			if len(hosts) == 0 || hosts[len(hosts)-1] != id.Host { // ids sort by host
				hosts, keys = append(hosts, id.Host), append(keys, hostKey(id.Host))
			}
		}
	}
	if values, err = t.values(keys); err != nil {
		return err
	}
	for i, hash := range hosts {
		t.rows[hash] = values[i]
	}
	return nil
}

// fewSeeks is up to how many keys one goroutine reads alone.
const fewSeeks = 64

// values returns the values keys had before this commit, nil for one that had none. The
// keys are in order; all processors read, since whoever waits for the commit leaves them
// idle.
func (t *tx) values(keys [][]byte) ([][]byte, error) {
	values := make([][]byte, len(keys))
	parts := min(1+len(keys)/fewSeeks, runtime.GOMAXPROCS(0))
	errs := make([]error, parts)
	read := func(part int) (err error) {
		it, err := t.f.db.NewIter(&seekOptions)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, it.Close()) }()
		for i := len(keys) * part / parts; i < len(keys)*(part+1)/parts; i++ {
			v, err := seek(it, keys[i])
			if err != nil {
				return err
			}
			values[i] = bytes.Clone(v)
		}
		return nil
	}
	var others sync.WaitGroup
	for part := 1; part < parts; part++ {
		others.Go(func() { errs[part] = read(part) })
	}
	errs[0] = read(0)
	others.Wait()
	return values, errors.Join(errs...)
}

// seekOptions make an iterator ask the bloom filters of every level, which Get does not, so
// that a key that is new costs little.
var seekOptions = pebble.IterOptions{UseL6Filters: true}

// seek returns the value of a key, nil when there is none; it is valid until the iterator
// moves.
func seek(it *pebble.Iterator, key []byte) ([]byte, error) {
	if !it.SeekPrefixGE(key) {
		return nil, it.Error()
	}
	return it.ValueAndErr()
}
