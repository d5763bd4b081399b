package job_test

import (
	"path/filepath"
	"strings"
	"testing"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/job/divide"
	"exclave/internal/job/folder"
	"exclave/internal/job/rebuild"
	"exclave/internal/testweb"
	"exclave/warc"
	"exclave/warc/warctest"
)

// The compression of a job may change from run to run: a recrawl refers to what was archived in another form, pages are judged from files of every form, a part of the
// archive is made of all of them, and a recovery finds everything again.
func TestZstdJob(t *testing.T) {
	t.Parallel()
	web := tiny(pages{"/a": same(), "/b": same().With("ETag", `"b"`), "/c": national(testweb.Img("/1")), "/1": big(0), "/d": big(0), "/next": foreign()})
	j := newJob(t, conditional{web}, func(c *config.Config) { c.Crawl.ToeThreads = 1 })
	j.run(job.Options{}, site+"/a")
	j.cfg.WARC.Compression, j.cfg.WARC.Dictionary = warc.Zstd, warctest.Dictionary(t)
	j.run(job.Options{}, site+"/b", site+"/c")
	j.cfg.WARC.Dictionary = nil
	j.run(job.Options{Recrawl: true}, site+"/d")
	j.cfg.WARC.Compression = warc.Gzip
	h := j.run(job.Options{Recrawl: true})
	if n := len(h.of(warc.TypeRevisit, site+"/b")); n != 3 {
		t.Errorf("%d revisit records of /b", n)
	}
	for _, r := range h.records {
		if r.kind == warc.TypeRevisit {
			h.original(t, r)
		}
	}
	names, err := filepath.Glob(filepath.Join(j.cfg.Dir, folder.WARCDir, "*.warc.*"))
	must(t, err)
	var ends []string
	for _, name := range names {
		ends = append(ends, filepath.Ext(name))
	}
	if got := strings.Join(ends, ""); got != ".gz.zst.zst.gz" {
		t.Errorf("files %v", names)
	}
	before := finishedIn(t, j.cfg)
	loseState(t, j.cfg)
	recoverJob(t, j.cfg, rebuild.Options{})
	after := finishedIn(t, j.cfg)
	for uri := range before {
		if after[uri] != before[uri] {
			t.Errorf("%s\nwas %s", after[uri], before[uri])
		}
	}
	for _, c := range []struct {
		form string
		dict *warc.Dictionary
	}{{warc.Gzip, nil}, {warc.Zstd, nil}, {warc.Zstd, warctest.Dictionary(t)}} {
		j.cfg.WARC.Compression, j.cfg.WARC.Dictionary = c.form, c.dict
		dir, _ := j.divided(divide.Options{})
		if pages, _ := answersOf(t, filepath.Join(dir, "cz")); len(pages) != 5 {
			t.Errorf("%s: part cz has %v", c.form, pages)
		}
	}
}
