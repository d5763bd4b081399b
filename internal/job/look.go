package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"exclave/analyzer"
	"exclave/config"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/job/view"
	"exclave/internal/logparts"
	"exclave/internal/urlx"
)

// HostSummary is the result of crawling a host.
type HostSummary struct {
	Host     string
	Judged   int
	Valid    int
	Archived int
	Pages    int    // of the archived, HTML
	Points   int64  // of the page with the most
	Evidence string // the strongest of that page
}

// Outcomes returns the outcome of every URI that was finished, by URL. A robots.txt
// asked for as a prerequisite goes by its key: its URL is also that of a page that
// may be linked.
func Outcomes(ctx context.Context, cfg *config.Config) (_ map[string]crawl.Outcome, err error) {
	v, err := view.Open(ctx, folder.Of(cfg, folder.Env{}), view.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	out := map[string]crawl.Outcome{}
	return out, v.State.EachURI(func(r *frontier.Record) error {
		switch {
		case r.Finishes == 0:
		case crawl.IsRobots(r.Key):
			out[r.Key] = r.Outcome
		default:
			out[r.URL] = r.Outcome
		}
		return nil
	})
}

// Payloads returns the payload digest of every archived answer by URL, "sha1:" and
// base32, as the state has it; [Verify] proves that the archive agrees. robots.txt
// asked for as a prerequisite is left out.
func Payloads(ctx context.Context, cfg *config.Config) (_ map[string]string, err error) {
	v, err := view.Open(ctx, folder.Of(cfg, folder.Env{}), view.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	out := map[string]string{}
	return out, v.State.EachURI(func(r *frontier.Record) error {
		if r.Outcome.Archived && !crawl.IsRobots(r.Key) {
			out[r.URL] = r.Digest
		}
		return nil
	})
}

// Hosts summarises a job that is not running, the hosts with the most archived
// URIs first.
func Hosts(ctx context.Context, cfg *config.Config) (_ []HostSummary, err error) {
	v, err := view.Open(ctx, folder.Of(cfg, folder.Env{}), view.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	by := map[string]*HostSummary{}
	host := func(name string) *HostSummary {
		if by[name] == nil {
			by[name] = &HostSummary{Host: name}
		}
		return by[name]
	}
	if err := v.State.EachURI(func(r *frontier.Record) error {
		if r.Finishes == 0 || r.Claim.IsZero() {
			return nil
		}
		h := host(r.Host)
		for n, is := range map[*int]bool{&h.Judged: r.Outcome.Judged, &h.Valid: r.Outcome.Valid(),
			&h.Archived: r.Outcome.Archived, &h.Pages: r.Outcome.Archived && r.Outcome.Class == crawl.ClassHTML} {
			if is {
				*n++
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	if err := eachVerdict(cfg, func(url string, v analyzer.Verdict) {
		u, err := urlx.Parse(url)
		if err != nil {
			return
		}
		h := host(u.Hostname())
		if v.Points < h.Points || v.Points == h.Points && h.Evidence != "" {
			return
		}
		h.Points = v.Points
		for _, e := range v.Strongest(1) {
			h.Evidence = fmt.Sprintf("%s (%s)", e.Value, e.Where)
		}
	}); err != nil {
		return nil, err
	}
	var out []HostSummary
	for _, h := range by {
		out = append(out, *h)
	}
	slices.SortFunc(out, func(a, b HostSummary) int {
		return cmp.Or(b.Archived-a.Archived, b.Judged-a.Judged, cmp.Compare(a.Host, b.Host))
	})
	return out, nil
}

// eachVerdict reads analysis.jsonl.
func eachVerdict(cfg *config.Config, fn func(url string, v analyzer.Verdict)) error {
	if err := logparts.EachLine(fsx.Real(), filepath.Join(cfg.Dir, folder.LogDir), crawl.LogAnalysis.Name(), func(at logparts.Place, text []byte) error {
		var line struct {
			URL      string             `json:"url"`
			Verdicts []analyzer.Verdict `json:"verdicts"`
		}
		if err := json.Unmarshal(text, &line); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		for _, v := range line.Verdicts {
			fn(line.URL, v)
		}
		return nil
	}); err != nil {
		return fmt.Errorf("job: %w", err)
	}
	return nil
}
