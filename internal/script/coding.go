package script

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// coded changes what is known of a text by a coding.
func (p *Page) coded(t *text, code func(string) string) value {
	var w strings.Builder
	for rest := t.s; ; {
		i := strings.IndexAny(rest, string(Hole)+Key)
		if i < 0 {
			w.WriteString(code(rest))
			break
		}
		w.WriteString(code(rest[:i]))
		w.WriteByte(rest[i])
		rest = rest[i+1:]
	}
	if s := w.String(); s != t.s {
		return p.derive(s, t)
	}
	return t
}

// component is encodeURIComponent, but for "'", which a browser codes in a query when it asks.
func component(v string) string {
	v = url.QueryEscape(v)
	if strings.Contains(v, "%2") || strings.IndexByte(v, '+') >= 0 {
		v = strings.NewReplacer("+", "%20", "%21", "!", "%28", "(", "%29", ")", "%2A", "*").Replace(v)
	}
	return v
}

// wholeCoded is encodeURI.
func wholeCoded(v string) string {
	var w strings.Builder
	for i := range len(v) {
		if c := v[i]; c > ' ' && c < utf8.RuneSelf && strings.IndexByte("\"%<>[\\]^`{|}", c) < 0 {
			w.WriteByte(c)
		} else {
			fmt.Fprintf(&w, "%%%02X", c)
		}
	}
	return w.String()
}

func decoded(v string) string {
	s, err := url.PathUnescape(v)
	if err != nil {
		return v
	}
	return s
}

// escaped is escape (ECMA-262, B.2.1.1), of characters below U+10000.
func escaped(v string) string {
	var w strings.Builder
	for _, r := range v {
		switch {
		case r < utf8.RuneSelf && ('a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("@*_+-./", r)):
			w.WriteRune(r)
		case r <= 0xFF:
			fmt.Fprintf(&w, "%%%02X", r)
		default:
			fmt.Fprintf(&w, "%%u%04X", r)
		}
	}
	return w.String()
}

// unescaped is unescape (ECMA-262, B.2.1.2): what is no escape stays.
func unescaped(v string) string {
	var w strings.Builder
	for i := 0; i < len(v); i++ {
		if v[i] == '%' {
			from, to := i+1, i+3
			if to <= len(v) && v[from] == 'u' {
				from, to = i+2, i+6
			}
			if to <= len(v) {
				if r, err := strconv.ParseUint(v[from:to], 16, 16); err == nil {
					w.WriteRune(rune(r))
					i = to - 1
					continue
				}
			}
		}
		w.WriteByte(v[i])
	}
	return w.String()
}

func parseInt(p *Page, _ value, args []value) value {
	return p.lift(argument(args, 0), func(v value) value {
		if n, is := v.(float64); is {
			return math.Trunc(n)
		}
		t, is := v.(*text)
		base, known := p.integer(args, 1, 10)
		if !is || !known || !t.known() || t.page || base < 2 || base > 36 {
			return unknown{}
		}
		s := strings.TrimSpace(t.s)
		if strings.HasPrefix(s, "0x") && len(args) < 2 {
			s, base = s[2:], 16
		}
		end := 0
		for end < len(s) && end < 15 {
			if _, err := strconv.ParseInt(s[:end+1], base, 64); err != nil && (end > 0 || s[0] != '-') {
				break
			}
			end++
		}
		n, err := strconv.ParseInt(s[:end], base, 64)
		if err != nil {
			return math.NaN()
		}
		return float64(n)
	})
}

func parseFloat(p *Page, _ value, args []value) value {
	return p.lift(argument(args, 0), func(v value) value {
		if n, is := v.(float64); is {
			return n
		}
		t, is := v.(*text)
		if !is || !t.known() || t.page {
			return unknown{}
		}
		s := strings.TrimSpace(t.s)
		end := 0
		dots := 0
		for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.' && dots == 0 || end == 0 && s[end] == '-') {
			if s[end] == '.' {
				dots++
			}
			end++
		}
		if _, err := strconv.ParseFloat(s[:end], 64); err == nil && end+1 < len(s) && s[end]|0x20 == 'e' { // 1e3
			more := end + 1
			if s[more] == '-' || s[more] == '+' {
				more++
			}
			for first := more; more < len(s) && more < first+4 && s[more] >= '0' && s[more] <= '9'; more++ {
				end = more + 1
			}
		}
		n, err := strconv.ParseFloat(s[:end], 64)
		if err != nil {
			return math.NaN()
		}
		return n
	})
}

func isInteger(p *Page, _ value, args []value) value {
	n, is := argument(args, 0).(float64)
	if !is {
		if isUnknown(argument(args, 0)) {
			return unknown{}
		}
		return false
	}
	return n == math.Trunc(n) && !math.IsInf(n, 0)
}

func functionIsNaN(p *Page, _ value, args []value) value {
	n, known := p.number(one(argument(args, 0)))
	if !known {
		return unknown{}
	}
	return n != n
}

func stringStatics() map[string]method {
	chars := func(p *Page, _ value, args []value) value {
		var w strings.Builder
		for _, arg := range args {
			n, known := p.number(one(arg))
			if !known || n < 0 || n > utf8.MaxRune {
				return unknown{}
			}
			w.WriteRune(rune(n))
		}
		return p.make(w.String())
	}
	return map[string]method{
		"fromCharCode": chars, "fromCodePoint": chars,
		"raw": func(p *Page, _ value, args []value) value {
			strs, _ := p.items(p.get(argument(args, 0), "raw"))
			val := value(plain(""))
			for i, s := range strs {
				val = p.sum2(val, s)
				if i+1 < len(args) && i+1 < len(strs) {
					val = p.sum2(val, p.textOf(args[i+1]))
				}
			}
			return val
		},
	}
}

func sign(n float64) float64 {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return n
}

func mathStatics() map[string]method {
	of := func(do func(float64) float64) method {
		return func(p *Page, _ value, args []value) value {
			return p.lift(argument(args, 0), func(v value) value {
				n, known := p.number(v)
				if !known {
					return unknown{}
				}
				return do(n)
			})
		}
	}
	all := func(first float64, do func(a, b float64) float64) method {
		return func(p *Page, _ value, args []value) value {
			out := first
			for _, arg := range args {
				n, known := p.number(one(arg))
				if !known {
					return unknown{}
				}
				out = do(out, n)
			}
			return out
		}
	}
	return addMath(of, all, map[string]method{
		"floor": of(math.Floor), "ceil": of(math.Ceil), "round": of(func(n float64) float64 { return math.Floor(n + 0.5) }), "trunc": of(math.Trunc), "abs": of(math.Abs), "sqrt": of(math.Sqrt),
		"log2": of(math.Log2), "log": of(math.Log), "log10": of(math.Log10), "sin": of(math.Sin), "cos": of(math.Cos), "exp": of(math.Exp), "tan": of(math.Tan), "atan": of(math.Atan), "asin": of(math.Asin), "acos": of(math.Acos), "sinh": of(math.Sinh), "cbrt": of(math.Cbrt),
		"sign": of(sign),
		"min":  all(math.Inf(1), math.Min), "max": all(math.Inf(-1), math.Max),
		"random": nothing,
	})
}
