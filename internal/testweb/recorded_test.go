package testweb

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/internal/sharedtest"

	"github.com/klauspost/compress/gzip"
)

func TestFromWARCServesForeignCollection(t *testing.T) {
	// Issue 3, "What shows it": the sites of this file, served under their own names.
	rec, err := FromWARC(sharedtest.Path(t, "data/warc/py-wacz/tests/fixtures/example-collection-with-lists.warc"))
	if err != nil {
		t.Fatal(err)
	}
	truth := rec.Truth()
	if len(truth) < 15 {
		t.Fatalf("%d URLs", len(truth))
	}
	_, c := start(t, rec, Options{})
	// WARC-Payload-Digest of the file itself.
	recorded := map[string]string{
		"https://example.com/":                        "WJM2KPM4GF3QK2BISVUH2ASX64NOUY7L",
		"https://www.iana.org/domains/example":        "7NANJL7HGR4ESG7QW23AI5YXNPIJECAN",
		"https://www.iana.org/_js/2013.1/jquery.js":   "N3YH33VEZVT3YAP4DSS36YFBTC7QX2MK",
		"https://www.iana.org/_css/2015.1/screen.css": "G2FJZSBOUTDRH2JD4FPRZEVZSXPACDG4",
	}
	for _, want := range truth {
		resp, body := get(t, c, want.URL)
		if resp.StatusCode != want.Status || digest([]byte(body)) != want.Entity || resp.Header.Get("Content-Type") != want.Type {
			t.Errorf("%s: %d %s, want %+v", want.URL, resp.StatusCode, digest([]byte(body)), want)
		}
		if d := recorded[want.URL]; d != "" && (d != want.Payload || !want.Exact) {
			t.Errorf("%s: payload %s exact %t, recorded %s", want.URL, want.Payload, want.Exact, d)
		}
		delete(recorded, want.URL)
	}
	if len(recorded) != 0 {
		t.Errorf("not served: %v", recorded)
	}
}

func record(kind, url, block string) string {
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, url, len(block), block)
}

func TestFromWARCMakesAnswersDelimitable(t *testing.T) {
	cases := []struct{ why, block, wire string }{
		{"served as stored", "HTTP/1.1 200 Fine\r\nx-Y:z\r\nContent-Length: 2\r\n\r\nab", ""},
		{"chunked as stored", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n", ""},
		{"no length: ends with the connection", "HTTP/1.0 200 OK\r\n\r\nab", ""},
		{"recorder removed the chunks but not the header (browser recorders)",
			"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\nab",
			"HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 2\r\n\r\nab"},
		{"recorder decoded the body", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nab",
			"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"},
		{"recorded from HTTP/2", "HTTP/2 200\r\nContent-Length: 2\r\n\r\nab",
			"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nab"},
	}
	for _, tc := range cases {
		t.Run(tc.why, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.warc")
			if err := os.WriteFile(file, []byte(record("response", "<http://a.example/>", tc.block)), 0o600); err != nil {
				t.Fatal(err)
			}
			rec, err := FromWARC(file)
			if err != nil {
				t.Fatal(err)
			}
			s, _ := start(t, rec, Options{})
			want := tc.wire
			if want == "" {
				want = tc.block
			}
			got := exchange(t, s.HTTPAddr(), "a.example", len(want))
			if got != want {
				t.Errorf("got %q\nwant %q", got, want)
			}
			if exact := rec.Truth()[0].Exact; exact != (tc.wire == "") {
				t.Errorf("Exact = %t", exact)
			}
		})
	}
}

// exchange asks for / and returns the first n bytes of the answer.
func exchange(t *testing.T, addr, host string, n int) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", host)
	b := make([]byte, n)
	if _, err := io.ReadFull(c, b); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestFromWARCChoosesTheLastGoodAnswer(t *testing.T) {
	// A recording may hold a URL several times; gzip, whatever the file's name says.
	ok := func(body string) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	}
	var b bytes.Buffer
	for _, r := range []string{
		record("warcinfo", "", "x: y"),
		record("response", "http://a.example/", ok("first")),
		record("response", "http://A.example:80/#top", ok("second")),
		record("response", "http://a.example/", "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"),
		record("response", "http://a.example/gone", "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"),
		record("request", "http://a.example/asked", "GET / HTTP/1.1\r\n\r\n"),
		record("response", "dns:a.example", "20200101000000\na.example. 1 IN A 192.0.2.1\n"),
	} {
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(r)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "x.warc")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	rec, err := FromWARC(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range rec.Truth() {
		got = append(got, fmt.Sprint(c.URL, " ", c.Status))
	}
	if want := "http://a.example/ 200, http://a.example/gone 404"; strings.Join(got, ", ") != want {
		t.Errorf("truth %q, want %q", got, want)
	}
	if !strings.HasSuffix(rec.pages["http://a.example/"].Raw, "second") {
		t.Errorf("served %q", rec.pages["http://a.example/"].Raw)
	}
}

func FuzzFromWARC(f *testing.F) {
	f.Add([]byte(record("response", "http://a.example/", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")))
	f.Add([]byte("WARC/1.0\r\nContent-Length: 99999999999\r\n\r\nshort"))
	f.Add([]byte("WARC/1.0\r\nContent-Length: -1\r\n\r\n"))
	f.Add([]byte("no record"))
	f.Add([]byte{0x1f, 0x8b, 8})
	file := filepath.Join(f.TempDir(), "x.warc")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		rec, err := FromWARC(file) // must not panic, whatever the bytes
		if err == nil && len(rec.Truth()) != len(rec.pages) {
			t.Error("truth and pages differ")
		}
	})
}
