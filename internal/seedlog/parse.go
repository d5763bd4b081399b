package seedlog

import (
	"bytes"
	"slices"

	"exclave/internal/urlx"
)

// verdict is what a line holds, when it is not broken.
type verdict uint8

const (
	blank   verdict = iota // nothing: empty, comment, header, head of a record
	skipped                // an address that is no seed: in scope there, or fetched
	found                  // an address in the entry
)

// parser understands lines of one format. Entries point into the line and into
// scratch.
type parser struct {
	format   Format
	statuses []int  // of a crawl.log whose lines are seeds
	legend   []byte // of a CDX file, "" = 9 or 11 fields; the header of a list
	delim    byte   // of a CDX file or a list with a header; 0: one column
	column   int    // of the URL
	columns  int    // of the header of a list
	doubt    byte   // separates columns in a list without a header
	when     []byte // time of the record that a two-line log has begun
	scratch  []byte
	object   fields
}

// line parses a line without white space around it. e is empty before.
func (p *parser) line(b []byte, e *Entry) (verdict, error) {
	if len(b) == 0 || b[0] == '#' {
		return blank, nil
	}
	p.scratch = p.scratch[:0]
	switch p.format {
	case Exclave, Browsertrix:
		return p.json(b, e)
	case CDXJ:
		return p.cdxj(b, e)
	case CDX:
		return p.cdx(b, e)
	case SURT:
		return p.surtLine(b, e)
	case Scope:
		return p.scope(b, e)
	case Candidate:
		return p.candidate(b, e)
	case Crawl:
		return p.crawl(b, e)
	case LinksScoper:
		return p.linksScoper(b, e)
	}
	return p.list(b, e)
}

// take makes b the address of the entry, with http when it names no scheme.
func (p *parser) take(b []byte, e *Entry) (verdict, error) {
	if !bytes.HasPrefix(b, []byte("http://")) && !bytes.HasPrefix(b, []byte("https://")) {
		if s := string(b); urlx.Scheme(s) == "" || hostPort(b) {
			b = bytes.TrimLeft(b, "/")
			if !hostLike(b) {
				return blank, errNoHost
			}
			at := len(p.scratch)
			p.scratch = append(append(p.scratch, "http://"...), b...)
			b = p.scratch[at:]
		}
	}
	e.URL = b
	return found, nil
}

// hostPort tells "example.com:8080/x", which parses as a scheme, from a URI.
func hostPort(b []byte) bool {
	head, rest, _ := bytes.Cut(b, []byte(":"))
	return (bytes.IndexByte(head, '.') >= 0 || string(head) == "localhost") && len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9'
}

// hostLike says whether what has no scheme begins with a host: people leave
// schemes out, but a word is no host.
func hostLike(b []byte) bool {
	if i := bytes.IndexAny(b, "/?#:"); i >= 0 {
		if b[0] == '[' {
			return true
		}
		b = b[:i]
	}
	return string(b) == "localhost" || bytes.IndexByte(b, '.') > 0 && !bytes.ContainsAny(b, " \t\x00")
}

// absolute says whether b begins with a scheme, "://" and something.
func absolute(b []byte) bool {
	i := bytes.Index(b, []byte("://"))
	return i > 0 && i+3 < len(b) && isScheme(b[:i])
}

// address says whether b is what a log writes for an address: a scheme, a colon
// and something (dns:host, metadata://…), without white space.
func address(b []byte) bool {
	i := bytes.IndexByte(b, ':')
	return i > 0 && i+1 < len(b) && isScheme(b[:i]) && bytes.IndexByte(b, ' ') < 0
}

func isScheme(b []byte) bool {
	for i, c := range b {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return len(b) > 0
}

// cut returns the first field of b and what follows the spaces behind it.
func cut(b []byte) (field, rest []byte) {
	i := bytes.IndexByte(b, ' ')
	if i < 0 {
		return b, nil
	}
	field, rest = b[:i], b[i:]
	for len(rest) > 0 && rest[0] == ' ' {
		rest = rest[1:]
	}
	return field, rest
}

// dash returns nothing for the "-" of an empty field.
func dash(b []byte) []byte {
	if len(b) == 1 && b[0] == '-' {
		return nil
	}
	return b
}

func digits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) > 0
}

// logTime says whether b is a time of Heritrix: 2011-06-23T17:12:08.802Z, or 17
// digits in its first versions.
func logTime(b []byte) bool {
	if len(b) == 17 || len(b) == 14 {
		return digits(b)
	}
	return len(b) >= 20 && len(b) <= 30 && b[4] == '-' && b[7] == '-' && b[10] == 'T' && b[13] == ':' && digits(b[:4]) && b[len(b)-1] == 'Z'
}

// number parses a status: digits, perhaps behind a minus.
func number(b []byte) (int, bool) {
	neg := len(b) > 1 && b[0] == '-'
	if neg {
		b = b[1:]
	}
	if !digits(b) || len(b) > 6 {
		return 0, false
	}
	n := 0
	for _, c := range b {
		n = 10*n + int(c-'0')
	}
	if neg {
		n = -n
	}
	return n, true
}

// crawl parses <time> <status> <size> <uri> <hops> <via> <mime> <worker>
// <fetched> <digest> <source> <annotations>.
func (p *parser) crawl(b []byte, e *Entry) (verdict, error) {
	var f [11][]byte
	n := 0
	for rest := b; n < len(f) && len(rest) > 0; n++ {
		f[n], rest = cut(rest)
	}
	if n < 7 || !logTime(f[0]) || dash(f[2]) != nil && !digits(f[2]) || !address(f[3]) {
		return blank, errCrawl
	}
	status, ok := number(f[1])
	if !ok {
		return blank, errCrawl
	}
	if !slices.Contains(p.statuses, status) {
		return skipped, nil
	}
	e.Time, e.Rule, e.Hops, e.Via, e.Source = f[0], f[1], dash(f[4]), dash(f[5]), dash(f[10])
	return p.take(f[3], e)
}

// decision says whether b is what a Heritrix rule says, and whether that leaves
// the address out.
func decision(b []byte) (out, ok bool) {
	switch string(b) {
	case "REJECT", "NONE":
		return true, true
	case "ACCEPT":
		return false, true
	}
	return false, false
}

// scope parses <time> <rule number> <rule class> <decision> <uri>[ <json>].
func (p *parser) scope(b []byte, e *Entry) (verdict, error) {
	when, rest := cut(b)
	index, rest := cut(rest)
	rule, rest := cut(rest)
	dec, rest := cut(rest)
	uri, extra := cut(rest)
	_, isIndex := number(index)
	out, ok := decision(dec)
	if !logTime(when) || !isIndex || !ok || !address(uri) {
		return blank, errScope
	}
	if len(extra) > 0 {
		if extra[0] != '{' || p.parseObject(extra) != nil {
			return blank, errScope
		}
		e.Hops, e.Via, e.Source = p.object.hopPath, p.object.via, p.object.seed
	}
	if !out {
		return skipped, nil
	}
	e.Time, e.Rule = when, rule
	return p.take(uri, e)
}

// candidate parses <time> <decision> <uri>.
func (p *parser) candidate(b []byte, e *Entry) (verdict, error) {
	when, rest := cut(b)
	dec, uri := cut(rest)
	out, ok := decision(dec)
	if !logTime(when) || !ok || !address(uri) {
		return blank, errCand
	}
	if !out {
		return skipped, nil
	}
	e.Time = when
	return p.take(uri, e)
}

// linksScoper parses a line that a Java formatter may have wrapped: the head of a
// two-line record, its second line "INFO: uri", both in one line, or the address
// alone.
func (p *parser) linksScoper(b []byte, e *Entry) (verdict, error) {
	when := p.when
	p.when = p.when[:0]
	switch uri, prefix, shape := scoperShape(b); shape {
	case scoperHead:
		p.when = append(p.when, prefix...)
		return blank, nil
	case scoperLevel:
		e.Time = when
		return p.take(uri, e)
	case scoperLine:
		e.Time = prefix
		return p.take(uri, e)
	case scoperBare:
		return p.take(uri, e)
	}
	return blank, errScoper
}

type scoperKind uint8

const (
	scoperNone  scoperKind = iota
	scoperHead             // Nov 21, 2006 3:04:05 PM org.archive.….LinksScoper outOfScope
	scoperLevel            // INFO: http://…
	scoperLine             // both, or Heritrix's one-line formatter
	scoperBare             // http://…
)

// scoperShape returns the address of a line and, where there is one, its date.
func scoperShape(b []byte) (uri, when []byte, k scoperKind) {
	last := b[bytes.LastIndexByte(b, ' ')+1:]
	prefix := bytes.TrimSpace(b[:len(b)-len(last)])
	if !absolute(last) {
		if class := javaClass(prefix); class > 0 && dated(prefix[:class]) {
			return nil, bytes.TrimSpace(prefix[:class]), scoperHead
		}
		return nil, nil, scoperNone
	}
	if len(prefix) == 0 {
		return last, nil, scoperBare
	}
	if prefix[len(prefix)-1] == ':' && bytes.IndexByte(prefix, ' ') < 0 {
		return last, nil, scoperLevel
	}
	if class := javaClass(prefix); class > 0 && dated(prefix[:class]) {
		return last, bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(prefix[:class]), []byte(" INFO"))), scoperLine
	}
	return nil, nil, scoperNone
}

// dated says whether b looks like a date and a time, in whatever locale Java
// wrote it: it has digits and a colon.
func dated(b []byte) bool {
	return bytes.IndexByte(b, ':') > 0 && bytes.ContainsAny(b, "0123456789")
}

// javaClass returns where the first word begins that is a Java class with its
// package, or -1.
func javaClass(b []byte) int {
	for at := 0; at < len(b); {
		word := b[at:]
		if i := bytes.IndexByte(word, ' '); i >= 0 {
			word = word[:i]
		}
		if bytes.Count(word, []byte(".")) >= 2 && 'a' <= word[0] && word[0] <= 'z' && !bytes.ContainsAny(word, "/:,") {
			return at
		}
		at += len(word) + 1
	}
	return -1
}
