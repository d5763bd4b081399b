package frontier

import (
	"exclave/crawl"
	"exclave/frontier/schema"
)

// prepare reads what it takes to offer the first URI of a host. f.mu is held, but not while
// something is read: nobody else is to wait for that. The host is in no heap meanwhile. What a
// commit made old is read again when it is the host's turn again.
func (f *Frontier) prepare(h *host) (err error) {
	f.unready(h)
	f.woke(h)
	h.reading = true
	f.reading++
	defer f.wasRead(h)
	for more := true; more && err == nil; {
		more, err = f.readMore(h)
	}
	return err
}

// wasRead puts a host that was read where it belongs.
func (f *Frontier) wasRead(h *host) {
	h.reading = false
	f.reading--
	from := f.standsAt(h.hash, h.place)
	f.settle(h)
	f.changes.step(from, f.standsAt(h.hash, h.place))
	if f.hosts[h.hash] != h || h.at() > f.o.Clock.Mono() || f.reading == 0 && len(f.process) == 0 {
		f.broadcast() // who sleeps does not know when its turn comes, or that nothing is left
	}
}

// readMore reads the next of what is needed and reports whether it is current and there is
// more to read. f.mu is held, but not while it reads.
func (f *Frontier) readMore(h *host) (more bool, err error) {
	version := h.version
	unlocked := func(read func() error) bool {
		if h.vain { // else commits faster than the disk could keep it from its turn for ever
			err = read()
		} else {
			err = f.unlocked(read)
		}
		h.vain = h.version != version
		return err == nil && !h.vain
	}
	if h.row.Name == "" {
		var row *schema.Host
		if unlocked(func() (err error) { row, err = f.readRow(h.hash); return err }) {
			f.restore(h, *row)
			more = h.at() <= f.o.Clock.Mono()
		}
		return more, err
	}
	i := f.free(h)
	if i == len(h.next) {
		var head queueHead
		ill, low := h.row.Failing > 0, h.low
		if !unlocked(func() (err error) { head, err = f.readQueue(h.hash, ill, low); return err }) {
			return false, err
		}
		h.take(head)
		if i = f.free(h); i == len(h.next) {
			h.prepared = true
			return false, nil
		}
	}
	id := h.next[i].id
	h.prepared = unlocked(func() error { return f.readHead(id) })
	return false, err
}

// unlocked reads without f.mu, which is held before and after, whatever becomes of the goroutine.
func (f *Frontier) unlocked(read func() error) error {
	f.mu.Unlock()
	defer f.mu.Lock()
	return read()
}

// readHead reads the record of a URI that is to be offered, and what is known of it elsewhere:
// they are in caches then.
func (f *Frontier) readHead(id crawl.ID) (err error) {
	v, err := f.recs.Read(id, func(id crawl.ID) ([]byte, bool, error) {
		v, err := get(f.db, schema.URIKey(id))
		return v, v != nil, err
	})
	if v == nil || err != nil {
		return err // one that is missing may be leaving the queue just now
	}
	r, err := f.decode(id, v)
	if err != nil {
		return err
	}
	if _, err := f.viaOf(r); err != nil || !f.cfg.LimitsAddresses() {
		return err
	}
	_, err = f.env.IPOf(r.Host)
	return err
}

// take notes what was read of the queue.
func (h *host) take(q queueHead) {
	h.low, h.next = q.low, q.next
	if q.till > 0 && (h.till == 0 || q.till < h.till) {
		h.till = q.till
	}
}

// head returns the first URI of a host's queue that may be asked for and is not in process, nil
// when there is none; once says that it is tried once. f.mu is held; what was prepared need not be
// read.
func (f *Frontier) head(h *host) (r *schema.Record, once bool, err error) {
	i := f.free(h)
	if i == len(h.next) {
		q, err := f.readQueue(h.hash, h.row.Failing > 0, h.low)
		if err != nil {
			return nil, false, err
		}
		h.take(q)
		i = f.free(h)
	}
	if i == len(h.next) {
		return nil, false, nil
	}
	q := h.next[i]
	if v, ok := f.recs.Get(q.id); ok {
		// A queue may be read after a commit can be seen, the cache before it knows of it.
		if r, err := f.decode(q.id, v); err != nil || r.State == schema.Waiting && r.Precedence == q.prec && r.Seq == q.seq {
			return r, q.once, err
		}
	}
	r, err = f.read(f.db, q.id)
	return r, q.once, err
}

// free returns the place in h.next of the first URI that is not in process, after those
// that are giving way were taken out. One of an origin that is not well goes alone. f.mu is held.
func (f *Frontier) free(h *host) (i int) {
	for i < len(h.next) {
		switch id := h.next[i].id; {
		case f.reserved[id] && i == 0:
			h.next = h.next[1:]
		case f.reserved[id], f.process[id] != nil, h.next[i].ill && h.busy > 0:
			i++
		default:
			return i
		}
	}
	return i
}
