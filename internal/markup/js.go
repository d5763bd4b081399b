package markup

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
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
	scriptOther             // other languages: not read
)

func scriptTypeOf(typ []byte) scriptType {
	t := strings.ToLower(string(bytes.TrimSpace(typ)))
	t, _, _ = strings.Cut(t, ";")
	switch {
	case t == "" || t == "module" || strings.Contains(t, "javascript") || strings.Contains(t, "ecmascript") || strings.HasSuffix(t, "jscript"):
		return scriptCode
	case t == "importmap":
		return scriptMap
	case strings.Contains(t, "json") || t == "speculationrules":
		return scriptData
	case strings.Contains(t, "template") || strings.Contains(t, "tmpl") || strings.Contains(t, "html") || strings.Contains(t, "handlebars") ||
		strings.Contains(t, "mustache") || strings.Contains(t, "ejs"):
		return scriptMarkup
	}
	return scriptOther
}

// js finds literals: modules, workers and imported scripts are embeds, what location is set to
// is navigation, strings that look like URLs are guesses. Strings that are glued to others are parts
// of URLs and are left out, and so are the keys of objects.
func (b *builder) js(src []byte, data bool) {
	if bytes.IndexByte(src, '"') < 0 && bytes.IndexByte(src, '\'') < 0 && bytes.IndexByte(src, '`') < 0 {
		return
	}
	s := jsScan{b: b, data: data}
	s.consts.left, s.consts.invoked, s.consts.room = len(src)+foldMargin, maxInvoked, min(len(src)/512, maxConsts)
	l := jsLexer{src: src}
	fold := !data && b.putsTogether(src)
	for k, text, from := jsEnd, []byte(nil), 0; ; {
		if k, text = l.next(k, text); k == jsEnd {
			break
		}
		if fold && l.mayFold(k) && s.folded(&l, k, text) {
			k = jsStr
			continue
		}
		if k == jsStr {
			text = l.joined(text)
		}
		if n := l.pos - from; n >= often {
			if from = l.pos; !b.on(n) {
				break
			}
		}
		if s.pending.URL != "" || k >= jsStr {
			s.token(k, text)
		} else {
			s.push(k, text)
		}
		if fold && k != jsDot && k != jsComma && (k != jsWord || s.formal || len(text) == 2) { // other words change nothing
			s.names(&l, k, text)
		}
	}
	s.flush()
	for _, h := range s.held {
		if !h.of.used {
			s.b.addString(h.url, Speculative, jsString)
		}
	}
}

// jsScan is the little context that decides about a string: the tokens before,
// the one after, and the function it is an argument of.
type jsScan struct {
	b        *builder
	data     bool
	ring     [8]jsToken
	n        int    // tokens so far
	callee   []byte // the word before the last opening bracket
	calleeOf []byte // the identifier before the dot before it

	consts  jsConsts
	listed  *jsConst   // the list whose elements are read
	touched []*jsConst // what the expression that is read is made of
	held    []heldGuess
	isConst *jsConst    // the pending link is its value
	formal  bool        // parameters are read
	given   []givenName // what they are

	pending Link // a link waiting for the token after it; URL "" = none
	key     bool // it is a key of an object if a colon follows
	relURL  bool // the first argument of new URL(): an embed if import.meta follows
}

type jsToken struct {
	kind jsKind
	text []byte
}

// before returns the i-th token before this one; 1 is the last.
func (s *jsScan) before(i int) jsToken { return s.ring[(s.n-i)&7] }

func (s *jsScan) last() jsKind { return s.before(1).kind }

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
	if t := s.before(2); t.kind == jsStr {
		return t.text[1 : len(t.text)-1], nil
	}
	return s.wordBefore(2)
}

func (s *jsScan) token(k jsKind, text []byte) {
	if s.pending.URL != "" && s.waits(k, text) {
		s.push(k, text)
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
		} else if string(text) == "]" {
			s.listed = nil
		}
	case jsOpen:
		s.callee, s.calleeOf = s.wordBefore(1)
	case jsClose:
		s.callee, s.calleeOf = nil, nil
	}
	s.push(k, text)
}

// push makes a token the last one.
func (s *jsScan) push(k jsKind, text []byte) {
	s.ring[s.n&7] = jsToken{k, text}
	s.n++
}

// names keeps what names mean, after a token.
func (s *jsScan) names(l *jsLexer, k jsKind, text []byte) {
	switch k {
	case jsAssign, jsColon:
		s.bind(l, k)
	case jsOpen:
		switch before := s.before(3); { // "(" that is not of a call, or an operator, before a function
		case string(s.callee) == "function":
			s.formal = true
			if s.consts.invoked > 0 && (before.kind == jsOther || before.kind == jsOpen && s.before(4).kind != jsWord) {
				s.invoked(l)
			}
		case string(s.callee) == "catch", before.kind == jsWord && string(before.text) == "function":
			s.formal = true
		}
	case jsWord:
		switch {
		case s.formal:
			s.consts.unset(text)
		case string(text) == "of" || string(text) == "in":
			if t := s.before(2); t.kind == jsWord {
				s.consts.unset(t.text)
			}
		}
	case jsClose:
		s.formal = false
		for _, g := range s.given {
			s.consts.set(ofVariable, g.name, g.values...)
		}
		s.given = s.given[:0]
	case jsValue:
		if len(text) == 2 && s.before(2).kind == jsWord { // ++ and --
			s.consts.unset(s.before(2).text)
		}
	case jsOther:
		if s.n < len(s.ring) || len(text) != 2 || len(s.consts.names[ofVariable])+len(s.consts.names[ofList]) == 0 {
			return
		}
		switch string(text) {
		case "=>", "+=", "-=":
			for i := 2; i < len(s.ring); i++ {
				t := s.before(i)
				if t.kind == jsWord {
					s.consts.unset(t.text)
				} else if t.kind != jsComma && t.kind != jsClose {
					break
				}
			}
		}
	}
}

// waits decides about the pending link by the token after it, and reports whether another must
// come for that.
func (s *jsScan) waits(k jsKind, text []byte) bool {
	switch {
	case k == jsPlus, k == jsColon && s.key:
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
	case string(s.callee) == "load":
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
	s.isConst = s.holds(v)
	s.key = last == jsBrace || last == jsComma
	s.relURL = last == jsOpen && string(s.callee) == "URL"
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
	if word, _ := s.wordBefore(1); string(word) != "from" && string(word) != "import" && (s.last() != jsOpen || string(s.callee) != "import") {
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

// use tells what a string is used for, as far as the tokens before it tell; no context: it is
// no link.
func (s *jsScan) use(v string) (LinkKind, string) {
	last := s.last()
	first := last == jsOpen
	word, _ := s.wordBefore(1)
	switch {
	case s.data:
	case string(word) == "from", string(word) == "import", first && string(s.callee) == "import":
		if pathLike(v) { // a bare module name is no URL
			return Embed, jsImport
		}
		return 0, ""
	case string(s.callee) == "importScripts" && (first || last == jsComma) && isReference(v):
		return Embed, jsImport
	case first && (string(s.callee) == "Worker" || string(s.callee) == "SharedWorker") && isReference(v):
		return Embed, jsWorker
	case first && string(s.callee) == "require":
		return 0, ""
	case s.navigates() && isReference(v):
		return Nav, jsLocation
	}
	switch {
	case last == jsPlus && !strings.HasPrefix(v, "//"):
	case looksLikeURL(v) && !s.prefixOf(v), s.takesURL() && isReference(v) && (last != jsColon || strings.ContainsAny(v, "/.?")):
		return Speculative, jsString
	}
	return 0, ""
}

// navigates reports that a browser goes where the string says: location = "…", location.href = "…",
// location.assign("…"), location.replace("…"), open("…").
func (s *jsScan) navigates() bool {
	if s.data {
		return false
	}
	switch s.last() {
	case jsAssign:
		name, owner := s.target()
		return string(name) == "location" || string(name) == "href" && string(owner) == "location"
	case jsOpen:
		switch string(s.callee) {
		case "assign", "replace":
			return string(s.calleeOf) == "location"
		case "open":
			return string(s.calleeOf) == "window" || len(s.calleeOf) == 0
		}
	}
	return false
}

// takesURL reports a place where any string is an address: an attribute, an argument, or a member that is
// called url.
func (s *jsScan) takesURL() bool {
	switch s.last() {
	case jsAssign:
		name, owner := s.target()
		switch string(name) {
		case "src", "href", "poster", "action":
			return len(owner) > 0
		}
	case jsColon:
		name, _ := s.target()
		switch string(name) {
		case "url", "href", "src", "contentUrl", "thumbnailUrl", "embedUrl":
			return true
		}
	case jsOpen:
		switch string(s.callee) {
		case "fetch", "getJSON", "getScript", "EventSource", "Audio", "addModule", "register", "sendBeacon":
			return true
		case "get", "post", "ajax", "request":
			owner := string(s.calleeOf)
			return owner == "$" || owner == "jQuery" || owner == "axios"
		case "load", "axios":
			return true
		}
	case jsComma:
		return string(s.callee) == "open" && len(s.calleeOf) > 0 && string(s.calleeOf) != "window" // of an XMLHttpRequest, behind the method
	}
	return false
}

// prefixOf reports a path that names are put behind: what ends with a slash and is a folder of files, or
// is called a base.
func (s *jsScan) prefixOf(v string) bool {
	if !strings.HasSuffix(v, "/") || schemeLen(v) > 0 {
		return false
	}
	if name, _ := s.target(); name != nil {
		t := strings.ToLower(string(name[:min(len(name), maxName)]))
		for _, word := range [...]string{"base", "root", "path", "prefix", "dir", "folder", "public"} {
			if strings.Contains(t, word) {
				return true
			}
		}
	}
	for part := range strings.SplitSeq(v, "/") {
		switch part {
		case "themes", "plugins", "modules", "assets", "static", "js", "css", "img", "images", "fonts", "dist", "lib", "libs", "libraries", "vendor",
			"sites", "wp-content", "wp-includes", "media", "files", "uploads", "scripts", "styles", "node_modules", "api", "ajax", "resources":
			return true
		}
	}
	return false
}

const maxName = 64

// decodes reports a function that takes a string out of percent coding.
func (s *jsScan) decodes() bool {
	switch string(s.callee) {
	case "unescape", "decodeURIComponent", "decodeURI":
		return true
	}
	return false
}

// runs reports a function whose first argument is a script.
func (s *jsScan) runs() bool {
	switch string(s.callee) {
	case "setTimeout", "setInterval", "eval", "execScript":
		return true
	}
	return false
}

// writes reports that the string is written into the document as it is.
func (s *jsScan) writes() bool {
	return string(s.calleeOf) == "document" && (string(s.callee) == "write" || string(s.callee) == "writeln")
}

func (s *jsScan) flush() {
	switch {
	case s.pending.URL == "":
		return
	case s.isConst != nil && s.pending.Kind == Speculative && len(s.held) < maxConsts:
		s.held = append(s.held, heldGuess{s.isConst, s.pending.URL})
	default:
		s.b.addString(s.pending.URL, s.pending.Kind, s.pending.Context)
	}
	s.pending.URL = ""
}

// jsUnescape decodes the escapes of string literals (ECMA-262, 12.9.4) and JSON.
// What has none is returned as it is.
func jsUnescape(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		n := bytes.IndexByte(s[i:], '\\')
		if n < 0 || i+n+1 == len(s) {
			return append(out, s[i:]...)
		}
		out = append(out, s[i:i+n]...)
		i += n + 1
		switch s[i] {
		case 'u', 'x':
			n := 4
			if s[i] == 'u' && i+1 < len(s) && s[i+1] == '{' {
				if end := bytes.IndexByte(s[i:min(len(s), i+10)], '}'); end > 2 {
					if r, ok := hexRune(s[i+2:], end-2); ok {
						out = utf8.AppendRune(out, r)
						i += end
					}
				}
				continue
			}
			if s[i] == 'x' {
				n = 2
			}
			if r, ok := hexRune(s[i+1:], n); ok {
				out = utf8.AppendRune(out, r)
				i += n
			}
		case 'n', 'r', 't', 'b', 'f', 'v':
			out = append(out, ' ') // no URL either way
		case '0', '1', '2', '3', '4', '5', '6', '7': // octal, of old scripts
			c, end := s[i]-'0', i+1
			for end < len(s) && end < i+3 && '0' <= s[end] && s[end] <= '7' && c < 32 {
				c = c<<3 | (s[end] - '0')
				end++
			}
			out = utf8.AppendRune(out, max(rune(c), ' '))
			i = end - 1
		case '\n':
		default:
			out = append(out, s[i])
		}
	}
	return out
}

func hexRune(s []byte, n int) (rune, bool) {
	if len(s) < n {
		return 0, false
	}
	var r rune
	for _, c := range s[:n] {
		d := hexDigit(c)
		if d < 0 {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}
