package markup

import (
	"bytes"
	"regexp"
	"strings"
)

// Bundlers have lists of the files that they load.

// viteBase is what a build of Vite puts before the files of its list: a folder.
var viteBase = regexp.MustCompile(`(?:return|=>)\s*["'` + "`" + `]((?:https?:/)?/(?:[^"'` + "`" + `\s]*/)?)["'` + "`" + `]\s*\+\s*\w+`)

// Where what a build of Vite says stands.
const (
	viteHead = 4 << 10
	viteFrom = 64 << 10
)

// vite takes the files that a build of Vite loads with its modules, and whose list is no guess then: they are relative to where the site is, to the
// script when they begin with a dot, or to the folder of the script's that they begin with.
func (s *jsScan) vite() {
	head := s.src[:min(len(s.src), viteHead)]
	at := bytes.Index(head, []byte("__vite__mapDeps"))
	if at < 0 {
		return
	}
	list := bytes.IndexByte(head[at:], '[')
	if list < 0 || list > 4*maxName || bytes.IndexAny(head[at:], "\"'`") != list+1 {
		return // it is used here, and made elsewhere
	}
	base, context := "", jsString
	said := viteBase.FindSubmatch(s.src[at:min(len(s.src), at+viteFrom)])
	if said == nil {
		said = viteBase.FindSubmatch(s.src[:at])
	}
	first := chunks{src: s.src, at: at + list + 1}
	switch name := first.text(); {
	case strings.HasPrefix(name, "./"), strings.HasPrefix(name, "../"):
		context = jsImport
	case said != nil:
		base = string(said[1])
	default:
		if base, context = s.above(name), jsImport; base == "" {
			return
		}
	}
	l := jsLexer{src: s.src, pos: at + list + 1}
	for k, text := jsOther, []byte("["); ; {
		if k, text = l.next(k, text); k == jsStr {
			s.b.addString(base+string(jsUnescape(text[1:len(text)-1])), Speculative, context)
		} else if k != jsComma {
			break
		}
	}
	s.list = jsSpan{int32(at + list), int32(l.pos)}
}

// next takes the files of the list of a build of Next.js, which are relative to its folder: that of the script's own folder's folder, or "/_next/"
// of the page that has the list in itself.
func (s *jsScan) next() {
	s.nextPages()
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
		s.list = jsSpan{int32(first), int32(last + 1)}
	}
}

// nextPages takes the pages that a build of Next.js lists: all of them, or those that are made before anybody asks. Those of patterns have no address.
func (s *jsScan) nextPages() {
	if s.b.doc.Kind != JS || s.b.quotes > 0 || !bytes.Contains(s.src[:min(len(s.src), viteHead)], []byte("self.__")) {
		return
	}
	root := ""
	if at, _ := s.b.place(); at != nil {
		root = at.EscapedPath()
		root = root[:max(0, strings.Index(root, "/_next/"))]
	}
	for _, list := range [...]string{"__SSG_MANIFEST=new Set([", "sortedPages:["} {
		at := bytes.Index(s.src, []byte(list))
		if at < 0 {
			continue
		}
		c := chunks{src: s.src, at: at + len(list)}
		for q := c.peek(); q == '"' || q == '\''; q = c.peek() {
			page := c.text()
			if len(page) > 1 && page[0] == '/' && !strings.HasPrefix(page, "/_") && !strings.HasPrefix(page, "//") && !strings.ContainsAny(page, "[]") && page != "/404" && page != "/500" {
				s.b.addString(root+page, Speculative, jsString)
			}
			if !c.take(",") {
				break
			}
		}
	}
}

// amd takes the modules beside the one that a file defines: define(["./a"], …), or with a name that the file has, define("app/m", ["../b"], …). Files
// with several are of many, whose names are not those of files.
func (s *jsScan) amd() {
	define := []byte("define(")
	if s.b.doc.Kind != JS || s.b.quotes > 0 {
		return
	}
	at, _ := s.b.place()
	for from, anonymous, later := 0, 0, false; ; {
		i := bytes.Index(s.src[from:], define)
		if i < 0 {
			return
		}
		from += i + len(define)
		if before := from - len(define) - 1; before >= 0 && (jsIdent(s.src[before]) || s.src[before] == '.') {
			continue
		}
		c := chunks{src: s.src, at: from}
		switch q := c.peek(); q {
		case '"', '\'', '`':
			if name := c.text(); at == nil || name == "" || !strings.HasSuffix(at.Path, "/"+name+".js") || !c.take(",") {
				continue
			}
		default:
			if anonymous++; anonymous > 1 {
				continue
			}
		}
		if c.peek() != '[' {
			continue
		}
		s.beside(c)
		for _, list := range [...]string{`(["./`, `(["../`} { // what it asks for later: require(["./a"], …), by any name
			for begin := c.at; !later; {
				i := bytes.Index(s.src[begin:], []byte(list))
				if i < 0 {
					break
				}
				begin += i + 1
				s.beside(chunks{src: s.src, at: begin})
			}
		}
		later = true
	}
}

// beside takes the modules of a list that are beside the one that has it.
func (s *jsScan) beside(c chunks) {
	c.take("[")
	for q := c.peek(); q == '"' || q == '\''; q = c.peek() {
		if name := c.text(); (strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../")) && isReference(name) && !strings.Contains(name, "!") {
			s.b.addString(strings.TrimSuffix(name, ".js")+".js", Speculative, jsImport)
		}
		if !c.take(",") {
			break
		}
	}
}

// ofNext is a file of a build of Next.js, which its scripts name without its folder: "static/chunks/1.js" is below "/_next/".
func (b *builder) ofNext(url string) string {
	for _, folder := range [...]string{"static/chunks/", "static/css/", "static/media/"} {
		if strings.HasPrefix(url, folder) && (b.doc.Kind == HTML || b.doc.Kind == XHTML) && bytes.Contains(b.page, []byte("/_next/static/")) {
			return "/_next/" + url
		}
	}
	return url
}
