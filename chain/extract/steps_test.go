package extract

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/crawl"
	"exclave/internal/markup"
	"exclave/internal/sharedtest"
)

// entries returns the links of a sitemap with its bytes, as "hop url context".
func entries(t *testing.T, context string, body string) (out []string, u *crawl.CrawlURI) {
	t.Helper()
	u = answer(t, "http://www.example.com/map", "200 OK", "Content-Type: application/octet-stream\r\n", body)
	u.Hops, u.Context = "PM", context
	process(t, u, NewSitemap(DefaultSitemapConfig()))
	for _, o := range u.Outlinks {
		if o.Kind == crawl.LinkNav {
			out = append(out, string(rune(o.Hop))+" "+o.URL.String()+" "+o.Context)
		}
	}
	return out, u
}

// crawler-commons' files, all of them: what each lists, by its own tests and by looking.
func TestSitemaps(t *testing.T) {
	root := sharedtest.Path(t, "data/links/crawler-commons-sitemaps/src/test/resources/sitemaps")
	for name, want := range map[string]struct {
		n    int
		some []string
	}{
		"atom.xml":             {4, []string{"M http://example.org/2003/12/13/atom03.html sitemap:feed[lastmod=2003-12-13T18:30:02Z]"}},
		"sitemap.ns.xml":       {2, nil},
		"sitemap.badns.xml":    {2, []string{"M http://www.example.com/1 sitemap:loc", "M http://www.example.com/2 sitemap:loc"}},
		"sitemap.index.xml":    {15, []string{"M https://example.com/sitemap.jss?portalCode=2&lang=en sitemap:index/loc"}},
		"sitemap.txt":          {2, []string{"M http://www.domain.com/page1.html sitemap:text", "M http://www.domain.com/page2.html sitemap:text"}},
		"sitemap-with-bom.txt": {2, []string{"M http://www.domain.com/page1.html sitemap:text"}},
		"sitemap.txt.gz":       {5, []string{"M http://www.example.com/catalog?item=74&desc=vacation_newfoundland sitemap:text"}},
		"xmlSitemap.gz":        {5, []string{"M http://www.example.com/ sitemap:loc[lastmod=2005-01-01,priority=0.8]", "M http://www.example.com/catalog?item=12&desc=vacation_hawaii sitemap:loc"}},
		"do-not-visit.txt":     {1, nil},
		"extension/hebdenbridgetimes-articles-sitemap.xml": {74, nil},
		"extension/pagemaps-sitemap.xml":                   {2, nil},
		"extension/shinpaideshou-news-sitemap.xml":         {3, nil},
		"extension/sitemap-images.xml":                     {1, nil},
		"extension/sitemap-links.xml":                      {3, nil},
		"extension/sitemap-mobile.xml":                     {3, nil},
		"extension/sitemap-news.xml":                       {2, nil},
		"extension/sitemap-videos-tvshow.xml":              {1, nil},
		"extension/sitemap-videos.xml":                     {3, nil},
	} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		got, _ := entries(t, crawl.ContextRobots, string(data))
		listed := slices.DeleteFunc(slices.Clone(got), func(s string) bool {
			return !strings.HasPrefix(s, "M ") || !strings.Contains(s, " sitemap:") && !strings.Contains(s, " atom:")
		})
		if len(listed) != want.n {
			t.Errorf("%s: %d entries, want %d\n%s", name, len(listed), want.n, strings.Join(listed, "\n"))
		}
		for _, w := range want.some {
			if !slices.Contains(got, w) {
				t.Errorf("%s: no %s in\n%s", name, w, strings.Join(got, "\n"))
			}
		}
	}
}

func TestSitemapIsReachedAsOne(t *testing.T) {
	const body = "http://a.cz/1\n"
	for _, c := range []struct {
		hops, context string
		want          int
	}{
		{"PM", crawl.ContextRobots, 1}, {"PM", crawl.ContextWellKnown, 1}, {"PMM", "sitemap:index/loc[lastmod=2026-01-01]", 1}, {"PMR", "Location:", 1},
		{"PMM", "sitemap:loc", 0}, {"L", "a/@href", 0}, {"R", "Location:", 0},
	} {
		u := answer(t, "http://a.cz/map", "200 OK", "", body)
		u.Hops, u.Context = c.hops, c.context
		process(t, u, NewSitemap(DefaultSitemapConfig()))
		if len(u.Outlinks) != c.want {
			t.Errorf("%s %s: %d entries", c.hops, c.context, len(u.Outlinks))
		}
	}
}

// A page that a robots.txt calls a sitemap is a page.
func TestSitemapIsPage(t *testing.T) {
	for _, body := range []string{"<!doctype HTML><a href=/1>", "\xef\xbb\xbf<!-- map -->\n<HTML><a href=/1>", `<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x"><html xmlns="http://www.w3.org/1999/xhtml"><a href="/1">`, "<ul><li><a href=/1>"} {
		u := answer(t, "http://a.cz/map", "200 OK", "Content-Type: text/html\r\n", body)
		u.Hops, u.Context = "PM", crawl.ContextRobots
		process(t, u, NewSitemap(DefaultSitemapConfig()))
		if u.Doc != nil || len(u.Annotations) > 0 {
			t.Errorf("%s: %v", body, u.Annotations)
		}
		process(t, u, NewMarkup(DefaultConfig(), markup.HTML))
		if len(u.Outlinks) != 1 || u.Outlinks[0].Hop != crawl.HopLink {
			t.Errorf("%s: %v", body, u.Outlinks)
		}
	}
}

// Bad ones give what comes before the damage, and a bomb no more than the bound.
func TestBadSitemaps(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	line := "http://a.cz/" + strings.Repeat("x", 52) + "\n"
	for range 2 << 20 / len(line) {
		if _, err := z.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	u := answer(t, "http://a.cz/map", "200 OK", "", packed.String())
	u.Hops, u.Context = "PM", crawl.ContextRobots
	c := DefaultSitemapConfig()
	c.MaxBody = 1 << 20
	process(t, u, NewSitemap(c))
	if len(u.Outlinks) != 1 { // the same line again and again; the last one is cut
		if len(u.Outlinks) != 2 {
			t.Errorf("%d entries", len(u.Outlinks))
		}
	}
	cut, u := entries(t, crawl.ContextRobots, packed.String()[:packed.Len()-20])
	if len(cut) == 0 || !slices.Contains(u.Annotations, "sitemap:gzip") {
		t.Errorf("%v, %v", cut, u.Annotations)
	}
	if got, u := entries(t, crawl.ContextWellKnown, "<!DOCTYPE html><p>404</p>"); len(got) != 0 || !slices.Contains(u.Annotations, "sitemap:empty") {
		t.Errorf("%v, %v", got, u.Annotations)
	}
	if got, _ := entries(t, crawl.ContextRobots, "http://a.cz/1\rhttp://a.cz/2\r\nhttp://a.cz/3"); len(got) != 3 {
		t.Errorf("lines end as on any machine: %v", got)
	}
	if got, _ := entries(t, crawl.ContextRobots, "<urlset><url><loc>http://a.cz/1</loc></url><url><loc>http://a.cz/2</l"); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// What is taken by setting only, and not without.
func TestBySetting(t *testing.T) {
	const header = "Content-Type: text/javascript\r\nSourceMap: /m.map\r\n"
	const body = "a()\n//# sourceMappingURL=a.js.map\n"
	for _, on := range []bool{true, false} {
		u := answer(t, "http://a.cz/d/a.js", "200 OK", header, body)
		c := DefaultConfig()
		c.SourceMaps = on
		page := answer(t, "http://a.cz/d/", "200 OK", "Content-Type: text/html\r\nContent-Location: index.html\r\n", "<p>x")
		page.Class = crawl.ClassHTML
		h := NewHTTP(HTTPConfig{MaxOutlinks: 10, Favicon: on, SourceMaps: on})
		process(t, u, h, NewMarkup(c, markup.JS))
		process(t, page, h)
		want, wantPage := "", "http://a.cz/d/index.html X guess Content-Location:\n"
		if on {
			want = "http://a.cz/m.map E embed SourceMap:\nhttp://a.cz/d/a.js.map E embed sourceMappingURL\n"
			wantPage += "http://a.cz/favicon.ico I embed inferred/favicon\n"
		}
		if got := outlinks(u); got != want {
			t.Errorf("on %v: script\n%s", on, got)
		}
		if got := outlinks(page); got != wantPage {
			t.Errorf("on %v: page\n%s", on, got)
		}
	}
}

// A row of the table of parsers that a job adds: by type, by pattern, by nothing else; the first that reads counts.
func TestTypes(t *testing.T) {
	for _, c := range []struct {
		types []string
		typ   string
		want  bool
	}{
		{nil, "application/x-feed", false}, {[]string{"application/x-feed"}, "application/x-feed", true}, {[]string{"application/*feed"}, "application/x-feed", true},
		{[]string{"application/*food"}, "application/x-feed", false}, {[]string{"*/*"}, "application/x-feed", true}, {[]string{"*/*"}, "text/html", false},
	} {
		u := answer(t, "http://a.cz/d", "200 OK", "Content-Type: "+c.typ+"\r\n", `<urlset><url><loc>http://a.cz/1</loc></url></urlset>`)
		u.MIME.Type = c.typ
		cfg := DefaultConfig()
		cfg.Types = c.types
		if ps := cfg.Validate(); len(ps) > 0 {
			t.Fatal(ps)
		}
		process(t, u, NewMarkup(DefaultConfig(), markup.HTML), NewMarkup(cfg, markup.XML))
		if got := outlinks(u) == "http://a.cz/1 M nav sitemap:loc\n"; got != c.want {
			t.Errorf("%v, %s: %s", c.types, c.typ, outlinks(u))
		}
	}
	for _, bad := range []string{"xml", "Text/Xml", "*/*/*", "text/xml;q=1"} {
		if c := (Config{MaxBody: 1, MaxText: 1, MaxOutlinks: 1, Types: []string{bad}}); len(c.Validate()) != 1 {
			t.Errorf("%s: %v", bad, c.Validate())
		}
	}
}

// JSON of old interfaces is said to be text or a page. Its strings are links all the same, relative to the page that asks for it, and
// what it was judged by is its text, as before.
func TestJSONByAnotherType(t *testing.T) {
	for _, declared := range []string{"text/plain", "text/html; charset=utf-8", "", "application/json"} {
		u := answer(t, "http://a.com/api/list", "200 OK", "Content-Type: "+declared+"\r\n", `{"next":"list/c.html","word":"ž"}`)
		u.Via, u.Hops = "http://a.com/dir/page", "X"
		process(t, u, NewMarkup(DefaultConfig(), markup.HTML), NewMarkup(DefaultConfig(), markup.PlainText), NewMarkup(DefaultConfig(), markup.JSON))
		if got, want := outlinks(u), "http://a.com/dir/list/c.html X guess js/string\n"; got != want {
			t.Errorf("%q: %s, want %s", declared, got, want)
		}
		if text := strings.Contains(u.Doc.Text, `"word":"ž"`); text != (declared != "application/json") {
			t.Errorf("%q: text %q", declared, u.Doc.Text)
		}
	}
}

// Items of feeds that are sitemaps say when they were changed, or made, in whatever form and order; the feed's own dates and those of
// other feeds that an entry comes from are none of theirs.
func TestFeedsAsSitemaps(t *testing.T) {
	rss := func(items string) string {
		return `<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom"><channel><pubDate>Thu, 01 Jan 2026 00:00:00 GMT</pubDate><link>http://a.cz/</link>` + items + `</channel></rss>`
	}
	for _, c := range []struct {
		body string
		want []string
	}{
		{rss(`<item><pubDate>Wed, 04 Nov 2026 13:00:00 +0100</pubDate><link>http://a.cz/1</link><guid>http://a.cz/1</guid></item>`), []string{"M http://a.cz/ rss:link", "M http://a.cz/1 sitemap:feed[lastmod=2026-11-04T13:00:00+01:00]"}},
		{rss(`<item><guid>http://a.cz/2</guid><pubDate>4 Nov 26 13:00 GMT</pubDate></item>`), []string{"M http://a.cz/ rss:link", "M http://a.cz/2 sitemap:feed[lastmod=2026-11-04T13:00:00Z]"}},
		{rss(`<item><link>http://a.cz/3</link><pubDate>Wed, 04 Nov 2026 23:00:00 EST</pubDate></item>`), []string{"M http://a.cz/ rss:link", "M http://a.cz/3 sitemap:feed[lastmod=2026-11-04]"}},
		{rss(`<item><link>http://a.cz/4</link><dc:date>2026-11-04</dc:date><atom:updated>2026-11-05T01:02:03Z</atom:updated></item><item><link>http://a.cz/5</link></item>`),
			[]string{"M http://a.cz/ rss:link", "M http://a.cz/4 sitemap:feed[lastmod=2026-11-05T01:02:03Z]", "M http://a.cz/5 sitemap:feed"}},
		{rss(`<item><link>http://a.cz/6</link><pubDate>yesterday, at noon</pubDate></item><item><link>http://a.cz/7</link><pubDate>2026-11-04 10:00:00</pubDate></item>`),
			[]string{"M http://a.cz/ rss:link", "M http://a.cz/6 sitemap:feed", "M http://a.cz/7 sitemap:feed[lastmod=2026-11-04]"}},
		{`<feed xmlns="http://www.w3.org/2005/Atom"><updated>2026-01-01T00:00:00Z</updated><link href="http://a.cz/"/><entry><published>2026-11-01T00:00:00Z</published><link href="http://a.cz/1"/><updated>2026-11-02T00:00:00Z</updated><source><updated>2020-01-01T00:00:00Z</updated></source></entry><entry><link href="http://a.cz/2"/><link rel="self" href="http://a.cz/2.xml"/><published>2026-11-03</published></entry></feed>`,
			[]string{"M http://a.cz/ atom:link/@href[rel=alternate]", "M http://a.cz/1 sitemap:feed[lastmod=2026-11-02T00:00:00Z]", "M http://a.cz/2 sitemap:feed[lastmod=2026-11-03]", "M http://a.cz/2.xml atom:link/@href[rel=self]"}},
		{`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"><item rdf:about="http://a.cz/1"><dc:date>2026-11-01T10:00+01:00</dc:date><link>http://a.cz/1</link></item></rdf:RDF>`,
			[]string{"M http://a.cz/1 sitemap:feed[lastmod=2026-11-01T10:00+01:00]"}},
	} {
		if got, _ := entries(t, crawl.ContextRobots, c.body); !slices.Equal(got, c.want) {
			t.Errorf("%s\n%s\nwant\n%s", c.body, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}
