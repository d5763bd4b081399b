package markup

import (
	"bytes"
	"strconv"
	"strings"
)

// chunks reads a function that makes a name of the number of a part, or the expression.
type chunks struct {
	src   []byte
	at    int
	param string // "": the first name is it
	name  *chunkName
	ids   []string
	known map[string]struct{} // ids

	styled map[string]string // by the numbers of the parts that have a style sheet; nil: not known
	bare   []string          // names of style sheets that parts do not have
}

// chunkName is how a name is made. With none of its members it is the text.
type chunkName struct {
	text    string
	id      bool                  // the number itself
	sum     []*chunkName          // one after the other
	table   map[string]string     // what it has for the number
	keys    []string              // of the table
	cases   map[string]*chunkName // what is for some numbers, and for others
	none    bool                  // nothing: undefined
	other   *chunkName            // what is instead, when there is nothing
	compare string                // the number is this; "": no comparison
}

// names are all names; none when the code does anything else.
func (c *chunks) names(function bool) (out []string) {
	var name *chunkName
	if function {
		name = c.function()
	} else if name = c.expression(0); name != nil && c.peek() == '?' {
		return nil
	}
	if name == nil {
		return nil
	}
	c.name = name
	return c.all()
}

// all are the names of the numbers that are known.
func (c *chunks) all() (out []string) {
	var w strings.Builder
	for _, id := range c.ids[:min(len(c.ids), maxChunks)] {
		w.Reset()
		if !c.name.write(&w, id) || w.Len() > maxURL {
			continue
		}
		made := w.String()
		path, _, _ := strings.Cut(made, "?")
		if _, styled := c.styled[id]; !styled && c.styled != nil && strings.HasSuffix(path, ".css") {
			c.bare = append(c.bare, made)
			continue
		}
		if hasExtension(path) && isReference(made) && !strings.Contains(made, noStyles) {
			out = append(out, made)
		}
	}
	return out
}

// called are the parts that the script asks for, when its names have no table: r.e(12).
func (c *chunks) called() []string {
	for at := 0; len(c.ids) < maxChunks; {
		i := bytes.Index(c.src[at:], []byte(".e("))
		if i < 0 {
			break
		}
		call := chunks{src: c.src, at: at + i + len(".e(")}
		call.peek()
		at = call.at // nothing is read twice
		if id := call.literal(); id != "" && len(id) <= maxName {
			if call.peek() == ')' {
				c.has(id)
			}
			at = call.at
		}
	}
	return c.all()
}

// has notes a number.
func (c *chunks) has(id string) {
	if c.known == nil {
		c.known = map[string]struct{}{}
	}
	if _, is := c.known[id]; !is {
		c.known[id] = struct{}{}
		c.ids = append(c.ids, id)
	}
}

// write writes the name of a part; false: it has none.
func (n *chunkName) write(w *strings.Builder, id string) bool {
	before := w.Len()
	if n.one(w, id) {
		return true
	}
	return n.other != nil && w.Len() == before && n.other.write(w, id)
}

func (n *chunkName) one(w *strings.Builder, id string) bool {
	switch {
	case n.none || n.compare != "":
		return false
	case n.id:
		w.WriteString(id)
	case n.table != nil:
		said, has := n.table[id]
		w.WriteString(said)
		return has
	case n.cases != nil:
		then, has := n.cases[id]
		return has && then.write(w, id)
	case n.sum != nil:
		for _, term := range n.sum {
			if !term.write(w, id) {
				return false
			}
		}
	default:
		w.WriteString(n.text)
	}
	return true
}

// function reads one, and the conditions in it: e => "a" + e, function (e) { if (1 === e) return "a"; return "b" + e }.
func (c *chunks) function() *chunkName {
	function := c.take("function")
	brackets := c.take("(")
	c.param = c.word()
	if brackets && !c.take(")") || c.param == "" || !function && !c.take("=>") {
		return nil
	}
	if !c.take("{") {
		if function {
			return nil
		}
		return c.expression(0)
	}
	out := &chunkName{cases: map[string]*chunkName{}}
	for {
		switch c.word() {
		case "return":
			out.other = c.expression(0)
			if out.other == nil {
				return nil
			}
			return out
		case "if":
			if !c.take("(") {
				return nil
			}
			is := c.sum(0)
			if is == nil || !c.take(")") {
				return nil
			}
			block := c.take("{")
			if c.word() != "return" {
				return nil
			}
			then := c.expression(0)
			if then == nil || !out.when(is, then) {
				return nil
			}
			c.take(";")
			if block && !c.take("}") {
				return nil
			}
		default:
			if len(out.cases) == 0 || c.peek() != '}' {
				return nil
			}
			return out
		}
	}
}

// when has a name for the numbers of a condition; false: it is none.
func (n *chunkName) when(is, then *chunkName) bool {
	keys := is.keys
	if is.compare != "" {
		keys = []string{is.compare}
	}
	for _, id := range keys {
		if _, has := n.cases[id]; !has {
			n.cases[id] = then
		}
	}
	return len(keys) > 0
}

// expression reads what makes a name: a sum, what is instead of it, and conditions, one after the other.
func (c *chunks) expression(depth int) *chunkName {
	if depth > maxBranches {
		return nil
	}
	var cases *chunkName
	for {
		n := c.sum(depth)
		switch {
		case n == nil:
			return nil
		case c.take("?"):
			if cases == nil {
				cases = &chunkName{cases: map[string]*chunkName{}}
			}
			then := c.expression(depth + 1)
			if then == nil || !c.take(":") || !cases.when(n, then) {
				return nil
			}
			continue
		case c.take("||"), c.take("??"):
			instead := c.expression(depth + 1)
			if instead == nil {
				return nil
			}
			n = &chunkName{sum: []*chunkName{n}, other: instead}
		}
		if cases == nil {
			return n
		}
		cases.other = n
		return cases
	}
}

// sum reads terms: a + b, "".concat(a, b).
func (c *chunks) sum(depth int) *chunkName {
	var terms []*chunkName
	for {
		n := c.term(depth)
		if n == nil || len(terms) >= maxName {
			return nil
		}
		terms = append(terms, n)
		for c.take(".concat(") {
			for {
				n := c.expression(depth + 1)
				if n == nil || len(terms) >= maxName {
					return nil
				}
				terms = append(terms, n)
				if !c.take(",") {
					break
				}
			}
			if !c.take(")") {
				return nil
			}
		}
		if !c.take("+") {
			break
		}
	}
	if len(terms) == 1 {
		return terms[0]
	}
	return &chunkName{sum: terms}
}

// term reads a text, a table, the number, or a comparison with it.
func (c *chunks) term(depth int) *chunkName {
	switch q := c.peek(); {
	case q == '{':
		table, keys := c.entries()
		if table == nil {
			return nil
		}
		return c.index(&chunkName{table: table, keys: keys})
	case c.take("("):
		n := c.expression(depth + 1)
		if n == nil || !c.take(")") {
			return nil
		}
		return c.index(n)
	case q == '`':
		return c.template(depth)
	case q == '"' || q == '\'' || '0' <= q && q <= '9':
		id := c.literal()
		if c.equals() {
			if !c.isParam(c.word()) {
				return nil
			}
			c.has(id)
			return &chunkName{compare: id}
		}
		return &chunkName{text: id}
	}
	switch word := c.word(); {
	case word == "void":
		c.literal()
		return &chunkName{none: true}
	case word == "undefined", word == "null":
		return &chunkName{none: true}
	case !c.isParam(word):
		return nil
	}
	if c.equals() {
		id := c.literal()
		if id == "" {
			return nil
		}
		c.has(id)
		return &chunkName{compare: id}
	}
	return &chunkName{id: true}
}

func (c *chunks) equals() bool { return c.take("===") || c.take("==") }

func (c *chunks) isParam(word string) bool {
	if c.param == "" && word != "" && (word[0] < '0' || word[0] > '9') {
		c.param = word
	}
	return word != "" && word == c.param
}

// index reads the number of a part behind a table: [e].
func (c *chunks) index(n *chunkName) *chunkName {
	if c.peek() != '[' {
		return n
	}
	if c.take("["); n.table == nil || !c.isParam(c.word()) || !c.take("]") {
		return nil
	}
	for _, id := range n.keys {
		c.has(id)
	}
	return n
}

// template reads `a${e}.js`.
func (c *chunks) template(depth int) *chunkName {
	out := &chunkName{sum: []*chunkName{}}
	c.at++
	for from := c.at; c.at < len(c.src) && len(out.sum) < maxName; {
		switch c.src[c.at] {
		case '\\':
			return nil
		case '`':
			out.sum = append(out.sum, &chunkName{text: string(c.src[from:c.at])})
			c.at++
			return out
		case '$':
			if c.at+1 == len(c.src) || c.src[c.at+1] != '{' {
				return nil
			}
			out.sum = append(out.sum, &chunkName{text: string(c.src[from:c.at])})
			c.at += len("${")
			n := c.expression(depth + 1)
			if n == nil || c.peek() != '}' {
				return nil
			}
			out.sum = append(out.sum, n)
			c.at++
			from = c.at
		default:
			c.at++
		}
	}
	return nil
}

// entries reads a table of texts, or numbers; nil: it is none.
func (c *chunks) entries() (table map[string]string, keys []string) {
	if !c.take("{") {
		return nil, nil
	}
	table = map[string]string{}
	for !c.take("}") {
		id := c.key()
		if id == "" || !c.take(":") {
			return nil, nil
		}
		value := c.literal()
		if value == "" {
			return nil, nil
		}
		table[id] = value
		keys = append(keys, id)
		if !c.take(",") && c.peek() != '}' {
			return nil, nil
		}
	}
	return table, keys
}

// key is the name of a member, numbers as they are written out: 4e3 is 4000.
func (c *chunks) key() string {
	if q := c.peek(); q == '"' || q == '\'' {
		return c.text()
	}
	word := c.word()
	if word != "" && '0' <= word[0] && word[0] <= '9' {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil || n > 1<<53 {
			return ""
		}
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return word
}

// literal is a text or a number; "": it is none.
func (c *chunks) literal() string {
	switch q := c.peek(); {
	case q == '"', q == '\'', '0' <= q && q <= '9':
		return c.key()
	case q == '`':
		return c.text()
	}
	return ""
}

// peek goes over blanks and short comments.
func (c *chunks) peek() byte {
	for c.at < len(c.src) {
		rest := c.src[c.at:min(len(c.src), c.at+maxComment)]
		end := 0
		switch {
		case rest[0] <= ' ':
			end = 1
		case bytes.HasPrefix(rest, []byte("//")):
			end = bytes.IndexByte(rest, '\n')
		case bytes.HasPrefix(rest, []byte("/*")):
			if end = bytes.Index(rest[len("/*"):], []byte("*/")); end >= 0 {
				end += len("/**/")
			}
		}
		if end <= 0 {
			return rest[0]
		}
		c.at += end
	}
	return 0
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
		switch b := c.src[at]; {
		case b == '\\':
			at++
		case b == q:
			c.at = at + 1
			return string(jsUnescape(c.src[from:at]))
		case b == '\n':
			c.at = at
			return ""
		}
	}
	c.at = len(c.src)
	return ""
}
