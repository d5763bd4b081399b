package urlx

import (
	"fmt"
	"strings"
	"testing"
)

// larm is the example of System 4 ("Configuring HostResolver in a config file").
const larm = `#hostResolver.properties
#format:
# startsWith(part1) = part2
# if host starts with part1, this part will be replaced by part2

startsWith(www.)=
startsWith(www2.)=
startsWith(w3.)=
endsWith(.somehost.com)=.somhost2.com
synonym(daedalus.apache.org)=apache.org
`

func TestHostRules(t *testing.T) {
	cases := []struct{ why, rules, in, want string }{
		{"LARM's file: start", larm, "http://w3.a.cz:81/x?y", "http://a.cz:81/x?y"},
		{"LARM's file: end", larm, "https://x.somehost.com/", "https://x.somhost2.com/"},
		{"LARM's file: synonym", larm, "http://daedalus.apache.org/", "http://apache.org/"},
		{"the order of System 4: start, end, synonym", larm + "synonym(b.somhost2.com)=c.cz", "http://www.b.somehost.com/", "http://c.cz/"},
		{"keys are their own keys, so rules go on until nothing fits; LARM's do not", larm, "http://www.w3.www2.a.cz/", "http://a.cz/"},
		{"the first that fits counts", "startsWith(a)=\nstartsWith(ab.)=x.", "http://ab.cz.cz/", "http://b.cz.cz/"},
		{"… whatever its length", "startsWith(ab.)=x.\nstartsWith(a)=", "http://ab.cz.cz/", "http://x.cz.cz/"},
		{"www.cz is a site of its own", larm, "http://www.cz/", "http://www.cz/"},
		{"… and so is www2.cz", larm, "http://www2.cz/", "http://www2.cz/"},
		{"a comma is a dot (System 4: BeanUtils could not read dots)", "startsWith(www,)=\nsynonym(a,cz)=b,cz", "http://www.a.cz/", "http://b.cz/"},
		{"spaces, another separator and another comment of Java's properties", "  ! note\n\tstartsWith( www. ) : \r\n", "http://www.a.cz/", "http://a.cz/"},
		{"a file from Windows", "\ufeffstartsWith(www.)=\r\n", "http://www.a.cz/", "http://a.cz/"},
		{"names as people write them", "synonym(Příklad.cz)=PŘÍKLAD.sk", "http://příklad.cz/", "http://xn--pklad-zsa96e.sk/"},
		{"an address may have a name", "synonym(192.0.2.1)=a.cz", "http://192.0.2.1/", "http://a.cz/"},
		{"… but has no end", "endsWith(.1)=.cz", "http://192.0.2.1/", "http://192.0.2.1/"},
		{"IPv6", larm, "http://[2001:db8::1]/", "http://[2001:db8::1]/"},
		{"what would be no host stays (punycode that means nothing)", "startsWith(a.)=xn--a.", "http://a.b.cz/", "http://a.b.cz/"},
		{"credentials and scheme are not the host", larm, "https://www.:www.@www.a.cz/", "https://www.:www.@a.cz/"},
	}
	for _, c := range cases {
		r := Rules{Hosts: hostRules(t, c.rules, false)}
		if got := r.Key(mustParse(t, c.in)); got != c.want {
			t.Errorf("%s: Key(%q) = %q, want %q", c.why, c.in, got, c.want)
		}
	}
	if h := hostRules(t, "# nothing\n\n", false); h != nil {
		t.Error("a file without rules is not the same as none")
	}
}

// Every error names the line and what to do, and all are reported at once.
func TestHostRulesErrors(t *testing.T) {
	cases := []struct {
		why, rules string
		www        bool
		want       string
	}{
		{"no rule at all", "www.a.cz a.cz", false, `line 1: "www.a.cz a.cz" is no rule; write startsWith(START)=NEW, endsWith(END)=NEW or synonym(HOST)=HOST`},
		{"keywords have their case (System 4)", "startswith(www.)=", false, `line 1: "startswith" is no kind of rule; write startsWith: upper and lower case matter`},
		{"another keyword", "contains(x)=y", false, `line 1: "contains" is no kind of rule; write startsWith(START)=NEW, endsWith(END)=NEW or synonym(HOST)=HOST`},
		{"nothing to replace", "startsWith()=x", false, "line 1: startsWith() fits every host; write what is replaced between the parentheses"},
		{"an address instead of a host", "synonym(http://a.cz/)=b.cz", false, `line 1: "http://a.cz/" is no part of a host name; write letters, digits, '-', '_' and dots, without scheme, port or path`},
		{"a port", "synonym(a.cz)=b.cz:8080", false, `line 1: "b.cz:8080" is no part of a host name; write letters, digits, '-', '_' and dots, without scheme, port or path`},
		{"a comment after a rule", "startsWith(www.)= # away", false, `line 1: "# away" is no part of a host name; write letters, digits, '-', '_' and dots, without scheme, port or path`},
		{"a host must be left", "synonym(a.cz)=", false, `line 1: "" is no host; write whole host names: synonym(www.example.org)=example.org`},
		{"empty label", "endsWith(.a)=..b", false, `line 1: "..b" has an empty label; write letters, digits, '-', '_' and dots, without scheme, port or path`},
		{"the same twice", "synonym(a.cz)=b.cz\n\nsynonym(A.cz)=c.cz", false, "line 3: synonym(a.cz) stands in line 1 already; remove one of the two"},
		{"all errors at once", "x\nstartsWith(www.)=\ny", false, `line 1: "x" is no rule; write startsWith(START)=NEW, endsWith(END)=NEW or synonym(HOST)=HOST
line 3: "y" is no rule; write startsWith(START)=NEW, endsWith(END)=NEW or synonym(HOST)=HOST`},
		{"a host that grows", "startsWith(a.)=a.a.", false, "line 1: the host a.example.org never comes to rest: a.example.org → a.a.example.org → a.a.a.example.org → a.a.a.a.example.org → …; remove or change one of these rules"},
		{"a circle", "synonym(a.cz)=b.cz\nsynonym(b.cz)=a.cz", false, `line 1: the host a.cz never comes to rest: a.cz → b.cz → a.cz → b.cz → …; remove or change one of these rules
line 2: the host b.cz never comes to rest: b.cz → a.cz → b.cz → a.cz → …; remove or change one of these rules`},
		{"to www. and back is where it was", "synonym(a.cz)=www.a.cz", true, ""},
		{"a circle of two rules with strip_www", "synonym(a.cz)=www.b.cz\nsynonym(b.cz)=a.cz", true, `line 1: the host a.cz never comes to rest: a.cz → www.b.cz → a.cz → www.b.cz → … (strip_www is on); remove or change one of these rules
line 2: the host b.cz never comes to rest: b.cz → a.cz → www.b.cz → a.cz → … (strip_www is on); remove or change one of these rules`},
	}
	for _, c := range cases {
		h, errs := ParseHostRules([]byte(c.rules), c.www)
		var got []string
		for _, err := range errs {
			got = append(got, err.Error())
		}
		if g := strings.Join(got, "\n"); g != c.want || (h == nil) != (len(errs) > 0) {
			t.Errorf("%s:\ngot  %s\nwant %s", c.why, g, c.want)
		}
	}
}

func FuzzHostRules(f *testing.F) {
	f.Add(larm, "http://www.a.somehost.com/")
	f.Add("synonym(a.cz)=www.b.cz\nstartsWith(b)=a\nendsWith(cz)=cz.cz", "http://www.b.cz")
	f.Fuzz(func(t *testing.T, text, address string) {
		h, errs := ParseHostRules([]byte(text), true)
		if h != nil && len(errs) > 0 {
			t.Fatalf("%q: rules and errors", text)
		}
		for _, err := range errs {
			if err.Line < 1 || err.Msg == "" || err.Fix == "" || len(err.Error()) > 2000 {
				t.Fatalf("%q: %v", text, err)
			}
		}
		u, err := Parse(address)
		if err != nil {
			return
		}
		r := Rules{StripWWW: true, Hosts: h}
		key := r.Key(u)
		if v, err := Parse(key); err != nil || r.Key(v) != key {
			t.Fatalf("%q: key %q of %q is not its own key: %v", text, key, u, err)
		}
	})
}

func BenchmarkHostRules(b *testing.B) {
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, "synonym(old%d.cz)=new.cz\nstartsWith(s%d.)=\nendsWith(.e%d.cz)=.cz\n", i, i, i)
	}
	r := Rules{Hosts: hostRules(b, text.String(), false)}
	u := mustParse(b, "https://s7.example.cz/clanky/Nazev.html?b=1")
	b.ReportAllocs()
	for b.Loop() {
		r.Key(u)
	}
}
