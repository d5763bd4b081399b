package fetch

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/sheet"
)

// What is asked for beside a URI (where its robots.txt is redirected to, the form of its login, an address that does not exist) is so by the sheets
// of its own address: nothing where they block it, no header fields of another host, and the cookies of its own.
func TestBesideByItsOwnSheet(t *testing.T) {
	var asked []string
	ours := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, strings.TrimSpace(fmt.Sprint(r.Method, " ", name, " ", r.Header.Get("X-Token"))))
			switch {
			case name == "wall.example" && r.Header.Get("Cookie") == "":
				http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1", Path: "/"})
				http.Redirect(w, r, r.URL.Path, http.StatusFound)
			case r.URL.Path == "/robots.txt" && name == "a.example":
				http.Redirect(w, r, "http://b.example/robots.txt", http.StatusFound)
			case r.URL.Path == "/robots.txt" && name == "b.example":
				http.Redirect(w, r, "http://shut.example/robots.txt", http.StatusFound)
			default:
				fmt.Fprint(w, "<!doctype html><p>a page of some words that are the same whatever is asked for")
			}
		})
	}
	s := serve(t, handlers{"a.example": ours("a.example"), "b.example": ours("b.example"), "shut.example": ours("shut.example"), "wall.example": ours("wall.example"), "part.example": ours("part.example")})
	set, ps := sheet.Read([]sheet.Text{{Name: "a.toml", Data: []byte(`
[[sheet]]
name = "ours"
hosts = ["a.example"]
http.headers = { X-Token = "token" }
[[sheet]]
name = "shut"
hosts = ["shut.example", "part.example"]
blocked = true
[[sheet]]
name = "open"
surts = ["http://part.example/open"]
blocked = false
`)}}, nil)
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	jar := emptyJar(t, clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
	h := client(t, s, func(c *Config, d *Deps) {
		c.Soft404 = sheet.Soft404Mark
		d.Sheets, d.Cookies = sheet.NewLive(set), jar
		d.Hosts = hosts{"a.example": nil, "b.example": nil, "shut.example": nil}
		d.Resolver = testResolver(t, s)
		d.Accounts = accounts(t, Credential{Prefix: "http://b.example/", User: "u", Login: "http://shut.example/login", UserField: "n", PasswordField: "p"})
	})
	visit := func(u *crawl.CrawlURI) *crawl.CrawlURI {
		asked = nil
		u.Sheet = set.Of(u.Parsed(), 0)
		process(t, h, u)
		return u
	}
	if u := visit(robotsOf("http://a.example")); !slices.Equal(asked, []string{"GET a.example token", "GET b.example"}) || u.Status != 302 || u.Origin == nil {
		t.Errorf("robots.txt: status %d, asked %q", u.Status, asked)
	}
	if u := visit(page("http://b.example/")); !slices.Equal(u.Annotations, []string{"login:failed"}) || slices.Contains(asked, "GET shut.example") || u.Status != 200 {
		t.Errorf("a login: status %d, %v, asked %q", u.Status, u.Annotations, asked)
	}
	if u := visit(page("http://part.example/open/1")); len(asked) != 1 || u.Status != 200 {
		t.Errorf("an address that does not exist: status %d, asked %q", u.Status, asked)
	}
	visit(page("http://wall.example/"))
	if u := visit(page("http://wall.example/")); u.Attribute(crawl.AttrSoft404) == nil {
		t.Errorf("an address that does not exist, behind a cookie: status %d, asked %q", u.Status, asked)
	}
}
