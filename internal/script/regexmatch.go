package script

import (
	"strings"
	"unicode/utf8"
)

// Limits of one search.
const (
	maxBack     = 1 << 18 // places to go back to
	keptBack    = 1 << 12 // of which room is kept for the next search
	stepsPerOne = 16      // of a search, in one of the interpreter
	stepsAtOnce = 256     // that are charged together
)

// matcher looks for expressions in texts. It counts its steps, and is not for several goroutines.
type matcher struct {
	cost  func(int) // is told of each 16 steps; what it panics with ends the search
	re    *regex
	s     string
	state []int32 // places of groups, and two numbers for each loop: turns, and where the last began
	stack []back
	steps int
	full  bool // too much to go back to: what is found is not known
}

// back is a place to go back to, or what to restore on the way there.
type back struct {
	pc  int32 // of the instruction; below 0: what of the state, as ^pc
	pos int32
	low int32 // alone; from 0: of a span that may be shorter, down to that; below alone: as many times longer
}

// alone is for what is no span.
const alone = -1

// find looks for an expression from a place on. Without a result there is none, or, not known, nobody knows.
func (m *matcher) find(re *regex, s string, from int, sticky bool) (at []int, known bool) {
	m.re, m.s, m.stack, m.full = re, s, m.stack[:0], false
	if n := 2 * (re.groups + re.regs); cap(m.state) < n {
		m.state = make([]int32, n)
	} else {
		m.state = m.state[:n]
	}
	for i := range m.state {
		m.state[i] = -1
	}
	m.spend(len(m.state) / 8)
	for pos := from; pos <= len(s); pos++ {
		if !sticky {
			if pos = m.skip(pos); pos < 0 {
				break
			}
		}
		end, found := m.run(0, pos)
		if m.full {
			m.free()
			return nil, false
		}
		if found {
			at = make([]int, 2*re.groups)
			for i := range at {
				at[i] = int(m.state[i])
			}
			at[0], at[1] = pos, end
			m.spend(len(at) / 2)
			break
		}
		if sticky || re.anchored {
			break
		}
		if pos < len(s) && s[pos] >= utf8.RuneSelf {
			_, n := utf8.DecodeRuneInString(s[pos:])
			pos += n - 1
		}
	}
	m.free()
	return at, true
}

// free gives room back that most searches do not need.
func (m *matcher) free() {
	if m.s = ""; cap(m.stack) > keptBack {
		m.stack = nil
	}
}

// spend counts steps.
func (m *matcher) spend(n int) {
	if m.steps += n; m.steps >= stepsAtOnce {
		n = m.steps / stepsPerOne
		m.steps %= stepsPerOne
		m.cost(n)
	}
}

// skip is the next place at which the expression may begin, -1 for none.
func (m *matcher) skip(pos int) int {
	re := m.re
	switch {
	case re.anchored:
		if pos > 0 {
			return -1
		}
	case re.prefix != "":
		i := strings.Index(m.s[pos:], re.prefix)
		if i < 0 {
			m.spend((len(m.s) - pos) / 16)
			return -1
		}
		m.spend(i / 16)
		return pos + i
	case re.filtered:
		from := pos
		for pos < len(m.s) && !re.first.may(m.s[pos]) {
			pos++
		}
		if m.spend((pos - from) / 4); pos == len(m.s) {
			return -1
		}
	}
	return pos
}

// take is the next character and the place behind it, -1 at the end; back: the one before.
func (m *matcher) take(pos int, back bool) (rune, int) {
	if back {
		if pos == 0 {
			return -1, 0
		}
		if c := m.s[pos-1]; c < utf8.RuneSelf {
			return rune(c), pos - 1
		}
		r, n := utf8.DecodeLastRuneInString(m.s[:pos])
		return r, pos - n
	}
	if pos == len(m.s) {
		return -1, pos
	}
	if c := m.s[pos]; c < utf8.RuneSelf {
		return rune(c), pos + 1
	}
	r, n := utf8.DecodeRuneInString(m.s[pos:])
	return r, pos + n
}

// set changes the state, and remembers what it was.
func (m *matcher) set(i int32, to int) {
	m.push(back{^i, m.state[i], alone})
	m.state[i] = int32(to)
}

func (m *matcher) push(b back) {
	if len(m.stack) >= maxBack {
		m.full = true
		return
	}
	m.stack = append(m.stack, b)
}

// again goes back to the last place above base; false: there is none.
func (m *matcher) again(base int) (pc, pos int, is bool) {
	for len(m.stack) > base && !m.full {
		m.spend(1)
		b := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		switch {
		case b.pc < 0:
			m.state[^b.pc] = b.pos
		case b.low == alone:
			return int(b.pc), int(b.pos), true
		case b.low >= 0:
			if pos, is = m.shorter(b); is {
				return int(b.pc) + 1, pos, true
			}
		default:
			in := &m.re.prog[b.pc]
			r, pos := m.take(int(b.pos), in.back)
			if r < 0 || !m.in(in.x, r) {
				continue
			}
			if pos, is = m.longer(int(b.pc), pos, alone-1-int(b.low)-1); is {
				return int(b.pc) + 1, pos, true
			}
		}
	}
	return 0, 0, false
}

// in reports a character of a set.
func (m *matcher) in(x int32, r rune) bool {
	s := &m.re.sets[x]
	if r >= utf8.RuneSelf {
		m.spend(s.weight)
	}
	return s.has(r)
}

// span goes past as many characters of a set as an instruction says; false: there are too few.
func (m *matcher) span(pc, pos int) (int, bool) {
	in := &m.re.prog[pc]
	most, n, low, start := int(in.max), 0, pos, pos
	if in.lazy {
		most = int(in.min)
	}
	s := &m.re.sets[in.x]
	for n < most {
		if !in.back && pos < len(m.s) && s.bits.has(m.s[pos]) {
			pos++
		} else {
			r, to := m.take(pos, in.back)
			if r < 0 || !m.in(in.x, r) {
				break
			}
			pos = to
		}
		if n++; n == int(in.min) {
			low = pos
		}
		if n&0xff == 0 {
			m.spend(0x40)
		}
	}
	m.spend(n & 0xff / 4)
	switch {
	case n < int(in.min):
		return 0, false
	case in.lazy:
		return m.longer(pc, pos, int(in.max-in.min))
	case in.min == 0:
		low = start
	}
	if pos == low {
		return pos, true
	}
	if in.y >= 0 && (pos == len(m.s) || int32(m.s[pos]) != in.y) {
		return m.shorter(back{int32(pc), int32(pos), int32(low)})
	}
	m.push(back{int32(pc), int32(pos), int32(low)})
	return pos, true
}

// shorter goes back in a span, to where what is behind it may be.
func (m *matcher) shorter(b back) (pos int, is bool) {
	in := &m.re.prog[b.pc]
	for pos = int(b.pos); pos != int(b.low); {
		m.spend(1)
		_, pos = m.take(pos, !in.back)
		if in.y < 0 || int32(m.s[pos]) == in.y {
			if pos != int(b.low) {
				m.push(back{b.pc, int32(pos), b.low})
			}
			return pos, true
		}
	}
	return 0, false
}

// longer goes on in a lazy span, which may have so many characters more, to where what is behind it may be.
func (m *matcher) longer(pc, pos, more int) (int, bool) {
	in := &m.re.prog[pc]
	for {
		if in.y < 0 || pos < len(m.s) && int32(m.s[pos]) == in.y {
			if more > 0 {
				m.push(back{int32(pc), int32(pos), int32(alone - 1 - more)})
			}
			return pos, true
		}
		m.spend(1)
		r, to := m.take(pos, in.back)
		if more == 0 || r < 0 || !m.in(in.x, r) {
			return 0, false
		}
		pos, more = to, more-1
	}
}

// run follows the program from an instruction and a place on, to the end of a match.
func (m *matcher) run(pc, pos int) (end int, found bool) {
	base := len(m.stack)
	prog := m.re.prog
	for {
		if m.steps++; m.steps >= stepsAtOnce {
			m.spend(0)
		}
		in := &prog[pc]
		pc++
		good := true
		switch in.op {
		case opMatch:
			return pos, !m.full
		case opChar:
			r, to := m.take(pos, in.back)
			good = r == in.x || in.fold && r >= 0 && canonical(r, m.re.unicode) == in.x
			pos = to
		case opString:
			if good = strings.HasPrefix(m.s[pos:], m.re.text[in.x:in.y]); good {
				pos += int(in.y - in.x)
			}
			m.steps += int(in.y-in.x) / 16
		case opSet:
			r, to := m.take(pos, in.back)
			good = r >= 0 && m.in(in.x, r)
			pos = to
		case opSpan:
			pos, good = m.span(pc-1, pos)
		case opSplit:
			if in.lazy {
				m.push(back{int32(pc), int32(pos), alone})
				pc = int(in.x)
			} else {
				m.push(back{in.x, int32(pos), alone})
			}
		case opJump:
			pc = int(in.x)
		case opSave:
			m.set(in.x, pos)
		case opClear:
			m.clear(in.x, in.y)
		case opTurns:
			m.set(in.x, 0)
		case opTurn:
			pc = m.turn(in, pc, pos)
		case opEnter:
			m.set(in.x, int(m.state[in.x])+1)
			m.set(in.x+1, pos)
		case opAgain:
			good = m.state[in.x] <= in.min || int(m.state[in.x+1]) != pos
			pc = int(in.y)
		case opRef:
			pos, good = m.ref(in, pos)
		case opLook:
			if good = m.look(in, pc, pos); good {
				pc = int(in.x)
			}
		case opStart:
			good = pos == 0 || in.lines && m.lineEnd(pos, true)
		case opEnd:
			good = pos == len(m.s) || in.lines && m.lineEnd(pos, false)
		case opEdge:
			before, _ := m.take(pos, true)
			after, _ := m.take(pos, false)
			good = (isWord(before, in.fold) != isWord(after, in.fold)) != in.not
		}
		if good && !m.full {
			continue
		}
		if pc, pos, good = m.again(base); !good {
			return 0, false
		}
	}
}

// clear forgets what groups have.
func (m *matcher) clear(from, to int32) {
	m.spend(int(to-from) / 4)
	for i := 2 * from; i < 2*to; i++ {
		if m.state[i] >= 0 {
			m.set(i, -1)
		}
	}
}

// turn says whether a loop makes one more turn, and where to go on.
func (m *matcher) turn(in *inst, pc, pos int) int {
	switch turns := m.state[in.x]; {
	case turns < in.min:
	case turns >= in.max:
		return int(in.y)
	case in.lazy:
		m.push(back{int32(pc), int32(pos), alone})
		return int(in.y)
	default:
		m.push(back{in.y, int32(pos), alone})
	}
	return pc
}

// ref goes past what a group has.
func (m *matcher) ref(in *inst, pos int) (int, bool) {
	from, to := int(m.state[2*in.x]), int(m.state[2*in.x+1])
	if from < 0 || to < 0 {
		return pos, true
	}
	what := m.s[from:to]
	m.spend(len(what) / 16)
	switch {
	case in.fold:
	case in.back:
		return pos - len(what), strings.HasSuffix(m.s[:pos], what)
	default:
		return pos + len(what), strings.HasPrefix(m.s[pos:], what)
	}
	at, end := from, to
	if in.back {
		at, end = to, from
	}
	for at != end {
		m.spend(1)
		var a, b rune
		a, at = m.take(at, in.back)
		b, pos = m.take(pos, in.back)
		if b < 0 || canonical(a, m.re.unicode) != canonical(b, m.re.unicode) {
			return pos, false
		}
	}
	return pos, true
}

// look finds what is ahead, or behind, and goes nowhere.
func (m *matcher) look(in *inst, pc, pos int) bool {
	base := len(m.stack)
	_, found := m.run(pc, pos)
	if in.not || !found { // nothing is kept of it
		for i := len(m.stack) - 1; i >= base; i-- {
			if b := m.stack[i]; b.pc < 0 {
				m.state[^b.pc] = b.pos
			}
		}
		m.stack = m.stack[:base]
		return found != in.not
	}
	n := base
	for _, b := range m.stack[base:] {
		if b.pc < 0 {
			m.stack[n] = b
			n++
		}
	}
	m.spend((len(m.stack) - base) / 4)
	m.stack = m.stack[:n]
	return true
}

// lineEnd reports the end of a line at a place, or before it.
func (m *matcher) lineEnd(pos int, before bool) bool {
	r, _ := m.take(pos, before)
	return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029'
}
