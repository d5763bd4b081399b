package rules

import (
	"testing"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/internal/mime"
)

// What links get from the page they are found on.
func TestOrigin(t *testing.T) {
	c := DefaultOrderConfig()
	c.Policies, c.UselessPages, c.FollowedHops = []PolicyName{PolicyScore, PolicyRelevance}, 2, 0
	o := NewOrder(c, LimitsConfig{})
	page := func(status crawl.Status, class crawl.TypeClass, typ string) *crawl.CrawlURI {
		return &crawl.CrawlURI{Mode: crawl.ModeFetch, Status: status, Class: class, MIME: mime.Info{Type: typ}}
	}
	if w := o.LinkOrigin(&schema.Record{}, page(200, crawl.ClassOther, "text/xml")); !w.inWanted {
		t.Error("a document of a wanted type is none")
	}
	if w := o.LinkOrigin(&schema.Record{}, page(404, crawl.ClassOther, "text/xml")); w.inWanted {
		t.Error("an error is a document")
	}
	if w := o.LinkOrigin(&schema.Record{Found: schema.FoundUseless}, page(301, crawl.ClassRedirect, "")); w.found != schema.FoundUseless {
		t.Errorf("through a redirect: %v", w.found)
	}
	judged := page(200, crawl.ClassHTML, "text/html")
	judged.Judged = &crawl.Judgement{}
	for _, s := range []struct{ was, is schema.Found }{{schema.FoundValid, schema.FoundUseless}, {schema.FoundUseless, schema.FoundUseless2}, {schema.FoundUseless2, schema.FoundUseless2 + 1}} {
		if w := o.LinkOrigin(&schema.Record{Found: s.was}, judged); w.found != s.is {
			t.Errorf("a useless page found on one that was %v: %v, want %v", s.was, w.found, s.is)
		}
	}
	useless := LinkOrigin{found: schema.FoundUseless2}
	if nav := (crawl.Candidate{URL: "http://a.test/", Key: "http://a.test/", Host: "a.test", Kind: crawl.LinkNav, Hops: "L", Claim: crawl.Claim{Analyse: true}}); o.follow(useless, "http://a.test/x", &nav) {
		t.Error("a link of the second useless page in a row is followed")
	}
	if embed := (crawl.Candidate{URL: "http://a.test/", Key: "http://a.test/", Host: "a.test", Kind: crawl.LinkNav, Hops: "L", Claim: crawl.Claim{Bin: true}}); !o.follow(useless, "http://a.test/x", &embed) {
		t.Error("what an archived page needs is not followed")
	}
	for _, s := range []struct {
		r    schema.Record
		want int
	}{
		{schema.Record{Found: schema.FoundValid}, 0}, {schema.Record{Found: schema.FoundValid, Claim: crawl.Claim{Bin: true}}, 1},
		{schema.Record{Found: schema.FoundUseless, Claim: crawl.Claim{Keep: true}}, 1}, {schema.Record{Found: schema.FoundNear}, 2}, {schema.Record{}, 3},
	} {
		if got := (byRelevance{}).rank(&s.r); got != s.want {
			t.Errorf("%v %+v: rank %d, want %d", s.r.Found, s.r.Claim, got, s.want)
		}
	}
}
