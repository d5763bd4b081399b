package analyzer

import (
	"encoding/hex"
	"html"
	"iter"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// spelling is how people write addresses that programs shall not find:
// "info (at) firm.example", "info [at] firm [dot] example", "info at firm dot example",
// and in the text "info (a) firm.example".
type spelling struct {
	at, dot []string
	first   [256]bool // first bytes of at, in either case
	text    [256]bool // bytes that may begin a sign or a word for it, in a text
	source  [256]bool // and in the source, where @ itself is looked for without
}

// newSpelling adds a language's words to those that are understood everywhere.
func newSpelling(at, dot []string) *spelling {
	s := &spelling{at: append([]string{"at"}, at...), dot: append([]string{"dot"}, dot...)}
	for _, w := range s.at {
		r, _ := utf8.DecodeRuneInString(w)
		s.first[string(unicode.ToLower(r))[0]] = true
		s.first[string(unicode.ToUpper(r))[0]] = true
	}
	for _, c := range []byte("&%\\([{ \xef") {
		s.text[c], s.source[c] = true, true
	}
	s.text['@'], s.text['<'] = true, true
	return s
}

// Bounds of what is decoded around a coded @, in bytes, and of how many of them in a text.
const (
	codedBefore = 6 * maxLocal
	codedAfter  = 512
	maxCoded    = 1000
	maxDots     = 8 // spelled dots in one address
)

// mailboxes yields the addresses in text, hidden ones too: with the sign coded (&#64;, %40,
// \u0040), written as a word in brackets or between blanks, or put between blanks
// behind a label. begins are the bytes to look at, one of s.text and s.source.
func (s *spelling) mailboxes(text string, begins *[256]bool) iter.Seq[string] {
	return func(yield func(string) bool) {
		coded := 0
		for i := s.next(text, 0, begins); i < len(text); i = s.next(text, i+1, begins) {
			var a string
			var ok bool
			switch text[i] {
			case '@':
				if a, ok = mailbox(text, i, i+1); !ok {
					a, ok = s.spaced(text, i)
				}
			case 0xef: // ＠, ﹫
				if strings.HasPrefix(text[i:], "\uff20") || strings.HasPrefix(text[i:], "\ufe6b") {
					a, ok = mailbox(text, i, i+3)
				}
			case '&', '%', '\\':
				if n := codedAt(text[i:]); n > 0 && coded < maxCoded {
					coded++
					a, ok = codedMailbox(text, i, i+n)
				}
			case '(', '[', '{', '<':
				end := s.bracketedAt(text, i)
				if end == 0 && begins == &s.text { // not the source, where scripts have if(a)b.c
					end = max(bracketed(text, i, "a", nil), bracketed(text, i, "A", nil))
				}
				if end > 0 {
					a, ok = s.spelled(text, i, end, false)
				}
			case ' ':
				if w := blankWord(text, i, s.at); w > 0 {
					a, ok = s.spelled(text, i, i+w+2, w < 3)
				}
			}
			if ok && !yield(a) {
				return
			}
		}
	}
}

// next returns where from text[i:] on a sign or a word for it may begin.
func (s *spelling) next(text string, i int, begins *[256]bool) int {
	for ; i < len(text); i++ {
		if c := text[i]; begins[c] && (c != ' ' || i+1 < len(text) && s.first[text[i+1]]) {
			break
		}
	}
	return i
}

// codedAt returns the length of the coded @ that s begins with, or 0.
func codedAt(s string) int {
	if len(s) < 2 || strings.IndexByte("4ux#c", s[1]) < 0 {
		return 0
	}
	for _, c := range [...]string{"%40", `\u0040`, `\x40`, "&#64;", "&#064;", "&#x40;", "&#X40;", "&#0064;", "&#x0040;", "&commat;"} {
		if strings.HasPrefix(s, c) {
			return len(c)
		}
	}
	return 0
}

// codedMailbox returns the address around a coded @, the rest of which may be coded too.
func codedMailbox(text string, at, end int) (string, bool) {
	before := text[max(0, at-codedBefore):at]
	if i := strings.LastIndexAny(before, " \t\n\"'<>"); i >= 0 {
		before = before[i+1:]
	}
	after := cut(text[end:], codedAfter)
	if i := strings.IndexAny(after, " \t\n\"'<>"); i >= 0 {
		after = after[:i]
	}
	before, after = uncoded(before), uncoded(after)
	return mailbox(before+"@"+after, len(before), len(before)+1)
}

// uncoded decodes a part of an attribute, a URL or a script.
func uncoded(s string) string {
	if strings.Contains(s, `\`) {
		s = unescapeScript(s)
	}
	if strings.Contains(s, "&") {
		s = html.UnescapeString(s)
	}
	if strings.Contains(s, "%") {
		if plain, err := url.PathUnescape(s); err == nil && utf8.ValidString(plain) {
			s = plain
		}
	}
	return s
}

// unescapeScript decodes \u0061 and \x61; other escapes are left as they are.
func unescapeScript(s string) string {
	var b strings.Builder
	for s != "" {
		n := 0
		switch {
		case strings.HasPrefix(s, `\u`) && len(s) >= 6:
			n = 6
		case strings.HasPrefix(s, `\x`) && len(s) >= 4:
			n = 4
		}
		if n > 0 {
			if r, err := strconv.ParseUint(s[2:n], 16, 32); err == nil {
				b.WriteRune(rune(r))
				s = s[n:]
				continue
			}
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String()
}

// spaced returns the address around an @ that stands between blanks: only behind a label,
// since a person and a place are written so too.
func (s *spelling) spaced(text string, at int) (string, bool) {
	if at == 0 || text[at-1] != ' ' || !strings.HasPrefix(text[at+1:], " ") {
		return "", false
	}
	start, ok := localStart(text, at-1)
	if !ok || !(labels{"mail", "email"}).before(text, start) {
		return "", false
	}
	return s.spelled(text, at-1, at+2, false)
}

// spelled returns the address around a word for @ at text[at:end]. With dotted a word for a
// dot must be in its domain.
func (s *spelling) spelled(text string, at, end int, dotted bool) (string, bool) {
	start, ok := localStart(text, skipBlanksBack(text, at))
	if !ok {
		return "", false
	}
	local := visible(text[start:skipBlanksBack(text, at)])
	for range maxDots {
		dot := s.dotBefore(text, start)
		before, ok := localStart(text, dot)
		if dot == 0 || !ok {
			break
		}
		local, start = text[before:dot]+"."+local, before
	}
	var domain string
	from, spelled := skipBlanks(text, end), false
	stop := domainEnd(text, from)
	for range maxDots {
		next := s.dotAfter(text, stop)
		if next == 0 || domainEnd(text, next) == next {
			break
		}
		domain += text[from:stop] + "."
		from, stop, spelled = next, domainEnd(text, next), true
	}
	domain = strings.TrimRight(visible(domain+text[from:stop]), ".-")
	if dotted && !spelled || notMailbox(text[:start], local, domain, text[stop:]) {
		return "", false
	}
	return address(strings.TrimLeft(local, ".%+-"), domain)
}

// dotAfter returns where text goes on after a word for a dot at text[i:], or 0.
func (s *spelling) dotAfter(text string, i int) int {
	if w := blankWord(text, i, s.dot); w > 0 {
		return i + w + 2
	}
	if i = skipBlanks(text, i); i < len(text) {
		if end := bracketed(text, i, ".", s.dot); end > 0 {
			return skipBlanks(text, end)
		}
	}
	return 0
}

// dotBefore returns where a word for a dot that ends at text[:i] begins, with the blanks
// before it, or 0.
func (s *spelling) dotBefore(text string, i int) int {
	i = skipBlanksBack(text, i)
	from := max(0, i-40)
	if i > 0 && strings.IndexByte(")]}>", text[i-1]) >= 0 {
		if j := strings.LastIndexAny(text[from:i], "([{<"); j >= 0 && bracketed(text, from+j, ".", s.dot) == i {
			return skipBlanksBack(text, from+j)
		}
		return 0
	}
	if j := strings.LastIndexByte(text[from:i], ' '); j >= 0 && blankWord(text, from+j, s.dot) == i-from-j-1 && i > from+j+1 {
		return skipBlanksBack(text, from+j)
	}
	return 0
}

// bracketedAt is bracketed for an @ or a word for it, which few brackets begin with.
func (s *spelling) bracketedAt(text string, i int) int {
	if j := skipBlanks(text, i+1); j == len(text) || text[j] != '@' && text[j] < utf8.RuneSelf && !s.first[text[j]] {
		return 0
	}
	return bracketed(text, i, "@", s.at)
}

// bracketed returns the end of a sign or word in brackets at text[i:], or 0.
func bracketed(text string, i int, sign string, words []string) int {
	open := strings.IndexByte("([{<", text[i])
	if open < 0 {
		return 0
	}
	rest := text[skipBlanks(text, i+1):]
	n := 0
	if strings.HasPrefix(rest, sign) {
		n = len(sign)
	} else if n = oneOf(rest, words); n == 0 {
		return 0
	}
	end := len(text) - len(rest) + n
	if end = skipBlanks(text, end); end < len(text) && text[end] == ")]}>"[open] {
		return end + 1
	}
	return 0
}

// blankWord returns the length of a word between the blank at text[i] and another one, or 0.
func blankWord(text string, i int, words []string) int {
	if i >= len(text) || text[i] != ' ' {
		return 0
	}
	if n := oneOf(text[i+1:], words); n > 0 && strings.HasPrefix(text[i+1+n:], " ") {
		return n
	}
	return 0
}

// oneOf returns the length of the word that s begins with, or 0.
func oneOf(s string, words []string) int {
	for _, w := range words {
		if rest, ok := cutPrefixFold(s, w); ok {
			return len(s) - len(rest)
		}
	}
	return 0
}

func skipBlanks(text string, i int) int {
	for range 2 {
		if i < len(text) && text[i] == ' ' {
			i++
		}
	}
	return i
}

func skipBlanksBack(text string, i int) int {
	for range 2 {
		if i > 0 && text[i-1] == ' ' {
			i--
		}
	}
	return i
}

// maxProtected bounds the digits of one address in Cloudflare's coding.
const maxProtected = 2 * (1 + maxLocal + maxDomain)

// protected yields what Cloudflare's e-mail obfuscation hides in the source: hexadecimal bytes,
// all but the first combined with the first by exclusive or.
func protected(p *Page) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, mark := range [...]struct {
			name string
			rare int
		}{{"data-cfemail=", 6}, {"/email-protection#", 17}} {
			rest := p.from(mark.name, mark.rare)
			for i := indexBy(rest, mark.name, mark.rare); i >= 0; i = indexBy(rest, mark.name, mark.rare) {
				rest = rest[i+len(mark.name):]
				rest = strings.TrimPrefix(strings.TrimPrefix(rest, `"`), "'")
				n := 0
				for n < len(rest) && n < maxProtected && strings.IndexByte("0123456789abcdefABCDEF", rest[n]) >= 0 {
					n++
				}
				b, err := hex.DecodeString(rest[:n])
				if err != nil || len(b) < 2 {
					continue
				}
				for i := range b[1:] {
					b[i+1] ^= b[0]
				}
				if s := string(b[1:]); utf8.ValidString(s) && !yield(s) {
					return
				}
			}
		}
	}
}
