package markup

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// isMethod reports a method of strings or lists that is understood.
func isMethod(name []byte) bool {
	switch string(name) {
	case "concat", "replace", "replaceAll", "trim", "toLowerCase", "toUpperCase", "toString", "slice", "substr", "substring", "padStart", "split", "join", "shift", "pop", "get", "filter", "reverse", "sort":
		return true
	}
	return false
}

// method reads the arguments of a method of a value, whose bracket is in hand.
func (e *jsExpr) method(of jsVal, name []byte, depth int) jsVal {
	pattern := ""
	if string(name) == "replace" || string(name) == "replaceAll" {
		ahead := *e
		if ahead.next(); ahead.k == jsRegExp {
			pattern = string(ahead.text)
		}
	}
	if string(name) == "filter" {
		return e.filtered(of, depth)
	}
	args := e.args(depth)
	if of.kind == mapOf && string(name) == "get" {
		return e.ofKey(of, argument(args, 0, ""))
	}
	if of.kind == listOf || of.kind == rowsOf && len(args) == 0 {
		switch string(name) {
		case "reverse", "sort":
			return of
		case "join":
			if sep := argument(args, 0, ","); len(sep.vals) == 1 && e.made(len(sep.vals[0])*len(of.vals)+64) {
				return oneString(strings.Join(of.vals, sep.vals[0]))
			}
		case "shift", "pop":
			return jsVal{vals: of.vals}
		}
		return jsVal{}
	}
	if of.kind != oneOf || of.wild != "" || len(of.vals) == 0 {
		return jsVal{}
	}
	switch string(name) {
	case "toString":
		return of
	case "concat":
		for _, arg := range args {
			of = e.joined(of, arg)
		}
		return of
	case "split":
		if sep := argument(args, 0, ""); len(of.vals) == 1 && len(sep.vals) == 1 && len(of.vals[0]) <= 8*maxConst && e.made(len(of.vals[0])) {
			if parts := strings.SplitN(of.vals[0], sep.vals[0], maxListed+1); len(parts) <= maxListed {
				return jsVal{kind: listOf, vals: parts}
			}
		}
		return jsVal{}
	}
	change := stringMethod(string(name), pattern, args)
	if change == nil {
		return jsVal{}
	}
	out := jsVal{keys: of.keys, vals: make([]string, 0, len(of.vals))}
	for _, v := range of.vals {
		if len(v) > maxURL || !e.made(len(v)+len(pattern)) {
			return jsVal{}
		}
		out.vals = append(out.vals, change(v))
	}
	return out
}

// mapOfPairs is what new Map makes of a list of pairs.
func mapOfPairs(of jsVal) jsVal {
	out := jsVal{kind: mapOf, keys: []string{}}
	for _, pair := range of.rows {
		if len(pair.vals) != 2 {
			return jsVal{}
		}
		out.keys, out.vals = append(out.keys, pair.vals[0]), append(out.vals, pair.vals[1])
	}
	return out
}

// filtered reads the argument of filter, whose bracket is in hand: a comparison of the elements with a string, or Boolean. What is left is known of
// no other.
func (e *jsExpr) filtered(of jsVal, depth int) jsVal {
	ahead := *e
	ahead.next()
	word := ahead.text
	if ahead.next(); string(word) == "Boolean" && ahead.k == jsClose {
		e.args(depth)
		return of
	}
	if string(word) == "(" {
		word = ahead.text
		ahead.next()
		ahead.next()
	}
	ahead.next() // "=>" is behind
	if by := ahead.text; of.kind != listOf || !bytes.Equal(by, word) {
		e.args(depth)
		return jsVal{}
	}
	ahead.next()
	equal, is := ahead.comparison()
	var other jsVal
	switch ahead.k { // nothing that has arguments itself: they would be read twice, and those in them four times
	case jsStr:
		other = ahead.primary(depth)
	case jsWord:
		other = ahead.use(ofVariable, ahead.text)
		ahead.next()
	}
	e.args(depth)
	if !is || ahead.k != jsClose || len(other.vals) != 1 {
		return jsVal{}
	}
	out := jsVal{kind: listOf, of: of.of}
	for _, v := range of.vals {
		if (v == other.vals[0]) == equal {
			out.vals = append(out.vals, v)
		}
	}
	return out
}

// argument returns the i-th argument, or what counts when it is not there.
func argument(args []jsVal, i int, otherwise string) jsVal {
	if i < len(args) {
		return args[i]
	}
	return oneString(otherwise)
}

// stringMethod returns what a method does to a string, nil when it is not understood.
func stringMethod(name, pattern string, args []jsVal) func(string) string {
	first, second := argument(args, 0, ""), argument(args, 1, "")
	switch name {
	case "trim":
		return strings.TrimSpace
	case "toLowerCase":
		return strings.ToLower
	case "toUpperCase":
		return strings.ToUpper
	}
	if len(second.vals) != 1 || second.kind != oneOf {
		return nil
	}
	by := second.vals[0]
	if pattern != "" {
		return replacePattern(pattern, by)
	}
	if len(first.vals) != 1 || first.kind != oneOf {
		return nil
	}
	switch what := first.vals[0]; name {
	case "replace", "replaceAll":
		n := 1
		if name == "replaceAll" {
			n = -1
		}
		if len(args) != 2 || what == "" || len(by) > maxConst {
			return nil
		}
		return func(v string) string {
			if v = strings.Replace(v, what, by, min(n, 8)); len(v) > maxURL {
				return ""
			}
			return v
		}
	case "padStart":
		n, err := number(what)
		if by == "" {
			by = " "
		}
		if err != nil || n > maxName {
			return nil
		}
		return func(v string) string {
			if missing := n - len(v); missing > 0 {
				return strings.Repeat(by, missing)[:missing] + v
			}
			return v
		}
	case "slice", "substring", "substr":
		from, err := strconv.Atoi(what)
		to, wrong := maxURL, error(nil)
		if len(args) > 1 {
			to, wrong = strconv.Atoi(by)
		}
		if err != nil || wrong != nil || name == "substring" && (from < 0 || to < 0) {
			return nil
		}
		return func(v string) string {
			at := within(from, len(v))
			if name == "substr" {
				return v[at : at+min(len(v)-at, max(to, 0))]
			}
			return v[at:max(at, within(to, len(v)))]
		}
	}
	return nil
}

// within returns a place in n bytes, from the end when it is negative.
func within(at, n int) int {
	if at < 0 {
		at += n
	}
	return min(max(at, 0), n)
}

// maxPattern is how long regular expressions are that are tried.
const maxPattern = 64

// replacePattern returns what replace with a regular expression does. Expressions that Go reads otherwise than browsers do are rare.
func replacePattern(pattern, by string) func(string) string {
	end := strings.LastIndexByte(pattern, '/')
	body, flags := pattern[1:end], pattern[end+1:]
	if len(body) > maxPattern || len(by) > maxConst || strings.Contains(body, "{") {
		return nil
	}
	if strings.Contains(flags, "i") {
		body = "(?i)" + body
	}
	re, err := regexp.Compile(body)
	if err != nil {
		return nil
	}
	by = dollar.ReplaceAllString(by, "${$1}")
	all := strings.Contains(flags, "g")
	return func(v string) string {
		if all {
			return re.ReplaceAllString(v, by)
		}
		at := re.FindStringSubmatchIndex(v)
		if at == nil {
			return v
		}
		return v[:at[0]] + string(re.ExpandString(nil, by, v, at)) + v[at[1]:]
	}
}

var dollar = regexp.MustCompile(`\$(\d)`)

// args reads the arguments of a call, whose bracket is in hand. Those that are not known are empty.
func (e *jsExpr) args(depth int) []jsVal {
	var out []jsVal
	if depth >= foldDepth {
		e.k = jsEnd
		return nil
	}
	for e.next(); len(out) < 2*foldDepth; e.next() {
		if e.k == jsClose && len(out) == 0 {
			break
		}
		val := e.choice(depth + 1)
		if e.truth != noCondition || e.k != jsComma && e.k != jsClose {
			val = jsVal{}
		}
		e.truth = noCondition
		for e.pass(maxTerms); e.k == jsColon || e.k == jsOther && string(e.text) != ";"; e.pass(maxTerms) {
			e.next()
		}
		if out = append(out, val); e.k != jsComma {
			break
		}
	}
	if e.k == jsClose {
		e.next()
	} else {
		e.k, e.text = jsEnd, nil
	}
	return out
}

// called returns what a function gives for constants. Its bracket is in hand.
func (e *jsExpr) called(word, owner []byte, member bool, depth int) jsVal {
	fn := e.s.consts.function(word, member)
	if e.part {
		fn = e.s.consts.defined(word, member)
	}
	args := e.args(depth)
	if text := formatted(args); text != "" && e.made(len(text)) {
		return oneString(text)
	}
	if fn != nil {
		return e.s.call(fn, args, false)
	}
	if member && string(owner) != "window" && string(owner) != "Object" && !ofElement(word) {
		return jsVal{}
	}
	first := argument(args, 0, "")
	if !first.known() {
		return jsVal{}
	}
	switch string(word) {
	case "getAttribute", "attr":
		if len(args) == 1 && len(first.vals) == 1 {
			return e.attribute(first.vals[0])
		}
		return jsVal{}
	case "data":
		if len(first.vals) != 1 {
			return jsVal{}
		}
		return e.attribute(dashed(first.vals[0]))
	case "Number", "parseInt", "parseFloat":
		return first.number()
	case "Array":
		out := jsVal{kind: listOf}
		for _, arg := range args {
			if len(arg.vals) != 1 || arg.kind != oneOf || arg.num {
				return jsVal{}
			}
			out.vals = append(out.vals, arg.vals[0])
		}
		return out
	case "Map":
		return mapOfPairs(first)
	case "freeze", "String":
		return first
	case "keys", "values", "entries":
		return ofObject(string(word), first)
	case "URLSearchParams":
		return e.query(first)
	case "URL":
		if base := argument(args, 1, ""); first.kind == oneOf && base.kind == oneOf && len(base.vals) == 1 {
			return e.each(first, func(v string) string { return joinRef(base.vals[0], v) })
		}
	case "encodeURIComponent":
		return e.each(first, component)
	case "escape":
		return e.each(first, escaped)
	case "encodeURI":
		return first
	case "decodeURIComponent", "decodeURI", "unescape":
		return e.each(first, func(v string) string {
			text, err := url.PathUnescape(v)
			if err != nil {
				return v
			}
			return text
		})
	case "atob":
		return e.each(first, func(v string) string {
			text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
			if err != nil || slices.ContainsFunc(text, func(c byte) bool { return c < ' ' || c > '~' }) {
				return ""
			}
			return string(text)
		})
	}
	return jsVal{}
}

// formatted is what the first argument is with the others filled in, "" when it is no path in which something is, or when one is not known.
func formatted(args []jsVal) string {
	if len(args) < 2 || len(args[0].vals) != 1 || args[0].kind != oneOf {
		return ""
	}
	format := args[0].vals[0]
	if !strings.Contains(format, "%s") || !strings.Contains(format, "/") {
		return ""
	}
	var w strings.Builder
	for n := 1; ; n++ {
		i := strings.IndexByte(format, '%')
		if i < 0 || i+1 == len(format) {
			break
		}
		w.WriteString(format[:i])
		if format[i+1] != 's' && format[i+1] != 'd' || n >= len(args) || args[n].kind != oneOf || len(args[n].vals) != 1 || w.Len() > maxURL {
			return ""
		}
		w.WriteString(args[n].vals[0])
		format = format[i+2:]
	}
	return w.String() + format
}

// toNumber reports functions that make numbers of strings.
func toNumber(name []byte) bool {
	return string(name) == "parseInt" || string(name) == "Number" || string(name) == "parseFloat"
}

// each changes all strings that a value may be.
func (e *jsExpr) each(of jsVal, change func(string) string) jsVal {
	if of.kind != oneOf || of.vals == nil {
		return jsVal{}
	}
	out := jsVal{keys: of.keys}
	for _, v := range of.vals {
		if !e.made(len(v)) {
			return jsVal{}
		}
		out.vals = append(out.vals, change(v))
	}
	return out
}

// query returns the parameters that an object says.
func (e *jsExpr) query(of jsVal) jsVal {
	if of.kind == oneOf && len(of.vals) == 1 {
		return of
	}
	if of.kind != mapOf {
		return jsVal{}
	}
	var w strings.Builder
	for i, key := range of.keys {
		if i > 0 {
			w.WriteByte('&')
		}
		w.WriteString(url.QueryEscape(key) + "=" + url.QueryEscape(of.vals[i]))
	}
	if !e.made(w.Len()) {
		return jsVal{}
	}
	return oneString(w.String())
}

// component is encodeURIComponent.
func component(v string) string { return strings.ReplaceAll(url.QueryEscape(v), "+", "%20") }

// escaped is escape (ECMA-262, B.2.1.1), of characters below U+10000.
func escaped(v string) string {
	var w strings.Builder
	for _, r := range v {
		switch {
		case r < utf8.RuneSelf && (isLetter(byte(r)) || '0' <= r && r <= '9' || strings.ContainsRune("@*_+-./", r)):
			w.WriteRune(r)
		case r <= 0xFF:
			fmt.Fprintf(&w, "%%%02X", r)
		default:
			fmt.Fprintf(&w, "%%u%04X", r)
		}
	}
	return w.String()
}

// number reads a small number.
func number(v string) (int, error) {
	n, err := strconv.ParseUint(v, 10, 16)
	return int(n), err
}
