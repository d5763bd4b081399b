package markup

import (
	"slices"
	"strings"
	"testing"
)

// Which scripts of a page are interpreted, and with what.
func TestScriptsThatRun(t *testing.T) {
	long := func(n int) string { return "/*" + strings.Repeat("x", n) + "*/" }
	asks := map[string]string{"s.js": `fetch("/s/" + 1)`, "plain.js": `a = 1`, "long.js": `fetch("/s/" + 1)` + long(maxFile), "d.js": `x.src = base + "d.png"`}
	checkAnswers(t, []answersRow{
		{"asynchronous ones come last", `<script async src=d.js></script><script>var base = "/b/"</script>`, asks, []string{"/b/d.png"}},
		{"one puts something together, the next does not", `<script src=s.js></script><script src=plain.js></script>`, asks, []string{"/s/1"}},
		{"none of the page", `<script src=s.js type=text/x-template></script><noframes><script src=s.js></script></noframes><p id=q></p><script>q.innerHTML = "<script src=s.js></scr" + "ipt><script data-main=app/main src=r.js></scr" + "ipt>"</script><script src=""></script>`, asks, nil},
		{"too long", `<script src=long.js></script>`, asks, nil},
		{"what hides from browsers without scripts", "<script><!--\nfetch('/s/' + 1)\n//--></script>", nil, []string{"/s/1"}},
		{"long ones that stand in the page", `<script>fetch("/s/" + 1)` + long(maxInline) + `</script>`, nil, []string{"/s/1"}},
		{"one that may make something by functions alone", `<script>fetch(atob("L3MvMQ=="))` + long(smallScript) + `</script>`, nil, []string{"/s/1"}},
		{"not when it is long", `<script>fetch(atob("L3MvMQ=="))` + long(maxMaker) + `</script>`, nil, nil},
		{"settings in a long one", `<script>var CONF = {api: "/api/"};` + long(smallScript) + `</script><script>fetch(CONF.api + 1)</script>`, nil, []string{"/api/1"}},
		{"what a long one calls", `<script>function show(o) { fetch(o.folder + "/" + o.name) }</script><script>ready(function () { show({folder: "/f", name: "n"}) })` + long(smallScript) + `</script>`, nil, []string{"/f/n"}},
		{"what settings say before what is called, as far as there is room", `<script>function show(u) { fetch("/api/" + CONF.n + "/" + u) }</script>` + strings.Repeat(`<script>show(1)`+long(maxInline-100)+`</script>`, 32) + `<script>show(1)` + long(2500) + `</script><script>CONF = {n: "v"}` + long(smallScript) + `</script><script>ready(function () { show(2) })</script>`, nil, []string{"/api/v/2"}},
		{"names of pictures in a code that a script wrote", `<script src=w.js></script><script>for (k = 1; k < 3; k++) document.write('<a href="/f/f' + k + '.htm" onClick="return w(\'' + k + '.jpg\',640)"><img src="/m' + k + '.jpg"></a>')</script>`, map[string]string{"w.js": `function w(n, s) { open("../f/" + n) }`}, []string{"/f/f1.htm", "/f/f2.htm", "/m1.jpg", "/m2.jpg"}},
		{"what is sent by persons and when the page is shown", `<script>fetch("/a/" + 1); fetch("/b", {method: "POST", body: c}); navigator.sendBeacon("/v/" + 1, d); function e() { fetch("/e", {method: "POST"}); $.post("/g"); f.open("POST", "/f") } onclick = e
addEventListener("error", function () { fetch("/r", {method: "POST"}) }); addEventListener("submit", function () { fetch("/s/" + 1, {method: "put"}); fetch("/t/" + 1, {method: "get"}); navigator.sendBeacon("/u/" + 1) })</script><a onclick="fetch('/o', {method: 'DELETE'})">p</a>`, nil, []string{"/a/1", "/b", "/t/1", "/v/1"}},
		{"a list that goes on as long as nobody knows its end", `<script>let p = 1; async function more() { const r = await fetch("/p/" + p + ".json"), {last} = await r.json(); p += 1; if (!last) more() } more()</script>`, nil, []string{"/p/1.json", "/p/2.json"}},
		{"one with an end", `<script>let p = 1; async function more() { const r = await fetch("p" + p + ".json"), {last} = await r.json(); p += 1; if (!last) more() } more(); x.src = "/i/" + 1</script>`, map[string]string{"p1.json": `{"last": false}`, "p2.json": `{"last": false}`, "p3.json": `{"last": false}`, "p4.json": `{"last": true}`}, []string{"/i/1", "p1.json", "p2.json", "p3.json", "p4.json"}},
		{"what is known to its end where little else is", `<script>function walk(n) { x.src = "/t/" + n.a + ".png"; if (n.b) walk(n.b) } if (unknown) walk({a: 1, b: {a: 2, b: {a: 3, b: {a: 4}}}})</script>`, nil, []string{"/t/1.png", "/t/2.png", "/t/3.png", "/t/4.png"}},
		{"the element of the script", `<script data-u="/u/">fetch(document.currentScript.dataset.u + 1)</script>`, nil, []string{"/u/1"}},
		{"a code of an event", `<a onclick="fetch('/s/' + 1)">s</a><p onclick="x.src = this.id + 1" id="/t/">`, nil, []string{"/s/1", "/t/1"}},
		{"answers in UTF-8 with its mark, and too long ones", `<script>["a.json", "b.json"].forEach(n => fetch(n).then(r => r.json()).then(d => { x.src = "/i/" + d.p + ".png" }))</script>`, map[string]string{"a.json": "\ufeff" + one, "b.json": `{"p": "no"}` + strings.Repeat(" ", maxOwn)}, []string{"/i/P.png", "a.json", "b.json"}},
	})
	bundle := long(maxInline) + `fetch("/s/" + 1);`
	for src, want := range map[string][]string{bundle: nil, bundle + `u=e=>"j/"+{1:"a"}[e]+".js"`: {"/s/1", "j/a.js"}} {
		var got []string
		for _, l := range Parse(JS, []byte(src), Options{}).Links {
			got = append(got, l.URL)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: %q", src[maxInline:], got)
		}
	}
}

// What scripts put together is an address when it looks like one, and has a name.
func TestAddressesPutTogether(t *testing.T) {
	checkAnswers(t, []answersRow{
		{"folders, values to come, and words", `<script>a = "/n/" + "o/"; b = "/n/o?p" + "="; c = "and" + "/or"; d = "/n/" + "o.png"</script>`, nil, []string{"/n/o.png"}},
		{"without a name", `<script>x.src = "/n/" + "" + ".png"; x.src = "/n/" + undefined + ".png"; x.src = "/n/" + 0 / 0 + ".png"; x.src = "/n/" + null + ".json"; x.src = "/n/.well" + "-known/o"</script>`, nil, []string{"/n/.well-known/o"}},
		{"blanks and quotes of addresses", `<script>fetch("/a b/" + "c.json?q=d e&r=\"f\""); fetch("\\n\\" + "o.json")</script>`, nil, []string{"/a%20b/c.json?q=d%20e&r=%22f%22", "/n/o.json"}},
		{"families of fonts", `<script>l.href = "//f.test/css?family=" + "A|B"; fetch("//f.test/css?family=" + "A|B")</script>`, nil, []string{"//f.test/css?family=A|B", "//f.test/css?family=A|B"}},
	})
}

// What scripts set is read as what it is: sets of pictures, style sheets and markup.
func TestMarkupPutTogether(t *testing.T) {
	d := Parse(HTML, []byte(`<script>x.srcset = "/n/" + "a.png 1x, /n/b.png 2x"; x.style.backgroundImage = "url(/n/" + "c.png)"; x.style.cssText = "background: image-set('/n/" + "d.png' 1x)"; x.style.textContent = "@import '/n/" + "g.css'"; x.innerHTML = "<img src=/n/" + "e.png>"; document.write("<img src=/n/f.png>")</script>`), Options{URL: "http://x.test/d/"})
	got, want := brief(d.Links), []string{"E /n/f.png img/@src", "X /n/a.png js/string", "X /n/b.png js/string", "X /n/c.png css/url", "X /n/d.png css/url", "X /n/e.png img/@src"}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// What nobody knows which branch is taken of may be either.
func TestBranches(t *testing.T) {
	checkAnswers(t, []answersRow{
		{"names of parts of webpack 5, most of them numbers", `<script>u = e => "js/" + (592 === e ? "vendors" : e) + "." + {592: "ab", 7: "cd"}[e] + ".js"</script>`, nil, []string{"js/7.cd.js", "js/vendors.ab.js"}},
		{"the other way round", `<script>u = e => "js/" + (e !== 592 ? e : "vendors") + "." + {592: "ab", 7: "cd"}[e] + ".js"; v = e => "css/" + ((e == 592) ? "vendors" : e) + "." + {592: "ab", 7: "cd"}[e] + ".css"; w = e => "w/" + ("a" != e ? e : "b") + "." + {a: "1", c: "2"}[e] + ".js"</script>`, nil, []string{"css/7.cd.css", "css/vendors.ab.css", "js/7.cd.js", "js/vendors.ab.js", "w/b.1.js", "w/c.2.js"}},
		{"names that some have", `<script>u = e => "js/" + ({1: "a"}[e] ? {1: "a"}[e] : e) + "." + {1: "b", 2: "c"}[e] + ".js"</script>`, nil, []string{"js/2.c.js", "js/a.b.js"}},
		{"parts that are there", `<script>u = e => "js/" + ({1: 1}[e] ? e : "x") + ".js"</script>`, nil, []string{"js/1.js", "js/x.js"}},
		{"a choice by something else", `<script>u = (e, f) => "js/" + (f === 1 ? "a" : e) + "." + {1: "b", 2: "c"}[e] + ".js"; v = e => "v/" + (e > 1 ? "a" : "b") + ".js"</script>`, nil, []string{"js/a.b.js", "js/a.c.js", "v/a.js", "v/b.js"}},
		{"two names and two properties", `<script>var a = "/a/", b = "/b/", o = {p: "/p/", q: "/q/"}; if (window.c) { a = "/c/"; b = "/d/"; o.p = "/r/"; o.q = "/s/" } x.src = a + "1.png"; x.src = b + "1.png"; x.src = o.p + "1.png"; x.src = o.q + "1.png"</script>`, nil, []string{"/a/1.png", "/b/1.png", "/c/1.png", "/d/1.png", "/p/1.png", "/q/1.png", "/r/1.png", "/s/1.png"}},
		{"two names of a function", `<script>(function () { var a = "/a/", b = "/b/"; if (window.c) { a = "/c/"; b = "/d/" } x.src = a + "1.png"; x.src = b + "1.png" })(); (function (a) { if (window.c) a = "/f/"; x.src = a + "2.png" })("/e/")</script>`, nil, []string{"/a/1.png", "/b/1.png", "/c/1.png", "/d/1.png", "/e/2.png", "/f/2.png"}},
		{"an object, or nothing", `<script>var o = {p: "/o/"}; if (window.c) { o = null } else { o = window.o } x.src = o.p + "1.png"; var q = null; if (window.c) { q = {p: "/q/"} } else { q = null } x.src = q.p + "1.png"</script>`, nil, []string{"/o/1.png", "/q/1.png"}},
		{"a number beyond", `<script>u = e => "js/" + (e > 592 ? "vendors" : e) + "." + {592: "ab", 7: "cd"}[e] + ".js"</script>`, nil, []string{"js/vendors.ab.js", "js/vendors.cd.js"}},
		{"three branches", `<script>var a; switch (window.c) { case 1: a = "/a/"; break; case 2: a = "/b/"; break; default: a = "/c/" } x.src = a + "1.png"</script>`, nil, []string{"/a/1.png", "/b/1.png", "/c/1.png"}},
		{"nothing before, or nothing behind", `<script>var a = null, b = ""; if (window.c) { a = "/a/"; b = "/b/" } x.src = a + "1.png"; x.src = b + "/1.png"; var d = "/d/"; if (window.c) d = null; x.src = d + "1.png"; var e = "/e/"; if (window.c) e = window.e; x.src = e + "1.png"</script>`, nil, []string{"/a/1.png", "/b//1.png", "/d/1.png", "/e/1.png"}},
		{"a text before, and a number behind", `<script>var a = "/a/"; if (window.c) a = 7; x.src = "/n/" + a + ".png"</script>`, nil, []string{"/n/7.png"}},
	})
}
