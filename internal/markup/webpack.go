package markup

import (
	"bytes"
	"maps"
	"strings"
)

// Limits of what is read of bundles.
const (
	maxChunks   = 8192 // names of parts that a function makes
	maxRuntimes = 16   // functions of a script that make some
	maxComment  = 256  // bytes of a comment between
	maxBranches = 16   // brackets and conditions of one, in each other
)

// noStyles begins the hash that webpack 4 has for the style sheet of a part without one: that of nothing.
const noStyles = "31d6cfe0"

// chunkForms are what stands before a function, or an expression, that makes the name of a part, or in it.
var chunkForms = [...]struct {
	before   string
	function bool // r.u = e => …
	public   bool // r.p + …
}{
	{".u=", true, false}, {".u =", true, false}, {".miniCssF=", true, false}, {".miniCssF =", true, false},
	{`.p+"`, false, true}, {`.p + "`, false, true}, {`"+({`, false, false}, {`"+{`, false, false},
}

// webpack takes the parts of a bundle from what puts their names together: r.u = e => "js/" + ({1: "a"}[e] || e) + "." + {1: "0d9c8b7a"}[e] + ".js",
// r.u = e => 1 === e ? "a.js" : 2 === e ? "b.js" : void 0, and webpack 4's s.src = r.p + "js/" + …. They are below the public path.
func (s *jsScan) webpack() {
	s.siblings()
	runtimes, calls := 0, 0
	styled := withStyles(s.src)
	for _, form := range chunkForms {
		for at := 0; at < len(s.src) && runtimes < maxRuntimes; {
			i := bytes.Index(s.src[at:], []byte(form.before))
			if i < 0 {
				break
			}
			from := at + i
			at = from + len(form.before)
			c := chunks{src: s.src, at: at, styled: styled}
			switch {
			case form.public:
				c.at--
			case !form.function:
				begin := bytes.LastIndexByte(s.src[max(0, from-maxName):from], '"') + max(0, from-maxName)
				if begin < 1 || s.src[begin] != '"' || s.src[begin-1] != '=' {
					continue
				}
				c.at = begin
			}
			names := c.names(form.function)
			if len(c.ids) == 0 && form.function && c.name != nil && calls < maxRuntimes {
				calls++
				names = c.called()
			}
			at = max(at, c.at) // nothing is read twice, but the beginning
			if len(names)+len(c.bare) == 0 {
				continue
			}
			runtimes++
			of := ""
			if form.function || form.public {
				of = wordAt(s.src, from)
			}
			s.chunks(names, c.bare, s.publicPath(of, from))
		}
	}
}

// withStyles is the tables of the parts that have a style sheet, as runtimes look them up before they ask for one: 0 !== r[e] && {1: 1, 7: 1}[e] &&, or
// with a name for the table; nil: there is none. Scripts that were put into one file have several.
func withStyles(src []byte) (of map[string]string) {
	const looks = "0!=="
	for at, n := 0, 0; n < maxRuntimes; {
		i := bytes.Index(src[at:], []byte(looks))
		if i < 0 {
			break
		}
		from := at + i
		c := chunks{src: src, at: from + len(looks)}
		asks := c.word() != "" && c.take("[") && c.word() != "" && c.take("]") && c.take("&&")
		name := ""
		if asks && c.peek() != '{' {
			name = c.word()
			asks = name != "" && c.take("[")
		}
		at = c.at // nothing is read twice
		if !asks || bytes.HasSuffix(src[:from], []byte("void ")) {
			continue
		}
		n++
		if name != "" {
			named := bytes.LastIndex(src[:from], []byte(name+"={"))
			if named < 1 || jsIdent(src[named-1]) {
				continue
			}
			c.at = named + len(name) + len("=")
		}
		table, _ := c.entries()
		at = max(at, c.at)
		for _, said := range table {
			if said != "1" { // it tells something else
				table = nil
				break
			}
		}
		if of == nil && len(table) > 0 {
			of = map[string]string{}
		}
		maps.Copy(of, table)
	}
	return of
}

// siblings takes the parts that a part asks for when names are numbers alone: (self.webpackChunk = …).push([[12], {… r.e(13) …}]) in 12.app.js.
func (s *jsScan) siblings() {
	const head = 1 << 10
	begin := bytes.Index(s.src[:min(len(s.src), head)], []byte(pushes))
	at, _ := s.b.place()
	if begin < 0 || at == nil || s.b.doc.Kind != JS {
		return
	}
	c := chunks{src: s.src, at: begin + len(pushes)}
	id := c.literal()
	end, is := strings.CutPrefix(at.Path[strings.LastIndexByte(at.Path, '/')+1:], id+".")
	if !is || id == "" || strings.Trim(id, "0123456789") != "" || strings.ContainsAny(end, "0123456789") || !strings.HasSuffix("."+end, ".js") {
		return
	}
	c.name = &chunkName{sum: []*chunkName{{id: true}, {text: "." + end}}}
	s.chunks(c.called(), nil, publicPath{own: true})
}

// pushes is what a part of a bundle begins with.
const pushes = "||[]).push([["

// chunks are parts of a bundle, and names of some that are not there.
func (s *jsScan) chunks(names, without []string, path publicPath) {
	if s.b.chunks == nil {
		s.b.chunks = map[string]struct{}{}
	}
	for _, name := range names {
		address, context := path.join(name), jsString
		if !path.said {
			context = jsImport
			if !path.own {
				address = s.above(name) + name
			}
		}
		s.b.addString(address, Speculative, context)
		s.b.chunks[name], s.b.chunks[address] = struct{}{}, struct{}{}
	}
	for _, name := range without {
		s.b.chunks[name], s.b.chunks[path.join(name)] = struct{}{}, struct{}{}
	}
}

// wordAt is the name that ends somewhere.
func wordAt(src []byte, end int) string {
	from := end
	for from > 0 && jsIdent(src[from-1]) {
		from--
	}
	return string(src[from:end])
}

// publicPath is what the files of a bundle are below.
type publicPath struct {
	path string
	said bool // it is an address
	own  bool // it is where the script is, or from there
}

func (p publicPath) join(name string) string { return p.path + name }

// publicPath is what a runtime of webpack says that its files are below: the first that is said after some place in it, or the last before. An empty
// name is that of any.
func (s *jsScan) publicPath(of string, place int) (out publicPath) {
	for at := 0; ; {
		i := bytes.Index(s.src[at:], []byte(".p"))
		if i < 0 {
			break
		}
		i += at
		c := chunks{src: s.src, at: i + len(".p")}
		says := c.take("=") && c.peek() != '='
		at = c.at // nothing is read twice
		if !says {
			continue
		}
		if word := wordAt(s.src, i); of != "" && word != of || word == "" {
			continue
		}
		path, is := s.publicValue(&c)
		at = c.at
		if is {
			if out = path; i > place {
				break
			}
		}
	}
	return out
}

// publicValue is what the public path is said to be.
func (s *jsScan) publicValue(c *chunks) (publicPath, bool) {
	if q := c.peek(); q == '"' || q == '\'' || q == '`' {
		path := c.text()
		if c.peek() == '+' || strings.ContainsAny(path, "{$") {
			return publicPath{}, true
		}
		return publicPath{path: path, said: true}, true
	}
	if c.word() == "" {
		return publicPath{}, false
	}
	switch c.peek() {
	case '+':
		c.take("+")
		if q := c.peek(); q == '"' || q == '\'' {
			if path := c.text(); path != "" && strings.Trim(path, "./") == "" {
				return publicPath{path: path, own: true}, true
			}
		}
	case ',', ';', '}', ')', 0:
		return publicPath{own: s.findsPath()}, true
	}
	return publicPath{}, true
}

// findsPath reports a runtime that finds out where it is.
func (s *jsScan) findsPath() bool {
	if b := &s.bundle; !b.sought {
		b.sought, b.finds = true, bytes.Contains(s.src, []byte("Automatic publicPath"))
	}
	return s.bundle.finds
}

// above is the way from the script to what a file with this name is below, as far as the script's own address tells: one of its folders is the first of
// the file's.
func (s *jsScan) above(name string) string {
	first, _, has := strings.Cut(name, "/")
	if !has || first == "" {
		return ""
	}
	folders := s.folders()
	for i := len(folders) - 1; i >= 0; i-- {
		if folders[i] == first {
			return strings.Repeat("../", len(folders)-i)
		}
	}
	return ""
}

// folders are those that the script is in.
func (s *jsScan) folders() []string {
	at, _ := s.b.place()
	if at == nil {
		return nil
	}
	path := strings.Split(at.Path, "/")
	return path[min(1, len(path)-1) : len(path)-1]
}

// bundle says what is known of the bundle that a script is a part of.
type bundle struct {
	looked, is    bool
	sought, finds bool // where it is
	public        publicPath
}

// asset is the address of a file that a part of a bundle has below the public path, r.p + "1f2e.woff2", and its context; "": it is none. That path
// is known to the runtime alone, which is elsewhere, or the script's own address tells it: the file's first folder is one of the script's.
func (s *jsScan) asset(v string) (address, context string) {
	if s.data || s.last() != jsPlus || !isFile(v) || s.b.doc.Kind != JS || s.b.quotes > 0 {
		return "", ""
	}
	if strings.HasPrefix(v, "/_next/static/") { // Next.js has a function that tells the path
		return s.above(v[1:]) + v[1:], jsImport
	}
	if s.b.parcel && s.before(2).kind == jsClose && string(s.before(5).text) == "getBundleURL" {
		return v, jsImport
	}
	if v[0] == '.' || v[0] == '/' || string(s.before(2).text) != "p" || s.before(3).kind != jsDot || !s.inBundle() {
		return "", ""
	}
	switch path := s.bundle.public; {
	case path.said:
		return path.join(v), jsString
	case path.own:
		return path.join(v), jsImport
	}
	return s.besideChunk(v) + v, jsImport
}

// isFile reports a name of a file with an extension, which may be longer than most: a.geojson, a.webmanifest.
func isFile(v string) bool {
	const extension = 12
	dot := strings.LastIndexByte(v, '.')
	return dot > 0 && len(v)-dot > 1 && len(v)-dot <= extension && !strings.ContainsFunc(v[dot+1:], func(r rune) bool { return r > '~' || !jsIdent(byte(r)) }) && !strings.ContainsAny(v, " {}<>")
}

// besideChunk is the way from a part of a bundle to what its files are below: parts are in folders of their own in it.
func (s *jsScan) besideChunk(name string) string {
	if up := s.above(name); up != "" {
		return up
	}
	folders := s.folders()
	last := len(folders) - 1
	if last < 0 {
		return ""
	}
	switch folders[last] {
	case "js", "scripts", "chunks":
		if last > 0 && (folders[last-1] == "static" || folders[last-1] == "assets") {
			return "../../"
		}
		if folders[last] == "chunks" || strings.IndexByte(name, '/') > 0 {
			return "../"
		}
	}
	return ""
}

// inBundle reports a script that webpack made, or rspack.
func (s *jsScan) inBundle() bool {
	b := &s.bundle
	if b.looked {
		return b.is
	}
	b.looked = true
	const head = 1 << 10
	if b.is = bytes.Contains(s.src[:min(len(s.src), head)], []byte(pushes)); b.is {
		return true
	}
	for _, mark := range [...]string{"webpackChunk", "webpackJsonp", "rspackChunk", "__webpack_require__", ".exports=", ".exports ="} {
		if b.is = bytes.Contains(s.src, []byte(mark)); b.is {
			b.public = s.publicPath("", len(s.src))
			return true
		}
	}
	return false
}
