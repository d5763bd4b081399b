package script

import (
	"encoding/base64"
	"math"
	"slices"
	"strings"
)

// newFunctionMethods makes the methods of functions.
func newFunctionMethods() map[string]method {
	return map[string]method{
		"call": func(p *Page, this value, args []value) value {
			return p.callback(this, argument(args, 0), cut(args, 1)...)
		},
		"apply": func(p *Page, this value, args []value) value {
			items, known := p.items(one(argument(args, 1)))
			if !known && argument(args, 1) != nil {
				items = unknowns(4)
			}
			return p.callback(this, argument(args, 0), items...)
		},
		"bind": func(p *Page, this value, args []value) value {
			f, is := this.(*object)
			if !is || f.fn == nil {
				return unknown{}
			}
			to, more := argument(args, 0), cut(args, 1)
			b := p.native("bound "+f.fn.name, func(p *Page, _ value, args []value) value {
				return p.call(f, to, p.withBound(more, args))
			})
			b.fn.of, b.fn.given = f, more
			return b
		},
		"toString": func(p *Page, this value, _ []value) value {
			if f, is := one(this).(*object); is && f.fn != nil {
				return p.functionText(f.fn)
			}
			return unknown{}
		},
	}
}

// newObjectMethods makes the methods of objects.
func newObjectMethods() map[string]method {
	return map[string]method{
		"hasOwnProperty": func(p *Page, this value, args []value) value {
			key, known := p.key(one(argument(args, 0)))
			if !known {
				return unknown{}
			}
			switch o := proxied(this).(type) {
			case *object:
				if o.class == classList {
					return key == "length" || p.has(o, key) || o.own(key) != nil
				}
				return o.own(key) != nil
			case *text:
				if i := index(key); o.known() {
					return key == "length" || i >= 0 && i < len(o.s)
				}
			case float64, bool:
				return false
			}
			return unknown{}
		},
		"toString": kindText,
		"valueOf":  func(_ *Page, this value, _ []value) value { return this },
		"isPrototypeOf": func(_ *Page, this value, args []value) value {
			o, is := argument(args, 0).(*object)
			if !is {
				return false
			}
			for o, n := o.proto, 0; o != nil && n < maxProtos; o, n = o.proto, n+1 {
				if value(o) == this {
					return true
				}
			}
			return false
		},
		"propertyIsEnumerable": func(p *Page, this value, args []value) value {
			o, is := this.(*object)
			key, known := p.key(one(argument(args, 0)))
			if !is || !known {
				return unknown{}
			}
			p.cost(len(o.keys) / 16)
			return slices.Contains(o.keys, key)
		},
	}
}

// newStatics makes what a function of the language, or an object of it, has.
func newStatics(name string) map[string]method {
	switch name {
	case "Object":
		return objectStatics()
	case "Array":
		return arrayStatics()
	case "String":
		return stringStatics()
	case "Number":
		return numberStatics()
	case "Math":
		return mathStatics()
	case "JSON":
		return map[string]method{"parse": parseJSON, "stringify": stringifyJSON}
	case "Promise":
		return promiseStatics()
	case "Reflect":
		return reflectStatics()
	case "Proxy":
		return proxyStatics()
	case "BigInt":
		return bigStatics()
	case "Intl":
		return intlStatics()
	case "Symbol":
		return symbolStatics()
	case "Date":
		return dateStatics()
	case "Error":
		return map[string]method{"captureStackTrace": told}
	case "Map":
		return map[string]method{"groupBy": mapGroupBy()}
	case "URL":
		return map[string]method{
			"createObjectURL": func(_ *Page, _ value, args []value) value { return argument(args, 0) },
			"revokeObjectURL": nothing, "canParse": nothing,
		}
	}
	return nil
}

// newFunctions makes the functions that the language and browsers have.
func newFunctions() map[string]method {
	return addErrors(map[string]method{
		"Object": func(p *Page, _ value, args []value) value {
			if o, is := argument(args, 0).(*object); is {
				return o
			}
			return p.object()
		},
		"Array": func(p *Page, _ value, args []value) value {
			if n, is := argument(args, 0).(float64); is && len(args) == 1 {
				if n < 0 || n != math.Trunc(n) {
					return p.fault("RangeError", "no length")
				}
				return p.newList(make([]value, min(max(int(n), 0), maxItems)))
			}
			return p.newList(slices.Clone(args))
		},
		"String": func(p *Page, _ value, args []value) value {
			if len(args) == 0 {
				return plain("")
			}
			return p.lift(args[0], func(v value) value { return p.textOf(v) })
		},
		"Number": func(p *Page, _ value, args []value) value {
			return p.lift(argument(args, 0), func(v value) value {
				n, known := p.number(v)
				if !known {
					return unknown{}
				}
				return n
			})
		},
		"Boolean": func(p *Page, _ value, args []value) value {
			is, known := truth(argument(args, 0))
			if !known {
				return unknown{}
			}
			return is
		},
		"parseInt": parseInt, "parseFloat": parseFloat, "isNaN": functionIsNaN,
		"isFinite": isFinite,
		"Symbol":   newSymbol,
		"Date":     newDate, "BigInt": newBigInt, "WeakRef": newReference,
		"RegExp":     newRegexp,
		"Uint8Array": same0, "Uint16Array": same0, "Uint32Array": same0,
		"TextDecoder": func(p *Page, _ value, _ []value) value {
			return p.phantom("TextDecoder", map[string]method{"decode": func(p *Page, _ value, args []value) value {
				items, known := p.items(one(argument(args, 0)))
				b := make([]byte, 0, len(items))
				for _, item := range items {
					n, is := item.(float64)
					if !is {
						return unknown{}
					}
					b = append(b, byte(int(n)))
				}
				if !known {
					return unknown{}
				}
				return p.make(string(b))
			}})
		},
		"Map": newMap, "WeakMap": newMap, "Set": newSet, "WeakSet": newSet,
		"Promise": newPromise,
		"Function": func(p *Page, _ value, args []value) value {
			if len(args) == 0 {
				return unknown{}
			}
			var names []string
			for _, arg := range args[:len(args)-1] {
				names = append(names, p.textOf(one(arg)).s)
			}
			body := p.textOf(one(args[len(args)-1]))
			return p.code(&text{s: "(function(" + strings.Join(names, ",") + "){" + body.s + "})", parts: []*text{body}}, p.global)
		},
		"eval": func(p *Page, _ value, args []value) value {
			if t, is := one(argument(args, 0)).(*text); is {
				return p.code(t, p.global)
			}
			return argument(args, 0)
		},
		"encodeURIComponent": ofText(func(p *Page, t *text, _ []value) value { return p.coded(t, component) }),
		"encodeURI":          ofText(func(p *Page, t *text, _ []value) value { return p.coded(t, wholeCoded) }),
		"escape":             ofText(func(p *Page, t *text, _ []value) value { return p.coded(t, escaped) }),
		"decodeURIComponent": ofText(func(p *Page, t *text, _ []value) value { return p.coded(t, decoded) }),
		"decodeURI":          ofText(func(p *Page, t *text, _ []value) value { return p.coded(t, decoded) }),
		"unescape":           ofText(func(p *Page, t *text, _ []value) value { return p.coded(t, unescaped) }),
		"atob": ofText(func(p *Page, t *text, _ []value) value {
			b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(t.s, "="))
			if err != nil {
				return unknown{}
			}
			return p.derive(string(b), t)
		}),
		"btoa": ofText(func(p *Page, t *text, _ []value) value {
			if !t.known() {
				return unknown{}
			}
			return p.derive(base64.StdEncoding.EncodeToString([]byte(t.s)), t)
		}),
		"structuredClone": structuredClone,
		"URL":             newURL,
		"URLSearchParams": newParams,
		"Proxy":           newProxy,
	})
}

// newPromiseMethods makes the methods of promises.
func newPromiseMethods() map[string]method {
	return map[string]method{
		"then": func(p *Page, this value, args []value) value {
			return p.then(this, argument(args, 0), argument(args, 1), false)
		},
		"catch":   func(p *Page, this value, args []value) value { return p.then(this, nil, argument(args, 0), false) },
		"finally": func(p *Page, this value, args []value) value { return p.then(this, argument(args, 0), nil, true) },
	}
}

// newMapMethods makes the methods of maps.
func newMapMethods() map[string]method {
	return map[string]method{
		"get": func(p *Page, this value, args []value) value {
			m := mapOf(this)
			i, known := p.entry(m, argument(args, 0))
			switch {
			case !known && len(m.vals) > 0:
				return p.either(m.vals...)
			case i < 0:
				return nil
			}
			return m.vals[i]
		},
		"set": func(p *Page, this value, args []value) value {
			m := mapOf(this)
			if i, _ := p.entry(m, argument(args, 0)); i >= 0 {
				m.vals[i] = argument(args, 1)
			} else if len(m.keys) < maxItems {
				m.keys, m.vals = append(m.keys, argument(args, 0)), append(m.vals, argument(args, 1))
			}
			return this
		},
		"has": func(p *Page, this value, args []value) value {
			i, known := p.entry(mapOf(this), argument(args, 0))
			if !known {
				return unknown{}
			}
			return i >= 0
		},
		"delete": func(p *Page, this value, args []value) value {
			m := mapOf(this)
			if i, _ := p.entry(m, argument(args, 0)); i >= 0 {
				m.keys, m.vals = slices.Delete(m.keys, i, i+1), slices.Delete(m.vals, i, i+1)
				return true
			}
			return false
		},
		"forEach": func(p *Page, this value, args []value) value {
			m := mapOf(this)
			for i := 0; i < len(m.keys); i++ {
				p.step()
				p.callback(argument(args, 0), nil, m.vals[i], m.keys[i], this)
			}
			return nil
		},
		"keys": func(_ *Page, this value, _ []value) value {
			return &object{class: classIterator, list: mapOf(this).keys}
		},
		"values": func(_ *Page, this value, _ []value) value {
			return &object{class: classIterator, list: mapOf(this).vals}
		},
		"entries": func(p *Page, this value, _ []value) value {
			return &object{class: classIterator, list: p.entries(this)}
		},
		"clear": func(_ *Page, this value, _ []value) value { *mapOf(this) = entries{}; return nil },
	}
}

// newSetMethods makes the methods of sets.
func newSetMethods() map[string]method {
	return addSetMethods(map[string]method{
		"add": func(p *Page, this value, args []value) value {
			o, is := this.(*object)
			if !is {
				return this
			}
			for _, v := range o.list {
				p.step()
				if same(v, argument(args, 0)) {
					return o
				}
			}
			if len(o.list) < maxItems {
				o.list = append(o.list, argument(args, 0))
			}
			return o
		},
		"has": func(p *Page, this value, args []value) value {
			if o, is := this.(*object); is {
				return p.holds(o, args, func(int) value { return true }, false)
			}
			return unknown{}
		},
		"forEach": func(p *Page, this value, args []value) value {
			return p.listMethods()["forEach"](p, p.listed(this), args)
		},
		"delete": func(p *Page, this value, args []value) value {
			o, is := this.(*object)
			if !is {
				return unknown{}
			}
			p.cost(len(o.list) / 4)
			had := len(o.list)
			o.list = slices.DeleteFunc(slices.Clone(o.list), func(v value) bool { return same(v, argument(args, 0)) })
			return len(o.list) < had
		},
		"clear": func(_ *Page, this value, _ []value) value {
			if o, is := this.(*object); is {
				o.list = nil
			}
			return nil
		},
	})
}

func nothing(*Page, value, []value) value { return unknown{} }
