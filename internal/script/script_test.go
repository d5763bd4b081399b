package script

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// interpreted is what a script asks for, or makes elements and style sheets of.
func interpreted(src string) (out []string) {
	p := New(Source{}, nil)
	s, err := Parse([]byte(src), false)
	if err != nil {
		return []string{err.Error()}
	}
	p.Run(0, s)
	p.Finish()
	for _, f := range p.Found() {
		if f.Use != Made && !slices.Contains(out, f.Text) {
			out = append(out, f.Text)
		}
	}
	return out
}

// TestValues: scripts put addresses together in the ways of their language; each row is one.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		why  string
		in   string
		want []string
	}{
		{"assign defaults", `var defaults = {base: "/media/", size: "large", ext: ".jpg"}; var o = Object.assign({}, defaults, {size: "small"}); img.src = o.base + o.size + "/hero" + o.ext;`, []string{"/media/small/hero.jpg"}},
		{"extend", `$.fn.gal = function(opts){ var s = $.extend({}, {path: "/gal/", ext: ".png"}, opts); $("#g").append('<img src="' + s.path + s.name + s.ext + '">'); }; $("#x").gal({path: "/foto/", name: "most"});`, []string{"<img src=\"/foto/most.png\">"}},
		{"queue of objects", `var q = []; q.push({src: "one.js", id: 1}); q.push({src: "two.js", id: 2}); q.forEach(function (x) { var s = document.createElement("script"); s.src = "/q/" + x.src; document.head.appendChild(s) });`, []string{"/q/one.js", "/q/two.js"}},
		{"a class of some elements", `class A extends HTMLElement {} for (const c of "abcdefgh") customElements.define("x-" + c, A); fetch("/" + new A().localName)`, []string{"/x-a"}},
		{"bound functions have fewer parameters", `function f(a, b, c) {} fetch("/" + f.bind(null).length + f.bind(null, 1).bind(null, 2).length)`, []string{"/31"}},
		{"rest", `function join(...parts) { return parts.join("/") } img.src = join("/img", "a", "b.png"); const p = (...x) => "/" + x.join("/"); img.src = p("c", "d.png");`, []string{"/img/a/b.png", "/c/d.png"}},
		{"tpl replace fn", `var tpl = "/tiles/{z}/{x}/{y}.png"; function fill(t, d) { return t.replace(/\{(\w+)\}/g, function (m, k) { return d[k] }) } img.src = fill(tpl, {z: 3, x: 4, y: 5});`, []string{"/tiles/3/4/5.png"}},
		{"tpl replace arrow", `const fill = (t, d) => t.replace(/\{\{(\w+)\}\}/g, (_, k) => d[k] ?? ""); img.src = fill("/p/{{id}}-{{size}}.jpg", {id: 7, size: "xl"});`, []string{"/p/7-xl.jpg"}},
		{"tpl inline", `const data = {lang: "cs", page: "home"}; fetch("/i18n/:lang/:page.json".replace(/:(\w+)/g, (_, k) => data[k]));`, []string{"/i18n/cs/home.json"}},
		{"indexOf", `var s = "/assets/js/app.js"; var base = s.substring(0, s.lastIndexOf("/") + 1); i.src = base + "img.png";`, []string{"/assets/js/img.png"}},
		{"slice lastIndexOf", `var f = "photo.large.jpg"; var ext = f.slice(f.lastIndexOf(".")); var n = f.slice(0, f.indexOf(".")); i.src = "/t/" + n + "_thumb" + ext;`, []string{"/t/photo_thumb.jpg"}},
		{"match", `var m = "v=abc123&x".match(/v=(\w+)/)[1]; i.src = "/v/" + m + ".jpg";`, []string{"/v/abc123.jpg"}},
		{"tiles", `for (var x = 0; x < 2; x++) for (var y = 0; y < 2; y++) { var i = new Image(); i.src = "/tiles/3/" + (4 + x) + "/" + (2 + y) + ".png" }`, []string{"/tiles/3/4/2.png", "/tiles/3/4/3.png", "/tiles/3/5/2.png", "/tiles/3/5/3.png"}},
		{"tiles template", `const z=3, T="/t/{z}/{x}/{y}.png"; for (let x=1;x<3;x++) for (let y=1;y<3;y++) new Image().src = T.replace("{z}", z).replace("{x}", x).replace("{y}", y);`, []string{"/t/3/1/1.png", "/t/3/1/2.png", "/t/3/2/1.png", "/t/3/2/2.png"}},
		{"URL of location", `var u = new URL("data/list.json", location.href); fetch(u); fetch(new URL("api/x", document.baseURI)); fetch(new URL(path, location.origin));`, []string{"data/list.json", "api/x"}},
		{"url searchparams", `const u = new URL("/search.json", location.origin); u.searchParams.set("q", "praha"); u.searchParams.append("n", 10); fetch(u);`, []string{"/search.json?q=praha&n=10"}},
		{"usp", `const p = new URLSearchParams(); p.set("a", "1"); p.append("b", "2"); fetch("/x.json?" + p); fetch("/y.json?" + new URLSearchParams({c: 3}).toString());`, []string{"/x.json?a=1&b=2", "/y.json?c=3"}},
		{"usp entries", `fetch("/z.json?" + new URLSearchParams([["a","1"],["b","2"]]));`, []string{"/z.json?a=1&b=2"}},
		{"reduce", `var parts = ["a","b","c"]; i.src = parts.reduce((a, p) => a + "/" + p, "") + ".png";`, []string{"/a/b/c.png"}},
		{"map then foreach", `["a","b"].map(n => "/img/" + n + ".png").forEach(u => { new Image().src = u + "?v=2" });`, []string{"/img/a.png?v=2", "/img/b.png?v=2"}},
		{"charcode", `i.src = "/" + String.fromCharCode(97,98) + ".png"; i.src = [47,97,46,112,110,103].map(c => String.fromCharCode(c)).join("");`, []string{"/ab.png", "/a.png"}},
		{"reverse string", `i.src = "gnp.a/".split("").reverse().join("");`, []string{"/a.png"}},
		{"getter", `const cfg = { base: "/g/", get hero() { return this.base + "hero.png" } }; i.src = cfg.hero;`, []string{"/g/hero.png"}},
		{"closure factory", `function maker(base){ return function(n){ return base + n + ".png" } } var mk = maker("/f/"); i.src = mk("a"); i.src = mk("b");`, []string{"/f/a.png", "/f/b.png"}},
		{"switch", `function f(k){ switch(k){ case "a": return "/s/a.png"; default: return "/s/d.png" } } i.src = f("a"); var p; switch (x) { case 1: p = "one"; break; case 2: p = "two"; break } j.src = "/sw/" + p + ".png";`, []string{"/s/a.png", "/sw/one.png", "/sw/two.png"}},
		{"array destructuring", `const [dir, ext] = ["/ad/", ".png"]; i.src = dir + "x" + ext; const [a, ...rest] = ["p", "q", "r"]; rest.forEach(n => i.src = "/rest/" + n + ".png");`, []string{"/ad/x.png", "/rest/q.png", "/rest/r.png"}},
		{"generator", `function* g(){ yield "/y/a.png"; yield "/y/b.png" } for (const u of g()) new Image().src = u + "?x";`, []string{"/y/a.png?x", "/y/b.png?x"}},
		{"while", `var n = 0; while (n < 3) { new Image().src = "/w/" + n + ".png"; n++ }`, []string{"/w/0.png", "/w/1.png", "/w/2.png"}},
		{"do while down", `for (var i = 3; i > 0; i--) new Image().src = "/d/" + i + ".png"; for (var i = 0; i < 10; i += 5) new Image().src = "/e/" + i + ".png";`, []string{"/d/3.png", "/d/2.png", "/d/1.png", "/e/0.png", "/e/5.png"}},
		{"spread arrays", `const a=["x"], b=["y"]; [...a, ...b].forEach(n => new Image().src = "/sp/"+n+".png"); a.concat(b).forEach(n => new Image().src = "/cc/"+n+".png");`, []string{"/sp/x.png", "/sp/y.png", "/cc/x.png", "/cc/y.png"}},
		{"bind", `function load(d, n){ new Image().src = d + n } var l2 = load.bind(null, "/bind/"); l2("a.png"); load.call(null, "/call/", "b.png"); load.apply(null, ["/apply/", "c.png"]);`, []string{"/bind/a.png", "/call/b.png", "/apply/c.png"}},
		{"promise then", `Promise.resolve("p.json").then(n => fetch("/pr/" + n));`, []string{"/pr/p.json"}},
		{"at", `const l = ["a","b","c"]; i.src = "/at/" + l.at(-1) + ".png"; i.src = "/len/" + l[l.length-1] + ".png";`, []string{"/at/c.png", "/len/c.png"}},
		{"logical assignment", `let d; d ??= "/la/"; i.src = d + "x.png"; var o = o || {}; o.base = o.base || "/lb/"; i.src = o.base + "y.png";`, []string{"/la/x.png", "/lb/y.png"}},
		{"comma", `var a = "/cm/", b = "x.png"; i.src = a + b;`, []string{"/cm/x.png"}},
		{"concat method", `i.src = "/cat/".concat("a", "/", "b.png"); i.src = "".concat(base2, "/x.png");`, []string{"/cat/a/b.png", string(Hole) + "/x.png"}},
		{"repeat", `i.src = "../".repeat(2) + "up.png";`, []string{"../../up.png"}},
		{"substr eq", `var h = "#fff"; i.src = "/hex/" + h.substr(1) + ".png"; i.src = "/ch/" + "abc".charAt(1) + ".png"; i.src="/ix/" + "abc"[2] + ".png";`, []string{"/hex/fff.png", "/ch/b.png", "/ix/c.png"}},
		{"number methods", `i.src = "/nm/" + (1.5).toFixed(1) + ".png"; i.src = "/nx/" + (255).toString(16) + ".png"; i.src = "/mf/" + Math.floor(7/2) + ".png"; i.src = "/ml/" + 2*3 + ".png"; i.src = "/mm/" + 7%4 + ".png";`, []string{"/nm/1.5.png", "/nx/ff.png", "/mf/3.png", "/ml/6.png", "/mm/3.png"}},
		{"JSON.parse", `const c = JSON.parse('{"base":"/jp/","f":"a.png"}'); i.src = c.base + c.f;`, []string{"/jp/a.png"}},
		{"settimeout args", `setTimeout(function(u){ new Image().src = u + "x.png" }, 10, "/st/");`, []string{"/st/x.png"}},
		{"lookup default", `var themes = {light: "l.css", dark: "d.css"}; var t = localStorage.getItem("t") || "light"; link.href = "/th/" + themes[t];`, []string{"/th/l.css"}},
		{"matchmedia ternary", `var d = matchMedia("(prefers-color-scheme: dark)").matches; link.href = "/mm/" + (d ? "dark" : "light") + ".css";`, []string{"/mm/dark.css", "/mm/light.css"}},
		{"dpr", `var r = window.devicePixelRatio > 1 ? "@2x" : ""; img.src = "/dp/logo" + r + ".png";`, []string{"/dp/logo@2x.png", "/dp/logo.png"}},
		{"typeof", `var w = typeof WebAssembly === "object" ? "wasm" : "asm"; s.src = "/to/" + w + ".js";`, []string{"/to/wasm.js", "/to/asm.js"}},
		{"try", `try { var b = "/tr/"; } catch (e) { b = "/no/" } new Image().src = b + "a.png";`, []string{"/tr/a.png", "/no/a.png"}},
		{"iife return", `var M = (function(){ var base = "/if/"; return { img: function(n){ return base + n }, css: n => base + n + ".css" } })(); i.src = M.img("a.png"); l.href = M.css("b");`, []string{"/if/a.png", "/if/b.css"}},
		{"prototype", `function L(b){ this.b = b } L.prototype.u = function(n){ return this.b + n }; var l = new L("/pt/"); i.src = l.u("a.png");`, []string{"/pt/a.png"}},
		{"inherits", `class B { base(){ return "/inh/" } img(n){ return this.base() + this.dir + n } } class C extends B { dir = "c/"; } i.src = new C().img("a.png");`, []string{"/inh/c/a.png"}},
		{"super", `class B { constructor(p){ this.p = p } } class C extends B { constructor(){ super("/sup/") } u(){ return this.p + "a.png" } } i.src = new C().u();`, []string{"/sup/a.png"}},
		{"static map", `class I { static #m = {a: "a.svg"}; static get(n){ return "/sm/" + I.#m[n] } } i.src = I.get("a");`, []string{"/sm/a.svg"}},
		{"symbol iterator sets", `new Set(["a","b"]).forEach(n => new Image().src = "/set/" + n + ".png"); for (const n of new Set(["c"])) new Image().src = "/set/" + n + ".png";`, []string{"/set/a.png", "/set/b.png", "/set/c.png"}},
		{"every some", `["a","b"].every(n => new Image().src = "/ev/" + n + ".png"); ["a","b"].some(n => { new Image().src = "/so/" + n + ".png" }); ["c"].flatMap(n => [new Image().src = "/fl/" + n + ".png"]);`, []string{"/ev/a.png", "/ev/b.png", "/so/a.png", "/so/b.png", "/fl/c.png"}},
		{"find", `const l=[{id:"a",f:"x.png"},{id:"b",f:"y.png"}]; i.src = "/fi/" + l.find(x => x.id === "b").f;`, []string{"/fi/y.png"}},
		{"filter rows", `const l=[{on:true,f:"x.png"},{on:false,f:"decoy.png"}]; l.filter(x => x.on).forEach(x => i.src = "/fr/" + x.f);`, []string{"/fr/x.png"}},
		{"slice rows", `const l=["a","b","c"]; l.slice(0,2).forEach(x => i.src = "/sl/" + x + ".png");`, []string{"/sl/a.png", "/sl/b.png"}},
		{"names of a block", `for (var i = 0; i < 2; i++) { const n = i; setTimeout(() => fetch("/a/" + n)) } var w = 0; while (w < 2) { let n = w++; setTimeout(() => fetch("/b/" + n)) } if (1) { const u = "/c/"; setTimeout(() => fetch(u + 1)) } if (1) { const u = "/d/"; setTimeout(() => fetch(u + 1)) }`, []string{"/a/0", "/a/1", "/b/0", "/b/1", "/c/1", "/d/1"}},
		{"var in a loop is a name of the function", `(function () { for (const n of ["a", "b"]) { var last = n } for (let i = 0; i < 2; i++) { var at = i } fetch("/" + last + at) })(); for (var k in {a: 1}) { var v = k } fetch("/t/" + v)`, []string{"/b1", "/t/a"}},
		{"var under conditions", `if (u()) { var p = "/a/" } else { var p = "/b/" } fetch(p + 1); function f() { if (u()) { var q = "/c/" } else { q = "/d/" } fetch(q + 1); if (u()) for (var i = 0; i < 2; i++) { var n = "n" + i; fetch(n + i) } } f()`, []string{"/a/1", "/b/1", "/c/1", "/d/1", "n00", "n11"}},
		{"var that a function sets before", `(function () { function set() { base = "/a/" } set(); var base; fetch(base + 1) })(); var e = "/e/"; try { u() } catch (e) { log(e) } fetch(e + 1)`, []string{"/a/1", "/e/1"}},
		{"finally", `function f() { try { throw "/a/" } finally { fetch("/f/" + 1) } } try { f(); fetch("/no/" + 1) } catch (e) { fetch(e + 1) }`, []string{"/f/1", "/a/1"}},
		{"from the end", `var l = ["a", "b", "a"]; fetch("/" + l.lastIndexOf("a") + l.findLastIndex(x => x == "b") + "ča".at(-2)); fetch("/p/" + "a".replace("a", "$$b"))`, []string{"/21č", "/p/$b"}},
		{"maps that may have nothing", `var known = {cs: 1, en: 1}, m = {a: "x", b: "y"}, lang = navigator.language.substr(0, 2); if (!known[lang]) lang = "cz"; fetch("/l/" + lang); function f(k) { fetch("/a/" + (m[k] ? m[k] : "no")); fetch("/k/" + (m[k] ? k : "none")); if (m[k] == null) fetch("/n/" + 1); if (typeof m[k] == "undefined") fetch("/n/" + 2) } fetch("/o/" + (m[u()] || "z"))`, []string{"/l/cz", "/o/x", "/o/y", "/o/z", "/a/x", "/a/y", "/a/no", "/k/a", "/k/b", "/k/none", "/n/1", "/n/2"}},
		{"scripts that are written", `var d = "/d/"; document.write("<script>var e = '" + d + "'; fetch(e + 1); x.y()<\/script>"); fetch(e + 2)`, []string{"<script>var e = '/d/'; fetch(e + 1); x.y()</script>", "/d/1", "/d/2"}},
		{"what is not known is extended", `jQuery.extend(Drupal.settings, {base: "/d/"}); fetch(Drupal.settings.base + 1); Object.assign(window.app, {b: "/a/"}); fetch(app.b + 1); if (Drupal.settings.more) fetch("/m/" + 1)`, []string{"/d/1", "/a/1", "/m/1"}},
		{"numbers of old scripts", "fetch('/č/' + 08 + 010 + 007 + 00);\r\nvar d = 0777; fetch('/' + d)", []string{"/č/8870", "/511"}},
		{"unescape, and the order of words", `fetch(unescape("/%61%u010d%E1%zz%")); fetch("/" + ["b", "A", "a"].sort((x, y) => x.localeCompare(y)).join(""))`, []string{"/ačá%zz%", "/aAb"}},
		{"a constructor that throws, of what nothing makes", `class A { constructor() { throw 1 } m() { fetch("/a/" + 1) } } class B { m() { fetch("/b/" + 1) } }`, []string{"/a/1", "/b/1"}},
		{"for index of length", `var l=["a","b"]; for (var i = 0, n = l.length; i < n; i++) { var im = new Image(); im.src = "/ln/" + l[i] + ".png" }`, []string{"/ln/a.png", "/ln/b.png"}},
		{"nested object rows", `var s=[{name:"g1", imgs:["a","b"]},{name:"g2", imgs:["c"]}]; s.forEach(g => g.imgs.forEach(i => new Image().src = "/" + g.name + "/" + i + ".png"));`, []string{"/g1/a.png", "/g1/b.png", "/g2/c.png"}},
		{"characters and their numbers", `i.src = "/" + "aéb".charAt(1) + "x".charAt(9) + ("abc".charCodeAt(1) + 1) + ".png"`, []string{"/é99.png"}},
		{"groups with names", `fetch("/n/" + "2024-05".replace(/(?<y>\d+)-(?<m>\d+)/, '$<m>.$<y>')); var m = /(?<y>\d+)-(?<m>\d+)/.exec("2024-05"); fetch("/g/" + m.groups.m + m.index + m.input); fetch("/f/" + "2024-05".replace(/(?<y>\d+)-(?<m>\d+)/, (...a) => a.at(-1).y + a.length)); const {groups: {id}} = "/item/77".match(/\/(?<id>\d+)$/); fetch("/i/" + id)`, []string{"/n/05.2024", "/g/0502024-05", "/f/20246", "/i/77"}},
		{"what is ahead", `fetch("/k/" + "1234567".replace(/\B(?=(\d{3})+(?!\d))/g, ",")); fetch("/c/" + "FooBarBaz".replace(/(?!^)[A-Z]/g, m => "-" + m).toLowerCase()); fetch("/b/" + "a.min.js?v=1".replace(/(?<=\.min)\.js(?=\?)/, ".mjs")); fetch("/s/" + "fooBarBaz".split(/(?=[A-Z])/).join("/"))`, []string{"/k/1,234,567", "/c/foo-bar-baz", "/b/a.min.mjs?v=1", "/s/foo/Bar/Baz"}},
		{"what a group has", `fetch("/" + "{{#a}}x{{/a}}{{#b}}y{{/a}}{{/b}}".replace(/\{\{#(\w+)\}\}([\s\S]*?)\{\{\/\1\}\}/g, (_, k, body) => k + ":" + body + ";")); fetch("/q/" + "<a href='x\"y' id=z>".match(/href=(["'])(.*?)\1/)[2].length)`, []string{"/a:x;b:y{{/a}};", "/q/3"}},
		{"again from where it was found", `var re = /\ba(\d)/g, m, out = ""; while ((m = re.exec("a1 ba2 a3"))) out += m[1] + "@" + m.index + ">" + re.lastIndex + ";"; fetch("/" + out + re.lastIndex); var st = /^a/g, n = 0; while (st.exec("aaa")) n++; fetch("/n/" + n); var e = /x*/g; var k = 0; while ((m = e.exec("axb"))) { if (m.index === e.lastIndex) e.lastIndex++; k++ } fetch("/e/" + k); var g = /b/g; g.lastIndex = 2; fetch("/l/" + g.test("abab") + g.lastIndex + g.test("abab") + g.lastIndex)`, []string{"/1@0>2;3@7>9;0", "/n/1", "/e/4", "/l/true4false0"}},
		{"sticky tokens", `var re = /(\s+)|([a-z]+)|(\d+)/y, m, out = [], s = "ab 12 c!d"; while ((m = re.exec(s))) { if (m[2]) out.push("w" + m[2]); else if (m[3]) out.push("n" + m[3]) } fetch("/" + out.join("/") + "/" + re.lastIndex); var y = /b/y; fetch("/y/" + y.test("ab") + "ab".replace(/b/y, "c") + (y.lastIndex = 1, y.test("ab")) + "aab".replace(/a/gy, "x"))`, []string{"/wab/n12/wc/0", "/y/falseabtruexxb"}},
		{"what it is replaced by", "fetch('/' + 'abcd'.replace(/(b)(c)?/, '[$`|$&|$\\x27|$1|$2|$3|$01|$10|$$|$0|$]')); fetch('/t/' + 'abcb'.replace('b', '[$&$1]') + 'abcb'.replaceAll('b', (m, i, s) => m + i + s)); fetch('/u/' + 'xay'.replace(/a(b)?/, '<$1>') + 'ab'.replace(/(?:)/g, '-') + 'čxx'.replace(/x/g, (m, i) => i))", []string{"/a[a|bc|d|b|c|$3|b|b0|$|$0|$]d", "/t/a[b$1]cbab1abcbcb3abcb", "/u/x<>y-a-b-č12"}},
		{"divided by expressions", `fetch("/" + "a1b22c".split(/(\d)+/).join("|")); fetch("/l/" + "a, b ,c".split(/\s*,\s*/, 2).join("|") + "ab".split(/(?:)/).length + "".split(/a/).length + "".split(/(?:)/).length + "aXbx".split(/x/i).join("|"))`, []string{"/a|1|b|2|c", "/l/a|b210a|b|"}},
		{"all that is found", `for (const m of "a1b2".matchAll(/([a-z])(\d)/g)) fetch("/m/" + m[1] + m[2] + m.index); fetch("/g/" + "x1y22".match(/\d+/g).join("-") + ("x".match(/\d/g) === null) + "a.b".match(".")[0] + "čab".search(/b/)); fetch("/s/" + /a\/b/gi.source + /a/gi.flags + /x/y.sticky + /(a)(b)?/d.exec("xab").indices[1].join()); fetch("/p/" + RegExp.prototype.exec.call(/b+/, "abb")[0] + /b/[Symbol.replace]("abc", "x") + new RegExp(/A/, "i").test("a"))`, []string{"/m/a10", "/m/b22", "/g/1-22truea2", "/s/a\\/bgitrue1,2", "/p/bbaxctrue"}},
		{"branches do not see each other", `if (layers) { pre = "ns"; a.src = "/" + pre + "/a.png" } else { pre = "ie"; a.src = "/" + pre + "/b.png" } a.src = "/" + pre + "/c.png"`, []string{"/ns/a.png", "/ie/b.png", "/ns/c.png", "/ie/c.png"}},
		{"a branch that is not taken leaves what was", `var s = "a"; if (u) s = "b"; i.src = "/" + s + ".png"; if (u) { s = "c"; s += "d" } else if (v) s = "e"; i.src = "/x/" + s + ".png"`,
			[]string{"/a.png", "/b.png", "/x/cd.png", "/x/a.png", "/x/b.png", "/x/e.png"}},
		{"branches that make properties", `o = {}; if (u) { o.d = "/b/" } else { o.d = "/c/"; i.src = o.d + "y.png" } i.src = o.d + "x.png"`, []string{"/c/y.png", "/b/x.png", "/c/x.png"}},
		{"branches of properties", `o = {d: "/a/"}; if (u) { o.d = "/b/" } else { o.d = "/c/" } i.src = o.d + "x.png"`, []string{"/b/x.png", "/c/x.png"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			if diff := cmp.Diff(c.want, interpreted(c.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
