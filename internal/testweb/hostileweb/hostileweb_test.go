package hostileweb

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// small is a web of one host a case.
func small(cases ...string) Params {
	return Params{Cases: cases, Healthy: 3, Pages: 7, Hosts: 1, Items: 2}
}

// Every case can be told by its name, which is a host label, and its host answers with
// what is hostile where the index page, or the seed, leads.
func TestEveryCaseIsReached(t *testing.T) {
	var names []string
	seen := map[string]bool{}
	for _, c := range Cases() {
		if seen[c.Name] || !regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`).MatchString(c.Name) || c.About == "" {
			t.Errorf("case %q, %q: the name is taken, or is none", c.Name, c.About)
		}
		seen[c.Name] = true
		names = append(names, c.Name)
	}
	w, err := newWeb(small(names...))
	if err != nil {
		t.Fatal(err)
	}
	for i := range w.hosts {
		h := &w.hosts[i]
		if h.of == nil || h.of.name != nil || h.of.secure != nil {
			continue // never asked over HTTP
		}
		get := func(path string) (http.Handler, kind) {
			return w.find(h, httptest.NewRequest(http.MethodGet, "http://"+h.name+path, nil))
		}
		if _, k := get("/robots.txt"); (k == hostile) != (h.of.robots != nil) {
			t.Errorf("%s: robots.txt is of kind %d", h.of.Name, k)
		}
		index, k := get("/")
		page := httptest.NewRecorder()
		index.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/", nil))
		if item := "/x/1" + h.of.ext; k != ordinary || !strings.Contains(page.Body.String(), `"`+item+`"`) {
			t.Errorf("%s: the index page of kind %d does not lead to %s", h.of.Name, k, item)
		} else if got, k := get(item); k != hostile || got == nil {
			t.Errorf("%s: %s is of kind %d", h.of.Name, item, k)
		}
		if _, k := get("/x/2"); k == hostile {
			t.Errorf("%s: there is a third item of two", h.of.Name)
		}
	}
}

// The truth that crawls are judged by: following every reference of the healthy hosts
// finds as many addresses as HealthyURLs says.
func TestHealthyURLs(t *testing.T) {
	for pages := 1; pages < 10; pages++ {
		p := small()
		p.Pages = pages
		w, err := newWeb(p)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		queue := w.seeds()[:1]
		for len(queue) > 0 {
			url := queue[0]
			queue = queue[1:]
			if seen[url] {
				continue
			}
			seen[url] = true
			r := httptest.NewRequest(http.MethodGet, url, nil)
			h, k := w.find(w.byDNS[r.Host], r)
			if k != healthyURL {
				t.Fatalf("%d pages: %s is linked and not healthy", pages, url)
			}
			page := httptest.NewRecorder()
			h.ServeHTTP(page, r)
			for _, m := range regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(page.Body.String(), -1) {
				ref, err := r.URL.Parse(m[1])
				if err != nil {
					t.Fatal(err)
				}
				queue = append(queue, ref.String())
			}
		}
		if len(seen) != p.HealthyURLs() {
			t.Errorf("%d pages: %d addresses were found, HealthyURLs says %d", pages, len(seen), p.HealthyURLs())
		}
	}
}

// The server does to names and TLS what the case says, leaves the healthy alone, and counts
// both.
func TestServer(t *testing.T) {
	s, err := Start(small("dns-servfail", "tls-noise", "icy"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	for name, want := range map[string]int{"h000.dns-servfail.test.": dns.RcodeServerFailure, "h000.icy.test.": dns.RcodeSuccess, "nobody.test.": dns.RcodeNameError} {
		m, err := dns.ExchangeContext(context.Background(), new(dns.Msg).SetQuestion(name, dns.TypeA), s.DNS())
		if err != nil || m.Rcode != want {
			t.Errorf("%s: %v, %v; want code %d", name, m, err, want)
		}
	}
	to := s.ConnectTo()
	c, err := net.Dial("tcp", to["h000.tls-noise.test:443"])
	if err != nil {
		t.Fatal(err)
	}
	if err := tls.Client(c, &tls.Config{InsecureSkipVerify: true}).Handshake(); err == nil {
		t.Error("tls-noise: the handshake succeeded")
	}
	_ = c.Close()
	for url, want := range map[string]int{"http://healthy0000.test/": 200, "http://healthy0000.test/i/0.png": 200, "http://healthy0000.test/private/": 404} {
		r, err := s.inner.Client().Get(url)
		if err != nil || r.StatusCode != want {
			t.Fatalf("%s: %v, %v", url, r, err)
		}
		_ = r.Body.Close()
	}
	if r, err := s.inner.Client().Get("http://h000.icy.test/x/0"); err == nil {
		_ = r.Body.Close()
		t.Error("icy: net/http took the answer")
	}
	got := s.Stats()
	if got.Found != 2 || got.Healthy != 2 || got.Requests != 4 || got.Ordinary != 1 || got.Lookups != 3 ||
		got.HostileByCase["dns-servfail"] != 1 || got.HostileByCase["tls-noise"] != 1 || got.HostileByCase["icy"] != 1 || got.Hostile != 3 {
		t.Errorf("stats: %+v", got)
	}
	if n := len(got.FoundBySecond); n == 0 || got.FoundBySecond[n-1] != 2 {
		t.Errorf("found by second: %v", got.FoundBySecond)
	}
}

// Wrong parameters are told at once and together.
func TestValidate(t *testing.T) {
	err := Params{Cases: []string{"icy", "nothing"}, Hosts: -1, Items: 1, Pages: 1}.Validate().Err("hostileweb")
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"no case is called nothing", "hosts of a case: -1", "healthy hosts: 0"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}
