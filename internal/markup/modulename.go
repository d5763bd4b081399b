package markup

import (
	"bytes"
	"strings"
)

// moduleName reports a string that names a part of a program where it stands, and is no address: the value of a member, or in JSON also of a
// list, that has the form of a name of modules. What a script gives to what is not known is an address all the same, where scripts are
// interpreted.
func (s *jsScan) moduleName(v string) bool {
	rest := strings.TrimPrefix(v, "./")
	if strings.HasPrefix(rest, "node_modules/") {
		return !s.takesURL()
	}
	if v != rest && s.isModuleKey(v) {
		return true
	}
	switch s.last() {
	case jsColon:
		if before := s.before(3).kind; before != jsBrace && before != jsComma {
			return false // of a condition, or a case
		}
		if name, _ := s.target(); saysAddress(string(name)) {
			return false
		}
	case jsComma, jsOther:
		switch {
		case strings.HasPrefix(rest, "/") || schemeLen(rest) > 0:
			return false
		case s.ofModules():
			return strings.HasSuffix(rest, ".js") || strings.HasSuffix(rest, ".css")
		case !s.data:
			return false
		}
	default:
		return false
	}
	if !strings.Contains(rest, "/") || strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, ".") || schemeLen(rest) > 0 {
		return false
	}
	if !hasExtension(rest) {
		return len(rest) < len(v)
	}
	switch strings.ToLower(rest[strings.LastIndexByte(rest, '.')+1:]) {
	case "js", "mjs", "cjs", "jsx", "ts", "tsx", "vue", "css", "scss", "less":
		return true
	}
	return false
}

// isModuleKey reports a name that the script has a part of its own by: {"./js/core.js": function …}, as webpack writes them.
func (s *jsScan) isModuleKey(v string) bool {
	if s.modules == nil {
		s.modules = map[string]struct{}{}
		for at := 0; len(s.modules) < maxModuleKeys; {
			i := bytes.Index(s.src[at:], []byte("./"))
			if i < 0 {
				break
			}
			at += i + len("./")
			if at < 3 || s.src[at-3] != '"' && s.src[at-3] != '\'' {
				continue
			}
			end := bytes.IndexByte(s.src[at:min(len(s.src), at+maxURL)], s.src[at-3])
			if end < 0 {
				continue
			}
			if rest := bytes.TrimLeft(s.src[at+end+1:min(len(s.src), at+end+8)], " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
				s.modules[string(s.src[at-2:at+end])] = struct{}{}
			}
			at += end
		}
	}
	_, is := s.modules[v]
	return is
}

const maxModuleKeys = 10_000

// ofModules reports a string in a list that is called modules: RLPAGEMODULES=["a.b", …], modules: […].
func (s *jsScan) ofModules() bool {
	src := s.src[max(0, int(s.at.from)-maxModules):s.at.from]
	at := bytes.LastIndexByte(src, '[')
	if at < 0 || bytes.ContainsAny(src[at:], "{}();=:") {
		return false
	}
	src = bytes.TrimRight(src[:at], " \t\r\n\"'")
	if len(src) == 0 || src[len(src)-1] != ':' && src[len(src)-1] != '=' {
		return false
	}
	src = bytes.TrimRight(src[:len(src)-1], " \t\r\n\"'")
	from := len(src)
	for from > 0 && jsIdent(src[from-1]) {
		from--
	}
	return strings.HasSuffix(strings.ToLower(string(src[from:])), "modules")
}

// maxModules is how far before a string the list that it stands in is looked for.
const maxModules = 1 << 10

// saysAddress reports a name of members that have addresses.
func saysAddress(name string) bool {
	name = strings.ToLower(name)
	for _, word := range [...]string{"src", "url", "href", "uri", "script", "style", "worker", "load", "js", "css", "link", "path", "file", "page", "img", "image", "photo", "poster", "logo", "icon", "background", "download", "next", "prev"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
