package growthtest

import (
	"fmt"
	"strings"
)

// Shape is a kind of document that somebody may have made to be slow to read.
type Shape struct {
	Name string
	Make func(n int) []byte // n bytes, or about as many
}

// Shapes returns shapes that lead readers into reading again what they have read:
// errors, beginnings without an end, nesting, repeats, and what libraries are known
// to be slow at.
func Shapes() []Shape {
	const code = `"x.png";`
	repeated := []struct{ name, head, unit, tail string }{
		{"JS: decorators", code, "@a ", ""},
		{"JS: hashes", code, "#", ""},
		{"JS: numbers that end in letters", code, "1x ", ""},
		{"JS: NUL", code, "\x00", ""},
		{"JS: octal numbers", code, "07 ", ""},
		{"JS: prose", code, "it’s „plain“ text, isn't it? ", ""},
		{"JS: style sheet", code, ".a:hover>b{color:#fff;margin:0 .5em}@media x{} ", ""},
		{"JS: regular expressions without end", code, "=/[", ""},
		{"JS: regular expressions without end, line by line", code, "=/(\n", ""},
		{"JS: templates in templates", code, "`${", ""},
		{"JS: template ends", code, "`${}", ""},
		{"JS: strings without end", code, "'a\n", ""},
		{"JS: escapes", code, `\u{1`, ""},
		{"JS: escaped quotes", code, `'\`, ""},
		{"JS: comments in comments", code, "/*", ""},
		{"JS: HTML comments", code, "<!--", ""},
		{"JS: brackets", code, "([{", ""},
		{"JS: glued strings", "x=", `"/a/b.png"+`, "1"},
		{"JS: one string", `"`, "/a/b.png", `"`},
		{"CSS: url(", "a{b:", "url(", ""},
		{"CSS: url( and a quote", "a{b:", `url("`, ""},
		{"CSS: url( and a line", "a{b:", "url(a\nb ", ""},
		{"CSS: imports", "", `@import "a`, ""},
		{"CSS: ranges of characters", "a{b:url(c);", "u+ffffffff-", ""},
		{"CSS: variables", "a{b:url(c);", "--a:{", ""},
		{"CSS: escapes", "a{b:url(c);", `\6`, ""},
		{"CSS: comments", "a{b:url(c);", "/*/", ""},
		{"CSS: image sets", "a{b:", "image-set(", ""},
		{"HTML: less-than signs", "", "<", ""},
		{"HTML: tags in tags", "", "<a ", ""},
		{"HTML: end tags", "", "</a", ""},
		{"HTML: declarations", "", "<!", ""},
		{"HTML: comments", "", "<!-- --!-", ""},
		{"HTML: CDATA", "<svg>", "<![CDATA[", ""},
		{"HTML: instructions", "", "<?xml-stylesheet href=a?>", ""},
		{"HTML: scripts", "", "<script>'</script>", ""},
		{"HTML: scripts in comments in scripts", "", "<script><!--<script>", ""},
		{"HTML: titles", "", "<title>", ""},
		{"HTML: text areas without end", "<textarea>", "</textare", ""},
		{"HTML: references without end", "", "&amp", ""},
		{"HTML: one long reference", "&", "a", ""},
		{"HTML: open elements", "", "<svg><template><pre>", ""},
		{"HTML: documents in documents", "", `<iframe srcdoc="<iframe srcdoc='`, ""},
		{"HTML: languages", "", "<p lang=cs-CZ>", ""},
		{"HTML: robots and charsets", "", `<meta http-equiv=content-type name=robots content="charset charset">`, ""},
		{"HTML: candidates of images", `<img srcset="`, "a 1x (,", `">`},
		{"HTML: candidates of images, commas", `<img srcset="`, ",", `">`},
		{"HTML: the same link", "", "<a href=/b><img alt=c src=d>", ""},
		{"HTML: events", "", `<b onclick="a('/b.c`, ""},
		{"HTML: styles", "", `<b style="a:url(`, ""},
		{"HTML: relations", `<link href=a rel="`, "a stylesheet ", `">`},
		{"HTML: archives", `<object archive="`, "a ", `">`},
		{"playlist: keys", "#EXTM3U\n", "#EXT-X-KEY:URI=\"a\n", ""},
		{"playlist: one line", "#EXTM3U\n#EXT-X-KEY:", "URI=\"", ""},
		{"DASH: bases", "<MPD>", "<BaseURL>a/</BaseURL><Period>", ""},
		{"DASH: one base", "<MPD><BaseURL>", "a/", "</BaseURL><SegmentURL media=b>"},
		{"JSON: arrays", `{"icons":`, "[", ""},
		{"JSON: icons", `{"icons":[{"src":"a"}`, `,{"src":"a"}`, "]}"},
		{"PDF: strings without end", "%PDF-1.4", "/URI(", ""},
		{"PDF: escapes in strings", "%PDF-1.4", "/URI(\\\n", ""},
		{"PDF: hexadecimal strings without end", "%PDF-1.4", "/URI< 4 1 ", ""},
		{"PDF: streams", "%PDF-1.4", "/ObjStm stream\nx\x9c", ""},
		{"PDF: streams in a stream", "%PDF-1.4/ObjStm stream\nx\x01", stored("/ObjStm stream\nx\x01", 200), ""},
		{"bytes: FF", "", "\xff", ""},
		{"bytes: broken UTF-8", "", "\xc3(\xe2\x82", ""},
		{"bytes: windows-1250", "", "\xe8e\xb9tina ", ""},
		{"bytes: UTF-16", "", "a\x00", ""},
		{"bytes: UTF-16 surrogates", "\xff\xfe", "\x00\xd8", ""},
		{"bytes: shifts of ISO 2022", "", "\x1b$B!!\x1b(B", ""},
		{"bytes: line ends", "", "\r", ""},
		{"bytes: blanks", "", " ", ""},
		{"text: at signs", "", "@", ""},
		{"text: addresses without end", "", "a@b.", ""},
		{"text: addresses", "", "a.b@c.cz ", ""},
		{"text: one local part", "", "a.b", "@c.cz"},
		{"text: links to addresses", "", "mailto:", ""},
		{"text: links to numbers", "", "tel:+420 ", ""},
		{"text: plus signs", "", "+", ""},
		{"text: zeros", "", "0", ""},
		{"text: digits in groups", "", "+420 (0) ", ""},
		{"text: one word", "", "a", ""},
		{"text: marks", "", "\u0301", ""},
		{"text: letters with marks", "", "a\u0301\u0327", ""},
		{"text: soft hyphens", "a", "\u00ad", "b"},
		{"field: links", "", "<a>;rel=next,", ""},
		{"field: parameters", "<a>", ";rel", ""},
		{"field: quotes", `<a>;rel="`, `\"`, ""},
		{"field: beginnings", "", "<", ""},
		{"reference: dots", "<a href='", "../", "'>"},
		{"reference: percent signs", "<a href='/", "%", "'>"},
	}
	shapes := []Shape{
		{"HTML: one tag, many attributes", numbered("<a ", "a%d ", "")},
		{"HTML: a tag of many attributes, many of one", func(n int) []byte {
			return append(numbered("<a ", "a%d ", ">")(n/2), Repeat("", "<b c>", "")(n/2)...)
		}},
		{"HTML: links", numbered("", "<a href=/a/%d>", "")},
		{"HTML: elements nobody knows", numbered("", "<x%d data-src=/a.b/%[1]d>", "")},
		{"HTML: links to long hosts", numbered("", "<a href='http://"+longHost()+"%d/'>", "")},
		{"HTML: links far below a base", numbered("<base href=//a/"+strings.Repeat("b/", 1000)+">", "<a href='../"+strings.Repeat("../", 50)+"%d'>", "")},
		{"JS: strings like addresses", numbered("", "'/a/%d.png';", "")},
		{"CSS: addresses", numbered("a{b:", "url(/a/%d.png)", "")},
		{"text: different addresses", numbered("", "a%d@b.cz ", "")},
		{"text: different numbers", numbered("", "+420 %09d ", "")},
		{"playlist: segments", numbered("#EXTM3U\n", "%d.ts\n", "")},
	}
	for _, r := range repeated {
		shapes = append(shapes, Shape{r.name, Repeat(r.head, r.unit, r.tail)})
	}
	return shapes
}

// numbered repeats a unit with a number in it.
func numbered(head, unit, tail string) func(n int) []byte {
	return func(n int) []byte {
		b := []byte(head)
		for i := 0; len(b) < n-len(tail); i++ {
			b = fmt.Appendf(b, unit, i)
		}
		return append(b, tail...)
	}
}

// longHost is a label of different letters, which is slow to write in Punycode.
func longHost() string {
	var b strings.Builder
	for i := range 600 {
		b.WriteRune(rune(0x4e00 + i*7%2000))
	}
	return b.String()
}

// stored is text in a stored block of RFC 1951 §3.2.4, and empty blocks behind it:
// much to read, nothing to keep.
func stored(text string, empty int) string {
	n := len(text)
	return string([]byte{0, byte(n), byte(n >> 8), byte(^n), byte(^n >> 8)}) + text + strings.Repeat("\x00\x00\x00\xff\xff", empty)
}
