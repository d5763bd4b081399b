package frontier

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"exclave/crawl"
	"exclave/frontier/rules"
)

// listPage answers as a page of a list without end, which leads to three others, and to an item up to the last.
func (r *rig) listPage(u *crawl.CrawlURI, items int) {
	i, err := strconv.Atoi(strings.TrimPrefix(u.URL, "http://a.test/list?page="))
	if err != nil {
		r.answer(u, crawl.ClassHTML, 1)
		return
	}
	var links []crawl.Candidate
	for _, d := range []int{-1, 0, 1} {
		links = append(links, cand("a.test", fmt.Sprintf("/list?page=%d", 3*i+d), crawl.Claim{}))
	}
	if i <= items {
		links = append(links, cand("a.test", "/item-"+strings.Repeat("i", i), crawl.Claim{}))
	}
	for j := range links {
		links[j].Hops = u.Hops + "L"
	}
	r.answer(u, crawl.ClassHTML, 1, links...)
}

// Issue 17: a trap of pages in the nation's language, whose links pass the caps that rise with
// valid pages, ends; a list that leads to something goes on to its end, however long.
func TestEmptyPages(t *testing.T) {
	for _, c := range []struct {
		why         string
		items, most int
		change      func(o *rules.OrderConfig)
	}{
		{"nothing but the list: three pages in a row", 0, 40, func(*rules.OrderConfig) {}},
		{"the list ends after 10 items, not before", 10, 330, func(*rules.OrderConfig) {}},
		{"with 0 it never ends", 0, 0, func(o *rules.OrderConfig) { o.EmptyPages = 0 }},
		{"nor when everything is followed", 0, 0, func(o *rules.OrderConfig) { o.FollowUseless = true }},
		{"within so many hops it goes on", 0, 0, func(o *rules.OrderConfig) { o.FollowedHops = 1000 }},
	} {
		t.Run(c.why, func(t *testing.T) {
			r := ordered(t, func(o *rules.OrderConfig, _ *rules.LimitsConfig) {
				o.EmptyPages, o.FollowedHops = 3, 0
				c.change(o)
			})
			seed := cand("a.test", "/list?page=1", analyse)
			seed.Seed, seed.Hops = true, ""
			r.schedule(seed)
			var got []string
			for len(got) < 400 {
				u := r.ready()
				if u == nil {
					break
				}
				got = append(got, u.URL)
				r.listPage(u, c.items)
				r.finish(u)
			}
			switch {
			case c.most == 0 && len(got) < 400:
				t.Errorf("it ended after %d pages", len(got))
			case c.most > 0 && len(got) > c.most:
				t.Errorf("it has not ended after %d pages", len(got))
			}
			for i := 1; i <= c.items; i++ {
				if !slices.Contains(got, "http://a.test/item-"+strings.Repeat("i", i)) {
					t.Errorf("item %d was not asked for", i)
				}
			}
			r.drain(func(u *crawl.CrawlURI) { r.answer(u, crawl.ClassHTML, 1) })
			r.over()
		})
	}
}

// A list of a calendar whose days the scope left out leads to one list more, and is empty all the same.
func TestEmptyCalendars(t *testing.T) {
	for _, days := range []int{0, 30} {
		r := ordered(t, func(o *rules.OrderConfig, _ *rules.LimitsConfig) { o.EmptyPages, o.FollowedHops = 3, 0 })
		seed := cand("a.test", "/list?page=1", analyse)
		seed.Seed, seed.Hops = true, ""
		r.schedule(seed)
		n := 0
		for u := r.ready(); u != nil && n < 100; u = r.ready() {
			n++
			i, err := strconv.Atoi(strings.TrimPrefix(u.URL, "http://a.test/list?page="))
			must(t, err)
			next := cand("a.test", fmt.Sprintf("/list?page=%d", i+1), crawl.Claim{})
			next.Hops, u.CalendarLinks = u.Hops+"L", days
			r.answer(u, crawl.ClassHTML, 1, next)
			r.finish(u)
		}
		if ends := n < 10; ends != (days > 0) {
			t.Errorf("with %d days left out of each list %d lists were asked for", days, n)
		}
		r.drain(nil)
	}
}

// A path of pages that each lead to one more only is bounded by hops: it must not be taken for a
// trap, for the pages of a thread may be linked in that way only.
func TestChainsAreFollowed(t *testing.T) {
	r := ordered(t, func(o *rules.OrderConfig, _ *rules.LimitsConfig) { o.FollowedHops = 0 })
	r.schedule(cand("a.test", "/clanek?id=1", analyse))
	got := r.drain(func(u *crawl.CrawlURI) {
		i, err := strconv.Atoi(strings.TrimPrefix(u.URL, "http://a.test/clanek?id="))
		if must(t, err); i == 50 {
			r.answer(u, crawl.ClassHTML, 1)
			return
		}
		var links []crawl.Candidate
		for _, j := range []int{1, i, i + 1} {
			links = append(links, cand("a.test", fmt.Sprintf("/clanek?id=%d", j), crawl.Claim{}))
		}
		r.answer(u, crawl.ClassHTML, 1, links...)
	})
	if len(got) != 50 {
		t.Errorf("%d of 50 pages", len(got))
	}
}

// Links of the fourth useless page in a row are not followed, but within some hops of a seed;
// error pages do not begin anew.
func TestUselessPages(t *testing.T) {
	for hops, want := range map[int]int{0: 5, 3: 5, 7: 8} {
		r := ordered(t, func(o *rules.OrderConfig, _ *rules.LimitsConfig) { o.UselessPages, o.FollowedHops = 4, hops })
		seed := cand("a.test", "/", analyse)
		seed.Seed, seed.Hops = true, ""
		r.schedule(seed)
		got := r.drain(func(u *crawl.CrawlURI) {
			l := cand("a.test", strings.TrimPrefix(u.URL, "http://a.test")+"x", analyse)
			l.Hops = u.Hops + "L"
			r.answer(u, crawl.ClassHTML, 0, l)
			if u.URL == "http://a.test/xx" {
				u.Status, u.Judged = 404, nil
			}
		})
		if len(got) != want {
			t.Errorf("within %d hops: %v", hops, got)
		}
	}
}
