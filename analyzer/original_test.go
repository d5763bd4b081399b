package analyzer_test

import (
	"net/netip"
	"strings"
	"testing"

	"exclave/analyzer"
)

// TestOriginal: the points of the profile original, added up by hand after System 1 §1.2:
// every occurrence counts, on the page as found, by its regular expressions. A word has two
// letters at least, so of info@firma.cz there are three.
func TestOriginal(t *testing.T) {
	a, err := analyzer.Open(t.Context(), analyzer.Config{Profiles: []string{"original"}, GeoIP: database(t, ranges)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	const cz, sk = "192.0.2.1", "198.51.100.1"
	type row struct{ found, valid int }
	tests := []struct {
		why, html, host                  string
		links                            []string
		geoip, words, email, phone, lang row
		points                           int64
	}{
		{why: "nothing", html: ""},
		{why: "an address in the text, and one in a link and its text, are three",
			html:  `<p>info@firma.cz <a href="mailto:a@b.cz">a@b.cz</a></p>`,
			words: row{4, 0}, email: row{3, 3}, points: 3},
		{why: "any letter case; of other countries: found",
			html: "<p>Info@Firma.CZ a@b.sk</p>", words: row{4, 0}, email: row{2, 1}, points: 1},
		{why: "its fault: a top-level domain is cut at four letters, and what begins with cz is cz",
			html: "<p>a@b.czech</p>", words: row{1, 0}, email: row{1, 1}, points: 1},
		{why: "its fault: an address in a script counts; the words of scripts do not",
			html: "<script>var a='x@y.cz'; // protože když</script>", email: row{1, 1}, points: 1},
		{why: "of numbers those with one blank behind the country code are valid",
			html: "<p>+420 777 123 456, +420777123456, +420 777123456, +421 905 123 456, +420-777-123-456</p>", phone: row{4, 2}, points: 2},
		{why: "a number in a link is no text",
			html: `<a href="tel:+420 777 123 456">x y</a>`},
		{why: "lang in any element, with quotes of any kind or without",
			html: `<html lang="cs"><p lang='cs'><p lang=cs><p xml:lang="cs-CZ"><p lang = "en">`, lang: row{5, 4}, points: 4},
		{why: "its fault: lang in a script counts, and csb is cs",
			html: `<script>e.lang="cs"</script><p lang="csb">`, lang: row{2, 2}, points: 2},
		{why: "lang is written small",
			html: `<html LANG="cs">`},
		{why: "words count as often as they occur, in the title too",
			html: "<title>Protože</title><p>protože protože když because</p>", words: row{5, 4}, points: 4},
		{why: "the page's host and each link, repeats again; an unknown address says nothing",
			html: "", host: cz, links: []string{cz, cz, sk, "203.0.113.1"}, geoip: row{4, 3}, points: 3},
		{why: "200 points are enough, whatever they are of: 190 words, 4 addresses, 3 numbers, 2 lang, 1 host",
			html: `<html lang="cs"><body lang="cs"><p>` + strings.Repeat("protože ", 190) + strings.Repeat("a@b.cz; ", 4) + strings.Repeat("+420 777 123 456; ", 3),
			host: cz, geoip: row{1, 1}, words: row{194, 190}, email: row{4, 4}, phone: row{3, 3}, lang: row{2, 2}, points: 200},
		{why: "199 are not",
			html: "<p>" + strings.Repeat("protože ", 199), words: row{199, 199}, points: 199},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			p := htmlPage(tt.html)
			if tt.host != "" {
				p.Addr = netip.MustParseAddr(tt.host)
			}
			p.Outlinks = nil
			for _, l := range tt.links {
				p.Outlinks = append(p.Outlinks, analyzer.Outlink{URL: "http://b.test/", Host: "b.test", Addr: netip.MustParseAddr(l)})
			}
			vs, err := a.Run(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			v := vs[0]
			want := map[string]row{"geoip": tt.geoip, "dictionary": tt.words, "email": tt.email, "phone": tt.phone, "html_lang": tt.lang}
			for _, s := range v.By {
				if got := (row{s.Found, s.Valid}); got != want[s.Searcher] {
					t.Errorf("%s: %+v, want %+v", s.Searcher, got, want[s.Searcher])
				}
			}
			if v.Points != tt.points || v.Valid != (tt.points >= 200) || len(v.By) != 5 {
				t.Errorf("%d points, want %d\n%s", v.Points, tt.points, explain(v))
			}
		})
	}
}
