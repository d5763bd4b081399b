package interop_test

import (
	"path/filepath"
	"testing"

	"exclave/internal/heritrixlogs"
)

// Issue 17: crawl.log and reports of the demo, read column by column by a reader that was
// written from Heritrix's documentation.
func TestDemoIsHeritrixs(t *testing.T) {
	exclave := build(t)
	dir := filepath.Join(t.TempDir(), "demo")
	run(t, exclave, "demo", "--dir", dir)
	j, err := heritrixlogs.Read(filepath.Join(dir, "logs"), filepath.Join(dir, "reports"))
	if err != nil {
		t.Fatal(err)
	}
	judged := func(l heritrixlogs.Line) bool { return l.Annotated("judged") } // a page that was judged from the archive: no request
	for _, d := range j.Disagreements(func(l heritrixlogs.Line) int64 { return max(l.ContentSize, 0) }, judged) {
		t.Error(d)
	}
	headers := 0
	for _, l := range j.Log {
		if l.Status >= 200 && !judged(l) {
			if l.Size < 0 || l.Size >= l.ContentSize {
				t.Errorf("%s: a body of %d bytes in %d", l.URI, l.Size, l.ContentSize)
			}
			headers++
		}
	}
	if headers < 100 || len(j.Sources) == 0 || len(j.Seeds) == 0 || len(j.Hosts) == 0 {
		t.Errorf("too little of a crawl: %+v", j.Crawl)
	}
}
