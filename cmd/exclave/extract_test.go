package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"exclave/internal/reading"
)

// Issue 21: extract shows what the crawler sees, wherever a document is.
func TestExtract(t *testing.T) {
	t.Chdir(t.TempDir())
	const page = "<title>Pila</title><base href=/pila/><a href='?q=řez#2'>Ceník</a><img src=pila.jpg><meta http-equiv=refresh content='1;url=dál'><p>Řežeme denně, přijďte"
	old, err := charmap.Windows1250.NewEncoder().String(page)
	if err != nil {
		t.Fatal(err)
	}
	requests := map[string]int{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests[r.URL.Path]++
		switch r.URL.Path {
		case "/from":
			http.Redirect(w, r, "/dir/to", http.StatusFound)
		case "/dir/to":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Link", "</s.css>; rel=preload; as=style")
			fmt.Fprint(w, old)
		default:
			http.NotFound(w, r)
		}
	}))
	defer srv.Close()
	links := func(base string) string {
		return strings.ReplaceAll("L nav a/@href BASE/pila/?q=%F8ez\nE embed img/@src BASE/pila/pila.jpg\nR nav meta/@content BASE/pila/d%C3%A1l\n", "BASE", base)
	}
	preload := "E embed Link:/@href[rel=preload,as=style] "
	write(t, "old.html", old)
	write(t, "two.txt", "text")
	write(t, "cut.css", `@import "a.css`)
	write(t, "piece.html", `<object data=f.html></object>`)
	write(t, "c.jsonld", `{"url":"b.html"}`)
	write(t, "e.rnc", `include "d.rnc"`)
	write(t, "list?v=2.css", `@import "a.css";`)
	write(t, "list.css?v=2", `@import "b.css";`)
	write(t, "empty", "")
	write(t, "binary", "\x00\x01\x02\x03")
	if err := os.Mkdir("folder", 0o755); err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte(`<!doctype html><a href="http://a.test/x">x</a>`)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, "web.gz", zipped.String())
	var many strings.Builder
	for i := range 7000 {
		fmt.Fprintf(&many, "<a href=?%d>", i)
	}
	write(t, "many.html", many.String())
	var archive bytes.Buffer
	offset := 0
	for i, answer := range []string{
		"HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + old,
	} {
		offset = archive.Len()
		fmt.Fprintf(&archive, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000000%d>\r\nWARC-Date: 2026-11-23T00:00:00Z\r\nWARC-Target-URI: http://a.test/%c\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", i, 'a'+i, len(answer), answer)
	}
	write(t, "a.warc", archive.String())
	redirect, second := "# http://a.test/a  []  302\nR redirect Location: http://a.test/b\n", "# http://a.test/b  [text/html]  200\n"+links("http://a.test")
	for _, c := range []struct {
		why, want string
		args      []string
	}{
		{"a redirect is followed; header fields and body, in the charset that the bytes are in", preload + srv.URL + "/s.css\n" + links(srv.URL), []string{srv.URL + "/from"}},
		{"without an address links are as found", "L nav a/@href ?q=řez#2\nE embed img/@src pila.jpg\nR nav meta/@content dál\n", []string{"old.html"}},
		{"with one they are as they would be queued", links("http://x.test"), []string{"--base", "http://u:p@x.test/y#z", "old.html"}},
		{"every response of a WARC", redirect + second, []string{"a.warc"}},
		{"of a URL", redirect, []string{"--url", "http://a.test/a", "a.warc"}},
		{"at an offset", second, []string{"--offset", fmt.Sprint(offset), "a.warc"}},
		{"the text", "# old.html  [text/html]\nCeník\nŘežeme denně, přijďte\n# two.txt  [text/plain]\ntext\n", []string{"--text", "old.html", "two.txt"}},
		{"of packed files nothing, unless it is asked for", "L nav packed:a/@href http://a.test/x\n", []string{"--packed", "--base", "http://x.test/", "web.gz"}},
		{"the type as in a header field", links("http://x.test"), []string{"--base", "http://x.test/", "--type", "text/html; charset=windows-1250", "old.html"}},
		{"the name of the file tells its type, whatever the base is", "E embed css/@import http://x.test/a.css\n", []string{"--base", "http://x.test/", "cut.css"}},
		{"of a piece of HTML", "E frame object/@data http://x.test/f.html\n", []string{"--base", "http://x.test/", "piece.html"}},
		{"of JSON-LD too", "X speculative js/string http://x.test/b.html\n", []string{"--base", "http://x.test/", "c.jsonld"}},
		{"and of RELAX NG", "E embed rnc/include http://x.test/d.rnc\n", []string{"--base", "http://x.test/", "e.rnc"}},
		{"a file named as its address is has the type of its extension", "# list?v=2.css  [text/css]\nE embed css/@import a.css\n# list.css?v=2  [text/css]\nE embed css/@import b.css\n", []string{"list?v=2.css", "list.css?v=2"}},
		{"what a server would say counts", "E embed css/url http://x.test/i.png\n", []string{"--base", "http://x.test/", "--type", "text/css", "style"}},
	} {
		write(t, "style", "a{background:url(i.png)}")
		if code, out, stderr := inside("", append([]string{"extract"}, c.args...)...); code != 0 || out != c.want {
			t.Errorf("%s: code %d\n%s%swant\n%s", c.why, code, out, stderr, c.want)
		}
	}
	if requests["/from"] != 1 || requests["/dir/to"] != 1 || len(requests) != 2 {
		t.Errorf("requests %v", requests)
	}
	var d reading.Document
	_, out, _ := inside("", "extract", "--json", srv.URL+"/dir/to")
	if err := json.Unmarshal([]byte(out), &d); err != nil || d.Charset != "windows-1250" || d.CharsetFrom != "detected" || d.Base != "/pila/" || d.Title != "Pila" ||
		d.Declared != "text/html" || d.Status != 200 || len(d.Links) != 4 || d.Links[1].Text != "Ceník" || !strings.Contains(d.Text, "přijďte") {
		t.Errorf("%v: %s", err, out)
	}
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{1, "web.gz: is application/x-gzip, which --packed opens", []string{"web.gz"}},
		{1, "two.txt: no links, read as text/plain; --type says another", []string{"two.txt"}},
		{1, "empty: is empty", []string{"empty"}},
		{1, "binary: no format is known for type application/octet-stream; --type says another", []string{"binary"}},
		{2, "folder is a folder; name the documents or WARC files in it", []string{"folder"}},
		{2, `--type "bogus": no format is known for it; types are text/html`, []string{"--type", "bogus", "old.html"}},
		{2, "none.html: no such file", []string{"none.html"}},
		{2, "--offset 1: no response record", []string{"--offset", "1", "a.warc"}},
		{2, "--offset 1: no response record", []string{"--offset", "1", "old.html"}},
		{1, "", []string{"--offset", "0", "--url", "http://a.test/b", "a.warc"}},
		{2, `charset "klingon" is not known`, []string{"--charset", "klingon", "old.html"}},
		{2, `charset "klingon" is not known`, []string{"--type", "text/html; charset=klingon", "old.html"}},
		{2, "only charset counts", []string{"--type", "text/html; x=y", "old.html"}},
		{2, "may not say another", []string{"--type", "text/html; charset=utf-8", "--charset", "windows-1250", "old.html"}},
		{0, "many.html: 1000 links left out: at most 6000", []string{"many.html"}},
	} {
		code, _, stderr := inside("", append([]string{"extract"}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.says) || strings.Contains(stderr, "judge") {
			t.Errorf("%q: code %d, %s", c.args, code, stderr)
		}
	}
	if _, out, _ := inside("", "extract", "--json", "old.html", "e.rnc"); strings.Contains(out, `"status"`) || strings.Contains(out, `"declared"`) {
		t.Errorf("a file has neither status nor declared type: %s", out)
	}
	if code, out, stderr := inside("", "extract", srv.URL+"/none"); code != 1 || out != "" {
		t.Errorf("an answer of 404: %d %s%s", code, out, stderr)
	}
}

// What a document says of its links: relation and text, of each kind of link that has them.
func TestExtractRel(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.html", `<link rel="alternate" title="Deutsch" href=de><a rel="nofollow  Me" href=b>B</a><map><area rel=noopener alt=C href=c></map><a href=d>D</a>`)
	write(t, "a.atom", `<feed xmlns="http://www.w3.org/2005/Atom"><link rel="related" title="E" href="e"/><link href="f"/></feed>`)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Link", `<g>; rel="next item"; title="G"`)
	}))
	defer srv.Close()
	for arg, want := range map[string]string{
		"a.html": "de|alternate|Deutsch b|nofollow Me|B c|noopener|C d||D",
		"a.atom": "e|related|E f||",
		srv.URL:  srv.URL + "/g|next item|G",
	} {
		var d reading.Document
		_, out, _ := inside("", "extract", "--json", arg)
		if err := json.Unmarshal([]byte(out), &d); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range d.Links {
			got = append(got, l.URL+"|"+l.Rel+"|"+l.Text)
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: %q, want %q", arg, got, want)
		}
	}
}
