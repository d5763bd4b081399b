package markup

import (
	"bytes"
	"unicode/utf8"
)

// jsUnescape decodes the escapes of string literals (ECMA-262, 12.9.4) and JSON.
// What has none is returned as it is.
func jsUnescape(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	return appendUnescaped(make([]byte, 0, len(s)), s) // no escape is shorter than what it stands for
}

// appendUnescaped is jsUnescape into what there is.
func appendUnescaped(out, s []byte) []byte {
	for i := 0; ; i++ {
		n := bytes.IndexByte(s[i:], '\\')
		if n < 0 {
			return append(out, s[i:]...)
		}
		out = append(out, s[i:i+n]...)
		if i += n + 1; i == len(s) {
			return append(out, '\\')
		}
		if c := jsEscaped[s[i]]; c != 0 {
			out = append(out, c)
			continue
		}
		switch s[i] {
		case 'u', 'x':
			n := 4
			if s[i] == 'u' && i+1 < len(s) && s[i+1] == '{' {
				if end := bytes.IndexByte(s[i:min(len(s), i+10)], '}'); end > 2 {
					if r, ok := hexRune(s[i+2:], end-2); ok {
						out = utf8.AppendRune(out, r)
						i += end
					}
				}
				continue
			}
			if s[i] == 'x' {
				n = 2
			}
			if r, ok := hexRune(s[i+1:], n); ok {
				out = utf8.AppendRune(out, r)
				i += n
			}
		case '0', '1', '2', '3', '4', '5', '6', '7': // octal, of old scripts
			c, end := s[i]-'0', i+1
			for end < len(s) && end < i+3 && '0' <= s[end] && s[end] <= '7' && c < 32 {
				c = c<<3 | (s[end] - '0')
				end++
			}
			out = utf8.AppendRune(out, max(rune(c), ' '))
			i = end - 1
		}
	}
}

// jsEscaped is what an escape of one character stands for; 0 for others. What separates words is a blank: it is in no URL.
var jsEscaped = func() (of [256]byte) {
	for i := range of {
		of[i] = byte(i)
	}
	for _, c := range []byte("nrtbfv") {
		of[c] = ' '
	}
	for _, c := range []byte("ux01234567\n") {
		of[c] = 0
	}
	return of
}()

func hexRune(s []byte, n int) (rune, bool) {
	if len(s) < n {
		return 0, false
	}
	var r rune
	for _, c := range s[:n] {
		d := hexDigit(c)
		if d < 0 {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}
