package markup

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What references are relative to (JSON-LD 1.1, 4.1.3): @base up to the end of its object, else the document, whoever asked for it. Strings of
// which nothing is known are the page's.
func TestJSONBase(t *testing.T) {
	for _, c := range []struct {
		why  string
		kind Kind
		in   string
		want []string
	}{
		{"one in another", JSON, `{"@context":{"@base":"http://a.cz/b/"},"@id":"c","x":[{"@context":{"@base":"d/"},"@id":"e","f":["g/h.html","no"]},{"@id":"../i"}],"j":"http://k.cz/l"}`,
			[]string{"c http://a.cz/b/", "e http://a.cz/b/d/", "g/h.html http://a.cz/b/d/", "../i http://a.cz/b/", "http://k.cz/l of page"}},
		{"none", JSON, `{"@context":{"@base":null},"@id":"a","b":"/c/d.html"}`, []string{"a ", "/c/d.html of page"}},
		{"in a page", HTML, `<base href=/a/><script type="application/ld+json">[{"@context":["https://schema.org",{"@base":"http://b.cz/"}],"@id":"c","url":"d.html"},{"@context":"https://schema.org","@id":"e","url":"f.html"}]</script>`,
			[]string{"c http://b.cz/", "d.html http://b.cz/", "f.html "}},
	} {
		var got []string
		for _, l := range Parse(c.kind, []byte(c.in), Options{}).Links {
			of := l.Base
			if l.OfPage {
				of = "of page"
			}
			got = append(got, fmt.Sprint(l.URL, " ", of))
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(c.want)), slices.Sorted(slices.Values(got))); diff != "" {
			t.Errorf("%s: %s", c.why, diff)
		}
	}
}
