package script

import (
	"strings"
	"unicode/utf8"
)

// escape reads what is behind a backslash outside classes.
func (c *regexParser) escape() (n int32, repeats bool) {
	if c.at == len(c.src) {
		c.fail("backslash at the end")
		return 0, false
	}
	switch b := c.src[c.at]; {
	case b == 'b', b == 'B':
		c.at++
		return c.node(node{op: nodeEdge, not: b == 'B', fold: c.fold && c.re.unicode, empty: true}), false
	case b == 'k' && (c.named || c.re.unicode):
		c.at++
		n = c.node(node{op: nodeRef, fold: c.fold, empty: true})
		c.refs = append(c.refs, nameRef{n, c.name()})
		return n, true
	case '1' <= b && b <= '9':
		at := c.at
		if x, _ := c.number(); x <= c.total {
			return c.node(node{op: nodeRef, x: int32(x), fold: c.fold, empty: true}), true
		}
		if c.at = at; c.re.unicode {
			c.fail("reference to no group")
			return 0, false
		}
	}
	var s set
	if c.classEscape(&s) {
		return c.set(s), true
	}
	return c.char(c.charEscape(false)), true
}

// charEscape reads a character behind a backslash.
func (c *regexParser) charEscape(inClass bool) rune {
	strict := c.re.unicode
	r := c.rune()
	switch r {
	case 't':
		return '\t'
	case 'n':
		return '\n'
	case 'v':
		return '\v'
	case 'f':
		return '\f'
	case 'r':
		return '\r'
	case 'c':
		b := c.peek()
		if letter := b|0x20 >= 'a' && b|0x20 <= 'z'; letter || inClass && !strict && (b == '_' || '0' <= b && b <= '9') {
			c.at++
			return rune(b % 32)
		}
		if strict {
			c.fail("escape")
		}
		c.at--
		return '\\'
	case 'x':
		if n, is := c.hex(2); is {
			return n
		}
	case 'u':
		if n, is := c.unicodeEscape(); is {
			return n
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		if digit := '0' <= c.peek() && c.peek() <= '9'; strict && (r != '0' || digit) {
			c.fail("escape")
		}
		n := r - '0'
		for b := c.peek(); '0' <= b && b <= '7' && n < 32; b = c.peek() {
			n = n<<3 | rune(b-'0')
			c.at++
		}
		return n
	}
	if strict && (r >= utf8.RuneSelf || strings.IndexByte(`^$\.*+?()[]{}|/`, byte(r)) < 0 &&
		!(inClass && r == '-') && !(inClass && c.re.unicodeSets && strings.IndexByte("&-!#%,:;<=>@`~", byte(r)) >= 0)) {
		c.fail("escape")
	}
	return r
}

// hex reads as many digits; false: they are not there, and nothing was read.
func (c *regexParser) hex(digits int) (r rune, is bool) {
	if c.at+digits > len(c.src) {
		return 0, false
	}
	for _, b := range []byte(c.src[c.at : c.at+digits]) {
		d := unhex(b)
		if d < 0 {
			return 0, false
		}
		r = r<<4 | d
	}
	c.at += digits
	return r, true
}

func unhex(b byte) rune {
	switch {
	case '0' <= b && b <= '9':
		return rune(b - '0')
	case 'a' <= b|0x20 && b|0x20 <= 'f':
		return rune(b|0x20-'a') + 10
	}
	return -1
}

// unicodeEscape reads what is behind \u, both halves of a pair.
func (c *regexParser) unicodeEscape() (r rune, is bool) {
	if c.re.unicode && c.peek() == '{' {
		at := c.at
		for c.at++; c.at < len(c.src) && c.src[c.at] != '}'; c.at++ {
			d := unhex(c.src[c.at])
			if r = r<<4 | d; d < 0 || r > utf8.MaxRune {
				return 0, false
			}
		}
		is = c.at > at+1 && c.accept("}")
		return r, is
	}
	if r, is = c.hex(4); !is || r < 0xd800 || r >= 0xdc00 {
		return r, is
	}
	at := c.at
	if c.accept(`\u`) {
		if low, is := c.hex(4); is && 0xdc00 <= low && low < 0xe000 {
			return (r-0xd800)<<10 + (low - 0xdc00) + 0x10000, true
		}
	}
	c.at = at
	return r, true
}

// half reports half a pair of UTF-16.
func half(r rune) bool { return 0xd800 <= r && r < 0xe000 }
