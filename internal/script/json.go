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
		out, err := p.fromJSON(d, 0)
		if err == nil {
			_, err = d.Token()
			if err == io.EOF {
				return out
			}
		}
		if t.page || len(t.s) > maxText || strings.Count(t.s, "[")+strings.Count(t.s, "{") > 100 {
			return unknown{}
		}
		return p.fault("SyntaxError", "no JSON")
	})
}

func (p *Page) fromJSON(d *json.Decoder, depth int) (value, error) {
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
				v, err := p.fromJSON(d, depth+1)
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
			v, err := p.fromJSON(d, depth+1)
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
		return &text{s: tok, lit: true, from: -1}, nil
	case float64:
		return tok, nil
	case bool:
		return tok, nil
	}
	return null{}, nil
}

func stringifyJSON(p *Page, _ value, args []value) value {
	s, known := p.toJSON(argument(args, 0), 0)
	if !known {
		return unknown{}
	}
	return p.make(s)
}

func (p *Page) toJSON(v value, depth int) (string, bool) {
	p.step()
	switch v := v.(type) {
	case *text:
		p.cost(len(v.s) / 64)
		b, err := json.Marshal(v.s)
		return string(b), err == nil && v.known()
	case float64:
		return formatNumber(v), true
	case bool:
		return strconv.FormatBool(v), true
	case null:
		return "null", true
	case *object:
		if depth > 16 {
			return "", false
		}
		var parts []string
		room := maxText
		if v.class == classList {
			for _, item := range v.list {
				s, known := p.toJSON(item, depth+1)
				if room -= len(s); !known || room < 0 {
					return "", false
				}
				parts = append(parts, s)
			}
			return "[" + strings.Join(parts, ",") + "]", true
		}
		if v.class != classPlain {
			return "", false
		}
		for _, key := range p.names(v) {
			s, known := p.toJSON(v.get(key), depth+1)
			if room -= len(s) + len(key); !known || room < 0 {
				return "", false
			}
			parts = append(parts, strconv.Quote(key)+":"+s)
		}
		return "{" + strings.Join(parts, ",") + "}", true
	}
	return "", false
}
