package script

// Tables of what the language and browsers have. A page makes those that its scripts use.
type tables struct {
	element, browser, function, object, number, promise, hash, set, list, text, pattern, params, date, jQuery, jQueryOwn, functions map[string]method
	statics                                                                                                                         map[string]map[string]method
}

func once(table *map[string]method, make func() map[string]method) map[string]method {
	if *table == nil {
		*table = make()
	}
	return *table
}

func (p *Page) elementMethods() map[string]method { return once(&p.tables.element, newElementMethods) }
func (p *Page) browserFunctions() map[string]method {
	return once(&p.tables.browser, newBrowserFunctions)
}
func (p *Page) functionMethods() map[string]method {
	return once(&p.tables.function, newFunctionMethods)
}
func (p *Page) objectMethods() map[string]method  { return once(&p.tables.object, newObjectMethods) }
func (p *Page) numberMethods() map[string]method  { return once(&p.tables.number, newNumberMethods) }
func (p *Page) promiseMethods() map[string]method { return once(&p.tables.promise, newPromiseMethods) }
func (p *Page) mapMethods() map[string]method     { return once(&p.tables.hash, newMapMethods) }
func (p *Page) setMethods() map[string]method     { return once(&p.tables.set, newSetMethods) }
func (p *Page) listMethods() map[string]method    { return once(&p.tables.list, newListMethods) }
func (p *Page) textMethods() map[string]method    { return once(&p.tables.text, newTextMethods) }
func (p *Page) patternMethods() map[string]method { return once(&p.tables.pattern, newPatternMethods) }
func (p *Page) paramsMethods() map[string]method  { return once(&p.tables.params, newParamsMethods) }
func (p *Page) dateMethods() map[string]method    { return once(&p.tables.date, newDateMethods) }
func (p *Page) functions() map[string]method      { return once(&p.tables.functions, newFunctions) }

// statics is what a function of the language, or an object of it, has.
func (p *Page) statics(name string) map[string]method {
	table, known := p.tables.statics[name]
	if !known {
		if p.tables.statics == nil {
			p.tables.statics = map[string]map[string]method{}
		}
		table = newStatics(name)
		p.tables.statics[name] = table
	}
	return table
}

func (p *Page) jQueryMethods() map[string]method {
	if p.tables.jQuery == nil {
		p.tables.jQuery, p.tables.jQueryOwn = newJQuery()
	}
	return p.tables.jQuery
}

func (p *Page) jQueryStatics() map[string]method {
	p.jQueryMethods()
	return p.tables.jQueryOwn
}
