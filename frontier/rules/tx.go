package rules

import (
	"bytes"
	"fmt"
	"net/netip"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/internal/yield"
)

// Tx is one commit: its changes gather in memory, and nothing is visible before they are
// written. What a commit sets and may read again (rows of links and of deferred answers,
// redirects) is kept beside them: making all of them searchable costs more.
type Tx struct {
	env   *Env
	state Rows   // as it was before this commit
	w     Writer // gets the rows, most of them in Flush
	set   map[string][]byte
	edges map[crawl.ID][]crawl.ID // target to sources of redirects
	recs  map[crawl.ID]*schema.Record
	read  map[crawl.ID][]byte // values of those that were known before, decoded or not
	// sought is the key being looked up.
	sought   soughtKey
	Queues   map[uint64]*Queue
	rows     map[uint64][]byte // of hosts, as they were before
	Counters schema.Counters
	Works    int
	// workBehind says that work items were stored behind those in memory.
	workBehind bool
	Lengths    map[uint32]int64 // committed lengths of WARC files
	Lines      [crawl.NumLogs][]byte
	LineCounts [crawl.NumLogs]int64
	Request    *Request      // the request whose URI is being finished
	Logged     *schema.Tally // what crawl.log has of the visit, where a state is made anew
	Returned   []crawl.ID    // URIs no longer in process
	Counted
	// taken are the keys removed from queues, where queues are ordered by the precedence of their head.
	taken map[string]bool
	vias  map[string]crawl.ID // of pages that links were found on
	// Paused are the addresses that are paused from now on.
	Paused   map[netip.Addr]schema.Address
	origins  map[schema.OriginID]*origin
	domains  map[string]*Domain // by their names
	domainAt map[string]*Domain // the same by hosts
	worst    map[uint64]uint8   // precedence of the last URI in a queue before this commit, 0 in an empty one
	Freed    []crawl.ID         // reserved URIs that were removed from their queues
}

// Begin begins a commit. Before it the counters were c, and works work items were left.
func Begin(env *Env, state Rows, b Writer, c schema.Counters, works int) *Tx {
	return &Tx{env: env, state: state, w: b, set: map[string][]byte{}, edges: map[crawl.ID][]crawl.ID{}, recs: map[crawl.ID]*schema.Record{}, read: map[crawl.ID][]byte{}, Queues: map[uint64]*Queue{}, rows: map[uint64][]byte{},
		Counters: c, Works: works, Lengths: map[uint32]int64{}, taken: map[string]bool{}, vias: map[string]crawl.ID{}, Paused: map[netip.Addr]schema.Address{},
		origins: map[schema.OriginID]*origin{}, domains: map[string]*Domain{}, domainAt: map[string]*Domain{}, worst: map[uint64]uint8{}}
}

// scan calls fn for the rows with a prefix, in the order of keys.
func (t *Tx) scan(prefix []byte, fn func(key, value []byte) error) error {
	return t.state.Scan(prefix, prefix, fn)
}

// URIRead passes the row of a URI as it was before this commit, nil: there was none.
func (t *Tx) URIRead(id crawl.ID, v []byte) {
	if v == nil {
		t.recs[id] = nil // known to be new
	} else {
		t.read[id] = v
	}
}

// HostRead passes the row of a host as it was before this commit, nil: there was none.
func (t *Tx) HostRead(hash uint64, v []byte) { t.rows[hash] = v }

// Row returns the value of a key as this commit leaves it, nil when there is none.
func (t *Tx) Row(key []byte) ([]byte, error) {
	if v, ok := t.set[string(key)]; ok {
		return v, nil
	}
	v, err := t.state.Row(key)
	return bytes.Clone(v), err
}

// setRow sets a key that the same commit may read.
func (t *Tx) setRow(key, value []byte) {
	t.set[string(key)] = value
	t.w.Set(key, value)
}

// hostValue returns the row of a host as it was before this commit, nil when there was none.
func (t *Tx) hostValue(hash uint64) ([]byte, error) {
	if v, ok := t.rows[hash]; ok {
		return v, nil
	}
	v, err := t.state.Host(hash)
	if err != nil {
		return nil, err
	}
	t.rows[hash] = v
	return v, nil
}

// Lookup finds the record of a key; nil when it is new. IDs that belong to
// another key are passed over, so the ID of a new key is free.
func (t *Tx) Lookup(key string) (*schema.Record, crawl.ID, error) {
	return t.lookupAt(t.env.Salt.ID(key), key)
}

// lookupAt is Lookup from an ID on.
func (t *Tx) lookupAt(id crawl.ID, key string) (*schema.Record, crawl.ID, error) {
	t.sought = soughtKey{id.Host, key}
	for ; ; id.URI++ {
		r, err := t.Record(id)
		if err != nil {
			return nil, crawl.ID{}, err
		}
		if r == nil || r.Key == key {
			return r, id, nil
		}
	}
}

// Record returns a record for changing; nil when there is none.
func (t *Tx) Record(id crawl.ID) (*schema.Record, error) {
	if r, ok := t.recs[id]; ok {
		return r, nil
	}
	if v := t.read[id]; v != nil {
		return t.decode(id, v)
	}
	v, err := t.state.URI(id)
	if v == nil || err != nil {
		return nil, err
	}
	return t.decode(id, v)
}

// decode makes the record of a value.
func (t *Tx) decode(id crawl.ID, v []byte) (*schema.Record, error) {
	r, err := schema.DecodeRecord(id, v, t.name)
	if err != nil {
		return nil, fmt.Errorf("record %v: %w", id, err)
	}
	t.recs[id], t.read[id] = r, v
	return r, nil
}

// soughtKey is a key being looked up and the hash of its host. It spares reading the name of the host, which the row
// of a URI leaves out.
type soughtKey struct {
	host uint64
	key  string
}

// name returns the name of a host, which this commit may be the first to know.
func (t *Tx) name(hash uint64) (string, error) {
	if t.sought.key != "" && t.sought.host == hash {
		return schema.KeyHost(t.sought.key), nil
	}
	if h := t.Queues[hash]; h != nil {
		return h.Name, nil
	}
	return t.state.Name(hash)
}

// Host returns the row of a host or a queue for changing; a new one where there is none.
func (t *Tx) Host(name string) (*Queue, error) {
	hash := t.env.Salt.Hash(name)
	if h, ok := t.Queues[hash]; ok {
		return h, nil
	}
	h, err := t.open(hash, name)
	if err == nil && h.Name != name {
		return nil, fmt.Errorf("host %s cannot be crawled: its hash is that of %s; exclude one of them", name, h.Name)
	}
	return h, err
}

// open reads the row of a hash that this commit has not read yet; a new one with the name where there is none.
func (t *Tx) open(hash uint64, name string) (*Queue, error) {
	v, err := t.hostValue(hash)
	if err != nil {
		return nil, err
	}
	h := &Queue{Host: schema.Host{Name: name}}
	if v != nil {
		if err := h.Decode(v); err != nil {
			return nil, fmt.Errorf("host %s: %w", name, err)
		}
		h.read, h.Was = v, t.env.Order.Place(&h.Host, hash)
		if name != "" && h.Name != name {
			return h, nil
		}
	}
	t.Queues[hash] = h
	return h, nil
}

// Queue is the row of a host or a queue within a commit, and what the commit does to the queue.
type Queue struct {
	schema.Host
	// Was and At are its places before and after the commit; the zero place: exhausted.
	Was, At schema.Place
	// Put is the least key that was added, nil for none; Taken are the keys that were removed.
	Put   []byte
	Taken [][]byte
	// Requested: it was sent a request, and is snoozed for Delay from now on; Failed: because the request failed.
	Requested bool
	Delay     time.Duration
	Failed    bool
	// Origins: one of its origins failed, answered, or was reset by a retry.
	Origins   bool
	Recovered bool // it does not back off any more

	read  []byte   // value it was read from
	added [][]byte // keys added, where queues are ordered by the precedence of their head
}

// setHost writes the row of a host, and the place of its queue.
func (t *Tx) setHost(hash uint64, h *Queue) {
	now := t.env.Order.Place(&h.Host, hash)
	h.At = now
	if now != h.Was {
		if h.Was != (schema.Place{}) {
			t.w.Delete(h.Was.Key())
		}
		if now != (schema.Place{}) {
			t.w.Set(now.Key(), nil)
		}
		t.Counters.Moved(h.Was, now)
	}
	if n := h.Pending; hash == t.Counters.LongestQueue || n > t.Counters.LongestLength {
		t.Counters.LongestQueue, t.Counters.LongestLength = hash, n
	}
	v := h.Encode()
	if string(v) != string(h.read) {
		t.w.Set(schema.HostKey(hash), v)
	}
}

// Flush hands the rows that changed to the writer. After it the Tx is only read, for publishing.
func (t *Tx) Flush() {
	var loop yield.Loop
	for _, r := range t.recs {
		if r == nil {
			continue
		}
		loop.Step(yield.Rows)
		v := r.Encode()
		if bytes.Equal(v, t.read[r.ID]) {
			continue // most links of a page are known, with the same claim
		}
		t.w.Set(schema.URIKey(r.ID), v)
	}
	t.flushOrigins()
	for hash, h := range t.Queues {
		loop.Step(yield.Rows)
		t.setHost(hash, h)
	}
	for name, d := range t.domains {
		v := d.Encode()
		if bytes.Equal(v, d.read) {
			continue
		}
		t.w.Set(schema.DomainKey(name), v)
	}
	t.flush(t.w)
	t.flushWork()
	t.w.Set(schema.MetaKey(schema.MetaStats), t.Counters.Encode())
}

// Size is how many records of URIs the commit has looked at.
func (t *Tx) Size() int { return len(t.recs) }
