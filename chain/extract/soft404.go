package extract

import (
	"context"
	"slices"

	"exclave/chain"
	"exclave/crawl"
)

// Soft404 marks pages that stand for addresses that do not exist: processor "soft-404", behind those that read pages. What
// it does is a setting of the HTTP client.
type Soft404 struct{}

// NewSoft404 returns the processor.
func NewSoft404() Soft404 { return Soft404{} }

// Process annotates such a page with "soft404", and takes its links when they are to be held back: but for what an archived page needs to be
// shown, and those of seeds, which somebody wanted.
func (Soft404) Process(_ context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	probe, is := u.Attribute(crawl.AttrSoft404).(crawl.Soft404)
	if !is || u.Doc == nil {
		return chain.Idle(), nil
	}
	if probe.Equals(u.Doc.Text, u.Parsed()) {
		u.Annotate("soft404")
		if probe.Hold && !u.Seed {
			u.Outlinks = slices.DeleteFunc(u.Outlinks, func(l crawl.Outlink) bool { return l.Kind != crawl.LinkEmbed && l.Kind != crawl.LinkFrame })
			u.SetAttribute(attrLinks, nil)
		}
	}
	return chain.Result{}, nil
}
