package markup

// officeXML takes an attribute of a document of an office that is one file of XML: flat OpenDocument, Word and Excel of 2003. It reports whether
// all is said of it.
func (p *markupParser) officeXML(local, key, val []byte) bool {
	switch string(local) + "/" + string(key) {
	case "hlink/dest", "cell/href":
		p.b.add(val, Nav, p.context(local, string(key)))
	case "fldsimple/instr":
		p.b.field(string(val))
	case "table-cell/formula", "cell/formula":
		p.b.formula(string(val))
	default:
		return false
	}
	return true
}

// refers reports an element that says by an attribute where it leads, in or out of the document: its text is no address.
func (p *markupParser) refers() bool {
	for i := range p.attrs {
		switch _, key := prefixed(p.attrs[i].key); string(key) {
		case "href", "linkend":
			return true
		}
	}
	return false
}
