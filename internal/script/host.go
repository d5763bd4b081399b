package script

import (
	"math"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/js"
	"golang.org/x/net/html"
)

// hostName is what a name means that no script defines.
func (p *Page) hostName(name string) value {
	if v, known := p.hosted[name]; known {
		return v
	}
	v := p.newHost(name)
	if p.hosted == nil {
		p.hosted = map[string]value{}
	}
	p.hosted[name] = v
	return v
}

func (p *Page) newHost(name string) value {
	switch name {
	case "undefined":
		return nil
	case "NaN":
		return math.NaN()
	case "Infinity":
		return math.Inf(1)
	case "window", "self", "globalThis", "top", "parent", "frames":
		return p.global
	case "document":
		return &object{class: classDocument}
	case "location":
		return &object{class: classLocation}
	case "localStorage", "sessionStorage":
		return p.phantom(name, storage(p))
	case "Math", "JSON", "Reflect", "Intl":
		o := p.phantom(name, p.statics(name))
		addConstants(o, name)
		return o
	case "ActiveXObject", "opera", "netscape":
		return nil
	case "NodeFilter":
		return p.constants(name, "SHOW_ALL", 0xffffffff, "SHOW_ELEMENT", 1, "SHOW_TEXT", 4, "SHOW_COMMENT", 128, "FILTER_ACCEPT", 1, "FILTER_REJECT", 2, "FILTER_SKIP", 3)
	case "Node":
		o := p.constants(name, "ELEMENT_NODE", 1, "TEXT_NODE", 3, "COMMENT_NODE", 8, "DOCUMENT_NODE", 9, "DOCUMENT_FRAGMENT_NODE", 11)
		p.addElementPrototype(o, name)
		return o
	case "navigator":
		o := p.phantom(name, map[string]method{"sendBeacon": func(p *Page, _ value, args []value) value { p.sends(true, argument(args, 0)); return true }})
		o.put("appName", plain("Netscape"))
		o.put("appCodeName", plain("Mozilla"))
		o.put("appVersion", plain("5.0 (Windows)"))
		o.put("serviceWorker", p.phantom("serviceWorker", map[string]method{"register": asks(0), "addEventListener": listen}))
		return o
	case "history":
		o := p.phantom(name, map[string]method{"pushState": shows, "replaceState": shows})
		if w := p.whereabouts(); w != nil {
			o.add("state", nil).get = p.native("state", func(*Page, value, []value) value { return w.state })
		}
		return o
	case "origin":
		return p.locationProperty(name)
	case "console":
		quiet := map[string]method{}
		for _, m := range [...]string{"log", "warn", "error", "info", "debug", "table", "group", "groupEnd", "time", "timeEnd", "assert", "trace"} {
			quiet[m] = told
		}
		return p.phantom(name, quiet)
	case "customElements":
		return p.phantom(name, map[string]method{"define": defineElement, "get": nothing, "whenDefined": func(p *Page, _ value, _ []value) value { return p.resolved(unknown{}) }})
	case "importScripts":
		return p.native(name, func(p *Page, _ value, args []value) value {
			for _, arg := range args {
				t, is := one(arg).(*text)
				use := Module
				if is && !t.lit {
					use = Asked // relative to the worker, not as modules are
				}
				p.sink(use, arg)
				if is && t.known() && p.worker != nil {
					address := withoutFragment(p.whole(t).s)
					if p.files.loaded[address] {
						continue
					}
					if p.files.loaded == nil {
						p.files.loaded, p.files.of = map[string]bool{}, map[*object]bool{}
					}
					p.files.loaded[address] = true
					if s := p.file(address, false); s != nil {
						p.run(s, nil)
					}
				}
			}
			return nil
		})
	case "HTMLElement", "Element", "HTMLImageElement", "HTMLAnchorElement", "HTMLScriptElement", "HTMLDivElement", "HTMLButtonElement", "HTMLLinkElement", "HTMLVideoElement", "HTMLUListElement", "HTMLTemplateElement":
		f := p.native(name, func(_ *Page, this value, _ []value) value { return this })
		p.addElementPrototype(f, name)
		return f
	case "require", "requirejs", "define":
		for _, set := range [...]string{"require", "requirejs"} { // its settings, from before it was there
			if pr := p.global.own(set); pr != nil {
				if o, is := pr.val.(*object); is && o.fn == nil {
					p.loader().set(p, o)
				}
			}
		}
		if name == "requirejs" && p.global.own("require") == nil {
			return p.hostName("require")
		}
		return p.requireJS(name)
	case "Alpine", "Vue", "PetiteVue", "ko":
		return p.viewLibrary(name)
	case "jQuery", "$":
		if pr := p.global.own("jQuery"); pr != nil && name == "$" {
			return unknown{}
		}
		if v, known := p.hosted["jQuery"]; known && name == "$" {
			return v
		}
		v := p.jQuery()
		if p.hosted == nil {
			p.hosted = map[string]value{}
		}
		p.hosted["jQuery"], p.hosted["$"] = v, v
		return v
	}
	if m := p.functions()[name]; m != nil {
		return p.withStatics(p.native(name, m))
	}
	if m := p.browserFunctions()[name]; m != nil {
		return p.native(name, m)
	}
	if p.statics(name) != nil {
		return p.withStatics(p.native(name, nothing))
	}
	if h := hintFor(name); h.word && p.doc.root == nil && p.hasTag(h) { // elements are known by their names
		if found := p.elements(h, func(n *html.Node) bool { of, _ := attr(n, "id"); return of == name }); len(found) > 0 {
			return found[0]
		}
	}
	return p.someone()
}

// constants is an object of numbers.
func (p *Page) constants(name string, pairs ...any) *object {
	o := p.phantom(name, nil)
	for i := 0; i+1 < len(pairs); i += 2 {
		o.put(pairs[i].(string), float64(pairs[i+1].(int)))
	}
	return o
}

func (p *Page) withStatics(f *object) *object {
	if slices.Contains(errorNames(), f.fn.name) {
		p.errorPrototype(f)
	}
	for name, m := range p.statics(f.fn.name) {
		f.put(name, p.native(name, m))
	}
	if methods, of := p.methodsOf(f.fn.name); methods != nil {
		proto := p.object()
		for name, m := range methods {
			proto.put(name, p.builtin(of, name, m)) // that which each of its objects has
		}
		proto.keys = nil
		f.put("prototype", proto)
		p.protos[f.fn.name] = proto
	}
	if f.fn.name == "Date" { // it has the methods of dates without a list of them
		proto := &object{class: classDate, host: &date{math.NaN()}}
		f.put("prototype", proto)
		p.protos[f.fn.name] = proto
	}
	if f.fn.name == "RegExp" {
		p.addMatched(f)
	}
	f.keys = nil
	addConstants(f, f.fn.name)
	if f.fn.name == "Symbol" {
		p.addSymbols(f)
	}
	return f
}

// phantom is an object of a browser, of which some is known.
func (p *Page) phantom(name string, methods map[string]method) *object {
	o := p.newObject(classPhantom)
	o.host = name
	for name, m := range methods {
		o.put(name, p.native(name, m))
	}
	o.keys = nil
	return o
}

// asks makes a function that asks for the address that is its i-th argument.
func asks(i int) method {
	return func(p *Page, _ value, args []value) value {
		p.sink(Asked, argument(args, i))
		return p.resolved(unknown{})
	}
}

// told is what nothing comes of.
func told(_ *Page, _ value, args []value) value {
	for _, arg := range args {
		if t, is := arg.(*text); is {
			t.consumed, t.looked = true, true
		}
	}
	return nil
}

func storage(p *Page) map[string]method {
	kept := &entries{}
	of := &object{host: kept}
	return map[string]method{
		"getItem": func(p *Page, _ value, args []value) value {
			if v := p.mapMethods()["get"](p, of, args); v != nil {
				return v
			}
			return null{}
		},
		"setItem": func(p *Page, _ value, args []value) value {
			told(p, nil, args)
			p.mapMethods()["set"](p, of, args)
			return nil
		},
		"removeItem": func(p *Page, _ value, args []value) value { return p.mapMethods()["delete"](p, of, args) },
	}
}

// code interprets a script that a script has as a text, and returns what its last expression is.
func (p *Page) code(t *text, this value) value {
	t.consumed = true
	if !t.known() || len(t.s) > maxText || p.calls >= maxCalls {
		return unknown{}
	}
	p.steps -= len(t.s)
	s, err := ParseHandler([]byte(t.s), "")
	if err != nil {
		if s, err = Parse([]byte(t.s), true); err != nil { // a module
			return unknown{}
		}
	}
	s.nth = -1
	now, script := p.now, p.script
	p.calls++
	defer func() { p.now, p.script = now, script; p.calls-- }()
	p.now, p.script = &frame{env: &env{}, this: this, top: true, weak: p.weak}, s
	return p.lastOf(s)
}

// lastOf runs the statements of a script, and returns what the last expression is.
func (p *Page) lastOf(s *Script) value {
	p.hoist(s.ast.List)
	last := value(unknown{})
	for _, st := range s.ast.List {
		if e, is := st.(*js.ExprStmt); is {
			p.step()
			last = p.expr(e.Value)
		} else if o := p.stmt(st, ""); o.done != ended {
			break
		}
	}
	return last
}

// sinkMember notes what a member of an object is set to that is not known.
func (p *Page) sinkMember(key string, v value) {
	switch key {
	case "src", "poster", "action", "href", "background":
		p.sink(Asked, v)
	case "srcset":
		p.sink(Set, v)
	case "innerHTML", "outerHTML":
		p.sink(Markup, v)
	case "cssText":
		p.sink(Style, v)
	case "location":
		p.sink(Goes, v)
	default:
		switch v := v.(type) {
		case *object:
			if v.fn != nil && strings.HasPrefix(key, "on") {
				p.later(v, unknown{}, p.event(key[2:], unknown{}))
			}
		case *text:
			v.given = true
		}
	}
}

// sinkCall notes what a function that is not known is called with.
func (p *Page) sinkCall(name, owner string, args []value) {
	first := argument(args, 0)
	switch name {
	case "getJSON", "getScript", "load", "axios", "addModule":
		p.sink(Asked, first)
	case "sendBeacon":
		p.sends(true, first)
	case "get", "post", "ajax", "request":
		if owner == "$" || owner == "jQuery" || owner == "axios" || owner == "http" {
			p.sends(name == "post", first)
		}
	case "open":
		if len(args) > 1 {
			if m, is := first.(*text); is && (strings.EqualFold(m.s, "get") || strings.EqualFold(m.s, "post") || strings.EqualFold(m.s, "head")) {
				p.sends(strings.EqualFold(m.s, "post"), args[1])
			}
		}
	case "setAttribute":
		if key, is := first.(*text); is {
			p.sinkMember(strings.ToLower(key.s), argument(args, 1))
		}
	case "replace", "assign":
		if owner == "location" { // of another window
			p.sink(Goes, first)
		}
	case "append", "prepend", "after", "before", "html", "appendTo", "insertAdjacentHTML":
		for _, arg := range args {
			if t, is := arg.(*text); is && strings.IndexByte(t.s, '<') >= 0 {
				p.sink(Markup, t)
			}
		}
	case "ga", "gtag", "fbq", "ym", "log", "track":
		told(p, nil, args)
	case "pushState", "replaceState":
		shows(p, nil, args)
	}
}

// hostProperty is what an object of a browser has.
func (p *Page) hostProperty(o *object, key string) (value, bool) {
	switch o.class {
	case classPlain:
		return nil, false
	case classWindow:
		if key == "undefined" || key == "importScripts" && !p.alone() { // by which scripts ask whether they are in a worker
			return nil, true
		}
		return p.hostName(key), true
	case classDocument:
		return p.documentProperty(o, key), true
	case classElement:
		return p.elementProperty(o, key), true
	case classStyle, classTokens:
		switch key {
		case "setProperty":
			return p.native(key, func(p *Page, _ value, args []value) value {
				p.sink(Style, argument(args, 1))
				return nil
			}), true
		case "insertRule", "cssRules":
			return unknown{}, true
		}
		return unknown{}, true
	case classData:
		return p.dataProperty(o, key), true
	case classURL:
		return p.urlProperty(o, key)
	case classParams:
		if m := p.paramsMethods()[key]; m != nil {
			return p.builtin(classParams, key, m), true
		}
	case classLocation:
		return p.locationProperty(key), true
	case classMap:
		if key == "size" {
			return float64(len(mapOf(o).keys)), true
		}
		if m := p.mapMethods()[key]; m != nil {
			return p.builtin(classMap, key, m), true
		}
	case classSet:
		if key == "size" {
			return float64(len(o.list)), true
		}
		if m := p.setMethods()[key]; m != nil {
			return p.builtin(classSet, key, m), true
		}
	case classPromise:
		if m := p.promiseMethods()[key]; m != nil {
			return p.builtin(classPromise, key, m), true
		}
		return unknown{}, true
	case classRegExp:
		return p.patternProperty(o, key), true
	case classIterator:
		if s := streamIn(o); s != nil {
			return p.streamProperty(s, key), true
		}
		switch key {
		case "take", "drop", "toArray", "map", "filter", "flatMap", "return", "throw":
			return p.streamProperty(listStream(o), key), true
		}
		if key == "next" {
			return p.native(key, func(p *Page, this value, _ []value) value {
				r := p.object()
				it, is := this.(*object)
				if !is {
					return r
				}
				if len(it.list) == 0 {
					r.put("value", nil)
					r.put("done", true)
					return r
				}
				r.put("value", it.list[0])
				r.put("done", false)
				it.list = it.list[1:]
				return r
			}), true
		}
		if m := p.listMethods()[key]; m != nil {
			return p.native(key, func(p *Page, this value, args []value) value { return m(p, p.listed(this), args) }), true
		}
	case classJQuery:
		return p.jQueryProperty(o, key), true
	case classRequest:
		return unknown{}, true
	case classPhantom:
		switch key {
		case "addEventListener":
			return p.native(key, listen), true
		case "dispatchEvent":
			return p.native(key, dispatch), true
		case "then":
			return p.native(key, p.promiseMethods()["then"]), true
		}
		return unknown{}, true
	}
	return nil, false
}

// locationProperty is where the page is, which stays out of addresses.
// setHost sets what an object of a browser has; false: it is an object's like any other.
func (p *Page) setHost(o *object, key string, v value) bool {
	switch o.class {
	case classWindow:
		if key == "location" {
			p.sink(Goes, v)
			return true
		}
		if key == "onload" || key == "onscroll" || key == "onresize" || key == "onhashchange" || key == "onpopstate" || key == "onmessage" {
			listen(p, o, []value{plain(key[2:]), v})
		}
		return false
	case classLocation:
		p.setLocation(key, v)
		return true
	case classDocument:
		switch key {
		case "location":
			p.sink(Goes, v)
		case "cookie":
			told(p, nil, []value{v})
			if t, is := one(v).(*text); is && t.known() && len(p.doc.cookies) < maxChoices {
				pair, _, _ := strings.Cut(t.s, ";")
				p.doc.cookies = append(p.doc.cookies, pair)
			}
		case "title":
			told(p, nil, []value{v})
			p.doc.title = p.textOf(one(v))
		default:
			if strings.HasPrefix(key, "on") {
				listen(p, o, []value{plain(key[2:]), v})
			}
			return false
		}
		return true
	case classElement:
		return p.setElementProperty(o, key, v)
	case classRegExp:
		return p.setPattern(o, key, v)
	case classStyle:
		p.sink(Style, v)
		return true
	case classData:
		p.setData(o, key, v)
		return true
	case classURL:
		p.setURL(o, key, v)
		return true
	case classPhantom:
		if f, is := one(v).(*object); is && f.fn != nil && strings.HasPrefix(key, "on") {
			listen(p, o, []value{plain(key[2:]), f})
			return false
		}
		if o.host != "Event" && o.host != "entry" && o.host != "observer" {
			switch key {
			case "src", "href", "innerHTML", "srcset", "location":
				p.sinkMember(key, v)
			}
		}
	}
	return false
}

// methodsOf are the methods that prototypes of the language have.
func (p *Page) methodsOf(name string) (map[string]method, class) {
	switch name {
	case "String":
		return p.textMethods(), classText
	case "Array":
		return p.listMethods(), classList
	case "Function":
		return p.functionMethods(), classFunction
	case "Object":
		return p.objectMethods(), classPlain
	case "Number":
		return p.numberMethods(), classNumber
	case "RegExp":
		return p.patternMethods(), classRegExp
	case "Promise":
		return p.promiseMethods(), classPromise
	case "Map":
		return p.mapMethods(), classMap
	case "Set":
		return p.setMethods(), classSet
	}
	return nil, 0
}

// inherited is what a script gave a prototype of the language.
func (p *Page) inherited(of, key string, this value) (value, bool) {
	proto := p.protos[of]
	if proto == nil {
		return nil, false
	}
	pr := proto.own(key)
	switch {
	case pr == nil:
		return nil, false
	case pr.get != nil:
		return p.call(pr.get, this, nil), true
	}
	return pr.val, true
}
