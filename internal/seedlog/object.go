package seedlog

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// fields are the values of a JSON object that some log names an address with.
type fields struct {
	url, original            []byte // url; original_uri of ipwb
	via, hops, hopPath       []byte
	rule, reason             []byte
	time, ts                 []byte
	source, seed, seedURL    []byte
	format                   []byte // of the head of a Browsertrix file
	hasReason, hasSeed, rest bool   // keys seen: reason; seedUrl; via, hops, rule, time or source
}

// json parses a line of an out-of-scope log of this program or of Browsertrix.
func (p *parser) json(b []byte, e *Entry) (verdict, error) {
	if b[0] != '{' || p.parseObject(b) != nil {
		return blank, errJSON
	}
	o := &p.object
	if len(o.url) == 0 {
		if len(o.format) > 0 {
			return blank, nil // {"format":"json-pages-1.0",…} heads a Browsertrix file
		}
		return blank, errNoURL
	}
	e.Via, e.Hops = o.via, o.hops
	e.Rule, e.Time, e.Source = either(o.rule, o.reason), either(o.time, o.ts), either(o.source, o.seedURL)
	return p.take(bytes.TrimSpace(o.url), e)
}

func either(a, b []byte) []byte {
	if len(a) > 0 {
		return a
	}
	return b
}

// parseObject reads the string members of a JSON object into p.object. It is a
// scanner, not a validator: numbers and nested values are passed over.
// encoding/json takes four times as long.
func (p *parser) parseObject(b []byte) error {
	p.object = fields{}
	i := space(b, 1)
	if i < len(b) && b[i] == '}' {
		return end(b, i+1)
	}
	for {
		key, next, ok := p.str(b, i)
		if i = space(b, next); !ok || i >= len(b) || b[i] != ':' {
			return errJSON
		}
		if i = space(b, i+1); i >= len(b) {
			return errJSON
		}
		if b[i] == '"' {
			var value []byte
			if value, i, ok = p.str(b, i); ok {
				p.object.set(key, value)
			}
		} else {
			i, ok = pass(b, i)
		}
		if i = space(b, i); !ok || i >= len(b) {
			return errJSON
		}
		switch b[i] {
		case ',':
			i = space(b, i+1)
		case '}':
			return end(b, i+1)
		default:
			return errJSON
		}
	}
}

func (f *fields) set(key, value []byte) {
	switch string(key) {
	case "url":
		f.url = value
	case "original_uri":
		f.original = value
	case "via":
		f.via, f.rest = value, true
	case "hops":
		f.hops, f.rest = value, true
	case "hopPath":
		f.hopPath = value
	case "rule":
		f.rule, f.rest = value, true
	case "reason":
		f.reason, f.hasReason = value, true
	case "time":
		f.time, f.rest = value, true
	case "ts":
		f.ts = value
	case "source":
		f.source, f.rest = value, true
	case "seed":
		f.seed = value
	case "seedUrl":
		f.seedURL, f.hasSeed = value, true
	case "format":
		f.format = value
	}
}

func end(b []byte, i int) error {
	if space(b, i) != len(b) {
		return errJSON
	}
	return nil
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	return i
}

// str reads the string that begins at b[i] and returns what stands behind it.
func (p *parser) str(b []byte, i int) (value []byte, next int, ok bool) {
	if i >= len(b) || b[i] != '"' {
		return nil, i, false
	}
	i++
	plain := bytes.IndexByte(b[i:], '"')
	if plain < 0 {
		return nil, i, false
	}
	if value = b[i : i+plain]; bytes.IndexByte(value, '\\') < 0 {
		return value, i + plain + 1, true
	}
	at := len(p.scratch)
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return p.scratch[at:], i + 1, true
		case c != '\\':
			p.scratch = append(p.scratch, c)
			i++
		case i+1 >= len(b):
			return nil, i, false
		case b[i+1] == 'u':
			r, n := escaped(b[i:])
			if n == 0 {
				return nil, i, false
			}
			p.scratch = utf8.AppendRune(p.scratch, r)
			i += n
		default:
			c, known := unescape(b[i+1])
			if !known {
				return nil, i, false
			}
			p.scratch = append(p.scratch, c)
			i += 2
		}
	}
	return nil, i, false
}

func unescape(c byte) (byte, bool) {
	switch c {
	case '"', '\\', '/':
		return c, true
	case 'b':
		return '\b', true
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	}
	return 0, false
}

// escaped reads \uXXXX, or the two of a surrogate pair, and how long it is.
func escaped(b []byte) (r rune, n int) {
	r, ok := hex4(b)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) {
		if low, ok := hex4(b[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return utf8.RuneError, 6
	}
	return r, 6
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(n), err == nil
}

// pass returns the index behind a value that is not a string.
func pass(b []byte, i int) (int, bool) {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i, true
			}
			depth--
		case ',':
			if depth == 0 {
				return i, true
			}
		}
		i++
	}
	return i, false
}
