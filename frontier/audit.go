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

// Audit are the parameters of a search for contradictions within the state. It compares rows in the
// order of their keys, from the state or sorted on disk, so that memory does not grow with the state.
type Audit struct {
	Scratch *extsort.Scratch // where to sort
	// Note is called with one sentence for each contradiction.
	Note func(sentence string)
	// Each, unless nil, is called for every known URI, in the order of IDs: host, then URI.
	Each func(*schema.Record) error
}

// Check searches for contradictions within the state and returns one sentence for each.
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

// auditChunk is the chunk size, in bytes, of the sorters of [Frontier.Check].
const auditChunk = 8 << 20

// Audit searches for contradictions within the state. It returns an error when ctx ends.
func (f *Frontier) Audit(ctx context.Context, a Audit) (err error) {
	// A snapshot, because the committer may be running.
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
	// queued are the rows of queues: by ID, with the tag of the origin and the key.
	queued *extsort.Sorter
	// hosts are numbers of a host taken from other rows, by its hash and a kind.
	hosts *extsort.Sorter
	vias  *extsort.Sorter // IDs of pages that URIs were found on
	st    schema.Stats
	// The host of the URI rows being read, and how many were read of it.
	host   string
	hash   uint64
	known  uint64
	judged uint64
	parts  uint64 // entries added to hosts; makes each of them unique
}

// Kinds of numbers in auditing.hosts.
const (
	kindKnown = iota
	kindJudged
	kindPending
	kindFailing
	kindPlace
)

func (u *auditing) note(format string, a ...any) { u.Note(fmt.Sprintf(format, a...)) }

// step checks ctx from time to time.
func (u *auditing) step() error {
	if u.n++; u.n%1024 == 0 {
		return u.ctx.Err()
	}
	return nil
}

// add adds numbers of a host to hosts.
func (u *auditing) add(host, kind uint64, numbers ...uint64) error {
	u.parts++
	var b [3 * 8]byte
	out := b[:0]
	for _, n := range numbers {
		out = binary.BigEndian.AppendUint64(out, n)
	}
	return u.hosts.Add(host, kind, binary.BigEndian.AppendUint64(out, u.parts))
}

// counter counts rows per host, which come sorted by host.
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
	err := c.u.add(c.host, c.kind, c.n)
	c.n = 0
	return err
}

// queues reads the rows of queues.
func (u *auditing) queues() error {
	pending := &counter{u: u, kind: kindPending}
	if err := u.db.Scan(schema.Queues.Prefix(), func(k, v []byte) error {
		host := binary.BigEndian.Uint64(k[1:])
		id, origin, err := schema.DecodeQueued(host, v)
		if err != nil {
			return err
		}
		var tag [schema.TagLen]byte
		binary.BigEndian.PutUint32(tag[:], origin)
		return errors.Join(u.step(), pending.add(host), u.queued.Add(id.Host, id.URI, tag[:], k))
	}); err != nil {
		return err
	}
	return pending.end()
}

// records reads the rows of all URIs and compares them with those of queues.
func (u *auditing) records() (err error) {
	queued, err := u.queued.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, queued.Close()) }()
	more := queued.Next()
	// before handles the queue rows up to an ID, and returns whether there is one of it.
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
	var err error
	if r.Host != u.host || u.known == 0 {
		err = u.endHost()
		u.host, u.hash = r.Host, u.f.hash(r.Host)
	}
	u.known++
	if r.Finishes > 0 && r.Outcome.Judged {
		u.judged++
	}
	return err
}

func (u *auditing) endHost() error {
	if u.known == 0 {
		return nil
	}
	err := u.add(u.hash, kindKnown, u.known)
	if u.judged > 0 {
		err = errors.Join(err, u.add(u.hash, kindJudged, u.judged))
	}
	u.known, u.judged = 0, 0
	return err
}

// pages checks that the pages that URIs were found on have rows.
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

// maxMissing bounds how many pages without row are reported.
const maxMissing = 100_000

// missing adds to out the pages that have no row.
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

// nextBeforeSeek is how many rows are read in order before a seek.
const nextBeforeSeek = 16

// places reads the places of queues and the rows of failed origins.
func (u *auditing) places() error {
	for _, kind := range []schema.Table{schema.Line, schema.Snoozed, schema.Retired} {
		if err := u.db.Scan(kind.Prefix(), func(k, _ []byte) error {
			p := schema.ReadPlace(k)
			return errors.Join(u.step(), u.add(p.Host, kindPlace, uint64(p.Kind), p.At))
		}); err != nil {
			return err
		}
	}
	failing := &counter{u: u, kind: kindFailing}
	if err := u.db.Scan(schema.FailedOrigins.Prefix(), func(k, v []byte) error {
		if _, err := schema.DecodeOrigin(v); err != nil {
			return err
		}
		return errors.Join(u.step(), failing.add(binary.BigEndian.Uint64(k[1:])))
	}); err != nil {
		return err
	}
	return failing.end()
}

// hostNumbers are the numbers of a host taken from other rows.
type hostNumbers struct {
	known, judged, pending, failing uint64
	places                          map[schema.Place]bool
}

// hostRows compares the rows of hosts with the numbers from other rows.
func (u *auditing) hostRows() (err error) {
	all, err := u.hosts.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	more := all.Next()
	take := func() (uint64, hostNumbers) {
		t, hash := hostNumbers{}, all.A
		for ; more && all.A == hash; more = all.Next() {
			n := binary.BigEndian.Uint64(all.Data)
			switch all.B {
			case kindKnown:
				t.known += n
			case kindJudged:
				t.judged += n
			case kindPending:
				t.pending += n
			case kindFailing:
				t.failing += n
			case kindPlace:
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
		hash, t := binary.BigEndian.Uint64(k[1:]), hostNumbers{}
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

func (u *auditing) compareHost(h *schema.Host, hash uint64, t hostNumbers) {
	if p := u.f.storedPlace(h, hash, t.places); p == (schema.Place{}) && h.Pending > 0 {
		u.note("host %s has URIs waiting, but does not stand in line", h.Name)
	} else {
		delete(t.places, p)
	}
	if t.known != h.Known {
		u.note("host %s: %d URIs are known by its row, %d have records", h.Name, h.Known, t.known)
	}
	if t.judged < h.Judged || t.judged > h.Judged && !h.Uncounted {
		u.note("host %s: %d pages are judged by its row, %d by their records", h.Name, h.Judged, t.judged)
	}
	if t.pending != h.Pending {
		u.note("host %s: %d URIs wait by its row, %d stand in its queue", h.Name, h.Pending, t.pending)
	}
	if t.failing != h.Failing {
		u.note("host %s: %d origins failed by its row, %d have rows", h.Name, h.Failing, t.failing)
	}
	u.misplaced(hash, t)
}

func (u *auditing) misplaced(hash uint64, t hostNumbers) {
	for range t.places {
		u.note("host %016x stands in line where it does not belong", hash)
	}
}

// hostless notes other rows of a host that has no row itself.
func (u *auditing) hostless(hash uint64, t hostNumbers) {
	u.misplaced(hash, t)
	if t.failing > 0 {
		u.note("an origin failed in the queue of host %016x, which has no host row", hash)
	}
	if t.pending > 0 {
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
	st.Discovered += have.Dropped // dropped URIs have no rows
	st.Dropped = have.Dropped
	if st != have {
		u.note("the statistics say %+v, the records %+v", have, st)
	}
	return nil
}

// storedPlace returns the right one of the places that a queue has. A place in the line may differ from the computed
// one, because a run with another [OrderConfig] put it there.
func (f *Frontier) storedPlace(h *schema.Host, hash uint64, all map[schema.Place]bool) schema.Place {
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
	// After more than one visit, the last answer may have another class than the archived one.
	if r.State == schema.Done && r.Finishes == 1 && r.Outcome.Archived && !f.o.Depths.Archived(r.Claim, r.Outcome) {
		note("%s: is archived without a claim", r.URL)
	}
}
