package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/warc/dedup/deduptest"
)

// cdx --feed sends every line of CDX 11, again after failures that pass; what a server refuses is said with its words.
func TestFeed(t *testing.T) {
	t.Chdir(t.TempDir())
	var want []string
	text := ""
	for i := range 30 {
		body := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n%d", i)
		text += fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/%02d\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-0000000000%02d>\r\n"+
			"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, i, len(body), body)
	}
	write(t, "many.warc", text)
	code, out, stderr := inside("", "cdx", "--format", "cdx11", "many.warc")
	if code != 0 {
		t.Fatal(stderr)
	}
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, " CDX") {
			want = append(want, strings.TrimSuffix(line, "\n"))
		}
	}
	o := deduptest.StartOutback(t)
	o.Fail(1)
	if code, out, stderr := inside("", "cdx", "--feed", o.URL, "many.warc"); code != 0 || !strings.Contains(out, ": 30 lines") || o.Posts() != 2 {
		t.Errorf("%d %q %q, %d requests", code, out, stderr, o.Posts())
	}
	if got := o.Lines(); !slices.Equal(got, want) || len(want) != 30 {
		t.Errorf("%d lines came, want %d", len(got), len(want))
	}
	if code, _, stderr := inside("", "cdx", "--feed", o.URL+"s", "many.warc"); code != int(exitUsage) || !strings.Contains(stderr, "Collection does not exist") || !strings.Contains(stderr, "0 lines taken") {
		t.Errorf("%d %q", code, stderr)
	}
	for _, args := range [][]string{{"--feed", "localhost:8080/x"}, {"--feed", "http://h/"}, {"--feed", "http://h/x", "--post"}, {"--feed", "http://h/x", "--format", "cdxj"}, {"--feed", "http://h/x", "-o", "y"},
		{"--zipnum", "z", "-o", "y"}, {"--zipnum", "z", "--format", "cdx9"}, {"--zipnum", "many.warc"}} {
		if code, out, stderr := inside("", append([]string{"cdx", "many.warc"}, args...)...); code != int(exitUsage) || stderr == "" {
			t.Errorf("%v: %d %q %q", args, code, out, stderr)
		}
	}
}

// Of a file that a crawl has indexed the lines are taken from that index, but with --anew, --records or in another format, and when the file is younger.
func TestCDXTakesReadyIndexes(t *testing.T) {
	t.Chdir(t.TempDir())
	text := ""
	for i := range 2 {
		body := "HTTP/1.1 200 OK\r\n\r\n"
		text += fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/%d\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000000%d>\r\n"+
			"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, i, len(body), body)
	}
	write(t, "job/warcs/a.warc", text)
	code, all, stderr := inside("", "cdx", "job/warcs")
	if code != 0 || strings.Count(all, "\n") != 2 {
		t.Fatal(all, stderr)
	}
	first, _, _ := strings.Cut(all, "\n")
	const ready = "job/indexes/a.warc.cdxj"
	write(t, ready, first+"\n")
	for _, c := range []struct {
		args []string
		want int
	}{{nil, 1}, {[]string{"--post"}, 1}, {[]string{"--anew"}, 2}, {[]string{"--records", "response"}, 2}, {[]string{"--format", "cdx9"}, 3}} {
		if code, out, stderr := inside("", append([]string{"cdx", "job/warcs/a.warc"}, c.args...)...); code != 0 || strings.Count(out, "\n") != c.want {
			t.Errorf("%v: %d %q %q", c.args, code, out, stderr)
		}
	}
	if err := os.Chtimes(ready, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, out, _ := inside("", "cdx", "job/warcs"); out != all {
		t.Errorf("of an index that is older than the file: %q", out)
	}
}
