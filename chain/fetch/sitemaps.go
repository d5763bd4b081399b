package fetch

import (
	"strings"

	"exclave/crawl"
	"exclave/internal/conf"
	"exclave/internal/robots"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
)

// Sitemaps says which sitemaps are asked for (section [sitemaps] of job.toml).
type Sitemaps struct {
	Use string `toml:"use"` // one of sheet.SitemapsOff, SitemapsRobots, SitemapsAll
	// WellKnown are the paths that are asked for with SitemapsAll.
	WellKnown []string `toml:"well_known"`
}

// DefaultSitemaps asks for none, as Heritrix.
func DefaultSitemaps() Sitemaps {
	return Sitemaps{Use: sheet.SitemapsOff, WellKnown: []string{"/sitemap.xml", "/sitemap_index.xml"}}
}

// Validate returns every value that cannot be.
func (s Sitemaps) Validate() (ps conf.Problems) {
	ps.Check(sheet.IsSitemapsUse(s.Use), "use", "%q: must be %q, %q or %q", s.Use, sheet.SitemapsOff, sheet.SitemapsRobots, sheet.SitemapsAll)
	for i, path := range s.WellKnown {
		ps.Check(strings.HasPrefix(path, "/"), conf.Element("well_known", i), "%q: a path begins with /", path)
	}
	return ps
}

// maxSitemaps is how many of one robots.txt are asked for.
const maxSitemaps = 100

// sitemaps makes those that a robots.txt names, or that may be where they usually are, links of it.
func (h *HTTP) sitemaps(u *crawl.CrawlURI, rules *robots.Rules) {
	use := h.deps.Sitemaps.Use
	if u.Sheet != nil && u.Sheet.Sitemaps.Use != nil {
		use = *u.Sheet.Sitemaps.Use
	}
	own := u.Parsed()
	if use == "" || use == sheet.SitemapsOff || rules.Unreachable() || own == nil {
		return
	}
	take := func(refs []string, context string) {
		for _, ref := range refs[:min(len(refs), maxSitemaps)] {
			to, err := own.Resolve(ref)
			if err != nil || !to.IsWeb() {
				continue
			}
			u.Outlinks = append(u.Outlinks, crawl.Outlink{URL: clean(to), Hop: crawl.HopManifest, Kind: crawl.LinkNav, Context: context})
		}
	}
	if take(rules.Sitemaps(), crawl.ContextRobots); len(u.Outlinks) == 0 && use == sheet.SitemapsAll {
		take(h.deps.Sitemaps.WellKnown, crawl.ContextWellKnown)
	}
}

func clean(u *urlx.URL) *urlx.URL { return u.WithoutUserinfo().WithoutFragment() }
