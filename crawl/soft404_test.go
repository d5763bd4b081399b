package crawl

import (
	"fmt"
	"strings"
	"testing"

	"exclave/internal/urlx"
)

// Pages for addresses that do not exist repeat the address, as it is written or as it reads, and have ids, times and numbers of their own;
// long ones may have a word in fifty of their own, three at most. Pages that are there are others, however large the frame is
// that they have in common.
func TestSoft404Equals(t *testing.T) {
	at := func(s string) *urlx.URL {
		u, err := urlx.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	frame := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, " %c%c%c", 'a'+i%26, 'a'+i/26%26, 'x')
		}
		return b.String()
	}
	const probed = "http://a.cz/kq7vbn3mtr2zwxyp"
	short := func(path, id string) string {
		return "Stránka " + path + " nebyla nalezena. Požadavek " + id + " v čase 2026-11-28T10:11:12. Na úvod"
	}
	long := func(other string) string {
		return "Stránka nebyla nalezena" + frame(147) + " " + other
	}
	for _, c := range []struct {
		why         string
		probe, page string
		url         string
		want        bool
	}{
		{"an id, a time and the address", short("/kq7vbn3mtr2zwxyp", "x9f3"), short("/neni/tam.html", "b71"), "http://a.cz/neni/tam.html", true},
		{"the address as it reads", short("kq7vbn3mtr2zwxyp", "1"), short("žlutý kůň", "2"), "http://a.cz/%C5%BElut%C3%BD+k%C5%AF%C5%88", true},
		{"the whole address", "Nic na " + probed, "Nic na http://a.cz/neni?a=b", "http://a.cz/neni?a=b", true},
		{"an address whose letters stand in words", short("kq7vbn3mtr2zwxyp", "1"), short("na", "2"), "http://a.cz/na", true},
		{"an address whose word stands in the page anyway", short("kq7vbn3mtr2zwxyp", "1"), short("x", "2"), "http://a.cz/nalezena", false}, // x is none of it
		{"a word of that address", short("kq7vbn3mtr2zwxyp", "1"), short("nalezena", "2"), "http://a.cz/nalezena", true},
		{"another short page", short("kq7vbn3mtr2zwxyp", "1"), short("neni", "2") + " kontakty", "http://a.cz/neni", false},
		{"a word less", short("kq7vbn3mtr2zwxyp", "1"), "Stránka nebyla nalezena", "http://a.cz/neni", false},
		{"three words of its own, of 150", long("jedna dva tři"), long("ein zwei drei"), "http://a.cz/x", true},
		{"four", long("jedna dva tři čtyři"), long("ein zwei drei vier"), "http://a.cz/x", false},
		{"a short page in a large frame", "Nic" + frame(700), "Jan Novák, truhlář" + frame(700) + " prodej oken", "http://a.cz/jan", false},
		{"behind what is compared", frame(1000) + " nic", frame(1000) + " " + frame(50), "http://a.cz/x", false},
		{"shells without words", "", " - ", "http://a.cz/x", true},
	} {
		s := Soft404{Text: NewSoft404Text(c.probe, at(probed))}
		if got := s.Equals(c.page, at(c.url)); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}
