package interop_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"exclave/internal/sharedtest"
)

// replayFrame is the window in which ReplayWeb.page shows an archived page: frames in frames, in shadow trees. Its address has the
// mark of a page.
const replayFrame = `(() => {
	const walk = root => {
		for (const e of root.querySelectorAll("*")) {
			const inner = e.tagName === "IFRAME" ? e.contentDocument : e.shadowRoot;
			if (!inner) continue;
			if (e.tagName === "IFRAME" && e.contentWindow.location.href.includes("mp_/http")) return e.contentWindow;
			const found = walk(inner);
			if (found) return found;
		}
		return null;
	};
	return walk(document);
})()`

// Issue: packages are opened by ReplayWeb.page in a browser that can reach nothing else: pages of the demonstration and of a real site
// are shown as they were, with everything they embed. It reads the package in parts.
func TestReplayWeb(t *testing.T) {
	program, exclave := sharedtest.ReplayWeb(t), build(t)
	dir := t.TempDir()
	demo, iana := demoJob(t, exclave), realJob(t, exclave)
	for _, a := range []archive{demo, iana} {
		run(t, exclave, "wacz", filepath.Dir(filepath.Dir(a.files[0])), "-o", filepath.Join(dir, a.name+".wacz"))
	}
	var mu sync.Mutex
	var asked []string
	parts := 0
	files := http.FileServer(http.Dir(program))
	site := http.NewServeMux()
	site.Handle("/replay/", http.StripPrefix("/replay", files))
	site.Handle("/ui.js", files)
	site.Handle("/wacz/", http.StripPrefix("/wacz", http.FileServer(http.Dir(dir))))
	site.HandleFunc("/show", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<!DOCTYPE html><meta charset="utf-8"><title>Show</title><link rel="icon" href="data:,"><script src="/ui.js"></script><replay-web-page source="/wacz/%s.wacz" url="%s" replaybase="/replay/" embed="replayonly" style="display:block;height:850px"></replay-web-page>`,
			html.EscapeString(r.FormValue("collection")), html.EscapeString(r.FormValue("url")))
	})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.URL.Path)
		if r.Header.Get("Range") != "" {
			parts++
		}
		mu.Unlock()
		site.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	shows := replayer{strings.TrimPrefix(srv.URL, "http://"), func(v visit) string {
		return srv.URL + "/show?" + url.Values{"collection": {v.collection}, "url": {v.url}}.Encode()
	}, replayFrame}
	browse(t, shows, demo, iana)
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(asked)
	t.Logf("asked: %q", slices.Compact(asked))
	if parts == 0 {
		t.Error("nothing was read in parts")
	}
}
