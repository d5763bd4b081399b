package script

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// pattern is a regular expression of a script.
type pattern struct {
	re     *regex // nil: it is not known
	source string
	flags  string
	at     int // lastIndex, in characters; -1: nobody knows
}

// regexp makes an object of /source/flags. What is no expression, or none that is read here, is not known.
func (p *Page) regexp(src string) value {
	end := strings.LastIndexByte(src, '/')
	if end < 1 {
		return unknown{}
	}
	return p.compile(src[1:end], src[end+1:], src)
}

// compile makes an object of an expression; src is it with slashes.
func (p *Page) compile(source, flags, src string) value {
	o := p.object()
	o.class = classRegExp
	re, known := p.machines[src]
	if !known {
		p.cost(len(src))
		re, _ = compileRegex(source, flags)
		if p.machines == nil {
			p.machines = map[string]*regex{}
		}
		p.machines[src] = re
	}
	o.host = &pattern{re: re, source: source, flags: flags}
	return o
}

// newRegexp is RegExp, as a function and as a class.
func newRegexp(p *Page, _ value, args []value) value {
	source, flags := "", ""
	switch of := one(argument(args, 0)).(type) {
	case *object:
		pt := patternOf(of)
		if pt == nil {
			return unknown{}
		}
		source, flags = pt.source, pt.flags
	case *text:
		if of.consumed = true; !of.known() || of.page {
			return unknown{}
		}
		source = of.s
	default:
		return unknown{}
	}
	switch f := one(argument(args, 1)).(type) {
	case nil:
	case *text:
		if f.consumed = true; !f.known() {
			return unknown{}
		}
		flags = f.s
	default:
		return unknown{}
	}
	if source == "" {
		source = "(?:)"
	}
	return p.compile(source, flags, "/"+source+"/"+flags)
}

func patternOf(v value) *pattern {
	if o, is := v.(*object); is {
		pt, _ := o.host.(*pattern)
		return pt
	}
	return nil
}

// patternFor is patternOf; of a text it makes one.
func (p *Page) patternFor(v value, flags string) *pattern {
	if t, is := v.(*text); is {
		v = newRegexp(p, nil, []value{t, plain(flags)})
	}
	return patternOf(v)
}

// searched reports that what a pattern finds in a text can be known.
func (p *Page) searched(pt *pattern, t *text) bool { return p.searchedIn(pt, t) && !t.page }

// searchedIn is searched for a text that may say where the page is.
func (p *Page) searchedIn(pt *pattern, t *text) bool {
	if p.matcher.cost == nil {
		p.matcher.cost = p.cost
	}
	known := pt != nil && pt.re != nil && t.known()
	if known && pt.re.halves {
		p.cost(len(t.s) / 64)
		known = !pairsOf16(t.s)
	}
	if !known || t.page {
		p.matched.of = nil
	}
	return known
}

// pairsOf16 reports characters that are pairs in UTF-16, or may have been.
func pairsOf16(s string) bool {
	for i := range len(s) {
		if s[i] >= 0xf0 {
			return true
		}
	}
	return strings.ContainsRune(s, utf8.RuneError)
}

// units is how many characters there are before a place in a text, and offset the place behind so many, -1 beyond the end.
func (p *Page) units(s string, at int) int {
	p.cost(at / 512)
	return utf8.RuneCountInString(s[:at])
}

func (p *Page) offset(s string, n int) int {
	p.cost(min(n, len(s)) / 128)
	at := 0
	for ; n > 0; n-- {
		if at == len(s) {
			return -1
		}
		at = behind(s, at)
	}
	return at
}

// behind is the place behind the character at a place; behind the end it goes on, too.
func behind(s string, at int) int {
	if at >= len(s) || s[at] < utf8.RuneSelf {
		return at + 1
	}
	_, n := utf8.DecodeRuneInString(s[at:])
	return at + n
}

// exec finds a pattern once, from where it was found last if it goes on from there.
func (p *Page) exec(pt *pattern, t *text) (at []int, known bool) {
	re, from := pt.re, 0
	on := re.global || re.sticky
	if on {
		if pt.at < 0 {
			p.matched.of = nil
			return nil, false
		}
		from = p.offset(t.s, pt.at)
	}
	if from >= 0 {
		if at, known = p.matcher.find(re, t.s, from, re.sticky); !known {
			p.matched.of = nil
			return nil, false
		}
	}
	if on {
		if pt.at = 0; at != nil {
			pt.at = p.units(t.s, at[1])
		}
	}
	p.remember(t, at)
	return at, true
}

// remember keeps what was found last, which RegExp has parts of.
func (p *Page) remember(t *text, at []int) {
	if at != nil {
		p.matched.of, p.matched.at = t, at
	}
}

// addMatched gives RegExp the groups of what was found last: $1 … $9 (ECMAScript's legacy features of regular expressions).
func (p *Page) addMatched(of *object) {
	for i := range 9 {
		name := "$" + strconv.Itoa(i+1)
		of.add(name, nil).get = p.native(name, func(p *Page, _ value, _ []value) value {
			m := &p.matched
			switch at := 2 * (i + 1); {
			case m.of == nil:
				return unknown{}
			case at < len(m.at) && m.at[at] >= 0:
				return p.derive(m.of.s[m.at[at]:m.at[at+1]], m.of)
			}
			return p.make("")
		})
	}
}

// findAll finds a pattern from a place on, at most so often.
func (p *Page) findAll(pt *pattern, t *text, from, most int) (all [][]int, known bool) {
	for from <= len(t.s) && len(all) < most {
		at, known := p.matcher.find(pt.re, t.s, from, pt.re.sticky)
		if !known {
			p.matched.of = nil
			return nil, false
		}
		if at == nil {
			break
		}
		p.cost(1)
		p.remember(t, at)
		all = append(all, at)
		if from = at[1]; at[0] == at[1] {
			from = behind(t.s, from)
		}
	}
	return all, true
}

// finds finds a pattern as often as it says itself, or all says.
func (p *Page) finds(pt *pattern, t *text, all bool, most int) ([][]int, bool) {
	if all || pt.re.global {
		pt.at = 0
		return p.findAll(pt, t, 0, most)
	}
	at, known := p.exec(pt, t)
	if at == nil {
		return nil, known
	}
	return [][]int{at}, true
}

// captures are the groups of what was found, the whole before them, and those that have names.
func (p *Page) captures(t *text, re *regex, at []int) (vals []value, named *object) {
	vals = make([]value, 0, len(at)/2+3)
	for i := 0; i < len(at); i += 2 {
		var v value
		if at[i] >= 0 && at[i+1] >= 0 {
			v = p.derive(t.s[at[i]:at[i+1]], t)
		}
		vals = append(vals, v)
	}
	if re == nil || re.names == nil {
		return vals, nil
	}
	named = p.object()
	for i, name := range re.names {
		if name != "" {
			named.put(name, vals[i])
		}
	}
	return vals, named
}

// groups makes a list of what an expression found.
func (p *Page) groups(t *text, re *regex, at []int) *object {
	vals, named := p.captures(t, re, at)
	l := p.newList(vals)
	l.put("index", float64(p.units(t.s, at[0])))
	l.put("input", t)
	if named != nil {
		l.put("groups", named)
	}
	if re.indices {
		places := make([]value, len(vals))
		for i := range vals {
			if vals[i] != nil {
				places[i] = p.newList([]value{float64(p.units(t.s, at[2*i])), float64(p.units(t.s, at[2*i+1]))})
			}
		}
		l.put("indices", p.newList(places))
	}
	return l
}

// newPatternMethods makes the methods of regular expressions.
func newPatternMethods() map[string]method {
	made := map[string]method{
		"test": onPattern(func(_ *Page, _ *pattern, _ *text, at []int) value { return at != nil }),
		"exec": onPattern(func(p *Page, pt *pattern, t *text, at []int) value {
			if at == nil {
				return null{}
			}
			return p.groups(t, pt.re, at)
		}),
		"toString": func(p *Page, this value, _ []value) value {
			if pt := patternOf(one(this)); pt != nil {
				return p.make("/" + pt.source + "/" + pt.flags)
			}
			return unknown{}
		},
	}
	for _, name := range [...]string{"match", "matchAll", "replace", "search", "split"} {
		made["@@"+name] = func(p *Page, this value, args []value) value {
			return p.textMethods()[name](p, argument(args, 0), append([]value{this}, cut(args, 1)...))
		}
	}
	return made
}

// onPattern makes a method of what it makes of what a pattern finds in a text.
func onPattern(do func(p *Page, pt *pattern, t *text, at []int) value) method {
	return func(p *Page, this value, args []value) value {
		return p.lift(argument(args, 0), func(v value) value {
			pt, t := patternOf(one(this)), p.textOf(v)
			if !p.searched(pt, t) {
				return unknown{}
			}
			p.step()
			t.consumed = true
			at, known := p.exec(pt, t)
			if !known {
				return unknown{}
			}
			return do(p, pt, t, at)
		})
	}
}

// patternProperty is what a regular expression has.
func (p *Page) patternProperty(o *object, key string) value {
	pt := patternOf(o)
	if pt == nil {
		return unknown{}
	}
	if m := p.patternMethods()[key]; m != nil {
		return p.builtin(classRegExp, key, m)
	}
	if key == "source" {
		return plain(pt.source)
	}
	if pt.re == nil {
		return unknown{}
	}
	switch key {
	case "flags":
		return plain(pt.flags)
	case "lastIndex":
		if pt.at >= 0 {
			return float64(pt.at)
		}
	case "global":
		return pt.re.global
	case "ignoreCase":
		return pt.re.ignoreCase
	case "multiline":
		return pt.re.multiline
	case "sticky":
		return pt.re.sticky
	}
	return unknown{}
}

// setPattern sets what a regular expression has; false: it is a property like any other.
func (p *Page) setPattern(o *object, key string, v value) bool {
	pt := patternOf(o)
	if pt == nil || key != "lastIndex" {
		return false
	}
	n, known := p.integer([]value{one(v)}, 0, 0)
	if pt.at = max(n, 0); !known {
		pt.at = -1
	}
	return true
}

func match(p *Page, t *text, args []value) value {
	pt := p.patternFor(argument(args, 0), "")
	if !p.searched(pt, t) {
		return unknown{}
	}
	t.consumed = true
	all, known := p.finds(pt, t, false, maxItems)
	switch {
	case !known:
		return unknown{}
	case len(all) == 0:
		return null{}
	case !pt.re.global:
		return p.groups(t, pt.re, all[0])
	}
	out := make([]value, len(all))
	for i, at := range all {
		out[i] = p.derive(t.s[at[0]:at[1]], t)
	}
	return p.newList(out)
}

func matchAll(p *Page, t *text, args []value) value {
	pt := p.patternFor(argument(args, 0), "g")
	if !p.searched(pt, t) || pt.at < 0 {
		return unknown{}
	}
	from := p.offset(t.s, pt.at)
	if from < 0 {
		return p.newList(nil)
	}
	all, known := p.findAll(pt, t, from, maxItems)
	if !known {
		return unknown{}
	}
	out := make([]value, len(all))
	for i, at := range all {
		out[i] = p.groups(t, pt.re, at)
	}
	return p.newList(out)
}

func search(p *Page, t *text, args []value) value {
	pt := p.patternFor(argument(args, 0), "")
	if !p.searched(pt, t) {
		return unknown{}
	}
	switch at, known := p.matcher.find(pt.re, t.s, 0, pt.re.sticky); {
	case !known:
		return unknown{}
	case at != nil:
		return float64(p.units(t.s, at[0]))
	}
	return float64(-1)
}

// splitBy divides a text where a pattern is found; what its groups have stands between.
func (p *Page) splitBy(pt *pattern, t *text) (parts []value, known bool) {
	s, last := t.s, 0
	for from := 0; len(parts) < maxItems; {
		at, known := p.matcher.find(pt.re, s, from, false)
		switch {
		case !known:
			return nil, false
		case at != nil && s == "":
			return nil, true
		case at == nil || at[0] >= len(s):
			return append(parts, p.derive(s[last:], t)), true
		case at[1] == last:
			from = behind(s, at[0])
			continue
		}
		vals, _ := p.captures(t, nil, at)
		vals[0] = p.derive(s[last:at[0]], t)
		parts = p.more(parts, vals)
		last, from = at[1], at[1]
	}
	return parts, true
}

// places are the places of a text in another.
func (p *Page) places(s, what string, all bool) (found [][]int) {
	p.cost(len(s) / 64)
	for from := 0; from <= len(s); {
		i := strings.Index(s[from:], what)
		if i < 0 {
			break
		}
		p.cost(1)
		at := from + i
		if found = append(found, []int{at, at + len(what)}); !all {
			break
		}
		if from = at + len(what); what == "" {
			from = behind(s, at)
		}
	}
	return found
}

// replace is replace and replaceAll.
func (p *Page) replace(t *text, args []value, all bool) value {
	return p.lift(argument(args, 1), func(by value) value { return p.replaceBy(t, argument(args, 0), by, all) })
}

func (p *Page) replaceBy(t *text, what, by value, all bool) value {
	var found [][]int
	var re *regex
	known := false
	switch what := what.(type) {
	case *text:
		what.consumed = true
		if known = what.known() && (t.known() || !t.page); known {
			found = p.places(t.s, what.s, all)
		}
	case *object:
		if pt := patternOf(what); p.searchedIn(pt, t) {
			re = pt.re
			found, known = p.finds(pt, t, all, maxText)
		}
	}
	switch {
	case !known && t.page:
		return t
	case !known:
		return unknown{}
	case len(found) == 0:
		return t
	}
	var w strings.Builder
	parts := []*text{t}
	var before value // which may be one of several
	last := 0
	f, is := by.(*object)
	is = is && f.fn != nil
	for _, at := range found {
		p.step()
		w.WriteString(t.s[last:at[0]])
		last = at[1]
		if is {
			vals, named := p.captures(t, re, at)
			vals = append(vals, float64(p.units(t.s, at[0])), t)
			if named != nil {
				vals = append(vals, named)
			}
			v := p.call(f, nil, vals)
			if _, several := v.(*choice); several {
				before = p.sum2(p.continued(before, p.make(w.String(), parts...)), p.lift(v, func(v value) value { return p.textOf(v) }))
				w.Reset()
				parts = parts[:1:1]
				continue
			}
			r := p.textOf(v)
			w.WriteString(r.s)
			parts = append(parts, r)
		} else {
			r := p.textOf(by)
			expand(&w, r.s, t.s, re, at)
			parts = append(parts, r)
		}
		if w.Len() > maxText {
			return hole()
		}
	}
	w.WriteString(t.s[last:])
	return p.continued(before, p.make(w.String(), parts...))
}

// continued puts a text behind what may be one of several, or nothing.
func (p *Page) continued(before value, t *text) value {
	if before == nil {
		return t
	}
	return p.sum2(before, t)
}

// expand writes what something is replaced by, in which $1, $& and the like stand for what was found. What is too long to be known ends early.
func expand(w *strings.Builder, by, of string, re *regex, at []int) {
	group := func(n int) {
		if 2*n+1 < len(at) && at[2*n] >= 0 && at[2*n+1] >= 0 {
			w.WriteString(of[at[2*n]:at[2*n+1]])
		}
	}
	for w.Len() <= maxText {
		i := strings.IndexByte(by, '$')
		if i < 0 || i+1 == len(by) {
			break
		}
		w.WriteString(by[:i])
		c := by[i+1]
		by = by[i+2:]
		switch {
		case c == '$':
			w.WriteByte('$')
		case c == '&':
			group(0)
		case c == '`':
			w.WriteString(of[:at[0]])
		case c == '\'':
			w.WriteString(of[at[1]:])
		case '0' <= c && c <= '9':
			n := int(c - '0')
			if by != "" && '0' <= by[0] && by[0] <= '9' {
				if two := 10*n + int(by[0]-'0'); 0 < two && 2*two < len(at) {
					n, by = two, by[1:]
				}
			}
			if n == 0 || 2*n >= len(at) {
				w.WriteString("$" + string(c))
				continue
			}
			group(n)
		case c == '<' && re != nil && re.names != nil && strings.IndexByte(by, '>') >= 0:
			name, rest, _ := strings.Cut(by, ">")
			for n, own := range re.names {
				if own == name && name != "" {
					group(n)
				}
			}
			by = rest
		default:
			w.WriteByte('$')
			by = string(c) + by
		}
	}
	w.WriteString(by)
}
