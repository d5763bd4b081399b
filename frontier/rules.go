package frontier

import (
	"bytes"
	"errors"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/sched"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// commitTx is a commit: the transaction of the rules, what it reads and writes, and what one step passes to the next.
type commitTx struct {
	*rules.Tx
	f      *Frontier
	batch  store.Batch
	rd     reader
	leaves []sched.Leave // queues that the commit evicts
	// logRows are the rows of the logs with the lines of this commit, rolled the logs that it rolls, files the WARC
	// files that it synced.
	logRows [crawl.NumLogs]schema.LogRow
	rolled  []crawl.LogID
	files   []uint32
}

// begin begins a commit.
func (f *Frontier) begin() *commitTx {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := &commitTx{f: f, rd: reader{f: f}, leaves: f.sched.Leaves(rules.MaxLinks)}
	t.Tx = rules.Begin(&f.env, &t.rd, &t.batch, f.st, f.works)
	return t
}

// evictions returns the queues that the commit evicts, in the form of package rules.
func (t *commitTx) evictions() []rules.Leave {
	ls := make([]rules.Leave, len(t.leaves))
	for i, l := range t.leaves {
		ls[i] = rules.Leave{Queue: l.Queue, Until: l.Until, Retire: l.Retire, BacksOff: l.BacksOff, Current: l.Current}
		if l.BacksOff {
			ls[i].Until = schema.CeilMillis(l.Until)
		}
	}
	return ls
}

// rulesEnv returns the environment of the rules. The store is open.
func (f *Frontier) rulesEnv() rules.Env {
	return rules.Env{Config: f.cfg, Limits: f.o.Limits, Order: f.order, Depths: f.o.Depths, Salt: f.salt, Facts: f, Queues: inMemoryQueues{f}, Links: f.o.Links,
		Tallies: &f.tallies, Backlog: &f.work, Now: f.o.Clock.Now, Wall: f.wall, SnoozeLeft: f.snoozeLeft,
		DomainOf: func(host string) string {
			name, _ := f.registered.Read(host, func(host string) (string, bool, error) { return rules.DomainOf(host), true, nil })
			return name
		},
		HostLimits: f.hostLimits,
		Pack:       func(raw []byte) []byte { return f.zw.EncodeAll(raw, nil) }}
}

// inMemoryQueues gives the rules access to resident queues.
type inMemoryQueues struct{ f *Frontier }

// Reserve implements Queues.
func (q inMemoryQueues) Reserve(id crawl.ID) bool {
	f := q.f
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sched.Reserve(id)
}

// First implements Queues.
func (q inMemoryQueues) First(queue uint64, taken func([]byte) bool) []byte {
	f := q.f
	f.mu.Lock()
	defer f.mu.Unlock()
	key := func(k sched.Key) []byte { return schema.QueueKey(queue, k.Prec, k.Seq) }
	k, known := f.sched.First(queue, func(k sched.Key) bool { return taken(key(k)) })
	if !known {
		return nil
	}
	return key(k)
}

// reader reads rows as the last commit left them, from caches and the store. One iterator serves a whole commit.
type reader struct {
	f      *Frontier
	it     *store.Iter // for Row; nil until needed
	queues *store.Iter // for Backwards; nil until needed
}

// close closes the iterators, unless the store failed: then it may still be reading them.
func (r *reader) close() error {
	if r.f.db.Cause() != nil {
		return nil
	}
	var errs []error
	for _, it := range []*store.Iter{r.it, r.queues} {
		if it != nil {
			errs = append(errs, it.Close())
		}
	}
	r.it, r.queues = nil, nil
	return errors.Join(errs...)
}

// Row implements Rows.
func (r *reader) Row(key []byte) (v []byte, err error) {
	if r.it == nil {
		if r.it, err = r.f.db.Iter(nil, nil); err != nil {
			return nil, err
		}
	}
	return r.it.Seek(key)
}

// URI implements Rows.
func (r *reader) URI(id crawl.ID) ([]byte, error) {
	if v, ok := r.f.recs.Get(id); ok {
		return v, nil
	}
	v, err := r.Row(schema.URIKey(id))
	return bytes.Clone(v), err
}

// Host implements Rows.
func (r *reader) Host(hash uint64) ([]byte, error) {
	if v, ok := r.f.hostRows.Get(hash); ok {
		return v, nil
	}
	v, err := r.Row(schema.HostKey(hash))
	return bytes.Clone(v), err
}

// Domain implements Rows.
func (r *reader) Domain(name string) ([]byte, error) {
	if v, ok := r.f.domainRows.Get(name); ok {
		return v, nil
	}
	read, err := r.Row(schema.DomainKey(name))
	if read == nil || err != nil {
		return nil, err
	}
	v := bytes.Clone(read)
	r.f.domainRows.Keep(name, v)
	return v, nil
}

// Name implements Rows.
func (r *reader) Name(hash uint64) (string, error) { return r.f.name(hash) }

// Scan implements Rows.
func (r *reader) Scan(from, prefix []byte, fn func(key, value []byte) error) error {
	return r.f.db.ScanFrom(from, prefix, fn)
}

// Backwards implements Rows.
func (r *reader) Backwards(prefix []byte, fn func(key, value []byte) (more bool, err error)) (err error) {
	if r.queues == nil {
		if r.queues, err = r.f.db.Iter(prefix, schema.After(prefix)); err != nil {
			return err
		}
	} else {
		r.queues.SetBounds(prefix, schema.After(prefix))
	}
	for ok := r.queues.Last(); ok; ok = r.queues.Prev() {
		v, err := r.queues.ValueAndErr()
		if err != nil {
			return err
		}
		if more, err := fn(r.queues.Key(), v); err != nil || !more {
			return err
		}
	}
	return r.queues.Error()
}
