package analyzer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"exclave/analyzer"
)

const (
	czechText = `<p>Naše pekárna vznikla v roce devadesát. Každý den pečeme čerstvé pečivo, které
		rozvážíme do okolních obcí. Můžete si u nás objednat také dorty a zákusky. Těšíme se na vás.</p>`
	slovakText = `<p>Naša pekáreň vznikla v roku deväťdesiat. Každý deň pečieme čerstvé pečivo, ktoré
		rozvážame do okolitých obcí. Môžete si u nás objednať aj torty a zákusky. Tešíme sa na vás.</p>`
	polishText = `<p>Nasza piekarnia powstała w roku dziewięćdziesiątym. Codziennie wypiekamy świeże pieczywo,
		które rozwozimy do okolicznych gmin. Możecie u nas zamówić także torty i ciasta. Zapraszamy.</p>`
	card = `<h1>Pekárna U Mlýna</h1><p>Dlouhá 12, 602 00 Brno</p><p>Tel.: +420 777 123 456</p>
		<p><a href="mailto:info@pekarna-umlyna.cz">info@pekarna-umlyna.cz</a></p><p>Otevřeno každý den, přijďte!</p>`
)

// TestProfiles: the pages that the profiles were made to tell apart, and those
// that try to fool one searcher.
func TestProfiles(t *testing.T) {
	a := open(t, "cz", "sk")
	doc := func(attr, body string) string { return "<html" + attr + "><body>" + body + "</body></html>" }
	tests := []struct{ why, html, valid string }{
		{"Czech text needs no contact", doc("", czechText), "cz"},
		{"Slovak text is not Czech", doc("", slovakText), "sk"},
		{"a business card has few words", doc("", card), "cz"},
		{"a left-over lang makes nothing Czech", doc(` lang="cs"`, "<p>Welcome to our shop.</p>"), ""},
		{"nor does it on every element", doc(` lang="cs"`, strings.Repeat(`<p lang="cs">Shop</p>`, 500)), ""},
		{"a Polish page with one Czech e-mail", doc(` lang="pl"`, polishText+"<p>biuro@pekarna.cz</p>"), ""},
		{"a Polish page with one Czech number", doc(` lang="pl"`, polishText+"<p>+420 777 123 456</p>"), ""},
		{"a Polish list of Czech dealers: contacts alone never do", doc(` lang="pl"`, polishText+contacts(200)), ""},
		{"names and contacts repeated are not more Czech", doc("", strings.Repeat("<p>Jan Novák, Horák s.r.o., Brno, +420 777 123 456, novak@firma.cz</p>", 1000)), ""},
		{"Czech names and a quotation in a long English text", doc(` lang="en"`, strings.Repeat("<p>The bakery has been there for years and people like it very much.</p>", 40)+
			"<p>„Každý den pečeme čerstvé pečivo, které rozvážíme, můžete objednat také zákusky, těšíme se.“</p>"), ""},
		{"lang and words inside a script are not the page's", doc("", `<script>var a='lang="cs"'; /* `+czechText+` */</script><p>Welcome.</p>`), ""},
		{"German with a Czech address", doc(` lang="de"`, "<p>Unsere Bäckerei in Prag, Dlouhá 12, liefert jeden Tag frisches Brot.</p><p>info@prag.cz</p>"), ""},
		{"an empty page", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			for name, v := range verdicts(t, a, htmlPage(tt.html)) {
				if v.Valid != (name == tt.valid) {
					t.Errorf("valid for %s: %v\n%s", name, v.Valid, explain(v))
				}
			}
		})
	}
}

// contacts returns n different Czech e-mails and numbers.
func contacts(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<li>firma%d@seznam.cz +420 777 123 %03d</li>", i, i)
	}
	return b.String()
}

// custom opens an Analyzer with one profile given as TOML.
func custom(t testing.TB, c analyzer.Config, toml string) *analyzer.Analyzer {
	t.Helper()
	p, problems := analyzer.ParseProfile([]byte(toml), "test.toml")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	c.Further = []analyzer.Profile{p}
	a, err := analyzer.Open(context.Background(), c)
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

// searcher is a profile with one searcher.
func searcher(options string) string {
	return "[profile]\nname = \"t\"\nmin_points = 1\n[[searcher]]\n" + options + "\n"
}

func TestScore(t *testing.T) {
	text := "a@x.cz a@x.cz b@x.cz c@x.sk" // found 4, valid 3, distinct 2
	tests := []struct {
		why, options string
		counted      int
		points       int64
	}{
		{"the thesis: points for every occurrence", "points = 10", 3, 30},
		{"a repeated footer counts once", "points = 10\ndistinct = true", 2, 20},
		{"a cap bounds what one searcher can do", "points = 10\ncap = 25", 3, 25},
		{"also what it can spoil", "points = -10\ncap = 25", 3, -25},
		{"unwanted content has negative points", "points = -10", 3, -30},
		{"too few different values do not count", "points = 10\nmin_distinct = 3", 0, 0},
		{"enough do", "points = 10\nmin_distinct = 2", 3, 30},
		{"a small share does not count", "points = 10\nmin_share = 0.76", 0, 0},
		{"a share on the limit does", "points = 10\nmin_share = 0.75", 3, 30},
		{"no points: counted only", "points = 0", 3, 0},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			a := custom(t, analyzer.Config{}, searcher("kind = \"email\"\npattern = 'cz$'\n"+tt.options))
			v := verdicts(t, a, &analyzer.Page{Type: "text/plain", Source: text})["t"]
			s := v.By[0]
			if s.Found != 4 || s.Valid != 3 || s.Distinct != 2 || s.Counted != tt.counted || s.Points != tt.points ||
				v.Points != tt.points || v.Valid != (tt.points >= 1) {
				t.Errorf("%+v", v)
			}
		})
	}
}

// TestJudgedTypes: only text is analysed unless a profile says otherwise.
func TestJudgedTypes(t *testing.T) {
	a := custom(t, analyzer.Config{}, searcher("kind = \"email\"\npattern = '.'\npoints = 1"))
	for mimeType, want := range map[string]bool{"text/html": true, "text/plain": true, "application/xhtml+xml": true, "text/css": false, "video/mp4": false, "": false} {
		v := verdicts(t, a, &analyzer.Page{Type: mimeType, Source: "a@b.cz"})["t"]
		if v.Judged != want || v.Valid != want || a.Judges(mimeType) != want {
			t.Errorf("%s: %+v", mimeType, v)
		}
	}
}

// TestIsText: servers lie (thesis, MIME detector).
func TestIsText(t *testing.T) {
	a := open(t, "cz")
	tests := []struct {
		why, name, declared, head string
		want                      bool
	}{
		{"video sent as text", "a.mp4", "text/plain", "\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2mp41", false},
		{"a page sent as octets", "/", "application/octet-stream", "<!DOCTYPE html><html><title>a</title>", true},
		{"a page", "/", "text/html; charset=utf-8", "<!DOCTYPE html><html>", true},
		{"a picture", "a.png", "image/png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", false},
		{"a style sheet is text, and not judged", "a.css", "text/css", "body { color: red }", false},
	}
	for _, tt := range tests {
		if got := a.IsText(tt.name, tt.declared, []byte(tt.head)); got != tt.want {
			t.Errorf("%s: %v", tt.why, got)
		}
	}
}

// TestEvidence: decision 14, evidence holds what belongs to people.
func TestEvidence(t *testing.T) {
	options := searcher("kind = \"email\"\npattern = 'cz$'\npoints = 1")
	page := &analyzer.Page{Type: "text/html", Source: "jan.novak@firma.cz " + strings.Repeat("x@y.cz ", 3)}
	run := func(c analyzer.Config) []analyzer.Evidence {
		return verdicts(t, custom(t, c, options), page)["t"].By[0].Evidence
	}
	full := run(analyzer.Config{})
	if len(full) != 2 || full[0] != (analyzer.Evidence{Value: "x@y.cz", Where: "source", Count: 3}) || full[1].Value != "jan.novak@firma.cz" {
		t.Errorf("full: %+v", full)
	}
	hashed := run(analyzer.Config{Evidence: analyzer.DetailHashed, Key: []byte("k")})
	other := run(analyzer.Config{Evidence: analyzer.DetailHashed, Key: []byte("l")})
	if len(hashed) != 2 || len(hashed[1].Value) != 16 || strings.Contains(hashed[1].Value, "novak") || hashed[1].Value == other[1].Value || hashed[0].Count != 3 {
		t.Errorf("hashed: %+v", hashed)
	}
	if counts := run(analyzer.Config{Evidence: analyzer.DetailCounts}); counts != nil {
		t.Errorf("counts: %+v", counts)
	}
}

// TestBounded: memory per page is bounded whatever the page holds.
func TestBounded(t *testing.T) {
	a := custom(t, analyzer.Config{}, searcher("kind = \"email\"\npattern = '.'\npoints = 1\ndistinct = true"))
	var b strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&b, "%060d@%d.example.cz ", i, i)
	}
	s := verdicts(t, a, &analyzer.Page{Type: "text/html", Source: b.String()})["t"].By[0]
	if s.Found > (1<<20)/60 || s.Distinct != 10_000 || len(s.Evidence) != analyzer.MaxEvidence {
		t.Errorf("found %d, distinct %d, evidence %d", s.Found, s.Distinct, len(s.Evidence))
	}
	cut := custom(t, analyzer.Config{MaxText: 5}, searcher("kind = \"email\"\npattern = '.'\npoints = 1"))
	if v := verdicts(t, cut, &analyzer.Page{Type: "text/html", Source: "a@b.cz"})["t"]; v.Points != 0 {
		t.Errorf("text behind the limit was looked at: %+v", v)
	}
}

// TestVerdictJSON: the form is stable, it is kept in archives
// (docs/formats/profile.md).
func TestVerdictJSON(t *testing.T) {
	a := custom(t, analyzer.Config{}, searcher("kind = \"email\"\npattern = 'cz$'\npoints = 5"))
	got, err := json.Marshal(verdicts(t, a, &analyzer.Page{Type: "text/html", Source: "a@b.cz a@b.sk"})["t"])
	if err != nil {
		t.Fatal(err)
	}
	want := `{"profile":"t","judged":true,"valid":true,"points":5,"min":1,"by":[{"searcher":"email","found":2,"valid":1,"distinct":1,` +
		`"evidence":[{"value":"a@b.cz","where":"source","count":1}],"counted":1,"points_each":5,"points":5}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	got, err = json.Marshal(verdicts(t, a, &analyzer.Page{Type: "image/png"})["t"])
	if err != nil || string(got) != `{"profile":"t","judged":false,"valid":false,"points":0,"min":1}` {
		t.Errorf("not judged: %s %v", got, err)
	}
}

// TestExplain: a stranger's bytes must not steer the reader's terminal.
func TestExplain(t *testing.T) {
	v := analyzer.Verdict{Profile: "t", Judged: true, Points: 7, Min: 10, By: []analyzer.Scored{
		{Searcher: "html_lang", Points: 2, Finding: analyzer.Finding{Found: 1, Valid: 1, Evidence: []analyzer.Evidence{{Value: "cs\x1b[2J", Where: "html@lang", Count: 2}}}},
		{Searcher: "phone", Points: 5, Finding: analyzer.Finding{Evidence: []analyzer.Evidence{{Value: "+420", Where: "text", Count: 1}}}},
		{Searcher: "bad", Points: -1, Finding: analyzer.Finding{Evidence: []analyzer.Evidence{{Value: "x", Where: "text", Count: 1}}}},
	}}
	got := explain(v)
	if !strings.HasPrefix(got, "profile t: not valid, 7 points of 10 needed\n") || strings.Contains(got, "\x1b") || !strings.Contains(got, "cs\ufffd[2J ×2") {
		t.Errorf("%q", got)
	}
	if s := v.Strongest(5); len(s) != 2 || s[0].Value != "+420" {
		t.Errorf("strongest: %+v", s)
	}
	if s := v.Strongest(1); len(s) != 1 {
		t.Errorf("strongest one: %+v", s)
	}
	if got := explain(analyzer.Verdict{Profile: "t"}); !strings.Contains(got, "not judged") {
		t.Errorf("%q", got)
	}
}

// TestRunConcurrent: one Analyzer serves all workers, and the same page has the
// same verdict (run with -race).
func TestRunConcurrent(t *testing.T) {
	a := open(t, "cz", "sk")
	p := htmlPage("<html lang=cs>" + czechText + card)
	explained := func() string { v := verdicts(t, a, p); return explain(v["cz"]) + explain(v["sk"]) }
	want := explained()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if got := explained(); got != want {
					t.Errorf("%s\nwant %s", got, want)
				}
			}
		})
	}
	wg.Wait()
}

// TestRunCancelled: a crawl that is stopped does not wait for analysis.
func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := open(t, "cz").Run(ctx, htmlPage(card)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func BenchmarkRun(b *testing.B) {
	a := open(b, "cz")
	p := htmlPage("<html lang=cs>" + strings.Repeat(czechText+card, 40))
	b.SetBytes(int64(len(p.Source)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Run(context.Background(), p); err != nil {
			b.Fatal(err)
		}
	}
}
