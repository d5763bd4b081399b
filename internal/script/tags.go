package script

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// StartTags are the start tags of a page in their order, with what they are looked for by.
type StartTags struct {
	all  []startTag
	seen [128]uint64 // a bit each of the words that any of them has
}

type startTag struct {
	at    uint32 // where it begins
	name  uint32 // its hash
	words uint64 // a bit each of the words it has
}

// withDash is the bit of what has a hyphen in its name: scripts may define it.
const withDash = 1

// Grow makes room for n of them.
func (s *StartTags) Grow(n int) { s.all = slices.Grow(s.all, n) }

// Reset forgets them.
func (s *StartTags) Reset() { *s = StartTags{all: s.all[:0]} }

// Len is how many there are.
func (s *StartTags) Len() int { return len(s.all) }

// At is where the i-th begins.
func (s *StartTags) At(i int) uint32 { return s.all[i].at }

// Add adds one that begins behind those before it. Its name is in lower case.
func (s *StartTags) Add(at uint32, name []byte) {
	t := startTag{at: at, name: nameHash(name)}
	if bytes.IndexByte(name, '-') >= 0 {
		t.words = withDash
	}
	s.all = append(s.all, t)
}

// Has notes the words of the id, the class or the name of the last.
func (s *StartTags) Has(words []byte) {
	for i := 0; i < len(words); i++ {
		if words[i] <= ' ' {
			continue
		}
		from := i
		for i < len(words) && words[i] > ' ' {
			i++
		}
		bit, at, of := wordBits(words[from:i])
		s.all[len(s.all)-1].words |= bit
		s.seen[at] |= of
	}
}

// hasWord reports that one of them seems to have it.
func (s *StartTags) hasWord(word []byte) bool {
	_, at, of := wordBits(word)
	return s.seen[at]&of != 0
}

// wordBits is the bit of a word among those of its tag, and where it is among those of all.
func wordBits(word []byte) (bit uint64, at int, of uint64) {
	h := nameHash(word)
	h ^= h >> 15
	return 1 << (1 + h%63), int(h >> 6 & 127), 1 << (h >> 13 & 63)
}

// nameHash is FNV-1a.
func nameHash(name []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range name {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// maxNear is how far behind its begin the words of a start tag are looked for before it is read.
const maxNear = 4 << 10

// hint is what must stand in the start tags of elements that are looked for.
type hint struct {
	name string // of the element, in lower case
	text string
	key  bool // text is the name of an attribute, in lower case
	word bool // text is a word of an id, a class or a name
	more bool // a start tag is not enough to tell
	dash bool // in the name of the element, as of those that scripts define
}

// none reports that any start tag may be of them.
func (h hint) none() bool { return h.name == "" && h.text == "" && !h.dash }

// hintFor is for elements that have a word in their id, class or name.
func hintFor(word string) hint {
	if simple(word) {
		return hint{text: word, word: true}
	}
	return hint{}
}

// hintOf reads a part of a selector that says something of one element.
func hintOf(part string) hint {
	if strings.IndexByte(part, '\\') >= 0 {
		return hint{}
	}
	i := nameEnd(part)
	h := hint{name: strings.ToLower(part[:i])}
	best := -1 // words are found sooner than other values, and these than names
	better := func(text string, rank int) {
		if simple(text) && (rank > best || rank == best && len(text) > len(h.text)) {
			h.text, h.key, h.word, best = text, rank == 0, rank == 2, rank
		}
	}
	for i < len(part) {
		c := part[i]
		i++
		switch c {
		case '*':
		case '#', '.':
			n, rank := nameEnd(part[i:]), 2
			if i+n < len(part) && part[i+n] >= utf8.RuneSelf {
				rank = 1 // it is the begin of a word
			}
			better(part[i:i+n], rank)
			i += n
		case '[':
			end := strings.IndexByte(part[i:], ']')
			if end < 0 {
				return hint{}
			}
			inner := strings.TrimSpace(part[i : i+end])
			i += end + 1
			n := nameEnd(inner)
			op, val, set := strings.Cut(inner[n:], "=")
			if op = strings.TrimSpace(op); op == "!" || strings.ContainsAny(inner[n:], "[(") {
				return hint{}
			}
			better(strings.ToLower(inner[:n]), 0)
			val = strings.TrimSpace(val)
			if set && len(val) > 1 && (val[0] == '"' || val[0] == '\'') && val[len(val)-1] == val[0] {
				val = val[1 : len(val)-1]
				better(val, 1)
			}
		default: // what else there is, a start tag does not say
			h.more = true
			return h
		}
	}
	return h
}

// nameEnd is where a name in a selector ends.
func nameEnd(s string) int {
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' || s[i] == '-' || s[i] == '_') {
		i++
	}
	return i
}

// simple reports a text that pages write as it is.
func simple(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`&<>"'`, r) })
}

// tags calls do for where the start tags begin that may be of elements which are looked for, until it returns false.
func (p *Page) tags(h hint, do func(at uint32) bool) {
	src, all := p.doc.source.Text, p.doc.source.Tags.all
	if h.text == "" {
		p.cost(len(all) / 256)
		name := nameHash([]byte(h.name))
		for i := range all {
			t := &all[i]
			if (h.dash && t.words&withDash != 0 || !h.dash && t.name == name && tagNamed(src[t.at:], h.name)) && !do(t.at) {
				return
			}
		}
		return
	}
	if h.word {
		if !p.doc.source.Tags.hasWord([]byte(h.text)) {
			return
		}
		p.cost(len(all) / 256)
		bit, _, _ := wordBits([]byte(h.text))
		for i := range all {
			t := &all[i]
			if t.words&bit == 0 || h.name != "" && !tagNamed(src[t.at:], h.name) {
				continue
			}
			p.cost(1)
			end := len(src)
			if i+1 < len(all) {
				end = int(all[i+1].at)
			}
			near := int(t.at) + maxNear
			if (end > near || bytes.Contains(src[t.at:end], []byte(h.text))) && !do(t.at) {
				return
			}
		}
		return
	}
	p.cost(len(src) / 1024)
	f := newFinder(src, h.text, h.key)
	for pos, i := 0, 0; ; {
		if pos = f.next(pos); pos < 0 {
			return
		}
		next, _ := slices.BinarySearchFunc(all[i:], uint32(pos), func(t startTag, at uint32) int { return cmp.Compare(t.at, at) })
		if i += next; i > 0 {
			p.cost(1)
			if at := all[i-1].at; (h.name == "" || tagNamed(src[at:], h.name)) && !do(at) {
				return
			}
		}
		if i == len(all) {
			return
		}
		pos = int(all[i].at)
	}
}

// hasTag reports a start tag that may be of them.
func (p *Page) hasTag(h hint) (has bool) {
	p.tags(h, func(uint32) bool {
		has = true
		return false
	})
	return has
}

// tagNamed reports a start tag of an element.
func tagNamed(tag []byte, name string) bool {
	if len(tag) < len(name)+2 {
		return false
	}
	for i := range len(name) {
		c := tag[i+1]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != name[i] {
			return false
		}
	}
	c := tag[len(name)+1]
	return c <= ' ' || c == '>' || c == '/'
}

// finder finds a text by the letter of it that pages have least.
type finder struct {
	src, text    []byte
	key          bool // it is the name of an attribute, in any case
	nth          int  // of the letter
	lower, upper int  // where that stands next
}

func newFinder(src []byte, text string, key bool) *finder {
	f := &finder{src: src, text: []byte(text), key: key, lower: -1, upper: -1}
	best := len(seldom)
	for i, c := range f.text {
		if n := strings.IndexByte(seldom, c); n < best {
			f.nth, best = i, n // n is -1 for what is rarer than these
		}
	}
	return f
}

// seldom are letters of pages, the rarer the earlier.
const seldom = "qzjxkvwybgf_mu0123456789pdhclonr-siate"

// next is where it stands from a place on, -1 when nowhere.
func (f *finder) next(from int) int {
	from += f.nth
	to := func(at int, c byte) int {
		if at >= from {
			return at
		}
		if i := bytes.IndexByte(f.src[min(from, len(f.src)):], c); i >= 0 {
			return from + i
		}
		return len(f.src)
	}
	c := f.text[f.nth]
	for {
		f.lower = to(f.lower, c)
		at := f.lower
		if f.key && 'a' <= c && c <= 'z' {
			f.upper = to(f.upper, c&^0x20)
			at = min(at, f.upper)
		}
		if at >= len(f.src) {
			return -1
		}
		begin := at - f.nth
		if end := begin + len(f.text); begin > 0 && end < len(f.src) {
			if !f.key && bytes.Equal(f.src[begin:end], f.text) || f.key && !isKeyByte(f.src[begin-1]) && !isKeyByte(f.src[end]) && bytes.EqualFold(f.src[begin:end], f.text) {
				return begin
			}
		}
		from = at + 1
	}
}

func isKeyByte(c byte) bool {
	return c > ' ' && c != '"' && c != '\'' && c != '/' && c != '>' && c != '='
}
