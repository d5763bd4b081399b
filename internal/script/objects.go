package script

import (
	"slices"
	"strconv"
)

func objectStatics() map[string]method {
	list := func(do func(p *Page, o *object, key string) value) method {
		return func(p *Page, _ value, args []value) value {
			return p.lift(argument(args, 0), func(v value) value {
				o, is := v.(*object)
				if !is || o.class != classPlain && o.class != classList && o.class != classFunction && o.class != classData && o.class != classProxy {
					return unknown{}
				}
				var out []value
				names := p.names(o)
				if o.class == classData {
					names = p.dataNames(o)
				}
				for _, key := range names {
					p.step()
					out = append(out, do(p, o, key))
				}
				return p.newList(out)
			})
		}
	}
	return map[string]method{
		"keys":         list(func(_ *Page, _ *object, key string) value { return plain(key) }),
		"groupBy":      groupBy(),
		"is":           func(p *Page, _ value, args []value) value { return p.sameValue(argument(args, 0), argument(args, 1)) },
		"isExtensible": notSolid,
		"getOwnPropertyNames": func(p *Page, _ value, args []value) value {
			o, is := argument(args, 0).(*object)
			if !is || o.class != classPlain && o.class != classList && o.class != classFunction && o.class != classProxy {
				return unknown{}
			}
			return p.newList(p.ownNames(o))
		},
		"values":  list(func(p *Page, o *object, key string) value { return p.get(o, key) }),
		"entries": list(func(p *Page, o *object, key string) value { return p.newList([]value{plain(key), p.get(o, key)}) }),
		"assign": func(p *Page, _ value, args []value) value {
			to, is := argument(args, 0).(*object)
			if !is {
				return argument(args, 0)
			}
			for _, arg := range cut(args, 1) {
				if from, is := one(arg).(*object); is {
					p.copyTo(to, from)
				} else if isUnknown(arg) {
					to.exact = false
				}
			}
			return to
		},
		"freeze": func(p *Page, _ value, args []value) value {
			if o, is := argument(args, 0).(*object); is && p.weak <= int(o.weak) && (o.class == classPlain || o.class == classList) {
				o.solid = true
			}
			return argument(args, 0)
		},
		"seal": same0, "preventExtensions": same0,
		"isFrozen": func(_ *Page, _ value, args []value) value {
			o, is := argument(args, 0).(*object)
			return is && o.solid
		},
		"setPrototypeOf": func(_ *Page, _ value, args []value) value {
			o, is := argument(args, 0).(*object)
			if proto, ok := argument(args, 1).(*object); is && ok && proto != o {
				o.proto = proto
			}
			return argument(args, 0)
		},
		"getPrototypeOf": func(p *Page, _ value, args []value) value {
			o, is := argument(args, 0).(*object)
			switch {
			case !is:
			case o.proto != nil:
				return o.proto
			case o.class == classPlain && o.host == nil && !o.exact:
				if proto := p.get(p.hostName("Object"), "prototype"); proto != value(o) {
					return proto
				}
				return null{}
			case o.class == classList:
				return p.get(p.hostName("Array"), "prototype")
			}
			return unknown{}
		},
		"create": func(p *Page, _ value, args []value) value {
			o := p.object()
			if proto, is := argument(args, 0).(*object); is {
				o.proto = proto
			}
			if all, is := argument(args, 1).(*object); is {
				for _, key := range all.keys {
					p.describe(o, key, all.get(key))
				}
			}
			return o
		},
		"fromEntries": func(p *Page, _ value, args []value) value {
			items, known := p.items(one(argument(args, 0)))
			if !known {
				return unknown{}
			}
			o := p.object()
			for _, item := range items {
				p.step()
				pair, _ := p.items(item)
				if key, known := p.key(one(argument(pair, 0))); known && len(pair) > 1 && len(o.keys) < maxItems {
					o.put(key, pair[1])
				}
			}
			return o
		},
		"defineProperty": func(p *Page, _ value, args []value) value {
			o, is := argument(args, 0).(*object)
			key, known := p.key(one(argument(args, 1)))
			if is && known {
				p.describe(o, key, argument(args, 2))
			}
			return argument(args, 0)
		},
		"defineProperties": func(p *Page, _ value, args []value) value {
			o, is := argument(args, 0).(*object)
			if all, ok := argument(args, 1).(*object); is && ok {
				for _, key := range all.keys {
					p.describe(o, key, all.get(key))
				}
			}
			return argument(args, 0)
		},
		"getOwnPropertyDescriptor": func(p *Page, _ value, args []value) value {
			o, is := proxied(argument(args, 0)).(*object)
			key, known := p.key(one(argument(args, 1)))
			if !is || !known {
				return unknown{}
			}
			return p.descriptor(o, key)
		},
		"getOwnPropertyDescriptors": func(p *Page, _ value, args []value) value {
			o, is := argument(args, 0).(*object)
			if !is {
				return unknown{}
			}
			all := p.object()
			for _, key := range o.keys {
				p.step()
				all.put(key, p.descriptor(o, key))
			}
			return all
		},
		"getOwnPropertySymbols": func(p *Page, _ value, args []value) value {
			o, is := argument(args, 0).(*object)
			if !is {
				return unknown{}
			}
			p.cost(len(o.keys) / 16)
			var out []value
			for _, key := range o.keys {
				if v := p.keyValue(key); symbolIn(v) != nil {
					out = append(out, v)
				}
			}
			return p.newList(out)
		},
		"hasOwn": func(p *Page, _ value, args []value) value {
			return p.objectMethods()["hasOwnProperty"](p, argument(args, 0), cut(args, 1))
		},
	}
}

// describe gives an object a property that is described by another. A loop sees it when that says so, or says what nobody knows.
func (p *Page) describe(o *object, key string, by value) {
	d, is := by.(*object)
	if !is || len(o.keys) >= maxItems || o.solid {
		return
	}
	pr := o.own(key)
	if shown, known := truth(p.get(d, "enumerable")); pr == nil && (shown || !known) {
		o.put(key, nil)
		pr = o.own(key)
	} else if pr == nil {
		pr = o.add(key, nil)
	}
	get, _ := p.get(d, "get").(*object)
	set, _ := p.get(d, "set").(*object)
	if get == nil && set == nil {
		if d.find("value") != nil || d.class != classPlain {
			pr.val = p.get(d, "value")
		}
		return
	}
	pr.get, pr.set = get, set
}

func functionOrNone(f *object) value {
	if f == nil {
		return nil
	}
	return f
}

// descriptor describes a property.
func (p *Page) descriptor(o *object, key string) value {
	pr := o.own(key)
	if pr == nil {
		if o.class == classPlain || o.class == classFunction {
			return nil
		}
		return unknown{}
	}
	d := p.object()
	if pr.get != nil || pr.set != nil {
		d.put("get", functionOrNone(pr.get))
		d.put("set", functionOrNone(pr.set))
	} else {
		d.put("value", pr.val)
		d.put("writable", !o.solid)
	}
	p.cost(len(o.keys) / 16)
	d.put("enumerable", slices.Contains(o.keys, key))
	d.put("configurable", !o.solid)
	return d
}

func same0(_ *Page, _ value, args []value) value { return argument(args, 0) }

func arrayStatics() map[string]method {
	return map[string]method{
		"isArray": func(p *Page, _ value, args []value) value {
			return p.lift(argument(args, 0), func(v value) value {
				if isUnknown(v) {
					return unknown{}
				}
				o, is := proxied(v).(*object)
				return is && o.class == classList
			})
		},
		"fromAsync": func(p *Page, _ value, args []value) value {
			items, known := p.items(one(argument(args, 0)))
			if !known {
				return p.resolved(unknown{})
			}
			l := p.newList(p.awaited(items))
			if argument(args, 1) != nil {
				return p.resolved(p.listMethods()["map"](p, l, cut(args, 1)))
			}
			return p.resolved(l)
		},
		"of": func(p *Page, _ value, args []value) value { return p.newList(slices.Clone(args)) },
		"from": func(p *Page, _ value, args []value) value {
			of := one(argument(args, 0))
			items, known := p.items(of)
			if o, is := of.(*object); is && !known {
				if n, is := p.get(o, "length").(float64); is && n >= 0 && n <= maxItems {
					for i := range int(n) {
						items = append(items, p.get(o, strconv.Itoa(i)))
					}
					known = true
				}
			}
			if !known {
				if argument(args, 1) != nil {
					p.unknownCall("", "", cut(args, 1), false)
				}
				return unknown{}
			}
			l := p.newList(slices.Clone(items))
			if argument(args, 1) != nil {
				return p.listMethods()["map"](p, l, cut(args, 1))
			}
			return l
		},
	}
}

func notSolid(_ *Page, _ value, args []value) value {
	o, is := argument(args, 0).(*object)
	return is && !o.solid
}
