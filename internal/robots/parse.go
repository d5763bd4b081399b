package robots

import (
	"bytes"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
)

const (
	// MaxSize is how many bytes of a file are read; RFC 9309 §2.5 asks for at
	// least 500 KiB.
	MaxSize = 512 << 10
	// maxLine is where a line is cut, as Google's parser does; longer ones are
	// not paths anybody has.
	maxLine = 16 << 10
)

// Parse returns what the file body means for the crawler with the product
// token, which should be letters, '-' and '_' only, compared without case (RFC
// 9309 §2.2.1). Files are UTF-8, with or without byte order mark, or UTF-16
// with one. What is common is forgiven: a missing colon, the misspellings
// Google accepts.
func Parse(body []byte, token string) *Rules {
	p := parser{token: token}
	for n, line := range lines(decode(body)) {
		p.line(n, line)
	}
	return p.rules()
}

// lines yields every line of a file, counted from 1. Lines end with CR, LF or both
// (§2.2); of a longer one the first maxLine bytes are yielded.
func lines(text []byte) iter.Seq2[int32, []byte] {
	return func(yield func(int32, []byte) bool) {
		for n := int32(1); len(text) > 0; n++ {
			line := text
			if i := bytes.IndexAny(text, "\r\n"); i >= 0 {
				end := i + 1
				if text[i] == '\r' && end < len(text) && text[end] == '\n' {
					end++
				}
				line, text = text[:i], text[end:]
			} else {
				text = nil
			}
			if !yield(n, line[:min(len(line), maxLine)]) {
				return
			}
		}
	}
}

func decode(body []byte) []byte {
	body = body[:min(len(body), MaxSize)]
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return body[3:]
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return decodeUTF16(body[2:], 0)
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return decodeUTF16(body[2:], 1)
	}
	return body
}

// decodeUTF16 takes the index of the low byte of each unit.
func decodeUTF16(b []byte, low int) []byte {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = uint16(b[2*i+low]) | uint16(b[2*i+1-low])<<8
	}
	return []byte(string(utf16.Decode(units)))
}

// group collects what belongs to one choice: our token, or '*'.
type group struct {
	named    bool    // some user-agent line chose it
	agents   []int32 // these lines
	rules    []rule
	delayed  int32 // the line of delay
	delay    time.Duration
	hasDelay bool
}

type parser struct {
	token      string
	number     int32 // of the line being read
	ours, star group
	// Of the group of lines being read: is it for our token, for '*'; did a
	// rule follow its user-agent lines, so that the next one begins another.
	inOurs, inStar, closed bool
	sitemaps               []string
}

func (p *parser) line(n int32, line []byte) {
	p.number = n
	key, value, ok := split(line)
	if !ok {
		return
	}
	switch canonical(key) {
	case keyAgent:
		p.userAgent(value)
	case keyAllow:
		p.rule(value, true)
	case keyDisallow:
		p.rule(value, false)
	case keyDelay:
		p.crawlDelay(value)
	case keySitemap:
		if value != "" && !slices.Contains(p.sitemaps, value) && len(p.sitemaps) < maxSitemaps {
			p.sitemaps = append(p.sitemaps, value)
		}
	}
}

// Keys of lines in the form of the standard.
const (
	keyAgent    = "user-agent"
	keyAllow    = "allow"
	keyDisallow = "disallow"
	keyDelay    = "crawl-delay"
	keySitemap  = "sitemap"
)

// canonical returns what a key in lower case stands for, misspelt or not; "" when
// that is nothing.
func canonical(key string) string {
	switch key {
	case keyAgent, "useragent", "user agent":
		return keyAgent
	case keyAllow:
		return keyAllow
	case keyDisallow, "dissallow", "dissalow", "disalow", "diasllow", "disallaw":
		return keyDisallow
	case keyDelay, "crawldelay":
		return keyDelay
	case keySitemap, "site-map":
		return keySitemap
	}
	return ""
}

// maxSitemaps bounds memory and the search for doubles.
const maxSitemaps = 1000

// split returns the key in lower case and the value of a line.
func split(line []byte) (key, value string, ok bool) {
	if i := bytes.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	k, v, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		fields := bytes.Fields(line)
		if len(fields) != 2 {
			return "", "", false
		}
		k, v = fields[0], fields[1]
	}
	return strings.ToLower(string(bytes.TrimSpace(k))), string(bytes.TrimSpace(v)), true
}

func (p *parser) userAgent(value string) {
	if p.closed {
		p.inOurs, p.inStar, p.closed = false, false, false
	}
	name, _, _ := strings.Cut(strings.ReplaceAll(value, "\t", " "), " ")
	switch {
	case name == "*":
		p.inStar = true
		p.star.choose(p.number)
	case p.isOurs(name):
		p.inOurs = true
		p.ours.choose(p.number)
	}
}

func (g *group) choose(line int32) {
	g.named = true
	g.agents = append(g.agents, line)
}

// isOurs compares the name up to its version, and up to the first character
// the standard does not know in a token: "exclave/2.0", "exclave2".
func (p *parser) isOurs(name string) bool {
	name, _, _ = strings.Cut(name, "/")
	return p.token != "" && (strings.EqualFold(name, p.token) || strings.EqualFold(tokenOf(name), p.token))
}

// tokenOf returns what of a name the standard knows in a token, "" of '*'.
func tokenOf(name string) string {
	end := 0
	for end < len(name) && (isLetter(name[end]) || name[end] == '-' || name[end] == '_') {
		end++
	}
	return name[:end]
}

// chosen calls f for the groups the current lines belong to. Other records,
// Crawl-delay included, do not end the user-agent lines (§2.2.4).
func (p *parser) chosen(f func(*group)) {
	if p.inOurs {
		f(&p.ours)
	}
	if p.inStar {
		f(&p.star)
	}
}

func (p *parser) rule(value string, allow bool) {
	p.closed = true
	if value == "" { // the empty pattern matches nothing
		return
	}
	anchored := strings.HasSuffix(value, "$")
	r := rule{pattern: normalise(strings.TrimSuffix(value, "$"), true), anchored: anchored, allow: allow, line: p.number}
	p.chosen(func(g *group) { g.rules = append(g.rules, r) })
}

// crawlDelay keeps the longest of what merged groups ask for.
func (p *parser) crawlDelay(value string) {
	seconds, err := strconv.ParseFloat(strings.Replace(value, ",", ".", 1), 64)
	if err != nil || math.IsNaN(seconds) || math.IsInf(seconds, 0) || seconds < 0 {
		return
	}
	delay := MaxCrawlDelay
	if seconds < MaxCrawlDelay.Seconds() {
		delay = time.Duration(seconds*1000) * time.Millisecond
	}
	p.chosen(func(g *group) {
		if !g.hasDelay || delay > g.delay {
			g.delay, g.hasDelay, g.delayed = delay, true, p.number
		}
	})
}

// group returns the one whose rules count.
func (p *parser) group() *group {
	if p.ours.named {
		return &p.ours
	}
	return &p.star
}

func (p *parser) rules() *Rules {
	g := p.group()
	sortRules(g.rules)
	return &Rules{rules: slices.CompactFunc(g.rules, rule.equal), delay: g.delay, hasDelay: g.hasDelay, sitemaps: p.sitemaps}
}
