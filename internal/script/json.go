package script

import (
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// parseJSON makes values of a text; what is in it is known by what it says.
func parseJSON(p *Page, _ value, args []value) value {
	return p.lift(argument(args, 0), func(v value) value {
		t, is := v.(*text)
		if !is || !t.known() {
			return unknown{}
		}
		t.consumed = true
		p.cost(len(t.s) / 64)
		d := json.NewDecoder(strings.NewReader(t.s))
		out, err := p.fromJSON(d, 0, min(t.from, -1))
		if err == nil {
			_, err = d.Token()
			if err == io.EOF {
				if f, is := argument(args, 1).(*object); is && f.fn != nil {
					holder := p.object()
					holder.put("", out)
					return p.revived(f, holder, "", out)
				}
				return out
			}
		}
		if t.page || len(t.s) > maxText || strings.Count(t.s, "[")+strings.Count(t.s, "{") > 100 {
			return unknown{}
		}
		return p.fault("SyntaxError", "no JSON")
	})
}

// fromJSON reads a value. Its strings stand in the page, or in an answer.
func (p *Page) fromJSON(d *json.Decoder, depth, from int) (value, error) {
	p.step()
	if depth > 100 {
		return nil, io.ErrUnexpectedEOF
	}
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch tok := tok.(type) {
	case json.Delim:
		if tok == '[' {
			var list []value
			for d.More() {
				v, err := p.fromJSON(d, depth+1, from)
				if err != nil {
					return nil, err
				}
				list = append(list, v)
			}
			_, err = d.Token()
			return p.newList(list), err
		}
		o := p.object()
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := p.fromJSON(d, depth+1, from)
			if err != nil {
				return nil, err
			}
			if name, is := key.(string); is && len(o.keys) < maxItems {
				o.put(name, v)
			}
		}
		_, err = d.Token()
		return o, err
	case string:
		t := p.ofPage(tok)
		t.from = from
		return t, nil
	case float64:
		return tok, nil
	case bool:
		return tok, nil
	}
	return null{}, nil
}

// revived gives a function each value of what was read, the inner ones first, and takes what it makes of them.
func (p *Page) revived(f value, holder *object, key string, v value) value {
	p.step()
	p.down()
	defer func() { p.depth-- }()
	if o, is := v.(*object); is {
		for i := 0; i < len(o.list); i++ { // which the function may change
			if v := p.revived(f, o, strconv.Itoa(i), o.list[i]); i < len(o.list) {
				o.list[i] = v
			}
		}
		for _, key := range p.names(o) {
			if o.class == classList {
				break
			}
			if v := p.revived(f, o, key, o.get(key)); v != nil {
				o.put(key, v)
			} else {
				o.remove(key)
			}
		}
	}
	return p.callback(f, holder, plain(key), v)
}

// jsonWriter writes values as JSON.
type jsonWriter struct {
	p      *Page
	ask    value    // a function that says what is written instead
	only   []string // keys, when some are asked for
	indent string
	depth  int
}

// maxJSON is how many lists and objects in each other are written.
const maxJSON = 32

func stringifyJSON(p *Page, _ value, args []value) value {
	w := &jsonWriter{p: p}
	if by, is := one(argument(args, 1)).(*object); is {
		if by.fn != nil {
			w.ask = by
		} else if by.class == classList {
			w.only = []string{}
			for _, v := range by.list {
				if key, known := p.key(one(v)); known {
					w.only = append(w.only, key)
				}
			}
		}
	}
	switch by := one(argument(args, 2)).(type) {
	case float64:
		w.indent = strings.Repeat(" ", min(max(int(by), 0), 10))
	case *text:
		w.indent = by.s[:min(len(by.s), 10)]
	}
	holder := p.object()
	s, known := w.write(holder, "", argument(args, 0), "\n")
	switch {
	case !known:
		return unknown{}
	case s == "":
		return nil
	}
	return p.make(s)
}

// quoted is a text in JSON.
func quoted(s string) string {
	var w strings.Builder
	w.WriteByte('"')
	for _, r := range s {
		switch r {
		case '"', '\\':
			w.WriteByte('\\')
			w.WriteRune(r)
		case '\n':
			w.WriteString(`\n`)
		case '\r':
			w.WriteString(`\r`)
		case '\t':
			w.WriteString(`\t`)
		case '\b':
			w.WriteString(`\b`)
		case '\f':
			w.WriteString(`\f`)
		default:
			if r < ' ' {
				w.WriteString(`\u00`)
				w.WriteByte("0123456789abcdef"[r>>4])
				w.WriteByte("0123456789abcdef"[r&15])
				continue
			}
			w.WriteRune(r)
		}
	}
	w.WriteByte('"')
	return w.String()
}

// write writes a value that an object has; nothing, when it is left out. Known is false for what nobody knows.
func (w *jsonWriter) write(holder *object, key string, v value, line string) (s string, known bool) {
	p := w.p
	p.step()
	if o, is := v.(*object); is && (o.class == classDate || o.class == classPlain) {
		if f, is := p.get(o, "toJSON").(*object); is && f.fn != nil {
			v = one(p.call(f, o, []value{plain(key)}))
		}
	}
	if w.ask != nil {
		v = one(p.callback(w.ask, holder, plain(key), v))
	}
	switch v := v.(type) {
	case nil:
		return "", true
	case *text:
		p.cost(len(v.s) / 64)
		return quoted(v.s), v.known()
	case float64:
		if v-v != 0 {
			return "null", true
		}
		return formatNumber(v), true
	case bool:
		return strconv.FormatBool(v), true
	case null:
		return "null", true
	case *object:
		switch v.class {
		case classFunction, classSymbol:
			return "", true
		case classList, classPlain, classProxy:
		case classMap, classSet, classRegExp:
			return "{}", true
		default:
			return "", false
		}
		return w.writeAll(v, line+w.indent, line)
	}
	return "", false
}

// writeAll writes a list or an object.
func (w *jsonWriter) writeAll(o *object, inner, outer string) (string, bool) {
	p := w.p
	if w.depth >= maxJSON {
		return "", false
	}
	w.depth++
	defer func() { w.depth-- }()
	open, end, room := "{", "}", maxText
	var parts []string
	add := func(before, key string, v value, empty string) bool {
		s, known := w.write(o, key, v, inner)
		if s == "" {
			s, before = empty, ""
		}
		if room -= len(s) + len(before) + len(inner); !known || room < 0 {
			return false
		}
		if s != "" {
			parts = append(parts, before+s)
		}
		return true
	}
	if l, is := proxied(o).(*object); is && l.class == classList {
		open, end = "[", "]"
		items, _ := p.items(o)
		for i, v := range items {
			if !add("", strconv.Itoa(i), v, "null") {
				return "", false
			}
		}
	} else {
		names := w.only
		if names == nil {
			names = p.names(o)
		}
		for _, key := range names {
			if w.only != nil && o.own(key) == nil {
				continue
			}
			before := quoted(key) + ":"
			if w.indent != "" {
				before += " "
			}
			if !add(before, key, one(p.get(o, key)), "") {
				return "", false
			}
		}
	}
	switch {
	case len(parts) == 0:
		return open + end, true
	case w.indent == "":
		return open + strings.Join(parts, ",") + end, true
	}
	return open + inner + strings.Join(parts, ","+inner) + outer + end, true
}
