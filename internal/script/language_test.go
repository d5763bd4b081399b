package script

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLanguage: what the language and its library do, each row with what a browser asks for.
func TestLanguage(t *testing.T) {
	for _, c := range []struct {
		why  string
		in   string
		want []string
	}{
		{"fields of a date", `var d = new Date(2024, 0, 5); fetch("/" + d.getFullYear() + "/" + (d.getMonth()+1) + "/" + d.getDate() + "/" + d.getDay());`, []string{`/2024/1/5/5`}},
		{"a date of a text", `var d = new Date("2024-03-05T10:20:30Z"); fetch("/a/" + d.getUTCFullYear() + d.getUTCHours() + d.getMinutes() + d.toISOString() + d.getTime());`, []string{`/a/202410202024-03-05T10:20:30.000Z1709634030000`}},
		{"a day after the last of a month", `var d = new Date(2024, 0, 31); d.setDate(d.getDate() + 1); fetch("/" + d.toISOString().slice(0, 10)); d.setMonth(13); d.setHours(25, 61, 61, 1001); fetch("/" + d.toJSON())`, []string{`/2024-02-01`, `/2025-02-02T02:02:02.001Z`}},
		{"dates are subtracted and compared", `fetch("/" + (new Date(2024, 1, 3) - new Date(2024, 1, 1)) / 864e5 + +new Date(2020, 0)); if (new Date(2020, 1) < new Date(2021, 1)) fetch("/yes" + 1); else fetch("/no" + 1)`, []string{`/21577836800000`, `/yes1`}},
		{"dates in words", `fetch("/" + new Date("Mar 5, 2012").toISOString() + Date.parse("5 Mar 2012 10:00:00 GMT") + "/" + new Date("2012/03/05").getDate() + new Date("March 7, 2014 08:30").getHours())`, []string{`/2012-03-05T00:00:00.000Z1330941600000/58`}},
		{"dates as people write them", `fetch("/" + new Date(2024, 2, 5).toLocaleDateString("en-US") + "x" + new Date(2024, 2, 5).toLocaleDateString("cs-CZ").replace(/\s/g, "") + new Date(2024, 2, 5).toLocaleDateString("de-DE") + new Date(2024,2,5).toLocaleDateString("en-CA"))`, []string{`/3/5/2024x5.3.20245.3.20242024-03-05`}},
		{"a loop over days", `var d = new Date(2024, 0, 1), n = 0; while (d < new Date(2024, 0, 4)) { fetch("/day/" + d.toISOString().slice(0,10)); d.setDate(d.getDate() + 1) }`, []string{`/day/2024-01-01`, `/day/2024-01-02`, `/day/2024-01-03`}},
		{"no date, and the zone", `var d = new Date("bad"); fetch("/" + isNaN(d) + isNaN(d.getTime()) + (d instanceof Date) + Object.prototype.toString.call(d)); var e = new Date(new Date(2020, 3, 4)); fetch("/" + e.getTimezoneOffset() + e.valueOf() + e.toDateString())`, []string{`/truetruetrue[object Date]`, `/01585958400000Sat Apr 04 2020`}},
		{"a date in a path", "const f = d => `${d.getFullYear()}${String(d.getMonth() + 1).padStart(2, \"0\")}${(\"0\" + d.getDate()).slice(-2)}`; fetch(\"/\" + f(new Date(1999, 11, 31)) + typeof Date + typeof new Date(1))", []string{`/19991231functionobject`}},
		{"dates in English", `fetch("/" + new Date(2024, 0, 5).toLocaleDateString("en-US", {month: "short", day: "numeric", year: "numeric"}) + new Date(2024, 0, 5).toLocaleDateString("en-US", {weekday: "long"}) + new Date(2024,0,5).toLocaleString("en-US", {month: "long"}) + new Date(2024,0,5).toUTCString())`, []string{`/Jan 5, 2024FridayJanuaryFri, 05 Jan 2024 00:00:00 GMT`}},
		{"a class of dates", `class D extends Date { p() { return "/x/" + this.getFullYear() } } fetch(new D(2001, 1, 1).p()); fetch("/s" + new Date(2024, 5, 1, 12).setHours(0))`, []string{`/x/2001`, `/s1717200000000`}},
		{"years of two digits, clocks and zones", `fetch("/" + new Date(99, 0).getFullYear() + new Date(2024, 0, 1, 10, 20, 30, 40).toISOString() + new Date("2024-02-30").getTime() + new Date("2024-01-02 03:04").toISOString() + new Date("2024-01-02T03:04+02:00").toISOString())`, []string{`/19992024-01-01T10:20:30.040Z17092512000002024-01-02T03:04:00.000Z2024-01-02T01:04:00.000Z`}},
		{"how many parameters, and what it is called", `function f(a, b, c) {} fetch("/" + f.length + f.name + ((a, b = 1, c) => 1).length + ((...x) => 1).length); var g = () => 1; fetch("/" + g.name)`, []string{`/3f10`, `/g`}},
		{"currying", `const curry = f => function c(...a) { return a.length >= f.length ? f(...a) : (...b) => c(...a, ...b) }; fetch(curry((a, b, c) => "/" + a + b + c)("x")("y")("z.png"))`, []string{`/xyz.png`}},
		{"arguments and who is called", `function f(a, b) { return "/" + arguments.length + arguments[1] + [].slice.call(arguments, 1).join("-") + Array.from(arguments).length } fetch(f(1, 2, 3)); function fac(n) { return n < 2 ? 1 : n * arguments.callee(n - 1) } fetch("/" + fac(4))`, []string{`/322-33`, `/24`}},
		{"bound functions", `function f(a, b, c) { return "/" + this.x + a + b + c } var g = f.bind({x: 1}, 2); fetch(g(3, 4)); fetch(g.bind(null, 5)(6)); fetch("/" + g.length + g.name)`, []string{`/1234`, `/1256`, `/2bound f`}},
		{"new.target", `function F() { if (!new.target) return new F(); this.u = "/nt/" + 1 } fetch(F().u); class A { constructor() { this.n = new.target.name } } class B extends A {} fetch("/" + new B().n + new A().n)`, []string{`/nt/1`, `/BA`}},
		{"private members", `class C { #p = "/p/"; static #c = 0; #m(x) { return this.#p + x } get u() { return this.#m("a") } set v(x) { this.#p = x } static { C.s = "/static" + 1 } static has(o) { return #p in o } static inc() { return ++C.#c } } var c = new C; fetch(c.u); c.v = "/q/"; fetch(c.u); fetch(C.s); fetch("/" + C.has(c) + C.has({}) + C.inc() + C.inc())`, []string{`/p/a`, `/q/a`, `/static1`, `/truefalse12`}},
		{"super of methods and of objects", `class A { u() { return "/a" } get g() { return "/ga" } static s() { return "/sa" } } class B extends A { u() { return super.u() + "/b" } get g() { return super.g + "/gb" } static s() { return super.s() + "/sb" } } fetch(new B().u()); fetch(new B().g); fetch(B.s()); var o = {__proto__: {x() { return "/px" }}, x() { return super.x() + "/o" }}; fetch(o.x())`, []string{`/a/b`, `/ga/gb`, `/sa/sb`, `/px/o`}},
		{"instances", `class A {} class B extends A {} var b = new B; fetch("/" + (b instanceof A) + (b instanceof B) + (new A instanceof B) + ([] instanceof Array) + ({} instanceof Object) + ((() => 1) instanceof Function) + (new Map instanceof Map) + (/a/ instanceof RegExp) + (Promise.resolve() instanceof Promise) + (new Set instanceof Map) + (new Date(1) instanceof Date))`, []string{`/truetruefalsetruetruetruetruetruetruefalsetrue`}},
		{"logical and other assignments", `let a = null, b = "", c = "x"; a ??= "/a1"; b ||= "/b1"; c &&= "/c1"; fetch(a + b + c); let o = {n: 2}; o.n **= 3; o.n++; ++o.n; o.k ??= "/k"; fetch(o.k + o.n + 2 ** 3 ** 2); var x = (1, 2, "/comma"); fetch(x + 1)`, []string{`/a1/b1/c1`, `/k10512`, `/comma1`}},
		{"labels", `out: for (var i = 0; i < 3; i++) for (var j = 0; j < 3; j++) { if (j == 1) continue out; if (i == 2) break out; fetch("/" + i + j) } blk: { fetch("/blk" + 1); break blk; fetch("/no" + 1) }`, []string{`/00`, `/10`, `/blk1`}},
		{"tagged templates", "function tag(s, ...v) { return s.raw.join(\"|\") + v.join(\",\") + s.length + Object.isFrozen(s) } fetch(tag`/a${1}\\n${2}b`); function id(s) { return s } var f = () => id`x`; fetch(\"/\" + (f() === f()) + String.raw`\\n${1}`)", []string{`/a|\n|b1,23true`, `/true\n1`}},
		{"accessors, and catch without a name", `try { nope.x } catch { fetch("/caught" + 1) } var o = {get a() { return this._a || "/def" }, set a(v) { this._a = "/set" + v }}; fetch(o.a + 1); o.a = 2; fetch(o.a + 1)`, []string{`/caught1`, `/def1`, `/set21`}},
		{"classes say what they are", `class P { constructor(x) { this.x = x } static of(x) { return new this(x) } toString() { return "/P" + this.x } get [Symbol.toStringTag]() { return "PP" } } fetch("" + P.of(3)); fetch("/" + Object.prototype.toString.call(P.of(1)) + P.name + new P(1).constructor.name); const Q = class extends P { ["m" + 1]() { return "/m1" + super.toString() } }; fetch(new Q(4).m1() + Q.name)`, []string{`/P3`, `/[object PP]PP`, `/m1/P4Q`}},
		{"mixins and prototypes", `const mix = B => class extends B { mx() { return "/mx" + this.b } }; class Base { b = 7 } fetch(new (mix(Base))().mx()); function Old(n) { this.n = n } Old.prototype = {constructor: Old, u: function () { return "/old" + this.n }}; function Sub() { Old.call(this, 5) } Sub.prototype = Object.create(Old.prototype); Sub.prototype.constructor = Sub; fetch(new Sub().u() + (new Sub instanceof Old))`, []string{`/mx7`, `/old5true`}},
		{"names of functions", `var f = function inner(n) { return n ? "/" + n + inner(n - 1) : "" }; fetch(f(3)); fetch("/" + (function () {}).name + f.name + (() => {}).name + (class Z {}).name + [].map.name); const compose = (...fs) => x => fs.reduceRight((a, f) => f(a), x); fetch(compose(x => x + ".png", x => "/" + x)("cmp"))`, []string{`/3/2/1`, `/innerZmap`, `/cmp.png`}},
		{"what is thrown has a pattern", `try { throw {alt: "/alt", n: {k: "k"}} } catch ({ alt, n: { k }, d = 3 }) { fetch(alt + k + d) }`, []string{`/altk3`}},
		{"classes of errors of classes", "class HttpError extends Error { constructor(code) { super(`HTTP ${code}`); this.code = code } get name() { return \"HttpError\" } get page() { return \"/errors/\" + this.code + \".html\" } } class NotFound extends HttpError { constructor() { super(404) } } try { throw new NotFound } catch (e) { fetch(e.page); fetch(\"/\" + (e instanceof HttpError) + e.message + e.name + e.constructor.name) }", []string{`/errors/404.html`, `/trueHTTP 404HttpErrorNotFound`}},
		{"proxies as interfaces", `const api = new Proxy({}, {get: (_, name) => (...args) => fetch("/api/" + name + "/" + args.join("/"))}); api.users(1); api.posts("a", 2); const neg = new Proxy(["a", "b", "c"], {get: (t, k, r) => Reflect.get(t, k < 0 ? String(t.length + +k) : k, r)}); fetch("/" + neg[-1] + neg[0]); const log = []; const tr = new Proxy({x: 1}, {get(t, k) { log.push(k); return t[k] }}); tr.x; tr.y; fetch("/" + log.join("/"))`, []string{`/api/users/1`, `/api/posts/a/2`, `/ca`, `/x/y`}},
	} {
		t.Run(c.why, func(t *testing.T) {
			if diff := cmp.Diff(c.want, interpreted(c.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
