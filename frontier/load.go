package frontier

import (
	"encoding/binary"
	"errors"
	"fmt"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/sched"
	"exclave/frontier/schema"
	"exclave/internal/yield"
)

// fetch reads rows for the scheduler and passes them to it. f.mu is held, but released during reads.
func (f *Frontier) fetch(l sched.Load) error {
	for more := true; more; {
		var rows sched.Rows
		if err := f.readUnlocked(&l, &rows); err != nil {
			f.sched.Failed(l, f.o.Clock.Mono())
			f.broadcast()
			return err
		}
		var tell bool
		if l, more, tell = f.sched.Loaded(l, &rows, f.o.Clock.Mono()); tell {
			f.broadcast()
		}
	}
	return nil
}

// readUnlocked reads with f.mu released. The caller holds f.mu; it is held again at the end, even if the goroutine exits.
func (f *Frontier) readUnlocked(l *sched.Load, rows *sched.Rows) error {
	f.mu.Unlock()
	defer f.mu.Lock()
	switch l.Kind {
	case sched.Places:
		return f.readPlaces(l, rows)
	case sched.QueueRow:
		h, err := f.readRow(l.Queue)
		if err == nil {
			rows.Row = f.schedRow(h)
		}
		return err
	case sched.QueueURIs:
		if err := f.readQueue(l, rows); err != nil {
			return fmt.Errorf("queue %016x: %w", l.Queue, err)
		}
	case sched.FirstURI:
		if err := f.readHead(l.First.ID, &rows.Head); err != nil {
			return fmt.Errorf("first of queue %016x: %w", l.Queue, err)
		}
	}
	return nil
}

// unlocked calls do with f.mu released. The caller holds f.mu; it is held again at the end, even if the goroutine exits.
func (f *Frontier) unlocked(do func() error) error {
	f.mu.Unlock()
	defer f.mu.Lock()
	return do()
}

// schedRow returns the part of a host's row that the scheduler keeps.
func (f *Frontier) schedRow(h *schema.Host) sched.Row {
	return sched.Row{Class: schema.ClassOf(f.order.Line(h)), Pending: h.Pending, Requests: h.Requests, Backoff: h.Backoff, Failing: h.Failing > 0,
		Wake: h.Wake, Until: h.Until}
}

// readPlaces reads the next places of queues, in order.
func (f *Frontier) readPlaces(l *sched.Load, rows *sched.Rows) (err error) {
	it, err := f.db.Iter(append(l.After.Key(), 0), l.After.Kind.End())
	if err != nil {
		return fmt.Errorf("read the queues in order: %w", err)
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for rows.More = it.First(); rows.More; rows.More = it.Next() {
		p := schema.ReadPlace(it.Key())
		if len(rows.Places) == l.Most || l.Until > 0 && p.At >= l.Until {
			rows.Next = p.At
			break
		}
		rows.Places = append(rows.Places, p)
	}
	return it.Error()
}

// readQueue reads the first URIs of a queue, without those of origins that back off.
func (f *Frontier) readQueue(l *sched.Load, rows *sched.Rows) (err error) {
	prefix := schema.QueuePrefix(l.Queue)
	rows.From = l.From
	it, err := f.db.Iter(schema.QueueKey(l.Queue, l.From.Prec, l.From.Seq), schema.After(prefix))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	origins, others := map[uint32]schema.Origin{}, yield.Loop{}
	for ok := it.First(); ok && len(rows.URIs) < l.Most; ok = it.Next() {
		k := it.Key()
		v, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		id, tag, err := schema.DecodeQueued(l.Queue, v)
		if err != nil {
			return err
		}
		e := sched.Entry{Prec: k[9], Seq: binary.BigEndian.Uint64(k[10:]), ID: id}
		if l.Failing {
			o, err := f.originIn(origins, l.Queue, id, tag)
			if err != nil {
				return err
			}
			e.Failing, e.Once = o.Failing(), o.GaveUp
			if rest := f.snoozeLeft(o.Until); rest > 0 {
				if till := f.o.Clock.Mono() + rest; rows.SkippedUntil == 0 || till < rows.SkippedUntil {
					rows.SkippedUntil = till
				}
				if len(rows.URIs) == 0 {
					rows.From = e.Key().After()
				}
				others.Step(yield.Rows)
				continue
			}
		}
		if len(rows.URIs) == 0 {
			rows.From = e.Key()
		}
		rows.URIs = append(rows.URIs, e)
	}
	return it.Error()
}

// readHead reads what the scheduler needs to offer a URI. Afterwards the row of the URI is cached.
func (f *Frontier) readHead(id crawl.ID, h *sched.Head) (err error) {
	h.ID = id
	v, err := f.recs.Read(id, func(id crawl.ID) ([]byte, bool, error) {
		v, err := f.db.Get(schema.URIKey(id))
		return v, v != nil, err
	})
	if v == nil || err != nil {
		return err // if the row is missing, a commit may be removing the URI from its queue
	}
	r, err := f.decode(id, v)
	if err != nil {
		return err
	}
	if _, err := f.viaOf(r); err != nil {
		return err
	}
	h.Prereq = r.IsPrereq()
	if f.cfg.ConnectionsPerHost > 1 || f.sinceKill(f.cfg.MaxCrawlDelay) > 0 {
		if h.CrawlDelay, err = f.env.CrawlDelay(r); err != nil {
			return err
		}
	}
	spent, err := f.domainBudgetSpent(r)
	if err != nil {
		return err
	}
	switch {
	case spent:
		h.Retire = schema.DomainBudget
	case f.sourceSpentUnlocked(r):
		h.Retire = schema.SourceBudget
	}
	if !f.cfg.LimitsAddresses() {
		return nil
	}
	if h.Addr, err = f.env.IPOf(r.Host); err != nil || !h.Addr.IsValid() {
		return err
	}
	row, err := f.addressRow(h.Addr)
	h.AddrPausedUntil = f.o.Clock.Mono() + min(max(row.Until.Sub(f.o.Clock.Now()), 0), f.cfg.Pause)
	return err
}

// schedConfig returns the configuration of the scheduler.
func (f *Frontier) schedConfig() sched.Config {
	c, o := &f.cfg, f.order
	return sched.Config{InMemory: c.HostsInMemory, Connections: c.ConnectionsPerHost, MinDelay: c.MinDelay, MaxDelay: c.MaxDelay,
		LongestSnooze: f.longest, ResidentSnooze: rules.ResidentSnooze, ReadAhead: rules.ReadAhead, HostsPerAddress: c.HostsPerAddress, AddressDelay: c.AddressDelay, PauseAfter: c.PauseAfter, Pause: c.Pause,
		HasRounds: o.HasRounds(), Rounds: o.Rounds, RoundURLs: o.RoundURLs, Opened: f.opened, OpenedAt: f.openedAt}
}

// startSched starts the scheduler with the counts of queues in the state.
func (f *Frontier) startSched() (err error) {
	b := sched.Initial{Inactive: f.began.Inactive, Snoozed: f.began.Snoozed, Retired: f.began.Retired,
		RevivedInLine: int64(f.st.InLine) - f.began.Inactive, RevivedSnoozed: int64(f.st.Snoozed) - f.began.Snoozed,
		Round: f.st.Round, RoundUsed: f.st.RoundUsed, Killed: f.wasKilled, KilledAt: f.killed}
	if f.st.Snoozed > 0 {
		it, err := f.db.Iter(schema.Snoozed.Prefix(), schema.Snoozed.End())
		if err != nil {
			return err
		}
		if it.First() {
			b.NextWake = schema.ReadPlace(it.Key()).At
		}
		if it.Last() {
			b.LastWake = schema.ReadPlace(it.Key()).At
		}
		if err := errors.Join(it.Error(), it.Close()); err != nil {
			return err
		}
	}
	f.sched.Start(b)
	return nil
}
