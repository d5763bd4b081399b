package urlx

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	whatwgerrors "github.com/nlnwa/whatwg-url/errors"
	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/text/encoding/htmlindex"
)

// MaxLength is the most bytes an address may have, before and after
// normalisation. RFC 9110 §4.1 asks servers for at least 8000; longer ones are
// made by traps and mistakes.
const MaxLength = 8192

var (
	// ErrScheme is returned for addresses that are not http, https, ftp or whois, and
	// by Parse for those that name no scheme.
	ErrScheme = errors.New("scheme is not http, https, ftp or whois")
	// ErrTooLong is returned for addresses of more than MaxLength bytes.
	ErrTooLong = fmt.Errorf("longer than %d bytes", MaxLength)
	// ErrSyntax is returned for what the WHATWG standard calls failure.
	ErrSyntax = errors.New("not a valid URL")
)

// general parses what the fast path leaves. '^' joined the standard's path
// percent-encode set after the library's release.
var general = whatwg.NewParser(
	whatwg.WithPathPercentEncodeSet(whatwg.PathPercentEncodeSet.Set('^')),
)

// Parse parses an absolute address as a browser's address bar would, without
// guessing a scheme: spaces around it are ignored, invalid UTF-8 becomes U+FFFD.
// The errors are ErrScheme, ErrTooLong and ErrSyntax, wrapped.
func Parse(raw string) (*URL, error) {
	s := clean(raw)
	if !supported(Scheme(s)) {
		return nil, failure("parse", s, ErrScheme)
	}
	if len(s) > MaxLength {
		return nil, failure("parse", s, ErrTooLong)
	}
	if Scheme(s) == schemeWhois {
		return parseWhois(s)
	}
	href, ok := parseFast(s)
	if !ok {
		var err error
		if href, err = parseGeneral(s, ""); err != nil {
			return nil, failure("parse", s, err)
		}
	}
	return finish("parse", s, href)
}

// Resolve parses ref, absolute or relative, as found on a page whose base
// address is u. Errors are those of Parse.
func (u *URL) Resolve(ref string) (*URL, error) {
	s := clean(ref)
	if scheme := Scheme(s); scheme != "" && !supported(scheme) {
		return nil, failure("resolve", s, ErrScheme)
	}
	if len(s) > MaxLength {
		return nil, failure("resolve", s, ErrTooLong)
	}
	if Scheme(s) == schemeWhois {
		return parseWhois(s)
	}
	if s == "" {
		return u.WithoutFragment(), nil
	}
	href, ok := u.resolveFast(s)
	if !ok {
		var err error
		if href, err = parseGeneral(s, u.href); err != nil {
			return nil, failure("resolve", s, err)
		}
	}
	return finish("resolve", s, href)
}

// ResolveCharset is Resolve for a link of a page that is not UTF-8: characters
// of the query outside ASCII are written in the page's charset, a label of the
// WHATWG Encoding standard such as "windows-1250", and what it lacks as a
// percent-encoded character reference. Everything else stays UTF-8. An unknown
// label means UTF-8.
func (u *URL) ResolveCharset(ref, label string) (*URL, error) {
	q := strings.IndexByte(ref, '?')
	if q < 0 || isASCII(ref[q:]) {
		return u.Resolve(ref)
	}
	enc, err := htmlindex.Get(label)
	if err != nil {
		return u.Resolve(ref)
	}
	name, err := htmlindex.Name(enc)
	if err != nil || name == "utf-8" || name == "replacement" || strings.HasPrefix(name, "utf-16") {
		return u.Resolve(ref)
	}
	end := len(ref)
	if f := strings.IndexByte(ref, '#'); f >= 0 {
		end = f
	}
	if end < q {
		return u.Resolve(ref)
	}
	return u.Resolve(ref[:q] + encodeQuery(ref[q:end], enc) + ref[end:])
}

// Scheme returns the scheme of raw in lower case, without parsing the rest, or
// "" when raw is relative.
func Scheme(raw string) string {
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return strings.ToLower(raw[:i])
		default:
			return ""
		}
	}
	return ""
}

func supported(scheme string) bool {
	return scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == schemeWhois
}

const (
	schemeWhois = "whois"
	// WhoisServer is whom a whois: address asks that names no server: it knows who is asked further.
	WhoisServer = "whois.iana.org"
)

// parseWhois parses "whois://server/query" and "whois:query". Browsers do not know the scheme; ours has a host as http has.
func parseWhois(s string) (*URL, error) {
	rest := s[len("whois:"):]
	if !strings.HasPrefix(rest, "//") {
		rest = "//" + WhoisServer + "/" + strings.TrimLeft(rest, "/")
	}
	const instead = "https:"
	u, err := Parse(instead + rest)
	if err != nil {
		return nil, failure("parse", s, errors.Unwrap(err))
	}
	href := "whois:" + u.href[len(instead):]
	if start := len("whois:") - len(instead); u.Port() == "43" {
		href = href[:int(u.hostEnd)+start] + href[int(u.path)+start:]
	}
	return finish("parse", s, href)
}

// clean does what the standard does before its state machine runs.
func clean(raw string) string {
	s := strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' })
	if strings.ContainsAny(s, "\t\n\r") {
		s = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(s)
	}
	return s
}

// finish accepts what either parser made.
func finish(op, s, href string) (*URL, error) {
	if len(href) > MaxLength {
		return nil, failure(op, s, ErrTooLong)
	}
	return newURL(href), nil
}

// parseGeneral recovers since a stranger's bytes reach code that is not ours.
func parseGeneral(s, base string) (href string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: parser failed: %v", ErrSyntax, p)
		}
	}()
	if endlessLabel(s) {
		return "", fmt.Errorf("%w: no host name has such a label", ErrSyntax)
	}
	v, err := general.ParseRef(base, s)
	if err != nil {
		return "", fmt.Errorf("%w: %s", ErrSyntax, whatwgerrors.Type(err))
	}
	if !supported(v.Scheme()) {
		return "", ErrScheme
	}
	if lostLabel(s, v) {
		return "", fmt.Errorf("%w: a label of the host is Punycode of nothing", ErrSyntax)
	}
	return v.Href(false), nil
}

// maxLabel is the most bytes of a label that must be written in Punycode, or read: 59
// letters of four bytes give the 63 that DNS allows (RFC 5890 §2.3.1).
const maxLabel = 255

// endlessLabel reports a host with a label that no name in DNS can have, and that takes
// long to find out: Punycode takes time in the square of its length (RFC 3492 §6), and
// a page has thousands of links.
func endlessLabel(s string) bool {
	for label := range strings.FieldsFuncSeq(hostOf(s), isDot) {
		limit := maxLabel
		if strings.Contains(label, "%") {
			limit *= 3
		} else if isASCII(label) && (len(label) < 4 || !strings.EqualFold(label[:4], "xn--")) {
			continue
		}
		if len(label) > limit {
			return true
		}
	}
	return false
}

// lostLabel reports a host with a label "xn--", Punycode of nothing, where the parser left an
// empty one: the address of another host. UTS #46 §4 calls it an error since revision 33.
func lostLabel(s string, parsed *whatwg.Url) bool {
	if h := parsed.Hostname(); h == "" || h[0] != '.' && h[len(h)-1] != '.' && !strings.Contains(h, "..") {
		return false
	}
	host, _, _ := strings.Cut(hostOf(s), ":")
	if plain, err := url.PathUnescape(host); err == nil {
		host = plain
	}
	for label := range strings.FieldsFuncSeq(host, isDot) {
		if isASCII(label) {
			if strings.EqualFold(label, "xn--") {
				return true
			}
			continue
		}
		// Full width, or with what counts for nothing: with a letter before it, it is no Punycode.
		if v, err := general.Parse("http://a" + label + "/"); err == nil && v.Hostname() == "axn--" {
			return true
		}
	}
	return false
}

// hostOf returns the host and the port that s begins with, as they stand, "" when it names none.
func hostOf(s string) string {
	if scheme := Scheme(s); scheme != "" {
		s = s[len(scheme)+1:]
	} else if len(s) < 2 || strings.Trim(s[:2], `/\`) != "" {
		return ""
	}
	s = strings.TrimLeft(s, `/\`)
	if i := strings.IndexAny(s, `/\?#`); i >= 0 {
		s = s[:i]
	}
	return s[strings.LastIndexByte(s, '@')+1:]
}

// isDot reports what parts labels (UTS #46 §2.3).
func isDot(r rune) bool { return r == '.' || r == '\u3002' || r == '\uff0e' || r == '\uff61' }

// failure names the start of the address, since a link may be a megabyte, without user
// name and password: errors go to logs and terminals.
func failure(op, s string, cause error) error {
	const shown = 200
	s = hideUnparsed(s)
	if len(s) > shown {
		s = s[:shown] + "…"
	}
	return fmt.Errorf("urlx: %s %q: %w", op, s, cause)
}
