package interop_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/internal/sharedtest"
	"exclave/internal/testweb"
	"exclave/warc"
)

// Issue 20: identical payloads against a CDX server, pywb's own: a harvest is served, the next one asks its index; verify finds the originals there, and
// pywb replays the revisit records from a collection of both.
func TestDedupAgainstPywb(t *testing.T) {
	if testing.Short() {
		t.Skip("starts pywb twice")
	}
	page := func(body string) testweb.Page {
		return testweb.Page{Body: oddText + body}.With("Content-Type", "text/html; charset=utf-8")
	}
	web := testweb.Tiny{oddSite + "/": page(`<img src="/same.png"><img src="/parts.png">`), oddSite + "/same.png": testweb.Image(1), oddSite + "/parts.png": testweb.Image(2).Chunked(20),
		twinSite + "/": page(`<img src="/same.png">`), twinSite + "/same.png": testweb.Image(1)}
	sharedtest.Pywb(t, "wayback") // nothing is crawled where it is absent
	exclave := build(t)
	dir := newJob(t, "old", web, 100<<20, oddSite+"/")
	run(t, exclave, "crawl", "--quiet", dir)
	old := archive{name: "old", files: warcs(t, dir)}
	w := startPywb(t, old)
	server := "http://" + w.addr + "/old/cdx"

	dir = newJob(t, "new", web, 100<<20, oddSite+"/\n"+twinSite+"/")
	f, err := os.OpenFile(filepath.Join(dir, "job.toml"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = fmt.Fprintf(f, "[dedup]\nwithin_job = false\nmin_size = 1\nservers = [%q]\nserver_timeout = \"1m\"\n", server)
	must(t, err)
	must(t, f.Close())
	run(t, exclave, "crawl", "--quiet", dir)
	run(t, exclave, "verify", dir)
	files := warcs(t, dir)

	originals := map[string]rec{}
	for _, r := range records(t, old.files) {
		if r.kind == warc.TypeResponse {
			originals[r.uri] = r
		}
	}
	both := startPywb(t, archive{name: "both", files: slices.Concat(old.files, files)})
	var found []string
	for _, r := range records(t, files) {
		if r.kind != warc.TypeRevisit {
			continue
		}
		found = append(found, strings.TrimPrefix(r.uri, oddSite))
		o := originals[r.uri]
		if r.refers != "" || r.digest != o.digest {
			t.Errorf("%s: revisit record of %s %q, the original is %s", r.uri, r.digest, r.refers, o.digest)
		}
		status, body, _ := both.original(t, "both", r.date.UTC().Format("20060102150405"), r.uri)
		if status != "200" || !bytes.Equal(body, o.payload(t)) {
			t.Errorf("%s: pywb gives %s, %d bytes, archived were %d", r.uri, status, len(body), len(o.payload(t)))
		}
		if out := run(t, exclave, "dedup", "lookup", "--server", server, "--url", r.uri, r.digest); !strings.Contains(out, o.date.UTC().Format("2006-01-02T15:04:05Z")+" "+r.uri) {
			t.Errorf("%s: %s", r.uri, out)
		}
	}
	slices.Sort(found)
	if want := []string{"/parts.png", "/same.png"}; !slices.Equal(found, want) {
		t.Errorf("revisit records of %q, want %q; what is at another address is archived whole", found, want)
	}
}
