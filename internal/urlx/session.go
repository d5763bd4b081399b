package urlx

import (
	"regexp"
	"slices"
	"strings"
)

// The session ids of Heritrix 3: StripSessionIDs and StripSessionCFIDs, and for
// the path what webarchive-commons strips beside them (URLRegexTransformer).
// Whole parameters go, where Heritrix may leave a '?' or '&' behind.

const pathSession = ";jsessionid="

// aspNet are the session ids that ASP.NET puts into the path of pages without
// cookies: /(S(4hqa0555fwsecu455xqckv45))/page.aspx.
var aspNet = []*regexp.Regexp{
	regexp.MustCompile(`(?i)^(.*/)(?:\((?:[a-z]\([0-9a-z]{24}\))+\)/)([^?]+\.aspx.*)$`),
	regexp.MustCompile(`(?i)^(.*/)(?:\([0-9a-z]{24}\)/)([^?]+\.aspx.*)$`),
}

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

func stripASPNet(p string) string {
	if !strings.Contains(p, "/(") {
		return p
	}
	for _, re := range aspNet {
		if m := re.FindStringSubmatch(p); m != nil {
			p = m[1] + m[2]
		}
	}
	return p
}

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
		return len(id) == 8 && strings.IndexFunc(id, func(r rune) bool { return r < 'a' || 'z' < r }) < 0
	}
	return strings.HasSuffix(name, "sid") && len(value) == 32 &&
		strings.IndexFunc(value, func(r rune) bool { return (r < 'a' || 'z' < r) && (r < '0' || '9' < r) }) < 0
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
