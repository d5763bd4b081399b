package fetch

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/internal/clock"
)

// Several pages for others in a row do not shut a reader out of their own for good: after ten minutes the password is sent again where the
// server asks for it.
func TestRefusedPasswordLater(t *testing.T) {
	clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	sends := 0
	h := client(t, serve(t, handlers{"a.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, sent := r.BasicAuth()
		if sent {
			sends++
		}
		if password != "Circle of Life" || strings.HasPrefix(r.URL.Path, "/staff") {
			w.Header().Set("WWW-Authenticate", `Basic realm="archive"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, "for members")
	})}), func(_ *Config, d *Deps) {
		d.Clock, d.Accounts = clk, accounts(t, Credential{Prefix: "http://a.example/", User: "reader"})
	})
	get := func(path string, want int) {
		t.Helper()
		u := page("http://a.example" + path)
		if process(t, h, u); int(u.Status) != want || want == 401 && !slices.Contains(u.Annotations, "auth:refused") {
			t.Errorf("%s: status %d, %v", path, u.Status, u.Annotations)
		}
	}
	get("/members/1", 200)
	for i := range 2 * vainSends {
		get(fmt.Sprintf("/staff/%d", i), 401)
	}
	if get("/members/2", 401); sends != 1+vainSends {
		t.Errorf("it was sent %d times", sends)
	}
	clk.Advance(2 * loginAgain)
	get("/members/3", 200)
	get("/staff/x", 401)
	get("/members/4", 200)
}
