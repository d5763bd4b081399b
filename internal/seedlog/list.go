package seedlog

import (
	"bytes"
	"net/netip"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"exclave/internal/urlx"
)

// separators are what tables put between columns; all may also stand in a URL.
const separators = ",;|"

// list parses a line of a list that people write: an address or a host, with a comment or further columns
// behind it, or, since seed files grow by pasting, a SURT prefix or an object of an out-of-scope log. What could
// be read as another address than was meant is refused.
func (p *parser) list(b []byte, e *Entry) (verdict, error) {
	switch {
	case p.columns == 0 && plainURL(b):
		e.URL = b
		return found, nil
	case b[0] == '{':
		return p.json(b, e)
	case b[0] == '+' || surtLike(bytes.TrimLeft(b, "-")):
		return p.surtLine(b, e)
	case p.setHeader(b):
		return blank, nil
	}
	return p.person(b, e)
}

// plainURL says whether nothing about a line needs a closer look, as of nearly all there are.
func plainURL(b []byte) bool {
	rest, ok := bytes.CutPrefix(b, []byte("http://"))
	if !ok {
		if rest, ok = bytes.CutPrefix(b, []byte("https://")); !ok {
			return false
		}
	}
	i, dots := 0, 0
	for ; i < len(rest) && rest[i] != '/'; i++ {
		switch c := rest[i]; {
		case c == '.':
			dots++
		case c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z'):
			return false
		}
	}
	for _, c := range rest[i:] {
		if c <= ' ' || c >= 0x7f || c == ',' || c == ';' || c == '|' {
			return false
		}
	}
	return dots > 0
}

// person parses a line with an address that a person wrote.
func (p *parser) person(b []byte, e *Entry) (verdict, error) {
	c, quoted, err := p.cell(b)
	if err != nil {
		return blank, err
	}
	if p.doubt != 0 && !quoted && bytes.IndexByte(c, p.doubt) >= 0 {
		return blank, errColumns
	}
	if err := written(c, quoted); err != nil {
		return blank, err
	}
	return p.take(c, e)
}

// cell returns the address of a line: what stands in quotes or angle brackets (spaces too), in the column that the
// header names, or else before the first white space. Behind it may stand a comment, or further columns after a tab.
func (p *parser) cell(b []byte) (c []byte, quoted bool, err error) {
	if p.columns > 0 && p.delim != 0 {
		if b, err = column(b, p.delim, p.column, p.columns); err != nil {
			return nil, false, err
		}
		return b, true, readable(b)
	}
	rest := []byte(nil)
	switch end := bytes.IndexByte([]byte(`""''<>`), b[0]); end {
	case 0, 2, 4:
		quoted = true
		i := bytes.IndexByte(b[1:], `""''<>`[end+1])
		if i < 0 {
			return nil, false, errQuote
		}
		c, rest = b[1:i+1], b[i+2:]
		if len(rest) > 0 && !strings.ContainsRune(separators+"\t", rune(rest[0])) {
			if gap := bytes.TrimLeftFunc(rest, unicode.IsSpace); len(gap) == len(rest) || len(gap) > 0 && gap[0] != '#' {
				return nil, false, errQuote
			}
		}
		if err = readable(c); err != nil {
			return nil, false, err
		}
	default:
		if c, rest, err = plainCell(b); err != nil {
			return nil, false, err
		}
	}
	if note := bytes.TrimSpace(rest); !bytes.HasPrefix(note, []byte("#")) && bytes.Contains(note, []byte("://")) {
		return nil, false, errTwo
	}
	return c, quoted, nil
}

// plainCell cuts an address off at its first white space; only a comment, or columns after a tab, may follow.
func plainCell(b []byte) (c, rest []byte, err error) {
	c = b
	if i := bytes.IndexFunc(b, unicode.IsSpace); i >= 0 {
		c, rest = b[:i], b[i:]
		words := bytes.TrimLeftFunc(rest, unicode.IsSpace)
		tab := bytes.IndexByte(rest[:len(rest)-len(words)], '\t') >= 0
		if len(words) > 0 && words[0] != '#' && !tab {
			if bytes.Contains(words, []byte("://")) && urlx.Scheme(string(c)) != "" {
				return nil, nil, errTwo
			}
			if urlx.Scheme(string(c)) == "" && !hostLike(c) {
				return nil, nil, errNoHost
			}
			return nil, nil, errWords
		}
	}
	return c, rest, readable(c)
}

// readable says what a person who reads a list would not see in an address.
func readable(c []byte) error {
	switch {
	case !utf8.Valid(c):
		return errUTF8
	case bytes.IndexFunc(c, invisible) >= 0:
		return errInvisible
	}
	return nil
}

// invisible says whether nobody who reads a list would see the character. Two of the kind are letters' joiners,
// which some languages need.
func invisible(r rune) bool {
	return r != '\u200c' && r != '\u200d' && unicode.In(r, unicode.Cc, unicode.Cf)
}

// written checks the address that a person wrote for what a URL parser would make something else of. Quotes say
// that all of it is meant.
func written(c []byte, quoted bool) error {
	s := string(c)
	scheme := urlx.Scheme(s)
	switch {
	case scheme == "http" || scheme == "https":
		s = strings.TrimLeft(s[len(scheme)+1:], `/\`)
	case scheme == "" || hostPort(c):
		if s = strings.TrimLeft(s, "/"); !hostLike([]byte(s)) {
			return errNoHost
		}
		scheme = ""
	default:
		return nil // take says what it thinks of the scheme
	}
	authority, path := s, ""
	if i := strings.IndexAny(s, `/\?#`); i >= 0 {
		authority, path = s[:i], s[i:]
	}
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	switch {
	case strings.ContainsAny(host, separators):
		return errColumns
	case strings.IndexFunc(host, noHostMark) >= 0:
		if scheme == "" {
			return errNoHost
		}
		return errHostMarks
	case strings.TrimRight(host, ":") == "http", strings.TrimRight(host, ":") == "https":
		return errTwo
	case scheme == "" && (len(host) < len(authority) || isNumber(host)):
		return errNoHost
	}
	if quoted {
		return nil
	}
	before, _, _ := strings.Cut(path, "?")
	switch {
	case len(before) > 1 && strings.ContainsAny(before[1:2], separators), strings.HasSuffix(s, ","), strings.HasSuffix(s, ";"):
		return errColumns
	case strings.Contains(before, ",http://"), strings.Contains(before, ",https://"), strings.Contains(before, ";http"):
		return errTwo
	}
	return nil
}

// noHostMark says whether a character is in no name of a host: punctuation but for what divides labels, ports
// and addresses, and quotes and brackets of any script.
func noHostMark(r rune) bool {
	if r < utf8.RuneSelf {
		return !(r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || strings.ContainsRune("-._:[]%", r))
	}
	return unicode.In(r, unicode.Pi, unicode.Pf, unicode.Ps, unicode.Pe)
}

// isNumber says whether a host without a scheme is a number, which a URL parser would take for an address:
// 3.14 is not 3.0.0.14.
func isNumber(host string) bool {
	host, _, _ = strings.Cut(host, ":")
	last := host[strings.LastIndexByte(host, '.')+1:]
	_, err := netip.ParseAddr(host)
	return err != nil && digits([]byte(last))
}

// headerNames are what the column with the address is called.
var headerNames = []string{"url", "uri", "seed", "link", "address", "adresa", "odkaz"}

// setHeader takes a header of a table with a column of addresses: "url,title".
func (p *parser) setHeader(b []byte) bool {
	if bytes.ContainsAny(b, ":/") {
		return false // an address
	}
	delim := byte(0)
	for _, d := range []byte("\t;,|") {
		if delim == 0 && bytes.IndexByte(b, d) >= 0 {
			delim = d
		}
	}
	names, at := []string{string(b)}, -1
	if delim != 0 {
		names = strings.Split(string(b), string(delim))
	}
	for i, name := range names {
		name = strings.ToLower(strings.Trim(strings.TrimSpace(name), `"`))
		if slices.Contains(headerNames, name) {
			if at >= 0 {
				return false
			}
			at = i
		}
	}
	if at < 0 {
		return false
	}
	p.legend, p.delim, p.column, p.columns, p.doubt = bytes.Clone(b), delim, at, len(names), 0
	return true
}

// column returns a column of a line of a table. Quotes stand around what holds a separator or, doubled, a quote;
// a line may have fewer columns than the header.
func column(b []byte, delim byte, n, most int) ([]byte, error) {
	var found []byte
	for i := 0; ; i++ {
		var c []byte
		b = bytes.TrimLeft(b, " ")
		if len(b) > 0 && b[0] == '"' {
			end := 1
			for ; end < len(b) && (b[end] != '"' || end+1 < len(b) && b[end+1] == '"'); end++ {
				if b[end] == '"' {
					end++
				}
			}
			if end >= len(b) {
				return nil, errQuote
			}
			c, b = bytes.ReplaceAll(b[1:end], []byte(`""`), []byte(`"`)), bytes.TrimLeft(b[end+1:], " ")
			if len(b) > 0 && b[0] != delim {
				return nil, errQuote
			}
		} else if end := bytes.IndexByte(b, delim); end >= 0 {
			c, b = b[:end], b[end:]
		} else {
			c, b = b, nil
		}
		if i == n {
			found = bytes.TrimSpace(c)
		}
		if len(b) == 0 {
			break
		}
		if b = b[1:]; i+1 >= most {
			return nil, errMoreColumns
		}
	}
	if len(found) == 0 {
		return nil, errNoColumn
	}
	return found, nil
}

// doubtful returns what separates columns in a list without a header whose lines, of several hosts, all have as
// many of it: addresses with a comma in each are rarer than tables. 0: nothing does.
func doubtful(window []byte) byte {
	for _, d := range []byte(separators) {
		lines, each := 0, 0
		hosts := map[string]bool{}
		for line := range bytes.Lines(window) {
			if line = trim(line); len(line) == 0 || bytes.IndexByte([]byte("#{+-\"'<"), line[0]) >= 0 {
				continue
			}
			_, rest, _ := bytes.Cut(line, []byte("://"))
			host, path, _ := bytes.Cut(rest, []byte("/"))
			n := bytes.Count(path, []byte{d})
			if lines++; n == 0 || lines > 1 && n != each {
				lines = 0
				break
			}
			each, hosts[string(host)] = n, true
		}
		if lines > 1 && len(hosts) > 1 {
			return d
		}
	}
	return 0
}
