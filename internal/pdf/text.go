package pdf

import (
	"math"
	"net/url"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// accented returns a letter with an accent as one character.
func accented(letter byte, mark string) string { return norm.NFC.String(string(rune(letter)) + mark) }

const (
	// maxPages bounds the pages, maxForms how deep forms are in one another.
	maxPages = 20_000
	maxForms = 5
	// wordGap is how wide a gap between two strings is that divides words, in sizes of the font.
	wordGap = 0.15
)

// Title is what the file calls itself.
func (f *File) Title() string {
	info := f.object(f.trailer["Info"])
	d, _ := f.dict(f.trailer["Info"])
	return strings.TrimSpace(textOf(f.string(info, d["Title"])))
}

// Language is the language of the document (14.9.2), "" when it does not say.
func (f *File) Language() string {
	root := f.object(f.trailer["Root"])
	d, _ := f.dict(f.trailer["Root"])
	return textOf(f.string(root, d["Lang"]))
}

// Base is the address that those of URI actions are relative to (12.6.4.8), "" when the file names none.
func (f *File) Base() string {
	root := f.object(f.trailer["Root"])
	for i := 0; root == nil && i < len(f.order); i++ { // the file was cut
		if d, is := f.objects[f.order[i]].value.(dict); is && d["Type"] == name("Catalog") {
			root = f.objects[f.order[i]]
		}
	}
	if root == nil {
		return ""
	}
	d, _ := root.value.(dict)
	if r := f.object(d["URI"]); r != nil {
		root = r
	}
	u, _ := f.dict(d["URI"])
	return textOf(f.string(root, u["Base"]))
}

// Target is what an action leads to.
type Target struct {
	Ref  string
	File bool // another file (GoToR), relative to this one and not to Base
}

// Targets yields what URI actions (12.6.4.8) and remote go-to actions (12.6.4.3) lead to, in the order of the file. Files of the
// machine that it was made on are left out.
func (f *File) Targets(yield func(Target)) {
	for _, n := range f.order {
		o := f.objects[n]
		if o == nil {
			continue
		}
		f.targets(o, o.value, 0, yield)
	}
}

func (f *File) targets(o *object, v any, depth int, yield func(Target)) {
	if depth > 10 {
		return
	}
	switch v := v.(type) {
	case dict:
		if u, has := v["URI"]; has {
			if b := f.string(o, u); len(b) > 0 {
				yield(Target{Ref: textOf(b)})
			}
		}
		if f.get(v["S"]) == name("GoToR") {
			if ref := f.fileOf(o, v["F"]); ref != "" {
				yield(Target{ref, true})
			}
		}
		for _, key := range []string{"A", "AA", "Annots", "Next", "U", "D"} {
			if _, isRef := v[key].(ref); !isRef {
				f.targets(o, v[key], depth+1, yield)
			}
		}
	case []any:
		for _, x := range v {
			if _, isRef := x.(ref); !isRef {
				f.targets(o, x, depth+1, yield)
			}
		}
	}
}

// fileOf returns the address that a file specification (7.11) is: a URL, or a file beside this one.
func (f *File) fileOf(o *object, spec any) string {
	file := spec
	if d, is := f.dict(spec); is {
		if r := f.object(spec); r != nil {
			o = r
		}
		if f.get(d["FS"]) == name("URL") {
			return textOf(f.string(o, d["F"]))
		}
		if file = d["UF"]; file == nil {
			file = d["F"]
		}
	}
	n := textOf(f.string(o, file))
	if n == "" || n[0] == '/' || strings.ContainsAny(n, "\\:") { // from the root of a disk
		return ""
	}
	return (&url.URL{Path: n}).EscapedPath() // its signs are none of an address: 100%.pdf, a#b.pdf
}

// Text yields the text of each page: words divided by blanks, lines by newlines.
func (f *File) Text(yield func(page string)) {
	left := f.limits.Text
	for _, p := range f.pages() {
		if left <= 0 || !f.on() {
			return
		}
		w := &writer{f: f, left: left, fonts: map[string]*font{}}
		var content []byte
		for _, c := range f.list(p["Contents"]) {
			if o := f.object(c); o != nil && o.raw != nil {
				content = append(append(content, f.data(o)...), '\n')
			}
		}
		w.run(content, f.inherited(p, "Resources"), 0)
		left = w.left
		yield(w.out.String())
	}
}

// pages returns the pages: in the order of the tree, or that of the file when there is none.
func (f *File) pages() (out []dict) {
	root, _ := f.dict(f.trailer["Root"])
	seen := map[ref]bool{}
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		r, isRef := v.(ref)
		if isRef && seen[r] || depth > 50 || len(out) >= maxPages {
			return
		}
		if isRef {
			seen[r] = true
		}
		d, _ := f.dict(v)
		if kids := f.list(d["Kids"]); len(kids) > 0 && d["Contents"] == nil {
			for _, k := range kids {
				walk(k, depth+1)
			}
		} else if d != nil && d["Contents"] != nil {
			out = append(out, d)
		}
	}
	walk(root["Pages"], 0)
	if len(out) > 0 {
		return out
	}
	for _, n := range f.order {
		if o := f.objects[n]; o != nil && len(out) < maxPages {
			if d, is := o.value.(dict); is && f.get(d["Type"]) == name("Page") {
				out = append(out, d)
			}
		}
	}
	return out
}

// inherited returns a dictionary of a page or of what is above it (7.7.3.4).
func (f *File) inherited(p dict, key string) dict {
	for range 50 {
		if d, is := f.dict(p[key]); is {
			return d
		}
		above, is := f.dict(p["Parent"])
		if !is {
			break
		}
		p = above
	}
	return nil
}

// writer runs a content stream and writes the text that it shows.
type writer struct {
	f     *File
	left  int
	out   strings.Builder
	fonts map[string]*font // by name and resources' place

	font               *font
	size, scale        float64 // of the font; of the text matrix
	x, y, lineX, lineY float64 // where the next string begins, in the space of the text
	endX, endY         float64 // where the last one ended
	any                bool
	leading            float64
	charGap, wordGap   float64
}

// run runs the operators that move and show text (9.4).
func (w *writer) run(content []byte, resources dict, depth int) {
	s := scanner{s: content}
	var args []any
	number := func(i int) float64 {
		if i < 0 || i >= len(args) {
			return 0
		}
		n, _ := args[i].(float64)
		return n
	}
	for n := 0; w.left > 0; n++ {
		if n%4096 == 4095 && !w.f.on() {
			return
		}
		v, ok := s.next(0)
		if !ok {
			return
		}
		op, is := v.(word)
		if !is {
			if len(args) < 100 {
				args = append(args, v)
			}
			continue
		}
		switch k := len(args); op {
		case "BT":
			w.x, w.y, w.lineX, w.lineY, w.scale = 0, 0, 0, 0, 1
		case "Tf":
			if k >= 2 {
				if n, is := args[k-2].(name); is {
					w.font = w.load(resources, string(n))
				}
				w.size = number(k - 1)
			}
		case "Tc":
			w.charGap = number(k - 1)
		case "Tw":
			w.wordGap = number(k - 1)
		case "TL":
			w.leading = number(k - 1)
		case "Td":
			w.move(number(k-2), number(k-1))
		case "TD":
			w.leading = -number(k - 1)
			w.move(number(k-2), number(k-1))
		case "T*":
			w.move(0, -w.leading)
		case "Tm":
			if k >= 6 {
				w.scale = math.Hypot(number(k-6), number(k-5))
				w.lineX, w.lineY = number(k-2), number(k-1)
				w.x, w.y = w.lineX, w.lineY
			}
		case "Tj":
			w.show(args)
		case "'", `"`:
			w.move(0, -w.leading)
			w.show(args)
		case "TJ":
			if k > 0 {
				if list, is := args[k-1].([]any); is {
					w.show(list)
				}
			}
		case "Do":
			if k > 0 && depth < maxForms {
				w.form(resources, args[k-1], depth)
			}
		case "ID": // of a picture in the stream: bytes up to EI
			if i := strings.Index(string(content[s.i:min(len(content), s.i+1<<20)]), "EI"); i >= 0 {
				s.i += i + 2
			}
		}
		args = args[:0]
	}
}

// form runs a form, which is a part of the page (8.10).
func (w *writer) form(resources dict, v any, depth int) {
	n, _ := v.(name)
	all, _ := w.f.dict(resources["XObject"])
	o := w.f.object(all[string(n)])
	if o == nil || o.raw == nil {
		return
	}
	d, _ := o.value.(dict)
	if w.f.get(d["Subtype"]) != name("Form") {
		return
	}
	own, is := w.f.dict(d["Resources"])
	if !is {
		own = resources
	}
	w.run(w.f.data(o), own, depth+1)
}

// load returns a font of the resources.
func (w *writer) load(resources dict, n string) *font {
	all, _ := w.f.dict(resources["Font"])
	key := n
	if r, is := all[n].(ref); is {
		key = "#" + string(rune(r)) // the same for every page
	}
	if t, known := w.fonts[key]; known {
		return t
	}
	d, is := w.f.dict(all[n])
	if !is {
		return nil
	}
	t := w.f.font(d)
	w.fonts[key] = t
	return t
}

func (w *writer) move(x, y float64) {
	w.lineX, w.lineY = w.lineX+x*w.scale, w.lineY+y*w.scale
	w.x, w.y = w.lineX, w.lineY
}

// show writes strings; numbers between them are gaps, in thousandths of the size.
func (w *writer) show(list []any) {
	for _, v := range list {
		switch v := v.(type) {
		case float64:
			w.x -= v / 1000 * w.size * w.scale
		case text:
			w.string(v)
		}
	}
}

func (w *writer) string(b text) {
	if w.font == nil {
		return
	}
	size := max(math.Abs(w.size*w.scale), 0.1)
	switch gap := w.x - w.endX; {
	case !w.any:
	case math.Abs(w.y-w.endY) > size*0.4:
		w.write("\n")
	case gap > wordGap*size || gap < -2*size:
		w.write(" ")
	}
	step := 1
	if w.font.two {
		step = 2
	}
	for i := 0; i+step <= len(b) && w.left > 0; i += step {
		code := int(b[i])
		if step == 2 {
			code = code<<8 | int(b[i+1])
		}
		w.write(w.font.unicode[code])
		width, known := w.font.widths[code]
		if !known {
			width = w.font.width
		}
		advance := width/1000*w.size + w.charGap
		if step == 1 && code == ' ' {
			advance += w.wordGap
		}
		w.x += advance * w.scale
	}
	w.endX, w.endY, w.any = w.x, w.y, true
}

func (w *writer) write(s string) {
	w.left -= len(s)
	w.out.WriteString(s)
}
