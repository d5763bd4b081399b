package benchweb

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

func serve(t *testing.T, w *Web) *Server {
	t.Helper()
	s, err := Start(w)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// client asks the server for every host, and decodes nothing.
func client(t *testing.T, s *Server) *http.Client {
	tr := &http.Transport{
		DisableCompression: true,
		TLSClientConfig:    &tls.Config{InsecureSkipVerify: true}, // nobody signs the certificate
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			to := s.HTTPAddr()
			if strings.HasSuffix(addr, ":443") {
				to = s.HTTPSAddr()
			}
			return new(net.Dialer).DialContext(ctx, network, to)
		},
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func get(t *testing.T, c *http.Client, u string) (int, http.Header, string) {
	t.Helper()
	r, err := c.Get(u)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, r.Header, string(b)
}

var (
	comments   = regexp.MustCompile(`(?s)<!--.*?-->|<noscript.*?</noscript>`)
	baseHref   = regexp.MustCompile(`<base href="([^"]*)"`)
	attributes = regexp.MustCompile(`\s(?:xlink:href|href|src|data-src|data|poster|background)=(?:"([^"]*)"|([^\s">]+))`)
	sets       = regexp.MustCompile(`\s(?:imagesrcset|srcset)="([^" ]*) [^"]*"`)
	refresh    = regexp.MustCompile(`content="30; url=([^"]*)"`)
	scripted   = regexp.MustCompile(`location\.href = "([^"]*)"`)
	cssTargets = regexp.MustCompile(`url\(["']?([^"')]*)["']?\)|@import "([^"]*)"`)
	jsImports  = regexp.MustCompile(`from "([^"]*)"`)
	icons      = regexp.MustCompile(`"src": "([^"]*)"`)
	annots     = regexp.MustCompile(`/URI \(([^)]*)\)`)
)

// references reads a body as the standards of its type say, with means that have
// nothing in common with what wrote it.
func references(t *testing.T, u, typ, body string) map[string]bool {
	t.Helper()
	base, err := url.Parse(u)
	if err != nil {
		t.Fatal(err)
	}
	patterns := map[string][]*regexp.Regexp{
		"text/css": {cssTargets}, "text/javascript": {jsImports}, "application/manifest+json": {icons}, "application/pdf": {annots},
		"text/html": {attributes, sets, refresh, scripted, cssTargets}, "image/svg+xml": {attributes},
	}
	typ, _, _ = strings.Cut(typ, ";")
	body = comments.ReplaceAllString(body, "")
	if typ == "text/html" {
		if m := baseHref.FindStringSubmatch(body); m != nil {
			base = base.ResolveReference(&url.URL{Path: m[1]})
			body = baseHref.ReplaceAllString(body, "")
		}
	}
	found := map[string]bool{}
	for _, p := range patterns[typ] {
		for _, m := range p.FindAllStringSubmatch(body, -1) {
			target := strings.Join(m[1:], "")
			if strings.HasPrefix(target, "#") || strings.Contains(target, ".invalid") {
				continue
			}
			to, err := base.Parse(target)
			if err != nil {
				t.Fatalf("%s: %q: %v", u, target, err)
			}
			if to.Scheme == "mailto" || to.Scheme == "javascript" {
				continue
			}
			to.Fragment = ""
			found[to.String()] = true
		}
	}
	return found
}

func TestTruthIsWhatIsServed(t *testing.T) {
	// A crawl by another program, from the seeds: it must reach what the truth says
	// is reachable, nothing else, and find in each document what the truth lists.
	w := small(t, func(p *Params) { p.TLS, p.Gzip, p.Robots = 0.2, 0, 1 })
	s := serve(t, w)
	c := client(t, s)
	queue := w.Seeds()
	seen := map[string]bool{}
	for _, u := range queue {
		seen[u] = true
	}
	private := 0
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		id, ok := w.Find(u)
		if !ok {
			t.Fatalf("%s leads nowhere", u)
		}
		truth := w.Resource(id)
		if !truth.Reachable {
			private++
			continue
		}
		status, header, body := get(t, c, u)
		if status != truth.Status {
			t.Fatalf("%s: status %d, should be %d", u, status, truth.Status)
		}
		found := map[string]bool{}
		switch {
		case truth.Kind == Redirect:
			base, _ := url.Parse(u)
			to, err := base.Parse(header.Get("Location"))
			if err != nil {
				t.Fatal(err)
			}
			found[to.String()] = true
		case status == 200:
			found = references(t, u, header.Get("Content-Type"), body)
		}
		want := map[string]bool{}
		for _, l := range slices.Concat(truth.Links, truth.Embeds) {
			want[l.URL] = true
		}
		if !maps.Equal(found, want) {
			t.Fatalf("%s (%s):\nfound\n%s\nshould be\n%s", u, truth.Kind, list(found), list(want))
		}
		for _, to := range slices.Sorted(maps.Keys(found)) {
			if !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	if len(seen) != w.p.Resources || private == 0 {
		t.Errorf("reached %d of %d, %d of them forbidden", len(seen), w.p.Resources, private)
	}
	for id, n := range s.Counts() {
		if want := w.Resource(id).Reachable; (n == 1) != want {
			t.Errorf("%s was asked for %d times", w.Resource(id).URL, n)
		}
	}
}

func list(m map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(m)), "\n") }

func TestCounts(t *testing.T) {
	w := small(t, func(p *Params) { p.Traps, p.TrapShare, p.Robots = true, 1, 1 })
	s := serve(t, w)
	c := client(t, s)
	home := w.url(0, 0)
	for u, want := range map[string]int{
		home: 200, home + "robots.txt": 200, home + "shop/list?c=all&size=1": 200, w.url(5, 0) + "endless/more/more/": 200,
		home + "nothing": 404, "http://nobody.example/": 404,
	} {
		if status, _, _ := get(t, c, u); status != want {
			t.Errorf("%s: status %d, should be %d", u, status, want)
		}
	}
	if r, err := c.Head(home); err != nil || r.ContentLength < 1000 && r.TransferEncoding == nil {
		t.Errorf("HEAD: %v %+v", err, r)
	}
	if r, err := c.Post(home, "text/plain", nil); err != nil || r.StatusCode != 501 {
		t.Errorf("POST: %v %+v", err, r)
	}
	got := s.Stats()
	if got.Requests != 8 || got.Robots != 1 || got.Traps != 2 || got.Unknown != 2 || len(got.UnknownURLs) != 2 {
		t.Errorf("%+v", got)
	}
	if n := s.Counts()[0]; n != 1 {
		t.Errorf("the root was asked for %d times", n)
	}
}

func TestProxyForm(t *testing.T) {
	// wget is pointed at the web as its proxy; requests come in absolute form, over
	// one connection, and may be cut anywhere.
	w := small(t, nil)
	s := serve(t, w)
	nc, err := net.Dial("tcp", s.HTTPAddr())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	in := bufio.NewReader(nc)
	for id := range 40 {
		text := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: ignored.example\r\nProxy-Connection: Keep-Alive\r\n\r\n", w.Resource(id).URL)
		for _, part := range []string{text[:len(text)-3], text[len(text)-3:]} {
			if _, err := nc.Write([]byte(part)); err != nil {
				t.Fatal(err)
			}
		}
		r, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != w.Resource(id).Status || string(body) != string(payload(w, id, false)) {
			t.Fatalf("%s: %v, status %d, %d bytes", w.Resource(id).URL, err, r.StatusCode, len(body))
		}
	}
	if n := s.Stats().Connections; n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestSlowHosts(t *testing.T) {
	w := small(t, func(p *Params) { p.SlowHosts, p.SlowBy = 1, 80*time.Millisecond })
	c := client(t, serve(t, w))
	began := time.Now()
	get(t, c, w.url(w.p.Hosts-1, 0))
	if took := time.Since(began); took < 80*time.Millisecond {
		t.Errorf("a slow host answered after %s", took)
	}
}

func TestNames(t *testing.T) {
	w := small(t, nil)
	s := serve(t, w)
	for host, want := range map[string]int{strings.ToUpper(w.hosts[3]): dns.RcodeSuccess, "nobody.example": dns.RcodeNameError} {
		for _, network := range []string{"udp", "tcp"} {
			q := new(dns.Msg).SetQuestion(host+".", dns.TypeA)
			a, _, err := (&dns.Client{Net: network}).Exchange(q, s.DNS())
			if err != nil || a.Rcode != want || (want == dns.RcodeSuccess) != (len(a.Answer) == 1) {
				t.Errorf("%s over %s: %v %v", host, network, err, a)
			}
		}
	}
	if n := s.Stats().Lookups; n != 4 {
		t.Errorf("%d lookups", n)
	}
}
