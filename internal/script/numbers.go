package script

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// formatNumber is a number as the language writes it.
func formatNumber(n float64) string {
	switch {
	case n != n:
		return "NaN"
	case math.IsInf(n, 1):
		return "Infinity"
	case math.IsInf(n, -1):
		return "-Infinity"
	case n == 0:
		return "0"
	}
	if abs := math.Abs(n); abs < 1e21 && abs >= 1e-6 {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return shortExponent(strconv.FormatFloat(n, 'e', -1, 64))
}

// shortExponent writes 1e-07 as 1e-7.
func shortExponent(s string) string {
	mantissa, exp, is := strings.Cut(s, "e")
	if !is {
		return s
	}
	digits := strings.TrimLeft(exp[1:], "0")
	if digits == "" {
		digits = "0"
	}
	return mantissa + "e" + exp[:1] + digits
}

// inBase is a number with other digits than ten.
func inBase(n float64, base int) value {
	if n != n || math.IsInf(n, 0) || math.Abs(n) > 1<<53 {
		return unknown{}
	}
	whole := math.Trunc(n)
	s := strconv.FormatInt(int64(whole), base)
	if n == whole {
		return plain(s)
	}
	if n < 0 && whole == 0 {
		s = "-0"
	}
	rest := math.Abs(n - whole)
	unit := math.Max(math.Nextafter(math.Abs(n), math.Inf(1))-math.Abs(n), 5e-324) / 2
	s += "."
	for i := 0; i < 60 && rest >= unit; i++ {
		rest *= float64(base)
		unit *= float64(base)
		d := math.Trunc(rest)
		rest -= d
		if rest > 0.5 && rest+unit > 1 {
			d, rest = d+1, 0
		}
		s += strconv.FormatInt(int64(d), base)
	}
	return plain(s)
}

// newNumberMethods makes the methods of numbers.
func newNumberMethods() map[string]method {
	of := func(least, most int, do func(n float64, digits int) value) method {
		return func(p *Page, this value, args []value) value {
			digits, known := p.integer(args, 0, -1)
			if !known {
				return unknown{}
			}
			return p.lift(this, func(this value) value {
				n, is := this.(float64)
				if !is || n != n || math.IsInf(n, 0) || digits > most || digits < least && len(args) > 0 && args[0] != nil {
					return unknown{}
				}
				return do(n, digits)
			})
		}
	}
	return map[string]method{
		"toString": of(2, 36, func(n float64, base int) value {
			if base == 10 || base < 0 {
				return plain(formatNumber(n))
			}
			return inBase(n, base)
		}),
		"toFixed": of(0, 20, func(n float64, digits int) value {
			if math.Abs(n) >= 1e21 {
				return plain(formatNumber(n))
			}
			s := strconv.FormatFloat(n, 'f', max(digits, 0), 64)
			if half := math.Abs(n) * math.Pow10(max(digits, 0)); half < 1<<52 && half-math.Floor(half) == 0.5 { // away from zero
				s = strconv.FormatFloat(math.Copysign((half+0.5)/math.Pow10(max(digits, 0)), n), 'f', max(digits, 0), 64)
			}
			return plain(s)
		}),
		"toPrecision": of(1, 100, func(n float64, digits int) value {
			if digits < 0 {
				return plain(formatNumber(n))
			}
			s := strconv.FormatFloat(n, 'e', digits-1, 64)
			_, exp, _ := strings.Cut(s, "e")
			if e, err := strconv.Atoi(exp); err == nil && e >= -6 && e < digits {
				return plain(strconv.FormatFloat(n, 'f', digits-1-e, 64))
			}
			return plain(shortExponent(s))
		}),
		"toExponential": of(0, 100, func(n float64, digits int) value {
			return plain(shortExponent(strconv.FormatFloat(n, 'e', digits, 64)))
		}),
		"valueOf": func(_ *Page, this value, _ []value) value { return this },
		"toLocaleString": func(p *Page, this value, args []value) value {
			n, is := one(this).(float64)
			if !is {
				return unknown{}
			}
			return p.localNumber(n, argument(args, 0), argument(args, 1))
		},
	}
}

// localNumber is a number as people write it in a language; in that of the page, as Americans do.
func (p *Page) localNumber(n float64, lang, by value) value {
	comma, dot := ",", "."
	if lang != nil {
		t, is := one(lang).(*text)
		if !is {
			return unknown{}
		}
		t.consumed, t.looked = true, true
		switch t.s {
		case "en-US", "en", "en-GB":
		case "de-DE", "de", "es-AR", "it-IT", "nl-NL", "tr-TR":
			comma, dot = ".", ","
		case "cs-CZ", "cs", "sk-SK", "sk":
			comma, dot = "\u00a0", ","
		case "fr-FR", "fr":
			comma, dot = "\u202f", ","
		default:
			return unknown{}
		}
	}
	least, most, whole, after := 0, 3, 1, ""
	if o, is := one(by).(*object); is {
		for _, key := range o.keys {
			p.step()
			v := one(o.get(key))
			d, known := p.integer([]value{v}, 0, 0)
			s := ""
			if t, is := v.(*text); is {
				t.consumed, t.looked = true, true
				s = t.s
			}
			switch {
			case key == "style" && s == "percent":
				if n, most, after = n*100, 0, "%"; comma != "," {
					after = "\u00a0%"
				}
			case key == "style" && s == "decimal":
			case key == "useGrouping" && v == false:
				comma = ""
			case key == "minimumFractionDigits" && known && d <= 20:
				least, most = d, max(d, most)
			case key == "maximumFractionDigits" && known && d <= 20:
				most = d
			case key == "minimumIntegerDigits" && known && d <= 20:
				whole = d
			default:
				return unknown{}
			}
		}
	} else if by != nil {
		return unknown{}
	}
	if n != n || math.Abs(n) > 1<<53 {
		return unknown{}
	}
	s := strconv.FormatFloat(math.Abs(n), 'f', max(most, least, 0), 64)
	s, part, _ := strings.Cut(s, ".")
	for len(part) > max(least, 0) && part[len(part)-1] == '0' {
		part = part[:len(part)-1]
	}
	for len(s) < whole {
		s = "0" + s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + comma + s[i:]
	}
	if part != "" {
		s += dot + part
	}
	if n < 0 {
		s = "-" + s
	}
	return plain(s + after)
}

func numberStatics() map[string]method {
	strict := func(do func(n float64) bool) method {
		return func(_ *Page, _ value, args []value) value {
			switch v := one(argument(args, 0)).(type) {
			case unknown:
				return unknown{}
			case float64:
				return do(v)
			}
			return false
		}
	}
	return map[string]method{
		"isInteger": isInteger, "parseInt": parseInt, "parseFloat": parseFloat,
		"isFinite":      strict(func(n float64) bool { return n-n == 0 }),
		"isNaN":         strict(func(n float64) bool { return n != n }),
		"isSafeInteger": strict(func(n float64) bool { return n == math.Trunc(n) && math.Abs(n) < 1<<53 }),
	}
}

// isFinite is that of the window, which reads texts.
func isFinite(p *Page, _ value, args []value) value {
	n, known := p.number(one(argument(args, 0)))
	if !known {
		return unknown{}
	}
	return n-n == 0
}

// addConstants gives Number, Math and the like the numbers that they have.
func addConstants(o *object, name string) {
	set := func(name string, n float64) { o.add(name, n) }
	switch name {
	case "Number":
		set("MAX_SAFE_INTEGER", 1<<53-1)
		set("MIN_SAFE_INTEGER", -(1<<53 - 1))
		set("EPSILON", math.Nextafter(1, 2)-1)
		set("MAX_VALUE", math.MaxFloat64)
		set("MIN_VALUE", math.SmallestNonzeroFloat64)
		set("POSITIVE_INFINITY", math.Inf(1))
		set("NEGATIVE_INFINITY", math.Inf(-1))
		set("NaN", math.NaN())
	case "Math":
		set("PI", math.Pi)
		set("E", math.E)
		set("LN2", math.Ln2)
		set("LN10", math.Ln10)
		set("LOG2E", math.Log2E)
		set("LOG10E", math.Log10E)
		set("SQRT2", math.Sqrt2)
		set("SQRT1_2", math.Sqrt2/2)
	}
}

// addMath gives a table the functions of Math that few pages use.
func addMath(of func(func(float64) float64) method, all func(float64, func(a, b float64) float64) method, table map[string]method) map[string]method {
	table["hypot"] = all(0, math.Hypot)
	for name, do := range map[string]func(float64) float64{
		"cosh": math.Cosh, "tanh": math.Tanh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh, "log1p": math.Log1p, "expm1": math.Expm1,
		"fround": func(n float64) float64 { return float64(float32(n)) },
		"clz32":  func(n float64) float64 { return float64(bits.LeadingZeros32(uint32(toInt32(n)))) },
	} {
		table[name] = of(do)
	}
	two := func(do func(a, b float64) float64) method {
		return func(p *Page, _ value, args []value) value {
			a, known := p.number(one(argument(args, 0)))
			b, too := p.number(one(argument(args, 1)))
			if !known || !too {
				return unknown{}
			}
			return do(a, b)
		}
	}
	table["pow"], table["atan2"] = two(math.Pow), two(math.Atan2)
	table["imul"] = two(func(a, b float64) float64 { return float64(toInt32(a) * toInt32(b)) })
	return table
}
