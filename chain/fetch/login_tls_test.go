package fetch

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
)

// A login page that is configured without TLS, and goes over to it on its own server, is where the form is: its cookies are for TLS alone. On
// another server it is none.
func TestLoginGoesOverToTLS(t *testing.T) {
	for host, want := range map[string]string{"a.example": "login:ok", "b.example": "login:failed"} {
		var got []string
		secure := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.TLS == nil {
				http.Redirect(w, r, "https://"+host+r.URL.Path, http.StatusMovedPermanently)
				return
			}
			in, err := r.Cookie("member")
			switch {
			case r.Method == http.MethodPost:
				got = append(got, r.Referer(), r.Header.Get("Origin"))
				http.SetCookie(w, &http.Cookie{Name: "member", Value: "1", Path: "/", Secure: true})
				http.Redirect(w, r, "/welcome", http.StatusSeeOther)
			case r.URL.Path == "/login":
				fmt.Fprint(w, `<form method=post action="/enter"><input name=name><input type=password name=pass></form>`)
			case err == nil && in.Value == "1":
				fmt.Fprint(w, "for members")
			default:
				http.Redirect(w, r, "/login", http.StatusFound)
			}
		})
		h, _, _ := readerOf(t, serve(t, handlers{"a.example": secure, "b.example": secure}), Credential{Prefix: "http://a.example/"})
		u := page("https://a.example/page")
		process(t, h, u)
		if !slices.Contains(u.Annotations, want) {
			t.Errorf("login at %s: status %d, %v", host, u.Status, u.Annotations)
		}
		if sent := []string{"https://a.example/login", "https://a.example"}; want == "login:ok" && !slices.Equal(got, sent) || want != "login:ok" && got != nil {
			t.Errorf("login at %s: the form came from %q", host, got)
		}
	}
}
