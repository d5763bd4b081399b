package analyzer

import (
	"context"
	"regexp"
	"strings"
)

// htmlLang finds the languages a document declares: attributes lang and
// xml:lang of its elements, and the content-language of its metadata. What
// scripts and comments say does not count. Valid are those that match the
// pattern, in lower case.
type htmlLang struct {
	pattern *regexp.Regexp
}

// htmlLangOptions are those of the kind "html_lang".
type htmlLangOptions struct{ patternOption }

func (o *htmlLangOptions) open(*resources) (Searcher, error) {
	re, err := compile(o.Pattern)
	if err != nil {
		return nil, err
	}
	return htmlLang{re}, nil
}

// Search implements Searcher.
func (s htmlLang) Search(_ context.Context, p *Page) (Finding, error) {
	var t tally
	for _, l := range p.Langs {
		v := strings.ToLower(strings.TrimSpace(l.Value))
		if v != "" {
			t.add(s.pattern.MatchString(v), v, l.Where)
		}
	}
	return t.finding(), nil
}
