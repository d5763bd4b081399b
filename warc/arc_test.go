package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// arcRecords are of both versions, with line ends, spaces and addresses as writers put them.
func arcRecords() (out [][]byte) {
	record := func(line, block, end string) {
		out = append(out, fmt.Appendf(nil, "%s %d\n%s%s", line, len(block), block, end))
	}
	record("filedesc://a.arc 0.0.0.0 20050614070144 text/plain", "1 1 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n", "\n")
	record("http://a.example/ 192.0.2.1 20050614070145 text/html", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>one\n\n", "\n")
	record("dns:a.example 2001:db8::1 20050614070146 text/dns", "20050614070146\na.example. 60 IN A 192.0.2.1\n", "\r\n\n")
	record("http://a.example/a b 192.0.2.1 20050614070147123 text/html; charset=utf-8", "no header", "\n")
	record("http://a.example/"+strings.Repeat("long", 2000)+" 0.0.0.0 20050614070148 no-type", "", "\n")
	record("https://b.example/ 192.0.2.2 20050614070149 text/html 200 fac069150613fe55599cc7fa88aa089d - 209 a.arc", "HTTP/1.0 200 OK\r\n\r\n", "\n")
	record("http://a.example/ 192.0.2.1 20050614070145 text/html", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>two\n\n", "\n") // within the same second
	return out
}

type arcSeen struct {
	Header Header
	Block  string
}

// readARC returns the records that are whole.
func readARC(t *testing.T, data []byte, report func(Defect)) (out []arcSeen) {
	t.Helper()
	in := NewReader(bytes.NewReader(data))
	if report != nil {
		in = NewTolerantReader(bytes.NewReader(data), report)
	}
	for {
		e, err := in.Next()
		if err == io.EOF {
			return out
		}
		must(t, err)
		block, err := io.ReadAll(e.Block)
		if n, wrong := in.Finish(); err == nil && wrong == nil && n > 0 {
			out = append(out, arcSeen{e.Header, string(block)})
		} else if report == nil {
			t.Fatal(errors.Join(err, wrong))
		}
	}
}

// Issue: ARC is read as WARC is, with the fields that correspond, the same from each form.
func TestARC(t *testing.T) {
	records := arcRecords()
	plain := slices.Concat(records...)
	var members, frames []byte
	for _, r := range records {
		members = append(members, gzipOf(t, r)...)
		frames = append(frames, zstdOf(t, r)...)
	}
	got := readARC(t, plain, nil)
	var fields []string
	ids := map[string]bool{}
	for _, s := range got {
		ids[s.Header.Get("WARC-Record-ID")] = true
		var f []string
		for _, name := range []string{"WARC-Type", "WARC-Filename", "WARC-Target-URI", "WARC-Date", "WARC-IP-Address", "Content-Type", "Content-Length"} {
			if v := s.Header.Get(name); v != "" {
				f = append(f, v[:min(len(v), 36)])
			}
		}
		fields = append(fields, strings.Join(f, " | "))
		if id := unbracket(s.Header.Get("WARC-Record-ID")); !validID(id) || len(id) != 45 || id[23] != '5' {
			t.Errorf("ID %q", id)
		}
	}
	want := []string{
		"warcinfo | a.arc | 2005-06-14T07:01:44Z | text/plain | 76",
		"response | http://a.example/ | 2005-06-14T07:01:45Z | 192.0.2.1 | application/http; msgtype=response | 52",
		"resource | dns:a.example | 2005-06-14T07:01:46Z | 2001:db8::1 | text/dns | 44",
		"resource | http://a.example/a b | 2005-06-14T07:01:47.123Z | 192.0.2.1 | text/html; charset=utf-8 | 9",
		"resource | http://a.example/longlonglonglonglon | 2005-06-14T07:01:48Z | 0",
		"response | https://b.example/ | 2005-06-14T07:01:49Z | 192.0.2.2 | application/http; msgtype=response | 19",
		"response | http://a.example/ | 2005-06-14T07:01:45Z | 192.0.2.1 | application/http; msgtype=response | 52",
	}
	if d := cmp.Diff(want, fields); d != "" {
		t.Error(d)
	}
	if len(ids) != len(records) {
		t.Errorf("%d IDs of %d records", len(ids), len(records))
	}
	for name, data := range map[string][]byte{
		"gzip": members, "zstd": frames, "gzip, one stream": gzipOf(t, plain), "zstd, one stream": zstdOf(t, plain),
		"gzip, then plain": append(gzipOf(t, records[0]), slices.Concat(records[1:]...)...),
	} {
		if d := cmp.Diff(got, readARC(t, data, nil)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	// A record is read by its place, too.
	for at, i := 0, 0; i < len(records); i++ {
		if d := cmp.Diff(got[i:], readARC(t, plain[at:], nil)); d != "" {
			t.Errorf("from record %d on: %s", i, d)
		}
		at += len(records[i])
	}
}

// Damage costs the record that it is in, and is told.
func TestARCDamage(t *testing.T) {
	records := arcRecords()
	all := readARC(t, slices.Concat(records...), nil)
	pack := map[string]func(r []byte) []byte{"plain": func(r []byte) []byte { return r }, "gzip": func(r []byte) []byte { return gzipOf(t, r) }}
	for form, packed := range pack {
		for i := range records {
			var data []byte
			for j, r := range records {
				r = packed(r)
				if i == j {
					at := len(r) / 2
					if form == "plain" { // which has no checksum: too short for its length
						at = bytes.IndexByte(r, '\n') + 1
					}
					r = slices.Concat(r[:at], r[min(at+3, len(r)):])
				}
				data = append(data, r...)
			}
			var told []Defect
			got := readARC(t, data, func(d Defect) { told = append(told, d) })
			if len(told) == 0 && (form != "plain" || i != 4) { // of which only the line end is gone
				t.Errorf("%s, record %d: nothing was told", form, i)
			}
			for j := range all {
				if j != i && !slices.ContainsFunc(got, func(s arcSeen) bool { return cmp.Equal(s, all[j]) }) {
					t.Errorf("%s, record %d damaged: record %d is gone: %v", form, i, j, told)
				}
			}
		}
	}
	// Damage that leaves nothing to tell ARC by, at the beginning of the file.
	for form, packed := range pack {
		data := packed(slices.Concat(records[0]))
		copy(data[min(12, len(data)):], "\xff\xff\xff\xff\xff\xff")
		data[0] ^= 0xff
		for _, r := range records[1:] {
			data = append(data, packed(r)...)
		}
		if got := readARC(t, data, func(Defect) {}); len(got) != len(records)-1 {
			t.Errorf("%s: %d records are found behind the first one, of %d", form, len(got), len(records)-1)
		}
	}
	// Bytes that no header of WARC may hold.
	if got := readARC(t, []byte("http://a.example/\xe1\x01ž 192.0.2.1 20050614070145 text/html 1\nx\n"), nil); len(got) != 1 || got[0].Header.Get("WARC-Target-URI") != "http://a.example/%E1%01ž" {
		t.Errorf("an address of strange bytes: %+v", got)
	}
	for length, kind := range map[string]Kind{"-1": KindLength, "abc": KindLength, "900": KindTruncated} {
		_, err := verifyAll([]byte("http://a.example/ 192.0.2.1 20050614070145 text/html " + length + "\n\n"))
		if len(err) != 1 || err[0].Kind != kind {
			t.Errorf("length %s: %v", length, err)
		}
	}
	if _, told := verifyAll([]byte("http://a.example/ 192.0.2.1 200506140701451 text/html 1\nx\n")); len(told) != 1 || told[0].Kind != KindHeader {
		t.Errorf("a date of 15 digits: %v", told)
	}
}

func verifyAll(data []byte) (n int, told []Defect) {
	_ = VerifyFrom(bytes.NewReader(data), func(*RecordInfo) error { n++; return nil }, func(d Defect) { told = append(told, d) })
	return n, told
}
