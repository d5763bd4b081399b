package fetch

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/record"
	"exclave/internal/resolve"
	"exclave/internal/robots"
	"exclave/internal/testweb"
)

func robotsOf(origin string) *crawl.CrawlURI {
	u := page(origin + "/robots.txt")
	u.Key, u.Hops, u.Force = crawl.RobotsKey(origin), "P", true
	return u
}

// known has one origin's facts.
type known struct {
	hosts
	facts *crawl.OriginFacts
}

func (k known) Origin(context.Context, string) (crawl.OriginFacts, error) { return *k.facts, nil }

// RFC 9309 §2.3.1.4: what could not be had for 30 days is absent, and nothing shorter is.
func TestUnreachableRobots(t *testing.T) {
	clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	const origin = "http://broken.example"
	s := serve(t, testweb.Tiny{origin + "/robots.txt": testweb.Text("no").WithStatus(500)})
	facts := crawl.OriginFacts{}
	h := client(t, s, func(_ *Config, d *Deps) {
		d.Clock, d.Hosts, d.UnreachableFor = clk, known{hosts{}, &facts}, 30*24*time.Hour
	})
	for _, step := range []struct {
		after   time.Duration
		allowed bool
	}{{0, false}, {29 * 24 * time.Hour, false}, {24 * time.Hour, true}, {time.Hour, true}} {
		clk.Advance(step.after)
		u := robotsOf(origin)
		process(t, h, u)
		facts = *u.Origin
		var rules robots.Rules
		if err := rules.UnmarshalBinary(facts.Robots); err != nil {
			t.Fatal(err)
		}
		if ok, _ := rules.Allowed("/x"); ok != step.allowed || rules.Unreachable() == step.allowed || slices.Contains(u.Annotations, "robots:given-up") != step.allowed {
			t.Errorf("after %v more: allowed %v, unreachable %v, %v", step.after, ok, rules.Unreachable(), u.Annotations)
		}
	}
}

// A robots.txt that a server gives to who has its cookie is asked for with it.
func TestRobotsBehindCookie(t *testing.T) {
	var sent []string
	s := serve(t, handlers{"a.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Cookie"))
		if sent[len(sent)-1] == "" {
			http.SetCookie(w, &http.Cookie{Name: "human", Value: "1", Path: "/"})
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
			return
		}
		fmt.Fprint(w, "User-agent: *\nDisallow: /no\n")
	})})
	jar := emptyJar(t, clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
	h := client(t, s, func(_ *Config, d *Deps) { d.Cookies = jar })
	for range 2 {
		want := []string{"", "human=1"}
		if len(sent) > 0 {
			sent, want = nil, want[1:]
		}
		u := robotsOf("http://a.example")
		process(t, h, u)
		var rules robots.Rules
		if err := rules.UnmarshalBinary(u.Origin.Robots); err != nil {
			t.Fatal(err)
		}
		if ok, _ := rules.Allowed("/no"); ok || !slices.Equal(sent, want) || bytes.Contains(u.Deferred.Raw, []byte("\nCookie: human=1")) {
			t.Errorf("allowed %v, cookies %q, archived %q", ok, sent, u.Deferred.Raw)
		}
	}
}

func testResolver(t *testing.T, s *testweb.Server) *resolve.Resolver {
	c := resolve.DefaultConfig()
	c.Servers = []string{s.DNS()}
	r, err := resolve.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRobots(t *testing.T) {
	forbids := testweb.Text("User-agent: *\nDisallow: /no\n")
	web := testweb.Tiny{
		"http://plain.example/robots.txt":    forbids,
		"http://absent.example/":             testweb.Text("x"),
		"http://broken.example/robots.txt":   forbids.WithStatus(500),
		"http://busy.example/robots.txt":     forbids.WithStatus(503),
		"http://moved.example/robots.txt":    testweb.Redirect(301, "https://www.moved.example/r"),
		"https://www.moved.example/r":        forbids.Encoded("gzip"),
		"http://loop.example/robots.txt":     testweb.Redirect(302, "/robots.txt"),
		"http://nowhere.example/robots.txt":  testweb.Redirect(302, "http://gone.invalid/robots.txt"),
		"http://inside.example/robots.txt":   testweb.Redirect(302, "http://10.0.0.1/robots.txt"),
		"http://reset.example/robots.txt":    {Raw: "HTTP", After: testweb.Reset},
		"http://toreset.example/robots.txt":  testweb.Redirect(302, "http://reset.example/robots.txt"),
		"http://endless.example/robots.txt":  testweb.Redirect(302, "/"+strings.Repeat("x", 5000)),
		"http://verylong.example/robots.txt": testweb.Text("User-agent: *\nDisallow: /no\n" + strings.Repeat("# comment\n", 20_000)),
	}
	s := serve(t, web)
	wall := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	h := client(t, s, func(c *Config, d *Deps) {
		delete(c.ConnectTo, "*:80")
		for name := range web {
			host := strings.Split(name, "/")[2]
			c.ConnectTo[host+":80"] = s.HTTPAddr()
		}
		d.Clock, d.Resolver = clock.NewFake(wall), testResolver(t, s)
		d.Hosts = hosts{"www.moved.example": nil, "gone.invalid": nil}
	})
	tests := []struct {
		why, origin          string
		last                 bool
		facts                bool
		allowed, unreachable bool
		status               crawl.Status
		before               int
	}{
		{"RFC 9309 §2.3.1.1", "http://plain.example", false, true, false, false, 200, 0},
		{"RFC 9309 §2.3.1.3: absent allows all", "http://absent.example", false, true, true, false, 404, 0},
		{"RFC 9309 §2.3.1.4: unreachable forbids all", "http://broken.example", false, true, false, true, 500, 0},
		{"503 is tried again", "http://busy.example", false, false, false, false, 503, 0},
		{"503 at last", "http://busy.example", true, true, false, true, 503, 0},
		{"RFC 9309 §2.3.1.2: redirects to another host", "http://moved.example", false, true, false, false, 200, 1},
		{"more than five redirects allow all", "http://loop.example", false, true, true, false, 302, 5},
		{"a redirect to no host allows all", "http://nowhere.example", false, true, true, false, 302, 0},
		{"a redirect into our network is not followed", "http://inside.example", false, true, true, false, 302, 0},
		{"network failures are tried again", "http://reset.example", false, false, false, false, crawl.StatusConnectionLost, 0},
		{"network failures at last", "http://reset.example", true, true, false, true, crawl.StatusConnectionLost, 0},
		{"and behind a redirect", "http://toreset.example", false, false, false, false, crawl.StatusConnectionLost, 0},
		{"a long file", "http://verylong.example", false, true, false, false, 200, 0},
		{"a redirect to an endless URL is not followed", "http://endless.example", false, true, true, false, 302, 0},
	}
	for _, tt := range tests {
		u := robotsOf(tt.origin)
		u.LastAttempt = tt.last
		if res := process(t, h, u); res.Jump != chain.Post || u.Status != tt.status {
			t.Errorf("%s: jump %q, status %d", tt.why, res.Jump, u.Status)
		}
		if (u.Origin != nil) != tt.facts {
			t.Fatalf("%s: facts %v", tt.why, u.Origin)
		}
		if u.Origin == nil {
			continue
		}
		var rules robots.Rules
		if err := rules.UnmarshalBinary(u.Origin.Robots); err != nil {
			t.Fatal(err)
		}
		allowed, _ := rules.Allowed("/no")
		if allowed != tt.allowed || rules.Unreachable() != tt.unreachable || u.Origin.Origin != tt.origin || !u.Origin.Expires.Equal(wall.Add(24*time.Hour)) {
			t.Errorf("%s: allowed %v, unreachable %v, %+v", tt.why, allowed, rules.Unreachable(), u.Origin)
		}
		if tt.status < 0 {
			continue
		}
		var e record.Exchange
		if err := e.UnmarshalBinary(u.Deferred.Raw); err != nil {
			t.Fatal(err)
		}
		if len(e.Before) != tt.before || !e.IP.IsLoopback() || !e.Date.Equal(wall) || u.Deferred.Key != u.Key {
			t.Errorf("%s: %d redirects, from %v at %v", tt.why, len(e.Before), e.IP, e.Date)
		}
		if got := received(t, u); string(e.Response) != got {
			t.Errorf("%s: deferred %q", tt.why, e.Response)
		}
	}
}

func TestRobotsIsArchivedAsFarAsItIsObeyed(t *testing.T) {
	// RFC 9309 §2.5: a limit of at least 500 KiB. What is obeyed must be in the archive,
	// and a file of gigabytes is neither read nor held. max_size is of pages.
	line := func(path string) string { return "Disallow: /" + path + "\n" }
	long := "User-agent: *\n" + line("first") + strings.Repeat("# comment\n", 52_000) + line("within")
	pad := robots.MaxSize - len(long)
	long += strings.Repeat("#", pad-1) + "\n" + line("beyond")
	for why, page := range map[string]testweb.Page{"length": testweb.Text(long), "no length": testweb.Text(long).Unframed()} {
		s := serve(t, testweb.Tiny{"http://a.example/robots.txt": page})
		h := client(t, s, func(c *Config, _ *Deps) { c.MaxSize = 1000 })
		u := robotsOf("http://a.example")
		process(t, h, u)
		var e record.Exchange
		if err := e.UnmarshalBinary(u.Deferred.Raw); err != nil {
			t.Fatal(err)
		}
		body := string(e.Response[e.HeaderLen:])
		if got := received(t, u); got != string(e.Response) || body != long[:robots.MaxSize] || e.Truncated != "length" || u.Truncated != crawl.TruncLength {
			t.Errorf("%s: %d bytes received, %d kept, truncated %q, %q", why, len(got), len(e.Response), u.Truncated, e.Truncated)
		}
		var rules robots.Rules
		if err := rules.UnmarshalBinary(u.Origin.Robots); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]bool{"/first": false, "/within": false, "/beyond": true} {
			if ok, _ := rules.Allowed(path); ok != want {
				t.Errorf("%s: %s allowed: %v", why, path, ok)
			}
		}
	}
}

func TestDNS(t *testing.T) {
	s := serve(t, testweb.Tiny{"http://example.org/": testweb.Text("x")})
	wall := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	d := NewDNS(testResolver(t, s), clock.NewFake(wall))
	ask := func(d *DNS, host string) *crawl.CrawlURI {
		u := page("dns:" + host)
		u.Host, u.Key = host, crawl.DNSKey(host)
		if res := process(t, d, u); res.Jump != chain.Post {
			t.Errorf("%s: jump %q", host, res.Jump)
		}
		return u
	}
	// RFC 4027 text of the answer; the server's TTL of 300 s is raised to min_ttl.
	u := ask(d, "example.org")
	var e record.Exchange
	if err := e.UnmarshalBinary(u.Deferred.Raw); err != nil {
		t.Fatal(err)
	}
	if u.Status != crawl.StatusDNS || u.HostFacts.Addrs[0] != netip.MustParseAddr("127.0.0.1") || !u.HostFacts.Expires.Equal(wall.Add(10*time.Minute)) {
		t.Errorf("status %d, %+v", u.Status, u.HostFacts)
	}
	if e.URL != "dns:example.org" || e.ContentType != "text/dns" || !bytes.Contains(e.Response, []byte("127.0.0.1")) || !e.IP.IsLoopback() || received(t, u) != string(e.Response) {
		t.Errorf("deferred %+v", e)
	}
	// A name that does not exist is not asked for again.
	if u = ask(d, "absent.example"); u.Status != crawl.StatusDNSFailed || !u.LastAttempt || u.HostFacts.Status != crawl.StatusDNSFailed || !u.HostFacts.Known(wall) {
		t.Errorf("absent: status %d, %+v", u.Status, u.HostFacts)
	}
	// A silent server may answer later.
	silent := NewDNS(failing{resolve.Error{Class: resolve.Timeout, Host: "x"}}, clock.NewFake(wall))
	if u = ask(silent, "example.org"); u.Status != crawl.StatusDNSFailed || u.LastAttempt || u.HostFacts != nil {
		t.Errorf("silent: status %d, %+v", u.Status, u.HostFacts)
	}
	// Other URIs are not its business.
	if res := process(t, d, page("http://example.org/")); res.Jump != "" {
		t.Errorf("jump %q", res.Jump)
	}
}

type failing struct{ err resolve.Error }

func (f failing) Lookup(context.Context, string) (*resolve.Answer, error) { return nil, &f.err }

type archived string

func (a archived) Response(context.Context, crawl.Ref, crawl.Ref) (*record.Recording, error) {
	return record.Load(strings.NewReader(string(a)), "", 1000)
}

func TestArchive(t *testing.T) {
	// Decision 1: a claim that grows later is judged without a second request.
	wire := testweb.National("/x").Encoded("gzip").Wire()
	a := NewArchive(archived(wire))
	u := page("http://example.org/")
	u.Mode = crawl.ModeJudge
	u.Prior = &crawl.Prior{Response: crawl.Ref{File: 1, Length: 9}, Outcome: crawl.Outcome{Status: 200, Archived: true}}
	res := process(t, a, u)
	if res.Jump != chain.Extract || u.Status != 200 || u.Class != crawl.ClassHTML || received(t, u) != wire || u.Header("content-encoding") != "gzip" {
		t.Errorf("jump %q, status %d, class %v", res.Jump, u.Status, u.Class)
	}
	if res := process(t, a, page("http://example.org/")); res.Jump != "" {
		t.Errorf("jump %q", res.Jump)
	}
	u = page("http://example.org/")
	u.Mode = crawl.ModeJudge
	if _, err := a.Process(context.Background(), u); err == nil {
		t.Error("nothing is archived")
	}
}
