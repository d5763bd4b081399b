package markup

import (
	"testing"

	"github.com/google/go-cmp/cmp"
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
			[]string{"/a/x.png"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			var got []string
			for _, l := range Parse(HTML, []byte("<script>"+c.in+"</script>"), Options{}).Links {
				got = append(got, l.URL)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
