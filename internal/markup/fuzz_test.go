package markup

import (
	"strings"
	"testing"
	"unicode/utf8"

	"exclave/internal/growthtest"
)

// check asserts what Parse promises for any bytes.
func check(t *testing.T, k Kind, body []byte, charset string) {
	t.Helper()
	keep := string(body)
	o := Options{DeclaredCharset: charset, MaxText: 1000, MaxLinks: 50, MaxSource: 100, KeepSource: true}
	d := Parse(k, body, o)
	if d.Err != nil && k != Manifest {
		t.Fatalf("%v: %v", k, d.Err)
	}
	if string(body) != keep {
		t.Fatal("the body was changed")
	}
	if len(d.Text) > o.MaxText || len(d.Links) > o.MaxLinks || len(d.Source) > o.MaxSource || len(d.Title) > maxTitle || len(d.Base) > maxURL {
		t.Fatal("a limit was passed")
	}
	for _, s := range []string{d.Text, d.Title, d.Source, d.Base} {
		if !utf8.ValidString(s) {
			t.Fatalf("invalid UTF-8: %q", s)
		}
	}
	for _, l := range d.Links {
		if l.URL == "" || len(l.URL) > maxURL || !utf8.ValidString(l.URL) || strings.ContainsAny(l.URL, "\t\r\n") || len(l.Text) > maxLinkText || !utf8.ValidString(l.Text) {
			t.Fatalf("link %+v", l)
		}
		for _, c := range []byte(l.Context) {
			if c <= ' ' || c >= 0x7F {
				t.Fatalf("context %q", l.Context)
			}
		}
	}
}

func FuzzHTML(f *testing.F) {
	for _, s := range []string{
		`<a href=x>y</a><img srcset="a 1x, b 2x"><svg><style/><title/></svg><iframe srcdoc="&lt;iframe srcdoc='x'>">`,
		"<script><!--<script></script>--></script><template><p>", "<?xml encoding='\xff'?><meta charset=utf-16><base href=//>",
		"<meta http-equiv=refresh content=';url=\"'><link rel='stylesheet preload' href=x as=style><pre>\r\n</pre>", "<x y='\x00' \xff=\xfe></\x00>",
		`<object codebase=a data=b archive="c d"><param name=src value=e/f><b onclick="'/a/b'" data-x=?/ style="a:url(">`,
	} {
		f.Add([]byte(s), "")
	}
	f.Fuzz(func(t *testing.T, body []byte, charset string) {
		for _, k := range []Kind{HTML, XHTML, SVG, XML, PlainText} {
			check(t, k, body, charset)
		}
	})
}

func FuzzCSS(f *testing.F) {
	for _, s := range []string{`@import "a"; b{c:url(d) url("e`, `a{--b:url(c);d:image-set("e" 1x)}`, `\`, `@charset "x"; u\72l(a\`, "url(\x00"} {
		f.Add([]byte(s), "")
	}
	f.Fuzz(func(t *testing.T, body []byte, charset string) { check(t, CSS, body, charset) })
}

func FuzzJS(f *testing.F) {
	for _, s := range []string{"import '/a/b.js'", "`${`${'/a/b'}`}`", `a=/["/]/;b="\u12`, "'\\", "new Worker(`x`)", "`${#", "1/2/'", `document.write('<script src="a.js"><\/script><img src=b>')`, `x={"a/b":'{"u":"c/d.js"}'};new URL("a/b.js",import.meta.url)`, "location='a'+b;f(`<a href=${c} data-x='[\"d/e.png\"]'>`)", `"a.png 1x, b.png 2x"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) { check(t, JS, body, "") })
}

func FuzzOther(f *testing.F) {
	for _, s := range []string{"#EXTM3U\n#EXT-X-KEY:URI=\"a\"\nb", "<MPD><BaseURL>a</BaseURL><SegmentURL media=b>", `{"icons":[{"src":"a"}]}`, "/ObjStm stream\nx\x9c /URI (a\\", "/URI<41"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, k := range []Kind{HLS, DASH, Manifest, PDF, OOXML, ODF, EPUB, RTF, Packed} {
			check(t, k, body, "")
		}
	})
}

// FuzzCharset: whatever the bytes are said to be, and whatever they say themselves,
// decoding gives UTF-8 in a charset that the standard knows, and no more of it than
// four bytes for each.
func FuzzCharset(f *testing.F) {
	for _, s := range []struct{ charset, body string }{
		{"", "\xff\xfea\x00\x00\xd8"}, {"", "\xef\xbb\xbf\xff"}, {"iso-2022-jp", "\x1b$B!!\x1b(B\x1b$B\xff"}, {"gb18030", "\x81\x30\x81\x30\xff"},
		{"big5", "\x88\x62\x88"}, {"replacement", "a"}, {"x-user-defined", "\x80\xff"}, {"utf-16", "\x00\xd8\x00"}, {"", "<meta charset=utf-16be>\xe8"},
		{"", "<?xml version='1.0' encoding='\xff'?>"}, {"", `@charset "euc-kr";` + "\xb0\xa1"}, {"hz-gb-2312", "~{"}, {"", "\xe8e\xb9tina"},
	} {
		f.Add([]byte(s.body), s.charset)
	}
	f.Fuzz(func(t *testing.T, body []byte, charset string) {
		for k := HTML; k < PDF; k++ {
			src, name, from := decode(k, body, charset)
			if !utf8.Valid(src) || len(src) > 4*len(body) {
				t.Fatalf("%v: %q as %s gives %q", k, body, name, src)
			}
			if _, ok := lookup(name); !ok || from == "" {
				t.Fatalf("%v: charset %q, from %q", k, name, from)
			}
		}
		growthtest.Repeated(t, nil, body, nil, func(b []byte) { decode(PlainText, b, charset) })
	})
}

// FuzzGrowth: a document of repeats takes time that grows no faster than it does.
func FuzzGrowth(f *testing.F) {
	f.Add(uint8(JS), []byte(`"x.png";`), []byte("@a "), []byte(""))
	f.Add(uint8(HTML), []byte("<a "), []byte("a=b>"), []byte("</a>"))
	f.Add(uint8(JS), []byte(`"<a `), []byte("style=/"), []byte(`"`))
	f.Add(uint8(JS), []byte(`"`), []byte("<!--<a b='<script"), []byte(`="`))
	f.Add(uint8(HTML), []byte("<!--[if IE]>"), []byte("<a src='"), []byte("-->"))
	f.Add(uint8(CSS), []byte("a{b:"), []byte("url("), []byte(")}"))
	f.Add(uint8(PDF), []byte("/ObjStm"), []byte("stream\nx\x9c/URI("), []byte(")"))
	f.Fuzz(func(t *testing.T, kind uint8, head, unit, tail []byte) {
		growthtest.Repeated(t, head, unit, tail, func(b []byte) { Parse(Kind(kind), b, Options{KeepSource: true}) })
	})
}
