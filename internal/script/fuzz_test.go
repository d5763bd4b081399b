package script

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// smallPage is a page for scripts to look at.
const smallPage = `<!doctype html><html lang=en><head><title>T</title><base href="/b/"></head><body class="a b">
<div id=d data-src="/img/1.png" data-x='{"a":["/j.json"]}'><p class=p>one <b>two</b></p><img id=i src=/i.gif srcset="/2x.gif 2x"></div>
<form id=f action=/search><input name=q value=1><select name=s><option value=/o selected>o</select></form><x-a src=/xa></x-a>
<script>var a = 1</script><template id=t><i></i></template></body></html>`

// smallSource is the small page as scripts ask for it.
func smallSource() Source { return sourceOf(smallPage) }

// sourceOf is a page as scripts ask for it.
func sourceOf(page string) Source {
	s := Source{Text: []byte(page), Tags: &StartTags{}}
	for z, at := html.NewTokenizer(strings.NewReader(page)), 0; ; {
		t := z.Next()
		if t == html.ErrorToken {
			break
		}
		next := at + len(z.Raw())
		if t == html.StartTagToken || t == html.SelfClosingTagToken {
			name, more := z.TagName()
			s.Tags.Add(uint32(at), name)
			for more {
				var key, val []byte
				if key, val, more = z.TagAttr(); string(key) == "id" || string(key) == "class" || string(key) == "name" {
					s.Tags.Has(val)
				}
			}
		}
		at = next
	}
	s.Tag = func(at uint32) *html.Node {
		z := html.NewTokenizer(strings.NewReader(page[at:]))
		z.Next()
		t := z.Token()
		return &html.Node{Type: html.ElementNode, Data: t.Data, DataAtom: t.DataAtom, Attr: t.Attr}
	}
	s.Tree = func(element func(uint32, *html.Node)) *html.Node {
		root, _ := html.Parse(strings.NewReader(page))
		i := 0
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && i < s.Tags.Len() {
				element(s.Tags.At(i), n)
				i++
			}
		}
		return root
	}
	return s
}

// runScript reads a script of a small page.
func runScript(src string) *Page {
	p := New(smallSource(), nil)
	s, err := Parse([]byte(src), false)
	if err != nil {
		if s, err = ParseHandler([]byte(src), ""); err != nil {
			return p
		}
	}
	p.Run(0, s)
	p.Finish()
	for _, f := range p.Found() {
		p.Accept(f)
	}
	return p
}

func FuzzScript(f *testing.F) {
	for _, src := range []string{
		`var a = "/x/", b = a + "y" + 1 + ".png"; fetch(b); location.href = a + location.search`,
		`class A extends HTMLElement { static s = 1; #p = "/q"; get x() { return this.#p } connectedCallback() { this.innerHTML = "<img src=" + this.x + ">" } } customElements.define("x-a", A); new A().x`,
		`async function f(u) { try { const r = await fetch("/api/" + u); return await r.json() } catch (e) { throw e } finally { g() } } f("a").then(x => Promise.all([x, f(2)])).catch(() => 1)`,
		`function* g() { yield 1; yield* [2, 3]; } for (const [i, v] of [...g()].entries()) { import("./" + v + ".js") } label: for (;;) { for (var k in {a: 1}) continue label; break label }`,
		`const {a = "/d", ...r} = {b: 1, c: [2]}, [x, , ...y] = "abc"; let t = ` + "`/${a}/${x}`" + `; [3, 1, 2].sort((p, q) => p - q).map(n => t + n).filter(Boolean).reduce((s, v) => s + v, "")`,
		`document.querySelectorAll("div > p, img[src]").forEach(e => { e.dataset.src; e.src = e.getAttribute("src").replace(/\.(gif|png)$/g, "-$1.webp"); e.addEventListener("click", function (ev) { ev.target.parentNode.appendChild(document.createElement("div")) }) })`,
		`$(function () { $("#d").find("img").attr({src: "/a.png"}).on("click", function () { $(this).data("src") }); $.ajax({url: "/x", success: function (d) { $("body").append("<i>" + d + "</i>") }}) })`,
		`var u = new URL("/a?b=c#d", location.href); u.searchParams.append("e", "f"); fetch(u); new URLSearchParams({a: 1}).toString(); var m = new Map([[1, "/m"]]); m.forEach((v, k) => fetch(v)); new Set([1, 2]).has(2)`,
		`(function (k) { var m = {a: "/1", b: "/2"}; var v = m[k] || "/3/" + k; fetch(v + ".js"); switch (k) { case "a": return m.a; default: v = k ? 1 : 2 } })(unknownThing.x)`,
		`eval("var z = '/e'; z + 1"); new Function("a", "return a + '/f'")("x"); setTimeout("go('/t')", 1); setInterval(() => n++, 1); JSON.parse('{"a":[1,{"b":"/c"}]}').a[1].b; JSON.stringify({a: [1, "x"]})`,
		`var p = new Proxy({a: 1}, {get: (t, k) => t[k]}); p.b = p.a; Object.defineProperty(p, "c", {get() { return "/g" }}); Object.assign({}, p, [1]); Reflect.get(p, "c"); Object.entries(p); delete p.a; a?.b?.(c) ?? d`,
		`window.addEventListener("message", e => postMessage(e.data)); postMessage("x"); dispatchEvent(new CustomEvent("e", {detail: 1})); new Worker("data:,fetch('/w')"); define("m", ["a"], function (a) { return a }); require.config({baseUrl: "/js", paths: {a: "b"}})`,
		`"aXb".split(/x/i).concat("c").join("/").padStart(20, "-").repeat(2).match(/(?<n>\w)-/g); encodeURIComponent("é/ü"); atob("L2E="); parseInt("1f", 16).toString(2); /a(b)?/.exec("ab")[1]; String.raw` + "`a${1}`" + `; document.write("<scr" + "ipt src=/w.js></script>")`,
		`var d = new Date("Mar 5, 2012"); d.setDate(40); d.toISOString() + new Date(2024, 1, 3).toLocaleDateString("en-US", {month: "long"}) + (1234.5).toLocaleString("de-DE") + 2n ** 64n + ["ä", "b10", "b9"].sort((a, b) => a.localeCompare(b, "cs", {numeric: true}))`,
		`function* g(a) { try { for (const x of a) { const y = yield x; if (y) return yield* h(y); switch (y) { case 1: yield 2; default: yield 3 } } } catch ({message}) { yield message } finally { while (yield 4); do { yield 5 } while (0) } } function* h(n) { for (let i = 0; i < n; i++) yield i } var i = g([1, 2]); i.next(); i.next(2); i.throw(new TypeError("x")); i.return(1); [...h(3)].length; h(9).map(x => x + 1).drop(1).take(2).toArray()`,
		`with ({a: "/w", f() { return this.a }}) { a += 1; fetch(f()); (() => a)() } class E extends Error { get name() { return "E" } } try { null.x } catch (e) { fetch(e + "") } var s = Symbol("s"); ({[s]: 1, [Symbol.toPrimitive]: () => 2}) + "x"; JSON.stringify({a: [1, {toJSON() { return 2 }}]}, (k, v) => v, 2); JSON.parse("[1,{}]", (k, v) => v)`,
		`var p = new Proxy(function () {}, {get: (t, k) => p, apply: (t, h, a) => a.length, construct: () => ({}), has: () => true, ownKeys: () => ["a"], set: () => true, deleteProperty: () => true}); p.a.b(1); new p(2); "x" in p; delete p.y; for (var k in p); ({...p}); [...new Proxy([1], {})]; (({a: {b} = {b: 1}} = {c: [2]}, [d] = [3]) => b + d)(); structuredClone({a: [new Map([[1, 2]])]}); Object.groupBy([1, 2], x => x % 2)`,
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) < 1<<14 {
			runScript(src)
		}
	})
}
