package pdf

import (
	"bytes"
	"strconv"
)

// What values are in Go: nil, bool, float64, text, name, ref, []any, dict.
type (
	text []byte
	name string
	ref  int // number of an object; generations are not told apart
	dict map[string]any
)

// maxNested is how deep arrays and dictionaries may be in one another.
const maxNested = 40

// maxItems is how many items an array or a dictionary has at most.
const maxItems = 100_000

// scanner reads values and operators (7.2, 7.3).
type scanner struct {
	s []byte
	i int
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return false
}

func (s *scanner) skip() {
	for s.i < len(s.s) {
		switch c := s.s[s.i]; {
		case isSpace(c):
			s.i++
		case c == '%':
			for s.i < len(s.s) && s.s[s.i] != '\n' && s.s[s.i] != '\r' {
				s.i++
			}
		default:
			return
		}
	}
}

// word reads what is no value: an operator or a keyword.
type word string

// next returns the next value or word; ok is false at the end.
func (s *scanner) next(depth int) (v any, ok bool) {
	s.skip()
	if s.i >= len(s.s) {
		return nil, false
	}
	switch c := s.s[s.i]; c {
	case '(':
		return s.literal(), true
	case '/':
		return s.name(), true
	case '[':
		s.i++
		return s.array(depth), true
	case '<':
		if s.i+1 < len(s.s) && s.s[s.i+1] == '<' {
			s.i += 2
			return s.dict(depth), true
		}
		return s.hex(), true
	case ')', ']', '}', '{':
		s.i++
		return word(c), true
	case '>':
		if s.i++; s.i < len(s.s) && s.s[s.i] == '>' {
			s.i++
			return word(">>"), true
		}
		return word(">"), true
	}
	start := s.i
	for s.i < len(s.s) && !isSpace(s.s[s.i]) && !isDelimiter(s.s[s.i]) {
		s.i++
	}
	w := string(s.s[start:min(s.i, start+64)])
	switch w {
	case "true", "false":
		return w == "true", true
	case "null":
		return nil, true
	}
	if c := w[0]; c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' {
		if f, err := strconv.ParseFloat(w, 64); err == nil {
			return f, true
		}
	}
	return word(w), true
}

func (s *scanner) array(depth int) []any {
	out := []any{}
	for depth < maxNested && len(out) < maxItems {
		v, ok := s.next(depth + 1)
		if !ok || v == word("]") {
			break
		}
		out = withRef(out, v)
	}
	return out
}

// withRef appends a value; "12 0 R" becomes a reference.
func withRef(out []any, v any) []any {
	if v != word("R") || len(out) < 2 {
		if _, operator := v.(word); operator {
			return out
		}
		return append(out, v)
	}
	n, isNumber := out[len(out)-2].(float64)
	if !isNumber || n < 0 || n > 1e9 {
		return out
	}
	return append(out[:len(out)-2], ref(n))
}

func (s *scanner) dict(depth int) dict {
	d := dict{}
	var flat []any
	for depth < maxNested && len(flat) < maxItems {
		v, ok := s.next(depth + 1)
		if !ok || v == word(">>") || v == word("endobj") || v == word("stream") {
			if v == word("stream") {
				s.i -= len("stream")
			}
			break
		}
		flat = withRef(flat, v)
	}
	for i := 0; i+1 < len(flat); i += 2 {
		if k, is := flat[i].(name); is {
			d[string(k)] = flat[i+1]
		} else {
			i-- // a key is missing: go on with the next name
		}
	}
	return d
}

func (s *scanner) name() name {
	s.i++
	var b []byte
	for s.i < len(s.s) && !isSpace(s.s[s.i]) && !isDelimiter(s.s[s.i]) {
		c := s.s[s.i]
		if c == '#' && s.i+2 < len(s.s) {
			if v, err := strconv.ParseUint(string(s.s[s.i+1:s.i+3]), 16, 8); err == nil {
				c, s.i = byte(v), s.i+2
			}
		}
		if s.i++; len(b) < 256 {
			b = append(b, c)
		}
	}
	return name(b)
}

func (s *scanner) literal() text {
	s.i++
	var out []byte
	for depth := 1; s.i < len(s.s); s.i++ {
		switch c := s.s[s.i]; c {
		case '(':
			depth++
			out = append(out, c)
		case ')':
			if depth--; depth == 0 {
				s.i++
				return out
			}
			out = append(out, c)
		case '\\':
			if s.i++; s.i < len(s.s) {
				out = s.escape(out)
			}
		default:
			out = append(out, c)
		}
	}
	s.i = len(s.s) // a backslash at the end leads beyond
	return out
}

// escape reads what follows a backslash; i is left at its last byte.
func (s *scanner) escape(out []byte) []byte {
	c := s.s[s.i]
	if c >= '0' && c <= '7' {
		v, n := 0, 0
		for ; n < 3 && s.i+n < len(s.s) && s.s[s.i+n] >= '0' && s.s[s.i+n] <= '7'; n++ {
			v = v<<3 | int(s.s[s.i+n]-'0')
		}
		s.i += n - 1
		return append(out, byte(v))
	}
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b', 'f':
		return out
	case '\r':
		if s.i+1 < len(s.s) && s.s[s.i+1] == '\n' {
			s.i++
		}
		return out
	case '\n':
		return out
	}
	return append(out, c)
}

func (s *scanner) hex() text {
	s.i++
	end := bytes.IndexByte(s.s[s.i:], '>')
	if end < 0 {
		end = len(s.s) - s.i
	}
	var out []byte
	half, high := false, byte(0)
	for _, c := range s.s[s.i : s.i+end] {
		var d byte
		switch {
		case c >= '0' && c <= '9':
			d = c - '0'
		case c >= 'a' && c <= 'f':
			d = c - 'a' + 10
		case c >= 'A' && c <= 'F':
			d = c - 'A' + 10
		default:
			continue
		}
		if half = !half; half {
			high = d << 4
		} else {
			out = append(out, high|d)
		}
	}
	if half {
		out = append(out, high)
	}
	s.i = min(s.i+end+1, len(s.s))
	return out
}
