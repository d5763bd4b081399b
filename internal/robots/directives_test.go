package robots

import "testing"

// What Google documents of X-Robots-Tag and of meta elements; values of both.
func TestDirectives(t *testing.T) {
	for _, c := range []struct {
		value string
		want  Directives
	}{
		{"noindex", Directives{NoIndex: true}},
		{"NOINDEX, NoFollow", Directives{NoIndex: true, NoFollow: true}},
		{"none", Directives{NoIndex: true, NoFollow: true}},
		{"noarchive", Directives{NoArchive: true}},
		{"all", Directives{}},
		{"exclave: noarchive", Directives{NoArchive: true}},
		{"otherbot: noarchive", Directives{}},
		{"otherbot: noarchive, nofollow", Directives{}},
		{"otherbot: noarchive, Exclave: nofollow, noindex", Directives{NoIndex: true, NoFollow: true}},
		{"nofollow, otherbot: noarchive", Directives{NoFollow: true}},
		{"unavailable_after: 25 Jun 2027 15:00:00 PST, noarchive", Directives{NoArchive: true}},
		{"max-snippet:-1, max-image-preview: large, nofollow", Directives{NoFollow: true}},
		{"", Directives{}},
		{": ,:,", Directives{}},
	} {
		var d Directives
		if d.ReadTag(c.value, "exclave"); d != c.want {
			t.Errorf("%q: %+v, want %+v", c.value, d, c.want)
		}
	}
	var d Directives
	if d.Read("noindex;nofollow\tnocache"); d != (Directives{NoIndex: true, NoFollow: true, NoArchive: true}) {
		t.Errorf("%+v", d)
	}
}
