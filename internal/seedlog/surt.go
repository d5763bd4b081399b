package seedlog

import "bytes"

// surtLine parses a line of a list of SURT prefixes: "+http://(cz,example,)/".
// "-" takes a prefix away, so it names nothing that is wanted.
func (p *parser) surtLine(b []byte, e *Entry) (verdict, error) {
	switch b[0] {
	case '-':
		return skipped, nil
	case '+':
		if b = bytes.TrimSpace(b[1:]); len(b) == 0 {
			return blank, errSURT
		}
	}
	if !surtLike(b) {
		return p.person(b, e)
	}
	b, _, err := plainCell(b)
	if err != nil {
		return blank, err
	}
	scheme, rest, ok := bytes.Cut(b, []byte("://("))
	if !ok {
		scheme, rest = []byte("http"), b[1:]
	}
	return p.surt(scheme, rest, e)
}

// surt turns a prefix into the address it is the SURT form of, where it is one.
func (p *parser) surt(scheme, rest []byte, e *Entry) (verdict, error) {
	host, path, closed := bytes.Cut(rest, []byte(")"))
	var port []byte
	if len(host) > 0 && host[0] != '[' {
		if i := bytes.IndexByte(host, ':'); i >= 0 {
			host, port = host[:i], host[i:]
		}
	}
	host = bytes.TrimSuffix(host, []byte(","))
	labels := bytes.Count(host, []byte(",")) + 1
	address := labels == 1 && (bytes.IndexByte(host, '.') > 0 || len(host) > 0 && host[0] == '[')
	switch {
	case len(host) == 0 || bytes.ContainsAny(host, "/@ ") || len(path) > 0 && path[0] != '/':
		return blank, errSURT
	case labels == 1 && !address:
		return blank, errTLD
	case !closed:
		return blank, errOpenHost
	}
	at := len(p.scratch)
	p.scratch = append(append(p.scratch, scheme...), "://"...)
	for h := host; ; {
		comma := bytes.LastIndexByte(h, ',')
		p.scratch = append(p.scratch, h[comma+1:]...)
		if comma < 0 {
			break
		}
		p.scratch, h = append(p.scratch, '.'), h[:comma]
	}
	p.scratch = append(p.scratch, port...)
	if len(path) == 0 {
		path = []byte("/")
	}
	p.scratch = append(p.scratch, path...)
	e.URL = p.scratch[at:]
	return found, nil
}
