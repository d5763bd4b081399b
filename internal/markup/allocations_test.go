package markup

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"

	"exclave/internal/sharedtest"

	"github.com/google/go-cmp/cmp"
)

// Of a page of a site whose scripts were read before, at most three allocations a link are made beyond those of a bare tokenizer.
func TestAllocations(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector has pools lose what is in them")
	}
	pages, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "data/pages"), "*.html"))
	if err != nil || len(pages) < 5 {
		t.Fatal(pages, err)
	}
	for _, file := range pages {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		o, links := Options{Scripts: NewScripts()}, 0
		read := func() { links = len(Parse(HTML, page, o).Links) }
		for range 3 {
			read()
		}
		if diff := cmp.Diff(Parse(HTML, page, Options{}).Links, Parse(HTML, page, o).Links); diff != "" {
			t.Error("scripts that were kept say something else:", diff)
		}
		ours := testing.AllocsPerRun(20, read)
		bare := testing.AllocsPerRun(5, func() { bareTokens(page, func(string, []byte) {}) })
		t.Logf("%s: %.0f allocations for %d links, tokenizer %.0f", filepath.Base(file), ours, links, bare)
		if ours > bare+3*float64(links) {
			t.Errorf("%s: %.0f allocations for %d links, the tokenizer makes %.0f", file, ours, links, bare)
		}
	}
}
