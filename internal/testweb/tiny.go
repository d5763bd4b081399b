package testweb

import (
	"net/http"
	"net/url"
	"strings"
)

// Tiny is a web written out: absolute URL to page. Keys are compared with the
// URL as the request had it (see [URL]), path and query byte for byte. A host
// exists when a key names it; what no key names is a 404.
type Tiny map[string]Page

// Host implements [Web].
func (t Tiny) Host(name string) http.Handler {
	for key := range t {
		if u, err := url.Parse(key); err == nil && strings.ToLower(u.Hostname()) == name {
			return t
		}
	}
	return nil
}

// ServeHTTP implements [http.Handler] for every host of t.
func (t Tiny) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, ok := t[URL(r)]
	if !ok {
		page = NotFound()
	}
	page.ServeHTTP(w, r)
}

// NotFound is a 404 with a line of plain text.
func NotFound() Page { return text(http.StatusNotFound, "not found\n") }

// Text is a page of plain text in UTF-8.
func Text(body string) Page { return text(0, body) }

// Redirect is an answer with a Location and a short HTML body, as servers send.
func Redirect(status int, to string) Page {
	return Page{Status: status, Header: http.Header{"Location": {to}},
		Body: `<html><head><title>Moved</title></head><body><a href="` + escape(to) + `">here</a></body></html>`,
	}.With("Content-Type", "text/html; charset=utf-8")
}

// HTML is a page without words of any language. A link that starts with "<" is
// taken as markup ([Img], [Stylesheet], …), any other as the target of an <a>.
func HTML(links ...string) Page {
	return document("", "0", "", links)
}

// National is a page that every profile for the Czech web must find valid:
// Czech prose in many distinct words, lang="cs", a Czech e-mail address and
// telephone numbers. Links as in [HTML].
func National(links ...string) Page { return NationalPage(0, links...) }

// NationalPage is [National] with one of many texts, so that two pages need
// not be equal.
func NationalPage(n int, links ...string) Page {
	return document("cs", "Stránka "+itoa(n), nationalText(uint64(n), 8), links)
}

// Foreign is a page of English prose with nothing Czech about it. Links as in
// [HTML].
func Foreign(links ...string) Page { return ForeignPage(0, links...) }

// ForeignPage is [Foreign] with one of many texts.
func ForeignPage(n int, links ...string) Page {
	return document("en", "Page "+itoa(n), foreignText(uint64(n), 8), links)
}

func document(lang, title, prose string, links []string) Page {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html")
	if lang != "" {
		b.WriteString(` lang="` + lang + `"`)
	}
	b.WriteString("><head><meta charset=\"utf-8\"><title>" + title + "</title></head>\n<body>\n" + prose)
	for _, l := range links {
		if strings.HasPrefix(l, "<") {
			b.WriteString(l + "\n")
			continue
		}
		b.WriteString(`<p><a href="` + escape(l) + `">` + escape(l) + "</a></p>\n")
	}
	b.WriteString("</body></html>\n")
	return Page{Body: b.String()}.With("Content-Type", "text/html; charset=utf-8")
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;").Replace(s)
}

// Img is the markup of an image.
func Img(src string) string { return `<img src="` + escape(src) + `" alt="">` }

// Stylesheet is the markup of a style sheet.
func Stylesheet(href string) string { return `<link rel="stylesheet" href="` + escape(href) + `">` }

// Script is the markup of a script.
func Script(src string) string { return `<script src="` + escape(src) + `"></script>` }

// IFrame is the markup of an inline frame.
func IFrame(src string) string { return `<iframe src="` + escape(src) + `"></iframe>` }

// Object is the markup of an embedded object.
func Object(data string) string { return `<object data="` + escape(data) + `"></object>` }

// CSS is a style sheet: a reference that ends in ".css" is imported, any other
// is a background image.
func CSS(refs ...string) Page {
	var imports, rules strings.Builder
	for i, ref := range refs {
		if strings.HasSuffix(ref, ".css") {
			imports.WriteString(`@import url("` + ref + "\");\n")
			continue
		}
		rules.WriteString(".c" + itoa(i) + ` { background-image: url("` + ref + "\"); }\n")
	}
	return Page{Body: imports.String() + rules.String() + "body { margin: 0 }\n"}.With("Content-Type", "text/css")
}

// JS is a script with the given source.
func JS(source string) Page {
	return Page{Body: source}.With("Content-Type", "text/javascript; charset=utf-8")
}

// M3U8 is an HLS playlist of segments, ten seconds each.
func M3U8(segments ...string) Page {
	var b strings.Builder
	b.WriteString("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:10\n")
	for _, s := range segments {
		b.WriteString("#EXTINF:10.0,\n" + s + "\n")
	}
	b.WriteString("#EXT-X-ENDLIST\n")
	return Page{Body: b.String()}.With("Content-Type", "application/vnd.apple.mpegurl")
}

// SVG is a drawing that embeds the given images.
func SVG(images ...string) Page {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="40">` + "\n")
	for _, src := range images {
		b.WriteString(`<image xlink:href="` + escape(src) + `" width="40" height="40"/>` + "\n")
	}
	b.WriteString(`<rect width="10" height="10"/></svg>` + "\n")
	return Page{Body: b.String()}.With("Content-Type", "image/svg+xml")
}
