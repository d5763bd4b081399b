package urlx

import (
	"bytes"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// escapeSet marks the bytes that a component must percent-encode: controls,
// space, everything outside ASCII, and the characters named.
func escapeSet(chars string) *[256]bool {
	var t [256]bool
	for i := range t {
		t[i] = i <= ' ' || i >= 0x7f || strings.IndexByte(chars, byte(i)) >= 0
	}
	return &t
}

// The percent-encode sets of the URL standard §1.3 for special schemes.
var (
	pathSet     = escapeSet("\"#<>?^`{}")
	querySet    = escapeSet("\"#<>'")
	fragmentSet = escapeSet("\"<>`")
)

const hexDigits = "0123456789ABCDEF"

func escape(b []byte, s string, set *[256]bool) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; set[c] {
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		} else {
			b = append(b, c)
		}
	}
	return b
}

// parseFast parses http and https addresses with an ordinary host. It reports
// false when the general parser must decide.
func parseFast(s string) (string, bool) {
	var scheme, def string
	switch {
	case strings.HasPrefix(s, "http://"):
		scheme, def = "http://", "80"
	case strings.HasPrefix(s, "https://"):
		scheme, def = "https://", "443"
	default:
		return "", false
	}
	rest := s[len(scheme):]
	end := strings.IndexAny(rest, "/?#\\")
	if end < 0 {
		end = len(rest)
	}
	host, port, hasPort := strings.Cut(rest[:end], ":")
	var short [256]byte // stays on the stack: most addresses fit
	b, ok := appendHost(append(short[:0], scheme...), host)
	if !ok {
		return "", false
	}
	if hasPort {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || port[0] == '0' {
			return "", false
		}
		if port != def {
			b = strconv.AppendUint(append(b, ':'), n, 10)
		}
	}
	rest = rest[end:]
	return appendRest(b, len(b), strings.TrimPrefix(rest, "/"))
}

// resolveFast resolves a reference that is not empty against u.
func (u *URL) resolveFast(s string) (string, bool) {
	if Scheme(s) != "" {
		return parseFast(s)
	}
	if strings.HasPrefix(s, "//") {
		return parseFast(u.Scheme() + ":" + s)
	}
	from := u.path // how much of the base is kept
	switch s[0] {
	case '/':
		s = s[1:]
	case '?':
		from = u.query
	case '#':
		from = u.fragment
	default:
		from += uint16(strings.LastIndexByte(u.Path(), '/'))
	}
	var short [256]byte
	b := append(short[:0], u.href[:from]...)
	if s != "" && (s[0] == '?' || s[0] == '#') && from > u.path {
		return appendTail(b, s)
	}
	return appendRest(b, int(u.path), s)
}

// appendHost appends a domain of letters, digits, '-' and '_', or a dotted quad,
// in lower case. Punycode is left to the general parser, which checks it.
func appendHost(b []byte, host string) ([]byte, bool) {
	start, label := len(b), len(b)
	for i := 0; i < len(host); i++ {
		c := host[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == '.' && len(b) > label:
			label = len(b) + 1
		default:
			return nil, false
		}
		b = append(b, c)
		if len(b)-label == 4 && string(b[label:]) == "xn--" {
			return nil, false
		}
	}
	if label == len(b) {
		return nil, false
	}
	if c := b[label]; c < 'a' || c > 'z' {
		a, err := netip.ParseAddr(string(b[start:]))
		return b, err == nil && a.Is4()
	}
	return b, true
}

// appendRest appends path, query and fragment to a base whose path begins at
// root. The path of s begins after its '/'.
func appendRest(b []byte, root int, s string) (string, bool) {
	end := strings.IndexAny(s, "?#\\")
	if end < 0 {
		end = len(s)
	} else if s[end] == '\\' {
		return "", false
	}
	path := s[:end]
	for {
		seg, rest, more := strings.Cut(path, "/")
		switch dots(seg) {
		case 2:
			if slash := bytes.LastIndexByte(b[root:], '/'); slash >= 0 {
				b = b[:root+slash]
			}
			fallthrough
		case 1:
			if !more {
				b = append(b, '/')
			}
		default:
			b = escape(append(b, '/'), seg, pathSet)
		}
		if !more {
			break
		}
		path = rest
	}
	if !utf8.ValidString(s) {
		return "", false
	}
	return appendTail(b, s[end:])
}

// appendTail appends query and fragment, each with its mark.
func appendTail(b []byte, s string) (string, bool) {
	if !utf8.ValidString(s) {
		return "", false
	}
	query, fragment, hasFragment := strings.Cut(s, "#")
	if query != "" {
		b = escape(append(b, '?'), query[1:], querySet)
	}
	if hasFragment {
		b = escape(append(b, '#'), fragment, fragmentSet)
	}
	return string(b), true
}

// dots returns 1 for a segment that means this folder, 2 for its parent, else 0.
func dots(seg string) int {
	n := 0
	for seg != "" && n < 3 {
		switch {
		case seg[0] == '.':
			seg = seg[1:]
		case len(seg) >= 3 && seg[0] == '%' && seg[1] == '2' && seg[2]|0x20 == 'e':
			seg = seg[3:]
		default:
			return 0
		}
		n++
	}
	return n % 3
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// encodeQuery replaces each run outside ASCII by its bytes in enc, as "percent-
// encode after encoding" of the URL standard does.
func encodeQuery(s string, enc encoding.Encoding) string {
	b := make([]byte, 0, 2*len(s))
	for i := 0; i < len(s); {
		end := i
		for end < len(s) && s[end] >= utf8.RuneSelf {
			end++
		}
		if end == i {
			b = append(b, s[i])
			i++
			continue
		}
		if out, err := enc.NewEncoder().String(s[i:end]); err == nil {
			b = escape(b, out, querySet)
		} else {
			for _, r := range s[i:end] {
				b = appendEncoded(b, r, enc)
			}
		}
		i = end
	}
	return string(b)
}

func appendEncoded(b []byte, r rune, enc encoding.Encoding) []byte {
	if out, err := enc.NewEncoder().String(string(r)); err == nil {
		return escape(b, out, querySet)
	}
	b = append(b, "%26%23"...)
	b = strconv.AppendInt(b, int64(r), 10)
	return append(b, "%3B"...)
}
