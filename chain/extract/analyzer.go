package extract

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"exclave/analyzer"
	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/urlx"
)

// WebAnalyzer judges pages. It comes last in the extract chain.
type WebAnalyzer struct {
	an  *analyzer.Analyzer
	cfg Config
}

// NewWebAnalyzer returns the processor "web-analyzer". Of the analyzer's
// profiles only the first [crawl.MaxProfiles] are heeded. cfg bounds documents
// that no other processor has read, such as plain text.
func NewWebAnalyzer(a *analyzer.Analyzer, cfg Config) *WebAnalyzer { return &WebAnalyzer{a, cfg} }

// Process implements [chain.Processor]. An error is a failure of a searcher's
// resources.
func (w *WebAnalyzer) Process(ctx context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	u.Judgeable = success(u) && !u.IsPrereq() && w.an.Judges(u.MIME.Type)
	if !u.Judgeable || !u.Claim.Analyse || u.Rec == nil {
		return chain.Result{}, nil
	}
	if u.Doc == nil {
		if err := w.cfg.parse(u); err != nil {
			return chain.Result{}, err
		}
	}
	p := analyzer.NewPage(u.URL, u.MIME.Type, u.Doc)
	p.Addr, p.Via = u.Addr, u.Via
	for _, o := range u.Outlinks {
		k := analyzer.Outlink{URL: o.URL}
		if to, err := urlx.Parse(o.URL); err == nil {
			k.Host = to.Hostname()
		}
		p.Outlinks = append(p.Outlinks, k)
	}
	verdicts, err := w.an.Run(ctx, p)
	if err != nil {
		return chain.Result{}, fmt.Errorf("extract: judge %s: %w", u.URL, err)
	}
	j, err := judgement(verdicts)
	if err != nil {
		return chain.Result{}, fmt.Errorf("extract: judge %s: %w", u.URL, err)
	}
	u.Judged = j
	u.Annotate(annotation(verdicts))
	return chain.Result{}, nil
}

func judgement(vs []analyzer.Verdict) (*crawl.Judgement, error) {
	vs = vs[:min(len(vs), crawl.MaxProfiles)]
	j := &crawl.Judgement{}
	for i, v := range vs {
		j.Points[i] = v.Points
		if v.Valid {
			j.ValidFor |= 1 << i
		}
	}
	var err error
	j.JSON, err = json.Marshal(vs)
	return j, err
}

// annotation is the verdict in crawl.log: the points of the best profile that
// accepts the page, or of the best that does not.
func annotation(vs []analyzer.Verdict) string {
	word, best := "", int64(0)
	for _, v := range vs[:min(len(vs), crawl.MaxProfiles)] {
		w := "invalid:"
		if v.Valid {
			w = "valid:"
		}
		if word == "" || len(w) < len(word) || w == word && v.Points > best {
			word, best = w, v.Points
		}
	}
	return word + strconv.FormatInt(best, 10)
}
