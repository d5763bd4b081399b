package analyzer

import "testing"

// TestLangPlaces: what the root element says is told from what others say.
func TestLangPlaces(t *testing.T) {
	const doc = `<html xml:lang=cs-CZ lang=cs><head><meta http-equiv=content-language content=cs><meta property=og:locale content=cs_CZ></head>` +
		`<body lang=cs><p lang=cs>x<html lang=cs>`
	for _, tt := range []struct {
		why, html string
		where     langPlace
		want      string
	}{
		{"as before: any element, and content-language", doc, "", "cs html@lang ×5, cs-cz html@xml:lang ×1"},
		{"any is the default", doc, langAny, "cs html@lang ×5, cs-cz html@xml:lang ×1"},
		{"the root counts once", doc, langRoot, "cs html@lang ×1"},
		{"xml:lang where there is no lang", `<html xml:lang=cs-CZ>`, langRoot, "cs-cz html@xml:lang ×1"},
		{"an empty attribute says nothing", `<html lang=" " xml:lang=cs>`, langRoot, "cs html@xml:lang ×1"},
		{"another element is not the root", `<body lang=cs>`, langRoot, ""},
		{"the root in another language", `<html lang=en><body lang=cs>`, langRoot, ""},
		{"what the metadata say", doc, langMeta, "cs meta@content-language ×1"},
		{"Open Graph", doc, langOGLocale, "cs_cz meta@og:locale ×1"},
	} {
		f, got := search(t, &htmlLangOptions{patternOption{`^cs([-_]|$)`}, tt.where}, page(tt.html))
		if got != tt.want || tt.where == langRoot && f.Found > 1 {
			t.Errorf("%s: %+v %q, want %q", tt.why, f, got, tt.want)
		}
	}
}
