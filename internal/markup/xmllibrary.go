package markup

import (
	"bytes"
	"strings"
)

// mediaRoot tells what a document is by its root, where some write no namespace.
func mediaRoot(local string) vocabulary {
	switch local {
	case "smil":
		return vocSMIL
	case "asx":
		return vocASX
	case "kml":
		return vocKML
	case "ead":
		return vocEAD
	}
	return noVocabulary
}

// libraryAttribute takes an attribute of the vocabularies of libraries that is a reference, and reports whether it was one.
func (p *markupParser) libraryAttribute(v vocabulary, local, key, val []byte) bool {
	name := string(local) + "/@" + string(key)
	switch v {
	case vocTEI: // TEI P5, 16.2: a pointer may name several places
		switch name {
		case "graphic/@url", "media/@url", "binaryobject/@url":
			p.b.add(val, Embed, name)
		case "ref/@target", "ptr/@target":
			for ref := range bytes.FieldsFuncSeq(val, isHTMLSpace) {
				if !hasScheme(ref, "bibl:") {
					p.b.add(ref, Nav, name)
				}
			}
		case "pb/@facs", "surface/@facs", "zone/@facs":
			for ref := range bytes.FieldsFuncSeq(val, isHTMLSpace) {
				if looksLikeURL(string(ref)) || picture(string(ref)) { // else it is short for one
					p.b.add(ref, Embed, name)
				}
			}
		default:
			return false
		}
		return true
	case vocEAD:
		switch name {
		case "dao/@href", "daoloc/@href", "extref/@href", "extptr/@href", "ref/@href", "ptr/@href", "archref/@href", "bibref/@href":
			if writtenAsAddress(string(val)) {
				p.b.add(val, Nav, name)
			}
			return true
		}
	case vocDublinCore, vocCreativeCommons:
		if string(key) == "resource" && refersTo(string(local)) && bytes.HasPrefix(bytes.TrimSpace(val), []byte("http")) {
			p.b.add(val, Nav, p.context(local, "rdf:resource"))
			return true
		}
	}
	return false
}

// libraryElement begins to collect the text of an element of the vocabularies of libraries that may be an address.
func (p *markupParser) libraryElement(v vocabulary, name string) {
	context := ""
	switch {
	case v == vocMODS && (name == "url" || name == "identifier" && bytes.EqualFold(p.get("type"), []byte("uri"))):
		context = "mods:" + name
	case v == vocMARC && name == "subfield" && string(p.get("code")) == "u": // 856 $u and its like: electronic location
		context = "marc:subfield"
	case v == vocDublinCore && refersTo(name):
		context = "dc:" + name
	default:
		return
	}
	p.hold(Nav, context)
	p.x.held.perhaps = true
}

// refersTo reports the properties of Dublin Core and Creative Commons, in small letters, whose values are places when they are addresses: where what
// is described is, what it came from and belongs to, and its licence.
func refersTo(property string) bool {
	switch property {
	case "identifier", "relation", "source", "license", "ispartof", "haspart", "isformatof", "hasformat", "isversionof", "hasversion",
		"references", "isreferencedby", "replaces", "isreplacedby", "requires", "isrequiredby", "tableofcontents":
		return true
	}
	return false
}

// refersToAs is refersTo for the names that HTML has for them: dc.relation, dcterms:source, cc:license.
func refersToAs(name string) bool {
	i := strings.IndexAny(name, ".:")
	if i < 0 {
		return false
	}
	switch name[:i] {
	case "dc", "dcterms", "dct", "cc":
		return refersTo(name[i+1:])
	}
	return false
}

// playlistElement collects the addresses of XSPF, which are texts.
func (p *markupParser) playlistElement(name string) {
	switch name {
	case "location", "image":
		p.hold(Embed, "xspf:"+name)
	case "info", "link", "license":
		p.hold(Nav, "xspf:"+name)
	}
}
