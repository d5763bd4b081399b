package script

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
)

// bracketDefaults puts brackets around the defaults of patterns that are literals: ([a] = [1]) => a. The parser takes what is before such an
// arrow for something else, and says where the arrow is. It is nil when that is not what is wrong.
func bracketDefaults(code []byte, err error) []byte {
	var e *parse.Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Message, "unexpected => in expression") {
		return nil
	}
	at := placeOf(code, e)
	if at < 0 {
		return nil
	}
	end := len(bytes.TrimRight(code[:at], " \t\r\n"))
	if end == 0 || code[end-1] != ')' {
		return nil
	}
	begin := opening(code[:end])
	if begin < 0 {
		return nil
	}
	out := slices.Clone(code[:begin])
	changed := false
	var ends []int // of literals around which there are brackets
	for i := begin; i < end; i++ {
		c := code[i]
		if c == '\'' || c == '"' || c == '`' {
			n := pastString(code[i:end])
			out = append(out, code[i:i+n]...)
			i += n - 1
			continue
		}
		if (c == '{' || c == '[') && isDefault(out) {
			if n := closing(code[i:end]); n > 0 {
				out, ends, changed = append(out, '('), append(ends, i+n), true
			}
		}
		out = append(out, c)
		for len(ends) > 0 && ends[len(ends)-1] == i {
			out, ends = append(out, ')'), ends[:len(ends)-1]
		}
	}
	if !changed {
		return nil
	}
	out = append(out, code[end:]...)
	return append(make([]byte, 0, len(out)+1), out...)
}

// isDefault reports code behind which a default of a pattern begins.
func isDefault(before []byte) bool {
	before = bytes.TrimRight(before, " \t\r\n")
	if len(before) < 2 || before[len(before)-1] != '=' {
		return false
	}
	before = bytes.TrimRight(before[:len(before)-1], " \t\r\n")
	return len(before) > 0 && (before[len(before)-1] == '}' || before[len(before)-1] == ']')
}

// pastString is how long a string is that begins here.
func pastString(s []byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

// closing is where the bracket is closed that begins here, -1 for nowhere.
func closing(s []byte) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i
			}
		case '\'', '"', '`':
			i += pastString(s[i:]) - 1
		}
	}
	return -1
}

// opening is where the bracket begins that ends here, -1 for nowhere.
func opening(s []byte) int {
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return i
			}
		case '\'', '"', '`':
			for q := s[i]; i > 0; {
				if i--; s[i] == q && (i == 0 || s[i-1] != '\\') {
					break
				}
			}
		}
	}
	return -1
}
