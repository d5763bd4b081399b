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

// Next implements the frontier of package chain: it blocks until a host may be
// asked, and offers the head of its queue. Nothing is written: a URI leaves its
// queue when Finished says so, so a crash offers it again.
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

// pick asks the scheduler what to do. f.mu is held.
func (f *Frontier) pick() sched.Decision {
	d := f.sched.Pick(f.o.Clock.Mono(), f.pending == 0 && f.works == 0 && f.holds == 0)
	f.st.Round, f.st.RoundUsed = f.sched.Round()
	if f.sched.Leaving() > 0 {
		select {
		case f.leaving <- struct{}{}:
		default: // the committer knows
		}
	}
	return d
}

// do does what the scheduler decided, but for sleeping; it returns nil when it is to be asked again. f.mu is held,
// but not while something is read: nobody else is to wait for that.
func (f *Frontier) do(d *sched.Decision) (*crawl.CrawlURI, error) {
	switch d.Action {
	case sched.Dispatch:
		u, err := f.hand(d.Offer)
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

// hand makes the CrawlURI of a URI that is in process now. It returns nil when a budget was spent since it
// was looked at. f.mu is held.
func (f *Frontier) hand(o sched.Offer) (*crawl.CrawlURI, error) {
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

// cachedOffered returns the record of a URI in process when nothing must be read for that, as just after its queue was
// loaded; else nil.
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

// readOffered reads the record of a URI in process, without f.mu, which is held before and after; why is the
// budget of its domain, when that is spent.
func (f *Frontier) readOffered(o sched.Offer) (r *schema.Record, why schema.Retirement, err error) {
	f.mu.Unlock()
	defer f.mu.Lock()
	if v, ok := f.recs.Get(o.ID); ok && len(v) > 0 {
		// A queue may be read after a commit can be seen, the cache before it knows of it.
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

// sleep waits for a change, the end of ctx, or a while (negative: for ever).
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

// broadcast wakes whoever waits in Next. f.mu is held.
func (f *Frontier) broadcast() {
	close(f.wakeup)
	f.wakeup = make(chan struct{})
}

// attempts is how often a URI is tried; once says that its origin does not answer.
func (f *Frontier) attempts(r *schema.Record, once bool) int {
	switch {
	case crawl.IsDNS(r.Key):
		return f.cfg.DNSRetries
	case once:
		return 1 // the others need not find it out one by one
	case crawl.IsRobots(r.Key):
		return f.cfg.RobotsRetries
	}
	return f.cfg.MaxRetries
}

// read returns a record, an error when there is none.
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

// Hold keeps the crawl from ending while nothing is queued, because more is to
// come (seeds being read). The returned function ends the hold.
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

// Stats returns the numbers as of now.
func (f *Frontier) Stats() schema.Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stats()
}

// stats returns the numbers as of now. f.mu is held.
func (f *Frontier) stats() schema.Stats {
	s := f.st.Stats
	s.InProcess = int64(f.sched.InProcessCount())
	s.Queued -= s.InProcess
	return s
}
