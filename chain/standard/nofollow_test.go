package standard

import (
	"testing"
	"time"

	"exclave/chain"
	"exclave/chain/decide"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/markup"
	"exclave/internal/robots"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
)

// Heritrix: where robots.txt is ignored (IgnoreRobotsPolicy.obeyMetaRobotsNofollow), so is nofollow; what the order says goes before.
func TestNofollowByPolicy(t *testing.T) {
	link, err := urlx.Parse("http://b.example/")
	if err != nil {
		t.Fatal(err)
	}
	scope, problems := decide.Build(decide.DefaultScope(), "", time.Time{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	ignore, obey := robots.Ignore, robots.Obey
	for _, tt := range []struct {
		why      string
		policy   robots.Policy
		sheet    *robots.Policy
		options  string
		followed bool
	}{
		{"obey", robots.Obey, nil, "", false},
		{"ignore", robots.Ignore, nil, "", true},
		{"embeds", robots.ObeyButEmbeds, nil, "", false},
		{"most favored", robots.MostFavored, nil, "", false},
		{"ignored by a sheet", robots.Obey, &ignore, "", true},
		{"obeyed by a sheet", robots.Ignore, &obey, "", false},
		{"ignore, and the option says no", robots.Ignore, nil, "options = { obey_nofollow = true }", false},
		{"obey, and the option says no", robots.Obey, nil, "options = { obey_nofollow = false }", true},
	} {
		steps, problems := Build(&Env{Robots: tt.policy, Scope: scope, RobotsToken: "exclave", Depths: crawl.Depths{D: [4]int32{1, -1, -1, -1}}, Clock: clock.NewFake(time.Now())},
			config(t, "[[chain.post]]\nkind = \"links-scoper\"\n"+tt.options+"\n"))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for field, doc := range map[string]robots.Directives{"": {NoFollow: true}, "nofollow": {}} {
			u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: "http://a.example/", Key: "http://a.example/", Claim: crawl.Claim{Analyse: true}}, Status: 200, HTTPStatus: 200, Class: crawl.ClassHTML,
				Judgeable: true, Judged: &crawl.Judgement{ValidFor: 1}, Doc: &markup.Doc{Robots: doc}, Headers: []crawl.Header{{Name: "x-robots-tag", Value: field}},
				Outlinks: []crawl.Outlink{{URL: link, Hop: 'L', Kind: crawl.LinkNav}}}
			if tt.sheet != nil {
				u.Sheet = &sheet.Settings{Robots: sheet.Robots{Policy: tt.sheet}}
			}
			if _, err := steps[chain.Post][0].Proc.Process(t.Context(), u); err != nil {
				t.Fatal(err)
			}
			if followed := len(u.Links) > 0; followed != tt.followed {
				t.Errorf("%s, header %q: followed %v", tt.why, field, followed)
			}
		}
	}
}
