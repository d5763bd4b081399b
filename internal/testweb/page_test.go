package testweb

import (
	"compress/zlib"
	"image/png"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func TestEncodedBodiesDecode(t *testing.T) {
	// The codings a crawler must read: issue 3, "The path"; RFC 9110 §8.4.1 says
	// deflate is zlib, some servers send it raw.
	page := National("/a")
	decoders := map[string]func(io.Reader) (io.Reader, error){
		"gzip":        func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"deflate":     func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
		"deflate-raw": func(r io.Reader) (io.Reader, error) { return flate.NewReader(r), nil },
		"br":          func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
		"zstd":        func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) },
		"unheard-of":  func(r io.Reader) (io.Reader, error) { return r, nil },
	}
	for coding, decoder := range decoders {
		t.Run(coding, func(t *testing.T) {
			_, c := start(t, Tiny{"http://a.example/": page.Encoded(coding)}, Options{})
			resp, body := get(t, c, "http://a.example/")
			if want := strings.TrimSuffix(coding, "-raw"); resp.Header.Get("Content-Encoding") != want {
				t.Errorf("declared %q", resp.Header.Get("Content-Encoding"))
			}
			r, err := decoder(strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(r)
			if err != nil || string(plain) != page.Body {
				t.Errorf("decoded %d bytes of %d, %v", len(plain), len(page.Body), err)
			}
		})
	}
	if page.Header.Get("Content-Encoding") != "" {
		t.Error("Encoded changed the page it was called on")
	}
}

func TestNationalPagesAreClear(t *testing.T) {
	// A test that needs a valid page must not depend on a profile's fine points.
	phone := regexp.MustCompile(`\+420 [0-9]{3} [0-9]{3} [0-9]{3}[^0-9]`)
	mail := regexp.MustCompile(`info@firma[0-9]+\.cz`)
	for n := range 200 {
		body := NationalPage(n, "/next", Img("/i.png")).Body
		words := map[string]bool{}
		for _, w := range strings.FieldsFunc(strings.ToLower(body), func(r rune) bool { return r < 'a' && r < 128 || r > 'z' && r < 128 }) {
			if strings.ContainsAny(w, "ěřůčšžýáíéúťďň") {
				words[w] = true
			}
		}
		if len(phone.FindAllString(body, -1)) != 2 || !mail.MatchString(body) || !strings.Contains(body, `lang="cs"`) || len(words) < 20 {
			t.Fatalf("page %d: %d words with Czech letters\n%s", n, len(words), body)
		}
		foreign := ForeignPage(n).Body
		if strings.ContainsAny(foreign, "@+ěřůčšžýáíé") || strings.Contains(foreign, `"cs"`) {
			t.Fatalf("foreign page %d:\n%s", n, foreign)
		}
	}
	if NationalPage(1).Body == NationalPage(2).Body || National().Body != NationalPage(0).Body {
		t.Error("pages do not follow their number")
	}
}

func TestBuildersRefer(t *testing.T) {
	// Each builder must put its references where a crawler looks for them.
	cases := []struct {
		why  string
		page Page
		want []string
	}{
		{"links are escaped", HTML("/a?b&c"), []string{`href="/a?b&amp;c"`}},
		{"markup is kept", HTML(IFrame("/f"), Object("/o"), Script("/s.js"), Stylesheet("/c.css")),
			[]string{`<iframe src="/f">`, `<object data="/o">`, `<script src="/s.js">`, `<link rel="stylesheet" href="/c.css">`}},
		{"imports come before rules (CSS Cascade 4 §2)", CSS("/i.png", "/b.css"),
			[]string{"@import url(\"/b.css\");\n.c0 { background-image: url(\"/i.png\"); }"}},
		{"redirects have a body too", Redirect(302, "/to"), []string{`href="/to"`}},
		{"playlist", M3U8("1.ts", "2.ts"), []string{"#EXTM3U\n", ",\n1.ts\n", ",\n2.ts\n"}},
		{"drawing", SVG("/p.png"), []string{`xlink:href="/p.png"`}},
		{"script", JS("go()"), []string{"go()"}},
	}
	for _, tc := range cases {
		for _, want := range tc.want {
			if !strings.Contains(tc.page.Body, want) {
				t.Errorf("%s: no %q in\n%s", tc.why, want, tc.page.Body)
			}
		}
		if tc.page.Header.Get("Content-Type") == "" {
			t.Errorf("%s: no type", tc.why)
		}
	}
}

func TestMediaAreWhatTheyClaim(t *testing.T) {
	// MIME detection sees real files, and a PDF extractor a PDF that others read.
	if _, err := png.Decode(strings.NewReader(Image(3).Body)); err != nil {
		t.Errorf("PNG: %v", err)
	}
	if Image(1).Body == Image(2).Body {
		t.Error("two images are equal")
	}
	if mp4 := MP4(5000); len(mp4) != 5000 || http.DetectContentType(mp4) != "video/mp4" {
		t.Errorf("MP4: %d bytes of %s", len(mp4), http.DetectContentType(mp4))
	}
	pdf := PDF("A (small) file", "http://a.example/x", "http://b.example/(y)").Body
	for i, m := range regexp.MustCompile(`(?m)^([0-9]{10}) 00000 n $`).FindAllStringSubmatch(pdf, -1) {
		off, err := strconv.Atoi(m[1])
		if err != nil || !strings.HasPrefix(pdf[off:], itoa(i+1)+" 0 obj\n") {
			t.Errorf("PDF: object %d is not at %s", i+1, m[1])
		}
	}
	for _, want := range []string{"/URI (http://a.example/x)", `/URI (http://b.example/\(y\))`, "/Annots [6 0 R 7 0 R]", `(A \(small\) file) Tj`} {
		if !strings.Contains(pdf, want) {
			t.Errorf("PDF has no %s", want)
		}
	}
}

func TestFramingVariants(t *testing.T) {
	// A body is the same however its end is told (RFC 9112 §6.3).
	p := Text(strings.Repeat("line\n", 100))
	_, c := start(t, Tiny{
		"http://a.example/length":  p,
		"http://a.example/chunked": p.Chunked(0),
		"http://a.example/close":   p.Unframed(),
		"http://a.example/drip":    {Body: p.Body, Drip: 64},
		"http://a.example/204":     {Status: 204},
		"http://a.example/304":     {Status: 304},
	}, Options{})
	for _, path := range []string{"length", "chunked", "close", "drip"} {
		if _, body := get(t, c, "http://a.example/"+path); body != p.Body {
			t.Errorf("%s: %d bytes, want %d", path, len(body), len(p.Body))
		}
	}
	for _, path := range []string{"204", "304"} {
		if resp, body := get(t, c, "http://a.example/"+path); body != "" || resp.Header.Get("Content-Length") != "" {
			t.Errorf("%s: body %q, header %v", path, body, resp.Header)
		}
	}
}

func TestJoinAsksInOrder(t *testing.T) {
	// Tests lay a few pages of their own over a recorded or generated web.
	_, c := start(t, Join(Tiny{"http://a.example/": Text("mine")}, Hosts{"a.example": Text("theirs"), "b.example": Text("b")}), Options{})
	for url, want := range map[string]string{"http://a.example/": "mine", "http://b.example/x": "b"} {
		if _, body := get(t, c, url); body != want {
			t.Errorf("%s: %q, want %q", url, body, want)
		}
	}
}
