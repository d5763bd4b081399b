package mime

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// asText returns the head as ASCII-compatible characters when it is text. UTF-16
// loses its zero bytes, which is enough to find tags in it. page says that the body is said to be one.
func asText(head []byte, declared string, page bool) (string, bool) {
	if u, ok := utf16Text(head); ok {
		return u, true
	}
	head = bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF"))
	if bytes.HasPrefix(head, []byte("%PDF-")) || bytes.HasPrefix(head, []byte("%!PS-Adobe-")) {
		return "", false
	}
	bad := 0
	for _, b := range head {
		if isBinaryByte(b) {
			bad++
		}
	}
	if bad == 0 {
		return string(head), true
	}
	if page && bad < len(head)/4 && dirtyPage(head) {
		return string(head), true
	}
	// A stray control character in a page does not make it a binary, a format
	// with magic bytes or a high share of them does.
	if bad*100 > max(len(head), 100) || mimetype.Detect(head).String() != "application/octet-stream" {
		return "", false
	}
	t := http.DetectContentType(head)
	if strings.HasPrefix(t, "text/") || t == "application/octet-stream" && !media(declared) && ClassOf(declared) != Binary && !generic(declared) {
		return string(head), true
	}
	return "", false
}

// dirtyPage reports tags of a page among the first bytes of what has no magic of a binary format: what is declared a page is one for
// browsers whatever control bytes it holds.
func dirtyPage(head []byte) bool {
	first := bytes.ToLower(head[:min(len(head), 512)])
	for _, tag := range [...]string{"<!doctype html", "<html", "<head", "<body", "<title", "<meta ", "<script", "<div", "<table", "<a href"} {
		if bytes.Contains(first, []byte(tag)) {
			none := func(t string) bool {
				return t == "application/octet-stream" || strings.HasPrefix(t, "text/")
			}
			return none(http.DetectContentType(head)) && none(mimetype.Detect(head).String())
		}
	}
	return false
}

// isBinaryByte follows the WHATWG MIME Sniffing standard, section 3 ("binary
// data byte").
func isBinaryByte(b byte) bool {
	return b <= 0x08 || b == 0x0B || b >= 0x0E && b <= 0x1A || b >= 0x1C && b <= 0x1F
}

// utf16Text recognises UTF-16 by its byte order mark, or without one by zero
// bytes in every second place.
func utf16Text(head []byte) (string, bool) {
	if len(head) < 4 {
		return "", false
	}
	low := -1 // index of the low byte in each pair
	switch {
	case head[0] == 0xFF && head[1] == 0xFE && (head[2] != 0 || head[3] != 0):
		low, head = 0, head[2:]
	case head[0] == 0xFE && head[1] == 0xFF:
		low, head = 1, head[2:]
	default:
		n := min(len(head)&^1, 64)
		var zero [2]int
		for i := range n {
			if head[i] == 0 {
				zero[i&1]++
			}
		}
		switch {
		case zero[0] == 0 && zero[1]*4 >= n/2*3:
			low = 0
		case zero[1] == 0 && zero[0]*4 >= n/2*3:
			low = 1
		default:
			return "", false
		}
	}
	out := make([]byte, 0, len(head)/2)
	bad := 0
	for i := 0; i+1 < len(head); i += 2 {
		lo, hi := head[i+low], head[i+1-low]
		switch {
		case hi != 0:
			out = append(out, '?')
		case isBinaryByte(lo):
			bad++
		default:
			out = append(out, lo)
		}
	}
	return string(out), bad*100 <= len(out)
}

// decideBinary handles a body that is not text: the magic bytes decide, the
// declaration only refines what they leave open.
func decideBinary(name, declared string, head []byte) (string, bool) {
	t, _ := parseDeclared(http.DetectContentType(head))
	if t == "application/octet-stream" || t == "application/zip" || strings.HasPrefix(t, "text/") {
		t, _ = parseDeclared(mimetype.Detect(head).String())
	}
	if t == "application/octet-stream" || strings.HasPrefix(t, "text/") && isBinary(head) {
		// No magic: a binary type may be believed, a text type may not.
		if ClassOf(declared) == Binary {
			return declared, false
		}
		return "application/octet-stream", true
	}
	if t != declared && sameFamily(t, declared) {
		return declared, true
	}
	return t, true
}

func isBinary(head []byte) bool {
	return bytes.ContainsFunc(head, func(r rune) bool { return r < 0x80 && isBinaryByte(byte(r)) })
}

// sameFamily reports that the declaration is a possible reading of the sniffed
// type: the same kind of medium, or a format inside a general wrapper.
func sameFamily(sniffed, declared string) bool {
	if ClassOf(declared) != Binary || generic(declared) {
		return false
	}
	s, _, _ := strings.Cut(sniffed, "/")
	d, _, _ := strings.Cut(declared, "/")
	if s == d && (media(sniffed) || sniffed == "application/zip" || sniffed == "application/x-gzip" || sniffed == "application/ogg") {
		return true
	}
	switch sniffed {
	case "application/ogg", "video/mp4", "video/webm", "audio/mp4", "video/quicktime":
		return d == "audio" || d == "video"
	case "image/x-icon", "image/vnd.microsoft.icon":
		return d == "image"
	}
	return d == "font" && strings.Contains(sniffed, "font")
}

// sniffText finds what text says about itself, "" when it says nothing.
func sniffText(text, declared string) string {
	text = strings.TrimLeft(text, "\t\n\f\r ")
	switch {
	case strings.HasPrefix(text, "#EXTM3U"):
		if ClassOf(declared) == Container && strings.Contains(declared, "mpegurl") {
			return declared
		}
		return "application/vnd.apple.mpegurl"
	case strings.HasPrefix(text, `{\rtf`):
		return "application/rtf"
	case text == "WEBVTT" || strings.HasPrefix(text, "WEBVTT") && strings.IndexByte(" \t\r\n", text[len("WEBVTT")]) >= 0: // WebVTT, 4.1
		return "text/vtt"
	case hasFold(text, "BEGIN:VCALENDAR"):
		return "text/calendar"
	case hasFold(text, "BEGIN:VCARD"):
		return "text/vcard"
	case hasFold(text, "[InternetShortcut]"):
		return "application/x-mswinurl"
	case hasFold(text, "[playlist]"), hasFold(text, "[reference]"):
		return "audio/x-scpls"
	case !strings.HasPrefix(text, "<"):
		return ""
	}
	if xml := ClassOf(declared) == XML; (xml || generic(declared) || declared == "text/plain") && beginsDTD(text) { // whose comments show pages
		if xml {
			return declared
		}
		return "application/xml-dtd"
	}
	root, tag := rootElement(text)
	local := root[strings.IndexByte(root, ':')+1:]
	switch {
	case root == "html" || root == "!html":
		return htmlType(text, declared)
	case local == "svg":
		return "image/svg+xml"
	case local == "mpd":
		return "application/dash+xml"
	case strings.HasPrefix(text, "<?xml") || feedRoot(local):
		if ClassOf(declared) == XML {
			return declared
		}
		return "text/xml"
	case htmlFragment(root):
		// Only a declaration that says nothing gives way to a bare fragment.
		if generic(declared) {
			return "text/html"
		}
		if declared == "text/plain" && (root == "head" || root == "body") {
			return "text/html"
		}
	case namespaced(tag) && (generic(declared) || declared == "text/plain"):
		return "text/xml"
	}
	return ""
}

// namespaced reports a tag that declares a namespace, given what stands behind its name. Nobody writes one in front of a text or
// a page.
func namespaced(tag string) bool {
	end := strings.IndexByte(tag, '>')
	if end < 0 {
		end = len(tag)
	}
	for f := range strings.FieldsSeq(tag[:end]) {
		if rest, is := strings.CutPrefix(f, "xmlns"); is && (strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ":")) {
			return true
		}
	}
	return false
}

func htmlType(text, declared string) string {
	xhtml := strings.Contains(text, "http://www.w3.org/1999/xhtml")
	switch {
	case declared == "application/xhtml+xml":
		return declared
	case xhtml && ClassOf(declared) == XML:
		return "application/xhtml+xml"
	}
	return "text/html"
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// beginsDTD reports text whose first markup behind comments and instructions is a declaration of a DTD, or a section of one.
func beginsDTD(text string) bool {
	for {
		text = strings.TrimLeft(text, "\t\n\f\r ")
		end := "-->"
		switch {
		case strings.HasPrefix(text, "<!--"):
		case strings.HasPrefix(text, "<?"):
			end = "?>"
		default:
			for _, begins := range [...]string{"<!ENTITY", "<!ELEMENT", "<!ATTLIST", "<!NOTATION", "<![%", "<![INCLUDE[", "<![IGNORE["} {
				if strings.HasPrefix(text, begins) {
					return true
				}
			}
			return false
		}
		var found bool
		if _, text, found = strings.Cut(text, end); !found {
			return false
		}
	}
}

// feedRoot lists the roots that browsers and servers treat as XML even when the
// declaration says text/html (WHATWG MIME Sniffing, section 7.3, and sitemaps).
func feedRoot(local string) bool {
	switch local {
	case "rss", "feed", "rdf", "urlset", "sitemapindex", "opml", "smil", "asx":
		return true
	}
	return false
}

func htmlFragment(root string) bool {
	switch root {
	case "head", "body", "title", "meta", "link", "script", "style", "base", "frameset", "iframe",
		"h1", "h2", "h3", "div", "p", "a", "table", "br", "b", "font", "center", "span", "ul", "ol", "img", "form", "main", "article", "section", "header", "nav":
		return true
	}
	return false
}

// rootElement returns the lower-case name of the first element and what follows it, skipping
// comments and processing instructions; "!html" when a doctype names html first.
func rootElement(s string) (name, rest string) {
	for {
		s = strings.TrimLeft(s, "\t\n\f\r \uFEFF")
		var end string
		switch {
		case strings.HasPrefix(s, "<!--"):
			end = "-->"
		case strings.HasPrefix(s, "<?"):
			end = ">"
		case strings.HasPrefix(s, "<!"):
			f := strings.Fields(strings.ToLower(s[2:min(len(s), 64)]))
			if len(f) > 1 && f[0] == "doctype" && strings.HasPrefix(f[1], "html") {
				return "!html", ""
			}
			end = ">"
			// An internal subset has ">" of its own.
			if i, j := strings.IndexByte(s, '['), strings.IndexByte(s, '>'); i >= 0 && i < j {
				end = "]"
			}
		case strings.HasPrefix(s, "<"):
			i := strings.IndexAny(s, "> \t\r\n\f/")
			if i < 1 {
				return "", ""
			}
			return strings.ToLower(s[1:i]), s[i:]
		default:
			return "", ""
		}
		i := strings.Index(s, end)
		if i < 0 {
			return "", ""
		}
		s = s[i+len(end):]
		if end == "]" {
			s = strings.TrimLeft(s, " \t\r\n>")
		}
	}
}
