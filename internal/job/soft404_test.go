package job_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/config"
	"exclave/crawl"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/robots"
	"exclave/internal/testweb"
)

// polite404 has a host that gives every address that is none a page with its start page's links, and one that is honest.
type polite404 struct{ testweb.Tiny }

// Host implements [testweb.Web].
func (p polite404) Host(name string) http.Handler {
	h := p.Tiny.Host(name)
	if name != "soft.test" || h == nil {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, is := p.Tiny["http://soft.test"+r.URL.Path]; is || r.URL.Path == "/robots.txt" {
			h.ServeHTTP(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, ".png") {
			testweb.Image(1).ServeHTTP(w, r)
			return
		}
		page := testweb.National("/behind" + r.URL.Path)
		page.Body = strings.Replace(page.Body, "<body>", "<body><p>Stránka "+r.URL.Path+" neexistuje.</p><p>Požadavek x"+rand.Text()+"7 v "+time.Now().Format(time.RFC3339Nano)+".</p><img src=/lost.png>", 1)
		page.ServeHTTP(w, r)
	})
}

// What equals the answer to a random address is marked, its links are held back, and nothing else is touched.
func TestSoft404(t *testing.T) {
	t.Parallel()
	web := polite404{testweb.Tiny{"http://soft.test/": testweb.NationalPage(1, "/gone", "/real", "http://hard.test/"), "http://soft.test/real": testweb.NationalPage(2, "/far"),
		"http://soft.test/far": testweb.NationalPage(3), "http://hard.test/": testweb.NationalPage(4, "/x"), "http://hard.test/x": testweb.NationalPage(5)}}
	for mode, behind := range map[string]int{"off": 1, "mark": 1, "hold": 0} {
		j := newJob(t, web, func(c *config.Config) { c.HTTP.Soft404, c.Analysis.Depth, c.Crawl.ToeThreads = mode, 3, 1 })
		h := j.run(job.Options{}, "http://soft.test/", "http://soft.test/seed")
		if h.hits["http://soft.test/behind/seed"] != 1 {
			t.Errorf("%s: the links of a seed are not followed", mode)
		}
		probed := 0
		for url := range h.hits {
			if u := strings.TrimPrefix(url, "http://soft.test/"); len(u) == 16 && !strings.Contains(u, "/") {
				probed++
			}
		}
		if want := 1; mode == "off" && probed != 0 || mode != "off" && probed != want {
			t.Errorf("%s: probed %d times", mode, probed)
		}
		if h.hits["http://soft.test/lost.png"] != 1 || h.hits["http://soft.test/behind/gone"] != behind || h.hits["http://soft.test/far"] != 1 || h.hits["http://hard.test/x"] != 1 {
			t.Errorf("%s: asked for %v", mode, h.hits)
		}
		var marked []string
		for _, line := range j.log(crawl.LogCrawl) {
			if strings.Contains(line, "soft404") {
				marked = append(marked, strings.Fields(line)[3])
			}
		}
		if mode == "off" && len(marked) > 0 || mode == "hold" && (len(marked) < 2 || !slices.Contains(marked, "http://soft.test/gone")) || mode == "mark" && len(marked) < 2 {
			t.Errorf("%s: marked %q", mode, marked)
		}
		must(t, question.Look(t.Context(), folder.Of(j.cfg, folder.Env{}), func(q question.Questions) error {
			w, err := q.Why(t.Context(), "http://soft.test/gone")
			must(t, err)
			if text := strings.Join(w.Sentences, "\n"); strings.Contains(text, "It is what its server answers to addresses that do not exist") != (mode != "off") || !strings.Contains(text, "1 hop from a seed (L)") {
				t.Errorf("%s: %s", mode, text)
			}
			return nil
		}))
		if !h.outcomes["http://soft.test/gone"].Archived {
			t.Errorf("%s: it is not archived", mode)
		}
	}
}

// A probe obeys robots.txt as the page does, by the policy of a sheet where there is one.
func TestSoft404ProbeObeysSheets(t *testing.T) {
	t.Parallel()
	web := polite404{testweb.Tiny{"http://soft.test/real": testweb.NationalPage(2), "http://soft.test/robots.txt": testweb.Text("User-agent: *\nDisallow: /\nAllow: /real\n")}}
	for bySheet, policy := range map[robots.Policy]robots.Policy{robots.Obey: robots.Ignore, robots.Ignore: robots.Obey} {
		j := newJob(t, web, func(c *config.Config) { c.HTTP.Soft404, c.Robots.Policy = "mark", policy })
		sheetFile(t, j.cfg, fmt.Sprintf("[[sheet]]\nname = \"own\"\nhosts = [\"soft.test\"]\nrobots.policy = \"%s\"\n", bySheet))
		h := j.run(job.Options{}, "http://soft.test/real")
		if n := len(h.hits); h.hits["http://soft.test/real"] != 1 || bySheet == robots.Obey && n != 2 || bySheet == robots.Ignore && n != 3 {
			t.Errorf("%s by sheet: asked for %v", bySheet, h.hits)
		}
	}
}
