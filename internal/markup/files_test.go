package markup

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Scripts of other files are interpreted where their elements stand (ADR 114), with those in the page and with each other.
func TestFiles(t *testing.T) {
	files := map[string]string{
		"a.js":    `window.CONF = {api: "/api/", list: "items"};`,
		"b.js":    `document.querySelectorAll("li").forEach(function (l) { l.style.backgroundImage = "url('/icons/" + l.dataset.icon + ".svg')" }); fetch(CONF.api + CONF.list + "?lang=" + LANG); own = "/own/string.png"`,
		"c.js":    `fetch("/c/" + 1)`,
		"q/m.mjs": `new Image().src = new URL("rel.png", import.meta.url); new Image().src = "/of/" + document.body.dataset.page + ".png"; import("./n.mjs")`,
		"stub.js": `var s = document.querySelector("script[src$='stub.js']"), e = document.createElement("script"); e.src = s.src.replace(/stub\.js$/, "core.js"); document.head.appendChild(e)`,
	}
	for _, c := range []struct {
		why, page string
		want      []string
	}{
		{"settings of one, attributes and variables of the page", `<script>var LANG = "cs"</script><ul><li data-icon=car><li data-icon=bus></ul><script src=a.js></script><script src=b.js></script>`,
			[]string{"X /icons/car.svg css/url", "X /icons/bus.svg css/url", "X /api/items?lang=cs js/fetch", "E a.js script/@src", "E b.js script/@src"}},
		{"one is not known", `<ul><li data-icon=car></ul><script src=unknown.js></script><script src=b.js></script>`, []string{"X /icons/car.svg css/url", "E unknown.js script/@src", "E b.js script/@src"}},
		{"what is relative to the file", `<body data-page=home><script type=module src=q/m.mjs></script>`, []string{"E q/m.mjs script/@src", "X /of/home.png js/string", "X http://x.test/d/q/rel.png js/string"}},
		{"the base element counts", `<base href="q/"><body data-page=home><script type=module src=m.mjs></script>`, []string{"E m.mjs script/@src", "X /of/home.png js/string", "X http://x.test/d/q/rel.png js/string"}},
		{"where it stands", `<script src=stub.js></script>`, []string{"E stub.js script/@src", "X http://x.test/d/core.js js/string"}},
		{"no script of the page", `<script src=c.js type=text/x-template></script>`, []string{"E c.js script/@src"}},
		{"the same, as a script of the page", `<script src=c.js></script>`, []string{"E c.js script/@src", "X /c/1 js/fetch"}},
	} {
		d := Parse(HTML, []byte(c.page), Options{URL: "http://x.test/d/", Files: func(ref string) ([]byte, string) { return []byte(files[ref]), "" }})
		if diff := cmp.Diff(slices.Sorted(slices.Values(c.want)), slices.Sorted(slices.Values(brief(d.Links)))); diff != "" {
			t.Errorf("%s: %s", c.why, diff)
		}
	}
}
