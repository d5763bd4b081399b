package markup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// hls reads a media or master playlist (RFC 8216): each line that is not a tag
// is a URI, and tags name keys, maps and renditions in a URI attribute.
func (b *builder) hls(src []byte) {
	variant := false
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
			b.add(line, Embed, context)
			variant = false
		case bytes.HasPrefix(line, []byte("#EXT")):
			variant = bytes.HasPrefix(line, []byte("#EXT-X-STREAM-INF"))
			b.hlsTag(line)
		}
	}
}

func (b *builder) hlsTag(line []byte) {
	context := "hls/@uri"
	if bytes.HasPrefix(line, []byte("#EXT-X-MEDIA:")) || bytes.HasPrefix(line, []byte("#EXT-X-I-FRAME-STREAM-INF:")) {
		context = "hls/variant"
	}
	for _, name := range [...]string{":URI=\"", ",URI=\""} {
		if _, rest, ok := bytes.Cut(line, []byte(name)); ok {
			uri, _, _ := bytes.Cut(rest, []byte{'"'})
			b.add(uri, Embed, context)
			return
		}
	}
}

// dash reads a media presentation description (ISO/IEC 23009-1). References are
// combined with the BaseURL elements around them; those with $…$ templates name
// no single file and are left out.
func (b *builder) dash(src []byte) {
	l := lexer{src: src, cdata: true}
	bases := []string{""} // one per open element
	inBase := false
	var segments dashSegments
	for {
		k := l.next()
		if k == tokEnd || !b.on(l.size) {
			return
		}
		switch k {
		case tokStart, tokVoid:
			l.raw = ""
			element, base := localName(l.name), bases[len(bases)-1]
			inBase = k == tokStart && element == "baseurl"
			attrs := make(map[string]string, len(l.attrs))
			for _, a := range l.attrs {
				b.dashAttr(string(a.key), a.val, base)
				attrs[string(a.key)] = string(a.val)
			}
			segments.start(element, attrs, base)
			if k == tokVoid {
				segments.end(b, element, base)
			}
			if k == tokStart && !inBase && len(bases) < 64 {
				bases = append(bases, bases[len(bases)-1])
			}
		case tokText:
			if ref, ok := cleanURL(l.text); inBase && ok {
				top := len(bases) - 1
				parent := ""
				if top > 0 {
					parent = bases[top-1]
				}
				bases[top] = joinRef(parent, ref)
				if !strings.HasSuffix(ref, "/") {
					b.add([]byte(bases[top]), Embed, "dash/baseurl")
				}
			}
			inBase = false
		case tokClose:
			if name := localName(l.name); name != "baseurl" {
				segments.end(b, name, bases[len(bases)-1])
				bases = bases[:max(len(bases)-1, 1)]
			}
			inBase = false
		case tokComment, tokDoctype, tokNothing, tokEnd:
		}
	}
}

func (b *builder) dashAttr(key string, val []byte, base string) {
	switch key {
	case "initialization", "media", "sourceurl", "index", "xlink:href":
	default:
		return
	}
	if ref, ok := cleanURL(val); ok && !strings.Contains(ref, "$") && !strings.HasPrefix(ref, "urn:") {
		b.add([]byte(joinRef(base, ref)), Embed, "dash/@"+key)
	}
}

func localName(name []byte) string {
	return string(name[bytes.IndexByte(name, ':')+1:])
}

// manifest reads a web application manifest (W3C): its pictures are embeds, its
// start page and shortcuts are pages.
func (b *builder) manifest(src []byte) {
	type image struct {
		Src string `json:"src"`
	}
	var m struct {
		Icons       []image `json:"icons"`
		Screenshots []image `json:"screenshots"`
		StartURL    string  `json:"start_url"`
		Name        string  `json:"name"`
		Shortcuts   []struct {
			URL   string  `json:"url"`
			Icons []image `json:"icons"`
		} `json:"shortcuts"`
	}
	if err := json.Unmarshal(src, &m); err != nil {
		// A field of the wrong type leaves the others readable.
		b.doc.Err = fmt.Errorf("markup: parse manifest: %w", err)
	}
	b.doc.Title = collapse([]byte(m.Name), maxTitle)
	images := func(list []image, context string) {
		for _, i := range list {
			b.add([]byte(i.Src), Embed, context)
		}
	}
	images(m.Icons, "manifest/icons")
	images(m.Screenshots, "manifest/screenshots")
	b.add([]byte(m.StartURL), Nav, "manifest/start_url")
	for _, s := range m.Shortcuts {
		b.add([]byte(s.URL), Nav, "manifest/shortcuts")
		images(s.Icons, "manifest/icons")
	}
}
