package script

// converted is what an object says that it is as a text, a number or either; false: it says nothing of that.
func (p *Page) converted(o *object, hint string) (value, bool) {
	if !o.converts() {
		return nil, false
	}
	p.down()
	defer func() { p.depth-- }()
	ask := func(name string, args ...value) (value, bool) {
		f, is := p.get(o, name).(*object)
		if !is || f.fn == nil || f.fn.native != nil && proxyOf(o) == nil {
			return nil, false
		}
		v := one(p.call(f, o, args))
		_, still := v.(*object)
		return v, !still
	}
	if v, is := ask("@@toPrimitive", plain(hint)); is {
		return v, true
	}
	names := [...]string{"valueOf", "toString"}
	if hint == "string" || o.class == classDate && hint == "default" {
		names = [...]string{"toString", "valueOf"}
	}
	for _, name := range names {
		if v, is := ask(name); is {
			return v, true
		}
	}
	return nil, false
}

// converts reports an object that may say what it is as a text or as a number.
func (o *object) converts() bool {
	switch o.class {
	case classPlain, classProxy:
		return true
	case classFunction, classList, classDate:
		return proxyOf(o) != nil || o.find("@@toPrimitive") != nil || o.find("toString") != nil || o.find("valueOf") != nil
	}
	return o.find("toString") != nil
}

// summand is a value for a sum.
func (p *Page) summand(v value) value {
	if o, is := v.(*object); is {
		if v, is := p.converted(o, "default"); is {
			return v
		}
	}
	return v
}

// constructorOf is the function of the language that makes what has none of its own.
func (p *Page) constructorOf(v value) value {
	name := ""
	switch v := v.(type) {
	case *text:
		name = "String"
	case float64:
		name = "Number"
	case bool:
		name = "Boolean"
	case *object:
		if name = v.className(); name == "" && v.class == classPlain && !v.rooted() {
			name = "Object"
		}
	}
	if name == "" || p.functions()[name] == nil {
		return unknown{}
	}
	return p.hostName(name)
}

// objectKey is an object as the name of a property: all plain ones have the same.
func (p *Page) objectKey(o *object) (string, bool) {
	switch o.class {
	case classList, classURL, classParams, classDate:
	case classPlain:
		if _, is := o.host.(wrong); !is {
			if o.rooted() || o.proxied() != nil {
				return "", false
			}
			v, is := p.converted(o, "string")
			if !is {
				return "[object Object]", true
			}
			t := p.textOf(v)
			return t.s, t.known()
		}
	default:
		return "", false
	}
	t := p.objectText(o)
	return t.s, t.known()
}
