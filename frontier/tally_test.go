package frontier

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/internal/fsx"
)

// fetched makes the URI one that was answered with n bytes of a type.
func fetched(t testing.TB, u *crawl.CrawlURI, status crawl.Status, kind string, n int) *crawl.CrawlURI {
	t.Helper()
	u.Status, u.MIME.Type, u.Disposition, u.Received = status, kind, crawl.Done, int64(n)
	return u
}

func hostTallies(t testing.TB, f *Frontier) map[string]schema.Tally {
	t.Helper()
	out := map[string]schema.Tally{}
	v, err := f.View()
	must(t, err)
	must(t, v.EachHost(func(h HostRow) error {
		if h.Tally != (schema.Tally{}) {
			out[h.Name] = h.Tally
		}
		return nil
	}))
	must(t, v.Close())
	return out
}

// Every kind of visit is counted once in each table, and all of it is there
// again when the state is opened the next time (ADR 21).
func TestTallies(t *testing.T) {
	r := open(t, quick(), oneProfile(0))
	dns := cand("a.test", "", crawl.Claim{})
	dns.URL, dns.Key, dns.Force = "dns:a.test", "dns:a.test", true
	page, gone, forbidden, dead := cand("a.test", "/", link(0)), cand("a.test", "/gone", analyse), cand("b.test", "/no", analyse), cand("c.test", "/", analyse)
	page.SourceTag, gone.SourceTag, forbidden.SourceTag = "old harvest", "old harvest", "x"
	r.schedule(dns, page, gone, forbidden, dead)
	for u := r.ready(); u != nil; u = r.ready() {
		switch u.URL {
		case dns.URL:
			fetched(t, u, crawl.StatusDNS, "text/dns", 50)
		case page.URL:
			fetched(t, u, 200, "text/html", 1000)
			r.answer(u, crawl.ClassHTML, 1)
		case gone.URL:
			fetched(t, u, 404, "", 70)
		case forbidden.URL:
			u.Status, u.Disposition = crawl.StatusRobots, crawl.Done
		case dead.URL:
			u.Status, u.Disposition = crawl.StatusTimeout, crawl.Done
			if !u.LastAttempt {
				u.Disposition = crawl.Retry // leaves no line, and counts nowhere
			}
		}
		r.finish(u)
	}
	// The page again, unchanged; and one whose bytes came before, under another URL.
	page.Force = true
	r.schedule(page, cand("a.test", "/copy", analyse))
	for u := r.ready(); u != nil; u = r.ready() {
		if u.URL == page.URL {
			fetched(t, u, 304, "text/html", 60).NotModified = true
		} else {
			fetched(t, u, 200, "text/html", 1000)
		}
		r.finish(u)
	}
	dnsVisit := schema.Tally{URIs: 1, Bytes: 50, Novel: 1, NovelBytes: 50}
	goneVisit := schema.Tally{URIs: 1, Bytes: 70, Novel: 1, NovelBytes: 70}
	pages := schema.Tally{URIs: 3, Bytes: 2060, Stored: 1, StoredBytes: 1000, Novel: 2, NovelBytes: 2000, Unmodified: 1, UnmodifiedLen: 60}
	none := schema.Tally{URIs: 1}
	robots := schema.Tally{URIs: 1, Robots: 1}
	failed := robots
	failed.Add(none)
	failed.Add(goneVisit)
	host := pages
	host.Add(goneVisit)
	check := func(f *Frontier) {
		t.Helper()
		same(t, "types", f.Types(), map[string]schema.Tally{"text/dns": dnsVisit, "text/html": pages, schema.UnknownType: failed})
		same(t, "hosts", hostTallies(t, f), map[string]schema.Tally{schema.DNSHost: dnsVisit, "a.test": host, "b.test": robots, "c.test": none})
		if n := len(f.Statuses()); n != 6 {
			t.Errorf("statuses %v", f.Statuses())
		}
		var sources []string
		v, err := f.View()
		must(t, err)
		must(t, v.EachSource(func(tag, host string, n uint64) error {
			sources = append(sources, fmt.Sprint(tag, "|", host, "|", n))
			return nil
		}))
		must(t, v.Close())
		// What robots.txt forbids is no success, of which alone the source-report tells.
		if want := []string{"old harvest|a.test|3"}; !slices.Equal(sources, want) {
			t.Errorf("sources %v, want %v", sources, want)
		}
		if whole, err := f.Counted(); err != nil || !whole {
			t.Errorf("counted: %t, %v", whole, err)
		}
	}
	check(r.Frontier)
	total := dnsVisit
	total.Add(host)
	total.Add(robots)
	total.Add(none)
	if got := r.Total(); got != total {
		t.Errorf("total %+v, want %+v", got, total)
	}
	o := r.o
	o.FS = r.fs.(*fsx.Mem).CrashClone(fsx.Crash{}) // the machine stops: only what was synced is left
	f, _, err := start(t, o)
	must(t, err)
	check(f)
	sound(t, f)
	must(t, f.Close(t.Context()))
}

func same[K comparable](t *testing.T, what string, got, want map[K]schema.Tally) {
	t.Helper()
	for k := range want {
		if got[k] != want[k] {
			t.Errorf("%s: %v is %+v, want %+v", what, k, got[k], want[k])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %v", what, slices.Collect(maps.Keys(got)))
	}
}

// Servers invent types: those beyond the limit share a row, for good.
func TestTallyTypes(t *testing.T) {
	r := open(t, quick(), oneProfile(0))
	visit := func(i int, kind string) {
		t.Helper()
		c := cand(fmt.Sprintf("h%d.test", i), "/", analyse)
		r.schedule(c)
		r.finish(fetched(t, r.next(c.URL), 200, kind, 10))
	}
	r.mu.Lock()
	for i := range rules.MaxTypes - 1 {
		r.tallies.Types[fmt.Sprint("x-made/", i)] = schema.Tally{}
	}
	r.mu.Unlock()
	for i, kind := range []string{"x-last/1", "x-late/1", "x-late/2", "x-last/1", "x-late/1", "x-made/7"} {
		visit(i, kind)
	}
	got := r.Types()
	if got["x-last/1"].URIs != 2 || got[schema.OtherTypes].URIs != 3 || got["x-made/7"].URIs != 1 || len(got) != rules.MaxTypes+1 {
		t.Errorf("%d types, last %+v, others %+v", len(got), got["x-last/1"], got[schema.OtherTypes])
	}
}

// Heritrix's max-depth and avg-depth are lengths of queues.
func TestDepths(t *testing.T) {
	r := openWith(t, func(o *Options) { o.Config.MinDelay, o.Config.MaxDelay = time.Hour, time.Hour })
	r.schedule(cand("a.test", "/1", analyse), cand("a.test", "/2", analyse), cand("a.test", "/3", analyse), cand("b.test", "/", analyse))
	if d := r.Depths(); d != (QueueDepths{2, 3, 4}) {
		t.Errorf("%+v", d)
	}
	u := r.ready()
	u.Status = 200
	r.finish(u)
	if d := r.Depths(); d.Sum != 3 {
		t.Errorf("after one is done: %+v", d)
	}
}

// The tables are checked against each other.
func TestCheckTallies(t *testing.T) {
	r := open(t, quick(), oneProfile(0))
	r.schedule(cand("a.test", "/", analyse))
	r.finish(fetched(t, r.next("http://a.test/"), 200, "text/html", 10))
	key := schema.TallyKey(schema.ByType, "text/html")
	was, err := r.db.Get(key)
	must(t, err)
	must(t, r.db.Set(key, (&schema.Tally{URIs: 2, Bytes: 10}).Encode()))
	bad, err := r.Check()
	must(t, err)
	if len(bad) != 1 || !strings.HasPrefix(bad[0], "statistics: the MIME types add up") {
		t.Errorf("%q", bad)
	}
	must(t, r.db.Set(key, was))
}
