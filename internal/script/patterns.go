package script

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// pattern is a regular expression.
type pattern struct {
	machine
	source string
	global bool
	at     int
}

// maxPattern is how long expressions are that are tried.
const maxPattern = 256

const (
	maxMachine = 1000    // steps of it
	maxTries   = 1 << 22 // steps in a text
)

// regexp makes an object of /source/flags. What Go does not read, or reads otherwise, is not known.
func (p *Page) regexp(src string) value {
	end := strings.LastIndexByte(src, '/')
	if end < 1 {
		return unknown{}
	}
	return p.compile(src[1:end], src[end+1:])
}

var (
	unicodeEscape = regexp.MustCompile(`\\u([0-9A-Fa-f]{4})`)
	large         = regexp.MustCompile(`\\[pP]|-(\\x\{|[^\x00-\x7F])`) // classes of thousands
	namedGroup    = regexp.MustCompile(`\(\?<([A-Za-z_]\w*)>`)
)

func (p *Page) compile(body, flags string) value {
	o := p.object()
	o.class = classRegExp
	pt := &pattern{source: body, global: strings.Contains(flags, "g")}
	o.host = pt
	goes := ""
	for _, f := range flags {
		if f == 'i' || f == 'm' || f == 's' {
			goes += string(f)
		}
	}
	if goes != "" {
		goes = "(?" + goes + ")"
	}
	m, known := p.machines[goes+body]
	if !known {
		m = p.machine(goes, body)
		if p.machines == nil {
			p.machines = map[string]machine{}
		}
		p.machines[goes+body] = m
	}
	pt.machine = m
	return o
}

// machine is a regular expression as Go reads it.
type machine struct {
	re    *regexp.Regexp // nil: it does not
	size  int
	ahead bool
}

func (p *Page) machine(goes, body string) (m machine) {
	p.cost(len(body))
	expr := unicodeEscape.ReplaceAllString(body, `\x{$1}`)
	expr = namedGroup.ReplaceAllString(expr, `(?P<$1>`)
	expr = strings.ReplaceAll(strings.ReplaceAll(expr, `\/`, `/`), `\-`, `\x2d`)
	expr = goes + strings.ReplaceAll(expr, `[^]`, `(?s:.)`)
	if len(expr) > maxPattern {
		return m
	}
	if large.MatchString(expr) {
		p.cost(64 * len(expr))
	}
	if tree, err := syntax.Parse(expr, syntax.Perl); err == nil {
		m.size, _, m.ahead = measure(tree)
		if p.cost(m.size); m.size <= maxMachine {
			m.re, _ = regexp.Compile(expr)
		}
	}
	return m
}

func patternOf(v value) *pattern {
	if o, is := v.(*object); is {
		pt, _ := o.host.(*pattern)
		return pt
	}
	return nil
}

// regexpOf is what is looked for in a text, and how often it may be found.
func (p *Page) regexpOf(v value, in *text) (*regexp.Regexp, int) {
	if pt := patternOf(v); pt != nil {
		p.cost(len(in.s) * pt.size / 256)
		if most := maxTries / (len(in.s)*pt.size + 1); pt.ahead && most < maxItems {
			return pt.re, max(most, 2)
		}
		return pt.re, maxItems
	}
	if t, is := v.(*text); is && t.known() {
		p.cost(len(t.s) / 4)
		re, _ := regexp.Compile(regexp.QuoteMeta(t.s))
		return re, maxItems
	}
	return nil, 0
}

// measure is about how many steps a machine for an expression has, and whether it may look far ahead of what it finds: then each that it finds may take as long as all of them.
func measure(re *syntax.Regexp) (size int, loops, ahead bool) {
	if size = 1 + len(re.Rune)/16; re.Op == syntax.OpLiteral {
		size = len(re.Rune)
	}
	inner := false
	for _, sub := range re.Sub {
		n, l, a := measure(sub)
		size, inner, ahead = size+n, inner || l, ahead || a
	}
	switch re.Op {
	case syntax.OpRepeat:
		size *= max(re.Min, re.Max, 1)
		loops = re.Max < 0
	case syntax.OpStar, syntax.OpPlus:
		loops = true
	}
	if inner && (loops || re.Op == syntax.OpRepeat || re.Op == syntax.OpQuest || re.Op == syntax.OpAlternate) {
		ahead = true
	}
	return min(size, 1<<20), loops || inner, ahead
}
