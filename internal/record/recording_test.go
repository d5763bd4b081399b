package record

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"io"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

func load(t testing.TB, s string, memory int) *Recording {
	t.Helper()
	r, err := Load(strings.NewReader(s), t.TempDir(), memory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func TestRecordingSpills(t *testing.T) {
	// Decision 4: memory per page is bounded; the bytes are the same wherever they lie.
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
	body := strings.Repeat("0123456789", 1000)
	for _, memory := range []int{0, 1, len(head), len(head) + 5, 4096, 1 << 20} {
		dir := t.TempDir()
		r := New(dir, memory)
		r.SetRequest([]byte("GET / HTTP/1.1\r\n\r\n"))
		if err := r.SetHead([]byte(head), ParseHead([]byte(head))); err != nil {
			t.Fatal(err)
		}
		r.Expect(int64(len(body)))
		for i := 0; i < len(body); i += 300 {
			if _, err := r.Write([]byte(body[i:min(i+300, len(body))])); err != nil {
				t.Fatal(err)
			}
		}
		at, n := r.Response()
		got, err := io.ReadAll(io.NewSectionReader(at, 0, n))
		if err != nil || string(got) != head+body {
			t.Errorf("memory %d: %d bytes, %v", memory, len(got), err)
		}
		if len(r.mem) > memory || cap(r.mem) > 2*max(memory, 64) {
			t.Errorf("memory %d: %d of %d in memory", memory, len(r.mem), cap(r.mem))
		}
		sum := sha1.Sum([]byte(body))
		if r.PayloadDigest() != label(sum[:]) || r.HeaderLen() != int64(len(head)) {
			t.Errorf("memory %d: digest or header length", memory)
		}
		if b, err := r.Body(7); string(b) != "0123456" || err != nil {
			t.Errorf("memory %d: body %q, %v", memory, b, err)
		}
		if err := errors.Join(r.Close(), r.Close()); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("memory %d: %v left behind", memory, left)
		}
	}
}

func TestRecordingScratchFails(t *testing.T) {
	// A disk that cannot be written to is our failure, and is said.
	r := New(t.TempDir()+"/absent", 4)
	if _, err := r.Write([]byte("12345")); err == nil {
		t.Error("no error")
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func encode(coding, s string) string {
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "br":
		w = brotli.NewWriter(&b)
	case "zlib":
		w = zlib.NewWriter(&b)
	case "raw":
		w, _ = flate.NewWriter(&b, 5)
	case "zstd":
		w, _ = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	}
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.String()
}

func TestBody(t *testing.T) {
	text := strings.Repeat("Příliš žluťoučký kůň. ", 200)
	gz := encode("gzip", text)
	tests := []struct {
		why, fields, body string
		want              string // prefix that must come; all of it when err is nil
		err               error  // errAny: some error
	}{
		{"no coding", "X: y", text, text, nil},
		{"RFC 9110 §8.4.1.3", "Content-Encoding: gzip", gz, text, nil},
		{"RFC 9110 §8.4.1.3: x-gzip is gzip", "Content-Encoding: X-GZip", gz, text, nil},
		{"RFC 1952 §2.2: several members", "Content-Encoding: gzip", gz + gz, text + text, nil},
		{"RFC 9110 §8.4.1.2: deflate is zlib", "Content-Encoding: deflate", encode("zlib", text), text, nil},
		{"old servers: deflate without zlib's header", "Content-Encoding: deflate", encode("raw", text), text, nil},
		{"RFC 7932", "Content-Encoding: br", encode("br", text), text, nil},
		{"RFC 8878", "Content-Encoding: zstd", encode("zstd", text), text, nil},
		{"RFC 9110 §8.4: codings in the order applied", "Content-Encoding: gzip, br", encode("br", gz), text, nil},
		{"the same in two fields", "Content-Encoding: gzip\r\nContent-Encoding: zstd", encode("zstd", gz), text, nil},
		{"identity is none", "Content-Encoding: identity", text, text, nil},
		{"an unknown coding stays", "Content-Encoding: sdch", text, text, ErrCoding},
		{"what is known comes off first", "Content-Encoding: sdch, gzip", gz, text, ErrCoding},
		{"too many codings", "Content-Encoding: gzip,gzip,gzip,gzip,gzip", encode("gzip", encode("gzip", encode("gzip", gz))), text, ErrCoding},
		{"a declared coding that was not applied", "Content-Encoding: gzip", text, text, ErrNotCoded},
		{"the same for zstd", "Content-Encoding: zstd", text, text, ErrNotCoded},
		{"an empty body is empty in each coding", "Content-Encoding: gzip", "", "", nil},
		{"cut gzip gives what there is", "Content-Encoding: gzip", gz[:len(gz)-9], text[:1000], errAny},
		{"a wrong checksum comes after the text", "Content-Encoding: gzip", gz[:len(gz)-8] + "xxxxyyyy", text, errAny},
		{"bytes behind the gzip member", "Content-Encoding: gzip", gz + "<!-- cached -->", text, errAny},
		{"a gzip header only", "Content-Encoding: gzip", gz[:5], "", errAny},
		{"cut zlib", "Content-Encoding: deflate", encode("zlib", text)[:3], "", errAny},
		{"broken brotli", "Content-Encoding: br", "\xff\xff\xff\xff\xff", "", errAny},
		{"cut zstd", "Content-Encoding: zstd", encode("zstd", text)[:20], "", errAny},
		{"RFC 9112 §7.1", "Transfer-Encoding: chunked", "5\r\nhello\r\n6 ; x=y\r\n world\r\n0\r\nTrailer: x\r\n\r\n", "hello world", nil},
		{"chunks with LF", "Transfer-Encoding: chunked", "5\nhello\n0\n\n", "hello", nil},
		{"chunks in capitals and zeroes", "Transfer-Encoding: Chunked", "00A\r\n0123456789\r\n000\r\n\r\n", "0123456789", nil},
		{"no trailer end", "Transfer-Encoding: chunked", "5\r\nhello\r\n0\r\n", "hello", nil},
		{"cut chunk", "Transfer-Encoding: chunked", "5\r\nhel", "hel", io.ErrUnexpectedEOF},
		{"no last chunk", "Transfer-Encoding: chunked", "5\r\nhello\r\n", "hello", io.ErrUnexpectedEOF},
		{"broken second chunk", "Transfer-Encoding: chunked", "5\r\nhello\r\nzz\r\n", "hello", ErrChunks},
		{"not chunked at all", "Transfer-Encoding: chunked", "<html>x</html>", "<html>x</html>", ErrChunks},
		{"looks like a size first", "Transfer-Encoding: chunked", "abc<html>", "abc<html>", ErrChunks},
		{"a size beyond measure", "Transfer-Encoding: chunked", "ffffffffffffffff\r\nx", "ffff", ErrChunks},
		{"coded and chunked", "Content-Encoding: gzip\r\nTransfer-Encoding: chunked", chunked(gz), text, nil},
		{"RFC 9112 §7: gzip as transfer coding", "Transfer-Encoding: gzip, chunked", chunked(gz), text, nil},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			r := load(t, "HTTP/1.1 200 OK\r\n"+tt.fields+"\r\n\r\n"+tt.body, 100)
			got, err := r.Body(1 << 20)
			switch {
			case tt.err == nil && (err != nil || string(got) != tt.want):
				t.Errorf("got %.60q (%d bytes), %v", got, len(got), err)
			case tt.err != nil && err == nil, tt.err != nil && tt.err != errAny && !errors.Is(err, tt.err):
				t.Errorf("error %v, want %v", err, tt.err)
			case !strings.HasPrefix(string(got), tt.want):
				t.Errorf("got %.60q, want %.60q", got, tt.want)
			}
		})
	}
}

var errAny = errors.New("any error")

func chunked(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		n := min(len(s), 37)
		b.WriteString(strings.ToUpper(hex(n)) + "\r\n" + s[:n] + "\r\n")
		s = s[n:]
	}
	return b.String() + "0\r\n\r\n"
}

func hex(n int) string {
	const digits = "0123456789abcdef"
	if n < 16 {
		return digits[n : n+1]
	}
	return hex(n/16) + digits[n%16:n%16+1]
}

func TestBodyBombs(t *testing.T) {
	// A few KB that expand to gigabytes cost memory and time by the limit only.
	zeros := func(n int) string { return encode("gzip", strings.Repeat("\x00", n)) }
	empty := encode("gzip", strings.Repeat(encode("gzip", ""), 200_000)) // coding without content
	for why, tt := range map[string]struct{ coding, body string }{
		"one coding":          {"gzip", zeros(50 << 20)},
		"two codings":         {"gzip, gzip", encode("gzip", zeros(50<<20))},
		"empty inner members": {"gzip, gzip", empty},
	} {
		r := load(t, "HTTP/1.1 200 OK\r\nContent-Encoding: "+tt.coding+"\r\n\r\n"+tt.body, 1<<20)
		got, err := r.Body(10_000)
		if why == "empty inner members" && !errors.Is(err, errBomb) {
			t.Errorf("%s: %d bytes, %v", why, len(got), err)
		}
		if len(got) > 10_000 || cap(got) > 1<<20 {
			t.Errorf("%s: %d bytes in %d", why, len(got), cap(got))
		}
	}
}

func TestParseHead(t *testing.T) {
	// libraries.md: answers net/http rejects must be archived, so they must be read.
	tests := []struct {
		why, raw string
		want     Head
	}{
		{"RFC 9112 §4", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n", Head{Status: 200, HTTP11: true, Fields: []Field{{"A", "b"}}}},
		{"LF alone", "HTTP/1.0 404 Not Found\nA:b\n\n", Head{Status: 404, Fields: []Field{{"A", "b"}}}},
		{"no reason phrase", "HTTP/1.1 204\r\n\r\n", Head{Status: 204, HTTP11: true}},
		{"two spaces", "HTTP/1.1  301 Moved\r\n\r\n", Head{Status: 301, HTTP11: true}},
		{"shoutcast", "ICY 200 OK\r\nicy-name: x\r\n\r\n", Head{Status: 200, Fields: []Field{{"icy-name", "x"}}}},
		{"HTTP/2 in a status line", "HTTP/2 200\r\n\r\n", Head{Status: 200, HTTP11: true}},
		{"no status", "HTTP/1.1 OK\r\n\r\n", Head{HTTP11: true}},
		{"four digits", "HTTP/1.1 2000 x\r\n\r\n", Head{HTTP11: true}},
		{"not HTTP", "220 ftp ready\r\n", Head{}},
		{"a line without colon", "HTTP/1.1 200 OK\r\nnonsense\r\nA: b\r\n\r\n", Head{Status: 200, HTTP11: true, Fields: []Field{{"A", "b"}}, Odd: 1}},
		{"obsolete folding (RFC 9112 §5.2)", "HTTP/1.1 200 OK\r\nA: b\r\n  c\r\n\r\n", Head{Status: 200, HTTP11: true, Fields: []Field{{"A", "b c"}}}},
		{"space before the colon", "HTTP/1.1 200 OK\r\nA : b\r\n\r\n", Head{Status: 200, HTTP11: true, Fields: []Field{{"A", "b"}}}},
		{"no end", "HTTP/1.1 200 OK\r\nA: b", Head{Status: 200, HTTP11: true, Fields: []Field{{"A", "b"}}}},
		{"nothing", "", Head{}},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, ParseHead([]byte(tt.raw))); d != "" {
			t.Errorf("%s: %s", tt.why, d)
		}
	}
	many := "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 10_000)
	if h := ParseHead([]byte(many)); len(h.Fields) != maxFields {
		t.Errorf("%d fields kept", len(h.Fields))
	}
}

func TestParseHeadKeepsWhatSteers(t *testing.T) {
	// An answer whose length is its 601st field was held until the connection timed out,
	// and its body was never taken out of its coding.
	padding := strings.Repeat("A: b\r\n", 600)
	for why, before := range map[string]string{"fields": padding, "bytes": "A: " + strings.Repeat("b", 70<<10) + "\r\n"} {
		h := ParseHead([]byte("HTTP/1.1 200 OK\r\n" + before + "content-length: 7\r\n folded\r\nX: y\r\n  not folded\r\n" +
			"Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\nConnection: close\r\nLocation: /x\r\n\r\n"))
		if !h.Long || h.Get("Content-Length") != "7 folded" || !h.Chunked() || h.KeepAlive() || h.Get("Location") != "/x" || h.Get("X") != "" {
			t.Errorf("%s: %v, last fields %q", why, h.Long, h.Fields[max(0, len(h.Fields)-5):])
		}
	}
	h := ParseHead([]byte("HTTP/1.1 200 OK\r\n" + padding + strings.Repeat("Content-Length: 7\r\n", 50_000)))
	if len(h.Fields) != 2*maxFields {
		t.Errorf("%d fields kept", len(h.Fields))
	}
}

func TestHeadEnd(t *testing.T) {
	// However the bytes come, and whoever looks, a header ends at the same place.
	for _, tt := range []struct{ why, head, body string }{
		{"RFC 9112 §2.1", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "body\r\n\r\n"},
		{"RFC 9112 §2.2: LF alone", "HTTP/1.1 200 OK\nA: b\n\n", "\nbody"},
		{"CR CR LF", "HTTP/1.1 200 OK\r\r\nA: b\r\r\n\r\r\n", "\r\r\nbody"},
		{"a line of one CR in a field", "HTTP/1.1 200 OK\r\nA: b\r\r\rc\r\n\r\n", "body"},
		{"LF CR LF", "HTTP/1.1 200 OK\n\r\n", "body"},
		{"CR alone ends no line", "HTTP/1.1 200 OK\r\rbody", ""},
		{"a blank is not nothing", "HTTP/1.1 200 OK\r\n \r\n\r\n", "body"},
		{"shoutcast", "ICY 200 OK\r\n\r\n", "body"},
		{"no header", "", "<p>\r\n\r\nbody"},
		{"an echoed request", "", "GET / HTTP/1.1\r\n\r\nbody"},
		{"no end", "HTTP/1.1 200 OK\r\nA: b\r\n", ""},
		{"longer than is looked for", "HTTP/1.1 200 OK\r\nA: " + strings.Repeat("b", MaxHead-20), "c\r\n\r\nbody"},
		{"nothing", "", ""},
	} {
		wire := tt.head + tt.body
		if n, err := HeadLen(strings.NewReader(wire)); n != int64(len(tt.head)) || err != nil {
			t.Errorf("%s: %d, %v, want %d", tt.why, n, err, len(tt.head))
		}
		if r := load(t, wire, 1<<20); r.HeaderLen() != int64(len(tt.head)) {
			t.Errorf("%s: loaded %d, want %d", tt.why, r.HeaderLen(), len(tt.head))
		}
		if !IsStatusLine([]byte(wire)) {
			continue
		}
		var end HeadEnd
		n := 0
		for ended := false; n < len(wire) && !ended; n++ {
			_, ended = end.Feed([]byte{wire[n]})
		}
		if n != len(tt.head) {
			t.Errorf("%s: byte by byte %d, want %d", tt.why, n, len(tt.head))
		}
	}
	if n := HeadLenOf([]byte("POST / HTTP/1.1\r\nA: b\r\n\r\nform"), false); n != 25 {
		t.Errorf("request: %d", n)
	}
	if n := HeadLenOf([]byte("no request\r\n\r\n"), false); n != 0 {
		t.Errorf("no request: %d", n)
	}
	if _, err := HeadLen(failing{errAny}); !errors.Is(err, errAny) {
		t.Errorf("a source that fails: %v", err)
	}
}

func FuzzHeadEnd(f *testing.F) {
	for _, s := range []string{"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", "ICY 200 OK\n\r\r\nbody", "HTTP/1.1 1\r\r\n\r", "GET / HTTP/1.1\r\n\r\n", "\r\nHTTP/1.1 200 OK\n\n"} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, piece uint8) {
		want, err := HeadLen(bytes.NewReader(b))
		if err != nil || want < 0 || want > int64(len(b)) || want > 0 && !IsStatusLine(b) {
			t.Fatalf("%d of %d, %v", want, len(b), err)
		}
		r, err := Load(bytes.NewReader(b), t.TempDir(), 1<<20)
		if err != nil || r.HeaderLen() != want {
			t.Fatalf("loaded %d, want %d, %v", r.HeaderLen(), want, err)
		}
		defer r.Close()
		if !IsStatusLine(b) {
			return
		}
		var end HeadEnd
		n := 0
		for ended := false; n < len(b) && !ended; {
			var used int
			used, ended = end.Feed(b[n:min(len(b), n+1+int(piece))])
			n += used
		}
		if int64(n) != want {
			t.Fatalf("in pieces %d, want %d", n, want)
		}
		if head := ParseHead(b[:n]); len(head.Fields) > 2*maxFields {
			t.Fatalf("%d fields", len(head.Fields))
		}
	})
}

func TestExchange(t *testing.T) {
	// Deferred answers lie in the state until a page is archived: what is read back
	// is what was written, or an answer marked as cut.
	head := "HTTP/1.1 200 OK\r\n\r\n"
	r := load(t, head+strings.Repeat("Disallow: /\n", 10_000), 1000)
	r.SetRequest([]byte("GET /robots.txt HTTP/1.1\r\n\r\n"))
	e, err := NewExchange("http://example.org/robots.txt", r, 30<<10)
	if err != nil {
		t.Fatal(err)
	}
	e.Date, e.IP = time.UnixMilli(1700000000123).UTC(), netip.MustParseAddr("2001:db8::1")
	if e.Truncated != "length" || len(e.Response) != 30<<10 || e.HeaderLen != len(head) {
		t.Fatalf("%d bytes, truncated %q", len(e.Response), e.Truncated)
	}
	first := e
	first.URL = "http://example.org/first"
	e.Before = []Exchange{first}
	raw, err := e.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var got Exchange
	if err := got.UnmarshalBinary(raw); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(e, got, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); d != "" {
		t.Error(d)
	}
	e.Before = []Exchange{first, first, first}
	if raw, err = e.MarshalBinary(); err != nil || len(raw) > MaxExchange {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
	if err := got.UnmarshalBinary(raw); err != nil || len(got.Before) != 3 || len(got.Response) != len(e.Response) {
		t.Errorf("final answer cut before the redirects: %v", err)
	}
	if err := got.UnmarshalBinary(raw[:len(raw)-1]); !errors.Is(err, ErrExchange) {
		t.Errorf("cut bytes: %v", err)
	}
}

func FuzzBody(f *testing.F) {
	// Style rule 8: a stranger's bytes never panic the program.
	for _, c := range []string{"gzip", "br", "zlib", "raw", "zstd"} {
		name := map[string]string{"zlib": "deflate", "raw": "deflate"}[c]
		if name == "" {
			name = c
		}
		f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: " + name + "\r\n\r\n" + encode(c, "hello hello hello")))
	}
	f.Add([]byte("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n0\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Load(bytes.NewReader(b), t.TempDir(), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		body, _ := r.Body(5000)
		if len(body) > 5000 {
			t.Fatalf("%d bytes", len(body))
		}
		at, n := r.Response()
		all, err := io.ReadAll(io.NewSectionReader(at, 0, n))
		if err != nil || !bytes.Equal(all, b) {
			t.Fatalf("stored %d of %d bytes, %v", len(all), len(b), err)
		}
	})
}

func FuzzExchange(f *testing.F) {
	e := Exchange{URL: "dns:x", ContentType: "text/dns", Response: []byte("x"), Before: []Exchange{{URL: "y"}}}
	raw, _ := e.MarshalBinary()
	f.Add(raw)
	f.Fuzz(func(t *testing.T, b []byte) {
		var e Exchange
		if e.UnmarshalBinary(b) != nil {
			return
		}
		if _, err := e.MarshalBinary(); err != nil && len(b) < MaxExchange/2 {
			t.Fatal(err)
		}
	})
}

func BenchmarkBody(b *testing.B) {
	text := strings.Repeat("<p>Příliš žluťoučký kůň</p>\n", 700)
	r, err := Load(strings.NewReader("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"+encode("gzip", text)), b.TempDir(), 1<<20)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Body(1 << 20); err != nil {
			b.Fatal(err)
		}
	}
}
