package frontier

import (
	"bytes"
	"fmt"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// reserve keeps a URI from being offered; false: a ToeThread has it.
func (f *Frontier) reserve(id crawl.ID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.process[id] != nil {
		return false
	}
	f.reserved[id] = true
	return true
}

// mayNotAsk returns why the head of a queue must not be asked for. f.mu is held.
func (f *Frontier) mayNotAsk(r *schema.Record) (schema.Retirement, error) {
	if r.IsPrereq() {
		return schema.NotRetired, nil
	}
	l := &f.o.Limits
	if l.HasDomainBudget() {
		if d, err := f.readDomain(r.Host); err != nil || l.DomainSpent(d) {
			return schema.DomainBudget, err
		}
	}
	if r.SourceTag != "" && l.SourceSpent(f.tallies.Sources[r.SourceTag]) {
		return schema.SourceBudget, nil
	}
	return schema.NotRetired, nil
}

// SameLimits reports whether the limits are those by which queues were retired in the last run;
// others may put some back in line when the frontier is opened to crawl.
func (f *Frontier) SameLimits() (bool, error) {
	was, err := get(f.db, schema.MetaKey(schema.MetaLimits))
	return bytes.Equal(was, f.o.Limits.Encode()), err
}

// wakeRetired puts queues back in line whose budgets are greater now, when the limits
// are not those of the last run.
func (f *Frontier) wakeRetired() error {
	now := f.o.Limits.Encode()
	was, err := get(f.db, schema.MetaKey(schema.MetaLimits))
	if err != nil || bytes.Equal(was, now) {
		return err
	}
	b := &store.Batch{}
	err = scan(f.db, schema.Retired.Prefix(), func(k, _ []byte) error {
		p := schema.ReadPlace(k)
		v, err := get(f.db, schema.HostKey(p.Host))
		if err != nil {
			return err
		}
		h, err := schema.DecodeHost(v)
		if err != nil {
			return err
		}
		switch h.Retired {
		case schema.HostBudget:
			if f.o.Limits.HostSpent(h) {
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
		f.changes.step(retired, f.standsAt(p.Host, to))
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
