package crawllog_test

import (
	"testing"

	"exclave/internal/crawllog"
)

// What a line says of a URI is read from its annotations in one place; words that others
// write, and texts that strangers bring in, say nothing.
func TestFacts(t *testing.T) {
	for _, c := range []struct {
		why   string
		words []string
		want  crawllog.Facts
	}{
		{"nothing", nil, crawllog.Facts{}},
		{"a judged archive", []string{"2t", crawllog.Judged, crawllog.Verdict(true, 120)}, crawllog.Facts{Judged: true, Analysed: true, Valid: true}},
		{"an invalid page, negative points", []string{crawllog.Verdict(false, -3)}, crawllog.Facts{Analysed: true}},
		{"a revisit", []string{"redacted", crawllog.NotModified}, crawllog.Facts{NotModified: true}},
		{"the same content", []string{crawllog.Duplicate}, crawllog.Facts{Duplicate: true}},
		{"depth 0 is a depth", []string{crawllog.ValidLink(0)}, crawllog.Facts{Linked: true}},
		{"a depth, and an embed", []string{crawllog.ValidLink(3), crawllog.BinLink}, crawllog.Facts{Linked: true, Depth: 3, BinLink: true}},
		{"an entry of a sitemap", []string{"found:sitemap:loc[lastmod=2026-11-01%2Cpriority=0.9]"}, crawllog.Facts{Found: "sitemap:loc[lastmod=2026-11-01,priority=0.9]"}},
		{"words that look alike", []string{"validLink:-1", "validLink:x", "validity", "scope:judged", "duplicate:other", "invalidate:1"}, crawllog.Facts{}},
	} {
		e := crawllog.Entry{Annotations: c.words}
		if got := e.Facts(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.why, got, c.want)
		}
	}
}
