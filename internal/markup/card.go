package markup

import (
	"bytes"
	"strings"
)

// card reads iCalendar (RFC 5545, RFC 7986) and vCard (RFC 6350): the properties that are references, and addresses written out in texts.
func (b *builder) card(src []byte) {
	b.text.pre = 1
	for len(src) > 0 {
		var line []byte
		if line, src = unfolded(src); !b.on(len(line)) {
			return
		}
		name, value, is := cardProperty(line)
		if !is {
			continue
		}
		b.property(name, value)
	}
}

// property takes what a property says, whose name has its parameters.
func (b *builder) property(name string, value []byte) {
	name, parameters, _ := strings.Cut(strings.ToUpper(name), ";")
	if _, own, grouped := strings.Cut(name, "."); grouped { // item1.URL
		name = own
	}
	context := "card/" + strings.ToLower(name)
	switch name {
	case "URL", "SOURCE", "CONFERENCE", "CALURI", "FBURL", "CALADRURI", "ATTACH":
		if !strings.Contains(parameters, "BINARY") {
			b.add(plainText(value), Nav, context)
		}
	case "PHOTO", "LOGO", "SOUND", "IMAGE":
		if ref := plainText(value); schemeLen(ref) > 0 || strings.Contains(parameters, "VALUE=UR") { // else it is the picture itself
			b.add(ref, Embed, context)
		}
	case "SUMMARY", "DESCRIPTION", "LOCATION", "COMMENT", "NOTE", "CONTACT", "X-WR-CALDESC", "X-WR-CALNAME", "FN", "TITLE", "ORG":
		text := plainText(value)
		b.text.sep('\n')
		b.text.write(text)
		b.guessIn(text, "text")
	case "X-ALT-DESC": // HTML, of Outlook
		b.inside(true, func() { b.fragment(plainText(value), maxDepth) })
	}
}

// unfolded returns the first line, with those that continue it (RFC 5545, 3.1), and what follows.
func unfolded(src []byte) (line, rest []byte) {
	n := lineLen(src)
	line, rest = bytes.TrimRight(src[:n], "\r\n"), src[n:]
	for first := true; len(rest) > 0 && (rest[0] == ' ' || rest[0] == '\t'); first = false {
		if first {
			line = bytes.Clone(line)
		}
		n := lineLen(rest)
		line, rest = append(line, bytes.TrimRight(rest[1:n], "\r\n")...), rest[n:]
	}
	return line, rest
}

// cardProperty divides a line at the colon, which in parameters may stand between quotes.
func cardProperty(line []byte) (name string, value []byte, is bool) {
	quoted := false
	for i, c := range line[:min(len(line), maxURL)] {
		switch {
		case c == '"':
			quoted = !quoted
		case c == ':' && !quoted:
			return string(line[:i]), line[i+1:], i > 0
		}
	}
	return "", nil, false
}

// plainText undoes the escapes of a text (RFC 5545, 3.3.11).
func plainText(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; s[i] == 'n' || s[i] == 'N' {
				out = append(out, '\n')
				continue
			}
		}
		out = append(out, s[i])
	}
	return out
}
