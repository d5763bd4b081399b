package analyzer_test

import (
	"context"
	"fmt"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/analyzer"
	"exclave/internal/markup"
	"exclave/internal/urlx"
)

// Sizes of the page that the cost of judging is measured by.
const (
	costSource = 15_000
	costText   = 5_000
)

// costPage returns a page as small sites have them, parsed: repeats times 5 KB of the labelled
// set's Czech texts in 15 KB of markup, with a menu of 40 links, prices and contacts.
func costPage(t testing.TB, repeats int) *analyzer.Page {
	t.Helper()
	files, err := filepath.Glob("labelled/texts/cs/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no texts", err)
	}
	var body strings.Builder
	text := 0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		_, s, _ := strings.Cut(string(b), "\n--\n")
		for p := range strings.SplitSeq(s, "\n\n") {
			if p = strings.TrimSpace(p); text+len(p) < costText-500 {
				text += len(p)
				fmt.Fprintf(&body, "<div class=\"row content-block\"><p class=\"text\" style=\"margin: 0 0 10px 0\">%s</p></div>\n", p)
			}
		}
	}
	body.WriteString(`<table><tr><td>Vstupné</td><td>1 290 Kč</td></tr><tr><td>Děti</td><td>90,- Kč</td></tr></table>
<footer id="kontakt">Obecní úřad Lhotka, Dlouhá 12, 602 00 Brno. Tel.: <a href="tel:+420541211234">+420 541 211 234</a>, mobil: 777 123 456,
e-mail: <a href="mailto:urad@lhotka.cz">urad@lhotka.cz</a>, starosta (zavináč) lhotka.cz. IČO: 00283924. © 2008–2025</footer>`)
	body.WriteString("\n<ul class=\"menu\">\n")
	for i := range 40 {
		host := [...]string{"www.lhotka.cz", "www.lhotka.cz", "www.lhotka.cz", "www.kraj.cz", "www.facebook.example"}[i%5]
		fmt.Fprintf(&body, "<li class=\"item item-%d\"><a class=\"menu-link\" href=\"http://%s/clanek/%d-01.html?id=2008%d\"></a></li>\n", i, host, i, i)
	}
	body.WriteString("</ul>\n")
	if pad := costSource - body.Len(); pad > 0 {
		const line = "window.dataLayer = window.dataLayer || []; function gtag() { dataLayer.push(arguments); } gtag('config', 'UA-1234567-8', 10 + 20 * 3);\n"
		fmt.Fprintf(&body, "<script>%s</script>", strings.Repeat(line, pad/len(line)+1)[:pad])
	}
	u, err := urlx.Parse("http://www.lhotka.cz/kontakt/")
	if err != nil {
		t.Fatal(err)
	}
	page := `<html lang="cs"><head><title>Obec Lhotka nad Rybníkem</title></head><body>` + strings.Repeat(body.String(), repeats) + "</body></html>"
	d := markup.Parse(markup.HTML, []byte(page), markup.Options{KeepSource: true})
	p := analyzer.NewPage(u, "text/html", d)
	p.Addr, p.Via, p.HostJudged, p.HostValid = netip.MustParseAddr("192.0.2.1"), "http://www.kraj.cz/", 10, []int{9, 9}
	for _, l := range d.Links {
		to, err := urlx.Parse(l.URL)
		if err != nil {
			continue // mailto:
		}
		o := analyzer.Outlink{URL: to.String(), Host: to.Hostname(), To: to}
		if strings.HasSuffix(o.Host, ".cz") {
			o.Addr = p.Addr
		}
		p.Outlinks = append(p.Outlinks, o)
	}
	return p
}

// costAnalyzer opens a profile with what it may ask a job for: no searcher is off.
func costAnalyzer(t testing.TB, profile string) *analyzer.Analyzer {
	t.Helper()
	return openCost(t, analyzer.Config{Profiles: []string{profile}})
}

func openCost(t testing.TB, c analyzer.Config) *analyzer.Analyzer {
	t.Helper()
	c.GeoIP = database(t, ranges)
	a, err := analyzer.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// costProfiles are the shipped profile of cz, and one that has a searcher of nearly every kind.
func costProfiles() []string { return []string{"cz", "./testdata/all.toml"} }

// leastAllocations is how many allocations judging p takes when the pools hold what they can: a run may find them
// emptied by the garbage collector and, with the race detector, at random, so that the least of many runs counts.
func leastAllocations(t *testing.T, a *analyzer.Analyzer, p *analyzer.Page) float64 {
	t.Helper()
	least := math.Inf(1)
	for range 50 {
		least = min(least, testing.AllocsPerRun(1, func() {
			if _, err := a.Run(t.Context(), p); err != nil {
				t.Error(err)
			}
		}))
	}
	return least
}

// TestCostAllocations: a page of 15 KB is judged with few allocations: at most 100 by cz, some more by a profile of all
// searchers.
func TestCostAllocations(t *testing.T) {
	for i, profile := range costProfiles() {
		most := []float64{100, 130}[i]
		p := costPage(t, 1)
		if len(p.Source) < costSource || len(p.Source) > costSource*11/10 || len(p.Text) < costText*9/10 || len(p.Text) > costText*11/10 || len(p.Outlinks) < 40 {
			t.Fatalf("%d bytes of source, %d of text, %d links", len(p.Source), len(p.Text), len(p.Outlinks))
		}
		a := costAnalyzer(t, profile)
		if n := leastAllocations(t, a, p); n > most {
			t.Errorf("%s: %v allocations, at most %v are wanted", profile, n, most)
		}
	}
}

// TestCostFlat: what lies behind the part of a page that is looked at costs no allocations.
func TestCostFlat(t *testing.T) {
	for _, profile := range costProfiles() {
		a := openCost(t, analyzer.Config{Profiles: []string{profile}, MaxText: costText * 2})
		var n [2]float64
		for i, repeats := range []int{8, 32} {
			p := costPage(t, repeats)
			p.Outlinks = p.Outlinks[:40] // a crawl bounds them, too
			n[i] = leastAllocations(t, a, p)
		}
		if n[1] > n[0]+n[0]/10+10 {
			t.Errorf("%s: %v allocations for a page, %v for one four times as long", profile, n[0], n[1])
		}
	}
}

// BenchmarkCZ judges a page of 15 KB with 5 KB of text, and pages of many times that: the cost is linear up
// to the part that is looked at, 1 MiB of source, and flat from there on.
func BenchmarkCZ(b *testing.B) {
	for _, profile := range costProfiles() {
		a := costAnalyzer(b, profile)
		for _, repeats := range []int{1, 4, 16, 64, 256, 1024} {
			p := costPage(b, repeats)
			b.Run(fmt.Sprintf("%s/x%d", strings.TrimSuffix(filepath.Base(profile), ".toml"), repeats), func(b *testing.B) {
				b.SetBytes(int64(len(p.Source)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := a.Run(context.Background(), p); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
