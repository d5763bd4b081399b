package warc

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/klauspost/compress/gzip"

	"exclave/internal/fsx"
)

// ownRecords are records of every kind that the program writes.
func ownRecords(t testing.TB) []*Record {
	t.Helper()
	id, date := NewID(), time.Date(2026, 11, 23, 1, 2, 3, 4e6, time.UTC)
	of := func(kind, url, content, block string) *Record {
		r := &Record{Type: kind, TargetURI: url, Date: date, ContentType: content, Block: strings.NewReader(block)}
		if kind != TypeWarcinfo {
			r.ConcurrentTo = []string{id, NewID()}
			r.IP = netip.MustParseAddr("192.0.2.7")
		}
		must(t, r.complete(nil))
		return r
	}
	revisit := of(TypeRevisit, "https://a.example:8443/x?q=1", ContentHTTPResponse, "HTTP/1.1 304 Not Modified\r\n\r\n")
	revisit.Revisit = &Revisit{Profile: ProfileNotModified, TargetURI: "https://a.example:8443/x?q=1", Date: date, ID: NewID()}
	cut := of(TypeResponse, "http://a.example/cut", ContentHTTPResponse, "HTTP/1.1 200 OK\r\n\r\nbody")
	d, err := PayloadDigest(cut.Block)
	must(t, err)
	cut.Truncated, cut.PayloadDigest = "length", d
	info := of(TypeWarcinfo, "", ContentFields, "software: x/1\r\nformat: WARC File Format 1.1\r\n")
	info.Extra = []Field{{"WARC-Filename", "x.warc.gz"}}
	return []*Record{info, revisit, cut,
		of(TypeResponse, "dns:a.example", ContentDNS, "20261123\na.example. 86400 IN A 192.0.2.7\n"),
		of(TypeRequest, "http://a.example/", ContentHTTPRequest, "GET / HTTP/1.1\r\n\r\n"),
		of(TypeMetadata, "http://a.example/", ContentFields, "seed: \r\noutlink: http://b.example/ L a/@href\r\n"),
		of(TypeMetadata, "http://a.example/", ContentFields, "hopsFromSeed: L\r\n\r\n"), // Heritrix
		of(TypeMetadata, "urn:exclave:verdict:http://a.example/", ContentJSON, "[]"),
	}
}

// asRead is a record as a Reader and Verify see it; nil when its header cannot be read.
func asRead(header string, block []byte) (*Entry, *RecordInfo) {
	e := &Entry{}
	if e.parse(header) != nil || e.parseLength() != nil || e.Size != int64(len(block)) {
		return nil, nil
	}
	info := infoOf(e, 1)
	v := verifier{scratch: &scratch{}}
	if v.header(e, &info); v.found > 0 {
		return nil, nil // we object to it ourselves
	}
	return e, &info
}

// Every record that the program writes has the form in which gowarc is not asked, so that it is not; also as one of WARC 1.0.
func TestOwnFormOfOurs(t *testing.T) {
	for _, r := range ownRecords(t) {
		header := string(r.appendHeader(nil))
		block := make([]byte, r.size())
		_, err := r.reader().Read(block)
		must(t, err)
		e, info := asRead(header, block)
		if e == nil || !ownForm(e, info, block, true) {
			t.Errorf("gowarc is asked about\n%s%s", header, block)
		}
		if e, info = asRead(string(asOf10([]byte(header))), block); e == nil || !ownForm(e, info, block, true) {
			t.Errorf("gowarc is asked about WARC 1.0:\n%s%s", header, block)
		}
	}
}

// Whatever is of our form gowarc has no objection to (ADR 40): records are changed in many ways, and of those that
// still are of our form none is objected to.
func TestOwnForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	second := newSecondOpinion()
	records := ownRecords(t)
	pieces := []string{"", " ", "\t", "\r", "\n", "\r\n", "\r\n ", ":", "::", "=?utf-8?q?x?=", "<", ">", "%zz", "é", "\x00", "[", "]", "http://[::1]/", "http://1.2.3/", "http://a..b/", "http://xn--a/",
		"http://a.example:0/", "http://a.example:99999/", "http://user@a.example/", "HTTP://A.example/", "0", "08", "+1", "-1", "WARC/1.0", "revisit", "warcinfo", "continuation", "conversion", "resource", "x",
		"WARC-Concurrent-To: <urn:uuid:1>\r\n", "WARC-Refers-To: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n", "WARC-Date: 2026-11-23T01:02:03Z\r\n", "WARC-IP-Address: ::1%eth0\r\n",
		"WARC-Profile: x\r\n", "WARC-Filename: x\r\n", "WARC-Segment-Number: x\r\n", "Content-Type: application/warc-fields\r\n", "content-type: text/plain\r\n", "WARC-Truncated: x\r\n", "X-Other: y\r\n"}
	own, objected := 0, 0
	for range 25_000 {
		r := records[rng.IntN(len(records))]
		header := r.appendHeader(nil)
		if rng.IntN(2) == 0 {
			header = asOf10(header)
		}
		block := make([]byte, r.size())
		_, err := r.reader().Read(block)
		must(t, err)
		for range 1 + rng.IntN(2) {
			what := &header
			if rng.IntN(4) == 0 {
				what = &block
			}
			at := rng.IntN(len(*what) + 1)
			if rng.IntN(2) == 0 { // at the beginning of a line, or of a value
				if i := bytes.IndexAny((*what)[at:], "\n:"); i >= 0 {
					at += i + 1
				}
			}
			end := min(len(*what), at+rng.IntN(3)*rng.IntN(20))
			*what = slices.Replace(*what, at, end, []byte(pieces[rng.IntN(len(pieces))])...)
		}
		if rng.IntN(3) > 0 { // the length is that of the changed block
			header = withLength(header, len(block))
		}
		e, info := asRead(string(header), block)
		if e == nil {
			continue
		}
		objections := second.of(e, block, true)
		if len(objections) > 0 {
			objected++
		}
		if ownForm(e, info, block, true) {
			own++
			if len(objections) > 0 {
				t.Fatalf("gowarc objects %q to\n%q\n%q", objections, header, block)
			}
		}
	}
	if own < 500 || objected < 500 {
		t.Errorf("%d of our form, %d objected to: too few for this test", own, objected)
	}
}

// asOf10 makes a header one of WARC 1.0, as other programs write it.
func asOf10(header []byte) []byte {
	for from, to := range map[string]string{"WARC/1.1": "WARC/1.0", ".004Z": "Z", "warc/1.1/revisit": "warc/1.0/revisit"} {
		header = bytes.ReplaceAll(header, []byte(from), []byte(to))
	}
	return header
}

func withLength(header []byte, n int) []byte {
	const name = "Content-Length: "
	i := bytes.Index(header, []byte(name))
	if i < 0 {
		return header
	}
	end := i + len(name)
	for end < len(header) && isDigit(header[end]) {
		end++
	}
	return slices.Replace(header, i+len(name), end, []byte(strconv.Itoa(n))...)
}

// Parts of a file read one by one give what the file read as a whole gives, and a part in which something is wrong
// says so; Head finds what a Reader finds.
func TestChecker(t *testing.T) {
	var file bytes.Buffer
	offsets := []int64{0}
	for range 3 {
		for _, r := range ownRecords(t) {
			block := make([]byte, r.size())
			_, err := r.reader().Read(block)
			must(t, err)
			zw := gzip.NewWriter(&file)
			_, err = zw.Write(append(append(r.appendHeader(nil), block...), "\r\n\r\n"...))
			must(t, errors.Join(err, zw.Close()))
			offsets = append(offsets, int64(file.Len()))
		}
	}
	fs := fsx.NewMem()
	f, err := fs.Create("x.warc.gz", vfs.WriteCategoryUnspecified)
	must(t, err)
	_, err = f.Write(file.Bytes())
	must(t, errors.Join(err, f.Close()))
	var want, got []RecordInfo
	defects, err := verifyFile(fs, "x.warc.gz", func(i RecordInfo) error { want = append(want, i); return nil })
	must(t, err)
	if len(defects) > 0 || len(want) != len(offsets)-1 {
		t.Fatalf("%d records, %v", len(want), defects)
	}
	c, in := NewChecker(), bytes.NewReader(file.Bytes())
	keep := func(i *RecordInfo) error { got = append(got, *i); return nil }
	for i := 0; i < len(offsets)-1; i += 3 {
		if d, err := c.Range(in, offsets[i], offsets[min(i+3, len(offsets)-1)], keep); d != nil || err != nil {
			t.Fatal(d, err)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i].ID != want[i].ID || got[i].Ref != want[i].Ref || got[i].Payload != want[i].Payload {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
		e, err := c.Head(in, offsets[i])
		must(t, err)
		if e.ID() != want[i].ID || e.TargetURI() != want[i].TargetURI || e.Size != want[i].Size || c.Starts(in, offsets[i]) != nil {
			t.Errorf("head of %d: %+v", offsets[i], e)
		}
	}
	for i := range offsets[:len(offsets)-1] {
		at := (offsets[i] + offsets[i+1]) / 2
		damaged := bytes.Clone(file.Bytes())
		damaged[at] ^= 0x10
		if d, err := c.Range(bytes.NewReader(damaged), offsets[i], offsets[i+1], nil); d == nil || err != nil {
			t.Errorf("a byte flipped at %d: %v %v", at, d, err)
		}
		if _, err := c.Head(in, offsets[i]+1); err == nil {
			t.Errorf("a header at %d", offsets[i]+1)
		}
	}
	if d, err := c.Range(in, 0, offsets[1]-1, nil); d == nil || err != nil {
		t.Errorf("a part that ends within a record: %v %v", d, err)
	}
}
