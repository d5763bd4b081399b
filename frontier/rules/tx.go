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
	w     Writer // gets the rows; most of them from flush
	set   map[string][]byte
	edges map[crawl.ID][]crawl.ID // target to sources of redirects
	recs  map[crawl.ID]*schema.Record
	read  map[crawl.ID][]byte // values of those that were known before, decoded or not
	// sought is whose record is looked for.
	sought   soughtKey
	Queues   map[uint64]*Queue
	rows     map[uint64][]byte // of hosts, as they were before
	Counters schema.Counters
	Works    int
	// behind says that work was put behind what is in memory.
	behind     bool
	Lengths    map[uint32]int64 // committed lengths of WARC files
	Lines      [crawl.NumLogs][]byte
	LineCounts [crawl.NumLogs]int64
	Request    *Request      // of the URI that is being finished
	Logged     *schema.Tally // what crawl.log has of it, where a state is made anew
	Back       []crawl.ID    // URIs no longer in process
	Counted
	// taken are the keys taken out of queues, where queues rank by their best.
	taken map[string]bool
	vias  map[string]crawl.ID // of pages that links were found on
	// Paused are addresses for which a general pause begins.
	Paused   map[netip.Addr]schema.Address
	origins  map[schema.OriginID]*origin
	domains  map[string]*Domain // by their names
	domainAt map[string]*Domain // the same by hosts
	worst    map[uint64]uint8   // precedence of the last URI in a queue before this commit, 0 in an empty one
	Freed    []crawl.ID         // URIs that were reserved and are out of their queues
}

// Begin begins a commit after which the counters were c and works pieces of work were left.
func Begin(env *Env, state Rows, b Writer, c schema.Counters, works int) *Tx {
	return &Tx{env: env, state: state, w: b, set: map[string][]byte{}, edges: map[crawl.ID][]crawl.ID{}, recs: map[crawl.ID]*schema.Record{}, read: map[crawl.ID][]byte{}, Queues: map[uint64]*Queue{}, rows: map[uint64][]byte{},
		Counters: c, Works: works, Lengths: map[uint32]int64{}, taken: map[string]bool{}, vias: map[string]crawl.ID{}, Paused: map[netip.Addr]schema.Address{},
		origins: map[schema.OriginID]*origin{}, domains: map[string]*Domain{}, domainAt: map[string]*Domain{}, worst: map[uint64]uint8{}}
}

// scan calls fn for the rows with a prefix, in the order of keys.
func (t *Tx) scan(prefix []byte, fn func(key, value []byte) error) error {
	return t.state.Scan(prefix, prefix, fn)
}

// URIRead says what the row of a URI was before this commit, nil: there was none.
func (t *Tx) URIRead(id crawl.ID, v []byte) {
	if v == nil {
		t.recs[id] = nil // known to be new
	} else {
		t.read[id] = v
	}
}

// HostRead says what the row of a host was before this commit, nil: there was none.
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

// lookupAt is lookup from the id of the key on.
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

// soughtKey is a key and the hash of its host: who looks up a known URI has the name of its host,
// which its row leaves out.
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

// open returns the row of a hash, which is not open yet; a new one of the name where there is none.
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
	// Was and At are where it stands before and after the commit; the zero place: nowhere.
	Was, At schema.Place
	// Put is the least key that was put into it, nil for none; Taken are those that were taken out of it.
	Put   []byte
	Taken [][]byte
	// Asked: one of its URIs was asked for, and it rests for Rest from now on; Failed: because that failed.
	Asked  bool
	Rest   time.Duration
	Failed bool
	// Origins: one of them failed, answered, or what is known of it was forgotten.
	Origins bool
	Eased   bool // its rest after failures is over

	read []byte   // value it was read from
	came [][]byte // keys put into it, where queues rank by their best
}

// setHost puts the row of a host into the batch, and its place.
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
	if n := h.Waiting; hash == t.Counters.LongestQueue || n > t.Counters.LongestLength {
		t.Counters.LongestQueue, t.Counters.LongestLength = hash, n
	}
	v := h.Encode()
	if string(v) != string(h.read) {
		t.w.Set(schema.HostKey(hash), v)
	}
}

// Flush hands the rows that changed to the writer. Nothing is done with the Tx afterwards but to read what it published.
func (t *Tx) Flush() {
	var loop yield.Loop
	for _, r := range t.recs {
		if r == nil {
			continue
		}
		loop.Step(yield.Rows)
		v := r.Encode()
		if bytes.Equal(v, t.read[r.ID]) {
			continue // most links of a page are known and want nothing new
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
