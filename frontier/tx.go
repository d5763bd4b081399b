package frontier

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"exclave/crawl"
	"exclave/frontier/schema"
)

// tx is one commit: its changes gather in memory, and nothing is visible before they are
// applied. What a commit sets and may read again (rows of links and of deferred answers,
// redirects) is kept beside them: making all of them searchable costs more.
type tx struct {
	f      *Frontier
	b      puts
	it     *pebble.Iterator // of the state before this commit, for seek; nil until needed
	set    map[string][]byte
	edges  map[crawl.ID][]crawl.ID // target to sources of redirects
	recs   map[crawl.ID]*schema.Record
	read   map[crawl.ID][]byte // values of those that were known before, decoded or not
	sought sought              // whose record is looked for
	hosts  map[uint64]*openHost
	rows   map[uint64][]byte // of hosts, as they were before
	st     schema.Counters
	works  int
	// behind says that work was put behind what is in memory.
	behind bool
	lens   map[uint32]int64 // committed lengths of WARC files
	lines  [crawl.NumLogs][]byte
	count  [crawl.NumLogs]int64
	// rest is how long hosts whose URI comes back must not be asked.
	rest   map[uint64]time.Duration
	failed map[uint64]bool   // those of rest whose last attempt failed
	req    *request          // of the URI that is being finished
	logged *schema.Tally     // what crawl.log has of it, where a state is made anew
	back   []crawl.ID        // URIs no longer in process
	low    map[uint64][]byte // least key put into each host's queue
	counted
	// came and away are the keys put into queues and taken out of them, where queues rank by
	// their best.
	came map[uint64][][]byte
	away map[string]bool
	gone map[uint64][]byte // the last key taken out of each host's queue
	know news
	vias map[string]crawl.ID // of pages that links were found on
	// addresses are those for which a general pause begins.
	addresses map[netip.Addr]schema.Address
	off       []putOff        // hosts put off
	dropped   map[uint64]bool // hosts in whose queues URIs were moved, or taken anywhere
	origins   map[schema.OriginID]*openOrigin
	turned    map[uint64]bool        // hosts of which an origin failed or answered again
	eased     map[uint64]bool        // hosts whose rest after failures is over
	domains   map[string]*openDomain // by their names
	domainAt  map[string]*openDomain // the same by hosts
	queues    *pebble.Iterator       // of the state before this commit, for giveWay; nil until needed
	worst     map[uint64]uint8       // precedence of the last URI in a queue before this commit, 0 in an empty one
	freed     []crawl.ID             // URIs that gave way
}

func (f *Frontier) begin() *tx {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &tx{f: f, set: map[string][]byte{}, edges: map[crawl.ID][]crawl.ID{}, recs: map[crawl.ID]*schema.Record{}, read: map[crawl.ID][]byte{}, hosts: map[uint64]*openHost{}, rows: map[uint64][]byte{}, st: f.st,
		works: f.works, lens: map[uint32]int64{}, rest: map[uint64]time.Duration{}, failed: map[uint64]bool{}, low: map[uint64][]byte{},
		came: map[uint64][][]byte{}, away: map[string]bool{}, gone: map[uint64][]byte{}, vias: map[string]crawl.ID{}, addresses: map[netip.Addr]schema.Address{}, off: f.off[:min(len(f.off), maxLinks)], dropped: map[uint64]bool{}, origins: map[schema.OriginID]*openOrigin{}, turned: map[uint64]bool{}, eased: map[uint64]bool{}, domains: map[string]*openDomain{}, domainAt: map[string]*openDomain{}, worst: map[uint64]uint8{}}
}

// discard gives the tx back, unless a store that died may still read it.
func (t *tx) discard() error {
	if t.f.dead.cause() != nil {
		return nil
	}
	var errs []error
	for _, it := range []*pebble.Iterator{t.it, t.queues} {
		if it != nil {
			errs = append(errs, it.Close())
		}
	}
	t.it, t.queues = nil, nil
	return errors.Join(errs...)
}

// seek returns the value a key had before this commit, nil when there was none; it
// is the caller's until the next seek. One iterator serves the whole commit.
func (t *tx) seek(key []byte) (v []byte, err error) {
	if t.it == nil {
		if t.it, err = t.f.db.NewIter(nil); err != nil {
			return nil, err
		}
	}
	return seek(t.it, key)
}

// row returns the value of a key as this commit leaves it, nil when there is none.
func (t *tx) row(key []byte) ([]byte, error) {
	if v, ok := t.set[string(key)]; ok {
		return v, nil
	}
	v, err := t.seek(key)
	return bytes.Clone(v), err
}

// setRow sets a key that the same commit may read.
func (t *tx) setRow(key, value []byte) error {
	t.set[string(key)] = value
	return t.b.Set(key, value, nil)
}

// hostValue returns the row of a host as it was before this commit, nil when there was none.
func (t *tx) hostValue(hash uint64) ([]byte, error) {
	if v, ok := t.rows[hash]; ok {
		return v, nil
	}
	v := t.f.hostRows.get(hash)
	if v == nil {
		read, err := t.seek(schema.HostKey(hash))
		if err != nil {
			return nil, err
		}
		v = bytes.Clone(read)
	}
	t.rows[hash] = v
	return v, nil
}

// lookup finds the record of a key; nil when it is new. Ids that belong to
// another key are passed over, so the id of a new key is free.
func (t *tx) lookup(key string) (*schema.Record, crawl.ID, error) {
	return t.lookupAt(t.f.id(key), key)
}

// lookupAt is lookup from the id of the key on.
func (t *tx) lookupAt(id crawl.ID, key string) (*schema.Record, crawl.ID, error) {
	t.sought = sought{id.Host, key}
	for ; ; id.URI++ {
		r, err := t.record(id)
		if err != nil {
			return nil, crawl.ID{}, err
		}
		if r == nil || r.Key == key {
			return r, id, nil
		}
	}
}

// record returns a record for changing; nil when there is none.
func (t *tx) record(id crawl.ID) (*schema.Record, error) {
	if r, ok := t.recs[id]; ok {
		return r, nil
	}
	if v := t.read[id]; v != nil {
		return t.decode(id, v)
	}
	if v := t.f.recs.get(id); v != nil {
		return t.decode(id, v)
	}
	v, err := t.seek(schema.URIKey(id))
	if v == nil || err != nil {
		return nil, err
	}
	return t.decode(id, bytes.Clone(v)) // names seek too
}

// decode makes the record of a value.
func (t *tx) decode(id crawl.ID, v []byte) (*schema.Record, error) {
	r, err := schema.DecodeRecord(id, v, t.name)
	if err != nil {
		return nil, fmt.Errorf("record %v: %w", id, err)
	}
	t.recs[id], t.read[id] = r, v
	return r, nil
}

// sought is a key and the hash of its host: who looks up a known URI has the name of its host,
// which its row leaves out.
type sought struct {
	host uint64
	key  string
}

// name returns the name of a host, which this commit may be the first to know.
func (t *tx) name(hash uint64) (string, error) {
	if t.sought.key != "" && t.sought.host == hash {
		return schema.KeyHost(t.sought.key), nil
	}
	if h := t.hosts[hash]; h != nil {
		return h.Name, nil
	}
	return t.f.names.get(hash, func(hash uint64) (string, error) {
		v, err := t.hostValue(hash)
		return decodeName(hash, v, err)
	})
}

// via returns the id of a page that was finished, the zero id for another.
func (t *tx) via(url string) (crawl.ID, error) {
	if url == "" {
		return crawl.ID{}, nil
	}
	if id, ok := t.vias[url]; ok {
		return id, nil
	}
	r, id, err := t.lookup(url)
	if err != nil {
		return crawl.ID{}, err
	}
	if r == nil || r.URL != url || r.Finishes == 0 { // one that only waits may give way to another
		id = crawl.ID{}
	}
	t.vias[url] = id
	return id, nil
}

// found notes on which page a URI was found. A seed's was read by another harvest: whether
// it is known here, too, does not matter.
func (t *tx) found(r *schema.Record, c *crawl.Candidate) (err error) {
	if c.Seed {
		r.ViaID, r.Via = crawl.ID{}, c.Via
		return nil
	}
	if r.ViaID, err = t.via(c.Via); err != nil {
		return err
	}
	if r.Via = ""; r.ViaID == (crawl.ID{}) {
		r.Via = c.Via
	}
	return nil
}

func (t *tx) host(name string) (*openHost, error) {
	hash := t.f.hash(name)
	if h, ok := t.hosts[hash]; ok {
		return h, nil
	}
	v, err := t.hostValue(hash)
	if err != nil {
		return nil, err
	}
	h := &openHost{Host: schema.Host{Name: name}}
	if v != nil {
		if err := h.Decode(v); err != nil {
			return nil, fmt.Errorf("host %s: %w", name, err)
		}
		h.read, h.was = v, t.f.order.stands(&h.Host, hash)
	}
	if h.Name != name {
		return nil, fmt.Errorf("host %s cannot be crawled: its hash is that of %s; exclude one of them", name, h.Name)
	}
	t.hosts[hash] = h
	return h, nil
}

// enqueue puts a URI into its host's queue.
func (t *tx) enqueue(r *schema.Record, m crawl.Mode) error {
	switch r.State {
	case schema.Parked:
		t.st.Parked--
	case schema.Done:
		t.st.Finished--
	}
	r.State, r.Mode, r.Attempts = schema.Waiting, m, 0
	t.st.Queued++
	t.st.Seq++
	r.Seq = t.st.Seq
	r.Precedence = t.f.order.prec(r)
	if err := t.assign(r); err != nil {
		return err
	}
	q, hash, err := t.queue(r)
	if err != nil {
		return err
	}
	if q.Waiting++; q.Waiting == 1 {
		q.Ticket, q.Spent = t.f.wall(), 0
	}
	if err := errors.Join(t.revive(r, q), t.joined(r, q, hash)); err != nil {
		return err
	}
	t.put(q, hash, r)
	return t.b.Set(schema.QueueKey(hash, r.Precedence, r.Seq), schema.EncodeQueued(hash, r.ID, t.f.originTag(r.URL)), nil)
}

// dequeue takes a URI out of its host's queue; its next state is the caller's
// matter.
func (t *tx) dequeue(r *schema.Record) error {
	q, hash, err := t.queue(r)
	if err != nil {
		return err
	}
	q.Waiting--
	t.st.Queued--
	key := schema.QueueKey(hash, r.Precedence, r.Seq)
	if t.gone[hash] != nil {
		t.dropped[hash] = true
	}
	t.gone[hash] = key
	return errors.Join(t.b.Delete(key, nil), t.left(q, hash, key))
}

// upsert makes a candidate known, or joins its claim to what is known. It returns nil
// for one that the limits refuse. id is that of its key, from the page it was found on.
func (t *tx) upsert(c *crawl.Candidate, id crawl.ID, from origin) (*schema.Record, error) {
	r, id, err := t.lookupAt(id, c.Key)
	if err != nil {
		return nil, err
	}
	if r == nil {
		r = &schema.Record{ID: id, URL: c.URL, Key: c.Key, Host: c.Host, Hops: c.Hops, Kind: c.Kind,
			Context: c.Context, SourceTag: c.SourceTag, Seed: c.Seed, Claim: c.Claim, Force: c.Force, State: schema.Parked,
			Found: from.found, InWanted: from.inWanted, Empty: from.empty}
		r.SetWays(c.Reached())
		h, fresh, err := t.known(c.Host) // before its only URI gives way
		if err != nil {
			return nil, err
		}
		ok, err := t.admit(r, h, fresh)
		if err != nil {
			return nil, err
		}
		if !ok {
			t.st.Refused++
			return nil, nil
		}
		if err := t.found(r, c); err != nil {
			return nil, err
		}
		if err := t.learnURI(r, fresh); err != nil { // a URI without its host could not be read
			return nil, err
		}
		t.recs[id] = r
		t.st.Discovered++
		t.st.Parked++
		if c.Claim.IsZero() && !c.Force {
			return r, nil
		}
		return r, t.enqueue(r, crawl.ModeFetch)
	}
	was, again := guess(r), r.State == schema.Done && t.f.order.nearer(r, r.Hops, c.Hops)
	if (again || r.State != schema.Done) && fewerHops(c.Hops, r.Hops) {
		r.OwnWays, r.Hops = r.Ways(), c.Hops
		if err := t.found(r, c); err != nil {
			return nil, err
		}
	}
	if c.Seed && r.Hops == "" && r.Via == "" {
		r.Via = c.Via // of several logs the first that says so
	}
	r.Seed = r.Seed || c.Seed
	r.InWanted = r.InWanted || from.inWanted
	if t.f.order.follows && from.found.Better(r.Found) {
		r.Found = from.found
	}
	r.Empty = min(r.Empty, from.empty)
	if c.Force && r.State != schema.Waiting {
		r.Force = true
		r.Claim, r.OwnWays = r.Claim.Join(c.Claim), r.Ways().Join(c.Reached())
		return r, errors.Join(t.enqueue(r, crawl.ModeFetch), t.guessed(r, was))
	}
	if err := errors.Join(t.join(r, c.Claim, c.Reached()), t.guessed(r, was)); err != nil {
		return nil, err
	}
	if again && r.State == schema.Done {
		return r, t.leadAgain(r)
	}
	return r, t.better(r)
}

func byID(a, b crawl.ID) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.URI, b.URI)) }

// fewerHops orders paths by their link hops, then by length, then by their
// letters, so that the order of discovery cannot matter.
func fewerHops(a, b string) bool {
	return cmp.Or(cmp.Compare(crawl.LinkHops(a), crawl.LinkHops(b)), cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) < 0
}

// join adds a claim and ways to a record and sees to what follows from it.
func (t *tx) join(r *schema.Record, c crawl.Claim, w crawl.Ways) error {
	claim, ways := r.Claim, r.Ways()
	r.Claim = claim.Join(c)
	joined := ways.Join(w)
	if r.Claim == claim && joined == ways {
		return nil
	}
	r.SetWays(joined)
	switch r.State {
	case schema.Parked:
		if !r.Claim.IsZero() {
			return t.enqueue(r, crawl.ModeFetch)
		}
	case schema.Waiting:
		return t.better(r)
	case schema.Done:
		return t.grown(r, claim, ways)
	}
	return nil
}

// grown sees to a finished URI whose claim and ways are more than what it was processed
// with.
func (t *tx) grown(r *schema.Record, old crawl.Claim, ways crawl.Ways) error {
	d := &t.f.o.Depths
	redirect := r.Outcome.Class == crawl.ClassRedirect
	if redirect && r.Targeted && r.Claim.Keep && !old.Keep {
		if err := t.addWork(schema.WorkKeep, r.ID); err != nil {
			return err
		}
	}
	switch max(d.Again(r.Claim, r.Outcome), d.AgainBy(r.Outcome, old, r.Claim, ways, r.Ways())) {
	case crawl.AgainFetch:
		return t.enqueue(r, crawl.ModeFetch)
	case crawl.AgainJudge:
		if err := t.enqueue(r, crawl.ModeJudge); err != nil {
			return err
		}
	}
	old.Keep = r.Claim.Keep
	if redirect && (r.Claim != old || r.Ways() != ways) || r.Outcome.Archived && d.Flags(r.Claim, r.Outcome) != d.Flags(old, r.Outcome) {
		return t.addWork(schema.WorkLinks, r.ID)
	}
	return nil
}
