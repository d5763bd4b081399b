package frontier

import (
	"bytes"
	"context"
	"fmt"

	"exclave/frontier/commit"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// hostLimits are the limits of a host.
func (f *Frontier) hostLimits(host string) rules.LimitsConfig {
	if f.o.HostLimits == nil {
		return f.o.Limits
	}
	return f.o.HostLimits(host)
}

// domainBudgetSpent reports whether a URI may not be dispatched because the budget of its registered domain is spent.
func (f *Frontier) domainBudgetSpent(r *schema.Record) (bool, error) {
	if !f.o.Limits.HasDomainBudget() || r.IsPrereq() {
		return false, nil
	}
	d, err := f.readDomain(r.Host)
	return err == nil && f.o.Limits.DomainSpent(d), err
}

// sourceSpent reports whether a URI may not be dispatched because the budget of its source is spent. f.mu is held.
func (f *Frontier) sourceSpent(r *schema.Record) bool {
	return r.SourceTag != "" && !r.IsPrereq() && f.o.Limits.SourceSpent(f.tallies.Sources[r.SourceTag])
}

// sourceSpentUnlocked is sourceSpent for callers that do not hold f.mu.
func (f *Frontier) sourceSpentUnlocked(r *schema.Record) bool {
	if l := &f.o.Limits; l.SourceDocuments == 0 && l.SourceBytes == 0 {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sourceSpent(r)
}

// ReviveRaised revives retired queues whose hosts have budgets left, because [Options.HostLimits] returns others than
// before.
func (f *Frontier) ReviveRaised(ctx context.Context) error {
	for r := (&rules.Revival{}); !r.Over; {
		if err := f.committer.Submit(ctx, &commit.Request{Request: rules.Request{Revival: r}}); err != nil {
			return fmt.Errorf("frontier: revive queues: %w", err)
		}
	}
	return nil
}

// WakeOffHours wakes queues that were snoozed because a URI was due outside the hours of a sheet, and whose first URI open lets
// be asked for now. open is called by another goroutine, and must not block. Those that were snoozed for less than
// a minute, to the beginning of the hours, stay so.
func (f *Frontier) WakeOffHours(ctx context.Context, open func(url string) bool) error {
	for w := (&rules.Waking{Open: open}); !w.Over; {
		if err := f.committer.Submit(ctx, &commit.Request{Request: rules.Request{Waking: w}}); err != nil {
			return fmt.Errorf("frontier: wake queues: %w", err)
		}
	}
	return nil
}

// SameLimits reports whether the limits are those of the last run. With other limits, retired
// queues may be revived when the frontier is opened to crawl.
func (f *Frontier) SameLimits() (bool, error) {
	was, err := f.db.Get(schema.MetaKey(schema.MetaLimits))
	return bytes.Equal(was, f.o.Limits.Encode()), err
}

// reviveRetired revives retired queues whose budgets were raised, if the limits are not those
// of the last run, or hosts have limits of their own.
func (f *Frontier) reviveRetired() error {
	now := f.o.Limits.Encode()
	was, err := f.db.Get(schema.MetaKey(schema.MetaLimits))
	same := bytes.Equal(was, now)
	if err != nil || same && f.o.HostLimits == nil {
		return err
	}
	b := &store.Batch{}
	err = f.db.Scan(schema.Retired.Prefix(), func(k, _ []byte) error {
		p := schema.ReadPlace(k)
		v, err := f.db.Get(schema.HostKey(p.Host))
		if err != nil {
			return err
		}
		h, err := schema.DecodeHost(v)
		if err != nil {
			return err
		}
		if same && h.Retired != schema.HostBudget { // only those of hosts may be others now
			return nil
		}
		switch h.Retired {
		case schema.HostBudget:
			if l := f.hostLimits(h.Name); l.HostSpent(h) {
				return nil
			}
		case schema.DomainBudget:
			d, err := f.readDomain(h.Name)
			if err != nil {
				return err
			}
			if f.o.Limits.DomainSpent(d) {
				return nil
			}
		}
		h.Retired = schema.NotRetired
		to := f.order.Place(h, p.Host)
		f.st.Moved(p, to)
		b.Delete(p.Key())
		b.Set(to.Key(), nil)
		b.Set(schema.HostKey(p.Host), h.Encode())
		return nil
	})
	if err != nil {
		return fmt.Errorf("queues that were retired: %w", err)
	}
	b.Set(schema.MetaKey(schema.MetaLimits), now)
	b.Set(schema.MetaKey(schema.MetaStats), f.st.Encode())
	return f.db.Commit(b, true)
}
