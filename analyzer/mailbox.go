package analyzer

import (
	"iter"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// Bounds of an address in bytes (RFC 5321 section 4.5.3.1), and of what is looked at before
// it for a URL that it may be a part of.
const (
	maxLocal  = 64
	maxDomain = 255
	maxBefore = 256
)

// mailboxes yields the addresses in text in lower case: a local part of letters (of any
// script, RFC 6531), digits and ._%+-, and a domain of at least two labels, the last of
// them letters or an ACE label. Top-level domains of any length count. Domains
// beyond ASCII are yielded in their ASCII form.
func mailboxes(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for from := 0; ; {
			i := strings.IndexByte(text[from:], '@')
			if i < 0 {
				return
			}
			at := from + i
			from = at + 1
			if a, ok := mailbox(text, at, at+1); ok && !yield(a) {
				return
			}
		}
	}
}

// mailbox returns the address around the sign at text[at:end].
func mailbox(text string, at, end int) (string, bool) {
	start, ok := localStart(text, at)
	if !ok || end == len(text) {
		return "", false
	}
	stop := domainEnd(text, end)
	if stop == end {
		return "", false
	}
	local := visible(text[start:at])
	if strings.Contains(local, "%") { // taken out of a URL
		if plain, err := url.PathUnescape(local); err == nil && utf8.ValidString(plain) {
			from, _ := localStart(plain, len(plain))
			if inURL(plain[:from]) {
				return "", false
			}
			local = plain[from:]
		}
	}
	local = strings.TrimLeft(local, ".%+-")
	domain := strings.TrimRight(visible(text[end:stop]), ".-")
	if notMailbox(text[:start], local, domain, text[stop:]) {
		return "", false
	}
	return address(local, domain)
}

// address puts the parts together, when they can be parts of an address.
func address(local, domain string) (string, bool) {
	if local == "" || len(local) > maxLocal || local[0] == '.' || strings.HasSuffix(local, ".") {
		return "", false
	}
	if !ascii(domain) {
		ace, err := idna.Lookup.ToASCII(domain)
		if err != nil {
			return "", false
		}
		domain = ace
	}
	if !isHostName(domain) {
		return "", false
	}
	return strings.ToLower(local + "@" + domain), true
}

// localStart returns where the local part that ends at text[:at] begins; false when there is
// none, or it is too long for one.
func localStart(text string, at int) (int, bool) {
	start := at
	for start > 0 {
		n := 1
		if c := text[start-1]; c >= utf8.RuneSelf {
			r, size := utf8.DecodeLastRuneInString(text[:start])
			if r == utf8.RuneError || !inAddress(r) {
				break
			}
			n = size
		} else if !isLocal(c) {
			break
		}
		if start -= n; at-start > 3*maxLocal { // percent-encoded at most
			return 0, false
		}
	}
	return start, start < at
}

// domainEnd returns where the domain that begins at text[end:] ends.
func domainEnd(text string, end int) int {
	stop := end
	for stop < len(text) && stop-end <= maxDomain {
		n := 1
		if c := text[stop]; c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[stop:])
			if r == utf8.RuneError || !inAddress(r) {
				break
			}
			n = size
		} else if !isDomain(c) {
			break
		}
		stop += n
	}
	return stop
}

// inAddress reports whether a letter beyond ASCII may be part of an address, or is not seen.
func inAddress(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || invisible(r) }

// invisible are the characters of no width that are put into addresses to hide them.
func invisible(r rune) bool {
	return r >= 0x200b && r <= 0x200d || r == 0x2060 || r == 0xfeff || r == 0xad
}

// visible returns s without what cannot be seen.
func visible(s string) string {
	if ascii(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, s)
}

// notMailbox reports what is written like an address and is none, by what stands around it.
func notMailbox(before, local, domain, after string) bool {
	first, _, _ := strings.Cut(domain, ".")
	switch {
	case inURL(before):
		return true // a secret
	case isDigits(first) && len(first) <= 2 || strings.HasSuffix(before, "/") && isDigits(strings.TrimPrefix(first, "v")):
		return true // package@version
	case local == "git" || strings.HasPrefix(after, ":") && strings.ContainsAny(word(after), "/~"):
		return true // git@host, user@host:path
	case strings.HasSuffix(before, "@") && (len(before) == 1 || !isLocal(before[len(before)-2])):
		return true // @user@host of the fediverse
	}
	return false
}

// word returns s up to the first blank, quote or bracket.
func word(s string) string {
	s = cut(s, maxLocal)
	if i := strings.IndexAny(s, " \t\n\"'<>)"); i >= 0 {
		return s[:i]
	}
	return s
}

// inURL reports that before, up to where a local part would begin, ends within the user
// name and password of a URL: after "//", or after a "port" that is no number, as a
// password with a slash makes one.
func inURL(before string) bool {
	i := len(before)
	for i > 0 && len(before)-i < maxBefore && before[i-1] > ' ' {
		if c := before[i-1]; c == '"' || c == '\'' || c == '<' || c == '>' {
			break
		}
		i--
	}
	s := before[i:]
	i = strings.LastIndex(s, "//")
	if i < 0 {
		return false
	}
	end := strings.IndexAny(s[i+2:], "/?#")
	if end < 0 {
		return true
	}
	_, port, ok := strings.Cut(s[i+2:i+2+end], ":")
	return ok && !isDigits(port)
}

// isDigits reports whether s is a number, and not empty.
func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isLocal(c byte) bool {
	return isAlnum(c) || c == '.' || c == '_' || c == '%' || c == '+' || c == '-'
}

func isDomain(c byte) bool { return isAlnum(c) || c == '.' || c == '-' }

// isHostName reports whether domain has two labels or more, none of them empty,
// and a top-level domain that is no number.
func isHostName(domain string) bool {
	tld := domain
	for n := 0; ; n++ {
		label, rest, more := strings.Cut(tld, ".")
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if more {
			tld = rest
			continue
		}
		if n == 0 || len(label) < 2 {
			return false
		}
		break
	}
	if len(tld) > 4 && strings.EqualFold(tld[:4], "xn--") {
		return true
	}
	for i := range len(tld) {
		if c := tld[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}
