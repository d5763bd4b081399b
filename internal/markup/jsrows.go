package markup

import (
	"slices"
	"strconv"
)

// Pages keep what they show as lists of objects: [{file: "a.png", title: "A"}, …], of lists, or as an object of objects. What is made of
// each of them is read as if a loop ran over them: "/img/" + row.file stands for as many addresses as there are rows.

// maxRowsFrom is the length of scripts up to which such lists are kept: longer ones are libraries.
const maxRowsFrom = 64 << 10

// row is a list or an object in a list as a map; what is neither has no kind of its own.
func (v jsVal) row() (jsVal, bool) {
	switch v.kind {
	case mapOf:
		return v, true
	case listOf:
		return jsVal{kind: mapOf, vals: v.vals, keys: counted(len(v.vals))}, true
	}
	return jsVal{}, false
}

// each is one of the rows, whichever: what is asked of it stands for all.
func (v jsVal) each() jsVal {
	keys := v.keys
	if keys == nil {
		keys = counted(len(v.rows))
	}
	return jsVal{kind: rowOf, rows: v.rows, keys: keys, cols: v.cols, of: v.of}
}

// counted returns "0", "1", …
func counted(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(i)
	}
	return out
}

// field is what the rows have under a name.
func (e *jsExpr) field(of jsVal, name string) jsVal {
	out := jsVal{}
	for i, row := range of.rows {
		if j := slices.Index(row.keys, name); j >= 0 && j < len(row.vals) {
			if out.vals = append(out.vals, row.vals[j]); i < len(of.keys) {
				out.keys = append(out.keys, of.keys[i])
			}
		}
	}
	if e.s.consts.made -= 8 * len(of.rows); out.vals == nil || e.s.consts.made < 0 {
		return jsVal{}
	}
	if len(of.rows) == 1 {
		out.keys = nil
	}
	if out.of = of.cols[name]; out.of != nil {
		e.s.touched = append(e.s.touched, out.of)
	}
	return out
}

// pick returns those of the rows that an index means.
func (e *jsExpr) pick(of, index jsVal) jsVal {
	if index.kind != oneOf || index.vals == nil {
		return of.each()
	}
	keys := of.keys
	if keys == nil {
		keys = counted(len(of.rows))
	}
	out := jsVal{kind: rowOf, cols: of.cols, of: of.of}
	if e.s.consts.made -= 8 * len(keys); e.s.consts.made < 0 {
		return jsVal{}
	}
	for i, v := range index.vals {
		if j := slices.Index(keys, v); j >= 0 {
			if out.rows = append(out.rows, of.rows[j]); index.keys != nil {
				out.keys = append(out.keys, index.keys[i])
			}
		}
	}
	return out
}

// objects reads an object of objects, whose brace is in hand.
func (e *jsExpr) objects(depth int) jsVal {
	out := jsVal{kind: rowsOf, keys: []string{}}
	for e.next(); len(out.rows) < maxListed; e.next() {
		e.terms = 0
		name := e.text
		switch e.k {
		case jsStr:
			name = name[1 : len(name)-1]
		case jsWord, jsNumber:
		case jsValue: // behind a comma
			if string(e.text) == "}" && out.rows != nil {
				e.next()
				return out
			}
			return jsVal{}
		default:
			return jsVal{}
		}
		if e.next(); e.k != jsColon {
			return jsVal{}
		}
		if e.next(); e.k != jsBrace {
			return jsVal{}
		}
		val := e.object(depth+1, false)
		if val.kind != mapOf {
			return jsVal{}
		}
		out.rows, out.keys = append(out.rows, val), append(out.keys, string(name))
		if e.k != jsComma {
			if string(e.text) == "}" {
				e.next()
				return out
			}
			return jsVal{}
		}
	}
	return jsVal{}
}

// objectMap reports an object whose first key has an object.
func objectMap(s []byte) bool {
	s = behindKey(s)
	return len(s) > 0 && s[0] == '{'
}

// takenApart reads the names that a row, or another value, is given to: n, {file, title: t} or [a, b]; the token in hand is the first.
func (e *jsExpr) takenApart(of jsVal, bind func(name []byte, val jsVal)) {
	switch {
	case e.k == jsWord:
		bind(e.text, of)
		e.next()
	case e.k == jsBrace, e.is("["):
		braces := e.k == jsBrace
		nth := 0
		for e.next(); e.k == jsWord || e.k == jsComma; e.next() {
			if e.k == jsComma {
				nth++
				continue
			}
			field, name := string(e.text), e.text
			if !braces {
				field = strconv.Itoa(nth)
			} else {
				ahead := *e
				if ahead.next(); ahead.k == jsColon {
					if ahead.next(); ahead.k == jsWord {
						name, *e = ahead.text, ahead
					}
				}
			}
			val := e.field(of, field)
			if !val.known() && nth == 1 && !braces {
				val = of // [key, object] of Object.entries: the object's fields are the row's
			}
			bind(name, val)
		}
		if e.k == jsValue {
			e.next()
		}
	}
}

// unpacks binds the names of const {a, b: {c = "d"}} = …, whose brace was read, to what members of that name mean. The lexer is not moved.
func (s *jsScan) unpacks(l *jsLexer) {
	e := s.expr(l, min(s.consts.left, 2*maxHead))
	e.next()
	names, ok := e.unpack(nil, 0)
	s.consts.left -= e.l.pos - l.pos
	if !ok || e.k != jsAssign {
		return
	}
	s.unpacked = int32(e.prev.pos) // defaults in it say nothing more
	for _, n := range names {
		s.declares(n.name)
		s.consts.unset(n.name)
		if n.val.kind == listOf || n.val.kind == mapOf || n.val.kind == rowsOf {
			s.consts.put(ofList, n.name, n.val)
		} else {
			s.consts.put(ofVariable, n.name, n.val)
		}
	}
}

// unpack reads a pattern that takes an object apart, whose first key is in hand; false: it is not understood.
func (e *jsExpr) unpack(names []givenName, depth int) ([]givenName, bool) {
	for e.k == jsWord && depth < foldDepth {
		key, name := e.text, e.text
		inner := false
		if e.next(); e.k == jsColon {
			if e.next(); e.k == jsBrace {
				e.next()
				if names, inner = e.unpack(names, depth+1); !inner {
					return nil, false
				}
			} else if name = e.text; e.k == jsWord {
				e.next()
			} else {
				return nil, false
			}
		}
		var otherwise jsVal
		if e.k == jsAssign {
			e.next()
			otherwise = e.choice(1)
		}
		if !inner {
			val := e.use(ofMember, key)
			if !val.known() {
				val = e.use(ofList, key)
			}
			if !val.known() {
				val = otherwise
			}
			names = append(names, givenName{name, val})
		}
		if e.k == jsComma {
			e.next()
		}
	}
	if e.k != jsValue || string(e.text) != "}" {
		return nil, false
	}
	e.next()
	return names, true
}

// ofObject is what Object.keys, values and entries give.
func ofObject(name string, of jsVal) jsVal {
	if of.kind != mapOf && (of.kind != rowsOf || of.keys == nil) {
		return jsVal{}
	}
	switch name {
	case "keys":
		return jsVal{kind: listOf, vals: of.keys}
	case "values":
		if of.kind == mapOf {
			return jsVal{kind: listOf, vals: of.vals}
		}
		return jsVal{kind: rowsOf, rows: of.rows, cols: of.cols}
	case "entries":
		out := jsVal{kind: rowsOf, cols: of.cols}
		for i, key := range of.keys {
			if of.kind == mapOf {
				out.rows = append(out.rows, jsVal{kind: mapOf, keys: []string{"0", "1"}, vals: []string{key, of.vals[i]}})
			} else {
				out.rows = append(out.rows, jsVal{kind: mapOf, keys: append([]string{"0"}, of.rows[i].keys...), vals: append([]string{key}, of.rows[i].vals...)})
			}
		}
		return out
	}
	return jsVal{}
}

// keepData notes what an element has in a data attribute, or in any when it is somebody's own, when that may be a part of an address: scripts make some of it.
func (b *builder) keepData(name, val []byte) {
	if len(val) == 0 || len(val) > maxName || b.quotes > 0 {
		return
	}
	for _, c := range val {
		if notData[c] {
			return
		}
	}
	b.folders = b.folders || isFolder(string(val))
	of := b.data[string(name)]
	if of == nil {
		if len(b.data) >= maxListed || len(name) > maxName {
			return
		}
		if b.data == nil {
			b.data = map[string]*jsConst{}
		}
		of = &jsConst{}
		b.data[string(name)] = of
	}
	if len(of.values) < maxChoices && !slices.Contains(of.values, string(val)) {
		of.values = append(of.values, string(val))
	}
}

// notData is the bytes of values that are more than a part of an address.
var notData = byteSet(" \t\r\n<>{}[]()\"'")

// attribute is what elements have in an attribute.
func (e *jsExpr) attribute(name string) jsVal {
	if of := e.s.b.data[name]; of != nil {
		return jsVal{vals: of.values, some: true}
	}
	return jsVal{}
}

// dashed is the name of the attribute that a member of dataset stands for, or a name that jQuery's data is asked by.
func dashed(name string) string {
	out := []byte("data-")
	for _, c := range []byte(name) {
		if 'A' <= c && c <= 'Z' {
			out = append(out, '-')
			c |= 0x20
		}
		out = append(out, c)
	}
	return string(out)
}

// dataOf reads the data attribute that is asked for somewhere behind the dot in hand: $(this).data("x"), e.target.dataset.x. Without one
// nothing is read.
func (e *jsExpr) dataOf(depth int) jsVal {
	for before, n := *e, 0; e.k == jsDot && n < foldDepth; n++ {
		e.next()
		word := e.text
		if e.k != jsWord {
			*e = before
			break
		}
		switch e.next(); {
		case string(word) == "dataset" && e.k == jsDot:
			e.next()
			if val := e.attribute(dashed(string(e.text))); val.known() {
				e.next()
				return val
			}
		case e.k == jsOpen && ofElement(word):
			if val := e.called(word, nil, true, depth); val.known() {
				return val
			}
		case e.k == jsOpen:
			e.args(depth)
		}
		if e.k != jsDot {
			*e = before
			break
		}
	}
	return jsVal{}
}
