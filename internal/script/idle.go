package script

import (
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// Idle reports that a string in the i-th script was read wherever it stands, and that nobody got it: no function that is not known, nothing that is
// asked for or shown. It became a part of something else, or variables and members have it that the page names nowhere else: what is read today in vain may be
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
	listed     bool     // it stands in a list, is a member that is called as addresses are, or one of an object that is given to something
	names      []string // of variables and members that have it
	in         []string // names by which the objects are got to that have these members
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
		case t.joined:
			joined[at] = struct{}{}
		}
	}
	p.unused = map[literal]struct{}{}
	named := names{map[string]int{}, map[string]int{}} // those that have one of them
	for at, n := range read {
		place := p.stands[at]
		_, part := joined[at]
		if _, has := got[at]; has || place.live != n || place.listed || !part && len(place.names) != n || !strings.ContainsAny(at.s, "./") || strings.Contains(at.s, "://") || strings.HasPrefix(at.s, "//") {
			continue
		}
		p.unused[at] = struct{}{}
		if !part {
			for _, name := range place.names {
				named.all[name] = 0
			}
			for _, name := range place.in {
				named.all[name], named.based[name] = 0, 0
			}
		}
	}
	if len(named.all) == 0 {
		return
	}
	for _, s := range p.ran {
		js.Walk(nameVisitor{named}, s.ast)
	}
	p.countElsewhere(named)
	for at := range p.unused {
		if _, is := joined[at]; is {
			continue
		}
		for _, name := range p.stands[at].names {
			if named.all[name] > p.declared[name] {
				delete(p.unused, at)
			}
		}
		for _, name := range p.stands[at].in {
			if named.all[name]-named.based[name] > p.declared[name] { // something is given the object, or asks for members that are not known
				delete(p.unused, at)
			}
		}
	}
}

// names counts how often names stand in scripts, and how often only for a member of what they name: a.b.
type names struct{ all, based map[string]int }

// nameVisitor counts the names of a script, also those in strings.
type nameVisitor struct{ names }

func (v nameVisitor) Enter(n js.INode) js.IVisitor {
	switch n := n.(type) {
	case *js.Var:
		v.count(unescape(n.Data))
	case *js.Alias:
		v.count(string(n.Name))
		v.count(string(n.Binding))
	case *js.DotExpr:
		v.count(memberName(n))
		v.base(n.X)
	case *js.IndexExpr:
		if key, is := n.Y.(*js.LiteralExpr); is && key.TokenType == js.StringToken {
			v.base(n.X)
		}
	case *js.LiteralExpr:
		if n.TokenType == js.StringToken {
			v.countIn(unescape(n.Data[1 : len(n.Data)-1]))
		} else {
			v.count(unescape(n.Data))
		}
	case *js.TemplateExpr:
		for _, part := range n.List {
			v.countIn(string(part.Value))
		}
		v.countIn(string(n.Tail))
	}
	return v
}

func (nameVisitor) Exit(js.INode) {}

func (v nameVisitor) base(of js.IExpr) {
	if name, is := lastName(of); is {
		if n, wanted := v.based[name]; wanted {
			v.based[name] = n + 1
		}
	}
}

func (v names) count(name string) {
	if n, wanted := v.all[name]; wanted {
		v.all[name] = n + 1
	}
}

// countIn counts the names in a text: it may be one, code, markup with code, or what has names between others. What looks like an address is none of these.
func (v names) countIn(s string) {
	if v.count(s); strings.ContainsAny(s, " ,;(<{=") {
		eachName(s, v.count)
	}
}

// eachName calls found for what could be names in a text: no tags, and no parts of paths and of classes.
func eachName(s string, found func(string)) {
	for i := 0; i < len(s); {
		if !inName(s[i]) {
			i++
			continue
		}
		from := i
		for i < len(s) && inName(s[i]) {
			i++
		}
		if (from == 0 || strings.IndexByte("</-", s[from-1]) < 0) && (i == len(s) || s[i] != '-') {
			found(s[from:i])
		}
	}
}

func inName(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// countElsewhere counts the names in the page that are not in the scripts that were read: code of events, expressions of libraries that nobody knows,
// values of attributes by which scripts choose.
func (p *Page) countElsewhere(v names) {
	elsewhere := map[string]int{}
	eachName(string(p.doc.source.Text), func(name string) {
		if _, wanted := v.all[name]; wanted {
			elsewhere[name]++
		}
	})
	for _, s := range p.ran {
		if s.from == "" {
			eachName(string(s.src), func(name string) { elsewhere[name]-- })
		}
	}
	for name, n := range elsewhere {
		if n > 0 {
			v.count(name)
		}
	}
}

// lastName is a in a, and b in a.b.
func lastName(e js.IExpr) (string, bool) {
	switch e := e.(type) {
	case *js.Var:
		return string(e.Data), true
	case *js.DotExpr:
		return memberName(e), true
	case *js.LiteralExpr:
		return string(e.Data), e.TokenType == js.ThisToken
	}
	return "", false
}

// maxHolders is how deep something is in others.
const maxHolders = 8

// isWindow reports a name of the object whose members are variables.
func isWindow(name string) bool { return name == "window" || name == "self" || name == "globalThis" }

// name notes that a value stands where a variable, or a member of what is got to by the names in, is given it. held is false when something else has
// that: an object that is given to a function, or returned.
func (v *deadVisitor) name(name []byte, value js.IExpr, member bool, in []string, held bool) {
	called := unescape([]byte(strings.Trim(string(name), `"'`)))
	if v.p.declared == nil {
		v.p.declared = map[string]int{}
	}
	if o, is := value.(*js.ObjectExpr); is {
		if v.p.declared[called]++; held && len(in) < maxHolders {
			if v.p.holders == nil {
				v.p.holders = map[*js.ObjectExpr][]string{}
			}
			v.p.holders[o] = append(in[:len(in):len(in)], called)
		}
		return
	}
	text, is := value.(*js.LiteralExpr)
	if !is || text.TokenType != js.StringToken {
		return
	}
	v.p.declared[called]++
	at := literal{v.nth, unescape(text.Data[1 : len(text.Data)-1])}
	place := v.p.stands[at]
	place.listed = place.listed || !held || member && namesAddress(strings.ToLower(called))
	if len(place.names) < maxChoices {
		place.names = append(place.names, called)
		place.in = append(place.in, in...)
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
