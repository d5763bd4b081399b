package rules

import "testing"

// What differs in numbers only is a list or a calendar; letters make another page.
func TestAlike(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"http://a.test/list?page=9", "http://a.test/list?page=10", true},
		{"http://a.test/2026/05/", "http://a.test/2031/12/", true},
		{"http://a1.farm.test/", "http://a22.farm.test/", true},
		{"http://a.test/list?page=9", "http://a.test/list?page=9", false},
		{"http://a.test/list?page=9", "http://a.test/list?page=", false},
		{"http://a.test/1-praha", "http://a.test/2-brno", false},
		{"http://a.test/list?page=1", "http://a.test/news?page=1", false},
		{"http://a.test/%C5%A1", "http://a.test/%C5%BE", false},
		{"http://a.test/%C2%A1", "http://a.test/%C2%A2", false},
		{"http://a.test/x%", "http://a.test/y%", false},
	} {
		if got := alike(c.a, c.b); got != c.want || alike(c.b, c.a) != got {
			t.Errorf("%s, %s: %v", c.a, c.b, got)
		}
	}
}
