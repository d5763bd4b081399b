package script

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// maxLegacy is how many places of a script are written in another way for the parser, each of which reads it again.
const maxLegacy = 16

// parseCode makes a tree of a script.
func parseCode(src []byte, o js.Options) (*Script, error) {
	// a copy: the parser puts a byte behind it
	code := make([]byte, len(src), len(src)+1)
	copy(code, src)
	for n := 0; ; n++ {
		ast, err := js.Parse(parse.NewInputBytes(code), o)
		if err == nil {
			return &Script{src: code, ast: ast}, nil
		}
		if n == maxLegacy {
			return nil, err
		}
		if fixed := bracketDefaults(code, err); fixed != nil {
			code = fixed
		} else if n == 0 && withoutAttributes(code) {
			continue
		} else if !modernNumber(code, err) {
			return nil, err
		}
	}
}

// importAttributes are those of an import, which the parser does not know: import a from "./a.json" with {type: "json"}.
var importAttributes = regexp.MustCompile(`(?:\bfrom|\bimport)\s*(?:"[^"\n]*"|'[^'\n]*')\s*((?:with|assert)\s*\{[^{}]*\})`)

// withoutAttributes leaves blanks for them; false: there are none.
func withoutAttributes(code []byte) bool {
	all := importAttributes.FindAllSubmatchIndex(code, -1)
	for _, m := range all {
		for i := m[2]; i < m[3]; i++ {
			code[i] = ' '
		}
	}
	return len(all) > 0
}

// placeOf is where in a script the parser says that an error is, -1 when it does not.
func placeOf(code []byte, e *parse.Error) int {
	at := 0
	for line := 1; line < e.Line; line++ {
		i := bytes.IndexAny(code[at:], "\r\n\u2028\u2029")
		if i < 0 {
			return -1
		}
		_, size := utf8.DecodeRune(code[at+i:])
		if at += i + size; code[at-1] == '\r' && at < len(code) && code[at] == '\n' {
			at++
		}
	}
	for col := 1; col < e.Column && at < len(code); col++ {
		_, size := utf8.DecodeRune(code[at:])
		at += size
	}
	return at
}

// modernNumber writes a number that begins with a zero as today: new Date(2005, 08, 010). The parser says where it is, and reads none.
func modernNumber(code []byte, err error) bool {
	var e *parse.Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Message, "legacy octal") {
		return false
	}
	at := placeOf(code, e)
	if at < 0 {
		return false
	}
	end := at
	for end < len(code) && '0' <= code[end] && code[end] <= '9' {
		end++
	}
	if end-at < 2 || code[at] != '0' {
		return false
	}
	if n, err := strconv.ParseUint(string(code[at:end]), 8, 64); err == nil {
		copy(code[at:end], fmt.Sprintf("%*d", end-at, n))
		return true
	}
	for ; at < end-1 && code[at] == '0'; at++ {
		code[at] = ' '
	}
	return true
}
