package frontier

import (
	"cmp"
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

// Builder makes the state of a crawl anew from archive and logs. Its caller hands in the finished URIs in
// the order in which they were finished, and the Builder does with each what the committer did: it
// makes links pending, passes claims on, and counts. It may be used by one goroutine. Nothing is
// durable before Close.
type Builder struct {
	f    *Frontier
	t    *commitTx
	past *pastClock
	uris int // handed in so far
}

// urisPerCommit is how many URIs go into one commit of a Builder.
const urisPerCommit = 500

// pastClock is a clock at the time of the URI being handed in, from which delays count.
type pastClock struct {
	clock.Clock
	first, now time.Time
}

func (p *pastClock) Now() time.Time      { return p.now }
func (p *pastClock) Mono() time.Duration { return p.now.Sub(p.first) }

// Rebuild begins a new state in o.Dir, where there must be none; the logs are not touched. began is
// when the crawl began.
func Rebuild(ctx context.Context, o Options, began time.Time) (*Builder, error) {
	p := &pastClock{Clock: o.Clock, first: began, now: began}
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

// Offer returns a URI as it was dispatched at the given time. It becomes known regardless of limits;
// the claim of c is joined with the claim it had.
func (b *Builder) Offer(c crawl.Candidate, m crawl.Mode, at time.Time) (*crawl.CrawlURI, error) {
	if at.After(b.past.now) {
		b.past.now = at
	}
	if b.uris++; b.uris%urisPerCommit == 0 {
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
	if r.Finishes == 0 && r.Hops != c.Hops { // it was found on another page first
		ways := r.Ways().Join(c.Reached())
		r.Hops = c.Hops
		r.Context = cmp.Or(c.Context, r.Context)
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

// Do calls fn, which uses the Builder, and returns its error. If the store fails meanwhile, it returns the
// cause at once.
func (b *Builder) Do(fn func() error) error { return b.f.db.Guard(fn) }

// Put sets a scratch row. Scratch rows are for data of the caller that does not fit into memory; Close deletes
// them.
func (b *Builder) Put(key, value []byte) error {
	return b.f.db.Set(schema.ScratchKey(key), value)
}

// Drop deletes a scratch row, if there is one.
func (b *Builder) Drop(key []byte) error { return b.f.db.Delete(schema.ScratchKey(key)) }

// Get returns the value of a scratch row, nil when there is none. Values are not empty.
func (b *Builder) Get(key []byte) ([]byte, error) { return b.f.db.Get(schema.ScratchKey(key)) }

// Each calls fn for the scratch rows with a prefix, as of now, in the order of their keys, until
// fn returns false or an error. Key and value are valid only during the call.
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

// known returns the row of a candidate, which becomes known regardless of limits.
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

// Lookup returns the row of a key, nil when it is not known so far.
func (b *Builder) Lookup(key string) (*schema.Record, error) {
	r, _, err := b.t.Lookup(key)
	return r, err
}

// Logged is what the logs hold of a finished URI.
type Logged struct {
	Tally  schema.Tally // by its line of crawl.log
	Judged bool         // there is a line of analysis.jsonl
}

// Finished takes a URI back from Offer, with its outcome and links. It writes no log lines.
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

// Abandoned stores an abandoned capture of the URI c.
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
	Again     int64 // pending again, because they are claimed but not archived
	Refetched int64 // pending again, because their links are not known
	Unclaimed int64 // archived without a known claim; they get Keep
}

// Settle checks the finished URIs when all were handed in. It makes pending again those that are
// claimed but not archived, and those that are not archived and for which ask returns true.
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
		if b.uris++; b.uris%urisPerCommit == 0 {
			err = errors.Join(err, b.commit())
		}
		return err
	})
	return s, err
}

// Stats returns the statistics so far.
func (b *Builder) Stats() schema.Stats { return b.t.Counters.Stats }

// passOn does all work items, so that the next URI has its claim.
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

// commit writes the changes since the last commit. They are not durable yet.
func (b *Builder) commit() error {
	t, f := b.t, b.f
	t.Flush()
	if err := f.db.Commit(&t.batch, false); err != nil {
		return fmt.Errorf("frontier: rebuild: write batch: %w", err)
	}
	f.updateCaches(&t.batch)
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

// Close stores the rows of the WARC files and of the logs, and makes everything durable. The next
// start treats the state as that of a killed run, and snoozes all queues.
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

// Discard ends the Builder without completing the state.
func (b *Builder) Discard() error {
	return errors.Join(b.t.rd.close(), b.f.Close(context.Background()))
}
