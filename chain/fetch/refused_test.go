package fetch

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/robots"
)

// doorman lets in who knows the password of a path's realm, refuses a wrong one everywhere, as servers do that check before they look
// what is asked for, and writes down who asked with one.
type doorman struct {
	realms    map[string]string // by first segment: "in" is in realm "archive"
	passwords map[string]string // by realm: "reader:Circle of Life"
	never     string            // a path that is for others

	mu  sync.Mutex
	log []string // "/in/1 -", "/in/1 reader"
}

func (d *doorman) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	realm := d.realms[strings.Split(r.URL.Path, "/")[1]]
	user, password, given := r.BasicAuth()
	said := "-"
	if given {
		said = user
	}
	d.log = append(d.log, r.URL.Path+" "+said)
	known := false
	for of, right := range d.passwords {
		known = known || given && right == user+":"+password && (realm == "" || realm == of)
	}
	if !known && (given || realm != "") || r.URL.Path == d.never {
		w.Header().Set("WWW-Authenticate", fmt.Sprintf("Basic realm=%q", realm))
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	fmt.Fprint(w, "User-agent: *\nDisallow: /no\n")
}

// asked returns what was asked for since the last time.
func (d *doorman) asked() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := strings.Join(d.log, ", ")
	d.log = nil
	return out
}

// visits are pages of a.example, one after the other, with what they come to.
type visits []struct {
	path     string
	want     crawl.Status
	notes    string
	requests string
}

func (vs visits) run(t *testing.T, h *HTTP, d *doorman) {
	t.Helper()
	for i, v := range vs {
		u := page("http://a.example" + v.path)
		process(t, h, u)
		if notes, asked := strings.Join(u.Annotations, ","), d.asked(); u.Status != v.want || notes != v.notes || asked != v.requests {
			t.Errorf("%d: status %d, want %d; notes %q, want %q; requests %q, want %q", i, u.Status, v.want, notes, v.notes, asked, v.requests)
		}
		if strings.Contains(sent(t, u), "Basic ") {
			t.Error("the password is recorded")
		}
	}
}

// A password that a server refuses is not sent again unasked: what is public comes as to anybody, and the log says once what to mend.
func TestRefusedPasswordIsNotSentAgain(t *testing.T) {
	d := &doorman{realms: map[string]string{"in": "archive"}, passwords: map[string]string{"archive": "reader:another"}}
	var log bytes.Buffer
	h := client(t, serve(t, handlers{"a.example": d}), func(_ *Config, deps *Deps) {
		deps.Accounts = accounts(t, Credential{Prefix: "http://a.example/", User: "reader"})
		deps.Log = slog.New(slog.NewTextHandler(&log, nil))
	})
	visits{
		{"/", 200, "", "/ -"},
		{"/in/1", 401, "auth:basic,auth:refused", "/in/1 -, /in/1 reader"},
		{"/out", 200, "", "/out -"},
		{"/in/2", 401, "auth:refused", "/in/2 -"},
		{"/out2", 200, "", "/out2 -"},
	}.run(t, h, d)
	said := log.String()
	if strings.Count(said, "WARN") != 1 || strings.Contains(said, "Circle") {
		t.Errorf("log: %s", said)
	}
	for _, part := range []string{"prefix=http://a.example/", "user=reader", "realm=archive", "password_env=FETCH_TEST_PASSWORD"} {
		if !strings.Contains(said, part) {
			t.Errorf("the log does not name %s: %s", part, said)
		}
	}
}

// A password that opens pages is not given up for one that is for others; one that is changed while the crawl runs costs no public page.
func TestRefusedAfterItOpened(t *testing.T) {
	d := &doorman{realms: map[string]string{"in": "archive"}, passwords: map[string]string{"archive": "reader:Circle of Life"}, never: "/in/admin"}
	h := client(t, serve(t, handlers{"a.example": d}), func(_ *Config, deps *Deps) {
		deps.Accounts = accounts(t, Credential{Prefix: "http://a.example/", User: "reader"})
	})
	visits{
		{"/in/1", 200, "auth:basic", "/in/1 -, /in/1 reader"},
		{"/in/admin", 401, "auth:basic,auth:refused", "/in/admin reader, /in/admin -"},
		{"/in/2", 200, "auth:basic", "/in/2 reader"},
		{"/out", 200, "auth:basic", "/out reader"},
	}.run(t, h, d)
	d.passwords = map[string]string{"archive": "reader:changed"}
	visits{
		{"/out", 200, "auth:basic,auth:refused", "/out reader, /out -"},
		{"/in/1", 401, "auth:basic,auth:refused", "/in/1 reader, /in/1 -"},
		{"/out2", 200, "auth:basic,auth:refused", "/out2 reader, /out2 -"},
		{"/out3", 200, "", "/out3 -"},
		{"/in/2", 401, "auth:refused", "/in/2 -"},
	}.run(t, h, d)
}

// Two credentials of a server for two realms: each realm is answered with its own, whichever was sent unasked; and so are parts.
func TestRealmsBesideEachOther(t *testing.T) {
	t.Setenv("FETCH_TEST_OTHER", "other")
	d := &doorman{realms: map[string]string{"a": "A", "b": "B"}, passwords: map[string]string{"A": "one:Circle of Life", "B": "two:Circle of Life"}}
	for why, list := range map[string][]Credential{
		"by realm": {{Prefix: "http://a.example/", User: "one", Realm: "A"}, {Prefix: "http://a.example/", User: "two", Realm: "B"}},
		"by part":  {{Prefix: "http://a.example/a/", User: "one"}, {Prefix: "http://a.example/b/", User: "two"}},
	} {
		h := client(t, serve(t, handlers{"a.example": d}), func(_ *Config, deps *Deps) { deps.Accounts = accounts(t, list...) })
		for _, path := range []string{"/a/1", "/b/1", "/a/2", "/b/2"} {
			u := page("http://a.example" + path)
			if process(t, h, u); u.Status != 200 || slices.Contains(u.Annotations, "auth:refused") {
				t.Errorf("%s: %s: status %d, %v; %s", why, path, u.Status, u.Annotations, d.asked())
			}
		}
	}
}

// A user and password of a seed go unasked; a server that refuses them everywhere gives its public pages all the same.
func TestRefusedSeedCredential(t *testing.T) {
	d := &doorman{realms: map[string]string{"in": "archive"}, passwords: map[string]string{"archive": "reader:another"}}
	var log bytes.Buffer
	h := client(t, serve(t, handlers{"a.example": d}), func(_ *Config, deps *Deps) {
		deps.Credentials, deps.Log = Credentials{}, slog.New(slog.NewTextHandler(&log, nil))
		if err := deps.Credentials.Add(page("http://reader:s3cr3t@a.example/").Parsed()); err != nil {
			t.Fatal(err)
		}
	})
	visits{
		{"/in/1", 401, "auth:refused", "/in/1 reader, /in/1 -"},
		{"/out", 200, "", "/out -"},
		{"/out2", 200, "", "/out2 -"},
		{"/in/2", 401, "auth:refused", "/in/2 -"},
	}.run(t, h, d)
	if said := log.String(); strings.Count(said, "WARN") != 1 || strings.Contains(said, "s3cr3t") || strings.Contains(said, "Basic") || !strings.Contains(said, "seed") {
		t.Errorf("log: %s", said)
	}
	d.passwords = map[string]string{"archive": "reader:s3cr3t"}
	h = client(t, serve(t, handlers{"a.example": d}), func(_ *Config, deps *Deps) {
		deps.Credentials = h.deps.Credentials
	})
	visits{{"/in/1", 200, "", "/in/1 reader"}, {"/out", 200, "", "/out reader"}}.run(t, h, d)
}

// forgetful gives a new nonce after each request and does not say that the old one is stale.
type forgetful struct{ digestServer }

func (s *forgetful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.digestServer.ServeHTTP(notStale{w}, r)
}

type notStale struct{ http.ResponseWriter }

func (w notStale) WriteHeader(status int) {
	for i, v := range w.Header()["Www-Authenticate"] {
		w.Header()["Www-Authenticate"][i] = strings.ReplaceAll(v, ", stale=true", "")
	}
	w.ResponseWriter.WriteHeader(status)
}

// Servers that forget their nonces without the word stale are answered with the new one, when the password is known to be right.
func TestNonceThatIsNotCalledStale(t *testing.T) {
	s := &forgetful{digestServer{alg: "MD5"}}
	h := client(t, serve(t, handlers{"a.example": s}), func(_ *Config, d *Deps) {
		d.Accounts = accounts(t, Credential{Prefix: "http://a.example/", User: "reader"})
	})
	for i := range 8 {
		u := page(fmt.Sprintf("http://a.example/%d", i))
		if process(t, h, u); u.Status != 200 || !slices.Equal(u.Annotations, []string{"auth:digest"}) {
			t.Errorf("request %d: status %d, %v", i, u.Status, u.Annotations)
		}
	}
}

// RFC 9309 §2.3.1.3 has a robots.txt that is refused be none; one that is for who has the password is asked for with it.
func TestRobotsBehindPassword(t *testing.T) {
	for why, tt := range map[string]struct {
		prefix  string
		allowed bool
		notes   string
	}{
		"the server":                    {"http://a.example/", false, "auth:basic"},
		"a part that robots.txt is in":  {"http://a.example/robots.txt", false, "auth:basic"},
		"a part that robots.txt is not": {"http://a.example/in/", true, ""},
	} {
		d := &doorman{realms: map[string]string{"in": "archive", "robots.txt": "archive"}, passwords: map[string]string{"archive": "reader:Circle of Life"}}
		h := client(t, serve(t, handlers{"a.example": d}), func(_ *Config, deps *Deps) {
			deps.Accounts = accounts(t, Credential{Prefix: tt.prefix, User: "reader"})
		})
		u := robotsOf("http://a.example")
		process(t, h, u)
		var rules robots.Rules
		if err := rules.UnmarshalBinary(u.Origin.Robots); err != nil {
			t.Fatal(err)
		}
		if ok, _ := rules.Allowed("/no"); ok != tt.allowed || strings.Join(u.Annotations, ",") != tt.notes {
			t.Errorf("%s: allowed %v, %v; %s", why, ok, u.Annotations, d.asked())
		}
		if bytes.Contains(u.Deferred.Raw, []byte("Basic cmVh")) {
			t.Errorf("%s: the password is kept: %q", why, u.Deferred.Raw)
		}
	}
}

// Servers of sessions set a cookie with the question who it is, and want it with the answer, as browsers have it.
func TestCookieOfTheChallenge(t *testing.T) {
	s := serve(t, handlers{"a.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := r.Cookie("session")
		switch user, _, given := r.BasicAuth(); {
		case !given:
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "1", Path: "/"})
			w.Header().Set("WWW-Authenticate", `Basic realm="a"`)
			w.WriteHeader(http.StatusUnauthorized)
		case user != "reader" || err != nil:
			http.Error(w, "no session", http.StatusForbidden)
		default:
			fmt.Fprint(w, "User-agent: *\nDisallow: /no\n")
		}
	})})
	for _, u := range []*crawl.CrawlURI{page("http://a.example/1"), robotsOf("http://a.example")} {
		h := client(t, s, func(_ *Config, d *Deps) {
			d.Accounts, d.Cookies = accounts(t, Credential{Prefix: "http://a.example/", User: "reader"}), emptyJar(t, clock.System())
		})
		if process(t, h, u); u.Status != 200 {
			t.Errorf("%s: status %d, %v", u.URL, u.Status, u.Annotations)
		}
	}
}
