package script

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// anyAttribute is an attribute of an element that is not known: what those of the page have that say something of their own.
func (p *Page) anyAttribute(key string) value {
	if p.doc.some == nil {
		p.doc.some = map[string]value{}
	}
	if v, known := p.doc.some[key]; known {
		return v
	}
	var vals []value
	own := strings.HasPrefix(key, "data-")
	if !bytes.Contains(p.doc.source.Text, []byte(key+"=")) || !own && ofHTML(key) {
		return unknown{}
	}
	add := func(v string) {
		if len(vals) < maxChoices && !strings.ContainsAny(v, " \t\r\n<>{}[]()\"'") {
			vals = append(vals, p.ofPage(v))
		}
	}
	if own {
		p.cost(len(p.doc.source.Text) / 256)
		written(p.doc.source.Text, key, add)
	} else {
		for _, el := range p.elements(hint{dash: true}, func(n *html.Node) bool { return strings.IndexByte(n.Data, '-') > 0 }) {
			if v, has := attr(p.glance(el), key); has {
				add(v)
			} else if len(vals) < maxChoices {
				vals = append(vals, nil)
			}
		}
	}
	v := value(unknown{})
	if len(vals) > 0 {
		v = p.either(vals...)
	}
	p.doc.some[key] = v
	return v
}

// written calls add for what stands behind key= in a page, as attributes are written: no tree is made for that.
func written(page []byte, key string, add func(string)) {
	begin := []byte(key + "=")
	for at := 0; ; {
		i := bytes.Index(page[at:], begin)
		if i < 0 {
			return
		}
		at += i + len(begin)
		if before := at - len(begin); before == 0 || page[before-1] > ' ' || at == len(page) {
			continue
		}
		v := page[at:]
		if q := v[0]; q == '"' || q == '\'' {
			v = v[1:]
			v = v[:max(bytes.IndexByte(v, q), 0)]
		} else {
			v = v[:max(bytes.IndexAny(v, "> \t\r\n"), 0)]
		}
		if len(v) <= maxText {
			add(html.UnescapeString(string(v)))
		}
	}
}

// ofHTML reports attributes that mean something in elements of HTML.
func ofHTML(key string) bool {
	switch key {
	case "src", "href", "id", "class", "value", "type", "title", "alt", "style", "rel", "content", "action", "lang", "width", "height", "target", "placeholder":
		return true
	}
	return false
}
