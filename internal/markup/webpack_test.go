package markup

import (
	"fmt"
	"strings"
	"testing"
)

// TestManyChunks: the parts of a bundle are found however many there are, in each form of the function that names them.
func TestManyChunks(t *testing.T) {
	const n = 300
	var hashes, named strings.Builder
	for i := range n {
		fmt.Fprintf(&hashes, "%d:\"h%x\",", i+1000, i+4096)
		if i < 9 {
			fmt.Fprintf(&named, "\"%d\":'n%d',", i+1000, i)
		}
	}
	for code, want := range map[string]string{
		`r.u=e=>"js/"+({NAMED}[e]||e)+"."+{HASHES}[e]+".js";r.p="/s/"`:                                     "X /s/js/n0.h1000.js js/string, X /s/js/1299.h112b.js js/string",
		`r.u=function(e){return e+".chunk.js?v="+{HASHES}[e]},r.p=""`:                                      "X 1000.chunk.js?v=h1000 js/string, X 1299.chunk.js?v=h112b js/string",
		`r.u=(e) => "" + e + "." + { HASHES }[e] + ".js"; (()=>{e=e.replace(/[^\/]+$/,""),r.p=e+"../"})()`: "X ../1000.h1000.js js/import, X ../1299.h112b.js js/import",
		`r.miniCssF=e=>"css/"+{HASHES}[e]+".css";r.p="{{base}}/s/"`:                                        "X css/h1000.css js/import, X css/h112b.css js/import",
	} {
		d := Parse(JS, []byte("(()=>{"+strings.NewReplacer("NAMED", named.String(), "HASHES", hashes.String()).Replace(code)+"})()"), Options{URL: "http://a.cz/s/js/runtime.js"})
		got := brief(d.Links)
		for link := range strings.SplitSeq(want, ", ") {
			if !strings.Contains(strings.Join(got, "\n")+"\n", link+"\n") {
				t.Errorf("%s: no %s among %d: %.2q", code, link, len(got), got)
			}
		}
		different := map[string]bool{}
		for _, l := range d.Links {
			different[l.URL] = true
		}
		if len(different) < n || len(different) > n+9 {
			t.Errorf("%s: %d links", code, len(different))
		}
	}
	for _, code := range []string{`r.u=e=>f(e)`, `r.u=e=>"a"+{1:b}[e]`, `r.u=`, `r.u=e=>"a`, `r.u=e=>({1:"a"}[f]||e)+".js"`, `r.u=e=>{`} {
		c := chunks{src: []byte(code[4:])}
		if got := c.names(true); got != nil {
			t.Errorf("%s: %q", code, got)
		}
	}
}
