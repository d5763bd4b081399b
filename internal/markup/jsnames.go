package markup

import (
	"bytes"
	"strings"
)

// names reports a string that is the name of something, or a part of an address, as what stands around it tells: no address by itself.
func (s *jsScan) names(v string) bool {
	behind := s.behind()
	switch last := s.last(); {
	case bytes.HasPrefix(behind, []byte("(")): // a method: {"src/a.js"(e) {…}}
		return true
	case s.data:
	case bytes.HasPrefix(behind, []byte(".concat(")), last == jsOpen && s.concatenates(), last == jsComma && s.concatenates():
		return true
	case s.outer == s.braces && (last == jsOpen || last == jsComma || last == jsOther && string(s.before(1).text) == "[") && string(s.callee()) == "module" && string(s.calleeOf()) == "angular":
		return true
	case last == jsOpen && s.takesName(v, behind):
		return true
	}
	if strings.Contains(v, "/node_modules/") && schemeLen(v) == 0 && !s.takesURL() {
		return true // of the computer that a bundle was made on
	}
	return s.ofMessage(behind) || s.ofRoutes(v, behind) || s.ofTree(v, behind) || ofMagento(v) || isBody(v) || isLeaflets(v) || isRelease(v) || isService(v) && !s.takesURL() || s.changes(v) || s.ofAd(v) || s.ofSchema(v) || s.isStored(v) || inArchive(v) || inFileSystem(v)
}

// behind is what follows the string, as far as it is looked at.
func (s *jsScan) behind() []byte {
	return bytes.TrimLeft(s.src[s.at.to:min(len(s.src), int(s.at.to)+maxBehind)], " \r\n\t")
}

const maxBehind = 160

// concatenates reports the arguments of "…".concat(…), and of another behind that. A list may have addresses added to it.
func (s *jsScan) concatenates() bool {
	if string(s.callee()) != "concat" || s.outer != s.braces {
		return false
	}
	before := s.src[max(0, int(s.of.from)-maxBehind):s.of.from]
	before = bytes.TrimRight(before, " \r\n\t")
	before, is := bytes.CutSuffix(before, []byte("."))
	if !is || len(before) == 0 {
		return false
	}
	switch before[len(before)-1] {
	case '"', '\'', '`':
		return true
	case ')':
		return bytes.Contains(before, []byte(`".concat(`)) || bytes.Contains(before, []byte("'.concat(")) || bytes.Contains(before, []byte("`.concat("))
	}
	return false
}

// takesName reports the first argument of a function that takes the name of a module, a message, an event, a key or the script itself.
func (s *jsScan) takesName(v string, behind []byte) bool {
	callee := string(s.callee())
	switch callee {
	case "registerOnload", "registerTeardown", "fireOnload", "fireTeardown", "loadComplete", "i18n", "publish", "subscribe", "split", "trigger":
		return true
	case "put", "add": // the text is beside it
		return len(s.calleeOf()) > 0 && besideText(behind)
	case "load", "fetch":
		if !s.ofOwn() || v[0] != '@' && (strings.ContainsAny(v, "/?") || hasKnownExtension(v) || hasFolderExtension(v) || strings.HasSuffix(v, ".do")) {
			return false
		}
		if s.b.words == nil {
			s.b.words = map[string]struct{}{}
		}
		if len(s.b.words) < maxModuleKeys {
			s.b.words[v] = struct{}{}
		}
		return true
	}
	if len(s.calleeOf()) > 0 || !requiresAs(callee) {
		return false
	}
	return pathLike(v) && v[0] == '.' && !strings.ContainsAny(v, "?#") && (!hasExtension(v) || strings.HasSuffix(v, ".js"))
}

// requiresAs reports how bundles call the function that gives them their modules, which are in them.
func requiresAs(callee string) bool {
	switch callee {
	case "_dereq_", "__require", "__webpack_require__", "acequire":
		return true
	}
	return len(callee) == 1 && callee != "$" || len(callee) == 2 && callee != "go"
}

// ofOwn reports a method of something that is none of the browser, nor of a library that asks for addresses.
func (s *jsScan) ofOwn() bool {
	switch owner := string(s.calleeOf()); owner {
	case "", "jQuery", "window", "global", "globalThis", "self", "axios", "http", "$http":
		return false
	default:
		return owner[0] != '$'
	}
}

// besideText reports that a text follows as the second argument.
func besideText(behind []byte) bool {
	rest, is := bytes.CutPrefix(behind, []byte(","))
	if rest = bytes.TrimLeft(rest, " \r\n\t"); !is || len(rest) < 2 || rest[0] != '"' && rest[0] != '\'' && rest[0] != '`' {
		return false
	}
	text := rest[1:]
	if end := bytes.IndexByte(text, rest[0]); end >= 0 && end < len(text)-1 && text[end+1] == ')' {
		text = text[:end]
	}
	return bytes.ContainsAny(text, "<{")
}

// isStored reports a key that the script has a text by, whatever else has it: cache.put("a.html", "<p>"); {templateUrl: "a.html"}.
func (s *jsScan) isStored(v string) bool {
	if s.stored == nil {
		s.stored = map[string]struct{}{}
		for at := 0; len(s.stored) < maxModuleKeys; {
			i := bytes.Index(s.src[at:], []byte(".put("))
			if i < 0 {
				break
			}
			at += i + len(".put(")
			if at == len(s.src) || s.src[at] != '"' && s.src[at] != '\'' {
				continue
			}
			end := bytes.IndexByte(s.src[at+1:min(len(s.src), at+maxURL)], s.src[at])
			if end < 0 {
				continue
			}
			behind := at + end + 2
			if besideText(s.src[behind:min(len(s.src), behind+maxBehind)]) {
				s.stored[string(s.src[at+1:behind-1])] = struct{}{}
			}
			at = behind
		}
	}
	_, is := s.stored[v]
	return is
}

// ofMessage reports what a message is known by, or a module: {id: "/CaNq/", defaultMessage: "…"}, {id: "/a.html", moduleParts: {}}.
func (s *jsScan) ofMessage(behind []byte) bool {
	if s.last() != jsColon {
		return false
	}
	if name, _ := s.target(); string(name) != "id" {
		return false
	}
	return isMember(behind, "defaultMessage") || isMember(behind, "moduleParts") || s.before(3).kind == jsComma && string(bytes.Trim(s.before(6).text, `"'`)) == "defaultMessage"
}

// ofTree reports the name of a module in a tree of them: {"uid": "a-1", "name": "b.html"}, {"name": "c.js", "children": […]}.
func (s *jsScan) ofTree(v string, behind []byte) bool {
	if s.last() != jsColon || strings.IndexByte(v, '/') >= 0 {
		return false
	}
	if name, _ := s.target(); string(name) != "name" {
		return false
	}
	return isMember(behind, "uid") || isMember(behind, "children") || s.before(3).kind == jsComma && string(bytes.Trim(s.before(6).text, `"'`)) == "uid"
}

// ofRoutes reports one of a list of what a service has, below wherever it is: {"href": "/sections", "variables": []}.
func (s *jsScan) ofRoutes(v string, behind []byte) bool {
	if v == "" || v[0] != '/' || hasExtension(v) || s.last() != jsColon || !isMember(behind, "variables") {
		return false
	}
	name, _ := s.target()
	return string(name) == "href"
}

// ofAd reports where on a site advertisements stand, as those who sell them call it: {advertSection: "/sport/hockey"}.
func (s *jsScan) ofAd(v string) bool {
	name, _ := s.target()
	if len(name) < len("adslot") || len(name) > maxName || name[0]|0x20 != 'a' || v == "" || v[0] != '/' || strings.IndexByte(v, '?') >= 0 || strings.HasPrefix(v, "//") || hasExtension(v) {
		return false
	}
	first, last := "", ""
	for last = range words(name) {
		if first == "" {
			first = last
		}
	}
	switch first {
	case "ad", "ads", "advert", "adverts", "advertising", "advertisement":
	default:
		return false
	}
	switch last {
	case "section", "zone", "unit", "slot", "area", "position", "placement":
		return true
	}
	return false
}

// isMember reports a member of that name behind a comma.
func isMember(behind []byte, name string) bool {
	rest, is := bytes.CutPrefix(behind, []byte(","))
	rest = bytes.TrimLeft(rest, " \r\n\t\"'")
	rest, named := bytes.CutPrefix(rest, []byte(name))
	return is && named && bytes.HasPrefix(bytes.TrimLeft(rest, " \"'"), []byte(":"))
}

// ofSchema reports a pointer into a document. A file of another one is an address.
func (s *jsScan) ofSchema(v string) bool {
	if s.last() != jsColon {
		return false
	}
	name, _ := s.target()
	switch string(name) {
	case "$ref", "pointer":
		path, _, _ := strings.Cut(v, "#")
		return schemeLen(v) == 0 && !hasExtension(path)
	}
	return false
}

// inArchive reports the name of a part of a document of an office program, or of a book.
func inArchive(v string) bool {
	folder, rest, below := strings.Cut(v, "/")
	if !below {
		return false
	}
	switch folder {
	case "xl", "word", "ppt":
		return strings.HasSuffix(rest, ".xml") || strings.HasSuffix(rest, ".rels") || strings.HasSuffix(rest, ".bin")
	case "docProps", "META-INF", "_rels":
		return true
	}
	return false
}

// isRelease reports a folder of what a program was at some time, which is on a host: https://a.cz/b/1.9811.0. Dates are called otherwise: 2024.01.15, 15.1.2024.
func isRelease(v string) bool {
	rest, is := strings.CutPrefix(v[schemeLen(v):], "//")
	at := strings.LastIndexByte(rest, '/')
	name := rest[at+1:]
	if !is || at < 0 || strings.Count(name, ".") < 2 || name[0] == '.' || strings.Trim(name, "0123456789.") != "" {
		return false
	}
	first, last := name[:strings.IndexByte(name, '.')], name[strings.LastIndexByte(name, '.')+1:]
	return !isYear(first) && !isYear(last)
}

func isYear(v string) bool {
	return len(v) == 4 && (v[:2] == "19" || v[:2] == "20")
}

// isService reports a program of a server that answers nothing when it is told nothing: Image.ashx, Catalogue.asmx/List, what Google Analytics tells.
func isService(v string) bool {
	path, _, query := strings.Cut(v, "?")
	switch path {
	case "/collect", "/j/collect", "/r/collect", "/g/collect", "/__utm.gif":
		return !query
	case "/b/layout-rearrange": // Blogger's owners
		return true
	}
	for _, ext := range [...]string{".ashx", ".asmx", ".svc", ".axd"} {
		if i := strings.Index(path, ext); i > 0 && (i+len(ext) == len(path) || path[i+len(ext)] == '/') {
			return !query
		}
	}
	return false
}

// ofMagento reports the name of a file of a module of Magento, which its theme has somewhere: Magento_Ui/template/modal.html. Others have such folders, too.
func ofMagento(v string) bool {
	module, rest, below := strings.Cut(v, "/")
	vendor, name, is := strings.Cut(module, "_")
	if !is || !below || vendor == "" || name == "" || !isUpper(vendor[0]) || !isUpper(name[0]) {
		return false
	}
	folder, _, _ := strings.Cut(rest, "/")
	return vendor == "Magento" || folder == "js" || folder == "template" || folder == "templates"
}

// changes reports a member that is called after what its address does with what it is told: addToCartUrl, cart_update_url, setAmountUrl, suggestUrl. Pictures do nothing, pages in other
// languages neither, and who edits one (editUrl) has to be somebody.
func (s *jsScan) changes(v string) bool {
	name, _ := s.target()
	if len(name) < len("url") || len(name) > maxName || name[len(name)-1]|0x20 != 'l' && name[len(name)-1]|0x20 != 'i' {
		return false
	}
	file := showsFile(v) && !strings.HasSuffix(v, ".js")
	if file && name[0]|0x20 != 'e' {
		return false
	}
	n, does, edits, last := 0, false, false, ""
	for last = range words(name) {
		switch last {
		case "language", "lang", "locale", "log", "on", "ons":
			return false
		case "add", "update", "delete", "remove", "save", "submit", "change", "unsubscribe", "logout", "predictive", "suggest", "autocomplete":
			does = true
		case "set":
			does = does || n == 0
		case "edit":
			edits = n == 0
		}
		n++
	}
	return (does && !file || edits && (!file || n == 2)) && n > 1 && (last == "url" || last == "uri") && (n > 2 || !bytes.HasPrefix(name, []byte("set")))
}

// inFileSystem reports a path on a computer: /dev/null, /usr/local/lib/a.js, /home/me/projects/a/b.js.
func inFileSystem(v string) bool {
	if len(v) < 6 || v[0] != '/' {
		return false
	}
	top, rest, _ := strings.Cut(v[1:], "/")
	second, rest, below := strings.Cut(rest, "/")
	switch top {
	case "dev":
		switch second {
		case "null", "zero", "full", "tty", "tty1", "shm", "stdin", "stdout", "stderr", "random", "urandom", "poll", "fd", "console":
			return true
		}
	case "proc":
		return second == "self" || second == "cpuinfo" || second == "meminfo"
	case "usr":
		switch second {
		case "local", "lib", "lib64", "share", "bin", "sbin", "include", "src":
			return below
		}
	case "var":
		switch second {
		case "www", "lib", "log", "run", "tmp", "folders":
			return below
		}
	case "tmp":
		return strings.HasSuffix(v, ".sock") || strings.HasSuffix(v, ".log")
	case "etc":
		switch second {
		case "passwd", "hosts", "localtime", "resolv.conf", "ssl", "mime.types", "os-release", "timezone":
			return true
		}
	case "home", "Users":
		if v == "/home/web_user" { // of Emscripten
			return true
		}
		switch folder, _, _ := strings.Cut(rest, "/"); folder {
		case "workspace", "workspaces", "projects", "Projects", "project", "git", "github", "repos", "Documents", "Desktop", "Downloads", "node_modules", "src", "dev", "code":
			return below && second != ""
		}
	}
	return false
}

// standsIn reports an address that only shows how one looks: of a host for examples, or with parts that are none.
func standsIn(url string) bool {
	host := ""
	if at := strings.Index(url, "//"); at >= 0 && (at == 0 || schemeLen(url) == at) {
		rest := url[at+2:]
		end := strings.IndexAny(rest, "/?#:")
		if end < 0 {
			end = len(rest)
		}
		host = strings.ToLower(rest[:end])
	}
	if host != "" {
		if len(host) == 1 && host != "[" || strings.HasSuffix(host, ".invalid") {
			return true
		}
		switch strings.TrimPrefix(host, "www.") {
		case "example.com", "example.org", "example.net": // others below them stand in for those of somebody, in copies of pages
			return true
		}
	}
	path, _, _ := strings.Cut(url, "?")
	return strings.Contains(path, "/.../") || strings.HasPrefix(path, "path/to/") || strings.Contains(path, "/path/to/")
}

// shows reports an address on a host for examples, unless the document is there.
func (b *builder) shows(url string) bool {
	if !standsIn(url) {
		return false
	}
	at, _ := b.place()
	return at == nil || !standsIn(at.Scheme+"://"+at.Host+"/")
}

// withoutValue reports a folder whose name was not known when an address was put together: /vi/null/a.jpg.
func withoutValue(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "null", "undefined", "NaN":
			return true
		}
	}
	return false
}

// ofOwnPackage reports a module that a script names by where it is in a package, to which the script says that it belongs itself: define("ace/theme/x",
// ["ace/lib/dom"], …). It is in another file, which the script does not know.
func ofOwnPackage(src []byte, module string) bool {
	name, _, below := strings.Cut(strings.TrimPrefix(module, "./"), "/")
	if !below || name == "" || name == ".." {
		return false
	}
	for _, quote := range [...]string{`"`, "'"} {
		begin := []byte(quote + name + "/")
		for at := 0; ; {
			i := bytes.Index(src[at:], begin)
			if i < 0 {
				break
			}
			if bytes.HasSuffix(bytes.TrimRight(src[:at+i], " \r\n\t"), []byte("define(")) {
				return true
			}
			at += i + len(begin)
		}
	}
	return false
}

// isMIME reports a type whose subtype is nobody's folder: application/vnd.dece.zip.
func isMIME(v string) bool {
	typ, rest, _ := strings.Cut(v, "/")
	switch typ {
	case "application", "audio", "video", "image", "text", "font", "model", "multipart", "message":
		return strings.HasPrefix(rest, "vnd.") || strings.HasPrefix(rest, "x-") || strings.HasPrefix(rest, "prs.")
	}
	return false
}
