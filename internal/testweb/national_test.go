package testweb

import (
	"strings"
	"testing"

	"exclave/analyzer"
	"exclave/internal/markup"
	"exclave/internal/urlx"
)

func TestAnalyzerAgreesWithNationalAndForeign(t *testing.T) {
	// Truth says National; the crawls compared with it are judged by profile cz,
	// windows-1250 without declaration included.
	a, err := analyzer.Open(t.Context(), analyzer.Config{Profiles: []string{"cz"}})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	valid := func(url string, page Page) bool {
		t.Helper()
		_, charset, _ := strings.Cut(page.Header.Get("Content-Type"), "; charset=")
		doc := markup.Parse(markup.HTML, []byte(page.Body), markup.Options{DeclaredCharset: charset, KeepSource: true})
		at, err := urlx.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		verdicts, err := a.Run(t.Context(), analyzer.NewPage(at, "text/html", doc))
		if err != nil {
			t.Fatal(err)
		}
		return verdicts[0].Valid
	}
	p := DefaultParams()
	p.Hosts, p.National, p.Windows1250 = 10, 0.5, 0.5
	w := NewSynthetic(p)
	old := 0
	for _, r := range w.Truth() {
		if r.Kind != KindHTML {
			continue
		}
		page := w.render(r)
		if !strings.Contains(page.Body, "utf-8") {
			old++
		}
		if valid(r.URL, page) != r.National {
			t.Errorf("%s: national %t", r.URL, r.National)
		}
	}
	if old < 20 {
		t.Errorf("%d pages in windows-1250", old)
	}
	for why, page := range map[string]Page{"foreign": Foreign("/a"), "neutral": HTML("/a"), "redirect": Redirect(301, "/a")} {
		if valid("http://a.example/", page) {
			t.Errorf("%s page is valid", why)
		}
	}
	if !valid("http://a.example/", National()) {
		t.Error("national page is not valid")
	}
}
