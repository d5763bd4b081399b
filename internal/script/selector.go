package script

import (
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// maxSelector is how long selectors are that are tried.
const maxSelector = 512

// selector is what a selector asks for, any of it.
type selector [][]compound

// compound is a part of a selector that says something of one element, and how that is related to what the part before it is of.
type compound struct {
	sel      cascadia.Sel
	relation byte // 0, or ' ', '>', '+', '~'
	hint     hint
}

// newSelector divides a selector at what relates its parts: each that is tried is counted then. Nil: it is not known.
func newSelector(s string) selector {
	out := selector{nil}
	relation := byte(0)
	add := func(part string) bool {
		if part == "" {
			return true
		}
		sel, err := cascadia.Parse(part)
		if err != nil || !cheap(part) {
			return false
		}
		last := &out[len(out)-1]
		if (len(*last) == 0) != (relation == 0) {
			return false
		}
		*last = append(*last, compound{sel, relation, hintOf(part)})
		relation = ' '
		return true
	}
	from, deep := 0, 0
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[' || c == '(':
			deep++
		case c == ']' || c == ')':
			deep--
		case deep > 0:
		case strings.IndexByte(" \t\r\n\f>+~,", c) >= 0:
			if !add(s[from:i]) {
				return nil
			}
			from = i + 1
			switch c {
			case ',':
				out, relation = append(out, nil), 0
			case '>', '+', '~':
				if relation != ' ' {
					return nil
				}
				relation = c
			}
		}
	}
	if !add(s[min(from, len(s)):]) || relation != ' ' {
		return nil
	}
	for _, parts := range out {
		if len(parts) == 0 {
			return nil
		}
	}
	return out
}

// cheap reports a part of a selector that looks at one element alone, or at the first of its like.
func cheap(part string) bool {
	for {
		_, after, more := strings.Cut(part, ":")
		if !more {
			return true
		}
		end := 0
		for end < len(after) && (after[end]|0x20 >= 'a' && after[end]|0x20 <= 'z' || after[end] == '-') {
			end++
		}
		switch strings.ToLower(after[:end]) {
		case "not":
			if inner, _, _ := strings.Cut(after, ")"); strings.ContainsAny(inner, " \t\r\n\f>+~") {
				return false
			}
		case "first-child", "last-child", "checked", "disabled", "enabled", "": // or in an attribute
		default:
			if i := strings.IndexAny(after, "[]"); i < 0 || after[i] == '[' {
				return false
			}
		}
		part = after
	}
}

// matches reports an element that a selector asks for.
func (p *Page) matches(s selector, n *html.Node) bool {
	for _, parts := range s {
		if p.matchesAll(parts, n) {
			return true
		}
	}
	return false
}

func (p *Page) matchesAll(parts []compound, n *html.Node) bool {
	last := parts[len(parts)-1]
	p.cost(attrWork(n))
	if !last.sel.Match(n) {
		return false
	}
	if parts = parts[:len(parts)-1]; len(parts) == 0 {
		return true
	}
	next := func(n *html.Node) *html.Node { return n.Parent }
	if last.relation == '+' || last.relation == '~' {
		next = func(n *html.Node) *html.Node { return n.PrevSibling }
	}
	for n = next(n); n != nil; n = next(n) {
		p.cost(1)
		if n.Type != html.ElementNode {
			continue
		}
		if p.matchesAll(parts, n) {
			return true
		}
		if last.relation == '>' || last.relation == '+' {
			break
		}
	}
	return false
}

// selectAll lists what a selector finds below a node.
func (p *Page) selectAll(root *html.Node, v value) ([]*html.Node, bool) {
	sel := p.selectorOf(v)
	if sel == nil {
		return nil, false
	}
	return p.all1(root, func(n *html.Node) bool { return p.matches(sel, n) }), true
}

// selectorOf is a text as a selector, nil when it is not known.
func (p *Page) selectorOf(v value) selector {
	t, is := one(v).(*text)
	if !is || !t.known() {
		return nil
	}
	t.consumed = true
	if len(t.s) > maxSelector {
		return nil
	}
	sel, known := p.doc.sheets[t.s]
	if !known {
		p.cost(len(t.s) / 4)
		sel = newSelector(strings.TrimSpace(strings.TrimPrefix(t.s, ":scope")))
		if p.doc.sheets == nil {
			p.doc.sheets = map[string]selector{}
		}
		p.doc.sheets[t.s] = sel
	}
	return sel
}
