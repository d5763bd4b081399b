package seedlog

import "bytes"

// Guess is what the first lines suggest.
type Guess struct {
	Format        Format `json:"format"`
	Matched       int    `json:"matched"` // lines of the window that the format explains
	Lines         int    `json:"lines"`   // lines of the window that hold something
	Second        Format `json:"second,omitempty"`
	SecondMatched int    `json:"second_matched,omitempty"`
}

const (
	windowBytes = 128 << 10
	windowLines = 500
)

// votes counts, format by format, the lines that it explains.
type votes struct {
	n        map[Format]int
	lines    int
	bare     int // addresses alone, which several formats explain
	origins  int // of them, scheme and host without a path
	group    []byte
	mixed    bool // origins of several groups
	wrapped  int  // lines that a Java formatter made
	legend   bool
	p        parser
	hasGroup bool
}

// guess looks at a window: whole lines, of which the last may lack its end when
// the file ends with it. name is the file's, or "".
func guess(window []byte, name string) Guess {
	v := votes{n: map[Format]int{}}
	for len(window) > 0 && v.lines < windowLines {
		line, rest, _ := bytes.Cut(window, []byte("\n"))
		window = rest
		if line = trim(line); len(line) > 0 && line[0] != '#' && len(line) <= MaxLine {
			v.add(line)
		}
	}
	return v.result(name)
}

func (v *votes) add(b []byte) {
	v.lines++
	v.p.scratch = v.p.scratch[:0]
	var e Entry
	if b[0] == '{' {
		v.addObject(b)
		return
	}
	if legendLike(b) {
		v.legend = true
		v.p.setLegend(b)
		v.n[CDX]++
		return
	}
	if _, _, ok := cdxFields(b); ok {
		v.n[CDX]++
	} else if v.legend {
		if kind, err := v.p.cdx(b, &e); err == nil && kind == found {
			v.n[CDX]++
		}
	}
	if _, _, ok := cdxjFields(b); ok || b[0] == '!' {
		v.n[CDXJ]++
	}
	if surtLike(bytes.TrimLeft(b, "+-")) {
		v.n[SURT]++
		return
	}
	if _, err := v.p.scope(b, &e); err == nil {
		v.n[Scope]++
	}
	if _, err := v.p.candidate(b, &e); err == nil {
		v.n[Candidate]++
	}
	if _, err := v.p.crawl(b, &e); err == nil {
		v.n[Crawl]++
	}
	switch _, _, shape := scoperShape(b); shape {
	case scoperHead, scoperLevel, scoperLine:
		v.wrapped++
	}
	v.addBare(b)
}

func (v *votes) addObject(b []byte) {
	o := &v.p.object
	switch {
	case v.p.parseObject(b) != nil:
	case len(o.url) == 0:
		if len(o.format) > 0 {
			v.n[Browsertrix]++
		}
	case (o.hasReason || o.hasSeed) && !o.rest:
		v.n[Browsertrix]++
	default:
		v.n[Exclave]++
	}
}

func surtLike(b []byte) bool {
	if len(b) > 0 && b[0] == '(' {
		return true
	}
	scheme, _, ok := bytes.Cut(b, []byte("://("))
	return ok && isScheme(scheme)
}

func (v *votes) addBare(b []byte) {
	b, _, err := v.p.cell(b)
	if err != nil || !absolute(b) && !hostLike(b) && !address(b) {
		return
	}
	v.bare++
	scheme, host, ok := bytes.Cut(b, []byte("://"))
	if !ok || bytes.ContainsAny(host, "/?#@") || string(scheme) != "http" && string(scheme) != "https" {
		return
	}
	v.origins++
	g := group(host)
	if v.hasGroup && !bytes.Equal(g, v.group) {
		v.mixed = true
	}
	v.group, v.hasGroup = append(v.group[:0], g...), true
}

// group is what Veidemann names a file after: the last label of a host and up to
// two letters of the one before it, "com_ex".
func group(host []byte) []byte {
	host, _, _ = bytes.Cut(host, []byte(":"))
	dot := bytes.LastIndexByte(host, '.')
	if dot < 0 {
		return bytes.ToLower(host)
	}
	before := host[:dot]
	before = before[bytes.LastIndexByte(before, '.')+1:]
	g := append(bytes.Clone(host[dot+1:]), '_')
	return bytes.ToLower(append(g, before[:min(2, len(before))]...))
}

func (v *votes) result(name string) Guess {
	v.n[List] = v.bare
	if v.wrapped > 0 {
		v.n[LinksScoper] = v.wrapped + v.bare
	}
	named := bytes.Contains([]byte(name), append([]byte("uri_"), v.group...)) && v.hasGroup
	if !v.mixed && v.origins == v.bare && (v.origins > 1 || named) {
		v.n[Veidemann] = v.origins
	}
	g := Guess{Format: List, Lines: v.lines}
	for _, f := range Formats() {
		switch n := v.n[f]; {
		case n > g.Matched:
			if g.Matched > 0 {
				g.Second, g.SecondMatched = g.Format, g.Matched
			}
			g.Format, g.Matched = f, n
		case n > g.SecondMatched && n > 0:
			g.Second, g.SecondMatched = f, n
		}
	}
	return g
}
