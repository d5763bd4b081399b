package script

// promise is what is there later, or was thrown.
type promise struct {
	done   bool
	thrown bool
	val    value
	waits  []func()
}

func (p *Page) promise() (*object, *promise) {
	pr := &promise{}
	return &object{class: classPromise, host: pr}, pr
}

// promised is what a value is a promise of, nil when it is none.
func promised(v value) *promise {
	if o, is := v.(*object); is && o.class == classPromise {
		pr, _ := o.host.(*promise)
		return pr
	}
	return nil
}

// resolved is a promise of a value that is known.
func (p *Page) resolved(v value) value {
	if promised(v) != nil {
		return v
	}
	return &object{class: classPromise, host: &promise{done: true, val: v}}
}

// settled sets what a promise is of.
func (pr *promise) settled(v value, thrown bool) {
	if pr.done {
		return
	}
	if inner := promised(v); inner == pr {
		v = unknown{} // itself
	} else if inner != nil && !thrown {
		inner.wait(func() { pr.settled(inner.val, inner.thrown) })
		return
	}
	pr.done, pr.thrown, pr.val = true, thrown, v
	for _, do := range pr.waits {
		do()
	}
	pr.waits = nil
}

// wait does something when it is there.
func (pr *promise) wait(do func()) {
	if pr.done {
		do()
	} else if len(pr.waits) < maxJobs {
		pr.waits = append(pr.waits, do)
	}
}

// tried calls something, and settles a promise with what it gives or throws.
func (p *Page) tried(pr *promise, do func() value) {
	now, script, weak, depth, calls := p.now, p.script, p.weak, p.depth, p.calls
	defer func() {
		if p.ending {
			return
		}
		if r := recover(); r != nil {
			t, is := r.(thrown)
			if !is {
				rethrow(r)
			}
			p.now, p.script, p.weak, p.depth, p.calls = now, script, weak, depth, calls
			pr.settled(t.val, true)
		}
	}()
	pr.settled(do(), false)
}

// then calls one of two functions with what a promise is of, or with what was thrown.
func (p *Page) then(of, kept, failed value, last bool) value {
	o, next := p.promise()
	pr := promised(of)
	if c, is := of.(*choice); is {
		pr = promised(c.vals[0])
	}
	if pr == nil {
		pr = &promise{done: true, val: unknown{}}
	}
	pr.wait(func() {
		f := kept
		if pr.thrown && !last {
			f = failed
		}
		fn, is := one(f).(*object)
		if !is || fn.fn == nil || len(p.jobs) >= maxJobs {
			next.settled(pr.val, pr.thrown)
			return
		}
		fn.fn.called = true
		p.jobs = append(p.jobs, func() {
			p.tried(next, func() value {
				if last {
					p.call(fn, nil, nil)
					if pr.thrown {
						throw(pr.val)
					}
					return pr.val
				}
				return p.call(fn, nil, []value{pr.val})
			})
		})
	})
	return o
}

// await is what a promise is of. What waits is done before it.
func (p *Page) await(v value) value {
	pr := promised(v)
	if pr == nil {
		return v
	}
	for n := 0; !pr.done && len(p.jobs) > 0 && n < maxJobs && p.calls < maxCalls; n++ {
		p.step()
		job := p.jobs[0]
		p.jobs = p.jobs[1:]
		p.aside(job)
	}
	switch {
	case !pr.done:
		return unknown{}
	case pr.thrown:
		throw(pr.val)
	}
	return pr.val
}

// aside does something in the middle of something else: what it throws ends it alone.
func (p *Page) aside(do func()) {
	now, script, weak, depth, calls, tries := p.now, p.script, p.weak, p.depth, p.calls, p.tries
	p.tries = 0
	defer func() {
		if p.ending {
			return
		}
		p.now, p.script, p.weak, p.depth, p.calls, p.tries = now, script, weak, depth, calls, tries
		if r := recover(); r != nil {
			if _, is := r.(thrown); !is {
				rethrow(r)
			}
		}
	}()
	p.calls++
	do()
}

// settler makes the function that settles a promise.
func (p *Page) settler(pr *promise, thrown bool) value {
	weak := p.weak
	return p.native("", func(p *Page, _ value, args []value) value {
		if thrown && p.weak > weak {
			return nil // nobody knows that it is reached: it is taken to go well
		}
		pr.settled(argument(args, 0), thrown)
		return nil
	})
}

// newPromise is new Promise(f).
func newPromise(p *Page, _ value, args []value) value {
	o, pr := p.promise()
	failed := &promise{}
	p.tried(failed, func() value { return p.callback(argument(args, 0), nil, p.settler(pr, false), p.settler(pr, true)) })
	if failed.thrown {
		pr.settled(failed.val, true)
	}
	return o
}

func promiseStatics() map[string]method {
	// of makes a promise of what those of a list say: one after another, when all are there
	of := func(each func(inner *promise) value, strict bool) method {
		return func(p *Page, _ value, args []value) value {
			items, known := p.items(one(argument(args, 0)))
			if !known {
				return p.resolved(unknown{})
			}
			p.cost(len(items))
			o, pr := p.promise()
			vals := make([]value, len(items))
			left := len(items)
			if left == 0 {
				pr.settled(p.newList(nil), false)
			}
			for i, item := range items {
				inner := promised(item)
				if inner == nil {
					inner = &promise{done: true, val: item}
				}
				inner.wait(func() {
					if inner.thrown && strict {
						pr.settled(inner.val, true)
					}
					vals[i] = each(inner)
					if left--; left == 0 {
						pr.settled(p.newList(vals), false)
					}
				})
			}
			return o
		}
	}
	// first makes a promise of the first of a list that is there, or fails
	first := func(fails bool) method {
		return func(p *Page, _ value, args []value) value {
			items, known := p.items(one(argument(args, 0)))
			if !known || len(items) == 0 {
				return p.resolved(unknown{})
			}
			p.cost(len(items))
			o, pr := p.promise()
			errors, left := make([]value, len(items)), len(items)
			for i, item := range items {
				inner := promised(item)
				if inner == nil {
					pr.settled(item, false)
					break
				}
				inner.wait(func() {
					errors[i] = inner.val
					if left--; fails || !inner.thrown {
						pr.settled(inner.val, inner.thrown)
					} else if left == 0 {
						pr.settled(p.newError("AggregateError", []value{p.newList(errors)}), true)
					}
				})
			}
			return o
		}
	}
	return map[string]method{
		"resolve": func(p *Page, _ value, args []value) value { return p.resolved(argument(args, 0)) },
		"reject": func(_ *Page, _ value, args []value) value {
			return &object{class: classPromise, host: &promise{done: true, thrown: true, val: argument(args, 0)}}
		},
		"all": of(func(inner *promise) value { return inner.val }, true),
		"allSettled": of(func(inner *promise) value {
			r := &object{}
			if inner.thrown {
				r.put("status", plain("rejected"))
				r.put("reason", inner.val)
			} else {
				r.put("status", plain("fulfilled"))
				r.put("value", inner.val)
			}
			return r
		}, false),
		"race": first(true), "any": first(false),
		"withResolvers": func(p *Page, _ value, _ []value) value {
			made, pr := p.promise()
			o := p.object()
			o.put("promise", made)
			o.put("resolve", p.settler(pr, false))
			o.put("reject", p.settler(pr, true))
			return o
		},
	}
}

// entries are what a map, or the parameters of an address, have.
type entries struct {
	keys, vals []value
}

// listed is a list of what an iterator, or a set, has.
func (p *Page) listed(v value) *object {
	if o, is := v.(*object); is {
		return p.newList(o.list)
	}
	return p.newList(nil)
}

func mapOf(v value) *entries {
	if o, is := one(v).(*object); is {
		if m, is := o.host.(*entries); is {
			return m
		}
	}
	return &entries{}
}

// entry is where a map has a key.
func (p *Page) entry(m *entries, key value) (int, bool) {
	switch key.(type) {
	case unknown, *choice:
		return -1, false
	}
	for i, k := range m.keys {
		p.step()
		if same(k, key) {
			return i, true
		}
	}
	return -1, true
}

func (p *Page) entries(v value) []value {
	m := mapOf(v)
	if o, is := one(v).(*object); is {
		if u, is := o.host.(*params); is {
			m = &u.entries
		}
	}
	out := make([]value, 0, len(m.keys))
	for i := range m.keys {
		out = append(out, p.newList([]value{m.keys[i], m.vals[i]}))
	}
	return out
}

func newMap(p *Page, _ value, args []value) value {
	o := p.object()
	o.class, o.host = classMap, &entries{}
	items, _ := p.items(one(argument(args, 0)))
	for _, item := range items {
		if pair, known := p.items(item); known && len(pair) > 1 {
			p.mapMethods()["set"](p, o, pair)
		}
	}
	return o
}

func newSet(p *Page, _ value, args []value) value {
	o := p.object()
	o.class = classSet
	items, _ := p.items(one(argument(args, 0)))
	for _, item := range items {
		p.setMethods()["add"](p, o, []value{item})
	}
	return o
}
