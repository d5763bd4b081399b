package script

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// regex is a regular expression of the language, as a program (ECMA-262, 22.2).
type regex struct {
	prog   []inst
	sets   []set
	text   string   // strings that the program compares with
	groups int      // with the whole
	names  []string // of groups, nil: none has one
	regs   int      // counters of loops

	prefix   string // what it begins with
	first    bitmap // or the bytes with which it may
	filtered bool   // first says something
	anchored bool   // it is found at the beginning of a text, or nowhere
	halves   bool   // it has halves of pairs of UTF-16, which are no characters here

	global, ignoreCase, multiline, dotAll, unicode, unicodeSets, sticky, indices bool
}

// Limits of one expression.
const (
	maxRegex = 16 << 10 // bytes of it
	maxNest  = 200      // groups in groups
	endless  = 1 << 30  // times
)

// nodeOp says what a node of an expression is.
type nodeOp uint8

const (
	nodeSeq nodeOp = iota // its children one after another
	nodeAlt               // one of its children
	nodeChar
	nodeSet
	nodeGroup  // that is remembered
	nodeRepeat // of its child
	nodeRef    // to a group
	nodeLook   // at what is ahead, or behind
	nodeStart
	nodeEnd
	nodeEdge // of a word
)

// node is a part of an expression.
type node struct {
	op        nodeOp
	fold      bool // upper and lower case are the same
	not       bool
	behind    bool
	lazy      bool
	lines     bool // starts and ends of lines, too
	empty     bool // it may be found in nothing
	sub, next int32
	x         int32 // character, set or group
	min, max  int32
	from, to  int32 // groups within a repetition
}

// regexParser reads an expression. Nodes, in one slice, know each other by their numbers; 0 is none.
type regexParser struct {
	re     *regex
	src    string
	at     int
	nodes  []node
	total  int  // groups, as counted before
	named  bool // some have names
	depth  int
	refs   []nameRef
	fold   bool
	lines  bool
	dotAll bool
	err    error
}

// nameRef is a reference to a group by its name.
type nameRef struct {
	node int32
	name string
}

// compileRegex reads an expression. An error says why it is none, or not known here.
func compileRegex(src, flags string) (*regex, error) {
	re := &regex{groups: 1}
	if err := re.setFlags(flags); err != nil {
		return nil, err
	}
	if len(src) > maxRegex {
		return nil, errors.New("script: expression too long")
	}
	c := &regexParser{re: re, src: src, nodes: make([]node, 1, 8+len(src)/2), fold: re.ignoreCase, lines: re.multiline, dotAll: re.dotAll}
	c.count()
	root := c.alternatives()
	if c.err == nil && c.at < len(src) {
		c.fail("unmatched )")
	}
	c.resolve()
	if c.err != nil {
		return nil, c.err
	}
	re.emit(c.nodes, root)
	return re, nil
}

func (re *regex) setFlags(flags string) error {
	for i := range len(flags) {
		var flag *bool
		switch flags[i] {
		case 'd':
			flag = &re.indices
		case 'g':
			flag = &re.global
		case 'i':
			flag = &re.ignoreCase
		case 'm':
			flag = &re.multiline
		case 's':
			flag = &re.dotAll
		case 'u':
			flag = &re.unicode
		case 'v':
			flag = &re.unicodeSets
		case 'y':
			flag = &re.sticky
		}
		if flag == nil || *flag {
			return errors.New("script: flags of an expression")
		}
		*flag = true
	}
	if re.unicode && re.unicodeSets {
		return errors.New("script: flags of an expression")
	}
	re.unicode = re.unicode || re.unicodeSets
	return nil
}

// fail notes what is wrong, and ends the reading.
func (c *regexParser) fail(why string) {
	if c.err == nil {
		c.err = errors.New("script: expression: " + why)
	}
	c.at = len(c.src)
}

// count counts the groups, which references before them need to know.
func (c *regexParser) count() {
	in := false
	for i := 0; i < len(c.src); i++ {
		switch c.src[i] {
		case '\\':
			i++
		case '[':
			in = true
		case ']':
			in = false
		case '(':
			rest := c.src[i+1:]
			switch named := strings.HasPrefix(rest, "?<") && !strings.HasPrefix(rest, "?<=") && !strings.HasPrefix(rest, "?<!"); {
			case in:
			case named:
				c.named = true
				c.total++
			case !strings.HasPrefix(rest, "?"):
				c.total++
			}
		}
	}
}

func (c *regexParser) resolve() {
	for _, ref := range c.refs {
		x := int32(0)
		for i, name := range c.re.names {
			if name == ref.name {
				x = int32(i)
			}
		}
		if x == 0 {
			c.fail("no group has the name")
			return
		}
		c.nodes[ref.node].x = x
	}
}

// peek is the next byte, 0 at the end.
func (c *regexParser) peek() byte {
	if c.at < len(c.src) {
		return c.src[c.at]
	}
	return 0
}

// accept goes past something, when it is next.
func (c *regexParser) accept(s string) bool {
	if strings.HasPrefix(c.src[c.at:], s) {
		c.at += len(s)
		return true
	}
	return false
}

// rune goes past a character.
func (c *regexParser) rune() rune {
	r, n := utf8.DecodeRuneInString(c.src[c.at:])
	c.at += n
	return r
}

func (c *regexParser) node(n node) int32 {
	c.nodes = append(c.nodes, n)
	return int32(len(c.nodes) - 1)
}

// alternatives reads a|b|c.
func (c *regexParser) alternatives() int32 {
	first := c.sequence()
	if c.peek() != '|' {
		return first
	}
	alt := c.node(node{op: nodeAlt, sub: first, empty: c.nodes[first].empty})
	for last := first; c.accept("|"); {
		next := c.sequence()
		c.nodes[last].next = next
		last = next
		c.nodes[alt].empty = c.nodes[alt].empty || c.nodes[next].empty
	}
	return alt
}

// sequence reads terms one after another.
func (c *regexParser) sequence() int32 {
	seq, last := c.node(node{op: nodeSeq, empty: true}), int32(0)
	for c.at < len(c.src) && c.src[c.at] != '|' && c.src[c.at] != ')' {
		groups := int32(c.re.groups)
		n, repeats := c.term()
		if c.err != nil {
			return seq
		}
		n = c.quantified(n, groups, repeats)
		if last == 0 {
			c.nodes[seq].sub = n
		} else {
			c.nodes[last].next = n
		}
		last = n
		c.nodes[seq].empty = c.nodes[seq].empty && c.nodes[n].empty
	}
	return seq
}

// quantified reads *, +, ?, {n,m} behind a term.
func (c *regexParser) quantified(n, groups int32, repeats bool) int32 {
	at := c.at
	lo, hi := 0, 0
	switch {
	case c.accept("*"):
		hi = endless
	case c.accept("+"):
		lo, hi = 1, endless
	case c.accept("?"):
		hi = 1
	case c.peek() == '{':
		var is bool
		if lo, hi, is = c.braces(); !is {
			return n
		}
	default:
		return n
	}
	if !repeats || hi < lo {
		c.at = at
		c.fail("nothing to repeat, or less often than at least")
		return n
	}
	loop := node{op: nodeRepeat, sub: n, min: int32(lo), max: int32(hi), lazy: c.accept("?"), from: groups, to: int32(c.re.groups)}
	loop.empty = lo == 0 || c.nodes[n].empty
	return c.node(loop)
}

// braces reads {n}, {n,} and {n,m}; false: it is none, and nothing was read.
func (c *regexParser) braces() (lo, hi int, is bool) {
	at := c.at
	c.at++
	lo, is = c.number()
	hi = lo
	if is && c.accept(",") {
		if hi, is = c.number(); !is {
			hi, is = endless, true
		}
	}
	if !is || !c.accept("}") {
		c.at = at
		return 0, 0, false
	}
	return lo, hi, true
}

func (c *regexParser) number() (n int, is bool) {
	for ; '0' <= c.peek() && c.peek() <= '9'; c.at++ {
		n, is = min(n*10+int(c.peek()-'0'), endless), true
	}
	return n, is
}

// term reads one term; repeats: it may have a quantifier.
func (c *regexParser) term() (n int32, repeats bool) {
	switch b := c.src[c.at]; b {
	case '^':
		c.at++
		return c.node(node{op: nodeStart, lines: c.lines, empty: true}), false
	case '$':
		c.at++
		return c.node(node{op: nodeEnd, lines: c.lines, empty: true}), false
	case '(':
		return c.group()
	case '*', '+', '?':
		c.fail("nothing to repeat")
		return 0, false
	case '{':
		if _, _, is := c.braces(); is || c.re.unicode {
			c.fail("nothing to repeat")
			return 0, false
		}
	case '}', ']':
		if c.re.unicode {
			c.fail("lone bracket")
			return 0, false
		}
	case '.':
		c.at++
		s := set{not: true, ranges: pairs(nil, lineEnds)}
		if c.dotAll {
			s.ranges = nil
		}
		return c.set(s), true
	case '[':
		c.at++
		return c.class(), true
	case '\\':
		c.at++
		return c.escape()
	}
	return c.char(c.rune()), true
}

func (c *regexParser) char(r rune) int32 {
	if half(r) {
		c.re.halves = true
	}
	fold := c.fold && folds(r, c.re.unicode)
	if fold {
		r = canonical(r, c.re.unicode)
	}
	return c.node(node{op: nodeChar, x: r, fold: fold})
}

func (c *regexParser) set(s set) int32 {
	s.fold, s.unicode = c.fold, c.re.unicode
	s.finish()
	c.re.sets = append(c.re.sets, s)
	return c.node(node{op: nodeSet, x: int32(len(c.re.sets) - 1)})
}

// group reads what is in brackets.
func (c *regexParser) group() (n int32, repeats bool) {
	if c.depth++; c.depth > maxNest {
		c.fail("too deep")
		return 0, false
	}
	fold, lines, dotAll := c.fold, c.lines, c.dotAll
	repeats = true
	c.at++
	switch {
	case c.accept("?:"):
		n = c.alternatives()
		n = c.node(node{op: nodeSeq, sub: n, empty: c.nodes[n].empty})
	case c.accept("?="):
		n, repeats = c.look(node{}), !c.re.unicode
	case c.accept("?!"):
		n, repeats = c.look(node{not: true}), !c.re.unicode
	case c.accept("?<="):
		n, repeats = c.look(node{behind: true}), false
	case c.accept("?<!"):
		n, repeats = c.look(node{behind: true, not: true}), false
	default:
		name := ""
		if c.accept("?") {
			if c.peek() != '<' {
				if c.modifiers(); c.err == nil {
					n = c.alternatives()
					n = c.node(node{op: nodeSeq, sub: n, empty: c.nodes[n].empty})
				}
				break
			}
			if name = c.name(); c.err != nil {
				return 0, false
			}
		}
		n = c.node(node{op: nodeGroup, x: int32(c.re.groups)})
		c.re.groups++
		c.call(name)
		sub := c.alternatives()
		c.nodes[n].sub, c.nodes[n].empty = sub, c.nodes[sub].empty
	}
	if c.depth--; c.err == nil && !c.accept(")") {
		c.fail("group without end")
	}
	c.fold, c.lines, c.dotAll = fold, lines, dotAll
	return n, repeats
}

func (c *regexParser) look(n node) int32 {
	n.op, n.empty, n.sub = nodeLook, true, c.alternatives()
	return c.node(n)
}

// call gives the last group its name, "" for none.
func (c *regexParser) call(name string) {
	if !c.named {
		return
	}
	if c.re.names == nil {
		c.re.names = make([]string, 1, c.total+1)
	}
	for _, old := range c.re.names {
		if old == name && name != "" {
			c.fail("two groups of a name")
		}
	}
	c.re.names = append(c.re.names, name)
}

// modifiers reads the flags of (?i-s:…).
func (c *regexParser) modifiers() {
	on, seen := true, ""
	for ; c.at < len(c.src); c.at++ {
		b := c.src[c.at]
		if strings.IndexByte(seen, b) >= 0 {
			break
		}
		switch b {
		case 'i':
			c.fold = on
		case 'm':
			c.lines = on
		case 's':
			c.dotAll = on
		case '-':
			on = false
		case ':':
			if seen != "" && seen != "-" {
				c.at++
				return
			}
			c.fail("group of a kind that is not known")
			return
		default:
			c.fail("group of a kind that is not known")
			return
		}
		seen += c.src[c.at : c.at+1]
	}
	c.fail("group of a kind that is not known")
}

// name reads the name of a group in angle brackets.
func (c *regexParser) name() string {
	end := strings.IndexByte(c.src[c.at:], '>')
	if !c.accept("<") || end < 2 {
		c.fail("group without a name")
		return ""
	}
	name := c.src[c.at : c.at+end-1]
	for i, r := range name {
		if r != '$' && r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)) {
			c.fail("group without a name")
			return ""
		}
	}
	c.at += end
	return name
}
