package judge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"

	"exclave/analyzer"
	"exclave/chain/extract"
	"exclave/crawl"
	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/warc"
)

// maxJudged bounds what is read of a document to be judged, in bytes.
const maxJudged = 10 << 20

// Result is the verdict on one document outside a crawl.
type Result struct {
	Source   string             `json:"source"` // file or URL
	URL      string             `json:"url"`
	MIME     string             `json:"mime"`
	Status   int                `json:"status,omitempty"` // of the HTTP answer
	Title    string             `json:"title,omitempty"`
	Skipped  string             `json:"skipped,omitempty"` // why it was not judged
	Words    int                `json:"-"`                 // of title and text
	Verdicts []analyzer.Verdict `json:"verdicts,omitempty"`

	via string // the page that it was found on
}

// Valid reports whether any profile accepted the document.
func (r Result) Valid() bool {
	for _, v := range r.Verdicts {
		if v.Valid {
			return true
		}
	}
	return false
}

// document judges bytes. declared is the Content-Type, "" when unknown; addr is
// where they are from, and hosts knows further addresses.
func document(ctx context.Context, a *analyzer.Analyzer, j Result, declared string, body []byte, addr netip.Addr, hosts knownHosts) (Result, error) {
	t := mime.Detect(j.URL, declared, body[:min(len(body), mime.HeadSize)], 0)
	j.MIME = t.Type
	if !a.Judges(t.Type) {
		if len(body) == 0 {
			j.Skipped = "the document is empty"
			return j, nil
		}
		j.Skipped = "type " + t.Type + " is not judged"
		return j, nil
	}
	d := markup.Parse(markup.KindOf(t.Type), body, markup.Options{DeclaredCharset: t.Charset, KeepSource: true})
	j.Title = d.Title
	u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: j.URL, Via: j.via}, MIME: t, Doc: d, Addr: addr}
	extract.TakeLinks(ctx, u, extract.DefaultMaxOutlinks)
	p, err := extract.NewPage(ctx, u, a, hosts)
	if err != nil {
		return j, err
	}
	j.Words = p.WordCount()
	if j.Verdicts, err = a.Run(ctx, p); err == nil {
		hosts.judged(p.Host, j.Verdicts)
	}
	return j, err
}

// Source is where a document is from.
type Source struct {
	URL         string
	Via         string // the page that it was found on
	ContentType string // as a server said it; "" = unknown
}

// Document judges bytes that are at hand.
func Document(ctx context.Context, a *analyzer.Analyzer, from Source, body []byte) (Result, error) {
	body = body[:min(len(body), maxJudged)]
	return document(ctx, a, Result{Source: from.URL, URL: from.URL, via: from.Via}, from.ContentType, body, netip.Addr{}, knownHosts{})
}

// Pages judges the answers with status 200 in a WARC file to requests for URLs that are wanted. Damaged records
// are left out.
func Pages(ctx context.Context, a *analyzer.Analyzer, path string, wanted func(url string) bool, each func(Result) error) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	if !isWARC(in) {
		return fmt.Errorf("%s is no WARC file", path)
	}
	err = archived(ctx, a, path, in, wanted, each, nil)
	if d := (*warc.Defect)(nil); errors.As(err, &d) {
		return nil
	}
	return err
}

// File judges a document in a file, or, when the file is a WARC, every
// answer with status 200 in it. each is called for every document; doubt for each
// objection of the second opinion to a record of a WARC (see [warc.Reader.SecondOpinion]),
// unless it is nil.
func File(ctx context.Context, a *analyzer.Analyzer, path string, each func(Result) error, doubt func(warc.Defect)) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	if isWARC(in) {
		return archived(ctx, a, path, in, nil, each, doubt)
	}
	body, err := io.ReadAll(io.LimitReader(in, maxJudged))
	if err != nil {
		return fmt.Errorf("job: judge %s: %w", path, err)
	}
	j, err := document(ctx, a, Result{Source: path, URL: path}, "", body, netip.Addr{}, knownHosts{})
	if err != nil {
		return fmt.Errorf("job: judge %s: %w", path, err)
	}
	return each(j)
}

// isWARC looks for a record's first line, compressed or not.
func isWARC(in *bufio.Reader) bool {
	head, _ := in.Peek(5)
	if string(head) == "WARC/" {
		return true
	}
	if !bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		return false
	}
	head, _ = in.Peek(in.Size())
	_, err := warc.NewReader(bytes.NewReader(head)).Next()
	return err == nil
}
