package standard

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"exclave/crawl"
	"exclave/internal/testweb"
	"exclave/internal/urlx"
)

// The URL of an archived page is parsed once on its whole way through the chains, and so
// is each of its outlinks (issue 18; before, it was eight times and three). Every parse
// makes one urlx.URL, so the allocations of those are counted, and who made them is told.
func TestParsedOnce(t *testing.T) {
	const few, many = 10, 40
	web := testweb.Tiny{"http://firma.com/first": testweb.National(), "http://firma.com/robots.txt": testweb.Text("User-agent: *\nDisallow: /private\n")}
	for _, n := range []int{few, many} {
		links := make([]string, n)
		for i := range links {
			links[i] = fmt.Sprintf("http://firma%d.com/?sid=0123456789ab%d", i, i) // what has a session id is compared with its page
		}
		web[fmt.Sprintf("http://firma.com/%d", n)] = testweb.National(links...)
	}
	j := open(t, web)
	j.run(uri(t, "http://firma.com/first", crawl.Claim{Analyse: true})) // DNS and robots.txt
	for key, d := range j.deferred {
		d.Written = true
		j.deferred[key] = d
	}
	count := func(n int) (total int, by map[string]int) {
		before := parses()
		u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: fmt.Sprintf("http://firma.com/%d", n), Host: "firma.com", Claim: crawl.Claim{Analyse: true}}, Attempt: 1}
		u.Key = u.URL
		j.run(u)
		if u.Span == nil || len(u.Outlinks) != n || len(u.Links) != n {
			t.Fatalf("archived at %v, %d outlinks, %d links", u.Span, len(u.Outlinks), len(u.Links))
		}
		by = parses()
		for who, k := range by {
			by[who] = k - before[who]
			total += by[who]
		}
		return total, by
	}
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1 // each allocation
	a, _ := count(few)
	b, by := count(many)
	perLink := float64(b-a) / (many - few)
	if own := float64(a) - perLink*few; own != 1 || perLink != 1 {
		t.Errorf("the page was parsed %v times, each outlink %v times:", own, perLink)
		for who, n := range by {
			t.Errorf("%4d %s", n, who)
		}
	}
	if u, err := urlx.Parse("http://a.test/"); err != nil || parses()[""] == 0 { // the counter counts
		t.Errorf("%v: %v", u, err)
	}
}

// parses returns how many URLs were parsed since the profile of memory began, by the function
// that asked for it within the chains, "" elsewhere.
func parses() map[string]int {
	runtime.GC() // allocations show after a collection
	runtime.GC()
	records := make([]runtime.MemProfileRecord, 1000)
	n, ok := runtime.MemProfile(records, true)
	for ; !ok; n, ok = runtime.MemProfile(records, true) {
		records = make([]runtime.MemProfileRecord, n+1000)
	}
	out := map[string]int{}
	for _, r := range records[:n] {
		var names []string
		for frames := runtime.CallersFrames(r.Stack()); ; {
			f, more := frames.Next()
			names = append(names, f.Function)
			if !more {
				break
			}
		}
		made := slices.Index(names, "exclave/internal/urlx.newURL")
		if made < 0 || strings.HasPrefix(names[made+1], "exclave/internal/urlx.(*URL).Without") {
			continue // not made by parsing
		}
		who := ""
		if slices.ContainsFunc(names, func(s string) bool { return strings.HasSuffix(s, ".(*Chains).Run") }) {
			who = names[slices.IndexFunc(names, func(s string) bool { return !strings.Contains(s, "/urlx.") && !strings.HasPrefix(s, "runtime.") })]
		}
		out[who] += int(r.AllocObjects)
	}
	return out
}
