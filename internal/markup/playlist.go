package markup

import (
	"bytes"
	"strings"
)

// hls reads a media or master playlist (RFC 8216): each line that is not a tag
// is a URI, and tags name keys, maps and renditions in attributes.
func (b *builder) hls(src []byte) {
	if head := bytes.TrimSpace(src); hasFold(head, "[playlist]") || hasFold(head, "[reference]") {
		b.pls(src)
		return
	}
	variant := false
	vars := hlsVariables{}
	for line := range bytes.Lines(src) {
		if !b.on(len(line)) {
			return
		}
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
		case line[0] != '#':
			context := "hls/segment"
			if variant {
				context = "hls/variant"
			}
			if uri, ok := vars.fill(line); ok {
				b.add(uri, Embed, context)
			}
			variant = false
		case bytes.HasPrefix(line, []byte("#EXT-X-DEFINE:")):
			vars.define(line)
		case bytes.HasPrefix(line, []byte("#EXT")):
			variant = bytes.HasPrefix(line, []byte("#EXT-X-STREAM-INF"))
			b.hlsTag(line, vars)
		}
	}
}

// pls reads the files of a list in the form of settings: PLS, and the older form of ASX.
func (b *builder) pls(src []byte) {
	for line := range bytes.Lines(src) {
		if !b.on(len(line)) {
			return
		}
		key, value, _ := bytes.Cut(line, []byte("="))
		switch strings.ToLower(string(bytes.TrimRight(bytes.TrimSpace(key), "0123456789"))) {
		case "file", "ref":
			b.add(value, Embed, "pls/file")
		}
	}
}

// hlsTag takes the address that a tag has, or the two of an advertisement.
func (b *builder) hlsTag(line []byte, vars hlsVariables) {
	names := []string{"URI"}
	context := "hls/@uri"
	switch tag, _, _ := bytes.Cut(line, []byte(":")); string(tag) {
	case "#EXT-X-MEDIA", "#EXT-X-I-FRAME-STREAM-INF":
		context = "hls/variant"
	case "#EXT-X-CONTENT-STEERING":
		names, context = []string{"SERVER-URI"}, "hls/@server-uri"
	case "#EXT-X-DATERANGE":
		names, context = []string{"X-ASSET-URI", "X-ASSET-LIST"}, ""
	case "#EXTINF":
		names, context = []string{"tvg-logo"}, "hls/@tvg-logo"
	}
	for _, name := range names {
		v, ok := hlsAttribute(line, name)
		if !ok {
			continue
		}
		as := context
		if as == "" {
			as = "hls/@" + strings.ToLower(name)
		}
		if uri, ok := vars.fill(v); ok {
			b.add(uri, Embed, as)
		}
	}
}

// hlsAttribute returns the quoted value of an attribute of a tag. Those of lists of stations stand behind blanks.
func hlsAttribute(line []byte, name string) (v []byte, ok bool) {
	at := bytes.Index(line, []byte(name+`="`))
	for at > 0 && !bytes.ContainsRune([]byte(":, "), rune(line[at-1])) { // the end of another name
		next := bytes.Index(line[at+1:], []byte(name+`="`))
		if next < 0 {
			return nil, false
		}
		at += 1 + next
	}
	if at <= 0 {
		return nil, false
	}
	v, _, _ = bytes.Cut(line[at+len(name)+len(`="`):], []byte{'"'})
	return v, true
}

// maxHLSVariables is how many variables of a playlist are known.
const maxHLSVariables = 1000

// hlsVariables are the variables of a playlist (RFC 8216bis, 4.3).
type hlsVariables map[string][]byte

// define notes a variable that the playlist says the value of. IMPORT and QUERYPARAM name what is said elsewhere.
func (h hlsVariables) define(line []byte) {
	name, named := hlsAttribute(line, "NAME")
	value, valued := hlsAttribute(line, "VALUE")
	if !named || !valued || len(h) == maxHLSVariables {
		return
	}
	if v, ok := h.fill(value); ok && len(v) <= maxURL {
		h[string(name)] = v
	}
}

// fill puts the variables in their places; false: one is not known, or the address would be too long.
func (h hlsVariables) fill(s []byte) ([]byte, bool) {
	if !bytes.Contains(s, []byte("{$")) {
		return s, true
	}
	var out []byte
	for {
		before, rest, more := bytes.Cut(s, []byte("{$"))
		if out = append(out, before...); !more {
			return out, true
		}
		name, after, closed := bytes.Cut(rest, []byte("}"))
		value, known := h[string(name)]
		if !closed || !known || len(out)+len(value) > maxURL {
			return nil, false
		}
		out, s = append(out, value...), after
	}
}

// dash reads a media presentation description (ISO/IEC 23009-1). References are
// combined with the BaseURL elements around them; those with $…$ templates name
// no single file and are left out.
func (b *builder) dash(src []byte) {
	l := lexer{src: src, cdata: true}
	bases := []dashBase{{urls: []string{""}}} // one per open element
	in := ""                                  // the element whose text is an address
	segments := dashSegments{b: b}
	defer segments.finish()
	for {
		k := l.next()
		if k == tokEnd || !b.on(l.size) {
			return
		}
		switch k {
		case tokStart, tokVoid:
			l.raw = ""
			element, base := localName(l.name), bases[len(bases)-1].urls
			in = ""
			if k == tokStart && (element == "baseurl" || element == "location") {
				in = element
			}
			attrs := make(map[string]string, len(l.attrs))
			for _, a := range l.attrs {
				segments.attribute(string(a.key), a.val, base)
				attrs[string(a.key)] = string(a.val)
			}
			segments.start(element, attrs, base)
			if k == tokVoid {
				segments.end(element, base)
			}
			if k == tokStart && in == "" && len(bases) < 64 {
				bases = append(bases, dashBase{urls: base})
			}
		case tokText:
			ref, ok := cleanURL(l.text)
			switch {
			case !ok:
			case in == "location":
				b.add([]byte(ref), Embed, "dash/location")
			case in == "baseurl":
				top, parent := len(bases)-1, []string{""}
				if top > 0 {
					parent = bases[top-1].urls
				}
				from := bases[top].read(ref, parent)
				if segments.open != nil {
					segments.open.inherits = false
					segments.files(bases[top].urls[from:])
				}
			}
			in = ""
		case tokClose:
			if name := localName(l.name); name != "baseurl" && name != "location" {
				segments.end(name, bases[len(bases)-1].urls)
				bases = bases[:max(len(bases)-1, 1)]
			}
			in = ""
		case tokComment, tokDoctype, tokNothing, tokEnd:
		}
	}
}

func localName(name []byte) string {
	return string(name[bytes.IndexByte(name, ':')+1:])
}
