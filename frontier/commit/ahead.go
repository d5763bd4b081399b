package commit

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/frontier/store"
	"exclave/internal/yield"
)

// Reader reads ahead the rows that requests need.
type Reader struct {
	Store  *store.Store
	Salt   *schema.Salt
	URIs   *store.Cache[crawl.ID, []byte]
	Hosts  *store.Cache[uint64, []byte]
	Known  *store.Filter
	Recent *store.Recent // commits that a reader may have missed
}

// Ahead is a group of requests with the rows they need, read while the groups before it
// are committed.
type Ahead struct {
	requests []*Request
	since    uint64 // how many commits were complete when reading began
	uris     []crawl.ID
	records  store.Rows
	hosts    []uint64 // of URIs that are not known yet
	names    store.Rows
	err      error
}

// readLoop gathers requests and reads ahead for them, until the committer is stopped and
// no request is left.
func (c *Committer) readLoop() {
	defer close(c.groups)
	for {
		rs := c.gather()
		if rs == nil {
			return
		}
		a := &Ahead{requests: rs, since: c.env.Ahead.Recent.BeginRead()}
		for _, r := range rs {
			r.Identify(c.env.Ahead.Salt)
		}
		if c.env.Err() == nil {
			a.err = c.read(a)
		}
		c.groups <- a
	}
}

// gather waits for a request and takes all others that are waiting, up to the bounds of a group. It returns nil when the
// committer was stopped and no request is left.
func (c *Committer) gather() (group []*Request) {
	links := 0
	take := func(r *Request) {
		group = append(group, r)
		links += r.Links()
	}
	select {
	case r := <-c.reqs:
		take(r)
	case <-c.quit:
	}
	for len(group) < maxGroup && links < enoughLinks {
		select {
		case r := <-c.reqs:
			take(r)
			continue
		default:
		}
		break
	}
	return group
}

// read reads the rows that a group needs, in the order of keys, because seeks of neighbouring
// keys are cheaper.
func (r *Reader) read(a *Ahead) (err error) {
	for _, q := range a.requests {
		if q.URI != nil {
			a.uris = append(a.uris, q.URI.ID)
		}
		for i, id := range q.IDs {
			if q.LooksAt(i) {
				a.uris = append(a.uris, id)
			}
		}
	}
	slices.SortFunc(a.uris, byID)
	a.uris = slices.Compact(a.uris)
	it, err := r.Store.Iter(nil, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	a.records = store.NewRows(len(a.uris), 1+schema.IDLen)
	for _, id := range a.uris {
		a.records.Key(func(b []byte) []byte { return schema.AppendID(append(b, byte(schema.URIs)), id) })
	}
	if err := store.ReadRows(&a.records, a.uris, r.URIs, r.Known, it); err != nil {
		return err
	}
	for i, id := range a.uris { // sorted by host
		if n := len(a.hosts); a.records.Values[i] == nil && (n == 0 || a.hosts[n-1] != id.Host) {
			a.hosts = append(a.hosts, id.Host)
		}
	}
	a.names = store.NewRows(len(a.hosts), 9)
	for _, hash := range a.hosts {
		a.names.Key(func(b []byte) []byte { return binary.BigEndian.AppendUint64(append(b, byte(schema.Hosts)), hash) })
	}
	return store.ReadRows(&a.names, a.hosts, r.Hosts, r.Known, it)
}

// TakeOver gives the rows that were read ahead to the transaction, brought up to date with the commits since.
func (r *Reader) TakeOver(t *rules.Tx, a *Ahead) error {
	missed := r.Recent.EndRead(a.since)
	if a.err != nil {
		return a.err
	}
	for _, b := range missed {
		a.records.Update(b)
		a.names.Update(b)
	}
	store.KeepRows(r.URIs, a.uris, &a.records)
	store.KeepRows(r.Hosts, a.hosts, &a.names)
	for i, hash := range a.hosts {
		t.HostRead(hash, a.names.Values[i])
	}
	var others yield.Loop
	for i, id := range a.uris {
		others.Step(yield.Rows)
		t.URIRead(id, a.records.Values[i])
	}
	return nil
}

func byID(a, b crawl.ID) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.URI, b.URI)) }
