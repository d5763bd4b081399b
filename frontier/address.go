package frontier

import (
	"container/heap"
	"net/netip"
	"time"

	"exclave/frontier/schema"
	"exclave/frontier/store"
)

// address is an IP address that one of the hosts in memory has, and on which the
// limits of System 5 hold whatever the host. It is guarded by Frontier.mu.
type address struct {
	addr netip.Addr
	busy int           // hosts with a URI in process
	next time.Duration // no request before, on the monotonic clock
	// waiting are hosts whose time has come but not the address's, in that order;
	// those no longer in memory are passed over.
	waiting []*host
	heap    int // index in the heap, -1 when not in it
	// tail is until when the hosts wait on disk that were put off, on the monotonic
	// clock.
	tail time.Duration
}

// mostWaiting is how many hosts may wait for one address in memory: those of link farms
// must not crowd out all others. f.mu is held.
func (f *Frontier) mostWaiting() int {
	if len(f.hosts) > f.cfg.HostsInMemory/2 {
		return 2
	}
	return 64
}

// putOffSlot is how far apart the times are that hosts of one address are put off to:
// the length of a fast visit.
const putOffSlot = 500 * time.Millisecond

// addressHeap orders addresses that hosts wait for by when they may be asked.
type addressHeap []*address

func (h addressHeap) Len() int           { return len(h) }
func (h addressHeap) Less(i, j int) bool { return h[i].next < h[j].next }
func (h addressHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].heap, h[j].heap = i, j
}

// Push implements [heap.Interface].
func (h *addressHeap) Push(x any) {
	a := x.(*address)
	a.heap = len(*h)
	*h = append(*h, a)
}

// Pop implements [heap.Interface].
func (h *addressHeap) Pop() any {
	old := *h
	a := old[len(old)-1]
	*h, a.heap = old[:len(old)-1], -1
	return a
}

// addressOf returns the address of a host, nil while it is not known: its first URI
// waits for DNS anyway. f.mu is held.
func (f *Frontier) addressOf(h *host) (*address, error) {
	if !f.cfg.LimitsAddresses() {
		return nil, nil
	}
	name, err := f.addressHost(h)
	if err != nil {
		return nil, err
	}
	ip, err := f.env.IPOf(name)
	if err != nil || !ip.IsValid() {
		return nil, err
	}
	a := f.addrs[ip]
	if a == nil {
		a = &address{addr: ip, heap: -1}
		row, err := f.addressRow(f.db, ip)
		if err != nil {
			return nil, err
		}
		now := f.o.Clock.Now()
		a.next = f.o.Clock.Mono() + min(max(row.Until.Sub(now), 0), f.cfg.Pause)
		// The run before may have asked it in its last moment.
		a.next = max(a.next, f.opened+f.cfg.AddressDelay)
		if f.cfg.PauseAfter > 0 { // and that request may have been the last before a pause
			a.next = max(a.next, f.o.Clock.Mono()+f.sinceKill(f.cfg.Pause))
		}
		f.addrs[ip] = a
	}
	return a, nil
}

// mayAsk reports whether a request to the address may be made now. f.mu is held.
func (f *Frontier) mayAsk(a *address) bool {
	return (f.cfg.HostsPerAddress == 0 || a.busy < f.cfg.HostsPerAddress) && a.next <= f.o.Clock.Mono()
}

// waitFor lets a host wait for its address. f.mu is held.
func (f *Frontier) waitFor(a *address, h *host) {
	h.waits = a
	a.waiting = append(a.waiting, h)
	f.place(a)
}

// putOff lets a host wait on disk until it may be its turn at its address, for which
// too many wait already: one after the other, so that each is read about once. The
// committer sees to it. f.mu is held.
func (f *Frontier) putOff(a *address, h *host) {
	slot := max(putOffSlot/time.Duration(max(f.cfg.HostsPerAddress, 1)), f.cfg.AddressDelay)
	a.tail = max(a.tail, max(a.next, f.o.Clock.Mono())+time.Duration(len(a.waiting))*slot) + slot
	f.sendOff(putOff{host: h, until: f.wall().Add(a.tail - f.o.Clock.Mono())})
}

// sendOff lets the committer put a host off. f.mu is held.
func (f *Frontier) sendOff(p putOff) {
	p.host.off = true
	f.off = append(f.off, p)
	select {
	case f.offs <- struct{}{}:
	default: // the committer knows
	}
}

// putOff is a host that is to wait on disk until its turn, or because a budget is
// spent.
type putOff struct {
	host   *host
	until  time.Time
	retire schema.Retirement
	// resting says that all that waits in it rests until then, as of a version of the host.
	resting bool
	version uint64
}

// place puts an address where it belongs: into the heap while hosts wait and it is
// not full, out of memory when nothing is known of it. f.mu is held.
func (f *Frontier) place(a *address) {
	for len(a.waiting) > 0 && a.waiting[0].waits != a {
		a.waiting = a.waiting[1:] // is no longer in memory
	}
	wanted := len(a.waiting) > 0 && (f.cfg.HostsPerAddress == 0 || a.busy < f.cfg.HostsPerAddress)
	switch {
	case wanted && a.heap < 0:
		heap.Push(&f.resting, a)
	case wanted:
		heap.Fix(&f.resting, a.heap)
	case a.heap >= 0:
		heap.Remove(&f.resting, a.heap)
	}
	if a.busy == 0 && len(a.waiting) == 0 && a.next <= f.o.Clock.Mono() {
		delete(f.addrs, a.addr)
	}
}

// freed says that a host asks its address for nothing any more. f.mu is held.
func (f *Frontier) freed(h *host) {
	a := h.asks
	if a == nil {
		return
	}
	h.asks = nil
	a.busy--
	f.place(a)
}

// pause lets an address rest, with all its hosts. f.mu is held.
func (f *Frontier) pause(ip netip.Addr) {
	a := f.addrs[ip]
	if a == nil {
		return // none of its hosts is in memory: its row says when it may be asked
	}
	a.next = max(a.next, f.o.Clock.Mono()+f.cfg.Pause)
	f.place(a)
}

func (f *Frontier) addressRow(r store.Reader, ip netip.Addr) (row schema.Address, err error) {
	v, err := get(r, schema.AddressKey(ip))
	if v == nil || err != nil {
		return row, err
	}
	return schema.DecodeAddress(v)
}
