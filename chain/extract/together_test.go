package extract

import (
	"context"
	"slices"
	"testing"

	"exclave/internal/markup"
	"exclave/internal/urlx"
)

// web is an archive, with what led to each address.
type web struct {
	bodies map[string]string
	via    map[string]string
	// charset is that of all bodies.
	charset string
}

func (w *web) Body(_ context.Context, u *urlx.URL, most int64) ([]byte, string) {
	b, ok := w.bodies[u.String()]
	if !ok || int64(len(b)) > most {
		return nil, ""
	}
	return []byte(b), w.charset
}

func (w *web) PageOf(_ context.Context, u *urlx.URL, _ bool) *urlx.URL {
	if to, err := urlx.Parse(w.via[u.String()]); err == nil {
		return to
	}
	return u
}

// A page is read with its scripts, and a script with its page, whichever of them comes later (ADR 114).
func TestScriptsWithPage(t *testing.T) {
	const page, conf, load = "http://a.cz/d/", "http://a.cz/d/conf.js", "http://b.cz/load.js"
	bodies := map[string]string{
		page: `<!doctype html><script src=conf.js></script><script src="http://b.cz/load.js"></script><p data-icon=car></p>`,
		conf: `window.CONF = {base: "img/", list: "items"}`,
		load: `document.querySelectorAll("p").forEach(function (p) { new Image().src = CONF.base + p.dataset.icon + ".png" }); var p = "levels/one.json"; fetch(CONF.base + p)`,
	}
	types := map[string]string{page: "text/html", conf: "text/javascript", load: "text/javascript"}
	const together, whole, part = "http://a.cz/d/img/car.png", "http://a.cz/d/img/levels/one.json", "http://a.cz/d/levels/one.json"
	for _, order := range [][]string{{page, conf, load}, {conf, load, page}, {page}, {page, load}} {
		archive := &web{bodies: map[string]string{}}
		room := NewRoom(DefaultDocuments())
		room.With(archive)
		c := DefaultConfig()
		c.Room = room
		found := map[string]string{}
		for _, url := range order {
			u := answer(t, url, "200 OK", "Content-Type: "+types[url]+"\r\n", bodies[url])
			if url != page {
				u.Hops, u.Via, u.Context = "LE", page, "script/@src"
			}
			process(t, u, NewMarkup(c, markup.HTML), NewMarkup(c, markup.JS))
			for _, o := range u.Outlinks {
				found[o.URL.String()] = url
			}
			archive.bodies[url] = bodies[url]
		}
		if _, is := found[together]; is != (len(order) == 3) {
			t.Errorf("%v: found together: %v", order, is)
		}
		if _, is := found[whole]; is != (len(order) == 3) {
			t.Errorf("%v: %s: %v", order, whole, is)
		}
		// What the script is read with shows it to be a part of another.
		if _, is := found[part]; is != (slices.Contains(order, load) && (order[0] != page || len(order) < 3)) {
			t.Errorf("%v: %s: %v", order, part, is)
		}
		if slices.Contains(order, conf) && order[0] == page && found["http://a.cz/d/conf.js"] != page {
			t.Errorf("%v: %v", order, found)
		}
	}
}

// What a worker asks for is relative to the worker, wherever the page is.
func TestWorkers(t *testing.T) {
	archive := &web{bodies: map[string]string{"http://a.cz/d/": "<script src=/js/main.js></script>"}, via: map[string]string{"http://a.cz/js/main.js": "http://a.cz/d/"}}
	room := NewRoom(DefaultDocuments())
	room.With(archive)
	c := DefaultConfig()
	c.Room = room
	u := answer(t, "http://a.cz/js/w/worker.mjs", "200 OK", "Content-Type: text/javascript\r\n", `import "./dep.mjs"; const r = await fetch("../../data/t.csv")`)
	u.Hops, u.Via, u.Context = "LEE", "http://a.cz/js/main.js", ContextWorker
	process(t, u, NewMarkup(c, markup.JS))
	var got []string
	for _, o := range u.Outlinks {
		got = append(got, o.URL.String())
	}
	slices.Sort(got)
	if want := []string{"http://a.cz/data/t.csv", "http://a.cz/js/w/dep.mjs"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A script that asks for the last script of its page knows where it is itself, whatever the page has.
func TestWhereAScriptIsAlone(t *testing.T) {
	u := answer(t, "http://a.cz/lib/c/c.js?v=1", "200 OK", "Content-Type: text/javascript\r\n", `var all = document.getElementsByTagName("script"), at = all[all.length - 1].src.split("?")[0], dir = at.split("/").slice(0, -1).join("/") + "/"; fetch(dir + "lang/cs" + ".js")`)
	u.Hops, u.Via, u.Context = "LE", "http://b.cz/", "script/@src"
	process(t, u, NewMarkup(DefaultConfig(), markup.JS))
	if len(u.Outlinks) != 1 || u.Outlinks[0].URL.String() != "http://a.cz/lib/c/lang/cs.js" {
		t.Errorf("%v", u.Outlinks)
	}
}

// Scripts that a script led to are relative to the page, too; names in bundles to the bundle.
func TestScriptsOfScripts(t *testing.T) {
	archive := &web{via: map[string]string{"http://a.cz/js/main.js": "http://a.cz/d/"}}
	room := NewRoom(DefaultDocuments())
	room.With(archive)
	c := DefaultConfig()
	c.Room = room
	u := answer(t, "http://a.cz/js/app/map.js", "200 OK", "Content-Type: text/javascript\r\n", `x.src = "img/pin.png"; a = ["./part.mjs", "app/chunk.0d9c8b7a.js"]; import("./q.mjs")`)
	u.Hops, u.Via, u.Context = "LEX", "http://a.cz/js/main.js", "js/string"
	process(t, u, NewMarkup(c, markup.JS))
	var got []string
	for _, o := range u.Outlinks {
		got = append(got, o.URL.String())
	}
	slices.Sort(got)
	if want := []string{"http://a.cz/d/img/pin.png", "http://a.cz/js/app/chunk.0d9c8b7a.js", "http://a.cz/js/app/part.mjs", "http://a.cz/js/app/q.mjs"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What is read together is judged as what is read alone: in the page's charset, with its directives, and a string that also stands for itself stays.
func TestScriptsWithPageAsAlone(t *testing.T) {
	const page, script = "http://a.cz/", "http://a.cz/s.js"
	for _, c := range []struct {
		why, page, script string
		want              []string // of the script
	}{
		{"its charset", "<!doctype html><script>var CONF = {base: '/i/\x9a'}</script><script src=s.js></script>", `x.src = "/s.png?q=" + CONF.base; y.src = CONF.base + ".png"`,
			[]string{"http://a.cz/i/%C5%A1.png", "http://a.cz/s.png?q=/i/%9A"}},
		{"that of the script, which has none", "<!doctype html><script>var base = '/i/'</script><script src=s.js></script>", "x.src = base + '\x9a.png'", []string{"http://a.cz/i/%C5%A1.png"}},
		{"its directives", `<!doctype html><meta name=robots content=nofollow><script>var base = "/i/"</script><script src=s.js></script>`, `location = base + "to.html"; x.src = base + "q.png"`, []string{"http://a.cz/i/q.png not to be followed", "http://a.cz/i/to.html not to be followed"}},
		{"parts that stand for themselves, too", `<!doctype html><script>var v = 7</script><script src=s.js></script>`, `p = "data/x.json"; fetch(p + "?v=" + v); window.list = ["/data/x.json"]`,
			[]string{"http://a.cz/data/x.json", "http://a.cz/data/x.json?v=7"}},
		{"data for a function of the page", `<!doctype html><script>function show(l) { for (var i = 0; i < l.of.length; i++) document.write("<img src=" + l.of[i].name + ".png>") }</script><script src=s.js></script>`,
			"// of the server\nshow({of: [{name: 'a'}, {name: 'b'}]});", []string{"http://a.cz/a.png", "http://a.cz/b.png"}},
		{"parts of where the script is", `<!doctype html><script src=/s.js></script>`, `var s = document.currentScript; fetch("//" + s.src.split("/")[2] + "/x.json")`, []string{"http://a.cz/x.json"}},
	} {
		archive := &web{bodies: map[string]string{page: c.page}, charset: "windows-1250"}
		room := NewRoom(DefaultDocuments())
		room.With(archive)
		config := DefaultConfig()
		config.Room = room
		u := answer(t, script, "200 OK", "Content-Type: text/javascript\r\n", c.script)
		u.Hops, u.Via, u.Context = "LE", page, "script/@src"
		process(t, u, NewMarkup(config, markup.JS))
		var got []string
		for _, o := range u.Outlinks {
			what := o.URL.String()
			if o.PageNoFollow {
				what += " not to be followed"
			}
			got = append(got, what)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// What scripts of a page read the answer of is read with it, in whatever order they come (ADR 115); what the page does not ask for is not.
func TestAnswersWithPage(t *testing.T) {
	const page, load, list, part, other = "http://a.cz/d/", "http://a.cz/s/load.js", "http://a.cz/api/list.json", "http://a.cz/api/part.html", "http://a.cz/api/other.json"
	bodies := map[string]string{
		page: `<!doctype html><base href="/e/"><script src="/s/load.js"></script><div data-list="/api/list.json"></div><script>var other = "/api/other.json"</script>`,
		load: `fetch(document.querySelector("div").dataset.list).then(r => r.json()).then(l => l.forEach(i => { new Image().src = "/img/" + i.file + ".png" })); fetch("/api/" + "part.html").then(r => r.text()).then(t => { document.body.innerHTML = t })`,
		list: `[{"file": "sub/one.x", "href": "text.pdf"}, {"file": "two"}]`, part: `<img src="in.png">`, other: `{"href": "o.pdf"}`,
	}
	type how struct{ via, hops, context, typ string }
	hows := map[string]how{page: {"", "", "", "text/html"}, load: {page, "LE", "script/@src", "text/javascript"}, list: {page, "LX", "div/@data-list", "application/json"},
		part: {load, "LEX", "js/fetch", "text/html"}, other: {page, "LX", "js/string", "application/json"}}
	for _, order := range [][]string{{page, load, list, part, other}, {list, other, page, part, load}, {part, list, load, page}, {page, list, part}} {
		archive := &web{bodies: map[string]string{}, via: map[string]string{load: page}}
		room := NewRoom(DefaultDocuments())
		room.With(archive)
		c := DefaultConfig()
		c.Room = room
		found := map[string][]string{}
		for _, url := range order {
			h := hows[url]
			u := answer(t, url, "200 OK", "Content-Type: "+h.typ+"\r\n", bodies[url])
			u.Hops, u.Via, u.Context = h.hops, h.via, h.context
			process(t, u, NewMarkup(c, markup.HTML), NewMarkup(c, markup.JS), NewMarkup(c, markup.JSON))
			for _, o := range u.Outlinks {
				found[o.URL.String()] = append(found[o.URL.String()], url)
			}
			archive.bodies[url] = bodies[url]
		}
		all := slices.Contains(order, load)
		for want, by := range map[string]bool{"http://a.cz/img/sub/one.x.png": all, "http://a.cz/img/two.png": all, "http://a.cz/e/in.png": all, part: all} {
			if is := len(found[want]) > 0; is != by {
				t.Errorf("%v: %s: %v", order, want, found[want])
			}
		}
		if order[0] == page { // the base element of the page counts, where it is known
			if len(found["http://a.cz/e/text.pdf"]) == 0 || len(found["http://a.cz/d/text.pdf"]) > 0 {
				t.Errorf("%v: %v", order, found)
			}
			if by := found["http://a.cz/img/two.png"]; slices.Contains(by, other) {
				t.Errorf("%v: links of the page are those of an answer that it does not ask for: %v", order, by)
			}
			if all && len(found["http://a.cz/e/sub/one.x"]) > 0 {
				t.Errorf("%v: a part of an address is a guess", order)
			}
		}
	}
}
