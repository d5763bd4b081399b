package pdf

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"io"
	"slices"
	"strconv"
)

// Limits bound the work on one file.
type Limits struct {
	Inflated int64 // bytes of all streams together
	Objects  int
	Text     int // bytes
	// Stop, when not nil, is asked now and then; true ends the work.
	Stop func() bool
}

// maxStream is how many bytes of one stream are unpacked.
const maxStream = 16 << 20

// object is one that stands in the file.
type object struct {
	num, gen int
	value    any
	raw      []byte // of a stream, as it stands in the file; nil = none
	inside   bool   // of another stream: it is not encrypted on its own
}

// File is a file that was looked through. It is for one goroutine.
type File struct {
	limits  Limits
	objects map[int]*object
	order   []int // numbers, as their first definitions stand in the file
	left    int64 // of Limits.Inflated
	crypt   *crypt
	trailer dict
	stopped bool

	unpacked int
}

// Open looks through a file. ok is false when it is encrypted under a password that is not the empty one.
func Open(body []byte, l Limits) (f *File, ok bool) {
	f = &File{limits: l, objects: map[int]*object{}, left: l.Inflated, trailer: dict{}}
	f.scan(body)
	f.trailers(body)
	if e, is := f.dict(f.trailer["Encrypt"]); is {
		if f.crypt = newCrypt(f, e); f.crypt == nil {
			return f, false
		}
	}
	for _, n := range slices.Clone(f.order) { // object streams (7.5.7)
		if o := f.objects[n]; o != nil && o.raw != nil {
			if d, _ := o.value.(dict); d["Type"] == name("ObjStm") && f.on() {
				f.unpack(o, d)
			}
		}
	}
	return f, true
}

// Unpacked returns how many objects stood in object streams.
func (f *File) Unpacked() int { return f.unpacked }

// on reports whether to go on.
func (f *File) on() bool {
	if !f.stopped && f.limits.Stop != nil {
		f.stopped = f.limits.Stop()
	}
	return !f.stopped
}

func (f *File) add(o *object) {
	if _, known := f.objects[o.num]; !known {
		f.order = append(f.order, o.num)
	}
	f.objects[o.num] = o
}

// scan finds every object "12 0 obj".
func (f *File) scan(body []byte) {
	for at := 0; len(f.order) < f.limits.Objects; {
		i := bytes.Index(body[at:], []byte("obj"))
		if i < 0 {
			return
		}
		here := at + i
		at = here + 3
		num, gen, ok := numbered(body[max(0, here-40):here])
		if !ok {
			continue
		}
		if len(f.order)%256 == 0 && !f.on() {
			return
		}
		s := scanner{s: body, i: at}
		v, ok := s.next(0)
		if !ok {
			return
		}
		o := &object{num: num, gen: gen, value: v}
		if d, is := v.(dict); is {
			if raw, end, is := f.stream(body, s, d); is {
				o.raw, s.i = raw, end
			}
		}
		f.add(o)
		at = max(at, s.i)
	}
}

// numbered reads "12 0 " at the end of s.
func numbered(s []byte) (num, gen int, ok bool) {
	f := bytes.Fields(s)
	if len(f) < 2 || len(s) == 0 || !isSpace(s[len(s)-1]) {
		return 0, 0, false
	}
	first := f[len(f)-2]
	if i := bytes.LastIndexFunc(first, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		first = first[i+1:]
	}
	num, err := strconv.Atoi(string(first))
	gen, err2 := strconv.Atoi(string(f[len(f)-1]))
	return num, gen, err == nil && err2 == nil && num >= 0 && gen >= 0
}

// stream returns the bytes of the stream that follows a dictionary.
func (f *File) stream(body []byte, s scanner, d dict) (raw []byte, end int, ok bool) {
	s.skip()
	if !bytes.HasPrefix(body[s.i:], []byte("stream")) {
		return nil, 0, false
	}
	at := s.i + len("stream")
	if bytes.HasPrefix(body[at:], []byte("\r\n")) {
		at += 2
	} else if at < len(body) && (body[at] == '\n' || body[at] == '\r') {
		at++
	}
	if n, is := d["Length"].(float64); is && n >= 0 && n <= float64(len(body)-at) {
		rest := bytes.TrimLeft(body[at+int(n):min(at+int(n)+12, len(body))], "\r\n ")
		if bytes.HasPrefix(rest, []byte("endstr")) {
			return body[at : at+int(n)], at + int(n), true
		}
	}
	n := bytes.Index(body[at:], []byte("endstream"))
	if n < 0 {
		return body[at:], len(body), true
	}
	return body[at : at+n], at + n, true
}

// trailers joins what trailers and cross-reference streams say of the file.
func (f *File) trailers(body []byte) {
	take := func(d dict) {
		for _, key := range []string{"Root", "Encrypt", "ID", "Info"} {
			if v, has := d[key]; has {
				f.trailer[key] = v
			}
		}
	}
	for _, n := range f.order {
		if d, is := f.objects[n].value.(dict); is && d["Type"] == name("XRef") {
			take(d)
		}
	}
	for at := 0; ; {
		i := bytes.Index(body[at:], []byte("trailer"))
		if i < 0 {
			return
		}
		at += i + len("trailer")
		s := scanner{s: body, i: at}
		if v, ok := s.next(0); ok {
			if d, is := v.(dict); is {
				take(d)
			}
		}
	}
}

// unpack takes the objects of an object stream.
func (f *File) unpack(o *object, d dict) {
	data := f.data(o)
	n, _ := f.get(d["N"]).(float64)
	first, _ := f.get(d["First"]).(float64)
	if !(first >= 0 && first <= float64(len(data))) || !(n >= 0 && n <= float64(f.limits.Objects)) {
		return
	}
	head := scanner{s: data[:int(first)]}
	for i := 0; i < int(n) && len(f.order) < f.limits.Objects; i++ {
		num, ok := head.next(0)
		at, ok2 := head.next(0)
		k, is := num.(float64)
		off, is2 := at.(float64)
		if !ok || !ok2 || !is || !is2 || !(k >= 0 && k < 1e9) || !(off >= 0 && first+off <= float64(len(data))) {
			return
		}
		s := scanner{s: data, i: int(first) + int(off)}
		if v, ok := s.next(0); ok && f.objects[int(k)] == nil {
			f.add(&object{num: int(k), value: v, inside: true})
			f.unpacked++
		}
	}
}

// get follows references to a value.
func (f *File) get(v any) any {
	for range 20 {
		r, is := v.(ref)
		if !is {
			return v
		}
		o := f.objects[int(r)]
		if o == nil {
			return nil
		}
		v = o.value
	}
	return nil
}

func (f *File) dict(v any) (dict, bool) {
	d, is := f.get(v).(dict)
	return d, is
}

// object returns the object that a value refers to, nil when it is none.
func (f *File) object(v any) *object {
	r, is := v.(ref)
	if !is {
		return nil
	}
	return f.objects[int(r)]
}

// string returns the bytes of a string of an object, decrypted.
func (f *File) string(o *object, v any) []byte {
	t, is := f.get(v).(text)
	if !is {
		return nil
	}
	if r := f.object(v); r != nil {
		o = r
	}
	if f.crypt != nil && o != nil && !o.inside {
		return f.crypt.decrypt(o, t, f.crypt.strings)
	}
	return t
}

// data returns the bytes of a stream, decrypted and unpacked as far as they can be.
func (f *File) data(o *object) []byte {
	d, _ := o.value.(dict)
	out := o.raw
	if f.crypt != nil && d["Type"] != name("XRef") {
		out = f.crypt.decrypt(o, out, f.crypt.streams)
	}
	filters, params := f.list(d["Filter"]), f.list(d["DecodeParms"])
	for i, filter := range filters[:min(len(filters), 4)] {
		var p dict
		if i < len(params) {
			p, _ = f.dict(params[i])
		}
		switch f.get(filter) {
		case name("FlateDecode"), name("Fl"):
			out = f.inflate(out, p)
		case name("ASCIIHexDecode"), name("AHx"):
			s := scanner{s: append([]byte("<"), out...)}
			out = s.hex()
		case name("ASCII85Decode"), name("A85"):
			out = bytes.TrimPrefix(bytes.TrimSpace(out), []byte("<~"))
			if end := bytes.IndexByte(out, '~'); end >= 0 {
				out = out[:end]
			}
			out, _ = io.ReadAll(io.LimitReader(ascii85.NewDecoder(bytes.NewReader(out)), maxStream)) // damaged: what comes before
		case name("Crypt"):
		default:
			return nil // a picture
		}
	}
	return out
}

// list returns an array, or a single value as one.
func (f *File) list(v any) []any {
	switch of := f.get(v).(type) {
	case nil:
		return nil
	case []any:
		return of
	}
	return []any{v}
}

func (f *File) inflate(in []byte, p dict) []byte {
	z, err := zlib.NewReader(bytes.NewReader(in))
	if err != nil {
		return nil
	}
	out, _ := io.ReadAll(io.LimitReader(z, min(maxStream, f.left))) // cut short: what comes before
	f.left -= int64(len(out))
	if n, _ := f.get(p["Predictor"]).(float64); n >= 10 {
		columns, _ := f.get(p["Columns"]).(float64)
		return unpredict(out, max(int(columns), 1))
	}
	return out
}

// unpredict undoes PNG's predictors (7.4.4.4), of one byte a column.
func unpredict(in []byte, columns int) []byte {
	if columns > maxStream {
		return nil
	}
	var out []byte
	above := make([]byte, columns)
	for ; len(in) > columns; in = in[columns+1:] {
		row := slices.Clone(in[1 : columns+1])
		for i := range row {
			var left, corner byte
			if i > 0 {
				left, corner = row[i-1], above[i-1]
			}
			switch in[0] {
			case 1:
				row[i] += left
			case 2:
				row[i] += above[i]
			case 3:
				row[i] += byte((int(left) + int(above[i])) / 2)
			case 4:
				row[i] += paeth(left, above[i], corner)
			}
		}
		out, above = append(out, row...), row
	}
	return out
}

func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	abs := func(n int) int { return max(n, -n) }
	switch pa, pb, pc := abs(p-int(a)), abs(p-int(b)), abs(p-int(c)); {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}
	return c
}
