package markup

import "bytes"

// srcset calls yield for each image candidate of the attribute, after the HTML
// standard, section 4.8.4.2.2 (parsing a srcset attribute). Candidates whose
// descriptors are in error are left out, as browsers do.
func srcset(s []byte, yield func(url []byte)) {
	for {
		s = bytes.TrimLeft(s, " \t\n\f\r,")
		if len(s) == 0 {
			return
		}
		n := bytes.IndexAny(s, " \t\n\f\r")
		if n < 0 {
			n = len(s)
		}
		url := s[:n]
		s = s[n:]
		if trimmed := bytes.TrimRight(url, ","); len(trimmed) < len(url) {
			yield(trimmed)
			continue
		}
		var ok bool
		if s, ok = descriptors(s); ok {
			yield(url)
		}
	}
}

// descriptors reads what follows a URL up to its comma and returns the rest.
func descriptors(s []byte) (rest []byte, ok bool) {
	depth, end := 0, len(s)
scan:
	for i, c := range s {
		switch {
		case c == '(':
			depth = 1 // parentheses do not nest
		case c == ')':
			depth = 0
		case c == ',' && depth == 0:
			end = i
			break scan
		}
	}
	rest = s[min(end+1, len(s)):]
	var width, density, height bool
	for _, d := range bytes.FieldsFunc(s[:end], isHTMLSpace) {
		number, unit := d[:len(d)-1], d[len(d)-1]
		switch {
		case unit == 'w' && !width && !density && positiveInt(number):
			width = true
		case unit == 'x' && !width && !density && !height && validFloat(number):
			density = true
		case unit == 'h' && !height && !density && positiveInt(number):
			height = true
		default:
			return rest, false
		}
	}
	return rest, !height || width
}

func isHTMLSpace(r rune) bool {
	return r == ' ' || r == '\t' || r == '\n' || r == '\f' || r == '\r'
}

func positiveInt(s []byte) bool {
	nonzero := false
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
		nonzero = nonzero || c != '0'
	}
	return nonzero
}

// validFloat checks the standard's "valid floating-point number", not negative.
func validFloat(s []byte) bool {
	if len(s) > 0 && s[0] == '-' {
		// Minus zero is not less than zero.
		return validFloat(s[1:]) && !bytes.ContainsAny(mantissa(s[1:]), "123456789")
	}
	m := mantissa(s)
	if len(m) < len(s) {
		exp := s[len(m)+1:]
		if len(exp) > 0 && (exp[0] == '+' || exp[0] == '-') {
			exp = exp[1:]
		}
		if len(exp) == 0 || !digits(exp) {
			return false
		}
	}
	whole, frac, dot := bytes.Cut(m, []byte("."))
	return digits(whole) && digits(frac) && (len(frac) > 0 || !dot && len(whole) > 0)
}

func mantissa(s []byte) []byte {
	if i := bytes.IndexAny(s, "eE"); i >= 0 {
		return s[:i]
	}
	return s
}

func digits(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
