package fetch

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"exclave/crawl"
	"exclave/internal/testweb"
)

// accounts makes those of a test, whose passwords are in the environment.
func accounts(t *testing.T, list ...Credential) *Accounts {
	t.Helper()
	t.Setenv("FETCH_TEST_PASSWORD", "Circle of Life")
	for i := range list {
		list[i].PasswordEnv = "FETCH_TEST_PASSWORD"
		if ps := list[i].Validate(); len(ps) > 0 {
			t.Fatal(ps)
		}
	}
	a, ps := OpenAccounts(list, filepath.Clean)
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	return a
}

// RFC 7616 §3.9.1: both examples; and §3.9.2, as erratum 4897 has it, whose answer is that of SHA-512/256.
func TestDigest(t *testing.T) {
	for alg, want := range map[string]string{
		"SHA-256": "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1", "MD5": "8ca523f5e9506fed4657c9700eebdbec",
	} {
		c := &challenge{scheme: "digest", count: 1, of: &account{Credential: Credential{User: "Mufasa"}, password: passwordOf("Circle of Life")},
			params: map[string]string{"realm": "http-auth@example.org", "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "qop": "auth, auth-int",
				"opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", "algorithm": alg}}
		got := c.digest("GET", "/dir/index.html", nil, "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
		for _, part := range []string{`response="` + want + `"`, `username="Mufasa"`, "nc=00000001", "qop=auth", "algorithm=" + alg} {
			if !strings.Contains(got, part) {
				t.Errorf("%s: no %s in %s", alg, part, got)
			}
		}
	}
	// RFC 7616 §3.4.3: of a server that takes nothing else, the body is part of it. RFC 2617 has no example; the digest is that of its formula.
	inner := &challenge{scheme: "digest", count: 1, of: &account{Credential: Credential{User: "u"}, password: passwordOf("p")},
		params: map[string]string{"realm": "r", "nonce": "n", "qop": "auth-int"}}
	hex5 := func(s string) string { return fmt.Sprintf("%x", md5.Sum([]byte(s))) }
	for _, body := range []string{"", "a=b"} {
		want := `response="` + hex5(hex5("u:r:p")+":n:00000001:c:auth-int:"+hex5("POST:/x:"+hex5(body))) + `"`
		if got := inner.digest("POST", "/x", []byte(body), "c"); inner.strength() == 0 || !strings.Contains(got, want) || !strings.Contains(got, "qop=auth-int,") {
			t.Errorf("auth-int: no %s in %s", want, got)
		}
	}
	c := &challenge{scheme: "digest", count: 1, of: &account{Credential: Credential{User: "J\u00e4s\u00f8n Doe"}, password: passwordOf("Secret, or not?")},
		params: map[string]string{"realm": "api@example.org", "nonce": "5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", "qop": "auth",
			"opaque": "HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", "algorithm": "SHA-512-256"}}
	const want = `response="3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5"`
	if c.strength() == 0 {
		t.Fatal("SHA-512-256 is not answered")
	}
	if got := c.digest("GET", "/doe.json", nil, "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v"); !strings.Contains(got, want) {
		t.Errorf("no %s in %s", want, got)
	}
}

func TestChallenges(t *testing.T) {
	for value, want := range map[string]string{
		`Basic realm="a, \"b\""`:                     `basic a, "b"`,
		`Digest realm="x", nonce="n", Basic realm=y`: `digest x|basic y`,
		`Negotiate abc==, Basic realm="z"`:           `negotiate |basic z`,
		`NTLM`:                                       `ntlm `,
		`, ,`:                                        ``,
		`"quoted"`:                                   ``,
		"Bearer error=\"invalid\"\tscope=a,basic Realm=q": `bearer |basic q`,
	} {
		var got []string
		for _, c := range challenges([]string{value}) {
			got = append(got, c.scheme+" "+c.params["realm"])
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%s: %s, want %s", value, s, want)
		}
	}
}

// digestServer checks digests as RFC 7616 says, and gives a new nonce after three requests.
type digestServer struct {
	alg string

	mu        sync.Mutex
	nonce     int
	used      int
	refused   int
	authentic int
}

func (s *digestServer) hash() hash.Hash {
	switch {
	case strings.HasPrefix(s.alg, "SHA-256"):
		return sha256.New()
	case strings.HasPrefix(s.alg, "SHA-512-256"):
		return sha512.New512_256()
	}
	return md5.New()
}

func (s *digestServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value := r.Header.Get("Authorization")
	get := func(key string) string {
		m := regexp.MustCompile(`[ ,]` + key + `="?([^",]*)"?`).FindStringSubmatch(value)
		if m == nil {
			return ""
		}
		return m[1]
	}
	sum := func(parts ...string) string {
		h := s.hash()
		h.Write([]byte(strings.Join(parts, ":")))
		return hex.EncodeToString(h.Sum(nil))
	}
	nonce := fmt.Sprintf("nonce-%d", s.nonce)
	ha1 := sum("reader", "archive", "Circle of Life")
	if strings.HasSuffix(s.alg, "-sess") {
		ha1 = sum(ha1, nonce, get("cnonce"))
	}
	right := sum(ha1, nonce, fmt.Sprintf("%08x", s.used+1), get("cnonce"), "auth", sum(r.Method, r.URL.RequestURI()))
	if get("nonce") == nonce && get("response") == right && s.used < 3 {
		s.used++
		s.authentic++
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte("in"))
		return
	}
	stale := ""
	if s.used >= 3 {
		s.nonce, s.used, stale = s.nonce+1, 0, ", stale=true"
	}
	s.refused++
	w.Header().Add("WWW-Authenticate", fmt.Sprintf(`Digest realm="archive", qop="auth", algorithm=%s, nonce="nonce-%d"%s`, s.alg, s.nonce, stale))
	w.Header().Add("WWW-Authenticate", `Basic realm="archive"`)
	w.WriteHeader(http.StatusUnauthorized)
}

// handlers is a web of one handler a host.
type handlers map[string]http.Handler

// Host implements [testweb.Web].
func (h handlers) Host(name string) http.Handler { return h[name] }

// Servers that check: a password goes to who asks, in the strongest form, and to nobody else.
func TestAccounts(t *testing.T) {
	for _, alg := range []string{"MD5", "SHA-256", "MD5-sess", "SHA-512-256", "SHA-512-256-sess"} {
		srv := &digestServer{alg: alg}
		s := serve(t, handlers{"a.example": srv})
		h := client(t, s, func(_ *Config, d *Deps) {
			d.Accounts = accounts(t, Credential{Prefix: "http://a.example/", User: "reader"})
		})
		for i := range 8 {
			u := page(fmt.Sprintf("http://a.example/%d?q", i))
			process(t, h, u)
			if u.Status != 200 || !slices.Contains(u.Annotations, "auth:digest") || strings.Contains(sent(t, u), "Digest") {
				t.Errorf("%s, request %d: status %d, %v\n%s", alg, i, u.Status, u.Annotations, sent(t, u))
			}
		}
		if srv.authentic != 8 || srv.refused != 3 { // the first time, and when a nonce was used up
			t.Errorf("%s: %d let in, %d refused", alg, srv.authentic, srv.refused)
		}
	}
	// A wrong password is tried once where it is asked for, and not again.
	wrong := &digestServer{alg: "MD5"}
	var log bytes.Buffer
	h := client(t, serve(t, handlers{"a.example": wrong}), func(_ *Config, d *Deps) {
		d.Accounts, d.Log = accounts(t, Credential{Prefix: "http://a.example/", User: "another"}), slog.New(slog.NewTextHandler(&log, nil))
	})
	for i := range 3 {
		u := page(fmt.Sprintf("http://a.example/%d", i))
		want := []string{"auth:digest", "auth:refused"}
		if i > 0 {
			want = want[1:]
		}
		if process(t, h, u); u.Status != 401 || !slices.Equal(u.Annotations, want) {
			t.Errorf("status %d, %v", u.Status, u.Annotations)
		}
	}
	if said := log.String(); strings.Count(said, "refuses a user name or password") != 1 || !strings.Contains(said, "prefix=http://a.example/ user=another") || strings.Contains(said, "Circle") {
		t.Errorf("log: %s", said)
	}
	if wrong.refused != 4 {
		t.Errorf("%d requests for three pages", wrong.refused)
	}
	basic := testweb.Protected(testweb.Tiny{"http://b.example/in/": testweb.Text("in"), "http://b.example/": testweb.Text("out")}, "/in/", "archive", "reader", "Circle of Life")
	s := serve(t, handlers{"b.example": basic, "c.example": basic})
	for _, tt := range []struct {
		why, url string
		of       Credential
		want     crawl.Status
	}{
		{"Basic", "http://b.example/in/", Credential{Prefix: "http://b.example/in/", User: "reader"}, 200},
		{"another user", "http://b.example/in/", Credential{Prefix: "http://b.example/in/", User: "other"}, 401},
		{"another realm", "http://b.example/in/", Credential{Prefix: "http://b.example/", User: "reader", Realm: "x"}, 401},
		{"the realm", "http://b.example/in/", Credential{Prefix: "http://b.example/", User: "reader", Realm: "archive"}, 200},
		{"another host", "http://c.example/in/", Credential{Prefix: "http://b.example/", User: "reader"}, 401},
		{"nothing is asked", "http://b.example/", Credential{Prefix: "http://b.example/", User: "reader"}, 200},
	} {
		h := client(t, s, func(_ *Config, d *Deps) { d.Accounts = accounts(t, tt.of) })
		u := page(tt.url)
		process(t, h, u)
		refused := slices.Contains(u.Annotations, "auth:refused")
		if unanswered := slices.Contains(u.Annotations, "auth:unanswered"); unanswered != (tt.why == "another realm") {
			t.Errorf("%s: %v", tt.why, u.Annotations)
		}
		if u.Status != tt.want || refused != (tt.why == "another user") || strings.Contains(sent(t, u), "Basic ") {
			t.Errorf("%s: status %d, %v", tt.why, u.Status, u.Annotations)
		}
	}
}

// Who has an account, and is asked for it in no way that can be answered, is told so.
func TestUnansweredChallenge(t *testing.T) {
	for _, value := range []string{`Digest realm="a", nonce="n", algorithm=SHA3-256`, `Digest realm="a", nonce="n", qop="auth-conf"`, "NTLM", ""} {
		s := serve(t, testweb.Tiny{"http://a.example/": testweb.Text("no").WithStatus(401).With("WWW-Authenticate", value)})
		for prefix, want := range map[string][]string{"http://a.example/": {"auth:unanswered"}, "http://b.example/": nil} {
			h := client(t, s, func(_ *Config, d *Deps) { d.Accounts = accounts(t, Credential{Prefix: prefix, User: "reader"}) })
			u := page("http://a.example/")
			if process(t, h, u); u.Status != 401 || !slices.Equal(u.Annotations, want) {
				t.Errorf("%s, account for %s: status %d, %v", value, prefix, u.Status, u.Annotations)
			}
		}
	}
}

// A password goes to what its prefix says, and to nothing beside it.
func TestPrefixIsNotWidened(t *testing.T) {
	for prefix, urls := range map[string]map[string]bool{
		"http://a.cz:8085/members":         {"http://a.cz:8085/": false, "http://a.cz:8085/members": true, "http://a.cz:8085/members/x": true, "http://a.cz:8085/members?x": true, "http://a.cz:8085/membersonly": false, "http://a.cz:8085/non": false, "http://a.cz/members": false},
		"http://a.cz:8085/mem":             {"http://a.cz:8085/members": false, "http://a.cz:8085/": false},
		"http://a.cz/members/":             {"http://a.cz/members": false, "http://a.cz/members/": true, "http://a.cz/members/a?b": true, "https://a.cz/members/": true},
		"https://a.cz/members/":            {"http://a.cz/members/": false, "https://a.cz/members/": true, "https://a.cz/members/../x": false},
		"http://a.cz":                      {"http://a.cz/x": true, "http://www.a.cz/x": false, "http://a.cz:81/": false, "http://a.cz.sk/": false},
		"http://a.cz/index.php?part=club":  {"http://a.cz/index.php": false, "http://a.cz/index.php?part=club": true, "http://a.cz/index.php?part=club&page=2": true, "http://a.cz/index.php?part=clubs": false},
		"http://user.cz/Members/%C5%BE/a/": {"http://user.cz/Members/ž/a/b": true, "http://user.cz/members/ž/a/b": false},
	} {
		a := accounts(t, Credential{Prefix: prefix, User: "reader"})
		for url, want := range urls {
			if got := a.of(page(url).Parsed(), func(*account) bool { return true }) != nil; got != want {
				t.Errorf("%s for %s: %v", prefix, url, got)
			}
		}
	}
	// What the server asked in one part is not answered in another, nor with the password of another.
	basic := testweb.Protected(testweb.Tiny{"http://b.example/in/": testweb.Text("in"), "http://b.example/inn": testweb.Text("out"), "http://b.example/in/deep/": testweb.Text("deep")}, "/in", "archive", "reader", "Circle of Life")
	h := client(t, serve(t, handlers{"b.example": basic}), func(_ *Config, d *Deps) {
		d.Accounts = accounts(t, Credential{Prefix: "http://b.example/in", User: "reader"}, Credential{Prefix: "http://b.example/in/deep", User: "other"})
	})
	for _, tt := range []struct {
		url  string
		want crawl.Status
		note bool
	}{{"http://b.example/in/", 200, true}, {"http://b.example/inn", 401, false}, {"http://b.example/in/deep/", 401, true}, {"http://b.example/in/", 200, true}} {
		u := page(tt.url)
		if process(t, h, u); u.Status != tt.want || slices.Contains(u.Annotations, "auth:basic") != tt.note {
			t.Errorf("%s: status %d, %v", tt.url, u.Status, u.Annotations)
		}
	}
}

// Of two credentials that a list may have beside each other the closer one counts, wherever it stands.
func TestClosestAccount(t *testing.T) {
	basic := func(realm string) *challenge {
		return &challenge{scheme: "basic", params: map[string]string{"realm": realm}}
	}
	for _, tt := range []struct {
		why, url, realm string
		list            []Credential
		want            string
	}{
		{"TLS", "https://a.cz/m/x", "", []Credential{{Prefix: "http://a.cz/m/", User: "plain"}, {Prefix: "https://a.cz/m/", User: "tls"}}, "tls"},
		{"no TLS", "http://a.cz/m/x", "", []Credential{{Prefix: "http://a.cz/m/", User: "plain"}, {Prefix: "https://a.cz/m/", User: "tls"}}, "plain"},
		{"the realm", "http://a.cz/m/x", "R", []Credential{{Prefix: "http://a.cz/m/", User: "any"}, {Prefix: "http://a.cz/m/", User: "of R", Realm: "R"}}, "of R"},
		{"another realm", "http://a.cz/m/x", "S", []Credential{{Prefix: "http://a.cz/m/", User: "any"}, {Prefix: "http://a.cz/m/", User: "of R", Realm: "R"}}, "any"},
		{"the realm before TLS", "https://a.cz/m/x", "R", []Credential{{Prefix: "https://a.cz/m/", User: "tls"}, {Prefix: "http://a.cz/m/", User: "of R", Realm: "R"}}, "of R"},
		{"a longer prefix before both", "https://a.cz/m/x", "R", []Credential{{Prefix: "http://a.cz/m/", User: "long"}, {Prefix: "https://a.cz/", User: "of R", Realm: "R"}}, "long"},
	} {
		for range 2 {
			a := accounts(t, tt.list...)
			if ps := ValidCredentials(tt.list); len(ps) > 0 {
				t.Errorf("%s: %v", tt.why, ps)
			}
			if got := a.answering(page(tt.url).Parsed(), basic(tt.realm)); got == nil || got.User != tt.want {
				t.Errorf("%s: %v, want %s", tt.why, got, tt.want)
			}
			slices.Reverse(tt.list)
		}
	}
}

// sent is the request as it is recorded.
func sent(t *testing.T, u *crawl.CrawlURI) string {
	t.Helper()
	at, n := u.Rec.Request()
	b := make([]byte, n)
	if _, err := at.ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What a form sends is in no recording.
func TestFormIsNotRecorded(t *testing.T) {
	got := make(chan string, 1)
	s := serve(t, handlers{"a.example": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.PostFormValue("pass") })})
	h := client(t, s, nil)
	u := page("http://a.example/")
	q := h.asked(u.Sheet)
	q.method, q.body = http.MethodPost, []byte("pass=s3cr3t")
	a, err := h.get(t.Context(), u.Parsed(), q)
	if err != nil {
		t.Fatal(err)
	}
	u.Rec = a.rec
	if text := sent(t, u); <-got != "s3cr3t" || strings.Contains(text, "s3cr3t") || !strings.HasSuffix(text, "\r\n\r\n") {
		t.Errorf("%q", text)
	}
	if err := a.rec.Close(); err != nil {
		t.Fatal(err)
	}
	q.method, q.body, q.secret = "", nil, true // with GET all is in the address
	go func() { <-got }()
	if a, err = h.get(t.Context(), page("http://a.example/?pass=s3cr3t").Parsed(), q); err != nil {
		t.Fatal(err)
	}
	if _, n := a.rec.Request(); n != 0 {
		t.Errorf("%d bytes of the request are recorded", n)
	}
	if err := a.rec.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestPasswords(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "pass")
	if err := os.WriteFile(name, []byte("s3cr3t\nmore\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	c := Credential{Prefix: "http://a.cz/", User: "u", PasswordFile: "pass"}
	find := func(n string) string { return filepath.Join(dir, n) }
	if _, ps := OpenAccounts([]Credential{c}, find); len(ps) != 1 || !strings.Contains(ps[0].String(), "chmod 600") || strings.Contains(ps[0].String(), "s3cr3t") {
		t.Error(ps)
	}
	if err := os.Chmod(name, 0o600); err != nil {
		t.Fatal(err)
	}
	a, ps := OpenAccounts([]Credential{c}, find)
	if len(ps) > 0 || a.all[0].password() != "s3cr3t" || strings.Contains(fmt.Sprintf("%v %+v %#v", a.all[0].Credential, a.all, a.all), "s3cr3t") {
		t.Error(ps, a.all[0].password())
	}
	for why, prefix := range map[string]string{
		"all": "*", "a bare host": "www.x.cz", "an address of a machine": "127.0.0.5", "a pattern": "http://x.cz/*", "a SURT prefix": "http://(cz,x,)/", "another scheme": "whois://x.cz/",
		"a fragment": "http://x.cz/#top", "a password": "http://u:s3cr3t@x.cz/",
	} {
		ps := Credential{Prefix: prefix, User: "u", PasswordEnv: "X"}.Validate()
		if len(ps) != 1 || ps[0].Key != "prefix" || strings.Contains(ps[0].String(), "s3cr3t") {
			t.Errorf("%s: %v", why, ps)
		}
	}
	for why, c := range map[string]Credential{
		"no prefix": {User: "u", PasswordEnv: "X"}, "no user": {Prefix: "http://a.cz/", PasswordEnv: "X"}, "no password": {Prefix: "http://a.cz/", User: "u"},
		"two": {Prefix: "http://a.cz/", User: "u", PasswordEnv: "X", PasswordFile: "y"}, "a form without fields": {Prefix: "http://a.cz/", User: "u", PasswordEnv: "X", Login: "http://a.cz/login"},
		"no address": {Prefix: "http://a.cz/", User: "u", PasswordEnv: "X", Login: "login", UserField: "a", PasswordField: "b"},
	} {
		if len(c.Validate()) == 0 {
			t.Errorf("%s: nothing wrong", why)
		}
	}
}

// RFC 7616 §3.4.2: the key of a session is of the first nonces of both sides; a server that keeps it knows no other.
func TestSessionOfDigest(t *testing.T) {
	var said []string
	var mu sync.Mutex
	s := serve(t, handlers{"a.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if m := regexp.MustCompile(`nc=(\d+), cnonce="([^"]*)"`).FindStringSubmatch(r.Header.Get("Authorization")); m != nil {
			said = append(said, m[1]+" "+m[2])
			return
		}
		w.Header().Set("WWW-Authenticate", `Digest realm="a", nonce="n", qop="auth", algorithm=MD5-sess`)
		w.WriteHeader(http.StatusUnauthorized)
	})})
	h := client(t, s, func(_ *Config, d *Deps) {
		d.Accounts = accounts(t, Credential{Prefix: "http://a.example/", User: "reader"})
	})
	for range 2 {
		process(t, h, page("http://a.example/"))
	}
	if len(said) != 2 || said[0][:8] != "00000001" || said[1][:8] != "00000002" || said[0][8:] != said[1][8:] || len(said[0]) < 20 {
		t.Errorf("%q", said)
	}
}

// The address of a login page is in the log: it has no password.
func TestLoginWithoutUserinfo(t *testing.T) {
	ps := Credential{Prefix: "http://a.cz/", User: "reader", PasswordEnv: "X", Login: "http://reader:s3cr3t@a.cz/login", UserField: "a", PasswordField: "b"}.Validate()
	if len(ps) != 1 || strings.Contains(fmt.Sprint(ps), "s3cr3t") {
		t.Errorf("%v", ps)
	}
}
