package hostileweb

import (
	"fmt"
	"net/http"
	"strings"

	"exclave/internal/testweb"
)

// scriptSize is the length of a script that was quadratic: minutes, once.
const scriptSize = 150_000

// scripts made a lexer read its input again from every error on.
func scripts() []Case {
	script := func(name, filler, about string) Case {
		return Case{Name: name, Group: Documents, About: "a script of 150 KB: " + about, heavy: true, embed: testweb.Script, ext: ".js",
			item: func(n int) http.Handler {
				// Code first: what begins with noise is taken for something else.
				return testweb.JS(fmt.Sprintf("%q;\n", fmt.Sprintf("/i/%d.png", n)) + strings.Repeat("var a = 1;\n", 100) + strings.Repeat(filler, scriptSize/len(filler)))
			}}
	}
	return []Case{
		script("js-at", "@a ", "at signs"),
		script("js-hash", "# ", "number signs"),
		script("js-number", "1x ", "numbers with letters"),
		script("js-nul", "\x00", "NUL"),
		script("js-octal", "'\\08' 08 ", "octals"),
		script("js-prose", "Toto je věta, která není skriptem. It's prose.\n", "prose"),
		script("js-css", ".a { color: #1a2b3c; background: url(b.png) } @media print { #c > d::before { content: '\\201C' } }\n", "a style sheet"),
		script("js-regexp", "/[a", "regular expressions without an end"),
		script("js-template", "`${", "templates in templates"),
		script("js-brackets", "([{", "brackets that are never closed"),
	}
}

// unpacked is about the size that bombs have when they are unpacked, in bytes.
const unpacked = 10_000_000

// fill repeats s to about the size of a bomb.
func fill(s string) string { return strings.Repeat(s, unpacked/len(s)) }

// zipped is a document that is sent compressed.
func zipped(typ, body string) testweb.Page {
	return testweb.Page{Body: body}.With("Content-Type", typ).Encoded("gzip")
}

const htmlType = "text/html; charset=utf-8"

// bombs are small and become large.
func bombs() []Case {
	bomb := func(name, about string, build func() testweb.Page) Case {
		return Case{Name: name, Group: Documents, About: about, heavy: true, item: same(build)}
	}
	html := func(name, about string, body func() string) Case {
		return bomb(name, about, func() testweb.Page {
			return zipped(htmlType, "<!DOCTYPE html><html lang=cs><title>x</title><body>"+body())
		})
	}
	return []Case{
		bomb("gzip-ff", "10 KB that unpack to 10 MB of \\xff, as HTML", func() testweb.Page { return zipped("text/html", fill("\xff")) }),
		html("attributes", "one tag with 1.7 million attributes", func() string { return "<a" + strings.Repeat(" aaa=b", 1_700_000) + ">" }),
		html("attribute", "an attribute of 10 MB that does not end", func() string { return `<a href="` + fill("a") }),
		html("tag-name", "the name of a tag of 10 MB", func() string { return "<" + fill("a") }),
		html("comment", "comments that do not end", func() string { return fill("<!--") }),
		html("entities", "2 million character references", func() string { return fill("&amp;") }),
		html("nested", "100,000 elements in one another", func() string { return strings.Repeat("<div>", 100_000) }),
		html("nested-mixed", "300,000 elements of a table in one another", func() string { return strings.Repeat("<table><tr><td>", 100_000) }),
		html("formatting", "100,000 elements that are formatted again in each paragraph", func() string { return strings.Repeat("<p><b><i><font>", 25_000) }),
		html("srcset", "one image with 500,000 candidates", func() string { return `<img srcset="` + strings.Repeat("/i/1.png 1x, ", 500_000) + `">` }),
		html("data-urls", "2,000 images in the page itself, 5 KB each", func() string {
			return strings.Repeat(`<img src="data:image/png;base64,`+strings.Repeat("iVBORw0K", 625)+`">`, 2_000)
		}),
		html("data-url", "an image of 10 MB in the page itself", func() string { return `<img src="data:image/png;base64,` + fill("iVBORw0K") + `">` }),
		html("text", "10 MB of Czech text", func() string {
			return fill("Příliš žluťoučký kůň úpěl ďábelské ódy, napište na info@firma.cz. ")
		}),
		html("word", "a word of 10 MB", func() string { return fill("ž") }),
		html("mails", "300,000 e-mail addresses and telephone numbers", func() string { return fill("a.b@c.cz +420 601 234 567 ") }),
		html("inline-scripts", "20,000 scripts in the page", func() string { return strings.Repeat("<script>@a # 1x</script>", 20_000) }),
		html("inline-styles", "20,000 style attributes", func() string { return strings.Repeat(`<p style="background:url(/i/1.png) @ {{{">`, 20_000) }),
		{Name: "links", Group: Documents, About: "a page with 1 million links", heavy: true, few: true,
			item: same(func() testweb.Page { return zipped(htmlType, manyLinks(1_000_000)) }), other: leaf},
		bomb("gzip-layers", "gzip in gzip, eleven times", func() testweb.Page {
			p := zipped(htmlType, fill("<p>a"))
			for range 10 {
				p = p.Encoded("gzip")
			}
			return p.With("Content-Encoding", strings.Repeat("gzip, ", 10)+"gzip")
		}),
		bomb("brotli", "brotli that unpacks to 100 MB", func() testweb.Page {
			return testweb.Page{Body: strings.Repeat(fill("<p>"), 10)}.With("Content-Type", htmlType).Encoded("br")
		}),
	}
}

func manyLinks(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<a href=/n/%d>", i)
	}
	return b.String()
}

// leaf is what is found at /n/…: a short page without links.
func leaf(r *http.Request) http.Handler {
	if strings.HasPrefix(r.URL.Path, "/n/") {
		return testweb.HTML()
	}
	return nil
}

// parsers are documents for the extractors beside that of HTML, and lies about charsets.
func parsers() []Case {
	doc := func(name, about, ext string, embed func(string) string, build func() testweb.Page) Case {
		return Case{Name: name, Group: Documents, About: about, heavy: true, ext: ext, embed: embed, item: same(build)}
	}
	typed := func(typ, body string) testweb.Page { return testweb.Page{Body: body}.With("Content-Type", typ) }
	manifest := func(url string) string { return `<link rel="manifest" href="` + url + `">` }
	video := func(url string) string { return `<video src="` + url + `"></video>` }
	m3u8 := doc("m3u8", "a playlist of 100,000 segments", ".m3u8", video, func() testweb.Page {
		segments := make([]string, 100_000)
		for i := range segments {
			segments[i] = "/n/" + fmt.Sprint(i)
		}
		return testweb.M3U8(segments...)
	})
	m3u8.few, m3u8.other = true, leaf
	return []Case{
		m3u8,
		doc("m3u8-noise", "a playlist of 1 MB without a sense", ".m3u8", video, func() testweb.Page {
			return typed("application/vnd.apple.mpegurl", "#EXTM3U\n"+strings.Repeat("#EXT-X-MAP:URI=\"", 65_000))
		}),
		doc("css-url", "a style sheet of 50,000 url( without an end", ".css", testweb.Stylesheet, func() testweb.Page {
			return typed("text/css", strings.Repeat("a{b:url(", 50_000))
		}),
		doc("css-escape", "a style sheet of quotes, escapes and comments without an end", ".css", testweb.Stylesheet, func() testweb.Page {
			return typed("text/css", strings.Repeat("'\\", 50_000)+strings.Repeat("\n/*", 50_000))
		}),
		doc("css-import", "a style sheet with 50,000 imports of itself", ".css", testweb.Stylesheet, func() testweb.Page {
			return typed("text/css", strings.Repeat("@import '?';", 50_000))
		}),
		doc("xml-entities", "XML whose entities multiply to gigabytes", ".xml", nil, func() testweb.Page {
			var b strings.Builder
			b.WriteString("<?xml version=\"1.0\"?><!DOCTYPE l [<!ENTITY e0 \"ha\">")
			for i := 1; i < 30; i++ {
				fmt.Fprintf(&b, "<!ENTITY e%d %q>", i, strings.Repeat(fmt.Sprintf("&e%d;", i-1), 10))
			}
			return typed("application/xml", b.String()+"]><l>&e29;</l>")
		}),
		doc("xml-nested", "XML with 100,000 elements in one another", ".xml", nil, func() testweb.Page {
			return typed("application/xml", "<?xml version=\"1.0\"?>"+strings.Repeat("<a b='c'>", 100_000))
		}),
		doc("svg-nested", "a drawing of 100,000 groups in one another", ".svg", testweb.Img, func() testweb.Page {
			return typed("image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg">`+strings.Repeat("<g style='fill:url(#a)'>", 100_000))
		}),
		doc("manifest", "a manifest of 100,000 brackets", ".webmanifest", manifest, func() testweb.Page {
			return typed("application/manifest+json", `{"icons":`+strings.Repeat("[", 100_000))
		}),
		doc("pdf", "a PDF file that is broken everywhere", ".pdf", nil, func() testweb.Page {
			return typed("application/pdf", "%PDF-1.7\n"+strings.Repeat("1 0 obj << /Type /ObjStm /N 999999999 /First -1 /Length 99999999 /Filter [/FlateDecode /FlateDecode] /Kids [1 0 R] /URI ((((", 3_000)+"\nxref\n0 999999999\ntrailer << /Prev 9 /Root 1 0 R /Size 999999999 >>\nstartxref\n9\n%%EOF")
		}),
		doc("pdf-nested", "a PDF file of 200,000 dictionaries in one another", ".pdf", nil, func() testweb.Page {
			return typed("application/pdf", "%PDF-1.7\n1 0 obj\n"+strings.Repeat("<</A", 200_000)+"\ntrailer <</Root 1 0 R>>\n%%EOF")
		}),
		{Name: "charsets", Group: Documents, About: "charsets that are not what they say", item: func(n int) http.Handler {
			p := testweb.NationalPage(n)
			names := []string{"utf-16", "utf-7", "iso-2022-jp", "gb18030", "x-user-defined", "replacement", "windows-1250\"; a=\"b", "ebcdic-cp-us", strings.Repeat("x", 100_000), "utf-32"}
			return p.With("Content-Type", "text/html; charset="+names[n%len(names)])
		}},
		{Name: "types", Group: Documents, About: "types that are not what they say", item: func(n int) http.Handler {
			types := []string{"image/png", "application/pdf", "text/css", "text/javascript", "application/xml", "application/octet-stream", "a/b/c;;;", "", "video/mp4", "multipart/x-mixed-replace; boundary=x"}
			return testweb.NationalPage(n).With("Content-Type", types[n%len(types)])
		}},
	}
}
