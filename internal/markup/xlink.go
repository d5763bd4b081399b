package markup

import "bytes"

// xlink reads references of XLink 1.1: an embed when it is shown in its place, or loaded with the document.
func (p *markupParser) xlink(v vocabulary, local, key, val []byte) {
	switch string(key) {
	case "href":
		kind := Nav
		if v == vocODF && string(local) != "a" {
			kind = Embed // pictures, objects, sections of other documents
		}
		for i := range p.attrs {
			at := &p.attrs[i]
			if prefix, name := prefixed(at.key); prefix != nil && (string(name) == "show" && string(at.val) == "embed" || string(name) == "actuate" && string(at.val) == "onLoad") {
				kind = Embed
			}
		}
		p.b.add(val, kind, p.context(safeName(local), "xlink:href"))
	case "role", "arcrole":
		// Names; those of linkbases are documents as well, but seldom ones that are there.
	}
}

// usualXLink gives attributes of XLink the prefix by which they are known, whatever theirs is.
func (p *markupParser) usualXLink(is func(prefix []byte) bool) {
	for i := range p.attrs {
		if prefix, key := prefixed(p.attrs[i].key); string(key) == "href" && prefix != nil && string(prefix) != "xlink" && is(prefix) {
			p.attrs[i].key = []byte("xlink:href")
		}
	}
}

// svgXLink does so in a document of SVG, whose names of vocabularies are not kept otherwise.
func (p *markupParser) svgXLink() {
	for i := range p.attrs {
		if at := &p.attrs[i]; bytes.HasPrefix(at.key, []byte("xmlns:")) && vocabularyOf(string(at.val)) == vocXLink {
			p.xlinkAs = string(at.key[len("xmlns:"):])
		}
	}
	if p.xlinkAs != "" {
		p.usualXLink(func(prefix []byte) bool { return string(prefix) == p.xlinkAs })
	}
}
