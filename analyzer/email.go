package analyzer

import (
	"context"
	"iter"
	"regexp"
	"strings"
)

// Bounds of an address in bytes (RFC 5321 section 4.5.3.1).
const (
	maxLocal  = 64
	maxDomain = 255
)

// email finds e-mail addresses in the source, the text (where references such
// as &#64; are decoded) and mailto: links (where %40 is). Valid are those that match the
// pattern, in lower case. An address counts in the text or a link only when the
// source does not have it: most would count twice.
type email struct {
	pattern *regexp.Regexp
}

// emailOptions are those of the kind "email".
type emailOptions struct{ patternOption }

func (o *emailOptions) open(*resources) (Searcher, error) {
	re, err := compile(o.Pattern)
	if err != nil {
		return nil, err
	}
	return email{re}, nil
}

// Search implements Searcher.
func (s email) Search(ctx context.Context, p *Page) (Finding, error) {
	var t tally
	for a := range counted(ctx, emails(p.Source)) {
		t.add(s.pattern.MatchString(a), a, "source")
	}
	more := func(text, where string) {
		for a := range counted(ctx, emails(text)) {
			if !t.seen(a) && s.pattern.MatchString(a) {
				t.add(true, a, where)
			}
		}
	}
	more(p.Text, "text")
	for link := range counted(ctx, schemed(p.Source, "mailto:")) {
		more(link, "link")
	}
	return t.finding(), ctx.Err()
}

// emails yields the addresses in text in lower case: a local part of letters,
// digits and ._%+-, and a domain of at least two labels, the last of them
// letters or an ACE label. Top-level domains of any length count.
func emails(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at, from := 0, 0; ; from = at + 1 {
			i := strings.IndexByte(text[from:], '@')
			if i < 0 {
				return
			}
			at = from + i
			start := at
			for start > from && at-start < maxLocal && isLocal(text[start-1]) {
				start--
			}
			if inAddress(text[:start]) {
				continue
			}
			end := at + 1
			for end < len(text) && end-at <= maxDomain && isDomain(text[end]) {
				end++
			}
			local := strings.TrimLeft(text[start:at], ".%+-")
			domain := strings.TrimRight(text[at+1:end], ".-")
			if local == "" || strings.HasSuffix(local, ".") || !isHostName(domain) {
				continue
			}
			if !yield(strings.ToLower(local + "@" + domain)) {
				return
			}
		}
	}
}

// inAddress reports that before, up to where a local part would begin, ends within the user
// name and password of a URL: no mailbox, and a secret.
func inAddress(before string) bool {
	i := len(before)
	for i > 0 && len(before)-i < maxLocal && before[i-1] > ' ' && before[i-1] < 0x7f && !strings.ContainsRune(`"'<>/?#\\`, rune(before[i-1])) {
		i--
	}
	return strings.HasSuffix(before[:i], "//")
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
	labels := strings.Split(domain, ".")
	for _, l := range labels {
		if l == "" || l[0] == '-' || l[len(l)-1] == '-' {
			return false
		}
	}
	tld := strings.ToLower(labels[len(labels)-1])
	if len(labels) < 2 || len(tld) < 2 {
		return false
	}
	return strings.HasPrefix(tld, "xn--") || strings.Trim(tld, "abcdefghijklmnopqrstuvwxyz") == ""
}
