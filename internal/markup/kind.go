package markup

import "strings"

// KindOf maps a MIME type (lower case, without parameters) to the format that
// reads it, None when there is none.
func KindOf(mimeType string) Kind {
	switch mimeType {
	case "text/html":
		return HTML
	case "application/xhtml+xml":
		return XHTML
	case "text/css":
		return CSS
	case "image/svg+xml":
		return SVG
	case "application/manifest+json":
		return Manifest
	case "application/dash+xml":
		return DASH
	case "application/pdf", "application/x-pdf":
		return PDF
	case "text/xml", "application/xml", "application/xml-dtd", "text/x-opml":
		return XML
	case "application/json", "text/json", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines", "application/jsonlines",
		"application/json-seq", "text/x-ndjson":
		return JSON
	case "text/vtt", "application/x-subrip", "text/srt":
		return VTT
	case "text/turtle", "application/x-turtle", "application/n-triples", "application/n-quads", "application/trig", "text/n3", "text/rdf+n3":
		return Turtle
	case "text/calendar", "text/vcard", "text/x-vcard", "text/x-vcalendar", "text/directory":
		return Card
	case "text/markdown", "text/x-markdown":
		return Markdown
	case "application/x-bibtex", "text/x-bibtex", "application/x-research-info-systems", "application/x-endnote-refer":
		return Bibliography
	case "application/x-mswinurl", "application/internet-shortcut", "text/x-url", "application/x-desktop":
		return Shortcut
	case "message/rfc822", "multipart/related", "application/x-mimearchive":
		return Mail
	case "application/postscript":
		return PostScript
	case "application/x-shockwave-flash", "application/vnd.adobe.flash.movie":
		return SWF
	case "model/gltf+json", "model/gltf-binary":
		return GLTF
	case "application/relax-ng-compact-syntax":
		return RNC
	case "application/epub+zip":
		return EPUB
	case "application/rtf", "text/rtf":
		return RTF
	case "application/zip", "application/x-zip-compressed", "application/vnd.google-earth.kmz", "application/gzip", "application/x-gzip", "application/x-tar",
		"application/x-bzip2", "application/x-bzip", "application/bzip2",
		"application/vnd.microsoft.portable-executable": // which unpacks itself
		return Packed
	}
	switch {
	case strings.HasPrefix(mimeType, "application/vnd.openxmlformats-officedocument."), strings.HasPrefix(mimeType, "application/vnd.ms-") && strings.HasSuffix(mimeType, "macroenabled.12"):
		return OOXML
	case strings.HasPrefix(mimeType, "application/vnd.oasis.opendocument."):
		return ODF
	case strings.HasSuffix(mimeType, "mpegurl"), mimeType == "audio/x-scpls", mimeType == "audio/scpls":
		return HLS
	case strings.HasSuffix(mimeType, "javascript"), strings.HasSuffix(mimeType, "ecmascript"):
		return JS
	case strings.HasSuffix(mimeType, "+xml"):
		return XML
	case strings.HasSuffix(mimeType, "+json"):
		return JSON
	case strings.HasPrefix(mimeType, "text/"):
		return PlainText
	}
	return None
}

// textForPrograms reports the texts that a site has for programs, or for people who look for them, by their names: what they hold is mostly addresses.
func textForPrograms(url string) bool {
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	switch url[strings.LastIndexByte(url, '/')+1:] {
	case "security.txt", "humans.txt", "llms.txt", "llms-full.txt":
		return true
	}
	return false
}
