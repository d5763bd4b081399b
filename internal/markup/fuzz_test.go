package markup

import (
	"strings"
	"testing"
	"unicode/utf8"
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
	for _, s := range []string{"import '/a/b.js'", "`${`${'/a/b'}`}`", `a=/["/]/;b="\u12`, "'\\", "new Worker(`x`)", "`${#", "1/2/'"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) { check(t, JS, body, "") })
}

func FuzzOther(f *testing.F) {
	for _, s := range []string{"#EXTM3U\n#EXT-X-KEY:URI=\"a\"\nb", "<MPD><BaseURL>a</BaseURL><SegmentURL media=b>", `{"icons":[{"src":"a"}]}`, "/ObjStm stream\nx\x9c /URI (a\\", "/URI<41"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, k := range []Kind{HLS, DASH, Manifest, PDF} {
			check(t, k, body, "")
		}
	})
}
