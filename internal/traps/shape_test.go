package traps

import (
	"testing"

	"exclave/internal/urlx"
)

func TestShape(t *testing.T) {
	for url, want := range map[string]string{
		"http://a.cz/":                                 "",
		"http://a.cz/clanek/jmeno":                     "",
		"http://a.cz/list/12":                          "a.cz/list/0",
		"http://a.cz/2026/11/25/nazev-clanku":          "a.cz/0/0/0/nazev-clanku",
		"http://a.cz/2026-11-25.html":                  "a.cz/0-0-0.html",
		"http://a.cz/x?b=7&a=word":                     "a.cz/x?a=word&b=0",
		"http://a.cz/x?a=word":                         "",
		"http://a.cz/s/0f9a8b7c6d5e":                   "a.cz/s/*",
		"http://a.cz/p/Ab3kL9qW2z":                     "a.cz/p/*",
		"http://a.cz/show.php?sid=9f8e7d6c5b4a&page=3": "a.cz/show.php?page=0&sid=*",
		"http://a.cz/rok2026/":                         "a.cz/rok0/",
	} {
		u, err := urlx.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		if got := Shape(u); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}
