package interop_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/internal/sharedtest"
	"exclave/warc"

	"github.com/chromedp/chromedp"
)

// cycled is what two harvests know of a page.
type cycled struct{ first, second rec }

// Issue 20: a harvest of the bench's web, the changed web harvested again with deduplication, both packed, both replayed: each page as it was
// at each harvest, those that did not change from the record of the first.
func TestFullCycle(t *testing.T) {
	exclave, validator := build(t), sharedtest.Wacz(t)
	dir := t.TempDir()
	run(t, exclave, "bench", "recrawl", "--resources", "2000", "--hosts", "4", "--changed", "0.3", "--most", "1", "--validators", "etag", "--dir", filepath.Join(dir, "bench"))
	job := filepath.Join(dir, "bench", "etag", "job")
	both := archive{name: "cycle", ours: true, files: warcs(t, job)}
	half := len(both.files) / 2 // each run has as many files
	runs := [2][]string{both.files[:half], both.files[half:]}
	packages := map[string][]string{"first": runs[0], "second": runs[1], "both": {job}}
	for name, inputs := range packages {
		out := filepath.Join(dir, name+".wacz")
		run(t, exclave, append([]string{"wacz", "-o", out}, inputs...)...)
		said, err := exec.CommandContext(t.Context(), validator, "validate", "-f", out).CombinedOutput()
		if err != nil || !strings.HasSuffix(strings.TrimSpace(string(said)), "Validation succeeded, the passed WACZ is valid") {
			t.Errorf("wacz validate %s: %v\n%s", name, err, said)
		}
	}
	changed, same := cycle(t, runs)
	t.Run("pywb", func(t *testing.T) {
		w := startPywb(t, both)
		for _, p := range slices.Concat(changed[:min(len(changed), 12)], same[:min(len(same), 12)]) {
			want := p.second
			if want.kind == warc.TypeRevisit {
				want.body, want.chunked, want.status = p.first.body, p.first.chunked, p.first.status
			}
			for _, r := range []rec{p.first, want} {
				status, body, when := w.original(t, both.name, r.date.UTC().Format("20060102150405"), r.uri)
				if status != r.status || !bytes.Equal(body, r.payload(t)) || when.Unix() != r.date.Unix() {
					t.Errorf("%s of %s: %s, %d bytes of %d, of %s", r.uri, r.date, status, len(body), len(r.payload(t)), when)
				}
			}
		}
	})
	t.Run("ReplayWeb.page", func(t *testing.T) {
		shows, _ := serveReplayWeb(t, dir)
		ctx := browser(t)
		page := func(of []cycled) string {
			i := slices.IndexFunc(of, func(p cycled) bool { return bytes.Contains(p.first.body, []byte("<main id=\"content\">")) })
			if i < 0 {
				t.Fatal("no page that is not compressed")
			}
			return of[i].first.uri
		}
		const later = ", later" // in titles of the changed web
		for _, c := range []struct {
			collection, url string
			later           bool
		}{{"first", page(changed), false}, {"second", page(changed), true}, {"both", page(same), false}} {
			tab, closeTab := chromedp.NewContext(ctx)
			seen, asked := visit{name: "cycle-" + c.collection, collection: c.collection, url: c.url, styles: "[]"}.look(tab, t, shows)
			closeTab()
			if target(seen.URL) != c.url || seen.Title == "" || strings.HasSuffix(seen.Title, later) != c.later {
				t.Errorf("%s, %s: %q at %s", c.collection, c.url, seen.Title, seen.URL)
			}
			asked.local(t, shows)
		}
	})
}

// cycle finds the answers of two harvests: those of which both have another content, and those of which the second has a revisit record. Two
// in one second are left out: an index cannot tell them apart.
func cycle(t *testing.T, runs [2][]string) (changed, same []cycled) {
	t.Helper()
	first := map[string]rec{}
	for _, r := range records(t, runs[0]) {
		if r.kind == warc.TypeResponse && r.status == "200" && !strings.HasSuffix(r.uri, "/robots.txt") {
			first[r.uri] = r
		}
	}
	for _, r := range records(t, runs[1]) {
		p := cycled{first[r.uri], r}
		switch {
		case p.first.uri == "" || p.first.date.Unix() == r.date.Unix():
		case r.kind == warc.TypeRevisit:
			same = append(same, p)
		case r.kind == warc.TypeResponse && !bytes.Equal(p.first.body, r.body):
			changed = append(changed, p)
		}
	}
	if len(changed) < 10 || len(same) < 20 { // crawls so fast that most captures are of one second
		t.Fatalf("%d changed, %d did not", len(changed), len(same))
	}
	return changed, same
}
