package benchweb

import "fmt"

// answer is what is sent for a node, beside its payload.
type answer struct {
	status   int
	typ      string
	location bool // payload is preceded by a Location field: the first reference
	gzip     bool
	chunked  bool
	etag     string // in quotes; "" for none
	modified string // date of Last-Modified; "" for none
}

// When resources were last modified, of the web and of the changed one.
const (
	modified      = "Tue, 03 Mar 2026 09:12:44 GMT"
	modifiedLater = "Wed, 11 Mar 2026 17:40:02 GMT"
)

func contentType(k Kind) string {
	switch k {
	case HTML, Redirect, Error:
		return "text/html; charset=utf-8"
	case CSS:
		return "text/css"
	case JS:
		return "text/javascript; charset=utf-8"
	case JPEG, PNG:
		return "image/" + string(k)
	case SVG:
		return "image/svg+xml"
	case PDF:
		return "application/pdf"
	case Font:
		return "font/woff2"
	case Video:
		return "video/mp4"
	case Audio:
		return "audio/mpeg"
	case Track:
		return "text/vtt; charset=utf-8"
	}
	return "application/manifest+json"
}

// answerOf decides how a node is sent to a client that accepts gzip or does not.
func (w *Web) answerOf(n node, acceptsGzip bool) answer {
	a := answer{status: n.status, typ: contentType(n.kind), location: n.kind == Redirect}
	if w.windows1250(n) {
		a.typ = "text/html"
	}
	switch n.kind {
	case HTML, CSS, JS, SVG, Track:
		a.gzip = acceptsGzip && w.chance(w.p.Gzip, forGzip, n.h, n.i)
	}
	a.chunked = n.kind != Redirect && w.chance(w.p.Chunked, forChunked, n.h, n.i)
	w.validate(&a, n)
	return a
}

// validate adds validators.
func (w *Web) validate(a *answer, n node) {
	if w.p.Validators == NoValidators {
		return
	}
	a.modified = modified
	if w.changed(n) {
		a.modified = modifiedLater
	}
	if w.p.Validators != ETags || n.status != 200 {
		return
	}
	a.etag = fmt.Sprintf(`"%x"`, w.content(n))
}

// unmodified reports whether a request that had these validators is answered with 304.
func (a answer) unmodified(etag, date []byte) bool {
	return a.etag != "" && (string(etag) == a.etag || len(etag) == 0 && string(date) == a.modified)
}

// windows1250 reports whether a page is in the old charset of Czech pages, declared
// in the page only.
func (w *Web) windows1250(n node) bool {
	return n.kind == HTML && w.hash(forCharset, n.h, n.i)%8 == 0 && w.national(n)
}

// target is the size of a body: bytes before compression.
func (w *Web) target(n node) int {
	f := w.fraction(forSize, n.h, n.i)
	least, most, size := 1_000., 60_000., 0.
	switch n.kind {
	case HTML:
		least = 5_000
		size = f * f * f
	case JPEG, PNG:
		most = 55_000
		size = f * f * f * (0.4 + 0.6*f)
		size = (size + f*f) / 2
	case CSS:
		most, size = 30_000, f*f
	case JS:
		most, size = 90_000, f*f*f
	case PDF:
		least, most, size = 10_000, 200_000, f*f
	case Font:
		least, most, size = 15_000, 50_000, f
	case Video, Audio:
		least, most, size = 30_000, 200_000, f*f
	default:
		return 0
	}
	return int((least + (most-least)*size) * float64(w.p.MeanSize) / 15_000)
}

// render puts the payload of a node into b.
func (w *Web) render(b *body, n node) {
	b.refs = w.appendRefs(b.refs[:0], n)
	switch n.kind {
	case HTML:
		w.html(b, n)
	case CSS:
		w.css(b, n)
	case JS:
		w.js(b, n)
	case SVG:
		w.svg(b, n)
	case Manifest:
		w.manifest(b, n)
	case Redirect:
		b.text("<html><head><title>Moved</title></head><body><a href=\"")
		w.ref(b, n, b.refs[0])
		b.text("\">here</a></body></html>\n")
	case Error:
		b.text("<!DOCTYPE html><html lang=\"en\"><head><title>Error</title></head><body><h1>Error ")
		b.number(n.status)
		b.text("</h1><p>Item ")
		w.unique(b, n)
		b.text(" cannot be shown.</p><p><a href=\"/never-asked-for.html\">Back</a></p></body></html>\n")
	case Track:
		b.text("WEBVTT\n\n00:00.000 --> 00:02.000\n")
		b.text(w.hosts[n.h])
		b.number(n.i)
		if w.changed(n) {
			b.text(later)
		}
		b.text("\n")
	default:
		w.binary(b, n)
	}
}

// ref writes the address of a reference; each has its own form, the same for ever.
func (w *Web) ref(b *body, from node, r ref) {
	var buf [400]byte
	b.links++
	b.bytes(w.appendSession(w.appendRef(buf[:0], from, r, b.links), from, r.to, b.salt, b.links))
}

// unique tells a body from all others.
func (w *Web) unique(b *body, n node) {
	b.text(w.hosts[n.h])
	b.text(" ")
	b.number(n.i)
	if w.changed(n) {
		b.text(later)
	}
}

// later is behind what tells a body from all others when it is that of the changed web.
const later = ", later"

// changed reports whether a node is another one than in the web that did not change.
func (w *Web) changed(n node) bool {
	return n.kind != Redirect && w.chance(w.p.Changed, forChange, n.h, n.i)
}

// content is what the bytes of a body follow from.
func (w *Web) content(n node) uint64 {
	at := w.hash(forBody, n.h, n.i)
	if w.changed(n) {
		at = mix(at, 1)
	}
	return at
}

func (w *Web) css(b *body, n node) {
	b.text("@charset \"utf-8\";\n/* ")
	w.unique(b, n)
	b.text(" */\n")
	for _, r := range b.refs {
		if r.by == CSSImport {
			b.text("@import url(\"")
			w.ref(b, n, r)
			b.text("\") screen;\n")
		}
	}
	for _, r := range b.refs {
		switch r.by {
		case CSSURL:
			b.text(".hero { background: #fff url(")
			w.ref(b, n, r)
			b.text(") no-repeat }\n")
		case CSSFont:
			b.text("@font-face { font-family: \"Body\"; src: local(\"Body\"), url('")
			w.ref(b, n, r)
			b.text("') format(\"woff2\") }\n")
		}
	}
	w.fill(b, n, w.pools.style)
}

func (w *Web) js(b *body, n node) {
	for _, r := range b.refs {
		b.text("import { start } from \"")
		w.ref(b, n, r)
		b.text("\";\n")
	}
	b.text("/* ")
	w.unique(b, n)
	// Glued together and incomplete: nothing that a crawler could ask for.
	b.text(" */\n\"use strict\";\nvar base = \"/img/\" + slot + \".gif\", type = \"text/plain\", day = \"1. 1. 2020\";\n")
	w.fill(b, n, w.pools.script)
}

// fill adds pieces until the size is reached.
func (w *Web) fill(b *body, n node, from []piece) {
	size := w.target(n)
	at := w.content(n)
	for b.size < size {
		b.piece(&from[at%uint64(len(from))])
		at = at*6364136223846793005 + 1442695040888963407
		at ^= at >> 29
	}
}

func (w *Web) svg(b *body, n node) {
	b.text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"0 0 64 64\">\n<title>")
	w.unique(b, n)
	b.text("</title>\n")
	for _, r := range b.refs {
		b.text("<image xlink:href=\"")
		w.ref(b, n, r)
		b.text("\" width=\"64\" height=\"64\"/>\n")
	}
	b.text("<symbol id=\"icon\"><path d=\"M10 10h44v44H10z\"/></symbol><use href=\"#icon\"/></svg>\n")
}

func (w *Web) manifest(b *body, n node) {
	b.text("{\"name\": \"")
	w.unique(b, n)
	b.text("\", \"start_url\": \"/\", \"display\": \"standalone\", \"icons\": [")
	for i, r := range b.refs {
		if i > 0 {
			b.text(", ")
		}
		b.text("{\"src\": \"")
		w.ref(b, n, r)
		b.text("\", \"sizes\": \"192x192\", \"type\": \"image/png\"}")
	}
	b.text("]}\n")
}

// binary writes a head that programs recognise, then bytes without meaning.
func (w *Web) binary(b *body, n node) {
	size := w.target(n)
	tail := ""
	switch n.kind {
	case JPEG:
		b.text("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x48\x00\x48\x00\x00\xff\xfe\x00\x40")
		tail = "\xff\xd9"
	case PNG:
		b.text("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\x00\x00\x01\x00\x08\x02\x00\x00\x00\xd3\x10\x3f\x31\x00\x00\x40\x00IDAT")
		tail = "\x00\x00\x00\x00IEND\xaeB`\x82"
	case Font:
		b.text("wOF2\x00\x01\x00\x00")
	case Video:
		b.text("\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41\x00\x10\x00\x00mdat")
	case Audio:
		b.text("ID3\x03\x00\x00\x00\x00\x00\x0a\xff\xfb\x90\x00")
	case PDF:
		b.text("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n")
		for _, r := range b.refs {
			b.text("7 0 obj\n<< /Type /Annot /Subtype /Link /Rect [72 720 300 736] /A << /S /URI /URI (")
			w.ref(b, n, r)
			b.text(") >> >>\nendobj\n")
		}
		b.text("4 0 obj\n<< /Subtype /Image /Filter /DCTDecode >>\nstream\n")
		tail = "\nendstream\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"
	}
	w.unique(b, n)
	for at := w.content(n); b.size < size; at = mix(at, 1) {
		from := int(at % (randomSize - minRandom))
		b.bytes(w.pools.random[from : from+min(size-b.size, minRandom)])
	}
	b.text(tail)
}
