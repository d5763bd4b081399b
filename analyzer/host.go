package analyzer

import (
	"context"
	"fmt"

	"exclave/internal/conf"
)

// hostPages counts the other pages of the page's host that were judged before; valid are those
// that the profile found valid. A gallery, a login, a menu says little of itself, and is
// the host's.
type hostPages struct {
	profile  int // its number in Page.HostValid
	minPages int
}

// hostOptions are those of the kind "host".
type hostOptions struct {
	MinPages int `toml:"min_pages"` // with fewer judged pages nothing is found
}

// defaultMinPages is enough for a share to mean something.
const defaultMinPages = 5

// Validate returns every value that cannot be.
func (o *hostOptions) Validate() (ps conf.Problems) {
	ps.Check(o.MinPages >= 1, "min_pages", "%d is less than 1", o.MinPages)
	return ps
}

func (o *hostOptions) open(r *resources) (Searcher, error) {
	return hostPages{r.profile, o.MinPages}, nil
}

func (s hostPages) needsHost() bool { return true }

// Search implements Searcher.
func (s hostPages) Search(_ context.Context, p *Page) (Finding, error) {
	if p.HostJudged < s.minPages || s.profile >= len(p.HostValid) {
		return Finding{}, nil
	}
	f := Finding{Found: p.HostJudged, Valid: min(p.HostValid[s.profile], p.HostJudged)}
	if f.Valid > 0 {
		f.Distinct = 1
		f.Evidence = []Evidence{{Value: fmt.Sprintf("%d of %d pages of the host", f.Valid, f.Found), Where: "host", Count: 1}}
	}
	return f, nil
}
