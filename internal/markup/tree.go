package markup

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxTree is how long a page is of which a tree is made.
const maxTree = 2 << 20

// tree makes the elements of a page, for scripts that ask for them. It closes elements that are left open as their like begin, and does
// no more of what the standard says about broken markup: scripts ask for what is well made.
func tree(src []byte, element func(at uint32, n *html.Node)) *html.Node {
	root := &html.Node{Type: html.DocumentNode}
	if len(src) > maxTree {
		return root
	}
	z := lexer{src: src, plain: isPlain(src)}
	open := []*html.Node{root}
	var room []html.Node
	add := func(n html.Node) *html.Node {
		if len(room) == 0 {
			room = make([]html.Node, 64)
		}
		room[0] = n
		at := &room[0]
		room = room[1:]
		open[len(open)-1].AppendChild(at)
		return at
	}
	whole := string(src) // one copy, of which the most are parts
	str := func(b []byte) string {
		if at := cap(src) - cap(b); len(b) > 0 && at >= 0 && at+len(b) <= len(src) && &src[at] == &b[0] {
			return whole[at : at+len(b)]
		}
		return string(b)
	}
	var attrs []html.Attribute
	keys := map[string]string{}
	key := func(b []byte) string {
		s, known := keys[string(b)]
		if !known {
			s = string(b)
			keys[s] = s
		}
		return s
	}
	for {
		t := z.next()
		switch t {
		case tokEnd:
			return root
		case tokText:
			add(html.Node{Type: html.TextNode, Data: str(z.text)})
		case tokStart, tokVoid:
			n := html.Node{Type: html.ElementNode, DataAtom: atom.Lookup(z.name)}
			if n.DataAtom != 0 {
				n.Data = n.DataAtom.String()
			} else {
				n.Data = key(z.name)
			}
			for closes(n.DataAtom, open[len(open)-1].DataAtom) {
				open = open[:len(open)-1]
			}
			if len(attrs) < len(z.attrs) {
				attrs = make([]html.Attribute, max(256, len(z.attrs)))
			}
			n.Attr, attrs = attrs[:len(z.attrs):len(z.attrs)], attrs[len(z.attrs):]
			for i, at := range z.attrs {
				n.Attr[i] = html.Attribute{Key: key(at.key), Val: str(at.val)}
			}
			at := add(n)
			element(uint32(z.pos-z.size), at)
			if !isVoid(n.DataAtom) && len(open) < maxNested {
				open = append(open, at)
			}
		case tokClose:
			for i := len(open) - 1; i > 0 && i > len(open)-maxForeign; i-- {
				if string(z.name) == open[i].Data {
					open = open[:i]
					break
				}
			}
		case tokComment:
			add(html.Node{Type: html.CommentNode, Data: str(z.text)})
		case tokDoctype, tokNothing:
		}
	}
}

// alone makes the element of a start tag, with its text when it has nothing else.
func alone(src []byte) *html.Node {
	z := lexer{src: src}
	if t := z.next(); t != tokStart && t != tokVoid {
		return nil
	}
	n := &html.Node{Type: html.ElementNode, DataAtom: atom.Lookup(z.name), Data: string(z.name), Attr: make([]html.Attribute, len(z.attrs))}
	for i, at := range z.attrs {
		n.Attr[i] = html.Attribute{Key: string(at.key), Val: string(at.val)}
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Title, atom.Textarea:
		if z.next() == tokText {
			n.AppendChild(&html.Node{Type: html.TextNode, Data: string(z.text)})
		}
	}
	return n
}

// maxNested is how deep elements are in a tree; those in them are beside them.
const maxNested = 512

// closes reports that an element ends where another begins.
func closes(begins, open atom.Atom) bool {
	switch open {
	case atom.P, atom.Li, atom.Option:
		return begins == open
	case atom.Dt, atom.Dd:
		return begins == atom.Dt || begins == atom.Dd
	case atom.Td, atom.Th:
		return begins == atom.Td || begins == atom.Th || begins == atom.Tr
	case atom.Tr:
		return begins == open || begins == atom.Tbody || begins == atom.Tfoot
	}
	return false
}

// isVoid reports elements that have nothing in them.
func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr, atom.Frame:
		return true
	}
	return false
}
