package cookies

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// RFC 6265 §6.1: at least 50 cookies a host, all of one answer among them; what the request was made with is not what goes for them, not
// even when the jar is read again.
func TestManyCookies(t *testing.T) {
	many := func(name string, n int) (lines []string) {
		for i := range n {
			lines = append(lines, fmt.Sprintf("%s%d=1; Path=/", name, i))
		}
		return lines
	}
	for why, c := range map[string]struct {
		host, of string     // that sets the session, and the others
		answers  [][]string // one after the other
		kept     int
	}{
		"60 lines":                 {"http://a.cz/", "http://a.cz/", [][]string{many("n", 60)}, 61},
		"the last line of many":    {"http://a.cz/", "http://a.cz/", [][]string{append(many("n", 400), "last=1")}, 50},
		"two answers":              {"http://a.cz/", "http://a.cz/", [][]string{many("n", 60), many("m", 60)}, 121},
		"more than there are kept": {"http://a.cz/", "http://a.cz/", [][]string{many("n", 400)}, 50},
		"of other hosts":           {"http://a.cz/", "http://b.a.cz/", [][]string{many("n", 400)}, 1},
	} {
		clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
		fsys := fsx.NewMem()
		j, err := Open(fsys, "/jar", nil, clk)
		if err != nil {
			t.Fatal(err)
		}
		set := func(url string, lines ...string) {
			t.Helper()
			if _, err := j.Set(at(t, url), lines); err != nil {
				t.Fatal(err)
			}
			clk.Advance(time.Second)
		}
		set(c.host, "session=1; Path=/")
		for _, lines := range c.answers {
			j.For(at(t, c.host)) // a request
			set(c.of, lines...)
		}
		for _, when := range []string{"at first", "read again"} {
			got := strings.Split(j.For(at(t, c.host)), "; ")
			last := c.answers[len(c.answers)-1]
			newest, _, _ := strings.Cut(last[len(last)-1], ";")
			if !strings.Contains(strings.Join(got, "; ")+";", "session=1;") || len(got) < c.kept || !strings.Contains(j.For(at(t, c.of))+";", newest+";") {
				t.Errorf("%s, %s: %d cookies, the session among them: %v", why, when, len(got), strings.Contains(strings.Join(got, " "), "session"))
			}
			if err := j.Close(); err != nil {
				t.Fatal(err)
			}
			if j, err = Open(fsys, "/jar", nil, clk); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Hosts of a domain together have a bound; the session of another host of it, which is in use, is not what goes.
func TestManyHostsOfADomain(t *testing.T) {
	clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	j, err := Open(fsx.NewMem(), "/jar", nil, clk)
	if err != nil {
		t.Fatal(err)
	}
	set := func(url string, lines ...string) {
		t.Helper()
		if _, err := j.Set(at(t, url), lines); err != nil {
			t.Fatal(err)
		}
		clk.Advance(time.Second)
	}
	set("http://a.cz/", "session=1")
	for i := range 10 * maxPerHost {
		j.For(at(t, "http://a.cz/"))
		set(fmt.Sprintf("http://h%d.a.cz/", i), "n=1")
	}
	if j.For(at(t, "http://a.cz/")) != "session=1" || j.Len() > 4*maxPerHost {
		t.Errorf("%q of %d", j.For(at(t, "http://a.cz/")), j.Len())
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}
