package markup

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exclave/internal/growthtest"
)

// TestRows: what scripts put together of lists of objects, one case a way in which rows, loops and names were taken for one another.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		why  string
		in   string
		want []string
	}{
		{"a field of an object in a row is not the row's", `r = [{thumb: {file: "b.png"}, file: "a.png"}, {thumb: {file: "d.png"}, file: "c.png"}]; r.forEach(o => x.src = "/i/" + o.file)`,
			[]string{"/i/a.png", "/i/c.png"}},
		{"a function that is not known is no parameter", `l = ["a", "b"]; l.forEach(go); x.on("y", function () { i.src = "/p/" + go + ".png" })`, nil},
		{"asynchronous functions", `l = ["a", "b"]; l.map(async n => x.src = "/p/" + n + ".png"); l.map(async function (n) { x.src = "/q/" + n + ".png" })`,
			[]string{"/p/a.png", "/p/b.png", "/q/a.png", "/q/b.png"}},
		{"what a function that is called has for itself", `var u = "/r/"; function f(p) { var u = "/a/" + p; i.src = u + ".png" } f("x"); j.src = u + "b.png"`,
			[]string{"/a/x.png", "/r/b.png"}},
		{"each turn of a loop in a loop", `["cs", "en"].forEach(l => ["a", "b"].forEach(p => x.src = "/" + l + "/" + p + ".png")); for (i = 0; i < 2; i++) for (j = 0; j < 2; j++) x.src = "/t/" + i + j + ".png"`,
			[]string{"/cs/a.png", "/cs/b.png", "/en/a.png", "/en/b.png", "/t/00.png", "/t/01.png", "/t/10.png", "/t/11.png"}},
		{"no more of two maps than may be", `m = {a: "1", b: "2", c: "3", d: "4", e: "5"}; n = {f: "1", g: "2", h: "3", i: "4"}; x.src = "/i/" + m[p] + n[q] + ".png"`, nil},
		{"a key that is not known, in a loop", `["a", "b"].forEach(n => x.src = "/l/" + n + "." + ({1: "a"}[e] || e) + ".js")`, []string{"/l/a.a.js", "/l/b.a.js"}},
		{"the number of a turn belongs to it", `l = ["a", "b"]; m = ["c", "d"]; l.forEach((n, i) => x.src = "/" + n + m[i] + i + ".png")`, []string{"/ac0.png", "/bd1.png"}},
		{"a row without a field", `r = [{f: "a", g: 1}, {g: 2}]; r.forEach(o => x.src = "/i/" + o.f + o.g + ".png")`, []string{"/i/a1.png"}},
		{"what is told of an address", `r = [{u: "p/a.html"}, {u: "p/b.html"}]; r.forEach(o => t(document.title = "saw " + o.u)); r.forEach(o => go(o.u))`, []string{"p/a.html", "p/b.html"}},
		{"numbers beyond all strings", `x.src = "/i/" + ("0" + 5).substr(1, 9223372036854775807) + ".png"`, []string{"/i/5.png"}},
		{"an element that is set anew", `l = ["a.png"]; l[0] = "b.png"; l[1] = "c.png"; x.src = "/i/" + l[0]; x.src = "/j/" + l[1]`, []string{"/i/b.png", "/j/c.png"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			if diff := cmp.Diff(c.want, urls("<script>"+c.in+"</script>")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLoaders: what loaders of modules ask for.
func TestLoaders(t *testing.T) {
	const list = `const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["assets/a.js","assets/b.css"])))=>i.map(i=>d[i]);`
	for _, c := range []struct {
		why  string
		in   string
		want []string
	}{
		{"settings of RequireJS, as they were last said", `require.config({baseUrl: "/a", paths: {b: "c/d"}}); require.config({baseUrl: "/e/"}); define("f", [], g); require(["b/h", "f", "i"])`,
			[]string{"/e/c/d/h.js", "/e/i.js"}},
		{"modules that are called as settings are", `require.config({baseUrl: "/a"}); define("baseUrl", [], g); require(["baseUrl", "b"])`, []string{"/a/b.js"}},
		{"files of Vite", list + `const u=function(e){return"/v/"+e};import("./x.js")`, []string{"./x.js", "/v/assets/a.js", "/v/assets/b.css"}},
		{"files of Vite, and a function that makes no address", list + `const u=e=>"btn-"+e`, []string{"assets/a.js", "assets/b.css"}},
		{"files of Vite behind something else", `const u=e=>"/v/"+e;a("/y/z.png");import("./x.js");` + list + `const t=e=>"/w/"+e`, []string{"./x.js", "/w/assets/a.js", "/w/assets/b.css", "/y/z.png"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			if diff := cmp.Diff(c.want, urls("<script>"+c.in+"</script>")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLinearModules: scripts of a page that say and use settings of RequireJS look each of them up.
func TestLinearModules(t *testing.T) {
	for _, unit := range []string{"define('x');require(['a']);", "require.config({b:'c'});require(['a']);"} {
		growthtest.Linear(t, func(n int) []byte {
			unit := "<script>" + unit + "</script>"
			return append([]byte("<script>require.config({baseUrl:'/b'})</script>"), strings.Repeat(unit, n/len(unit))...)
		}, func(b []byte) { Parse(HTML, b, Options{}) })
	}
}

// TestDataAttributes: an attribute is asked for by its own name.
func TestDataAttributes(t *testing.T) {
	const page = `<a-b name=q data-name=r data-is-on=s></a-b><script>x.src = "/i/" + e.getAttribute("name") + ".png"; x.src = "/j/" + e.dataset.name + ".png"; x.src = "/k/" + $(e).data("isOn") + ".png"; x.src = "/l/" + $(e).attr("data-is-on") + ".png"; x.src = "/m/" + e.getAttribute("is-on") + ".png"</script>`
	if diff := cmp.Diff([]string{"/i/q.png", "/j/r.png", "/k/s.png", "/l/s.png"}, urls(page)); diff != "" {
		t.Error(diff)
	}
}

// urls are those of a page's links.
func urls(page string) (out []string) {
	for _, l := range Parse(HTML, []byte(page), Options{}).Links {
		out = append(out, l.URL)
	}
	return out
}

// TestRelativeJSON: what JSON says is relative to the page that asks for it, as for the scripts of the page.
func TestRelativeJSON(t *testing.T) {
	d := Parse(JSON, []byte(`{"src": "a.png", "file": "b.png"}`), Options{})
	if len(d.Links) != 1 || !d.Links[0].OfPage {
		t.Errorf("%+v", d.Links)
	}
}

// TestManyDataAttributes: of the values of one attribute sixteen are kept.
func TestManyDataAttributes(t *testing.T) {
	var page strings.Builder
	for i := range 40 {
		page.WriteString("<p data-n=a" + strconv.Itoa(i) + "></p>")
	}
	page.WriteString(`<script>x.src = "/i/" + p.dataset.n + ".png"</script>`)
	if d := Parse(HTML, []byte(page.String()), Options{}); len(d.Links) != 16 {
		t.Errorf("%d links", len(d.Links))
	}
}

// TestBundle: a module's own parts are relative to the module, what it gives to an element is relative to the page. Svelte compares an
// address with the one that an element has before it sets it.
func TestBundle(t *testing.T) {
	const bundle = `parts = ["./chunk.js"]; load(import("./x.js")); u(img.src, a = "./b.png") || set(img, "src", a); other.src = "./c.png"`
	of := map[string]bool{}
	for _, l := range Parse(JS, []byte(bundle), Options{URL: "http://a.cz/assets/m.js"}).Links {
		of[l.URL] = l.OfPage
	}
	if diff := cmp.Diff(map[string]bool{"./chunk.js": false, "./x.js": false, "./b.png": true, "./c.png": true}, of); diff != "" {
		t.Error(diff)
	}
}
