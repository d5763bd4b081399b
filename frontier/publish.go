package frontier

import (
	"exclave/crawl"
	"exclave/frontier/schema"
)

// publish shows the commit to Next and Stats.
func (f *Frontier) publish(t *commitTx, rows [crawl.NumLogs]schema.LogRow) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.st, f.logRows, f.works = t.Counters, rows, t.Works
	f.tallies.Take(&t.Counted)
	for n, l := range t.Lengths {
		f.files[n] = schema.FileRow{Number: n, Name: f.archive.FileName(n), Committed: l}
	}
	for _, id := range t.Back {
		h := f.process[id]
		delete(f.process, id)
		if h == nil {
			continue
		}
		f.unready(h)
		if h.busy--; h.busy == 0 {
			f.freed(h)
		}
		if id == h.alone {
			h.alone = crawl.ID{}
		}
		q := t.Queues[h.hash]
		if q != nil && q.Asked {
			h.wake = f.o.Clock.Mono() + q.Rest
			h.resting = q.Failed
		}
		if q == nil {
			f.settle(h)
		}
	}
	for ip := range t.Paused {
		f.pause(ip)
	}
	for _, p := range t.off {
		p.host.off = false
		p.host.wake = f.o.Clock.Mono() + f.restOf(t.Queues[p.host.hash].Wake)
		p.host.none = false // unless its row says so
	}
	for _, id := range t.Evicted {
		delete(f.reserved, id)
	}
	f.off = f.off[len(t.off):]
	if len(f.off) == 0 {
		f.off = nil
	}
	for hash, row := range t.Queues {
		row.Tally = nil // a host that waits need not hold them in memory
		at := row.At
		from := f.standsAt(hash, row.Was)
		h := f.hosts[hash]
		if h != nil && h.place != row.Was { // was taken from disk when this commit could be seen there already
			f.changes.step(standsOnDisk(row.Was), standsOnDisk(h.place))
			from = f.standsAt(hash, h.place)
		}
		if !f.near(at) && at.Kind == schema.Snoozed {
			f.restsUntil(at.At)
		}
		if h == nil {
			if !f.near(at) {
				f.changes.step(from, f.standsAt(hash, at))
				continue
			}
			h = &host{hash: hash, heap: -1, wake: f.o.Clock.Mono() + f.restOf(row.Wake)}
			f.hosts[hash] = h
		}
		if h.row.Name == "" { // came from disk, and was not read yet
			f.unready(h)
			f.restore(h, row.Host)
		}
		f.stand(h, row.Host, at)
		if h.none || !row.Until.IsZero() || row.Eased {
			f.unready(h)
		}
		if row.Eased {
			h.wake, h.resting = f.o.Clock.Mono()+f.restOf(row.Wake), false
		}
		var gone []byte
		if len(row.Taken) == 1 {
			gone = row.Taken[0]
		}
		h.changed(row.Put, gone, row.Origins)
		f.restTill(h, row.Until)
		if len(row.Taken) > 1 {
			h.next = nil
		}
		f.settle(h)
		f.changes.step(from, f.standsAt(hash, at))
	}
	if len(f.hosts) > f.cfg.HostsInMemory {
		f.shrink()
	}
	if len(f.addrs) > f.cfg.HostsInMemory {
		for _, a := range f.addrs {
			f.place(a) // drops those that have rested
		}
	}
	f.broadcast()
}
