package markup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exclave/internal/growthtest"
)

// answered are the links that scripts of a page make with the files beside it, at http://x.test/d/, without those that they have alone.
func answered(page string, files map[string]string) (out []string, d *Doc) {
	d = Parse(HTML, []byte(page), Options{URL: "http://x.test/d/", Files: func(ref string) ([]byte, string) {
		return []byte(files[strings.TrimPrefix(ref, "http://x.test/d/")]), ""
	}})
	for _, l := range d.Links {
		if l.Made {
			out = append(out, strings.TrimPrefix(l.URL, "http://x.test/d/"))
		}
	}
	slices.Sort(out)
	return out, d
}

// What scripts ask a server for is known to them when it is archived, and so are the scripts that they load and import (ADR 115).
func TestAnswers(t *testing.T) {
	const a = `{"p": "P", "list": [{"n": 1}, {"n": 2}]}`
	for _, c := range []struct {
		why, page string
		files     map[string]string
		want      []string
	}{
		{"fetch, its JSON and its text", `<script>fetch("a.json").then(r => r.ok && r.json()).then(d => d.list.forEach(i => { x.src = "/i/" + i.n + ".png" })); fetch(new Request("b.txt")).then(r => r.text()).then(t => t.split(/\s+/).forEach(n => { y.src = "/t/" + n + ".png" }))</script>`,
			map[string]string{"a.json": a, "b.txt": "u v"}, []string{"/i/1.png", "/i/2.png", "/t/u.png", "/t/v.png", "a.json", "b.txt"}},
		{"what is sent is not asked for by a crawl", `<script>fetch("a.json", {method: "POST"}).then(r => r.json()).then(d => { x.src = "/i/" + d.p + ".png" })</script>`, map[string]string{"a.json": a}, []string{"a.json"}},
		{"addresses with hosts that no browser reads", `<script>fetch("http://[" + 1); fetch("http://[::1/" + 2); fetch("//[v1.x]/" + 3); fetch("http://a b/" + 4); x.src = "http://a.cz:99999/" + 5; fetch("http://%zz/" + 6); fetch("http:///" + ""); fetch("http://a]/" + 7); fetch("http://[::1]:80/" + 8); fetch("//u@a.cz:/" + 9); fetch("http://%61.cz/" + 10)</script>`,
			nil, []string{"//u@a.cz:/9", "http://%61.cz/10", "http://[::1]:80/8"}},
		{"no JSON", `<script>fetch("a.json").then(r => r.json()).then(d => { x.src = "/i/" + d.p }).catch(e => { x.src = "/e/" + 1 + ".png" })</script>`, map[string]string{"a.json": "<p>"}, []string{"/e/1.png", "a.json"}},
		{"XMLHttpRequest", `<script>var x = new XMLHttpRequest; x.open("GET", "a.json"); x.onload = function () { i.src = "/i/" + JSON.parse(x.responseText).p + ".png" }; x.send(); var y = new XMLHttpRequest; y.responseType = "json"; y.open("get", "a.json"); y.onreadystatechange = function () { if (y.readyState == 4 && y.status == 200) i.src = "/j/" + y.response.p + ".png" }</script>`,
			map[string]string{"a.json": a}, []string{"/i/P.png", "/j/P.png", "a.json"}},
		{"an XMLHttpRequest that is used again", `<script>var x = new XMLHttpRequest; x.open("GET", "a.json"); x.open("GET", "unknown.json"); x.onload = function () { i.src = "/i/" + x.responseText + ".png" }</script>`, map[string]string{"a.json": "A"}, []string{"a.json", "unknown.json"}},
		{"jQuery", `<script>$.getJSON("a.json", function (d) { x.src = "/i/" + d.p + ".png" }); $.ajax({url: "a.json", success: function (d) { x.src = "/j/" + d.p }, complete: function (x) { y.src = "/c/" + x.responseJSON.p }}); $.get("a.json").done(function (d) { x.src = "/k/" + d.p }).fail(function () { x.src = "/no/" + 1 }); $.get("a.json").then(function (d, s) { x.src = "/l/" + d.p + s }); $.when($.get("a.json"), $.get("b.json")).done(function (m, n) { x.src = "/m/" + m[0].p + n[0].q }); (async function () { x.src = "/n/" + (await $.getJSON("a.json")).p })()</script>`,
			map[string]string{"a.json": a, "b.json": `{"q": "Q"}`}, []string{"/c/P", "/i/P.png", "/j/P", "/k/P", "/l/Psuccess", "/m/PQ", "/n/P", "/no/1", "a.json", "b.json"}},
		{"jQuery, with data", `<script>$.getJSON("a.json", {page: window.pg}, function (d) { x.src = "/no/" + d.p + ".png" }); $.get("a.json", "q=1", function (d) { x.src = "/i/" + d + ".png" })</script>`, map[string]string{"a.json": a, "a.json?q=1": "T"}, []string{"/i/T.png", "a.json", "a.json?q=1"}},
		{"jQuery without arguments", `<script>$.get(); $.getJSON()</script><script>var b = "/b/"; fetch(b + "later.json")</script>`, nil, []string{"/b/later.json"}},
		{"a fragment is relative to the page", `<div id=q></div><script>$("#q").load("inc/a.html #b"); fetch("inc/" + "c.html").then(r => r.text()).then(t => { q.innerHTML = t })</script>`, map[string]string{"inc/a.html": "<img src=i.png>", "inc/c.html": "<img src=j.png>"}, []string{"i.png", "inc/a.html", "inc/c.html", "j.png"}},
		{"axios and Ajax.Request", `<script>axios.get("a.json", {params: {q: 1}}).then(r => { x.src = "/i/" + r.data.p + ".png" }); const api = axios.create({baseURL: "/v1"}); api.get("/b.json").then(({data}) => { x.src = "/j/" + data.p }); new Ajax.Request("a.json?q=1", {method: "get", onSuccess: function (t) { x.src = "/k/" + t.responseJSON.p }}); new Ajax.Updater("q", "c/d.html", {method: "get"})</script>`,
			map[string]string{"a.json?q=1": a, "http://x.test/v1/b.json": a, "c/d.html": "<img src=e.png>"}, []string{"/i/P.png", "/j/P", "/k/P", "/v1/b.json", "a.json?q=1", "c/d.html", "e.png"}},
		{"axios of the page's own", `<script>window.axios = window.axios || {get: u => fetch("/own/" + u)}; axios.get("x.json")</script>`, nil, []string{"/own/x.json"}},
		{"answers of answers", `<script>fetch("/l" + ".json").then(r => r.json()).then(l => l.map(n => fetch("/p/" + n + ".json").then(r => r.json()).then(d => { x.src = d.dir + "/" + n + ".png" })))</script>`,
			map[string]string{"http://x.test/l.json": `["a", "b"]`, "http://x.test/p/a.json": `{"dir": "/q"}`}, []string{"/l.json", "/p/a.json", "/p/b.json", "/q/a.png"}},

		{"scripts that scripts load", `<p id=p data-i=5></p><script>var s = document.createElement("script"), base = "/b/"; s.onload = function () { x.src = base + made() + ".png" }; s.src = "j" + "/s.js"; document.head.append(s)</script>`,
			map[string]string{"j/s.js": `function made() { return "m" + p.dataset.i } y.src = document.currentScript.src + "?" + base`}, []string{"/b/m5.png", "j/s.js", "j/s.js?/b/"}},
		{"not those of other types, nor what is no script", `<script>["t.js", "u.js"].forEach(n => { var s = document.createElement("script"); if (n == "t.js") s.type = "text/template"; s.src = "js/" + n; document.head.append(s) })</script>`, map[string]string{"js/t.js": `fetch("/t/" + 1 + ".json")`, "js/u.js": "<!doctype html>"}, []string{"js/t.js", "js/u.js"}},
		{"modules", `<script type=module>import d, {a as b, f} from "./m.js"; import * as ns from "./m.js"; x.src = b + d + f(1) + ns.c + ".png"; (async () => { const {g} = await import("./n.js"); g() })()</script>`,
			map[string]string{"m.js": `import {z} from "./n.js"; export const a = "/a/"; export default "d"; export function f(i) { return "f" + i } export {z as c}`, "n.js": `export let [z, y] = ["z", "y"]; export * from "./o/o.js"`, "o/o.js": `export const g = () => { i.src = new URL("./r.png", import.meta.url) + "?" + import.meta.url.length }`},
			[]string{"/a/df1z.png", "o/r.png?22"}},
		{"modules of values, and attributes of imports", `<script type=module>import d from "./d.json" with {type: "json"}; import {a} from './a.js' assert { type: 'javascript' }; x.src = "/i/" + d.p + a + ".png"</script>`, map[string]string{"d.json": a, "a.js": "export const a = 1"}, []string{"/i/P1.png"}},
		{"a module runs once", `<script>n = 0</script><script type=module>import "./m.js"</script><script type=module src=m.js></script>`, map[string]string{"m.js": `n++; fetch("/n/" + n + ".json")`}, []string{"/n/1.json"}},
		{"modules that import each other, or themselves", `<script type=module>import {a} from "./m.js"; x.src = "/i/" + a + ".png"</script>`, map[string]string{"m.js": `import {b} from "./n.js"; export const a = "a"; import "./m.js"`, "n.js": `export * from "./m.js"; export * from "./n.js"; export const b = "b"`}, []string{"/i/a.png"}},
		{"a module that takes its time takes none of others", `<script type=module>import "./m.js"; fetch("/m/" + [1, 2].join("-") + ".json")</script>`, map[string]string{"m.js": "var n = 0; for (var i = 0; i < 30000; i++) { n += i * 2 }"}, []string{"/m/1-2.json"}},
		{"import() runs when the script has ended", `<script type=module>window.C = {}; import("./m.js"); C.base = "/set/"</script>`, map[string]string{"m.js": `x.src = C.base + "m.png"`}, []string{"/set/m.png"}},
		{"addresses of modules that the page has, or that are put together", `<html lang=cs><script type=importmap>{"imports": {"l/": "/lib/", "app/": "./j/"}}</script><script type=module src=j/m.js></script>`, map[string]string{"j/m.js": "import 'l/b.js'; import {c} from 'app/c.js'; x.src = c + '.png'; import(`./t-${document.documentElement.lang}.js`)", "j/c.js": "export const c = '/c'"}, []string{"/c.png", "http://x.test/lib/b.js", "j/c.js", "j/t-cs.js"}},
		{"modules and what is deferred come last", `<script type=module src=m.js></script><script defer src=d.js></script><script>var base = "/b/"</script>`, map[string]string{"m.js": `x.src = base + "m.png"`, "d.js": `x.src = base + "d.png"`}, []string{"/b/d.png", "/b/m.png"}},
		{"RequireJS", `<script>require.config({baseUrl: "j"}); require(["app/a", "text!t.html"], function (a, t) { a.start(); q.innerHTML = t }, function (e) { x.src = "/e/" + e })</script>`,
			map[string]string{"j/app/a.js": `define(["./b", "exports", "c"], function (b, exports, c) { exports.start = function () { x.src = b.base + c.n + ".png" } })`, "j/app/b.js": `define({base: "/b/"})`, "j/c.js": `define(function (require, exports, module) { module.exports = {n: require("./d").d} })`, "j/d.js": `define("d", [], function () { return {d: 4} }); define("e", {})`, "j/t.html": "<img src=t.png>"},
			[]string{"/b/4.png", "j/app/a.js", "j/app/b.js", "j/c.js", "j/d.js", "j/t.html", "j/text.js", "t.png"}},
		{"the module that a page names for RequireJS", `<body><script data-main="app/main" src="js/require.js"></script>`, map[string]string{"app/main.js": `require(["one"], function (o) { x.src = "/i/" + o.n + ".png" })`, "app/one.js": `define({n: 1})`}, []string{"/i/1.png", "app/main.js", "app/one.js"}},
		{"not when a script has RequireJS itself", `<body><script data-main="app/main" src="r.js"></script>`, map[string]string{"r.js": `function require(l) { fetch("/own/" + l.length) } require.config = {}; require([1, 2])`, "app/main.js": `x.src = "/no/" + 1 + ".png"`}, []string{"/own/2"}},
		{"where RequireJS has modules", `<script>require.config({baseUrl: "j", paths: {"v/w": "lib/w", v: "no"}, deps: ["s", "./rel"]})</script><script>require(["v/w/z", "v/w"], function (z) { x.src = "/i/" + z.n + ".png" })</script>`, map[string]string{"j/lib/w/z.js": "define({n: 7})", "j/s.js": `fetch("/s/" + 1)`}, []string{"/i/7.png", "/s/1", "j/lib/w.js", "j/lib/w/z.js", "j/rel.js", "j/s.js"}},
	} {
		got, d := answered(c.page, c.files)
		if diff := cmp.Diff(c.want, got); diff != "" || d.Err != nil {
			t.Errorf("%s: %v %s", c.why, d.Err, diff)
		}
	}
}

// Strings of an answer that the page shows to be parts of an address are told with its own address.
func TestPartsOfAnswers(t *testing.T) {
	_, d := answered(`<script>fetch("a.json").then(r => r.json()).then(d => { x.src = "/i/" + d.file; y.src = d.whole }); fetch("gone.json").then(r => r.json())</script>`, map[string]string{"a.json": `{"file": "q/b.png", "whole": "c/d.png"}`})
	if diff := cmp.Diff(map[string][]string{"http://x.test/d/a.json": {"q/b.png"}}, d.Parts); diff != "" {
		t.Error(diff)
	}
}

// Each file is asked for once, however often scripts ask, and not without end.
func TestAnswersAreBounded(t *testing.T) {
	asked := map[string]int{}
	Parse(HTML, []byte(`<script>for (var i = 0; i < 9999; i++) { fetch("z" + i % 600 + "/" + 1); var s = document.createElement("script"); s.src = "s" + i % 600 + ".js"; import("./m" + i % 600 + ".js") }</script>`), Options{URL: "http://x.test/d/", Files: func(ref string) ([]byte, string) {
		asked[ref]++
		return nil, ""
	}})
	for ref, n := range asked {
		if n > 1 {
			t.Errorf("%s: %d times", ref, n)
		}
	}
	if len(asked) == 0 || len(asked) > maxScripts {
		t.Errorf("%d files", len(asked))
	}
	blank := strings.Repeat(" ", 60<<10)
	growthtest.Linear(t, func(n int) []byte {
		return []byte("<script>" + strings.Repeat(`for (i = 0; i < 9; i++) { $.get("ws"); fetch("/z" + i) }`, n/50) + "</script>")
	}, func(page []byte) {
		Parse(HTML, page, Options{URL: "http://x.test/d/", Files: func(string) ([]byte, string) { return []byte(blank), "" }})
	})
}

// What loads itself, or others without end, ends.
func TestScriptsThatLoadScripts(t *testing.T) {
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("s%d.js", i)] = fmt.Sprintf(`for (var s, j = 0; j < 40; j++) { s = document.createElement("script"); s.src = "s" + j + ".js"; document.head.append(s) } x.src = "/i/" + %d + ".png"`, i)
	}
	got, _ := answered(`<script src=s0.js></script>`, files)
	if !slices.Contains(got, "/i/9.png") || len(got) > 100 {
		t.Errorf("%q", got)
	}
}
