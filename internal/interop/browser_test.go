package interop_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"exclave/internal/sharedtest"
	"exclave/internal/testweb"
	"exclave/internal/testweb/demoweb"
	"exclave/warc"

	"github.com/andybalholm/brotli"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"golang.org/x/net/html"
)

const (
	firm = "http://www.pilarna-horak.com"
	iana = "https://www.iana.org"
)

// look is what a browser says of the page it shows.
type look struct {
	Title, URL string
	Text       string // all of it
	Visible    string // what is displayed
	Images     []struct {
		URL   string
		Width int
	}
	Sheets []struct {
		URL   string
		Rules int
	}
	Fonts  []string // families that were loaded
	Styles []string // computed, as asked for
}

// lookScript waits until the frame with the page is there, and pictures and fonts are
// loaded or have failed; then it reports. The frame is a JavaScript expression, pairs a list of selector and property.
// It waits so many milliseconds for each, and says where it was when that was not enough.
func lookScript(frame, pairs string, wait time.Duration) string {
	return fmt.Sprintf(lookText, wait.Milliseconds(), frame, pairs)
}

const lookText = `(async () => {
	const end = performance.now() + %d;
	const pause = () => new Promise(r => setTimeout(r, 50));
	const within = (p, what) => Promise.race([p, new Promise((_, no) => setTimeout(() => no(new Error("no end of " + what)), end - performance.now()))]);
	let win, doc;
	for (;; await pause()) {
		win = %s;
		doc = win && win.document;
		if (doc && doc.body && doc.readyState === "complete" && doc.URL !== "about:blank") break;
		if (performance.now() > end) throw new Error("no frame with a page: " + (doc ? doc.URL + " " + doc.readyState : "none") + " in " + document.documentElement.outerHTML.slice(0, 2000));
	}
	const images = [...doc.images];
	images.forEach(i => { i.loading = "eager" });
	await within(Promise.all(images.map(i => i.decode().catch(() => 0))), "pictures");
	await within(doc.fonts.ready, "fonts");
	const sheets = [];
	const walk = s => {
		let rules = [];
		try { rules = s.cssRules } catch {} // of a sheet that did not load
		sheets.push({URL: s.href || "", Rules: rules.length});
		for (const r of rules) if (r.styleSheet) walk(r.styleSheet);
	};
	[...doc.styleSheets].forEach(walk);
	const body = doc.body.cloneNode(true);
	body.querySelectorAll("script, style, noscript").forEach(e => e.remove());
	const style = ([s, p]) => {
		const e = doc.querySelector(s);
		return e ? win.getComputedStyle(e)[p] : "no " + s;
	};
	return {
		Title: doc.title, URL: doc.URL,
		Text: body.textContent, Visible: doc.body.innerText,
		Images: images.map(i => ({URL: i.currentSrc || i.src, Width: i.naturalWidth})),
		Sheets: sheets,
		Fonts: [...doc.fonts].filter(f => f.status === "loaded").map(f => f.family),
		Styles: %s.map(style),
	};
})()`

// replayer is a program that shows archives in a browser.
type replayer struct {
	addr  string             // the only one that is to be asked: "127.0.0.1:port"
	url   func(visit) string // where it shows a page
	frame string             // JavaScript: the window in which it does, or something false
}

// visit is a page to look at, and what must be seen.
type visit struct {
	name, collection, url string
	source                string // the page itself, where url leads elsewhere
	title                 string
	visible               []string
	styles                string          // JavaScript: selector and property pairs
	computed              []string        // each within the value of its pair
	sheets                []string        // addresses that must be among the style sheets, with rules
	requests              map[string]bool // addresses that must be asked for and answered with 200
	missing               []string        // addresses that are not archived: 404, and no picture
	fonts                 []string
}

func visits() []visit {
	return []visit{
		{name: "firm", collection: "demo", url: firm + "/galerie.html", title: "Galerie",
			visible:  []string{"Galerie", "Fotografie jsme pořídili letos v zimě, kdy bylo na skladě nejvíc dřeva."},
			styles:   `[["body", "fontFamily"], ["li", "display"], ["h1", "backgroundImage"], ["body", "backgroundImage"], ["p[style]", "backgroundImage"]]`,
			computed: []string{"Georgia", "inline", "/img/cara.png", "/img/drevo.png", "/img/letokruhy.png"},
			sheets:   []string{firm + "/css/styl.css", firm + "/css/tisk.css"},
			requests: map[string]bool{firm + "/img/cara.png": true, firm + "/img/drevo.png": true, firm + "/img/letokruhy.png": true,
				firm + "/js/menu.js": true, "http://static.obrazky-cdn.net/horak/tram.png": true},
			missing: []string{firm + "/soukrome/plan.png"}},
		{name: "firm-redirect", collection: "demo", url: "http://firma-horak.eu/", source: firm + "/",
			title: "Pilařství Horák – řezivo, trámy a palubky", visible: []string{"Vítejte na stránkách rodinné pily"},
			styles: `[["li", "display"]]`, computed: []string{"inline"}, sheets: []string{firm + "/css/styl.css"}},
		{name: "firm-redirects", collection: "demo", url: firm + "/stare/cenik.html", source: firm + "/cenik.html",
			title: "Ceník", styles: `[["li", "display"]]`, computed: []string{"inline"}, sheets: []string{firm + "/css/styl.css"}},
		{name: "iana", collection: "iana", url: iana + "/domains/example", source: iana + "/domains/reserved",
			title:   "IANA — IANA-managed Reserved Domains",
			visible: []string{"Certain domains are set aside, and nominally registered to “IANA”, for specific policy or technical purposes."},
			styles:  `[["body", "fontFamily"]]`, computed: []string{"Noto"},
			sheets:   []string{iana + "/_css/2015.1/screen.css", iana + "/_css/2015.1/print.css"},
			requests: map[string]bool{iana + "/_img/2015.1/fonts/NotoSans-Regular.woff": true, iana + "/_js/2013.1/jquery.js": true},
			fonts:    []string{"Noto", "Source Code Pro"}},
	}
}

// browser starts a browser that can reach nothing but 127.0.0.1, until the test ends.
func browser(t *testing.T) context.Context {
	t.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(sharedtest.Chromium(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.WindowSize(1000, 900), chromedp.WSURLReadTimeout(ready),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	ctx, cancel := context.WithTimeout(t.Context(), 3*ready) // four pages, each a second on an idle machine
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, closeBrowser := chromedp.NewContext(ctx)
	t.Cleanup(closeBrowser)
	must(t, chromedp.Do(ctx))
	return ctx
}

// browse shows the pages in a browser.
func browse(t *testing.T, w replayer, archives ...archive) {
	ctx := browser(t)
	recorded, err := testweb.FromWARC(sharedtest.Path(t, "data/warc/py-wacz/tests/fixtures/example-collection-with-lists.warc"))
	must(t, err)
	truth, err := testweb.Start(testweb.Join(demoweb.Web(), recorded), testweb.Options{})
	must(t, err)
	t.Cleanup(func() {
		if err := truth.Close(); err != nil {
			t.Error(err)
		}
	})
	archived := map[string]map[string]bool{}
	for _, a := range archives {
		archived[a.name] = map[string]bool{}
		for _, r := range records(t, a.files) {
			if r.kind == warc.TypeResponse && r.status == "200" {
				archived[a.name][r.uri] = true
			}
		}
	}
	for _, v := range visits() {
		t.Run(v.name, func(t *testing.T) {
			tab, closeTab := chromedp.NewContext(ctx)
			defer closeTab()
			seen, asked := v.look(tab, t, w)
			asked.check(t, w, v, archived[v.collection])
			if v.source == "" {
				v.source = v.url
			}
			v.check(t, seen, archived[v.collection])
			if want := text(t, truth.Client(), v.source); squeeze(seen.Text) != want {
				t.Errorf("text\n%s\nwant\n%s", squeeze(seen.Text), want)
			}
		})
	}
}

// look opens the page, takes a picture of it and reports what the browser says.
func (v visit) look(tab context.Context, t *testing.T, w replayer) (look, *traffic) {
	t.Helper()
	must(t, chromedp.Do(tab))
	asked := &traffic{}
	must(t, chromedp.Listen(tab, asked.note))
	must(t, chromedp.Do(tab, chromedp.Navigate(w.url(v))))
	seen, err := chromedp.Run(tab, chromedp.Evaluate[look](lookScript(w.frame, v.styles, ready/2), chromedp.EvalAwaitPromise))
	must(t, err)
	png, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	must(t, err)
	picture := filepath.Join(t.ArtifactDir(), v.name+".png")
	must(t, os.WriteFile(picture, png, 0o644))
	t.Logf("screenshot: %s", picture)
	return seen, asked
}

func (v visit) check(t *testing.T, seen look, archived map[string]bool) {
	t.Helper()
	if got := target(seen.URL); seen.Title != v.title || got != v.source {
		t.Errorf("%q at %s, want %q at %s", seen.Title, got, v.title, v.source)
	}
	for _, s := range v.visible {
		if !strings.Contains(squeeze(seen.Visible), s) {
			t.Errorf("not to be seen: %q in\n%s", s, seen.Visible)
		}
	}
	if len(seen.Images) == 0 {
		t.Error("no picture")
	}
	for _, i := range seen.Images {
		u := target(i.URL)
		if there := archived[u]; there != (i.Width > 0) || !there && !slices.Contains(v.missing, u) {
			t.Errorf("picture %s: %d pixels wide, archived %v", u, i.Width, there)
		}
	}
	loaded := map[string]bool{}
	for _, s := range seen.Sheets {
		u := target(s.URL)
		loaded[u] = s.Rules > 0
		if strings.HasPrefix(u, "http") && (s.Rules == 0 || !archived[u]) {
			t.Errorf("style sheet %s: %d rules, archived %v", u, s.Rules, archived[u])
		}
	}
	for _, u := range v.sheets {
		if !loaded[u] {
			t.Errorf("style sheet %s is not loaded: %v", u, seen.Sheets)
		}
	}
	for i, want := range v.computed {
		if !strings.Contains(seen.Styles[i], want) {
			t.Errorf("%s: style %d is %q, want %q", v.styles, i, seen.Styles[i], want)
		}
	}
	for _, f := range v.fonts {
		if !slices.ContainsFunc(seen.Fonts, func(s string) bool { return strings.Trim(s, `"'`) == f }) {
			t.Errorf("font %q is not loaded: %q", f, seen.Fonts)
		}
	}
}

// traffic is what a tab asked of the network, and what came of it.
type traffic struct {
	mu      sync.Mutex
	asked   []string
	status  map[string]int64
	failed  []string
	sockets []string
}

func (r *traffic) note(ev any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		r.asked = append(r.asked, ev.Request.URL)
	case *network.EventResponseReceived:
		if r.status == nil {
			r.status = map[string]int64{}
		}
		r.status[target(ev.Response.URL)] = ev.Response.Status
	case *network.EventLoadingFailed:
		r.failed = append(r.failed, string(ev.Type)+" "+ev.ErrorText)
	case *network.EventWebSocketCreated:
		r.sockets = append(r.sockets, ev.URL)
	}
}

// local demands that the replayer alone was asked.
func (r *traffic) local(t *testing.T, w replayer) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.asked) < 3 {
		t.Errorf("only %d requests: %q", len(r.asked), r.asked)
	}
	for _, raw := range r.asked {
		u, err := url.Parse(raw)
		if err != nil || u.Scheme != "data" && u.Scheme != "blob" && u.Host != w.addr {
			t.Errorf("asked elsewhere: %s", raw)
		}
	}
}

// check demands that the replayer alone was asked, and that nothing but what is not in the
// archive failed.
func (r *traffic) check(t *testing.T, w replayer, v visit, archived map[string]bool) {
	t.Helper()
	r.local(t, w)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.failed) > 0 || len(r.sockets) > 0 {
		t.Errorf("failed: %q; web sockets: %q", r.failed, r.sockets)
	}
	for u, status := range r.status {
		// The browser asks for an icon by itself, ReplayWeb.page for one that pages name and nobody recorded.
		icon := strings.HasSuffix(u, ".ico") && !archived[u]
		if status >= 400 && !slices.Contains(v.missing, u) && !icon {
			t.Errorf("%s: %d", u, status)
		}
	}
	for u := range v.requests {
		if r.status[u] != http.StatusOK {
			t.Errorf("%s: status %d, want 200", u, r.status[u])
		}
	}
	for _, u := range v.missing {
		if r.status[u] != http.StatusNotFound {
			t.Errorf("%s: status %d, want 404: it is not archived", u, r.status[u])
		}
	}
}

// target returns the archived address in an address of a replayer's; others as they are.
func target(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() != "127.0.0.1" {
		return raw
	}
	for _, scheme := range []string{"http://", "https://"} {
		if i := strings.Index(raw[1:], "/"+scheme); i >= 0 {
			return raw[i+2:]
		}
	}
	return raw
}

// squeeze makes one space of each run of white space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// text asks the original site for a page and returns the text of its body.
func text(t *testing.T, client *http.Client, page string) string {
	t.Helper()
	resp, err := client.Get(page)
	must(t, err)
	defer resp.Body.Close()
	in := io.Reader(resp.Body)
	if resp.Header.Get("Content-Encoding") == "br" { // a recording sends what was recorded
		in = brotli.NewReader(in)
	}
	data, err := io.ReadAll(in)
	must(t, err)
	root, err := html.Parse(strings.NewReader(string(data)))
	must(t, err)
	var b strings.Builder
	var walk func(n *html.Node, in bool)
	walk = func(n *html.Node, in bool) {
		if n.Type == html.ElementNode {
			if n.Data == "script" || n.Data == "style" || n.Data == "noscript" {
				return
			}
			in = in || n.Data == "body"
		}
		if n.Type == html.TextNode && in {
			b.WriteString(n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, in)
		}
	}
	walk(root, false)
	return squeeze(b.String())
}
