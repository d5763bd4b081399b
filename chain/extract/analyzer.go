package extract

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"exclave/analyzer"
	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/crawllog"
	"exclave/internal/markup"
)

// WebAnalyzer judges pages. It comes last in the extract chain.
type WebAnalyzer struct {
	an    *analyzer.Analyzer
	hosts chain.Hosts
	cfg   Config
	whois Whois
}

// Whois says what WHOIS servers answer about the domain of a host: lines that name a country. It blocks for a bounded time; an
// error says that the answer is not known.
type Whois interface {
	Countries(ctx context.Context, host string) ([]string, error)
}

// Ask makes the analyzer ask w about the hosts of pages, when some searcher looks at that; nil = nobody.
func (w *WebAnalyzer) Ask(who Whois) { w.whois = who }

// NewWebAnalyzer returns the processor "web-analyzer". Of the analyzer's
// profiles only the first [crawl.MaxProfiles] are heeded. hosts is where the
// addresses of outlinks are looked for, when the analyzer wants them. cfg bounds
// documents that no other processor has read, such as plain text.
func NewWebAnalyzer(a *analyzer.Analyzer, hosts chain.Hosts, cfg Config) *WebAnalyzer {
	return &WebAnalyzer{an: a, hosts: hosts, cfg: cfg}
}

// Process implements [chain.Processor]. An error is a failure of a searcher's
// resources.
func (w *WebAnalyzer) Process(ctx context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	types := u.MIME.Types()
	slices.Reverse(types) // the one that it has without the hints of links first
	i := slices.IndexFunc(types, w.an.Judges)
	u.Judgeable = i >= 0 && success(u) && !u.IsPrereq()
	if !u.Judgeable || !u.Claim.Analyse || u.Rec == nil || u.Mode == crawl.ModeJudge && u.Prior.Outcome.Judged {
		return chain.Idle(), nil
	}
	page, err := w.page(ctx, u, types[i])
	if err != nil {
		return chain.Result{}, err
	}
	registrant := w.registrant(ctx, u) // before there is room for the document: others read theirs meanwhile
	in, leave, err := w.cfg.Room.enter(ctx, false)
	if err != nil {
		return chain.Result{}, err
	}
	defer leave()
	verdicts, err := w.judge(in, page, registrant)
	if err != nil && verdicts != nil {
		// What was found until then is the verdict: a page that was not judged would be
		// offered again, and take as long.
		err = late(ctx, u, "analysis:time")
	}
	if err != nil {
		return chain.Result{}, fmt.Errorf("extract: judge %s: %w", u.URL, err)
	}
	j, err := judgement(verdicts)
	if err != nil {
		return chain.Result{}, fmt.Errorf("extract: judge %s: %w", u.URL, err)
	}
	u.Judged = j
	u.Annotate(crawllog.Verdict(j.Best()))
	return chain.Result{}, nil
}

// registrant is what is known of the registrant of u's host. That nobody answered is no evidence, and said in crawl.log.
func (w *WebAnalyzer) registrant(ctx context.Context, u *crawl.CrawlURI) []string {
	own := u.Parsed()
	if w.whois == nil || own == nil || !w.an.WantsWhois() {
		return nil
	}
	lines, err := w.whois.Countries(ctx, own.Hostname())
	if err != nil {
		u.Annotate("whois:failed")
	}
	return lines
}

// judge returns the verdicts on u's document; with an error of ctx, what they were
// when it ended.
func (w *WebAnalyzer) judge(ctx context.Context, u *crawl.CrawlURI, registrant []string) ([]analyzer.Verdict, error) {
	p, err := NewPage(ctx, u, w.an, w.hosts)
	if err != nil {
		return nil, err
	}
	p.Whois = registrant
	return w.an.Run(ctx, p)
}

// page returns u as a document of one of its types. What it is taken for beside that does not
// change what is judged.
func (w *WebAnalyzer) page(ctx context.Context, u *crawl.CrawlURI, typ string) (*crawl.CrawlURI, error) {
	page := u
	if typ != u.MIME.Type {
		page = as(u, typ)
		page.Outlinks = nil
		page.SetAttribute(attrLinks, nil)
		if _, err := NewHTTP(HTTPConfig{MaxOutlinks: w.cfg.MaxOutlinks}).Process(ctx, page); err != nil {
			return nil, err
		}
	}
	if page.Doc != nil {
		return page, nil
	}
	_, leave, err := w.cfg.parse(ctx, page, markup.KindOf(page.MIME.Type))
	if err != nil {
		return nil, err
	}
	leave()
	if page.Doc.Stopped {
		return page, late(ctx, u, "extract:time")
	}
	return page, nil
}

// NewPage makes a page of u's document and outlinks. hosts is asked for addresses
// when a wants them. An error is one of hosts. The links after the end of ctx are left
// out.
func NewPage(ctx context.Context, u *crawl.CrawlURI, a *analyzer.Analyzer, hosts chain.Hosts) (*analyzer.Page, error) {
	own := u.Parsed()
	p := analyzer.NewPage(own, u.MIME.Type, u.Doc)
	p.URL, p.Addr, p.Via = u.URL, u.Addr, u.Via
	addrs := addresses{hosts: hosts, wanted: a.WantsAddrs()}
	var err error
	if !p.Addr.IsValid() && own != nil { // an answer out of the archive
		if p.Addr, err = addrs.find(ctx, own); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	addrs.note(p.Host, p.Addr)
	if a.WantsHost() {
		if err = hostVerdicts(ctx, u, p, hosts); err != nil && ctx.Err() == nil {
			return nil, err
		}
	}
	for _, o := range u.Outlinks {
		if ctx.Err() != nil {
			break
		}
		k := analyzer.Outlink{URL: o.URL.String(), Host: o.URL.Hostname(), To: o.URL}
		if k.Addr, err = addrs.find(ctx, o.URL); err != nil && ctx.Err() == nil {
			return nil, err
		}
		p.Outlinks = append(p.Outlinks, k)
	}
	return p, nil
}

// hostVerdicts tells p how the other pages of its host have been judged, when hosts count that.
func hostVerdicts(ctx context.Context, u *crawl.CrawlURI, p *analyzer.Page, hosts chain.Hosts) error {
	counts, ok := hosts.(chain.HostVerdicts)
	host := cmp.Or(u.Host, p.Host)
	if !ok || host == "" {
		return nil
	}
	v, err := counts.HostVerdicts(ctx, host)
	if err != nil {
		return err
	}
	var own crawl.Outcome // of u, when it was judged before
	if u.Prior != nil && u.Prior.Outcome.Judged {
		own = u.Prior.Outcome
	}
	if own.Judged && v.Judged > 0 {
		v.Judged--
	}
	p.HostJudged = int(v.Judged)
	for i, n := range v.Valid {
		if own.ValidFor&(1<<i) != 0 && n > 0 {
			n--
		}
		p.HostValid = append(p.HostValid, int(n))
	}
	return nil
}

func judgement(vs []analyzer.Verdict) (*crawl.Judgement, error) {
	vs = vs[:min(len(vs), crawl.MaxProfiles)]
	j := &crawl.Judgement{Profiles: len(vs)}
	for i, v := range vs {
		j.Points[i] = v.Points
		if v.Valid {
			j.ValidFor |= 1 << i
		} else if v.Near() {
			j.Near = true
		}
	}
	var err error
	j.JSON, err = json.Marshal(vs)
	return j, err
}
