package script

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unescape decodes the escapes of a string or a template (ECMA-262, 12.9.4).
func unescape(s []byte) string {
	if strings.IndexByte(string(s), '\\') < 0 {
		return string(s)
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '\\' || i+1 == len(s) {
			out = append(out, c)
			continue
		}
		i++
		switch c = s[i]; c {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b', 'f', 'v':
			out = append(out, ' ')
		case '\n':
		case '\r':
			if i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
		case 'x', 'u':
			digits, n := 2, 2
			if c == 'u' {
				digits, n = 4, 4
			}
			from := i + 1
			if c == 'u' && from < len(s) && s[from] == '{' {
				end := strings.IndexByte(string(s[from:min(len(s), from+10)]), '}')
				if end < 0 {
					continue
				}
				from, digits, n = from+1, end-1, end+1
			}
			if from+digits > len(s) {
				continue
			}
			if r, err := strconv.ParseUint(string(s[from:from+digits]), 16, 21); err == nil {
				out = utf8.AppendRune(out, rune(r))
				i += n
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, end := 0, i
			for end < len(s) && end < i+3 && '0' <= s[end] && s[end] <= '7' && n < 32 {
				n = n<<3 | int(s[end]-'0')
				end++
			}
			out = utf8.AppendRune(out, rune(n))
			i = end - 1
		default:
			out = append(out, c)
		}
	}
	return string(out)
}
