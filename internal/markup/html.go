package markup

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/atom"
)

// markupParser walks the tokens of an HTML, XHTML, SVG or XML document. It keeps
// no tree: a few counters tell where it is.
type markupParser struct {
	b     *builder
	kind  Kind
	depth int // of srcdoc documents

	z       lexer
	attrs   []attr // of the start tag that is read
	x       xmlReader
	scratch []byte
	xlinkAs string // the prefix of XLink in a document of SVG, when it is another than xlink

	raw        atom.Atom // script, style or title whose text is being read
	script     scriptType
	unrun      bool       // a script element with a source
	otherStyle bool       // the style element is of another language than CSS
	svg        int        // open svg elements
	outside    []int      // svg, of each open foreignObject and desc, in which HTML stands
	voc        vocabulary // in XML, of the element that is read
	template   int        // open template elements whose content is not shown
	noscript   int
	inHead     bool
	titled     bool // the title was read
	formPost   bool // inside a form that is not sent with GET
	jumps      bool // the last select leads where its options say
	based      bool // the base element was read
	top        bool // it is the page, and scripts may ask for its elements
	fragment   bool // the content of a string or comment: only its links matter

	anchor     int // index of the open anchor in Links, -1
	anchorText textWriter
}

func newMarkupParser(b *builder, kind Kind, depth int) *markupParser {
	return &markupParser{
		b: b, kind: kind, depth: depth, anchor: -1,
		inHead: kind == HTML || kind == XHTML,
	}
}

// xml reports a document whose elements are not those of HTML.
func (p *markupParser) xml() bool { return p.kind == XML || p.kind == SVG }

func (p *markupParser) run(src []byte) {
	p.z = lexer{src: src, cdata: p.kind != HTML, plain: isPlain(src)}
	for {
		t := p.z.next()
		if t == tokEnd || !p.b.on(p.z.size) {
			p.closeAnchor()
			return
		}
		switch t {
		case tokText:
			s := p.z.text
			if p.z.src[p.z.pos-p.z.size] != '<' { // a CDATA section has no entities
				s = p.fill(s)
			}
			p.onText(s)
		case tokStart, tokVoid:
			p.onStart(t == tokVoid)
		case tokClose:
			name := p.z.name
			if p.kind == XML {
				_, name = prefixed(name)
			}
			p.onEnd(atom.Lookup(name))
		case tokComment:
			p.onInstruction(p.z.text)
		case tokDoctype:
			if p.kind == XML {
				p.doctype(p.z.text)
			}
		case tokNothing, tokEnd:
		}
	}
}

// codeOfXML reads what stands for other characters in scripts of XML.
var codeOfXML = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// notRun reports a place in which a browser that runs scripts runs none.
func (p *markupParser) notRun() bool {
	return p.kind == HTML && (p.noscript > 0 || p.template > 0 && !p.fragment)
}

func (p *markupParser) onText(s []byte) {
	switch p.raw {
	case atom.Style:
		if p.otherStyle { // LESS and the like, for scripts
			p.b.inside(false, func() { p.b.css(s) })
		} else {
			p.b.css(s)
		}
		return
	case atom.Script:
		if p.kind != HTML && bytes.IndexByte(s, '&') >= 0 {
			s = []byte(codeOfXML.Replace(string(s)))
		}
		switch p.script {
		case scriptCode:
			if p.notRun() {
				p.b.expression(s)
			} else {
				p.b.js(s, false)
			}
		case scriptData:
			p.b.js(p.b.withoutNames(s), true)
		case scriptMap:
			p.b.importMap(s)
		case scriptMarkup:
			p.b.quotedIn(s, true)
		case scriptOther: // of somebody's own, who may keep settings in it
			if v := bytes.TrimSpace(s); len(v) > 0 && likeJSON(v) {
				p.b.js(v, true)
			} else if len(v) > 0 && p.unrun {
				p.b.inside(false, func() { p.b.js(v, false) })
			}
		}
		return
	case atom.Title:
		p.onTitle(s)
		return
	case atom.Iframe:
		return
	}
	if p.kind == XML {
		p.xmlText(s)
	}
	if p.template > 0 {
		return
	}
	if p.inHead {
		if p.noscript > 0 || len(bytes.TrimSpace(s)) == 0 {
			return
		}
		// Text outside head elements opens the body (HTML standard 13.2.6.4.4).
		p.inHead = false
	}
	p.b.text.write(s)
	if p.anchor >= 0 {
		p.anchorText.write(s)
	}
}

func (p *markupParser) onTitle(s []byte) {
	if !p.titled && p.depth == 0 && p.svg == 0 && !p.fragment {
		p.b.doc.Title = collapse(s, maxTitle)
		p.titled = true
	}
	if p.kind == XML {
		p.b.text.write(s)
		if p.x.held.level > 0 {
			p.xmlText(s)
		}
	}
}

func (p *markupParser) onStart(selfClosing bool) {
	if p.top && p.noscript == 0 && p.template == 0 && p.b.unseen == 0 {
		p.b.tags.Add(uint32(p.z.pos-p.z.size), p.z.name)
		for _, at := range p.z.attrs {
			switch string(at.key) {
			case "id", "class", "name":
				p.b.tags.Has(at.val)
			}
		}
	}
	name := p.z.name
	a := atom.Lookup(name)
	tag := name
	if a != 0 {
		tag = []byte(a.String())
	} else {
		tag = safeName(tag) // custom names are used in contexts and must be harmless
	}
	p.attrs = p.z.attrs
	closed := selfClosing && (p.kind != HTML || p.svg > 0)
	if p.kind == XML {
		if p.x.entities != nil {
			for i := range p.attrs {
				p.attrs[i].val = p.fill(p.attrs[i].val)
			}
		}
		v, local := p.xmlStart(name)
		if a = atom.Lookup(local); v != vocXHTML && v != vocSVG && a != atom.Title {
			a = 0
		}
		p.enter(a, closed)
		p.xmlLinks(v, local)
	} else {
		p.enter(a, closed)
		if p.kind == SVG {
			p.svgXLink()
		}
		p.links(a, tag)
	}
	if closed {
		p.onEnd(a)
	}
}

// enter keeps the counters and the text rules.
func (p *markupParser) enter(a atom.Atom, closed bool) {
	if p.raw != 0 {
		return
	}
	if p.xml() || p.svg > 0 || closed {
		p.z.raw = ""
	}
	if p.inHead && !headElement(a) && p.noscript == 0 && p.template == 0 {
		p.inHead = false
	}
	sep := separator(a)
	switch {
	case p.xml():
		sep = '\n'
	case p.svg > 0 && sep == '\n':
		// HTML inside SVG ends it (foreignObject, or an svg left open).
		p.svg = 0
		p.z.cdata = p.kind != HTML
	}
	if sep != 0 && p.template == 0 {
		p.b.text.sep(sep)
		p.anchorText.sep(' ')
	}
	switch a {
	case atom.Script:
		p.raw, p.script, p.unrun = a, scriptTypeOf(p.get("type")), false
		if p.script == scriptCode && p.kind == HTML && len(p.get("src")) > 0 {
			p.script, p.unrun = scriptOther, true // what stands in it is not run, and may be settings
		}
		p.b.module = isModule(p.get("type"))
	case atom.Style, atom.Title:
		p.raw = a
		typ := p.get("type")
		p.otherStyle = a == atom.Style && len(typ) > 0 && !hasFold(bytes.TrimSpace(typ), "text/css")
	case atom.Noscript:
		p.noscript++
		p.z.raw = ""
	case atom.Noframes, atom.Noembed:
		p.z.raw = ""
		p.z.textOnly(a.String())
		p.b.unseen++
	case atom.Iframe:
		// The content is never shown: the tokenizer reads it as one raw text.
		p.raw = a
	case atom.Svg:
		p.svg++
		p.z.cdata = true
	case atom.Foreignobject, atom.Desc:
		if p.kind == HTML && p.svg > 0 && !closed && len(p.outside) < maxForeign {
			p.outside = append(p.outside, p.svg)
			p.svg, p.z.cdata = 0, false
		}
	case atom.Template:
		if !p.has("shadowrootmode") {
			p.template++
		}
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext, atom.Textarea:
		p.b.text.pre++
	case atom.Form:
		m := p.get("method")
		p.formPost = len(m) > 0 && !bytes.EqualFold(bytes.TrimSpace(m), []byte("get"))
	case atom.A:
		p.closeAnchor()
	}
}

func (p *markupParser) onEnd(a atom.Atom) {
	if p.kind == XML {
		p.xmlEnd()
	}
	if p.raw != 0 {
		if a == p.raw {
			p.raw = 0
		}
		return
	}
	sep := separator(a)
	if p.xml() {
		sep = '\n'
	}
	if sep != 0 && p.template == 0 {
		p.b.text.sep(sep)
		p.anchorText.sep(' ')
	}
	switch a {
	case atom.Head:
		p.inHead = false
	case atom.Noscript:
		p.noscript = max(p.noscript-1, 0)
	case atom.Noframes, atom.Noembed:
		p.b.unseen = max(p.b.unseen-1, 0)
	case atom.Svg:
		p.inSVG()
		p.svg = max(p.svg-1, 0)
		p.z.cdata = p.kind != HTML || p.svg > 0
	case atom.Foreignobject, atom.Desc:
		p.inSVG()
	case atom.Template:
		if p.template > 1 || !p.fragment {
			p.template = max(p.template-1, 0)
		}
	case atom.Pre, atom.Listing, atom.Xmp, atom.Textarea:
		p.b.text.pre = max(p.b.text.pre-1, 0)
	case atom.Form:
		p.formPost = false
	case atom.A:
		p.closeAnchor()
	}
}

// inSVG leaves the HTML that stands in SVG.
func (p *markupParser) inSVG() {
	if n := len(p.outside); n > 0 && p.svg == 0 {
		p.svg, p.z.cdata = p.outside[n-1], true
		p.outside = p.outside[:n-1]
	}
}

// headElement lists the elements that may stand in a head.
func headElement(a atom.Atom) bool {
	switch a {
	case atom.Html, atom.Head, atom.Title, atom.Base, atom.Link, atom.Meta, atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Basefont, atom.Bgsound:
		return true
	}
	return false
}

func (p *markupParser) openAnchor(l *Link) {
	if l == nil || p.template > 0 {
		return
	}
	p.anchor = len(p.b.doc.Links) - 1
	p.anchorText = textWriter{max: maxLinkText, buf: p.anchorText.buf[:0]}
}

func (p *markupParser) closeAnchor() {
	if p.anchor >= 0 {
		if l := &p.b.doc.Links[p.anchor]; l.Kind == Nav { // it may have given way
			l.Text = string(p.anchorText.buf)
		}
		p.anchor = -1
	}
}

// conditional reads what a comment holds for old versions of Internet Explorer: <!--[if IE]>…<![endif]-->.
func (p *markupParser) conditional(s []byte) {
	end := bytes.Index(s, []byte("]>"))
	if end < 0 || p.depth >= maxDepth || !bytes.HasPrefix(s, []byte("[if ")) {
		return
	}
	p.b.fragment(bytes.TrimSuffix(s[end+2:], []byte("<![endif]")), p.depth+1)
}

// onInstruction handles processing instructions, which the tokenizer gives as
// comments: the style sheet of an XML document (W3C xml-stylesheet), and its schema (W3C xml-model).
func (p *markupParser) onInstruction(s []byte) {
	switch {
	case p.kind == XML && bytes.HasPrefix(s, []byte("ENTITY")):
		p.entityDeclaration(s)
	case !p.xml() && p.svg == 0:
		p.conditional(s)
	}
	if p.kind == HTML {
		return
	}
	name, context := "?xml-stylesheet", "xml-stylesheet/@href"
	if bytes.HasPrefix(s, []byte("?xml-model")) {
		name, context = "?xml-model", "xml-model/@href"
	}
	rest, is := bytes.CutPrefix(s, []byte(name))
	if !is {
		return
	}
	z := lexer{src: append([]byte("<pi "), append(bytes.TrimSuffix(rest, []byte("?")), '>')...)}
	if tt := z.next(); tt != tokStart && tt != tokVoid {
		return
	}
	for _, a := range z.attrs {
		if string(a.key) == "href" {
			p.strong(a.val, context)
		}
	}
}

// get returns the value of an attribute of the current start tag, nil when absent.
func (p *markupParser) get(key string) []byte {
	for _, a := range p.attrs {
		if string(a.key) == key {
			return a.val
		}
	}
	return nil
}

func (p *markupParser) has(key string) bool {
	for _, a := range p.attrs {
		if string(a.key) == key {
			return true
		}
	}
	return false
}

// context returns tag/@key; each distinct one is allocated once.
func (p *markupParser) context(tag []byte, key string) string {
	p.scratch = append(append(append(p.scratch[:0], tag...), "/@"...), key...)
	if c, ok := p.b.contexts[string(p.scratch)]; ok {
		return c
	}
	c := string(p.scratch)
	p.b.contexts[c] = c
	return c
}

// safeName returns names that may stand in a log line, "*" for all others.
func safeName(name []byte) []byte {
	if len(name) == 0 || len(name) > 32 {
		return []byte("*")
	}
	for _, c := range name {
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == ':' || c == '_') {
			return []byte("*")
		}
	}
	return name
}
