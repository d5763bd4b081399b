package script

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isControl reports an element in which something is entered.
func isControl(n *html.Node) bool {
	switch n.Data {
	case "input", "select", "textarea", "button", "output", "fieldset":
		return true
	}
	return false
}

// formProperty is what elements of forms have beside their attributes.
func (p *Page) formProperty(n *html.Node, key string) (value, bool) {
	switch key {
	case "form":
		if isControl(n) || n.Data == "option" {
			return p.wrap(p.outer(n, "form")), true
		}
	case "elements":
		controls := p.all1(n, isControl)
		named := map[string][]*html.Node{}
		var names []string
		for _, c := range controls {
			name, _ := attr(c, "name")
			id, _ := attr(c, "id")
			for _, s := range slices.Compact([]string{name, id}) {
				if named[s] = append(named[s], c); s != "" && len(named[s]) == 1 {
					names = append(names, s)
				}
			}
		}
		list := p.wrapAll(controls).(*object)
		for _, s := range names {
			if s != "length" {
				list.add(s, p.controls(named[s]))
			}
		}
		return list, true
	case "options":
		return p.wrapAll(p.all1(n, func(n *html.Node) bool { return n.Data == "option" })), true
	case "selectedIndex":
		return float64(slices.Index(p.all1(n, func(n *html.Node) bool { return n.Data == "option" }), p.chosen(n))), n.Data == "select"
	case "selectedOptions":
		return p.wrapAll(p.all1(n, func(n *html.Node) bool { _, is := attr(n, "selected"); return is })), n.Data == "select"
	case "value":
		switch n.Data {
		case "select":
			if c := p.chosen(n); c != nil {
				return p.get(p.wrap(c), "value"), true
			}
		case "option":
			return p.ofPage(strings.TrimSpace(p.textContent(n))), true
		case "textarea":
			return p.ofPage(strings.TrimPrefix(p.textContent(n), "\n")), true
		}
		return plain(""), true
	}
	if n.Data == "form" {
		if v := p.control(n, key); v != nil {
			return v, true
		}
	}
	return nil, false
}

// control is what a form has by a name: a control, or some with the same name; nil when nothing.
func (p *Page) control(form *html.Node, name string) value {
	found := p.all1(form, func(n *html.Node) bool {
		of, _ := attr(n, "name")
		id, _ := attr(n, "id")
		return (of == name || id == name) && (isControl(n) || n.Data == "img")
	})
	if len(found) == 0 {
		return nil
	}
	return p.controls(found)
}

// controls is a control, or some with the same name.
func (p *Page) controls(found []*html.Node) value {
	if len(found) == 1 {
		return p.wrap(found[0])
	}
	list := p.wrapAll(found).(*object)
	for _, n := range found {
		if _, is := attr(n, "checked"); is {
			list.add("value", p.get(p.wrap(n), "value"))
		}
	}
	return list
}

// chosen is the option of a menu that is chosen at first.
func (p *Page) chosen(menu *html.Node) *html.Node {
	options := p.all1(menu, func(n *html.Node) bool { return n.Data == "option" })
	if o := p.doc.wrapped[menu]; o != nil && o.own("@value") != nil { // a script chose it
		if set, is := o.get("@value").(*text); is {
			for _, n := range options {
				if t, is := one(p.get(p.wrap(n), "value")).(*text); is && t.s == set.s {
					return n
				}
			}
		}
	}
	for _, n := range options {
		if _, is := attr(n, "selected"); is {
			return n
		}
	}
	if len(options) == 0 {
		return nil
	}
	return options[0]
}

// sent is what a form sends without its buttons (HTML standard, "constructing the entry list").
func (p *Page) sent(form *html.Node) *params {
	ps := &params{}
	for _, c := range p.all1(form, func(n *html.Node) bool { return n.Data == "input" || n.Data == "select" || n.Data == "textarea" }) {
		name, has := attr(c, "name")
		typ, _ := attr(c, "type")
		_, checked := attr(c, "checked")
		if _, off := attr(c, "disabled"); off || !has || name == "" || typ == "submit" || typ == "image" || typ == "button" || typ == "reset" || (typ == "checkbox" || typ == "radio") && !checked {
			continue
		}
		ps.keys, ps.vals = append(ps.keys, plain(name)), append(ps.vals, p.get(p.wrap(c), "value"))
	}
	return ps
}

// newFormData is new FormData(form).
func newFormData(p *Page, _ value, args []value) value {
	o := p.object()
	o.class = classParams
	ps := &params{}
	if form, is := one(argument(args, 0)).(*object); is {
		n := p.nodeOf(form)
		if n == nil || n.Data != "form" {
			return unknown{}
		}
		ps = p.sent(n)
	}
	o.host = ps
	return o
}

// outer is the next element of a name around one.
func (p *Page) outer(n *html.Node, names ...string) *html.Node {
	for n = n.Parent; n != nil; n = n.Parent {
		if p.cost(1); slices.Contains(names, n.Data) {
			return n
		}
	}
	return nil
}

// tableProperty is what tables and their parts have.
func (p *Page) tableProperty(n *html.Node, key string) (value, bool) {
	isRow := func(c *html.Node) bool { return c.DataAtom == atom.Tr }
	isCell := func(c *html.Node) bool { return c.DataAtom == atom.Td || c.DataAtom == atom.Th }
	child := func(a atom.Atom) value {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if p.cost(1); c.DataAtom == a {
				return p.wrap(c)
			}
		}
		return null{}
	}
	place := func(of *html.Node, is func(*html.Node) bool) value {
		if of == nil {
			return float64(-1)
		}
		return float64(slices.Index(p.all1(of, is), n))
	}
	switch n.DataAtom {
	case atom.Table:
		switch key {
		case "rows":
			return p.wrapAll(p.all1(n, func(c *html.Node) bool { return isRow(c) && p.outer(c, "table") == n })), true
		case "tBodies":
			return p.wrapAll(p.all1(n, func(c *html.Node) bool { return c.DataAtom == atom.Tbody && c.Parent == n })), true
		case "tHead":
			return child(atom.Thead), true
		case "tFoot":
			return child(atom.Tfoot), true
		case "caption":
			return child(atom.Caption), true
		}
	case atom.Tbody, atom.Thead, atom.Tfoot:
		if key == "rows" {
			return p.wrapAll(p.all1(n, func(c *html.Node) bool { return isRow(c) && c.Parent == n })), true
		}
	case atom.Tr:
		switch key {
		case "cells":
			return p.wrapAll(p.all1(n, func(c *html.Node) bool { return isCell(c) && c.Parent == n })), true
		case "rowIndex":
			return place(p.outer(n, "table"), isRow), true
		case "sectionRowIndex":
			return place(n.Parent, isRow), true
		}
	case atom.Td, atom.Th:
		if key == "cellIndex" {
			return place(n.Parent, isCell), true
		}
	}
	return nil, false
}

// insertPart is insertRow and insertCell.
func insertPart(tag string) method {
	return func(p *Page, this value, _ []value) value {
		el := p.createElement(tag)
		if n := p.nodeOf(this); n != nil {
			if n.DataAtom == atom.Table {
				if bodies := p.all1(n, func(c *html.Node) bool { return c.DataAtom == atom.Tbody }); len(bodies) > 0 {
					n = bodies[len(bodies)-1]
				}
			}
			p.attach(n, el, true)
		}
		return el
	}
}

// reflected is the attribute that a property of elements is, "" when it is none, or no text.
func reflected(key string) string {
	switch key {
	case "content", "placeholder", "pattern", "min", "max", "step", "label", "kind", "srclang", "integrity", "download", "hreflang", "as", "charset", "coords", "shape", "headers", "scope", "abbr", "summary", "dir", "slot", "rel", "nonce", "lowsrc", "align", "color", "face", "background", "bgColor", "border", "code", "codeBase", "language", "accept", "wrap":
		return strings.ToLower(key)
	case "htmlFor":
		return "for"
	case "dateTime":
		return "datetime"
	case "httpEquiv":
		return "http-equiv"
	case "crossOrigin":
		return "crossorigin"
	case "imageSrcset":
		return "imagesrcset"
	case "imageSizes":
		return "imagesizes"
	case "useMap":
		return "usemap"
	case "formAction":
		return "formaction"
	case "defaultValue":
		return "value"
	}
	return ""
}

// classList is the classes of an element.
func (p *Page) classList(o *object) value {
	list := func() []string {
		t, has := p.attr(o, "class")
		if !has {
			return nil
		}
		p.cost(len(t.s) / 64)
		return strings.Fields(t.s)
	}
	set := func(p *Page, classes []string) {
		t := plain(strings.Join(classes, " "))
		t.consumed = true
		p.says(t.s)
		o.put("@class", t)
		p.withNode(o, func(n *html.Node) { setAttr(n, "class", t.s) })
	}
	names := func(p *Page, args []value) (out []string) {
		told(p, nil, args)
		for _, arg := range args {
			if t, is := one(arg).(*text); is && t.known() {
				out = append(out, t.s)
			}
		}
		return out
	}
	add := func(p *Page, classes ...string) {
		all := list()
		for _, c := range classes {
			if p.cost(len(all) / 16); !slices.Contains(all, c) && len(all) < maxItems {
				all = append(all, c)
			}
		}
		set(p, all)
	}
	remove := func(p *Page, classes ...string) {
		all := list()
		p.cost(len(all) * len(classes) / 16)
		set(p, slices.DeleteFunc(all, func(c string) bool { return slices.Contains(classes, c) }))
	}
	return p.phantom("classList", map[string]method{
		"add": func(p *Page, _ value, args []value) value {
			add(p, names(p, args)...)
			return nil
		},
		"remove": func(p *Page, _ value, args []value) value {
			if p.weak == 0 {
				remove(p, names(p, args)...)
			}
			return nil
		},
		"replace": func(p *Page, _ value, args []value) value {
			if of := names(p, args); len(of) == 2 && p.weak == 0 {
				remove(p, of[0])
				add(p, of[1])
			}
			return true
		},
		"toggle": func(p *Page, _ value, args []value) value {
			for _, c := range names(p, args[:min(1, len(args))]) {
				to, known := !slices.Contains(list(), c), true
				if len(args) > 1 {
					if to, known = truth(args[1]); !known {
						to = true
					}
				}
				switch {
				case p.weak > 0:
				case to:
					add(p, c)
				default:
					remove(p, c)
				}
				if known && p.weak == 0 {
					return to
				}
			}
			return unknown{}
		},
		"contains": func(p *Page, _ value, args []value) value {
			for _, c := range names(p, args) {
				return slices.Contains(list(), c)
			}
			return unknown{}
		},
		"item": func(p *Page, _ value, args []value) value {
			if i, known := p.integer(args, 0, 0); known {
				if all := list(); i >= 0 && i < len(all) {
					return plain(all[i])
				}
			}
			return null{}
		},
	})
}
