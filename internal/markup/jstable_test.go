package markup

import (
	"fmt"
	"strings"
	"testing"
)

// TestTables: names of one shape beside the folder that they are in.
func TestTables(t *testing.T) {
	names := func(format string, n int) string {
		var out strings.Builder
		for i := range n {
			fmt.Fprintf(&out, format, i, i)
		}
		return out.String()
	}
	const row = `"a%d": "u/%d.png?v8", `
	for _, c := range []struct {
		why, in string
		n       int
		first   string
	}{
		{"a folder in a member", `x = {"baseURL": "https://a.cz/b/", "data": {` + names(row, 100) + `}}`, 100, "https://a.cz/b/u/0.png?v8"},
		{"a folder in a variable", `base = "/b/"; x = {` + names(row, 100) + `}`, 100, "/b/u/0.png?v8"},
		{"too few", `base = "/b/"; x = {` + names(row, 99) + `}`, 99, "u/0.png?v8"},
		{"no folder", `x = {` + names(row, 100) + `}`, 100, "u/0.png?v8"},
		{"two folders", `b = "/b/"; c = "/c/"; x = {` + names(row, 100) + `}`, 0, ""},
		{"another shape", `base = "/b/"; x = {` + names(row, 100) + `y: "v/0.png"}`, 101, "/b/u/0.png?v8"},
		{"pictures of characters", `x = {` + names(`"a%d": '<img alt="" src="1f%d.png"/>', `, 100) + `y: '<img src="plain.png">'}`, 1, "plain.png"},
		{"a few of them", `x = {` + names(`"a%d": '<img alt="" src="1f%d.png"/>', `, 99) + `}`, 99, "1f0.png"},
	} {
		t.Run(c.why, func(t *testing.T) {
			doc := Parse(JS, []byte(c.in), Options{})
			if len(doc.Links) != c.n || c.n > 0 && doc.Links[0].URL != c.first {
				t.Errorf("%d links, want %d from %s: %v", len(doc.Links), c.n, c.first, doc.Links[:min(1, len(doc.Links))])
			}
		})
	}
}
