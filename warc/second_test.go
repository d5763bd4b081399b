package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"exclave/internal/sharedtest"
)

// packed puts records into one file, each in its own gzip member.
func packed(t testing.TB, records ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, r := range records {
		z := gzip.NewWriter(&b)
		_, err := io.WriteString(z, r)
		must(t, errors.Join(err, z.Close()))
	}
	return b.Bytes()
}

// foreign is a record as another program might write it, with further header lines.
func foreign(n int, lines, block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\nWARC-Date: 2026-11-23T00:00:00Z\r\n%sContent-Length: %d\r\n\r\n%s\r\n\r\n", n, lines, len(block), block)
}

// A reader with a second opinion tells what gowarc objects to, at its place, and reads the same as one
// without; of what is damaged gowarc is not asked.
func TestSecondOpinion(t *testing.T) {
	const page = "WARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nContent-Type: application/http; msgtype=response\r\n"
	fields := func(block string) string {
		return foreign(9, "WARC-Type: metadata\r\nWARC-Target-URI: http://a.example/\r\nContent-Type: application/warc-fields\r\n", block)
	}
	for _, tt := range []struct {
		why, record string
		want        string // part of the objection; "" = none
	}{
		{"nothing is wrong", foreign(1, page, "HTTP/1.1 200 OK\r\n\r\n"), ""},
		{"broken HTTP is what a server sent", foreign(1, page, "nonsense"), ""},
		{"a type that the standard does not know", foreign(2, "WARC-Type: unknown\r\nContent-Type: text/plain\r\n", "x"), "unrecognized value 'unknown'"},
		{"brackets around a URI (wget)", foreign(3, strings.Replace(page, "http://a.example/", "<http://a.example/>", 1), "x"), "WARC-Target-URI"},
		{"no Content-Type", foreign(4, "WARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\n", "x"), "Content-Type"},
		{"a block of fields", fields("via: http://b.example/\r\n"), ""},
		{"a block of fields with a line that is none", fields("via: http://b.example/\r\nnonsense\r\n"), "nonsense"},
		{"a word that is encoded (RFC 2047)", foreign(5, page+"X-Title: =?utf-8?q?=C5=BE?=\r\n", "x"), "reads X-Title differently"},
		{"damage is not asked about", strings.Replace(foreign(6, "WARC-Type: unknown\r\n", "xyz"), "Content-Length: 3", "Content-Length: 1", 1), ""},
	} {
		data := packed(t, foreign(1, page, "first"), tt.record)
		at := int64(len(packed(t, foreign(1, page, "first"))))
		plain, _ := readAll(t, data, false)
		asked, objections := readAll(t, data, true)
		if !slices.Equal(plain, asked) {
			t.Errorf("%s: read as %q, without second opinion as %q", tt.why, asked, plain)
		}
		var said []string
		for _, d := range objections {
			if d.Kind != KindStandard || d.Offset != at {
				t.Errorf("%s: %+v, expected at %d", tt.why, d, at)
			}
			said = append(said, d.Detail)
		}
		if got := strings.Join(said, "; "); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: objections %q, want %q", tt.why, said, tt.want)
		}
	}
}

// readAll reads records, and every other block of them.
func readAll(t testing.TB, data []byte, ask bool) (read []string, objections []Defect) {
	t.Helper()
	r := NewTolerantReader(bytes.NewReader(data), func(d Defect) { read = append(read, d.Error()) })
	if ask {
		r.SecondOpinion(func(d Defect) { objections = append(objections, d) })
	}
	for n := 1; ; n++ {
		e, err := r.Next()
		if err == io.EOF {
			return read, objections
		}
		if err != nil {
			t.Fatal(err)
		}
		var block []byte
		if n%2 == 0 {
			block, err = io.ReadAll(e.Block)
		}
		read = append(read, fmt.Sprint(e.Offset, e.Header, string(block), err))
	}
}

// gowarc is not asked about records of our own form: bulk readers of our archives do not pay for it.
func TestSecondOpinionOfOurs(t *testing.T) {
	var all []string
	for _, rec := range ownRecords(t) {
		block := make([]byte, rec.size())
		_, err := io.ReadFull(rec.reader(), block)
		must(t, err)
		all = append(all, string(rec.appendHeader(nil))+string(block)+"\r\n\r\n")
	}
	r := NewReader(bytes.NewReader(packed(t, all...)))
	r.SecondOpinion(func(d Defect) { t.Error(d) })
	n := 0
	for ; ; n++ {
		if _, err := r.Next(); err == io.EOF {
			break
		} else {
			must(t, err)
		}
	}
	if n != len(all) || r.second != nil {
		t.Errorf("%d records of %d; gowarc was asked: %v", n, len(all), r.second != nil)
	}
}

// Files of other people: with a second opinion the same records are read, and what it objects to is what
// verify says.
func TestSecondOpinionOfOthers(t *testing.T) {
	files, err := filepath.Glob(sharedtest.Path(t, "data/warc/warcio/test/data") + "/*.warc*")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	total := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		must(t, err)
		plain, _ := readAll(t, data, false)
		asked, objections := readAll(t, data, true)
		if !slices.Equal(plain, asked) {
			t.Errorf("%s is read differently", file)
		}
		said := map[string]bool{}
		for _, d := range objections {
			said[fmt.Sprint(d.Offset, d.Detail)] = true
		}
		must(t, VerifyFrom(bytes.NewReader(data), nil, func(d Defect) {
			if d.Kind == KindStandard && !said[fmt.Sprint(d.Offset, d.Detail)] {
				t.Errorf("%s: verify says %v, the reader does not", file, &d)
			}
		}))
		total += len(objections)
	}
	if total == 0 {
		t.Error("no objection: the files hold too little")
	}
}

// BenchmarkReader shows what the second opinion costs a bulk reader of our own records.
func BenchmarkReader(b *testing.B) {
	var all []string
	for _, rec := range ownRecords(b) {
		block := make([]byte, rec.size())
		_, err := io.ReadFull(rec.reader(), block)
		must(b, err)
		all = append(all, string(rec.appendHeader(nil))+string(block)+"\r\n\r\n")
	}
	data := packed(b, slices.Repeat(all, 100)...)
	for _, ask := range []bool{false, true} {
		b.Run(fmt.Sprintf("ask=%v", ask), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := NewReader(bytes.NewReader(data))
				if ask {
					r.SecondOpinion(func(Defect) {})
				}
				for {
					if _, err := r.Next(); err != nil {
						break
					}
				}
			}
		})
	}
}
