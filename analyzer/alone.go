package analyzer

import (
	"fmt"
	"slices"
	"strings"
)

// usualMargin is about what the model has for a text that is plainly in a language, in nats a letter.
const usualMargin = 0.5

// letters of a word, about.
const letters = 5

// LanguageAlone returns a notice for each profile that accepts a page for its language alone: of which searchers of kind "language"
// find every passage to be in it, and no other searcher finds anything. Whatever decides is asked, points,
// probability or expression, for texts of several lengths. Profiles that cannot be loaded are left to Open.
func (c Config) LanguageAlone() (notices []string) {
	profiles, _ := c.load() // those that are in order
	for _, p := range profiles {
		for _, words := range []int{10, 20, 50, 100, 200, 500} {
			if names := p.languageAlone(words); len(names) > 0 {
				notices = append(notices, fmt.Sprintf("profile %s accepts a text of %d words for its language alone (%s): lists of names and quotations are taken for a language now and then; "+
					"look at what it accepts (exclave eval), or let something else count, too", p.Name, words, strings.Join(names, ", ")))
				break
			}
		}
	}
	return notices
}

// languageAlone returns the searchers of the language for which the profile accepts a text of so many words, none when it does not.
func (p Profile) languageAlone(words int) []string {
	if !slices.ContainsFunc(p.Searchers, func(s SearcherConfig) bool { return s.language() != "" }) {
		return nil
	}
	for _, of := range p.Searchers {
		code := of.language()
		if code == "" {
			continue
		}
		v := Verdict{Profile: p.Name, Judged: true, Min: p.MinPoints, Words: &words}
		var names []string
		for _, s := range p.Searchers {
			var f Finding
			switch s.language() {
			case "":
			case code:
				names = append(names, s.Name)
				f = inLanguage(words)
			default:
				f = inLanguage(words)
				f.Valid, f.Distinct = 0, 0
				f.Values = map[string]float64{"margin": -usualMargin, "lead": -usualMargin * letters * float64(words), "best_other": 1, "in_" + code: 1}
			}
			scored := s.score(f)
			v.By = append(v.By, scored)
			v.Points += scored.Points
		}
		if p.decide(&v, Seen{}); v.Valid {
			return names
		}
	}
	return nil
}

// language is what a searcher of that kind looks for, "" of another kind.
func (c SearcherConfig) language() string {
	if o, ok := c.own.(*languageOptions); ok {
		return o.Language
	}
	return ""
}

// inLanguage is what is found on a page that is in a language from beginning to end.
func inLanguage(words int) Finding {
	n := max(1, words/16)
	return Finding{Found: n, Valid: n, Distinct: 1, Values: map[string]float64{"share": 1, "margin": usualMargin, "lead": usualMargin * letters * float64(words)}}
}
