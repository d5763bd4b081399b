package frontier

import (
	"context"
	"errors"
	"fmt"
	"time"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/sched"
	"exclave/frontier/schema"
	"exclave/frontier/store"
	"exclave/internal/clock"
)

// Builder makes a state anew from what archive and logs tell of a crawl. It is told of the URIs that
// were finished in the order in which they were, and does with each what the committer did: what
// was waiting comes to wait again, claims are passed on, everything is counted. It belongs to
// one goroutine. Nothing is durable before Close.
type Builder struct {
	f    *Frontier
	t    *commitTx
	past *past
	uris int // told in this commit
}

// builtTogether is how many URIs go into one commit of a Builder.
const builtTogether = 500

// past is a clock that stands where the crawl stood: hosts rest from then on.
type past struct {
	clock.Clock
	first, now time.Time
}

func (p *past) Now() time.Time      { return p.now }
func (p *past) Mono() time.Duration { return p.now.Sub(p.first) }

// Rebuild begins a new state in o.Dir, where there must be none; the logs are not touched. The
// crawl that is told of began at the given time.
func Rebuild(ctx context.Context, o Options, began time.Time) (*Builder, error) {
	p := &past{Clock: o.Clock, first: began, now: began}
	o.Clock, o.ReadOnly, o.anew = p, false, true
	f, err := Open(ctx, o)
	if err != nil {
		return nil, err
	}
	if n := f.st.Discovered; n > 0 {
		return nil, errors.Join(fmt.Errorf("frontier: rebuild %s: it holds %d URIs", o.Dir, n), f.Close(ctx))
	}
	return &Builder{f: f, t: f.begin(), past: p}, nil
}

// Offer returns a URI as a ToeThread was given it at the time. It becomes known, whatever the limits
// say, and is claimed as c says or as was known before.
func (b *Builder) Offer(c crawl.Candidate, m crawl.Mode, at time.Time) (*crawl.CrawlURI, error) {
	if at.After(b.past.now) {
		b.past.now = at
	}
	if b.uris++; b.uris%builtTogether == 0 {
		if err := b.commit(); err != nil {
			return nil, err
		}
	}
	if err := b.passOn(); err != nil {
		return nil, err
	}
	r, err := b.known(c)
	if err != nil {
		return nil, fmt.Errorf("frontier: rebuild: %s: %w", c.URL, err)
	}
	t := b.t
	if r.Finishes == 0 && r.Hops != c.Hops { // another page led to it first
		ways := r.Ways().Join(c.Reached())
		r.Hops = c.Hops
		r.SetWays(ways)
		if err := t.FoundOn(r, &c); err != nil {
			return nil, err
		}
	}
	if r.State == schema.Pending && (r.URL != c.URL || r.Mode != m) {
		if err := t.Dequeue(r); err != nil {
			return nil, err
		}
		r.State = schema.Parked
		t.Counters.Parked++
	}
	if r.URL != c.URL { // a redirect to the same key
		if err := t.Rehost(r, c.Host); err != nil {
			return nil, err
		}
		r.URL = c.URL
	}
	r.Force = r.Force || c.Force
	if r.State != schema.Pending {
		if err := t.Enqueue(r, m); err != nil {
			return nil, err
		}
	}
	u := rules.OfferOf(r, true)
	u.Via, u.Hops = c.Via, c.Hops
	return u, nil
}

// Do calls fn, which tells the builder, and returns its error; when the store dies meanwhile, it returns
// why at once.
func (b *Builder) Do(fn func() error) error { return b.f.db.Guard(fn) }

// Scratch rows are the caller's, for what does not fit into memory. They are gone with Close.

// Put sets a scratch row.
func (b *Builder) Put(key, value []byte) error {
	return b.f.db.Set(schema.ScratchKey(key), value)
}

// Drop removes a scratch row, if there is one.
func (b *Builder) Drop(key []byte) error { return b.f.db.Delete(schema.ScratchKey(key)) }

// Get returns the value of a scratch row, nil when there is none. Values are not empty.
func (b *Builder) Get(key []byte) ([]byte, error) { return b.f.db.Get(schema.ScratchKey(key)) }

// Each calls fn for the scratch rows with a prefix, as they are now, in the order of their keys, until
// it returns false or an error. Key and value are fn's only during the call.
func (b *Builder) Each(prefix []byte, fn func(key, value []byte) (more bool, err error)) error {
	err := b.f.db.Scan(schema.ScratchKey(prefix), func(k, v []byte) error {
		more, err := fn(k[1:], v)
		if err == nil && !more {
			err = rules.ErrStop
		}
		return err
	})
	if errors.Is(err, rules.ErrStop) {
		return nil
	}
	return err
}

// known returns the record of a candidate, which limits do not keep out.
func (b *Builder) known(c crawl.Candidate) (*schema.Record, error) {
	r, id, err := b.t.Lookup(c.Key)
	if err != nil {
		return nil, err
	}
	if r == nil {
		seed := c.Seed
		c.Seed = true // no limit refuses seeds
		if r, err = b.t.Discover(&c, id, rules.LinkOrigin{}); err == nil {
			r.Seed = seed
		}
		return r, err
	}
	r.Seed = r.Seed || c.Seed
	return r, b.t.Join(r, c.Claim, c.Reached())
}

// Lookup returns what is known of a key so far, nil when it is not known.
func (b *Builder) Lookup(key string) (*schema.Record, error) {
	r, _, err := b.t.Lookup(key)
	return r, err
}

// Logged is what the logs have of a URI that was finished.
type Logged struct {
	Tally  schema.Tally // by its line of crawl.log
	Judged bool         // there is a line of analysis.jsonl
}

// Finished takes a URI back from Offer, with its outcome and links. Lines are the caller's matter.
func (b *Builder) Finished(u *crawl.CrawlURI, l Logged) error {
	t := b.t
	for _, key := range u.Carried {
		v, err := t.Row(schema.AnswerKey(key))
		if err != nil {
			return err
		}
		if v == nil {
			if err := t.SetDeferred(&crawl.Deferred{Key: key, Time: u.Started}); err != nil {
				return err
			}
		}
	}
	t.Request, t.Logged = &rules.Request{URI: u}, &l.Tally
	t.Request.Identify(&b.f.salt)
	defer func() { t.Logged = nil }()
	if err := t.Finish(u); err != nil {
		return fmt.Errorf("frontier: rebuild: %s: %w", u.URL, err)
	}
	if u.Judged != nil && !l.Judged {
		r, err := t.Record(u.ID)
		if err != nil {
			return err
		}
		r.Judgings--
	}
	return nil
}

// Abandoned takes a capture that counts for nothing; c is the URI it is of.
func (b *Builder) Abandoned(c crawl.Candidate, a schema.Capture) error {
	r, err := b.known(c)
	if err != nil {
		return fmt.Errorf("frontier: rebuild: %s: %w", c.URL, err)
	}
	a.ID = r.ID
	b.t.batch.Set(schema.CaptureKey(a.Span.File, a.Span.Start), a.Encode())
	return nil
}

// Settled counts what Settle found.
type Settled struct {
	Again     int64 // offered again, because the archive does not hold what claims ask for
	Refetched int64 // offered again, because their links are not known
	Unclaimed int64 // in the archive, though nobody knows why
}

// Settle sees to what was finished when everything was told: what is not in the archive although
// claims ask for it is offered again, and so is what ask says of all that is not there.
func (b *Builder) Settle(ask func(*schema.Record) bool) (s Settled, err error) {
	if err := b.commit(); err != nil {
		return s, err
	}
	if err := b.passOn(); err != nil {
		return s, err
	}
	if err := b.commit(); err != nil {
		return s, err
	}
	all, err := b.f.db.Snapshot()
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	d := &b.f.o.Depths
	err = eachURI(all, func(was *schema.Record) error {
		if was.State != schema.Done {
			return nil
		}
		r, err := b.t.Record(was.ID)
		if err != nil {
			return err
		}
		switch again := max(d.Again(r.Claim, r.Outcome), d.AgainBy(r.Outcome, r.Claim, r.Claim, r.Ways(), r.Ways())); {
		case again == crawl.AgainFetch:
			s.Again++
			err = b.t.Enqueue(r, crawl.ModeFetch)
		case again == crawl.AgainJudge:
			s.Again++
			err = b.t.Enqueue(r, crawl.ModeJudge)
		case r.Outcome.Archived && !d.Archived(r.Claim, r.Outcome):
			s.Unclaimed++
			r.Claim.Keep = true
		case !r.Outcome.Archived && ask(r):
			s.Refetched++
			err = b.t.Enqueue(r, crawl.ModeFetch)
		}
		if b.uris++; b.uris%builtTogether == 0 {
			err = errors.Join(err, b.commit())
		}
		return err
	})
	return s, err
}

// Stats returns the statistics so far.
func (b *Builder) Stats() schema.Stats { return b.t.Counters.Stats }

// passOn does the work that is left: whoever is told of next knows its claim.
func (b *Builder) passOn() error {
	for b.t.Works > 0 {
		left := b.t.Works
		if err := b.t.DrainBacklog(); err != nil {
			return err
		}
		if b.t.Size() > rules.WorkBatch || b.t.Works == left {
			if err := b.commit(); err != nil {
				return err
			}
		}
	}
	return nil
}

// commit writes what was told. It is not durable yet.
func (b *Builder) commit() error {
	t, f := b.t, b.f
	t.Flush()
	if err := f.db.Commit(&t.batch, false); err != nil {
		return fmt.Errorf("frontier: rebuild: write batch: %w", err)
	}
	f.renew(&t.batch)
	f.mu.Lock()
	f.st, f.works = t.Counters, t.Works
	f.tallies.Merge(&t.Counted)
	f.sched.Apply(&sched.Publication{Freed: t.Freed}, f.o.Clock.Mono())
	f.mu.Unlock()
	if err := t.rd.close(); err != nil {
		return err
	}
	b.t = f.begin()
	return nil
}

// Close stores the rows of the WARC files and of the logs, and makes everything durable. The state
// counts as one that was killed: hosts rest after that.
func (b *Builder) Close(files []schema.FileRow, logs []schema.LogRow) error {
	if err := b.commit(); err != nil {
		return errors.Join(err, b.Discard())
	}
	w := &store.Batch{}
	for _, row := range files {
		w.Set(schema.FileKey(row.Number), row.Encode())
	}
	for _, row := range logs {
		setLog(w, &row, true)
	}
	w.DeleteTable(schema.Scratch)
	err := b.f.db.Commit(w, true)
	if err == nil {
		err = b.Do(b.f.db.Flush)
	}
	if err != nil {
		err = fmt.Errorf("frontier: rebuild: %w", err)
	}
	return errors.Join(err, b.Discard())
}

// Discard ends the Builder; what it made is not complete.
func (b *Builder) Discard() error {
	return errors.Join(b.t.rd.close(), b.f.Close(context.Background()))
}
