package markup

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// domConstructs are ways in which scripts look at the elements of their page.
func domConstructs() []construct {
	return []construct{
		{"words that are not in ASCII", HTML, `<meta charset=utf-8><p class="abcž" id=čd title="/x/y">a</p><script>fetch(document.querySelector(".abcž").title + "/z.png"); fetch(document.getElementById("čd").title + "/i.png")</script>`, []string{"X /x/y/z.png js/fetch", "X /x/y/i.png js/fetch"}},
		{"properties of elements of a page's own", HTML, `<p-l src="data/{lang}.json" lang=lv></p-l><script>customElements.define("p-l", class extends HTMLElement { static get observedAttributes() { return ["src", "lang"] } attributeChangedCallback(n, o, v) { this[n] = v } connectedCallback() { x.src = this.src.replace("{lang}", this.lang) + "?" + 1 } })</script>`,
			[]string{"X data/lv.json?1 js/string"}},
		{"elements have no tree in their shadow before a script or the page gives them one", HTML, `<x-a k=1></x-a><x-b><template shadowrootmode=open><img alt=2></template></x-b><script>customElements.define("x-a", class extends HTMLElement { connectedCallback() { if (this.shadowRoot) return; new Image().src = "/s/" + this.getAttribute("k") + ".png" } }); customElements.define("x-b", class extends HTMLElement { connectedCallback() { i = this.shadowRoot.querySelector("img"); i.src = "/s/" + i.alt + ".png" } })</script>`,
			[]string{"X /s/1.png js/string", "X /s/2.png js/string"}},
		{"the rows and cells of tables", HTML, `<table id=t><tbody><tr><td>AX</td><td>gif</td></tr><tr><td>BX<td>png</table><script>t = document.getElementById("t"); for (r = 0; r < t.rows.length; r++) { c = t.tBodies[0].rows[r].cells; x.src = "/p/" + c[0].textContent.toLowerCase() + r + "." + c[1].innerHTML.trim() }</script>`,
			[]string{"X /p/ax0.gif js/string", "X /p/bx1.png js/string"}},
		{"where a cell stands", HTML, `<table><tr><td>a<td>b<tr><td>c<td class=h>d</table><script>d = document.querySelector(".h"); x.src = "/h/" + d.parentNode.rowIndex + "_" + d.cellIndex + ".png"</script>`, []string{"X /h/1_1.png js/string"}},
		{"what is chosen in forms", HTML, `<form name=f><select name=s><option value=a>A<option value=b selected>B</select><input name=v value=2><input type=radio name=z value=s><input type=radio name=z value=l checked></form><script>f = document.forms.f; s = f.elements["s"]; x.src = "/k/" + s.options[s.selectedIndex].value + f.v.value + f.z.value + ".css"</script>`,
			[]string{"X /k/b2l.css js/string"}},
		{"comments", HTML, `<div id=a><!-- pic:moss,fern --><p>t</div><script>n = document.getElementById("a").firstChild; if (n.nodeType == 8) /pic:(.+?) /.exec(n.data)[1].split(",").forEach(p => { new Image().src = "/p/" + p + ".jpg" })</script>`,
			[]string{"X /p/moss.jpg js/string", "X /p/fern.jpg js/string"}},
		{"the attributes of an element", HTML, `<p id=p :src="'/v/' + name" title=q></p><script>name = "a.png"; for (a of document.getElementById("p").attributes) if (a.name[0] === ":") y.src = new Function("return " + a.value)()</script>`,
			[]string{"X /v/a.png js/string"}},
		{"terms and what they mean", HTML, `<dl><dt>Keel<dd data-f=k1>b<dt>Mast<dd data-f=m1>c<dd data-f=m2>d</dl><script>document.querySelectorAll("dt").forEach(t => { n = t.nextElementSibling; fs = []; while (n && n.tagName === "DD") { fs.push(n.dataset.f); n = n.nextElementSibling } new Image().src = "/g/" + fs.join("-") + ".gif" })</script>`,
			[]string{"X /g/k1.gif js/string", "X /g/m1-m2.gif js/string"}},
		{"properties that are attributes", HTML, `<meta name=root content=/r/><time datetime=1911-04>t</time><script>x.src = document.querySelector("meta[name=root]").content + document.querySelector("time").dateTime + ".png"</script>`, []string{"X /r/1911-04.png js/string"}},
		{"data that an element has not", HTML, `<img id=i data-w=3><script>d = document.getElementById("i").dataset; x.src = "/d/" + ("hd" in d ? "hd" : "w" + d.w) + ".png"</script>`, []string{"X /d/w3.png js/string"}},
		{"elements that are not there", HTML, `<div id=a></div><script>v = "q/"; if (document.getElementById("b")) x.src = "/b/" + v + "c.png"; if (!document.querySelector(".d")) y.src = "/e/" + "f.png"</script>`, []string{"X /e/f.png js/string"}},
		{"elements that a script made", HTML, `<script>document.write('<p id="' + "q" + '"></p>'); if (document.getElementById("q")) x.src = "/b/" + "c.png"</script>`, []string{"X /b/c.png js/string"}},
		{"classes that a script gives", HTML, `<p id=p class="a b">t</p><script>p = document.getElementById("p"); p.classList.add("c"); p.classList.remove("a"); if (p.className === "b c" && p.classList.contains("c")) x.src = "/i/" + p.className.replace(" ", "-") + ".png"</script>`,
			[]string{"X /i/b-c.png js/string"}},
		{"the order of elements that are put in", HTML, `<p id=p><i>1</i></p><script>p = document.getElementById("p"); b = document.createElement("b"); b.textContent = "0"; p.insertBefore(b, p.firstChild); u = document.createElement("u"); u.textContent = "2"; p.firstElementChild.after(u); x.src = "/o/" + p.textContent + ".png"</script>`,
			[]string{"X /o/021.png js/string"}},
		{"fragments are what is in them", HTML, `<div id=d></div><script>f = document.createDocumentFragment(); for (n of ["a", "b"]) { s = document.createElement("span"); s.textContent = n; f.appendChild(s) } d = document.getElementById("d"); d.appendChild(f); x.src = "/f/" + d.children.length + d.lastChild.textContent + ".png"</script>`,
			[]string{"X /f/2b.png js/string"}},
		{"walks over text and comments", HTML, `<p>a @heron b<p>c<!--#x--><script>w = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, {acceptNode: n => /@\w/.test(n.data) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT}); while (w.nextNode()) { x.src = "/w/" + w.currentNode.data.match(/@(\w+)/)[1] + ".png"; break }</script>`,
			[]string{"X /w/heron.png js/string"}},
		{"what is taken out of an element", HTML, `<ul id=u><li>1<li>2<li>3</ul><script>u = document.getElementById("u"); while (u.hasChildNodes()) u.removeChild(u.firstChild); b = document.createElement("b"); b.id = "q"; u.replaceChildren("x", b); x.src = "/u/" + u.children.length + u.firstElementChild.id + u.contains(b) + ".png"</script>`,
			[]string{"X /u/1qtrue.png js/string"}},
		{"what is put beside an element", HTML, `<div id=d><p id=p>t</p></div><script>p = document.getElementById("p"); b = document.createElement("b"); b.textContent = "1"; p.insertAdjacentElement("beforebegin", b); p.insertAdjacentHTML("afterend", "<i>2</i>"); p.insertAdjacentHTML("afterbegin", "<u>3</u>"); x.src = "/d/" + document.getElementById("d").textContent + ".png"</script>`,
			[]string{"X /d/13t2.png js/string"}},
		{"what a script chooses in a menu", HTML, `<select id=s><option value=a>A<option value=b>B</select><script>s = document.getElementById("s"); s.value = "b"; x.src = "/s/" + s.selectedIndex + s.options[s.selectedIndex].text + ".png"</script>`, []string{"X /s/1B.png js/string"}},
		{"classes that are there or not", HTML, `<p id=p class=a></p><script>c = document.getElementById("p").classList; x.src = "/c/" + c.toggle("b") + c.toggle("b") + c.toggle("q", false) + c.toggle("a", true) + document.getElementById("p").className + ".png"</script>`,
			[]string{"X /c/truefalsefalsetruea.png js/string"}},
		{"forms of many controls", HTML, `<form id=f></form><script>f = document.getElementById("f"); f.innerHTML = Array.from({length: 300}, (v, i) => "<input name=a" + i + " id=b" + i + ">").join(""); x.src = "/f/" + f.elements.length + f.elements.a7.id + f.elements.b9.name + ".png"</script>`, []string{"X /f/300b7a9.png js/string"}},
		{"links and anchors", HTML, `<a name=q></a><a href=/b>b</a><script>x.src = "/l/" + document.links.length + document.links[0].textContent + document.anchors[0].name + ".png"</script>`, []string{"L /b a/@href", "X /l/1bq.png js/string"}},
		{"handlers know their event", HTML, `<button onfocus="fetch('/hd/' + event.type + '.txt')">b</button>`, []string{"X /hd/focus.txt js/fetch"}},
		{"what persons do comes after what the page does", HTML, `<script>s = {n: 0}; document.addEventListener("keydown", () => { s.n = 1; show() }); function show() { x.src = "/s/" + s.n + ".png" } Promise.resolve().then(show)</script>`,
			[]string{"X /s/0.png js/string", "X /s/1.png js/string"}},
		{"events go up, once, and are caught before", HTML, `<div id=o><p id=i></p></div><script>o = document.getElementById("o"); i = o.firstElementChild; o.addEventListener("e", v => { new Image().src = "/v/" + v.target.id + v.currentTarget.id + ".png" }); o.addEventListener("e", v => { new Image().src = "/c/" + v.eventPhase + v.detail.n + ".png" }, true); i.dispatchEvent(new CustomEvent("e", {bubbles: true, detail: {n: 7}}))</script>`,
			[]string{"X /v/io.png js/string", "X /c/17.png js/string"}},
		{"documents of frames that a script writes", HTML, `<script>f = document.createElement("iframe"); document.body.appendChild(f); d = f.contentWindow.document; d.open(); d.write('<script>n = "bell"; document.write("<img src=/a/" + n + ".gif>")<\/script>'); d.close()</script>`,
			[]string{"E /a/bell.gif img/@src"}},
		{"browsers of old are not meant", HTML, `<script>if (document.all) s = "ie"; else if (document.layers) s = "ns"; else s = "dom"; document.write('<link rel=stylesheet href="/c/' + s + '.css">')</script>`, []string{"E /c/dom.css link/@href[rel=stylesheet]"}},
		{"imports by a name that is put together", HTML, `<script type=importmap>{"imports":{"lib/":"/v/lib-4/"}}</script><script type=module>for (n of ["a", "b"]) import("lib/" + n + ".mjs"); fetch(import.meta.resolve("lib/c" + ".json"))</script>`,
			[]string{"E /v/lib-4/a.mjs js/import", "E /v/lib-4/b.mjs js/import", "X /v/lib-4/c.json js/fetch"}},
	}
}

// TestPlace reads scripts that ask where their page is.
func TestPlace(t *testing.T) {
	const at = "https://a.cz:81/shop/items/12/?q=lime#x"
	for _, c := range []struct {
		why, in string
		want    []string
	}{
		{"parts of the address", `<script>x.src = "/l/" + location.pathname.split("/")[2] + location.search.slice(3) + location.port + ".png"; v = "/p/"; if (location.protocol === "http:") y.src = v + "no.png"</script>`, []string{"X /l/itemslime81.png js/string"}},
		{"beside the page", `<script>d = document.URL.substring(0, document.URL.indexOf("?")); x.src = d + "same" + ".gif"; v = "../up/o"; y.src = new URL(v + ".css", location).pathname.replace("up", "down")</script>`, []string{"X https://a.cz:81/shop/items/12/same.gif js/string", "X /shop/items/down/o.css js/string"}},
		{"an address made of it", `<script>u = new URL(location); u.pathname = u.pathname.replace(/[^/]*$/, "a.txt"); u.search = u.hash = ""; fetch(u)</script>`, []string{"X https://a.cz:81/shop/items/12/a.txt js/fetch"}},
		{"a base element", `<base href=/b/><script>v = "c"; x.src = new URL(v + ".png", document.baseURI).pathname</script>`, []string{"X /b/c.png js/string"}},
		{"links are whole", `<a id=a href="deep/p.html?k=v">t</a><script>a = document.getElementById("a"); x.src = a.pathname.replace("p.html", a.search.slice(3)) + ".png"</script>`, []string{"L deep/p.html?k=v a/@href", "X /shop/items/12/deep/v.png js/string"}},
		{"a page that moved", `<script>history.pushState({id: 5}, "", "/other/9/"); x.src = "photo" + history.state.id + ".jpg"; document.body.innerHTML = '<img src="b' + 1 + '.png">'</script>`, []string{"X photo5.jpg js/string (https://a.cz:81/other/9/)", "X b1.png img/@src (https://a.cz:81/other/9/)", "X /other/9/ js/string"}},
		{"pictures are relative to where their script leaves the page", `<script>i = new Image(); i.src = "p" + 1 + ".png"; fetch("a" + 1 + ".json"); history.pushState(0, "", "/other/"); i = document.createElement("img"); i.setAttribute("src", "q" + 1 + ".png")</script>`, []string{"X p1.png js/string (https://a.cz:81/other/)", "X a1.json js/fetch", "X q1.png js/string (https://a.cz:81/other/)", "X /other/ js/string"}},
		{"what is asked for where a script moved the page", `<script>history.replaceState(0, "", "/other/"); fetch("list.json"); f("more.json")</script>`, []string{"X list.json js/fetch (https://a.cz:81/other/)", "X more.json js/string", "X /other/ js/string"}},
		{"forms by their names", `<form name=f action=find><input name=q value=cats></form><script>document.f.submit()</script>`, []string{"L find form/@action", "X find?q=cats js/string"}},
		{"a person moves it", `<script>document.onclick = () => { history.pushState(0, "", "/other/") }; v = "a"; onload = () => { x.src = v + ".png" }</script>`, []string{"X a.png js/string", "X /other/ js/string"}},
		{"it is shared", `<script>window.open("https://f.cz/share?u=" + encodeURIComponent(location.href)); new Image().src = "//c.cz/hit.gif?u=" + encodeURIComponent(location.host)</script>`, []string{"X //c.cz/hit.gif?u=a.cz%3A81 js/string"}},
		{"a part of it that changes", `<script>addEventListener("hashchange", e => fetch("/h/" + e.newURL.split("#")[1] + ".json")); location.hash = "tab"</script>`, []string{"X /h/tab.json js/fetch"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			d := Parse(HTML, []byte(c.in), Options{URL: at})
			got := brief(d.Links)
			for i, l := range d.Links {
				if l.Base != "" {
					got[i] += " (" + l.Base + ")"
				}
			}
			if diff := cmp.Diff(slices.Sorted(slices.Values(c.want)), slices.Sorted(slices.Values(got))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestQueryCharsets: what queries are written in, where browsers do not take the document's charset.
func TestQueryCharsets(t *testing.T) {
	d := Parse(HTML, []byte(`<img src="a?&copy;"><p style="background:url(b?&copy;)">`), Options{})
	if d.QueryCharset != "windows-1252" || len(d.Links) != 2 || d.Links[0].UTF8 || !d.Links[1].UTF8 {
		t.Errorf("%q, %+v", d.QueryCharset, d.Links)
	}
}
