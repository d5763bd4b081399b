package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"exclave/internal/sharedtest"
)

// Issue: HTTP ranges. A record of a file on a server is read by its place, the whole file is listed and checked, and a server without
// ranges, or without the file, is told from damage.
func TestWARCOverHTTP(t *testing.T) {
	data, err := os.ReadFile(sharedtest.Path(t, "data/warc/warcio/test/data/example.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var ranges []string
	mux := http.NewServeMux()
	mux.HandleFunc("/ranges", func(w http.ResponseWriter, r *http.Request) {
		ranges = append(ranges, r.Header.Get("Range"))
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "x", time.Time{}, bytes.NewReader(data))
	})
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(data) })
	s := httptest.NewServer(mux)
	defer s.Close()
	run := func(args ...string) (string, error) {
		var began bool
		var out bytes.Buffer
		root := newRoot(&began)
		root.SetArgs(append([]string{"warc"}, args...))
		root.SetOut(&out)
		root.SetErr(&out)
		err := root.ExecuteContext(t.Context())
		return out.String(), err
	}
	for _, path := range []string{"/ranges", "/stream"} {
		if out, err := run("ls", s.URL+path); err != nil || strings.Count(out, "\n") != 6 {
			t.Errorf("ls %s: %v\n%s", path, err, out)
		}
		if out, err := run("check", s.URL+path); err != nil || !strings.Contains(out, "6 records") {
			t.Errorf("check %s: %v\n%s", path, err, out)
		}
		if out, err := run("cat", s.URL+path, "--offset", "784", "--decoded"); err != nil || !strings.HasPrefix(out, "<!doctype html>") {
			t.Errorf("cat %s: %v\n%s", path, err, out)
		}
	}
	if len(ranges) == 0 || !strings.HasPrefix(ranges[0], "bytes=0-") {
		t.Errorf("asked for %q", ranges)
	}
	if out, err := run("ls", s.URL+"/none"); codeOf(err) != int(exitUsage) {
		t.Errorf("of no file: %v\n%s", err, out)
	}
}

// A signal ends a verb with its own code, and nothing is made.
func TestWARCInterrupted(t *testing.T) {
	name := sharedtest.Path(t, "data/warc/warcio/test/data/example.warc.gz")
	dir, index := t.TempDir(), t.TempDir()
	for _, args := range [][]string{{"warc", "ls", name}, {"warc", "check", name}, {"warc", "cat", name}, {"warc", "recompress", name, "-o", dir + "/x.warc.gz"},
		{"cdx", name, "-o", dir + "/x.cdxj"}, {"pywb", name, "-o", dir + "/pywb"}, {"dedup", "build", index, name}} {
		var began bool
		var out bytes.Buffer
		root := newRoot(&began)
		root.SetArgs(args)
		root.SetOut(&out)
		root.SetErr(&out)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := root.ExecuteContext(ctx); codeOf(err) != int(exitInterrupt) {
			t.Errorf("%v: %v", args, err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

// ADR 81: of pages of a real crawl some are nearly the same: lists of one tag with the same article. Damage is told, a distance that
// cannot be refused.
func TestWARCNear(t *testing.T) {
	file := sharedtest.Path(t, "data/warc/ipwb/samples/warcs/sample-1.warc.gz")
	code, out, errs := inside("", "warc", "near", file)
	for _, want := range []string{"pages with text: 63\npages with less than 50 words: 0\n", "\npages nearly the same as an earlier one: 7\n", "\n63 0 0 7 bitchmagazine.org\n",
		"\n4 4 http://bitchmagazine.org/tag/cyberbullying http://bitchmagazine.org/tag/guns-in-school "} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%d %s: no %q in\n%s", code, errs, want, out)
		}
	}
	if code, out, _ := inside("", "warc", "near", file, "--distance", "1"); code != 0 || strings.Contains(out, "earlier one: 7") {
		t.Errorf("%d\n%s", code, out)
	}
	clipped := sharedtest.Path(t, "data/warc/resiliparse/tests/data/clipped.warc.gz")
	if code, out, errs := inside("", "warc", "near", clipped); code != 1 || !strings.Contains(out, "pages with text: ") || !strings.Contains(errs, "exclave warc check") {
		t.Errorf("%d %s\n%s", code, errs, out)
	}
	for _, d := range []string{"0", "8"} {
		if code, _, errs := inside("", "warc", "near", file, "--distance", d); code != 2 || !strings.Contains(errs, "--distance") {
			t.Errorf("--distance %s: %d %s", d, code, errs)
		}
	}
}
