package markup

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A document is read the same whatever was read before it with the same scratch, and whatever its scripts had made in their memory.
func TestScratch(t *testing.T) {
	docs := [][]byte{
		[]byte(`<title>a</title><p id=one>one</p><a href=/a>a</a><script>var o = {a: {b: "/o/"}}; document.getElementById("one").x = o; function F(n) { this.n = n } F.prototype.go = function () { return o.a.b + this.n }; for (var i = 0; i < 99; i++) new Image().src = new F(i).go() + ".png"</script>`),
		[]byte(`<p class=two>two <img src=b.png onclick="location = '/on/' + 'click'"><script>var p = []; for (var i = 0; i < 40; i++) { p.push({i: i, s: "/p" + i}) } p.forEach(function (e) { fetch(e.s + "/" + e.i) }); if (window.x) { p = null } else { p = "/c/" + p.length } fetch(p)</script>`),
		// long strings without their escapes are read in one room
		[]byte(`<script>var s = "<a onclick=\"location='/q/'+'uoted'\">` + strings.Repeat(`\/`, maxURL) + `", r = "` + strings.Repeat(`r\/`, maxURL) + `"</script>`),
		[]byte(`nothing`),
	}
	for _, name := range []string{"readability_aktualne_cs", "no_1484494308", "no_1544178583"} {
		docs = append(docs, readShared(t, "data/pages/"+name+".html"))
	}
	read := func(i int) *Doc { return Parse(HTML, docs[i], Options{URL: "http://a.cz/b/"}) }
	want := make([]*Doc, len(docs))
	for i := range docs {
		want[i] = read(i)
	}
	for i := range docs {
		for _, j := range []int{i, len(docs) - 1 - i, i} {
			if got := read(j); !reflect.DeepEqual(got, want[j]) {
				t.Errorf("document %d behind others: %d links, %d bytes of text; %d and %d by itself", j, len(got.Links), len(got.Text), len(want[j].Links), len(want[j].Text))
				for k, l := range got.Links {
					if k >= len(want[j].Links) || !reflect.DeepEqual(l, want[j].Links[k]) {
						t.Errorf("first other link: %v", l)
						break
					}
				}
			}
		}
	}
	if !slices.ContainsFunc(want[0].Links, func(l Link) bool { return l.URL == "/o/98.png" }) || !slices.ContainsFunc(want[1].Links, func(l Link) bool { return l.URL == "/c/40" }) || !slices.ContainsFunc(want[2].Links, func(l Link) bool { return l.URL == "/q/uoted" }) {
		t.Errorf("scripts were not read: %v", want[:3])
	}
}
