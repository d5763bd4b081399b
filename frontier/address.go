package frontier

import (
	"cmp"
	"container/heap"
	"context"
	"net/netip"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"exclave/crawl"
	"exclave/frontier/schema"
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

// limited reports whether an address has limits at all.
func (c *Config) limited() bool {
	return c.HostsPerAddress > 0 || c.AddressDelay > 0 || c.PauseAfter > 0
}

// addressOf returns the address of a host, nil while it is not known: its first URI
// waits for DNS anyway. f.mu is held.
func (f *Frontier) addressOf(h *host) (*address, error) {
	if !f.cfg.limited() {
		return nil, nil
	}
	name, err := f.addressHost(h)
	if err != nil {
		return nil, err
	}
	ip, err := f.ipOf(name)
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

// ipOf returns the address that requests to a host go to, the zero Addr while it is not
// known.
func (f *Frontier) ipOf(host string) (netip.Addr, error) {
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.Unmap(), nil
	}
	facts, err := f.Host(context.Background(), host)
	if err != nil || len(facts.Addrs) == 0 {
		return netip.Addr{}, err
	}
	return facts.Addrs[0], nil
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

// putOffs writes when the hosts may be asked that were put off.
func (t *tx) putOffs() error {
	for _, p := range t.off {
		h, err := t.host(p.host.row.Name)
		if err != nil {
			return err
		}
		switch {
		case p.resting: // a URI may have come meanwhile that does not
			if hash := p.host.hash; p.host.version == p.version && t.low[hash] == nil && !t.turned[hash] {
				t.restUntil(h, p.until)
			}
		case p.retire == schema.NotRetired:
			h.Resting = true
			if until := millis(p.until); until.After(h.Wake) {
				h.Wake = until
			}
		case p.retire == schema.SourceBudget:
			err = t.shelve(h.Name)
		default:
			h.Retired = p.retire
		}
		if err != nil {
			return err
		}
	}
	return nil
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

func (f *Frontier) addressRow(r pebble.Reader, ip netip.Addr) (row schema.Address, err error) {
	v, err := get(r, schema.AddressKey(ip))
	if v == nil || err != nil {
		return row, err
	}
	return schema.DecodeAddress(v)
}

// request counts a request to a host; the last before a general pause begins it. What
// was under way at the address then puts its end off: the pause lasts from the last answer.
func (t *tx) request(h *openHost, u *crawl.CrawlURI) error {
	cfg := &t.f.cfg
	if cfg.PauseAfter == 0 {
		return nil
	}
	ip := u.Addr
	if !ip.IsValid() { // no answer came
		var err error
		if ip, err = t.f.ipOf(u.Host); err != nil || !ip.IsValid() {
			return err
		}
	}
	a, ok := t.addresses[ip]
	if !ok {
		var err error
		if a, err = t.f.addressRow(t.f.db, ip); err != nil {
			return err
		}
	}
	if h.Pauses != a.Pauses { // the address paused since: counted anew
		h.Pauses, h.Requests = a.Pauses, 0
	}
	now := t.f.o.Clock.Now()
	switch h.Requests++; {
	case h.Requests >= uint64(cfg.PauseAfter):
		a.Pauses++
	case !a.Until.After(now):
		return nil
	}
	a.Until = ceilMillis(now.Add(cfg.Pause))
	t.addresses[ip] = a
	return t.b.Set(schema.AddressKey(ip), a.Encode(), nil)
}

// maxBackoff is how many failures in a row are counted.
const maxBackoff = 32

// failure is how long a host rests after a failed attempt, which it counts.
func (c *Config) failure(h *schema.Host, u *crawl.CrawlURI) time.Duration {
	rest := c.backoff(h.Backoff)
	failed(h)
	if u.RetryAfter > 0 {
		rest = min(u.RetryAfter, c.MaxRetryAfter)
	}
	// A server that asks for less than politeness does not get less.
	return max(rest, c.delay(u))
}

// backoff is how long a host, or an origin, rests after another failure in a row.
func (c *Config) backoff(failures uint8) time.Duration {
	rest := c.RetryDelay
	for range failures {
		if rest *= 2; rest >= c.MaxRetryDelay {
			return max(c.MaxRetryDelay, c.RetryDelay)
		}
	}
	return rest
}

// failed notes a failure of a host, answered one that it answers again: the next
// rests double, and shrink by half with each answer.
func failed(h *schema.Host)   { h.Backoff = min(h.Backoff+1, maxBackoff) }
func answered(h *schema.Host) { h.Backoff, h.Refused = h.Backoff/2, 0 }

// refused notes an answer 403 and reports whether there were so many in a row that
// the host wants to be left alone.
func refused(h *schema.Host, burst int) bool {
	h.Refused = cmp.Or(min(h.Refused+1, 255), 255)
	return burst > 0 && int(h.Refused) >= burst
}
