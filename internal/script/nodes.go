package script

import (
	"errors"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// following is the node after another in the tree below root, and how much deeper it is.
func following(root, n *html.Node) (*html.Node, int) {
	if n.FirstChild != nil {
		return n.FirstChild, 1
	}
	deeper := 0
	for n != root && n != nil { // a script may take it out
		if n.NextSibling != nil {
			return n.NextSibling, deeper
		}
		n = n.Parent
		deeper--
	}
	return nil, 0
}

// all1 lists the elements below a node of which something is so.
func (p *Page) all1(root *html.Node, is func(*html.Node) bool) []*html.Node {
	if root == nil {
		return nil
	}
	var out []*html.Node
	for n, _ := following(root, root); n != nil; n, _ = following(root, n) {
		p.cost(1 + attrWork(n))
		if n.Type == html.ElementNode && is(n) {
			if out = append(out, n); len(out) >= maxItems {
				break
			}
		}
		if n.DataAtom == atom.Template && n.FirstChild != nil { // what is in it is in a document of its own
			n = p.last(n)
		}
	}
	return out
}

// attrWork is how many steps it takes to look at the attributes of an element.
func attrWork(n *html.Node) (work int) {
	for _, a := range n.Attr {
		work += len(a.Val) / 256
	}
	return work
}

// last is the node after which the next is no more in one.
func (p *Page) last(n *html.Node) *html.Node {
	for n.LastChild != nil {
		p.cost(1)
		n = n.LastChild
	}
	return n
}

// content is what is in a template.
func (p *Page) content(o *object, n *html.Node) value {
	if v, is := o.get("@content").(*object); is {
		return v
	}
	f := &html.Node{Type: html.ElementNode, Data: fragmentName}
	for c := n.FirstChild; c != nil; c = n.FirstChild {
		p.step()
		n.RemoveChild(c)
		f.AppendChild(c)
	}
	v := p.wrap(f)
	o.add("@content", v)
	return v
}

func (p *Page) textContent(root *html.Node) string {
	var w strings.Builder
	for n, _ := following(root, root); n != nil && w.Len() < maxText; n, _ = following(root, n) {
		p.cost(1)
		if n.Type == html.TextNode {
			p.cost(len(n.Data) / 64)
			w.WriteString(n.Data)
		}
	}
	return w.String()
}

// innerHTML is the markup of what is in an element; a hole when that is too much.
func (p *Page) innerHTML(root *html.Node) string {
	switch root.Data {
	case "script", "style", "textarea", "noscript":
		return p.textContent(root)
	}
	deep := 0
	var silent []*html.Node // what stands in scripts is no markup, and is not run again where it is put
	for n, by := following(root, root); n != nil; n, by = following(root, n) {
		p.cost(1)
		if n.Data == "script" && n.FirstChild != nil && n.FirstChild == n.LastChild && isCode(n) {
			silent = append(silent, n)
		}
		if deep += by; deep > maxDepth {
			return string(Hole)
		}
	}
	for _, n := range silent {
		defer func(code *html.Node) { n.FirstChild, n.LastChild = code, code }(n.FirstChild)
		n.FirstChild, n.LastChild = nil, nil
	}
	w := &short{}
	for n := root.FirstChild; n != nil; n = n.NextSibling {
		if err := html.Render(w, n); err != nil {
			return string(Hole)
		}
	}
	p.cost(w.Len() / 16)
	return w.String()
}

// isCode reports a script element that is run, by its type.
func isCode(n *html.Node) bool {
	typ, _ := attr(n, "type")
	return typ == "" || typ == "module" || strings.Contains(typ, "javascript")
}

// outerHTML is the markup of an element.
func (p *Page) outerHTML(n *html.Node) string {
	inner := p.innerHTML(n)
	if len(inner) >= maxText || inner == string(Hole) {
		return string(Hole)
	}
	shell := &html.Node{Type: n.Type, Data: n.Data, DataAtom: n.DataAtom, Attr: n.Attr, Namespace: n.Namespace}
	w := &short{}
	if err := html.Render(w, shell); err != nil {
		return string(Hole)
	}
	open, end := w.String(), "</"+n.Data+">"
	if !strings.HasSuffix(open, end) {
		return open
	}
	return strings.TrimSuffix(open, end) + inner + end
}

// short takes at most one text.
type short struct{ strings.Builder }

var errLong = errors.New("too long")

func (w *short) Write(b []byte) (int, error) {
	if w.Len()+len(b) > maxText {
		return 0, errLong
	}
	return w.Builder.Write(b)
}

func (w *short) WriteString(s string) (int, error) {
	if w.Len()+len(s) > maxText {
		return 0, errLong
	}
	return w.Builder.WriteString(s)
}

// tangled reports markup of which a parser makes much more than it says: elements that are made again in all that follows.
func tangled(s string) bool {
	tags, again := 0, map[string]bool{}
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			return tags*len(again) > maxText
		}
		tags++
		s = s[i+1:]
		end := 0
		for end < len(s) && 'a' <= s[end]|0x20 && s[end]|0x20 <= 'z' {
			end++
		}
		switch strings.ToLower(s[:min(end, 8)]) {
		case "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u":
			tag, _, _ := strings.Cut(s, ">")
			again[tag] = true
		}
	}
}

// removeChild takes a node out of an element.
func removeChild(p *Page, this value, args []value) value {
	if n, of := p.nodeOf(argument(args, 0)), p.nodeOf(this); n != nil && of != nil && n.Parent == of {
		of.RemoveChild(n)
	}
	return argument(args, 0)
}

// replaceChildren puts nodes into an element, in the place of what is in it.
func replaceChildren(p *Page, this value, args []value) value {
	o, is := one(this).(*object)
	if !is {
		return unknown{}
	}
	p.withNode(o, func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = n.FirstChild {
			p.step()
			n.RemoveChild(c)
		}
		for _, arg := range args {
			p.attach(n, arg, true)
		}
	})
	return nil
}

// adjacent puts a node beside an element, or as the first or the last into it.
func (p *Page) adjacent(this, where, v value) {
	t, _ := one(where).(*text)
	if t == nil {
		t = plain("")
	}
	switch strings.ToLower(t.s) {
	case "beforebegin":
		beside(false, false)(p, this, []value{v})
	case "afterend":
		beside(true, false)(p, this, []value{v})
	default:
		if o, is := one(this).(*object); is {
			p.withNode(o, func(n *html.Node) { p.attach(n, v, !strings.EqualFold(t.s, "afterbegin")) })
		}
	}
}
