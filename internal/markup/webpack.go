package markup

import (
	"bytes"
	"regexp"
	"strings"
)

// fewChunks is up to how many parts of a bundle the interpreter puts their names together; those of more are read here, where they stand.
const (
	fewChunks = 128
	maxChunks = 8192
)

// publicPath is what a runtime of webpack says that its parts are below: an address, or so many folders above its own.
var publicPath = regexp.MustCompile(`\.p=(?:["']([^"']*)["']|[\w$.]+\+["']((?:\.\./)+)["'])`)

// webpack takes the parts of a bundle with many, from the functions that put their names together: r.u = e => "js/" + ({1: "a"}[e] || e) + "." +
// {1: "0d9c8b7a"}[e] + ".js". They are below the public path, or, when that is found out when it runs, below the script's folder.
func (s *jsScan) webpack() {
	for _, of := range [...]string{".u=", ".miniCssF="} {
		at := bytes.Index(s.src, []byte(of))
		if at < 0 {
			continue
		}
		c := chunks{src: s.src[at+len(of):]}
		names := c.names()
		if len(names) <= fewChunks {
			continue
		}
		base, context := "", jsImport
		if m := publicPath.FindSubmatch(s.src); m != nil {
			switch path := string(m[1]); {
			case m[2] != nil:
				base = string(m[2])
			case strings.Contains(path, "{"):
			default:
				base, context = path, jsString
			}
		}
		if s.b.chunks == nil {
			s.b.chunks = map[string]struct{}{}
		}
		for _, name := range names {
			s.b.addString(base+name, Speculative, context)
			s.b.chunks[name] = struct{}{}
		}
	}
}

// chunks reads a function that makes a name of the number of a part.
type chunks struct {
	src   []byte
	at    int
	param string
}

// chunkTerm is a piece of the name: a text, the number itself, or what a table has for it.
type chunkTerm struct {
	text  string
	table map[string]string
	ids   []string // of the table, in their order
	id    bool     // the number, also when the table has nothing
}

// names are all names; none when the function does anything else.
func (c *chunks) names() (out []string) {
	if !c.head() {
		return nil
	}
	var terms []chunkTerm
	for {
		t, ok := c.term()
		if !ok || len(terms) >= maxName {
			return nil
		}
		terms = append(terms, t)
		if !c.take("+") {
			break
		}
	}
	var ids []string // of the last table that has all
	for _, t := range terms {
		if t.table != nil && !t.id {
			ids = t.ids
		}
	}
	var w strings.Builder
	for _, id := range ids[:min(len(ids), maxChunks)] {
		w.Reset()
		whole := true
		for _, t := range terms {
			switch said, has := t.table[id]; {
			case t.table == nil && !t.id:
				w.WriteString(t.text)
			case has:
				w.WriteString(said)
			case t.id:
				w.WriteString(id)
			default:
				whole = false
			}
		}
		if whole {
			out = append(out, w.String())
		}
	}
	return out
}

// head reads up to what the function returns.
func (c *chunks) head() bool {
	function := c.take("function")
	brackets := c.take("(")
	c.param = c.word()
	if brackets && !c.take(")") || c.param == "" {
		return false
	}
	if function {
		return c.take("{") && c.take("return")
	}
	return c.take("=>")
}

func (c *chunks) term() (t chunkTerm, ok bool) {
	brackets := c.take("(")
	switch {
	case c.peek() == '{':
		if t.table, t.ids = c.entries(); t.table == nil || !c.take("[") || c.word() != c.param || !c.take("]") {
			return t, false
		}
		if brackets {
			t.id = c.take("||")
			return t, t.id && c.word() == c.param && c.take(")")
		}
		return t, true
	case brackets:
		return t, false
	case c.peek() == '"', c.peek() == '\'':
		return chunkTerm{text: c.text()}, true
	}
	t.id = c.word() == c.param
	return t, t.id
}

// entries reads a table of texts; nil: it is none.
func (c *chunks) entries() (table map[string]string, ids []string) {
	if !c.take("{") {
		return nil, nil
	}
	table = map[string]string{}
	for !c.take("}") {
		id := ""
		if q := c.peek(); q == '"' || q == '\'' {
			id = c.text()
		} else {
			id = c.word()
		}
		if id == "" || !c.take(":") || c.peek() != '"' && c.peek() != '\'' {
			return nil, nil
		}
		table[id] = c.text()
		ids = append(ids, id)
		if !c.take(",") && c.peek() != '}' {
			return nil, nil
		}
	}
	return table, ids
}

func (c *chunks) peek() byte {
	for c.at < len(c.src) && c.src[c.at] <= ' ' {
		c.at++
	}
	if c.at == len(c.src) {
		return 0
	}
	return c.src[c.at]
}

func (c *chunks) take(what string) bool {
	c.peek()
	if bytes.HasPrefix(c.src[c.at:], []byte(what)) {
		c.at += len(what)
		return true
	}
	return false
}

func (c *chunks) word() string {
	c.peek()
	from := c.at
	for c.at < len(c.src) && jsIdent(c.src[c.at]) {
		c.at++
	}
	return string(c.src[from:c.at])
}

// text reads a string; "" when it does not end.
func (c *chunks) text() string {
	q := c.peek()
	from := c.at + 1
	for at := from; at < len(c.src); at++ {
		switch c.src[at] {
		case '\\':
			at++
		case q:
			c.at = at + 1
			return string(jsUnescape(c.src[from:at]))
		}
	}
	c.at = len(c.src)
	return ""
}
