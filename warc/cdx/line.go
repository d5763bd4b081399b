package cdx

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Format is a form of lines.
type Format string

// The formats of an index.
const (
	CDXJ  Format = "cdxj"  // key, timestamp, a JSON object
	CDX11 Format = "cdx11" // N b a m s k r M S V g
	CDX9  Format = "cdx9"  // N b a m s k r V g
)

// ParseFormat reads the name of a format.
func ParseFormat(name string) (Format, error) {
	switch f := Format(name); f {
	case CDXJ, CDX11, CDX9:
		return f, nil
	}
	return "", fmt.Errorf("cdx: format %q is none of %s, %s, %s", name, CDXJ, CDX11, CDX9)
}

// Header is the first line of a file of this format, "" when there is none.
func (f Format) Header() string {
	switch f {
	case CDX11:
		return " CDX N b a m s k r M S V g\n"
	case CDX9:
		return " CDX N b a m s k r V g\n"
	case CDXJ:
	}
	return ""
}

// Append appends the line of a capture, with its line end.
func (f Format) Append(b []byte, c *Capture) []byte {
	b = append(append(append(b, c.Key...), ' '), c.Timestamp...)
	if f == CDXJ {
		return append(appendJSON(append(b, ' '), c), '\n')
	}
	_, digest, labelled := strings.Cut(c.Digest, ":")
	if !labelled {
		digest = c.Digest
	}
	fields := []string{c.URL, c.MIME, c.Status, digest, "", "", strconv.FormatInt(c.Length, 10), strconv.FormatInt(c.Offset, 10), c.File}
	if f == CDX9 {
		fields = append(fields[:5], fields[7:]...)
	}
	for _, s := range fields {
		if s == "" {
			s = "-"
		}
		b = append(append(b, ' '), strings.ReplaceAll(s, " ", "%20")...)
	}
	return append(b, '\n')
}

func appendJSON(b []byte, c *Capture) []byte {
	b = append(b, '{')
	for _, f := range [...]struct{ name, value string }{
		{"url", c.URL}, {"mime", c.MIME}, {"status", c.Status}, {"digest", c.Digest}, {"length", strconv.FormatInt(c.Length, 10)},
		{"offset", strconv.FormatInt(c.Offset, 10)}, {"filename", c.File},
	} {
		if f.value != "" {
			b = appendField(b, f.name, f.value)
		}
	}
	if c.Method != "" {
		b = appendField(appendField(b, "requestBody", c.Body), "method", c.Method)
	}
	return append(b, '}')
}

func appendField(b []byte, name, value string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ", "...)
	}
	return appendString(append(appendString(b, name), ": "...), value)
}

// appendString appends a JSON string in ASCII, as Python's json.dumps writes it. What is no UTF-8 is taken as latin 1.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	latin1 := !utf8.ValidString(s)
	for i := 0; i < len(s); {
		c, n := rune(s[i]), 1
		if !latin1 {
			c, n = utf8.DecodeRuneInString(s[i:])
		}
		i += n
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\b':
			b = append(b, `\b`...)
		case c == '\f':
			b = append(b, `\f`...)
		case c >= ' ' && c <= 0x7f:
			b = append(b, byte(c))
		case c > 0xffff:
			hi, lo := utf16.EncodeRune(c)
			b = fmt.Appendf(b, `\u%04x\u%04x`, hi, lo)
		default:
			b = fmt.Appendf(b, `\u%04x`, c)
		}
	}
	return append(b, '"')
}
