package markup

import (
	"bytes"
	"slices"
)

// Functions that are called with constants are read once more for each call, with their parameters known: what they put together there
// counts as written. Nothing is run: there are no conditions and no loops in that, and names stay what they are (ADR 111).
const (
	maxCalls   = 4       // functions that are called by functions
	maxBody    = 4 << 10 // bytes of one that is called
	maxHead    = 256     // bytes in which a function's list of parameters ends
	maxCounted = 32      // turns of a loop
)

// jsFunc is where a function's parameters begin.
type jsFunc struct {
	src   []byte
	at    int
	idle  [3]int // calls that made nothing, with no constants, with some and with nothing else
	made  int    // constructed at the last of them
	looks int    // for what it says
	parts int    // known at the last of them
	says  bool   // something that addresses may be made of
	sets  bool   // something as a member
}

const (
	maxIdle  = 2 // readings of a function that find nothing
	maxLooks = 4 // for what it says, each when more is known
)

// functionNames has what is called alone, and as a member of any object: when there are several of a name, none is known.
type functionNames [2]functionSpace

type functionSpace struct {
	all   map[string]*jsFunc
	known nameMask // of all
}

func (f *functionNames) of(member bool) *functionSpace {
	if member {
		return &f[1]
	}
	return &f[0]
}

// defined returns what is called by a name, nil when nobody knows, or when nothing comes of it.
func (c *jsConsts) defined(name []byte, member bool) *jsFunc {
	of := c.functions.of(member)
	if len(name) == 0 || !of.known.has(name) {
		return nil
	}
	fn := of.all[string(name)]
	if fn == nil {
		return nil
	}
	if fn.made != c.constructed { // what it is a member of may say more
		fn.idle, fn.made = [3]int{}, c.constructed
	}
	if fn.idle[2] >= maxIdle {
		return nil
	}
	return fn
}

// function is called for what an address may begin with: what says nothing is left out.
func (c *jsConsts) function(name []byte, member bool) *jsFunc {
	fn := c.defined(name, member)
	if fn == nil {
		return nil
	}
	if !fn.says && fn.looks < maxLooks && (fn.looks == 0 || fn.parts != len(c.parts)) {
		fn.looks++
		fn.parts = len(c.parts)
		fn.says = c.says(fn)
	}
	if !fn.says {
		return nil
	}
	return fn
}

// says reports a function with a part of an address in it, or a name that is known to be one or to give one. Most functions of libraries have
// none, and need not be read for those who call them.
func (c *jsConsts) says(fn *jsFunc) bool {
	if c.left <= 0 {
		return false
	}
	open := 0
	l := jsLexer{src: fn.src[:min(len(fn.src), fn.at+maxBody)], pos: fn.at}
	before, last := jsEnd, jsEnd
	for k, text := jsEnd, []byte(nil); ; before, last = last, k {
		if k, text = l.next(k, text); k == jsEnd {
			break
		}
		switch k {
		case jsAssign:
			fn.sets = fn.sets || last == jsWord && before == jsDot
		case jsStr, jsTemplate, jsPiece, jsValue:
			if len(text) > 2 && partOfAddress(text[1:len(text)-1]) || c.slash && k == jsPiece && string(text) == "}/${" {
				return true
			}
		case jsWord:
			fn.sets = fn.sets || string(text) == "assign" // Object.assign(this, …)
			if c.parts[string(text)] || l.at(0) == '(' && (c.function(text, false) != nil || c.function(text, true) != nil) {
				return true
			}
		}
		if n := nesting(k, text); n != 0 {
			if open += n; open < 0 || open == 0 && k == jsValue && text[0] == '}' {
				break
			}
		} else if open == 0 && (k == jsComma || k == jsOther && text[0] == ';') {
			break
		}
	}
	c.left -= (l.pos - fn.at) / 4
	return false
}

func (c *jsConsts) define(name []byte, member bool, fn jsFunc) {
	of := c.functions.of(member)
	old, known := of.all[string(name)]
	switch {
	case known && member:
		if old != nil && (old.at != fn.at || &old.src[0] != &fn.src[0]) {
			of.all[string(name)] = nil
		}
	case len(name) > 0 && len(name) <= maxName && (known || len(of.all) < maxConsts):
		if of.all == nil {
			of.all = map[string]*jsFunc{}
		}
		of.all[string(name)] = &fn
		of.known.add(name)
	}
}

// defines notes a function that begins at i and is called by a name; false: there is none.
func (s *jsScan) defines(l *jsLexer, i int, name []byte, member bool) bool {
	head := l.src[i:min(len(l.src), i+maxHead)]
	head = bytes.TrimPrefix(head, []byte("async "))
	i = len(l.src[:min(len(l.src), i+maxHead)]) - len(head)
	switch {
	case len(head) == 0:
		return false
	case bytes.HasPrefix(head, []byte("function")):
		n := bytes.IndexByte(head, '(')
		if n < 0 || n > maxName {
			return false
		}
		i += n
	case head[0] == '(':
		params, _, arrow := bytes.Cut(head, []byte("=>"))
		if !arrow || !bytes.HasSuffix(bytes.TrimRight(params, " "), []byte(")")) || bytes.IndexByte(params, ';') >= 0 {
			return false
		}
	default:
		n := 0
		for n < len(head) && jsIdent(head[n]) {
			n++
		}
		if n == 0 || !bytes.HasPrefix(bytes.TrimLeft(head[n:], " "), []byte("=>")) {
			return false
		}
	}
	s.consts.define(name, member, jsFunc{src: l.src, at: i})
	if owner := s.before(4).text; member && (string(owner) == "window" || string(owner) == "self") {
		s.consts.define(name, false, jsFunc{src: l.src, at: i})
	}
	return true
}

// opens looks at a bracket with a word before it: the parameters of a function or a method, or a call of one.
func (s *jsScan) opens(l *jsLexer) {
	word, before := s.before(2), s.before(3)
	if word.kind != jsWord {
		return
	}
	member := before.kind == jsDot
	if s.opensKnown(l, word.text, member) {
		return
	}
	if before.kind == jsWord && string(before.text) == "function" {
		s.consts.define(word.text, false, jsFunc{src: l.src, at: l.pos - 1})
		return
	}
	if !member {
		switch string(word.text) {
		case "for":
			s.counts(l)
			return
		case "function", "if", "while", "switch", "catch", "return", "typeof", "with":
			return
		}
		if before.kind != jsAssign && before.kind != jsPlus && before.kind != jsOpen && string(before.text) != "new" {
			head := l.src[l.pos:min(len(l.src), l.pos+maxHead)]
			if n := bytes.IndexByte(head, ')'); n >= 0 && bytes.HasPrefix(bytes.TrimLeft(head[n+1:], " \r\n\t"), []byte("{")) {
				if fn := (jsFunc{src: l.src, at: l.pos - 1}); string(word.text) == "constructor" {
					s.consts.define(s.class, false, fn)
				} else {
					s.consts.define(word.text, true, fn)
				}
				return
			}
		}
	} else if isLoop(word.text) {
		s.loops(l, s.before(4))
		return
	}
	made := string(before.text) == "new"
	fn := s.consts.function(word.text, member)
	if fn == nil && (member || made) { // what sets something to a folder says nothing itself
		if fn = s.consts.defined(word.text, member); fn != nil && (!fn.sets || !(made && s.consts.rows) && !s.folderFollows(l)) {
			return
		}
	}
	if fn == nil || s.quiet {
		return
	}
	args := s.argsOf(l)
	if !made && !slices.ContainsFunc(args, jsVal.known) && !(member && s.consts.slash) {
		return // but what a method does may depend on what was said since, where it is no library's
	}
	touched := slices.Clone(s.touched)
	if s.call(fn, args, true); len(s.args) > 0 {
		for _, of := range touched {
			of.used = true
		}
	}
}

// argsOf reads the arguments behind the bracket that was read. The lexer is not moved.
func (s *jsScan) argsOf(l *jsLexer) []jsVal {
	e := s.expr(l, s.consts.left)
	e.k, e.text = jsOpen, l.src[l.pos-1:l.pos]
	args := e.args(0)
	s.consts.left -= e.l.pos - l.pos
	return args
}

// folderFollows reports that the first argument is a string with a slash at its end.
func (s *jsScan) folderFollows(l *jsLexer) bool {
	q := l.at(0)
	if q != '"' && q != '\'' {
		return false
	}
	n := bytes.IndexByte(l.src[l.pos+1:min(len(l.src), l.pos+maxHead)], q)
	return n > 1 && l.src[l.pos+n] == '/'
}

// opensKnown looks at calls of functions that are known by their names.
func (s *jsScan) opensKnown(l *jsLexer, name []byte, member bool) bool {
	if len(name) < 3 || len(name) > 9 {
		return false
	}
	word := string(name)
	switch owner := s.before(4); {
	case member && word == "push" && owner.kind == jsWord && s.consts.rows && (l.at(0) == '"' || l.at(0) == '\''):
		if args := s.argsOf(l); len(args) == 1 {
			s.extend(l, owner.text, maxListed, args[0])
		}
	case member && word == "set" && owner.kind == jsWord && s.consts.rows:
		if args := s.argsOf(l); len(args) == 2 {
			s.sets(owner.text, args[0], args[1])
		}
	case member && word == "assign" && s.consts.calls > 0 && string(owner.text) == "Object" && bytes.HasPrefix(l.src[l.pos:], []byte("this,")):
		if args := s.argsOf(l); len(args) == 2 && args[1].kind == mapOf {
			for i, key := range args[1].keys {
				s.consts.set(ofMember, []byte(key), args[1].vals[i])
				s.stays([]byte(key))
			}
		}
	case member && word == "config" && (string(owner.text) == "require" || string(owner.text) == "requirejs"):
		for _, arg := range s.argsOf(l) {
			s.consts.amdConfig(arg)
		}
	case !member && (word == "require" || word == "requirejs" || word == "define") && s.consts.amd != nil:
		s.requires(l)
	default:
		return false
	}
	return true
}

// sets has a map say something for a key.
func (s *jsScan) sets(name []byte, key, val jsVal) {
	if key.kind != oneOf || val.kind != oneOf || len(key.vals) != 1 || len(val.vals) != 1 {
		return
	}
	of := jsVal{kind: mapOf}
	if known := s.consts.get(ofList, name); known != nil {
		if known.keys == nil || known.rows != nil || len(known.keys) >= maxListed {
			return
		}
		of.keys, of.vals = known.keys, known.values
	}
	of.keys, of.vals = append(slices.Clone(of.keys), key.vals[0]), append(slices.Clone(of.vals), val.vals[0])
	s.consts.put(ofList, name, of)
}

// extend makes a string, which comes next, the element of a list at a place, or the last one when it has none there.
func (s *jsScan) extend(l *jsLexer, name []byte, at int, val jsVal) {
	if val.kind != oneOf || len(val.vals) != 1 {
		return
	}
	list := jsVal{kind: listOf}
	if of := s.consts.get(ofList, name); of != nil {
		if of.keys != nil || of.rows != nil || len(of.values) >= maxListed {
			return
		}
		list.vals, list.of = slices.Clone(of.values), of.of
	}
	if at < len(list.vals) {
		list.vals[at] = val.vals[0]
	} else {
		list.vals = append(list.vals, val.vals[0])
	}
	if list.of == nil {
		list.of = &jsConst{}
	}
	s.consts.put(ofList, name, list)
	s.leaveLists()
	if len(s.lists) < foldDepth {
		s.lists = append(s.lists, listed{of: list.of, end: int32(l.pos + len(val.vals[0]))})
	}
}

// call reads a function with its parameters known, and returns what it gives. loud: what it refers to counts.
func (s *jsScan) call(fn *jsFunc, args []jsVal, loud bool) (result jsVal) {
	c := s.consts
	idle := &fn.idle[btoi(slices.ContainsFunc(args, jsVal.known))+btoi(len(args) > 0 && !slices.ContainsFunc(args, jsVal.unknown))]
	if c.calls >= maxCalls || c.left <= 0 || *idle >= maxIdle {
		return jsVal{}
	}
	c.calls++
	taken := c.taken
	t := jsScan{b: s.b, src: fn.src, consts: c, fold: loud, quiet: !loud}
	l := jsLexer{src: fn.src[:min(len(fn.src), fn.at+maxBody)], pos: fn.at}
	e := t.expr(&l, min(c.left, maxBody))
	defer func() {
		c.calls--
		if result.known() {
			c.taken++
		}
		if c.taken == taken {
			*idle++
		} else {
			*idle = 0
		}
		s.held = append(s.held, t.held...)
		s.touched = append(s.touched, t.touched...)
		s.args = s.args[:0]
		for _, was := range slices.Backward(t.saved) {
			if now := c.names[was.space][was.name]; was.param && now != nil && now.used {
				s.args = append(s.args, now)
			}
			was.restore(c)
		}
	}()
	bind := func(name []byte, val jsVal) {
		t.keep(ofVariable, name, true)
		t.keep(ofList, name, false)
		c.unset(name)
		if val.kind == oneOf || val.kind == rowOf {
			c.put(ofVariable, name, val)
		} else {
			c.put(ofList, name, val)
		}
	}
	for _, arg := range args {
		if arg.kind != mapOf {
			continue
		}
		for i, key := range arg.keys {
			t.keep(ofMember, []byte(key), true)
			c.set(ofMember, []byte(key), arg.vals[i])
		}
	}
	c.taken = taken
	e.next()
	if e.k == jsWord {
		bind(e.text, argument(args, 0, ""))
		e.next()
	} else {
		e.next()
		for i := 0; e.k != jsClose && i < 2*foldDepth; i++ {
			e.parameter(argument(args, i, ""), i < len(args), bind, 0)
			if e.k == jsComma {
				e.next()
			} else if e.k != jsClose {
				return jsVal{}
			}
		}
		e.next()
	}
	if string(e.text) == "=>" {
		t.at = jsSpan{int32(e.l.pos - len("=>")), int32(e.l.pos)}
		e.next()
	}
	t.formal = false
	start := e.prev.pos
	l.pos = start
	if e.k != jsBrace {
		e.terms = 0
		back := e
		if result = e.choice(0); e.truth != noCondition {
			result = jsVal{}
		}
		if e = back; loud {
			t.push(jsOther)
			t.run(&l, true)
		} else {
			l.pos = e.l.pos
		}
	} else {
		t.run(&l, true)
		result = t.result
	}
	read := max(l.pos-fn.at, 1)
	if !c.rows {
		read *= 3 // libraries call much, and for nothing
	}
	c.left -= read
	if c.left < 0 {
		return jsVal{}
	}
	return result
}

// savedConst is what a name meant before a call.
type savedConst struct {
	space nameSpace
	name  string
	old   *jsConst
	had   bool
	param bool
}

// keep notes what a name means until the call ends.
func (s *jsScan) keep(space nameSpace, name []byte, param bool) {
	old, had := s.consts.names[space][string(name)]
	s.saved = append(s.saved, savedConst{space, string(name), old, had, param})
}

// declares notes that a function has a name for itself, when it is called.
func (s *jsScan) declares(name []byte) {
	if s.consts.calls > 0 {
		s.keep(ofVariable, name, false)
		s.keep(ofList, name, false)
	}
}

func (v savedConst) restore(c *jsConsts) {
	if v.had {
		c.names[v.space][v.name] = v.old
	} else {
		delete(c.names[v.space], v.name)
	}
}

// parameter binds a parameter, whose first token is in hand: a name, or an object that is taken apart, with what counts when it is not given.
func (e *jsExpr) parameter(val jsVal, given bool, bind func([]byte, jsVal), depth int) {
	switch {
	case e.k == jsWord:
		name := e.text
		if e.next(); e.k == jsAssign {
			e.next()
			if otherwise := e.choice(1); !given {
				if val = otherwise; len(val.vals) == 1 {
					if old := e.s.consts.get(ofVariable, name); old != nil && len(old.values) == 1 && old.values[0] == val.vals[0] {
						old.used = true
					}
				}
			}
		}
		bind(name, val)
	case e.k == jsBrace && depth == 0:
		for e.next(); e.k == jsWord; e.next() {
			of, has := jsVal{}, false
			if val.kind == rowOf {
				of = e.field(val, string(e.text))
				has = of.known()
			} else if i := slices.Index(val.keys, string(e.text)); val.kind == mapOf && i >= 0 {
				of, has = oneString(val.vals[i]), true
			}
			ahead := *e
			if ahead.next(); ahead.k == jsColon {
				e.next()
				e.next()
			}
			if !has && !given {
				of = oneString("")
			}
			if e.parameter(of, has, bind, 1); e.k != jsComma {
				break
			}
		}
		e.next()
	}
	for e.pass(maxTerms); e.k == jsColon; e.pass(maxTerms) {
		e.next()
	}
}

// returns reads what a function gives, behind "return".
func (s *jsScan) returns(l *jsLexer) {
	e := s.expr(l, s.consts.left)
	e.k, e.text = jsWord, []byte("return")
	e.next()
	val := e.choice(0)
	s.consts.left -= e.l.pos - l.pos
	switch {
	case e.left() || !val.known():
	case !s.result.known():
		s.result = val
	default:
		s.result = anyOf(s.result, val)
	}
}
