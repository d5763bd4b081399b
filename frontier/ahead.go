package frontier

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
)

// readGroup is a group of requests with the rows they are about, read while others before it
// are committed.
type readGroup struct {
	rs    []*request
	since uint64 // commits that were complete when reading began
	uris  []crawl.ID
	recs  rows
	hosts []uint64 // of URIs that are new
	names rows
	err   error
}

// rows are values by their keys, in the order of keys; nil for one that there is not.
type rows struct {
	keys, values [][]byte
	room         []byte // for keys, then for values
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
		a := &readGroup{rs: rs, since: f.recent.begin()}
		for _, r := range rs {
			r.Identify(&f.salt)
		}
		if f.Err() == nil {
			a.err = f.dead.guard(func() error { return f.readFor(a) })
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
	it, err := f.db.NewIter(nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	a.recs = recordRows(a.uris)
	if err := a.recs.read(it, f.recs.fill(a.uris, &a.recs, &f.seen)); err != nil {
		return err
	}
	for i, id := range a.uris { // they sort by host
		if n := len(a.hosts); a.recs.values[i] == nil && (n == 0 || a.hosts[n-1] != id.Host) {
			a.hosts = append(a.hosts, id.Host)
		}
	}
	a.names = newRows(len(a.hosts), 9)
	for _, hash := range a.hosts {
		a.names.key(func(b []byte) []byte { return binary.BigEndian.AppendUint64(append(b, byte(schema.Hosts)), hash) })
	}
	return a.names.read(it, f.hostRows.fill(a.hosts, &a.names, &f.seen))
}

func recordRows(ids []crawl.ID) rows {
	w := newRows(len(ids), 1+schema.IDLen)
	for _, id := range ids {
		w.key(func(b []byte) []byte { return schema.AppendID(append(b, byte(schema.URIs)), id) })
	}
	return w
}

func newRows(n, keyLen int) rows {
	return rows{keys: make([][]byte, 0, n), values: make([][]byte, n), room: make([]byte, 0, n*keyLen)}
}

// key appends a key that build appends to what it is given.
func (w *rows) key(build func([]byte) []byte) {
	n := len(w.room)
	w.room = build(w.room)
	w.keys = append(w.keys, w.room[n:len(w.room):len(w.room)])
}

// valueRoom is the least room made for values at a time.
const valueRoom = 64 << 10

// groupsAhead is how many groups may wait for the committer.
const groupsAhead = 8

func (w *rows) set(i int, v []byte) {
	if v == nil {
		return
	}
	n := len(w.room)
	if cap(w.room)-n < len(v) {
		n, w.room = 0, make([]byte, 0, max(valueRoom, len(v)))
	}
	w.room = append(w.room, v...)
	w.values[i] = w.room[n:len(w.room):len(w.room)]
}

// hash returns the hash that a key ends with.
func (w *rows) hash(i int) uint64 { return binary.BigEndian.Uint64(w.keys[i][len(w.keys[i])-8:]) }

// read reads the values at some places.
func (w *rows) read(it *pebble.Iterator, places []int) error {
	var others turns
	for _, i := range places {
		others.step(everySeek)
		v, err := seek(it, w.keys[i])
		if err != nil {
			return err
		}
		w.set(i, v)
	}
	return nil
}

// seek returns the value of a key, nil when there is none; it is valid until the iterator
// moves.
func seek(it *pebble.Iterator, key []byte) ([]byte, error) {
	if !it.SeekPrefixGE(key) {
		return nil, it.Error()
	}
	return it.ValueAndErr()
}

// recent are the changes of commits that were not complete when somebody began to read
// ahead, who may have missed them.
type recent struct {
	mu      sync.Mutex
	commits uint64   // complete ones
	reading []uint64 // how many were complete when those began who read
	changes []changes
}

// changes are those of the commit of a number.
type changes struct {
	commit uint64
	puts   *puts
}

// begin says that reading begins; it returns the number of commits it sees at least.
func (r *recent) begin() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reading = append(r.reading, r.commits)
	return r.commits
}

// committed notes the changes of a commit that is complete.
func (r *recent) committed(p *puts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.commits++
	r.changes = append(r.changes, changes{r.commits, p})
	r.prune()
}

// ended returns the commits after the first since ones, when what was read is taken over.
func (r *recent) ended(since uint64) (missed []changes) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.changes {
		if c.commit > since {
			missed = append(missed, c)
		}
	}
	if i := slices.Index(r.reading, since); i >= 0 {
		r.reading = slices.Delete(r.reading, i, i+1)
	}
	r.prune()
	return missed
}

// prune drops what everybody has seen who reads. r.mu is held.
func (r *recent) prune() {
	if len(r.reading) == 0 {
		r.changes = nil
		return
	}
	seen := slices.Min(r.reading)
	r.changes = slices.DeleteFunc(r.changes, func(c changes) bool { return c.commit <= seen })
}

// update brings rows up to date with changes.
func (w *rows) update(p *puts) {
	if len(w.keys) == 0 {
		return
	}
	ops := p.from(w.keys[0])
	for i, k := range w.keys {
		for len(ops) > 0 && bytes.Compare(ops[0].key, k) < 0 {
			ops = ops[1:]
		}
		if len(ops) > 0 && bytes.Equal(ops[0].key, k) {
			w.values[i] = ops[0].value
		}
	}
}

// nextGroups returns what is to be committed together: what has been read since, until it has
// enough links. There may be nothing when there is work to do in between or hosts are put off;
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
	if f.working() == 0 && !f.puttingOff() {
		select {
		case a, open := <-f.groups:
			take(a, open)
		case <-f.offs:
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
	missed := f.recent.ended(a.since)
	if a.err != nil {
		return a.err
	}
	for _, c := range missed {
		a.recs.update(c.puts)
		a.names.update(c.puts)
	}
	f.recs.keep(a.uris, a.recs.values)
	f.hostRows.keep(a.hosts, a.names.values)
	for i, hash := range a.hosts {
		t.HostRead(hash, a.names.values[i])
	}
	var others turns
	for i, id := range a.uris {
		others.step(everyRow)
		t.URIRead(id, a.recs.values[i])
	}
	return nil
}
