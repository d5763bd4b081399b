package fetch

import (
	"strconv"
	"strings"
	"testing"

	"exclave/internal/urlx"
)

// RFC 7617 §2: the user-id and the password as they are meant, in base64; for one origin.
func TestCredentials(t *testing.T) {
	c := Credentials{}
	add := func(raw string) error {
		t.Helper()
		u, err := urlx.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		return c.Add(u)
	}
	for _, raw := range []string{"http://Aladdin:open%20sesame@a.cz/x", "http://Aladdin:open%20sesame@a.cz/y", "https://u:%zz@a.cz/", "http://test:123%C2%A3@b.cz:8080/"} {
		if err := add(raw); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
	for origin, want := range map[string]string{
		"http://a.cz": "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "https://a.cz": "Basic dToleno=", "http://b.cz:8080": "Basic dGVzdDoxMjPCow==", "http://b.cz": "",
	} {
		if c[origin] != want {
			t.Errorf("%s: %q, want %q", origin, c[origin], want)
		}
	}
	if err := add("http://other:secret@a.cz/"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("two for one origin: %v", err)
	}
	for i := len(c); i < maxCredentials; i++ {
		if err := add("http://u:p@h" + strconv.Itoa(i) + ".cz/"); err != nil {
			t.Fatal(err)
		}
	}
	if err := add("http://u:p@one.more/"); err == nil {
		t.Error("there is no bound")
	}
}
