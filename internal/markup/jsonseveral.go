package markup

import (
	"bytes"
	"encoding/json"
)

// isJSON reports whether src is an object or an array of JSON as a whole, or several, one after the other: JSON lines, JSON sequences (RFC 7464).
func isJSON(src []byte) bool {
	src = bytes.TrimLeft(src, " \t\r\n\x1e")
	if len(src) == 0 || src[0] != '{' && src[0] != '[' {
		return false
	}
	return json.Valid(src) || severalJSON(bytes.ReplaceAll(src, []byte{0x1e}, []byte{' '}))
}

// severalJSON reports objects and arrays of JSON with nothing but white space between them.
func severalJSON(src []byte) bool {
	in := json.NewDecoder(bytes.NewReader(src))
	for {
		var v json.RawMessage
		if in.Decode(&v) != nil {
			return len(bytes.TrimSpace(src[min(int(in.InputOffset()), len(src)):])) == 0
		}
		if v[0] != '{' && v[0] != '[' {
			return false
		}
	}
}

// padded returns the JSON that a script is nothing but a call with, as services for other sites send it (JSONP), nil for other scripts:
// /**/ typeof cb === 'function' && cb({…}); and cb({…}).
func padded(src []byte) []byte {
	src = bytes.TrimSpace(src)
	if rest, is := bytes.CutPrefix(src, []byte("/*")); is {
		_, after, closed := bytes.Cut(rest, []byte("*/"))
		if !closed {
			return nil
		}
		src = bytes.TrimSpace(after)
	}
	if rest, is := bytes.CutPrefix(src, []byte("typeof ")); is {
		_, after, both := bytes.Cut(rest[:min(len(rest), maxName)], []byte("&&"))
		if !both {
			return nil
		}
		src = bytes.TrimSpace(rest[len(rest[:min(len(rest), maxName)])-len(after):])
	}
	name, call, is := bytes.Cut(src, []byte("("))
	if !is || len(name) == 0 || len(name) > maxName || !callable(bytes.TrimSpace(name)) {
		return nil
	}
	value, is := bytes.CutSuffix(bytes.TrimRight(call, "; \t\r\n"), []byte(")"))
	if value = bytes.TrimSpace(value); !is || len(value) == 0 || value[0] != '{' && value[0] != '[' || !json.Valid(value) {
		return nil
	}
	return value
}

// callable reports the name of a function: cb, jQuery18_1, window.x["y"].
func callable(name []byte) bool {
	for i, c := range name {
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z', c == '_', c == '$':
		case i > 0 && ('0' <= c && c <= '9' || bytes.IndexByte([]byte(`.[]"'`), c) >= 0):
		default:
			return false
		}
	}
	return string(name) != "import" && string(name) != "require" && string(name) != "define" // which take modules
}
