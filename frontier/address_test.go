package frontier

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// served is a request as the server's log would have it.
type served struct {
	host       string
	addr       netip.Addr
	begin, end time.Duration
}

// farm is a set of hosts on few addresses under the rules of System 5.
type farm struct {
	*rig
	log []served
}

func farmConfig() rules.Config {
	c := unlimited()
	c.HostsPerAddress, c.AddressDelay, c.PauseAfter, c.Pause = 2, time.Second, 3, time.Minute
	return c
}

func (m *farm) addrOf(host string) netip.Addr {
	var n byte
	_, _ = fmt.Sscanf(host, "h%d.test", &n)
	return netip.AddrFrom4([4]byte{10, 0, 0, n % 5})
}

// crawl takes and finishes URIs, each of which takes 400 ms, until the number is
// done; begun is the time that had passed before.
func (m *farm) crawl(t *testing.T, number int, begun time.Duration) {
	t.Helper()
	const tick, took = 100 * time.Millisecond, 400 * time.Millisecond
	var busy []*crawl.CrawlURI
	ends := map[string]time.Duration{}
	for done := 0; done < number; m.clk.Advance(tick) {
		now := begun + m.clk.Mono()
		var still []*crawl.CrawlURI
		for _, u := range busy {
			if ends[u.URL] > now {
				still = append(still, u)
				continue
			}
			u.Addr, u.Took = m.addrOf(u.Host), took
			u.HostFacts = &crawl.HostFacts{Host: u.Host, Status: crawl.StatusDNS, Addrs: []netip.Addr{u.Addr}, Expires: m.clk.Now().Add(time.Hour)}
			m.finish(m.answer(u, crawl.ClassHTML, 0))
			done++
		}
		busy = still
		for u := m.ready(); u != nil; u = m.ready() {
			ends[u.URL] = now + took
			busy = append(busy, u)
			m.log = append(m.log, served{u.Host, m.addrOf(u.Host), now, now + took})
		}
	}
}

// TestAddressLimits holds System 5's rules against the log of a server, over a
// restart in the middle.
func TestAddressLimits(t *testing.T) {
	const hosts, each = 30, 7
	cfg := farmConfig()
	clk := clock.NewFake(began)
	o := options(fsx.NewMem(), clk, cfg, oneProfile(0))
	f, ar, err := start(t, o)
	must(t, err)
	m := &farm{rig: &rig{Frontier: f, t: t, clk: clk, ar: ar}}
	for i := range hosts {
		host := fmt.Sprintf("h%d.test", i)
		// What DNS says is known before: the first request obeys the rules as well.
		u := cand(host, "/0", analyse)
		m.schedule(u)
		c := m.next(u.URL)
		c.HostFacts = &crawl.HostFacts{Host: host, Status: crawl.StatusDNS, Addrs: []netip.Addr{m.addrOf(host)}, Expires: clk.Now().Add(time.Hour)}
		c.Status = crawl.StatusRobots
		m.finish(c)
	}
	for n := range each {
		for i := range hosts {
			m.schedule(cand(fmt.Sprintf("h%d.test", i), path(n+1), analyse))
		}
	}
	m.crawl(t, hosts*each/2, 0)
	must(t, m.Close(t.Context()))
	m.Frontier, m.ar, err = start(t, o)
	must(t, err)
	m.crawl(t, hosts*each-hosts*each/2, 0)
	m.over()
	sound(t, m.Frontier)
	must(t, m.Close(t.Context()))

	pausedUntil, count, last := map[netip.Addr]time.Duration{}, map[string]int{}, map[netip.Addr]time.Duration{}
	for i, r := range m.log {
		busy := 0
		for _, q := range m.log[:i] {
			if q.addr == r.addr && q.end > r.begin {
				busy++
			}
			if q.host == r.host && r.begin < q.end+cfg.MinDelay {
				t.Errorf("%s is asked at %v, %v after its last answer", r.host, r.begin, r.begin-q.end)
			}
		}
		if busy >= cfg.HostsPerAddress {
			t.Errorf("%v: %d requests at %v", r.addr, busy+1, r.begin)
		}
		if at, ok := last[r.addr]; ok && r.begin-at < cfg.AddressDelay {
			t.Errorf("%v is asked at %v, %v after the last", r.addr, r.begin, r.begin-at)
		}
		last[r.addr] = r.begin
		if r.begin < pausedUntil[r.addr] {
			t.Errorf("%v is asked at %v, during its pause until %v", r.addr, r.begin, pausedUntil[r.addr])
		}
		if count[r.host]++; count[r.host] == cfg.PauseAfter {
			pausedUntil[r.addr] = r.end + cfg.Pause
			for h := range count {
				if m.addrOf(h) == r.addr {
					count[h] = 0
				}
			}
		}
	}
	if len(m.log) < hosts*each {
		t.Errorf("%d requests of %d", len(m.log), hosts*each)
	}
}

func TestBackOff(t *testing.T) {
	// A host that fails rests twice as long each time, up to a limit, and recovers.
	r := openWith(t, func(o *Options) {
		o.Config = unlimited()
		o.Config.RetryDelay, o.Config.MaxRetryDelay, o.Config.RefusedBurst = time.Minute, 4*time.Minute, 2
	})
	r.schedule(cand("a.test", "/1", analyse), cand("a.test", "/2", analyse), cand("a.test", "/3", analyse), cand("a.test", "/4", analyse), cand("a.test", "/5", analyse))
	fail := func(want time.Duration) {
		t.Helper()
		u := r.ready()
		u.Status, u.Disposition = 503, crawl.Retry
		r.finish(u)
		if got := r.rests("a.test"); got != want {
			t.Errorf("it rests %v, want %v", got, want)
		}
		r.clk.Advance(want)
	}
	answer := func(status crawl.Status, want time.Duration) {
		t.Helper()
		u := r.ready()
		u.Status = status
		r.finish(u)
		if got := r.rests("a.test"); got != want {
			t.Errorf("after %d it rests %v, want %v", status, got, want)
		}
		r.clk.Advance(want)
	}
	for _, m := range []time.Duration{1, 2, 4, 4} {
		fail(m * time.Minute)
	}
	answer(200, 3*time.Second)
	fail(4 * time.Minute)
	answer(200, 3*time.Second)
	fail(2 * time.Minute)
	answer(403, 3*time.Second)
	answer(403, 4*time.Minute)
}

// TestLinkFarm: thousands of hosts of one address do not keep those of other addresses
// waiting, nor fill memory, and all get their turn, never faster than the address
// allows.
func TestLinkFarm(t *testing.T) {
	const farmHosts, others = 400, 10
	cfg := unlimited()
	cfg.HostsInMemory, cfg.HostsPerAddress, cfg.AddressDelay = 16, 1, time.Second
	f := open(t, cfg, oneProfile(0))
	one := netip.MustParseAddr("10.0.0.1")
	known := func(host string, ip netip.Addr) {
		t.Helper()
		f.schedule(cand(host, "/0", analyse))
		u := f.next("http://" + host + "/0")
		u.HostFacts = &crawl.HostFacts{Host: host, Status: crawl.StatusDNS, Addrs: []netip.Addr{ip}, Expires: f.clk.Now().Add(1000 * time.Hour)}
		u.Status = crawl.StatusRobots
		f.finish(u)
	}
	for i := range farmHosts {
		known(fmt.Sprintf("f%d.test", i), one)
	}
	for i := range others {
		known(fmt.Sprintf("o%d.test", i), netip.AddrFrom4([4]byte{10, 1, 0, byte(i)}))
	}
	f.clk.Advance(time.Hour)
	for i := range farmHosts { // these stand first in the order of waking
		f.schedule(cand(fmt.Sprintf("f%d.test", i), "/1", analyse))
	}
	f.clk.Advance(time.Second)
	for i := range others {
		f.schedule(cand(fmt.Sprintf("o%d.test", i), "/1", analyse))
	}
	from := f.clk.Mono()
	last, farm, other := time.Duration(-time.Hour), 0, 0
	for farm+other < farmHosts+others {
		now := f.clk.Mono() - from
		if now > 3*farmHosts*time.Second {
			t.Fatalf("after %v %d of the farm and %d others were asked; %+v", now, farm, other, f.Queues())
		}
		for u := f.any(); u != nil; u = f.any() {
			if u.Host[0] == 'o' {
				if other++; now > time.Minute {
					t.Errorf("%s waited %v", u.Host, now)
				}
			} else {
				if farm++; now-last < cfg.AddressDelay {
					t.Errorf("%s is asked %v after the last of its address", u.Host, now-last)
				}
				last = now
			}
			f.finish(f.answer(u, crawl.ClassHTML, 0))
		}
		if n := f.inMemory(); n > int64(2*cfg.HostsInMemory) {
			t.Errorf("%d hosts in memory", n)
		}
		f.clk.Advance(250 * time.Millisecond)
	}
	f.over()
	sound(t, f.Frontier)
}

// any returns a URI that may be asked for now, as Next would: when the committer is
// about to send hosts to disk it waits for that and looks again.
func (r *rig) any() *crawl.CrawlURI {
	r.t.Helper()
	for {
		r.mu.Lock()
		changed := r.wakeup
		r.mu.Unlock()
		u := r.ready()
		r.mu.Lock()
		off := r.sched.Leaving()
		r.mu.Unlock()
		if u != nil {
			return u
		}
		select {
		case <-changed: // the committer was done with what was put off before it could be seen
			continue
		default:
		}
		if off == 0 {
			return nil
		}
		<-changed
	}
}
