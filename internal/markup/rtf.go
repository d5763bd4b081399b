package markup

import (
	"strconv"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// maxGroups is how deep groups of RTF may be nested and are still told apart.
const maxGroups = 1000

// rtf reads Rich Text Format 1.9: its text, fields, and title.
func (b *builder) rtf(body []byte) {
	type group struct{ skip, field, title bool }
	var stack []group
	var now group
	var code, title []byte
	charset := rtfCharset(1252)
	fallback := 1 // characters that stand for a \u
	pending := 0  // of which are still to come
	out := func(text []byte) {
		switch {
		case now.field:
			code = append(code, text[:min(len(text), max(maxURL-len(code), 0))]...)
		case now.title:
			title = append(title, text[:min(len(text), max(maxTitle-len(title), 0))]...)
		case !now.skip:
			b.text.write(text)
		}
	}
	plain := func(c byte) {
		if pending > 0 {
			pending--
			return
		}
		if c < 0x80 {
			out([]byte{c})
			return
		}
		if text, err := charset.NewDecoder().Bytes([]byte{c}); err == nil {
			out(text)
		}
	}
	for i := 0; i < len(body); {
		if !b.on(1) {
			return
		}
		switch c := body[i]; c {
		case '{':
			if len(stack) < maxGroups {
				stack = append(stack, now)
			}
			i++
		case '}':
			inside := now.field
			if n := len(stack); n > 0 {
				now, stack = stack[n-1], stack[:n-1]
			}
			if inside && !now.field { // groups in it are runs of its code
				b.field(string(code))
				code = code[:0]
			}
			i++
		case '\r', '\n':
			i++
		case '\\':
			word, arg, hasArg, n := rtfWord(body[i:])
			i += n
			switch word {
			case "'":
				plain(byte(arg))
			case "\\", "{", "}":
				plain(word[0])
			case "~":
				out([]byte(" "))
			case "u":
				if r := rune(uint16(arg)); utf8.ValidRune(r) {
					out(utf8.AppendRune(nil, r))
				}
				pending = fallback
			case "uc":
				fallback = min(max(arg, 0), 10)
			case "ansicpg":
				charset = rtfCharset(arg)
			case "par", "line", "row", "sect", "page":
				b.text.sep('\n')
			case "tab", "cell":
				b.text.sep('\t')
			case "*", "fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "themedata", "datastore", "latentstyles":
				now.skip = true
			case "fldinst":
				now.field = true
			case "fldrslt":
				now.skip = false
			case "title":
				now.title = true
			case "bin": // raw bytes follow
				if hasArg && arg > 0 {
					i += min(arg, len(body)-i)
				}
			}
		default:
			plain(c)
			i++
		}
	}
	if b.doc.Title == "" {
		b.doc.Title = collapse(title, maxTitle)
	}
	b.addresses()
}

// rtfWord reads a control word or symbol: its name, its number, and its length with the blank behind it.
func rtfWord(s []byte) (word string, arg int, hasArg bool, n int) {
	if len(s) < 2 {
		return "", 0, false, len(s)
	}
	if c := s[1]; c < 'a' || c > 'z' {
		if c == '\'' && len(s) >= 4 {
			v, err := strconv.ParseUint(string(s[2:4]), 16, 8)
			if err != nil {
				return "", 0, false, 2
			}
			return "'", int(v), true, 4
		}
		return string(s[1:2]), 0, false, 2
	}
	n = 1
	for n < len(s) && s[n] >= 'a' && s[n] <= 'z' && n < 33 {
		n++
	}
	word = string(s[1:n])
	start := n
	if n < len(s) && s[n] == '-' {
		n++
	}
	for n < len(s) && s[n] >= '0' && s[n] <= '9' && n-start < 11 {
		n++
	}
	if v, err := strconv.Atoi(string(s[start:n])); err == nil {
		arg, hasArg = v, true
	}
	if n < len(s) && s[n] == ' ' {
		n++
	}
	return word, arg, hasArg, n
}

func rtfCharset(page int) encoding.Encoding {
	switch page {
	case 1250:
		return charmap.Windows1250
	case 1251:
		return charmap.Windows1251
	case 1253:
		return charmap.Windows1253
	case 1254:
		return charmap.Windows1254
	case 1257:
		return charmap.Windows1257
	case 852:
		return charmap.CodePage852
	}
	return charmap.Windows1252
}
