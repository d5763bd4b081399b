package frontier

import (
	"exclave/crawl"
	"exclave/frontier/schema"
)

// publish shows the commit to Next and Stats.
func (t *tx) publish(rows [crawl.NumLogs]schema.LogRow) {
	f := t.f
	f.mu.Lock()
	defer f.mu.Unlock()
	f.st, f.logRows, f.works = t.st, rows, t.works
	f.tallies.take(&t.counted)
	f.learnt(t.know)
	for n, l := range t.lens {
		f.files[n] = schema.FileRow{Number: n, Name: f.archive.FileName(n), Committed: l}
	}
	for _, id := range t.back {
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
		if rest, ok := t.rest[h.hash]; ok {
			h.wake = f.o.Clock.Mono() + rest
			h.resting = t.failed[h.hash]
		}
		if t.hosts[h.hash] == nil {
			f.settle(h)
		}
	}
	for ip := range t.addresses {
		f.pause(ip)
	}
	for _, p := range t.off {
		p.host.off = false
		p.host.wake = f.o.Clock.Mono() + f.restOf(t.hosts[p.host.hash].Wake)
		p.host.none = false // unless its row says so
	}
	for _, id := range t.freed {
		delete(f.reserved, id)
	}
	f.off = f.off[len(t.off):]
	if len(f.off) == 0 {
		f.off = nil
	}
	for hash, row := range t.hosts {
		row.Tally, row.read = nil, nil // a host that waits need not hold them in memory
		at := f.order.stands(&row.Host, hash)
		from := f.standsAt(hash, row.was)
		h := f.hosts[hash]
		if h != nil && h.place != row.was { // was taken from disk when this commit could be seen there already
			f.changes.step(standsOnDisk(row.was), standsOnDisk(h.place))
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
		if h.none || !row.Until.IsZero() || t.eased[hash] {
			f.unready(h)
		}
		if t.eased[hash] {
			h.wake, h.resting = f.o.Clock.Mono()+f.restOf(row.Wake), false
		}
		h.changed(t.low[hash], t.gone[hash], t.turned[hash])
		f.restTill(h, row.Until)
		if t.dropped[hash] {
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
