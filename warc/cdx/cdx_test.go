package cdx_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"exclave/warc"
	"exclave/warc/cdx"
)

// record writes a WARC record; fields stand behind type, address, id and date.
func record(kind, uri, id, block string, fields ...string) string {
	head := fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nWARC-Record-ID: <urn:uuid:%s>\r\nWARC-Date: 2026-11-24T10:00:00.123Z\r\n", kind, uri, id)
	for _, f := range fields {
		head += f + "\r\n"
	}
	return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s\r\n\r\n", head, len(block), block)
}

const answer = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\nDobrý den"

func zipped(records ...string) []byte {
	var b bytes.Buffer
	for _, r := range records {
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, r); err != nil {
			panic(err)
		}
		if err := w.Close(); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

// index returns the lines of files, and the defects.
func index(t *testing.T, f cdx.Format, o cdx.Options, files ...[]byte) (lines []string, defects []warc.Defect) {
	t.Helper()
	x := cdx.NewIndex(f, t.TempDir())
	defer func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}()
	for i, file := range files {
		report := func(d warc.Defect) { defects = append(defects, d) }
		if err := cdx.Read(bytes.NewReader(file), fmt.Sprintf("%d.warc.gz", i), o, report, x.Add); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if n, err := x.WriteTo(&b); err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes told of %d: %v", n, b.Len(), err)
	}
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.TrimSuffix(line, "\n"))
	}
	return lines, defects
}

func TestLines(t *testing.T) {
	digest, err := warc.Digest(strings.NewReader("Dobrý den"))
	if err != nil {
		t.Fatal(err)
	}
	page := record("response", "http://www.example.cz/A b", "1", answer, "Content-Type: application/http")
	image := record("resource", "https://example.cz/i.png", "2", "PNG", "Content-Type: image/png", "WARC-Payload-Digest: sha1:X")
	fields := record("metadata", "http://www.example.cz/A b", "3", "via: x\r\n", "Content-Type: application/warc-fields")
	verdict := record("metadata", "urn:exclave:verdict:http://a.cz/ž\"", "4", "{}", "Content-Type: application/json", "WARC-Payload-Digest: sha1:Y")
	revisit := record("revisit", "http://example.cz/", "5", "HTTP/1.1 304 Not Modified\r\n\r\n", "WARC-Payload-Digest: sha1:Z")
	file := zipped(page, image, fields, verdict, revisit)
	size := func(s string) int { return len(zipped(s)) }
	want := []string{
		fmt.Sprintf(`cz,example)/ 20261124100000 {"url": "http://example.cz/", "mime": "warc/revisit", "status": "304", "digest": "sha1:Z", "length": "%d", "offset": "%d", "filename": "0.warc.gz"}`, size(revisit), len(file)-size(revisit)),
		fmt.Sprintf(`cz,example)/a%%20b 20261124100000 {"url": "http://www.example.cz/A%%20b", "mime": "text/html", "status": "200", "digest": "%s", "length": "%d", "offset": "0", "filename": "0.warc.gz"}`, digest, size(page)),
		fmt.Sprintf(`cz,example)/i.png 20261124100000 {"url": "https://example.cz/i.png", "mime": "image/png", "digest": "sha1:X", "length": "%d", "offset": "%d", "filename": "0.warc.gz"}`, size(image), size(page)),
		fmt.Sprintf(`urn:exclave:verdict:http://a.cz/%%c5%%be" 20261124100000 {"url": "urn:exclave:verdict:http://a.cz/\u017e\"", "mime": "application/json", "digest": "sha1:Y", "length": "%d", "offset": "%d", "filename": "0.warc.gz"}`, size(verdict), size(page)+size(image)+size(fields)),
	}
	if got, defects := index(t, cdx.CDXJ, cdx.Options{}, file); !slices.Equal(got, want) || len(defects) != 0 {
		t.Errorf("got\n%s\nwant\n%s\n%v", strings.Join(got, "\n"), strings.Join(want, "\n"), defects)
	}
	got, _ := index(t, cdx.CDX11, cdx.Options{Types: []string{"response"}}, file)
	line := fmt.Sprintf("cz,example)/a%%20b 20261124100000 http://www.example.cz/A%%20b text/html 200 %s - - %d 0 0.warc.gz", digest[5:], size(page))
	if want := []string{" CDX N b a m s k r M S V g", line}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got, _ = index(t, cdx.CDX9, cdx.Options{Types: []string{"resource"}}, file)
	if want := []string{" CDX N b a m s k r V g", fmt.Sprintf("cz,example)/i.png 20261124100000 https://example.cz/i.png image/png - X - %d 0.warc.gz", size(page))}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}

	// Plain records end with their block; lines of several files are one order, and equal ones are one.
	plain := []byte(page + image)
	got, _ = index(t, cdx.CDX9, cdx.Options{}, plain, plain)
	if len(got) != 5 || !slices.IsSorted(got) || !strings.HasSuffix(got[1], " 0 0.warc.gz") || !strings.HasSuffix(got[2], " 0 1.warc.gz") {
		t.Errorf("%q", got)
	}
	got, _ = index(t, cdx.CDXJ, cdx.Options{}, plain)
	if want := fmt.Sprintf(`"length": "%d", "offset": "%d"`, len(image)-4, len(page)); !strings.Contains(got[1], want) {
		t.Errorf("%s, not %s", got[1], want)
	}
}

// Damaged records, those without a date, and files that nothing can jump into have no lines.
func TestDamage(t *testing.T) {
	page := record("response", "http://a.cz/", "1", answer, "Content-Type: application/http")
	bad := zipped(record("response", "http://b.cz/", "2", strings.Repeat(answer, 100)))
	bad[len(bad)/2] ^= 0xff
	undated := strings.Replace(record("response", "http://c.cz/", "3", answer), "2026-11-24T10:00:00.123Z", "2026-13", 1)
	last := zipped(record("response", "http://d.cz/", "4", answer))
	file := slices.Concat(zipped(page), bad, zipped(undated), last[:len(last)-9])
	got, defects := index(t, cdx.CDX9, cdx.Options{}, file)
	if len(got) != 2 || !strings.HasPrefix(got[1], "cz,a)/ ") || len(defects) < 3 {
		t.Errorf("%q, %v", got, defects)
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, page+page+page); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	err := cdx.Read(&b, "x", cdx.Options{}, func(warc.Defect) {}, func(*cdx.Capture) error { return nil })
	if !errors.Is(err, cdx.ErrStream) {
		t.Errorf("of one member over three records: %v", err)
	}
	want := errors.New("full")
	if err := cdx.Read(bytes.NewReader(file), "x", cdx.Options{}, func(warc.Defect) {}, func(*cdx.Capture) error { return want }); !errors.Is(err, want) {
		t.Errorf("error of the caller: %v", err)
	}
}

// Keys of answers to requests with a body. The values were made with pywb's rules by hand; interop compares the files of others.
func TestPost(t *testing.T) {
	for name, c := range map[string]struct{ method, kind, body, query, key string }{
		"form":      {"POST", "application/x-www-form-urlencoded", "A=b+c&d=%C5%BE%", "A=b c&d=ž%", "a=b%20c&d=%c5%be%25"},
		"put":       {"PUT", "application/x-www-form-urlencoded", "q=1", "q=1", "q=1"},
		"json":      {"POST", "application/json", `{"a": 1.50, "b": [true, null, {"a": "~ž"}], "c": 1e20, "": 5}`, "a=1.5&b=True&b.2_=None&a.2_=~%C5%BE&c=1e%2B20", ""},
		"lines":     {"POST", "text/plain", "{\"a\": 1}\n{\"a\": 0.00001}", "a=1&a.2_=1e-05", ""},
		"broken":    {"POST", "application/json", `{"a": `, "", ""},
		"text":      {"POST", "text/plain", "ahoj", "__wb_post_data=YWhvag==", ""},
		"binary":    {"POST", "", "\x00\x01", "__wb_post_data=AAE=", ""},
		"parts":     {"POST", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"n m\"\r\n\r\nv&w\r\n--x--\r\n", "n+m=v%26w", ""},
		"no parts":  {"POST", "multipart/form-data", "--x", "__wb_post_data=LS14", ""},
		"no UTF-8":  {"POST", "application/x-www-form-urlencoded", "\xff", "__wb_post_data=/w==", ""},
		"get":       {"GET", "text/plain", "x", "none", ""},
		"very long": {"POST", "application/x-www-form-urlencoded", strings.Repeat("ž", 5000), strings.Repeat("ž", 4096), ""},
	} {
		t.Run(name, func(t *testing.T) {
			sent := fmt.Sprintf("%s /x HTTP/1.1\r\nHost: a.cz\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", c.method, c.kind, len(c.body), c.body)
			request := record("request", "http://a.cz/x?y", "q", sent, "WARC-Concurrent-To: <urn:uuid:a>")
			page := record("response", "http://a.cz/x?y", "a", answer, "WARC-Concurrent-To: <urn:uuid:q>")
			for order, file := range map[string][]byte{"request first": zipped(request, page), "answer first": zipped(page, request)} {
				var got []cdx.Capture
				err := cdx.Read(bytes.NewReader(file), "x", cdx.Options{Post: true}, func(d warc.Defect) { t.Error(d) }, func(c *cdx.Capture) error {
					got = append(got, *c)
					return nil
				})
				if err != nil || len(got) != 1 {
					t.Fatalf("%s: %v, %+v", order, err, got)
				}
				if c.query == "none" {
					if got[0].Method != "" || got[0].Key != "cz,a)/x?y" {
						t.Errorf("%s: %+v", order, got[0])
					}
					continue
				}
				if got[0].Method != c.method || got[0].Body != c.query {
					t.Errorf("%s: %s %.100q, want %.100q", order, got[0].Method, got[0].Body, c.query)
				}
				if c.key != "" && got[0].Key != "cz,a)/x?__wb_method="+strings.ToLower(c.method)+"&"+c.key+"&y" && !strings.Contains(got[0].Key, c.key) {
					t.Errorf("%s: key %s", order, got[0].Key)
				}
			}
			// Without the option, and of another request, the key is that of the address.
			other := record("request", "http://a.cz/x?y", "z", sent, "WARC-Concurrent-To: <urn:uuid:b>")
			for _, o := range []cdx.Options{{}, {Post: true}} {
				file := zipped(other, page)
				if !o.Post {
					file = zipped(request, page)
				}
				lines, _ := index(t, cdx.CDXJ, o, file)
				if len(lines) != 1 || !strings.HasPrefix(lines[0], "cz,a)/x?y ") || strings.Contains(lines[0], "method") {
					t.Errorf("%+v: %q", o, lines)
				}
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(record("response", "http://a.cz/", "1", answer)))
	f.Add(zipped(record("request", "http://a.cz/", "1", "POST / HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{\"a\":[1]}", "WARC-Concurrent-To: <urn:uuid:2>"), record("response", "http://a.cz/", "2", answer)))
	f.Fuzz(func(t *testing.T, data []byte) {
		err := cdx.Read(bytes.NewReader(data), "x", cdx.Options{Post: true}, func(warc.Defect) {}, func(c *cdx.Capture) error {
			for _, format := range []cdx.Format{cdx.CDXJ, cdx.CDX11, cdx.CDX9} {
				if line := format.Append(nil, c); bytes.Count(line, []byte("\n")) != 1 {
					t.Errorf("%q", line)
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, cdx.ErrStream) {
			t.Error(err)
		}
	})
}
