package urlx

import (
	"slices"
	"strings"
)

// The session ids of Heritrix 3: StripSessionIDs and StripSessionCFIDs, and for
// the path what webarchive-commons strips beside them (URLRegexTransformer).
// Whole parameters go, where Heritrix may leave a '?' or '&' behind.

const pathSession = ";jsessionid="

// stripPathSession takes the session ids out of a path.
func stripPathSession(p string) string {
	for {
		i := strings.Index(strings.ToLower(p), pathSession)
		if i < 0 {
			return stripASPNet(p)
		}
		end := strings.IndexAny(p[i+1:], ";/")
		if end < 0 {
			p = p[:i]
		} else {
			p = p[:i] + p[i+1+end:]
		}
	}
}

// stripASPNet takes away the ids that ASP.NET puts into the path of pages without
// cookies, of one kind, then of the other: /(S(4hqa0555fwsecu455xqckv45))/page.aspx.
func stripASPNet(p string) string {
	if !strings.Contains(p, "/(") {
		return p
	}
	return dropSegment(dropSegment(p, lettered), func(s string) bool { return len(s) == 24 && run(s, alphanumeric) == 24 })
}

// dropSegment drops the last segment in parentheses whose content is an id and that
// stands before a page of ASP.NET.
func dropSegment(p string, id func(string) bool) string {
	for i := strings.LastIndex(p, "/("); i >= 0; i = strings.LastIndex(p[:i], "/(") {
		content, rest, ok := strings.Cut(p[i+2:], ")/")
		if ok && id(content) && len(rest) > 1 && strings.Contains(strings.ToLower(rest[1:]), ".aspx") {
			return p[:i+1] + rest
		}
	}
	return p
}

// lettered reports whether s is one or more of a letter and 24 letters and digits in
// parentheses.
func lettered(s string) bool {
	for ; len(s) >= 27; s = s[27:] {
		if run(s[:1], letter) != 1 || s[1] != '(' || run(s[2:], alphanumeric) != 24 || s[26] != ')' {
			return false
		}
		if len(s) == 27 {
			return true
		}
	}
	return false
}

// run is how many bytes at the beginning of s are of a class.
func run(s string, class func(byte) bool) int {
	for i := range len(s) {
		if !class(s[i]) {
			return i
		}
	}
	return len(s)
}

func letter(c byte) bool       { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func alphanumeric(c byte) bool { return letter(c) || '0' <= c && c <= '9' }

// isSession reports whether a parameter, its name and value in lower case, is a
// session id. The names of Java, PHP and ASP say enough; what ends in "sid" is
// one when the value looks like it, as Heritrix has it; the names of ColdFusion
// mean something only together.
func isSession(name, value string, coldFusion bool) bool {
	switch name {
	case "jsessionid", "phpsessid":
		return true
	case "cfid", "cftoken":
		return coldFusion
	}
	if id, ok := strings.CutPrefix(name, "aspsessionid"); ok {
		return len(id) == 8 && run(id, letter) == 8
	}
	return strings.HasSuffix(name, "sid") && len(value) == 32 && run(value, alphanumeric) == 32
}

// isColdFusion reports whether both parameters of ColdFusion are there.
func isColdFusion(params []string) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(params, func(p string) bool {
			return len(p) >= len(name) && strings.EqualFold(p[:len(name)], name)
		})
	}
	return has("cfid=") && has("cftoken=")
}
