package frontier

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

// readGroup is a group of requests with the rows they are about, read while others before it
// are committed.
type readGroup struct {
	rs    []*request
	since uint64 // commits that were complete when reading began
	uris  []crawl.ID
	recs  store.Rows
	hosts []uint64 // of URIs that are new
	names store.Rows
	err   error
}

// readLoop gathers requests and reads ahead for them, until the frontier is closed and
// nothing is waiting.
func (f *Frontier) readLoop() {
	defer close(f.groups)
	for {
		rs := f.gather()
		if rs == nil {
			return
		}
		a := &readGroup{rs: rs, since: f.recent.Begin()}
		for _, r := range rs {
			r.Identify(&f.salt)
		}
		if f.Err() == nil {
			a.err = f.db.Guard(func() error { return f.readFor(a) })
		}
		f.groups <- a
	}
}

// gather waits for a request and takes those that wait with it. It returns nil at the end.
func (f *Frontier) gather() (group []*request) {
	links := 0
	take := func(r *request) {
		group = append(group, r)
		links += r.Links()
	}
	select {
	case r := <-f.reqs:
		take(r)
	case <-f.quit:
	}
	for len(group) < maxGroup && links < enoughLinks {
		select {
		case r := <-f.reqs:
			take(r)
			continue
		default:
		}
		break
	}
	return group
}

// readFor reads what a group is about, in the order of keys: neighbouring seeks share most of
// their way.
func (f *Frontier) readFor(a *readGroup) (err error) {
	for _, r := range a.rs {
		if r.URI != nil {
			a.uris = append(a.uris, r.URI.ID)
		}
		for i, id := range r.IDs {
			if r.LooksAt(i) {
				a.uris = append(a.uris, id)
			}
		}
	}
	slices.SortFunc(a.uris, byID)
	a.uris = slices.Compact(a.uris)
	it, err := f.db.Iter(nil, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	a.recs = recordRows(a.uris)
	if err := store.ReadRows(&a.recs, a.uris, f.recs, &f.filter, it); err != nil {
		return err
	}
	for i, id := range a.uris { // they sort by host
		if n := len(a.hosts); a.recs.Values[i] == nil && (n == 0 || a.hosts[n-1] != id.Host) {
			a.hosts = append(a.hosts, id.Host)
		}
	}
	a.names = store.NewRows(len(a.hosts), 9)
	for _, hash := range a.hosts {
		a.names.Key(func(b []byte) []byte { return binary.BigEndian.AppendUint64(append(b, byte(schema.Hosts)), hash) })
	}
	return store.ReadRows(&a.names, a.hosts, f.hostRows, &f.filter, it)
}

func recordRows(ids []crawl.ID) store.Rows {
	w := store.NewRows(len(ids), 1+schema.IDLen)
	for _, id := range ids {
		w.Key(func(b []byte) []byte { return schema.AppendID(append(b, byte(schema.URIs)), id) })
	}
	return w
}

// groupsAhead is how many groups may wait for the committer.
const groupsAhead = 8

// nextGroups returns what is to be committed together: what has been read since, until it has
// enough links. There may be nothing when there is work to do in between or queues leave memory;
// it is not ok at the end.
func (f *Frontier) nextGroups() (as []*readGroup, ok bool) {
	links := 0
	take := func(a *readGroup, open bool) {
		if ok = open; !open {
			return
		}
		as = append(as, a)
		for _, r := range a.rs {
			links += r.Links()
		}
	}
	if f.working() == 0 && !f.queuesLeave() {
		select {
		case a, open := <-f.groups:
			take(a, open)
		case <-f.leaving:
			ok = true
		}
	} else {
		ok = true
	}
	for ok && links < enoughLinks {
		select {
		case a, open := <-f.groups:
			take(a, open)
			continue
		default:
		}
		break
	}
	return as, ok || len(as) > 0
}

func requests(as []*readGroup) (rs []*request) {
	for _, a := range as {
		rs = append(rs, a.rs...)
	}
	return rs
}

// takeOver makes what was read ahead what the commit starts from.
func (f *Frontier) takeOver(t *rules.Tx, a *readGroup) error {
	missed := f.recent.Ended(a.since)
	if a.err != nil {
		return a.err
	}
	for _, b := range missed {
		a.recs.Update(b)
		a.names.Update(b)
	}
	store.KeepRows(f.recs, a.uris, &a.recs)
	store.KeepRows(f.hostRows, a.hosts, &a.names)
	for i, hash := range a.hosts {
		t.HostRead(hash, a.names.Values[i])
	}
	var others yield.Loop
	for i, id := range a.uris {
		others.Step(yield.Rows)
		t.URIRead(id, a.recs.Values[i])
	}
	return nil
}

func byID(a, b crawl.ID) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.URI, b.URI)) }
