// Command comparebrowser shows pages in Chromium, without scripts and with them, and compares what it asks for with what the extract
// chain finds in them: the page, and transitively in what the browser got.
//
//	go run ./tools/comparebrowser [-chromium PROGRAM] [-misses N] [FOLDER…]
//
// Beside the pages of constructs in pages.txt it takes every .html file below the folders. All is served on 127.0.0.1; the browser reaches
// nothing else. The report is Markdown, on stdout.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"exclave/crawl"
	"exclave/internal/mime"
	"exclave/internal/reading"
	"exclave/internal/record"
	"exclave/internal/urlx"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

//go:embed pages.txt
var constructs string

// page is a document to be shown.
type page struct {
	name, path string
	body       []byte
	dir        string // where what it refers to is, "" of a construct
}

func main() {
	log.SetFlags(0)
	chromium := flag.String("chromium", "chromium", "the browser")
	misses := flag.Int("misses", 200, "how many misses are listed")
	flag.Parse()
	pages, err := collect(flag.Args())
	if err != nil {
		log.Fatal(err)
	}
	if err := compare(pages, *chromium, *misses); err != nil {
		log.Fatal(err)
	}
}

// collect returns the constructs and the files below folders.
func collect(folders []string) (pages []page, err error) {
	for i, part := range strings.Split(constructs, "### ")[1:] {
		name, body, _ := strings.Cut(part, "\n")
		pages = append(pages, page{name: name, path: fmt.Sprintf("/c%d/", i), body: []byte("<!DOCTYPE html>" + body)})
	}
	for _, dir := range folders {
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".html") {
				return err
			}
			body, err := os.ReadFile(file)
			rel, _ := filepath.Rel(dir, file)
			pages = append(pages, page{filepath.Base(dir) + "/" + rel, "/" + filepath.Base(dir) + "/" + filepath.ToSlash(rel), body, dir})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// site serves pages and what they refer to, and knows what was answered.
type site struct {
	pages  map[string]page
	mu     sync.Mutex
	served map[string][]byte // answers that may have links, by path
}

// resources are what constructs refer to that has links of its own, by base name.
func resources() map[string]string {
	return map[string]string{
		"a.css": "body{background:url(from-a.png)}", "i1.css": "@import 'deep.css';", "deep.css": "p{background:url(deep.png)}", "ext.js": `new Image().src="from-ext.png"`,
		"main.mjs": `import "./second.mjs"`, "frame.html": "<img src=in-frame.png>", "left.html": "<img src=in-left.png>", "dw.css": "img{border-image:url(in-dw.png)}",
		"m.webmanifest": `{"icons":[{"src":"mi.png","sizes":"192x192"}],"start_url":"start.html"}`, "ws.js": `importScripts("imported.js")`, "o.svg": `<svg xmlns="http://www.w3.org/2000/svg"><image href="in-o.png" width="5" height="5"/></svg>`,
	}
}

// ServeHTTP implements [http.Handler].
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, typ := s.answer(r.URL.Path)
	if body == nil {
		http.NotFound(w, r)
		return
	}
	if strings.HasPrefix(typ, "text/") || strings.Contains(typ, "json") || strings.Contains(typ, "xml") {
		s.mu.Lock()
		s.served["http://"+r.Host+r.URL.RequestURI()] = body
		s.mu.Unlock()
	}
	w.Header().Set("Content-Type", typ)
	_, _ = w.Write(body) // the browser is gone
}

// forget forgets what was served.
func (s *site) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.served)
}

func (s *site) answer(p string) ([]byte, string) {
	if of, is := s.pages[p]; is {
		return of.body, "text/html"
	}
	types := map[string]string{".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html", ".json": "application/json", ".svg": "image/svg+xml",
		".webmanifest": "application/manifest+json", ".png": "image/png", ".gif": "image/gif", ".txt": "text/event-stream"}
	typ := types[path.Ext(p)]
	for _, of := range s.pages {
		if of.dir == "" || !strings.HasPrefix(p, "/"+filepath.Base(of.dir)+"/") {
			continue
		}
		body, err := os.ReadFile(filepath.Join(of.dir, filepath.FromSlash(strings.TrimPrefix(path.Clean(p), "/"+filepath.Base(of.dir)+"/"))))
		if err != nil {
			return nil, ""
		}
		return body, typ
	}
	if text, is := resources()[path.Base(p)]; is {
		return []byte(text), typ
	}
	switch typ {
	case "text/css", "text/javascript", "text/html", "application/json", "text/event-stream":
		return []byte(" "), typ
	case "image/svg+xml":
		return []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), typ
	}
	return nil, ""
}

// asked is what a browser asked for, in order, without the page itself.
func asked(ctx context.Context, url string, scripts bool) ([]string, error) {
	tab, done := chromedp.NewContext(ctx)
	defer done()
	if err := chromedp.Do(tab); err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var all []string
	last := time.Now()
	if err := chromedp.Listen(tab, func(ev any) {
		mu.Lock()
		defer mu.Unlock()
		switch ev := ev.(type) {
		case *network.EventRequestWillBeSent:
			all = append(all, ev.Request.URL)
			last = time.Now()
		case *network.EventLoadingFinished, *network.EventLoadingFailed:
			last = time.Now()
		}
	}); err != nil {
		return nil, err
	}
	limit, cancel := context.WithTimeout(tab, 40*time.Second)
	defer cancel()
	if _, err := chromedp.Call(limit, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts}); err != nil {
		return nil, err
	}
	if err := chromedp.Do(limit, chromedp.Navigate(url)); err != nil && limit.Err() == nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	for tick := time.NewTicker(100 * time.Millisecond); ; <-tick.C {
		mu.Lock()
		quiet := time.Since(last) > 700*time.Millisecond
		mu.Unlock()
		if quiet || limit.Err() != nil {
			tick.Stop()
			break
		}
	}
	if limit.Err() != nil {
		return nil, fmt.Errorf("%s: it was not quiet in %v", url, 40*time.Second)
	}
	mu.Lock()
	defer mu.Unlock()
	var out []string
	for _, raw := range all {
		u, err := urlx.Parse(raw)
		if err != nil || strings.HasSuffix(raw, "/favicon.ico") {
			continue
		}
		if s := u.WithoutFragment().String(); s != url && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, nil
}

// found is what the extract chain finds in the page and, transitively, in what the site served: the kind by URL.
func (s *site) found(r *reading.Reader, url string, body []byte) (map[string]string, error) {
	kinds, todo, seen := map[string]string{}, []string{url}, map[string]bool{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		text := s.served[at]
		if at == url {
			text = body
		}
		if seen[at] || text == nil {
			continue
		}
		seen[at] = true
		u, err := urlx.Parse(at)
		if err != nil {
			return nil, err
		}
		_, typ := s.answer(u.Path())
		rec, err := record.Load(strings.NewReader("HTTP/1.1 200 OK\r\nContent-Type: "+typ+"\r\n\r\n"+string(text)), "", 8<<20)
		if err != nil {
			return nil, err
		}
		c := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: at, Hops: "E", Via: url}, Rec: rec, HTTPStatus: 200, Status: 200}
		if at == url {
			c.Hops = ""
		}
		c.Headers = []crawl.Header{{Name: "Content-Type", Value: typ}}
		c.MIME = mime.Detect(at, typ, text[:min(len(text), mime.HeadSize)], mime.HintScript|mime.HintCSS|mime.HintManifest)
		c.MIME = c.MIME.As(c.MIME.Declared)
		d, err := r.Read(context.Background(), at, c)
		if err != nil {
			return nil, err
		}
		if err := rec.Close(); err != nil {
			return nil, err
		}
		for _, l := range d.Links {
			if _, known := kinds[l.URL]; !known {
				kinds[l.URL] = l.Kind + " " + l.Context
			}
			todo = append(todo, l.URL)
		}
	}
	return kinds, nil
}

// tally counts what was found of what was asked for.
type tally struct{ asked, found int }

func (t tally) String() string {
	if t.asked == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d (%.1f %%)", t.found, t.asked, 100*float64(t.found)/float64(t.asked))
}

func compare(pages []page, chromium string, most int) error {
	s := &site{pages: map[string]page{}, served: map[string][]byte{}}
	for _, p := range pages {
		s.pages[p.path] = p
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }() // until the end of the program
	reader, err := reading.New()
	if err != nil {
		return err
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1000, 900),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("host-resolver-rules", "MAP * "+l.Addr().String()))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	ctx, closeBrowser := chromedp.NewContext(ctx)
	defer closeBrowser()
	if err := chromedp.Do(ctx); err != nil {
		return err
	}
	var totals [2][2]tally // constructs and whole pages; without and with scripts
	var embeds tally       // what is called an embed, and was asked for
	var missed []string
	var failed []string
	for _, p := range pages {
		url := "http://page.test" + p.path
		s.forget() // what other pages got is nothing that this one found
		var both [2][]string
		var loads error
		for i, scripts := range []bool{false, true} {
			both[i], err = asked(ctx, url, scripts)
			loads = errors.Join(loads, err)
		}
		if loads != nil { // half of a page would only make the totals smaller
			log.Printf("%s: %v", p.name, loads)
			failed = append(failed, p.name)
			continue
		}
		kinds, err := s.found(reader, url, p.body)
		if err != nil {
			return err
		}
		whole := 0
		if p.dir != "" {
			whole = 1
		}
		for i, urls := range both {
			for _, u := range urls {
				totals[whole][i].asked++
				if has(kinds, u) {
					totals[whole][i].found++
				} else if i == 1 || !slices.Contains(both[1], u) {
					missed = append(missed, fmt.Sprintf("| %s | %s | `%s` |", p.name, []string{"without scripts", "with scripts"}[btoi(i == 1 && !slices.Contains(both[0], u))], u))
				}
			}
		}
		if whole == 0 {
			for u, kind := range kinds {
				if strings.HasPrefix(kind, "embed") || strings.HasPrefix(kind, "frame") {
					embeds.asked++
					if slices.Contains(both[0], u) || slices.Contains(both[1], u) {
						embeds.found++
					}
				}
			}
		}
	}
	report(totals, embeds, missed, failed, len(pages), most)
	return nil
}

// has reports whether an address was found. Of hosts that a browser knows to be https alone it asks for that instead (HSTS).
func has(kinds map[string]string, u string) bool {
	if _, is := kinds[u]; is {
		return true
	}
	rest, upgraded := strings.CutPrefix(u, "https://")
	_, is := kinds["http://"+rest]
	return upgraded && is
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func report(totals [2][2]tally, embeds tally, missed, failed []string, n, most int) {
	fmt.Printf("# What a browser asks for, and what is found\n\nWritten by `make compare-browser`: %d pages in headless Chromium, once without scripts and once with them, on 127.0.0.1; %d others did not load and are not counted. Of what it asked for, beside the pages themselves\nand `/favicon.ico`, so much is among the links that the extract chain finds in the page and in what the browser got for it (tools/comparebrowser).\n\n", n-len(failed), len(failed))
	for _, name := range failed {
		fmt.Printf("Not loaded: %s\n\n", name)
	}
	fmt.Printf("| pages | without scripts | with scripts |\n| --- | --- | --- |\n| constructs | %v | %v |\n| whole pages | %v | %v |\n\n", totals[0][0], totals[0][1], totals[1][0], totals[1][1])
	fmt.Printf("Of what is called an embed or a frame on the pages of constructs the browser asked for %v in one of its runs; the others are for other screens, media and browsers.\n\n## Misses\n\n| page | run | address |\n| --- | --- | --- |\n", embeds)
	for i, m := range missed {
		if i == most {
			fmt.Printf("\nand %d more.\n", len(missed)-most)
			break
		}
		fmt.Println(m)
	}
}
