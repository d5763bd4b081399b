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
	case t == "" || t == "module" || strings.Contains(t, "javascript") || strings.Contains(t, "ecmascript") || strings.HasSuffix(t, "jscript"):
		return scriptCode
	case t == "importmap" || t == "systemjs-importmap":
		return scriptMap
	case strings.Contains(t, "json") || t == "speculationrules":
		return scriptData
	case strings.Contains(t, "template") || strings.Contains(t, "tmpl") || strings.Contains(t, "html") || strings.Contains(t, "handlebars") ||
		strings.Contains(t, "mustache") || strings.Contains(t, "ejs"):
		return scriptMarkup
	}
	return scriptOther
}

// maxInline is the length up to which what names mean is kept of scripts that stand in a page and make nothing of them: others may.
const maxInline = 16 << 10

// js finds literals: modules, workers and imported scripts are embeds, what location is set to
// is navigation, strings that look like URLs are guesses. Strings that are glued to others are parts
// of URLs and are left out, and so are the keys of objects.
func (b *builder) js(src []byte, data bool) {
	if bytes.IndexByte(src, '"') < 0 && bytes.IndexByte(src, '\'') < 0 && bytes.IndexByte(src, '`') < 0 &&
		(b.consts == nil || bytes.IndexByte(src, '(') < 0 && bytes.IndexByte(src, '+') < 0 && bytes.IndexByte(src, '[') < 0) {
		return // without strings it can only put known names together, call functions, or list numbers
	}
	s := jsScan{b: b, src: src, data: data}
	l := jsLexer{src: src}
	page := b.quotes == 0 && b.base == "" && b.doc.Kind != JS && b.doc.Kind != JSON
	s.page = page && len(src) <= maxInline
	fold := !data && (b.putsTogether(src) || s.page && b.usesParts(src))
	if fold && b.quotes == 0 || s.page {
		if b.consts == nil {
			b.consts = &jsConsts{}
		}
		s.consts = b.consts // scripts of a page know each other's names
	} else {
		s.consts = &jsConsts{}
	}
	s.consts.begin(len(src))
	if !data {
		s.vite(&l)
		s.next()
	}
	s.fold = fold || s.page && !data && len(src) <= maxHandler && s.consts.calledIn(src)
	s.run(&l, false)
	s.flush()
	s.consts.end()
	b.folders = b.folders || s.page && s.consts.folders
	if page {
		b.held = append(b.held, s.held...) // other scripts may use them
	} else {
		b.release(s.held)
	}
}

// maxHandler is the length of scripts in which calls of functions that are known are looked for: those of attributes.
const maxHandler = 1 << 10

// calledIn reports a call of a function that says a part of an address, with arguments.
func (c *jsConsts) calledIn(src []byte) bool {
	for at := 0; ; at++ {
		i := bytes.IndexByte(src[at:], '(')
		if i < 0 {
			return false
		}
		at += i
		from := at
		for from > 0 && jsIdent(src[from-1]) {
			from--
		}
		if from < at && at+1 < len(src) && src[at+1] != ')' && c.function(src[from:at], from > 0 && src[from-1] == '.') != nil {
			return true
		}
	}
}

// usesParts reports a script of the page that may put something behind a folder that another script, or an element, said. It says no part
// of an address itself, so that nothing less begins one.
func (b *builder) usesParts(src []byte) bool {
	return b.folders && (bytes.IndexByte(src, '+') >= 0 || bytes.Contains(src, []byte("${")))
}

// release makes what became a part of nothing a guess.
func (b *builder) release(held []heldGuess) {
	for _, h := range held {
		if !slices.ContainsFunc(h.of, func(c *jsConst) bool { return c.used }) {
			b.addString(h.url, Speculative, jsString)
		}
	}
}

// run reads tokens to the end, or to that of the function that is called.
func (s *jsScan) run(l *jsLexer, called bool) {
	open := 0
	for k, text, from := jsEnd, []byte(nil), l.pos; ; {
		if k, text = l.next(k, text); k == jsEnd {
			break
		}
		s.at = jsSpan{int32(l.pos - len(text)), int32(l.pos)}
		if s.fold && s.mayFold(l, k, text) && s.folded(l, k, text) {
			k = jsStr
			continue
		}
		if k == jsStr {
			text = l.joined(text)
		}
		if n := l.pos - from; n >= often {
			if from = l.pos; !s.b.on(n) {
				break
			}
		}
		if called {
			if open += nesting(k, text); open < 0 || open == 0 && k == jsValue && string(text) == "}" {
				break
			}
			if open == 0 && s.consts.calls > 0 && (k == jsComma || k == jsOther && text[0] == ';') {
				break
			}
		}
		if called { // its strings are known already
			if s.pending.URL != "" {
				s.waits(k, text)
			}
			switch k {
			case jsOpen:
				s.opened()
			case jsClose:
				s.of, s.ofOwner = jsSpan{}, jsSpan{}
			}
			s.push(k)
		} else if s.pending.URL != "" || k >= jsStr {
			s.token(k, text)
		} else {
			s.push(k)
		}
		if (s.fold || s.quiet) && k != jsDot && k != jsComma && (k != jsWord || s.formal || len(text) == 2 || called) { // other words change nothing
			if called && k == jsWord && string(text) == "return" {
				s.returns(l)
			}
			s.names(l, k, text)
			if s.consts.left <= 0 && !called {
				s.fold = false // nothing is looked ahead for any more
			}
		} else if s.page && (k == jsColon || k == jsAssign) && (s.data || k == jsColon && s.before(2).kind == jsStr || s.mayBePart(l, k)) {
			s.bind(l, k)
		}
	}
	if called {
		s.flush()
	}
}

// nesting is by how much a token opens brackets.
func nesting(k jsKind, text []byte) int {
	switch {
	case k == jsOpen, k == jsBrace, k == jsOther && text[0] == '[':
		return 1
	case k == jsClose, k == jsValue && len(text) == 1:
		return -1
	}
	return 0
}

// jsScan is the little context that decides about a string: the tokens before,
// the one after, and the function it is an argument of.
type jsScan struct {
	b       *builder
	src     []byte
	data    bool
	ring    [8]pastToken
	n       int    // tokens so far
	at      jsSpan // the token that is read
	of      jsSpan // the word before the last opening bracket
	ofOwner jsSpan // the identifier before the dot before it

	page    bool // it stands in a page, whose scripts know what it says
	fold    bool // constants are put together
	consts  *jsConsts
	lists   []listed   // those in which the token stands that is read
	touched []*jsConst // what the expression that is read is made of
	held    []heldGuess
	valueOf []*jsConst   // what the pending link is the value of
	formal  bool         // parameters are read
	given   []givenName  // what they are
	ofGiven []*jsConst   // those that were given; what they were given comes behind the function
	class   []byte       // the name of the last class
	args    []*jsConst   // parameters of the last call that became parts of something
	saved   []savedConst // what names meant before this call, which has them for itself
	quiet   bool         // only what a function gives matters
	result  jsVal        // what it gives

	unpacked   int32  // where the last pattern ends that takes an object apart
	counter    []byte // of a loop whose turns are not known
	counterEnd int32  // up to where its head goes at most

	pending Link // a link waiting for the token after it; URL "" = none
	key     bool // it is a key of an object if a colon follows
	relURL  bool // the first argument of new URL(): an embed if import.meta follows
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
	s.of, s.ofOwner = jsSpan{}, jsSpan{}
	if t := s.ring[(s.n-1)&7]; t.kind == jsWord {
		s.of = t.at
		if owner := s.ring[(s.n-3)&7]; s.before(2).kind == jsDot && owner.kind == jsWord {
			s.ofOwner = owner.at
		}
	}
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
		s.b.quotedIn(jsUnescape(text), false)
	case jsValue:
		if n := len(text); n > 2 && text[n-1] == '`' {
			s.b.quotedIn(jsUnescape(text[1:n-1]), false)
		}
	case jsOpen:
		s.opened()
	case jsClose:
		s.of, s.ofOwner = jsSpan{}, jsSpan{}
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
	case s.relURL && k == jsWord && string(text) == "import" && s.last() == jsComma:
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
	if !marked(v) && len(s.b.imports) == 0 && !s.navigates() {
		return
	}
	s.value(jsUnescape(v))
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
	if s.b.quotedIn(raw, written) {
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
		return
	}
	last := s.last()
	s.pending.URL, s.pending.Kind, s.pending.Context = v, kind, context
	s.holds(v)
	s.key = last == jsBrace || last == jsComma
	s.relURL = last == jsOpen && string(s.callee()) == "URL"
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
	if to, is := s.b.imports[v]; is {
		return to
	}
	for i := len(v) - 1; i > 0; i-- {
		if v[i] == '/' {
			if to, is := s.b.imports[v[:i+1]]; is {
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
	case len(s.valueOf) > 0 && s.pending.Kind == Speculative && len(s.held) < maxConsts:
		s.held = append(s.held, heldGuess{slices.Clone(s.valueOf), s.pending.URL})
	default:
		s.b.addString(s.pending.URL, s.pending.Kind, s.pending.Context)
	}
	s.pending.URL = ""
}
