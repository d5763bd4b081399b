package markup

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// Loaders of modules ask for files by names that say nothing of where they are: RequireJS by its settings, what Vite builds by a list.

// amdConfig keeps the settings of RequireJS that an object says: where its modules are.
func (c *jsConsts) amdConfig(of jsVal) {
	if of.kind != mapOf {
		return
	}
	if c.amd == nil {
		c.amd = map[string]string{}
	}
	for i, key := range slices.Backward(of.keys) { // what it says itself counts before what objects in it say
		c.setAMD(key, of.vals[i])
	}
}

// setAMD keeps one of the settings.
func (c *jsConsts) setAMD(name, val string) {
	if _, known := c.amd[name]; known || len(c.amd) < maxConsts {
		c.amd[name] = val
	}
}

// definedHere stands, among the settings, before the name of a module that need not be loaded.
const definedHere = "\x00here"

// requires takes the modules of a list that a function of RequireJS is called with; the bracket of its arguments was read.
func (s *jsScan) requires(l *jsLexer) {
	e := s.expr(l, min(s.consts.left, maxBody))
	if e.next(); e.k == jsStr { // the name of what is defined here
		s.consts.setAMD(definedHere+string(e.text[1:len(e.text)-1]), "true")
		e.next()
		e.next()
	}
	if !e.is("[") {
		return
	}
	list := e.array(0)
	if s.consts.left -= e.l.pos - l.pos; list.kind != listOf {
		return
	}
	for _, name := range list.vals {
		if address := s.consts.module(name); address != "" && isReference(address) {
			context := jsString
			if strings.HasPrefix(address, "./") {
				context = jsImport // relative to the script itself
			}
			s.b.addString(address, Speculative, context)
		}
	}
}

// ofAMD reports strings that are settings of RequireJS, or names of its modules.
func (s *jsScan) ofAMD() bool {
	switch string(s.callee()) {
	case "config":
		owner := string(s.calleeOf())
		return owner == "require" || owner == "requirejs"
	case "require", "requirejs", "define":
		return s.consts.amd != nil
	}
	return false
}

// module is where RequireJS loads a module from (its "baseUrl", "paths" and "urlArgs"); "" for what it has itself, and for plug-ins
// other than those for texts and style sheets.
func (c *jsConsts) module(name string) string {
	name, text := strings.CutPrefix(name, "text!")
	ext := ".js"
	if sheet, is := strings.CutPrefix(name, "css!"); is {
		name, ext = strings.TrimSuffix(sheet, ".css"), ".css"
	}
	switch {
	case name == "require", name == "exports", name == "module", name == "", name[0] == '.' && ext == ".js", strings.Contains(name, "!"), c.amd[definedHere+name] != "":
		return ""
	case name[0] == '/', strings.HasSuffix(name, ".js"), schemeLen(name) > 0:
		return name
	}
	first, rest, more := strings.Cut(name, "/")
	if path := c.amd[name]; path != "" {
		name = path
	} else if path := c.amd[first]; more && path != "" {
		name = path + "/" + rest
	}
	base := c.amd["baseUrl"]
	switch {
	case name[0] == '/' || schemeLen(name) > 0:
		base = ""
	case base == "":
		base = "./"
	case !strings.HasSuffix(base, "/"):
		base += "/"
	}
	if !text && !strings.HasSuffix(name, ext) {
		name += ext
	}
	if query := c.amd["urlArgs"]; query != "" {
		name += "?" + query
	}
	return base + name
}

// viteBase is what a build of Vite puts before the files of its list: a folder.
var viteBase = regexp.MustCompile(`(?:return|=>)\s*["'` + "`" + `]((?:https?:/)?/(?:[^"'` + "`" + `\s]*/)?)["'` + "`" + `]\s*\+\s*\w+`)

// vite takes the files that a build of Vite loads with its modules, and whose list is no guess then: they are relative to where the site is.
func (s *jsScan) vite(l *jsLexer) {
	head := s.src[:min(len(s.src), maxBody)]
	at := bytes.Index(head, []byte("__vite__mapDeps"))
	if at < 0 {
		return
	}
	list := bytes.IndexByte(head[at:], '[')
	if list < 0 || list > maxHead || bytes.IndexAny(head[at:], "\"'`") != list+1 {
		return // it is used here, and made elsewhere
	}
	base := viteBase.FindSubmatch(s.src[at:min(len(s.src), at+maxRowsFrom)])
	if base == nil {
		if base = viteBase.FindSubmatch(s.src[:at]); base == nil {
			return
		}
	}
	ahead := *l
	ahead.pos = at + list
	e := s.expr(&ahead, maxRowsFrom)
	e.next()
	files := e.array(0)
	if files.kind != listOf {
		return
	}
	for _, file := range files.vals {
		s.b.addString(string(base[1])+file, Speculative, jsString)
	}
	s.lists = append(s.lists, listed{&jsConst{used: true}, int32(at + list), int32(e.prev.pos)})
}

// next takes the files of the list of a build of Next.js, which are relative to its folder: that of the script's own folder's folder, or "/_next/"
// of the page that has the list in itself.
func (s *jsScan) next() {
	if !bytes.Contains(s.src, []byte("__BUILD_MANIFEST")) {
		return
	}
	base, context := "/_next/", jsString
	if s.b.doc.Kind == JS && s.b.quotes == 0 {
		base, context = "../../", jsImport
	}
	begin := []byte(`"static/`)
	first, last := 0, 0
	for at := 0; ; {
		i := bytes.Index(s.src[at:], begin)
		if i < 0 {
			break
		}
		at += i + 1
		end := bytes.IndexByte(s.src[at:], '"')
		if file := string(s.src[at : at+max(end, 0)]); hasExtension(file) && isReference(file) {
			s.b.addString(base+file, Speculative, context)
			if last == 0 {
				first = at - 1
			}
			last = at + end
		}
	}
	if last > 0 { // what else the script says counts
		s.lists = append(s.lists, listed{&jsConst{used: true}, int32(first), int32(last)})
	}
}
