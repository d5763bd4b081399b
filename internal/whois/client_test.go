package whois

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// peer is a WHOIS server on loopback.
type peer struct {
	net.Listener
	answer func(domain string) string

	mu         sync.Mutex
	asked      []string
	now, most  int // connections
	goroutines sync.WaitGroup
}

// serve starts one; answer "" keeps silent until the client is gone.
func serve(t testing.TB, answer func(domain string) string) *peer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{Listener: l, answer: answer}
	p.goroutines.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.goroutines.Go(func() { p.talk(c) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); p.goroutines.Wait() })
	return p
}

func (p *peer) talk(c net.Conn) {
	defer c.Close()
	domain, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return
	}
	p.mu.Lock()
	p.asked = append(p.asked, strings.TrimSpace(domain))
	p.now++
	p.most = max(p.most, p.now)
	p.mu.Unlock()
	if text := p.answer(strings.TrimSpace(domain)); text != "" {
		p.mu.Lock() // before the client can see the end
		p.now--
		p.mu.Unlock()
		_, _ = io.WriteString(c, text)
		return
	}
	_, _ = io.Copy(io.Discard, c)
	p.mu.Lock()
	p.now--
	p.mu.Unlock()
}

func (p *peer) questions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// patient is a configuration that never waits and gives up late.
func patient(server string) Config {
	return Config{Server: server, PerHour: 100, Timeout: time.Minute, TTL: time.Hour}
}

func open(t testing.TB, c Config, file string, clk clock.Clock) *Client {
	t.Helper()
	w, err := Open(c, fsx.Real(), file, clk)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

const registry = "% remark: country: xx\r\ndomain:  EXAMPLE.CZ\r\nregistrant: A-1\r\nname: Jan Novák\r\naddress: Praha\r\naddress: CZ\r\nRegistrant Country: CZ\r\n"

// RFC 3912: a name and CRLF are sent, text comes until the end of the connection. IANA's server refers to the registry's
// by "whois:". Of the answer nothing about people is kept. A restart asks nobody again until the answer is too old.
func TestCountries(t *testing.T) {
	second := serve(t, func(string) string { return registry })
	first := serve(t, func(string) string {
		return "domain: CZ\ncountry: US\nwhois: " + second.Addr().String() + "\n"
	})
	file := filepath.Join(t.TempDir(), "whois.jsonl")
	clk := clock.NewFake(time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC))
	want := []string{"address: cz", "registrant country: cz"}
	w := open(t, patient(first.Addr().String()), file, clk)
	for _, host := range []string{"www.example.cz", "example.cz", "a.b.example.cz", "127.0.0.1", "cz", ""} {
		got, err := w.Countries(t.Context(), host)
		if err != nil || strings.Contains(host, "example") != slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", host, got, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || strings.Contains(strings.ToLower(string(text)), "jan nov") {
		t.Errorf("%s, %v", text, err)
	}
	if err := os.WriteFile(file, append(text, `{"domain":"torn.cz","li`...), 0o600); err != nil { // of a run that was killed
		t.Fatal(err)
	}
	again := open(t, patient(first.Addr().String()), file, clk)
	if got, err := again.Countries(t.Context(), "example.cz"); err != nil || !slices.Equal(got, want) {
		t.Errorf("after a restart: %q, %v", got, err)
	}
	if got := slices.Concat(first.questions(), second.questions()); !slices.Equal(got, []string{"example.cz", "example.cz"}) {
		t.Errorf("asked %q", got)
	}
	clk.Advance(2 * time.Hour)
	if _, err := again.Countries(t.Context(), "example.cz"); err != nil || len(first.questions()) != 2 {
		t.Errorf("an answer that is too old: %v, asked %d times", err, len(first.questions()))
	}
}

// IANA's server knows no server of some registries, or names one that cannot be: the country that it tells is the manager's of the
// top-level domain. That of a registry, which refers to nobody either, is the domain's.
func TestNobodyReferredTo(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   []string
	}{
		"no referral":  {"domain: CZ\norganisation: X\ncountry: US\n", nil},
		"unusable":     {"refer: no server\ndomain: CZ\ncountry: US\n", nil},
		"by its ASCII": {"domain: ČZ\ndomain-ace: CZ\ncountry: US\n", nil},
		"a registry's": {"domain: example.cz\ncountry: CZ\n", []string{"country: cz"}},
		"in capitals":  {"Domain Name: EXAMPLE.CZ\nCountry: CZ\n", []string{"country: cz"}},
		"without name": {"country: CZ\n", []string{"country: cz"}},
	} {
		p := serve(t, func(string) string { return c.answer })
		w := open(t, patient(p.Addr().String()), "", clock.System())
		if got, err := w.Countries(t.Context(), "www.example.cz"); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}

// The file of a crawl that asks for months keeps within its bound while it runs, and with it what is known.
func TestFileWithinBounds(t *testing.T) {
	now := time.Unix(1e9, 0)
	file := filepath.Join(t.TempDir(), "whois.jsonl")
	c, err := openCache(fsx.Real(), file, time.Hour, now)
	if err != nil {
		t.Fatal(err)
	}
	const last = 2*maxEntries + 2 // written anew once, and then appended to
	for i := range last + 1 {
		if err := c.put(entry{Domain: strconv.Itoa(i) + ".cz", At: now, Lines: []string{"country: cz"}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if n := strings.Count(string(text), "\n"); err != nil || n > 2*maxEntries || n < maxEntries {
		t.Errorf("%d lines, %v", n, err)
	}
	again, err := openCache(fsx.Real(), file, time.Hour, now)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]bool{0: false, last - maxEntries: false, last - maxEntries + 1: true, last: true} {
		if _, ok := again.get(strconv.Itoa(i)+".cz", now); ok != want {
			t.Errorf("%d: known %v, want %v", i, ok, want)
		}
	}
}

// A server that keeps silent holds a page up for the timeout; the failure is no answer, is not kept on disk, and is not asked
// about again at once.
func TestSilent(t *testing.T) {
	p := serve(t, func(string) string { return "" })
	c := patient(p.Addr().String())
	c.Timeout = 30 * time.Millisecond
	file := filepath.Join(t.TempDir(), "whois.jsonl")
	w := open(t, c, file, clock.NewFake(time.Unix(1e9, 0)))
	for range 3 {
		if lines, err := w.Countries(t.Context(), "example.cz"); !errors.Is(err, context.DeadlineExceeded) || lines != nil {
			t.Errorf("%q, %v", lines, err)
		}
	}
	if n := len(p.questions()); n > 1 {
		t.Errorf("asked %d times", n)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the failure was kept: %v", err)
	}
}

// A crawl of many domains fails to ask about most: that makes it forget no answer, and is itself remembered within bounds.
func TestFailuresForgetNothing(t *testing.T) {
	now := time.Unix(1e9, 0)
	c, err := openCache(fsx.Real(), "", time.Hour, now)
	if err != nil {
		t.Fatal(err)
	}
	keep := func(e entry) {
		if err := c.put(e); err != nil {
			t.Fatal(err)
		}
	}
	keep(entry{Domain: "example.cz", At: now, Lines: []string{"country: cz"}})
	for i := range maxEntries + 1 {
		keep(entry{Domain: strconv.Itoa(i) + ".cz", At: now, err: ErrBusy})
	}
	if e, ok := c.get("example.cz", now); !ok || e.err != nil || len(e.Lines) != 1 {
		t.Errorf("%+v, %v: the answer is forgotten", e, ok)
	}
	for domain, want := range map[string]bool{"0.cz": false, "1.cz": true, strconv.Itoa(maxEntries) + ".cz": true} {
		if _, ok := c.get(domain, now); ok != want {
			t.Errorf("%s: known %v, want %v", domain, ok, want)
		}
	}
	if _, ok := c.get("1.cz", now.Add(maxFailed)); ok {
		t.Error("a failure counts for ever")
	}
}

// Of an address line only a code of two letters of ASCII is kept, not what is two bytes long.
func TestAddressCodes(t *testing.T) {
	if got := countries("address: CZ\naddress: Č\naddress: [2\naddress: Praha\n"); !slices.Equal(got, []string{"address: cz"}) {
		t.Errorf("%q", got)
	}
}

// A server is asked over one connection at a time; not again within the delay, and not more than so often in an hour.
func TestPolite(t *testing.T) {
	p := serve(t, func(string) string { return registry })
	w := open(t, patient(p.Addr().String()), "", clock.System())
	var all sync.WaitGroup
	for _, d := range []string{"a.cz", "b.cz", "c.cz", "d.cz", "e.cz", "a.cz"} {
		all.Go(func() {
			if _, err := w.Countries(t.Context(), d); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if p.most != 1 || len(p.questions()) != 5 {
		t.Errorf("%d connections at a time, asked %q", p.most, p.questions())
	}
	for name, c := range map[string]Config{
		"delay": {Server: p.Addr().String(), PerHour: 100, Timeout: time.Minute, TTL: time.Hour, MinDelay: 30 * time.Minute},
		"hour":  {Server: p.Addr().String(), PerHour: 1, Timeout: time.Minute, TTL: time.Hour},
	} {
		clk := clock.NewFake(time.Unix(1e9, 0))
		w := open(t, c, "", clk)
		if _, err := w.Countries(t.Context(), "a.cz"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := w.Countries(t.Context(), "b.cz"); !errors.Is(err, ErrBusy) {
			t.Errorf("%s: %v, want that nobody is asked", name, err)
		}
		clk.Advance(time.Hour)
		if _, err := w.Countries(t.Context(), "c.cz"); err != nil {
			t.Errorf("%s: later: %v", name, err)
		}
	}
}

// What strangers answer is bounded, and a server cannot send the crawler to an address within the library, or to a port
// that is not WHOIS.
func TestHostile(t *testing.T) {
	endless := serve(t, func(string) string { return strings.Repeat("country: "+strings.Repeat("x", 90)+"\n", 10_000) })
	w := open(t, patient(endless.Addr().String()), "", clock.System())
	lines, err := w.Countries(t.Context(), "example.cz")
	if len(lines) > maxLines {
		t.Errorf("%d lines, %v", len(lines), err)
	}
	// Package ipaddr knows what is not public: netip would call the second and third so.
	for _, to := range []string{endless.Addr().String(), "100.64.0.1:43", "[64:ff9b::7f00:1]:43"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if _, _, err := w.ask(ctx, to, "example.cz", false); err == nil || !strings.Contains(err.Error(), "no public address") {
			t.Errorf("referred to %s: %v", to, err)
		}
		cancel()
	}
	for server, ok := range map[string]bool{"whois.nic.cz": true, "whois.nic.cz:4343": true, "[::1]:43": true, "": false, "a b": false, "a:b": false, "a:0": false, "a\r\nb": false, "a:70000": false} {
		if _, good := address(server); good != ok {
			t.Errorf("%q: %v", server, good)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(registry)
	f.Add("refer: whois.nic.cz\nReferralServer: whois://whois.ripe.net:43/\n")
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = address(Referral(text))
		for _, l := range countries(text) {
			if len(l) > maxLine || strings.ContainsAny(l, "\n") {
				t.Errorf("%q", l)
			}
		}
	})
}
