package markup

import (
	"bytes"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"exclave/internal/script"
)

// Limits of what is interpreted: longer scripts are libraries and bundles, of which only those are that have a list of their chunks.
const (
	maxOwn    = 64 << 10  // bytes of one that stands in the page
	maxFile   = 128 << 10 // of one in a file that is read with the page
	maxBundle = 1 << 20
)

// hasChunks reports a bundle that puts the addresses of its parts together by a map: {1: "a"}[e] + ".js".
func hasChunks(src []byte) bool {
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte("}["))
		if i < 0 || at+i+6 > len(src) {
			return false
		}
		at += i + 2
		if end := bytes.IndexByte(src[at:min(len(src), at+8)], ']'); end > 0 && at+end+2 < len(src) {
			if next := src[at+end+1:]; next[0] == '+' || next[0] == '|' && next[1] == '|' {
				return true
			}
		}
	}
}

// maxNeeded is how many bytes of scripts are interpreted that put nothing together themselves.
const maxNeeded = 16 << 10

// maxNeededFiles is that of a page that is read with its files, of which some are libraries.
const maxNeededFiles = 512 << 10

// maxMaker is the length of scripts that may put addresses together by functions alone.
const maxMaker = 4 << 10

// smallScript is the length of scripts that are interpreted for whatever they may say.
const smallScript = 512

// maxWaiting is how many guesses of a page wait.
const maxWaiting = 2048

// maxScripts is how many scripts and handlers of a page are interpreted.
const maxScripts = 256

// pageScript is a script of the page, which is interpreted when all of it is read and one of them puts addresses together (ADR 113).
type pageScript struct {
	src    []byte
	read   *script.Script // nil: not yet
	module bool
	parts  bool   // it puts some together
	loader bool   // it is RequireJS
	tag    int    // its start tag, of those of the page; -1: none
	file   string // the address of the file in which it is; "": it stands in the page
	late   bool   // it runs when the page is there
}

// pageHandler is the code of an event.
type pageHandler struct {
	src   []byte
	tag   int
	event string
}

// waitingGuess is a string in a script, or in JSON, that is a guess unless a script makes it a part of something else.
type waitingGuess struct {
	script       int  // -1: in JSON
	module       bool // it is the name of one, unless a script gives it to what is not known
	given        bool // it is given to what takes an address
	sent         bool // something is sent to it
	url, context string
}

// tag is the start tag that was read last, -1 for what is no tag of the page.
func (b *builder) tag() int {
	if b.quotes > 0 || b.within || b.unseen > 0 {
		return -1
	}
	return b.tags.Len() - 1
}

// interpretLater keeps a script until the page is read; 0: it cannot be interpreted. parts: it puts addresses together.
func (b *builder) interpretLater(src []byte, data bool) (nth int) {
	switch {
	case b.quotes > 0 || b.base != "" || len(src) > maxBundle:
		return 0
	case data || b.within:
		return -1
	case len(b.scripts) >= maxScripts, noScript(src):
		return 0
	}
	s := pageScript{src: src, module: b.module, tag: b.tag(), late: b.module}
	switch {
	case len(src) <= maxInline, len(src) <= maxOwn && b.doc.Kind != JS:
		s.parts = b.putsTogether(src) || b.usesParts(src) || len(src) <= maxMaker && makes(src) || script.Masked(src) || b.doc.Kind != JS && usesViews(src)
	default:
		s.parts = hasChunks(src)
		b.makes = b.makes || b.doc.Kind == JS && len(src) <= maxFile && (leads(src) || b.putsTogether(src))
	}
	if b.o.Files != nil && !s.parts && b.module {
		s.parts = leads(src)
	}
	if !s.parts && len(src) > maxInline {
		return 0
	}
	if s.parts {
		var err error
		if s.read, err = b.o.Scripts.Parse(src, b.module); err != nil {
			return 0
		}
		b.interprets = true
	}
	b.scripts = append(b.scripts, s)
	return len(b.scripts)
}

// leads reports a script that may have others, or ask for what others are told.
func leads(src []byte) bool {
	return bytes.Contains(src, []byte("import")) || bytes.Contains(src, []byte("fetch(")) || bytes.Contains(src, []byte("export")) && bytes.Contains(src, []byte("from"))
}

// noScript reports what begins as markup does.
func noScript(src []byte) bool {
	src = bytes.TrimLeft(src, " \t\r\n")
	return len(src) > 0 && src[0] == '<' && !bytes.HasPrefix(src, []byte("<!--"))
}

// makes reports a call of a function of the language that may make an address of something else.
func makes(src []byte) bool {
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
		switch string(src[from:at]) {
		case "join", "replace", "replaceAll", "concat", "atob", "getAttribute", "data", "attr", "URL", "URLSearchParams", "fromCharCode", "define", "config", "decodeURIComponent", "parse", "submit", "postMessage", "map", "eval", "getJSON", "ajax", "fetch", "load":
			return true
		}
	}
}

// expression reads code that is no script of the page by itself.
func (b *builder) expression(code []byte) {
	before := b.within
	b.within = true
	b.js(code, false)
	b.within = before
}

// handler reads the code of an event, which is interpreted when the page is read.
func (b *builder) handler(code []byte, event string) {
	if bytes.IndexByte(code, '/') >= 0 || bytes.IndexByte(code, '.') >= 0 {
		b.expression(code)
	}
	if len(code) > maxHandler || len(b.handlers) >= maxScripts {
		return
	}
	if bytes.IndexByte(code, '(') >= 0 || bytes.IndexByte(code, '=') >= 0 {
		if b.quotes > 0 {
			code = bytes.Clone(code) // what it stands in is forgotten
		}
		b.handlers = append(b.handlers, pageHandler{code, b.tag(), event})
		b.interprets = b.interprets || b.putsTogether(code)
	}
}

// interpret reads the scripts of the page for what they put together, and makes guesses of what nothing is put together of.
func (b *builder) interpret() {
	var page *script.Page
	b.doc.Makes = b.interprets || b.makes
	if b.interprets {
		source := script.Source{Map: b.importMapped, Text: b.page, Tags: &b.tags, Tag: func(at uint32) *html.Node { return alone(b.page[at:]) }, Tree: func(element func(uint32, *html.Node)) *html.Node { return tree(b.page, element) }}
		if b.doc.Kind != JS {
			source.URL, source.Base = b.place()
		}
		if b.o.Files != nil {
			source.Answer, source.File = b.answer, b.loaded
		}
		page = script.New(source, func() bool { return !b.on(stopEvery) })
		func() {
			defer b.rescue("script")
			b.runScripts(page)
		}()
		b.made = true
		known := endsOfMade(page.Found())
		for _, f := range page.Found() {
			if _, chunk := b.chunks[f.Text]; f.Use == script.Made && (chunk || known[f.Text]) {
				continue
			}
			b.asked = f.Use != script.Made
			if b.foundByScript(f) {
				page.Accept(f)
			}
		}
		b.made, b.asked = false, false
	}
	var files filesIn
	known := b.endsOfGuesses()
	for _, w := range b.waiting {
		if !w.given && (known[w.url] || files.below(b, w.url)) || b.seen.known(w.url, b.base, b.as(Speculative, jsFetch)) || b.seen.known(w.url, b.base, b.as(Speculative, jsString)) {
			continue
		}
		switch {
		case page == nil:
			if w.module {
				continue
			}
		case (w.module || !w.given && b.doc.Kind != JS && barePicture(w.url)) && !page.Given(w.script, w.url), page.Used(w.script, w.url), page.Dead(w.script, w.url),
			w.sent && (w.script < 0 || b.scripts[w.script].read != nil): // when the page is shown, that was found
			continue
		}
		b.given = w.given
		b.addString(w.url, Speculative, w.context)
	}
	b.given = false
	if page != nil {
		for i := range b.scripts {
			if s := &b.scripts[i]; s.file != "" && s.read != nil {
				if b.doc.Parts == nil {
					b.doc.Parts = map[string][]string{}
				}
				b.doc.Parts[s.file] = page.Parts(i)
			}
		}
		for address, parts := range page.Answers() {
			if b.doc.Parts == nil {
				b.doc.Parts = map[string][]string{}
			}
			b.doc.Parts[address] = parts
		}
		page.Free()
	}
}

// place is where the document is, and what addresses are relative to; nil: not known.
func (b *builder) place() (at, base *url.URL) {
	at, err := url.Parse(b.o.URL)
	if err != nil || at.Host == "" {
		return nil, nil
	}
	at.Fragment = ""
	if base, err = at.Parse(b.doc.Base); err != nil || b.doc.Base == "" {
		base = at
	}
	return at, base
}

// whole is the address of what a page names, as far as it is known where the page is.
func (b *builder) whole(ref string) string {
	if at, _ := b.place(); at != nil {
		if u, err := at.Parse(ref); err == nil {
			return u.String()
		}
	}
	return ref
}

// runScripts interprets those that put something together, and those that say what they need for it: modules and what is deferred after all others.
func (b *builder) runScripts(page *script.Page) {
	read := len(b.scripts) // others are added while these run
	b.readNeeded()
	for _, late := range [...]bool{false, true} {
		for i := range read {
			s := &b.scripts[i]
			if s.late != late {
				continue
			}
			if s.loader {
				page.RequireJS(b.main)
				continue
			}
			if s.read != nil {
				if s.tag >= 0 {
					s.read.In(b.tags.At(s.tag))
				}
				switch {
				case s.file != "":
					s.read.From(b.whole(s.file))
				case b.doc.Kind == JS:
					s.read.Alone(b.o.URL)
				}
				page.Run(i, s.read)
			}
		}
	}
	if b.views {
		page.HasViews()
	}
	if b.main != "" {
		page.Main(b.main)
	}
	for _, h := range b.handlers {
		s, err := b.o.Scripts.ParseHandler(h.src, h.event)
		if err == nil { // what is none says nothing
			if h.tag >= 0 {
				s.In(b.tags.At(h.tag))
			}
			page.Run(-1, s)
		}
	}
	page.Finish()
}

// readNeeded reads scripts that others need: at first those that may say something, and then, as far as there is room, those that call others.
func (b *builder) readNeeded() {
	var words, functions wordSet // of those that put addresses together
	for _, s := range b.scripts {
		if s.parts {
			words.add(s.src)
			for name := range meanings(s.src) {
				functions.put(name)
			}
		}
	}
	room := maxNeeded
	if b.o.Files != nil {
		room = maxNeededFiles
	}
	says := func(s *pageScript) bool {
		return len(s.src) <= smallScript || b.views || gives(s.src, &words)
	}
	tried := make([]bool, len(b.scripts))
	for _, needed := range [...]func(*pageScript) bool{says, func(s *pageScript) bool { return calls(s.src, &functions) }} {
		for _, late := range [...]bool{false, true} {
			for i := range b.scripts {
				if s := &b.scripts[i]; s.late == late && !s.loader && s.read == nil && !tried[i] && len(s.src) <= room && needed(s) {
					room, tried[i] = room-len(s.src), true
					s.read, _ = b.o.Scripts.Parse(s.src, s.module) // what is none says nothing
				}
			}
		}
	}
}

// foundByScript takes what a script put together, or asks for; false: it says nothing.
func (b *builder) foundByScript(f script.Found) bool {
	if f.Script >= 0 && f.Script < len(b.scripts) && b.scripts[f.Script].file != "" && (f.Relative || f.Use == script.Module && f.Literal) {
		return false // it is relative to the file, which is read by itself
	}
	v := strings.Clone(f.Text) // it may be a part of the page
	if f.Base != "" {
		before := b.base
		b.base = f.Base
		defer func() { b.base = before }()
	}
	if strings.Contains(v, script.HostOfPage+":") {
		return false // at another port
	}
	for _, scheme := range [...]string{"http:", "https:"} {
		if rest, is := strings.CutPrefix(v, scheme); is && strings.HasPrefix(rest, "//"+script.HostOfPage) {
			v = rest
		}
	}
	if whole := strings.TrimPrefix(strings.TrimPrefix(v, "//"+script.HostOfPage), script.PathOfPage); !strings.HasPrefix(whole, "/") {
		v = whole // relative to the page
	}
	if strings.Contains(v, script.PathOfPage) {
		return false
	}
	if v = strings.Replace(v, "//"+script.HostOfPage, "", 1); strings.Contains(v, script.HostOfPage) {
		return false
	}
	if f.Use == script.Style && !strings.Contains(v, "url(") && !strings.Contains(v, "image-set") && !strings.Contains(v, "@import") {
		return false
	}
	asked := f.Use == script.Asked || f.Use == script.Reads
	if asked && strings.ContainsAny(v, "\\\" ") && !strings.ContainsAny(v, "<({") {
		path, query, more := strings.Cut(v, "?")
		v = strings.NewReplacer(`\`, "/", `"`, "%22", " ", "%20").Replace(strings.TrimSpace(path))
		if more {
			v += "?" + strings.NewReplacer(`"`, "%22", " ", "%20").Replace(query)
		}
	}
	holes := strings.IndexByte(v, script.Hole) >= 0
	if strings.ContainsAny(v, "<(") || f.Use == script.Markup || f.Use == script.Writes || f.Use == script.Style {
		if f.Literal && f.Use != script.Writes {
			return false // it was read where it stands
		}
		if holes {
			v = strings.ReplaceAll(v, string(script.Hole), "{{}}")
		}
		switch {
		case b.quotedIn([]byte(v), f.Use == script.Writes):
			return true
		case f.Use != script.Made && !asked:
			return false
		}
	}
	if holes || len(v) > maxURL {
		return false
	}
	kind, context := Speculative, jsString
	switch f.Use {
	case script.Set:
		srcset([]byte(v), func(url []byte) { b.add(url, Speculative, jsString) })
		return true
	case script.Module:
		if !pathLike(v) {
			return false
		}
		kind, context = Embed, jsImport
	case script.Worker:
		kind, context = Embed, jsWorker
	case script.Goes:
		kind, context = Nav, jsLocation
	case script.Made:
		if f.Literal || !looksLikeURL(v) || strings.HasSuffix(v, "/") || strings.HasSuffix(v, "=") || isBody(v) {
			return false
		}
	case script.Asked, script.Reads:
		if v == "GET" || v == "HEAD" || v == "POST" || v == "PUT" || v == "PATCH" || v == "DELETE" || v == "OPTIONS" {
			return false // what is asked for is behind it
		}
		if isLeaflets(v) {
			return false
		}
		if f.Use == script.Reads {
			context = jsFetch
		}
		if _, word := b.words[v]; f.Literal && (f.Relative || word) {
			return false
		}
		if f.Relative {
			context = jsImport
			if f.Script >= 0 && f.Script < len(b.scripts) && ofOwnPackage(b.scripts[f.Script].src, v) {
				return false
			}
		}
		if strings.ContainsRune(v, '|') && isReference(strings.ReplaceAll(v, "|", "")) {
			b.addString(v, kind, context)
			return true
		}
	}
	if v == "" || !isReference(v) || !f.Literal && nameless(v) || !hasHost(v) {
		return false
	}
	b.addString(v, kind, context)
	return true
}

// hasHost reports no address whose host a browser cannot read (URL standard, 3.5): http://[1, //a b/.
func hasHost(ref string) bool {
	i := schemeLen(ref)
	if i > 0 && !strings.HasPrefix(ref[i:], "//") || i == 0 && !strings.HasPrefix(ref, "//") {
		return true
	}
	host := strings.TrimLeft(ref[i:], "/\\")
	if end := strings.IndexAny(host, "/\\?#"); end >= 0 {
		host = host[:end]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	if name, err := url.PathUnescape(host); err != nil || strings.ContainsAny(name, " <>^|%") {
		return false
	}
	if colon := strings.LastIndexByte(host, ':'); colon >= 0 && strings.IndexByte(host[colon:], ']') < 0 {
		if port := host[colon+1:]; port != "" {
			if _, err := strconv.ParseUint(port, 10, 16); err != nil {
				return false
			}
		}
		host = host[:colon]
	}
	if open := strings.IndexAny(host, "[]"); open >= 0 {
		address, is := strings.CutSuffix(strings.TrimPrefix(host, "["), "]")
		at, err := netip.ParseAddr(address)
		return is && host[0] == '[' && err == nil && at.Is6() && at.Zone() == ""
	}
	return host != ""
}

// barePicture reports the name of a picture without its folder: a script that shows it puts it behind one.
func barePicture(ref string) bool {
	if strings.ContainsAny(ref, "/?#") {
		return false
	}
	switch strings.ToLower(ref[strings.LastIndexByte(ref, '.')+1:]) {
	case "png", "jpg", "jpeg", "gif", "svg", "webp", "avif":
		return true
	}
	return false
}

// isBody reports what is sent rather than asked for: /latest=-1&/new=-1.
func isBody(v string) bool {
	name, _, more := strings.Cut(v, "&")
	return more && strings.IndexByte(name, '=') > 0 && !strings.ContainsAny(v, "?#") && schemeLen(v) == 0
}

// nameless reports an address of a file whose name was not known when it was put together: /img/.png, /lang/undefined, a/null.json, /lang/-1b.js.
func nameless(ref string) bool {
	path, _, _ := strings.Cut(ref, "?")
	if withoutValue(path) || strings.HasSuffix(path, "//") {
		return true
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") {
		return hasExtension("a" + name)
	}
	stem, _, _ := strings.Cut(name, ".")
	return stem == "null" || stem == "undefined" || stem == "NaN"
}
