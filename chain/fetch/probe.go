package fetch

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"exclave/crawl"
	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/internal/record"
	"exclave/internal/robots"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
)

// probes are what origins answered to an address that does not exist: the text of a page, nil when they are honest.
type probes struct {
	mu sync.Mutex
	of map[string]*crawl.Soft404Text
}

const (
	// mostProbes is how many origins are remembered; they are forgotten together.
	mostProbes = 20_000
	// maxProbe is how much of an answer to a probe is looked at.
	maxProbe = 256 << 10
)

func (p *probes) get(origin string) (t *crawl.Soft404Text, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, known = p.of[origin]
	return t, known
}

func (p *probes) put(origin string, t *crawl.Soft404Text) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil || len(p.of) >= mostProbes {
		p.of = map[string]*crawl.Soft404Text{}
	}
	p.of[origin] = t
}

// soft404 lays what the origin answers to an address that does not exist on a page, so that it can be compared. An error is ctx's or
// our own.
func (h *HTTP) soft404(ctx context.Context, u *crawl.CrawlURI, target *urlx.URL) error {
	mode := h.cfg.Soft404
	if u.Sheet != nil && u.Sheet.HTTP.Soft404 != nil {
		mode = *u.Sheet.HTTP.Soft404
	}
	if mode == "" || mode == sheet.Soft404Off || u.HTTPStatus != http.StatusOK || u.Class != crawl.ClassHTML {
		return nil
	}
	t, known := h.probes.get(target.Origin())
	if !known {
		var err error
		if t, err = h.probe(ctx, u, target); err != nil {
			return err
		}
		h.probes.put(target.Origin(), t)
	}
	if t != nil {
		u.SetAttribute(crawl.AttrSoft404, crawl.Soft404{Text: t, Hold: mode == sheet.Soft404Hold})
	}
	return nil
}

// probe asks an origin for an address that does not exist; nil: it says so, or may not be asked.
func (h *HTTP) probe(ctx context.Context, u *crawl.CrawlURI, target *urlx.URL) (*crawl.Soft404Text, error) {
	nowhere, err := target.Resolve("/" + strings.ToLower(rand.Text()[:16]))
	if err != nil {
		return nil, err
	}
	f, err := h.deps.Hosts.Origin(ctx, target.Origin())
	if err != nil {
		return nil, fmt.Errorf("fetch: rules of %s: %w", target.Origin(), err)
	}
	var rules robots.Rules
	if len(f.Robots) > 0 {
		if err := rules.UnmarshalBinary(f.Robots); err != nil {
			return nil, fmt.Errorf("fetch: rules of %s: %w", target.Origin(), err)
		}
	}
	if allowed, _ := h.policy(u).Allowed(&rules, nowhere.PathQuery(), false); !allowed {
		return nil, nil
	}
	settings, blocked := h.sheetFor(u, nowhere)
	if blocked != nil {
		return nil, nil
	}
	q := h.asked(settings)
	q.jar = h.jarFor(settings)
	q.bounds.body = func(*record.Head) int64 { return maxProbe }
	a, err := h.identified(ctx, nil, nowhere, q)
	var server *failure
	if errors.As(err, &server) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	body, _ := a.rec.Body(maxProbe) // a broken coding leaves what comes before
	info := mime.Detect(nowhere.String(), a.rec.Head().Get("Content-Type"), body[:min(len(body), mime.HeadSize)], 0)
	var text *crawl.Soft404Text
	if a.status == http.StatusOK && info.Class == mime.HTML {
		text = crawl.NewSoft404Text(markup.Parse(markup.HTML, body, markup.Options{DeclaredCharset: info.Charset, MaxLinks: 1}).Text, nowhere)
	}
	return text, a.rec.Close()
}
