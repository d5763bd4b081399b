package standard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"exclave/analyzer"
	"exclave/chain"
	"exclave/chain/decide"
	"exclave/chain/fetch"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/crawllog"
	"exclave/internal/fsx"
	"exclave/internal/record"
	"exclave/internal/resolve"
	"exclave/internal/testweb"
	"exclave/internal/urlx"
	"exclave/warc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// job is what surrounds the chains: facts as a frontier keeps them, an archive.
type job struct {
	t        testing.TB
	chains   *chain.Chains
	hosts    map[string]crawl.HostFacts
	origins  map[string]crawl.OriginFacts
	deferred map[string]crawl.Deferred
	fs       fsx.FS
	pool     *warc.Pool
}

func (j *job) Host(_ context.Context, h string) (crawl.HostFacts, error) { return j.hosts[h], nil }
func (j *job) Origin(_ context.Context, o string) (crawl.OriginFacts, error) {
	return j.origins[o], nil
}
func (j *job) Deferred(_ context.Context, key string) (crawl.Deferred, bool, error) {
	d, ok := j.deferred[key]
	return d, ok, nil
}

func (j *job) path(file uint32) string {
	state, _ := j.pool.File(file)
	return "warcs/" + state.DiskName()
}

// Response implements fetch.ArchiveReader.
func (j *job) Response(_ context.Context, ref, _ crawl.Ref) (*record.Recording, error) {
	e, done, err := warc.ReadAt(j.fs, j.path(ref.File), warc.Ref(ref))
	if err != nil {
		return nil, err
	}
	rec, err := record.Load(e.Block, "", 1<<20)
	return rec, errors.Join(err, done())
}

// open makes the default chains over a small web on loopback.
func open(t testing.TB, web testweb.Web) *job {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	server, err := testweb.Start(web, testweb.Options{})
	must(err)
	t.Cleanup(func() { must(server.Close()) })
	j := &job{t: t, hosts: map[string]crawl.HostFacts{}, origins: map[string]crawl.OriginFacts{}, deferred: map[string]crawl.Deferred{}, fs: fsx.NewMem()}
	clk := clock.System()

	wc := warc.DefaultConfig()
	wc.Dir = "warcs"
	must(j.fs.MkdirAll(wc.Dir, 0o700))
	j.pool, err = warc.OpenPool(j.fs, wc, warc.Info{}, clk, 1, nil, nil)
	must(err)
	rc := resolve.DefaultConfig()
	rc.Servers = []string{server.DNS()}
	resolver, err := resolve.New(rc)
	must(err)
	hc := fetch.DefaultConfig()
	hc.Contact, hc.ConnectTo, hc.Allow = "http://crawler.example/", server.ConnectTo(), []string{"127.0.0.0/8"}
	http, err := fetch.NewHTTP(hc, fetch.Deps{Hosts: j, Resolver: resolver, Scratch: t.TempDir(), Version: "test", Clock: clk})
	must(err)
	ac := analyzer.DefaultConfig()
	ac.Profiles = []string{"cz"}
	an, err := analyzer.Open(context.Background(), ac)
	must(err)
	t.Cleanup(func() { must(an.Close()) })
	scope, problems := decide.Build(decide.DefaultScope("cz"), "", time.Time{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	steps, bad := Build(&Env{
		Clock: clk, Depths: crawl.Depths{D: [4]int32{1, -1, -1, -1}}, Scope: scope, Hosts: j, Resolver: resolver, HTTP: http,
		Analyzer: an, Archive: j.pool, Reader: j, FileName: func(n uint32) string { s, _ := j.pool.File(n); return s.Name },
	}, nil)
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	j.chains, err = chain.NewChains(steps)
	must(err)
	must(j.chains.Start(context.Background()))
	t.Cleanup(func() { must(j.chains.Stop(context.Background())) })
	return j
}

// run carries a URI through the chains, its prerequisites first, and returns the
// status of all that was asked for, in order.
func (j *job) run(u *crawl.CrawlURI) string {
	j.t.Helper()
	if err := j.chains.Run(context.Background(), u, func(chain.Name, string) bool { return true }, nil); err != nil {
		j.t.Fatal(err)
	}
	if u.Rec != nil {
		j.t.Cleanup(func() { _ = u.Rec.Close() })
	}
	if u.Err != nil {
		j.t.Fatal(u.Err)
	}
	if u.Disposition == crawl.Defer {
		pre := &crawl.CrawlURI{Candidate: *u.Prereq, Attempt: 1}
		did := j.run(pre)
		again := &crawl.CrawlURI{Candidate: u.Candidate, Attempt: 1}
		did += j.run(again)
		*u = *again
		return did
	}
	if f := u.HostFacts; f != nil {
		j.hosts[f.Host] = *f
	}
	if f := u.Origin; f != nil {
		j.origins[f.Origin] = *f
	}
	if d := u.Deferred; d != nil {
		j.deferred[d.Key] = *d
	}
	return fmt.Sprintf("%s %v\n", u.URL, u.Status)
}

func uri(t testing.TB, url string, c crawl.Claim) *crawl.CrawlURI {
	t.Helper()
	a, err := urlx.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return &crawl.CrawlURI{Candidate: crawl.Candidate{URL: url, Key: url, Host: a.Hostname(), Seed: true, SourceTag: "seeds", Claim: c}, Attempt: 1}
}

func (j *job) types(s *crawl.Span) string {
	f, err := j.fs.Open(j.path(s.File))
	if err != nil {
		j.t.Fatal(err)
	}
	j.t.Cleanup(func() { _ = f.Close() })
	r := warc.NewReader(f)
	var out []string
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return strings.Join(out, "\n")
		}
		if err != nil {
			j.t.Fatal(err)
		}
		if e.Offset >= s.Start && e.Offset < s.End && e.Type() != warc.TypeWarcinfo {
			out = append(out, e.Type()+" "+e.TargetURI())
		}
	}
}

// The way of a URI (architecture.md), with nothing but the frontier missing: DNS
// and robots.txt first, then the page, judged and archived with them, its links
// as the claims and the scope have them, a line in every log.
func TestTheWayOfAURI(t *testing.T) {
	j := open(t, testweb.Tiny{
		"http://firma.com/":           testweb.National("http://firma.com/next", "http://firma.cz/"),
		"http://firma.com/next":       testweb.National(),
		"http://firma.com/robots.txt": testweb.Text("User-agent: *\nDisallow: /private\n"),
	})
	u := uri(t, "http://firma.com/", crawl.Claim{Analyse: true})
	if got, want := j.run(u), "dns:firma.com 1\nhttp://firma.com/robots.txt 200\nhttp://firma.com/ 200\n"; got != want {
		t.Fatalf("asked for\n%swant\n%s", got, want)
	}
	if u.Disposition != crawl.Done || !u.Outcome().Valid() || u.Span == nil {
		t.Fatalf("disposition %d, outcome %+v, %s", u.Disposition, u.Outcome(), u.Judged.JSON)
	}
	want := "response dns:firma.com\nrequest http://firma.com/robots.txt\nresponse http://firma.com/robots.txt\n" +
		"request http://firma.com/\nresponse http://firma.com/\nmetadata http://firma.com/\nmetadata urn:exclave:verdict:http://firma.com/"
	if got := j.types(u.Span); got != want {
		t.Errorf("records\n%s\nwant\n%s", got, want)
	}
	if len(u.Links) != 1 || u.Links[0].URL != "http://firma.com/next" || u.Links[0].Claim.Link[0] != 1 {
		t.Errorf("links %+v", u.Links)
	}
	logs := map[crawl.LogID]string{}
	for _, l := range u.Lines {
		logs[l.Log] += string(l.Text)
	}
	e, err := crawllog.Parse(logs[crawl.LogCrawl])
	if err != nil || e.Status != 200 || e.Source != "seeds" || e.WARCFileOffset != u.Response.Offset || !strings.HasPrefix(strings.Join(e.Annotations, ","), "valid:") {
		t.Errorf("crawl.log %q: %v", logs[crawl.LogCrawl], err)
	}
	if !strings.Contains(logs[crawl.LogScope], `"url":"http://firma.cz/"`) || !strings.Contains(logs[crawl.LogAnalysis], `"valid":true`) {
		t.Errorf("lines %q", logs)
	}

	forbidden := uri(t, "http://firma.com/private", crawl.Claim{Analyse: true})
	if got, want := j.run(forbidden), "http://firma.com/private -9998\n"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
}

// systems.md 1.3: a page archived for its link and judged later is judged from
// the archive, without a request.
func TestJudgedFromTheArchive(t *testing.T) {
	j := open(t, testweb.Tiny{"http://firma.com/": testweb.National()})
	first := uri(t, "http://firma.com/", crawl.Claim{Link: [4]int32{1}})
	j.run(first)
	if first.Span == nil || first.Judged != nil || !first.Judgeable {
		t.Fatalf("span %v, judged %v, judgeable %v", first.Span, first.Judged, first.Judgeable)
	}
	u := uri(t, "http://firma.com/", crawl.Claim{Analyse: true, Link: [4]int32{1}})
	u.Mode = crawl.ModeJudge
	u.Prior = &crawl.Prior{Outcome: first.Outcome(), Response: first.Response, RecordID: first.RecordID, Date: first.Started, PayloadDigest: first.Digest}
	j.run(u)
	if !u.Outcome().Valid() || !u.Outcome().Archived || u.Disposition != crawl.Done || u.Digest != first.Digest {
		t.Errorf("outcome %+v, disposition %d", u.Outcome(), u.Disposition)
	}
	if got := j.types(u.Span); got != "metadata urn:exclave:verdict:http://firma.com/" {
		t.Errorf("records %q", got)
	}
}

// The post chain is passed by what cannot be fetched, too.
func TestUnknownHost(t *testing.T) {
	j := open(t, testweb.Tiny{"http://firma.com/": testweb.National()})
	u := uri(t, "http://nowhere.example/", crawl.Claim{Analyse: true})
	if got, want := j.run(u), "dns:nowhere.example -1\nhttp://nowhere.example/ -6\n"; got != want {
		t.Errorf("asked for\n%swant\n%s", got, want)
	}
	if u.Disposition != crawl.Done || len(u.Lines) != 1 || u.Span != nil {
		t.Errorf("disposition %d, lines %d, span %v", u.Disposition, len(u.Lines), u.Span)
	}
}

// One page with 100 links, from the request to the lines of the logs.
func BenchmarkPage(b *testing.B) {
	links := make([]string, 100)
	for i := range links {
		links[i] = fmt.Sprintf("http://firma%d.com/2024/05/a-page-of-it.html?id=%d", i, i)
	}
	j := open(b, testweb.Tiny{"http://firma.com/": testweb.National(links...)})
	j.run(uri(b, "http://firma.com/", crawl.Claim{Analyse: true})) // DNS and robots.txt
	b.ReportAllocs()
	for b.Loop() {
		u := uri(b, "http://firma.com/", crawl.Claim{Analyse: true})
		if err := j.chains.Run(b.Context(), u, func(chain.Name, string) bool { return true }, nil); err != nil || u.Err != nil || len(u.Links) != len(links) {
			b.Fatal(err, u.Err, len(u.Links))
		}
		if err := u.Rec.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
