package markup

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

const (
	// maxScopes is how many declarations of namespaces and bases are known at a time.
	maxScopes = 64
	// maxFeedHTML is how many bytes of HTML of an element of a feed are read.
	maxFeedHTML = 1 << 20
)

// xmlScope is a declaration that holds up to the end of its element.
type xmlScope struct {
	level      int
	prefix     string
	vocabulary vocabulary
	base       bool   // it is of xml:base …
	outer      string // … which was this before
}

// xmlReader is what a parser of XML knows of the place where it is.
type xmlReader struct {
	level  int // open elements
	scopes []xmlScope
	held   xmlHeld

	entities map[string][]byte // of the document itself, by their names
	filled   int               // bytes that were put in their places

	makes   bool       // the document is a style sheet of XSLT
	media   vocabulary // of the document, that elements without a namespace are of: SMIL, ASX
	sitemap bool       // the document is one, whatever its namespace
	image   int        // the level of the image element that is open, or was the last
	index   bool       // the last entry of a sitemap names another
	entry   int        // index of its link, -1 = none
	item    feedItem   // that is open
}

// xmlHeld is the text of an element that is read as a reference, as HTML or as a text.
type xmlHeld struct {
	level   int // of the element; 0 = none is read
	kind    LinkKind
	context string
	as      heldAs
	bare    bool // another element in it ends it
	perhaps bool // it is a reference when it is an absolute address
	buf     []byte
}

// heldAs is what a text that is collected is.
type heldAs uint8

const (
	heldReference heldAs = iota
	heldHTML             // or a text, when it has no tags
	heldText
	heldField // of Word
)

// of returns the vocabulary of a prefix. Some are so usual that broken documents do not declare them.
func (x *xmlReader) of(prefix []byte) vocabulary {
	for i := len(x.scopes) - 1; i >= 0; i-- {
		if s := &x.scopes[i]; !s.base && s.prefix == string(prefix) {
			return s.vocabulary
		}
	}
	switch string(prefix) {
	case "":
		return noVocabulary
	case "xml":
		return vocXML
	case "xsi":
		return vocXSI
	case "xlink":
		return vocXLink
	}
	return unknownVocabulary
}

// prefixed divides a name.
func prefixed(name []byte) (prefix, local []byte) {
	if i := bytes.IndexByte(name, ':'); i > 0 {
		return name[:i], name[i+1:]
	}
	return nil, name
}

// xmlStart enters an element of XML: it notes what the attributes declare and returns what the element is of.
func (p *markupParser) xmlStart(name []byte) (vocabulary, []byte) {
	x := &p.x
	x.level++
	for i := range p.attrs {
		at := &p.attrs[i]
		if len(x.scopes) == maxScopes {
			break
		}
		switch {
		case string(at.key) == "xmlns":
			x.scopes = append(x.scopes, xmlScope{level: x.level, vocabulary: vocabularyOf(string(at.val))})
		case bytes.HasPrefix(at.key, []byte("xmlns:")) && len(at.key) < maxName:
			x.scopes = append(x.scopes, xmlScope{level: x.level, prefix: string(at.key[len("xmlns:"):]), vocabulary: vocabularyOf(string(at.val))})
		case string(at.key) == "xml:base":
			if ref, ok := cleanURL(at.val); ok && len(ref) <= maxURL {
				x.scopes = append(x.scopes, xmlScope{level: x.level, base: true, outer: p.b.base})
				if p.b.base = joinRef(p.b.base, ref); len(p.b.base) > maxURL {
					p.b.base = ""
				}
			}
		}
	}
	prefix, local := prefixed(name)
	return x.of(prefix), local
}

// xmlEnd leaves an element.
func (p *markupParser) xmlEnd() {
	x := &p.x
	if x.held.level > 0 && x.held.level >= x.level {
		p.release()
	}
	if x.item.level > 0 && x.item.level >= x.level {
		p.feedEnd()
	}
	for n := len(x.scopes); n > 0 && x.scopes[n-1].level >= x.level; n-- {
		if s := &x.scopes[n-1]; s.base {
			p.b.base = s.outer
		}
		x.scopes = x.scopes[:n-1]
	}
	x.level = max(x.level-1, 0)
}

// rssGUID names what RSS calls an item by.
const rssGUID = "rss:guid"

// xmlURL is an element that is called url, of whatever.
const xmlURL = "xml/url"

// hold begins to collect the text of the element, which is a reference.
func (p *markupParser) hold(kind LinkKind, context string) {
	p.x.held = xmlHeld{level: p.x.level, kind: kind, context: context, buf: p.x.held.buf[:0]}
}

// holdText begins to collect the text of the element, to be read as HTML or as a text.
func (p *markupParser) holdText(as heldAs) {
	p.x.held = xmlHeld{level: p.x.level, as: as, buf: p.x.held.buf[:0]}
}

func (p *markupParser) xmlText(s []byte) {
	h := &p.x.held
	switch most := maxURL + 1; {
	case h.level > 0:
		if h.as != heldReference {
			most = maxFeedHTML
		}
		h.buf = append(h.buf, s[:min(len(s), max(most-len(h.buf), 0))]...)
	case p.b.quotes == 0:
		p.absolute(s, "xml/text")
	}
}

// release takes what the text that was collected says.
func (p *markupParser) release() {
	h := &p.x.held
	h.level = 0
	switch {
	case h.context == "lastmod" || h.context == "priority":
		p.entry(h.context, h.buf)
	case h.context == feedChanged || h.context == feedMade:
		p.noteDate(h.context == feedChanged, h.buf)
	case strings.HasPrefix(h.context, "sitemap:"):
		p.x.entry = -1
		if l := p.b.add(h.buf, h.kind, h.context); l != nil {
			l.Hop, p.x.entry = 'M', len(p.b.doc.Links)-1
		}
	case h.as == heldReference && (h.context == rssGUID || h.context == xmlURL) && !bytes.HasPrefix(bytes.TrimSpace(h.buf), []byte("http")):
		p.b.guessIn(h.buf, h.context) // most are no addresses
	case h.perhaps:
		if ref := string(bytes.TrimSpace(h.buf)); looksLikeURL(ref) && schemeLen(ref) > 0 {
			p.b.addString(ref, h.kind, h.context)
			return
		}
		p.b.guessIn(h.buf, "xml/text")
	case h.as == heldReference:
		p.b.add(h.buf, h.kind, h.context)
	case h.as == heldField:
		p.b.field(string(h.buf))
	case h.as == heldHTML && bytes.IndexByte(h.buf, '<') >= 0:
		p.b.inside(true, func() { p.b.fragment(h.buf, maxDepth) })
	default:
		p.b.guessIn(h.buf, "xml/text")
	}
}

// absolute takes a value that is an absolute address, in a vocabulary that is not known.
func (p *markupParser) absolute(val []byte, context string) {
	val = bytes.TrimSpace(val)
	if len(val) < 10 || len(val) > maxURL || !bytes.HasPrefix(val, []byte("http")) || !looksLikeURL(string(val)) {
		return
	}
	p.b.add(val, Speculative, context)
}

// xmlLinks takes what an element of XML refers to. The vocabularies of browsers are read as in HTML.
func (p *markupParser) xmlLinks(v vocabulary, local []byte) {
	if p.x.makes && v != vocXSLT { // what a style sheet of XSLT writes; braces are filled in
		p.attrs = slices.DeleteFunc(p.attrs, func(at attr) bool { return bytes.IndexByte(at.val, '{') >= 0 })
	}
	switch v {
	case vocXHTML, vocSVG, vocMathML:
		a := atom.Lookup(local)
		tag := safeName(local)
		p.usualXLink(func(prefix []byte) bool { return p.x.of(prefix) == vocXLink })
		p.htmlLinks(a, tag, v)
		return
	case vocXSLT:
		p.x.makes = true
	case noVocabulary:
		if p.x.makes { // mostly HTML
			p.htmlLinks(atom.Lookup(local), safeName(local), vocXHTML)
			return
		}
	}
	if v <= unknownVocabulary {
		v = p.mediaVocabulary(v, local)
	}
	p.feedStart(v, local)
	for i := range p.attrs {
		p.xmlAttribute(v, local, &p.attrs[i])
	}
	p.xmlElement(v, local)
}

// xmlAttribute takes one attribute.
func (p *markupParser) xmlAttribute(v vocabulary, local []byte, at *attr) {
	if len(at.val) == 0 || bytes.HasPrefix(at.key, []byte("xmlns")) {
		return
	}
	prefix, key := prefixed(at.key)
	switch of := p.x.of(prefix); {
	case prefix == nil:
	case of == vocXSI:
		p.schemaLocation(key, at.val)
		return
	case of == vocXLink:
		p.xlink(v, local, key, at.val)
		return
	case of == vocXML:
		if string(key) == "lang" {
			p.lang(safeName(local), at)
		}
		return
	case of == vocRDF && (p.libraryAttribute(v, local, key, at.val) || p.rdf(v, local, key, at.val)):
		return
	}
	is := func(element, attribute string) bool { return string(local) == element && string(key) == attribute }
	switch v {
	case vocXSD:
		if is("documentation", "source") {
			p.absolute(at.val, "documentation/@source")
		}
		if string(key) == "schemalocation" {
			switch string(local) {
			case "import", "include", "redefine", "override":
				p.strong(at.val, p.context(local, "schemalocation"))
			}
		}
		return
	case vocXSLT:
		if is("import", "href") || is("include", "href") || is("import-schema", "schema-location") {
			p.strong(at.val, p.context(local, string(key)))
		}
		switch string(key) {
		case "select", "test", "match", "use", "group-by":
			p.xpath(at.val, p.context(local, string(key)))
		}
		return
	case vocRELAXNG:
		if is("include", "href") || is("externalref", "href") {
			p.strong(at.val, p.context(local, "href"))
		}
		return
	case vocXInclude:
		if is("include", "href") {
			p.strong(at.val, "include/@href")
		}
		return
	case vocWSDL:
		if is("import", "location") || is("include", "location") {
			p.strong(at.val, p.context(local, "location"))
			return
		}
	case vocMedia:
		switch {
		case is("content", "url"), is("thumbnail", "url"):
			p.b.add(at.val, Embed, p.context(local, "url"))
		case is("player", "url"):
			p.b.add(at.val, Nav, "player/@url")
		case is("license", "href"):
			p.b.add(at.val, Nav, "license/@href")
		case is("subtitle", "href"):
			p.b.add(at.val, Embed, "subtitle/@href")
		}
		return
	case vocITunes:
		if is("image", "href") {
			p.b.add(at.val, Embed, "image/@href")
		}
		return
	case vocPodcast:
		if is("images", "srcset") {
			p.srcset(local, at)
			return
		}
	case vocGPX:
		if is("link", "href") && writtenAsAddress(string(at.val)) {
			p.b.add(at.val, Nav, "link/@href")
			return
		}
	case vocOpenSearch:
		if is("url", "template") {
			if bytes.IndexByte(at.val, '{') < 0 && !bytes.EqualFold(p.get("method"), []byte("post")) {
				p.b.add(at.val, Nav, "url/@template")
			}
			return
		}
	case vocDocBook:
		if string(key) == "fileref" {
			p.b.add(at.val, Embed, p.context(local, "fileref"))
			return
		}
	case vocODF, vocWordML, vocSpreadsheet:
		if p.officeXML(local, key, at.val) {
			return
		}
	case vocSMIL, vocASX:
		if p.mediaLink(v, local, key, at.val) {
			return
		}
	case vocTEI, vocEAD:
		if p.libraryAttribute(v, local, key, at.val) {
			return
		}
	case vocAtom:
		switch {
		case is("link", "href"):
			p.atomLink(at.val)
		case is("content", "src"):
			p.b.add(at.val, Embed, "content/@src")
		}
		return
	case vocRSS1:
		switch {
		case is("item", "about"), is("channel", "about"):
			p.b.add(at.val, Nav, p.context(local, "rdf:about"))
		case is("image", "resource"), is("image", "about"):
			p.b.add(at.val, Embed, p.context(local, "rdf:"+string(key)))
		}
		return
	case noVocabulary:
		switch {
		case is("enclosure", "url"), is("imagedata", "fileref"), is("graphic", "fileref"):
			p.b.add(at.val, Embed, p.context(local, string(key)))
			return
		case is("source", "url"), is("outline", "xmlurl"), is("outline", "htmlurl"), is("outline", "url"), is("ulink", "url"):
			p.b.add(at.val, Nav, p.context(local, string(key)))
			return
		case string(key) == "src" && tileOfWindows(string(local)):
			p.b.add(at.val, Speculative, p.context(local, "src"))
			return
		}
	}
	switch string(key) {
	case "namespace", "targetnamespace", "datatypelibrary", "ns", "profile", "type", "about", "rel", "rev", "datatype", "soapaction", "transport", "encodingstyle":
		return // names
	case "action": // of WS-Addressing; elsewhere of a form
		if prefix != nil {
			return
		}
	}
	p.absolute(at.val, "xml/attribute")
}

// strong adds a link that defines the structure of the document.
func (p *markupParser) strong(val []byte, context string) {
	if l := p.b.add(val, Embed, context); l != nil {
		l.Strong = true
		p.b.strong = true
	}
}

// schemaLocation reads the attributes of XML Schema instances (XML Schema 1.1, part 1, 2.7.3): pairs of a namespace and
// an address, or an address.
func (p *markupParser) schemaLocation(key, val []byte) {
	switch string(key) {
	case "nonamespaceschemalocation":
		p.strong(val, "xsi:nonamespaceschemalocation")
	case "schemalocation":
		second := false
		for f := range bytes.FieldsFuncSeq(val, isHTMLSpace) {
			if second {
				p.strong(f, "xsi:schemalocation")
			}
			second = !second
		}
	}
}

// atomLink reads a link element of Atom (RFC 4287, 4.2.7).
func (p *markupParser) atomLink(href []byte) {
	rel := strings.ToLower(string(bytes.TrimSpace(p.get("rel"))))
	kind := Nav
	switch rel {
	case "":
		rel = "alternate"
	case "enclosure", "icon", "stylesheet":
		kind = Embed
	case "hub", "edit", "edit-media", "pingback", "search":
		return
	}
	if strings.ContainsAny(rel, ":/ ") {
		rel = "other"
	}
	p.withTitle(p.related(p.b.add(href, kind, "atom:link/@href[rel="+string(safeName([]byte(rel)))+"]")))
}

// xmlElement begins to collect the text of elements that hold addresses or HTML.
func (p *markupParser) xmlElement(v vocabulary, local []byte) {
	if p.x.held.level > 0 && !p.x.held.bare {
		return
	}
	p.x.held.level = 0
	name := string(local)
	if p.feedDate(v, name) {
		return
	}
	switch {
	case name == "urlset" || name == "sitemapindex":
		p.x.sitemap = true
	case p.x.sitemap && v <= unknownVocabulary:
		v = vocSitemap
	}
	switch v {
	case noVocabulary, vocRSS1:
		switch name {
		case "link":
			if !p.refers() {
				p.hold(Nav, "rss:link")
			}
		case "comments", "docs":
			p.hold(Nav, "rss:"+name)
		case "guid":
			if !bytes.EqualFold(p.get("ispermalink"), []byte("false")) {
				p.hold(Nav, rssGUID) // where the item is, unless it says otherwise (RSS 2.0)
			}
		case "image":
			p.x.image = p.x.level
		case "url":
			if p.x.image > 0 && p.x.image == p.x.level-1 {
				p.hold(Embed, "rss:image/url")
			} else {
				p.hold(Nav, xmlURL) // of a shop's goods, of a program's home
			}
		case "description":
			p.holdText(heldHTML)
		case "loc": // of a sitemap without its root
			p.sitemap(name)
		}
	case vocRSSContent:
		if name == "encoded" {
			p.holdText(heldHTML)
		}
	case vocAtom:
		switch name {
		case "icon", "logo":
			p.hold(Embed, "atom:"+name)
		case "uri":
			p.hold(Nav, "atom:uri")
		case "title", "content", "summary", "subtitle", "rights", "tagline", "info", "copyright": // the last three of Atom 0.3
			switch string(bytes.ToLower(p.get("type"))) {
			case "html", "text/html": // the type of Atom 0.3
				p.holdText(heldHTML)
			case "", "text", "text/plain":
				p.holdText(heldText)
			}
		}
	case vocMedia:
		if name == "description" {
			p.holdText(heldHTML)
		}
	case vocITunes:
		if name == "summary" {
			p.holdText(heldHTML)
		}
	case vocWordML:
		if name == "instrtext" {
			p.holdText(heldField)
		}
	case vocOpenSearch:
		if name == "image" {
			p.hold(Embed, "opensearch:image")
		}
	case vocXSPF:
		p.playlistElement(name)
	case vocMODS, vocMARC, vocDublinCore:
		p.libraryElement(v, name)
	case vocSitemap:
		p.sitemap(name)
	case vocSitemapImage:
		if name == "loc" {
			p.hold(Embed, "image:loc")
		}
	case vocSitemapVideo:
		switch name {
		case "thumbnail_loc", "content_loc", "content_segment_loc":
			p.hold(Embed, "video:"+name)
		case "player_loc":
			p.hold(Nav, "video:"+name)
		}
	case vocKML:
		switch name {
		case "href", "styleurl", "targethref":
			p.hold(Embed, "kml:"+name)
		case "description", "snippet", "text": // shown as HTML; text is of a balloon
			p.holdText(heldHTML)
		}
	}
}

// sourceMap reports JSON that tells what a script was made from: of that a browser asks for nothing.
func sourceMap(src []byte) bool {
	head := src[:min(len(src), 4<<10)]
	return bytes.Contains(head, []byte(`"version"`)) && (bytes.Contains(head, []byte(`"sources"`)) || bytes.Contains(head, []byte(`"mappings"`)))
}
