package cdx

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"exclave/internal/record"
	"exclave/internal/urlx"
)

// What a POST or PUT sent becomes part of the key of its answer, so that replay can tell answers at one address apart: the query
// of the request body (https://specs.webrecorder.net/request-body-canonicalization/latest/), as pywb 2 and cdxj-indexer 1.5 make it.

// Bounds of what is read of a request's body, and of its query in characters.
const (
	mostBody  = 1 << 20
	mostQuery = 4096
	noLength  = 8192 // of the body is read where no Content-Length says how long it is
)

// request is what a request record says for the key of its answer.
type request struct {
	method string // in upper case
	query  string
}

// readRequest reads the block of a request record; nil when it is neither POST nor PUT.
func readRequest(block io.Reader, temp string) (q *request, err error) {
	raw, err := io.ReadAll(io.LimitReader(block, mostHead+mostBody))
	if err != nil {
		return nil, err
	}
	method, _, _ := strings.Cut(string(raw[:min(16, len(raw))]), " ")
	if method = strings.ToUpper(method); method != "POST" && method != "PUT" {
		return nil, nil
	}
	n := record.HeadLenOf(raw, false)
	head := record.ParseHead(raw[:n])
	rec := record.New(temp, len(raw))
	defer func() { err = errors.Join(err, rec.Close()) }()
	if err := rec.SetHead(raw[:n], head); err != nil {
		return nil, err
	}
	if _, err := rec.Write(raw[n:]); err != nil {
		return nil, err
	}
	body, err := rec.Body(mostBody)
	if err != nil && len(body) == 0 {
		body = raw[n:] // its codings cannot be removed: it is taken as it is
	}
	length := noLength
	if v := head.Get("Content-Length"); v != "" {
		if length, err = strconv.Atoi(strings.TrimSpace(v)); err != nil {
			return &request{method: method}, nil
		}
	}
	body = body[:max(0, min(length, len(body)))]
	return &request{method, clip(query(head.Get("Content-Type"), body), mostQuery)}, nil
}

// join makes the answer's key and tells what was sent.
func (q *request) join(c *Capture) {
	mark := "?"
	if strings.Contains(c.URL, "?") {
		mark = "&"
	}
	added := mark + "__wb_method=" + q.method
	if q.query != "" {
		added += "&" + q.query
	}
	c.Key, c.Method, c.Body = urlx.CDXKeyOf(c.URL+added), q.method, q.query
}

// query makes the query of a body by its type.
func query(kind string, body []byte) string {
	switch {
	case strings.HasPrefix(kind, "application/x-www-form-urlencoded"):
		if utf8.Valid(body) {
			return unquotePlus(string(body))
		}
	case strings.HasPrefix(kind, "multipart/"):
		if q, ok := formQuery(kind, body); ok {
			return q
		}
	case strings.HasPrefix(kind, "application/json"):
		q, _ := jsonQuery(body)
		return q
	case strings.HasPrefix(kind, "text/plain"):
		if q, ok := jsonQuery(body); ok {
			return q
		}
	}
	if len(body) == 0 {
		return "__wb_post_data="
	}
	return "__wb_post_data=" + base64.StdEncoding.EncodeToString(body)
}

// formQuery is the query of a form of several parts.
func formQuery(kind string, body []byte) (string, bool) {
	_, boundary, ok := strings.Cut(kind, "boundary=")
	if !ok || boundary == "" {
		return "", false
	}
	var out pairs
	for r := multipart.NewReader(bytes.NewReader(body), strings.Trim(boundary, `"`)); ; {
		p, err := r.NextPart()
		if err != nil {
			return out.encode(), true
		}
		value, err := io.ReadAll(p)
		out = append(out, [2]string{p.FormName(), string(value)})
		if err != nil {
			return out.encode(), true
		}
	}
}

// pairs are the names and values of a query.
type pairs [][2]string

func (p pairs) encode() string {
	var b strings.Builder
	for i, kv := range p {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(quotePlus(kv[0]) + "=" + quotePlus(kv[1]))
	}
	return b.String()
}

// quotePlus escapes as Python's quote_plus: "~" stays, all else as [url.QueryEscape].
func quotePlus(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "%7E", "~") }

// unquotePlus unescapes what is an escape and leaves the rest; what is no UTF-8 afterwards becomes U+FFFD.
func unquotePlus(s string) string {
	s = strings.ReplaceAll(s, "+", " ")
	if !strings.Contains(s, "%") {
		return s
	}
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if v, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b = append(b, byte(v))
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// jsonQuery is the query of a JSON value, or of one on each line: each scalar below a name under the nearest one; the
// second of a name is "name.2_". ok is false when it is none.
func jsonQuery(body []byte) (string, bool) {
	var out jsonPairs
	if out.value(body) {
		return out.encode(), true
	}
	if !bytes.ContainsRune(body, '\n') {
		return "", false
	}
	out = jsonPairs{}
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		if !out.value(line) {
			return "", false
		}
	}
	return out.encode(), true
}

type jsonPairs struct {
	pairs
	count map[string]int
}

// value takes one whole JSON value.
func (p *jsonPairs) value(text []byte) bool {
	if !json.Valid(text) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return p.next(d, "") == nil
}

func (p *jsonPairs) next(d *json.Decoder, name string) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	switch v := t.(type) {
	case json.Delim:
		for d.More() {
			inner := name
			if v == '{' {
				key, err := d.Token()
				if err != nil {
					return err
				}
				inner, _ = key.(string)
			}
			if err := p.next(d, inner); err != nil {
				return err
			}
		}
		_, err = d.Token()
		return err
	case nil:
		p.add(name, "None")
	case bool:
		p.add(name, map[bool]string{true: "True", false: "False"}[v])
	case json.Number:
		p.add(name, number(string(v)))
	case string:
		p.add(name, v)
	}
	return nil
}

func (p *jsonPairs) add(name, value string) {
	if name == "" {
		return
	}
	if p.count == nil {
		p.count = map[string]int{}
	}
	p.count[name]++
	if n := p.count[name]; n > 1 {
		name += "." + strconv.Itoa(n) + "_"
	}
	p.pairs = append(p.pairs, [2]string{name, value})
}

// number writes a JSON number as Python's str does.
func number(s string) string {
	if !strings.ContainsAny(s, ".eE") {
		return s
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return s
	}
	e := strconv.FormatFloat(f, 'e', -1, 64)
	_, exp, _ := strings.Cut(e, "e")
	if n, err := strconv.Atoi(exp); err == nil && n >= -4 && n < 16 {
		if e = strconv.FormatFloat(f, 'f', -1, 64); !strings.Contains(e, ".") {
			e += ".0"
		}
	}
	return e
}

// clip is the first n characters of s.
func clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
