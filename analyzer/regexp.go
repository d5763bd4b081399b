package analyzer

import (
	"context"
	"regexp"
	"slices"

	"exclave/internal/conf"
)

// matches counts the matches of a regular expression in the document as it is, of any
// letter case; valid are those in which another one is found.
type matches struct {
	find, valid *regexp.Regexp // valid nil = every match is valid
	in          textPart
}

// textPart is the part of a page in which a searcher of kind "regexp" searches.
type textPart string

const (
	inSource textPart = "source" // the document, decoded, with its tags and scripts
	inText   textPart = "text"   // title and visible text
)

// regexpOptions are those of the kind "regexp".
type regexpOptions struct {
	Pattern string   `toml:"pattern,required"` // RE2; each match is an element
	Valid   string   `toml:"valid"`            // RE2, searched in each match; empty = all are valid
	In      textPart `toml:"in"`               // default inText
}

// Validate returns every value that cannot be.
func (o *regexpOptions) Validate() (ps conf.Problems) {
	switch re, err := compile(o.Pattern); {
	case o.Pattern == "":
		ps.Add("pattern", "is empty")
	case err != nil:
		ps.Add("pattern", "%v", err)
	case re.MatchString(""):
		ps.Add("pattern", "%q matches nothing, too: it would be found everywhere", o.Pattern)
	}
	if _, err := compile(o.Valid); err != nil {
		ps.Add("valid", "%v", err)
	}
	ps.Check(slices.Contains([]textPart{inSource, inText}, o.In), "in", `%q: "source" or "text"`, o.In)
	return ps
}

func (o *regexpOptions) open(*resources) (Searcher, error) {
	find, err := compile(o.Pattern)
	if err != nil {
		return nil, err
	}
	s := matches{find: find, in: o.In}
	if o.Valid != "" {
		if s.valid, err = compile(o.Valid); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Search implements Searcher.
func (s matches) Search(ctx context.Context, p *Page) (Finding, error) {
	var t tally
	search := func(text, where string) {
		for m := range counted(ctx, slices.Values(s.find.FindAllStringIndex(text, -1))) {
			v := text[m[0]:m[1]]
			t.add(s.valid == nil || s.valid.MatchString(v), v, where)
		}
	}
	if s.in == inSource {
		search(p.Source, "source")
	} else {
		search(p.Title, "title")
		search(p.Text, "text")
	}
	return t.finding(), ctx.Err()
}
