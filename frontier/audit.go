package frontier

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/frontier/store"
	"exclave/internal/extsort"
)

// Audit is a look for contradictions within the state. What is compared comes in the order of its
// keys, from the state or sorted on disk, so that memory does not grow with it.
type Audit struct {
	Scratch *extsort.Scratch // where to sort
	// Note hears one sentence for each contradiction.
	Note func(sentence string)
	// Each, unless nil, is called for every URI known, in the order of their IDs: host, then URI.
	Each func(*schema.Record) error
}

// Check looks for contradictions within the state and returns one sentence for each.
func (f *Frontier) Check() (bad []string, err error) {
	scratch := extsort.NewScratch("", auditChunk)
	defer func() { err = errors.Join(err, scratch.Close()) }()
	err = f.Audit(context.Background(), Audit{Scratch: scratch, Note: func(s string) { bad = append(bad, s) }})
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.sched.IllegalMoves() {
		bad = append(bad, fmt.Sprintf("queues made a move that is not in the table of moves: %v", m))
	}
	return bad, err
}

// auditChunk is the size of a chunk of the sorters of [Frontier.Check].
const auditChunk = 8 << 20

// Audit makes the look. It ends, with an error, when ctx does.
func (f *Frontier) Audit(ctx context.Context, a Audit) (err error) {
	// One instant of the state: the committer may be at work.
	db, err := f.db.Snapshot()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	u := &auditing{Audit: a, f: f, db: db, ctx: ctx,
		queued: a.Scratch.Sorter("queued"), hosts: a.Scratch.Sorter("hosts"), vias: a.Scratch.Sorter("vias").Remember()}
	defer func() {
		for _, s := range []*extsort.Sorter{u.queued, u.hosts, u.vias} {
			s.Abandon()
		}
	}()
	for _, step := range []func() error{u.queues, u.records, u.pages, u.places, u.hostRows, u.statistics} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

type auditing struct {
	Audit
	f   *Frontier
	db  *store.Snapshot
	ctx context.Context
	n   int
	// queued are the rows of queues: by ID, with their keys and what they tell of the origin.
	queued *extsort.Sorter
	// hosts is what other rows tell of a host: by its hash and a kind, numbers.
	hosts *extsort.Sorter
	vias  *extsort.Sorter // IDs of pages that URIs were found on
	st    schema.Stats
	// The host that records belong to that were read last, and how many they are.
	host  string
	hash  uint64
	known uint64
	parts uint64 // of what hosts are told, so that no two are equal
}

// Kinds of what hosts is told.
const (
	toldKnown = iota
	toldWaiting
	toldIll
	toldPlace
)

func (u *auditing) note(format string, a ...any) { u.Note(fmt.Sprintf(format, a...)) }

// step looks at ctx now and then.
func (u *auditing) step() error {
	if u.n++; u.n%1024 == 0 {
		return u.ctx.Err()
	}
	return nil
}

func (u *auditing) tell(host, kind uint64, numbers ...uint64) error {
	u.parts++
	var b [3 * 8]byte
	out := b[:0]
	for _, n := range numbers {
		out = binary.BigEndian.AppendUint64(out, n)
	}
	return u.hosts.Add(host, kind, binary.BigEndian.AppendUint64(out, u.parts))
}

// counter tells of rows that come by host.
type counter struct {
	u    *auditing
	kind uint64
	host uint64
	n    uint64
}

func (c *counter) add(host uint64) error {
	var err error
	if c.n > 0 && host != c.host {
		err = c.end()
	}
	c.host, c.n = host, c.n+1
	return err
}

func (c *counter) end() error {
	if c.n == 0 {
		return nil
	}
	err := c.u.tell(c.host, c.kind, c.n)
	c.n = 0
	return err
}

// queues reads the rows of queues.
func (u *auditing) queues() error {
	waiting := &counter{u: u, kind: toldWaiting}
	if err := u.db.Scan(schema.Queues.Prefix(), func(k, v []byte) error {
		host := binary.BigEndian.Uint64(k[1:])
		id, origin, err := schema.DecodeQueued(host, v)
		if err != nil {
			return err
		}
		var tag [schema.TagLen]byte
		binary.BigEndian.PutUint32(tag[:], origin)
		return errors.Join(u.step(), waiting.add(host), u.queued.Add(id.Host, id.URI, tag[:], k))
	}); err != nil {
		return err
	}
	return waiting.end()
}

// records reads all URIs, beside the queues.
func (u *auditing) records() (err error) {
	queued, err := u.queued.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, queued.Close()) }()
	more := queued.Next()
	// before handles queue rows up to an ID, and returns whether it stands in one.
	before := func(id crawl.ID, last bool) (in bool, origin uint32) {
		for more {
			at := crawl.ID{Host: queued.A, URI: queued.B}
			if !last && at.Compare(id) > 0 {
				break
			}
			hit := !last && at == id
			first := true
			for ; more && queued.A == at.Host && queued.B == at.URI; more = queued.Next() {
				if !first {
					u.note("URI %v stands in the queues twice", at)
				}
				first = false
				if hit {
					in, origin = true, binary.BigEndian.Uint32(queued.Data)
				}
			}
			if !hit {
				u.note("the queues hold URI %v, which has no record", at)
			}
		}
		return in, origin
	}
	if err := eachURI(u.db, func(r *schema.Record) error {
		if err := u.step(); err != nil {
			return err
		}
		in, origin := before(r.ID, false)
		u.f.checkRecord(r, in, origin, u.note)
		count(&u.st, r)
		if err := u.knownOf(r); err != nil {
			return err
		}
		if r.ViaID != (crawl.ID{}) {
			if err := u.vias.Add(r.ViaID.Host, r.ViaID.URI); err != nil {
				return err
			}
		}
		if u.Each != nil {
			return u.Each(r)
		}
		return nil
	}); err != nil {
		return err
	}
	before(crawl.ID{}, true)
	return errors.Join(queued.Err, u.endHost())
}

// knownOf counts a URI with its host.
func (u *auditing) knownOf(r *schema.Record) error {
	if r.Host == u.host && u.known > 0 {
		u.known++
		return nil
	}
	err := u.endHost()
	u.host, u.hash, u.known = r.Host, u.f.hash(r.Host), 1
	return err
}

func (u *auditing) endHost() error {
	if u.known == 0 {
		return nil
	}
	err := u.tell(u.hash, toldKnown, u.known)
	u.known = 0
	return err
}

// pages demands records of the pages that URIs were found on.
func (u *auditing) pages() error {
	missing := map[crawl.ID]bool{}
	if err := u.missing(missing); err != nil || len(missing) == 0 {
		return err
	}
	if len(missing) == maxMissing {
		u.note("more pages than %d, which URIs were found on, have no record", maxMissing)
	}
	return eachURI(u.db, func(r *schema.Record) error {
		if missing[r.ViaID] {
			u.note("%s was found on URI %v, which has no record", r.URL, r.ViaID)
		}
		return u.step()
	})
}

// maxMissing bounds how many pages without record are told.
const maxMissing = 100_000

func (u *auditing) missing(out map[crawl.ID]bool) (err error) {
	vias, err := u.vias.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, vias.Close()) }()
	it, err := u.db.Iter(schema.URIs.Prefix(), schema.URIs.End())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	ok := it.First()
	for vias.Next() && len(out) < maxMissing {
		if err := u.step(); err != nil {
			return err
		}
		id := crawl.ID{Host: vias.A, URI: vias.B}
		key := schema.URIKey(id)
		for n := 0; ok && bytes.Compare(it.Key(), key) < 0; n++ {
			if n < nextBeforeSeek {
				ok = it.Next()
			} else {
				ok = it.SeekGE(key)
			}
		}
		if !ok || !bytes.Equal(it.Key(), key) {
			out[id] = true
		}
	}
	return errors.Join(vias.Err, it.Error())
}

// nextBeforeSeek is how many rows are read before the next one is looked for.
const nextBeforeSeek = 16

// places reads where queues stand, and which origins failed.
func (u *auditing) places() error {
	for _, kind := range []schema.Table{schema.Line, schema.Snoozed, schema.Retired} {
		if err := u.db.Scan(kind.Prefix(), func(k, _ []byte) error {
			p := schema.ReadPlace(k)
			return errors.Join(u.step(), u.tell(p.Host, toldPlace, uint64(p.Kind), p.At))
		}); err != nil {
			return err
		}
	}
	ill := &counter{u: u, kind: toldIll}
	if err := u.db.Scan(schema.FailedOrigins.Prefix(), func(k, v []byte) error {
		if _, err := schema.DecodeOrigin(v); err != nil {
			return err
		}
		return errors.Join(u.step(), ill.add(binary.BigEndian.Uint64(k[1:])))
	}); err != nil {
		return err
	}
	return ill.end()
}

// told is what other rows say of a host.
type told struct {
	known, waiting, ill uint64
	places              map[schema.Place]bool
}

// hostRows compares the rows of hosts with what was told of them.
func (u *auditing) hostRows() (err error) {
	all, err := u.hosts.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	more := all.Next()
	take := func() (uint64, told) {
		t, hash := told{}, all.A
		for ; more && all.A == hash; more = all.Next() {
			n := binary.BigEndian.Uint64(all.Data)
			switch all.B {
			case toldKnown:
				t.known += n
			case toldWaiting:
				t.waiting += n
			case toldIll:
				t.ill += n
			case toldPlace:
				if t.places == nil {
					t.places = map[schema.Place]bool{}
				}
				t.places[schema.Place{Kind: schema.Table(n), At: binary.BigEndian.Uint64(all.Data[8:]), Host: hash}] = true
			}
		}
		return hash, t
	}
	if err := u.db.Scan(schema.Hosts.Prefix(), func(k, v []byte) error {
		if err := u.step(); err != nil {
			return err
		}
		h, err := schema.DecodeHost(v)
		if err != nil {
			return err
		}
		hash, t := binary.BigEndian.Uint64(k[1:]), told{}
		for more && all.A < hash {
			u.hostless(take())
		}
		if more && all.A == hash {
			_, t = take()
		}
		u.compareHost(h, hash, t)
		return nil
	}); err != nil {
		return err
	}
	for more {
		u.hostless(take())
	}
	return all.Err
}

func (u *auditing) compareHost(h *schema.Host, hash uint64, t told) {
	if p := u.f.standing(h, hash, t.places); p == (schema.Place{}) && h.Pending > 0 {
		u.note("host %s has URIs waiting, but does not stand in line", h.Name)
	} else {
		delete(t.places, p)
	}
	if t.known != h.Known {
		u.note("host %s: %d URIs are known by its row, %d have records", h.Name, h.Known, t.known)
	}
	if t.waiting != h.Pending {
		u.note("host %s: %d URIs wait by its row, %d stand in its queue", h.Name, h.Pending, t.waiting)
	}
	if t.ill != h.Failing {
		u.note("host %s: %d origins failed by its row, %d have rows", h.Name, h.Failing, t.ill)
	}
	u.misplaced(hash, t)
}

func (u *auditing) misplaced(hash uint64, t told) {
	for range t.places {
		u.note("host %016x stands in line where it does not belong", hash)
	}
}

// hostless notes what is told of a host without a row.
func (u *auditing) hostless(hash uint64, t told) {
	u.misplaced(hash, t)
	if t.ill > 0 {
		u.note("an origin failed in the queue of host %016x, which has no host row", hash)
	}
	if t.waiting > 0 {
		u.note("the queue of host %016x has no host row", hash)
	}
}

func (u *auditing) statistics() error {
	if err := checkTallies(u.db, u.note); err != nil {
		return err
	}
	var have schema.Stats
	if v, err := u.db.Get(schema.MetaKey(schema.MetaStats)); err != nil {
		return err
	} else if v != nil {
		s, err := schema.DecodeCounters(v)
		if err != nil {
			return fmt.Errorf("frontier: statistics row: %w", err)
		}
		have = s.Stats
	}
	have.InProcess, have.Retried, have.Refused = 0, 0, 0
	st := u.st
	st.Discovered += have.Dropped // of those nothing is left
	st.Dropped = have.Dropped
	if st != have {
		u.note("the statistics say %+v, the records %+v", have, st)
	}
	return nil
}

// standing returns where a queue stands among those places that it has: a program with another
// [OrderConfig] may have put it there.
func (f *Frontier) standing(h *schema.Host, hash uint64, all map[schema.Place]bool) schema.Place {
	p := f.order.Place(h, hash)
	if all[p] || p.Kind != schema.Line {
		if !all[p] {
			return schema.Place{}
		}
		return p
	}
	for q := range all {
		if q.Kind == schema.Line {
			return q
		}
	}
	return schema.Place{}
}

func (f *Frontier) checkRecord(r *schema.Record, in bool, origin uint32, note func(string, ...any)) {
	if (r.State == schema.Pending) != in {
		note("%s: its state is %v, in a queue: %v", r.URL, r.State, in)
	}
	if in && origin != schema.NoTag && origin != f.originTag(r.URL) {
		note("%s: its queue tells another origin", r.URL)
	}
	if r.State == schema.Parked && !r.Claim.IsZero() {
		note("%s: is parked although it is claimed", r.URL)
	}
	if r.Outcome.Archived && r.Response.IsZero() {
		note("%s: is archived, but the place of its record is missing", r.URL)
	}
	if r.State == schema.Done && f.o.Depths.Archived(r.Claim, r.Outcome) && !r.Outcome.Archived {
		note("%s: its claims ask for archiving, but it is not archived", r.URL)
	}
	// A later answer may be of another class than the one in the archive.
	if r.State == schema.Done && r.Finishes == 1 && r.Outcome.Archived && !f.o.Depths.Archived(r.Claim, r.Outcome) {
		note("%s: is archived without a claim", r.URL)
	}
}
