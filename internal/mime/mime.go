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
	// Also are further types that the body is to be read as: where neither bytes nor declaration
	// tell the type, each that a link lets expect, and last the one it has without them.
	Also []string
	// Open are the hints that were not given and would add a type.
	Open Hints
}

// Types returns Type and Also.
func (i Info) Types() []string { return append([]string{i.Type}, i.Also...) }

// As returns the same with one of its types as Type, and no other.
func (i Info) As(typ string) Info {
	i.Type, i.Class, i.Also, i.Open = typ, ClassOf(typ), nil, 0
	return i
}

// Detect tells the type of a body. The name is a URL or its path, declared the
// Content-Type header or "", head the first bytes of the body without content
// encoding (HeadSize are used), hints what the links that led here let expect.
// More hints give more types, never fewer.
func Detect(name, declared string, head []byte, hints Hints) Info {
	if len(head) > HeadSize {
		head = head[:HeadSize]
	}
	i := Info{}
	i.Declared, i.Charset = parseDeclared(declared)
	var open bool
	i.Type, i.Sniffed, open = decide(name, i.Declared, head)
	if open {
		i.hinted(hints)
	}
	i.settle()
	return i
}

// With returns what Detect would have told with further hints, where it told i without any.
func (i Info) With(hints Hints) Info {
	if i.Open == 0 {
		return i
	}
	i.Open = 0
	i.hinted(hints)
	i.settle()
	return i
}

// settle sets what follows from the type.
func (i *Info) settle() {
	i.Class = ClassOf(i.Type)
	i.Lied = i.Declared != "" && i.Declared != i.Type
}

// hinted adds the types that hints name to one that only the name tells, or nothing.
func (i *Info) hinted(hints Hints) {
	own := i.Type
	for h := Hints(1); h < endHints; h <<= 1 {
		switch t := h.typ(); {
		case t == own:
		case hints&h == 0:
			i.Open |= h
		default:
			i.Also = append(i.Also, t)
		}
	}
	if len(i.Also) > 0 {
		i.Type, i.Also, i.Sniffed = i.Also[0], append(i.Also[1:], own), false
	}
}

// decide tells the type without the links that led here; it is open when they may know better.
func decide(name, declared string, head []byte) (typ string, sniffed, open bool) {
	if len(head) == 0 {
		return declared, false, false
	}
	text, isText := asText(head, declared, ClassOf(declared) == HTML || generic(declared) && ClassOf(ByName(name)) == HTML)
	if !isText {
		typ, sniffed = decideBinary(name, declared, head)
		return typ, sniffed, false
	}
	if t := sniffText(text, declared); t != "" {
		return t, true, false
	}
	if strings.EqualFold(path.Ext(name), ".mod") && (generic(declared) || declared == "text/plain") && strings.HasPrefix(strings.TrimLeft(text, "\t\n\r "), "<!--") {
		return "application/xml-dtd", false, false // a module that begins in a long comment; other files of the name are no markup
	}
	// Nothing in the text names its type. A declared one that says something is
	// believed, unless it is one that text cannot be.
	switch c := ClassOf(declared); {
	case declared == "text/html" && strings.IndexByte(text, '<') >= 0:
		return declared, true, !strings.HasPrefix(strings.TrimLeft(text, "\t\n\r "), "<") // programs say so of the scripts that they make, too
	case declared != "text/html" && !generic(declared) && c != Text && c != PDF && !media(declared):
		return declared, false, false
	case c == Text && declared != "text/plain":
		return declared, false, false
	}
	if t := ByName(name); t != "" {
		switch c := ClassOf(t); {
		case c == Container || c == Text || c == XML:
			return t, false, true
		case c == HTML && declared != "text/plain":
			return t, false, true
		case c == Binary && !media(t) && declared != "text/plain" && declared != "text/html":
			return t, false, true
		}
	}
	if declared == "text/html" {
		return declared, false, true
	}
	return "text/plain", true, true
}

// Charset returns the charset parameter of a Content-Type field, in lower case, "" for none.
func Charset(declared string) string {
	_, charset := parseDeclared(declared)
	return charset
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

// ByName maps the extension of a URL or path to the type that servers say of such a file, "" when it says nothing.
func ByName(name string) string {
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
	case ".jsonld":
		return "application/ld+json"
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
	case ".dtd", ".ent":
		return "application/xml-dtd"
	case ".rnc":
		return "application/relax-ng-compact-syntax"
	case ".pls":
		return "audio/x-scpls"
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
	case ".jsonl", ".ndjson":
		return "application/x-ndjson"
	case ".geojson":
		return "application/geo+json"
	case ".gltf":
		return "model/gltf+json"
	case ".srt":
		return "application/x-subrip"
	case ".ttl":
		return "text/turtle"
	case ".nt":
		return "application/n-triples"
	case ".nq":
		return "application/n-quads"
	case ".trig":
		return "application/trig"
	case ".vcf":
		return "text/vcard"
	case ".markdown":
		return "text/markdown"
	case ".bib":
		return "text/x-bibtex"
	case ".ris":
		return "application/x-research-info-systems"
	case ".mht", ".mhtml", ".eml":
		return "message/rfc822"
	case ".desktop":
		return "application/x-desktop"
	case ".kml":
		return "application/vnd.google-earth.kml+xml"
	case ".gpx":
		return "application/gpx+xml"
	case ".xspf":
		return "application/xspf+xml"
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
		"audio/mpegurl", "audio/x-mpegurl", "video/mpegurl", "vnd.apple.mpegurl", "audio/x-scpls", "audio/scpls":
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
