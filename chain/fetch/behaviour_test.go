package fetch

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/testweb"

	"github.com/google/go-cmp/cmp"
)

// behaviour is what one server does and what must come of it.
type behaviour struct {
	why   string
	page  testweb.Page
	rec   string // bytes recorded; "" = those sent; "-" = no recording
	body  string // decoded; not compared when empty
	code  crawl.Status
	cut   crawl.Truncation
	notes []string
	class crawl.TypeClass // not compared when unknown
	keep  bool            // the connection is used again
}

func raw(after testweb.After, lines ...string) testweb.Page {
	return testweb.Page{Raw: strings.Join(lines, "\r\n"), After: after}
}

const long = "0123456789012345678901234567890123456789012345678901234567890123456789"

func behaviours() []behaviour {
	czech := testweb.National("/x")
	plain := testweb.Text("hello")
	return []behaviour{
		{why: "RFC 9112 §6.2: Content-Length", page: plain, code: 200, body: "hello", class: crawl.ClassText, keep: true},
		{why: "an HTML page", page: czech, code: 200, body: czech.Body, class: crawl.ClassHTML, keep: true},
		{why: "RFC 9112 §7.1: chunked", page: czech.Chunked(100), code: 200, body: czech.Body, keep: true},
		{why: "RFC 9112 §7.1.2: trailers", page: plain.Chunked(2, "X-Sum: 1", "X-More: 2"), code: 200, body: "hello", keep: true},
		{why: "chunk extensions, upper case, LF", page: raw(testweb.Keep, "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "A;x=\"y\"\n0123456789\n0\n\n"), code: 200, body: "0123456789", keep: true},
		{why: "RFC 9112 §6.3: until the connection closes", page: plain.Unframed(), code: 200, body: "hello"},
		{why: "gzip", page: czech.Encoded("gzip"), code: 200, body: czech.Body, class: crawl.ClassHTML, keep: true},
		{why: "brotli", page: czech.Encoded("br"), code: 200, body: czech.Body, class: crawl.ClassHTML, keep: true},
		{why: "zstd", page: czech.Encoded("zstd"), code: 200, body: czech.Body, class: crawl.ClassHTML, keep: true},
		{why: "deflate", page: czech.Encoded("deflate"), code: 200, body: czech.Body, class: crawl.ClassHTML, keep: true},
		{why: "deflate without zlib's header", page: czech.Encoded("deflate-raw"), code: 200, body: czech.Body, class: crawl.ClassHTML, keep: true},
		{why: "an unknown coding", page: plain.Encoded("sdch"), code: 200, body: "hello", keep: true},
		{why: "coded and chunked", page: czech.Encoded("gzip").Chunked(50), code: 200, body: czech.Body, keep: true},
		{why: "RFC 9110 §15.3.5: 204 has no body", page: raw(testweb.Keep, "HTTP/1.1 204 No Content", "Content-Length: 5", "", ""), code: 204, keep: true},
		{why: "RFC 9110 §15.4.5: 304 has no body, whatever its length", page: raw(testweb.Keep, "HTTP/1.1 304 Not Modified", "Content-Length: 5", "", ""), code: 304, keep: true},
		{why: "a redirect is a class of its own", page: testweb.Redirect(301, "/x"), code: 301, class: crawl.ClassRedirect, keep: true},
		{why: "3xx without Location is a page", page: plain.WithStatus(302), code: 302, class: crawl.ClassText, keep: true},
		{why: "404 is an answer", page: testweb.NotFound(), code: 404, keep: true},
		{why: "500 is an answer", page: plain.WithStatus(500), code: 500, keep: true},
		{why: "a status nobody knows", page: raw(testweb.Shut, "HTTP/1.1 799 Odd", "Content-Length: 2", "", "ok"), code: 799, body: "ok"},
		{why: "RFC 9110 §15.2: interim answers are not the answer", page: raw(testweb.Keep, "HTTP/1.1 100 Continue", "", "HTTP/1.1 103 Early Hints", "Link: </x>", "", "HTTP/1.1 200 OK", "Content-Length: 2", "", "ok"),
			rec: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", code: 200, keep: true},
		{why: "bytes after the body are not part of it", page: raw(testweb.Keep, "HTTP/1.1 200 OK", "Content-Length: 2", "", "okHTTP/1.1 200 Forged"),
			rec: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", code: 200},
		{why: "bytes after the last chunk", page: raw(testweb.Keep, "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "2", "ok", "0", "", "extra"),
			rec: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", code: 200},
		{why: "empty lines before the answer", page: raw(testweb.Shut, "", "HTTP/1.1 200 OK", "Content-Length: 2", "", "ok"),
			rec: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", code: 200},
		{why: "libraries.md: a header line without colon", page: raw(testweb.Keep, "HTTP/1.1 200 OK", "this is no field", "Content-Length: 2", "", "ok"), code: 200, body: "ok", notes: []string{"header:odd"}, keep: true},
		{why: "libraries.md: two different lengths, the greater one right", page: raw(testweb.Keep, "HTTP/1.1 200 OK", "Content-Length: 2", "Content-Length: 5", "", "hello"), code: 200, body: "hello", notes: []string{"length:conflict"}},
		{why: "libraries.md: two different lengths, the lesser one right", page: raw(testweb.Shut, "HTTP/1.1 200 OK", "Content-Length: 9", "Content-Length: 5", "", "hello"), code: 200, body: "hello", notes: []string{"length:conflict"}},
		{why: "the same length twice", page: raw(testweb.Keep, "HTTP/1.1 200 OK", "Content-Length: 2, 2", "", "ok"), code: 200, body: "ok", keep: true},
		{why: "a length that is none", page: raw(testweb.Shut, "HTTP/1.1 200 OK", "Content-Length: many", "", "ok"), code: 200, body: "ok", notes: []string{"length:odd"}},
		{why: "a negative length", page: raw(testweb.Shut, "HTTP/1.1 200 OK", "Content-Length: -1", "", "ok"), code: 200, body: "ok", notes: []string{"length:odd"}},
		{why: "libraries.md: Transfer-Encoding: identity", page: raw(testweb.Keep, "HTTP/1.1 200 OK", "Transfer-Encoding: identity", "Content-Length: 2", "", "ok"), code: 200, body: "ok", keep: true},
		{why: "RFC 9112 §6.3: chunked beats a length", page: raw(testweb.Keep, "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "Content-Length: 99", "", "2", "ok", "0", "", ""), code: 200, body: "ok", keep: true},
		{why: "RFC 9112 §6.3: another transfer coding has no length", page: raw(testweb.Shut, "HTTP/1.1 200 OK", "Transfer-Encoding: x-odd", "Content-Length: 1", "", "ok"), code: 200, body: "ok"},
		{why: "libraries.md: HTTP/0.9", page: raw(testweb.Shut, "<html><body>old</body></html>"), code: 200, body: "<html><body>old</body></html>", notes: []string{"http09"}, class: crawl.ClassHTML},
		{why: "libraries.md: ICY", page: raw(testweb.Shut, "ICY 200 OK", "Content-Type: audio/mpeg", "", "ID3\x03\x00\x00music"), code: 200, body: "ID3\x03\x00\x00music", class: crawl.ClassOther},
		{why: "lines that end with LF", page: testweb.Page{Raw: "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", After: testweb.Keep}, code: 200, body: "ok", keep: true},
		{why: "HTTP/1.0 closes", page: raw(testweb.Shut, "HTTP/1.0 200 OK", "Content-Length: 2", "", "ok"), code: 200, body: "ok"},
		{why: "HTTP/1.0 with keep-alive", page: raw(testweb.Keep, "HTTP/1.0 200 OK", "Connection: Keep-Alive", "Content-Length: 2", "", "ok"), code: 200, body: "ok", keep: true},
		{why: "Connection: close is believed", page: raw(testweb.Keep, "HTTP/1.1 200 OK", "Connection: close", "Content-Length: 2", "", "ok"), code: 200, body: "ok"},
		{why: "RFC 9110 §15.2.2: 101 ends HTTP", page: raw(testweb.Shut, "HTTP/1.1 101 Switching", "", "xx"), rec: "HTTP/1.1 101 Switching\r\n\r\n", code: 101},
		{why: "a body that ends early", page: raw(testweb.Shut, "HTTP/1.1 200 OK", "Content-Length: 9", "", "hello"), code: 200, body: "hello", cut: crawl.TruncDisconnect, notes: []string{"discTrunc"}},
		{why: "chunks that end early", page: raw(testweb.Shut, "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "9", "hello"), code: 200, body: "hello", cut: crawl.TruncDisconnect, notes: []string{"discTrunc"}},
		{why: "no last chunk", page: raw(testweb.Shut, "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "5", "hello", ""), code: 200, body: "hello", cut: crawl.TruncDisconnect, notes: []string{"discTrunc"}},
		{why: "no end of trailers: the body is complete", page: raw(testweb.Shut, "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "5", "hello", "0", ""), code: 200, body: "hello"},
		{why: "chunked is declared, but not done", page: raw(testweb.Shut, "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "<p>hello</p>"), code: 200, body: "<p>hello</p>", cut: crawl.TruncDisconnect, notes: []string{"chunked:broken", "discTrunc"}},
		{why: "a broken chunk: everything is kept", page: raw(testweb.Shut, "HTTP/1.1 200 OK", "Transfer-Encoding: chunked", "", "5", "hello", "xyz", "more"), code: 200, body: "hello", cut: crawl.TruncDisconnect, notes: []string{"chunked:broken", "discTrunc"}},
		{why: "longer than max_size", page: testweb.Text(long), rec: testweb.Text(long).Wire()[:len(testweb.Text(long).Wire())-len(long)+64], code: 200, cut: crawl.TruncLength, notes: []string{"lenTrunc"}},
		{why: "longer than max_size, unframed", page: raw(testweb.Hold, "HTTP/1.1 200 OK", "", long), rec: "HTTP/1.1 200 OK\r\n\r\n" + long[:64], code: 200, cut: crawl.TruncLength, notes: []string{"lenTrunc"}},
		{why: "a header without end", page: raw(testweb.Hold, "HTTP/1.1 200 OK", "X: "+strings.Repeat("y", 3000)), rec: ("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", 3000))[:2048], code: 200, cut: crawl.TruncLength, notes: []string{"headerTrunc"}},
		{why: "a body that stops coming", page: raw(testweb.Hold, "HTTP/1.1 200 OK", "Content-Length: 9", "", "hello"), code: 200, body: "hello", cut: crawl.TruncTime, notes: []string{"timeTrunc"}},
		{why: "a stream that never ends", page: raw(testweb.Hold, "ICY 200 OK", "", "hello"), code: 200, body: "hello", cut: crawl.TruncTime, notes: []string{"timeTrunc"}},
		{why: "status −4: nothing comes", page: testweb.Page{Raw: "H", After: testweb.Hold}, rec: "-", code: crawl.StatusTimeout},
		{why: "status −4: the header stops coming", page: raw(testweb.Hold, "HTTP/1.1 200 OK", "Content-Le"), rec: "-", code: crawl.StatusTimeout},
		{why: "status −3: the header ends early", page: raw(testweb.Shut, "HTTP/1.1 200 OK", "Content-Le"), rec: "-", code: crawl.StatusConnectionLost},
		{why: "status −3: reset within the header", page: raw(testweb.Reset, "HTTP/1.1 200 OK", "Content-Le"), rec: "-", code: crawl.StatusConnectionLost},
		{why: "a status line without status", page: raw(testweb.Shut, "HTTP/1.1 fine", "", "x"), rec: "-", code: crawl.StatusConnectionLost, notes: []string{"header:odd"}},
		{why: "RFC 9110 §15.2: as many interim answers as are skipped", page: testweb.Page{Raw: strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", maxInterim) + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", After: testweb.Keep}, rec: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", code: 200, body: "ok", keep: true},
		{why: "interim answers without end", page: testweb.Page{Raw: strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 30)}, rec: "-", code: crawl.StatusConnectionLost},
	}
}

func TestBehaviours(t *testing.T) {
	table := behaviours()
	web := testweb.Tiny{}
	for i, b := range table {
		web[site(i)] = b.page
		web["https"+strings.TrimPrefix(site(i), "http")] = b.page
	}
	s := serve(t, web)
	root := rootFile(t, s)
	h := client(t, s, func(c *Config, _ *Deps) { c.RootFiles = []string{root} })
	small := client(t, s, func(c *Config, _ *Deps) {
		c.MaxSize, c.MaxHeader, c.Memory, c.RootFiles = 64, 2048, 10, []string{root}
	})
	hasty := client(t, s, func(c *Config, _ *Deps) { c.SocketTimeout, c.RootFiles = 4*time.Second, []string{root} })
	for _, scheme := range []string{"http", "https"} {
		for i, b := range table {
			u := page(scheme + strings.TrimPrefix(site(i), "http"))
			h, begun := h, (func(*testing.T) chain.Result)(nil)
			switch {
			case b.cut == crawl.TruncLength:
				h = small
			case b.cut == crawl.TruncTime, b.code == crawl.StatusTimeout:
				h, begun = hasty, begin(hasty, u) // these wait for their timeouts at the same time
			}
			t.Run(scheme+": "+b.why, func(t *testing.T) {
				if begun != nil {
					t.Parallel()
					check(t, b, u, begun(t))
					return
				}
				res := process(t, h, u)
				check(t, b, u, res)
				if u.Rec != nil {
					checkReuse(t, h, s, u, b.keep)
				}
			})
		}
	}
}

// begin is process, begun at once and waited for later.
func begin(h *HTTP, u *crawl.CrawlURI) func(*testing.T) chain.Result {
	type answer struct {
		res chain.Result
		err error
	}
	came := make(chan answer, 1)
	go func() {
		res, err := h.Process(context.Background(), u)
		came <- answer{res, err}
	}()
	return func(t *testing.T) chain.Result {
		a := <-came
		if a.err != nil {
			t.Fatalf("%s: %v", u.URL, a.err)
		}
		if u.Rec != nil {
			t.Cleanup(func() { _ = u.Rec.Close() })
		}
		return a.res
	}
}

func site(i int) string { return "http://h" + strconv.Itoa(i) + ".example/" }

func check(t *testing.T, b behaviour, u *crawl.CrawlURI, res chain.Result) {
	want := b.rec
	switch want {
	case "":
		want = b.page.Wire()
	case "-":
		want = ""
	}
	if d := cmp.Diff(want, received(t, u)); d != "" {
		t.Error(d)
	}
	if u.Status != b.code || u.Truncated != b.cut {
		t.Errorf("status %d, truncated %q; want %d, %q", u.Status, u.Truncated, b.code, b.cut)
	}
	if !slices.Equal(u.Annotations, b.notes) {
		t.Errorf("annotations %q, want %q", u.Annotations, b.notes)
	}
	if b.class != crawl.ClassUnknown && u.Class != b.class {
		t.Errorf("class %v (%+v), want %v", u.Class, u.MIME, b.class)
	}
	if b.body != "" && u.Rec != nil {
		if got, _ := u.Rec.Body(1 << 20); string(got) != b.body {
			t.Errorf("body %.80q, want %.80q", got, b.body)
		}
	}
	if jump := map[bool]chain.Name{true: chain.Post}[b.code < 0]; res.Jump != jump {
		t.Errorf("jump %q, want %q", res.Jump, jump)
	}
}

// checkReuse asks again and compares the numbers of the connections.
func checkReuse(t *testing.T, h *HTTP, s *testweb.Server, u *crawl.CrawlURI, keep bool) {
	again := page(u.URL)
	process(t, h, again)
	var conns []int64
	for _, hit := range s.Log() {
		if hit.URL == u.URL {
			conns = append(conns, hit.Conn)
		}
	}
	if len(conns) != 2 || (conns[0] == conns[1]) != keep {
		t.Errorf("connections %v, kept must be %v", conns, keep)
	}
	if received(t, again) != received(t, u) {
		t.Error("the second answer differs from the first")
	}
}

func TestTotalTimeout(t *testing.T) {
	// A server that sends a byte now and then is cut off by the total timeout.
	t.Parallel()
	s := serve(t, testweb.Tiny{"http://slow.example/": {Body: strings.Repeat(long, 1000), Drip: 10, Every: 10 * time.Millisecond}})
	h := client(t, s, func(c *Config, _ *Deps) { c.Timeout = 4 * time.Second })
	u := page("http://slow.example/")
	process(t, h, u)
	if u.Status != 200 || u.Truncated != crawl.TruncTime {
		t.Errorf("status %d, truncated %q", u.Status, u.Truncated)
	}
}

func TestCancelled(t *testing.T) {
	// Contract of chain.Processor: a stop is not the server's fault.
	asked := make(chan struct{})
	s := serve(t, testweb.Hosts{"hold.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		raw(testweb.Hold, "HTTP/1.1 200 OK", "", "x").ServeHTTP(w, r)
	})})
	h := client(t, s, nil)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	u := page("http://hold.example/")
	go func() {
		_, err := h.Process(ctx, u)
		done <- err
	}()
	<-asked
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || u.Rec != nil {
		t.Errorf("error %v, recording %v", err, u.Rec)
	}
}

func BenchmarkKeepAlive(b *testing.B) {
	body := testweb.National("/x")
	s := serve(b, testweb.Tiny{"http://bench.example/": body})
	h := client(b, s, nil)
	b.ReportAllocs()
	b.SetBytes(int64(len(body.Wire())))
	for b.Loop() {
		u := page("http://bench.example/")
		if _, err := h.Process(context.Background(), u); err != nil || u.Status != 200 {
			b.Fatal(u.Status, err)
		}
		if err := u.Rec.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
