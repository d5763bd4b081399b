package markup

import (
	"bytes"
	"iter"
	"strings"
)

// use tells what a string is used for, as far as the tokens before it tell; no context: it is
// no link.
func (s *jsScan) use(v string) (LinkKind, string) {
	last := s.last()
	first := last == jsOpen
	word, _ := s.wordBefore(1)
	switch {
	case s.data:
	case string(word) == "from", string(word) == "import", first && string(s.callee()) == "import":
		if pathLike(v) { // a bare module name is no URL
			return Embed, jsImport
		}
		return 0, ""
	case string(s.callee()) == "importScripts" && (first || last == jsComma) && isReference(v):
		return Embed, jsImport
	case first && string(s.callee()) == "URL" && isReference(v) && s.ofModule():
		if strings.HasSuffix(v, "/") {
			return 0, "" // names are put behind it
		}
		return Embed, s.besideContext()
	case first && (string(s.callee()) == "Worker" || string(s.callee()) == "SharedWorker") && isReference(v):
		return Embed, jsWorker
	case first && string(s.callee()) == "toUrl" && (strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../")) && hasExtension(v): // of a module of AMD
		return Speculative, jsImport
	case first && string(s.callee()) == "require":
		return 0, ""
	case s.navigates() && isReference(v):
		return Nav, jsLocation
	}
	switch {
	case last == jsPlus && !strings.HasPrefix(v, "//"), s.asks(), s.folder(v), s.bare(v), strings.HasSuffix(v, "/admin-ajax.php"): // WordPress says "0" there, unless it is told what to do
	case looksLikeURL(v) && !s.prefixOf(v), s.takesURL() && isReference(v) && (last != jsColon || strings.ContainsAny(v, "/.?")):
		switch {
		case s.names(v):
			return 0, ""
		case s.fetches():
			return Speculative, jsFetch
		}
		return Speculative, jsString
	}
	return 0, ""
}

// ofModule reports that the second argument says where the module is: new URL("a", import.meta.url), and what bundlers have for that.
func (s *jsScan) ofModule() bool {
	rest := bytes.TrimLeft(s.src[s.at.to:min(len(s.src), int(s.at.to)+maxName)], " \r\n\t")
	rest, is := bytes.CutPrefix(rest, []byte(","))
	if rest = bytes.TrimLeft(rest, " \r\n\t"); !is || bytes.HasPrefix(rest, []byte("import.meta")) {
		return is
	}
	for len(rest) > 0 && jsIdent(rest[0]) {
		rest = rest[1:]
	}
	return bytes.HasPrefix(rest, []byte(".meta.url")) // of System.register
}

// besideContext is that of an address which is relative to the script: new Worker(new URL("a.js", import.meta.url)) starts it.
func (s *jsScan) besideContext() string {
	before := bytes.TrimRight(s.src[max(0, int(s.of.from)-maxName):s.of.from], " \r\n\t")
	if before, is := bytes.CutSuffix(before, []byte("new")); is && bytes.HasSuffix(bytes.TrimRight(before, " \r\n\t"), []byte("Worker(")) {
		return jsWorker
	}
	return jsImport
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
		switch string(s.callee()) {
		case "assign", "replace":
			return string(s.calleeOf()) == "location"
		case "open":
			return string(s.calleeOf()) == "window" || len(s.calleeOf()) == 0
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
		case "url", "href", "src", "templateUrl", "contentUrl", "thumbnailUrl", "embedUrl":
			return true
		}
	case jsOpen:
		switch string(s.callee()) {
		case "fetch", "getJSON", "getScript", "EventSource", "Audio", "addModule", "sendBeacon":
			return true
		case "register":
			return string(s.calleeOf()) == "serviceWorker"
		case "get", "post", "ajax", "request":
			owner := string(s.calleeOf())
			return owner == "$" || owner == "jQuery" || owner == "axios"
		case "load", "axios":
			return true
		}
	case jsComma:
		return string(s.callee()) == "open" && len(s.calleeOf()) > 0 && string(s.calleeOf()) != "window" // of an XMLHttpRequest, behind the method
	}
	return false
}

// bare reports the name of a file that a file of its own has, or data in a page, without a folder, or the end of one ("_320x200.webp"): what puts it behind
// something is elsewhere, unless it is given to something that takes an address.
func (s *jsScan) bare(v string) bool {
	own := (s.b.doc.Kind == JS || s.b.doc.Kind == JSON) && s.b.quotes == 0
	inPage := !own && s.data && s.b.quotes == 0
	written := s.b.made && barePicture(v) // in a code that a script wrote
	if !own && !inPage && !written && (v == "" || v[0] != '_' && v[0] != '-') || strings.ContainsAny(v, "/?") {
		return false
	}
	if (s.b.parcel || s.data && s.b.doc.Kind == JSON && s.stats()) && hasHash(v) {
		return false
	}
	name, _ := s.target()
	if inPage && !written && (s.last() != jsColon || saysAddress(string(name)) || bytes.Contains(s.src, []byte(`"@context"`))) {
		return false
	}
	return (written || s.last() != jsOpen) && string(name) != "src" && string(name) != "href" && !s.takesURL()
}

// stats reports what webpack says of a bundle (Gatsby's webpack.stats.json), whose files are beside it.
func (s *jsScan) stats() bool {
	if b := &s.bundle; !b.looked {
		b.looked, b.is = true, bytes.Contains(s.src, []byte(`"assetsByChunkName"`))
	}
	return s.bundle.is
}

// isRoot reports an address below which those of a program are, and which is none itself: /api/, /rest/v2.
func isRoot(path string) bool {
	path = strings.TrimSuffix(path, "/")
	if at := strings.LastIndex(path, "/v"); at > 0 && len(path) > at+2 && strings.Trim(path[at+2:], "0123456789.") == "" {
		path = path[:at]
	}
	return path == "/api" || path == "/rest" || path == "/_next" || path == "/_next/image" || path == "/webapi" || path == "/wp-json"
}

// folder reports what other addresses are put behind, as its name says, or it itself: {assetsDir: "/a/b", v: "/api/v2"}.
func (s *jsScan) folder(v string) bool {
	if at := strings.LastIndexByte(v, '/'); at >= 0 && isFolderOfFiles(v[at+1:]) && schemeLen(v) == 0 && !strings.ContainsAny(v, "?#") {
		return !s.takesURL() // there are pages that are called so
	}
	if strings.HasPrefix(v, "./public/") && !hasExtension(v) && !strings.ContainsAny(v, "?#") {
		return true // where a program has what is served without it
	}
	if v == "" || v[0] != '/' || strings.HasPrefix(v, "//") || hasExtension(v) || strings.ContainsAny(v, "?#") {
		return false
	}
	if isRoot(v) {
		return true
	}
	name, _ := s.target()
	switch string(name) {
	case "stylepath", "wgExtensionAssetsPath", "wgArticlePath", "wgScriptPath": // of MediaWiki
		return true
	}
	if s.data && v[len(v)-1] == '/' && len(name) > 0 && name[len(name)-1] == '/' {
		return true // of an import map
	}
	for word := range words(name) {
		switch word {
		case "base", "prefix", "endpoint", "root", "dir", "directory", "folder", "cdn":
			return true
		}
		if strings.HasSuffix(word, "api") {
			return true
		}
	}
	return false
}

// isFolderOfFiles reports how folders are called in which nothing but files of pages is.
func isFolderOfFiles(name string) bool {
	switch name {
	case "images", "img", "imgs", "css", "js", "fonts", "assets", "dist", "uploads", "icons", "smilies", "thumbs", "thumbnails", "styles", "scripts", "themes", "plugins", "modules", "skins":
		return true
	}
	return false
}

// comparedSrc reports an address that Svelte compares with the one that an element has: u(img.src, a = "./b.png") || set(img, "src", a).
func (s *jsScan) comparedSrc() bool {
	return s.last() == jsAssign && s.before(2).kind == jsWord && s.before(3).kind == jsComma && string(s.before(4).text) == "src" && s.before(5).kind == jsDot
}

// words are those of a name, in lower case: apiUrl, API_BASE, public-path.
func words(name []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for from := 0; from < len(name); {
			at := from + 1
			upper := isUpper(name[from])
			for at < len(name) && jsIdent(name[at]) && name[at] != '_' && (!isUpper(name[at]) || upper && isUpper(name[at-1])) {
				at++
			}
			if !yield(strings.ToLower(string(name[from:at]))) {
				return
			}
			for from = at; from < len(name) && (name[from] == '_' || name[from] == '-'); from++ {
			}
		}
	}
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// fetches reports the address of something that the script reads the answer of.
func (s *jsScan) fetches() bool {
	switch s.last() {
	case jsOpen:
		switch string(s.callee()) {
		case "fetch", "getJSON", "axios":
			return true
		case "get", "ajax", "load", "request":
			owner := string(s.calleeOf())
			return owner == "$" || owner == "jQuery" || owner == "axios"
		}
	case jsComma:
		method := s.before(2)
		return s.takesURL() && (method.kind != jsStr || bytes.EqualFold(bytes.Trim(method.text, `"'`), []byte("get")))
	}
	return false
}

// sends reports an address that something is sent to, for which nobody asks otherwise.
func (s *jsScan) sends() bool {
	switch s.last() {
	case jsOpen:
		switch string(s.callee()) {
		case "sendBeacon":
			return true
		case "post", "put", "patch":
			return s.takesURL() || string(s.calleeOf()) == "axios"
		case "fetch":
			behind := s.behind()
			if end := bytes.IndexByte(behind, ')'); end >= 0 {
				behind = behind[:end]
			}
			_, method, is := bytes.Cut(behind, []byte("method:"))
			if !is {
				return false
			}
			method = bytes.TrimLeft(method, " \"'`")
			return hasFold(method, "post") || hasFold(method, "put") || hasFold(method, "patch") || hasFold(method, "delete")
		}
	case jsComma:
		if method := s.before(2); s.takesURL() && method.kind == jsStr {
			switch strings.ToUpper(string(bytes.Trim(method.text, `"'`))) {
			case "POST", "PUT", "PATCH", "DELETE":
				return true
			}
		}
	}
	return false
}

// compares reports an operator that asks whether two things are the same.
func compares(text []byte) bool {
	return len(text) > 1 && text[1] == '=' && (text[0] == '=' || text[0] == '!')
}

// asks reports a string that something else is compared with, or looked for in, or that is told to somebody: no address is made of it.
// Those of RequireJS are read otherwise.
func (s *jsScan) asks() bool {
	if s.visits() {
		return true
	}
	switch t := s.before(1); t.kind {
	case jsOther:
		return compares(t.text) || string(t.text) == "[" && s.indexes()
	case jsAssign: // !==
		name, owner := s.target()
		return string(s.before(2).text) == "!=" || len(owner) > 0 && string(name) == "className"
	case jsWord:
		return string(t.text) == "case"
	case jsColon: // the name of a vocabulary, a type, an event, a part of a program, or what a worker is called
		name, _ := s.target()
		switch string(name) {
		case "@context", "Accept", "accept", "Content-Type", "content-type", "contentType", "mimeType", "mimetype", "event", "eventName", "moduleName", "__file", "_file", "namespace", "protocol",
			"checkConsentHref", "onUpdateHref", // to which AMP sends something
			"page_path", "page_location", // told to those that count visits
			"title", "alt", "className", "placeholder", "label", "aria-label": // shown, or a name
			return true
		case "name":
			return string(s.callee()) == "Worker" || string(s.callee()) == "SharedWorker"
		case "fileName", "filename", "origFileName", "originalFileName", "original_filename": // what a file was called by who sent it
			return s.ofNoFolder()
		case "file": // of messages in a language: {code: "de", file: "de.json"}
			switch before := bytes.Trim(s.before(6).text, `"'`); string(before) {
			case "code", "iso", "language", "locale", "lang", "dir":
				return s.before(3).kind == jsComma && s.ofNoFolder() && s.ofMessages()
			}
		}
	case jsOpen, jsComma:
		if hint := s.before(2); t.kind == jsComma && hint.kind == jsStr {
			switch string(bytes.Trim(hint.text, "\"'")) {
			case "preconnect", "dns-prefetch": // a host is only met
				return true
			}
		}
		switch string(s.callee()) {
		case "SharedWorker":
			if t.kind == jsComma {
				return true // its name
			}
		case "open": // the name of a window
			return t.kind == jsComma && (len(s.calleeOf()) == 0 || string(s.calleeOf()) == "window")
		case "send":
			return len(s.calleeOf()) > 0
		}
		switch string(s.callee()) {
		case "indexOf", "lastIndexOf", "startsWith", "endsWith", "includes", "match", "search", "test", "matches", "closest", "querySelector", "querySelectorAll",
			"getElementById", "createTextNode", "createComment", "createHTMLDocument", "canParse", "Error", "TypeError", "RangeError", "SyntaxError", "addEventListener", "removeEventListener", "postMessage", "log", "warn", "error", "info", "debug", "getItem", "setItem", "removeItem", "replace", "replaceAll":
			return !s.data
		}
	}
	return false
}

// ofNoFolder reports a string that is no address of a host, nor from its root.
func (s *jsScan) ofNoFolder() bool {
	v := bytes.TrimLeft(s.src[s.at.from:s.at.to], "\"'`")
	return len(v) > 0 && v[0] != '/' && !bytes.Contains(v, []byte("://")) && !bytes.HasPrefix(v, []byte(`\/`))
}

// ofMessages reports the name of a file that messages are in.
func (s *jsScan) ofMessages() bool {
	v := s.src[s.at.from:s.at.to]
	switch string(v[bytes.LastIndexByte(v, '.')+1 : max(bytes.LastIndexByte(v, '.')+1, len(v)-1)]) {
	case "json", "js", "mjs", "ts":
		return true
	}
	return false
}

// isText reports a string that is shown as it stands: textContent = "<img src=a.png>". That of elements for style sheets and scripts is theirs.
func (s *jsScan) isText(v []byte) bool {
	if s.data || s.last() != jsAssign {
		return false
	}
	name, owner := s.target()
	switch string(name) {
	case "textContent", "innerText", "nodeValue":
		return len(owner) > 0 && !bytes.ContainsAny(v, "{(;")
	case "title", "alt", "placeholder":
		return len(owner) > 0
	}
	return false
}

// selects reports a text that jQuery takes as a selector, whatever it looks like: $("{…}").
func (s *jsScan) selects(v []byte) bool {
	if s.data || s.last() != jsOpen || v[0] != '{' && v[0] != '[' {
		return false
	}
	return string(s.callee()) == "$" || string(s.callee()) == "jQuery"
}

// never reports that the block is never run whose brace was read: if (false) {.
func (s *jsScan) never() bool {
	if s.data || s.before(2).kind != jsClose {
		return false
	}
	i := 4
	switch string(s.before(3).text) {
	case "false", "0":
	case "1":
		if i++; string(s.before(4).text) != "!" {
			return false
		}
	default:
		return false
	}
	return s.before(i).kind == jsOpen && string(s.before(i+1).text) == "if"
}

// skipBlock reads up to the brace that closes the block and returns it.
func (s *jsScan) skipBlock(l *jsLexer) (k jsKind, text []byte) {
	k, text = jsBrace, []byte("{")
	for depth := l.open; l.open >= depth; {
		if k, text = l.next(k, text); k == jsEnd {
			break
		}
	}
	s.at = jsSpan{int32(l.pos - len(text)), int32(l.pos)}
	s.push(k)
	return k, text
}

// indexes reports a bracket behind a value: a key stands in it. What a comma follows is the first of a list, behind the end of a block.
func (s *jsScan) indexes() bool {
	of := s.before(2)
	if s.data || !endsValue(of.kind, of.text) || string(of.text) == "of" {
		return false
	}
	behind := bytes.TrimLeft(s.src[s.at.to:min(len(s.src), int(s.at.to)+maxName)], " \r\n\t")
	return len(behind) == 0 || behind[0] != ','
}

// visits reports what is told to a service that counts visits: pages and places that need not be there.
func (s *jsScan) visits() bool {
	switch string(s.callee()) {
	case "ga", "gtag", "fbq", "ym", "urchinTracker", "_trackPageview", "require", "requirejs", "define", "__webpack_require__": // these have names of modules
		return true
	case "push":
		switch string(s.calleeOf()) {
		case "dataLayer", "_gaq", "_paq", "_hmt":
			return true
		}
	}
	return false
}

// prefixOf reports a path that names are put behind: what ends with a slash and is a folder of files, or
// is called a base, and a host that is called one of files, or is one of two.
func (s *jsScan) prefixOf(v string) bool {
	name, _ := s.target()
	t := strings.ToLower(string(name[:min(len(name), maxName)]))
	if at := strings.IndexByte(v, '#'); strings.HasSuffix(v, "=") || at >= 0 && v[len(v)-1] == '-' {
		return true // a value is put behind it
	}
	if isFrontPage(v) {
		return s.last() == jsOther && string(s.before(1).text) == "?" && !s.chooses() || saysHost(name)
	}
	if !strings.HasSuffix(v, "/") {
		return (strings.HasPrefix(t, "base") || strings.HasSuffix(t, "base") || strings.Contains(t, "prefix") || t == "modulerepourl") && !hasExtension(v)
	}
	return saysFolder(t) || hasFolderOfFiles(v)
}

// isFrontPage reports the address of a host and no more: https://a.cz, //a.cz/.
func isFrontPage(v string) bool {
	rest, is := strings.CutPrefix(v[schemeLen(v):], "//")
	return is && strings.IndexByte(strings.TrimSuffix(rest, "/"), '/') < 0
}

// chooses reports a question mark behind where browsers go: location = a ? "https://a.cz" : b.
func (s *jsScan) chooses() bool {
	before := s.src[max(0, int(s.at.from)-maxBehind):s.at.from]
	before = before[bytes.LastIndexAny(before, ";{}")+1:]
	return bytes.Contains(before, []byte("location")) || bytes.Contains(before, []byte("href")) || bytes.Contains(before, []byte("open("))
}

// saysHost reports a name one of whose words tells that others are put behind the address of a host: cdnHost, imgurl, but not redirectUrl.
func saysHost(name []byte) bool {
	for word := range words(name[:min(len(name), maxName)]) {
		word = strings.TrimSuffix(strings.TrimSuffix(word, "url"), "s")
		switch word {
		case "base", "root", "path", "prefix", "dir", "folder", "public", "cdn", "asset", "static", "storage", "upload", "image", "img", "thumb", "theme", "template", "font", "tile", "icon", "media", "host", "origin", "domain":
			return true
		}
		if strings.HasSuffix(word, "server") {
			return true
		}
	}
	return false
}

// saysFolder reports a name, in lower case, of what others are put behind.
func saysFolder(name string) bool {
	for _, word := range [...]string{"base", "root", "path", "prefix", "dir", "folder", "public", "cdn", "asset", "static", "storage", "upload", "image", "img", "thumb", "theme", "template", "design", "font", "tile", "icon", "media"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// isFolder reports what other scripts may put names of files behind.
func isFolder(v string) bool {
	return len(v) > 1 && len(v) <= 2*maxName && v[len(v)-1] == '/' && (schemeLen(v) == 0 && !strings.HasPrefix(v, "//") || hasFolderOfFiles(v))
}

// hasFolderOfFiles reports a path with a folder that is named as folders of files are.
func hasFolderOfFiles(v string) bool {
	for part := range strings.SplitSeq(v, "/") {
		switch part {
		case "themes", "plugins", "modules", "assets", "static", "js", "css", "img", "images", "fonts", "dist", "lib", "libs", "libraries", "vendor",
			"sites", "wp-content", "wp-includes", "media", "files", "uploads", "scripts", "styles", "node_modules", "api", "ajax", "resources", "_nuxt", "_next", "_astro":
			return true
		}
	}
	return false
}

const maxName = 64

// decodes reports a function that takes a string out of percent coding.
func (s *jsScan) decodes() bool {
	switch string(s.callee()) {
	case "unescape", "decodeURIComponent", "decodeURI":
		return true
	}
	return false
}

// runs reports a function whose first argument is a script.
func (s *jsScan) runs() bool {
	switch string(s.callee()) {
	case "setTimeout", "setInterval", "eval", "execScript":
		return true
	}
	return false
}

// writes reports that the string is written into the document as it is.
func (s *jsScan) writes() bool {
	return string(s.calleeOf()) == "document" && (string(s.callee()) == "write" || string(s.callee()) == "writeln")
}
