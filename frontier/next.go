package frontier

import (
	"context"
	"fmt"
	"time"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/sched"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// Next implements the frontier of package chain: it blocks until a queue is ready, and
// dispatches its head. Nothing is written: a URI leaves its queue with the commit of its
// outcome, so after a crash it is dispatched again.
func (f *Frontier) Next(ctx context.Context) (*crawl.CrawlURI, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		if f.err != nil {
			return nil, f.err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		changed := f.wakeup
		d := f.pick()
		if u, err := f.do(&d); u != nil || err != nil {
			return u, err
		}
		switch d.Action {
		case sched.Finish:
			return nil, crawl.ErrDone
		case sched.Sleep:
			_ = f.unlocked(func() error { f.sleep(ctx, changed, d.Wait); return nil })
		}
	}
}

// pick returns the next decision of the scheduler. f.mu is held.
func (f *Frontier) pick() sched.Decision {
	d := f.sched.Pick(f.o.Clock.Mono(), f.pending == 0 && f.works == 0 && f.holds == 0)
	f.st.Round, f.st.RoundUsed = f.sched.Round()
	if f.sched.Leaving() > 0 {
		select {
		case f.leaving <- struct{}{}:
		default: // the committer has been notified
		}
	}
	return d
}

// do carries out a decision of the scheduler, except sleeping. It returns nil when no URI was dispatched and the
// scheduler has to decide again. f.mu is held, but released during reads, so that other callers need not wait.
func (f *Frontier) do(d *sched.Decision) (*crawl.CrawlURI, error) {
	switch d.Action {
	case sched.Dispatch:
		u, err := f.dispatch(d.Offer)
		if err != nil {
			return nil, fmt.Errorf("frontier: next: %w", err)
		}
		return u, nil
	case sched.Read:
		if err := f.fetch(d.Load); err != nil {
			return nil, fmt.Errorf("frontier: next: %w", err)
		}
	}
	return nil, nil
}

// dispatch makes the CrawlURI of a URI that is now in process. It returns nil when a budget was spent since the
// scheduler read the URI. f.mu is held.
func (f *Frontier) dispatch(o sched.Offer) (*crawl.CrawlURI, error) {
	var why schema.Retirement
	var err error
	r := f.cachedOffered(o)
	if r == nil {
		r, why, err = f.readOffered(o)
	}
	if why == schema.NotRetired && err == nil && f.sourceSpent(r) {
		why = schema.SourceBudget
	}
	if why != schema.NotRetired || err != nil {
		f.sched.Withdraw(o, why, f.o.Clock.Mono())
		f.broadcast()
		return nil, err
	}
	return rules.OfferOf(r, r.Attempts+1 >= f.attempts(r, o.Once)), nil
}

// cachedOffered returns the row of an offered URI if everything needed for it is cached, as it is just after its queue
// was loaded; else nil.
func (f *Frontier) cachedOffered(o sched.Offer) *schema.Record {
	v, ok := f.recs.Get(o.ID)
	if !ok || len(v) == 0 || f.o.Limits.HasDomainBudget() {
		return nil
	}
	r, err := schema.DecodeRecord(o.ID, v, func(hash uint64) (string, error) {
		if name, ok := f.names.Get(hash); ok {
			return name, nil
		}
		return "", rules.ErrStop
	})
	if err != nil || r.State != schema.Pending || r.Precedence != o.Prec || r.Seq != o.Seq {
		return nil
	}
	if r.ViaID != (crawl.ID{}) {
		if r.Via, ok = f.vias.Get(r.ViaID); !ok {
			return nil
		}
	}
	return r
}

// readOffered reads the row of an offered URI. f.mu is held by the caller and released during the read. why is
// DomainBudget if the budget of its domain is spent.
func (f *Frontier) readOffered(o sched.Offer) (r *schema.Record, why schema.Retirement, err error) {
	f.mu.Unlock()
	defer f.mu.Lock()
	if v, ok := f.recs.Get(o.ID); ok && len(v) > 0 {
		// The queue may have been read after a commit that the cache does not have yet.
		if r, err = f.decode(o.ID, v); err == nil && (r.State != schema.Pending || r.Precedence != o.Prec || r.Seq != o.Seq) {
			r = nil
		}
	}
	if r == nil && err == nil {
		r, err = f.read(f.db, o.ID)
	}
	if err != nil {
		return nil, 0, err
	}
	if r.Via, err = f.viaOf(r); err != nil {
		return nil, 0, fmt.Errorf("via of %s: %w", r.URL, err)
	}
	spent, err := f.domainBudgetSpent(r)
	if spent {
		why = schema.DomainBudget
	}
	return r, why, err
}

// sleep waits until something changes, ctx ends, or wait has passed (negative: no time limit).
func (f *Frontier) sleep(ctx context.Context, changed <-chan struct{}, wait time.Duration) {
	var over <-chan time.Time
	if wait >= 0 {
		t := f.o.Clock.NewTimer(wait)
		defer t.Stop()
		over = t.C()
	}
	select {
	case <-changed:
	case <-ctx.Done():
	case <-over:
	}
}

// broadcast wakes the goroutines that wait in Next. f.mu is held.
func (f *Frontier) broadcast() {
	close(f.wakeup)
	f.wakeup = make(chan struct{})
}

// attempts returns how many attempts a URI gets; once says that its origin has been given up.
func (f *Frontier) attempts(r *schema.Record, once bool) int {
	switch {
	case crawl.IsDNS(r.Key):
		return f.cfg.DNSRetries
	case once:
		return 1 // its other URIs must not wait for all retries of each
	case crawl.IsRobots(r.Key):
		return f.cfg.RobotsRetries
	}
	return f.cfg.MaxRetries
}

// read returns the row of a URI, or an error if there is none.
func (f *Frontier) read(r store.Reader, id crawl.ID) (*schema.Record, error) {
	v, err := r.Get(schema.URIKey(id))
	if err != nil {
		return nil, fmt.Errorf("record %v: %w", id, err)
	}
	if v == nil {
		return nil, fmt.Errorf("record %v is missing", id)
	}
	return f.decode(id, v)
}

func (f *Frontier) decode(id crawl.ID, v []byte) (*schema.Record, error) {
	rec, err := schema.DecodeRecord(id, v, f.name)
	if err != nil {
		return nil, fmt.Errorf("record %v: %w", id, err)
	}
	return rec, nil
}

// Hold keeps the crawl from ending while nothing is pending, because more URIs will be
// scheduled (seeds are being read). The returned function ends the hold.
func (f *Frontier) Hold() (release func()) {
	f.mu.Lock()
	f.holds++
	f.mu.Unlock()
	return func() {
		f.mu.Lock()
		f.holds--
		f.broadcast()
		f.mu.Unlock()
	}
}

// Stats returns the present statistics.
func (f *Frontier) Stats() schema.Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stats()
}

// stats returns the present statistics. f.mu is held.
func (f *Frontier) stats() schema.Stats {
	s := f.st.Stats
	s.InProcess = int64(f.sched.InProcessCount())
	s.Queued -= s.InProcess
	return s
}
