package script

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// nest repeats what is in something else.
func nest(before, in, after string, n int) string {
	return strings.Repeat(before, n) + in + strings.Repeat(after, n)
}

// manyNames are as many names, each with a comma.
func manyNames(n int) string {
	var w strings.Builder
	for i := range n {
		w.WriteString("a" + strconv.Itoa(i) + ",")
	}
	return w.String()
}

// TestReturns reads scripts that once ended the program, or never ended.
func TestReturns(t *testing.T) {
	for name, src := range map[string]string{
		"methods of what is none": `var s = new Set, m = new Map, i = [1].values(), q = new URLSearchParams, e = document.body;
			[undefined, null, 1, "x", [], {}, document, new Map, new Set, () => 1, u.x, e].forEach(t => {
				[s.has, s.add, s.forEach, s.delete, s.clear, m.entries, m.keys, m.set, m.clear, i.next, i.map, q.entries, q.get, q.delete,
				f.bind, [].map, [].join, "".trim, (1).toFixed, e.appendChild, e.cloneNode, e.closest, e.submit, e.removeAttribute, e.click].forEach(f => { f.call(t); f.call(t, 1); f.call(t, t, t) }) }); var f = [1].values().next; f()`,
		"bind of an object":       `(function () {}).bind.call({}, 1)`,
		"lengths":                 `var l = [1]; l.length = Infinity; l.length = 1e300; l.length = NaN; l.length = -1; Array(1e9); Array(Infinity); [].slice.call({length: 1e9}); "x".repeat(1e9); "x".padStart(1e9)`,
		"address of nothing":      `new URL("a", ""); new URL("", ""); new URL("", [])`,
		"number of itself":        `var a = []; a[0] = a; +a; var b = [a]; a[0] = b; Math.floor(a)`,
		"text of itself":          `var a = [], b = [a, a]; a.push(b, b); "" + a`,
		"text by itself":          `var o = {toString() { return "" + this }}, q = {valueOf() { return [this, this] }}; "" + o; "" + q`,
		"JSON of itself":          `var a = {}; a.a = a; JSON.stringify(a); var b = []; b.push(b, b); JSON.stringify(b); JSON.parse("[".repeat(9000))`,
		"promise of itself":       `var r, p = new Promise(x => r = x); r(p); p.then(x => p); Promise.resolve(1).then(() => p)`,
		"promises in a ring":      `var a, b, p = new Promise(r => a = r), q = new Promise(r => b = r); a(q); b(p); p.then(() => q)`,
		"choices of choices":      `(function (k) { var c = {a: 1, b: 1}; for (var i = 0; i < 60; i++) c = {a: c[k], b: c[k]}; var q = c[k]; if (q) x(); fetch(q); !q })(u.x)`,
		"element by way of it":    `var l = [1], j = $(l); j.on("x", function () { l[0] = this; this.innerHTML; this.tagName })`,
		"listener of its event":   `var e = new Event("x"); addEventListener("x", dispatchEvent); addEventListener("x", () => dispatchEvent(e)); document.addEventListener("x", dispatchEvent.bind(document, e)); dispatchEvent(e)`,
		"messages to and fro":     `onmessage = e => { postMessage(1); postMessage(2) }; postMessage(3); function f() { setTimeout(f); setTimeout(f) } f()`,
		"proxies of proxies":      `var o = {}; for (var i = 0; i < 900; i++) o = new Proxy(o, {get: Reflect.get}); o.x; o.y = 1; var t = {}, p = new Proxy(t, {get: (t, k) => p[k]}); Object.setPrototypeOf(t, p); p.x; t.z = 1`,
		"bound of bound":          `function f() {} for (var i = 0; i < 900; i++) f = f.bind(null, 1); f()`,
		"length of bound":         `function f() {} for (var i = 0; i < 9000; i++) f = f.bind(null, 1); f.length; f.bind(null).length`,
		"iterator of an iterator": `function mk() { var f = function () {}; f["@@iterator"] = mk; return f } for (var x of mk()); [...mk()]`,
		"prototypes in a ring":    `var a = {}, b = Object.create(a); Object.setPrototypeOf(a, b); a.x; b.x = 1; "" + a`,
		"getters":                 `var o = {get a() { return this.a + this.a }}; o.a`,
		"evals":                   `var c = "eval(c); eval(c)"; eval(c); function f() { eval("f(); eval('f()')") } f()`,
		"calls":                   `function f(n) { try { f(n + 1); throw f(n) } catch (e) { f() } finally { f() } } f(0)`,
		"blocks":                  `function f() { ` + nest("{", "f()", "}", 900) + `} f()`,
		"conditions":              `function f() { ` + nest("if (x) ", "f()", "", 900) + `} f()`,
		"literals":                nest("[", "", "]", 900) + nest(";`${", "1", "}`", 1) + nest("({a:", "1", "})", 400),
		"nodes in a ring":         `var a = document.createElement("a"), b = document.createElement("b"); a.appendChild(a); a.appendChild(b); b.appendChild(a); a.innerHTML; b.textContent`,
		"deep nodes":              `var a = document.createElement("a"); for (;;) { var b = document.createElement("b"); b.appendChild(a); a = b; a.innerHTML; a.cloneNode(true) }`,
		"lazy parents":            `var e = document.getElementById("d"); for (var i = 0; i < 900; i++) e = e.parentNode; e.innerHTML`,
		"classes of themselves":   `class A extends A {} class B { x = new B; static y = new B } new B; class C { constructor() { new C } } new C; class X extends HTMLElement { a = document.createElement("x-x"); connectedCallback() { this.innerHTML = "<x-x></x-x>" } } customElements.define("x-x", X)`,
		"lists that change":       `var l = [3, 2, 1]; l.sort(() => { l.length = 0; l.push(9); return 1 }); l.forEach(x => l.push(x)); l.map(() => l.length = 0); l.reduce((a, b) => l.pop()); for (var x of l) l.push(x); var m = new Map([[1, 2], [3, 4]]); m.forEach((v, k) => { m.clear(); m.set(k + 1, v) }); Object.assign(m, m)`,
		"lists that revivers cut": `JSON.parse("[1,2,3]", function (k, v) { if (this.length) this.length = 0; return v })`,
		"maps that copies change": `var m = new Map([[1, {get a() { m.clear(); return 1 }}], [2, 2]]); structuredClone(m); m.set({get a() { m.clear(); return 1 }}, 1).set(2, 2); structuredClone(m)`,
		"walks that take away":    `var w = document.createTreeWalker(document, -1, n => { n.remove(); return 1 }); document.createTreeWalker(document.body, 1, n => { n.innerHTML = ""; document.body.innerHTML = "<b></b>"; return 1 })`,
		"generators":              `function* g() { while (true) yield 1 } for (var x of g()) y; function* h() { yield* h() } h()`,
		"generators in others":    `function* g() { for (;;) yield* g() } for (var x of g()); function* h() { var i = h(); yield i.next(); for (var x of i) yield x } h().next(); [...h()]; var it; function* own() { it.next(); yield it } it = own(); it.next(); it.return(it); it.throw(it)`,
		"generators nobody asks":  `function* g() { while (u) yield g(); g(); for (;;) yield 1 } g()`,
		"iterators of themselves": `var o = {[Symbol.iterator]() { return this }, next() { return o }}; for (var x of o) y; var q = {[Symbol.iterator]() { return q }}; [...q]; var [a, b] = q; var l = [1].values(), m = l.map(x => m.next()); m.next(); for (var x of m) m.next(); [...m]`,
		"endless iterators":       `var o = {[Symbol.iterator]: () => ({next: () => ({value: 1, done: false})})}; for (var x of o); [...o]; Array.from(o); new Set(o)`,
		"with itself":             `var o = {}; o.o = o; with (o) with (o) with (o.o) { o = o; a = o } var p = new Proxy({}, {has: (t, k) => k in p, get: (t, k) => p[k]}); with (p) { x; y = x }`,
		"proxies of themselves":   `var p = new Proxy(function () {}, {apply: (t, h, a) => p(...a), construct: (t, a) => new p, ownKeys: () => Object.keys(p), deleteProperty: (t, k) => delete p[k], set: (t, k, v) => p[k] = v}); p(1); new p; Object.keys(p); delete p.x; p.x = 1; var q = {}; for (var i = 0; i < 2000; i++) q = new Proxy(q, {}); q.x; q.y = 1; "z" in q; delete q.x; Object.keys(q); [...q]; JSON.stringify(q); q instanceof Array; "" + q; new (new Proxy(class {}, {}))`,
		"copies of themselves":    `var a = {}; a.a = a; a.l = [a, a]; structuredClone(a); var l = []; for (var i = 0; i < 2000; i++) l = [l]; structuredClone(l); JSON.stringify(l); JSON.parse("[[1],[2]]", function (k, v) { this[k] = [this]; return this })`,
		"conversions":             `var o = {[Symbol.toPrimitive]() { return o + 1 }}, q = {valueOf() { return q - 1 }, toString() { return q + "" }}; o + o; q - q; q + q; new Date(o); Math.max(q)`,
		"errors of errors":        `class E extends Error { get message() { return "" + this } get name() { return new E().name } } "" + new E; var e = new Error("x", {cause: null}); e.cause = e; e.name = e; "" + e; new AggregateError([e, e], e); class T extends T1 {} class T1 extends TypeError {} throw new T`,
		"large whole numbers":     `var n = 3n; for (;;) n = n * n + 1n`,
		"arrows":                  nest("({a} = [", "1", "]) => a", 30),
		"loops":                   `a: for (;;) { b: for (;;) { continue a } }`,
		"write at the end":        `document.write("javascript:a<b"); var s = "0123456789abcdef"; for (;;) { s += s; if (s.length > 30000) s = s.slice(9) }`,
		"selectors":               `["x:nth-child(2)", "i:has(i:has(b))", "a b > c ~ d + e, f", "> a", "a >", "a,,b", ",", "[a='> ,:b']", ":not(a b)", "a\\", "(", "[", "'", ""].forEach(s => document.querySelectorAll(s))`,
	} {
		t.Run(name, func(t *testing.T) {
			if p := runScript(src); p.steps < -maxText*4 {
				t.Errorf("%d steps are left", p.steps)
			}
		})
	}
}

// TestCosts counts how often scripts do what takes long, or much memory: little work is left for that.
func TestCosts(t *testing.T) {
	const (
		keys = `var m = {}; for (var i = 0; i < 300; i++) m["k" + i] = i; `
		list = `var l = Array(4096).fill(1); `
		big  = `var s = "abcdefgh"; while (s.length < 32768) s += s; `
		kids = `var a = document.createElement("div"); a.innerHTML = "<i></i>".repeat(500); `
	)
	for name, c := range map[string]struct {
		before, again string
		most          float64
	}{
		"choice of many":       {keys + `var k = u.x, c = m[k];`, `-c`, 200},
		"property of many":     {keys + `var k = u.x, c = m[k];`, `c.x`, 80},
		"names":                {keys, `for (var k in m) break`, 160},
		"join of empty":        {list, `l.fill("").join("")`, 10},
		"concat":               {list, `l.fill(l).concat(...l)`, 10},
		"flatMap":              {list, `l.flatMap(x => l)`, 2},
		"spread":               {list, `[...l, ...l, ...l]`, 10},
		"bound arguments":      {list + `var f = () => {}; for (var i = 0; i < 9; i++) f = f.bind(null, ...l);`, `f(); new f`, 3},
		"spread arguments":     {list, `u.f(...l)`, 20},
		"all":                  {list + `l.fill(new Promise(x => x));`, `Promise.all(l)`, 4},
		"statements":           {`function f() { return; ` + strings.Repeat("a;", 4000) + `}`, `f()`, 90},
		"functions":            {`function f() { return; ` + strings.Repeat("function g(){}", 200) + `}`, `f()`, 100},
		"names of a loop":      {``, `for (let ` + manyNames(400) + `b = 0; b < 9; b++) { let c }`, 30},
		"cases":                {``, `switch (1) { case 1: break; ` + strings.Repeat("case 2:", 2000) + `}`, 200},
		"classes":              {`class A {} for (var i = 0; i < 60; i++) A = class extends A {};`, `new A`, 300},
		"JSON":                 {big + list, `JSON.stringify(l.fill(s))`, 20},
		"JSON of a long text":  {big + `var j = JSON.stringify(s);`, `JSON.parse(j)`, 50},
		"parameters":           {`var s = "&".repeat(9000);`, `new URLSearchParams(s)`, 8},
		"text of parameters":   {`var p = new URLSearchParams("&a=b".repeat(400)); p.append(1, 2);`, `p.toString()`, 60},
		"address":              {`var v = new URL("http://a/" + "b/".repeat(15000));`, `v.pathname`, 50},
		"expression":           {big, `new RegExp("(?:[^x]{30}[^y]{30}){15}z" + n).test(s)`, 15},
		"expressions":          {``, `new RegExp("(a{30}|b)*".repeat(100) + n)`, 30},
		"groups":               {big, `s.replace(new RegExp("()".repeat(2000), "g"), "")`, 1},
		"looks ahead":          {big, `s.replace(/x*y|./g, "")`, 20},
		"tries again":          {big, `/(\w+)+$|(a|b)*c/.test(s + "!")`, 2},
		"looks behind":         {big, `s.search(/(?<=(.*))[h]b/)`, 1},
		"what is before":       {big, `s.replace(/a/g, "$` + "`" + `".repeat(9000))`, 20},
		"replaced by long":     {big, `s.replace(/a/g, s + "$&")`, 20},
		"classes of letters":   {``, `new RegExp("[\\p{L}\\p{N}]".repeat(20) + n, "iu")`, 80},
		"children":             {kids, `a.children`, 20},
		"children of many":     {kids + list, `$(l.fill(a)).children()`, 3},
		"attributes of many":   {kids + list, `$(l.fill(a)).attr("data-q", "x")`, 3},
		"ancestors":            {`var a = document.createElement("b"); for (var i = 0; i < 60; i++) { var b = document.createElement("b"); b.appendChild(a); a = b }`, `a.querySelector("x b b b b p, x b b b b")`, 3},
		"markup":               {kids + `var h = "<b>".repeat(500);`, `a.insertAdjacentHTML("beforeend", h)`, 20},
		"markup of much":       {kids, `a.innerHTML`, 20},
		"tangled markup":       {kids + `var h = ""; for (var i = 0; i < 90; i++) h += "<b x=" + i + ">"; h = "<div>" + h + "</div>" + "<p>a</p>".repeat(800);`, `$(h)`, 10},
		"cookies":              {big + `for (var i = 0; i < 16; i++) document.cookie = i + s;`, `document.cookie`, 50},
		"generator":            {`function* g() { for (;;) yield 1 }`, `[...g()]`, 3},
		"next":                 {`function* g() { ` + strings.Repeat("{", 60) + `for (;;) yield 1 ` + strings.Repeat("}", 60) + `} var i = g();`, `i.next()`, 150},
		"first of many":        {`function* g() { for (;;) yield 1 } var t = {}; `, `[t.a, t.b] = g().drop(200)`, 10},
		"with":                 {``, nest("with ({}) ", "b", "", 60), 60},
		"order of words":       {big, `s.localeCompare(s + "b")`, 10},
		"copies":               {list, `structuredClone(l)`, 10},
		"sets of sets":         {`var a = new Set(Array.from({length: 60}, (x, i) => i)), b = new Set(Array.from({length: 60}, (x, i) => -i));`, `a.union(b)`, 3},
		"JSON in lines":        {list, `JSON.stringify(l, null, 8)`, 10},
		"JSON that is revived": {`var j = JSON.stringify(Array(4096).fill(1));`, `JSON.parse(j, (k, v) => v)`, 4},
		"whole numbers":        {`var a = (1n << 4000n) - 1n;`, `a * a; a / 7n; a % 9n`, 100},
	} {
		t.Run(name, func(t *testing.T) {
			p := runScript(`var n = 0; ` + c.before + ` for (;;) { n++; ` + c.again + ` } //` + strings.Repeat("x", 64<<10))
			switch n, _ := p.global.get("n").(float64); {
			case n == 0:
				t.Error("never done")
			case n > 2*c.most: // as often as half of the steps allow
				t.Errorf("done %v times, want at most %v", n, 2*c.most)
			}
		})
	}
}

// TestLongPlaces counts how often scripts do what takes long with attributes, names and places that are long.
func TestLongPlaces(t *testing.T) {
	long := `<!doctype html><html><head></head><body><` + strings.Repeat("x", 1<<17) + ` class=n><a id=a class="` + strings.Repeat("a ", 1<<19) + `" href="/` + strings.Repeat("a/", 1<<19) + `">a</a><script type=text/plain id=t class=t>` + strings.Repeat("t", 1<<20) + `</script>`
	for again, most := range map[string]float64{
		`a.matches("[class*=b], [class*=c], [class*=d]")`: 20,
		`document.querySelectorAll("script[id]")`:         20,
		`document.querySelector(".n").tagName`:            100,
		`fetch(a.getAttribute("href"))`:                   20,
		`history.pushState(1, "", s); location.href`:      100,
		`history.pushState(1, "", "x/" + n + "/")`:        6000,
		`location.hash = s`:                               6000,
		`a.classList.add("x" + n)`:                        20,
	} {
		p := New(sourceOf(long), nil)
		p.doc.source.URL, _ = url.Parse("https://a.cz/x/")
		s, err := Parse([]byte(`var n = 0, a = document.querySelector("#a"), s = "0123456789abcdef"; while (s.length < 32768) s += s; for (;;) { n++; `+again+` } //`+strings.Repeat("x", 64<<10)), false)
		if err != nil {
			t.Fatal(err)
		}
		p.Run(0, s)
		p.Finish()
		if n, _ := p.global.get("n").(float64); n == 0 || n > 2*most {
			t.Errorf("%s: done %v times, want at most %v", again, n, 2*most)
		}
		if at := p.whereabouts().at.String(); len(at) > 2*maxPlace || len(p.jobs) > maxJobs {
			t.Errorf("%s: an address of %d bytes, %d jobs", again, len(at), len(p.jobs))
		}
		for _, f := range p.Found() {
			if len(f.Text) > maxText {
				t.Errorf("%s: found a text of %d bytes", again, len(f.Text))
			}
		}
	}
}

// TestStops asks whether to go on, however steps are counted.
func TestStops(t *testing.T) {
	for _, src := range []string{`for (;;);`, `for (;;) "".trim()`, `for (;;) "0123456789".repeat(50).trim()`} {
		asked := 0
		p := New(Source{}, func() bool { asked++; return true })
		s, err := Parse([]byte(src+"//"+strings.Repeat("x", 256<<10)), false)
		if err != nil {
			t.Fatal(err)
		}
		p.Run(0, s)
		p.Finish()
		if asked != 1 || !p.stopped {
			t.Errorf("%s: asked %d times", src, asked)
		}
	}
}

// TestKeysInTexts fills long keys in a text that has many places for them.
func TestKeysInTexts(t *testing.T) {
	c := &choice{rest: &text{s: strings.Repeat(Key, 9000)}}
	if s := c.of(strings.Repeat("x", 9000)).(*text).s; len(s) > maxText {
		t.Errorf("%d bytes", len(s))
	}
}
