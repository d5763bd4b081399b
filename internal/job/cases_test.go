package job_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/analyzer"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/job"
	"exclave/internal/robots"
	"exclave/internal/testweb"
	"exclave/warc"
)

// The pages of the webs below, by their shortest names. A path is on site.
const site = "http://a.com"

func full(path string) string {
	if strings.HasPrefix(path, "/") {
		return site + path
	}
	return path
}

// list reads a space-separated list of paths and URLs.
func list(s string) []string {
	var out []string
	for _, f := range strings.Fields(s) {
		out = append(out, full(f))
	}
	slices.Sort(out)
	return out
}

type pages = map[string]testweb.Page

func tiny(p pages) testweb.Tiny {
	t := testweb.Tiny{}
	for path, page := range p {
		t[full(path)] = page
	}
	return t
}

// archivingCase is a row of the design's table of cases (System 1, §1.3).
type archivingCase struct {
	name   string
	depth  int32
	change func(*config.Config)
	web    pages
	runs   []string // seeds added before each run

	archived, valid string // exactly these
	// Of the pages of the web, these are asked for so often; all others once.
	never, twice string
	more         func(t *testing.T, j *testJob, h *harvest)
}

func (c archivingCase) test(t *testing.T) {
	t.Parallel()
	web := tiny(c.web)
	j := newJob(t, web, func(cfg *config.Config) {
		cfg.Analysis.Depth = c.depth
		if c.change != nil {
			c.change(cfg)
		}
	})
	var h *harvest
	for _, seeds := range c.runs {
		h = j.run(job.Options{}, list(seeds)...)
	}
	if got, want := h.archived(), list(c.archived); !slices.Equal(got, want) {
		t.Errorf("archived %v\nwant     %v", got, want)
	}
	if got, want := h.valid(), list(c.valid); !slices.Equal(got, want) {
		t.Errorf("valid %v\nwant  %v", got, want)
	}
	never, twice := list(c.never), list(c.twice)
	for _, url := range slices.Sorted(maps.Keys(web)) {
		want := 1
		switch {
		case slices.Contains(never, url):
			want = 0
		case slices.Contains(twice, url):
			want = 2
		}
		if h.hits[url] != want {
			t.Errorf("%s was asked for %d times, want %d", url, h.hits[url], want)
		}
	}
	for _, url := range list(c.archived) {
		want := 1
		if strings.HasSuffix(url, "/robots.txt") {
			want = 2 // as prerequisite and as page
		}
		if n := len(h.of(warc.TypeResponse, url)); n != want {
			t.Errorf("%s has %d response records, want %d", url, n, want)
		}
	}
	if c.more != nil {
		c.more(t, j, h)
	}
}

func national(links ...string) testweb.Page { return testweb.National(links...) }
func foreign(links ...string) testweb.Page  { return testweb.Foreign(links...) }
func img(n int) testweb.Page                { return testweb.Image(n) }

// thesis leaves links of flagged pages unjudged, so that L comes without A.
func thesis(c *config.Config) { c.Crawl.AnalyseLinked = false }

func TestCases(t *testing.T) {
	for _, c := range slices.Concat(casesOfDepth(), casesOfTypes(), casesOfRedirects(), casesOfOrder(), casesOfWays(), casesOfScope()) {
		t.Run(c.name, c.test)
	}
}

func casesOfDepth() []archivingCase {
	xhtml := `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>
<p>nothing</p><a href="/2">more</a><img src="/x.png"/></body></html>`
	return []archivingCase{
		{ // valid_uri 2: L1 and L0 are archived, the third page is B, the image on the second is archived.
			name: "01 depth runs out", depth: 2, runs: []string{"/v"},
			web: pages{"/v": national("/1"), "/1": foreign("/2"), "/2": foreign("/3", testweb.Img("/2.png")),
				"/3": foreign(testweb.Img("/3.png")), "/2.png": img(2), "/3.png": img(3)},
			archived: "/v /1 /2 /2.png", valid: "/v", never: "/3.png",
		},
		{ // valid_uri 0, link to HTML: B+A, archived only when valid itself.
			name: "02 link at depth 0 is judged", runs: []string{"/v"},
			web:      pages{"/v": national("/n", "/f"), "/n": testweb.NationalPage(1), "/f": foreign()},
			archived: "/v /n", valid: "/v /n",
		},
		{ // valid_link 0, national HTML: B+A; valid, so depth D counts anew from it.
			name: "03 national page after the last depth", depth: 1, runs: []string{"/v"},
			web: pages{"/v": national("/1"), "/1": foreign("/n"), "/n": testweb.NationalPage(1, "/2"),
				"/2": foreign("/3"), "/3": foreign()},
			archived: "/v /1 /n /2", valid: "/v /n",
		},
		{ // valid_link x that is national itself: judged, e = max(x, D).
			name: "04 national page within the depth", depth: 2, runs: []string{"/v"},
			web: pages{"/v": national("/n"), "/n": testweb.NationalPage(1, "/1"), "/1": foreign("/2"),
				"/2": foreign("/3"), "/3": foreign()},
			archived: "/v /n /1 /2", valid: "/v /n",
		},
		{ // No flag, invalid: its links are ordinary candidates (A only), its embeds are not asked for.
			name: "05 links of an invalid page", runs: []string{"/f"},
			web: pages{"/f": foreign("/g", "/n", "/doc.pdf", testweb.Img("/f.png")), "/g": testweb.ForeignPage(1),
				"/n": national(), "/doc.pdf": testweb.PDF("x"), "/f.png": img(1)},
			archived: "/n", valid: "/n", never: "/f.png",
		},
		{ // valid_uri 0, <a href> to jpg, pdf, zip, mp4: B, archived like an embed.
			name: "06 linked files", runs: []string{"/v"},
			web: pages{"/v": national("/i.png", "/d.pdf", "/z.zip", "/m.mp4"), "/i.png": img(1), "/d.pdf": testweb.PDF("x"),
				"/z.zip": testweb.Page{Body: "PK\x03\x04rest"}.With("Content-Type", "application/zip"),
				"/m.mp4": testweb.Page{Body: string(testweb.MP4(2000))}.With("Content-Type", "video/mp4")},
			archived: "/v /i.png /d.pdf /z.zip /m.mp4", valid: "/v",
		},
		{ // The same at depth 0 with a size limit: what is longer is cut, and says so.
			name: "06 linked file over the limit", runs: []string{"/v"}, change: func(c *config.Config) { c.HTTP.MaxSize = 20_000 },
			web: pages{"/v": national("/m.mp4"),
				"/m.mp4": testweb.Page{Body: string(testweb.MP4(90_000))}.With("Content-Type", "video/mp4")},
			archived: "/v /m.mp4", valid: "/v",
			more: func(t *testing.T, _ *testJob, h *harvest) {
				if r := h.of(warc.TypeResponse, site+"/m.mp4"); r[0].header.Get("WARC-Truncated") != "length" {
					t.Errorf("WARC-Truncated of the long file is %q", r[0].header.Get("WARC-Truncated"))
				}
			},
		},
		{ // valid_uri 0, XHTML page: is HTML, as case 2; as a link at depth 1 it is archived.
			name: "07 XHTML is HTML", runs: []string{"/v"},
			web: pages{"/v": national("/x"), "/x": testweb.Page{Body: xhtml}.With("Content-Type", "application/xhtml+xml"),
				"/2": foreign(), "/x.png": img(1)},
			archived: "/v", valid: "/v", never: "/x.png",
		},
	}
}

// czechText is plain text that the Czech profile finds valid.
func czechText() testweb.Page {
	return testweb.Text("Veškeré příspěvky čtenářů zveřejňujeme neprodleně. Děkujeme za váš zájem, těšíme se příště. " +
		"Napište na info@firma.cz. Každý měsíc přinášíme přehled událostí, které jste možná přehlédli. Předplatné si můžete objednat.\n")
}

func casesOfTypes() []archivingCase {
	types := func(list string) func(*config.Config) {
		return func(c *config.Config) {
			c.Analysis.Profiles = []string{writeProfile(c.Dir, "cz", `depth = 1`, "depth = 1\njudged_types = ["+list+"]")}
		}
	}
	czech := czechText()
	return []archivingCase{
		{ // Servers lie: HTML declared octet-stream, CSS declared text/plain with rel=stylesheet.
			name: "08 sniffed types", runs: []string{"/v"},
			web: pages{"/v": national("/h", testweb.Stylesheet("/c")),
				"/h":     foreign(testweb.Img("/h.png")).With("Content-Type", "application/octet-stream"),
				"/c":     testweb.CSS("/c.png").With("Content-Type", "text/plain"),
				"/c.png": img(1), "/h.png": img(2)},
			archived: "/v /c /c.png", valid: "/v", never: "/h.png",
		},
		{ // CSS → image, font; CSS → @import CSS → image.
			name: "09 style sheets", runs: []string{"/v"},
			web: pages{"/v": national(testweb.Stylesheet("/1.css")), "/1.css": testweb.CSS("/2.css", "/1.png", "/f.woff2"),
				"/2.css": testweb.CSS("/2.png"), "/1.png": img(1), "/2.png": img(2),
				"/f.woff2": testweb.Page{Body: "wOF2\x00\x01\x00\x00rest"}.With("Content-Type", "font/woff2")},
			archived: "/v /1.css /2.css /1.png /2.png /f.woff2", valid: "/v",
		},
		{ // The scope lets embeds into the excluded domain, max transclusion hops deep.
			name: "09 style sheets of an excluded domain", runs: []string{"/v"},
			web: pages{"/v": national(testweb.Stylesheet("http://s.cz/1.css")), "http://s.cz/1.css": testweb.CSS("/2.css"),
				"http://s.cz/2.css": testweb.CSS("/2.png"), "http://s.cz/2.png": img(2)},
			archived: "/v http://s.cz/1.css http://s.cz/2.css", valid: "/v", never: "http://s.cz/2.png",
			more: wantRefused("http://s.cz/2.png", "hosts"),
		},
		{ // valid_uri 1: CSS (L0) → image: a container never lowers e below 0.
			name: "10 style sheet at depth 1", depth: 1, runs: []string{"/v"},
			web: pages{"/v": national(testweb.Stylesheet("/1.css")), "/1.css": testweb.CSS("/2.css", "/1.png"),
				"/2.css": testweb.CSS("/2.png"), "/1.png": img(1), "/2.png": img(2)},
			archived: "/v /1.css /2.css /1.png /2.png", valid: "/v",
		},
		{ // JS, SVG, m3u8: the file is archived and its embeds get B; a string that looks like an address does not.
			name: "11 containers", runs: []string{"/v"},
			web: pages{"/v": national(testweb.Script("/a.js"), testweb.Img("/a.svg"), "/a.m3u8"),
				"/a.js":   testweb.JS("import \"/b.js\";\nvar pic = \"/guess.png\";\n"),
				"/b.js":   testweb.JS("export default 1;\n"),
				"/a.svg":  testweb.SVG("/in.png"),
				"/a.m3u8": testweb.M3U8("/seg1.ts"),
				"/in.png": img(1), "/guess.png": img(2),
				"/seg1.ts": testweb.Page{Body: strings.Repeat("\x47"+strings.Repeat("\x00", 187), 4)}.With("Content-Type", "video/mp2t")},
			archived: "/v /a.js /b.js /a.svg /a.m3u8 /in.png /seg1.ts", valid: "/v", // the guess has A only, as every link of a flagged page
		},
		{ // A PDF is archived; its links are candidates only (A).
			name: "12 PDF", runs: []string{"/v"},
			web: pages{"/v": national("/d.pdf"), "/d.pdf": testweb.PDF("x", site+"/n", site+"/i.png"),
				"/n": testweb.NationalPage(1), "/i.png": img(1)},
			archived: "/v /d.pdf /n", valid: "/v /n",
		},
		{ // Frames take L = x without using depth up, at most max transclusion hops.
			name: "13 frames", depth: 1, runs: []string{"/v"},
			web: pages{"/v": national(testweb.IFrame("/1")), "/1": foreign(testweb.IFrame("/2"), "/l1"),
				"/2": foreign(testweb.Object("/3")), "/3": foreign(testweb.IFrame("/4"), "/l3"), "/4": foreign("/5"),
				"/5": foreign(), "/l1": foreign("/m"), "/m": foreign(), "/l3": foreign()},
			// /3 is three hops deep: an ordinary link of /2 (L1 → L0).
			archived: "/v /1 /l1 /2 /3", valid: "/v",
		},
		{ // 4xx and 5xx with text are never judged; B archives them only when they are not HTML.
			name: "24 errors under B", runs: []string{"/v"},
			web: pages{"/v": national("/404.html", "/500.html", "/404.txt"), "/404.html": testweb.NationalPage(1).WithStatus(404),
				"/500.html": testweb.NationalPage(2).WithStatus(500), "/404.txt": testweb.NotFound()},
			archived: "/v /404.txt", valid: "/v",
		},
		{ // L archives an error as it is.
			name: "24 errors under L", depth: 1, runs: []string{"/v"},
			web: pages{"/v": national("/404.html", "/500.html"), "/404.html": testweb.NationalPage(1, "/x").WithStatus(404),
				"/500.html": testweb.NationalPage(2).WithStatus(500), "/x": foreign()},
			archived: "/v /404.html /500.html", valid: "/v", never: "/x",
		},
		{ // What is not of a judged type is not judged: by default HTML, XHTML and plain text are.
			name: "26 judged types", runs: []string{"/t.txt /s.css /s.js /s.json /s.xml"},
			web: pages{"/t.txt": czech, "/s.css": testweb.Text("/* "+czech.Body+" */\nbody { margin: 0 }\n").With("Content-Type", "text/css"),
				"/s.js":   testweb.JS("// " + czech.Body + "var a = 1;\n"),
				"/s.json": testweb.Text(`{"a":"`+strings.TrimSpace(czech.Body)+`"}`).With("Content-Type", "application/json"),
				"/s.xml":  testweb.Text(`<?xml version="1.0"?><a>`+czech.Body+`</a>`).With("Content-Type", "application/xml")},
			archived: "/t.txt", valid: "/t.txt",
		},
		{ // Judged types are a setting of the profile.
			name: "26 judged types set", runs: []string{"/t.txt /s.xml"}, change: types(`"application/xml"`),
			web: pages{"/t.txt": czech,
				"/s.xml": testweb.Text(`<?xml version="1.0"?><a>`+czech.Body+`</a>`).With("Content-Type", "application/xml")},
			archived: "/s.xml", valid: "/s.xml",
		},
	}
}

func casesOfRedirects() []archivingCase {
	to := func(where string) testweb.Page { return testweb.Redirect(301, where) }
	return []archivingCase{
		{ // A seed that redirects to a valid page is archived afterwards, through all hops, and passes nothing on.
			name: "14 redirects to a valid page", runs: []string{"/r1"},
			web:      pages{"/r1": to("/r2"), "/r2": testweb.Redirect(302, "/v"), "/v": national("/f"), "/f": foreign()},
			archived: "/r1 /r2 /v", valid: "/v", twice: "/r1 /r2",
		},
		{ // The same when the page was judged before anything redirected to it.
			name: "14 redirect found later", runs: []string{"/v", "/r"},
			web:      pages{"/r": to("/v"), "/v": national()},
			archived: "/r /v", valid: "/v", twice: "/r",
		},
		{ // A redirect to an invalid page stays out.
			name: "14 redirect to an invalid page", runs: []string{"/r"},
			web: pages{"/r": to("/f"), "/f": foreign()},
		},
		{ // valid_link x, 301 → HTML: archived, the target has the same claims.
			name: "15 redirect within the depth", depth: 2, runs: []string{"/v"},
			web: pages{"/v": national("/r"), "/r": to("/1"), "/1": foreign("/2"), "/2": foreign("/3"), "/3": foreign()},
			// /1 has L1 as the redirect had, /2 L0.
			archived: "/v /r /1 /2", valid: "/v",
		},
		{ // B, 302 with an HTML body → image: both archived.
			name: "16 redirect to an image", runs: []string{"/v"},
			web:      pages{"/v": national(testweb.Img("/r")), "/r": testweb.Redirect(302, "/i.png"), "/i.png": img(1)},
			archived: "/v /r /i.png", valid: "/v",
		},
		{ // B, 302 → HTML: the redirect is archived, its target B+A: judged, not archived.
			name: "17 redirect to a page", runs: []string{"/v"},
			web:      pages{"/v": national("/r", "/q"), "/r": testweb.Redirect(302, "/f"), "/f": foreign(), "/q": testweb.Redirect(302, "/n"), "/n": testweb.NationalPage(1)},
			archived: "/v /r /q /n", valid: "/v /n",
		},
	}
}

func casesOfOrder() []archivingCase {
	return []archivingCase{
		{ // A, invalid, done; later L1: fetched again, archived, its links get L0.
			name: "18 invalid page claimed later", depth: 2, runs: []string{"/p", "/v"},
			web: pages{"/p": foreign("/q", testweb.Img("/p.png")), "/q": foreign("/s"), "/s": foreign(),
				"/p.png": img(1), "/v": national("/p")},
			archived: "/v /p /q /p.png", valid: "/v", twice: "/p /q",
		},
		{ // A, valid, D = 2; later L1: nothing changes.
			name: "19 valid page claimed for less", depth: 2, runs: []string{"/n", "/v"},
			web: pages{"/n": testweb.NationalPage(1, "/1"), "/1": foreign("/2"), "/2": foreign("/3"), "/3": foreign(),
				"/v": national("/n")},
			archived: "/v /n /1 /2", valid: "/v /n",
		},
		{ // B, HTML, not archived; later A: fetched again and judged.
			name: "20 page under B claimed by A", change: thesis, runs: []string{"/v", "/f"},
			web:      pages{"/v": national("/p"), "/p": testweb.NationalPage(1), "/f": foreign("/p")},
			archived: "/v /p", valid: "/v /p", twice: "/p",
		},
		{ // B, HTML, not archived; later L0 (of a frame): fetched again and archived.
			name: "20 page under B claimed by L0", change: thesis, runs: []string{"/v", "/w"},
			web:      pages{"/v": national("/p"), "/p": foreign(), "/w": testweb.NationalPage(1, testweb.IFrame("/p"))},
			archived: "/v /w /p", valid: "/v /w", twice: "/p",
		},
		{ // B, image, archived; later A, then L: no second request, no second record.
			name: "21 archived image claimed later", depth: 1, change: thesis, runs: []string{"/v", "/f", "/w"},
			web: pages{"/v": national("/1"), "/1": foreign(testweb.Img("/i.png")), "/i.png": img(1), "/f": foreign("/i.png"),
				"/w": testweb.NationalPage(1, testweb.Img("/i.png"))},
			archived: "/v /1 /i.png /w", valid: "/v /w",
		},
		{ // L0, archived; later L2: its links get L1, recursively, without a second request for what is archived.
			name: "22 archived page claimed for more", depth: 3, change: thesis, runs: []string{"/v", "/w"},
			web: pages{"/v": national("/1"), "/1": foreign("/2"), "/2": foreign("/p"), "/p": foreign("/q", testweb.Img("/p.png")),
				"/q": foreign("/r"), "/r": foreign("/s"), "/s": foreign(), "/p.png": img(1), "/w": testweb.NationalPage(1, "/p")},
			archived: "/v /1 /2 /p /p.png /w /q /r", valid: "/v /w", twice: "/q /r",
		},
		{ // valid_uri 2 → B → A: the cycle ends, e of A stays 2.
			name: "23 cycle", depth: 2, runs: []string{"/a"},
			web:      pages{"/a": national("/b"), "/b": foreign("/a", "/c"), "/c": foreign("/b", "/d"), "/d": foreign("/a")},
			archived: "/a /b /c", valid: "/a",
		},
		{ // A PDF under B comes to stand in a frame (L0): its links get B, without a second request for it.
			name: "22 archived PDF claimed at depth 0", change: thesis, runs: []string{"/v", "/w"},
			web: pages{"/v": national("/d.pdf"), "/d.pdf": testweb.PDF("x", site+"/i.png"), "/i.png": img(1),
				"/w": testweb.NationalPage(1, testweb.Object("/d.pdf"))},
			archived: "/v /w /d.pdf /i.png", valid: "/v /w", twice: "/i.png",
		},
	}
}

// casesOfWays: a URI is reached in further ways when it is finished (ADR 35).
func casesOfWays() []archivingCase {
	// Sheets whose type only the link that loads them tells.
	sheet := func(refs ...string) testweb.Page { return testweb.CSS(refs...).With("Content-Type", "text/plain") }
	script := testweb.JS("import \"/j.js\";\n").With("Content-Type", "application/octet-stream")
	return []archivingCase{
		{ // A frame of an excluded domain is let in when a page nearer to its page is found later; both are asked for once.
			name: "13 frame with a shorter way later", runs: []string{"/v", "/w"},
			web: pages{"/v": national(testweb.IFrame("/1")), "/1": foreign(testweb.IFrame("/2")),
				"/2": foreign(testweb.IFrame("http://s.cz/3")), "http://s.cz/3": foreign(testweb.Img("/3.png")),
				"http://s.cz/3.png": img(3), "/w": national(testweb.IFrame("/2"))},
			archived: "/v /1 /2 /w http://s.cz/3", valid: "/v /w", never: "http://s.cz/3.png",
		},
		{ // The same when the frame becomes a page that is navigated to.
			name: "13 frame that is a page later", depth: 1, runs: []string{"/v", "/w"},
			web: pages{"/v": national(testweb.IFrame("/1")), "/1": foreign(testweb.IFrame("/2")),
				"/2": foreign(testweb.IFrame("http://s.cz/3")), "http://s.cz/3": foreign(testweb.Img("/3.png")),
				"http://s.cz/3.png": img(3), "/w": national("/2")},
			archived: "/v /1 /2 /w http://s.cz/3 http://s.cz/3.png", valid: "/v /w",
		},
		{ // The shorter way goes on through frames that were finished: each is read again.
			name: "13 chain of frames with a shorter way later", runs: []string{"/v", "/w"},
			web: pages{"/v": national(testweb.IFrame("/1")), "/1": foreign(testweb.IFrame("/2")),
				"/2": foreign(testweb.Img("/r")), "/r": testweb.Redirect(302, "/3.svg"), "/3.svg": testweb.SVG("http://s.cz/3.png"),
				"http://s.cz/3.png": img(3), "/w": national("/1", testweb.IFrame("/r"))},
			archived: "/v /1 /2 /r /3.svg /w http://s.cz/3.png", valid: "/v /w",
		},
		{ // A style sheet declared text/plain is found by <a> first.
			name: "08 style sheet found by a link first", runs: []string{"/v", "/w"},
			web: pages{"/v": national("/c"), "/c": sheet("/c.png"), "/c.png": img(1),
				"/w": national(testweb.Stylesheet("/c"))},
			archived: "/v /w /c /c.png", valid: "/v /w",
		},
		{ // The same with a script, declared octet-stream.
			name: "08 script found by a link first", runs: []string{"/v", "/w"},
			web:      pages{"/v": national("/c"), "/c": script, "/j.js": testweb.JS("x"), "/w": national(testweb.Script("/c"))},
			archived: "/v /w /c /j.js", valid: "/v /w",
		},
		{ // What a link expects of a redirect, its target is: when the redirect is archived, and when nobody archives it.
			name: "08 style sheet behind a redirect", runs: []string{"/v", "/w"},
			web: pages{"/v": national("/c", "/r"), "/r": testweb.Redirect(302, "/c"), "/c": sheet("/c.png"), "/c.png": img(1),
				"/w": national(testweb.Stylesheet("/r"))},
			archived: "/v /w /r /c /c.png", valid: "/v /w",
		},
		{
			name: "08 style sheet behind a redirect that is not archived", runs: []string{"/f", "/g"},
			change: func(c *config.Config) { c.Crawl.FetchUnclaimedEmbeds = true },
			web: pages{"/f": foreign("/r"), "/r": testweb.Redirect(302, "/c"), "/c": sheet("/c.png"), "/c.png": img(1),
				"/g": foreign(testweb.Stylesheet("/r"))},
			twice: "/c",
		},
		{ // Declared text/html without a tag: not archived under B, until it is a style sheet.
			name: "08 style sheet declared text/html", runs: []string{"/v", "/w"},
			web: pages{"/v": national("/c"), "/c": testweb.CSS("/c.png").With("Content-Type", "text/html"), "/c.png": img(1),
				"/w": national(testweb.Stylesheet("/c"))},
			archived: "/v /w /c /c.png", valid: "/v /w", twice: "/c",
		},
		{ // Plain text that is loaded as a style sheet is judged as what it is by itself.
			name: "08 text that is loaded as a style sheet", runs: []string{"/v"},
			web:      pages{"/v": national(testweb.Stylesheet("/t")), "/t": czechText()},
			archived: "/v /t", valid: "/v /t",
		},
		{ // The frames of a valid page are counted from it, however it was reached.
			name: "13 valid page in a frame", runs: []string{"/f"},
			web: pages{"/f": foreign(testweb.IFrame("/1")), "/1": foreign(testweb.IFrame("/2")), "/2": foreign(testweb.IFrame("/n")),
				"/n": national(testweb.Img("http://s.cz/n.png")), "http://s.cz/n.png": img(1)},
			archived: "/n http://s.cz/n.png", valid: "/n",
		},
	}
}

func casesOfScope() []archivingCase {
	robotsTxt := testweb.Text("User-agent: *\nDisallow: /no/\n")
	return []archivingCase{
		{ // The first page of a host that is archived is its robots.txt: it is in the capture twice, as prerequisite and as page.
			name: "25 robots.txt is the first page of its host", runs: []string{"/v"},
			web:      pages{"http://b.com/robots.txt": robotsTxt, "/v": national("http://b.com/robots.txt", "dns:b.com", "dns:/robots.txt")},
			archived: "/v http://b.com/robots.txt", valid: "/v", twice: "http://b.com/robots.txt",
		},
		{ // dns: and robots.txt as prerequisites have no claim and are not judged; linked by <a> robots.txt is a URI like any.
			name: "25 prerequisites", runs: []string{"/v"},
			web:      pages{"/robots.txt": robotsTxt, "/v": national("/robots.txt")},
			archived: "/v /robots.txt", valid: "/v", twice: "/robots.txt",
			more: func(t *testing.T, _ *testJob, h *harvest) {
				if o := h.outcomes[crawl.RobotsKey(site)]; o.Archived || o.Judged || o.Judgeable {
					t.Errorf("robots.txt as prerequisite: %+v", o)
				}
				if o := h.outcomes[site+"/robots.txt"]; !o.Judged {
					t.Errorf("robots.txt as page: %+v", o)
				}
			},
		},
		{ // valid_uri on .com, image and CSS on .cz: embeds are let in, navigation is not.
			name: "27 excluded domain", runs: []string{"/v"},
			web: pages{"/v": national(testweb.Img("http://s.cz/i.png"), testweb.Stylesheet("http://s.cz/1.css"), "http://s.cz/"),
				"http://s.cz/i.png": img(1), "http://s.cz/1.css": testweb.CSS("http://s.cz/c.png"), "http://s.cz/c.png": img(2),
				"http://s.cz/": testweb.NationalPage(1)},
			archived: "/v http://s.cz/i.png http://s.cz/1.css http://s.cz/c.png", valid: "/v", never: "http://s.cz/",
			more: wantRefused("http://s.cz/", "hosts"),
		},
		{ // Scope wins over depth, and is logged.
			name: "28 too many hops", depth: 5, runs: []string{"/v"},
			change: func(c *config.Config) {
				for i := range c.Scope {
					if c.Scope[i].Rule == "too-many-hops" {
						*c.Scope[i].Max = 2
					}
				}
			},
			web:      pages{"/v": national("/1"), "/1": foreign("/2"), "/2": foreign("/3"), "/3": foreign()},
			archived: "/v /1 /2", valid: "/v", never: "/3",
			more: wantRefused(site+"/3", "too-many-hops"),
		},
		{ // An image that robots.txt forbids ends with -9998, and a later claim does not override it.
			name: "29 forbidden image", depth: 1, runs: []string{"/v", "/w"},
			web: pages{"/robots.txt": robotsTxt, "/v": national(testweb.Img("/no/i.png")), "/no/i.png": img(1),
				"/w": testweb.NationalPage(1, "/no/i.png", testweb.IFrame("/no/i.png"))},
			archived: "/v /w", valid: "/v /w", never: "/no/i.png",
			more: func(t *testing.T, _ *testJob, h *harvest) {
				if o := h.outcomes[site+"/no/i.png"]; o.Status != crawl.StatusRobots {
					t.Errorf("status %d, want %d", o.Status, crawl.StatusRobots)
				}
			},
		},
		{ // Only the robots policy overrides robots.txt.
			name: "29 forbidden image, robots.txt ignored", runs: []string{"/v"},
			change:   func(c *config.Config) { c.Robots.Policy = robots.Ignore },
			web:      pages{"/robots.txt": robotsTxt, "/v": national(testweb.Img("/no/i.png")), "/no/i.png": img(1)},
			archived: "/v /no/i.png", valid: "/v", never: "/robots.txt",
		},
	}
}

// wantRefused demands a line of out-of-scope.jsonl.
func wantRefused(url, rule string) func(*testing.T, *testJob, *harvest) {
	return func(t *testing.T, j *testJob, _ *harvest) {
		for _, l := range j.log(crawl.LogScope) {
			if strings.Contains(l, `"url":"`+url+`"`) && strings.Contains(l, `"rule":"`+rule+`"`) {
				return
			}
		}
		t.Errorf("out-of-scope.jsonl does not say that %s was refused by %s:\n%s", url, rule, strings.Join(j.log(crawl.LogScope), "\n"))
	}
}

// writeProfile puts a changed built-in profile into a folder and returns its path.
func writeProfile(dir, name string, oldNew ...string) string {
	src, err := analyzer.BuiltinSource(name)
	if err != nil {
		panic(err) // names are constants of the tests
	}
	path := filepath.Join(dir, name+"-"+"test.toml")
	if err := os.WriteFile(path, []byte(strings.NewReplacer(oldNew...).Replace(string(src))), 0o644); err != nil {
		panic(err)
	}
	return path
}
