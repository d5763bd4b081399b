package frontier

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

func hop(host, path string, hops int) crawl.Candidate {
	c := cand(host, path, analyse)
	c.Hops = strings.Repeat("L", hops)
	return c
}

// begin opens the frontier of a rig, once more perhaps.
func (r *rig) begin(o Options) {
	r.t.Helper()
	var err error
	r.Frontier, r.ar, err = start(r.t, o)
	must(r.t, err)
}

// The cap of a domain counts what its hosts know, not what gave way, and rises with valid pages of
// any of them.
func TestDomainCap(t *testing.T) {
	r := ordered(t, func(o *rules.OrderConfig, l *rules.LimitsConfig) {
		o.Policies = []rules.PolicyName{rules.PolicyHops}
		l.DomainURIs, l.DomainURIsMax, l.URIsPerValid = 2, 5, 1
	})
	r.schedule(hop("a.d.com", "/1", 1), hop("b.d.com", "/2", 2))
	r.schedule(hop("b.d.com", "/3", 3)) // refused
	r.schedule(hop("b.d.com", "/1", 1)) // /2 gives way
	seed := hop("c.d.com", "/", 0)
	seed.Seed = true
	r.schedule(seed)                    // passes
	r.schedule(hop("c.d.com", "/9", 9)) // refused
	if s := r.Stats(); s.Discovered-s.Dropped != 3 || s.Dropped != 1 || s.Refused != 2 {
		t.Errorf("%+v", s)
	}
	for range 2 {
		u := r.any()
		r.finish(r.answer(u, crawl.ClassHTML, 1))
	}
	r.schedule(hop("a.d.com", "/4", 4)) // 3 are known, 2 + 2 may be
	r.schedule(hop("a.d.com", "/5", 5)) // refused
	if s := r.Stats(); s.Discovered-s.Dropped != 4 || s.Refused != 3 {
		t.Errorf("after two valid pages: %+v", s)
	}
	sound(t, r.Frontier)
	r.drain(nil)
	r.over()
}

// Only a waiting URI of the same host gives way, and none that was asked for expressly.
func TestWhoGivesWay(t *testing.T) {
	r := openWith(t, func(o *Options) {
		o.Config, o.Depths, o.Order = quick(), oneProfile(0), rules.DefaultOrderConfig()
		o.Config.QueueKey, o.Order.Policies, o.Limits.HostURIsMax = rules.QueueByDomain, []rules.PolicyName{rules.PolicyHops}, 1
	})
	forced := hop("c.x.com", "/5", 5)
	forced.Force = true
	r.schedule(hop("b.x.com", "/7", 7), hop("a.x.com", "/3", 3), forced)
	r.schedule(hop("a.x.com", "/1", 1)) // /3 of its host gives way, not /7 of another
	r.schedule(hop("c.x.com", "/1", 1)) // refused
	got := r.drain(nil)
	slices.Sort(got)
	inOrder(t, "one of each host", got, "a.x.com/1", "b.x.com/7", "c.x.com/5")
}

// A queue whose budget is spent stays retired when a URI comes to it, and when limits that
// have nothing to do with it change.
func TestStaysRetired(t *testing.T) {
	for name, budget := range map[string]func(*rules.LimitsConfig){
		"host":   func(l *rules.LimitsConfig) { l.HostDocuments = 1 },
		"domain": func(l *rules.LimitsConfig) { l.DomainDocuments = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			fs, clk := fsx.NewMem(), clock.NewFake(began)
			o := options(fs, clk, quick(), oneProfile(0))
			o.Order = rules.DefaultOrderConfig()
			budget(&o.Limits)
			r := &rig{t: t, fs: fs, clk: clk}
			r.begin(o)
			r.schedule(cand("a.x.com", "/1", analyse), cand("a.x.com", "/2", analyse))
			inOrder(t, "within the budget", r.drain(nil), "a.x.com/1")
			r.schedule(cand("a.x.com", "/3", analyse))
			if u := r.ready(); u != nil || r.Queues().Retired != 1 {
				t.Errorf("a URI more: offered %v, %+v", u, r.Queues())
			}
			must(t, r.Close(t.Context()))
			o.Limits.SourceDocuments = 100
			r.begin(o)
			if u := r.ready(); u != nil || r.Queues().Retired != 1 {
				t.Errorf("another limit: offered %v, %+v", u, r.Queues())
			}
			sound(t, r.Frontier)
			must(t, r.Close(t.Context()))
		})
	}
}

// Limits of domains hold what was crawled before there were any.
func TestDomainsAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		limit   func(*rules.LimitsConfig)
		refused int64
		offered bool
	}{
		"documents spent": {func(l *rules.LimitsConfig) { l.DomainDocuments = 2 }, 0, false},
		"bytes spent":     {func(l *rules.LimitsConfig) { l.DomainBytes = 200 }, 0, false},
		"documents":       {func(l *rules.LimitsConfig) { l.DomainDocuments = 3 }, 0, true},
		"bytes":           {func(l *rules.LimitsConfig) { l.DomainBytes = 201 }, 0, true},
		"full":            {func(l *rules.LimitsConfig) { l.DomainURIs = 3 }, 1, true},
		"valid pages":     {func(l *rules.LimitsConfig) { l.DomainURIs, l.URIsPerValid = 2, 1 }, 0, true}, // 2 + 2
		"hosts":           {func(l *rules.LimitsConfig) { l.HostsPerDomain = 2 }, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			fs, clk := fsx.NewMem(), clock.NewFake(began)
			o := options(fs, clk, quick(), oneProfile(0))
			o.Order = rules.DefaultOrderConfig()
			r := &rig{t: t, fs: fs, clk: clk}
			r.begin(o)
			r.schedule(cand("a.x.com", "/1", analyse), cand("b.x.com", "/2", analyse), cand("b.x.com", "/3", analyse))
			for range 2 {
				u := r.answer(r.any(), crawl.ClassHTML, 1)
				u.Received = 100
				r.finish(u)
			}
			must(t, r.Close(t.Context()))
			c.limit(&o.Limits)
			r.begin(o)
			r.schedule(cand("c.x.com", "/4", analyse))
			if s := r.Stats(); s.Refused != c.refused {
				t.Errorf("%+v", s)
			}
			u := r.ready()
			if (u != nil) != c.offered {
				t.Errorf("offered %v", u)
			}
			if u != nil {
				u.Disposition = crawl.Resign
				r.finish(u)
			}
			must(t, r.Close(t.Context()))
		})
	}
}

// What is in process counts in a round.
func TestRoundCountsInProcess(t *testing.T) {
	r := ordered(t, func(o *rules.OrderConfig, _ *rules.LimitsConfig) { o.RoundURLs = 2 })
	r.schedule(cand("a.test", "/", analyse), cand("b.test", "/", analyse), cand("c.test", "/", analyse))
	us := r.lend()
	if len(us) != 2 {
		t.Errorf("%d URIs are offered in a round of two", len(us))
	}
	for _, u := range us {
		r.finish(r.answer(u, crawl.ClassHTML, 0))
	}
	u, err := r.Next(t.Context()) // begins the next round
	must(t, err)
	r.finish(r.answer(u, crawl.ClassHTML, 0))
}

// A page that is judged anew and no longer valid takes back the room that it made.
func TestNoLongerValid(t *testing.T) {
	r := ordered(t, func(_ *rules.OrderConfig, l *rules.LimitsConfig) { l.HostURIs, l.DomainURIs, l.URIsPerValid = 1, 1, 1 })
	r.schedule(cand("a.d.com", "/1", analyse))
	r.finish(r.answer(r.any(), crawl.ClassHTML, 1))
	again := cand("a.d.com", "/1", analyse)
	again.Force = true
	r.schedule(again)
	r.finish(r.answer(r.any(), crawl.ClassHTML, 0))
	r.schedule(cand("a.d.com", "/2", analyse), cand("b.d.com", "/", analyse))
	if s := r.Stats(); s.Discovered != 1 || s.Refused != 2 {
		t.Errorf("%+v", s)
	}
	q, err := r.Queue(t.Context(), "a.d.com")
	if must(t, err); q.Valid != 0 {
		t.Errorf("%d valid pages of the host", q.Valid)
	}
	sound(t, r.Frontier)
}

// What was found on a page that may yet give way says so by its URL: a host name that a page waits
// for, and a URI of a log whose page is known.
func TestFoundOnWhatGivesWay(t *testing.T) {
	r := ordered(t, func(o *rules.OrderConfig, l *rules.LimitsConfig) {
		o.Policies, l.HostURIs = []rules.PolicyName{rules.PolicyHops}, 3
	})
	known := func(key string) *schema.Record {
		rec, err := r.Lookup(key)
		must(t, err)
		return rec
	}
	r.schedule(hop("a.test", "/", 3))
	u := r.any()
	u.Disposition, u.Prereq = crawl.Defer, &crawl.Candidate{URL: "dns:a.test", Key: "dns:a.test", Host: "a.test", Via: u.URL, Hops: u.Hops + "P", Force: true}
	r.finish(u)
	logged := hop("a.test", "/logged", 1)
	logged.Via = u.URL
	r.schedule(logged, hop("a.test", "/1", 1)) // one is too many: / gives way
	if s := r.Stats(); s.Dropped != 1 || known("http://a.test/") != nil {
		t.Errorf("%+v", s)
	}
	for _, key := range []string{"dns:a.test", logged.Key} {
		if rec := known(key); rec == nil || rec.Via != u.URL {
			t.Errorf("%s: %+v, found on %s", key, rec, u.URL)
		}
	}
	sound(t, r.Frontier)
}

// A host of which nothing is valid gets few URIs that useless pages lead to, whatever it embeds; valid
// pages let more in, and what valid pages lead to is no guess (issue 17).
func TestGuesses(t *testing.T) {
	r := ordered(t, func(o *rules.OrderConfig, l *rules.LimitsConfig) { o.UselessPages, l.HostGuesses = 0, 2 })
	pages := map[string]*crawl.CrawlURI{}
	for _, host := range []string{"useless.test", "useless2.test", "useless3.test", "useless4.test", "useless5.test", "valid.test"} {
		s := cand(host, "/", analyse)
		s.Seed, s.Hops = true, ""
		r.schedule(s)
		pages[host] = r.next(s.URL)
	}
	finish := func(host string, valid uint8, links ...crawl.Candidate) {
		u := pages[host]
		r.answer(u, crawl.ClassHTML, valid, links...)
		if valid == 0 {
			for i := range u.Links {
				if u.Links[i].Kind == crawl.LinkNav {
					u.Links[i].Claim = analyse
				}
			}
		}
		r.finish(u)
	}
	at := func(path string, hops int) crawl.Candidate { return hop("h.test", path, hops) }
	image := cand("h.test", "/i.png", crawl.Claim{Bin: true})
	image.Kind, image.Hops = crawl.LinkEmbed, "E"
	guesses := func(want uint64) {
		t.Helper()
		row, err := r.readRow(r.hash("h.test"))
		if must(t, err); row.Guessed != want {
			t.Errorf("%d guesses, want %d", row.Guessed, want)
		}
	}
	finish("useless.test", 0, at("/1", 5), at("/2", 3), image)
	guesses(2)
	finish("useless2.test", 0, at("/3", 4)) // better than /1, which gives way
	finish("useless3.test", 0, at("/4", 9)) // refused
	if s := r.Stats(); s.Dropped != 1 || s.Refused != 1 {
		t.Errorf("%+v", s)
	}
	finish("valid.test", 1, at("/2", 1), at("/5", 1)) // /2 is no guess any more
	guesses(1)
	finish("useless4.test", 0, at("/6", 4), at("/7", 9))
	guesses(2)
	got := r.drain(func(u *crawl.CrawlURI) { r.answer(u, crawl.ClassHTML, 1) })
	slices.Sort(got)
	inOrder(t, "those that were let in", got, "h.test/2", "h.test/3", "h.test/5", "h.test/6")
	finish("useless5.test", 0, at("/8", 2), at("/9", 2)) // four of five are valid: one more
	guesses(3)
	r.drain(nil)
}

// A job that follows all links follows those of useless pages, too: older files of jobs say so
// and have no line host_guesses (issue 17).
func TestAllLinksAreNoGuesses(t *testing.T) {
	r := ordered(t, func(o *rules.OrderConfig, l *rules.LimitsConfig) { o.FollowUseless, l.HostGuesses = true, 2 })
	s := cand("useless.test", "/", analyse)
	s.Seed, s.Hops = true, ""
	r.schedule(s)
	u := r.next(s.URL)
	r.answer(u, crawl.ClassHTML, 0, hop("h.test", "/1", 2), hop("h.test", "/2", 2), hop("h.test", "/3", 2))
	for i := range u.Links {
		u.Links[i].Claim = analyse
	}
	r.finish(u)
	if n := r.Stats().Refused; n != 0 {
		t.Errorf("%d of 3 links were refused", n)
	}
	r.drain(nil)
}

// What is counted as a guess, and is none any more, is taken off once; what a seed links to is none.
func TestGuessesAreCountedOnce(t *testing.T) {
	r := ordered(t, func(o *rules.OrderConfig, l *rules.LimitsConfig) { o.UselessPages, l.HostGuesses = 0, 3 })
	seed := func(host string) *crawl.CrawlURI {
		s := cand(host, "/", analyse)
		s.Seed, s.Hops = true, ""
		r.schedule(s)
		return r.next(s.URL)
	}
	foreign, other, valid := seed("useless.test"), seed("useless2.test"), seed("valid.test")
	guesses := func(want uint64) {
		t.Helper()
		row, err := r.readRow(r.hash("h.test"))
		if must(t, err); row.Guessed != want {
			t.Errorf("%d guesses, want %d", row.Guessed, want)
		}
	}
	embed := cand("h.test", "/i.png", crawl.Claim{})
	embed.Kind, embed.Hops = crawl.LinkEmbed, "LLE"
	linked := hop("h.test", "/i.png", 3)
	finish := func(u *crawl.CrawlURI, is uint8, links ...crawl.Candidate) {
		r.answer(u, crawl.ClassHTML, is, links...)
		for i := range u.Links {
			u.Links[i].Claim = links[i].Claim
		}
		r.finish(u)
	}
	finish(foreign, 0, embed, hop("h.test", "/near", 1))
	guesses(0)
	linked.Claim = analyse
	finish(other, 0, linked) // what nobody needed is asked for now
	guesses(1)
	finish(valid, 1, linked)
	guesses(0)
}

// The nation's blogs on a hoster of all nations are found by links of the nation's pages, after others' have
// filled the cap (issue 17).
func TestHostsPerDomainOfValidPages(t *testing.T) {
	r := ordered(t, func(_ *rules.OrderConfig, l *rules.LimitsConfig) { l.HostsPerDomain, l.HostsPerValid = 2, 1 })
	r.schedule(cand("a.blogs.com", "/", analyse), cand("b.blogs.com", "/", analyse))
	r.drain(func(u *crawl.CrawlURI) { r.answer(u, crawl.ClassHTML, 0) })
	s := cand("national.test", "/", analyse)
	s.Seed, s.Hops = true, ""
	r.schedule(s)
	u := r.next(s.URL)
	var links []crawl.Candidate
	for i := range 25 {
		links = append(links, hop(fmt.Sprintf("cz%d.blogs.com", i), "/", 1))
	}
	r.answer(u, crawl.ClassHTML, 1, links...)
	r.finish(u)
	if n := r.Stats().Refused; n != 7 { // ten times the cap: a farm in the nation's language has no end either
		t.Errorf("%d of 25 were refused, want 7", n)
	}
	r.schedule(cand("c.blogs.com", "/", analyse))
	if n := r.Stats().Refused; n != 8 {
		t.Errorf("%d refused; a link of another page must be, want 8", n)
	}
	r.drain(nil)
}

// Hosts of a domain are let in as it has valid pages: a hoster has thousands, a link farm none.
func TestHostsPerDomainRise(t *testing.T) {
	r := ordered(t, func(_ *rules.OrderConfig, l *rules.LimitsConfig) {
		l.HostsPerDomain, l.HostsPerValid, l.HostsPerDomainMax = 2, 1, 4
	})
	r.schedule(cand("a.farm.com", "/", analyse), cand("b.farm.com", "/", analyse), cand("c.farm.com", "/", analyse))
	r.drain(func(u *crawl.CrawlURI) { r.answer(u, crawl.ClassHTML, 0) })
	r.schedule(cand("d.farm.com", "/", analyse))
	if s := r.Stats(); s.Refused != 2 {
		t.Errorf("nothing is valid, and %d of 2 hosts are refused", s.Refused)
	}
	r.schedule(cand("a.host.com", "/", analyse), cand("b.host.com", "/", analyse))
	r.drain(func(u *crawl.CrawlURI) { r.answer(u, crawl.ClassHTML, 1) })
	for _, h := range []string{"c", "d", "e"} {
		r.schedule(cand(h+".host.com", "/", analyse))
	}
	if s := r.Stats(); s.Refused != 3 {
		t.Errorf("two pages are valid, at most 4 hosts: %d refused, want 1 more", s.Refused)
	}
	// Blogs of a hoster that the public suffix list knows are domains of their own.
	for i := range 5 {
		r.schedule(cand("blog"+string(rune('a'+i))+".blogspot.com", "/", analyse), cand("u"+string(rune('a'+i))+".github.io", "/", analyse))
	}
	if s := r.Stats(); s.Refused != 3 {
		t.Errorf("blogs: %d refused", s.Refused-3)
	}
	r.drain(nil)
}

// What is counted of a domain is read from the store once, and written only when it changed.
func TestDomainRowsAreKept(t *testing.T) {
	r := ordered(t, func(_ *rules.OrderConfig, l *rules.LimitsConfig) { l.HostsPerDomain = 2 })
	for i := range 3 {
		r.schedule(cand(fmt.Sprintf("h%d.a.test", i), "/", analyse))
	}
	if s := r.Stats(); s.Refused != 1 {
		t.Errorf("%d refused, not that of the third host", s.Refused)
	}
	row, err := r.db.Get(schema.DomainKey("a.test"))
	must(t, err)
	if kept, _ := r.domainRows.Get("a.test"); row == nil || !bytes.Equal(kept, row) {
		t.Errorf("kept: %x, in the store: %x", kept, row)
	}
	tx := r.Frontier.begin()
	defer func() { must(t, tx.rd.close()) }()
	for _, host := range []string{"h0.a.test", "h1.a.test", "h9.a.test"} {
		if d, err := tx.Domain(host); err != nil || d.Hosts != 2 || d.Known != 2 {
			t.Errorf("%s: %+v, %v", host, d, err)
		}
	}
	if tx.rd.it != nil {
		t.Error("the store was asked for a row that the last commit wrote")
	}
	tx.Flush()
	for _, c := range tx.batch.Table(schema.Domains) {
		t.Errorf("row %q is written, though nothing changed", c.Key)
	}
}
