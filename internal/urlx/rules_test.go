package urlx

import (
	"math/rand/v2"
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
		{"the slashes of System 4", Rules{MergeSlashes: true}, "http://a.cz//x///y/?http://b", "http://a.cz/x/y/?http://b"},
		{"dot segments are parsing, and see the empty segment first (URL standard)", Rules{MergeSlashes: true}, "http://a.cz/x//../y", "http://a.cz/x/y"},
		{"escapes (RFC 3986 §6.2.2)", Rules{NormalEscapes: true}, "http://a.cz/%7eu%2d%41/%2f%c5%bd?%7E=%3d", "http://a.cz/~u-A/%2F%C5%BD?~=%3D"},
		{"decoding once is enough", Rules{NormalEscapes: true}, "http://a.cz/%2541", "http://a.cz/%2541"},
		{"a percent sign alone", Rules{NormalEscapes: true}, "http://a.cz/100%?50%&%4", "http://a.cz/100%25?50%25&%254"},
		{"… must not make an escape of what follows", Rules{NormalEscapes: true}, "http://a.cz/%%34%31", "http://a.cz/%2541"},
		{"lower case of the path leaves the escapes in normal form", Rules{NormalEscapes: true, LowerCasePath: true}, "http://a.cz/A%c5%BD%41", "http://a.cz/a%C5%BDa"},
		{"ColdFusion (StripSessionCFIDs)", Rules{StripSessionIDs: true}, "http://a.cz/b?CFID=1169580&CFTOKEN=48630702&d=1&jsessionid=a6$B0$D9", "http://a.cz/b?d=1"},
		{"cfid alone is a number of something", Rules{StripSessionIDs: true}, "http://a.cz/b?cfid=1&cftoken", "http://a.cz/b?cfid=1&cftoken"},
		{"ASP (StripSessionIDs)", Rules{StripSessionIDs: true}, "http://a.cz/?x=y&ASPSESSIONIDAQBDSDSRT=1&ASPSESSIONIDAQBDSDSR=EOHBLBDDPFCLHKPGGKLILNAM", "http://a.cz/?x=y&ASPSESSIONIDAQBDSDSRT=1"},
		{"osCommerce: a name that ends in sid, as Heritrix's pattern has it", Rules{StripSessionIDs: true}, "http://a.cz/?osCsid=9682993c8daa2c5497996114facdc805&p=1", "http://a.cz/?p=1"},
		{"sid of 32, but no letters and digits", Rules{StripSessionIDs: true}, "http://a.cz/?sid=9682993c-8daa-2c54-9799-6114facdc", "http://a.cz/?sid=9682993c-8daa-2c54-9799-6114facdc"},
		{"ASP.NET without cookies (URLRegexTransformer)", Rules{StripSessionIDs: true}, "http://a.cz/x/(S(4hqa0555fwsecu455xqckv45))/(4hqa0555fwsecu455xqckv45)/m.ASPX?a", "http://a.cz/x/m.ASPX?a"},
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
	add := func(name string, r Rules) {
		if other, ok := seen[r.Hash()]; ok {
			t.Errorf("%s hashes like %s", name, other)
		}
		seen[r.Hash()] = name
	}
	v := reflect.TypeFor[Rules]()
	for i := range v.NumField() {
		var r Rules
		if f := reflect.ValueOf(&r).Elem().Field(i); f.Kind() == reflect.Bool {
			f.SetBool(true)
			add(v.Field(i).Name, r)
		}
	}
	for _, text := range []string{
		"startsWith(a.)=", "startsWith(a.)=b.", "endsWith(a.)=", "synonym(a.cz)=b.cz", "synonym(a.cz)=c.cz", "synonym(b.cz)=c.cz",
		"startsWith(a)=\nstartsWith(ab)=", "startsWith(ab)=\nstartsWith(a)=", // the first that fits counts
	} {
		add(text, Rules{Hosts: hostRules(t, text, false)})
	}
	a := Rules{Hosts: hostRules(t, "synonym(a.cz)=b.cz\nsynonym(c.cz)=d.cz\nstartsWith(www,)=", false)}
	b := Rules{Hosts: hostRules(t, "# the same\nstartsWith( WWW.) =\r\nsynonym(c.cz) = d.cz\n\nsynonym(a.cz):b.cz", false)}
	if a.Hash() != b.Hash() {
		t.Error("comments, spaces and the order of synonyms mean nothing, but change the hash")
	}
}

// TestRulesHashOfStates: jobs that were begun with an earlier version go on.
func TestRulesHashOfStates(t *testing.T) {
	for r, want := range map[Rules]uint64{
		{}:                0x89cd31291d2aefa4,
		{SortQuery: true}: 0x89cd32291d2af157,
		{StripWWW: true, StripIndex: true, StripTrailingSlash: true, LowerCasePath: true, StripTracking: true, SortQuery: true}: 0xdf40e4a2a8298b8e,
	} {
		if got := r.Hash(); got != want {
			t.Errorf("%+v hashes to %#x, states hold %#x", r, got, want)
		}
	}
}

// TestKeyIdempotent: a key is stored and compared as a string, so it must be
// its own key, for every address of the standard's suite and for addresses made
// to disturb, under every combination of rules.
func TestKeyIdempotent(t *testing.T) {
	hosts := []*HostRules{nil, allRules(t).Hosts,
		// A circle where StripWWW is on: parsed as if it were off.
		hostRules(t, "synonym(a.cz)=www.b.cz\nsynonym(b.cz)=a.cz\nendsWith(.q)=.example.org", false)}
	addresses := []string{
		"http://b.cz/INDEX.HTML", "http://www.www.web.www.a.q/", "http://web.www.cz/", "http://WEB.old.example/%41%2F%2f//;JSESSIONID=1/Index.HTML//?b&%41&utm_x&a",
		"http://a.cz/index.html/index.html//INDEX.php/?sid=0123456789abcdef0123456789abcdef&cfid=1&CFTOKEN=&", "http://a.cz/%%34%31%/%2e%2E;jsessionid=x/",
		"http://a.cz/(S(4hqa0555fwsecu455xqckv45))/(4hqa0555fwsecu455xqckv45)/%2541.ASPX", "http://a.cz/a/%2e%2e;jsessionid=1/b", "http://a.cz" + strings.Repeat("/index.php", 200) + "/",
		"http://a.cz/" + strings.Repeat("%", MaxLength-20), "https://u:p@www.1.2.3.4.web.example.net:8443/?&&=", "http://www.example.net./", "http://www.example.net/#f",
	}
	for _, c := range wptCases(t) {
		addresses = append(addresses, c.Href)
	}
	rnd := rand.New(rand.NewPCG(5, 4))
	for _, address := range addresses {
		u, err := Parse(address)
		if err != nil {
			continue
		}
		for n := range 40 {
			r := someRules(rnd.Uint64())
			r.Hosts = hosts[rnd.IntN(len(hosts))]
			if n == 0 {
				r = Rules{}
			}
			key := r.Key(u)
			if strings.Contains(key, "#") {
				t.Errorf("fragment in key %q", key)
			}
			if !strings.HasPrefix(key, u.Scheme()+"://") {
				t.Errorf("key %q of %q has another scheme", key, u)
			}
			if v, err := Parse(key); err != nil || r.Key(v) != key {
				t.Fatalf("%+v: %.200q: key %.200q is not its own key: %v", r, u, key, err)
			}
		}
	}
}

// someRules returns the rules whose bits are set.
func someRules(bits uint64) Rules {
	var r Rules
	v := reflect.ValueOf(&r).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Bool {
			f.SetBool(bits>>i&1 == 1)
		}
	}
	return r
}

func BenchmarkKey(b *testing.B) {
	u := mustParse(b, "https://www.example.cz/clanky/Nazev.html?b=1&utm_source=x&a=2#f")
	for name, r := range map[string]Rules{"default": {}, "all": allRules(b)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Key(u)
			}
		})
	}
}

// allRules returns every rule on, host rules included.
func allRules(t testing.TB) Rules {
	t.Helper()
	var r Rules
	v := reflect.ValueOf(&r).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Bool {
			f.SetBool(true)
		}
	}
	r.Hosts = hostRules(t, "startsWith(web.)=\nendsWith(.example.net)=.example.org\nsynonym(old.example)=example.org", true)
	return r
}

// hostRules parses the text of a file of host rules.
func hostRules(t testing.TB, text string, www bool) *HostRules {
	t.Helper()
	h, errs := ParseHostRules([]byte(text), www)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return h
}
