package frontier

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
)

// clickPage is a page of a web whose pages are far from each other.
type clickPage struct {
	valid    uint8
	class    crawl.TypeClass
	status   crawl.Status
	links    []int
	requests int
}

// clickWeb is a web of chains from one seed, page 0, with shortcuts between them; most pages are
// useless.
func clickWeb(r *rand.Rand) []*clickPage {
	pages := []*clickPage{{class: crawl.ClassHTML, status: 200}}
	add := func(from int) int {
		p := &clickPage{class: crawl.ClassHTML, status: 200}
		switch r.IntN(12) {
		case 0, 1:
			p.valid = 1
		case 2:
			p.class, p.status = crawl.ClassRedirect, 301
		case 3:
			p.status = 404
		}
		pages = append(pages, p)
		pages[from].links = append(pages[from].links, len(pages)-1)
		return len(pages) - 1
	}
	for range 2 + r.IntN(4) {
		at := r.IntN(len(pages))
		if pages[at].class == crawl.ClassRedirect {
			at = 0
		}
		for range 4 + r.IntN(8) {
			at = add(at)
		}
	}
	for range len(pages) / 2 {
		from, to := r.IntN(len(pages)), 1+r.IntN(len(pages)-1)
		if pages[from].class != crawl.ClassRedirect && from != to {
			pages[from].links = append(pages[from].links, to)
		}
	}
	return pages
}

// clicksFrom returns the least number of clicks to each page; a redirect is none.
func clicksFrom(pages []*clickPage) map[int]int {
	at := map[int]int{0: 0}
	for changed := true; changed; {
		changed = false
		for _, i := range slices.Sorted(maps.Keys(at)) {
			for _, to := range pages[i].links {
				n := at[i] + 1
				if pages[i].class == crawl.ClassRedirect {
					n = at[i]
				}
				if was, ok := at[to]; !ok || n < was {
					at[to], changed = n, true
				}
			}
		}
	}
	return at
}

func (p *clickPage) answer(r *rig, u *crawl.CrawlURI) {
	p.requests++
	var links []crawl.Candidate
	for _, to := range p.links {
		c := cand(clickHost(to), path(to), analyse)
		c.Hops = u.Hops + "L"
		if p.class == crawl.ClassRedirect {
			c.Kind, c.Hops = crawl.LinkRedirect, u.Hops+"R"
		}
		links = append(links, c)
	}
	if u.Mode == crawl.ModeJudge {
		p.requests--
	}
	r.answer(u, p.class, p.valid, links...)
	if u.Status = p.status; p.status == 404 {
		u.Judgeable, u.Judged = false, nil
	}
}

// clickHost puts pages on several hosts, so that several are in process at a time.
func clickHost(page int) string { return fmt.Sprintf("h%d.test", page%7) }

// What is less than followed_hops clicks away from a seed is found, in whatever order pages are
// answered, and each page asked for again only when it came nearer (ADR 38).
func TestNearIsFoundInAnyOrder(t *testing.T) {
	for seed := range uint64(60) { // among which are webs that need it: one in fifty does
		for order := range uint64(4) {
			clickCrawl(t, 2900+seed, order)
		}
	}
}

func clickCrawl(t *testing.T, seed, order uint64) {
	pages := clickWeb(rand.New(rand.NewPCG(seed, 39)))
	rnd := rand.New(rand.NewPCG(seed, order))
	hops := 3 + int(seed%3)
	r := ordered(t, func(o *rules.OrderConfig, _ *rules.LimitsConfig) {
		o.Policies = [][]rules.PolicyName{o.Policies, {rules.PolicyDepthFirst}, {rules.PolicyHops}, nil}[order]
		o.UselessPages, o.FollowedHops = 1+rnd.IntN(4), hops
	})
	c := cand(clickHost(0), path(0), analyse)
	c.Seed, c.Hops = true, ""
	r.schedule(c)
	var busy []*crawl.CrawlURI
	for {
		for rnd.IntN(3) > 0 {
			u := r.any()
			if u == nil {
				break
			}
			busy = append(busy, u)
		}
		if len(busy) == 0 {
			u := r.any()
			if u == nil {
				break
			}
			busy = append(busy, u)
		}
		i := rnd.IntN(len(busy))
		u := busy[i]
		busy = slices.Delete(busy, i, i+1)
		var n int
		if _, err := fmt.Sscanf(u.URL[strings.LastIndexByte(u.URL, '/'):], "/%d", &n); err != nil {
			t.Fatal(err)
		}
		pages[n].answer(r, u)
		r.finish(u)
	}
	for i, n := range clicksFrom(pages) {
		rec, err := r.Lookup("http://" + clickHost(i) + path(i))
		must(t, err)
		switch {
		case n > hops-1:
		case rec == nil || rec.State != schema.Done:
			t.Errorf("web %d, order %d: page %d, %d clicks away, was not asked for: %+v", seed, order, i, n, rec)
		}
		if pages[i].requests > 1+hops {
			t.Errorf("web %d, order %d: page %d was asked for %d times", seed, order, i, pages[i].requests)
		}
	}
}

// A URI that waits takes the fewest hops it is found over, a finished one whose links were left out is
// asked for again and finds them, over a redirect too; one that left out nothing and is not so
// near is not asked for again.
func TestNearer(t *testing.T) {
	r := ordered(t, func(o *rules.OrderConfig, _ *rules.LimitsConfig) { o.UselessPages, o.FollowedHops = 1, 3 })
	at := func(p, hops string) crawl.Candidate {
		c := cand("a.test", p, analyse)
		c.Hops = hops
		return c
	}
	redirect := at("/left", "LLLLR")
	redirect.Kind = crawl.LinkRedirect
	r.schedule(at("/moved", "LLLL"), at("/leaf", "LLLL"), at("/waits", "LLLLL"))
	page := func(u *crawl.CrawlURI) {
		switch u.URL {
		case "http://a.test/moved":
			redirect.Hops = u.Hops + "R"
			r.answer(u, crawl.ClassRedirect, 0, redirect)
		case "http://a.test/left":
			r.answer(u, crawl.ClassHTML, 0, at("/found", u.Hops+"L"))
		default:
			r.answer(u, crawl.ClassHTML, 0)
		}
	}
	inOrder(t, "far", r.drain(page), "a.test/moved", "a.test/leaf", "a.test/left", "a.test/waits")
	r.schedule(at("/leaf", "L"), at("/moved", "LL"), at("/new", "LLLL"), at("/new", "LL"))
	r.settle()
	if rec, err := r.Lookup("http://a.test/new"); err != nil || rec.Hops != "LL" {
		t.Errorf("what waits is %+v, %v", rec, err)
	}
	got := r.drain(page)
	slices.Sort(got)
	inOrder(t, "nearer", got, "a.test/found", "a.test/left", "a.test/new")
	rec, err := r.Lookup("http://a.test/found")
	if must(t, err); rec == nil || rec.Hops != "LLRL" {
		t.Errorf("what was left out is %+v", rec)
	}
	r.schedule(at("/moved", "LL"), at("/left", "LLL"))
	inOrder(t, "no nearer", r.drain(page))
}
