package script

import (
	"unicode"
	"unicode/utf8"
)

// opcode says what an instruction does.
type opcode uint8

const (
	opMatch  opcode = iota // the end
	opChar                 // the character x; fold: in any case
	opString               // the text from x to y
	opSet                  // a character of the set x
	opSpan                 // min to max characters of the set x; y is the byte that has to be behind them, -1 for any
	opSplit                // goes on, and at x when that fails; lazy: the other way round
	opJump                 // to x
	opSave                 // the place in x
	opClear                // the groups from x to y
	opTurns                // no turn of the loop x was made
	opTurn                 // makes one more turn of the loop x, or goes on at y
	opEnter                // begins a turn of the loop x
	opAgain                // ends a turn of the loop x, which begins at y
	opRef                  // what the group x has
	opLook                 // what is up to opMatch, and goes on at x
	opStart                // of the text, or of a line
	opEnd                  // of the text, or of a line
	opEdge                 // of a word
)

// inst is an instruction.
type inst struct {
	op       opcode
	lazy     bool
	back     bool // it goes backwards
	fold     bool
	not      bool
	lines    bool
	x, y     int32
	min, max int32
}

// emitter writes the program of an expression.
type emitter struct {
	re    *regex
	nodes []node
	text  []byte
}

// emit writes the program of an expression, and what is known of where it begins.
func (re *regex) emit(nodes []node, root int32) {
	e := &emitter{re: re, nodes: nodes}
	re.prog = make([]inst, 0, len(nodes)+2)
	e.node(root, false)
	e.add(inst{op: opMatch})
	if re.anchored = e.isAnchored(root); !re.anchored {
		from := len(e.text)
		if e.prefix(root); len(e.text) == from {
			re.filtered = !e.firsts(root, &re.first)
		}
		re.prefix = string(e.text[from:])
		e.text = e.text[:from]
	}
	re.text = string(e.text)
	for i := range re.prog {
		if in := &re.prog[i]; in.op == opSpan {
			in.y = e.behind(i + 1)
		}
	}
}

func (e *emitter) add(in inst) int32 {
	e.re.prog = append(e.re.prog, in)
	return int32(len(e.re.prog) - 1)
}

func (e *emitter) here() int32 { return int32(len(e.re.prog)) }

// behind is the byte with which a text begins that is found at an instruction, -1 when that may be any.
func (e *emitter) behind(i int) int32 {
	for e.re.prog[i].op == opSave {
		i++
	}
	switch in := e.re.prog[i]; {
	case in.back || in.fold:
	case in.op == opString:
		return int32(e.text[in.x])
	case in.op == opChar && in.x < utf8.RuneSelf:
		return in.x
	}
	return -1
}

// node writes what finds a node; back: from its end to its beginning.
func (e *emitter) node(i int32, back bool) {
	switch n := e.nodes[i]; n.op {
	case nodeSeq:
		e.sequence(n.sub, back)
	case nodeAlt:
		e.alternatives(n.sub, back)
	case nodeChar:
		e.add(inst{op: opChar, x: n.x, fold: n.fold, back: back})
	case nodeSet:
		e.add(inst{op: opSet, x: n.x, back: back})
	case nodeGroup:
		first, last := 2*n.x, 2*n.x+1
		if back {
			first, last = last, first
		}
		e.add(inst{op: opSave, x: first})
		e.node(n.sub, back)
		e.add(inst{op: opSave, x: last})
	case nodeRepeat:
		e.repeat(n, back)
	case nodeRef:
		e.add(inst{op: opRef, x: n.x, fold: n.fold, back: back})
	case nodeLook:
		look := e.add(inst{op: opLook, not: n.not})
		e.node(n.sub, n.behind)
		e.add(inst{op: opMatch})
		e.re.prog[look].x = e.here()
	case nodeStart:
		e.add(inst{op: opStart, lines: n.lines})
	case nodeEnd:
		e.add(inst{op: opEnd, lines: n.lines})
	case nodeEdge:
		e.add(inst{op: opEdge, not: n.not, fold: n.fold})
	}
}

func (e *emitter) sequence(first int32, back bool) {
	if back {
		var terms []int32
		for i := first; i != 0; i = e.nodes[i].next {
			terms = append(terms, i)
		}
		for i := len(terms) - 1; i >= 0; i-- {
			e.node(terms[i], true)
		}
		return
	}
	for i := first; i != 0; i = e.nodes[i].next {
		from, n := len(e.text), 0
		last := i
		for j := i; j != 0 && e.plain(j); j = e.nodes[j].next {
			e.text = utf8.AppendRune(e.text, e.nodes[j].x)
			last, n = j, n+1
		}
		if n > 1 {
			e.add(inst{op: opString, x: int32(from), y: int32(len(e.text))})
			i = last
			continue
		}
		e.text = e.text[:from]
		e.node(i, false)
	}
}

// plain reports a character that stands for itself alone.
func (e *emitter) plain(i int32) bool {
	n := &e.nodes[i]
	return n.op == nodeChar && !n.fold && !half(n.x)
}

func (e *emitter) alternatives(first int32, back bool) {
	exits := int32(-1) // jumps to the end, each knows the one before
	for i := first; i != 0; i = e.nodes[i].next {
		if e.nodes[i].next == 0 {
			e.node(i, back)
			break
		}
		split := e.add(inst{op: opSplit})
		e.node(i, back)
		exits = e.add(inst{op: opJump, x: exits})
		e.re.prog[split].x = e.here()
	}
	for exits >= 0 {
		exits, e.re.prog[exits].x = e.re.prog[exits].x, e.here()
	}
}

// single is the one character, or set, that a node is of; false: it is more.
func (e *emitter) single(i int32) (x int32, is bool) {
	n := e.nodes[i]
	for n.op == nodeSeq && n.sub != 0 && e.nodes[n.sub].next == 0 {
		n = e.nodes[n.sub]
	}
	switch n.op {
	case nodeSet:
		return n.x, true
	case nodeChar:
		s := set{ranges: []pair{{n.x, n.x}}, fold: n.fold, unicode: e.re.unicode}
		s.finish()
		e.re.sets = append(e.re.sets, s)
		return int32(len(e.re.sets) - 1), true
	}
	return 0, false
}

func (e *emitter) repeat(n node, back bool) {
	if n.max == 0 {
		return
	}
	if n.min == 1 && n.max == 1 {
		e.node(n.sub, back)
		return
	}
	if x, is := e.single(n.sub); is {
		e.add(inst{op: opSpan, x: x, min: n.min, max: n.max, lazy: n.lazy, back: back})
		return
	}
	body := func() {
		if n.from < n.to && n.max > 1 {
			e.add(inst{op: opClear, x: n.from, y: n.to})
		}
		e.node(n.sub, back)
	}
	start := e.here()
	switch empty := e.nodes[n.sub].empty; {
	case !empty && n.min == 0 && (n.max == 1 || n.max == endless):
		e.add(inst{op: opSplit, lazy: n.lazy})
		if body(); n.max == endless {
			e.add(inst{op: opJump, x: start})
		}
		e.re.prog[start].x = e.here()
	case !empty && n.min == 1 && n.max == endless:
		body()
		e.add(inst{op: opSplit, lazy: n.lazy, x: e.here() + 2})
		e.add(inst{op: opJump, x: start})
	default:
		reg := 2 * (int32(e.re.groups) + int32(e.re.regs))
		e.re.regs++
		e.add(inst{op: opTurns, x: reg})
		turn := e.add(inst{op: opTurn, x: reg, min: n.min, max: n.max, lazy: n.lazy})
		e.add(inst{op: opEnter, x: reg})
		body()
		e.add(inst{op: opAgain, x: reg, y: turn, min: n.min})
		e.re.prog[turn].y = e.here()
	}
}

// isAnchored reports a node that is found at the beginning of a text only.
func (e *emitter) isAnchored(i int32) bool {
	for n := &e.nodes[i]; ; n = &e.nodes[n.sub] {
		switch {
		case n.op == nodeStart:
			return !n.lines
		case n.op != nodeSeq && n.op != nodeGroup || n.sub == 0:
			return false
		}
	}
}

// prefix adds what each text begins with that a node is found in, and reports that this is all of it.
func (e *emitter) prefix(i int32) bool {
	switch n := &e.nodes[i]; n.op {
	case nodeSeq:
		for j := n.sub; j != 0; j = e.nodes[j].next {
			if !e.prefix(j) {
				return false
			}
		}
		return true
	case nodeChar:
		if e.plain(i) {
			e.text = utf8.AppendRune(e.text, n.x)
			return true
		}
	case nodeGroup:
		return e.prefix(n.sub)
	case nodeRepeat:
		if n.min > 0 {
			e.prefix(n.sub)
		}
	case nodeLook, nodeStart, nodeEnd, nodeEdge:
		return true
	}
	return false
}

// firsts adds the bytes with which a node may begin, and reports that it may be found in nothing.
func (e *emitter) firsts(i int32, b *bitmap) bool {
	switch n := &e.nodes[i]; n.op {
	case nodeSeq:
		for j := n.sub; j != 0; j = e.nodes[j].next {
			if !e.firsts(j, b) {
				return false
			}
		}
		return true
	case nodeAlt:
		empty := false
		for j := n.sub; j != 0; j = e.nodes[j].next {
			empty = e.firsts(j, b) || empty
		}
		return empty
	case nodeChar:
		b.add(byte(min(n.x, utf8.RuneSelf)))
		for f := unicode.SimpleFold(n.x); n.fold && f != n.x; f = unicode.SimpleFold(f) {
			b.add(byte(min(f, utf8.RuneSelf)))
		}
		return false
	case nodeSet:
		b.addAll(&e.re.sets[n.x].bits)
		return false
	case nodeGroup:
		return e.firsts(n.sub, b)
	case nodeRepeat:
		return n.max == 0 || e.firsts(n.sub, b) || n.min == 0
	case nodeRef: // of which nobody knows what it has
		*b = bitmap{1<<64 - 1, 1<<64 - 1, 1}
		return true
	}
	return true
}
