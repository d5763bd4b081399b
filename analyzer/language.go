package analyzer

import (
	"context"
	"slices"
	"strings"

	"exclave/internal/conf"
	"exclave/langid"
)

// languageOptions are those of the kind "language".
type languageOptions struct {
	Language string `toml:"language,required"` // code: cs, hsb
}

// Validate returns every value that cannot be.
func (o *languageOptions) Validate() (ps conf.Problems) {
	known := langid.Builtins()
	ps.Check(slices.Contains(known, o.Language), "language", "%q is none that the model tells: %s", o.Language, strings.Join(known, ", "))
	return ps
}

// looksFor implements looksFor of expressions.
func (o *languageOptions) looksFor() (string, []string) { return "lang", []string{o.Language} }

// values implements hasValues.
func (o *languageOptions) values() []string {
	list := []string{"share", "margin", "lead", "lead_of_all", "unknown", "best_other"}
	for _, l := range langid.Builtins() {
		list = append(list, "in_"+l)
	}
	return list
}

// languageModel is what the model is shared by.
type languageModel struct{}

func (o *languageOptions) open(r *resources) (Searcher, error) {
	m, err := shared(r, languageModel{}, langid.Open)
	if err != nil {
		return nil, err
	}
	return language{m, o.Language}, nil
}

// language counts the passages of title and text; valid are those in the wanted language.
type language struct {
	model *langid.Model
	code  string
}

// contents implements hasContents: another model makes other verdicts.
func (s language) contents() map[string]string {
	return map[string]string{"language": s.code + ", model " + s.model.Digest()}
}

// maxOthers bounds the languages beside the wanted one that are named.
const maxOthers = 3

// Search implements Searcher.
func (s language) Search(ctx context.Context, p *Page) (Finding, error) {
	t := p.identify(s.model)
	if err := ctx.Err(); err != nil || t.Words == 0 {
		return Finding{}, err
	}
	f := Finding{Found: t.Passages, Valid: t.Of(s.code), Values: make(map[string]float64, 6+maxOthers)}
	if f.Valid > 0 {
		f.Distinct, f.Evidence = 1, []Evidence{{Value: s.code, Where: "text", Count: f.Valid}}
	}
	share := func(passages int) float64 { return rounded(float64(passages)/float64(t.Passages), 4) }
	f.Values["share"] = share(f.Valid)
	f.Values["margin"] = rounded(t.Margin(s.code), 4)
	f.Values["lead"] = rounded(t.Lead(s.code), 1)
	f.Values["lead_of_all"] = rounded(t.LeadOfAll(s.code), 1)
	f.Values["unknown"] = share(t.Of(langid.Unknown))
	f.Values["best_other"] = 0
	others := 0
	for _, o := range t.Shares {
		if o.Language == s.code || o.Language == langid.Unknown {
			continue
		}
		if others == 0 {
			f.Values["best_other"] = share(o.Passages)
		}
		if others++; others > maxOthers {
			break
		}
		f.Values["in_"+o.Language] = share(o.Passages)
	}
	return f, nil
}

// identify says what languages the page is in, once for all searchers.
func (p *Page) identify(m *langid.Model) *langid.Text {
	if p.identified == nil {
		t := m.Identify(&p.split().Bag)
		p.identified = &t
	}
	return p.identified
}
