package markup

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exclave/internal/script"
)

// answersRow is a page, what is archived of what its scripts ask for, and the links that they make with it.
type answersRow struct {
	why, page string
	files     map[string]string
	want      []string
}

func checkAnswers(t *testing.T, rows []answersRow) {
	t.Helper()
	for _, c := range rows {
		got, d := answered(c.page, c.files)
		if diff := cmp.Diff(c.want, got); diff != "" || d.Err != nil {
			t.Errorf("%s: %v %s", c.why, d.Err, diff)
		}
	}
}

const one = `{"p": "P"}`

// How scripts read answers with what browsers have.
func TestWaysToReadAnswers(t *testing.T) {
	a := map[string]string{"a.json": one}
	checkAnswers(t, []answersRow{
		{"the address is an URL", `<script>fetch(new URL("a.json", location.href)).then(r => r.json()).then(d => { x.src = "/i/" + d.p + ".png" })</script>`, a, []string{"/i/P.png", "a.json"}},
		{"the fragment is not sent", `<script>fetch("a.json#" + 1).then(r => r.json()).then(d => { x.src = "/i/" + d.p + ".png" })</script>`, a, []string{"/i/P.png", "a.json#1"}},
		{"a method that nobody knows", `<script>fetch("a.json", {method: window.how}).then(r => r.json()).then(d => { x.src = "/i/" + d.p + ".png" })</script>`, a, []string{"a.json"}},
		{"an address that nobody knows, and none", `<script>fetch("/v/" + window.v + "/a.json").then(r => r.json()); fetch("/p/%z" + 1).then(r => r.text()); x.src = "/i/" + 1 + ".png"</script>`, a, []string{"/i/1.png"}},
		{"what is no answer to go on with", `<script>fetch("a.json").then(r => { if (!r.ok || r.status !== 200) return {p: "no"}; return r.json() }).then(d => { x.src = "/i/" + d.p + ".png" })</script>`, a, []string{"/i/P.png", "a.json"}},
		{"either, as the answer says", `<script>fetch("a.json").then(r => r.ok ? r.json() : {p: "no"}).then(d => { x.src = "/i/" + d.p + ".png" }); fetch("gone.txt").then(r => r.text()).then(t => { y.src = "/j/" + (t ? "a" : "b") + ".png" })</script>`, a, []string{"/i/P.png", "/j/a.png", "/j/b.png", "a.json", "gone.txt"}},
		{"an answer for two readers", `<script>fetch("a.json").then(r => r.clone().json()).then(d => { x.src = "/i/" + d.p + ".png" })</script>`, a, []string{"/i/P.png", "a.json"}},
		{"relative to the answer", `<script>fetch(new Request("c/a.json")).then(r => r.json().then(d => { x.src = new URL(d.p + ".png", r.url) })); fetch("e/a.json").then(r => { y.src = r.url.replace("a.json", "b.png") })</script>`, map[string]string{"c/a.json": one}, []string{"c/P.png", "c/a.json", "e/a.json", "e/b.png"}},

		{"an XMLHttpRequest that looks at what came", `<script>var x = new XMLHttpRequest; x.open("GET", "a.json"); x.onload = function () { i.src = "/i/" + (x.readyState === 4 ? x.status === 200 ? JSON.parse(x.response).p : "no" : "nor") + ".png"; j.src = x.responseURL.replace("a.json", "r.png") }; x.send()</script>`, a, []string{"/i/P.png", "a.json", "r.png"}},
		{"as text, said or not", `<script>["", "text"].forEach(function (kind, n) { var x = new XMLHttpRequest; x.responseType = kind; x.open("GET", "a.json"); x.onload = function () { i.src = "/i/" + n + JSON.parse(x.response).p + ".png" }; x.send() })</script>`, a, []string{"/i/0P.png", "/i/1P.png", "a.json"}},
		{"as what scripts cannot read, or nobody knows", `<script>["blob", window.kind].forEach(function (kind) { var x = new XMLHttpRequest; x.open("GET", "t.txt"); x.responseType = kind; x.onload = function () { i.src = "/i/" + x.response + ".png" }; x.send() })</script>`, map[string]string{"t.txt": "T"}, []string{"t.txt"}},
		{"as a document", `<script>var x = new XMLHttpRequest; x.open("GET", "t.html"); x.responseType = "document"; x.onload = function () { i.src = "/i/" + x.response.querySelector("p").dataset.n + ".png" }; x.send()</script>`, map[string]string{"t.html": "<p data-n=N>"}, []string{"/i/N.png", "t.html"}},
		{"XML", `<script>var x = new XMLHttpRequest; x.open("GET", "t.xml"); x.onload = function () { var all = x.responseXML.getElementsByTagName("item"); for (var k = 0; k < all.length; k++) i.src = "/i/" + all[k].getAttribute("n") + ".png" }; x.send()</script>`, map[string]string{"t.xml": "<r><item n='1'/><item n='2'/></r>"}, []string{"/i/1.png", "/i/2.png", "t.xml"}},
		{"open alone", `<script>var open = new XMLHttpRequest().open; open("GET", "a.json"); new XMLHttpRequest().open("GET", window.u); x.src = "/i/" + 1 + ".png"</script>`, a, []string{"/i/1.png", "a.json"}},
	})
}

// What libraries make of an answer, and of the data that goes with a request.
func TestAnswersOfLibraries(t *testing.T) {
	files := map[string]string{"a.json": one, "a.json?q=1": `{"p": "Q"}`, "a.json?x=1&q=1": `{"p": "XQ"}`, "n.json": "41", "l.json": "\n [\"l\", \"m\"]", "h.json": "oops", "f.html": "<img src=f.png>", "http://x.test/v1/b.json": one, "http://x.test/v1/b.json?q=1": `{"p": "Q"}`}
	checkAnswers(t, []answersRow{
		{"text, although it looks like JSON", `<script>$.ajax({url: "a.json", dataType: "text", success: function (d) { x.src = "/i/" + JSON.parse(d).p + ".png" }})</script>`, files, []string{"/i/P.png", "a.json"}},
		{"JSON, although it does not look like it", `<script>$.getJSON("n.json", function (n) { x.src = "/i/" + (n + 1) + ".png" }); $.get("l.json", function (l) { l.forEach(function (n) { y.src = "/l/" + n + ".png" }) }); $.ajax({url: "n.json", dataType: "jsonp", success: function (n) { z.src = "/p/" + (n + 2) + ".png" }})</script>`, files, []string{"/i/42.png", "/l/l.png", "/l/m.png", "/p/43.png", "l.json", "n.json"}},
		{"no JSON", `<script>$.getJSON("h.json", function (d) { x.src = "/i/" + d + ".png" }).done(function (d) { y.src = "/j/" + d + ".png" })</script>`, files, []string{"h.json"}},
		{"what waits for an answer of jQuery", `<script>$.get("a.json").fail(function () {}).done(function (d) { x.src = "/a/" + d.p + ".png" }); $.get("a.json").then().done(function (d) { x.src = "/b/" + d.p + ".png" }); $.get("a.json").then(null, function () {}).done(function (d) { x.src = "/c/" + d.p + ".png" }); $.get("a.json").pipe(function (d) { return d.p }).done(function (p) { x.src = "/d/" + p + ".png" }); $.get("a.json").promise().done(function (d) { x.src = "/e/" + d.p + ".png" }); (async function () { await $.getJSON("gone.json"); x.src = "/f/" + 1 + ".png" })()</script>`, files, []string{"/a/P.png", "/b/P.png", "/c/P.png", "/d/P.png", "/e/P.png", "/f/1.png", "a.json", "gone.json"}},
		{"data that goes with it", `<script>$.get("a.json?x=1", {q: 1}, function (d) { x.src = "/i/" + d.p + ".png" }); $.getJSON("a.json", null, function (d) { x.src = "/j/" + d.p + ".png" }); $.getJSON("a.json", {}, function (d) { x.src = "/k/" + d.p + ".png" }); axios.get("a.json", {params: new URLSearchParams({q: 1})}).then(r => { x.src = "/l/" + r.data.p + ".png" })</script>`, files, []string{"/i/XQ.png", "/j/P.png", "/k/P.png", "/l/Q.png", "a.json", "a.json?q=1", "a.json?x=1&q=1"}},
		{"data that nobody knows", `<script>$.get("a.json", "q=" + window.q, function (d) { x.src = "/i/" + d.p + ".png" }); $.get("a.json", {q: "a" + window.q}, function (d) { x.src = "/j/" + d.p + ".png" }); $.get("a.json", [{name: "q", value: 1}], function (d) { x.src = "/k/" + d.p + ".png" }); axios.get("a.json", {params: {q: window.q}}).then(r => { x.src = "/l/" + r.data.p + ".png" }); $.get(window.u, {q: 1}); new Ajax.Request("a.json", {method: "get", parameters: {q: window.q}, onSuccess: function (t) { x.src = "/m/" + t.responseJSON.p + ".png" }})</script>`, files, []string{"a.json"}},

		{"ways to call axios", `<script>axios("a.json").then(r => { x.src = "/i/" + r.data.p + ".png" }); axios({url: "a.json"}).then(r => { x.src = "/j/" + r.data.p + ".png" }); axios.request({url: "a.json", method: "get"}).then(r => { x.src = "/k/" + r.data.p + ".png" }); axios("a.json", {params: {q: 1}}).then(r => { x.src = "/l/" + (r.status === 200 ? r.data.p : "no") + ".png" }); axios(new URL("a.json", location.href)).then(r => { x.src = "/m/" + r.data.p + ".png" }); axios.get("a.json", {method: "post"}).then(r => { x.src = "/n/" + r.data.p + ".png" })</script>`, files, []string{"/i/P.png", "/j/P.png", "/k/P.png", "/l/Q.png", "/m/P.png", "/n/P.png", "a.json", "a.json", "a.json?q=1"}},
		{"axios sends, or the answer is not known", `<script>axios({url: "a.json", method: "post"}).then(r => { x.src = "/i/" + r.data.p + ".png" }); axios("a.json", {method: "put"}).then(r => { x.src = "/j/" + r.data.p + ".png" }); axios.get("unknown.json").then(r => { x.src = "/k/" + 1 + ".png" })</script>`, files, []string{"/k/1.png", "a.json", "unknown.json"}},
		{"instances of axios", `<script>const api = axios.create({baseURL: "/v1/"}), plain = axios.create(); plain.get("a.json").then(r => { x.src = "/h/" + r.data.p + ".png" }); api.get("b.json", {params: {q: 1}}).then(r => { x.src = "/i/" + r.data.p + ".png" }); api.request({url: "/b.json"}).then(r => { x.src = "/j/" + r.data.p + ".png" }); api.get("//x.test/v1/b.json").then(r => { x.src = "/k/" + r.data.p + ".png" }); api.get("http://x.test/v1/b.json").then(r => { x.src = "/l/" + r.data.p + ".png" }); api.post("/save.php"); api.get(window.u)</script>`, files,
			[]string{"//x.test/v1/b.json", "/h/P.png", "/i/Q.png", "/j/P.png", "/k/P.png", "/l/P.png", "/v1/b.json", "/v1/b.json?q=1", "/v1/save.php", "a.json", "http://x.test/v1/b.json"}},
		{"functions of others that are called alike", `<script>var f = r => { x.src = "/a/" + r.data.p + ".png" }, o = {method: "get", onSuccess: t => { x.src = "/b/" + t.responseJSON.p + ".png" }}; store.get("a.json").then(f); store.request("a.json").then(f); store.axios("a.json").then(f); store.create({}).get("a.json").then(f); axios.getUri("a.json").then(f); new store.Request("a.json", o); Ajax.Other("a.json", o); new store.Updater("q", "f.html", o); Ajax.Other("q", "f.html", o)</script>`, files, []string{"a.json"}},
		{"Prototype", `<script>new Ajax.Request("a.json", {method: "get", parameters: {q: 1}, onComplete: function (t) { x.src = "/i/" + (t.status == 200 ? t.responseJSON.p : "no") + ".png" }}); new Ajax.Request("f.html", {method: "get"}); new Ajax.Updater("q", "unknown.html", {method: "get"}); new Ajax.Request("r.php")</script>`, files, []string{"/i/Q.png", "a.json?q=1", "f.html", "r.php", "unknown.html"}},
		{"Prototype sends unless it is told not to", `<script>new Ajax.Request("a.json", {parameters: {q: 1}, onSuccess: function (t) { x.src = "/i/" + t.responseJSON.p + ".png" }})</script>`, files, []string{"a.json"}},
	})
}

// What scripts load, and modules import and export.
func TestWhatModulesExport(t *testing.T) {
	checkAnswers(t, []answersRow{
		{"handed on", `<script type=module>import {a, c, ns, d as own, default as def} from "./m.js"; import * as all from "./m.js"; x.src = "/" + a + c + ns.e + own + def + ".png"; for (const k in all) y.src = "/k/" + k + ".png"</script>`,
			map[string]string{"m.js": `export * from "./a.js"; export {b as c, } from "./a.js"; export * as ns from "./e.js"; export const d = "own"; export {default} from "./e.js"; export {nothing} from "./unknown.js"; export * from "./unknown.js"`, "a.js": `export const a = "A", b = "B", d = "no"; export default "no"`, "e.js": `export const e = "E"; export default "D"`},
			[]string{"/ABEownD.png", "/k/a.png", "/k/b.png", "/k/c.png", "/k/d.png", "/k/default.png", "/k/ns.png"}},
		{"the nearer one counts", `<script type=module>import {b, d, default as def} from "./m.js"; x.src = "/" + b + d + def + ".png"</script>`, map[string]string{"m.js": `const b = "no"; export {b} from "./a.js"; export {d, default} from "./e.js"; export * from "./a.js"`, "a.js": `export const b = "B", d = "no"; export default "no"`, "e.js": `export const d = "D"; export default "E"`}, []string{"/BDE.png"}},
		{"a module of the page exports too", `<script type=module>import {b} from "./m.js"; export {b}; export const a = "/a/"; x.src = a + b + ".png"</script>`, map[string]string{"m.js": `export const b = 1`}, []string{"/a/1.png"}},
		{"a module of the page that only hands on", `<script type=module>export * from "./n.js"; export {a} from "./o.js"</script>`, map[string]string{"n.js": `x.src = "/i/" + 1 + ".png"`, "o.js": `x.src = "/o/" + 2 + ".png"`}, []string{"/i/1.png", "/o/2.png"}},
		{"declared", `<script type=module>import make, {Tile, a, b, c, rest, d, e, f, } from "./m.js"; import anonymous from "./n.js"; x.src = make("1") + new Tile("t").n + a + b + c + rest.r + d + e[0] + f + ".png"; y.src = anonymous("2") + ".png"</script>`,
			map[string]string{"m.js": `export {f as f, }; export class Tile { constructor(n) { this.n = n } } export const {a, o: {b}, ["c"]: c, ...rest} = {a: "A", o: {b: "B"}, c: "C", r: "R"}, [d, ...e] = ["D", "E"]; export default function base(i) { return "/b/" + i } const f = "F"`, "n.js": `export default function (i) { return "/n/" + i }`},
			[]string{"/b/1tABCRDEF.png", "/n/2.png"}},
		{"import() gives it", `<script type=module src=j/m.js></script>`, map[string]string{"j/m.js": `import("./n.js").then(m => { x.src = m.base + "1.png" }); import("./unknown.js").then(m => { y.src = "/u/" + 1 + ".png" }); import(window.lazy); import("./%" + "zz.js"); import("./" + window.lazy + ".js"); (async () => { await import("./unknown.js"); y.src = "/w/" + 1 + ".png" })()`, "j/n.js": `export const base = "/b/"`}, []string{"/b/1.png", "/u/1.png", "/w/1.png"}},
		{"relative to the module that asks", `<script type=module>import "./k/m.js"; fetch("/x/" + 1)</script>`, map[string]string{"k/m.js": `import("./n.js").then(m => { x.src = m.base + "1.png" })`, "k/n.js": `export const base = "/b/"`}, []string{"/b/1.png", "/x/1"}},
		{"names of packages, and addresses elsewhere", `<script type=module>import {a} from "a"; import {b} from "/lib/b.js"; import {c} from "http://y.test/c.js"; import {d} from "./unknown.js"; x.src = "/i/" + b + c + ".png"</script>`, map[string]string{"a": `export const a = 1`, "http://x.test/lib/b.js": `export const b = "B"`, "http://y.test/c.js": `export const c = "C"`}, []string{"/i/BC.png"}},
		{"a module of two", `<script>n = 0</script><script type=module>import "./m.js"; import "./n.js"; import "./o.js"</script>`, map[string]string{"m.js": `n++; fetch("/n/" + n + ".json")`, "n.js": `import "./m.js"`, "o.js": `import "./m.js"`}, []string{"/n/1.json"}},
		{"values of another type, or none", `<script type=module>import d from "./d.txt"; import e from "./e.json"; import f from "./f.json"; w.src = "/d/" + d.p + ".png"; w.src = "/e/" + e.p + ".png"; w.src = "/f/" + f.p + ".png"; y.src = "/j/" + 1 + ".png"</script>`, map[string]string{"d.txt": one, "e.json": "{"}, []string{"/j/1.png"}},

		{"a script that is loaded twice runs once", `<script>n = 0; for (var i = 0; i < 2; i++) { var s = document.createElement("script"); s.src = "j/" + "s.js"; document.head.append(s) }</script>`, map[string]string{"j/s.js": `n++; fetch("/n/" + n + ".json")`}, []string{"/n/1.json", "j/s.js"}},
		{"types of scripts", `<script>["", "text/javascript", "module"].forEach(function (type, n) { var s = document.createElement("script"); s.type = type; s.src = "j/" + n + ".js"; document.head.append(s) })</script>`, map[string]string{"j/0.js": `fetch("/r/" + 0)`, "j/1.js": `fetch("/r/" + 1)`, "j/2.js": `import {b} from "./b.js"; fetch(b + 2)`, "j/b.js": `export const b = "/r/"`}, []string{"/r/0", "/r/1", "/r/2", "j/0.js", "j/1.js", "j/2.js"}},
		{"what waits for a script", `<script>var b = "/b/", s = document.createElement("script"), o = document.createElement("script"); s.addEventListener("load", function () { x.src = b + "s.png" }); s.onload = function () { x.src = b + "t.png" }; s.addEventListener("error", function () { x.src = b + "e.png" }); o.addEventListener("load", function () { x.src = b + "o.png" }); s.onreadystatechange = function () { x.src = b + "r.png" }; s.src = "j/" + "s.js"; document.head.append(s)</script><script>b = "/late/"</script>`, map[string]string{"j/s.js": `b = "/of/"`}, []string{"/late/o.png", "/late/r.png", "/of/e.png", "/of/s.png", "/of/t.png", "j/s.js"}},
		{"the last script is the one that asks", `<script src="j/a/box.js"></script><script>box("/b/" + 1)</script><script src="j/z.js"></script>`, map[string]string{"j/a/box.js": `var all = document.getElementsByTagName("script"), at = all[all.length - 1].src, n = document.scripts.length, root = at.substr(0, at.indexOf("a/box")); function box(p) { x.src = root + "i" + n + ".png"; fetch(p + document.scripts.length) }`}, []string{"/b/12", "j/i1.png"}},
		{"a script that waits for the page is not the last", `<script defer src="j/a.js"></script><script src="j/z.js"></script>`, map[string]string{"j/a.js": `x.src = "/n/" + document.scripts.length + ".png"`}, []string{"/n/2.png"}},
		{"methods that scripts give elements", `<p id=p data-n="a|b"></p><script src="j/m.js"></script><script>$("p").get("data-n").split("|").forEach(n => { x.src = "/i/" + n + ".png" }); document.createElement("b").own("/made/" + 1); fetch("/" + ("loading" in HTMLImageElement.prototype ? "lazy" : "not") + typeof Element.prototype.matches)</script>`, map[string]string{"j/m.js": `Element.prototype.get = function (k) { return this.getAttribute(k) }; HTMLElement.prototype.own = Node.prototype.own = function (u) { fetch(u + this.tagName) }; HTMLAnchorElement.prototype.get = () => "no"; window.$ = i => document.getElementById(i)`}, []string{"/i/a.png", "/i/b.png", "/lazyfunction", "/made/1B", "/notfunction"}},
		{"answers that scripts make", `<script type="application/json" data-url="/a">{"status": 200, "body": "[{\"p\": \"q\"}]"}</script><script>var {body: b, ...i} = JSON.parse(document.querySelector('script[data-url="/a"]').textContent), r = new Response(b, i); r.json().then(d => { x.src = "/i/" + d[0].p + (r.ok ? r.status : "no") + ".png" }); new Response("gone", {status: 404}).text().then(t => { y.src = "/j/" + t + ".png" }); if (new Response("", {status: 404}).ok) fetch("/no/" + 1)</script>`, nil, []string{"/i/q200.png", "/j/gone.png"}},
		{"where the page is, as a text", `<script>fetch("/l?u=" + escape(window.location) + "&v=" + encodeURIComponent(location))</script>`, nil, []string{"/l?u=http%3A//x.test/d/&v=http%3A%2F%2Fx.test%2Fd%2F"}},
		{"messages to a worker, and of it", `<script>var w = new Worker("w/w.js"); w.onmessage = e => { x.src = "/of/" + e.data.n + ".png" }; w.postMessage({at: "data/", of: ["a.json"]})</script>`, map[string]string{"w/w.js": `importScripts("lib/" + "l.js"); self.onmessage = function (e) { e.data.of.forEach(f => fetch(e.data.at + f).then(r => r.json()).then(d => postMessage({n: d.p + lib}))) }`, "w/lib/l.js": `self.lib = "L"; fetch("../m/" + lib)`, "w/data/a.json": one}, []string{"../m/L", "/of/PL.png", "data/a.json", "lib/l.js"}},
		{"what a form says", `<form id=f><input type=hidden name=id value=118><input type=checkbox name=c value=1><select name=s><option value=a><option value=b selected></select></form><script>var d = new FormData(document.getElementById("f")); d.append("x", 9); fetch("/v1/" + Math.abs(parseInt(d.get("id"), 10)) + "/" + d.get("s") + d.has("c") + d.get("x")); fetch("/q?" + new URLSearchParams(d)); fetch("/n/" + new FormData().has("a"))</script>`, nil, []string{"/n/false", "/q?id=118&s=b&x=9", "/v1/118/bfalse9"}},
		{"scripts in files that are written run before what stands behind", `<script>document.write('<script src="j/lib.js"><\/script>')</script><script>fetch("/use/" + lib + ".json")</script>`, map[string]string{"j/lib.js": `lib = "L" + 1`}, []string{"/use/L1.json"}},
		{"a worker that imports itself, handlers that fail, and late messages", `<script>var w = new Worker("w.js"); w.onmessage = e => { if (e.data == 1) throw e; x.src = "/h/" + e.data + ".png" }; fetch("c.json").then(r => r.json()).then(d => w.postMessage(d.p)); w.postMessage("")</script>`, map[string]string{"c.json": one, "w.js": `importScripts("w.js"); onmessage = e => { if (!e.data) throw e; postMessage(1); postMessage(e.data) }`}, []string{"/h/P.png", "c.json"}},
		{"scripts in files that are written", `<script>var n = 3; function show(l) { l.forEach(function (e) { document.write("<img src='" + e + ".png'>") }) } document.write('<script src="feed?n=' + n + '&amp;cb=show"><\/script><script type="text/x" src="t.js"><\/script>'); document.write("<script src=" + window.u + ".js><\/script>"); var after = "/after/"</script>`, map[string]string{"feed?n=3&cb=show": `show(["a", after + "b"])`, "t.js": `fetch("/no/" + 1)`}, []string{"/after/b.png", "a.png", "feed?n=3&cb=show"}},
		{"a script whose address nobody knows", `<script>var s = document.createElement("script"); s.src = window.cdn + "/s.js"; document.head.append(s); s = document.createElement("script"); s.src = window.cdn; document.head.append(s); x.src = "/i/" + 1 + ".png"</script>`, nil, []string{"/i/1.png"}},
	})
}

// Which modules of RequireJS are where, and how often they run.
func TestWhereRequireJSLooks(t *testing.T) {
	checkAnswers(t, []answersRow{
		{"paths with places to choose from, elsewhere, and of paths", `<script>require.config({baseUrl: "j", urlArgs: "v=3", paths: {jq: ["http://y.test/jq", "lib/jq"], "v/ww/x": "lib/w", lib: "no", abs: "/abs", none: [], who: window.who}}); require.config(window.more); require.config({paths: {}}); require(["jq", "v/ww/x/z", "abs/a"], function (q, z, a) { x.src = "/i/" + q.n + z.n + a.n + ".png" })</script>`,
			map[string]string{"http://y.test/jq.js?v=3": "define({n: 1})", "j/lib/w/z.js?v=3": "define({n: 2})", "http://x.test/abs/a.js?v=3": "define({n: 3})"}, []string{"/abs/a.js?v=3", "/i/123.png", "http://y.test/jq.js?v=3", "j/lib/w/z.js?v=3"}},
		{"names that are addresses", `<script>require.config({baseUrl: "j", paths: {m: "lib/m.js"}}); require(["/a", "b.js", "http://y.test/c", "m", "css!theme/d.css", "css!../t/h.css", "css!./t/i", "i18n!nls/e", "../f", "", "exports", window.g, "h/" + window.h], function (a) { x.src = "/i/" + 1 + ".png" }); require(["i18n!nls/e"], function (e) { x.src = (e ? "/y/" : "/n/") + 1 + ".png" })</script>`, nil, []string{"/a", "/i/1.png", "/n/1.png", "/y/1.png", "b.js", "http://y.test/c", "j/../t/h.css", "j/./t/i.css", "j/css.js", "j/i18n.js", "j/lib/m.js", "j/theme/d.css"}},
		{"relative to the page", `<script>require.config({paths: {a: "lib/a"}}); require(["a", "./b"])</script>`, nil, []string{"./b.js", "./lib/a.js"}},
		{"a base that nobody knows", `<script>require.config({baseUrl: window.base + "/j", paths: {a: window.a + "/a"}}); require(["b"]); require(window.list)</script>`, nil, []string{"./b.js"}},
		{"what RequireJS has itself", `<script>require.config({baseUrl: "j"}); require(["m"], function (m) { x.src = "/i/" + m.n + ".png" })</script>`, map[string]string{"j/m.js": `define(["require", "module", "exports", "./n"], function (require, module, exports, n) { exports.n = n.n; require(["late"], function (l) { x.src = "/l/" + l.n + ".png" }) })`, "j/n.js": "define({n: 4})", "j/late.js": "define(function (require) { require(); return {n: 5} })"}, []string{"/i/4.png", "/l/5.png", "j/late.js", "j/m.js", "j/n.js"}},
		{"modules run once", `<script>n = 0; require.config({baseUrl: "j"}); require(["m"], function (m) { x.src = "/i/" + m.n + ".png" }); require(["m", "o"])</script>`, map[string]string{"j/m.js": `define(function () { n++; fetch("/m/" + n); return {n: n} })`, "j/o.js": `define(["m"], function (m) { y.src = "/o/" + m.n + ".png" })`}, []string{"/i/1.png", "/m/1", "/o/1.png", "j/m.js", "j/o.js"}},
		{"modules that need each other", `<script>k = 0; require.config({baseUrl: "j"}); require(["a"], function (a) { x.src = "/i/" + a.n + ".png" })</script>`, map[string]string{"j/a.js": `k++; fetch("/k/" + k); define(["b"], function (b) { fetch("/a/" + 1); return {n: "A"} })`, "j/b.js": `define(["a"], function (a) { fetch("/b/" + 1); return {n: "B"} })`}, []string{"/a/1", "/b/1", "/i/A.png", "/k/1", "j/a.js", "j/b.js"}},
		{"settings that a page has before RequireJS", `<body><script>var require = {baseUrl: "j"}</script><script data-main="main.js" src=require.js></script>`, map[string]string{"j/main.js": `requirejs(["n"], function (n) { x.src = "/i/" + n.n + ".png" })`, "j/n.js": "define({n: 1})"}, []string{"/i/1.png", "j/main.js", "j/n.js"}},
		{"relative to the module that asks, also behind another", `<script>require.config({baseUrl: "j"}); require(["app/a"])</script>`, map[string]string{"j/app/a.js": `define(function (require) { var b = require("./s/b"), c = require("../c"), d = require("./d"); x.src = "/i/" + b.n + c.n + d.n + ".png" })`, "j/app/s/b.js": "define({n: 1})", "j/c.js": "define({n: 2})", "j/app/d.js": "define({n: 3})"}, []string{"/i/123.png", "j/app/a.js", "j/app/d.js", "j/app/s/b.js", "j/c.js"}},
		{"beside the page, when nobody says where", `<script src=r.js></script><script>require(["./n", "lib/o"], function (n, o) { x.src = "/i/" + n.n + o.n + ".png" })</script>`,
			map[string]string{"r.js": requireJS, "n.js": `define(["require", "./p"], function (r, p) { return {n: p.n} })`, "p.js": "define({n: 4})", "lib/o.js": "define({n: 5})"}, []string{"./lib/o.js", "./n.js", "./p.js", "/i/45.png"}},
		{"beside the module that the page names, for all", `<script src=r.js data-main=js/main></script><script>require(["o"], function (o) { x.src = "/i/" + o.n + ".png" })</script>`,
			map[string]string{"r.js": requireJS, "js/o.js": "define({n: 5})", "js/main.js": `define(["require", "./o"], function (r, o) { y.src = "/j/" + o.n + ".png" })`}, []string{"/i/5.png", "/j/5.png", "js/main.js", "js/o.js"}},
		{"modules of the page", `<script>n = 0; require.config({baseUrl: "j"}); define("conf", {base: "/c/"}); define("m", ["conf", "exports", "f"], function (c, e, f) { n++; fetch(c.base + n); e.n = f.n }); define("late", ["conf"], function (c) { fetch(c.base + "late") })</script><script>require(["m", "conf"], function (m, c) { x.src = c.base + m.n + ".png" })</script>`, map[string]string{"j/f.js": "define({n: 6})"}, []string{"/c/1", "/c/6.png", "/c/late", "j/f.js"}},
	})
}

// What scripts ask for is asked for when its whole address is known.
func TestAddressesOfAnswers(t *testing.T) {
	const page = `<script>fetch("a.json").then(r => { x.src = r.url }); var q = new XMLHttpRequest; q.open("GET", "a.json"); q.onload = () => { x.src = q.responseURL }; var s = document.createElement("script"); s.src = "s.js"; import("./m.js"); import("m"); import(""); import("./" + window.m + ".js"); fetch("/v/" + window.v + "/a.json"); fetch("/p/%z" + 1); s.src = window.v + "/t.js"; s.src = "/p/%z" + 2; require.config({baseUrl: "j"}); require(["n", window.n, "i18n!x", ""])</script><script>require(["n"])</script>`
	for _, at := range []string{"http://x.test/d/", ""} {
		asked := map[string]bool{}
		d := Parse(HTML, []byte(page), Options{URL: at, Files: func(ref string) ([]byte, string) {
			asked[ref] = true
			return nil, ""
		}})
		want := map[string]bool{}
		if at != "" {
			want = map[string]bool{at + "a.json": true, at + "s.js": true, at + "m.js": true, at + "j/n.js": true}
		}
		if diff := cmp.Diff(want, asked); diff != "" || d.Err != nil {
			t.Errorf("%q: %v %s", at, d.Err, diff)
		}
		for ref := range asked {
			if strings.IndexByte(ref, script.Hole) >= 0 {
				t.Errorf("%q", ref)
			}
		}
	}
}
