package fetch

import (
	"crypto/rand"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// formEncoding is the encoding that a form is sent in.
type formEncoding struct {
	encoding.Encoding
	name string // as the Encoding standard writes it
}

// encodingOf picks that of a form (HTML standard, 4.10.21.5): the first of accept-charset that is known, or else that of its page.
func encodingOf(accept, page string) formEncoding {
	for _, label := range append(strings.Fields(accept), page) {
		e, err := htmlindex.Get(label)
		if err != nil {
			continue
		}
		name, err := htmlindex.Name(e)
		if err != nil || name == "replacement" || strings.HasPrefix(name, "utf-16") {
			break // they are read, and UTF-8 is written
		}
		return formEncoding{e, properName(name)}
	}
	return formEncoding{unicode.UTF8, "UTF-8"}
}

// properName is the name of an encoding as its standard writes it, which htmlindex has in lower case.
func properName(name string) string {
	switch name {
	case "big5":
		return "Big5"
	case "shift_jis":
		return "Shift_JIS"
	}
	for _, upper := range []string{"utf-", "ibm", "iso-", "koi8-", "euc-", "gbk"} {
		if strings.HasPrefix(name, upper) {
			return strings.ToUpper(name)
		}
	}
	return name
}

// bytes writes a text, with the ends of lines that forms have; what the encoding lacks is a reference to the character.
func (e formEncoding) bytes(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = strings.ReplaceAll(text, "\n", "\r\n")
	if e.name == "UTF-8" {
		return text
	}
	out, err := encoding.HTMLEscapeUnsupported(e.NewEncoder()).String(text)
	if err != nil {
		return text
	}
	return out
}

// encode writes entries as enctype says, and its Content-Type (HTML standard, 4.10.22.6 to 4.10.22.8).
func (e formEncoding) encode(enctype string, all []entry) (typ string, body []byte) {
	switch enctype {
	case "text/plain":
		var b strings.Builder
		for _, n := range all {
			b.WriteString(e.bytes(n.name) + "=" + e.bytes(n.value) + "\r\n")
		}
		return enctype, []byte(b.String())
	case "multipart/form-data":
		boundary := rand.Text()
		quoted := strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A")
		var b strings.Builder
		for _, n := range all {
			b.WriteString("--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + quoted.Replace(e.bytes(n.name)) + `"`)
			if n.file {
				b.WriteString("; filename=\"\"\r\nContent-Type: application/octet-stream")
			}
			b.WriteString("\r\n\r\n" + e.bytes(n.value) + "\r\n")
		}
		return enctype + "; boundary=" + boundary, []byte(b.String() + "--" + boundary + "--\r\n")
	}
	return "application/x-www-form-urlencoded", []byte(e.urlencoded(all))
}

// urlencoded is the serializer of the URL standard, 5.2.
func (e formEncoding) urlencoded(all []entry) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	write := func(text string) {
		for _, c := range []byte(e.bytes(text)) {
			switch {
			case c == ' ':
				b.WriteByte('+')
			case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("*-._", c) >= 0:
				b.WriteByte(c)
			default:
				b.Write([]byte{'%', hex[c>>4], hex[c&15]})
			}
		}
	}
	for i, n := range all {
		if i > 0 {
			b.WriteByte('&')
		}
		write(n.name)
		b.WriteByte('=')
		write(n.value)
	}
	return b.String()
}
