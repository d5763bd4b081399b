package script

import (
	"strings"

	"github.com/tdewolff/parse/v2/js"
	"golang.org/x/net/html"
)

// interfaceName is the name of an interface of the DOM that an expression is; "": it is something else, or a script has given the name to
// something.
func (p *Page) interfaceName(e js.IExpr, is value) string {
	v, named := e.(*js.Var)
	if !named {
		return ""
	}
	name := sourceText(v.Data)
	if host, asked := p.hosted[name]; !asked || host != is {
		return ""
	}
	switch name {
	case "Node", "Element", "Text", "Comment", "CharacterData", "DocumentFragment", "ShadowRoot", "Document", "HTMLDocument", "EventTarget", "NodeList", "HTMLCollection", "Event", "CustomEvent", "Window", "CSSStyleSheet":
		return name
	}
	if (strings.HasPrefix(name, "HTML") || strings.HasPrefix(name, "SVG")) && strings.HasSuffix(name, "Element") {
		return name
	}
	return ""
}

// addElementPrototype gives an interface of elements its prototype, which scripts add to: MooTools and others have methods of their own there.
func (p *Page) addElementPrototype(of *object, name string) {
	proto := p.phantom(name+".prototype", p.elementMethods())
	proto.keys = nil
	of.put("prototype", proto)
	p.protos[name] = proto
	p.extended = append(p.extended, name)
}

// added is what a script gave an interface that an element has.
func (p *Page) added(o *object, key string) (value, bool) {
	for _, name := range p.extended {
		if p.protos[name].own(key) != nil && p.isOf(o, name) == true {
			if v, has := p.inherited(name, key, o); has {
				return v, true
			}
		}
	}
	return nil, false
}

// isOf is whether a value is of an interface of the DOM (instanceof).
func (p *Page) isOf(v value, name string) value {
	switch v := proxied(v).(type) {
	case nil, null, *text, float64, bool:
		return false
	case *object:
		node := name == "Node" || name == "EventTarget"
		switch v.class {
		case classDocument:
			return node || name == "Document" || name == "HTMLDocument"
		case classElement:
			if n := p.glance(v); n != nil {
				return nodeIsOf(n, name)
			}
		case classList, classFunction, classMap, classSet, classPromise, classRegExp, classSymbol, classDate:
			if v.class == classList && (name == "NodeList" || name == "HTMLCollection") {
				return unknown{} // lists of the DOM are such lists here
			}
			return false
		}
	}
	return unknown{}
}

func nodeIsOf(n *html.Node, name string) value {
	node := name == "Node" || name == "EventTarget"
	switch kindOfNode(n) {
	case 3:
		return node || name == "Text" || name == "CharacterData"
	case 8:
		return node || name == "Comment" || name == "CharacterData"
	case 9:
		return node || name == "Document" || name == "HTMLDocument"
	case 11:
		if name == "ShadowRoot" {
			return unknown{}
		}
		return node || name == "DocumentFragment"
	}
	if node || name == "Element" {
		return true
	}
	switch n.Data {
	case "svg", "g", "path", "circle", "rect", "use", "line", "polygon", "text", "symbol", "image", "math":
		return unknown{} // not of HTML
	}
	if strings.Contains(n.Data, "-") && name != "ShadowRoot" {
		return name == "HTMLElement"
	}
	of := ""
	switch n.Data {
	case "a":
		of = "HTMLAnchorElement"
	case "img":
		of = "HTMLImageElement"
	case "ul":
		of = "HTMLUListElement"
	case "ol":
		of = "HTMLOListElement"
	case "p":
		of = "HTMLParagraphElement"
	case "iframe":
		of = "HTMLIFrameElement"
	case "textarea":
		of = "HTMLTextAreaElement"
	case "h1", "h2", "h3", "h4", "h5", "h6":
		of = "HTMLHeadingElement"
	case "video", "audio":
		if name == "HTMLMediaElement" {
			return true
		}
	}
	if of == "" {
		return name == "HTMLElement" || strings.EqualFold(name, "HTML"+n.Data+"Element")
	}
	return name == "HTMLElement" || name == of
}
