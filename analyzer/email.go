package analyzer

import (
	"context"
	"regexp"

	"exclave/internal/conf"
)

// email finds e-mail addresses in the source, the text (where references such
// as &#64; are decoded) and mailto: links (where %40 is). Valid are those that match the
// pattern, in lower case and with the domain in ASCII. An address that is hidden from
// harvesters of addresses (see mailbox), or stands in the text or a link, counts only
// when it is valid and was not seen: most would count twice.
type email struct {
	pattern *regexp.Regexp
	words   *spelling
}

// emailOptions are those of the kind "email".
type emailOptions struct {
	patternOption
	At  []string `toml:"at"`  // what is written for @, beside "at"
	Dot []string `toml:"dot"` // what is written for a dot, beside "dot"
}

// Validate returns every value that cannot be.
func (o *emailOptions) Validate() conf.Problems {
	ps := o.patternOption.Validate()
	ps.Merge(labels(o.At).validate("at"))
	ps.Merge(labels(o.Dot).validate("dot"))
	return ps
}

func (o *emailOptions) open(*resources) (Searcher, error) {
	re, err := compile(o.Pattern)
	if err != nil {
		return nil, err
	}
	return email{re, newSpelling(o.At, o.Dot)}, nil
}

// Search implements Searcher.
func (s email) Search(ctx context.Context, p *Page) (Finding, error) {
	var t tally
	for a := range counted(ctx, mailboxes(p.Source)) {
		t.add(s.pattern.MatchString(a), a, "source")
	}
	more := func(text, where string, begins *[256]bool) {
		for a := range counted(ctx, s.words.mailboxes(text, begins)) {
			if !t.seen(a) && s.pattern.MatchString(a) {
				t.add(true, a, where)
			}
		}
	}
	more(p.Text, "text", &s.words.text)
	for link := range counted(ctx, p.schemed("mailto:", 6)) {
		more(link, "link", &s.words.text)
	}
	more(p.Source, "source", &s.words.source)
	for a := range counted(ctx, protected(p)) {
		more(a, "source", &s.words.text)
	}
	return t.finding(), ctx.Err()
}
