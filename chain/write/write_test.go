package write

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/markup"
	"exclave/internal/record"
	"exclave/internal/urlx"
	"exclave/warc"
	"exclave/warc/warctest"
)

var _ Pool = (*warc.Pool)(nil)

// facts are deferred answers by key.
type facts map[string]crawl.Deferred

func (facts) Host(context.Context, string) (crawl.HostFacts, error) { return crawl.HostFacts{}, nil }
func (facts) Origin(context.Context, string) (crawl.OriginFacts, error) {
	return crawl.OriginFacts{}, nil
}
func (f facts) Deferred(_ context.Context, key string) (crawl.Deferred, bool, error) {
	d, ok := f[key]
	return d, ok, nil
}

type archive struct {
	*WARC
	fs   fsx.FS
	pool *warc.Pool
}

func open(t testing.TB, fs fsx.FS, hosts facts) *archive {
	t.Helper()
	clk := clock.NewFake(time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC))
	c := warc.DefaultConfig()
	c.Dir, c.PoolSize = "warcs", 1
	if err := fs.MkdirAll(c.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	pool, err := warc.OpenPool(fs, c, warc.Info{Software: "test"}, clk, 1, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := crawl.Depths{D: [4]int32{0, -1, -1, -1}}
	return &archive{NewWARC(pool, d, hosts, clk, DefaultDedup(), nil, nil, false), fs, pool}
}

// page makes a fetched page with a judgement, valid or not.
func page(t testing.TB, url string, claim crawl.Claim, valid uint8) *crawl.CrawlURI {
	t.Helper()
	rec, err := record.Load(strings.NewReader("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>hello"), t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rec.Close() })
	rec.SetRequest([]byte("GET / HTTP/1.1\r\nHost: a.com\r\nCookie: secret=1; b\r\n\r\n"))
	u := &crawl.CrawlURI{
		Candidate: crawl.Candidate{URL: url, Via: "http://via.cz/", Hops: "L", SourceTag: "log", Claim: claim},
		Status:    200, HTTPStatus: 200, Class: crawl.ClassHTML, Judgeable: true, Rec: rec,
		Addr: netip.MustParseAddr("192.0.2.1"), Started: time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC), Took: 35 * time.Millisecond,
		Digest: rec.PayloadDigest(), Doc: &markup.Doc{Charset: "utf-8"},
		Outlinks: []crawl.Outlink{{URL: at(t, "http://a.com/i.png"), Hop: 'E', Kind: crawl.LinkEmbed, Context: "img/@src"}},
	}
	if claim.Analyse {
		u.Judged = &crawl.Judgement{ValidFor: valid, JSON: []byte(`[{"profile":"cz"}]`)}
	}
	return u
}

func (a *archive) process(t testing.TB, u *crawl.CrawlURI) {
	t.Helper()
	if _, err := a.Process(context.Background(), u); err != nil {
		t.Fatal(err)
	}
}

// records reads the file back: one line per record, and all bodies.
func (a *archive) records(t testing.TB, file uint32) (lines []string, entries []record1) {
	t.Helper()
	state, ok := a.pool.File(file)
	if !ok {
		t.Fatalf("no file %d", file)
	}
	defects, err := warctest.Verify(a.fs, "warcs/"+state.DiskName(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range defects { // gowarc's among them
		t.Errorf("verify: %+v", d)
	}
	f, err := a.fs.Open("warcs/" + state.DiskName())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	r := warc.NewReader(f)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return lines, entries
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(e.Block)
		if err != nil {
			t.Fatal(err)
		}
		if e.Type() != warc.TypeWarcinfo {
			lines = append(lines, e.Type()+" "+e.TargetURI()+" "+e.Header.Get("Content-Type"))
			entries = append(entries, record1{e, string(body)})
		}
	}
}

type record1 struct {
	*warc.Entry
	body string
}

func exchange(t testing.TB, e record.Exchange) []byte {
	t.Helper()
	b, err := e.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func dnsAndRobots(t testing.TB) facts {
	day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	robots := record.Exchange{URL: "http://a.com/robots.txt", Date: day, ContentType: warc.ContentHTTPResponse,
		Request: []byte("GET /robots.txt HTTP/1.1\r\n\r\n"), Response: []byte("HTTP/1.1 404 Not Found\r\n\r\nno"), HeaderLen: 26}
	robots.Before = []record.Exchange{{URL: "http://a.com/robots.txt", Date: day, ContentType: warc.ContentHTTPResponse,
		Request: []byte("GET /robots.txt HTTP/1.1\r\n\r\n"), Response: []byte("HTTP/1.1 301 Moved\r\n\r\n"), HeaderLen: 22}}
	return facts{
		"dns:a.com": {Key: "dns:a.com", Raw: exchange(t, record.Exchange{URL: "dns:a.com", Date: day, ContentType: warc.ContentDNS,
			IP: netip.MustParseAddr("192.0.2.53"), Response: []byte("20261120000000\na.com. 60 IN A 192.0.2.1\n")})},
		"robots:http://a.com": {Key: "robots:http://a.com", Raw: exchange(t, robots)},
	}
}

// formats.md, WARC; architecture decision 3: the group of a host's first page.
func TestCaptureGroup(t *testing.T) {
	a := open(t, fsx.NewMem(), dnsAndRobots(t))
	u := page(t, "http://a.com/", crawl.Claim{Analyse: true}, 1)
	a.process(t, u)
	if u.Span == nil {
		t.Fatal("not archived")
	}
	lines, es := a.records(t, u.Span.File)
	want := []string{
		"response dns:a.com text/dns",
		"request http://a.com/robots.txt application/http; msgtype=request",
		"response http://a.com/robots.txt application/http; msgtype=response",
		"request http://a.com/robots.txt application/http; msgtype=request",
		"response http://a.com/robots.txt application/http; msgtype=response",
		"request http://a.com/ application/http; msgtype=request",
		"response http://a.com/ application/http; msgtype=response",
		"metadata http://a.com/ application/warc-fields",
		"metadata urn:exclave:verdict:http://a.com/ application/json",
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Fatalf("records\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	request, response, fields, verdict := es[5], es[6], es[7], es[8]
	if response.ID() != u.RecordID || response.Header.Get("WARC-Payload-Digest") != u.Digest || response.Header.Get("WARC-IP-Address") != "192.0.2.1" {
		t.Errorf("response %v", response.Header)
	}
	if got := response.ConcurrentTo(); len(got) != 1 || got[0] != request.ID() {
		t.Errorf("response is concurrent to %v, request is %s", got, request.ID())
	}
	for _, e := range []record1{request, fields, verdict} {
		if got := e.ConcurrentTo(); len(got) != 1 || got[0] != u.RecordID {
			t.Errorf("%s is concurrent to %v", e.Type(), got)
		}
	}
	// A DNS answer was asked for by no request of HTTP; a robots.txt has one (docs/formats/warc.md).
	dns, robots := es[0].ConcurrentTo(), [][]string{es[3].ConcurrentTo(), es[4].ConcurrentTo()}
	if want := [][]string{{es[4].ID()}, {es[3].ID()}}; len(dns) != 0 || !reflect.DeepEqual(robots, want) {
		t.Errorf("DNS answer is concurrent to %v; robots.txt, request and response, to %v, want %v", dns, robots, want)
	}
	if got := request.body; got != "GET / HTTP/1.1\r\nHost: a.com\r\nCookie: xxxxxxxxx x\r\n\r\n" {
		t.Errorf("request %q", got)
	}
	if got := strings.Join(u.Annotations, ","); got != "redacted" {
		t.Errorf("annotations %q", got)
	}
	if got, want := fields.body, "via: http://via.cz/\r\nhopsFromSeed: L\r\nsourceTag: log\r\nfetchTimeMs: 35\r\ncharsetForLinkExtraction: utf-8\r\noutlink: http://a.com/i.png E img/@src\r\n"; got != want {
		t.Errorf("metadata %q, want %q", got, want)
	}
	if verdict.body != `[{"profile":"cz"}]` {
		t.Errorf("verdict %s", verdict.body)
	}
	if got := strings.Join(u.Carried, " "); got != "dns:a.com robots:http://a.com" {
		t.Errorf("carried %q", got)
	}
	for name, ref := range map[string]crawl.Ref{response.ID(): u.Response, fields.ID(): u.Metadata} {
		state, _ := a.pool.File(ref.File)
		e, closeEntry, err := warc.ReadAt(a.fs, "warcs/"+state.DiskName(), warc.Ref(ref))
		if err != nil {
			t.Fatal(err)
		}
		if e.ID() != name {
			t.Errorf("%+v is %s, not %s", ref, e.ID(), name)
		}
		if err := closeEntry(); err != nil {
			t.Error(err)
		}
	}
}

// The rules of systems.md 1.3 are crawl.Depths'; here, that they are asked.
func TestWhatIsArchived(t *testing.T) {
	judge := crawl.Claim{Analyse: true}
	link := crawl.Claim{Link: [4]int32{1}}
	for _, c := range []struct {
		why  string
		u    func(t testing.TB) *crawl.CrawlURI
		want string
	}{
		{"a valid page", func(t testing.TB) *crawl.CrawlURI { return page(t, "http://b.com/", judge, 1) }, "request response metadata metadata"},
		{"an invalid page leaves nothing", func(t testing.TB) *crawl.CrawlURI { return page(t, "http://b.com/", judge, 0) }, ""},
		{"valid_link: archived without a judgement", func(t testing.TB) *crawl.CrawlURI { return page(t, "http://b.com/", link, 0) }, "request response metadata"},
		{"archive_bin_link is not for HTML", func(t testing.TB) *crawl.CrawlURI { return page(t, "http://b.com/", crawl.Claim{Bin: true}, 0) }, ""},
		{"a seed has no via", func(t testing.TB) *crawl.CrawlURI {
			u := page(t, "http://b.com/", link, 0)
			u.Via, u.Hops = "", ""
			return u
		}, "request response metadata"},
		{"robots.txt as a prerequisite is deferred (case 25)", func(t testing.TB) *crawl.CrawlURI {
			u := page(t, "http://b.com/robots.txt", link, 0)
			u.Key = crawl.RobotsKey("http://a.com")
			return u
		}, ""},
		{"what could not be fetched", func(t testing.TB) *crawl.CrawlURI {
			u := page(t, "http://b.com/", link, 0)
			u.Status, u.Rec = crawl.StatusTimeout, nil
			return u
		}, ""},
		{"once archived it is not archived again", func(t testing.TB) *crawl.CrawlURI {
			u := page(t, "http://b.com/", link, 0)
			u.Prior = &crawl.Prior{Outcome: crawl.Outcome{Archived: true}}
			return u
		}, ""},
		{"unless a curator asks", func(t testing.TB) *crawl.CrawlURI {
			u := page(t, "http://b.com/", link, 0)
			u.Prior, u.Force = &crawl.Prior{Outcome: crawl.Outcome{Archived: true}}, true
			return u
		}, "request response metadata"},
		{"WARC 1.1 6.7.3: not modified since the earlier capture", func(t testing.TB) *crawl.CrawlURI {
			u := page(t, "http://b.com/", link, 0)
			u.Prior, u.Force, u.NotModified = prior(), true, true
			return u
		}, "revisit"},
		{"judged from the archive: the verdict only", func(t testing.TB) *crawl.CrawlURI {
			u := page(t, "http://b.com/", judge, 0)
			u.Prior, u.Mode = prior(), crawl.ModeJudge
			return u
		}, "metadata"},
		{"a stranger's address cannot stop the writer", func(t testing.TB) *crawl.CrawlURI {
			return page(t, "http://b.com/a b<\r\n>č", link, 0)
		}, "request response metadata"},
	} {
		t.Run(c.why, func(t *testing.T) {
			a := open(t, fsx.NewMem(), facts{"dns:b.com": {Written: true}})
			u := c.u(t)
			a.process(t, u)
			if (u.Span != nil) != (c.want != "") {
				t.Fatalf("span %v", u.Span)
			}
			if u.Span == nil {
				return
			}
			_, es := a.records(t, u.Span.File)
			var types []string
			for _, e := range es {
				types = append(types, e.Type())
			}
			if got := strings.Join(types, " "); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if u.Mode == crawl.ModeJudge {
				if !u.Response.IsZero() || es[0].ConcurrentTo()[0] != "urn:uuid:00000000-0000-0000-0000-000000000001" {
					t.Errorf("response %v, verdict %v", u.Response, es[0].Header)
				}
			}
			if h := es[min(1, len(es)-1)].Header; u.NotModified && (h.Get("WARC-Refers-To-Date") != "2026-01-02T03:04:05.000Z" ||
				h.Get("WARC-Refers-To-Target-URI") != "http://b.com/" || h.Get("WARC-Payload-Digest") != prior().PayloadDigest) {
				t.Errorf("revisit %v", h)
			}
			if u.Via == "" && !strings.HasPrefix(es[2].body, "seed: \r\nsourceTag: log\r\nfetchTimeMs:") {
				t.Errorf("metadata %q", es[2].body)
			}
		})
	}
}

func prior() *crawl.Prior {
	return &crawl.Prior{
		Outcome:  crawl.Outcome{Status: 200, Class: crawl.ClassHTML, Archived: true, Judgeable: true},
		RecordID: "urn:uuid:00000000-0000-0000-0000-000000000001", Date: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		PayloadDigest: "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
	}
}

// archived has one original for every payload.
type archived struct{ original crawl.Original }

func (a archived) Original(context.Context, string) (*crawl.Original, error) { return &a.original, nil }

// Of what did not change a revisit record is written alone (ADR 90): not of what is the same as something else, or of another class now.
func TestRevisitAlone(t *testing.T) {
	const own, other = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "sha1:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB"
	for _, c := range []struct {
		why    string
		change func(u *crawl.CrawlURI)
		digest string
		off    bool
		want   string
	}{
		{"the same content, the same verdict", func(*crawl.CrawlURI) {}, own, false, "revisit"},
		{"the verdict is another one", func(u *crawl.CrawlURI) { u.Judged.ValidFor = 2 }, own, false, "revisit metadata"},
		{"it was not judged", func(u *crawl.CrawlURI) { u.Prior.Outcome.Judged = false }, own, false, "revisit metadata"},
		{"content of another address", func(*crawl.CrawlURI) {}, other, false, "request revisit metadata metadata"},
		{"not archived before", func(u *crawl.CrawlURI) { u.Prior = nil }, own, false, "request revisit metadata metadata"},
		{"read as another type", func(u *crawl.CrawlURI) { u.Prior.Outcome.Class = crawl.ClassText }, own, false, "request revisit metadata metadata"},
		{"by setting", func(*crawl.CrawlURI) {}, own, true, "request revisit metadata metadata"},
	} {
		t.Run(c.why, func(t *testing.T) {
			a := open(t, fsx.NewMem(), facts{"dns:b.com": {Written: true}})
			a.originals, a.dedup = archived{crawl.Original{URL: "http://b.com/", Digest: c.digest, ID: prior().RecordID, Date: prior().Date}}, DedupConfig{WithinJob: true, By: ByDigest, MinSize: 1, RevisitOnly: !c.off}
			a.depths.D[1] = 0
			u := page(t, "http://b.com/", crawl.Claim{Analyse: true}, 1)
			u.Prior, u.Force = prior(), true
			u.Prior.Outcome.Judged, u.Prior.Outcome.ValidFor = true, 1
			c.change(u)
			a.process(t, u)
			_, es := a.records(t, u.Span.File)
			var types []string
			for _, e := range es {
				types = append(types, e.Type())
			}
			if got := strings.Join(types, " "); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if alone := !strings.HasPrefix(c.want, "request"); alone != u.Metadata.IsZero() || u.Response.IsZero() {
				t.Errorf("response %v, metadata %v", u.Response, u.Metadata)
			}
		})
	}
}

// Architecture decision 2: an I/O error at any operation leaves no half group,
// and the next group is whole.
func TestErrorAtEachOperation(t *testing.T) {
	hosts := dnsAndRobots(t)
	for n := 0; ; n++ {
		faulty := fsx.NewFaulty(fsx.NewMem(), fsx.Fault{At: -1})
		a := open(t, faulty, hosts)
		faulty.Set(fsx.Fault{At: int64(n), Err: errors.New("disk")})
		u := page(t, "http://a.com/", crawl.Claim{Analyse: true}, 1)
		_, err := a.Process(context.Background(), u)
		faulty.Set(fsx.Fault{At: -1})
		if err == nil && u.Span == nil || err != nil && (u.Span != nil || u.Carried != nil || u.RecordID != "") {
			t.Fatalf("operation %d: error %v, span %v", n, err, u.Span)
		}
		if err == nil {
			if n == 0 {
				t.Fatal("no operation failed")
			}
			return
		}
		again := page(t, "http://a.com/", crawl.Claim{Analyse: true}, 1)
		a.process(t, again)
		if lines, _ := a.records(t, again.Span.File); len(lines) != 9 {
			t.Fatalf("operation %d: then %d records", n, len(lines))
		}
	}
}

// A lost or damaged deferred answer is our failure and must not pass in silence.
func TestDamagedDeferredAnswer(t *testing.T) {
	a := open(t, fsx.NewMem(), facts{"dns:a.com": {Key: "dns:a.com", Raw: []byte("x")}})
	u := page(t, "http://a.com/", crawl.Claim{Analyse: true}, 1)
	if _, err := a.Process(context.Background(), u); !errors.Is(err, record.ErrExchange) || u.Span != nil {
		t.Errorf("error %v, span %v", err, u.Span)
	}
}

// Architecture decision 14.
func TestRedact(t *testing.T) {
	for _, c := range []struct{ why, in, want string }{
		{"values of secret fields, whatever their case", "GET / HTTP/1.1\r\nAUTHORIZATION: Basic YWI=\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nAUTHORIZATION: xxxxx xxxx\r\nHost: a\r\n\r\n"},
		{"to the end of a folded field", "GET / HTTP/1.1\r\nCookie:a=b;\r\n\tc=d\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nCookie:xxxx\r\n\txxx\r\nHost: a\r\n\r\n"},
		{"of proxies too", "GET / HTTP/1.1\nProxy-Authorization: x1\n\n", "GET / HTTP/1.1\nProxy-Authorization: xx\n\n"},
		{"the body is not a header", "POST / HTTP/1.1\r\nHost: a\r\n\r\nCookie: a", "POST / HTTP/1.1\r\nHost: a\r\n\r\nCookie: a"},
		{"nothing else changes", "GET /?cookie: HTTP/1.1\r\nX-Cookie: a\r\n\r\n", "GET /?cookie: HTTP/1.1\r\nX-Cookie: a\r\n\r\n"},
	} {
		t.Run(c.why, func(t *testing.T) {
			b := []byte(c.in)
			if found := record.Redact(b); string(b) != c.want || found != (c.in != c.want) {
				t.Errorf("%q %v, want %q", b, found, c.want)
			}
		})
	}
}

// The writer's share of a page: decision, redaction, fields, records, gzip.
func BenchmarkCapture(b *testing.B) {
	a := open(b, fsx.NewMem(), facts{})
	for i := 0; b.Loop(); i++ {
		u := page(b, fmt.Sprintf("http://a.com/%d", i), crawl.Claim{Link: [4]int32{1}}, 0)
		a.process(b, u)
		if u.Span == nil {
			b.Fatal("not archived")
		}
	}
}

// at is an address.
func at(t testing.TB, url string) *urlx.URL {
	t.Helper()
	u, err := urlx.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// What an answer came over stands in its record, each protocol in a field of its own; what its body is where the header says something else.
func TestProtocols(t *testing.T) {
	a := open(t, fsx.NewMem(), nil)
	u := page(t, "https://a.com/", crawl.Claim{Analyse: true}, 1)
	u.Protocols, u.CipherSuite = []string{"http/1.1", "tls/1.3"}, "TLS_AES_128_GCM_SHA256"
	u.MIME.Type, u.MIME.Declared = "text/html", "text/plain"
	a.process(t, u)
	_, entries := a.records(t, u.Span.File)
	n := 0
	for _, e := range entries {
		var got []string
		for _, f := range e.Header {
			switch f.Name {
			case "WARC-Protocol", "WARC-Cipher-Suite", "WARC-Identified-Payload-Type":
				got = append(got, f.Value)
			}
		}
		var want []string
		if e.Header.Get("WARC-Type") == warc.TypeResponse {
			n++
			want = []string{"http/1.1", "tls/1.3", "TLS_AES_128_GCM_SHA256", "text/html"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", e.Header.Get("WARC-Type"), got, want)
		}
	}
	if n != 1 {
		t.Errorf("%d responses", n)
	}
}
