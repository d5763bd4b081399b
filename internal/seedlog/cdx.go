package seedlog

import "bytes"

// setLegend reads the first line of a CDX file, " CDX N b a m s k r M S V g": the
// delimiter, "CDX", and a letter for each column; a is the original URL.
func (p *parser) setLegend(b []byte) bool {
	if len(b) < 6 || string(b[:3]) != "CDX" {
		return false
	}
	p.legend, p.delim, p.column = bytes.Clone(b), b[3], -1
	for i, letter := range bytes.Split(b[4:], b[3:4]) {
		if string(letter) == "a" {
			p.column = i
		}
	}
	return true
}

// mark is what a parser must know that goes on within a file; setMark takes it.
func (p *parser) mark() string {
	if p.doubt != 0 {
		return "?" + string(p.doubt)
	}
	return string(p.legend)
}

func (p *parser) setMark(s string) {
	switch {
	case s == "":
	case len(s) == 2 && s[0] == '?':
		p.doubt = s[1]
	case !p.setLegend([]byte(s)):
		p.setHeader([]byte(s))
	}
}

// legendLike says whether b is a legend: "CDX" and single letters.
func legendLike(b []byte) bool {
	if len(b) < 6 || string(b[:3]) != "CDX" {
		return false
	}
	for _, letter := range bytes.Split(b[4:], b[3:4]) {
		if len(letter) != 1 {
			return false
		}
	}
	return true
}

// cdx parses a line of as many columns as the legend says; without a legend the
// third of 9 or 11 columns is the URL. The key is ignored: it lacks what a
// canonicaliser takes away.
func (p *parser) cdx(b []byte, e *Entry) (verdict, error) {
	if legendLike(b) {
		if p.setLegend(b); p.column < 0 {
			return blank, errLegend
		}
		return blank, nil
	}
	if p.legend == nil {
		uri, when, ok := cdxFields(b)
		if !ok {
			return blank, errCDX
		}
		e.Time = when
		return p.take(uri, e)
	}
	if p.column < 0 {
		return blank, errLegend
	}
	rest := b
	for range p.column {
		i := bytes.IndexByte(rest, p.delim)
		if i < 0 {
			return blank, errCDX
		}
		rest = rest[i+1:]
	}
	i := bytes.IndexByte(rest, p.delim)
	if i < 0 { // the URL is never the last column: the line is cut off
		return blank, errCDX
	}
	if dash(rest[:i]) == nil || i == 0 {
		return blank, errCDX
	}
	return p.take(rest[:i], e)
}

// cdxFields splits a line of a CDX file without legend.
func cdxFields(b []byte) (uri, when []byte, ok bool) {
	n := bytes.Count(b, []byte(" ")) + 1
	_, rest := cut(b)
	when, rest = cut(rest)
	uri, _ = cut(rest)
	// A media type with parameters makes one or two columns more.
	return uri, when, n >= 9 && n <= 13 && len(when) == 14 && digits(when) && (address(uri) || hostLike(uri))
}

// cdxj parses <key> <14 digits> <json>. Lines with '!' tell of the file.
func (p *parser) cdxj(b []byte, e *Entry) (verdict, error) {
	if b[0] == '!' {
		return blank, nil
	}
	when, object, ok := cdxjFields(b)
	if !ok || p.parseObject(object) != nil {
		return blank, errCDXJ
	}
	e.Time, e.URL = when, p.object.url
	if len(e.URL) == 0 {
		e.URL = p.object.original
	}
	if len(e.URL) == 0 {
		return blank, errNoURL
	}
	return p.take(e.URL, e)
}

func cdxjFields(b []byte) (when, object []byte, ok bool) {
	_, rest := cut(b)
	when, object = cut(rest)
	return when, object, digits(when) && len(when) >= 4 && len(when) <= 17 && len(object) > 0 && object[0] == '{'
}
