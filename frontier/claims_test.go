package frontier

import (
	"fmt"
	"testing"

	"exclave/crawl"
	"exclave/frontier/rules"
)

func TestClaimsThatGrowAfterwards(t *testing.T) {
	// systems.md §1.3, cases 18 … 22 at the frontier: what a finished URI does when
	// its claim grows.
	const page = "http://a.test/"
	cases := []struct {
		why   string
		first crawl.Claim
		class crawl.TypeClass
		valid uint8
		then  crawl.Claim
		again bool
		mode  crawl.Mode
	}{
		{"18: A, invalid, done; later L1: fetched again", analyse, crawl.ClassHTML, 0, link(1), true, crawl.ModeFetch},
		{"19: A, valid, D = 2; later L1: nothing", analyse, crawl.ClassHTML, 1, link(1), false, 0},
		{"20: B, HTML, not archived; later A: fetched and analysed", crawl.Claim{Bin: true}, crawl.ClassHTML, 0, analyse, true, crawl.ModeFetch},
		{"20: B, HTML, not archived; later L0: fetched", crawl.Claim{Bin: true}, crawl.ClassHTML, 0, link(0), true, crawl.ModeFetch},
		{"21: B, image, archived; later A: nothing", crawl.Claim{Bin: true}, crawl.ClassOther, 0, analyse, false, 0},
		{"21: B, image, archived; later L1: nothing", crawl.Claim{Bin: true}, crawl.ClassOther, 0, link(1), false, 0},
		{"4: L archived it first; A judges the archived bytes", link(0), crawl.ClassHTML, 0, analyse, true, crawl.ModeJudge},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			f := open(t, quick(), oneProfile(2))
			f.schedule(cand("a.test", "/", c.first))
			f.finish(f.answer(f.next(page), c.class, c.valid))
			f.schedule(cand("a.test", "/", c.then))
			if !c.again {
				f.over()
				return
			}
			u := f.next(page)
			if u.Mode != c.mode || u.Prior == nil {
				t.Fatalf("offered with mode %d, prior %+v", u.Mode, u.Prior)
			}
			f.finish(f.answer(u, c.class, 0))
			f.over()
		})
	}
}

func TestClaimThatGrowsInProcess(t *testing.T) {
	// Decision 1: Finished reads the claim again inside its commit.
	f := open(t, quick(), oneProfile(1))
	f.schedule(cand("a.test", "/", analyse))
	u := f.next("http://a.test/")
	f.schedule(cand("a.test", "/", link(0)))
	f.finish(f.answer(u, crawl.ClassHTML, 0))
	u = f.next("http://a.test/")
	if u.Claim.Link[0] != 1 || !u.Claim.Analyse {
		t.Fatalf("offered again with claim %+v", u.Claim)
	}
	f.finish(f.answer(u, crawl.ClassHTML, 0))
	f.over()
}

func TestParkedUntilClaimed(t *testing.T) {
	// Decision 1: embeds of pages that are not valid are known, without a request.
	f := open(t, quick(), oneProfile(0))
	f.schedule(cand("a.test", "/img", crawl.Claim{}))
	if s := f.Stats(); s.Parked != 1 || s.Queued != 0 {
		t.Fatalf("%+v", s)
	}
	f.over()
	f.schedule(cand("a.test", "/img", crawl.Claim{Bin: true}))
	f.finish(f.answer(f.next("http://a.test/img"), crawl.ClassOther, 0))
	f.over()
}

func TestDepthReachesTheLinksOfArchivedPages(t *testing.T) {
	// Case 22: L0, archived; later L2: its links get L1, recursively, and what is
	// archived is not requested again.
	f := open(t, quick(), oneProfile(2))
	f.schedule(cand("a.test", "/", link(0)))
	f.finish(f.answer(f.next("http://a.test/"), crawl.ClassHTML, 0, cand("b.test", "/", crawl.Claim{})))
	b := f.next("http://b.test/") // B + A: invalid, not archived
	f.finish(f.answer(b, crawl.ClassHTML, 0, cand("c.test", "/", crawl.Claim{})))
	f.finish(f.answer(f.next("http://c.test/"), crawl.ClassHTML, 0))
	f.schedule(cand("a.test", "/", link(2)))
	f.settle()
	b = f.next("http://b.test/")
	if b.Claim.Link[0] != 2 {
		t.Fatalf("the link of a page under L2 got %+v, want L1", b.Claim)
	}
	f.finish(f.answer(b, crawl.ClassHTML, 0, cand("c.test", "/", crawl.Claim{})))
	c := f.next("http://c.test/")
	if c.Claim.Link[0] != 1 {
		t.Fatalf("the link of a page under L1 got %+v, want L0", c.Claim)
	}
	f.finish(f.answer(c, crawl.ClassHTML, 0))
	f.over()
}

func TestCycleEnds(t *testing.T) {
	// Case 23: A valid at D = 2 → B → A; depth falls along the cycle.
	f := open(t, quick(), oneProfile(2))
	f.schedule(cand("a.test", "/", analyse))
	f.finish(f.answer(f.next("http://a.test/"), crawl.ClassHTML, 1, cand("b.test", "/", crawl.Claim{})))
	f.finish(f.answer(f.next("http://b.test/"), crawl.ClassHTML, 0, cand("a.test", "/", crawl.Claim{})))
	f.over()
}

func redirectTo(host, path string) crawl.Candidate {
	c := cand(host, path, crawl.Claim{})
	c.Kind, c.Hops = crawl.LinkRedirect, "R"
	return c
}

func TestRedirectsToAValidPageAreKept(t *testing.T) {
	// Case 14, transitively: s → r → page. Each order in which they may be
	// finished must archive all three, the redirects without passing it on.
	const s, r, page = "http://s.test/", "http://r.test/", "http://page.test/"
	claimed := map[string]crawl.Candidate{s: cand("s.test", "/", analyse), r: cand("r.test", "/", analyse), page: cand("page.test", "/", analyse)}
	for _, order := range [][]string{{s, r, page}, {s, page, r}, {r, s, page}, {r, page, s}, {page, s, r}, {page, r, s}} {
		t.Run(order[0]+order[1]+order[2], func(t *testing.T) {
			f := open(t, quick(), oneProfile(0))
			do := func(u *crawl.CrawlURI) {
				switch u.URL {
				case s:
					f.finish(f.answer(u, crawl.ClassRedirect, 0, redirectTo("r.test", "/")))
				case r:
					f.finish(f.answer(u, crawl.ClassRedirect, 0, redirectTo("page.test", "/")))
				default:
					f.finish(f.answer(u, crawl.ClassHTML, 1))
				}
			}
			for _, url := range order {
				f.schedule(claimed[url])
				// All but the one whose turn it is are held, so that the order is this.
				u := f.take(url)
				if u == nil {
					continue // was offered as a link and is finished
				}
				do(u)
			}
			for u := f.ready(); u != nil; u = f.ready() {
				do(u)
			}
			for _, url := range order {
				if rec := f.record(url); !rec.Outcome.Archived {
					t.Errorf("%s is not archived: %+v", url, rec)
				}
			}
		})
	}
}

// take takes the URI; others that come before are handed back as they were.
func (r *rig) take(url string) *crawl.CrawlURI {
	r.t.Helper()
	var others []*crawl.CrawlURI
	defer func() {
		for _, u := range others {
			u.Disposition = crawl.Resign
			r.finish(u)
		}
	}()
	for u := r.ready(); u != nil; u = r.ready() {
		if u.URL == url {
			return u
		}
		others = append(others, u)
	}
	return nil
}

func TestSelfRedirectIsFollowedBounded(t *testing.T) {
	// Decision 5: a redirect whose target has its source's key is followed in its
	// found form, a bounded number of times.
	c := quick()
	c.SelfRedirects = 2
	f := open(t, c, oneProfile(0))
	f.schedule(cand("a.test", "/", analyse))
	forms := []string{"http://a.test/", "http://a.test/?1", "http://a.test/?2"}
	for i, form := range forms {
		u := f.next(form)
		to := redirectTo("a.test", "/")
		to.URL = []string{forms[1], forms[2], "http://a.test/?3"}[i]
		f.finish(f.answer(u, crawl.ClassRedirect, 0, to))
	}
	f.over()
}

// A page that leads over another, which gives a cookie, back to itself is asked for again with it (ADR 96), once for each that it leads over.
func TestWayBackIsAskedAgain(t *testing.T) {
	for name, way := range map[string][]string{"one": {"/consent"}, "two": {"/login", "/ticket"}} {
		for _, cookies := range []bool{true, false} {
			t.Run(fmt.Sprint(name, cookies), func(t *testing.T) {
				f := open(t, quick(), oneProfile(0))
				f.schedule(cand("a.test", "/", analyse))
				at := "/"
				for _, next := range append(way, "/") {
					u := f.answer(f.next("http://a.test"+at), crawl.ClassRedirect, 0, redirectTo("a.test", next))
					u.CookiesOn = cookies
					f.finish(u)
					at = next
				}
				if !cookies {
					f.over()
					return
				}
				u := f.answer(f.next("http://a.test/"), crawl.ClassRedirect, 0, redirectTo("a.test", way[0])) // it has not taken it
				u.CookiesOn = true
				f.finish(u)
				f.over()
				sound(t, f.Frontier)
			})
		}
	}
}

// A redirect to the same key on another host (www., by the rules of the job) is counted there.
func TestSelfRedirectToAnotherHost(t *testing.T) {
	f := ordered(t, func(_ *rules.OrderConfig, l *rules.LimitsConfig) { l.HostURIs, l.HostsPerDomain = 1, 2 })
	f.cfg.SelfRedirects = 1
	f.schedule(cand("a.cz", "/", analyse))
	to := redirectTo("a.cz", "/")
	to.URL, to.Host = "http://www.a.cz/", "www.a.cz"
	f.finish(f.answer(f.next("http://a.cz/"), crawl.ClassRedirect, 0, to))
	f.finish(f.answer(f.next("http://www.a.cz/"), crawl.ClassHTML, 1))
	for host, known := range map[string]uint64{"a.cz": 0, "www.a.cz": 1} {
		q, err := f.Queue(t.Context(), host)
		if must(t, err); q.Known != known || q.Valid != known {
			t.Errorf("%s: %d known, %d valid, want %d", host, q.Known, q.Valid, known)
		}
	}
	f.schedule(cand("x.a.cz", "/", analyse), cand("y.a.cz", "/", analyse)) // the second is one too many
	if s := f.Stats(); s.Discovered != 2 || s.Refused != 1 {
		t.Errorf("%+v", s)
	}
	sound(t, f.Frontier)
}

func TestManyLinksAreReadBack(t *testing.T) {
	// Decision 1: outlinks beyond 1 KB are read from the metadata record, and
	// those that scope refused are passed over.
	reader := &linkList{}
	f := openWith(t, func(p *Options) { p.Links, p.Depths = reader, oneProfile(1) })
	var links []crawl.Candidate
	for i := range 2500 {
		l := cand("b.test", path(i), crawl.Claim{})
		links = append(links, l)
		reader.links = append(reader.links, rules.KnownLink{Key: l.Key, Kind: l.Kind}, rules.KnownLink{Key: l.Key + "/refused", Kind: l.Kind})
	}
	f.schedule(cand("a.test", "/", link(0)))
	u := f.answer(f.next("http://a.test/"), crawl.ClassHTML, 0, links...)
	u.Metadata = crawl.Ref{File: 1, Offset: 5, Length: 5}
	f.finish(u)
	f.schedule(cand("a.test", "/", link(1)))
	f.settle()
	if reader.asked != u.Metadata {
		t.Errorf("read links of %+v, want %+v", reader.asked, u.Metadata)
	}
	for i := range 2500 {
		if rec := f.record("http://b.test" + path(i)); rec.Claim.Link[0] != 1 {
			t.Fatalf("link %d has claim %+v, want L0", i, rec.Claim)
		}
	}
	if s := f.Stats(); s.Discovered != 2501 {
		t.Errorf("%d URIs known: refused links were scheduled", s.Discovered)
	}
}

func TestManyLinksAreSeenToOnce(t *testing.T) {
	// Links that the limits refuse count once, though the first of so many are committed
	// ahead of their page; those that are known are kept with it.
	f := openWith(t, func(p *Options) {
		p.Limits = rules.LimitsConfig{HostURIsMax: 300}
		p.Depths = oneProfile(1)
	})
	var links []crawl.Candidate
	for i := range 2500 {
		links = append(links, cand("b.test", path(i), crawl.Claim{}))
	}
	for i := range 300 { // the last chunk
		links = append(links, cand("c.test", path(i), crawl.Claim{}))
	}
	f.schedule(cand("a.test", "/", link(0)))
	f.finish(f.answer(f.next("http://a.test/"), crawl.ClassHTML, 0, links...))
	if s := f.Stats(); s.Discovered != 601 || s.Refused != 2200 {
		t.Errorf("%d known and %d refused, want 601 and 2200", s.Discovered, s.Refused)
	}
	sound(t, f.Frontier)
}
