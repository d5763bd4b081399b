package markup

import (
	"bytes"
	"fmt"
	"slices"

	"exclave/internal/robots"
	"exclave/internal/script"
)

// Kind is the format of a document.
type Kind uint8

// The formats. PlainText has text and no links, but for the files that a site has for people and programs (llms.txt), JSON and RNC links and no text; but JSON that was read as HTML or PlainText has both.
const (
	None Kind = iota
	HTML
	XHTML
	PlainText
	CSS
	JS
	SVG
	XML
	HLS
	DASH
	Manifest
	JSON
	RNC // RELAX NG, compact
	PDF
	OOXML // Word, Excel, PowerPoint since 2007
	ODF   // OpenDocument
	EPUB
	RTF
	VTT          // WebVTT, SubRip
	Turtle       // and TriG, N-Triples, N-Quads
	Card         // iCalendar, vCard
	Markdown     // CommonMark
	Bibliography // BibTeX, RIS
	Shortcut     // to a page, of Windows or freedesktop.org
	Mail         // messages, and pages saved in one (MHTML)
	PostScript
	SWF    // Flash
	GLTF   // also in its binary form
	Packed // ZIP, also one that unpacks itself, tar, gzip, bzip2
)

// String returns the name of the format in lower case.
func (k Kind) String() string {
	names := [...]string{"none", "html", "xhtml", "text", "css", "js", "svg", "xml", "hls", "dash", "manifest", "json", "rnc", "pdf", "ooxml", "odf", "epub", "rtf",
		"vtt", "turtle", "card", "markdown", "bibliography", "shortcut", "mail", "postscript", "swf", "gltf", "packed"}
	if int(k) < len(names) {
		return names[k]
	}
	return "none"
}

// LinkKind says how a browser would use a link.
type LinkKind uint8

// The kinds of links. A Frame is an embed that may hold a page of its own.
const (
	Nav         LinkKind = iota // hop L: a person may go there
	Embed                       // hop E: needed to display the document
	Frame                       // hop E: frame, iframe, object, embed
	Refresh                     // hop R: meta refresh
	Speculative                 // hop X: a guess, such as a string in a script
)

// Hop returns the letter of the hop path (Heritrix) for the kind.
func (k LinkKind) Hop() byte {
	switch k {
	case Embed, Frame:
		return 'E'
	case Refresh:
		return 'R'
	case Speculative:
		return 'X'
	default:
		return 'L'
	}
}

// Link is one reference found in a document.
type Link struct {
	URL      string // as found, UTF-8, trimmed, entities decoded; relative to Base; at most 4096 bytes
	UTF8     bool   // its query is in UTF-8 whatever the document is in, as browsers do with style attributes
	Base     string // of a document in this one (srcdoc), relative to Doc.Base; "" = that
	Kind     LinkKind
	Hop      byte   // Kind.Hop()
	Context  string // where: a/@href, img/@srcset, link/@href[rel=stylesheet], css/url, js/string; ASCII without blanks
	Rel      string // of an anchor, area or link element, white space collapsed, at most 64 bytes
	Text     string // of an anchor or alt attribute, of a link element its title, white space collapsed, at most 200 bytes
	Early    bool   // it stands before the base element, and a browser asks for it before it knows of that
	Strong   bool   // it defines the structure of the document: a schema, a DTD, a style sheet of XML
	NoFollow bool   // its rel says so
	OfPage   bool   // in a script or JSON of its own: relative to the page that asks for it
	Made     bool   // a script put it together, or asks for it
	Asked    bool   // a script asks for it to show the page, as far as it was interpreted
}

// Lang is one language attribute.
type Lang struct {
	Value   string // as found, trimmed, at most 64 bytes
	Element string // html, p, … in lower case; meta for what is said of the document
	Attr    string // lang, xml:lang, content-language or og:locale
}

// Doc is what one pass over a document gives.
type Doc struct {
	Kind          Kind   // what it was read as; JSON also where a page or a text is that from its first to its last byte
	Base          string // href of the first base element, not resolved, or ""
	Links         []Link
	Makes         bool                // a script puts addresses together, or may
	Parts         map[string][]string // of a page's script files (Options.Files), by their addresses: strings that are parts of links, and no links
	DroppedLinks  int                 // links beyond Options.MaxLinks, of which embeds go first, and those longer than the limit
	Title         string
	Text          string            // one line per block, words separated by one blank, cells by a tab
	TextTruncated bool              // Options.MaxText was reached
	Langs         []Lang            // in document order, at most 4096
	Charset       string            // WHATWG name in lower case: utf-8, windows-1250, …, or ibm852, x-mac-ce; "" for PDF
	QueryCharset  string            // in which queries are written, "" = Charset
	CharsetFrom   string            // bom, http, meta, xml, css, detected, default
	Robots        robots.Directives // of meta elements that are for all crawlers, or for ours
	Source        string            // the decoded markup, when Options.KeepSource
	Err           error             // why reading stopped early; what was found until then is kept
	Stopped       bool              // Options.Stop ended it; what was found until then is kept
}

// Scripts are scripts of pages that were read, which others have too. They are for several goroutines.
type Scripts = script.Cache

// NewScripts returns none.
func NewScripts() *Scripts { return script.NewCache() }

// Options are the limits of one Parse. The zero value means the defaults.
type Options struct {
	DeclaredCharset string // charset parameter of the Content-Type header
	MaxText         int    // bytes of Doc.Text, default 1 MiB
	MaxLinks        int    // default 6000, as in Heritrix
	MaxSource       int    // bytes of Doc.Source, default 1 MiB
	KeepSource      bool
	Sitemap         bool     // it was reached as a sitemap: items of RSS and Atom have the contexts of entries, with their dates
	URL             string   // where it was got from, for scripts that ask; "" = not known
	RobotsToken     string   // meta elements of this name are for us; "" = only those for all
	Scripts         *Scripts // of pages before, nil: none are kept
	// Files returns the bytes of a script that a page names, relative to where the page is, and their charset, when the server said one; nil: it is not
	// known. They are interpreted with those in the page (ADR 114). A nil Files knows none.
	Files func(ref string) (src []byte, charset string)
	// Stop, when not nil, is asked after every 64 KB that were read, or about as much
	// work; true ends the reading.
	Stop func() bool
}

const (
	defaultMaxText   = 1 << 20
	defaultMaxLinks  = 6000
	defaultMaxSource = 1 << 20

	maxURL      = 4096
	maxTitle    = 1024
	maxLinkText = 200
	maxRel      = 64
	maxLangs    = 4096
	maxLang     = 64
	maxDepth    = 2    // documents inside srcdoc attributes
	maxForeign  = 16   // HTML in SVG, in which SVG is
	maxAttrs    = 1000 // of one tag that are looked at; browsers' own pages have dozens

	bytesPerLink = 512 // for the room that is made for links

	stopEvery = 64 << 10 // bytes between two questions whether to stop
)

// Parse reads a document, or the beginning of one. It always returns a Doc and
// does not keep the body.
func Parse(kind Kind, body []byte, o Options) *Doc {
	o.MaxText = orDefault(o.MaxText, defaultMaxText)
	o.MaxLinks = orDefault(o.MaxLinks, defaultMaxLinks)
	o.MaxSource = orDefault(o.MaxSource, defaultMaxSource)
	b, s := borrow(&Doc{Kind: kind}, o)
	b.text.max = o.MaxText
	b.seen.room = min(len(body)/bytesPerLink, o.MaxLinks, 1024)
	b.read(kind, body)
	return b.finish(s)
}

func orDefault(n, def int) int {
	if n <= 0 {
		return def
	}
	return n
}

// builder collects a Doc.
type builder struct {
	doc    *Doc
	o      Options
	seen   seenLinks
	guess  []Link // speculative links, which must not crowd out real ones
	behind int    // so many of the last links give way to embeds no more
	text   textWriter
	work   int // bytes read since Options.Stop was asked

	base     string // Link.Base of what is read
	based    bool   // Doc.Base is known
	utf8     bool   // Link.UTF8 of what is read
	noFollow bool   // Link.NoFollow of what is read
	strong   bool   // some links are
	quotes   int    // strings that hold what is read (quoted.go)
	written  bool   // it becomes part of the page
	unseen   int    // open elements that no browser of today shows: what they embed are guesses

	imports    map[string]string // of import maps
	page       []byte            // the document, for scripts
	custom     []custom          // what it gives names in its style
	scripts    []pageScript
	views      bool                // attributes of the page have expressions that a library shows
	main       string              // the module that the page names for RequireJS
	fileText   map[string]fileText // what was asked for of other files, by their addresses
	tags       script.StartTags    // of the page
	handlers   []pageHandler
	waiting    []waitingGuess      // for what scripts say
	unescaped  []byte              // room for a long string without its escapes
	within     bool                // the script that is read is in an attribute
	interprets bool                // some of them put addresses together
	makes      bool                // one that is too long to be interpreted alone may
	chunks     map[string]struct{} // names of parts of a bundle, which are below its public path
	module     bool                // the script that is read is one
	made       bool                // what is added a script made, or asks for
	asked      bool                // the latter
	given      bool                // a guess that a script gives to what takes an address
	parcel     bool                // the document is a script that Parcel made
	loads      bool                // the document is a script that loads modules
	folders    bool                // a script or an element said one
	words      map[string]struct{} // that scripts give to methods of their own
	emoji      int8                // the script has pictures of characters in markup: 1; -1: it has not
	contexts   map[string]string   // known context strings by themselves
	rels       map[string]string   // and relations of links
	parser     *markupParser       // that fragment may use
	unpacked   int64               // bytes of what packed files hold that were looked at, at all depths
}

// often is after how many bytes of a script or a style sheet they are noted.
const often = 4 << 10

// on notes that n bytes were read and reports whether to read on.
func (b *builder) on(n int) bool {
	if b.work += n; b.work >= stopEvery && b.o.Stop != nil && !b.doc.Stopped {
		b.work = 0
		b.doc.Stopped = b.o.Stop()
	}
	return !b.doc.Stopped
}

// rescue is deferred around libraries, which may panic on bytes their authors did
// not think of: it ends the document, not the program.
func (b *builder) rescue(what string) {
	if r := recover(); r != nil {
		b.doc.Err = fmt.Errorf("markup: parse %s: %v", what, r)
	}
}

// read dispatches on the format.
func (b *builder) read(kind Kind, body []byte) {
	defer b.rescue(kind.String())
	switch kind {
	case None:
		return
	case PDF:
		b.pdf(body)
		return
	case OOXML, ODF, EPUB:
		b.office(body)
		return
	case RTF:
		b.rtf(body)
		return
	case Packed:
		b.packed(b.o.URL, body, 1)
		return
	case Mail:
		b.mail(body)
		return
	case SWF:
		b.swf(body)
		return
	case GLTF:
		b.gltf(body)
		return
	}
	var src []byte
	src, b.doc.Charset, b.doc.CharsetFrom = decode(kind, body, b.o.DeclaredCharset)
	if !b.on(len(src)) {
		return
	}
	if (kind == HTML || kind == PlainText) && isJSON(src) { // servers declare either
		b.text.pre = 1
		b.text.write(src)
		kind, b.doc.Kind = JSON, JSON
	}
	if kind == JS {
		if value := padded(src); value != nil {
			src, kind, b.doc.Kind = value, JSON, JSON
		}
	}
	if from := b.doc.CharsetFrom; (kind == HTML || kind == XHTML) && (from == "detected" || from == "default") && isASCII(src) {
		b.doc.QueryCharset = "windows-1252" // what no charset is declared for is that for browsers
	}
	if b.o.KeepSource {
		b.doc.Source = string(cutRunes(src, b.o.MaxSource))
	}
	switch kind {
	case HTML, XHTML, SVG, XML:
		b.page = src
		p := newMarkupParser(b, kind, 0)
		if p.top = kind != XML && len(src) <= maxTree; p.top {
			b.tags.Grow(len(src) / 128)
		}
		p.run(src)
	case PlainText:
		if textForPrograms(b.o.URL) {
			b.markdown(src)
			return
		}
		b.text.pre = 1
		b.text.write(src)
	case CSS:
		b.css(src)
	case JS:
		b.parcel = bytes.Contains(body, []byte("getBundleURL")) || bytes.Contains(body, []byte("parcelRequire"))
		b.loads = bytes.Contains(body, []byte("import(")) || bytes.Contains(body, []byte("import.meta"))
		b.js(src, false)
	case HLS:
		b.hls(src)
	case DASH:
		b.dash(src)
	case Manifest:
		b.manifest(src)
	case JSON:
		if !sourceMap(src) {
			b.js(b.members(src), true)
			b.iiif(src)
		}
	case RNC:
		b.rnc(src)
	default:
		b.lines(kind, src)
	}
}

// lines reads formats of lines and blocks.
func (b *builder) lines(kind Kind, src []byte) {
	switch kind {
	case VTT:
		b.vtt(src)
	case Turtle:
		b.turtle(src)
	case Card:
		b.card(src)
	case Markdown:
		b.markdown(src)
	case Bibliography:
		b.bibliography(src)
	case Shortcut:
		b.shortcut(src)
	case PostScript:
		b.postScript(src)
	}
}

func (b *builder) finish(s *scratch) *Doc {
	b.useCustom()
	b.interpret()
	d := b.doc
	guess, room := b.guess, max(b.o.MaxLinks-len(d.Links), 0)
	if len(guess) > room {
		d.DroppedLinks += len(guess) - room
		guess = guess[:room]
	}
	if b.strong {
		slices.SortStableFunc(d.Links, func(a, b Link) int { return btoi(b.Strong) - btoi(a.Strong) })
	}
	links := d.Links
	d.Links = slices.Concat(links, guess)
	d.Text = string(b.text.buf)
	d.TextTruncated = b.text.truncated
	s.giveBack(b, links)
	return d
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
