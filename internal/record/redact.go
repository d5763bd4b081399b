package record

import (
	"bytes"
	"strings"
)

// secret reports whether the values of a request field are never archived.
func secret(name string) bool {
	switch strings.ToLower(name) {
	case "authorization", "proxy-authorization", "cookie":
		return true
	}
	return false
}

// Redact overwrites, in place, the values of secret fields of a request with x
// of equal length, so that no length in the record changes. It reports whether
// there were any.
func Redact(request []byte) bool {
	found, hide := false, false
	for line := range bytes.Lines(request) {
		text := bytes.TrimRight(line, "\r\n")
		if len(text) == 0 {
			break // the body
		}
		value := text
		if text[0] != ' ' && text[0] != '\t' { // else the field goes on (obs-fold)
			name, v, ok := bytes.Cut(text, []byte(":"))
			hide = ok && secret(string(bytes.TrimSpace(name)))
			value = v
		}
		if !hide {
			continue
		}
		for i, c := range value {
			if c != ' ' && c != '\t' {
				value[i], found = 'x', true
			}
		}
	}
	return found
}
