package markup

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
)

const (
	jsImport   = "js/import"
	jsWorker   = "js/worker"
	jsFetch    = "js/fetch"
	jsString   = "js/string"
	jsLocation = "js/location"
)

// scriptType says what a script element holds.
type scriptType uint8

const (
	scriptCode   scriptType = iota
	scriptData              // JSON
	scriptMap               // import maps
	scriptMarkup            // a template, or a document
	scriptOther             // other languages: read when it is JSON
)

func scriptTypeOf(typ []byte) scriptType {
	t := strings.ToLower(string(bytes.TrimSpace(typ)))
	t, _, _ = strings.Cut(t, ";")
	switch {
	case t == "" || t == "module" || t == "module-shim" || strings.Contains(t, "javascript") || strings.Contains(t, "ecmascript") || strings.HasSuffix(t, "jscript"):
		return scriptCode
	case t == "importmap" || t == "importmap-shim" || t == "systemjs-importmap":
		return scriptMap
	case strings.Contains(t, "json") || t == "speculationrules":
		return scriptData
	case strings.Contains(t, "template") || strings.Contains(t, "tmpl") || strings.Contains(t, "html") || strings.Contains(t, "handlebars") ||
		strings.Contains(t, "mustache") || strings.Contains(t, "ejs"):
		return scriptMarkup
	}
	return scriptOther
}

// isModule reports the type of a module, also as es-module-shims has it.
func isModule(typ []byte) bool { return string(typ) == "module" || string(typ) == "module-shim" }

// maxInline is the length up to which what names mean is kept of scripts that stand in a page and make nothing of them: others may.
const maxInline = 16 << 10

// js finds literals: modules, workers and imported scripts are embeds, what location is set to
// is navigation, strings that look like URLs are guesses. Strings that are glued to others are parts
// of URLs and are left out, and so are the keys of objects.
func (b *builder) js(src []byte, data bool) {
	nth := b.interpretLater(src, data)
	if bytes.IndexByte(src, '"') < 0 && bytes.IndexByte(src, '\'') < 0 && bytes.IndexByte(src, '`') < 0 {
		return
	}
	s := jsScan{b: b, src: src, data: data, nth: nth, page: b.quotes == 0 && b.base == "" && b.doc.Kind != JS && b.doc.Kind != JSON}
	l := jsLexer{src: src}
	if !data {
		s.vite()
		s.next()
		s.webpack()
		s.amd()
	}
	s.run(&l)
	s.flush()
}

// maxHandler is the length up to which code in attributes is interpreted.
const maxHandler = 1 << 10

// usesParts reports a script of the page that may put something behind a folder that another script, or an element, said. It says no part
// of an address itself, so that nothing less begins one.
func (b *builder) usesParts(src []byte) bool {
	return b.folders && (bytes.IndexByte(src, '+') >= 0 || bytes.Contains(src, []byte("${")))
}

// run reads tokens to the end.
func (s *jsScan) run(l *jsLexer) {
	for k, text, from := jsEnd, []byte(nil), l.pos; ; {
		if k, text = l.next(k, text); k == jsEnd {
			return
		}
		s.at = jsSpan{int32(l.pos - len(text)), int32(l.pos)}
		if k == jsStr {
			text = l.joined(text)
		}
		if n := l.pos - from; n >= often {
			if from = l.pos; !s.b.on(n) {
				return
			}
		}
		s.braces = l.open
		if s.pending.URL != "" || k >= jsStr {
			s.token(k, text)
		} else {
			s.push(k)
		}
		if k == jsBrace && s.never() {
			k, text = s.skipBlock(l)
		}
	}
}

// jsScan is the little context that decides about a string: the tokens before,
// the one after, and the function it is an argument of.
type jsScan struct {
	modules map[string]struct{} // names of parts of the script; nil: not looked yet
	b       *builder
	src     []byte
	data    bool
	ring    [8]pastToken
	n       int       // tokens so far
	at      jsSpan    // the token that is read
	of      jsSpan    // the word before the last opening bracket
	ofOwner jsSpan    // the identifier before the dot before it
	calls   [8]jsCall // around it
	within  int       // how many there are
	braces  int       // that are open
	outer   int       // that were at the last opening bracket

	page bool   // it stands in a page
	list jsSpan // a list of files whose addresses are known

	bundle bundle

	stored map[string]struct{}  // keys of texts of the script; nil: not looked yet
	tables map[string]nameTable // by the shapes of names

	nth int // of the scripts that are interpreted, from 1; -1: JSON, which they may use; 0: none of them

	pending Link // a link waiting for the token after it; URL "" = none
	key     bool // it is a key of an object if a colon follows
	module  bool // it may be the name of one
	given   bool // it is given to what takes an address
	sent    bool // something is sent to it
	relURL  bool // the first argument of new URL(): an embed if import.meta follows
}

// jsCall is the word before an opening bracket, and where.
type jsCall struct {
	of, owner jsSpan
	braces    int
}

type jsToken struct {
	kind jsKind
	text []byte
}

// jsSpan is where in the script a token stands.
type jsSpan struct{ from, to int32 }

// pastToken is a token that was read. It has no pointers: tokens are pushed too often for the garbage collector to be told of each.
type pastToken struct {
	kind jsKind
	at   jsSpan
}

func (s *jsScan) text(at jsSpan) []byte { return s.src[at.from:at.to] }

// before returns the i-th token before this one; 1 is the last.
func (s *jsScan) before(i int) jsToken {
	t := s.ring[(s.n-i)&7]
	return jsToken{t.kind, s.text(t.at)}
}

func (s *jsScan) last() jsKind { return s.ring[(s.n-1)&7].kind }

// callee is the word before the last opening bracket.
func (s *jsScan) callee() []byte { return s.text(s.of) }

// calleeOf is what the callee is a member of.
func (s *jsScan) calleeOf() []byte { return s.text(s.ofOwner) }

// opened notes what an opening bracket stands behind.
func (s *jsScan) opened() {
	s.calls[s.within&7] = jsCall{s.of, s.ofOwner, s.outer}
	s.within++
	s.outer = s.braces
	s.of, s.ofOwner = jsSpan{}, jsSpan{}
	if t := s.ring[(s.n-1)&7]; t.kind == jsWord {
		s.of = t.at
		if owner := s.ring[(s.n-3)&7]; s.before(2).kind == jsDot && owner.kind == jsWord {
			s.ofOwner = owner.at
		}
	}
}

// closed goes back to what is around a call, unless that is the code of a function: f(g(), "argument of f").
func (s *jsScan) closed() {
	s.of, s.ofOwner = jsSpan{}, jsSpan{}
	if s.within--; s.within < 0 {
		s.within = 0
		return
	}
	c := &s.calls[s.within&7]
	if s.outer = c.braces; c.braces == s.braces {
		s.of, s.ofOwner = c.of, c.owner
	}
	s.calls[s.within&7] = jsCall{braces: -1} // deeper ones are written over
}

// wordBefore returns the i-th token before, when it is an identifier or keyword, and the identifier that it
// is a member of.
func (s *jsScan) wordBefore(i int) (word, owner []byte) {
	t := s.before(i)
	if t.kind != jsWord {
		return nil, nil
	}
	if s.before(i+1).kind == jsDot && s.before(i+2).kind == jsWord {
		owner = s.before(i + 2).text
	}
	return t.text, owner
}

// target is what the next token is assigned to: the name before "=" or ":".
func (s *jsScan) target() (name, owner []byte) {
	if k := s.last(); k != jsAssign && k != jsColon {
		return nil, nil
	}
	if t := s.before(2); t.kind == jsStr && len(t.text) > 1 {
		return t.text[1 : len(t.text)-1], nil
	}
	return s.wordBefore(2)
}

func (s *jsScan) token(k jsKind, text []byte) {
	if s.pending.URL != "" && s.waits(k, text) {
		s.push(k)
		return
	}
	switch k {
	case jsStr, jsTemplate:
		s.literal(text)
	case jsPiece:
		s.b.quotedIn(goesOn(jsUnescape(text[1:len(text)-len("${")]), text[0] == '}'), false)
	case jsValue:
		if n := len(text); n > 2 && text[n-1] == '`' {
			s.b.quotedIn(goesOn(jsUnescape(text[1:n-1]), text[0] == '}'), false)
		}
	case jsOpen:
		s.opened()
	case jsClose:
		s.closed()
	}
	s.push(k)
}

// push makes the token that is read the last one.
func (s *jsScan) push(k jsKind) {
	s.ring[s.n&7] = pastToken{k, s.at}
	s.n++
}

// waits decides about the pending link by the token after it, and reports whether another must
// come for that.
func (s *jsScan) waits(k jsKind, text []byte) bool {
	switch {
	case k == jsPlus, k == jsColon && s.key, k == jsOther && compares(text):
		s.pending.URL = ""
	case s.relURL && k == jsComma:
		return true
	case s.relURL && k == jsWord && string(text) == "import" && s.last() == jsComma && s.pending.Context != jsWorker:
		s.pending.Kind, s.pending.Context = Embed, jsImport
	}
	s.flush()
	return false
}

// literal takes what a string says.
func (s *jsScan) literal(tok []byte) {
	if len(tok) < 3 {
		return
	}
	v := tok[1 : len(tok)-1]
	if s.at.from >= s.list.from && s.at.to <= s.list.to {
		return
	}
	if !marked(v) && len(s.b.imports) == 0 && !s.navigates() {
		return
	}
	if len(v) < longString || bytes.IndexByte(v, '\\') < 0 {
		s.value(jsUnescape(v))
		return
	}
	b := s.b
	room := b.unescaped
	b.unescaped = nil // a string in it may be as long
	room = appendUnescaped(slices.Grow(room[:0], len(v)), v)
	s.value(room)
	b.unescaped = room
}

// marked reports a string that may be an address or hold some: most have no byte that says so, or an escape.
func marked(v []byte) bool {
	if len(v) > longString {
		return true
	}
	for _, c := range v {
		if jsClass[c]&jsMark != 0 {
			return true
		}
	}
	return false
}

// value takes what a string is.
func (s *jsScan) value(raw []byte) {
	if len(s.b.imports) > 0 && len(raw) <= maxURL {
		raw = []byte(s.mapped(string(raw)))
	}
	if s.page && !s.b.folders && len(raw) > 1 && raw[len(raw)-1] == '/' {
		s.b.folders = isFolder(string(raw))
	}
	if s.isText(raw) || len(raw) > 0 && s.selects(raw) {
		return
	}
	written := s.writes()
	switch first := s.last() == jsOpen; {
	case s.data || !first:
	case s.decodes():
		if text, err := url.PathUnescape(string(raw)); err == nil {
			raw = []byte(text)
			written = string(s.before(4).text) == "write" && string(s.before(6).text) == "document"
		}
	case s.runs() && s.b.quotes < maxQuoted && len(raw) <= maxJoined:
		s.b.inside(false, func() { s.b.js(raw, false) })
		if bytes.ContainsAny(raw, "(=") && raw[0] != '<' {
			return
		}
	case string(s.callee()) == "load":
		if address, _, _ := bytes.Cut(raw, []byte(" ")); isReference(string(address)) { // what is behind the blank is a selector of jQuery's
			raw = address
		}
	}
	whole := goesOn(raw, s.last() == jsPlus)
	if s.b.doc.Kind == JS && s.b.emoji == 0 && s.b.quotes == 0 {
		s.b.emoji = emojis(s.src)
	}
	if s.b.quotedIn(whole, written) {
		return
	}
	goes := s.navigates()
	if !goes && !s.takesURL() && s.b.parametersIn(raw) || len(raw) > maxURL || !goes && bytes.IndexByte(raw, '/') < 0 && bytes.IndexByte(raw, '.') < 0 {
		return
	}
	if bytes.HasPrefix(raw, []byte(" http")) || bytes.HasPrefix(raw, []byte("http")) {
		raw = bytes.TrimSpace(raw)
	}
	v := string(raw)
	kind, context := s.use(v)
	if context == "" {
		if v, context = s.asset(v); context == "" {
			return
		}
		s.pending.URL, s.pending.Kind, s.pending.Context = v, Speculative, context
		s.key, s.module, s.given, s.sent, s.relURL = false, false, true, false, false
		return
	}
	if kind == Speculative {
		if _, known := s.b.chunks[v]; known {
			return // its public path is before it
		}
		var is bool
		if v, is = s.inTable(v); !is {
			return
		}
	}
	last := s.last()
	s.pending.URL, s.pending.Kind, s.pending.Context = v, kind, context
	s.key = last == jsBrace || last == jsComma
	s.module = kind == Speculative && s.moduleName(v)
	s.given = s.takesURL() || s.comparedSrc()
	s.sent = s.sends()
	s.relURL = last == jsOpen && string(s.callee()) == "URL"
}

// goesOn is a text without its first word, when that is the end of what another began: + "-2x.jpg 2x", }-2x.jpg 2x`.
func goesOn(text []byte, begun bool) []byte {
	if begun && !bytes.ContainsAny(text, "<({[") {
		return text[max(bytes.IndexByte(text, ' '), 0):]
	}
	return text
}

// importMap reads an import map (HTML standard 8.1.5.4): what is imported by its names is known from then on. Its addresses are guesses,
// except those of folders.
func (b *builder) importMap(src []byte) {
	var m struct {
		Imports map[string]string            `json:"imports"`
		Scopes  map[string]map[string]string `json:"scopes"`
	}
	if len(src) > maxJoined || json.Unmarshal(src, &m) != nil {
		return
	}
	if b.imports == nil {
		b.imports = map[string]string{}
	}
	all := []map[string]string{m.Imports}
	for _, scope := range slices.Sorted(maps.Keys(m.Scopes)) {
		all = append(all, m.Scopes[scope])
	}
	for _, names := range all {
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if _, known := b.imports[name]; !known {
				b.imports[name] = names[name]
			}
			if !strings.HasSuffix(name, "/") && isReference(names[name]) {
				b.addString(names[name], Speculative, jsString)
			}
		}
	}
}

// mapped returns the address that an import map has for what is imported, or v.
func (s *jsScan) mapped(v string) string {
	if word, _ := s.wordBefore(1); string(word) != "from" && string(word) != "import" &&
		(s.last() != jsOpen || string(s.callee()) != "import" && (string(s.callee()) != "resolve" || string(s.calleeOf()) != "meta")) && string(s.calleeOf()) != "System" {
		return v
	}
	return s.b.importMapped(v)
}

// importMapped is what an import map has for a name, or that.
func (b *builder) importMapped(v string) string {
	if to, is := b.imports[v]; is {
		return to
	}
	for i := len(v) - 1; i > 0; i-- {
		if v[i] == '/' {
			if to, is := b.imports[v[:i+1]]; is {
				return to + v[i+1:]
			}
		}
	}
	return v
}

func (s *jsScan) flush() {
	switch {
	case s.pending.URL == "":
		return
	case s.nth != 0 && s.pending.Kind == Speculative && len(s.b.waiting) < maxWaiting:
		s.b.waiting = append(s.b.waiting, waitingGuess{max(s.nth-1, -1), s.module, s.given, s.sent, s.pending.URL, s.pending.Context})
	case s.module:
	default:
		s.b.given = s.given
		if l := s.b.addString(s.pending.URL, s.pending.Kind, s.pending.Context); l != nil && s.relURL && l.Context == jsWorker {
			l.OfPage = false
		}
		s.b.given = false
	}
	s.pending.URL = ""
}
