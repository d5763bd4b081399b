package markup

import (
	"bytes"
	"compress/zlib"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"exclave/internal/pdf"
)

const (
	maxPDFInflated = 32 << 20 // bytes of object streams read per file
	maxPDFStreams  = 10_000
)

// maxPDFObjects is how many objects of a file are looked at.
const maxPDFObjects = 300_000

// pdf reads text, title and language of a PDF file, and what its link annotations lead to (ISO 32000-2, 12.6.4).
func (b *builder) pdf(body []byte) {
	f, ok := pdf.Open(body, pdf.Limits{Inflated: maxAllPart, Objects: maxPDFObjects, Text: b.o.MaxText, Stop: func() bool { return !b.on(stopEvery) }})
	if !ok {
		return // its strings are noise
	}
	if base, ok := cleanURL([]byte(f.Base())); ok && len(base) <= maxURL && schemeLen(base) > 0 {
		b.base = base
	}
	f.Targets(func(t pdf.Target) {
		if !t.File {
			b.addPDF([]byte(t.Ref))
			return
		}
		base := b.base
		b.base = ""
		b.add([]byte(t.Ref), Nav, "pdf/gotor")
		b.base = base
	})
	if !bytes.Contains(body, []byte("/Encrypt")) {
		b.pdfRemains(body, f.Unpacked() == 0)
	}
	b.base = ""
	b.doc.Title = collapse([]byte(f.Title()), maxTitle)
	b.language(f.Language())
	b.text.pre = 1
	f.Text(func(page string) {
		b.text.write([]byte(page))
		b.text.sep('\n')
	})
	b.addresses()
}

// pdfRemains finds URI actions in what is left of a file of which no object can be told from another: in the
// file itself and, with streams, in compressed object streams.
func (b *builder) pdfRemains(body []byte, streams bool) {
	b.pdfURIs(body)
	if !streams {
		return
	}
	left := int64(maxPDFInflated)
	for n := 0; n < maxPDFStreams && left > 0 && b.on(stopEvery); n++ {
		i := bytes.Index(body, []byte("/ObjStm"))
		if i < 0 {
			return
		}
		body = body[i:]
		start := bytes.Index(body, []byte("stream"))
		if start < 0 {
			return
		}
		data := bytes.TrimLeft(body[start+len("stream"):], "\r\n")
		in := bytes.NewReader(data)
		if zr, err := zlib.NewReader(in); err == nil {
			// A stream cut short is read as far as it goes.
			plain, _ := io.ReadAll(io.LimitReader(zr, left))
			left -= int64(len(plain))
			b.pdfURIs(plain)
		}
		// What was read is no place for another stream: else each byte could be
		// inflated as often as there are streams.
		body = data[len(data)-in.Len():]
	}
}

func (b *builder) pdfURIs(s []byte) {
	for {
		i := bytes.Index(s, []byte("/URI"))
		if i < 0 {
			return
		}
		s = bytes.TrimLeft(s[i+len("/URI"):], " \t\r\n\f\x00")
		var url []byte
		n := 0
		switch {
		case bytes.HasPrefix(s, []byte("(")):
			url, n = pdfLiteral(s[1:])
		case bytes.HasPrefix(s, []byte("<")):
			url, n = pdfHex(s[1:])
		}
		b.addPDF(url)
		s = s[n:]
	}
}

func (b *builder) addPDF(raw []byte) {
	if scrambled(raw) {
		return
	}
	url := string(raw)
	if bytes.HasPrefix(raw, []byte("\xFE\xFF")) {
		u := make([]uint16, 0, len(raw)/2)
		for i := 2; i+1 < len(raw); i += 2 {
			u = append(u, uint16(raw[i])<<8|uint16(raw[i+1]))
		}
		url = string(utf16.Decode(u))
	}
	// Authors write bare host names into the field for web addresses.
	if strings.HasPrefix(url, "www.") {
		url = "http://" + url
	}
	b.add([]byte(url), Nav, "pdf/uri")
}

// scrambled reports what is no text: an address in a file that is encrypted, and whose end, which has the key, is missing.
func scrambled(s []byte) bool {
	if bytes.HasPrefix(s, []byte("\xFE\xFF")) {
		return false
	}
	high := 0
	for _, c := range s {
		switch {
		case c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f':
			return true
		case c >= utf8.RuneSelf:
			high++
		}
	}
	return high > len(s)/4 && !utf8.Valid(s)
}

// pdfLiteral decodes a string in brackets (7.3.4.2), up to its closing one, and
// tells how many bytes it read; nil when there is no end within a URL's length.
func pdfLiteral(s []byte) (out []byte, read int) {
	depth := 1
	i := 0
	for ; i < len(s) && len(out) <= maxURL; i++ {
		switch c := s[i]; c {
		case '(':
			depth++
			out = append(out, c)
		case ')':
			if depth--; depth == 0 {
				return out, i
			}
			out = append(out, c)
		case '\\':
			i++
			if i == len(s) {
				return nil, i
			}
			switch c := s[i]; {
			case '0' <= c && c <= '7':
				v, n := 0, 0
				for ; n < 3 && i+n < len(s) && '0' <= s[i+n] && s[i+n] <= '7'; n++ {
					v = v<<3 | int(s[i+n]-'0')
				}
				i += n - 1
				out = append(out, byte(v))
			case c == '\r' || c == '\n':
				i += newlineLen(s[i:]) - 1
			case bytes.IndexByte([]byte("nrtbf"), c) >= 0:
				out = append(out, '\n') // removed from URLs
			default:
				out = append(out, c)
			}
		default:
			out = append(out, c)
		}
	}
	return nil, min(i, len(s))
}

// pdfHex does the same for a string of hexadecimal digits (7.3.4.3).
func pdfHex(s []byte) (out []byte, read int) {
	half := -1
	for i := 0; i < len(s) && len(out) <= maxURL; i++ {
		d := hexDigit(s[i])
		switch {
		case s[i] == '>':
			return out, i
		case d < 0 && s[i] > ' ':
			return nil, i
		case d < 0:
		case half < 0:
			half = d
		default:
			out = append(out, byte(half<<4|d))
			half = -1
		}
	}
	return nil, 0
}
