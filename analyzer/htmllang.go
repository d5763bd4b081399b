package analyzer

import (
	"context"
	"regexp"
	"strings"

	"exclave/internal/conf"
)

// htmlLang finds the languages a document declares: attributes lang and
// xml:lang of its elements, and the content-language of its metadata; or those of one
// place. What scripts and comments say does not count. Valid are those that match the
// pattern, in lower case.
type htmlLang struct {
	pattern *regexp.Regexp
	where   langPlace
}

// htmlLangOptions are those of the kind "html_lang".
type htmlLangOptions struct {
	patternOption
	Where langPlace `toml:"where"` // empty = langAny
}

// langPlace says where a language is declared.
type langPlace string

// The values of langPlace.
const (
	langAny      langPlace = "any"              // on any element, or as content-language
	langRoot     langPlace = "root"             // on the root element: lang, without it xml:lang
	langMeta     langPlace = "content_language" // of a meta element
	langOGLocale langPlace = "og_locale"        // of Open Graph
)

// Validate returns every value that cannot be.
func (o *htmlLangOptions) Validate() conf.Problems {
	ps := o.patternOption.Validate()
	switch o.Where {
	case "", langAny, langRoot, langMeta, langOGLocale:
	default:
		ps.Add("where", `%q: "any", "root", "content_language" or "og_locale"`, o.Where)
	}
	return ps
}

func (o *htmlLangOptions) open(*resources) (Searcher, error) {
	re, err := compile(o.Pattern)
	if err != nil {
		return nil, err
	}
	return htmlLang{re, o.Where}, nil
}

// Search implements Searcher.
func (s htmlLang) Search(_ context.Context, p *Page) (Finding, error) {
	var t tally
	langs := p.Langs
	if s.where == langRoot {
		langs = rootLang(langs)
	}
	for _, l := range langs {
		switch {
		case s.where == langMeta && l.Where != "meta@content-language",
			s.where == langOGLocale && l.Where != "meta@og:locale",
			s.where != langOGLocale && l.Where == "meta@og:locale":
			continue
		}
		v := strings.ToLower(strings.TrimSpace(l.Value))
		if v != "" {
			t.add(s.pattern.MatchString(v), v, l.Where)
		}
	}
	return t.finding(), nil
}

// rootLang returns the declaration of the root element, when it has one. Of several root
// elements, as pages made of pages have, the first counts, as in browsers.
func rootLang(langs []Lang) []Lang {
	for _, where := range [...]string{"html@lang", "html@xml:lang"} {
		for i, l := range langs {
			if l.Where == where && strings.TrimSpace(l.Value) != "" {
				return langs[i : i+1]
			}
		}
	}
	return nil
}
