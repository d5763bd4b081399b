package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"exclave/analyzer"
	"exclave/analyzer/labelled"
	"exclave/chain/extract"
	"exclave/crawl"
	"exclave/internal/judge"
	"exclave/internal/markup"
	"exclave/internal/mime"
)

// page is a labelled page and what was said of it.
type page struct {
	labelled.Page
	ascii    int            // words of a passage without diacritics, beside the set; 0 = a page of the set
	text     string         // title and text
	judged   *analyzer.Page // for measuring what searchers cost
	verdicts map[string]*analyzer.Verdict
	lingua   string
}

// belongs reports whether the page is a nation's.
func (p *page) belongs(n nation) bool { return slices.Contains(p.Nations, n.Name) }

// foreign reports whether a page of the set is neither the nation's nor in its language.
func (p *page) foreign(n nation) bool {
	return p.ascii == 0 && !p.belongs(n) && !slices.Contains(n.Languages, p.Language)
}

// adverse reports whether the page was made to be judged wrongly.
func (p *page) adverse() bool {
	return slices.ContainsFunc(p.Tags, func(t string) bool {
		return strings.HasPrefix(t, "mixed-") || slices.Contains([]string{"charset-false", "no-diacritics", "wordless"}, t)
	})
}

// set makes the labelled set, and tells what it is made of.
func set(shared string) ([]*page, []input, error) {
	own, err := labelled.Pages()
	if err != nil {
		return nil, nil, err
	}
	var out []*page
	var inputs []input
	take := func(name string, pages []labelled.Page) error {
		var b bytes.Buffer
		if err := labelled.Write(&b, pages); err != nil {
			return err
		}
		inputs = append(inputs, input{name, fmt.Sprintf("%d pages, %.1f MB", len(pages), float64(b.Len())/1e6), digest(b.Bytes())})
		for _, p := range pages {
			out = append(out, &page{Page: p})
		}
		return nil
	}
	if err := take(ownSet, own); err != nil {
		return nil, nil, err
	}
	if shared != "" {
		others, err := labelled.Shared(shared)
		if err != nil {
			return nil, nil, err
		}
		if err := take(sharedSet, others); err != nil {
			return nil, nil, err
		}
	}
	return out, inputs, nil
}

// What inputs are called.
const (
	ownSet    = "labelled set: texts of the project"
	sharedSet = "labelled set: shared test data"
)

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%x", sum[:8])
}

// passages adds the passages without diacritics, which are no part of the set.
func passages(pages []*page, nations []nation, lengths []int) ([]*page, error) {
	for _, n := range nations {
		for _, words := range lengths {
			if !n.Full {
				continue
			}
			more, err := labelled.ASCIIPassages(n.Languages[0], words)
			if err != nil {
				return nil, err
			}
			for _, p := range more {
				pages = append(pages, &page{Page: p, ascii: words})
			}
		}
	}
	return pages, nil
}

// judgeAll judges every page by all profiles of the Analyzer.
func judgeAll(ctx context.Context, a *analyzer.Analyzer, pages []*page, say func(format string, args ...any)) error {
	var (
		workers sync.WaitGroup
		next    atomic.Int64
		failed  atomic.Pointer[error]
	)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(pages) || failed.Load() != nil {
					return
				}
				if err := pages[i].judge(ctx, a); err != nil {
					failed.Store(&err)
					return
				}
				if i%1000 == 999 {
					say("judged %d of %d pages", i+1, len(pages))
				}
			}
		})
	}
	workers.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (p *page) judge(ctx context.Context, a *analyzer.Analyzer) error {
	body := p.Bytes()
	r, err := judge.Document(ctx, a, judge.Source{URL: p.URL, ContentType: p.Type}, body)
	if err != nil {
		return fmt.Errorf("%s: %w", p.URL, err)
	}
	p.verdicts = map[string]*analyzer.Verdict{}
	for i := range r.Verdicts {
		p.verdicts[r.Verdicts[i].Profile] = &r.Verdicts[i]
	}
	// The length is what eval takes it for: words as the searchers see them.
	p.Words = r.Words
	t := mime.Detect(p.URL, p.Type, body[:min(len(body), mime.HeadSize)], 0)
	d := markup.Parse(markup.KindOf(t.Type), body, markup.Options{DeclaredCharset: t.Charset, KeepSource: true})
	p.text = d.Title + "\n" + d.Text
	u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: p.URL}, MIME: t, Doc: d}
	extract.TakeLinks(ctx, u, extract.DefaultMaxOutlinks)
	p.judged = analyzer.NewPage(u.Parsed(), t.Type, d)
	for _, o := range u.Outlinks {
		p.judged.Outlinks = append(p.judged.Outlinks, analyzer.Outlink{URL: o.URL.String(), Host: o.URL.Hostname()})
	}
	return nil
}
