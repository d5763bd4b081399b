package job_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"exclave/chain/write"
	"exclave/config"
	"exclave/internal/clock"
	"exclave/internal/job"
	"exclave/internal/testweb"
	"exclave/warc"
)

// TestCase30 crawls a page, and asks for it again with conditions.
func TestCase30(t *testing.T) {
	t.Parallel()
	page := national(append(manyLinks(), "/p")...).With("ETag", `"1"`)
	web := conditional{tiny(pages{"/v": page, "/p": foreign("/q"), "/q": foreign(), "/w": testweb.NationalPage(1, "/v"),
		"/odd": testweb.Page{Status: 304}.With("ETag", `"9"`)})}
	j := newJob(t, web, func(c *config.Config) { c.Analysis.Depth = 1 })
	first := j.run(job.Options{}, site+"/v", site+"/odd")
	// A 304 that nobody asked for is an answer without a page: final.
	if o := first.outcomes[site+"/odd"]; o.Status != 304 || o.Archived || first.hits[site+"/odd"] != 1 {
		t.Errorf("unasked 304: %+v after %d requests", o, first.hits[site+"/odd"])
	}
	before := first.outcomes[site+"/v"]
	for run := range 2 {
		// 304: a revisit record; verdict and links of the earlier record stay.
		h := j.run(job.Options{Recrawl: true})
		if o := h.outcomes[site+"/v"]; o != before {
			t.Errorf("after a 304 the outcome is %+v, was %+v", o, before)
		}
		revisits := h.of(warc.TypeRevisit, site+"/v")
		if len(revisits) != run+1 || len(h.of(warc.TypeResponse, site+"/v")) != 1 {
			t.Fatalf("recrawl %d: %d revisit and %d response records", run+1, len(revisits), len(h.of(warc.TypeResponse, site+"/v")))
		}
		original := h.of(warc.TypeResponse, site+"/v")[0].header.Get("WARC-Record-ID")
		if to := revisits[run].header.Get("WARC-Refers-To"); to != original {
			t.Errorf("revisit refers to %s, the page is in %s", to, original)
		}
		// What it links to is archived, and asked for again for its own sake: once a recrawl.
		if n := h.hits[site+"/p"]; n != run+2 {
			t.Errorf("recrawl %d: the linked page was asked for %d times", run+1, n)
		}
	}
}

// manyLinks are more than the state keeps of a page: they are read back from its
// metadata record.
func manyLinks() []string {
	var links []string
	for i := range 200 {
		links = append(links, `<a href="/many/`+strconv.Itoa(i)+`"></a>`)
	}
	return links
}

// TestCase22ManyLinks: an archived page with very many links gets a greater depth,
// and its links and frames theirs, without a second request for it.
func TestCase22ManyLinks(t *testing.T) {
	t.Parallel()
	j := newJob(t, tiny(pages{"/v": national("/1"), "/1": foreign("/p"), "/p": foreign(append(manyLinks(), "/q", testweb.IFrame("/f"))...),
		"/q": foreign("/r"), "/r": foreign(), "/f": foreign("/g"), "/g": foreign("/h"), "/h": foreign(), "/w": testweb.NationalPage(1, "/p")}),
		func(c *config.Config) { c.Analysis.Depth = 2 })
	h := j.run(job.Options{}, site+"/v")
	if h.outcomes[site+"/q"].Archived || h.outcomes[site+"/g"].Archived {
		t.Fatal("archived before its time")
	}
	h = j.run(job.Options{}, site+"/w")
	for path, want := range map[string]bool{"/p": true, "/q": true, "/f": true, "/g": true, "/r": false, "/h": false} {
		if o := h.outcomes[site+path]; o.Archived != want {
			t.Errorf("%s: %+v, want archived %v", path, o, want)
		}
	}
	for _, path := range []string{"/p", "/f", "/many/7"} {
		if n := h.hits[site+path]; n != 1 {
			t.Errorf("%s was asked for %d times", path, n)
		}
	}
}

// conditional answers 304 when the request has the page's ETag.
type conditional struct{ testweb.Tiny }

// Host implements [testweb.Web].
func (c conditional) Host(name string) http.Handler {
	if c.Tiny.Host(name) == nil {
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := c.Tiny[testweb.URL(r)]
		if tag := p.Header.Get("ETag"); tag != "" && r.Header.Get("If-None-Match") == tag {
			p = testweb.Page{Status: http.StatusNotModified}
		} else if p.Body == "" && p.Status == 0 {
			p = testweb.NotFound()
		}
		p.ServeHTTP(w, r)
	})
}

// TestCase31: the DNS answer and robots.txt of a host from which only an image is
// wanted lie ahead of its first record, and a newer DNS answer ahead of the next.
func TestCase31(t *testing.T) {
	t.Parallel()
	cdn := "http://cdn.net"
	j := newJob(t, tiny(pages{"/v": national(testweb.Img(cdn + "/1.png")), cdn + "/1.png": img(1), cdn + "/2.png": img(2),
		"/w": testweb.NationalPage(1, testweb.Img(cdn+"/2.png"))}), func(c *config.Config) { c.Analysis.Depth = 0 })
	order := func(h *harvest) string {
		var s []string
		for _, r := range h.records {
			if r.kind == warc.TypeResponse && strings.Contains(r.uri, "cdn.net") {
				s = append(s, strings.TrimPrefix(r.uri, cdn))
			}
		}
		return strings.Join(s, " ")
	}
	if got := order(j.run(job.Options{}, site+"/v")); got != "dns:cdn.net /robots.txt /1.png" {
		t.Errorf("first run: %s", got)
	}
	h := j.run(job.Options{Clock: later{clock.System(), 7 * time.Hour}}, site+"/w")
	if got := order(h); got != "dns:cdn.net /robots.txt /1.png dns:cdn.net /2.png" {
		t.Errorf("seven hours later: %s", got)
	}
}

// TestCase32: two profiles with depths of their own in one crawl: L per profile.
func TestCase32(t *testing.T) {
	t.Parallel()
	slovak := testweb.Text("").With("Content-Type", "text/html; charset=utf-8")
	slovak.Body = `<!DOCTYPE html><html lang="sk"><head><title>Stránka</title></head><body>
<p>Všetky príspevky čitateľov zverejňujeme bezodkladne. Ďakujeme za váš záujem, tešíme sa nabudúce. Napíšte nám,
ak ste sa rozhodli zúčastniť podujatia, ktoré pripravujeme každý štvrtok. Spoločnosť vznikla pred desiatimi rokmi a odvtedy
poskytuje služby pre všetkých, ktorí ich potrebujú. Môžete nás navštíviť v Košiciach alebo zavolať na +421 905 123 456,
prípadne napísať na info@spolocnost.sk.</p><a href="/s1">1</a><a href="/x1">x</a></body></html>`
	j := newJob(t, tiny(pages{"/c": national("/c1", "/x1"), "/c1": foreign("/c2"), "/c2": foreign("/c3"), "/c3": foreign(),
		"/s": slovak, "/s1": foreign("/s2"), "/s2": foreign(), "/x1": foreign("/x2"), "/x2": foreign("/x3"), "/x3": foreign()}),
		func(c *config.Config) {
			c.Analysis.Profiles = []string{writeProfile(c.Dir, "cz", "depth = 1", "depth = 2"), "sk"}
		})
	h := j.run(job.Options{}, site+"/c", site+"/s")
	if c, s := h.outcomes[site+"/c"].ValidFor, h.outcomes[site+"/s"].ValidFor; c != 1 || s != 2 {
		t.Errorf("valid for %b and %b, want 1 and 10", c, s)
	}
	if got, want := h.archived(), list("/c /c1 /c2 /x1 /x2 /s /s1"); !slices.Equal(got, want) {
		t.Errorf("archived %v\nwant     %v", got, want)
	}
}

// TestJudgedFromTheArchive: analysis happens whenever A is in the joined claims,
// also when L archived the page first, from the archived bytes.
func TestJudgedFromTheArchive(t *testing.T) {
	t.Parallel()
	j := newJob(t, tiny(pages{"/v": national("/p", "/g"), "/p": testweb.NationalPage(1, "/q").Encoded("gzip"), "/q": foreign("/r"), "/r": foreign(),
		"/g": foreign("/h"), "/h": foreign(), "/f": testweb.ForeignPage(1, "/p", "/g")}),
		func(c *config.Config) { thesis(c); c.Analysis.Depth = 1 })
	h := j.run(job.Options{}, site+"/v")
	if o := h.outcomes[site+"/p"]; o.Judged || !o.Archived || h.outcomes[site+"/q"].Archived {
		t.Fatalf("archived by L alone: %+v, its link: %+v", o, h.outcomes[site+"/q"])
	}
	h = j.run(job.Options{}, site+"/f")
	if got, want := h.archived(), list("/v /p /g /q"); !slices.Equal(got, want) {
		t.Errorf("archived %v\nwant     %v", got, want)
	}
	if got, want := h.valid(), list("/v /p"); !slices.Equal(got, want) {
		t.Errorf("valid %v\nwant  %v", got, want)
	}
	for _, p := range []string{"/p", "/g"} {
		if n := h.hits[site+p]; n != 1 {
			t.Errorf("%s was asked for %d times", p, n)
		}
		if !h.outcomes[site+p].Judged {
			t.Errorf("%s was not judged", p)
		}
		var verdict *warcRecord
		for _, r := range h.of(warc.TypeMetadata, write.VerdictURI+site+p) {
			if r.header.Get("Content-Type") == warc.ContentJSON {
				verdict = &r
			}
		}
		if verdict == nil {
			t.Errorf("%s has no verdict in the archive", p)
			continue
		}
		if to, id := verdict.header.Get("WARC-Concurrent-To"), h.of(warc.TypeResponse, site+p)[0].header.Get("WARC-Record-ID"); to != id {
			t.Errorf("the verdict on %s belongs to %s, the page is %s", p, to, id)
		}
	}
}
