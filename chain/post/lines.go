package post

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/clock"
)

const isoMillis = "2006-01-02T15:04:05.000Z"

// CrawlLog makes the line of crawl.log: processor "crawl-log".
type CrawlLog struct {
	file func(number uint32) string
	clk  clock.Clock
}

// NewCrawlLog returns the processor. file gives the final name of a WARC file,
// "" when it is not known.
func NewCrawlLog(file func(number uint32) string, clk clock.Clock) *CrawlLog {
	return &CrawlLog{file, clk}
}

// Process implements [chain.Processor].
func (l *CrawlLog) Process(_ context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if u.Disposition != crawl.Done {
		return chain.Idle(), nil
	}
	name := ""
	if !u.Response.IsZero() {
		name = l.file(u.Response.File)
	}
	u.Lines = append(u.Lines, crawl.LogLine{Log: crawl.LogCrawl, Text: CrawlLogLine(u, name, l.clk.Now())})
	return chain.Result{}, nil
}

// AnalysisLog makes the line of analysis.jsonl: processor "analysis-log".
type AnalysisLog struct{ clk clock.Clock }

// NewAnalysisLog returns the processor.
func NewAnalysisLog(clk clock.Clock) *AnalysisLog { return &AnalysisLog{clk} }

// analysis is a line of analysis.jsonl (docs/formats/analysis.md), but for the verdicts at its end.
type analysis struct {
	Time     string       `json:"time"`
	URL      string       `json:"url"`
	Via      string       `json:"via"`
	Seed     bool         `json:"seed,omitempty"`
	Source   string       `json:"source"`
	Status   crawl.Status `json:"status"`
	MIME     string       `json:"mime"`
	Digest   string       `json:"digest"`
	Valid    bool         `json:"valid"`
	Archived bool         `json:"archived"`
}

// Process implements [chain.Processor].
func (l *AnalysisLog) Process(_ context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if u.Disposition != crawl.Done || u.Judged == nil {
		return chain.Idle(), nil
	}
	o := u.Outcome()
	line, err := jsonLine(analysis{
		Time: stamp(l.clk.Now()), URL: u.URL, Via: u.Via, Seed: u.Seed && u.Hops == "", Source: u.SourceTag, Status: o.Status,
		MIME: u.MIME.Type, Digest: digest(u), Valid: o.Valid(), Archived: o.Archived,
	})
	if err != nil {
		return chain.Result{}, fmt.Errorf("post: analysis line of %s: %w", u.URL, err)
	}
	// The verdicts are most of the line, and JSON already.
	verdicts := u.Judged.JSON
	if len(verdicts) == 0 {
		verdicts = []byte("null")
	}
	line = slices.Concat(bytes.TrimSuffix(line, []byte("}\n")), []byte(`,"verdicts":`), verdicts, []byte("}\n"))
	u.Lines = append(u.Lines, crawl.LogLine{Log: crawl.LogAnalysis, Text: line})
	return chain.Result{}, nil
}

// digest is that of the payload; a URI judged from the archive has its record's.
func digest(u *crawl.CrawlURI) string {
	if u.Digest == "" && u.Prior != nil {
		return u.Prior.PayloadDigest
	}
	return u.Digest
}

func stamp(t time.Time) string { return t.UTC().Format(isoMillis) }

// jsonLine returns v in one line, with & < > as they are: people read it.
func jsonLine(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
