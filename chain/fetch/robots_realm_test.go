package fetch

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"exclave/internal/record"
	"exclave/internal/robots"
)

// A robots.txt that a server gives to readers alone is asked for with the password that is for it: by its prefix, or by the realm.
func TestRobotsBehindRealm(t *testing.T) {
	for _, tt := range []struct {
		why       string
		of        Credential
		first     bool // a page is asked for first
		requests  string
		forbidden bool // what it says is known
	}{
		{"the host's root", Credential{Prefix: "http://a.example/"}, false, "- +", true},
		{"a page told", Credential{Prefix: "http://a.example/"}, true, "+", true},
		{"the realm that is configured", Credential{Prefix: "http://a.example/members/", Realm: "archive"}, false, "- +", true},
		{"the realm of pages", Credential{Prefix: "http://a.example/members/"}, true, "+", true},
		{"no realm", Credential{Prefix: "http://a.example/members/"}, false, "-", false},
		{"another realm", Credential{Prefix: "http://a.example/", Realm: "other"}, false, "-", false},
		{"another host", Credential{Prefix: "http://b.example/", Realm: "archive"}, false, "-", false},
		{"TLS alone", Credential{Prefix: "https://a.example/members/", Realm: "archive"}, false, "-", false},
	} {
		var got []string
		s := serve(t, handlers{"a.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			user, password, ok := r.BasicAuth()
			if r.URL.Path == "/robots.txt" {
				got = append(got, map[bool]string{false: "-", true: "+"}[ok])
			}
			if user != "reader" || password != "Circle of Life" {
				w.Header().Set("WWW-Authenticate", `Basic realm="archive"`)
				http.Error(w, "User-agent: *\nDisallow: /all", http.StatusUnauthorized)
				return
			}
			fmt.Fprint(w, "User-agent: *\nDisallow: /no\n")
		})})
		tt.of.User = "reader"
		h := client(t, s, func(_ *Config, d *Deps) { d.Accounts = accounts(t, tt.of) })
		if tt.first {
			process(t, h, page("http://a.example/members/1"))
		}
		u := robotsOf("http://a.example")
		process(t, h, u)
		var rules robots.Rules
		if err := rules.UnmarshalBinary(u.Origin.Robots); err != nil {
			t.Fatal(err)
		}
		ok, _ := rules.Allowed("/no")
		if text := strings.Join(got, " "); text != tt.requests || ok == tt.forbidden || slices.Contains(u.Annotations, "auth:basic") != strings.Contains(text, "+") {
			t.Errorf("%s: %q, allowed %v, %v", tt.why, got, ok, u.Annotations)
		}
		var e record.Exchange
		if err := e.UnmarshalBinary(u.Deferred.Raw); err != nil {
			t.Fatal(err)
		}
		if text := sent(t, u) + string(u.Deferred.Raw); strings.Contains(text, "Circle") || strings.Contains(text, "Basic cmVh") {
			t.Errorf("%s: %q", tt.why, text)
		}
		p := page("http://a.example/beside")
		if process(t, h, p); slices.Contains(p.Annotations, "auth:basic") && strings.Contains(tt.of.Prefix, "members") {
			t.Errorf("%s: the password goes beside its prefix", tt.why)
		}
	}
}

// A robots.txt beside the prefix that the reader may not see tells nothing of what is in the prefix.
func TestRobotsOfOthers(t *testing.T) {
	s := serve(t, handlers{"a.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "Circle of Life" || r.URL.Path == "/robots.txt" {
			w.Header().Set("WWW-Authenticate", `Basic realm="archive"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, "for members")
	})})
	h := client(t, s, func(_ *Config, d *Deps) {
		d.Accounts = accounts(t, Credential{Prefix: "http://a.example/members/", User: "reader", Realm: "archive"})
	})
	for range 4 {
		r, u := robotsOf("http://a.example"), page("http://a.example/members/1")
		process(t, h, r)
		if process(t, h, u); u.Status != 200 || r.Status != 401 {
			t.Errorf("status %d, %v; robots.txt %d, %v", u.Status, u.Annotations, r.Status, r.Annotations)
		}
	}
}
