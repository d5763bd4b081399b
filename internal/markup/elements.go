package markup

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/atom"
)

// htmlLinks reads an element of XHTML, SVG or MathML in XML.
func (p *markupParser) htmlLinks(a atom.Atom, tag []byte, v vocabulary) {
	p.voc = v
	p.links(a, tag)
	p.voc = noVocabulary
}

// links reads the attributes of the current start tag.
func (p *markupParser) links(a atom.Atom, tag []byte) {
	switch a {
	case atom.Meta:
		p.meta()
	case atom.Link:
		p.linkElement()
	case atom.Base:
		p.baseElement()
	case atom.Object, atom.Applet:
		p.object(a)
	case atom.Param:
		p.param()
	case atom.Iframe:
		p.srcdoc()
	case atom.Select:
		p.jumps = leadsOn(p.get("onchange"))
	case atom.Option:
		p.option()
	}
	for i := range p.attrs {
		at := &p.attrs[i]
		if len(at.key) == 0 || len(at.val) == 0 && !(p.based && string(at.key) == "href") {
			p.viewed(at.key)
			continue
		}
		p.attribute(a, tag, at)
	}
}

// baseElement takes the first base element of a document that is shown (HTML standard 4.2.3). One that is empty, or no address that can be
// fetched, leaves the document's own address as the base; later ones do not count.
func (p *markupParser) baseElement() {
	if !p.has("href") || p.based || p.fragment || p.template > 0 || p.svg > 0 {
		return
	}
	p.based = true
	u, ok := cleanURL(p.get("href"))
	if !ok || len(u) > maxURL {
		return
	}
	if p.depth == 0 {
		p.b.doc.Base, p.b.based = u, true
	} else {
		p.b.base = u
	}
}

// attribute handles one attribute by its name; the element matters for a few.
func (p *markupParser) attribute(a atom.Atom, tag []byte, at *attr) {
	switch string(at.key) {
	case "lang", "xml:lang":
		p.lang(tag, at)
	case "href", "xlink:href":
		p.href(a, tag, at)
	case "src":
		p.src(a, tag, at.val)
	case "srcset", "imagesrcset":
		p.srcset(tag, at)
	case "style":
		p.styleAttr(at.val)
	case "background":
		kind := Speculative
		switch a {
		case atom.Body, atom.Table, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th:
			kind = Embed
		}
		p.b.add(at.val, kind, p.context(tag, "background"))
	case "poster", "lowsrc", "dynsrc":
		p.b.add(at.val, Embed, p.context(tag, string(at.key)))
	case "flashvars":
		p.b.parametersIn(at.val)
	case "to", "from", "values":
		p.animated(tag, at)
	case "altimg":
		if a == atom.Math { // a picture of it, for what cannot show MathML (MathML 3, 2.2.1)
			p.b.add(at.val, Embed, "math/@altimg")
		}
	case "rdf:resource":
		if string(tag) == "cc:license" { // in the metadata of SVG
			p.b.add(at.val, Nav, "license/@rdf:resource")
		}
	case "longdesc":
		p.b.add(at.val, Nav, p.context(tag, "longdesc"))
	case "cite":
		p.cite(a, tag, at.val)
	case "manifest":
		if a == atom.Html {
			p.b.add(at.val, Embed, "html/@manifest")
		}
	case "action":
		if a == atom.Form && !p.formPost {
			p.b.add(at.val, Nav, "form/@action")
		}
	case "formaction":
		m := p.get("formmethod")
		if len(m) == 0 && !p.formPost || bytes.EqualFold(m, []byte("get")) {
			p.b.add(at.val, Nav, p.context(tag, "formaction"))
		}
	default:
		p.otherAttribute(a, tag, at)
	}
}

// viewed has a page interpreted in which expressions stand in attributes, by the attribute that begins such a part (ADR 117).
func (p *markupParser) viewed(key []byte) {
	if len(key) > len("x-dat") && (string(key) == "x-data" || string(key) == "v-scope") && p.kind == HTML && p.b.quotes == 0 {
		p.b.views, p.b.interprets = true, true
	}
}

// otherAttribute handles the families of attributes: data-*, event handlers, and
// the presentation attributes of SVG.
func (p *markupParser) otherAttribute(a atom.Atom, tag []byte, at *attr) {
	p.viewed(at.key)
	switch {
	case bytes.HasPrefix(at.key, []byte("data-")):
		p.dataAttr(a, tag, at)
	case len(at.key) > 4 && at.key[0] == 'o' && at.key[1] == 'n':
		p.b.handler(at.val, string(at.key[2:]))
	case p.svg > 0 || p.kind == SVG || p.voc == vocSVG:
		p.styleAttr(at.val)
	case p.kind == HTML && !ownMeaning(a, at.key) && (bytes.IndexByte(at.val, '/') >= 0 || bytes.IndexByte(at.val, '.') >= 0):
		p.forScripts(tag, at)
	}
}

// ownMeaning reports attributes of HTML, RDFa and microdata that name no files, and all of elements that are read otherwise.
func ownMeaning(a atom.Atom, key []byte) bool {
	switch a {
	case atom.Html, atom.Meta, atom.Link, atom.Base, atom.Object, atom.Applet, atom.Param, atom.Option:
		return true
	}
	switch string(key) {
	case "rel":
		return a == atom.A || a == atom.Area || a == atom.Form
	case "id", "class", "name", "title", "alt", "value", "content", "placeholder", "label", "lang", "rev", "type", "media", "sizes", "ping", "pattern", "download",
		"srcdoc", "integrity", "nonce", "accept", "summary", "code", "codebase", "classid", "pluginspage", "archive", "about", "resource", "property", "typeof", "vocab", "prefix", "datatype", "itemid", "itemtype", "itemprop":
		return true
	}
	return bytes.HasPrefix(key, []byte("aria-")) || bytes.HasPrefix(key, []byte("xmlns")) || bytes.HasPrefix(key, []byte("xml:"))
}

// forScripts guesses at attributes that only scripts read, such as w3-include-html and v-lazy: an address, or an expression with strings.
func (p *markupParser) forScripts(tag []byte, at *attr) {
	val := bytes.TrimSpace(at.val)
	switch {
	case bytes.IndexByte(val, '\'') >= 0 || bytes.IndexByte(val, '"') >= 0:
		p.b.expression(val)
	case bytes.IndexByte(val, '/') >= 0 || bytes.IndexByte(val, '.') >= 0:
		if v := string(val); looksLikeURL(v) {
			p.b.addString(v, Speculative, p.context(tag, string(safeName(at.key))))
		}
	}
}

// cite takes the source of a quotation or of a change (HTML standard 4.4.4, 4.5.7, 4.7.3). No browser shows it, so that some write a name there.
func (p *markupParser) cite(a atom.Atom, tag, val []byte) {
	switch a {
	case atom.Blockquote, atom.Q, atom.Del, atom.Ins:
		if v := string(bytes.TrimSpace(val)); writtenAsAddress(v) {
			p.b.addString(v, Nav, p.context(tag, "cite"))
		}
	}
}

// leadsOn reports that a handler goes where a value says.
func leadsOn(handler []byte) bool {
	return bytes.Contains(handler, []byte("location")) || bytes.Contains(handler, []byte("href")) || bytes.Contains(handler, []byte("open("))
}

// option takes the values of menus that lead to pages.
func (p *markupParser) option() {
	v := string(bytes.TrimSpace(p.get("value")))
	switch {
	case p.jumps && isReference(v):
		p.b.add([]byte(v), Nav, "option/@value")
	case looksLikeURL(v):
		p.b.add([]byte(v), Speculative, "option/@value")
	}
}

func (p *markupParser) lang(tag []byte, at *attr) {
	if len(p.b.doc.Langs) < maxLangs && !p.fragment {
		p.b.doc.Langs = append(p.b.doc.Langs, Lang{
			Value: collapse(at.val, maxLang), Element: string(tag), Attr: string(at.key),
		})
	}
}

func (p *markupParser) href(a atom.Atom, tag []byte, at *attr) {
	key := string(at.key)
	switch {
	case p.voc == vocXHTML && key == "xlink:href":
		p.xlink(p.voc, tag, []byte("href"), at.val)
	case a == atom.Link || a == atom.Base:
	case a == atom.A && hasScheme(at.val, "javascript:"):
		p.b.handler(percentDecoded(at.val[bytes.IndexByte(at.val, ':')+1:]), "")
	case a == atom.A:
		p.b.noFollow = p.relNoFollow()
		p.openAnchor(p.related(p.b.add(p.toBase(at.val), Nav, p.context(tag, key))))
		p.b.noFollow = false
	case a == atom.Area:
		p.b.noFollow = p.relNoFollow()
		p.withAlt(p.related(p.b.add(p.toBase(at.val), Nav, "area/@href")))
		p.b.noFollow = false
	case p.voc == vocMathML:
		p.b.add(at.val, Nav, p.context(tag, key))
	case p.voc == vocSVG, p.svg > 0 || p.kind == SVG || key == "xlink:href":
		p.b.add(at.val, Embed, p.context(tag, key))
	default:
		p.b.add(at.val, Nav, p.context(tag, key))
	}
}

// toBase returns where an empty link leads: to the base element's address if there is one, and not to the page. A base that is relative to
// the page cannot be said relative to itself. Links to places in the page lead there, too, but their authors mean the page.
func (p *markupParser) toBase(href []byte) []byte {
	base := p.b.base
	if base == "" {
		base = p.b.doc.Base
	}
	if base == "" || base[0] != '/' && !strings.Contains(base, "://") || len(bytes.TrimFunc(href, isHTMLSpace)) > 0 {
		return href
	}
	return []byte(base)
}

// relNoFollow reports whether the author of a page does not vouch for a link.
func (p *markupParser) relNoFollow() bool {
	for f := range bytes.FieldsFuncSeq(p.get("rel"), isHTMLSpace) {
		if bytes.EqualFold(f, []byte("nofollow")) {
			return true
		}
	}
	return false
}

// percentDecoded returns the code of a javascript: URL, which browsers decode before they run it.
func percentDecoded(code []byte) []byte {
	if bytes.IndexByte(code, '%') < 0 {
		return code
	}
	out := make([]byte, 0, len(code))
	for i := 0; i < len(code); i++ {
		if c := code[i]; c == '%' && i+2 < len(code) && hexDigit(code[i+1]) >= 0 && hexDigit(code[i+2]) >= 0 {
			out = append(out, byte(hexDigit(code[i+1])<<4|hexDigit(code[i+2])))
			i += 2
			continue
		}
		out = append(out, code[i])
	}
	return out
}

func hasScheme(val []byte, scheme string) bool {
	val = bytes.TrimLeft(val, " \t\n\f\r")
	return len(val) >= len(scheme) && bytes.EqualFold(val[:len(scheme)], []byte(scheme))
}

func (p *markupParser) src(a atom.Atom, tag []byte, val []byte) {
	kind := Embed
	switch a {
	case atom.Frame, atom.Iframe:
		kind = Frame
		if hasScheme(val, "javascript:") {
			p.b.handler(percentDecoded(val[bytes.IndexByte(val, ':')+1:]), "")
		}
	case atom.Embed:
		kind = frameUnlessMedia(p.get("type"))
		p.flashVideo(val, "embed/@src")
	case atom.Input:
		if !bytes.EqualFold(bytes.TrimSpace(p.get("type")), []byte("image")) {
			kind = Speculative
		}
	case atom.Script:
		if code, is := dataURL(val, "text/javascript", "application/javascript", "application/x-javascript"); is && scriptTypeOf(p.get("type")) == scriptCode {
			p.b.js(code, false)
			return
		}
		p.scriptFile(val)
	case 0, atom.Img, atom.Image, atom.Video, atom.Audio, atom.Source, atom.Track, atom.Bgsound: // 0: elements of one's own
	default:
		if p.kind == HTML {
			kind = Speculative
		}
	}
	l := p.b.add(val, kind, p.context(tag, "src"))
	if a == atom.Img || a == atom.Input {
		p.withAlt(l)
		if p.anchor >= 0 {
			p.anchorText.write(p.get("alt"))
		}
	}
}

func (p *markupParser) withAlt(l *Link) {
	if l != nil {
		l.Text = collapse(p.get("alt"), maxLinkText)
	}
}

// frameUnlessMedia tells what an object or embed element holds: a page is
// possible unless its type says otherwise.
func frameUnlessMedia(typ []byte) LinkKind {
	t := strings.ToLower(string(bytes.TrimSpace(typ)))
	if t == "" || strings.HasPrefix(t, "text/") || strings.Contains(t, "html") {
		return Frame
	}
	return Embed
}

func (p *markupParser) srcset(tag []byte, at *attr) {
	context := p.context(tag, string(at.key))
	srcset(at.val, func(url []byte) { p.b.add(url, Embed, context) })
}

// styleAttr reads CSS in an attribute; most have no reference and are not lexed.
func (p *markupParser) styleAttr(val []byte) {
	if mayRefer(val) {
		p.b.utf8 = true
		p.b.css(val)
		p.b.utf8 = false
	}
}

// dataAttr handles the attributes from which lazy-loading scripts take what
// they put into src and srcset later, and guesses about the others.
func (p *markupParser) dataAttr(a atom.Atom, tag []byte, at *attr) {
	val := bytes.TrimSpace(at.val)
	name := at.key[len("data-"):]
	switch {
	case !marked(val) && string(name) != "main": // a word or a number
	case bytes.Contains(name, []byte("srcset")) || string(name) == "bgset" || string(name) == "original-set":
		context := p.context(tag, string(safeName(at.key)))
		for part := range bytes.SplitSeq(val, []byte(" | ")) { // bgset has the media in brackets, and lists for each
			part, _, _ = bytes.Cut(part, []byte(" ["))
			srcset(part, func(url []byte) {
				if plausibleLazy(url) {
					p.b.add(url, Embed, context)
				}
			})
		}
	case lazyName(string(name)):
		switch {
		case mayRefer(val):
			p.b.css(val)
		case p.list(tag, at):
		case plausibleLazy(val):
			kind := Embed
			if a == atom.Iframe {
				kind = Frame
			}
			p.b.add(val, kind, p.context(tag, string(safeName(at.key))))
		}
	case string(name) == "main" && a == atom.Script && isReference(string(val)): // the module that RequireJS begins with
		p.b.addString(p.b.mainModule(string(val)), Embed, "script/@data-main")
	case string(name) == "bind": // Knockout's expressions
		p.b.expression(val)
	case p.list(tag, at), p.b.quotedIn(val, false):
	case len(val) <= maxURL && looksLikeURL(string(val)):
		p.b.add(val, Speculative, p.context(tag, string(safeName(at.key))))
	}
}

// list guesses at the files of a list of at least two, "a.jpg|b.jpg", "[a.jpg, small], [b.jpg, large]" or "mp4:a.mp4,webm:b.webm", and reports that it is one.
func (p *markupParser) list(tag []byte, at *attr) bool {
	if !bytes.ContainsAny(at.val, ",|;") {
		return false
	}
	var files [][]byte
	for part := range bytes.FieldsFuncSeq(at.val, func(r rune) bool { return strings.ContainsRune(",|;[]", r) || isHTMLSpace(r) }) {
		if n := schemeLen(part); n > 0 && !bytes.HasPrefix(part[n:], []byte("//")) {
			part = part[n:]
		}
		switch {
		case !bytes.ContainsAny(part, "./"): // a word about a file
		case looksLikeURL(string(part)) && hasExtension(string(part)):
			files = append(files, part)
		default:
			return false
		}
	}
	if len(files) < 2 {
		return false
	}
	for _, f := range files {
		p.b.add(f, Speculative, p.context(tag, string(safeName(at.key))))
	}
	return true
}

func lazyName(name string) bool {
	switch name {
	case "src", "original", "lazy", "lazy-src", "lazyload", "lazy-load", "ll-src", "echo", "img", "image", "image-src",
		"img-src", "bg", "bg-src", "bg-image", "background", "background-image", "background-src", "poster", "thumb",
		"full", "full-src", "large", "large-file", "large-image", "medium-file", "orig-file", "orig-src", "hi-res-src",
		"src-retina", "retina", "at2x", "2x", "flickity-lazyload", "interchange", "url-image", "cfsrc", "litespeed-src",
		"flickity-bg-lazyload", "cmp-src", "delayed-url", "iframe-src", "video-src", "src-desktop", "src-mobile",
		"src-fg", "mobile-src", "desktop-src", "zoom-image", "zoom-src":
		return true
	}
	return false
}

// plausibleLazy rejects the flags, sizes and JSON that share the names.
func plausibleLazy(val []byte) bool {
	return len(val) > 3 && bytes.ContainsAny(val, "/.") && !bytes.ContainsAny(val, "{}<> \"'\t\n") &&
		bytes.ContainsFunc(val, func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' })
}

// flashVideo takes the page that browsers show in the place of YouTube's player of Flash: /v/ID is /embed/ID, and parameters begin with
// a question mark (Chromium's OverrideFlashEmbedWithHTML).
func (p *markupParser) flashVideo(val []byte, context string) {
	u, ok := cleanURL(val)
	if !ok {
		return
	}
	before, behind, found := strings.Cut(u, "/v/")
	host := strings.ToLower(before[strings.LastIndexByte(before, '/')+1:])
	if !found || !strings.HasPrefix(before, "http") && !strings.HasPrefix(before, "//") || !strings.HasSuffix("."+host, ".youtube.com") && !strings.HasSuffix("."+host, ".youtube-nocookie.com") {
		return
	}
	if !strings.Contains(behind, "?") {
		behind = strings.Replace(behind, "&", "?", 1)
	}
	p.b.add([]byte(before+"/embed/"+behind), Frame, context)
}

// object reads objects and applets. The code base of an applet is a folder, and its class is named with its package.
func (p *markupParser) object(a atom.Atom) {
	base, based := cleanURL(p.get("codebase"))
	if a == atom.Object {
		p.b.add(p.get("data"), frameUnlessMedia(p.get("type")), "object/@data")
		p.flashVideo(p.get("data"), "object/@data")
		p.archives("", Embed, "object/@archive")
		if based {
			p.codebase(base)
		}
		return
	}
	if based && !strings.ContainsAny(base, "?#") && !strings.HasSuffix(base, "/") {
		base += "/"
	}
	if c, ok := cleanURL(p.get("code")); ok {
		p.b.add([]byte(joinRef(base, strings.ReplaceAll(strings.TrimSuffix(c, ".class"), ".", "/")+".class")), Embed, "applet/@code")
	}
	p.archives(base, Embed, "applet/@archive")
}

// codebase guesses at the files of an object in its code base (HTML 4.01, 13.3). Browsers of today ignore it, and most name the file of a plug-in, which is
// no part of a page.
func (p *markupParser) codebase(base string) {
	path := base[schemeLen(base):]
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
	if server, has := strings.CutPrefix(path, "//"); has {
		_, path, _ = strings.Cut(server, "/")
	}
	if hasExtension(path) { // of a plug-in
		return
	}
	if data, ok := cleanURL(p.get("data")); ok {
		p.b.addString(joinRef(base, data), Speculative, "object/@data")
	}
	p.archives(base, Speculative, "object/@archive")
}

func (p *markupParser) archives(base string, kind LinkKind, context string) {
	for _, f := range bytes.FieldsFunc(p.get("archive"), func(r rune) bool { return r == ',' || isHTMLSpace(r) }) {
		p.b.add([]byte(joinRef(base, string(f))), kind, context)
	}
}

func (p *markupParser) param() {
	switch strings.ToLower(string(p.get("name"))) {
	case "movie", "src", "data", "filename", "url", "href":
		if v := p.get("value"); plausibleLazy(v) {
			p.b.add(v, Embed, "param/@value")
		}
	case "flashvars":
		p.b.parametersIn(p.get("value"))
	default:
		if bytes.EqualFold(p.get("valuetype"), []byte("ref")) { // HTML 4.01, 13.3.2
			p.b.add(p.get("value"), Nav, "param/@value")
		}
	}
}

// animated takes what an animation of SVG sets an address to (SMIL, SVG 2).
func (p *markupParser) animated(tag []byte, at *attr) {
	if p.svg == 0 && p.kind != SVG && p.voc != vocSVG {
		return
	}
	switch string(p.get("attributename")) {
	case "href", "xlink:href":
		for v := range bytes.SplitSeq(at.val, []byte(";")) {
			p.b.add(bytes.TrimSpace(v), Embed, p.context(tag, string(at.key)))
		}
	}
}

// srcdoc reads the document inside the attribute: its text and links belong to
// this page.
func (p *markupParser) srcdoc() {
	doc := p.get("srcdoc")
	if len(doc) == 0 || p.depth >= maxDepth {
		return
	}
	p.b.text.sep('\n')
	pre, base := p.b.text.pre, p.b.base
	p.b.text.pre = 0
	before := len(p.b.doc.Links)
	newMarkupParser(p.b, HTML, p.depth+1).run(doc)
	if of := p.b.base; of != base {
		for _, l := range p.b.doc.Links[before:] { // a picture before the base element: a browser may ask for it twice, as in a page
			if l.Base == base && strings.HasPrefix(l.Context, "img/") {
				p.b.add([]byte(l.URL), l.Kind, l.Context)
			}
		}
	}
	p.b.text.pre, p.b.base = pre, base
	p.b.text.sep('\n')
}
