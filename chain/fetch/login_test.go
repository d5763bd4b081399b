package fetch

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
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
		if r.PostFormValue("csrf") == "t&1" && r.PostFormValue("name") == "reader" && r.PostFormValue("pass") == c.password && r.PostFormValue("stay") == "" &&
			r.Referer() == "http://a.example/login" && r.Header.Get("Origin") == "http://a.example" { // as Django and others want it
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

// readerOf is a client that has an account of a.example, to be logged in at /login, with its log and its clock. The fields of the form are called
// name and pass unless c says otherwise.
func readerOf(t *testing.T, s *testweb.Server, c Credential) (h *HTTP, log *bytes.Buffer, clk *clock.Fake) {
	t.Helper()
	c.User, c.Login, c.UserField, c.PasswordField = "reader", "http://a.example/login", cmp.Or(c.UserField, "name"), cmp.Or(c.PasswordField, "pass")
	log, clk = new(bytes.Buffer), clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	h = client(t, s, func(_ *Config, d *Deps) {
		d.Clock, d.Cookies, d.Log = clk, emptyJar(t, clk), slog.New(slog.NewTextHandler(log, nil))
		d.Accounts = accounts(t, c)
	})
	return h, log, clk
}

// emptyJar is a jar in memory.
func emptyJar(t *testing.T, clk clock.Clock) *cookies.Jar {
	t.Helper()
	jar, err := cookies.Open(fsx.NewMem(), "/jar", nil, clk)
	if err != nil {
		t.Fatal(err)
	}
	return jar
}

func TestLogin(t *testing.T) {
	for _, password := range []string{"Circle of Life", "another"} {
		c := &club{password: password}
		s := serve(t, handlers{"a.example": c})
		h, _, clk := readerOf(t, s, Credential{Prefix: "http://a.example/"})
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
	h, log, _ := readerOf(t, s, Credential{Prefix: "http://a.example/closed/"})
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
		if got := strings.Join(u.Annotations, ","); got != want.note || asked-before != want.requests || strings.Count(log.String(), "WARN") != want.warnings || !strings.Contains(log.String(), "the server answers the form with status 302, but http://a.example/closed/1 as to somebody") {
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
	h, _, _ := readerOf(t, s, Credential{Prefix: "http://a.example/closed/"})
	process(t, h, page("http://a.example/"))
	u := page("http://a.example/closed/1")
	if process(t, h, u); u.Status != 200 || !slices.Equal(u.Annotations, []string{"login:ok"}) {
		t.Errorf("status %d, %v", u.Status, u.Annotations)
	}
}

// A page that is for others (403) tells nothing of a login that is known to open some: the next session that ends is renewed all the same.
func TestLoginAndForbidden(t *testing.T) {
	c := &club{password: "Circle of Life"}
	s := serve(t, handlers{"a.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/admin":
			http.Error(w, "not for you", http.StatusForbidden)
		case "/logout":
			c.member = ""
			fmt.Fprint(w, "bye")
		default:
			c.ServeHTTP(w, r)
		}
	})})
	h, _, _ := readerOf(t, s, Credential{Prefix: "http://a.example/"})
	for i, want := range []struct {
		path   string
		status crawl.Status
	}{{"1", 200}, {"admin", 403}, {"admin?2", 403}, {"logout", 200}, {"2", 200}} {
		u := page("http://a.example/" + want.path)
		if process(t, h, u); u.Status != want.status || slices.Contains(u.Annotations, "login:failed") {
			t.Errorf("%d: %s: status %d, %v, %d logins", i, want.path, u.Status, u.Annotations, c.logins)
		}
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
	h, _, _ := readerOf(t, s, Credential{Prefix: "http://a.example/"})
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
		s := serve(t, handlers{"a.example": &club{password: "Circle of Life"}})
		h, log, _ := readerOf(t, s, Credential{Prefix: "http://a.example/", UserField: tt.user, PasswordField: tt.pass})
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
			s := serve(t, handlers{"a.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path != "/new" && r.PostFormValue("name") == "reader" && r.PostFormValue("pass") == "Circle of Life":
					http.SetCookie(w, &http.Cookie{Name: "member", Value: "1"})
					fmt.Fprint(w, register)
				default:
					fmt.Fprint(w, shown)
				}
			})})
			h, _, _ := readerOf(t, s, Credential{Prefix: "http://a.example/", Fields: map[string]string{"site": "1", "area": "2"}})
			u := page("http://a.example/page")
			if process(t, h, u); !slices.Contains(u.Annotations, "login:ok") {
				t.Error(u.Annotations)
			}
		})
	}
}
