package script

import (
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// Idle reports that a string in the i-th script was read wherever it stands, and that nobody got it: no function that is not known, nothing that is
// asked for or shown. It became a part of something else, or variables and members have it that are named nowhere else: what is read today in vain may be
// shown tomorrow, when a condition is another one. It says nothing of a page that was not read to its end, of whole addresses, of items of lists, and of
// members that are called as addresses are: what nobody here asks for, other scripts may.
func (p *Page) Idle(script int, s string) bool {
	if p.cut || p.stopped {
		return false
	}
	if p.unused == nil {
		p.findUnused()
	}
	_, is := p.unused[literal{script, s}]
	return is
}

// Idles returns the strings of the i-th script that are idle.
func (p *Page) Idles(script int) (all []string) {
	p.Idle(script, "")
	for at := range p.unused {
		if at.script == script {
			all = append(all, at.s)
		}
	}
	return all
}

// standing is where a string stands in a script.
type standing struct {
	dead, live int      // how many places, of those where nothing is ever run and others
	listed     bool     // others of a list stand beside it, or it is a member that is called as addresses are
	names      []string // of variables and members that have it
}

// lookAtStrings looks at where the strings of the scripts stand.
func (p *Page) lookAtStrings() {
	if p.stands != nil {
		return
	}
	p.stands = map[literal]standing{}
	for _, s := range p.ran {
		js.Walk(&deadVisitor{p: p, nth: s.nth}, s.ast)
	}
}

// findUnused finds the strings that are idle.
func (p *Page) findUnused() {
	p.lookAtStrings()
	read, got, joined := map[literal]int{}, map[literal]struct{}{}, map[literal]struct{}{}
	for _, t := range p.literals {
		at := literal{t.from, t.s}
		switch read[at]++; {
		case t.sunk || t.given:
			got[at] = struct{}{}
		case t.consumed:
			joined[at] = struct{}{}
		}
	}
	p.unused = map[literal]struct{}{}
	named := map[string]int{} // how often a name that has one of them stands anywhere
	for at, n := range read {
		place := p.stands[at]
		_, part := joined[at]
		if _, has := got[at]; has || place.live != n || place.listed || !part && len(place.names) != n || !strings.ContainsAny(at.s, "./") || strings.Contains(at.s, "://") || strings.HasPrefix(at.s, "//") {
			continue
		}
		p.unused[at] = struct{}{}
		if !part {
			for _, name := range place.names {
				named[name] = 0
			}
		}
	}
	if len(named) == 0 {
		return
	}
	for _, s := range p.ran {
		js.Walk(nameVisitor(named), s.ast)
	}
	for at := range p.unused {
		if _, is := joined[at]; is {
			continue
		}
		for _, name := range p.stands[at].names {
			if named[name] > p.declared[name] {
				delete(p.unused, at)
			}
		}
	}
}

// nameVisitor counts how often names stand in a script, also as a string.
type nameVisitor map[string]int

func (v nameVisitor) Enter(n js.INode) js.IVisitor {
	switch n := n.(type) {
	case *js.Var:
		v.count(n.Data)
	case *js.Alias:
		v.count(n.Name)
		v.count(n.Binding)
	case *js.LiteralExpr:
		if n.TokenType == js.StringToken {
			v.count(n.Data[1 : len(n.Data)-1])
		} else {
			v.count(n.Data)
		}
	}
	return v
}

func (nameVisitor) Exit(js.INode) {}

func (v nameVisitor) count(name []byte) {
	if n, wanted := v[string(name)]; wanted {
		v[string(name)] = n + 1
	}
}

// name notes that a value stands where a variable or a member is given it.
func (v *deadVisitor) name(name []byte, value js.IExpr, member bool) {
	text, is := value.(*js.LiteralExpr)
	if !is || text.TokenType != js.StringToken {
		return
	}
	called := strings.Trim(string(name), `"'`)
	if v.p.declared == nil {
		v.p.declared = map[string]int{}
	}
	v.p.declared[called]++
	at := literal{v.nth, unescape(text.Data[1 : len(text.Data)-1])}
	place := v.p.stands[at]
	place.listed = place.listed || member && namesAddress(strings.ToLower(called))
	if len(place.names) < maxChoices {
		place.names = append(place.names, called)
	} else {
		place.listed = true
	}
	v.p.stands[at] = place
}

// item notes that a value is one of a list.
func (v *deadVisitor) item(value js.IExpr) {
	if text, is := value.(*js.LiteralExpr); is && text.TokenType == js.StringToken {
		at := literal{v.nth, unescape(text.Data[1 : len(text.Data)-1])}
		place := v.p.stands[at]
		place.listed = true
		v.p.stands[at] = place
	}
}

// namesAddress reports the name of a member, in lower case, that has an address in most programs.
func namesAddress(name string) bool {
	for _, word := range [...]string{"url", "uri", "src", "href", "link", "image", "img", "icon", "pic", "photo", "poster", "thumb", "loader", "emoji", "ajax", "endpoint", "event", "xml", "json", "script", "css", "vtt", "media", "video", "audio", "feed", "sitemap", "manifest"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return name == "js" || name == "sw"
}
