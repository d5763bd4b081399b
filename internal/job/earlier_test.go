package job_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/rebuild"
	"exclave/internal/job/verify"
	"exclave/internal/testweb"
	"exclave/warc"
	"exclave/warc/dedup"
)

// indexed makes an index folder of the WARC files of a job.
func indexed(t *testing.T, j *testJob) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "earlier")
	b, err := dedup.NewBuilder(dir, t.TempDir())
	must(t, err)
	names, err := filepath.Glob(filepath.Join(j.cfg.Dir, folder.WARCDir, "*.warc.gz"))
	must(t, err)
	for _, name := range names {
		f, err := os.Open(name)
		must(t, err)
		must(t, dedup.FromWARC(f, t.TempDir(), func(d warc.Defect) { t.Error(d) }, func(c dedup.Content, o *dedup.Original) error { return b.Add(c, o) }))
		must(t, f.Close())
	}
	n, err := b.Commit()
	must(t, err)
	must(t, b.Close())
	if n == 0 {
		t.Fatal("nothing was indexed")
	}
	return dir
}

// proved returns the defects of a job whose other archives are those of an index.
func proved(t *testing.T, j *testJob, dir string) (what []string) {
	t.Helper()
	x, err := dedup.Open(dir)
	must(t, err)
	defer func() { must(t, x.Close()) }()
	must(t, verify.Run(t.Context(), folder.Of(j.cfg, folder.Env{}), verify.Options{
		Defect: func(d verify.Defect) { what = append(what, d.String()) },
		Earlier: func(each func(string, time.Time, string) error) error {
			return x.Each(func(o dedup.Original) error { return each(o.URL, o.Date, o.Digest) })
		},
	}))
	return what
}

// Issue 20: identical payloads across jobs. What a crawl may read again, pages and what has links, is archived whole; of the rest a revisit record is
// written that names address and date, and no ID. verify finds the original in the index, recover takes the record for what it is, and a recrawl
// asks for it without condition.
func TestEarlierArchives(t *testing.T) {
	t.Parallel()
	web := func(extra ...string) testweb.Tiny {
		return tiny(pages{"/v": national(append([]string{testweb.Img("/1"), testweb.Img("/ch1"), testweb.Img("/gz1")}, extra...)...), "/1": big(0).With("ETag", `"1"`), "/ch1": big(2).Chunked(100),
			"/gz1": digits().Encoded("gzip"), "/moved": big(0), "/new": big(4)})
	}
	first := newJob(t, web(), thesis)
	old := first.run(job.Options{}, site+"/v")
	dir := indexed(t, first)
	second := newJob(t, conditional{web(testweb.Img("/moved"), testweb.Img("/new"))}, func(c *config.Config) { thesis(c); c.Dedup.Index = []string{dir}; c.Dedup.WithinJob = false })
	h := second.run(job.Options{}, site+"/v")
	check := func(h *harvest, path, of string, times int) {
		t.Helper()
		rs := h.of(warc.TypeRevisit, site+path)
		if len(rs) != times || len(h.of(warc.TypeResponse, site+path)) != 0 {
			t.Fatalf("%s: %d revisit records, %d responses", path, len(rs), len(h.of(warc.TypeResponse, site+path)))
		}
		o := old.of(warc.TypeResponse, site+of)[0]
		for _, r := range rs {
			if r.header.Get("WARC-Refers-To") != "" || r.header.Get("WARC-Refers-To-Target-URI") != site+of || r.header.Get("WARC-Refers-To-Date") != o.header.Get("WARC-Date") ||
				r.digest != o.digest || r.header.Get("WARC-Profile") != warc.ProfileIdentical || !strings.HasPrefix(string(r.block), "HTTP/1.1 200 OK\r\n") {
				t.Errorf("revisit %v\nof %v", r.header, o.header)
			}
		}
	}
	for path, of := range map[string]string{"/1": "/1", "/ch1": "/ch1", "/gz1": "/gz1", "/moved": "/1"} {
		check(h, path, of, 1)
	}
	for _, path := range []string{"/v", "/new"} {
		if len(h.of(warc.TypeResponse, site+path)) != 1 {
			t.Errorf("%s is not archived whole", path)
		}
	}
	if what := proved(t, second, dir); len(what) > 0 {
		t.Errorf("verify: %q", what)
	}
	other := newJob(t, tiny(pages{"/v": national()}), thesis)
	other.run(job.Options{}, site+"/v")
	if what := proved(t, second, indexed(t, other)); len(what) != 4 || slices.ContainsFunc(what, func(s string) bool { return !strings.Contains(s, "is in another archive, and in no index") }) {
		t.Errorf("without their originals: %q", what)
	}

	before := finishedIn(t, second.cfg)
	for _, lost := range []string{folder.StateDir, folder.LogDir} {
		must(t, os.RemoveAll(filepath.Join(second.cfg.Dir, lost)))
		loseState(t, second.cfg)
		recoverJob(t, second.cfg, rebuild.Options{})
		if got := finishedIn(t, second.cfg); lost == folder.StateDir && got[site+"/1"] != before[site+"/1"] {
			t.Errorf("%s\nwas %s", got[site+"/1"], before[site+"/1"])
		}
	}
	h = second.run(job.Options{Recrawl: true})
	check(h, "/1", "/1", 2)
	if what := proved(t, second, dir); len(what) > 0 {
		t.Errorf("verify after recover and recrawl: %q", what)
	}
}

// With by = "url-digest" only the same address counts; an index that is not there is an error that names it.
func TestEarlierSettings(t *testing.T) {
	t.Parallel()
	web := tiny(pages{"/v": national(testweb.Img("/1")), "/w": national(testweb.Img("/1"), testweb.Img("/2")), "/1": big(0), "/2": big(0)})
	first := newJob(t, web, thesis)
	first.run(job.Options{}, site+"/v")
	dir := indexed(t, first)
	j := newJob(t, web, func(c *config.Config) {
		thesis(c)
		c.Dedup.Index, c.Dedup.WithinJob, c.Dedup.By = []string{dir}, false, "url-digest"
	})
	h := j.run(job.Options{}, site+"/w")
	if a, b := len(h.of(warc.TypeRevisit, site+"/1")), len(h.of(warc.TypeResponse, site+"/2")); a != 1 || b != 1 {
		t.Errorf("%d revisit records of /1, %d responses of /2", a, b)
	}
}
