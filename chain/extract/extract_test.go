package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/analyzer"
	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/crawllog"
	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/internal/record"
)

// answer makes a URI with a recorded answer, as the fetch chain leaves it.
func answer(t testing.TB, url, status, header, body string) *crawl.CrawlURI {
	t.Helper()
	rec, err := record.Load(strings.NewReader("HTTP/1.1 "+status+"\r\n"+header+"\r\n"+body), t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rec.Close() })
	u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: url}, Rec: rec, Started: time.Unix(1, 0)}
	if _, err := fmt.Sscan(status, &u.HTTPStatus); err != nil {
		t.Fatal(err)
	}
	u.Status = crawl.Status(u.HTTPStatus)
	for line := range strings.Lines(header) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		u.Headers = append(u.Headers, crawl.Header{Name: name, Value: value})
	}
	u.MIME = mime.Detect(url, u.Header("Content-Type"), []byte(body), mime.HintsOf(u.Context))
	if u.Header("Location") != "" {
		u.Class = crawl.ClassRedirect
	}
	return u
}

func process(t testing.TB, u *crawl.CrawlURI, ps ...chain.Processor) {
	t.Helper()
	for _, p := range ps {
		if _, err := p.Process(context.Background(), u); err != nil {
			t.Fatal(err)
		}
	}
}

func outlinks(u *crawl.CrawlURI) string {
	var b strings.Builder
	kinds := map[crawl.LinkKind]string{crawl.LinkNav: "nav", crawl.LinkEmbed: "embed", crawl.LinkFrame: "frame",
		crawl.LinkSpeculative: "guess", crawl.LinkRedirect: "redirect"}
	for _, o := range u.Outlinks {
		fmt.Fprintf(&b, "%s %c %s %s\n", o.URL, o.Hop, kinds[o.Kind], o.Context)
	}
	return b.String()
}

func all() []chain.Processor {
	c := DefaultConfig()
	return []chain.Processor{
		NewHTTP(HTTPConfig{MaxOutlinks: c.MaxOutlinks}), NewMarkup(c, markup.HTML, markup.XHTML), NewMarkup(c, markup.CSS), NewMarkup(c, markup.JS),
		NewMarkup(c, markup.SVG, markup.XML), NewMarkup(c, markup.HLS, markup.DASH), NewMarkup(c, markup.Manifest), NewMarkup(c, markup.PDF),
	}
}

func TestLinks(t *testing.T) {
	const page = "http://a.com/dir/page"
	for _, c := range []struct {
		why, status, header, body, want string
	}{
		{
			"RFC 9110 15.4: the target of a redirect, nothing of its body (systems.md case 16)",
			"302 Found", "Location: ../other#x\r\nContent-Type: text/html\r\nLink: </s.css>; rel=stylesheet\r\n", "<a href=/body>",
			"http://a.com/other R redirect Location:\n",
		}, {
			"bytes of other encodings in header fields are asked for as they are",
			"302 Found", "Location: /n\xe1rodn\xed\r\n", "",
			"http://a.com/n%E1rodn%ED R redirect Location:\n",
		}, {
			"in others, too",
			"200 OK", "Content-Type: text/plain\r\nLink: </\xe8>; rel=next\r\nRefresh: 0; url=/\xf8\r\nContent-Location: /\xfd\r\n", "text",
			"http://a.com/%E8 L nav Link:/@href[rel=next]\nhttp://a.com/%F8 R nav Refresh:\nhttp://a.com/%FD X guess Content-Location:\n",
		}, {
			"a Location that leads nowhere leads nowhere",
			"301 Moved", "Location: javascript:void(0)\r\nContent-Type: text/html\r\n", "<html><a href=/body>",
			"",
		}, {
			"systems.md case 24: an error page has no links",
			"404 Not Found", "Content-Type: text/html\r\n", "<html><a href=/body>",
			"",
		}, {
			"RFC 8288: what a browser loads is an embed, what leads on is a link, the rest is neither",
			"200 OK", "Content-Type: text/plain\r\nLink: </s.css>; rel=\"preload stylesheet\"; as=style, <n?a,b>; title=\"x, <y>\"; rel=next\r\n" +
				"Link: <https://api.w.org/>; rel=\"https://api.w.org/\", </x>; rel=preconnect, </z>; rel=icon; anchor=\"/q\"\r\n" +
				"Link: </p.pdf>; rel=item, </m>; rel=\"original timegate\", </o>; rel=prev; anchor=\"/q\"\r\n", "text",
			"http://a.com/s.css E embed Link:/@href[rel=preload,as=style]\nhttp://a.com/dir/n?a,b L nav Link:/@href[rel=next]\nhttps://api.w.org/ L nav Link:/@href[rel=uri]\n" +
				"http://a.com/p.pdf L nav Link:/@href[rel=item]\nhttp://a.com/m L nav Link:/@href[rel=original]\nhttp://a.com/o L nav Link:/@href[rel=prev]\n",
		}, {
			"HTML 4.2.5.3: Refresh as a header field is followed as a reader would",
			"200 OK", "Content-Type: text/plain\r\nRefresh: 0; URL='next.html'\r\n", "text",
			"http://a.com/dir/next.html R nav Refresh:\n",
		}, {
			"every kind of link of HTML, resolved against its base, without fragments, once",
			"200 OK", "Content-Type: text/html; charset=utf-8\r\n",
			`<base href="/b/"><a href="x#1">1</a><a href="x#2">2</a><img src=i.png><iframe src=f></iframe><meta http-equiv=refresh content="3; url=r"><a href="mailto:a@b.cz">m</a>`,
			"http://a.com/b/x L nav a/@href\nhttp://a.com/b/i.png E embed img/@src\nhttp://a.com/b/f E frame iframe/@src\nhttp://a.com/b/r R nav meta/@content\n",
		}, {
			"WHATWG URL: the query of a page in windows-1250 is written in its charset",
			"200 OK", "Content-Type: text/html; charset=windows-1250\r\n", "<a href=\"/?q=\xe8\">x</a>",
			"http://a.com/?q=%E8 L nav a/@href\n",
		}, {
			"systems.md case 9: style sheets import and embed",
			"200 OK", "Content-Type: text/css\r\n", `@import "a.css"; body{background:url(/b.png)}`,
			"http://a.com/dir/a.css E embed css/@import\nhttp://a.com/b.png E embed css/url\n",
		}, {
			"systems.md case 11: a playlist names its segments",
			"200 OK", "Content-Type: application/vnd.apple.mpegurl\r\n", "#EXTM3U\n#EXTINF:1,\ns1.ts\n",
			"http://a.com/dir/s1.ts E embed hls/segment\n",
		}, {
			"an image has no links",
			"200 OK", "Content-Type: image/png\r\n", "\x89PNG\r\n\x1a\n",
			"",
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			u := answer(t, page, c.status, c.header, c.body)
			process(t, u, all()...)
			if got := outlinks(u); got != c.want {
				t.Errorf("links\n%swant\n%s", got, c.want)
			}
		})
	}
}

// Heritrix: 6,000 links a page; the rest is counted for the dol annotation.
func TestMaxOutlinks(t *testing.T) {
	u := answer(t, "http://a.com/", "200 OK", "Content-Type: text/html\r\nLink: </h>; rel=next\r\n", `<a href=1>1</a><a href=2>2</a><a href=3>3</a>`)
	c := DefaultConfig()
	c.MaxOutlinks = 3
	process(t, u, NewHTTP(HTTPConfig{MaxOutlinks: 3}), NewMarkup(c, markup.HTML))
	if len(u.Outlinks) != 3 || u.Dropped != 1 {
		t.Errorf("%d links, %d dropped", len(u.Outlinks), u.Dropped)
	}
}

// Architecture decision 8: a body that cannot be decoded is data; what could be
// read of it is used.
func TestBrokenCoding(t *testing.T) {
	u := answer(t, "http://a.com/", "200 OK", "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", `<html><a href=/x>x</a>`)
	process(t, u, all()...)
	if got := strings.Join(u.Annotations, ","); got != "coding:broken" || len(u.Outlinks) != 1 {
		t.Errorf("annotations %q, links %v", got, u.Outlinks)
	}
}

// formats.md: a charset that only the document declares is annotated.
func TestCharsetAnnotation(t *testing.T) {
	u := answer(t, "http://a.com/", "200 OK", "Content-Type: text/html\r\n", `<meta charset=windows-1250><a href=/>x</a>`)
	process(t, u, all()...)
	if got := strings.Join(u.Annotations, ","); got != "usingCharsetInHTML:windows-1250" {
		t.Errorf("annotations %q", got)
	}
}

// systems.md case 25: a prerequisite has neither links nor a judgement.
func TestPrerequisite(t *testing.T) {
	u := answer(t, "http://a.com/robots.txt", "200 OK", "Content-Type: text/plain\r\nLink: </x>; rel=next\r\n", "User-agent: *")
	u.Key, u.Claim.Analyse = crawl.RobotsKey("http://a.com"), true
	process(t, u, append(all(), NewWebAnalyzer(openAnalyzer(t), nil, DefaultConfig()))...)
	if len(u.Outlinks) > 0 || u.Judgeable || u.Judged != nil {
		t.Errorf("%+v judgeable %v judged %v", u.Outlinks, u.Judgeable, u.Judged)
	}
}

func openAnalyzer(t testing.TB) *analyzer.Analyzer {
	t.Helper()
	c := analyzer.DefaultConfig()
	c.Profiles = []string{"cz", "sk"}
	a, err := analyzer.Open(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

const czech = `<html lang=cs><body><p>Naše společnost vyrábí hračky už třicet let. Můžete si vybrat z mnoha druhů,
které každý den připravujeme přímo v dílně. Přijďte se podívat, určitě najdete něco, co vás potěší.</p>
<a href="/kontakt">kontakt</a> info@hracky.cz`

func TestWebAnalyzer(t *testing.T) {
	w := NewWebAnalyzer(openAnalyzer(t), nil, DefaultConfig())
	for _, c := range []struct {
		why, status, typ, body string
		analyse                bool
		judgeable              bool
		judged                 bool
		valid                  uint8
	}{
		{"a Czech page is valid for the first profile only", "200 OK", "text/html", czech, true, true, true, 1},
		{"systems.md case 26: plain text is judged", "200 OK", "text/plain", "Můžete si vybrat z mnoha druhů, které každý den připravujeme přímo v dílně, příště určitě najdete něco jiného.", true, true, true, 1},
		{"an English page is not valid", "200 OK", "text/html", "<html><p>Our company has been making toys for thirty years.", true, true, true, 0},
		{"without the claim it could be judged, and is not (a later claim must know)", "200 OK", "text/html", czech, false, true, false, 0},
		{"systems.md case 24: an error page is never judged", "404 Not Found", "text/html", czech, true, false, false, 0},
		{"systems.md case 7: XHTML is HTML", "200 OK", "application/xhtml+xml", `<?xml version="1.0"?>` + czech, true, true, true, 1},
		{"systems.md case 26: style sheets are not judged", "200 OK", "text/css", "a{}", true, false, false, 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			u := answer(t, "http://a.com/", c.status, "Content-Type: "+c.typ+"; charset=utf-8\r\n", c.body)
			u.Claim.Analyse = c.analyse
			process(t, u, append(all(), w)...)
			if u.Judgeable != c.judgeable || (u.Judged != nil) != c.judged {
				t.Fatalf("judgeable %v, judged %v", u.Judgeable, u.Judged != nil)
			}
			if !c.judged {
				return
			}
			if u.Judged.ValidFor != c.valid {
				t.Errorf("valid for %b, want %b: %s", u.Judged.ValidFor, c.valid, u.Judged.JSON)
			}
			word := map[bool]string{true: "valid:", false: "invalid:"}[c.valid != 0]
			if got := u.Annotations[len(u.Annotations)-1]; !strings.HasPrefix(got, word) {
				t.Errorf("annotation %q", got)
			}
			var vs []analyzer.Verdict
			if err := json.Unmarshal(u.Judged.JSON, &vs); err != nil || len(vs) != 2 || vs[0].Points != u.Judged.Points[0] {
				t.Errorf("%v %s", err, u.Judged.JSON)
			}
		})
	}
}

// An e-mail address may stand in an attribute only: the source must be kept.
func TestWebAnalyzerSeesSource(t *testing.T) {
	u := answer(t, "http://a.com/", "200 OK", "Content-Type: text/html\r\n", `<a href="mailto:info@hracky.cz">mail</a>`)
	u.Claim.Analyse = true
	process(t, u, append(all(), NewWebAnalyzer(openAnalyzer(t), nil, DefaultConfig()))...)
	if !bytes.Contains(u.Judged.JSON, []byte("info@hracky.cz")) {
		t.Errorf("%s", u.Judged.JSON)
	}
}

// The verdict in crawl.log: the best of those that say the same.
func TestAnnotation(t *testing.T) {
	for want, vs := range map[string][]analyzer.Verdict{
		"valid:100":  {{Points: 500}, {Valid: true, Points: 100}, {Valid: true, Points: 90}},
		"invalid:-5": {{Points: -5}},
		"invalid:7":  {{Points: -5}, {Points: 7}},
	} {
		j, err := judgement(vs)
		if err != nil {
			t.Fatal(err)
		}
		if got := crawllog.Verdict(j.Best()); got != want {
			t.Errorf("%+v: %s, want %s", vs, got, want)
		}
	}
}

// Header fields are a stranger's bytes.
func FuzzHeaderFields(f *testing.F) {
	f.Add(`<a>; rel=next, <b>; rel="x\"y"; as`)
	f.Add(`<a>;;rel=,<`)
	f.Add(`0; url='`)
	f.Fuzz(func(t *testing.T, s string) {
		if n := len(linkField(s)); n > maxFieldLinks {
			t.Errorf("%d links", n)
		}
		u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: "http://a.com/"}, HTTPStatus: 200,
			Headers: []crawl.Header{{Name: "Link", Value: s}, {Name: "Refresh", Value: s}}}
		process(t, u, NewHTTP(HTTPConfig{MaxOutlinks: 10}))
	})
}

// TestBases: what links are relative to, as Chromium resolves them.
func TestBases(t *testing.T) {
	for _, c := range []struct {
		why, via, hops, url, typ, body string
		want                           []string
	}{
		{"links are relative to the base element, embeds before it are not, pictures are asked for twice", "", "", "http://a.com/d/p", "text/html",
			`<link rel=stylesheet href=s.css><a href=l.html>x</a><img src=i.png><base href="/x/"><script src=j.js></script><base href="/y/"><img src=k.png>`,
			[]string{"http://a.com/d/s.css", "http://a.com/x/l.html", "http://a.com/d/i.png", "http://a.com/x/i.png", "http://a.com/x/j.js", "http://a.com/x/k.png"}},
		{"a base element that no address can be fetched from leaves the document's own, and later ones do not count (HTML 4.2.3)", "", "", "http://a.com/d/p", "text/html",
			`<base target=x><base href="data:,x"><base href="/y/"><a href=l.html>x</a>`, []string{"http://a.com/d/l.html"}},
		{"an empty one", "", "", "http://a.com/d/p", "text/html", `<base href=""><base href="/y/"><a href=l.html>x</a>`, []string{"http://a.com/d/l.html"}},
		{"one without a server", "", "", "http://a.com/d/p", "text/html", `<base href="http://[x/"><base href="/y/"><a href=l.html>x</a>`, []string{"http://a.com/d/l.html"}},
		{"a srcdoc has a base of its own, beside the one of the page for its pictures (docs/extraction-browser.md), a template none", "", "", "http://a.com/d/p", "text/html",
			`<template><base href="/t/"></template><iframe srcdoc="<img src=a.png><base href='/s/'><img src=b.png>"></iframe><img src=c.png>`,
			[]string{"http://a.com/d/a.png", "http://a.com/s/b.png", "http://a.com/d/b.png", "http://a.com/s/a.png", "http://a.com/d/c.png"}},
		{"so are its scripts and style sheets, which a browser asks for before it has read the base element", "", "", "http://a.com/d/p", "text/html",
			`<iframe srcdoc="<base href='/s/'><script src=a.js></script><link rel=stylesheet href=b.css><a href=c.html>c</a>"></iframe>`,
			[]string{"http://a.com/s/a.js", "http://a.com/d/a.js", "http://a.com/s/b.css", "http://a.com/d/b.css", "http://a.com/s/c.html"}},
		{"strings of a script are relative to its page, imports are not", "http://a.com/d/p", "LE", "http://cdn.com/js/s.js", "text/javascript",
			`import "./m.js"; x = "img/a.png"; location = "go"; new Worker("w.js")`,
			[]string{"http://cdn.com/js/m.js", "http://a.com/d/go", "http://a.com/d/w.js", "http://a.com/d/img/a.png"}},
		{"a script that was redirected, or is a seed, stands for itself", "http://a.com/d/p", "ER", "http://cdn.com/js/s.js", "text/javascript",
			`x = "img/a.png"`, []string{"http://cdn.com/js/img/a.png"}},
		{"what Flash leads to is relative to its page", "http://a.com/d/p", "LE", "http://cdn.com/f/s.swf", "application/x-shockwave-flash",
			"FWS\x09\x00\x00\x00\x00\x00\x00\x0c\x01\x00\x3f\x03\x0f\x00\x00\x00\x83\x0c\x00b.html\x00_top\x00", []string{"http://a.com/d/b.html"}},
		{"pictures of WebVTT are relative to it, not to the page", "http://a.com/d/p", "LE", "http://cdn.com/v/t.vtt", "text/vtt",
			"WEBVTT\n\n00:00.000 --> 00:01.000\na.jpg#xywh=0,0,1,1\n", []string{"http://cdn.com/v/a.jpg"}},
		{"xml:base is the only base of what is in its element, pictures too", "", "", "http://a.com/d/p", "application/atom+xml",
			`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://b.com/a/"><entry xml:base="e/"><content type="html">&lt;img src="c.png"></content></entry><logo>l.png</logo></feed>`,
			[]string{"http://b.com/a/e/c.png", "http://b.com/a/l.png"}},
	} {
		u := answer(t, c.url, "200 OK", "Content-Type: "+c.typ+"\r\n", c.body)
		u.Via, u.Hops = c.via, c.hops
		process(t, u, NewMarkup(DefaultConfig(), markup.HTML, markup.JS, markup.XML, markup.SWF, markup.VTT))
		var got []string
		for _, o := range u.Outlinks {
			got = append(got, o.URL.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q, want\n%q", c.why, got, c.want)
		}
	}
}
