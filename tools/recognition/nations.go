package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"exclave/analyzer"
	"exclave/internal/webanalyzer"
	"exclave/langid"
)

//go:embed nations.json
var nationsFile []byte

// nation is a nation whose profile is measured, and what the original would be told of it.
type nation struct {
	Name      string   `json:"name"`      // of the profile, and in labels
	Languages []string `json:"languages"` // ISO 639-1
	List      string   `json:"list"`      // word list
	TLD       string   `json:"tld"`
	Country   string   `json:"country"`
	Phone     string   `json:"phone"` // country code
	Lang      string   `json:"lang"`  // of lang attributes
	Full      bool     `json:"full"`  // all tables
}

func nations() (out []nation, err error) {
	if err := json.Unmarshal(nationsFile, &out); err != nil {
		return nil, fmt.Errorf("nations.json: %w", err)
	}
	return out, nil
}

// languagesProfile only tells languages: the language model alone.
const languagesProfile = "languages"

// originalName is the profile with the original's settings.
func originalName(n nation) string { return "original-" + n.Name }

// original makes the profile that the original would have been set to.
func original(n nation) (analyzer.Profile, error) {
	properties := fmt.Sprintf(`WebAnalyzer.searcher.geoip.countrycode=%s
WebAnalyzer.manager.dictionary.language=%s
webanalyzer.searcher.email.regexp=([a-z0-9._-]+@[a-z0-9.-]+\\.%s)
webanalyzer.searcher.phone.regex=\\+%s [0-9]{3} ?[0-9]{3} ?[0-9]{3}
webanalyzer.searcher.htmlLang.regex=lang ?= ?[\"']? ?%s ?[\"']?
`, n.Country, n.List, n.TLD, n.Phone, n.Lang)
	text, _, err := webanalyzer.Import([]byte(properties), webanalyzer.Options{Name: originalName(n)})
	if err != nil {
		return analyzer.Profile{}, err
	}
	return parsed(text)
}

// languages makes the profile that only tells languages.
func languages(nations []nation) (analyzer.Profile, error) {
	known := map[string]bool{}
	for _, l := range langid.Builtins() {
		known[l] = true
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[profile]\nname = %q\nmin_points = 1\n", languagesProfile)
	for _, n := range nations {
		for _, l := range n.Languages {
			if known[l] {
				fmt.Fprintf(&b, "[[searcher]]\nkind = \"language\"\nname = \"in_%s\"\nlanguage = %q\npoints = 0\n", l, l)
			}
		}
	}
	return parsed([]byte(b.String()))
}

func parsed(text []byte) (analyzer.Profile, error) {
	p, problems := analyzer.ParseProfile(text, "profile.toml")
	if len(problems) > 0 {
		return p, fmt.Errorf("%w\n%s", problems.Err("recognition"), text)
	}
	return p, nil
}

// open opens the profiles of the nations, and those that they are compared with.
func open(ctx context.Context, nations []nation) (*analyzer.Analyzer, error) {
	c := analyzer.DefaultConfig()
	l, err := languages(nations)
	if err != nil {
		return nil, err
	}
	c.Further = append(c.Further, l)
	for _, n := range nations {
		c.Profiles = append(c.Profiles, n.Name)
		o, err := original(n)
		if err != nil {
			return nil, err
		}
		c.Further = append(c.Further, o)
	}
	return analyzer.Open(ctx, c)
}
