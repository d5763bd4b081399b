package warc

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// unzip reads one member with the standard library, which checks length and CRC.
func unzip(t testing.TB, b []byte) []byte {
	t.Helper()
	in := bytes.NewReader(b)
	r, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if in.Len() != 0 {
		t.Fatalf("%d bytes are left behind the member", in.Len())
	}
	return out
}

func TestSmallMember(t *testing.T) {
	random := make([]byte, smallRecord)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	var s small
	for name, src := range map[string][]byte{
		"nothing":                      nil,
		"less than a match":            []byte("abc"),
		"all lengths and literals":     random,
		"the longest match, repeated":  bytes.Repeat([]byte{'x'}, smallRecord),
		"matches of 258 and 3 over it": []byte(strings.Repeat("y", 1+258+3)),
		"a match that overlaps itself": []byte("abcdabcdabcdabcde"),
		"a header":                     smallHeader(),
	} {
		t.Run(name, func(t *testing.T) {
			got := s.appendMember([]byte("before"), src)
			if !bytes.HasPrefix(got, []byte("before")) {
				t.Fatal("what stood before is gone")
			}
			if out := unzip(t, got[6:]); !bytes.Equal(out, src) {
				t.Errorf("read %q, want %q", out, src)
			}
		})
	}
	if n := len(s.appendMember(nil, smallHeader())); n > len(smallHeader())*9/10 {
		t.Errorf("a header of %d bytes became %d", len(smallHeader()), n)
	}
}

// Every distance and length the codes have must be read back.
func TestSmallCopies(t *testing.T) {
	var s small
	for gap := range smallRecord - 600 {
		src := append([]byte("needle"), make([]byte, gap)...)
		for i := range gap {
			src[6+i] = byte(i*7 + i>>8*13)
		}
		src = append(append(src, "needle"...), bytes.Repeat([]byte("z"), gap%300)...)
		if got := unzip(t, s.appendMember(nil, src)); !bytes.Equal(got, src) {
			t.Fatalf("gap %d: read back differs", gap)
		}
	}
}

func FuzzSmallMember(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
	f.Add(smallHeader())
	var s small
	f.Fuzz(func(t *testing.T, src []byte) {
		src = src[:min(len(src), smallRecord)]
		if got := unzip(t, s.appendMember(nil, src)); !bytes.Equal(got, src) {
			t.Errorf("read %q, want %q", got, src)
		}
	})
}

func smallHeader() []byte {
	r := Record{Type: TypeRequest, TargetURI: "http://www.example.cz/some/where/page-17.html", ID: NewID(),
		ContentType: ContentHTTPRequest, ConcurrentTo: []string{NewID()}, BlockDigest: "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"}
	b := r.appendHeader(nil)
	return append(b, "GET /some/where/page-17.html HTTP/1.1\r\nHost: www.example.cz\r\nUser-Agent: Mozilla/5.0 (compatible; exclave/0.1 +http://library.example/crawler)\r\nAccept-Encoding: gzip\r\n\r\n\r\n\r\n"...)
}

func BenchmarkSmallMember(b *testing.B) {
	var s small
	src := smallHeader()
	var out []byte
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		out = s.appendMember(out[:0], src)
	}
	b.ReportMetric(float64(len(out))/float64(len(src)), "ratio")
}
