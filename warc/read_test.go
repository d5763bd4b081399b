package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/nlnwa/gowarc/v2"

	"exclave/internal/fsx"
	"exclave/internal/sharedtest"
)

const warcData = "data/warc/"

func TestDamagedFilesOfOthers(t *testing.T) {
	// Files that other projects damaged on purpose, named by the defect. Records
	// is what is still found whole; want the kinds of defects, adjacent ones once.
	cases := []struct {
		file    string
		records int
		want    string
	}{
		{"warcio/test/data/example.warc", 6, ""},
		{"warcio/test/data/example.warc.gz", 6, ""},
		{"warcio/test/data/example-resource.warc.gz", 3, ""},
		{"warcio/test/data/example-iana.org-chunked.warc", 3, ""}, // payload digest of chunks as they came
		{"warcio/test/data/post-test.warc.gz", 6, ""},
		{"warcio/test/data/example-bad-non-chunked.warc.gz", 6, "format block-digest"},
		{"warcio/test/data/example-bad.warc.gz.bad", 6, "format"},
		{"warcio/test/data/example.arc", 2, ""},
		{"warcio/test/data/example.arc.gz", 2, ""},
		{"warcio/test/data/bad.arc", 1, "content-length"},
		{"warcio/test/data/example-trunc.warc", 3, "content-length"},
		{"warcio/test/data/example-wrong-chunks.warc.gz", 0, "content-length"},
		{"warcio/test/data/example-space-in-target-uri.warc.gz", 2, "target-uri"},
		{"warcio/test/data/example-wget-bad-target-uri.warc.gz", 6, "standard"},
		{"warcio.js/test/data/example-bad-length.warc", 5, "content-length block-digest"},
		{"resiliparse/tests/data/clipped.warc.gz", 0, "truncated"},
		{"resiliparse/tests/data/warcfile.warc.gz", 50, ""},
		{"resiliparse/tests/data/block-sized-records.warc.gz", 3, "standard"},
		{"jwarc/test-resources/org/netpreserve/jwarc/gzip_extra_sl.warc.gz", 1, ""},
		{"cdxj-indexer/test/data/cc.warc.gz", 3, ""},
		{"cdxj-indexer/test/data/example.warc.gz", 6, "block-digest"},
		{"ipwb/samples/warcs/sample-1.warc.gz", 231, ""},
		{"ipwb/samples/warcs/broken.warc", 5, "content-length"},
		{"ipwb/samples/warcs/baconIpsum_chunked.warc", 6, "block-digest payload-digest"},
		{"py-wacz/tests/fixtures/example-collection-with-lists.warc", 38, ""},
		{"warc-specifications/primers/web-archive-formats/hello-world.warc.gz", 6, ""},
	}
	for _, c := range cases {
		t.Run(c.file, func(t *testing.T) {
			records := 0
			defects, err := verifyFile(fsx.Real(), sharedtest.Path(t, warcData+c.file), func(RecordInfo) error {
				records++
				return nil
			})
			must(t, err)
			var kinds []string
			for _, d := range defects {
				kinds = append(kinds, string(d.Kind))
			}
			kinds = slices.Compact(kinds)
			if got := strings.Join(kinds, " "); got != c.want || records != c.records {
				t.Errorf("%d records, defects %q, want %d and %q: %v", records, got, c.records, c.want, defects)
			}
		})
	}
}

func TestPositions(t *testing.T) {
	// The CDX of the IIPC's own sample names offset and length of each record.
	name := sharedtest.Path(t, warcData+"warc-specifications/primers/web-archive-formats/hello-world.warc.gz")
	data, err := os.ReadFile(name)
	must(t, err)
	var at int64
	_, err = verifyFile(fsx.Real(), name, func(i RecordInfo) error {
		if i.Ref.Offset != at {
			t.Errorf("record at %d, the one before ended at %d", i.Ref.Offset, at)
		}
		at += i.Ref.Length
		z, err := gzip.NewReader(bytes.NewReader(data[i.Ref.Offset:at]))
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, z)
		return err
	})
	must(t, err)
	if at != int64(len(data)) {
		t.Errorf("the last record ended at %d of %d", at, len(data))
	}
}

// standardRecords are examples of WARC 1.1 annex C, with blocks of our own.
var standardRecords = []struct{ section, header, block string }{
	{"C.1 warcinfo", "WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Date: 2006-09-19T17:20:14Z\r\nWARC-Record-ID: <urn:uuid:d7ae5c10-e6b3-4d27-967d-34780c58ba39>\r\nContent-Type: application/warc-fields\r\n", "software: Heritrix 1.12.0\r\nhostname: crawling017.archive.org\r\n"},
	{"C.2 request", "WARC/1.1\r\nWARC-Type: request\r\nWARC-Target-URI: http://www.archive.org/images/logoc.jpg\r\nWARC-Warcinfo-ID: <urn:uuid:d7ae5c10-e6b3-4d27-967d-34780c58ba39>\r\nWARC-Date: 2006-09-19T17:20:24Z\r\nWARC-Record-ID: <urn:uuid:4885803b-eebd-4b27-a090-144450c11594>\r\nContent-Type: application/http;msgtype=request\r\nWARC-Concurrent-To: <urn:uuid:92283950-ef2f-4d72-b224-f54c6ec90bb0>\r\n", "GET /images/logoc.jpg HTTP/1.0\r\nHost: www.archive.org\r\n\r\n"},
	{"C.5 metadata", "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Target-URI: http://www.archive.org/images/logoc.jpg\r\nWARC-Date: 2006-09-19T17:20:24Z\r\nWARC-Record-ID: <urn:uuid:16da6da0-bcdc-49c3-927e-57494593b943>\r\nWARC-Concurrent-To: <urn:uuid:92283950-ef2f-4d72-b224-f54c6ec90bb0>\r\nContent-Type: application/warc-fields\r\nWARC-Block-Digest: sha1:UZY6ND6CCHXETFVJD2MSS7ZENMWF7KQ2\r\n", "via: http://www.archive.org/\r\nhopsFromSeed: E\r\nfetchTimeMs: 565\r\n"},
	{"folded field (section 4)", "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: file://var/www/htdoc/images/logoc.jpg\r\nWARC-Date: 2006-09-30T16:30:31.123456789Z\r\nWARC-Record-ID:\r\n <urn:uuid:a9c5c23a-0221-11e7-8fe3-0242ac120007>\r\nContent-Type: image/jpeg\r\n", "x"},
}

func TestStandardExamples(t *testing.T) {
	// The standard's own examples, plain and compressed, must be read.
	var plain, zipped bytes.Buffer
	for _, s := range standardRecords {
		rec := fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s\r\n\r\n", s.header, len(s.block), s.block)
		plain.WriteString(rec)
		z := gzip.NewWriter(&zipped)
		_, err := z.Write([]byte(rec))
		must(t, errors.Join(err, z.Close()))
	}
	for form, data := range map[string][]byte{"plain": plain.Bytes(), "gzip": zipped.Bytes()} {
		r := NewReader(bytes.NewReader(data))
		for _, s := range standardRecords {
			e, err := r.Next()
			must(t, err)
			b, err := io.ReadAll(e.Block)
			must(t, err)
			date, err := e.Date()
			must(t, err)
			if string(b) != s.block || e.Version != "1.1" || date.Year() != 2006 || !validID(e.ID()) {
				t.Errorf("%s %s: %+v %q", form, s.section, e, b)
			}
			n, err := r.Finish()
			must(t, err)
			if n <= 0 || form == "plain" && n != int64(len(e.raw)+len(b)+4) {
				t.Errorf("%s %s: length %d", form, s.section, n)
			}
		}
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("%s: at the end %v", form, err)
		}
	}
}

// capturedFile returns a small file of ours.
func capturedFile(t testing.TB, captures ...[]*Record) (*fsx.Mem, string, []byte) {
	t.Helper()
	fs := fsx.NewMem()
	p := openTestPool(t, fs, 0)
	f, err := p.Acquire(t.Context())
	must(t, err)
	for _, c := range captures {
		_, _, err := capture(f, c)
		must(t, err)
	}
	must(t, p.Sync([]uint32{0}))
	_, err = p.Committed(0, f.written)
	must(t, err)
	p.Release(f)
	events, err := p.Close()
	must(t, err)
	state := events[0]
	file, err := fs.Open("warcs/" + state.Name)
	must(t, err)
	data, err := io.ReadAll(file)
	must(t, errors.Join(err, file.Close()))
	return fs, "warcs/" + state.Name, data
}

func TestDamageIsFoundAndOthersStillRead(t *testing.T) {
	// Issue 3: verify names the defect and the place for a byte flipped, a tail
	// cut, a record removed; records after the damage are still found.
	fs, name, data := capturedFile(t, page(1), page(2), page(3))
	var refs []Ref
	_, err := verifyFile(fs, name, func(i RecordInfo) error { refs = append(refs, i.Ref); return nil })
	must(t, err)
	if len(refs) != 10 {
		t.Fatalf("%d records", len(refs))
	}
	mid := refs[4]
	cases := []struct {
		why     string
		change  func([]byte) []byte
		records int
		kinds   []Kind
		at      int64
	}{
		{"byte flipped inside a member", func(b []byte) []byte { b[mid.Offset+mid.Length/2] ^= 0x40; return b }, 9,
			[]Kind{KindGzip, KindLength, KindHeader, KindTruncated}, mid.Offset},
		{"checksum of a member wrong", func(b []byte) []byte { b[mid.Offset+mid.Length-8] ^= 1; return b }, 9, []Kind{KindGzip}, mid.Offset},
		{"member header wrong", func(b []byte) []byte { b[mid.Offset] = 0; return b }, 9, []Kind{KindGarbage}, mid.Offset},
		{"bytes between records", func(b []byte) []byte { return slices.Insert(b, int(mid.Offset), []byte("garbage")...) }, 10, []Kind{KindGarbage}, mid.Offset},
		{"tail cut", func(b []byte) []byte { return b[:len(b)-5] }, 9, []Kind{KindTruncated}, refs[9].Offset},
		{"tail of zeros, as a crash leaves it", func(b []byte) []byte { return append(b, make([]byte, 5000)...) }, 10, []Kind{KindGarbage}, int64(len(data))},
		{"one lone byte of a member", func(b []byte) []byte { return append(b, 0x1f) }, 10, []Kind{KindTruncated}, int64(len(data))},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			mem := fsx.NewMem()
			must(t, fsx.WriteFileAtomic(mem, "x", c.change(bytes.Clone(data))))
			n := 0
			defects, err := verifyFile(mem, "x", func(RecordInfo) error { n++; return nil })
			must(t, err)
			if n != c.records || len(defects) != 1 || !slices.Contains(c.kinds, defects[0].Kind) || defects[0].Offset != c.at {
				t.Errorf("%d records, want %d; defects %v, want %v at %d", n, c.records, defects, c.kinds, c.at)
			}
			r := NewReader(bytes.NewReader(c.change(bytes.Clone(data))))
			for err = nil; err == nil; {
				_, err = r.Next()
			}
			var d *Defect
			if !errors.As(err, &d) {
				t.Errorf("strict reader ended with %v", err)
			}
			for range newTolerantUnseekable(c.change(bytes.Clone(data))) {
				n--
			}
			if n > 1 {
				t.Errorf("without seeking %d records fewer are found", n)
			}
		})
	}
}

// newTolerantUnseekable yields the whole records read from a mere stream.
func newTolerantUnseekable(data []byte) func(func(*Entry) bool) {
	return func(yield func(*Entry) bool) {
		r := NewTolerantReader(io.MultiReader(bytes.NewReader(data)), func(Defect) {})
		for {
			e, err := r.Next()
			if err != nil {
				return
			}
			if n, _ := r.Finish(); n >= 0 && !yield(e) {
				return
			}
		}
	}
}

func TestGoldenRecord(t *testing.T) {
	// Fixed id and date give fixed bytes; the order of fields is our format.
	r := &Record{
		Type: TypeRevisit, TargetURI: "http://example.com/", Date: day.In(time.FixedZone("CET", 3600)),
		ID: "urn:uuid:00000000-0000-4000-8000-000000000001", ContentType: ContentHTTPResponse,
		ConcurrentTo: []string{"urn:uuid:00000000-0000-4000-8000-000000000002"},
		IP:           netip.MustParseAddr("::ffff:192.0.2.7"), Truncated: "length",
		PayloadDigest: "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
		Revisit:       &Revisit{Profile: ProfileIdentical, TargetURI: "http://example.com/old", Date: day.Add(-time.Hour), ID: "urn:uuid:00000000-0000-4000-8000-000000000003"},
		Extra:         []Field{{"WARC-Protocol", "http/1.1"}},
		Block:         strings.NewReader("HTTP/1.1 200 OK\r\n\r\n"),
	}
	must(t, r.complete(nil))
	must(t, r.check())
	want := strings.ReplaceAll(`WARC/1.1
WARC-Type: revisit
WARC-Target-URI: http://example.com/
WARC-Date: 2026-11-21T05:06:07.089Z
WARC-IP-Address: 192.0.2.7
WARC-Concurrent-To: <urn:uuid:00000000-0000-4000-8000-000000000002>
WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest
WARC-Refers-To-Target-URI: http://example.com/old
WARC-Refers-To-Date: 2026-11-21T04:06:07.089Z
WARC-Refers-To: <urn:uuid:00000000-0000-4000-8000-000000000003>
WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ
WARC-Block-Digest: sha1:OP3ZUEAEIGC5QPO47I7DR5X4KB6IV5TP
WARC-Truncated: length
WARC-Protocol: http/1.1
WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>
Content-Type: application/http; msgtype=response
Content-Length: 19

`, "\n", "\r\n")
	if diff := cmp.Diff(want, string(r.appendHeader(nil))); diff != "" {
		t.Error(diff)
	}
}

// zoo is one capture of every kind of record the crawler writes.
func zoo(t testing.TB) []*Record {
	t.Helper()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write([]byte(strings.Repeat("hello ", 100)))
	must(t, errors.Join(err, z.Close()))
	chunked := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", zipped.Len(), zipped.Bytes())
	blocks := []string{
		chunked,
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
		"HTTP/1.1 204 No Content\r\n\r\n",
		"HTTP/1.0 200 OK\nContent-Type: text/plain\n\nbare line feeds",
		"HTTP/1.1 301 Moved Permanently\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX-Broken-Off: tr",
		"HTTP/1.1 200 OK\r\nno colon in this line\r\nContent-Length: 2\r\n\r\nhi",
		"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n" + strings.Repeat("large ", 400_000),
	}
	var out []*Record
	for i, b := range blocks {
		block := strings.NewReader(b)
		d, err := PayloadDigest(block)
		must(t, err)
		out = append(out, &Record{Type: TypeResponse, TargetURI: fmt.Sprintf("https://example.com/%d?q=%%20#f", i), Date: day,
			IP: netip.MustParseAddr("2001:db8::1"), ContentType: ContentHTTPResponse, PayloadDigest: d, Block: block})
	}
	out[5].Truncated = "disconnect"
	id := NewID()
	out[0].ID = id
	ref := &Revisit{Profile: ProfileIdentical, TargetURI: "https://example.com/0?q=%20#f", Date: day, ID: id}
	notModified := *ref
	notModified.Profile = ProfileNotModified
	out = append(out,
		&Record{Type: TypeRequest, TargetURI: "https://example.com/", Date: day, ContentType: ContentHTTPRequest, ConcurrentTo: []string{id},
			Block: strings.NewReader("GET / HTTP/1.1\r\nHost: example.com\r\nAuthorization: xxxxx\r\n\r\n")},
		&Record{Type: TypeRevisit, TargetURI: "https://example.com/same", Date: day, ContentType: ContentHTTPResponse, Revisit: ref,
			PayloadDigest: out[0].PayloadDigest, Block: strings.NewReader("HTTP/1.1 200 OK\r\n\r\n")},
		&Record{Type: TypeRevisit, TargetURI: "https://example.com/304", Date: day, ContentType: ContentHTTPResponse, Revisit: &notModified,
			PayloadDigest: out[0].PayloadDigest, Block: strings.NewReader("HTTP/1.1 304 Not Modified\r\n\r\n")},
		&Record{Type: TypeResource, TargetURI: "dns:example.com", Date: day, ContentType: ContentDNS, IP: netip.MustParseAddr("192.0.2.53"),
			Block: strings.NewReader("20261121050607\nexample.com.\t300\tIN\tA\t192.0.2.7\n")},
		&Record{Type: TypeMetadata, TargetURI: "https://example.com/", Date: day, ContentType: ContentFields, ConcurrentTo: []string{id},
			Block: bytes.NewReader(Fields([]Field{{"seed", ""}, {"hopsFromSeed", "L"}, {"outlink", "https://example.com/é L a/@href\r\nx: y"}}))},
		&Record{Type: TypeMetadata, TargetURI: "https://example.com/", Date: day, ContentType: ContentJSON, ConcurrentTo: []string{id},
			Block: strings.NewReader(`{"valid":true}`)},
	)
	return out
}

func TestGowarcAcceptsEverythingWeWrite(t *testing.T) {
	// docs/adr/0013: gowarc strict, digests included, is the second opinion.
	fs, name, data := capturedFile(t, zoo(t), page(1))
	clean(t, fs, name)
	r, err := gowarc.NewWarcFileReaderFromStream(bytes.NewReader(data), 0, gowarc.WithStrictValidation())
	must(t, err)
	n := 0
	for {
		rec, _, val, err := r.Next()
		if err == io.EOF {
			break
		}
		if rec == nil {
			t.Fatalf("record %d: %v", n, err)
		}
		// HTTP that a server sent broken is archived as it came.
		uri := rec.WarcHeader().Get("WARC-Target-URI")
		brokenHTTP := strings.Contains(uri, "/5?") || strings.Contains(uri, "/6?")
		if (err != nil || val != nil && !val.Valid()) && !brokenHTTP {
			t.Errorf("record %d %s: %v %v", n, uri, err, val)
		}
		must(t, rec.Close())
		n++
	}
	if want := 1 + len(zoo(t)) + 3; n != want {
		t.Errorf("%d records, want %d", n, want)
	}
}

func TestWarcioAcceptsEverythingWeWrite(t *testing.T) {
	// The tool of the archives; its idea of the payload digest is what decides
	// between the readings of the standard (docs/formats/warc.md).
	_, _, data := capturedFile(t, zoo(t), page(1))
	name := filepath.Join(t.TempDir(), "x.warc.gz")
	must(t, os.WriteFile(name, data, 0o644))
	out, err := exec.Command(sharedtest.Warcio(t), "check", "-v", name).CombinedOutput()
	if err != nil || strings.Contains(string(out), "fail") {
		t.Errorf("warcio check: %v\n%s", err, out)
	}
	t.Logf("%s", out)
}

func TestPayloadBegins(t *testing.T) {
	// RFC 9112: bare LF; and what servers really send. The payload begins behind the header.
	cases := []struct {
		why, block, body string
	}{
		{"usual", "HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", "body"},
		{"101 is final", "HTTP/1.1 101 Switching Protocols\r\n\r\nHTTP/1.1 bytes", "HTTP/1.1 bytes"},
		{"only an interim answer came", "HTTP/1.1 100 Continue\r\n\r\n", ""},
		{"bare LF", "HTTP/1.0 200 OK\nA: b\n\nbody", "body"},
		{"no reason phrase", "HTTP/1.1 200\r\n\r\n", ""},
		{"header cut", "HTTP/1.1 200 OK\r\nA: b", ""},
		{"archives of older versions: five empty lines made the answer a body", "\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx", "\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx"},
		{"shoutcast", "ICY 200 OK\r\nA: b\r\n\r\nbody", "body"},
		{"CR CR LF", "HTTP/1.1 200 OK\r\r\nA: b\r\r\n\r\r\nbody\n\n", "body\n\n"},
		{"an echoed request is no header of an answer", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"},
		{"nor is a status line behind a blank", " HTTP/1.1 200 OK\r\n\r\nx", " HTTP/1.1 200 OK\r\n\r\nx"},
		{"HTTP/0.9", "<html>\r\n\r\nbody", "<html>\r\n\r\nbody"},
		{"status out of range", "HTTP/1.1 20 OK\r\n\r\nx", "x"},
		{"empty", "", ""},
		{"header longer than one read", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("b", 10000) + "\r\n\r\nbody", "body"},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			got, err := PayloadDigest(strings.NewReader(c.block))
			must(t, err)
			want, err := Digest(strings.NewReader(c.body))
			must(t, err)
			if got != want {
				t.Errorf("the payload of %q is not %q", c.block, c.body)
			}
		})
	}
}

func FuzzReader(f *testing.F) {
	// Rule 8: a stranger's bytes never panic; and what is found adds up.
	_, _, data := capturedFile(f, page(1))
	f.Add(data)
	f.Add(data[:len(data)-7])
	f.Add([]byte("WARC/1.1\r\nWARC-Type: x\r\nContent-Length: 1\r\n\r\nx\r\n\r\nWARC/1.0\r\n"))
	f.Add([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00"))
	f.Add([]byte("WARC/1.1\n a\r\nContent-Length: 99999999999\r\n\r\n"))
	two := bytes.Repeat([]byte("WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 1\r\n\r\nx\r\n\r\n"), 2)
	f.Add(gzipOf(f, two))
	f.Add(zstdOf(f, two))
	f.Add(append(zstdOf(f, two[:len(two)/2]), skippable(dictionaryMagic, []byte("\x37\xa4\x30\xec1234"))...))
	f.Fuzz(func(t *testing.T, b []byte) {
		mem := fsx.NewMem()
		must(t, fsx.WriteFileAtomic(mem, "x", b))
		var all []RecordInfo
		defects, err := verifyFile(mem, "x", func(i RecordInfo) error {
			all = append(all, i)
			return nil
		})
		must(t, err)
		var end int64
		for _, i := range all {
			if slices.ContainsFunc(defects, func(d Defect) bool { return d.Kind == KindFormat }) {
				break // offsets are those of the unpacked file
			}
			if i.Ref.Offset < end || i.Ref.Length <= 0 || i.Ref.Offset+i.Ref.Length > int64(len(b)) {
				t.Errorf("record at %v after %d in %d bytes", i.Ref, end, len(b))
			}
			end = i.Ref.Offset + i.Ref.Length
		}
		for range newTolerantUnseekable(b) {
		}
	})
}
