package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exclave/warc"
	"exclave/warc/rewrite"
)

// resource is a small record.
func resource(i int) string {
	block := fmt.Sprintf("page %d of a site, whose pages are alike but for their number\n", i)
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://site%d.example/page/%d\r\nWARC-Date: 2026-11-21T05:06:07.%03dZ\r\n"+
		"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i%7, i, i%1000, i, len(block), block)
}

// zstdFile makes, in the present folder, plenty.warc.gz of 300 records and plenty.warc.zst of it, with a dictionary that is trained on it, d.dict.
func zstdFile(t *testing.T) {
	t.Helper()
	var plain strings.Builder
	for i := range 300 {
		plain.WriteString(resource(i))
	}
	write(t, "plenty.warc", plain.String())
	for _, args := range [][]string{
		{"warc", "recompress", "plenty.warc", "-o", "plenty.warc.gz"}, {"warc", "dictionary", "plenty.warc.gz", "-o", "d.dict", "--size", "2K"},
		{"warc", "recompress", "plenty.warc.gz", "--dictionary", "d.dict", "-o", "plenty.warc.zst"},
	} {
		if code, out, err := inside("", args...); code != 0 {
			t.Fatalf("%v: %s%s", args, out, err)
		}
	}
}

// Issue 20: whatever is known to work on .warc.gz works on .warc.zst with a dictionary: records are read at their places, also over HTTP, where the
// dictionary at the file's beginning is needed; indexes lead to them; pywb, which does not read it, gets gzip.
func TestZstdFilesOfCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	zstdFile(t)
	run := func(args ...string) string {
		t.Helper()
		code, out, err := inside("", args...)
		if code != 0 {
			t.Errorf("%v: exit code %d %s", args, code, err)
		}
		return out
	}
	gz, err := os.Stat("plenty.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("plenty.warc.zst")
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(data)) > gz.Size()/2 {
		t.Errorf("%d bytes with a dictionary, %d in gzip", len(data), gz.Size())
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		http.ServeContent(w, r, "x", time.Time{}, bytes.NewReader(data))
	}))
	defer s.Close()
	lines := strings.Split(strings.TrimSpace(run("warc", "ls", "plenty.warc.zst")), "\n")
	if len(lines) != 300 {
		t.Fatalf("%d records", len(lines))
	}
	for _, i := range []int{0, 1, 200, 299} {
		offset, _, _ := strings.Cut(lines[i], " ")
		for _, name := range []string{"plenty.warc.zst", s.URL} {
			if got := run("warc", "cat", name, "--record", "--offset", offset); got != resource(i) {
				t.Errorf("record %d at %s of %s: %q", i, offset, name, got)
			}
		}
	}
	if got := run("warc", "cat", "plenty.warc.zst", "--record"); got != resource(0) {
		t.Errorf("the first record, which is behind the dictionary: %q", got)
	}
	if code, _, err := inside("", "warc", "cat", "plenty.warc.zst", "--offset", "7"); code != int(exitNegative) || !strings.Contains(err, "no record begins at this offset") {
		t.Errorf("within the dictionary: %d %s", code, err)
	}
	cdx := run("cdx", "plenty.warc.zst", "--records", "resource")
	if n := strings.Count(cdx, "\n"); n != 300 {
		t.Errorf("%d lines of index", n)
	}

	run("pywb", "plenty.warc.zst", "-o", "replay", "--collection", "c")
	names, err := filepath.Glob("replay/collections/c/archive/*")
	if err != nil || len(names) != 1 || filepath.Base(names[0]) != "plenty.warc.gz" {
		t.Fatalf("the collection has %v %v", names, err)
	}
	index, err := os.ReadFile("replay/collections/c/indexes/index.cdxj")
	if err != nil || strings.Contains(string(index), ".zst") {
		t.Errorf("index %v %.300s", err, index)
	}
	if out := run("warc", "check", names[0]); !strings.Contains(out, "300 records") {
		t.Errorf("its file: %s", out)
	}
	if code, _, err := inside("", "pywb", "plenty.warc.gz", "plenty.warc.zst", "-o", "twice", "--collection", "c"); code != int(exitUsage) || !strings.Contains(err, "two files are named plenty.warc.gz") {
		t.Errorf("two files of one name: %d %s", code, err)
	}
	// What goes to stdout are the bytes of the file, not a text.
	if out := run("warc", "recompress", "plenty.warc.gz", "--form", "zstd", "--dictionary", "d.dict", "-o", "-"); out != string(data) {
		t.Errorf("%d bytes on stdout, %d in the file", len(out), len(data))
	}
	run("wacz", "plenty.warc.zst", "-o", "plenty.wacz")
}

// What cannot be a dictionary, or be made one, is said and changes nothing.
func TestZstdDictionaryErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	zstdFile(t)
	write(t, "words", "no dictionary")
	write(t, "one.warc", resource(1))
	write(t, "cut.warc", resource(1)+resource(2)[:80])
	for _, c := range []struct {
		why  string
		code exitCode
		says string
		args []string
	}{
		{"no dictionary", exitUsage, "is none of zstd", []string{"recompress", "plenty.warc.gz", "-o", "made", "--form", "zstd", "--dictionary", "words"}},
		{"not there", exitUsage, "--dictionary", []string{"recompress", "plenty.warc.gz", "-o", "made", "--form", "zstd", "--dictionary", "none"}},
		{"for gzip", exitUsage, "for zstd, not for gzip", []string{"recompress", "plenty.warc.gz", "-o", "made", "--dictionary", "d.dict"}},
		{"too few records", exitNegative, "too few", []string{"dictionary", "one.warc", "-o", "made"}},
		{"damaged", exitNegative, "1 defect", []string{"dictionary", "cut.warc", "-o", "made"}},
		{"too small", exitUsage, "not between", []string{"dictionary", "plenty.warc", "-o", "made", "--size", "100"}},
		{"no size", exitUsage, "not between", []string{"dictionary", "plenty.warc", "-o", "made", "--size", "x"}},
		{"no output", exitUsage, "--output", []string{"dictionary", "plenty.warc"}},
		{"there", exitUsage, "is there already", []string{"dictionary", "plenty.warc", "-o", "words"}},
	} {
		code, out, err := inside("", append([]string{"warc"}, c.args...)...)
		if code != int(c.code) || !strings.Contains(err, c.says) {
			t.Errorf("%s: exit code %d, %q %q", c.why, code, out, err)
		}
		if _, err := os.Stat("made"); err == nil {
			t.Errorf("%s: something was made", c.why)
		}
	}
}

// A dictionary of many records is made of some of them, from the whole file.
func TestSampler(t *testing.T) {
	s := sampler{most: 100 << 10}
	var all strings.Builder
	for i := range 10_000 {
		all.WriteString(resource(i))
	}
	for r := warc.NewReader(strings.NewReader(all.String())); ; {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rec, ok, err := rewrite.Read(r, e, "x", t.TempDir())
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if err := errors.Join(s.take(rec), rec.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if s.have > s.most || s.have < s.most/4 {
		t.Errorf("%d bytes of at most %d", s.have, s.most)
	}
	train, rest := s.divided()
	if len(train) != 4*len(rest) && len(train)/4 != len(rest) {
		t.Errorf("%d to train on, %d to measure with", len(train), len(rest))
	}
	if last := train[len(train)-1]; !bytes.Contains(last, []byte("page/9")) {
		t.Errorf("the last sample is %.200q", last)
	}
}
