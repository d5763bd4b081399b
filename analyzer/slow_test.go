package analyzer_test

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"testing"

	"exclave/analyzer"
	"exclave/internal/growthtest"
)

// hostilePage has b wherever a searcher looks.
func hostilePage(b []byte) *analyzer.Page {
	p := &analyzer.Page{URL: "http://a.test/", Host: "a.test", HostJudged: len(b), HostValid: []int{len(b)}, Via: "http://" + string(b[:min(len(b), 2048)]), Type: "text/html", Title: string(b[:min(len(b), 1024)]), Text: string(b), Source: string(b)}
	for len(b) > 64 {
		var four [4]byte
		binary.BigEndian.PutUint32(four[:], 0xc0000200|uint32(b[0])<<8|uint32(b[1]))
		p.Outlinks = append(p.Outlinks, analyzer.Outlink{URL: fmt.Sprintf("http://%x.test/", b[:8]), Host: fmt.Sprintf("%x.test", b[:8]), Addr: netip.AddrFrom4(four)})
		p.Langs = append(p.Langs, analyzer.Lang{Value: string(b[:64]), Where: "p@lang"})
		b = b[64:]
	}
	return p
}

// TestLinear: no searcher takes time that grows faster than the page.
func TestLinear(t *testing.T) {
	places := openPlaces(t, database(t, ranges), `
[[searcher]]
kind="email"
pattern="\\.(cz|sk)$"
points=1
[[searcher]]
kind="phone"
pattern="^\\+42[01]"
country_code="420"
national="^[2-9][0-9]{8}$"
trunk="0"
points=1
[[searcher]]
kind="company_id"
scheme="ico"
labels=["IČO"]
points=1
[[searcher]]
kind="company_id"
name="iban"
scheme="iban"
points=1
[[searcher]]
kind="postal_code"
pattern="^[1-7][0-9]{2} ?[0-9]{2}$"
labels=["PSČ"]
towns=["Praha"]
points=1
[[searcher]]
kind="currency"
units=["Kč", ",-"]
points=1
[[searcher]]
kind="html_lang"
pattern="^(cs|sk)\\b"
points=1
[[searcher]]
kind="language"
language="cs"
points=1
[[searcher]]
kind="dictionary"
list="cs"
points=1
[[searcher]]
kind="forbidden_dictionary"
list="sk"
points=-1
[[searcher]]
kind="cities"
list="cz"
ascii=true
points=1
[[searcher]]
kind="host"
min_pages=1
points=1
[[searcher]]
kind="url"
domains=["cz", "test"]
points=1
[[searcher]]
kind="tld"
domains=["test"]
points=1
[[searcher]]
kind="in_links"
domains=["test"]
points=1
[[searcher]]
kind="valid_link"
sites=["test", "http://a.test/b/", "cz"]
points=1
[[searcher]]
kind="forbidden_link"
sites=["http://("]
points=-1
[[searcher]]
kind="charset"
charsets=["windows-1250"]
points=1
[[searcher]]
kind="regexp"
pattern='(?i)([a-z0-9._-]+@[a-z0-9.-]+\.[a-z]{2,4})'
valid="cz"
in="source"
points=1
`)
	for _, s := range growthtest.Shapes() {
		t.Run(s.Name, func(t *testing.T) {
			growthtest.Linear(t, s.Make, func(b []byte) {
				if _, err := places.Run(t.Context(), hostilePage(b)); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// FuzzGrowth: a page of repeats takes time that grows no faster than it does.
func FuzzGrowth(f *testing.F) {
	f.Add([]byte("a"), []byte("@b."), []byte("cz"))
	f.Add([]byte("+420"), []byte("(0)"), []byte("123456789"))
	f.Add([]byte("pro"), []byte("to\u030c"), []byte("že"))
	a, err := analyzer.Open(f.Context(), analyzer.Config{Profiles: []string{"cz"}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = a.Close() })
	f.Fuzz(func(t *testing.T, head, unit, tail []byte) {
		growthtest.Repeated(t, head, unit, tail, func(b []byte) {
			if _, err := a.Run(t.Context(), hostilePage(b)); err != nil {
				t.Error(err)
			}
		})
	})
}
