package main

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/internal/testweb"
	"exclave/warc"
	"exclave/warc/dedup/deduptest"
)

// earlier is what an earlier harvest archived, of which killed crawls know a third of the pictures by an index folder and a third by a CDX server. The others
// they find among what they have archived themselves.
type earlier struct {
	settings string         // of [dedup]
	known    map[string]int // digests of pictures: in the folder, on the server
}

// Where a picture is known.
const inFolder, onServer = 1, 2

// earlierPictures harvests the web without deduplication.
func earlierPictures(t *testing.T, k *killer, srv *testweb.Server, seeds []string) earlier {
	t.Helper()
	dir := writeKillJob(t, srv, seeds, "within_job = false")
	k.finish(t, dir)
	code, out, stderr := inside("", "cdx", "--format", "cdx11", dir)
	if code != 0 {
		t.Fatal(stderr)
	}
	pictures := map[string][]string{} // lines by digest
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); f[3] == "image/png" {
			pictures[f[5]] = append(pictures[f[5]], line)
		}
	}
	if len(pictures) < 3 {
		t.Fatalf("only %d pictures", len(pictures))
	}
	known, e := map[int][]string{}, earlier{known: map[string]int{}}
	for i, digest := range slices.Sorted(maps.Keys(pictures)) {
		if where := i % 3; where > 0 {
			known[where] = append(known[where], pictures[digest]...)
			e.known["sha1:"+strings.TrimPrefix(digest, "sha1:")] = where
		}
	}
	file, index := filepath.Join(dir, "earlier.cdx"), filepath.Join(dir, "earlier")
	write(t, file, strings.Join(known[inFolder], ""))
	if code, _, stderr := inside("", "dedup", "build", index, file); code != 0 {
		t.Fatal(stderr)
	}
	o := deduptest.StartOutback(t)
	if err := o.Feed(strings.Join(known[onServer], "")); err != nil || len(o.Lines()) == 0 {
		t.Fatal(err)
	}
	e.settings = fmt.Sprintf("index = [%q]\nservers = [%q]\nserver_timeout = \"1m\"", index, o.URL)
	return e
}

// check demands that a crawl has found originals in all three places.
func (e earlier) check(t *testing.T, dir string) {
	t.Helper()
	found := map[int]int{}
	archiveRecords(t, dir, func(r warc.RecordInfo) {
		if r.Type != warc.TypeRevisit {
			return
		}
		where := e.known[r.Payload]
		if (r.Header.Get("WARC-Refers-To") == "") != (where != 0) {
			t.Errorf("%s %s: revisit of %s, known at %d", r.TargetURI, r.Payload, r.Header.Get("WARC-Refers-To"), where)
		}
		found[where]++
	})
	if found[0] == 0 || found[inFolder] == 0 || found[onServer] == 0 {
		t.Errorf("revisit records by place of the original: %v", found)
	}
}

// inZstd has a job write zstd with a dictionary.
func inZstd(t *testing.T, dir, dictionary string) {
	t.Helper()
	name := filepath.Join(dir, "job.toml")
	data, err := os.ReadFile(name)
	if err == nil {
		settings := fmt.Sprintf("[warc]\ncompression = \"zstd\"\nzstd_dictionary = %q\n", dictionary)
		err = os.WriteFile(name, bytes.Replace(data, []byte("[warc]\n"), []byte(settings), 1), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// pictures is a web with ten pictures, which are at many addresses each.
type pictures struct{ testweb.Web }

// Host implements [testweb.Web].
func (p pictures) Host(name string) http.Handler {
	h := p.Web.Host(name)
	if h == nil {
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".png") {
			testweb.Image(len(r.Host+r.URL.Path)%10).ServeHTTP(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// revisits counts the revisit records.
func revisits(t *testing.T, dir string) (n int) {
	t.Helper()
	archiveRecords(t, dir, func(r warc.RecordInfo) {
		if r.Type == warc.TypeRevisit {
			n++
		}
	})
	return n
}
