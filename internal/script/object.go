package script

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// class says what an object is for the language, or for a browser.
type class uint8

const (
	classPlain class = iota
	classList
	classFunction
	classMap
	classSet
	classPromise
	classRegExp
	classWindow
	classDocument
	classElement
	classStyle
	classData
	classURL
	classParams
	classRequest
	classLocation
	classPhantom // an object of a browser that is not modelled
	classIterator
	classJQuery
	classTokens
	classDate // that is known
	classSymbol
	classProxy
	classText // of methods alone, as the next
	classNumber
)

// prop is a property.
type prop struct {
	key      string
	val      value
	get, set *object
	weak     int
}

// object is an object, a list, or a function.
type object struct {
	class class
	solid bool  // it is frozen
	exact bool  // it has what scripts gave it, and nothing else
	weak  int32 // conditions around where it was made
	proto *object
	props []*prop          // few are looked through
	index map[string]*prop // of many
	keys  []string         // in their order
	list  []value
	fn    *function
	host  any // what a browser's object stands for
	made  *object
	mem   *memory // in which its properties are made; nil: by themselves
}

// function is what is called.
type function struct {
	native func(p *Page, this value, args []value) value
	name   string
	code   *code
	env    *env
	this   value   // of an arrow function
	arrow  *frame  // whose super and arguments it has
	home   *object // its class's prototype
	class  *classCode
	script *Script
	called bool
	strict bool    // this of a plain call is none
	of     *object // what it is a bound one of
	given  []value // the arguments that are bound
	super  *object

	inside int // calls of it that are going on
	weak   int // that of the first of them
}

// code is what a function does.
type code struct {
	params    *js.Params
	body      *js.BlockStmt
	async     bool
	generator bool
	self      *js.Var
}

// classCode is what a class has for its objects.
type classCode struct {
	ctor   *object
	fields []js.ClassElement
	env    *env
}

// fewProps is how many properties of an object are looked through.
const fewProps = 8

func (o *object) own(key string) *prop {
	if o.index != nil {
		return o.index[key]
	}
	for _, p := range o.props {
		if p.key == key {
			return p
		}
	}
	return nil
}

// get returns a property of the object itself, as it is.
func (o *object) get(key string) value {
	if p := o.own(key); p != nil {
		return p.val
	}
	return nil
}

func (o *object) put(key string, v value) {
	if old := o.own(key); old != nil {
		old.val = v
		return
	}
	o.add(key, v)
	if o.keys == nil && o.mem != nil {
		o.keys = o.mem.keys.few(fewProps / 2)
	}
	o.keys = append(o.keys, key)
}

// add makes a property that no loop sees.
func (o *object) add(key string, v value) *prop {
	var p *prop
	if o.mem != nil {
		p = o.mem.props.get()
		if o.props == nil {
			o.props = o.mem.own.few(fewProps / 2)
		}
	} else {
		p = &prop{}
	}
	p.key, p.val, p.weak = key, v, int(o.weak)
	switch {
	case o.index != nil:
		o.index[key] = p
	case len(o.props) < fewProps:
		o.props = append(o.props, p)
	default:
		o.index = make(map[string]*prop, 4*fewProps)
		for _, p := range o.props {
			o.index[p.key] = p
		}
		o.index[key], o.props = p, nil
	}
	return p
}

func (o *object) remove(key string) {
	if o.own(key) == nil {
		return
	}
	delete(o.index, key)
	o.props = slices.DeleteFunc(o.props, func(p *prop) bool { return p.key == key })
	if i := slices.Index(o.keys, key); i >= 0 {
		o.keys = slices.Delete(o.keys, i, i+1)
	}
}

func (o *object) find(key string) *prop {
	for n := 0; o != nil && n < maxProtos; o, n = o.proto, n+1 {
		if p := o.own(key); p != nil {
			return p
		}
	}
	return nil
}

func (p *Page) object() *object {
	p.step()
	o := p.newObject(classPlain)
	o.weak = int32(p.weak)
	return o
}

func (p *Page) newList(vals []value) *object {
	p.step()
	if len(vals) > maxItems {
		vals = vals[:maxItems]
	}
	p.steps -= len(vals) / 4
	o := p.newObject(classList)
	o.weak, o.list = int32(p.weak), vals
	return o
}

// newObject makes an object.
func (p *Page) newObject(c class) *object {
	o := p.mem.objects.get()
	o.class, o.mem = c, p.mem
	return o
}

// builtin is a method of the language, or of a browser, of which a page has one.
func (p *Page) builtin(of class, name string, do method) *object {
	key := nativeKey{of, name}
	f := p.natives[key]
	if f == nil {
		f = p.native(name, do)
		if p.natives == nil {
			p.natives = map[nativeKey]*object{}
		}
		p.natives[key] = f
	}
	return f
}

type nativeKey struct {
	of   class
	name string
}

func (p *Page) native(name string, do func(p *Page, this value, args []value) value) *object {
	o := p.newObject(classFunction)
	o.fn = p.mem.functions.get()
	o.fn.native, o.fn.name, o.fn.called = do, name, true
	return o
}

// key is a value as the name of a property.
func (p *Page) key(v value) (string, bool) {
	switch v := v.(type) {
	case *text:
		v.consumed, v.looked = true, true
		return v.s, v.known()
	case float64:
		return formatNumber(v), true
	case unknown, *choice, *object:
		if s := symbolIn(v); s != nil {
			return s.key, true
		}
		if o, is := v.(*object); is {
			return p.objectKey(o)
		}
		return "", false
	}
	return p.textOf(v).s, true
}

func index(key string) int {
	if len(key) == 0 || len(key) > 6 || key[0] < '0' || key[0] > '9' {
		return -1
	}
	n, err := strconv.Atoi(key)
	if err != nil {
		return -1
	}
	return n
}

// get returns a property of any value.
func (p *Page) get(of value, key string) value {
	switch of := of.(type) {
	case *object:
		return p.property(of, key, of)
	case *text:
		if key == "constructor" {
			return p.constructorOf(of)
		}
		if key == "@@iterator" {
			return p.builtin(classText, key, func(p *Page, this value, _ []value) value {
				items, _ := p.items(one(this))
				return &object{class: classIterator, list: items}
			})
		}
		return p.textProperty(of, key)
	case *choice:
		p.cost(len(of.vals) / 4)
		vals := make([]value, len(of.vals))
		for i, v := range of.vals {
			vals[i] = p.get(v, key)
		}
		if len(vals) == 0 {
			return unknown{}
		}
		return p.settle(&choice{id: of.id, vals: vals, keys: of.keys})
	case float64:
		if m := p.numberMethods()[key]; m != nil {
			return p.builtin(classNumber, key, m)
		}
		if v, has := p.inherited("Number", key, of); has {
			return v
		}
		if key == "constructor" {
			return p.constructorOf(of)
		}
	case *big.Int:
		return p.bigProperty(key)
	case unknown:
		switch key {
		case "then":
			return p.builtin(classPromise, key, p.promiseMethods()["then"])
		case "dataset":
			return &object{class: classData}
		}
		if strings.HasPrefix(key, "__v_") || strings.HasPrefix(key, "_x_") { // what Vue and Alpine keep in what is theirs, and look for in what is not
			return nil
		}
	}
	return unknown{}
}

// settle makes a choice of what is known of it.
func (p *Page) settle(c *choice) value {
	p.steps -= len(c.vals) / 4
	known := 0
	for _, v := range c.vals {
		switch v.(type) {
		case unknown, nil:
		case *choice:
			return p.either(c.vals...)
		default:
			known++
		}
	}
	switch {
	case known == 0:
		return unknown{}
	case known < len(c.vals):
		return p.either(slices.DeleteFunc(slices.Clone(c.vals), func(v value) bool { return v == nil })...)
	}
	return c
}

func (p *Page) property(o *object, key string, this value) value {
	p.step()
	if px, is := o.host.(*proxy); is {
		return p.proxyGet(px, key, this)
	}
	if pr := o.find(key); pr != nil {
		if pr.get != nil {
			return p.call(pr.get, this, nil)
		}
		if pr.set != nil {
			return nil
		}
		return pr.val
	}
	if key == "@@iterator" {
		if f := p.iteratorOf(o); f != nil {
			return f
		}
	}
	switch o.class {
	case classList:
		if key == "length" {
			return float64(len(o.list))
		}
		if i := index(key); i >= 0 {
			if i < len(o.list) {
				return o.list[i]
			}
			return nil
		}
		if m := p.listMethods()[key]; m != nil {
			return p.builtin(classList, key, m)
		}
		if v, has := p.inherited("Array", key, o); has {
			return v
		}
	case classFunction:
		if key == "prototype" && o.fn.code != nil {
			proto := p.object()
			proto.put("constructor", o)
			o.put("prototype", proto)
			proto.made = o
			return proto
		}
		switch key {
		case "name":
			return plain(o.fn.name)
		case "length":
			return o.fn.length()
		}
		if m := p.functionMethods()[key]; m != nil {
			return p.builtin(classFunction, key, m)
		}
		if v, has := p.inherited("Function", key, o); has {
			return v
		}
	case classSymbol:
		return p.symbolProperty(o, key)
	case classDate:
		if m := p.dateMethods()[key]; m != nil {
			return p.builtin(classDate, key, m)
		}
		if v, has := p.inherited("Date", key, o); has {
			return v
		}
	default:
		if v, has := p.hostProperty(o, key); has {
			return v
		}
	}
	if key == "constructor" && o.proto == nil {
		return p.constructorOf(o)
	}
	if m := p.objectMethods()[key]; m != nil {
		return p.builtin(classPlain, key, m)
	}
	if key == "__proto__" {
		if o.proto != nil {
			return o.proto
		}
		return null{}
	}
	if o.class == classPlain || o.class == classFunction || o.class == classDate {
		if o.class == classPlain && o.proto != nil {
			if o.rooted() {
				return unknown{} // its class's class is not known
			}
			if px := o.proxied(); px != nil {
				return p.proxyGet(px, key, this)
			}
		}
		return nil
	}
	switch o.class {
	case classList:
		if _, is := o.host.(elements); !is {
			return nil
		}
		fallthrough
	case classMap, classSet, classPromise, classRegExp: // what frameworks keep there, and has not been set
		if key != "" && (key[0] == '_' || key[0] == '$') {
			return nil
		}
	}
	return unknown{}
}

// rooted reports an object whose class extends what is not known.
func (o *object) rooted() bool {
	for n := 0; o != nil && n < maxProtos; o, n = o.proto, n+1 {
		if o.class == classPhantom {
			return true
		}
	}
	return false
}

// proxied is the proxy among the prototypes of an object.
func (o *object) proxied() *proxy {
	for n := 0; o != nil && n < maxProtos; o, n = o.proto, n+1 {
		if px, is := o.host.(*proxy); is {
			return px
		}
	}
	return nil
}

// put sets a property of any value.
func (p *Page) put(of value, key string, v value) {
	p.step()
	p.down()
	defer func() { p.depth-- }()
	switch of := of.(type) {
	case *choice:
		for _, o := range of.vals {
			p.put(o, key, v)
		}
	case unknown, nil:
		p.sinkMember(key, v)
	case *object:
		p.set(of, key, v)
	}
}

func (p *Page) set(o *object, key string, v value) {
	if px, is := o.host.(*proxy); is {
		p.proxySet(px, key, v, o)
		return
	}
	if o.solid {
		return
	}
	if proto, is := v.(*object); is && key == "__proto__" && proto != o {
		o.proto = proto
		return
	}
	if pr := o.find(key); pr != nil && (pr.set != nil || pr.get != nil) {
		if pr.set != nil {
			p.call(pr.set, o, []value{v})
		}
		return
	}
	switch o.class {
	case classList:
		if key == "length" {
			if n, is := v.(float64); is && n >= 0 && n <= float64(len(o.list)) && p.weak <= int(o.weak) { // perhaps it keeps what it has
				o.list = o.list[:int(n)]
			}
			return
		}
		if i := index(key); i >= 0 && i < maxItems {
			for len(o.list) <= i {
				o.list = append(o.list, nil)
			}
			o.list[i] = v
			return
		}
	case classPlain, classFunction, classDate:
		if o.class == classPlain && o.proto != nil && o.rooted() {
			p.sinkMember(key, v)
		}
	default:
		if p.setHost(o, key, v) {
			return
		}
	}
	if old := o.own(key); old != nil {
		p.note(change{prop: old, old: old.val})
		old.val = p.assigned(old.val, v, old.weak)
		return
	}
	if len(o.keys) >= maxItems {
		return
	}
	made := o.add(key, v)
	o.keys = append(o.keys, key)
	p.note(change{prop: made})
}

// assigned is what a name means that had one value and is given another: under conditions that are not known, either.
func (p *Page) assigned(old, v value, weak int) value {
	if p.weak <= max(weak, p.base) { // within a branch it is that
		return v
	}
	switch old.(type) {
	case nil, null, unknown, bool, *object:
		if isUnknown(v) && old != nil {
			return old
		}
		return v
	}
	if isUnknown(v) {
		return old
	}
	switch v.(type) {
	case *text, *choice:
		if t, is := old.(*text); is && t.s == "" {
			return v
		}
		if both := p.either(old, v); !isUnknown(both) {
			return both
		}
	}
	return v
}

// names are the names of the properties that a loop sees.
func (p *Page) names(o *object) []string {
	if px, is := o.host.(*proxy); is {
		return p.proxyNames(px)
	}
	p.cost((len(o.keys) + len(o.list)) / 4)
	if o.class == classList {
		out := make([]string, len(o.list))
		for i := range out {
			out[i] = strconv.Itoa(i)
		}
		return out
	}
	out := slices.Clone(o.keys)
	slices.SortStableFunc(out, func(a, b string) int {
		x, y := index(a), index(b)
		switch {
		case x >= 0 && y >= 0:
			return x - y
		case x >= 0:
			return -1
		case y >= 0:
			return 1
		}
		return 0
	})
	return slices.DeleteFunc(out, isHidden)
}
