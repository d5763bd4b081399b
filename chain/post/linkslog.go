package post

import (
	"context"
	"fmt"
	"io"
	"strings"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/urlx"
)

// LinksLog writes every link of every page: processor "links-log" (docs/formats/links-log.md).
type LinksLog struct {
	out   io.Writer
	rules urlx.Rules
}

// NewLinksLog returns the processor. out takes the lines of a page in one Write, from several goroutines; nil: nothing is written.
func NewLinksLog(out io.Writer, r urlx.Rules) *LinksLog { return &LinksLog{out, r} }

// Types of links in links.log; the first three are the original's.
const (
	linkOrdinary = iota
	linkFrame
	linkRedirect
	linkEmbed
	linkGuess
)

// Process writes the links of a URI that is done. An error is that of the file.
func (l *LinksLog) Process(_ context.Context, u *crawl.CrawlURI) (chain.Result, error) {
	if l.out == nil || u.Disposition != crawl.Done || !u.Status.IsHTTP() || u.Mode == crawl.ModeJudge || len(u.Outlinks) == 0 {
		return chain.Idle(), nil
	}
	var b strings.Builder
	for _, o := range u.Outlinks {
		rel := "-"
		if o.NoFollow {
			rel = "nofollow"
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\t%d\t%c\t%s\t%s\t%s\n", u.URL, o.URL, l.rules.Key(o.URL), linkType(o.Kind), o.Hop, o.Context, rel, oneField(o.Text))
	}
	if _, err := io.WriteString(l.out, b.String()); err != nil {
		return chain.Result{}, fmt.Errorf("post: links.log: %w", err)
	}
	return chain.Result{}, nil
}

func linkType(k crawl.LinkKind) int {
	switch k {
	case crawl.LinkFrame:
		return linkFrame
	case crawl.LinkRedirect:
		return linkRedirect
	case crawl.LinkEmbed:
		return linkEmbed
	case crawl.LinkSpeculative:
		return linkGuess
	}
	return linkOrdinary
}

// oneField makes a text one that divides neither fields nor lines.
func oneField(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
