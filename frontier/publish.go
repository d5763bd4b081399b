package frontier

import (
	"encoding/binary"
	"maps"
	"slices"

	"exclave/crawl"
	"exclave/frontier/sched"
	"exclave/frontier/schema"
)

// publish tells the scheduler what the commit changed, and updates the statistics.
func (f *Frontier) publish(t *commitTx, rows [crawl.NumLogs]schema.LogRow) {
	p := &sched.Publication{Changes: f.changesOf(t), Returned: t.Returned, Freed: t.Freed, Leaves: len(t.leaves),
		Round: t.Counters.Round, RoundUsed: t.Counters.RoundUsed}
	for ip := range t.Paused {
		p.Paused = append(p.Paused, ip)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.st, f.logRows, f.works = t.Counters, rows, t.Works
	f.tallies.Merge(&t.Counted)
	for n, l := range t.Lengths {
		f.files[n] = schema.FileRow{Number: n, Name: f.archive.FileName(n), Committed: l}
	}
	f.sched.Apply(p, f.o.Clock.Mono())
	f.broadcast()
}

// changesOf returns the changes of queues by a commit, for the scheduler. They are valid until the next commit.
func (f *Frontier) changesOf(t *commitTx) []sched.Change {
	left := map[uint64]bool{}
	for _, l := range t.leaves {
		left[l.Queue] = true
	}
	all, keys := slices.Grow(f.changes[:0], len(t.Queues)), f.taken[:0]
	// In order, so that a crawl that is repeated with the same salt takes queues in the same order.
	for _, hash := range slices.Sorted(maps.Keys(t.Queues)) {
		q := t.Queues[hash]
		c := sched.Change{Queue: hash, Was: q.Was, At: q.At, Row: f.schedRow(&q.Host), Origins: q.Origins, Requested: q.Requested, Delay: q.Delay, Failed: q.Failed,
			Recovered: q.Recovered, Left: left[hash]}
		if q.Put != nil {
			c.NotePut(schedKey(q.Put))
		}
		first := len(keys)
		for _, k := range q.Taken {
			keys = append(keys, schedKey(k))
		}
		c.Taken = keys[first:len(keys):len(keys)]
		all = append(all, c)
	}
	f.changes, f.taken = all, keys
	return all
}

// schedKey returns the place of a URI in its queue, from the key of its queue row.
func schedKey(key []byte) sched.Key {
	return sched.Key{Prec: key[9], Seq: binary.BigEndian.Uint64(key[10:])}
}
