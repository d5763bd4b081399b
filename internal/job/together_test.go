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

// A page that a script leads to is the page of its scripts, and what these read the answer of is archived with what is put together of it (ADR 115).
func TestAnswersWithPage(t *testing.T) {
	t.Parallel()
	js := func(s string) testweb.Page { return testweb.Text(s).With("Content-Type", "text/javascript") }
	png := testweb.Text("\x89PNG\r\n\x1a\n\x00\x00").With("Content-Type", "image/png")
	first, second := testweb.NationalPage(1), testweb.NationalPage(2)
	first.Body += `<script>var next = "/d/two.html"; location.href = next</script>`
	second.Body += `<script>var CONF = {base: "/img/"}</script><p data-icon=car></p><script src="/load.js"></script>`
	j := newJob(t, testweb.Tiny{"http://a.test/": first, "http://a.test/d/two.html": second, "http://a.test/img/car.png": png, "http://a.test/img/list/5.png": png,
		"http://a.test/load.js":       js(`document.querySelectorAll("p").forEach(function (p) { new Image().src = CONF.base + p.dataset.icon + ".png" }); fetch("/api/" + "list.json").then(r => r.json()).then(l => l.forEach(n => { new Image().src = CONF.base + "list/" + n + ".png" }))`),
		"http://a.test/api/list.json": testweb.Text(`[5]`).With("Content-Type", "application/json")}, func(c *config.Config) { c.Crawl.ToeThreads, c.Analysis.Depth = 1, 0 })
	h := j.run(job.Options{}, "http://a.test/")
	for _, u := range []string{"http://a.test/load.js", "http://a.test/api/list.json", "http://a.test/img/car.png", "http://a.test/img/list/5.png"} {
		if o := h.outcomes[u]; h.hits[u] != 1 || !o.Archived { // whatever depth is left: the page needs it
			t.Errorf("%s: %d requests: %+v", u, h.hits[u], o)
		}
	}
}

// What a worker loads is relative to the worker, and so is what that asks for.
func TestWorkers(t *testing.T) {
	t.Parallel()
	js := func(s string) testweb.Page { return testweb.Text(s).With("Content-Type", "text/javascript") }
	page := testweb.NationalPage(1)
	page.Body += `<script type="module" src="/js/main.js"></script>`
	data := testweb.Text("1;2").With("Content-Type", "text/csv")
	j := newJob(t, testweb.Tiny{"http://a.test/d/": page, "http://a.test/js/main.js": js(`const w = new Worker(new URL("./w/worker.js", import.meta.url), {type: "module"}); w.onmessage = e => { new Image().src = "i/" + e.data + ".png" }; w.postMessage({of: "told"})`),
		"http://a.test/js/w/worker.js": js(`import "./lib/dep.js"; fetch("own.csv"); onmessage = e => { fetch(e.data.of + ".json").then(r => r.json()).then(d => postMessage(d.says)) }`), "http://a.test/js/w/lib/dep.js": js(`fetch("dep.csv")`), "http://a.test/js/w/own.csv": data, "http://a.test/js/w/dep.csv": data,
		"http://a.test/js/w/told.json": testweb.Text(`{"says": "heard", "src": "pics/p.png"}`).With("Content-Type", "application/json"), "http://a.test/d/i/heard.png": data, "http://a.test/d/pics/p.png": data},
		func(c *config.Config) { c.Crawl.ToeThreads, c.Analysis.Depth = 1, 0 })
	h := j.run(job.Options{}, "http://a.test/d/")
	for _, u := range []string{"http://a.test/js/w/own.csv", "http://a.test/js/w/dep.csv", "http://a.test/js/w/told.json", "http://a.test/d/i/heard.png"} {
		if o := h.outcomes[u]; h.hits[u] != 1 || !o.Archived {
			t.Errorf("%s: %d requests: %+v", u, h.hits[u], o)
		}
	}
	if n := h.hits["http://a.test/d/pics/p.png"]; n != 1 {
		t.Errorf("%d requests for what the worker read for the page", n)
	}
	if n := h.hits["http://a.test/d/own.csv"] + h.hits["http://a.test/d/dep.csv"] + h.hits["http://a.test/js/w/lib/dep.csv"] + h.hits["http://a.test/js/w/pics/p.png"]; n != 0 {
		t.Errorf("%d requests for what is nowhere: %v", n, h.hits)
	}
}
