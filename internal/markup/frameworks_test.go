package markup

import (
	"strings"
	"testing"
)

// requireJS is taken for the library.
const requireJS = "/* requirejs */ data-main; urlArgs"

// What frameworks and loaders need of a browser, and how long they take (ADR 116).
func TestFrameworks(t *testing.T) {
	long := "/*" + strings.Repeat("x", maxInline) + "*/"
	checkAnswers(t, []answersRow{
		{"RequireJS with what the page says before", `<script>var require = {baseUrl: "app", urlArgs: "v=1", config: {m: {n: 1}}}</script><script data-main="main" src="r.js"></script>`,
			map[string]string{"r.js": requireJS, "app/main.js?v=1": `require(["m"], function (m) { x.src = "/i/" + m.n + ".png" })`, "app/m.js?v=1": `define(["module"], function (m) { return {n: m.config().n} })`},
			[]string{"/i/1.png", "app/m.js?v=1", "app/main.js?v=1"}},
		{"RequireJS with other names, packages, scripts that define nothing, and plug-ins", `<script data-main="main" src="r.js"></script>`,
			map[string]string{"r.js": requireJS, "main.js": `require.config({map: {"*": {_: "under"}}, packages: ["p", {name: "q", location: "lib/q", main: "./start.js"}], shim: {old: {deps: ["under"], exports: "Old.it"}, bare: ["old"]}}); require(["_", "p", "q", "old", "bare", "text!t.html"], function (u, p, q, old, b, t) { x.src = "/i/" + u.n + p.n + q.n + old + t + ".png" })`,
				"under.js": `define({n: 1})`, "p/main.js": `define({n: 2})`, "lib/q/start.js": `define({n: 3})`, "old.js": `var Old = {it: "o"}`, "bare.js": `y.src = "/bare/" + Old.it`, "t.html": "T"},
			[]string{"./bare.js", "./lib/q/start.js", "./main.js", "./old.js", "./p/main.js", "./t.html", "./text.js", "./under.js", "/bare/o", "/i/123oT.png"}},
		{"what asks whether modules can be defined", `<script data-main="main" src="r.js"></script>`,
			map[string]string{"r.js": requireJS, "main.js": `require(["u"], function (u) { x.src = "/i/" + u.n + ".png" })`, "u.js": `(function (f) { if (typeof define === "function" && define.amd) { define([], f) } else { window.u = f() } })(function () { return {n: 2} })`},
			[]string{"./main.js", "./u.js", "/i/2.png"}},
		{"what a browser runs no scripts in", `<noscript><script>x.src = "/no/" + 1 + ".png"</script><script src=n.js></script></noscript><template><script>x.src = "/no/" + 2 + ".png"</script></template><script>x.src = "/i/" + 3 + ".png"</script>`, map[string]string{"n.js": `x.src = "/no/" + 4 + ".png"`}, []string{"/i/3.png"}},
		{"a library that puts nothing together", `<script src=lib.js></script><script>x.src = lib("/i/") + 3 + ".png"</script>`, map[string]string{"lib.js": `function lib(a) { return a }` + long}, []string{"/i/3.png"}},
		{"jQuery is the program's own", `<script src=jq.js></script><script>$("p").attr("src", "/i/" + 4 + ".png")</script><p>`, map[string]string{"jq.js": `/*! jQuery v3.7.1 */ window.$ = window.jQuery = function () { x.src = "/no/" + 1 + ".png" }; $.noConflict = 1`}, []string{"/i/4.png"}},
		{"a module that only has others", `<script type=module>import "./m.js"</script>`, map[string]string{"m.js": `x.src = "/i/" + 5 + ".png"`}, []string{"/i/5.png"}},
		{"many callbacks, one after another, as long as they find something", `<script src=f.js></script>`, map[string]string{"f.js": `var p = Promise.resolve(0); for (var i = 1; i <= 700; i++) { p = p.then(function (n) { if (n % 350 == 349) x.src = "/i/" + n + ".png"; return n + 1 }) }`}, []string{"/i/349.png", "/i/699.png"}},
		{"callbacks by the method of a promise (Preact)", `<script src=f.js></script>`, map[string]string{"f.js": `var n = 0, later = Promise.prototype.then.bind(Promise.resolve()); function f() { n++ } later(f); later(function () { later(f); later(function () { x.src = "/i/" + n + ".png" }) })`}, []string{"/i/2.png"}},
		{"a list that is perhaps emptied", `<script src=f.js></script>`, map[string]string{"f.js": `var l = []; try { l.push(7) } catch (e) { l.length = 0 } l.forEach(function (n) { x.src = "/i/" + n + ".png" })`}, []string{"/i/7.png"}},
		{"what takes long to set up", `<script src=f.js></script>`, map[string]string{"f.js": `var n = 0; setTimeout(function () { for (var i = 0; i < 2000; i++) { n += i } x.src = "/i/" + n + ".png" })`}, []string{"/i/1999000.png"}},
		{"markup with names that were not known", `<script>x.innerHTML = "<a href='/r/" + "" + "/'></a><img src='/v/" + null + "/a.jpg'><img src='/w/" + "" + "'><img src='/u/" + 6 + ".png'>"</script>`, nil, []string{"/u/6.png"}},
		{"the type of an answer", `<script>var r = new XMLHttpRequest(); r.open("GET", "a" + ".json"); r.onload = function () { if (/json/.test(r.getResponseHeader("Content-Type")) && r.getAllResponseHeaders().indexOf("content-type: application/json") === 0) x.src = "/i/" + JSON.parse(r.responseText).p + ".png"; else y.src = "/no/" + 1 }; r.send(); fetch("a.json").then(function (r) { x.src = "/j/" + r.headers.get("content-type").length + ".png" })</script>`,
			map[string]string{"a.json": `{"p": "P"}`}, []string{"/i/P.png", "/j/16.png", "a.json"}},
	})
}

// What the language and the DOM say of themselves, on which frameworks decide what they do.
func TestOfBrowser(t *testing.T) {
	for is, want := range map[string]string{
		`({}).hasOwnProperty.call("ab", "callee")`: "false", `({}).hasOwnProperty.call("ab", "length")`: "true", `({}).hasOwnProperty.call([1], "length")`: "true", `({}).hasOwnProperty.call(5, "x")`: "false",
		`"length" in []`: "true", `"map" in []`: "true", `2 in [1]`: "false",
		`[].map.call({length: 2, 0: "a", 1: "b"}, function (v) { return v + v }).join("")`:   "aabb",
		`(o = {length: 1, 0: "c"}, o[Symbol.iterator] = [][Symbol.iterator], [...o].join())`: "c",
		`document.body instanceof Element`:                                                   "true", `document.body instanceof HTMLImageElement`: "false", `document.images[0] instanceof HTMLImageElement`: "true", `document instanceof Node`: "true", `"a" instanceof Element`: "false",
		`document.createTextNode("a") instanceof Text`: "true", `document.body instanceof ShadowRoot`: "false", `typeof ShadowRoot`: "function", `[] instanceof HTMLElement`: "false",
		`document.documentElement.parentNode === document`: "true", `document.documentElement.parentElement === null`: "true", `document.parentNode === null`: "true", `document.nodeType`: "9",
		`document.body.__k === undefined`: "true", `document.images[0]._x === undefined`: "true",
		`encodeURI("a[0]")`: "a%5B0%5D",
		`(C = class B { static m() { return new B().x } constructor() { this.x = "own" } }, C.m())`: "own",
		`[].map === Array.prototype.map`: "true", `"".trim === String.prototype.trim`: "true",
		`[1].__v_isShallow === undefined`: "true", `[1].type === undefined`: "true", `"prototype" in (function () {})`: "true", `new Map().__v_skip === undefined`: "true",
		`Array.isArray(window.k ? [1] : [2])`:        "true",
		`({c1: "a", 5: "b"})[{id: 5}] === undefined`: "true", `({"[object Object]": "a"})[{}]`: "a", `({"1,2": "l"})[[1, 2]]`: "l", `({k: "v"})[{toString() { return "k" }}]`: "v",
	} {
		found := false
		d := Parse(HTML, []byte(`<html><body><img src=i.png><script>new Image().src = "/t/" + (`+is+`) + "/z.png"</script>`), Options{})
		for _, l := range d.Links {
			found = found || l.URL == "/t/"+want+"/z.png"
		}
		if !found {
			t.Errorf("%s: not %s: %q", is, want, brief(d.Links))
		}
	}
}
