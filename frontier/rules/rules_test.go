package rules

import (
	"bytes"
	"context"
	"maps"
	"net/netip"
	"slices"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/frontier/schema/schematest"
)

// state is a state in memory, and those whom the rules ask: each rule is tested alone, without a store, a committer
// or a scheduler.
type state struct {
	t        *testing.T
	rows     map[string][]byte
	env      Env
	now      time.Time
	counters schema.Counters
	works    int
	tallies  Tallies
	backlog  Backlog
	hosts    map[string]crawl.HostFacts
	process  map[crawl.ID]bool // that cannot be reserved
}

func newState(t *testing.T, change func(e *Env)) *state {
	s := &state{t: t, rows: map[string][]byte{}, now: time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC), tallies: NewTallies(), hosts: map[string]crawl.HostFacts{}, process: map[crawl.ID]bool{}}
	now := func() time.Time { return s.now }
	s.env = Env{Config: DefaultConfig(), Order: NewOrder(DefaultOrderConfig(), LimitsConfig{}), Depths: crawl.Depths{D: [crawl.MaxProfiles]int32{0, -1, -1, -1}},
		Facts: s, Queues: s, Tallies: &s.tallies, Backlog: &s.backlog, Now: now, Wall: now, SnoozeLeft: func(until time.Time) time.Duration { return max(until.Sub(s.now), 0) },
		HostLimits: func(string) LimitsConfig { return s.env.Limits }, DomainOf: DomainOf, Pack: func(raw []byte) []byte { return raw }}
	change(&s.env)
	return s
}

func (s *state) URI(id crawl.ID) ([]byte, error) { return s.rows[string(schema.URIKey(id))], nil }
func (s *state) Domain(name string) ([]byte, error) {
	return s.rows[string(schema.DomainKey(name))], nil
}
func (s *state) Row(key []byte) ([]byte, error) { return s.rows[string(key)], nil }
func (s *state) Set(key, value []byte)          { s.rows[string(key)] = bytes.Clone(value) }
func (s *state) Delete(key []byte)              { delete(s.rows, string(key)) }
func (s *state) Reserve(id crawl.ID) bool       { return !s.process[id] }

func (s *state) First(uint64, func([]byte) bool) []byte { return nil }

// store has the rows of a state; of a Host there are two.
type store struct{ *state }

func (s store) Host(hash uint64) ([]byte, error) { return s.rows[string(schema.HostKey(hash))], nil }

func (s store) Name(hash uint64) (string, error) {
	h, err := schema.DecodeHost(s.rows[string(schema.HostKey(hash))])
	return h.Name, err
}

func (s store) keys(prefix []byte) (keys []string) {
	for _, k := range slices.Sorted(maps.Keys(s.rows)) {
		if bytes.HasPrefix([]byte(k), prefix) {
			keys = append(keys, k)
		}
	}
	return keys
}

func (s store) Scan(from, prefix []byte, fn func(key, value []byte) error) error {
	for _, k := range s.keys(prefix) {
		if k < string(from) {
			continue
		}
		if err := fn([]byte(k), s.rows[k]); err != nil {
			return err
		}
	}
	return nil
}

func (s store) Backwards(prefix []byte, fn func(key, value []byte) (bool, error)) error {
	for _, k := range slices.Backward(s.keys(prefix)) {
		if more, err := fn([]byte(k), s.rows[k]); err != nil || !more {
			return err
		}
	}
	return nil
}

// Host and Origin implement Facts.
func (s *state) Host(_ context.Context, host string) (crawl.HostFacts, error) {
	return s.hosts[host], nil
}

func (s *state) Origin(context.Context, string) (crawl.OriginFacts, error) {
	return crawl.OriginFacts{}, nil
}

// commit makes a commit of what do does, whose rows are written only afterwards.
func (s *state) commit(do func(tx *Tx) error) *Tx {
	s.t.Helper()
	before, after := store{s}, &state{rows: maps.Clone(s.rows)}
	tx := Begin(&s.env, before, after, s.counters, s.works)
	if err := do(tx); err != nil {
		s.t.Fatal(err)
	}
	tx.Flush()
	s.rows, s.counters, s.works = after.rows, tx.Counters, tx.Works
	s.tallies.Merge(&tx.Counted)
	for k, v := range s.rows {
		if err := schematest.Check([]byte(k), v); err != nil {
			s.t.Error(err)
		}
	}
	return tx
}

// schedule makes candidates known.
func (s *state) schedule(cs ...crawl.Candidate) *Tx {
	s.t.Helper()
	return s.commit(func(tx *Tx) error {
		r := &Request{Candidates: cs}
		r.Identify(&s.env.Salt)
		return tx.Apply(r)
	})
}

// finish hands back a URI that waits, as change makes it.
func (s *state) finish(key string, change func(u *crawl.CrawlURI)) *Tx {
	s.t.Helper()
	return s.commit(func(tx *Tx) error {
		r, _, err := tx.Lookup(key)
		if err != nil {
			return err
		}
		u := OfferOf(r, false)
		u.Status, u.Class, u.Disposition, u.Started = 200, crawl.ClassHTML, crawl.Done, s.now
		change(u)
		q := &Request{URI: u}
		q.Identify(&s.env.Salt)
		return tx.Apply(q)
	})
}

func (s *state) queue(tx *Tx, name string) *Queue {
	s.t.Helper()
	q := tx.Queues[s.env.Salt.Hash(name)]
	if q == nil {
		s.t.Fatalf("the commit did not touch queue %s", name)
	}
	return q
}

func (s *state) record(key string) *schema.Record {
	s.t.Helper()
	id := s.env.Salt.ID(key)
	r, err := schema.DecodeRecord(id, s.rows[string(schema.URIKey(id))], store{s}.Name)
	if err != nil {
		s.t.Fatalf("%s: %v", key, err)
	}
	return r
}

// to is a link to a URL of a host, found so many link hops away.
func to(host, path string, hops string) crawl.Candidate {
	u := "http://" + host + path
	return crawl.Candidate{URL: u, Key: u, Host: host, Kind: crawl.LinkNav, Hops: hops, Claim: crawl.Claim{Analyse: true}}
}

// What is published of a queue is what happened to it: where it stood and stands, which keys came and went.
func TestQueueSaysWhatACommitDid(t *testing.T) {
	s := newState(t, func(*Env) {})
	q := s.queue(s.schedule(to("a.test", "/", "L"), to("a.test", "/2", "LL")), "a.test")
	if q.Was != (schema.Place{}) || q.At.Kind != schema.Line || q.Put == nil || len(q.Taken) > 0 || q.Requested {
		t.Errorf("queued: %+v", q)
	}
	first := q.Put
	if r := s.record("http://a.test/"); r.State != schema.Pending || !bytes.Equal(schema.QueueKey(q.At.Host, r.Precedence, r.Seq), first) {
		t.Errorf("%+v does not stand at %x", r, first)
	}
	q = s.queue(s.finish("http://a.test/", func(u *crawl.CrawlURI) { u.Took = 2 * time.Second }), "a.test")
	if len(q.Taken) != 1 || !bytes.Equal(q.Taken[0], first) || !q.Requested || q.Failed || q.Delay != 10*time.Second {
		t.Errorf("finished: %+v", q)
	}
	q = s.queue(s.finish("http://a.test/2", func(*crawl.CrawlURI) {}), "a.test")
	if q.Was.Kind != schema.Line || q.At != (schema.Place{}) || s.counters.InLine != 0 || s.counters.Queued != 0 || s.counters.Finished != 2 {
		t.Errorf("exhausted: %+v, %+v", q, s.counters)
	}
}

// A claim only grows; what is parked is queued when it gets one, what is finished is offered again when its
// outcome does not cover it.
func TestJoin(t *testing.T) {
	s := newState(t, func(*Env) {})
	c := to("a.test", "/", "L")
	c.Claim = crawl.Claim{}
	s.schedule(c)
	if r := s.record(c.Key); r.State != schema.Parked || s.counters.Parked != 1 {
		t.Errorf("without a claim: %+v", r)
	}
	s.schedule(to("a.test", "/", "L"))
	if r := s.record(c.Key); r.State != schema.Pending || s.counters.Parked != 0 || s.counters.Queued != 1 {
		t.Errorf("with a claim: %+v", r)
	}
	s.finish(c.Key, func(u *crawl.CrawlURI) { u.Class = crawl.ClassOther })
	c.Claim = crawl.Claim{Bin: true}
	s.schedule(c)
	if r := s.record(c.Key); r.State != schema.Pending || !r.Claim.Analyse || !r.Claim.Bin || s.counters.Discovered != 1 {
		t.Errorf("a file that is wanted now: %+v", r)
	}
}

// At the cap of a host the worst URI that waits is dropped for a better one; what is in process stays.
func TestEvict(t *testing.T) {
	s := newState(t, func(e *Env) {
		e.Limits.HostURIs, e.Order = 2, NewOrder(OrderConfig{Policies: []PolicyName{PolicyHops}}, LimitsConfig{})
	})
	s.schedule(to("a.test", "/1", "L"), to("a.test", "/2", "LLL"))
	tx := s.schedule(to("a.test", "/3", "LLLL"))
	if s.counters.Refused != 1 || len(tx.Freed) > 0 {
		t.Errorf("a worse one: %+v, freed %v", s.counters, tx.Freed)
	}
	s.process[s.env.Salt.ID("http://a.test/2")] = true
	if s.schedule(to("a.test", "/4", "LL")); s.counters.Refused != 2 {
		t.Errorf("the worst is in process: %+v", s.counters)
	}
	clear(s.process)
	tx = s.schedule(to("a.test", "/4", "LL"))
	if s.counters.Dropped != 1 || s.counters.Discovered != 3 || !slices.Equal(tx.Freed, []crawl.ID{s.env.Salt.ID("http://a.test/2")}) {
		t.Errorf("a better one: %+v, freed %v", s.counters, tx.Freed)
	}
	if q := s.queue(tx, "a.test"); q.Known != 2 || q.Pending != 2 || len(q.Taken) != 1 {
		t.Errorf("%+v", q)
	}
}

// A queue retires when its budget is spent, and is in line again when one comes that a budget pays for.
func TestRetire(t *testing.T) {
	s := newState(t, func(e *Env) { e.Limits.HostDocuments = 1 })
	s.schedule(to("a.test", "/1", "L"), to("a.test", "/2", "L"))
	q := s.queue(s.finish("http://a.test/1", func(*crawl.CrawlURI) {}), "a.test")
	if q.Retired != schema.HostBudget || q.At.Kind != schema.Retired || s.counters.Retired != 1 || s.counters.InLine != 0 {
		t.Errorf("one document: %+v, %+v", q, s.counters)
	}
	if q = s.queue(s.schedule(to("a.test", "/3", "L")), "a.test"); q.At.Kind != schema.Retired {
		t.Errorf("another URI: %+v", q)
	}
	s.env.Limits.HostDocuments = 2
	if q = s.queue(s.schedule(to("a.test", "/4", "L")), "a.test"); q.Retired != schema.NotRetired || q.At.Kind != schema.Line || s.counters.Retired != 0 {
		t.Errorf("a greater budget: %+v, %+v", q, s.counters)
	}
}

// The rest after a failure doubles up to its most, and shrinks by half with every answer.
func TestBackOff(t *testing.T) {
	s := newState(t, func(e *Env) { e.Config.RetryDelay, e.Config.MaxRetryDelay = time.Minute, 5*time.Minute })
	s.schedule(to("a.test", "/", "L"))
	for i, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 5 * time.Minute, 5 * time.Minute} {
		q := s.queue(s.finish("http://a.test/", func(u *crawl.CrawlURI) { u.Status, u.Disposition = 503, crawl.Retry }), "a.test")
		if q.Delay != want || !q.Failed || int(q.Backoff) != i+1 || s.record("http://a.test/").Attempts != i+1 {
			t.Errorf("failure %d: %+v, want a rest of %v", i+1, q, want)
		}
		if (q.At.Kind == schema.Snoozed) != (want > ResidentSnooze) {
			t.Errorf("a rest of %v: %+v", want, q.At)
		}
		s.now = s.now.Add(want)
	}
	if q := s.queue(s.finish("http://a.test/", func(*crawl.CrawlURI) {}), "a.test"); q.Backoff != 2 || q.Failed {
		t.Errorf("an answer: %+v", q)
	}
}

// Failures of connections rest their origin: the queue only while nothing else waits in it.
func TestOriginRests(t *testing.T) {
	s := newState(t, func(*Env) {})
	silent, other := to("a.test", "/", "L"), to("a.test", "/", "L")
	silent.URL, silent.Key = "https://a.test/", "https://a.test/"
	s.schedule(silent)
	id := schema.OriginID{Queue: s.env.Salt.Hash("a.test"), Tag: s.env.Salt.OriginTag(silent.URL)}
	q := s.queue(s.finish(silent.Key, func(u *crawl.CrawlURI) { u.Status, u.Disposition = crawl.StatusConnectFailed, crawl.Retry }), "a.test")
	if !q.Origins || q.Failing != 1 || q.Until.Sub(s.now) != s.env.Config.RetryDelay || q.At.Kind != schema.Snoozed {
		t.Errorf("all that waits rests: %+v", q)
	}
	o, err := schema.DecodeOrigin(s.rows[string(id.Key())])
	if err != nil || o.Name != "https://a.test" || o.Backoff != 1 {
		t.Errorf("%+v, %v", o, err)
	}
	if q = s.queue(s.schedule(other), "a.test"); !q.Until.IsZero() || q.At.Kind != schema.Line {
		t.Errorf("a URI of another origin came: %+v", q)
	}
	s.now = s.now.Add(s.env.Config.RetryDelay)
	if q = s.queue(s.finish(silent.Key, func(*crawl.CrawlURI) {}), "a.test"); q.Failing != 0 || s.rows[string(id.Key())] != nil {
		t.Errorf("it answers: %+v", q)
	}
}

// After so many requests an address pauses, whatever host of it was asked.
func TestPause(t *testing.T) {
	ip := netip.MustParseAddr("192.0.2.1")
	s := newState(t, func(e *Env) { e.Config.PauseAfter, e.Config.Pause = 2, time.Minute })
	s.schedule(to("a.test", "/1", "L"), to("a.test", "/2", "L"))
	at := func(u *crawl.CrawlURI) { u.Addr = ip }
	if tx := s.finish("http://a.test/1", at); len(tx.Paused) > 0 {
		t.Errorf("the first request: %v", tx.Paused)
	}
	tx := s.finish("http://a.test/2", at)
	if a := tx.Paused[ip]; a.Pauses != 1 || a.Until.Sub(s.now) != time.Minute {
		t.Errorf("the second: %+v", tx.Paused)
	}
}

// A queue that is to leave memory is snoozed or retired, unless what waits in it changed meanwhile.
func TestLeave(t *testing.T) {
	s := newState(t, func(*Env) {})
	s.schedule(to("a.test", "/1", "L"))
	hash, until := s.env.Salt.Hash("a.test"), s.now.Add(time.Hour)
	leave := func(l Leave, cs ...crawl.Candidate) *Queue {
		l.Queue = hash
		return s.queue(s.commit(func(tx *Tx) error {
			r := &Request{Candidates: cs}
			r.Identify(&s.env.Salt)
			if err := tx.Apply(r); err != nil {
				return err
			}
			return tx.Leave([]Leave{l})
		}), "a.test")
	}
	if q := leave(Leave{Until: until, BacksOff: true}); q.At.Kind != schema.Line {
		t.Errorf("a commit changed it before: %+v", q.At)
	}
	if q := leave(Leave{Until: until, BacksOff: true, Current: true}, to("a.test", "/2", "L")); q.At.Kind != schema.Line {
		t.Errorf("this one gives it a URI: %+v", q.At)
	}
	if q := leave(Leave{Until: until, BacksOff: true, Current: true}); q.At.Kind != schema.Snoozed || q.At.At != uint64(until.UnixMilli()) {
		t.Errorf("all of it rests: %+v", q.At)
	}
	if q := leave(Leave{Retire: schema.DomainBudget}); q.At.Kind != schema.Retired || q.Retired != schema.DomainBudget {
		t.Errorf("a budget is spent: %+v", q.At)
	}
}
