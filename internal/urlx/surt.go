package urlx

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// SURT returns the sort-friendly form of Heritrix in which a prefix means a
// part of the web: "http://(cz,example,www,:8080)/path?query". For comparison
// https is written as http, as Heritrix does; credentials, fragment and the
// dot at the end of a host are left out; IP addresses are not reversed.
func SURT(u *URL) string {
	return string(AppendSURT(make([]byte, 0, len(u.href)+4), u))
}

// AppendSURT appends the SURT of u to b.
func AppendSURT(b []byte, u *URL) []byte {
	b = append(b, surtScheme(u.Scheme())...)
	b = append(b, "://("...)
	b = appendReversed(b, u)
	if p := u.Port(); p != "" {
		b = append(append(b, ':'), p...)
	}
	return append(append(b, ')'), u.PathQuery()...)
}

func surtScheme(scheme string) string {
	if scheme == "https" {
		return "http"
	}
	return scheme
}

func appendReversed(b []byte, u *URL) []byte {
	if u.IsIP() {
		return append(b, u.href[u.authority:u.hostEnd]...)
	}
	for host := strings.TrimSuffix(u.host, "."); ; {
		dot := strings.LastIndexByte(host, '.')
		b = append(append(b, host[dot+1:]...), ',')
		if dot < 0 {
			return b
		}
		host = host[:dot]
	}
}

// SURTPrefix is [ExactSURTPrefix] but for addresses with a path, which are cut by Heritrix's rule, up to the last '/' of the
// path, and for what no address begins with, which is none of its errors.
func SURTPrefix(s string) (string, error) { return prefixOf(s, false) }

// ExactSURTPrefix turns what a person wrote into the prefix that the SURT form of
// every address meant begins with. It accepts
//
//   - a SURT prefix, complete or not: "+http://(cz,", "http://(cz,example,)/a";
//     labels outside ASCII become ACE, https becomes http;
//   - an address: what begins as it does; without any path the host and all
//     hosts below it;
//   - a bare host or host/path: the same, for http and https.
//
// One '+' before it is ignored. What no address begins with is an error: a blank,
// a fragment, a "*", a host that ends before ')' without a comma, a name that is not
// reversed. No error shows a user name or a password.
func ExactSURTPrefix(s string) (string, error) {
	p, err := prefixOf(s, true)
	if err != nil {
		return "", err
	}
	said := strings.TrimSpace(s)
	why := func(format string, args ...any) (string, error) {
		return "", fmt.Errorf("urlx: surt prefix %q: no address begins so: "+format, append([]any{shown(said)}, args...)...)
	}
	_, rest, _ := strings.Cut(p, "://(")
	host, _, closed := strings.Cut(rest, ")")
	name, _, _ := strings.Cut(host, ":")
	right := rightName(name, closed)
	switch {
	case strings.Contains(said, "#"):
		return why("servers are not told what is behind a #; write it without")
	case strings.ContainsAny(said, " \t"):
		return why("a blank in an address is %%20; two prefixes are two elements of the list")
	case strings.Contains(host, "*"), strings.HasSuffix(said, "*"):
		return why("a * stands for nothing; a prefix means all that begins so, write it without")
	case strings.Contains(host, "@"):
		return why("a SURT has no user name or password; write it without")
	case closed && name == "":
		return why("it names no host")
	case right == "" && name != "":
		return why("a part of the host's name is empty")
	case right != name:
		return why("the parts of a host's name are reversed, and each ends with a comma; write %q", strings.Replace(p, "://("+name, "://("+right, 1))
	}
	return p, nil
}

// rightName returns how a SURT has the name of a host, all of it or its beginning; "" for one with an empty part.
func rightName(name string, closed bool) string {
	switch bare := strings.TrimSuffix(name, ","); {
	case strings.HasPrefix(name, "["), !closed && strings.Trim(name, "0123456789.") == "": // IP addresses
		return name
	case isIP(bare):
		return bare
	}
	labels := strings.Split(name, ",")
	last := len(labels) - 1
	begun := labels[last] // the beginning of a label, when it is not closed
	if closed && begun != "" || strings.Contains(begun, ".") {
		last, begun = last+1, ""
	}
	var b strings.Builder
	for _, l := range labels[:last] {
		parts := strings.Split(l, ".")
		for _, part := range slices.Backward(parts) {
			if part == "" {
				return ""
			}
			b.WriteString(part + ",")
		}
	}
	return b.String() + begun
}

// shown is a prefix as errors show it.
func shown(s string) string {
	if scheme, _, ok := strings.Cut(s, "://"); ok && !strings.ContainsAny(scheme, ":@/") {
		return HideUserinfo(s)
	}
	return strings.TrimPrefix(HideUserinfo("http://"+s), "http://")
}

func prefixOf(s string, exact bool) (string, error) {
	s = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s), "+"))
	said := s
	if strings.HasPrefix(s, "(") {
		s = "http://" + s
	}
	if scheme, rest, ok := strings.Cut(s, "://("); ok && supported(strings.ToLower(scheme)) {
		return literalPrefix(strings.ToLower(scheme), rest)
	}
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := Parse(s)
	if err != nil && !strings.Contains(s, "@") {
		return "", fmt.Errorf("urlx: surt prefix %q: neither a host nor a SURT, which begins with %q: %w", said, "http://(", err)
	}
	if err != nil || strings.ContainsAny(u.host, "(,)") {
		return "", fmt.Errorf("urlx: surt prefix %q: neither a host nor a SURT, which begins with %q", shown(said), "http://(")
	}
	_, rest, _ := strings.Cut(s, "://")
	surt := SURT(u)
	if !strings.ContainsAny(rest, "/?#\\") {
		surt = strings.TrimSuffix(surt, "/")
		if u.Port() != "" || u.IsIP() {
			return surt, nil
		}
		return strings.TrimSuffix(surt, ")"), nil
	}
	if exact {
		return surt, nil
	}
	return surt[:strings.LastIndexByte(surt, '/')+1], nil
}

// literalPrefix takes what follows "://(" of a SURT prefix.
func literalPrefix(scheme, rest string) (string, error) {
	host, path, closed := strings.Cut(rest, ")")
	if !closed && strings.ContainsAny(host, "/?#") || closed && path != "" && path[0] != '/' {
		return "", fmt.Errorf("urlx: surt prefix %q: %q must stand between host and path", shown(scheme+"://("+rest), ")/")
	}
	labels := strings.Split(strings.ToLower(host), ",")
	for i, l := range labels {
		if isASCII(l) {
			continue
		}
		ace, err := idna.Lookup.ToASCII(l)
		if err != nil && strings.Contains(l, "@") {
			return "", fmt.Errorf("urlx: surt prefix %q: a SURT has no user name or password; write it without", shown(scheme+"://("+rest))
		}
		if err != nil {
			return "", fmt.Errorf("urlx: surt prefix label %q: %w", l, err)
		}
		labels[i] = ace
	}
	out := surtScheme(scheme) + "://(" + strings.Join(labels, ",")
	if closed {
		out += ")" + string(escape(nil, path, prefixSet))
	}
	return out, nil
}

// prefixSet escapes the path and query of a prefix, which may end anywhere.
var prefixSet = escapeSet("\"#<>")
