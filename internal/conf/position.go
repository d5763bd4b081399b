package conf

import (
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// pos is a place in a file: line and column from 1, the column in characters.
// The zero pos is the file as a whole.
type pos struct{ Line, Col int }

// positions maps the path of each key of a TOML text to where it stands:
// "http.contact" to the key, "job.seeds[1]" to the element, "scope[2]" to the
// header of the table. Elements are counted from 0.
type positions map[string]pos

// find returns the place of path or, when the text does not have it, of the
// nearest table around it.
func (p positions) find(path string) pos {
	for path != "" {
		if at, ok := p[path]; ok {
			return at
		}
		path = Parent(path)
	}
	return pos{}
}

// position converts a byte offset.
func position(text string, offset int) pos {
	before := text[:min(max(offset, 0), len(text))]
	line := strings.LastIndexByte(before, '\n') + 1
	return pos{Line: 1 + strings.Count(before, "\n"), Col: 1 + utf8.RuneCountInString(before[line:])}
}

// maxDepth is how deep keys and values may be nested; a configuration needs seven. The
// library takes time that grows with the third power of it.
const maxDepth = 32

// scanText finds the keys of a text that is valid TOML. Anything else ends it early or
// gives positions that mean nothing, never more.
func scanText(text string) *scanner { return scan(text, true) }

// scan is scanText; with or without the elements of arrays that are neither arrays nor tables. Of a list of 100,000 hosts one
// is looked for at most when it is wrong.
func scan(text string, elements bool) *scanner {
	s := &scanner{text: text, at: positions{}, arrays: map[string]int{}, last: pos{1, 1}, elements: elements}
	table := ""
	for s.blank(true); s.i < len(s.text); s.blank(true) {
		from := s.i
		if s.text[s.i] == '[' {
			table = s.header()
		} else {
			s.pair(table)
		}
		if s.i == from {
			break
		}
	}
	return s
}

type scanner struct {
	text   string
	i      int
	at     positions
	arrays map[string]int // path of an array of tables → how many there are
	marked int            // offset of last
	last   pos            // the place that was converted last
	depth  int            // of values within each other
	// elements says that the places of all elements of arrays are wanted.
	elements bool
	deep     bool // some are deeper than maxDepth: the rest was not scanned
}

// tooDeep ends the scan.
func (s *scanner) tooDeep() {
	s.deep, s.i = true, len(s.text)
}

// position is the function of that name, from the last place on: places rise.
func (s *scanner) position(offset int) pos {
	if offset < s.marked {
		return position(s.text, offset)
	}
	between := s.text[s.marked:offset]
	if line := strings.LastIndexByte(between, '\n'); line >= 0 {
		s.last.Line += strings.Count(between, "\n")
		s.last.Col, between = 1, between[line+1:]
	}
	s.last.Col += utf8.RuneCountInString(between)
	s.marked = offset
	return s.last
}

func (s *scanner) peek(c byte) bool { return s.i < len(s.text) && s.text[s.i] == c }

func (s *scanner) accept(c byte) bool {
	if s.peek(c) {
		s.i++
		return true
	}
	return false
}

// blank skips white space and, over lines, also line ends and comments.
func (s *scanner) blank(lines bool) {
	for s.i < len(s.text) {
		switch c := s.text[s.i]; {
		case c == ' ' || c == '\t', lines && (c == '\n' || c == '\r'):
			s.i++
		case lines && c == '#':
			end := strings.IndexByte(s.text[s.i:], '\n')
			if end < 0 {
				end = len(s.text) - s.i
			}
			s.i += end
		default:
			return
		}
	}
}

// header reads [a.b] or [[a.b]] and returns the path of the table it opens.
func (s *scanner) header() string {
	s.i++
	array := s.accept('[')
	path, start := s.keys("")
	if array {
		n := s.arrays[path]
		s.arrays[path] = n + 1
		s.mark(path, start)
		path = Element(path, n)
		s.accept(']')
	}
	s.mark(path, start)
	s.accept(']')
	return path
}

// mark remembers the first place of a path.
func (s *scanner) mark(path string, offset int) {
	if _, ok := s.at[path]; !ok {
		s.at[path] = s.position(offset)
	}
}

// keys reads a dotted key below table and returns its path and where its last
// part starts. A part that names an array of tables means its last element.
func (s *scanner) keys(table string) (path string, start int) {
	path = table
	for parts := 1; ; parts++ {
		if parts > maxDepth {
			s.tooDeep()
			return path, start
		}
		s.blank(false)
		start = s.i
		key := s.key()
		path = Join(path, key)
		s.blank(false)
		if !s.accept('.') {
			return path, start
		}
		s.mark(path, start)
		if n := s.arrays[path]; n > 0 {
			path = Element(path, n-1)
		}
	}
}

func (s *scanner) key() string {
	start := s.i
	if s.peek('"') || s.peek('\'') {
		s.str()
		var v struct{ Key string }
		if err := toml.Unmarshal([]byte("Key = "+s.text[start:s.i]), &v); err != nil {
			return ""
		}
		return v.Key
	}
	for s.i < len(s.text) && isBare(s.text[s.i]) {
		s.i++
	}
	return s.text[start:s.i]
}

func isBare(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// pair reads key = value.
func (s *scanner) pair(table string) {
	path, start := s.keys(table)
	s.mark(path, start)
	s.blank(false)
	if s.accept('=') {
		s.blank(false)
		s.value(path)
	}
}

func (s *scanner) value(path string) {
	s.depth++
	defer func() { s.depth-- }()
	switch {
	case s.depth > maxDepth:
		s.tooDeep()
	case s.peek('"') || s.peek('\''):
		s.str()
	case s.accept('['):
		s.list(']', func(i int) {
			if !s.elements && !s.peek('[') && !s.peek('{') {
				s.value("") // in it is nothing with a path
				return
			}
			s.mark(Element(path, i), s.i)
			s.value(Element(path, i))
		})
	case s.accept('{'):
		s.list('}', func(int) { s.pair(path) })
	default:
		if end := strings.IndexAny(s.text[s.i:], ",]}#\n"); end >= 0 {
			s.i += end
		} else {
			s.i = len(s.text)
		}
	}
}

// list reads what stands between brackets, separated by commas.
func (s *scanner) list(end byte, item func(i int)) {
	for i := 0; ; i++ {
		s.blank(true)
		if s.accept(end) || s.i >= len(s.text) {
			return
		}
		from := s.i
		item(i)
		s.blank(true)
		if !s.accept(',') && s.i == from {
			s.i = len(s.text)
		}
	}
}

// str skips a string of any of the four kinds.
func (s *scanner) str() {
	quote := s.text[s.i]
	delim := s.text[s.i : s.i+1]
	if triple := strings.Repeat(delim, 3); strings.HasPrefix(s.text[s.i:], triple) {
		delim = triple
	}
	s.i += len(delim)
	for s.i < len(s.text) && !strings.HasPrefix(s.text[s.i:], delim) {
		if quote == '"' && s.text[s.i] == '\\' {
			s.i++
		}
		s.i++
	}
	s.i = min(s.i+len(delim), len(s.text))
	// """a"""" ends in a quote of its own.
	for len(delim) == 3 && s.peek(quote) {
		s.i++
	}
}
