package mime

import (
	stdmime "mime"
	"path"
	"strings"
)

// HeadSize is how many bytes of the decoded body Detect looks at.
const HeadSize = 3 << 10

// Class groups types by what the crawler does with them.
type Class uint8

// The classes. A container is a file that is not a page but names other files
// it needs: CSS, SVG, JavaScript, web manifest, HLS and DASH playlist.
const (
	Unknown Class = iota
	HTML
	Text
	Container
	XML
	PDF
	Binary
)

// String returns the name of the class in lower case.
func (c Class) String() string {
	switch c {
	case HTML:
		return "html"
	case Text:
		return "text"
	case Container:
		return "container"
	case XML:
		return "xml"
	case PDF:
		return "pdf"
	case Binary:
		return "binary"
	default:
		return "unknown"
	}
}

// Info is what is known about the type of one body.
type Info struct {
	Type     string // lower case, without parameters; "" only for an empty body without declaration
	Charset  string // charset parameter of the declaration, lower case, or ""
	Class    Class
	Sniffed  bool   // the bytes decided or confirmed the type
	Declared string // type of the Content-Type header, lower case, without parameters, or ""
	Lied     bool   // a type was declared and it is not Type
}

// IsHTML reports text/html and application/xhtml+xml.
func (i Info) IsHTML() bool { return i.Class == HTML }

// IsText reports a body that is made of characters meant for a reader: HTML,
// XHTML and plain text.
func (i Info) IsText() bool { return i.Class == HTML || i.Class == Text }

// Detect tells the type of a body. The name is a URL or its path, declared the
// Content-Type header or "", head the first bytes of the body without content
// encoding (HeadSize are used), hint the context of the link that led here as
// internal/markup writes it ("link/@href[rel=stylesheet]", "css/@import",
// "script/@src") or "".
func Detect(name, declared string, head []byte, hint string) Info {
	if len(head) > HeadSize {
		head = head[:HeadSize]
	}
	i := Info{}
	i.Declared, i.Charset = parseDeclared(declared)
	i.Type, i.Sniffed = decide(name, i.Declared, head, hint)
	i.Class = ClassOf(i.Type)
	i.Lied = i.Declared != "" && i.Declared != i.Type
	return i
}

func decide(name, declared string, head []byte, hint string) (typ string, sniffed bool) {
	if len(head) == 0 {
		return declared, false
	}
	text, isText := asText(head, declared)
	if !isText {
		return decideBinary(name, declared, head)
	}
	if t := sniffText(text, declared); t != "" {
		return t, true
	}
	// Nothing in the text names its type. A declared one that says something is
	// believed, unless it is one that text cannot be.
	switch c := ClassOf(declared); {
	case declared == "text/html" && strings.IndexByte(text, '<') >= 0:
		return declared, true
	case declared != "text/html" && !generic(declared) && c != Text && c != PDF && !media(declared):
		return declared, false
	case c == Text && declared != "text/plain":
		return declared, false
	}
	if t := byHint(hint); t != "" {
		return t, false
	}
	if t := byName(name); t != "" {
		switch c := ClassOf(t); {
		case c == Container || c == Text || c == XML:
			return t, false
		case c == HTML && declared != "text/plain":
			return t, false
		case c == Binary && !media(t) && declared != "text/plain" && declared != "text/html":
			return t, false
		}
	}
	if declared == "text/html" {
		return declared, false
	}
	return "text/plain", true
}

// parseDeclared splits a Content-Type header; it accepts what mime.ParseMediaType
// refuses, since many servers send half-broken parameters.
func parseDeclared(s string) (typ, charset string) {
	typ, params, err := stdmime.ParseMediaType(s)
	if err == nil {
		charset = params["charset"]
	} else {
		head, rest, _ := strings.Cut(s, ";")
		typ = strings.ToLower(strings.TrimSpace(head))
		if i := strings.Index(strings.ToLower(rest), "charset="); i >= 0 {
			charset, _, _ = strings.Cut(rest[i+len("charset="):], ";")
		}
	}
	// Repeated headers are joined with a comma by some servers and proxies.
	typ, _, _ = strings.Cut(typ, ",")
	typ = strings.TrimSpace(typ)
	main, sub, ok := strings.Cut(typ, "/")
	if !ok || main == "" || sub == "" || main == "*" || strings.ContainsAny(typ, " \t\"<>") {
		typ = ""
	}
	return typ, strings.ToLower(strings.Trim(strings.TrimSpace(charset), `"'`))
}

// generic reports declarations that say nothing: servers send them for whatever
// they do not know.
func generic(t string) bool {
	switch t {
	case "", "application/octet-stream", "binary/octet-stream", "application/unknown",
		"unknown/unknown", "application/x-unknown", "application/force-download", "application/download", "application/x-download":
		return true
	}
	return false
}

// media reports types whose bytes are never text, whatever the format.
func media(t string) bool {
	main, sub, _ := strings.Cut(t, "/")
	switch main {
	case "image":
		return !strings.HasSuffix(sub, "+xml")
	case "audio", "video", "font":
		return true
	}
	return false
}

// byHint maps the context of a link to the type the browser would expect there.
func byHint(hint string) string {
	switch {
	case strings.Contains(hint, "rel=stylesheet"), strings.Contains(hint, "as=style"), strings.HasPrefix(hint, "css/@import"):
		return "text/css"
	case strings.Contains(hint, "rel=manifest"):
		return "application/manifest+json"
	case strings.HasPrefix(hint, "script/"), strings.HasPrefix(hint, "js/import"),
		strings.Contains(hint, "rel=modulepreload"), strings.Contains(hint, "as=script"):
		return "text/javascript"
	case strings.HasPrefix(hint, "hls/variant"):
		return "application/vnd.apple.mpegurl"
	}
	return ""
}

// byName maps the extension of a URL or path to a type, "" when it says nothing.
func byName(name string) string {
	if i := strings.IndexAny(name, "?#"); i >= 0 {
		name = name[:i]
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".css":
		return "text/css"
	case ".js", ".mjs", ".cjs":
		return "text/javascript"
	case ".json":
		return "application/json"
	case ".webmanifest":
		return "application/manifest+json"
	case ".svg":
		return "image/svg+xml"
	case ".m3u8", ".m3u":
		return "application/vnd.apple.mpegurl"
	case ".mpd":
		return "application/dash+xml"
	case ".html", ".htm", ".shtml":
		return "text/html"
	case ".xhtml", ".xht":
		return "application/xhtml+xml"
	case ".xml", ".xsl", ".xslt", ".xsd", ".rng":
		return "application/xml"
	case ".rss":
		return "application/rss+xml"
	case ".atom":
		return "application/atom+xml"
	case ".rdf", ".owl":
		return "application/rdf+xml"
	case ".txt", ".text", ".log":
		return "text/plain"
	case ".csv":
		return "text/csv"
	case ".md":
		return "text/markdown"
	case ".vtt":
		return "text/vtt"
	case ".ics":
		return "text/calendar"
	case ".rtf":
		return "application/rtf"
	}
	return ""
}

// ClassOf tells the class of a type written in lower case without parameters.
func ClassOf(typ string) Class {
	switch typ {
	case "":
		return Unknown
	case "text/html", "application/xhtml+xml":
		return HTML
	case "application/pdf", "application/x-pdf":
		return PDF
	case "text/css", "image/svg+xml", "application/manifest+json", "application/dash+xml",
		"application/vnd.apple.mpegurl", "application/x-mpegurl", "application/mpegurl",
		"audio/mpegurl", "audio/x-mpegurl", "video/mpegurl", "vnd.apple.mpegurl":
		return Container
	case "text/javascript", "application/javascript", "application/x-javascript", "text/x-javascript",
		"application/ecmascript", "text/ecmascript", "text/jscript", "text/livescript":
		return Container
	case "text/xml", "application/xml", "application/xml-dtd", "text/x-opml":
		return XML
	case "text/json":
		return Binary
	}
	switch {
	case strings.HasSuffix(typ, "+xml"):
		return XML
	case strings.HasPrefix(typ, "text/"):
		return Text
	}
	return Binary
}
