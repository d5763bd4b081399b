package urlx

import (
	"reflect"
	"strings"
	"testing"
)

func TestRulesKey(t *testing.T) {
	cases := []struct {
		why   string
		rules Rules
		in    string
		want  string
	}{
		{"default: only the fragment goes", Rules{}, "HTTP://WWW.Example.cz/Index.html/?b&a#x", "http://www.example.cz/Index.html/?b&a"},
		{"the scheme is part of the key (architecture, decision 5)", Rules{StripWWW: true}, "https://www.a.cz/", "https://a.cz/"},
		{"www repeated", Rules{StripWWW: true}, "http://www.www.a.cz:81/x", "http://a.cz:81/x"},
		{"www.cz is a domain of its own", Rules{StripWWW: true}, "http://www.cz/", "http://www.cz/"},
		{"credentials stay", Rules{StripWWW: true}, "http://u:p@www.a.cz/", "http://u:p@a.cz/"},
		{"index", Rules{StripIndex: true}, "http://a.cz/x/INDEX.php?a", "http://a.cz/x/?a"},
		{"a page about indexes", Rules{StripIndex: true}, "http://a.cz/index.of.html", "http://a.cz/index.of.html"},
		{"slash", Rules{StripTrailingSlash: true}, "http://a.cz/x/?q", "http://a.cz/x?q"},
		{"the root keeps its slash", Rules{StripTrailingSlash: true}, "http://a.cz/", "http://a.cz/"},
		{"one rule uncovers work for another", Rules{StripTrailingSlash: true, StripIndex: true}, "http://a.cz/x/index.html/", "http://a.cz/x"},
		{"IIS servers do not tell cases apart", Rules{LowerCasePath: true}, "http://a.cz/Abc%2F/Ž?Q", "http://a.cz/abc%2f/%c5%bd?Q"},
		{"servlet session", Rules{StripSessionIDs: true}, "http://a.cz/x;JSESSIONID=12ab;v=1/y?a=1", "http://a.cz/x;v=1/y?a=1"},
		{"PHP session alone", Rules{StripSessionIDs: true}, "http://a.cz/?PHPSESSID=0123456789abcdefghijklemopqrstuv", "http://a.cz/"},
		{"a short sid is a number of something", Rules{StripSessionIDs: true}, "http://a.cz/?sid=12&sid=0123456789abcdefghijklemopqrstuv", "http://a.cz/?sid=12"},
		{"what is left must still be normal", Rules{StripSessionIDs: true}, "http://a.cz/b/..;jsessionid=1/c", "http://a.cz/c"},
		{"tracking", Rules{StripTracking: true}, "http://a.cz/?utm_source=x&id=1&fbclid=y", "http://a.cz/?id=1"},
		{"sorting keeps the order of equal names", Rules{SortQuery: true}, "http://a.cz/?b=2&a=9&b=1&", "http://a.cz/?&a=9&b=2&b=1"},
		{"an address is not a host with www", Rules{StripWWW: true}, "http://[::1]/", "http://[::1]/"},
	}
	for _, c := range cases {
		got := c.rules.Key(mustParse(t, c.in))
		if got != c.want {
			t.Errorf("%s: Key(%q) = %q, want %q", c.why, c.in, got, c.want)
		}
		if again := c.rules.Key(mustParse(t, got)); again != got {
			t.Errorf("%s: key of key %q is %q", c.why, got, again)
		}
	}
}

// TestRulesHash: keys made under other rules must be refused, so a new field
// that does not change the hash would let a state be misread.
func TestRulesHash(t *testing.T) {
	seen := map[uint64]string{Rules{}.Hash(): "none"}
	v := reflect.ValueOf(&Rules{}).Elem()
	for i := range v.NumField() {
		var r Rules
		reflect.ValueOf(&r).Elem().Field(i).SetBool(true)
		name := v.Type().Field(i).Name
		if other, ok := seen[r.Hash()]; ok {
			t.Errorf("%s hashes like %s", name, other)
		}
		seen[r.Hash()] = name
	}
}

// TestKeyIdempotent: a key is stored and compared as a string, so it must be
// its own key, for every address of the standard's suite under every rule.
func TestKeyIdempotent(t *testing.T) {
	all := Rules{true, true, true, true, true, true, true}
	for _, c := range wptCases(t) {
		u, err := Parse(c.Href)
		if err != nil {
			continue
		}
		for _, r := range []Rules{{}, all} {
			key := r.Key(u)
			if strings.Contains(key, "#") {
				t.Errorf("fragment in key %q", key)
			}
			if v, err := Parse(key); err != nil || r.Key(v) != key {
				t.Errorf("%q: key %q is not its own key", u, key)
			}
		}
	}
}

func BenchmarkKey(b *testing.B) {
	u := mustParse(b, "https://www.example.cz/clanky/Nazev.html?b=1&utm_source=x&a=2#f")
	for name, r := range map[string]Rules{"default": {}, "all": {true, true, true, true, true, true, true}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Key(u)
			}
		})
	}
}
