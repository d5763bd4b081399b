package job_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/config"
	"exclave/crawl"
	"exclave/internal/crawllog"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/rebuild"
	"exclave/internal/testweb"
	"exclave/warc"
)

// ADR 79: [warc] payload_digest says what the digest of an answer in chunks is of; record, crawl.log, state and revisit records agree, and it may change from run to
// run. What is not in chunks has one digest.
func TestEntitySetting(t *testing.T) {
	t.Parallel()
	chunked := same().Chunked(50)
	web := tiny(pages{"/a": chunked, "/b": same().Chunked(333), "/p": same(), "/e": testweb.NationalPage(3, site+"/l").With("ETag", `"e"`).Chunked(40), "/next": foreign(), "/l": testweb.NationalPage(9, site+"/next").Chunked(30), "/f": testweb.ForeignPage(1, site+"/l"),
		"/robots.txt": testweb.Text("User-agent: *\nDisallow: /private\n").Chunked(5)})
	digests := func(h *harvest, uri string) (stored, entity, recorded string) {
		r := h.of(warc.TypeResponse, uri)
		if len(r) == 0 {
			t.Fatalf("no response of %s", uri)
		}
		var err error
		stored, err = warc.PayloadDigest(bytes.NewReader(r[0].block))
		must(t, err)
		entity, err = warc.EntityDigest(bytes.NewReader(r[0].block))
		must(t, err)
		return stored, entity, r[0].digest
	}
	for _, c := range []struct{ first, then string }{{warc.DigestStored, warc.DigestStored}, {warc.DigestEntity, warc.DigestEntity}, {warc.DigestStored, warc.DigestEntity}, {warc.DigestEntity, warc.DigestStored}} {
		t.Run(c.first+", then "+c.then, func(t *testing.T) {
			t.Parallel()
			j := newJob(t, conditional{web}, func(f *config.Config) {
				thesis(f)
				f.Crawl.ToeThreads, f.WARC.PayloadDigest, f.Analysis.Depth = 1, c.first, 1
			})
			h := j.run(job.Options{}, site+"/a", site+"/e")
			for _, uri := range []string{site + "/a", site + "/e", site + "/robots.txt"} {
				stored, entity, got := digests(h, uri)
				if want := map[string]string{warc.DigestStored: stored, warc.DigestEntity: entity}[c.first]; got != want || stored == entity {
					t.Errorf("%s: digest %s, want %s", uri, got, want)
				}
			}
			_, _, before := digests(h, site+"/a")
			if h.outcomes[site+"/l"].Judged {
				t.Error("judged with its link alone")
			}
			if h = j.run(job.Options{}, site+"/f"); !h.outcomes[site+"/l"].Judged || h.hits[site+"/l"] != 1 {
				t.Errorf("not judged from the archive: %+v, %d requests", h.outcomes[site+"/l"], h.hits[site+"/l"])
			}
			j.cfg.WARC.PayloadDigest = c.then
			h = j.run(job.Options{Recrawl: true}, site+"/b", site+"/p")
			if stored, entity, got := digests(h, site+"/p"); got != stored || got != entity {
				t.Errorf("not in chunks: %s, %s, %s", got, stored, entity)
			}
			for uri, profile := range map[string]string{site + "/b": warc.ProfileIdentical, site + "/a": warc.ProfileIdentical, site + "/e": warc.ProfileNotModified} {
				r := h.of(warc.TypeRevisit, uri)
				if len(r) != 1 || r[0].header.Get("WARC-Profile") != profile {
					t.Errorf("revisit records of %s: %v", uri, r)
					continue
				}
				if o := h.original(t, r[0]); o.digest != r[0].digest || uri != site+"/e" && o.digest != before {
					t.Errorf("%s has the digest %s, its original %s", uri, r[0].digest, o.digest)
				}
			}
			logged := map[string]bool{}
			for _, line := range j.log(crawl.LogCrawl) {
				e, err := crawllog.Parse(line)
				must(t, err)
				logged[e.URL+" "+e.Digest] = true
			}
			recorded := map[string]bool{}
			for _, r := range h.records {
				if r.digest != "" && r.uri != site+"/robots.txt" {
					recorded[r.uri+" "+r.digest] = true
				}
			}
			maps.DeleteFunc(logged, func(line string, _ bool) bool {
				return strings.HasPrefix(line, "dns:") || strings.HasPrefix(line, site+"/robots.txt") || strings.HasPrefix(line, site+"/f ")
			})
			if !maps.Equal(logged, recorded) {
				t.Errorf("digests in crawl.log %v\nin the archive %v", logged, recorded)
			}
			done := finishedIn(t, j.cfg)
			loseState(t, j.cfg)
			must(t, os.RemoveAll(filepath.Join(j.cfg.Dir, folder.StateDir)))
			recoverJob(t, j.cfg, rebuild.Options{})
			for uri, after := range finishedIn(t, j.cfg) {
				if after != done[uri] {
					t.Errorf("%s\nwas %s", after, done[uri])
				}
			}
		})
	}
}
