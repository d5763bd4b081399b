package extract

import (
	"context"

	"exclave/chain"
	"exclave/crawl"
)

// DirectivesConfig says which wishes of a page keep it out of the archive. Heritrix heeds neither.
type DirectivesConfig struct {
	// ObeyNoindex leaves pages out that are not to be found in an index, ObeyNoarchive those of
	// which no copy is to be kept.
	ObeyNoindex   bool `toml:"obey_noindex"`
	ObeyNoarchive bool `toml:"obey_noarchive"`

	Token string `toml:"-"` // the product token that directives may be for
}

// Directives heeds what a page, or the server for it, says to crawlers: processor "directives". It comes after those
// that read documents.
type Directives struct{ cfg DirectivesConfig }

// NewDirectives returns the processor.
func NewDirectives(c DirectivesConfig) *Directives { return &Directives{c} }

// Process ends a page that is not to be kept with crawl.StatusBlockedByProcessor and the annotation "noindex" or "noarchive":
// it is neither judged nor archived, and its links are not followed.
func (d *Directives) Process(_ context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if u.HTTPStatus == 0 || u.IsPrereq() || u.Mode == crawl.ModeJudge || !d.cfg.ObeyNoindex && !d.cfg.ObeyNoarchive {
		return chain.Idle(), nil
	}
	switch says := u.Directives(d.cfg.Token); {
	case d.cfg.ObeyNoarchive && says.NoArchive:
		u.Annotate("noarchive")
	case d.cfg.ObeyNoindex && says.NoIndex:
		u.Annotate("noindex")
	default:
		return chain.Result{}, nil
	}
	u.Status = crawl.StatusBlockedByProcessor
	return chain.Jump(chain.Post), nil
}
