package markup

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"encoding/binary"
	"io"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what is unpacked of one document.
const (
	maxPart    = 16 << 20 // bytes of a part
	maxParts   = 10_000
	maxAllPart = 64 << 20 // bytes of all parts
	maxBzip    = 500      // parts that are packed so: each takes 4 MB to begin with
)

// parts yields what a ZIP file holds, from its beginning on and without its directory, so that a cut or damaged one
// gives what it has. A part that breaks off is yielded up to there.
func (b *builder) parts(body []byte, yield func(name string, data []byte)) {
	bzipped := 0
	for n := 0; n < maxParts && b.unpacked < maxAllPart; n++ {
		i := bytes.Index(body, []byte("PK\x03\x04"))
		if i < 0 || len(body)-i < 30 || !b.on(stopEvery) {
			return
		}
		h := body[i:]
		flags, method := binary.LittleEndian.Uint16(h[6:]), binary.LittleEndian.Uint16(h[8:])
		size := int(binary.LittleEndian.Uint32(h[18:]))
		nameLen, extra := int(binary.LittleEndian.Uint16(h[26:])), int(binary.LittleEndian.Uint16(h[28:]))
		if 30+nameLen+extra > len(h) {
			return
		}
		name, data := string(h[30:30+nameLen]), h[30+nameLen+extra:]
		var plain []byte
		switch {
		case flags&1 != 0: // encrypted
			body = data
			continue
		case method == 8:
			in := bytes.NewReader(data)
			plain, _ = io.ReadAll(io.LimitReader(flate.NewReader(in), min(maxPart, maxAllPart-b.unpacked))) // damaged: what comes before
			body = data[len(data)-in.Len():]
		case method == 12 && bzipped < maxBzip:
			bzipped++
			in := bytes.NewReader(data)
			if flags&8 == 0 {
				in = bytes.NewReader(data[:min(size, len(data))])
			}
			plain, _ = io.ReadAll(io.LimitReader(bzip2.NewReader(in), min(maxPart, maxAllPart-b.unpacked)))
			body = data[max(0, int(in.Size())-in.Len()-2):] // it looks for another stream behind the last
		case method == 0 && flags&8 == 0:
			plain = data[:min(size, len(data), maxPart)]
			body = data[min(size, len(data)):]
		default:
			body = data
			continue
		}
		b.unpacked += int64(len(plain))
		yield(name, plain)
	}
}

// office reads a document in ZIP: Office Open XML (ECMA-376), OpenDocument (ODF 1.3), EPUB.
func (b *builder) office(body []byte) {
	b.parts(body, func(name string, data []byte) {
		if !b.on(len(data)) {
			return
		}
		switch ext := strings.ToLower(path.Ext(name)); {
		case ext == ".rels":
			b.relationships(data)
		case strings.HasPrefix(name, "docProps/"), name == "meta.xml":
			b.properties(data)
		case name == "content.xml", name == "styles.xml" && b.doc.Kind == ODF, b.doc.Kind == OOXML && isTextPart(name):
			b.part(data)
		case b.doc.Kind == OOXML && strings.HasSuffix(name, "styles.xml"):
			b.languages(data)
		case ext == ".opf":
			b.properties(data)
			b.opf(data)
		case b.doc.Kind == EPUB && (ext == ".xhtml" || ext == ".html" || ext == ".htm"):
			b.chapter(XHTML, data)
		case b.doc.Kind == EPUB && ext == ".css":
			b.chapter(CSS, data)
		case name == "xl/connections.xml":
			b.connections(data)
		}
	})
	b.addresses()
}

// isTextPart reports whether a part of Office Open XML has text that a reader sees.
func isTextPart(name string) bool {
	dir, file := path.Split(strings.ToLower(name))
	switch dir {
	case "word/":
		for _, is := range []string{"document", "header", "footer", "footnotes", "endnotes", "comments"} {
			if strings.HasPrefix(file, is) {
				return strings.HasSuffix(file, ".xml")
			}
		}
	case "ppt/slides/", "ppt/notesslides/":
		return strings.HasSuffix(file, ".xml")
	case "xl/":
		return file == "sharedstrings.xml"
	case "xl/worksheets/": // strings in cells
		return strings.HasSuffix(file, ".xml")
	}
	return false
}

// xmlTags yields the tags and texts of an XML part: for a tag its local name and attributes, for a text "" and the text.
func (b *builder) xmlTags(data []byte, tag func(name string, end bool, attr func(local string) string), text func([]byte)) {
	src, _, _ := decode(XML, data, "")
	l := lexer{src: src, cdata: true}
	get := func(key string) string {
		for _, a := range l.attrs {
			if local(a.key) == key {
				return string(a.val)
			}
		}
		return ""
	}
	for {
		kind := l.next()
		if kind == tokEnd || !b.on(l.size) {
			return
		}
		switch kind {
		case tokText:
			text(l.text)
		case tokStart, tokVoid, tokClose:
			if l.raw = ""; kind == tokClose {
				l.attrs = l.attrs[:0]
			}
			tag(local(l.name), kind == tokClose, get)
			if kind == tokVoid {
				tag(local(l.name), true, get)
			}
		case tokComment, tokDoctype, tokNothing, tokEnd:
		}
	}
}

func local(name []byte) string {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	return string(name)
}

// external adds a link of a document that is an absolute address, or a bare name of a web server.
func (b *builder) external(ref string, kind LinkKind, context string) {
	ref = strings.TrimSpace(ref)
	if strings.HasPrefix(ref, "www.") {
		ref = "http://" + ref
	}
	if s := strings.ToLower(ref[:min(len(ref), 8)]); strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "ftp://") {
		b.add([]byte(ref), kind, context)
	} else if kind == Nav && (b.doc.Kind == OOXML || b.doc.Kind == ODF) {
		b.beside(ref, context)
	}
}

// beside adds a link to a file that its author had beside the document, as it may be on a server, too. In OpenDocument it is relative to what is in the
// document's package (OpenDocument 1.3 part 2, 3.7).
func (b *builder) beside(ref, context string) {
	if b.doc.Kind == ODF {
		var out bool
		if ref, out = strings.CutPrefix(ref, "../"); !out {
			return
		}
	}
	if ref == "" || ref[0] == '/' || schemeLen(ref) > 0 || strings.ContainsAny(ref, "\\:") || !hasExtension(ref) {
		return
	}
	b.add([]byte(ref), Nav, context)
}

// relationships reads links that Office Open XML keeps beside its parts (ECMA-376-2, 9.3).
func (b *builder) relationships(data []byte) {
	b.xmlTags(data, func(name string, end bool, attr func(string) string) {
		if name != "relationship" || end || !strings.EqualFold(attr("targetmode"), "External") {
			return
		}
		kind := Embed
		typ := path.Base(attr("type"))
		if typ == "hyperlink" {
			kind = Nav
		}
		b.external(attr("target"), kind, "ooxml/"+string(safeName([]byte(typ))))
	}, func([]byte) {})
}

// part reads the text of a part, and the links that stand in it.
func (b *builder) part(data []byte) {
	depth := 0 // elements of text that are open
	odf := b.doc.Kind == ODF
	var f fields
	b.xmlTags(data, func(name string, end bool, attr func(string) string) {
		switch name {
		case "p", "h", "si", "list-item", "tr", "table-row":
			b.text.sep('\n')
		case "br", "cr", "line-break":
			b.text.sep('\n')
		case "tab", "tc", "table-cell":
			b.text.sep('\t')
		case "s": // of OpenDocument: blanks
			if odf {
				b.text.sep(' ')
			}
		case "instrtext", "f":
			if f.in = name; end {
				f.in = ""
				b.codes(f.leave(name))
			}
		case "fldchar":
			if !end {
				b.codes(f.char(attr("fldchartype")))
			}
		case "fldsimple":
			if !end {
				b.field(attr("instr"))
			}
		case "a", "image", "object", "frame", "background-image", "section-source":
			if odf && !end {
				kind := Embed
				if name == "a" {
					kind = Nav
				}
				b.external(attr("href"), kind, "odf/"+name)
			}
		case "lang":
			b.language(attr("val"))
		}
		if odf {
			b.formula(attr("formula"))
			if lang := attr("language"); lang != "none" {
				b.language(lang)
			}
		}
		if name == "t" && !odf || odf && (name == "p" || name == "h") {
			if end {
				depth = max(depth-1, 0)
			} else {
				depth++
			}
		}
	}, func(text []byte) {
		switch {
		case f.in != "":
			f.write(text)
		case depth > 0:
			b.text.write(text)
		}
	})
	for _, code := range f.open { // of a part that breaks off
		b.field(string(code))
	}
	b.text.sep('\n')
}

const (
	maxField  = 8 << 10 // bytes of a field or formula; Excel's own bound
	maxFields = 16      // fields in one another
)

// fields collects the codes of fields, which Word writes in several runs (ECMA-376-1, 17.16.18), and formulas of cells.
type fields struct {
	in   string   // element of code that is open
	open [][]byte // codes of the fields around; nil of those that were read
	code []byte   // outside of any
}

func (f *fields) write(s []byte) {
	to := &f.code
	if n := len(f.open); n > 0 && f.in != "f" {
		to = &f.open[n-1]
	}
	*to = append(*to, s[:min(len(s), max(maxField-len(*to), 0))]...)
}

// leave returns what an element holds whose code is not part of a longer one.
func (f *fields) leave(element string) (of, code string) {
	code, f.code = string(f.code), f.code[:0]
	return element, code
}

// char returns the code that ends at a mark of a field.
func (f *fields) char(typ string) (of, code string) {
	n := len(f.open)
	switch {
	case typ == "begin" && n < maxFields:
		f.open = append(f.open, nil)
	case typ != "begin" && n > 0: // separate, end
		code, f.open[n-1] = string(f.open[n-1]), nil
		if typ == "end" {
			f.open = f.open[:n-1]
		}
	}
	return "instrtext", code
}

// codes reads a field or a formula.
func (b *builder) codes(of, code string) {
	if of == "f" {
		b.formula(code)
	} else {
		b.field(code)
	}
}

// field takes the address of a HYPERLINK or INCLUDEPICTURE field: the first string behind its name that belongs to no switch.
func (b *builder) field(code string) {
	code = strings.TrimSpace(code)
	n := strings.IndexFunc(code, func(r rune) bool { return 'a' > r|0x20 || r|0x20 > 'z' })
	if n < 0 {
		return
	}
	name, rest := strings.ToLower(code[:n]), code[n:]
	kind := Nav
	switch name {
	case "hyperlink":
	case "includepicture":
		kind = Embed
	default:
		return
	}
	var word string
	for rest != "" {
		switch word, rest = fieldWord(rest); word {
		case `\l`, `\o`, `\t`, `\c`, `\*`:
			_, rest = fieldWord(rest)
		default:
			if word != "" && word[0] != '\\' {
				b.external(word, kind, "field/"+name)
				return
			}
		}
	}
}

// fieldWord returns the next word of a field, or string between quotes.
func fieldWord(s string) (word, rest string) {
	const quotes = "\"“”"
	s = strings.TrimLeft(s, " \t\r\n")
	end := " \t\r\n" + quotes
	if r, n := utf8.DecodeRuneInString(s); strings.ContainsRune(quotes, r) && n > 0 {
		s, end = s[n:], quotes
	}
	i := strings.IndexAny(s, end)
	if i < 0 {
		return s, ""
	}
	if _, n := utf8.DecodeRuneInString(s[i:]); end == quotes {
		return s[:i], s[i+n:]
	}
	return s[:i], s[i:]
}

// formula takes the addresses that functions of a cell lead to, where they are written out: of those that are put together from cells
// nothing is known. What stands in strings, and in names of sheets, is no function.
func (b *builder) formula(code string) {
	for {
		i := strings.IndexAny(code, `("'`)
		if i < 0 {
			return
		}
		if code[i] != '(' {
			_, rest, ok := quoted(code[i:])
			switch {
			case ok:
				code = rest
			case code[i] == '"':
				return
			default:
				code = code[i+1:]
			}
			continue
		}
		name := code[max(i-20, 0):i]
		name = strings.ToLower(name[strings.LastIndexFunc(name, func(r rune) bool { return 'a' > r|0x20 || r|0x20 > 'z' })+1:])
		code = code[i+1:]
		kind := Nav
		switch name {
		case "hyperlink":
		case "image", "webservice":
			kind = Embed
		default:
			continue
		}
		code = strings.TrimLeft(code, " \t\r\n")
		if !strings.HasPrefix(code, `"`) {
			continue
		}
		ref, rest, ok := quoted(code)
		if !ok {
			return
		}
		if code = strings.TrimLeft(rest, " \t\r\n"); code == "" || strings.IndexByte(",;)", code[0]) >= 0 {
			b.external(ref, kind, "formula/"+name)
		}
	}
}

// quoted returns what stands between the quote that s begins with and the next that is not doubled, and what is behind.
func quoted(s string) (text, rest string, ok bool) {
	q := s[:1]
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] != q[0]:
		case i+1 < len(s) && s[i+1] == q[0]:
			i++
		default:
			return strings.ReplaceAll(s[1:i], q+q, q), s[i+1:], true
		}
	}
	return "", "", false
}

func (b *builder) language(code string) {
	if code == "" || len(code) > maxLang || len(b.doc.Langs) >= 8 { // styles repeat it
		return
	}
	for _, l := range b.doc.Langs {
		if l.Value == code {
			return
		}
	}
	b.doc.Langs = append(b.doc.Langs, Lang{Value: code, Element: "meta", Attr: "lang"})
}

func (b *builder) languages(data []byte) {
	b.xmlTags(data, func(name string, _ bool, attr func(string) string) {
		if name == "lang" {
			b.language(attr("val"))
		}
	}, func([]byte) {})
}

// properties reads title and language of a document.
func (b *builder) properties(data []byte) {
	in := ""
	b.xmlTags(data, func(name string, end bool, _ func(string) string) {
		if in = name; end {
			in = ""
		}
	}, func(text []byte) {
		switch in {
		case "title":
			if b.doc.Title == "" {
				b.doc.Title = collapse(text, maxTitle)
			}
		case "language":
			b.language(strings.TrimSpace(string(text)))
		}
	})
}

// opf takes what the package of an EPUB names outside of the book (EPUB 3.3, 5.5.7, 5.6.2).
func (b *builder) opf(data []byte) {
	b.xmlTags(data, func(name string, end bool, attr func(string) string) {
		switch {
		case end:
		case name == "item":
			b.external(attr("href"), Embed, "epub/item/@href")
		case name == "link":
			b.external(attr("href"), Nav, "epub/link/@href")
		}
	}, func([]byte) {})
}

// connections takes the pages that Excel has tables from (ECMA-376-1, 18.13.15).
func (b *builder) connections(data []byte) {
	b.xmlTags(data, func(name string, end bool, attr func(string) string) {
		if name == "webpr" && !end {
			b.external(attr("url"), Embed, "ooxml/webpr")
		}
	}, func([]byte) {})
}

// chapter reads a document of an EPUB: what it refers to within the book is no link.
func (b *builder) chapter(kind Kind, data []byte) {
	room := b.o
	room.KeepSource, room.DeclaredCharset = false, ""
	room.MaxLinks = max(room.MaxLinks-len(b.doc.Links), 1)
	d := Parse(kind, data, room)
	for _, l := range d.Links {
		b.external(l.URL, l.Kind, "epub/"+l.Context)
	}
	for _, l := range d.Langs {
		b.language(l.Value)
	}
	b.text.pre++
	b.text.write([]byte(d.Text))
	b.text.pre--
	b.text.sep('\n')
	b.doc.Stopped = b.doc.Stopped || d.Stopped
}

// addresses takes the addresses that stand written out in the text: links for a reader, guesses for us.
func (b *builder) addresses() {
	b.addressesIn(b.text.buf, b.guessed)
}

// addressesIn finds the addresses that stand written out in a text.
func (b *builder) addressesIn(text []byte, found func(ref string)) {
	for n := 0; n < b.o.MaxLinks; n++ {
		i := bytes.Index(text, []byte("://"))
		if i < 0 {
			return
		}
		start := i
		for start > 0 && text[start-1] >= 'a' && text[start-1] <= 'z' {
			start--
		}
		end := i + addressLen(text[i:])
		ref := string(text[start:end])
		if b.doc.Kind == PDF && end < len(text) && text[end] == '\n' {
			ref, end = b.wrapped(text, ref, end)
		}
		found(ref)
		text = text[end:]
	}
}

func (b *builder) guessed(ref string) {
	b.external(withoutStops(ref), Speculative, "text")
}

// guessIn guesses at the addresses written out in a text of a feed or of JSON, which may go on without a blank behind them.
func (b *builder) guessIn(text []byte, context string) {
	b.addressesIn(text, func(ref string) {
		if i := strings.IndexFunc(ref, endsAddress); i >= 0 {
			ref = ref[:i]
		}
		if ref = withoutStops(ref); looksLikeURL(ref) {
			b.addString(ref, Speculative, context)
		}
	})
}

// endsAddress reports quotes and stops beyond ASCII, and letters of scripts that are written without blanks.
func endsAddress(r rune) bool {
	return r >= utf8.RuneSelf && (unicode.IsPunct(r) && !unicode.Is(unicode.Pd, r) || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul))
}

// withoutStops takes off what ends a sentence, not an address. A parenthesis that the address opens is its own.
func withoutStops(ref string) string {
	more := strings.Count(ref, ")") - strings.Count(ref, "(")
	for ref != "" {
		switch ref[len(ref)-1] {
		case '.', ',', ';', ':', '!', '?', ']', '\'':
		case ')':
			if more <= 0 {
				return ref
			}
			more--
		default:
			return ref
		}
		ref = ref[:len(ref)-1]
	}
	return ref
}

func addressLen(s []byte) int {
	n := bytes.IndexFunc(s, func(r rune) bool { return r <= ' ' || strings.ContainsRune("<>\"|\\^`{}", r) })
	if n < 0 {
		return len(s)
	}
	return n
}
