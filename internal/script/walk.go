package script

import (
	"golang.org/x/net/html"
)

// kindOfNode is nodeType.
func kindOfNode(n *html.Node) float64 {
	switch {
	case n.Type == html.TextNode:
		return 3
	case n.Type == html.CommentNode:
		return 8
	case n.Type == html.DocumentNode:
		return 9
	case n.Data == fragmentName:
		return 11
	}
	return 1
}

// fragmentName is the name of what holds nodes until they are put somewhere.
const fragmentName = "#document-fragment"

// attributes lists those of an element.
func (p *Page) attributes(o *object) value {
	n := p.glance(o)
	list := p.browserList(nil)
	one := func(key string, val *text) {
		if p.step(); len(list.list) >= maxItems {
			return
		}
		a := p.object()
		for _, name := range [...]string{"name", "localName", "nodeName"} {
			a.put(name, plain(key))
		}
		for _, name := range [...]string{"value", "nodeValue", "textContent"} {
			a.put(name, val)
		}
		list.list = append(list.list, a)
		list.add(key, a)
	}
	if n == nil {
		return list
	}
	for _, a := range n.Attr {
		t, _ := p.attr(o, a.Key)
		if t == nil {
			t = p.ofPage(a.Val)
		}
		one(a.Key, t)
	}
	list.add("getNamedItem", p.native("getNamedItem", func(p *Page, _ value, args []value) value {
		if t, is := argument(args, 0).(*text); is {
			if v := list.get(t.s); v != nil {
				return v
			}
		}
		return null{}
	}))
	return list
}

// walker makes createTreeWalker and createNodeIterator: an object that goes from one node to the next.
func walker(itself bool) method {
	return func(p *Page, _ value, args []value) value {
		root := p.nodeOf(argument(args, 0))
		if root == nil {
			if o, is := one(argument(args, 0)).(*object); !is || o.class != classDocument {
				return unknown{}
			}
			root = p.rootNode()
		}
		show := uint32(0xffffffff)
		if n, is := argument(args, 1).(float64); is && n >= 0 {
			show = uint32(int64(n))
		}
		filter := one(argument(args, 2))
		if f, is := filter.(*object); is && f.fn == nil {
			filter = p.get(f, "acceptNode")
		}
		var nodes []value
		take := func(n *html.Node) {
			p.step()
			if show&(1<<(uint32(kindOfNode(n))-1)) == 0 || len(nodes) >= maxItems {
				return
			}
			v := p.wrap(n)
			if f, is := filter.(*object); is && f.fn != nil {
				if kept, is := p.call(f, nil, []value{v}).(float64); is && kept != 1 {
					return
				}
			}
			nodes = append(nodes, v)
		}
		if itself {
			take(root)
		}
		for n, _ := following(root, root); n != nil; n, _ = following(root, n) {
			take(n)
		}
		at := -1
		o := p.phantom("walker", nil)
		o.put("root", argument(args, 0))
		o.put("currentNode", argument(args, 0))
		move := func(by int) method {
			return func(p *Page, _ value, _ []value) value {
				if at += by; at < 0 || at >= len(nodes) {
					at = min(max(at, -1), len(nodes))
					return null{}
				}
				o.put("currentNode", nodes[at])
				return nodes[at]
			}
		}
		o.put("nextNode", p.native("nextNode", move(1)))
		o.put("previousNode", p.native("previousNode", move(-1)))
		return o
	}
}

// beside puts nodes before or behind an element, or in its place.
func beside(behind, instead bool) method {
	return func(p *Page, this value, args []value) value {
		o, is := one(this).(*object)
		if !is {
			return nil
		}
		p.withNode(o, func(n *html.Node) {
			parent, next := n.Parent, n
			if parent == nil {
				return
			}
			if behind {
				next = n.NextSibling
			}
			for _, arg := range args {
				for _, c := range p.loose(arg, parent) {
					if next != nil && next.Parent != parent {
						next = nil
					}
					parent.InsertBefore(c, next)
				}
			}
			if instead && n.Parent == parent {
				parent.RemoveChild(n)
			}
		})
		return nil
	}
}

// loose takes what is to be put below a node out of where it is: the nodes of a fragment, or a node.
func (p *Page) loose(v value, under *html.Node) []*html.Node {
	var c *html.Node
	switch v := one(v).(type) {
	case *text:
		c = &html.Node{Type: html.TextNode, Data: v.s}
	case *object:
		c = p.nodeOf(v)
	}
	if c == nil {
		return nil
	}
	for m := under; m != nil; m = m.Parent {
		if p.step(); m == c {
			return nil
		}
	}
	if c.Data != fragmentName {
		if c.Parent != nil {
			c.Parent.RemoveChild(c)
		}
		return []*html.Node{c}
	}
	var out []*html.Node
	for n := c.FirstChild; n != nil; n = c.FirstChild {
		p.step()
		c.RemoveChild(n)
		out = append(out, n)
	}
	return out
}
