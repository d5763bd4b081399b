package fetch

import (
	"strings"
	"testing"

	"exclave/internal/urlx"
)

// What servers ask for is answered by one line, or not at all.
func FuzzChallenges(f *testing.F) {
	for _, s := range []string{
		`Basic realm="a"`, `Digest realm="a\"b", nonce="c", qop="auth,auth-int", algorithm=SHA-256-sess, opaque=""`, `Negotiate, Digest nonce=c, Basic realm=a,`,
		`Digest realm="`, `=,=a=b`, `Digest qop=auth-int, algorithm=MD5`, "Digest algorithm=\"SHA-512-256\" , realm=\t\"\\",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, c := range challenges([]string{value}) {
			if c.strength() == 0 || c.scheme == "basic" {
				continue
			}
			c.of = &account{Credential: Credential{User: "reader"}, password: func() string { return "Circle of Life" }}
			if got := c.digest("GET", "/a", nil, "c"); strings.ContainsAny(got, "\r\n") && !strings.ContainsAny(value, "\r\n") {
				t.Errorf("%q: %q", value, got)
			}
		}
	})
}

// A page of a stranger has forms whose fields are those that it names.
func FuzzForms(f *testing.F) {
	for _, s := range []string{
		`<form method=post action=/a><input name=name required><input type=password name=pass><input type=checkbox name=stay checked><select name=s><textarea name=t></form>`,
		`<input type=password name=pass><form><input type=submit name=a value=b><input type=submit name=a><form><input name="&amp;` + "\x00" + `"`, "<form", "",
	} {
		f.Add([]byte(s))
	}
	at, err := urlx.Parse("http://a.test/login")
	if err != nil {
		f.Fatal(err)
	}
	a := &account{Credential: Credential{User: "reader", UserField: "name", PasswordField: "pass"}, password: passwordOf("x")}
	f.Fuzz(func(t *testing.T, page []byte) {
		p := readPage(page, "", at)
		all := p.forms
		best := a.form(all)
		if best != nil && !best.has("pass") {
			t.Error("a form without the password's field")
		}
		_, q, err := a.filled(p, best, at)
		if sends := string(q.body); err == nil && q.typ == "application/x-www-form-urlencoded" && (!strings.Contains(sends, "name=reader") || !strings.Contains(sends, "pass=x")) {
			t.Errorf("sends %q", sends)
		}
		if strings.ContainsAny(q.typ, "\r\n") {
			t.Errorf("%q", q.typ)
		}
		if misses := a.misnames(all, at); misses != "" && best.has("name") {
			t.Error(misses)
		}
	})
}
