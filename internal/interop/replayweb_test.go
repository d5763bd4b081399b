package interop_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
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
	sharedtest.ReplayWeb(t) // nothing is crawled where it is absent
	exclave := build(t)
	dir := t.TempDir()
	demo, iana := demoJob(t, exclave), realJob(t, exclave)
	for _, a := range []archive{demo, iana} {
		run(t, exclave, "wacz", filepath.Dir(filepath.Dir(a.files[0])), "-o", filepath.Join(dir, a.name+".wacz"))
	}
	shows, parts := serveReplayWeb(t, dir)
	browse(t, shows, demo, iana)
	if parts() == 0 {
		t.Error("nothing was read in parts")
	}
}

// serveReplayWeb serves ReplayWeb.page and the packages in a folder until the test ends; parts says how many requests were for a part of a file.
func serveReplayWeb(t *testing.T, dir string) (shows replayer, parts func() int64) {
	t.Helper()
	program := sharedtest.ReplayWeb(t)
	var ranges atomic.Int64
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
		if r.Header.Get("Range") != "" {
			ranges.Add(1)
		}
		site.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return replayer{strings.TrimPrefix(srv.URL, "http://"), func(v visit) string {
		return srv.URL + "/show?" + url.Values{"collection": {v.collection}, "url": {v.url}}.Encode()
	}, replayFrame}, ranges.Load
}
