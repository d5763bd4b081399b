package fetch

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
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
	"sync/atomic"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/cookies"
	"exclave/internal/fsx"
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

// RFC 7616 §3.9.1: both examples.
func TestDigest(t *testing.T) {
	for alg, want := range map[string]string{
		"SHA-256": "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1", "MD5": "8ca523f5e9506fed4657c9700eebdbec",
	} {
		c := &challenge{scheme: "digest", count: 1, of: &account{Credential: Credential{User: "Mufasa"}, password: passwordOf("Circle of Life")},
			params: map[string]string{"realm": "http-auth@example.org", "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "qop": "auth, auth-int",
				"opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", "algorithm": alg}}
		got := c.digest("GET", "/dir/index.html", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
		for _, part := range []string{`response="` + want + `"`, `username="Mufasa"`, "nc=00000001", "qop=auth", "algorithm=" + alg} {
			if !strings.Contains(got, part) {
				t.Errorf("%s: no %s in %s", alg, part, got)
			}
		}
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
	if strings.HasPrefix(s.alg, "SHA-256") {
		return sha256.New()
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
	for _, alg := range []string{"MD5", "SHA-256", "MD5-sess"} {
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
	// A wrong password is tried once where it is asked for, and goes with what follows; nothing is repeated for it.
	wrong := &digestServer{alg: "MD5"}
	var log bytes.Buffer
	h := client(t, serve(t, handlers{"a.example": wrong}), func(_ *Config, d *Deps) {
		d.Accounts, d.Log = accounts(t, Credential{Prefix: "http://a.example/", User: "another"}), slog.New(slog.NewTextHandler(&log, nil))
	})
	for i := range 3 {
		u := page(fmt.Sprintf("http://a.example/%d", i))
		if process(t, h, u); u.Status != 401 || !slices.Equal(u.Annotations, []string{"auth:digest", "auth:refused"}) {
			t.Errorf("status %d, %v", u.Status, u.Annotations)
		}
	}
	if said := log.String(); strings.Count(said, "refuses a password") != 1 || !strings.Contains(said, "prefix=http://a.example/ user=another") || strings.Contains(said, "Circle") {
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
		if u.Status != tt.want || refused != (tt.why == "another user") || strings.Contains(sent(t, u), "Basic ") {
			t.Errorf("%s: status %d, %v", tt.why, u.Status, u.Annotations)
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

// club lets in who sends the form, hidden field included, until it forgets them.
type club struct {
	mu       sync.Mutex
	logins   int
	member   string // the cookie that counts
	password string
}

func (c *club) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	in := false
	if got, err := r.Cookie("member"); err == nil {
		in = got.Value == c.member && c.member != ""
	}
	switch {
	case r.URL.Path == "/login" && r.Method == http.MethodGet:
		http.SetCookie(w, &http.Cookie{Name: "visit", Value: "1", Path: "/"})
		fmt.Fprint(w, `<form action=/search><input name=q></form><form method=post action="/enter"><input type=hidden name=csrf value="t&amp;1"><input name=name><input type=password name=pass><input type=checkbox name=stay value=1></form>`)
	case r.URL.Path == "/enter" && r.Method == http.MethodPost:
		if r.PostFormValue("csrf") == "t&1" && r.PostFormValue("name") == "reader" && r.PostFormValue("pass") == c.password && r.PostFormValue("stay") == "" {
			c.logins++
			c.member = fmt.Sprintf("m%d", c.logins)
			http.SetCookie(w, &http.Cookie{Name: "member", Value: c.member, Path: "/"})
			http.Redirect(w, r, "/welcome", http.StatusSeeOther)
			return
		}
		http.Redirect(w, r, "/login", http.StatusSeeOther)
	case in:
		fmt.Fprint(w, "for members")
	default:
		http.Redirect(w, r, "/login?from="+r.URL.Path, http.StatusFound)
	}
}

func TestLogin(t *testing.T) {
	for _, password := range []string{"Circle of Life", "another"} {
		c := &club{password: password}
		s := serve(t, handlers{"a.example": c})
		clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
		jar, err := cookies.Open(fsx.NewMem(), "/jar", nil, clk)
		if err != nil {
			t.Fatal(err)
		}
		h := client(t, s, func(_ *Config, d *Deps) {
			d.Clock, d.Cookies = clk, jar
			d.Accounts = accounts(t, Credential{Prefix: "http://a.example/", User: "reader", Login: "http://a.example/login", UserField: "name", PasswordField: "pass"})
		})
		get := func(want crawl.Status, note string, logins int) {
			t.Helper()
			u := page("http://a.example/page")
			process(t, h, u)
			if u.Status != want || note != "" && !slices.Contains(u.Annotations, note) || c.logins != logins {
				t.Errorf("password %q: status %d, %v, %d logins", password, u.Status, u.Annotations, c.logins)
			}
			if text := sent(t, u); strings.Contains(text, "Circle") || strings.Contains(text, "member=") {
				t.Error(text)
			}
		}
		if password == "another" {
			get(302, "login:failed", 0)
			continue
		}
		get(200, "login:ok", 1)
		get(200, "", 1)
		for i := range quickLogins - 1 {
			c.member = "" // the session is over
			get(200, "login:ok", 2+i)
		}
		c.member = ""
		get(302, "login:failed", quickLogins)
		clk.Advance(2 * loginAgain)
		get(200, "login:ok", quickLogins+1)
	}
}

// A server that gives everybody cookies, and the form again with another status, tells by the pages behind it whether somebody is logged in.
func TestLoginInVain(t *testing.T) {
	var asked int
	s := serve(t, handlers{"a.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.SetCookie(w, &http.Cookie{Name: "session", Value: fmt.Sprint(asked), Path: "/"})
		switch {
		case r.URL.Path == "/closed/403":
			http.Error(w, "not for you", http.StatusForbidden)
		case strings.HasPrefix(r.URL.Path, "/closed/") || r.Method == http.MethodPost:
			http.Redirect(w, r, "/login", http.StatusFound)
		default:
			fmt.Fprint(w, `<form method=post><input name=name><input type=password name=pass></form>`)
		}
	})})
	var log bytes.Buffer
	clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	jar, err := cookies.Open(fsx.NewMem(), "/jar", nil, clk)
	if err != nil {
		t.Fatal(err)
	}
	h := client(t, s, func(_ *Config, d *Deps) {
		d.Clock, d.Cookies, d.Log = clk, jar, slog.New(slog.NewTextHandler(&log, nil))
		d.Accounts = accounts(t, Credential{Prefix: "http://a.example/closed/", User: "reader", Login: "http://a.example/login", UserField: "name", PasswordField: "pass"})
	})
	for i, want := range []struct {
		path, note string
		requests   int // with those of the form and what it leads to
		warnings   int
	}{
		{"1", "login:failed", 4, 1},
		{"2", "login:failed", 5, 2},
		{"3", "login:failed", 1, 2},
		{"403", "", 1, 2},
	} {
		before := asked
		u := page("http://a.example/closed/" + want.path)
		process(t, h, u)
		if got := strings.Join(u.Annotations, ","); got != want.note || asked-before != want.requests || strings.Count(log.String(), "WARN") != want.warnings {
			t.Errorf("%d: %q, %d requests\n%s", i, got, asked-before, log.String())
		}
	}
}

// A session that began before the login, as PHP's do, is the one that is logged in: the form sets no cookie.
func TestLoginInSession(t *testing.T) {
	in := false
	s := serve(t, handlers{"a.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie("PHPSESSID")
		switch {
		case err != nil:
			http.SetCookie(w, &http.Cookie{Name: "PHPSESSID", Value: "1", Path: "/"})
			fmt.Fprint(w, "welcome")
		case r.Method == http.MethodPost:
			in = cookie.Value == "1" && r.PostFormValue("pass") == "Circle of Life"
			http.Redirect(w, r, "/", http.StatusFound)
		case r.URL.Path == "/login":
			fmt.Fprint(w, `<form method=post><input name=name><input type=password name=pass></form>`)
		case strings.HasPrefix(r.URL.Path, "/closed/") && !in:
			http.Redirect(w, r, "/login", http.StatusFound)
		default:
			fmt.Fprint(w, "for members")
		}
	})})
	jar, err := cookies.Open(fsx.NewMem(), "/jar", nil, clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
	if err != nil {
		t.Fatal(err)
	}
	h := client(t, s, func(_ *Config, d *Deps) {
		d.Cookies = jar
		d.Accounts = accounts(t, Credential{Prefix: "http://a.example/closed/", User: "reader", Login: "http://a.example/login", UserField: "name", PasswordField: "pass"})
	})
	process(t, h, page("http://a.example/"))
	u := page("http://a.example/closed/1")
	if process(t, h, u); u.Status != 200 || !slices.Equal(u.Annotations, []string{"login:ok"}) {
		t.Errorf("status %d, %v", u.Status, u.Annotations)
	}
}

// Requests that were made when a session ended are made again with the one that another ToeThread got.
func TestLoginOfAnother(t *testing.T) {
	c := &club{password: "Circle of Life"}
	var out atomic.Int64
	both := make(chan struct{})
	s := serve(t, handlers{"a.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if cookie, err := r.Cookie("member"); err == nil && cookie.Value == "m1" && strings.HasPrefix(r.URL.Path, "/late") {
			if out.Add(1) == 2 {
				close(both)
			}
			<-both
		}
		c.ServeHTTP(w, r)
	})})
	clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	jar, err := cookies.Open(fsx.NewMem(), "/jar", nil, clk)
	if err != nil {
		t.Fatal(err)
	}
	h := client(t, s, func(_ *Config, d *Deps) {
		d.Clock, d.Cookies = clk, jar
		d.Accounts = accounts(t, Credential{Prefix: "http://a.example/", User: "reader", Login: "http://a.example/login", UserField: "name", PasswordField: "pass"})
	})
	process(t, h, page("http://a.example/page"))
	c.mu.Lock()
	c.member = ""
	c.mu.Unlock()
	var all sync.WaitGroup
	late := []*crawl.CrawlURI{page("http://a.example/late1"), page("http://a.example/late2")}
	for _, u := range late {
		all.Go(func() { process(t, h, u) })
	}
	all.Wait()
	for _, u := range late {
		if u.Status != 200 || c.logins != 2 {
			t.Errorf("%s: status %d, %v, %d logins", u.URL, u.Status, u.Annotations, c.logins)
		}
	}
}

// A field that the form does not have is named, with those it has.
func TestLoginFields(t *testing.T) {
	for _, tt := range []struct{ user, pass, want string }{
		{"username", "pass", "the form at http://a.example/login has no field username; it has name, pass, stay"},
		{"name", "password", "the form at http://a.example/login has no field password; it has name, pass, stay"},
	} {
		var log bytes.Buffer
		clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
		jar, err := cookies.Open(fsx.NewMem(), "/jar", nil, clk)
		if err != nil {
			t.Fatal(err)
		}
		h := client(t, serve(t, handlers{"a.example": &club{password: "Circle of Life"}}), func(_ *Config, d *Deps) {
			d.Clock, d.Cookies, d.Log = clk, jar, slog.New(slog.NewTextHandler(&log, nil))
			d.Accounts = accounts(t, Credential{Prefix: "http://a.example/", User: "reader", Login: "http://a.example/login", UserField: tt.user, PasswordField: tt.pass})
		})
		u := page("http://a.example/page")
		process(t, h, u)
		if !slices.Contains(u.Annotations, "login:failed") || !strings.Contains(log.String(), tt.want) {
			t.Errorf("%s, %s: %v, %s", tt.user, tt.pass, u.Annotations, log.String())
		}
	}
}

// A login that works is none that failed, whatever other forms there are.
func TestLoginOtherForms(t *testing.T) {
	const login = `<form method=post><input name=name required><input type=password name=pass required><input type=checkbox name=stay></form>`
	const register = `<form action=/new><input name=mail><input type=password name=new></form>`
	for why, shown := range map[string]string{
		"another form before it":              register + `<form method=post><input name=name><input type=password name=pass></form>`,
		"the user in a hidden field":          `<form method=post><input type=hidden name=name><input type=password name=pass></form>`,
		"the user in a list":                  `<form method=post><select name=name><option>reader</select><input type=password name=pass></form>`,
		"another form before one of a script": register,
		"registration with the same password": `<form action=/new method=post><input name=mail><input type=password name=pass></form>` + login,
		"registration with both fields":       `<form action=/new method=post><input name=name required><input type=password name=pass required><input name=mail required></form>` + login,
		"registration behind it":              login + `<form action=/new method=post><input name=name><input type=password name=pass><input name=mail></form>`,
		"registration asks for more":          `<form action=/new method=post><input name=name><input type=password name=pass><input name=mail><input type=password name=again></form>` + login,
		"the login has optional fields": `<form action=/new method=post><input name=name><input type=password name=pass><select name=country required></select></form>` +
			`<form method=post><input name=name><input type=password name=pass><input name=code><textarea name=note></textarea></form>`,
		"what is configured beside is no more": `<form action=/new method=post><input name=name><input type=password name=pass><input name=mail required></form>` +
			`<form method=post><input name=name required><input type=password name=pass required><input name=site required><input name=area required></form>`,
		"the first of equal ones": `<form method=post><input name=name><input type=password name=pass></form><form action=/new method=post><input name=name><input type=password name=pass></form>`,
	} {
		t.Run(why, func(t *testing.T) {
			clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
			jar, err := cookies.Open(fsx.NewMem(), "/jar", nil, clk)
			if err != nil {
				t.Fatal(err)
			}
			h := client(t, serve(t, handlers{"a.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path != "/new" && r.PostFormValue("name") == "reader" && r.PostFormValue("pass") == "Circle of Life":
					http.SetCookie(w, &http.Cookie{Name: "member", Value: "1"})
					fmt.Fprint(w, register)
				default:
					fmt.Fprint(w, shown)
				}
			})}), func(_ *Config, d *Deps) {
				d.Clock, d.Cookies = clk, jar
				d.Accounts = accounts(t, Credential{Prefix: "http://a.example/", User: "reader", Login: "http://a.example/login", UserField: "name", PasswordField: "pass", Fields: map[string]string{"site": "1", "area": "2"}})
			})
			u := page("http://a.example/page")
			if process(t, h, u); !slices.Contains(u.Annotations, "login:ok") {
				t.Error(u.Annotations)
			}
		})
	}
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
