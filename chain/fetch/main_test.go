package fetch

import (
	"context"
	"io"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/testweb"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hosts says that every host is at 127.0.0.1, but for those it names.
type hosts map[string][]netip.Addr

func (h hosts) Host(_ context.Context, host string) (crawl.HostFacts, error) {
	addrs, ok := h[host]
	if !ok {
		addrs = []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	}
	return crawl.HostFacts{Host: host, Status: crawl.StatusDNS, Addrs: addrs}, nil
}
func (hosts) Origin(context.Context, string) (crawl.OriginFacts, error) {
	return crawl.OriginFacts{}, nil
}
func (hosts) Deferred(context.Context, string) (crawl.Deferred, bool, error) {
	return crawl.Deferred{}, false, nil
}

func testConfig() Config {
	c := DefaultConfig()
	c.Contact = "https://example.org/crawler"
	c.Allow = []string{"127.0.0.0/8"}
	c.Timeout, c.SocketTimeout = 20*time.Second, 10*time.Second
	return c
}

// serve starts a web.
func serve(t testing.TB, web testweb.Web) *testweb.Server {
	t.Helper()
	s, err := testweb.Start(web, testweb.Options{})
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

// client makes a processor that sees the server's web.
func client(t testing.TB, s *testweb.Server, change func(*Config, *Deps)) *HTTP {
	t.Helper()
	c := testConfig()
	d := Deps{Hosts: hosts{}, Scratch: t.TempDir(), Version: "1.0", Clock: clock.System()}
	if s != nil {
		c.ConnectTo = s.ConnectTo()
	}
	if change != nil {
		change(&c, &d)
	}
	h, err := NewHTTP(c, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Stop(context.Background()) })
	return h
}

// rootFile writes the server's authority to a file.
func rootFile(t testing.TB, s *testweb.Server) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "root.pem")
	if err := s.WriteCA(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func page(url string) *crawl.CrawlURI {
	return &crawl.CrawlURI{Candidate: crawl.Candidate{URL: url, Key: url}, Attempt: 1}
}

// process runs a processor and closes the recording at the end of the test.
func process(t testing.TB, p chain.Processor, u *crawl.CrawlURI) chain.Result {
	t.Helper()
	res, err := p.Process(context.Background(), u)
	if err != nil {
		t.Fatalf("%s: %v", u.URL, err)
	}
	if u.Rec != nil {
		t.Cleanup(func() { _ = u.Rec.Close() })
	}
	return res
}

func all(t testing.TB, at io.ReaderAt, n int64) string {
	t.Helper()
	b, err := io.ReadAll(io.NewSectionReader(at, 0, n))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func received(t testing.TB, u *crawl.CrawlURI) string {
	t.Helper()
	if u.Rec == nil {
		return ""
	}
	at, n := u.Rec.Response()
	return all(t, at, n)
}
