package fetch

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"exclave/chain"
	"exclave/chain/post"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// noArchive is the archive of a crawl that writes nothing.
type noArchive struct{}

func (noArchive) Sync([]uint32) error                                 { return nil }
func (noArchive) Committed(uint32, int64) ([]frontier.FileRow, error) { return nil, nil }
func (noArchive) FileName(uint32) string                              { return "" }

// A tarpit does to a connection what keeps the other side waiting. It may end when a
// write fails.
type tarpit struct {
	why    string
	scheme string
	serve  func(net.Conn)
}

// drip sends a byte a second.
func drip(c net.Conn, of string) {
	for i := 0; ; i++ {
		if _, err := c.Write([]byte{of[i%len(of)]}); err != nil {
			return
		}
		<-time.After(time.Second)
	}
}

func tarpits() []tarpit {
	silent := func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }
	return []tarpit{
		{"a body of a byte a second", "http", func(c net.Conn) {
			go silent(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			drip(c, "x")
		}},
		{"a header of a byte a second", "http", func(c net.Conn) {
			go silent(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX: ")
			drip(c, "x")
		}},
		{"interim answers", "http", func(c net.Conn) {
			go silent(c)
			drip(c, "HTTP/1.1 102 Processing\r\n\r\n")
		}},
		{"chunks of a byte", "http", func(c net.Conn) {
			go silent(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			drip(c, "1\r\nx\r\n")
		}},
		{"empty lines", "http", func(c net.Conn) { go silent(c); drip(c, "\r\n") }},
		{"accepts and says nothing", "http", silent},
		{"a TLS handshake of a byte a second", "https", func(c net.Conn) {
			go silent(c)
			_, _ = io.WriteString(c, "\x16\x03\x03\x40\x00")
			drip(c, "x")
		}},
		{"no TLS handshake", "https", silent},
	}
}

const (
	slowHosts    = 50
	healthyHosts = 60
	pagesEach    = 60
	crawlFor     = 180 * time.Second // in which the healthy are just done: a page each 3 s
)

// slowWeb knows hosts named s0 …, which are slow, and h0 …, which are not.
type slowWeb struct {
	hosts
	oneAddress bool
	slow       func(net.Conn)
	open, most atomic.Int32 // connections to slow servers
	servers    sync.WaitGroup
}

func (w *slowWeb) Host(_ context.Context, host string) (crawl.HostFacts, error) {
	var n int
	addr := netip.MustParseAddr("10.1.0.0")
	if _, err := fmt.Sscanf(host, "s%d.example", &n); err == nil {
		if addr = netip.MustParseAddr("10.2.0.0"); w.oneAddress {
			n = 0
		}
	} else if _, err := fmt.Sscanf(host, "h%d.example", &n); err != nil {
		return crawl.HostFacts{}, err
	}
	b := addr.As4()
	b[3] = byte(n)
	return crawl.HostFacts{Host: host, Status: crawl.StatusDNS, Addrs: []netip.Addr{netip.AddrFrom4(b)}}, nil
}

func (w *slowWeb) dial(_ context.Context, _, addr string) (net.Conn, error) {
	client, server := net.Pipe()
	w.servers.Go(func() {
		defer server.Close()
		if strings.HasPrefix(addr, "10.2.") {
			w.most.Store(max(w.most.Load(), w.open.Add(1)))
			w.slow(server)
			w.open.Add(-1)
			return
		}
		for br := bufio.NewReader(server); ; {
			for line := ""; line != "\r\n"; {
				var err error
				if line, err = br.ReadString('\n'); err != nil {
					return
				}
			}
			if _, err := io.WriteString(server, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"); err != nil {
				return
			}
		}
	})
	return client, nil
}

// crawl returns how many pages of the healthy are fetched within crawlFor, while so many
// slow hosts are crawled too.
func (w *slowWeb) crawl(t *testing.T, scheme string, slow int, change func(*Config)) (healthy int64) {
	const threads = 50
	cfg := DefaultConfig()
	cfg.Contact, cfg.Allow = "https://example.org/", []string{"10.0.0.0/8"}
	if change != nil {
		change(&cfg)
	}
	h, err := NewHTTP(cfg, Deps{Hosts: w, Scratch: t.TempDir(), Version: "1", Clock: clock.System(), ToeThreads: threads})
	if err != nil {
		t.Fatal(err)
	}
	h.dialTCP = w.dial
	if change != nil {
		h.slowLane = nil
	}
	fc := frontier.DefaultConfig()
	fc.HostsPerAddress = 0
	f, err := frontier.Open(t.Context(), frontier.Options{FS: fsx.NewMem(), Dir: "/state", LogDir: "/", Config: fc, Clock: clock.System(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Start(noArchive{}, f.Files()); err != nil {
		t.Fatal(err)
	}
	for i := range slow + healthyHosts { // the slow ones first
		for n := range pagesEach {
			host := fmt.Sprintf("s%d.example", i)
			url := fmt.Sprintf("%s://%s/%d", scheme, host, n)
			if i >= slow {
				host = fmt.Sprintf("h%d.example", i-slow)
				url = fmt.Sprintf("http://%s/%d", host, n)
			}
			if err := f.Schedule(t.Context(), crawl.Candidate{URL: url, Key: url, Host: host, Kind: crawl.LinkNav, Hops: "L", Claim: crawl.Claim{Analyse: true}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var done atomic.Int64
	count := counting(func(u *crawl.CrawlURI) {
		if u.Host[0] == 'h' && u.Status == 200 {
			done.Add(1)
		}
	})
	chains, err := chain.NewChains(map[chain.Name][]chain.Step{
		chain.Fetch: {{Name: "http", Proc: h}},
		chain.Post:  {{Name: "state", Proc: post.NewStateUpdater()}, {Name: "count", Proc: count}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := chain.NewController(chain.Config{ToeThreads: threads, MaxTime: crawlFor, Grace: time.Second}, f, chains, clock.System(), slog.New(slog.DiscardHandler))
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	w.servers.Wait()
	if n := len(h.slowLane); n != 0 {
		t.Errorf("%d places of the slow lane are never given back", n)
	}
	return done.Load()
}

func TestTooSlow(t *testing.T) {
	// What came of a body is kept and marked; where no header came, it is tried again.
	for i, want := range []struct {
		status crawl.Status
		cut    crawl.Truncation
		notes  string
		took   time.Duration
	}{
		{200, crawl.TruncTime, "timeTrunc slow", 25 * time.Second},
		{crawl.StatusTimeout, "", "slow", time.Minute},
		{crawl.StatusTimeout, "", "slow", time.Minute},
		{200, crawl.TruncTime, "timeTrunc slow", 25 * time.Second},
		{crawl.StatusTimeout, "", "slow", time.Minute},
		{crawl.StatusTimeout, "", "", 20 * time.Second},
		{crawl.StatusConnectFailed, "", "tls:failed slow", time.Minute},
		{crawl.StatusConnectFailed, "", "tls:failed", 20 * time.Second},
	} {
		pit := tarpits()[i]
		synctest.Test(t, func(t *testing.T) {
			w := &slowWeb{slow: pit.serve}
			h := client(t, nil, func(c *Config, d *Deps) {
				*c, d.Hosts = DefaultConfig(), w
				c.Contact, c.Allow = "https://example.org/", []string{"10.0.0.0/8"}
			})
			h.dialTCP = w.dial
			u := page(pit.scheme + "://s1.example/")
			if _, err := h.Process(t.Context(), u); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(u.Annotations, " "); u.Status != want.status || u.Truncated != want.cut || got != want.notes || u.Took != want.took {
				t.Errorf("%s: status %d, truncated %q, %q after %v; want %+v", pit.why, u.Status, u.Truncated, got, u.Took, want)
			}
			if u.Rec != nil {
				_ = u.Rec.Close()
			}
			w.servers.Wait()
		})
	}
}

func TestSlowLane(t *testing.T) {
	// Half of the ToeThreads may be held by slow servers; the next such server is given up
	// after a window, and a place that was given back is taken again.
	synctest.Test(t, func(t *testing.T) {
		w := &slowWeb{slow: tarpits()[5].serve}
		h := client(t, nil, func(c *Config, d *Deps) {
			*c, d.Hosts, d.ToeThreads = DefaultConfig(), w, 3
			c.Contact, c.Allow = "https://example.org/", []string{"10.0.0.0/8"}
		})
		h.dialTCP = w.dial
		for range 2 {
			var toes sync.WaitGroup
			var held, crowded atomic.Int32
			for range 3 {
				toes.Go(func() {
					u := page("http://s1.example/")
					if _, err := h.Process(t.Context(), u); err != nil {
						t.Error(err)
					}
					switch notes := strings.Join(u.Annotations, " "); {
					case notes == "" && u.Took == 20*time.Second:
						held.Add(1)
					case notes == "slow:crowded" && u.Took == 5*time.Second && u.Status == crawl.StatusTimeout:
						crowded.Add(1)
					}
				})
			}
			if toes.Wait(); held.Load() != 2 || crowded.Load() != 1 {
				t.Errorf("%d held, %d given up", held.Load(), crowded.Load())
			}
		}
		w.servers.Wait()
	})
}

// A body that comes just above least_rate does not end by itself: after a while it needs a place in the slow
// lane, while one that is fast enough does not.
func TestLongBodiesNeedTheSlowLane(t *testing.T) {
	const least = 500
	lane := make(chan struct{}, 1)
	for _, c := range []struct {
		rate int64
		ends string
	}{{least + 100, ""}, {least + 100, "slow:crowded"}, {longFactor * least, ""}} {
		now := time.Now()
		p := pace{socket: 20 * time.Second, least: least, lane: lane}
		p.begin(now.Add(time.Hour), now.Add(time.Hour))
		p.beginBody()
		note := ""
		for range 10 * longWindows {
			now = now.Add(p.window() + time.Millisecond)
			p.got = c.rate * int64(p.window()/time.Second)
			if err := p.check(now); err != nil {
				note = slowNote(err)
				break
			}
		}
		if note != c.ends {
			t.Errorf("%d bytes/s: %q, want %q", c.rate, note, c.ends)
		}
		if c.ends != "" && p.windows != longWindows+1 {
			t.Errorf("given up after %d windows", p.windows)
		}
	}
	if len(lane) != 1 {
		t.Errorf("%d places of the slow lane are taken", len(lane))
	}
}

type counting func(*crawl.CrawlURI)

func (c counting) Process(_ context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	c(u)
	return chain.Result{}, nil
}

func TestSlowServersDoNotHoldUpTheOthers(t *testing.T) {
	// 50 servers at a byte a second stopped a crawl of 50 ToeThreads. At least 95 of 100
	// pages of the others must be fetched in the time they take without them.
	t.Parallel()
	var alone int64
	synctest.Test(t, func(t *testing.T) { alone = new(slowWeb).crawl(t, "http", 0, nil) })
	if alone < healthyHosts*pagesEach*9/10 {
		t.Fatalf("alone: %d pages", alone)
	}
	for i, pit := range tarpits() {
		for _, one := range []bool{false, true}[:1+i%2] {
			synctest.Test(t, func(t *testing.T) {
				w := &slowWeb{slow: pit.serve, oneAddress: one}
				n := w.crawl(t, pit.scheme, slowHosts, nil)
				if t.Logf("%s, one address %v: %d pages of %d", pit.why, one, n, alone); n < alone*95/100 {
					t.Error("too few")
				}
				if n := w.most.Load(); n < 25 {
					t.Errorf("%s: %d slow connections at the same time", pit.why, n)
				}
			})
		}
	}
	synctest.Test(t, func(t *testing.T) { // else the test shows nothing
		w := &slowWeb{slow: tarpits()[0].serve}
		if n := w.crawl(t, "http", slowHosts, func(c *Config) { c.LeastRate, c.HeaderTimeout = 0, time.Hour }); n > alone/2 {
			t.Errorf("without bounds: %d pages of %d", n, alone)
		}
	})
}
