package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io/fs"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"exclave/internal/testweb"
	"exclave/internal/testweb/benchweb"
	"exclave/internal/testweb/demoweb"
)

//go:embed pages.txt
var constructs string

// page is a document to be shown.
type page struct {
	group int // of groups
	name  string
	url   string
}

// The groups that are counted for themselves.
const (
	ofConstructs = iota
	ofFolders
	ofWARC
	ofDemo
	ofBench
	groupCount
)

var groups = [groupCount]string{"constructs", "whole pages", "pages of WARC files", "web of the demo", "web of the benchmarks"}

// corpus is a web and the pages of it that are shown.
type corpus struct {
	web   testweb.Web
	pages []page
	close func() error
}

// benchPages is how many pages of the benchmarks' web are shown: they are all made of the same parts.
const benchPages = 40

// collect makes a web of the constructs, pages behind lines of "### " and their name, the .html files and the WARC files below folders, the demo's web and one of the benchmarks. Of
// hosts that several have the first answers.
func collect(constructs string, folders []string) (corpus, error) {
	var c corpus
	webs, others, files := []testweb.Web{testweb.Hosts{}}, map[string]bool{}, map[string]string{}
	for i, part := range strings.Split("\n"+constructs, "\n### ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		host := fmt.Sprintf("c%d.construct.test", i)
		body = strings.ReplaceAll(body, "/construct.test", "/"+host) // a page that names itself
		webs[0].(testweb.Hosts)[host] = construct("<!DOCTYPE html>" + body)
		_, own := filesOf(body)
		there := servedBy(body)
		if there == nil {
			there = map[string]bool{}
		}
		for at, text := range own {
			if _, has := files[at]; !has {
				files[at] = text
			}
			there[at] = true
		}
		for at := range there {
			if other, _, _ := strings.Cut(at, "/"); other != "" {
				others[at] = true
				webs[0].(testweb.Hosts)[other] = elsewhere(other, others, files)
			}
		}
		c.pages = append(c.pages, page{ofConstructs, name, "http://" + host + "/page/"})
	}
	var archives []string
	for i, dir := range folders {
		origin := fmt.Sprintf("http://folder%d.test", i)
		files := map[string]string{}
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			rel, err := filepath.Rel(dir, file)
			if err != nil {
				return err
			}
			if strings.HasSuffix(file, ".warc") || strings.HasSuffix(file, ".warc.gz") {
				archives = append(archives, file)
				return nil
			}
			target := origin + (&url.URL{Path: "/" + filepath.ToSlash(rel)}).EscapedPath()
			files[target] = file
			if strings.HasSuffix(file, ".html") || strings.HasSuffix(file, ".htm") {
				c.pages = append(c.pages, page{ofFolders, filepath.Base(dir) + "/" + filepath.ToSlash(rel), target})
			}
			return nil
		})
		if err != nil {
			return c, err
		}
		web, err := testweb.FromFiles(files)
		if err != nil {
			return c, err
		}
		webs = append(webs, web)
	}
	for _, file := range archives {
		web, err := testweb.FromWARC(file)
		if err != nil {
			log.Printf("left out: %v", err) // damaged on purpose
			continue
		}
		for _, t := range web.Truth() {
			u, err := url.Parse(t.URL)
			if err != nil || t.Status != http.StatusOK || !strings.HasPrefix(strings.ToLower(t.Type), "text/html") || testweb.Join(webs...).Host(u.Hostname()) != nil {
				continue
			}
			c.pages = append(c.pages, page{ofWARC, filepath.Base(file) + " " + t.URL, t.URL})
		}
		webs = append(webs, web)
	}
	for _, e := range demoweb.Expected(1) {
		if e.Verdict != demoweb.Unjudged {
			c.pages = append(c.pages, page{ofDemo, e.URL, e.URL})
		}
	}
	webs = append(webs, demoweb.Web())
	bench, err := c.bench()
	if err != nil {
		return c, err
	}
	c.web = testweb.Join(append(webs, bench)...)
	return c, nil
}

// bench starts a web of the benchmarks, takes pages of it, and makes of it one that can be joined with others.
func (c *corpus) bench() (testweb.Web, error) {
	p := benchweb.DefaultParams()
	p.Hosts, p.Resources, p.TLS = 10, 2000, 0
	web, err := benchweb.New(p)
	if err != nil {
		return nil, err
	}
	server, err := benchweb.Start(web)
	if err != nil {
		return nil, err
	}
	c.close = server.Close
	hosts := map[string]bool{}
	taken := 0
	for id := range p.Resources {
		r := web.Resource(id)
		u, err := url.Parse(r.URL)
		if err != nil {
			return nil, err
		}
		hosts[u.Hostname()] = true
		if r.Kind == benchweb.HTML && r.Status == http.StatusOK && id*benchPages/p.Resources >= taken {
			taken++
			c.pages = append(c.pages, page{ofBench, r.URL, r.URL})
		}
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", server.HTTPAddr(), r.In.Host
	}}
	return testweb.Func(func(name string) http.Handler {
		if !hosts[name] {
			return nil
		}
		return proxy
	}), nil
}

// inConstructs are what constructs refer to that has links of its own, by base name.
var inConstructs = map[string]string{
	"a.css": "body{background:url(from-a.png)}", "i1.css": "@import 'deep.css';", "deep.css": "p{background:url(deep.png)}", "ext.js": `new Image().src="from-ext.png"`,
	"main.mjs": `import "./second.mjs"`, "frame.html": "<img src=in-frame.png>", "left.html": "<img src=in-left.png>", "dw.css": "img{border-image:url(in-dw.png)}",
	"m.webmanifest": `{"icons":[{"src":"mi.png","sizes":"192x192"}],"start_url":"start.html"}`, "ws.js": `importScripts("imported.js")`, "o.svg": `<svg xmlns="http://www.w3.org/2000/svg"><image href="in-o.png" width="5" height="5"/></svg>`,
	"conf.js": `window.conf={"hero":"img/conf-hero.png","list":[{"u":"/conf/l1.png"}]}`, "data-list.json": `{"items":[{"image":"/dl/1.png"},{"image":"dl2.png"}]}`,
	"feed.xml":   `<?xml version="1.0"?><rss version="2.0"><channel><item><enclosure url="/feed/e.mp3"/></item></channel></rss>`,
	"style.xsl":  `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:import href="sub.xsl"/><xsl:template match="/"><html><body><img src="/in-xsl.png"/></body></html></xsl:template></xsl:stylesheet>`,
	"sub.xsl":    `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"/>`,
	"doc.xml":    `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="style.xsl"?><a/>`,
	"styled.xml": `<?xml version="1.0"?><?xml-stylesheet href="xs.css"?><a>x</a>`, "xs.css": "a{background:url(in-xs.png)}",
}

// ofConstruct is all that inConstructs refer to.
var ofConstruct = func() string {
	var all strings.Builder
	for _, text := range inConstructs {
		all.WriteString(text)
	}
	return all.String()
}()

// types are those of the addresses that constructs refer to.
var types = map[string]string{".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html", ".json": "application/json", ".svg": "image/svg+xml", ".xml": "application/xml", ".xsl": "application/xml",
	".webmanifest": "application/manifest+json", ".png": "image/png", ".gif": "image/gif", ".jpg": "image/jpeg", ".webp": "image/webp", ".avif": "image/avif", ".txt": "text/event-stream", ".vtt": "text/vtt", ".mp3": "audio/mpeg", ".mp4": "video/mp4", ".webm": "video/webm",
	".woff2": "font/woff2", ".m3u8": "application/vnd.apple.mpegurl", ".mpd": "application/dash+xml", ".csv": "text/csv", ".geojson": "application/geo+json", ".ts": "video/mp2t", ".m4s": "video/iso.segment", ".woff": "font/woff", ".ico": "image/x-icon", ".cur": "image/x-icon", ".pdf": "application/pdf", ".wasm": "application/wasm"}

// construct serves a page at every address that ends with a slash, and what it refers to: what has a name with one of types that is in the
// page or in what it refers to. Names that begin with "decoy" are of nothing. A page that says in a comment what is there, as in
// <!-- served: a.png /b?c=d -->, has that and nothing else. What stands behind a line of "#### " and an address is there, too.
func construct(body string) http.Handler {
	body, files := filesOf(body)
	there := servedBy(body)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := path.Base(r.URL.Path)
		typ := types[path.Ext(name)]
		text, own := inConstructs[name]
		file, has := files[r.URL.RequestURI()]
		if !has {
			file, has = files[r.URL.Path]
		}
		switch {
		case r.URL.Path == "/page/":
			text, typ = body, "text/html"
		case has:
			text, typ = file, cmp.Or(typ, typeOf(file))
		case there != nil:
			if !there[r.URL.Path] && !there[r.URL.Path+"?"+r.URL.RawQuery] {
				http.NotFound(w, r)
				return
			}
			text, typ = "", cmp.Or(typ, "text/html")
		case typ == "" || strings.HasPrefix(name, "decoy") || !own && !strings.Contains(body, name) && !strings.Contains(ofConstruct, name):
			http.NotFound(w, r)
			return
		case own || slices.Contains([]string{"text/css", "text/javascript", "text/html", "application/json", "text/event-stream", "text/vtt"}, typ):
		}
		if text == "" && typ == "image/svg+xml" {
			text = `<svg xmlns="http://www.w3.org/2000/svg"/>`
		}
		w.Header().Set("Content-Type", typ)
		_, _ = w.Write([]byte(text)) // the browser is gone
	})
}

// typeOf is what a server says of a text whose address does not tell what it is, as that of a program.
func typeOf(text string) string {
	switch text = strings.TrimSpace(text); {
	case strings.HasPrefix(text, "<?xml"), strings.HasPrefix(text, "<rss"), strings.HasPrefix(text, "<feed"):
		return "application/xml"
	case text == "", strings.HasPrefix(text, "<"):
		return "text/html"
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		return "application/json"
	case styles.MatchString(text):
		return "text/css"
	}
	return "text/javascript"
}

// styles is how a style sheet begins, behind comments.
var styles = regexp.MustCompile(`^(/\*(?s:.*?)\*/\s*)*(@(font-face|import|charset|media)\b|[\w.#*:,> -]+\{\s*[\w-]+\s*:)`)

// filesOf are the files that come with a page, by their paths with the query, and without, behind the host of what is elsewhere.
func filesOf(body string) (page string, files map[string]string) {
	parts := strings.Split(body, "\n#### ")
	files = map[string]string{}
	for _, part := range parts[1:] {
		at, text, _ := strings.Cut(part, "\n")
		if u, err := ofPage.Parse(strings.TrimSpace(at)); err == nil {
			host := elsewhereThan(u.Host)
			files[host+u.RequestURI()] = text
			if _, has := files[host+u.Path]; !has {
				files[host+u.Path] = text
			}
		}
	}
	return parts[0], files
}

// elsewhereThan is a host that is not the page's, or "".
func elsewhereThan(host string) string {
	if strings.HasSuffix(host, ".construct.test") {
		return ""
	}
	return host
}

// ofPage is what constructs are relative to.
var ofPage = &url.URL{Path: "/page/"}

// elsewhere serves what pages say is there of other hosts.
func elsewhere(host string, there map[string]bool, files map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := host + r.URL.Path
		if !there[at] && !there[at+"?"+r.URL.RawQuery] {
			http.NotFound(w, r)
			return
		}
		text, has := files[host+r.URL.RequestURI()]
		if !has {
			text, has = files[at]
		}
		typ := types[path.Ext(r.URL.Path)]
		if has {
			typ = cmp.Or(typ, typeOf(text))
		}
		w.Header().Set("Content-Type", cmp.Or(typ, "text/html"))
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = w.Write([]byte(text)) // the browser is gone
	})
}

// servedBy are the paths, with their queries and the host of what is elsewhere, that a page says are there; nil: it does not say.
func servedBy(body string) map[string]bool {
	_, list, says := strings.Cut(body, "<!-- served:")
	if !says {
		return nil
	}
	list, _, _ = strings.Cut(list, "-->")
	there := map[string]bool{}
	for _, ref := range strings.Fields(list) {
		if u, err := ofPage.Parse(ref); err == nil {
			at := elsewhereThan(u.Host) + u.Path
			if u.RawQuery != "" {
				at += "?" + u.RawQuery
			}
			there[at] = true
		}
	}
	return there
}
