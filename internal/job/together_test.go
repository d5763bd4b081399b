package job_test

import (
	"testing"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/testweb"
)

// What a page and its scripts ask for together is archived, also when a crawl was stopped between them, and nothing of it of a page that is not archived (ADR 114).
func TestScriptsWithPage(t *testing.T) {
	t.Parallel()
	script := testweb.Text(`document.querySelectorAll("p").forEach(function (p) { new Image().src = CONF.base + p.dataset.icon + ".png" })`).With("Content-Type", "text/javascript")
	page := testweb.NationalPage(1)
	page.Body += `<script>var CONF = {base: "/img/"}</script><p data-icon=car></p><script src="/load.js"></script>`
	foreign := testweb.Text(`<!doctype html><p data-icon=bus>Some words that are of no nation.</p><script>var CONF = {base: "/img/"}</script><script src="/load.js"></script>`).With("Content-Type", "text/html")
	inner := testweb.NationalPage(2)
	inner.Body += `<script src="/js/main.js"></script>`
	j := newJob(t, testweb.Tiny{"http://a.test/": page, "http://a.test/load.js": script, "http://a.test/img/car.png": testweb.Text("\x89PNG\r\n\x1a\n\x00\x00").With("Content-Type", "image/png"),
		"http://a.test/d/": inner, "http://a.test/js/main.js": testweb.Text(`add("/js/sub.js")`).With("Content-Type", "text/javascript"), "http://a.test/js/sub.js": testweb.Text(`new Image().src = "img/pin.png"`).With("Content-Type", "text/javascript"),
		"http://b.test/": foreign, "http://b.test/load.js": script}, func(c *config.Config) { c.Crawl.ToeThreads, c.Analysis.Depth = 1, 3 })
	h := j.run(job.Options{}, "http://a.test/", "http://a.test/d/", "http://b.test/")
	if o := h.outcomes["http://a.test/img/car.png"]; o.Status != 200 || !o.Archived {
		t.Errorf("%+v", o)
	}
	if h.hits["http://a.test/d/img/pin.png"] != 1 || h.hits["http://a.test/js/img/pin.png"] != 0 {
		t.Errorf("a script that a script led to is relative to the page: %v", h.hits)
	}
	if n := h.hits["http://b.test/img/bus.png"]; n != 0 {
		t.Errorf("%d requests for what a page leads to that is not archived", n)
	}
}
