package script

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of views.
const (
	maxViews   = 64
	maxPasses  = 4  // over all views: what they are told changes what they show
	maxNested  = 24 // components in each other
	maxItemsOf = 256
)

// views are the parts of a page whose expressions stand in attributes, as Alpine, petite-vue, Vue without a build and Knockout have them (ADR 117).
type views struct {
	all        []view
	data       *object            // what a page calls its parts by: Alpine.data, createApp of petite-vue
	stores     *object            // of Alpine
	components map[string]*object // of Vue, for all of the page
	magic      *env
	envs       map[viewKey]*env
	begun      map[viewKey]bool
	code       map[string]*Script // nil: it is none
	templates  map[*object]*html.Node
	nested     int  // components in each other
	mixing     bool // what is mixed in mixes nothing in
	knockout   bool
}

// view is a tree and the names that its expressions know.
type view struct {
	node  func() *html.Node
	env   *env
	whole bool // what the node itself says counts
}

// viewKey is what was made for an element, or an attribute of one, where other names are around it.
type viewKey struct {
	n     *html.Node
	outer *env
	i     int
	key   string
}

// viewsOf makes what views share.
func (p *Page) viewsOf() *views {
	if p.views == nil {
		v := &views{data: p.object(), stores: p.object(), components: map[string]*object{}, envs: map[viewKey]*env{}, begun: map[viewKey]bool{}, code: map[string]*Script{}, templates: map[*object]*html.Node{}}
		magic := p.object()
		magic.add("$store", v.stores)
		magic.add("$persist", p.native("$persist", persist))
		v.magic = &env{block: true, with: magic, parent: &env{block: true, with: v.data, parent: &env{}}}
		p.views = v
	}
	return p.views
}

// HasViews says that attributes of the page have expressions.
func (p *Page) HasViews() {
	p.start()
	p.job(p.steps, p.effort.script, func() { p.addView(view{node: p.rootNode, env: p.viewsOf().magic}) })
}

func (p *Page) addView(v view) {
	if of := p.viewsOf(); len(of.all) < maxViews {
		p.withs = true
		of.all = append(of.all, v)
	}
}

// showViews reads all views.
func (p *Page) showViews() {
	for i := 0; i < len(p.views.all); i++ {
		v := p.views.all[i]
		p.job(p.steps/2+1, p.effort.script, func() { p.showView(v) })
	}
}

func (p *Page) showView(v view) {
	p.now, p.script = &frame{env: v.env, this: p.global, top: true}, &Script{nth: -1}
	switch n := v.node(); {
	case n == nil:
	case v.whole:
		chosen := false
		p.showElement(n, v.env, &chosen)
	default:
		p.showAll(n, v.env)
	}
}

// showNow shows what a script mounts, as it is before anything is answered.
func (p *Page) showNow(v view) {
	p.addView(v)
	now, script := p.now, p.script
	p.guarded(func() value {
		p.showView(v)
		return nil
	})
	p.now, p.script = now, script
}

// showAll reads what is in a node.
func (p *Page) showAll(n *html.Node, at *env) {
	if n.DataAtom == atom.Template {
		if o := p.doc.wrapped[n]; o != nil {
			if c, is := o.get("@content").(*object); is {
				n = p.nodeOf(c)
			}
		}
	}
	p.down()
	defer func() { p.depth-- }()
	p.showSiblings(n.FirstChild, nil, at)
}

// showSiblings shows a node and what stands behind it, as far as end.
func (p *Page) showSiblings(n, end *html.Node, at *env) {
	chosen := false // one of a chain of v-if and v-else was
	for n != nil && n != end {
		next := n.NextSibling
		p.step()
		switch n.Type {
		case html.ElementNode:
			p.showElement(n, at, &chosen)
		case html.CommentNode:
			if after := p.showComment(n, at); after != nil {
				next = after
			}
		}
		n = next
	}
}

// directive is an attribute that has an expression: of what kind, and for what.
func directive(key string) (kind, of string) {
	switch {
	case key == "":
		return "", ""
	case key[0] == ':':
		kind, of = "bind", key[1:]
	case key[0] == '@':
		kind, of = "on", key[1:]
	case strings.HasPrefix(key, "x-"), strings.HasPrefix(key, "v-"):
		kind, of, _ = strings.Cut(key[2:], ":")
	case key == "data-bind":
		return key, ""
	default:
		return "", ""
	}
	if kind != "on" || !strings.HasPrefix(of, "vue:") {
		of, _, _ = strings.Cut(of, ".")
	}
	kind, _, _ = strings.Cut(kind, ".")
	return kind, of
}

// showElement reads an element. chosen says whether one of the chain of conditions in which it stands was.
func (p *Page) showElement(n *html.Node, at *env, chosen *bool) {
	p.cost(1 + len(n.Attr))
	var each, scope string
	hasEach, hasScope := false, false
	for _, a := range n.Attr {
		switch kind, _ := directive(a.Key); kind {
		case "pre", "ignore":
			return
		case "for":
			each, hasEach = a.Val, true
		case "data", "scope":
			scope, hasScope = a.Val, true
		}
	}
	if hasEach && at != p.views.magic {
		if first, is := condition(n); first {
			*chosen = false
		} else if is && *chosen {
			return
		}
		p.showEach(n, at, each)
		return
	}
	if hasScope {
		at = p.scope(n, at, scope)
		if at.with.own("$template") != nil && p.views.nested < maxNested { // of petite-vue
			if root := p.templateOf(at.with); root != nil {
				p.views.nested++
				defer func() { p.views.nested-- }()
				p.showAll(root, at)
				return
			}
		}
	}
	if at == p.views.magic { // of no part
		p.showAll(n, at)
		return
	}
	p.showOne(n, at, chosen)
}

// scope is what an element's expressions know by the object that it names.
func (p *Page) scope(n *html.Node, at *env, code string) *env {
	of := p.viewsOf()
	key := viewKey{n: n, outer: at, i: -1}
	if e := of.envs[key]; e != nil {
		return e
	}
	var v value
	if strings.TrimSpace(code) != "" {
		v = p.evaluate(code, at, n, nil)
	}
	if f, is := one(v).(*object); is && f.fn != nil {
		v = p.guarded(func() value { return p.call(f, of.magic.with, nil) })
	}
	o, is := one(v).(*object)
	if !is {
		o = p.object()
	}
	p.begun(o)
	el := p.wrap(n)
	if o.own("$el") == nil { // of the expression that is read, or the part itself
		o.add("$el", el)
		o.own("$el").get = p.native("$el", func(p *Page, _ value, _ []value) value {
			if now := p.hosted["$el"]; now != nil {
				return now
			}
			return el
		})
	}
	for name, v := range map[string]value{"$root": el, "$store": of.stores, "$refs": p.newObject(classPhantom)} {
		if o.own(name) == nil {
			o.add(name, v)
		}
	}
	e := &env{block: true, with: o, parent: at}
	of.envs[key] = e
	p.later(p.get(o, "init"), o)
	return e
}

// persist is what Alpine keeps from one visit to the next, under names that it is told then: now what it begins with.
func persist(p *Page, _ value, args []value) value {
	o := p.object()
	o.add("@begins", argument(args, 0))
	for _, name := range [...]string{"as", "using"} {
		o.add(name, p.native(name, func(*Page, value, []value) value { return o }))
	}
	return o
}

// begun gives an object what things begin with that are kept.
func (p *Page) begun(o *object) {
	p.cost(len(o.keys) / 4)
	for _, key := range o.keys {
		if kept, is := one(o.get(key)).(*object); is && kept.own("@begins") != nil {
			o.put(key, kept.get("@begins"))
		}
	}
}

// guarded does something that may throw.
func (p *Page) guarded(do func() value) value {
	v := value(unknown{})
	p.fails(func() { v = do() })
	return v
}

// evaluate is the value of an expression, or does what statements say, with the names that are known there.
func (p *Page) evaluate(code string, at *env, n *html.Node, event value) value {
	of := p.viewsOf()
	p.cost(len(code) / 256) // each time: it is looked up
	s, has := of.code[code]
	if !has {
		p.cost(len(code) / bytesPerStep)
		var err error
		for _, written := range [...]string{"(" + code + "\n)", code, "(async()=>{" + code + "\n})()"} { // an object is no block
			if s, err = ParseHandler([]byte(written), ""); err == nil {
				s.nth = -1
				break
			}
			s = nil
		}
		of.code[code] = s
	}
	if s == nil || p.calls >= maxCalls {
		return unknown{}
	}
	return p.guarded(func() value {
		now, script := p.now, p.script
		p.calls++
		el, ev := p.hosted["$el"], p.hosted["$event"]
		if p.hosted == nil {
			p.hosted = map[string]value{}
		}
		p.hosted["$el"], p.hosted["$event"] = p.wrap(n), event
		defer func() {
			p.now, p.script = now, script
			p.calls--
			p.hosted["$el"], p.hosted["$event"] = el, ev
		}()
		this := value(p.global)
		if at.with != nil {
			this = at.with
		}
		p.now, p.script = &frame{env: &env{block: true, parent: at}, this: this, weak: p.weak}, s
		return p.lastOf(s)
	})
}

// oneLine makes the ends of lines spaces.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ")

// showEach reads an element once for each thing of a list: "a in list", "(a, i) of list".
func (p *Page) showEach(n *html.Node, at *env, code string) {
	p.cost(len(code) / 16)
	code = oneLine.Replace(code)
	names, list, is := strings.Cut(code, " in ")
	if other, rest, has := strings.Cut(code, " of "); has && (!is || len(other) < len(names)) {
		names, list, is = other, rest, true
	}
	if !is {
		return
	}
	names = strings.Trim(strings.TrimSpace(names), "()")
	vals, keys := p.repeats(p.evaluate(list, at, n, nil))
	for i, v := range vals {
		p.step()
		p.cost(len(names) / 16)
		vars := p.object()
		if strings.HasPrefix(names, "{") || strings.HasPrefix(names, "[") { // what it has, by names
			end := strings.LastIndexAny(names, "}]") + 1
			for _, name := range strings.FieldsFunc(names[1:max(end-1, 1)], func(r rune) bool { return r == ',' || r == ' ' }) {
				vars.put(name, p.get(v, name))
			}
			if rest := strings.Trim(names[end:], " ,"); rest != "" {
				vars.put(rest, keys[i])
			}
		} else {
			for j, name := range strings.Split(names, ",") {
				switch name = strings.TrimSpace(name); j {
				case 0:
					vars.put(name, v)
				case 1:
					vars.put(name, keys[i])
				case 2:
					vars.put(name, float64(i))
				}
			}
		}
		e := p.inner(n, at, i, vars)
		chosen := false
		if n.Data == "template" {
			if !p.hidden(n, e, &chosen) {
				p.showAll(n, e)
			}
			continue
		}
		inner := e
		for _, a := range n.Attr {
			if kind, _ := directive(a.Key); kind == "data" || kind == "scope" {
				inner = p.scope(n, e, a.Val)
			}
		}
		p.showOne(n, inner, &chosen)
	}
}

// inner is what is known in the i-th of what an element is repeated for; the same each time, with what is known now.
func (p *Page) inner(n *html.Node, at *env, i int, vars *object) *env {
	of := p.viewsOf()
	key := viewKey{n: n, outer: at, i: i}
	e := of.envs[key]
	if e == nil {
		e = &env{block: true, parent: at}
		of.envs[key] = e
	}
	e.with = vars
	return e
}

// repeats is what something is repeated for, and the names that each has: of a list, an object, a number.
func (p *Page) repeats(v value) (vals, keys []value) {
	v = one(v)
	switch v := v.(type) {
	case float64:
		for i := 1; i <= int(min(v, maxItemsOf)); i++ {
			vals, keys = append(vals, float64(i)), append(keys, float64(i-1))
		}
		return vals, keys
	case *object:
		if v.class == classPlain {
			for _, key := range v.keys[:min(len(v.keys), maxItemsOf)] {
				vals, keys = append(vals, p.get(v, key)), append(keys, plain(key))
			}
			return vals, keys
		}
	case nil, null, bool:
		return nil, nil
	}
	items, known := p.items(v)
	if !known {
		return []value{unknown{}}, []value{unknown{}}
	}
	for i, v := range items[:min(len(items), maxItemsOf)] {
		vals, keys = append(vals, v), append(keys, float64(i))
	}
	return vals, keys
}

// condition reports an element that begins a chain of conditions, or is in one.
func condition(n *html.Node) (first, is bool) {
	for _, a := range n.Attr {
		switch kind, _ := directive(a.Key); kind {
		case "if":
			return true, true
		case "else-if", "else":
			is = true
		}
	}
	return false, is
}

// hidden reports an element that is not shown, as its condition says, or one before it.
func (p *Page) hidden(n *html.Node, at *env, chosen *bool) bool {
	for _, a := range n.Attr {
		kind, _ := directive(a.Key)
		switch kind {
		case "if":
			is, known := truth(p.evaluate(a.Val, at, n, nil))
			if *chosen = known && is; known && !is {
				return true
			}
		case "else-if":
			if *chosen {
				return true
			}
			is, known := truth(p.evaluate(a.Val, at, n, nil))
			if *chosen = known && is; known && !is {
				return true
			}
		case "else":
			if *chosen {
				return true
			}
		}
	}
	return false
}

// showOne reads an element with all that is known in it.
func (p *Page) showOne(n *html.Node, at *env, chosen *bool) {
	if p.hidden(n, at, chosen) {
		return
	}
	if p.views.knockout {
		if code, has := attr(n, "data-bind"); has {
			p.showBound(n, at, code)
			return
		}
		if c := p.views.components[n.Data]; c != nil {
			params, _ := attr(n, "params")
			p.showKnockout(n, c, p.evaluate("{"+params+"}", at, n, nil), at)
			return
		}
	}
	var shell *object
	options := p.component(n, at)
	set := func(key string, v value) {
		if options != nil {
			if _, is := p.propOf(options, key); is {
				return
			}
		}
		if shell == nil {
			shell = p.wrap(p.copyNode(n, false, 0)).(*object)
		}
		p.bound(shell, key, v)
	}
	for i, a := range n.Attr {
		kind, of := directive(a.Key)
		switch kind {
		case "bind":
			v := p.evaluate(a.Val, at, n, nil)
			if of != "" {
				set(of, v)
			} else if o, is := one(v).(*object); is {
				for _, key := range o.keys {
					v := p.get(o, key)
					if kind, of := directive(key); kind == "bind" { // as Alpine has them, of functions
						if f, is := one(v).(*object); is && f.fn != nil {
							v = p.guarded(func() value { return p.call(f, at.with, nil) })
						}
						key = of
					}
					set(key, v)
				}
			}
		case "html":
			p.sink(Markup, p.evaluate(a.Val, at, n, nil))
		case "init", "effect", "intersect":
			p.does(n, at, i, a.Val, nil)
		case "on":
			p.does(n, at, i, a.Val, p.event(of, p.wrap(n)).(*object))
		}
	}
	if options != nil {
		p.showComponent(n, at, options)
	}
	p.showAll(n, at)
}

// bound gives an element what an expression is.
func (p *Page) bound(shell *object, key string, v value) {
	switch key {
	case "key", "class", "ref", "is": // no address
		told(p, nil, []value{v})
	case "style":
		o, is := one(v).(*object)
		if !is {
			p.setAttribute(shell, key, v)
			return
		}
		for _, name := range o.keys {
			p.sink(Style, p.get(o, name))
		}
	case "innerhtml", "innerHTML":
		p.sink(Markup, v)
	default:
		switch v := one(v).(type) {
		case nil, null, bool, unknown:
		default:
			p.setAttribute(shell, key, v)
		}
	}
}

// does does what an attribute says, once: now, or when a person does something.
func (p *Page) does(n *html.Node, at *env, i int, code string, event *object) {
	of, key := p.viewsOf(), viewKey{n: n, outer: at, i: i, key: "on"}
	if of.begun[key] || len(p.jobs) >= maxJobs || len(p.acts) >= maxJobs {
		return
	}
	of.begun[key] = true
	queue, e := &p.jobs, value(nil)
	if event != nil {
		e = event
		if typ, _ := event.get("type").(*text); typ != nil && byPerson(typ.s) {
			queue = &p.acts
		}
	}
	*queue = append(*queue, func() {
		v := p.evaluate(code, at, n, e)
		if f, is := one(v).(*object); is && f.fn != nil && !strings.Contains(code, "(") { // its name alone
			p.guarded(func() value { return p.call(f, at.with, []value{e}) })
		}
	})
}
