package pdf

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// font says what the codes of a string mean, and how wide they are.
type font struct {
	two     bool // codes have two bytes
	unicode map[int]string
	widths  map[int]float64 // in thousandths of the size
	width   float64         // of the others
}

// maxCodes is how many codes of a font are known.
const maxCodes = 70_000

// font reads a font's dictionary (9.6, 9.7).
func (f *File) font(d dict) *font {
	t := &font{unicode: map[int]string{}, widths: map[int]float64{}, width: 500}
	composite := f.get(d["Subtype"]) == name("Type0")
	if composite {
		t.two, t.width = true, 1000
		if kids := f.list(d["DescendantFonts"]); len(kids) > 0 {
			kid, _ := f.dict(kids[0])
			f.cidWidths(t, kid)
		}
	} else {
		first, _ := f.get(d["FirstChar"]).(float64)
		for i, w := range f.list(d["Widths"]) {
			if n, is := f.get(w).(float64); is && i < 256 {
				t.widths[int(first)+i] = n
			}
		}
		f.encoding(t, d["Encoding"])
	}
	if o := f.object(d["ToUnicode"]); o != nil && o.raw != nil {
		f.toUnicode(t, f.data(o))
	}
	return t
}

// encoding gives the codes of a simple font their characters (9.6.5).
func (f *File) encoding(t *font, v any) {
	base := charmap.Windows1252
	set := func(n any) {
		if n == name("MacRomanEncoding") {
			base = charmap.Macintosh
		}
	}
	e := f.get(v)
	set(e)
	d, _ := e.(dict)
	set(f.get(d["BaseEncoding"]))
	for c := 32; c < 256; c++ {
		if r := base.DecodeByte(byte(c)); r != utf8.RuneError {
			t.unicode[c] = string(r)
		}
	}
	code := 0
	for _, v := range f.list(d["Differences"]) {
		switch v := f.get(v).(type) {
		case float64:
			code = int(v)
		case name:
			if r := glyph(string(v)); r != "" {
				t.unicode[code] = r
			} else {
				delete(t.unicode, code)
			}
			code++
		}
	}
}

// cidWidths reads W and DW (9.7.4.3).
func (f *File) cidWidths(t *font, d dict) {
	if n, is := f.get(d["DW"]).(float64); is {
		t.width = n
	}
	w := f.list(d["W"])
	for i := 0; i+1 < len(w) && len(t.widths) < maxCodes; {
		first, _ := f.get(w[i]).(float64)
		switch second := f.get(w[i+1]).(type) {
		case []any:
			for n, x := range second {
				if v, is := f.get(x).(float64); is {
					t.widths[int(first)+n] = v
				}
			}
			i += 2
		case float64:
			if i+2 < len(w) {
				v, _ := f.get(w[i+2]).(float64)
				for n := int(first); n <= int(second) && len(t.widths) < maxCodes; n++ {
					t.widths[n] = v
				}
			}
			i += 3
		default:
			i += 2
		}
	}
}

// toUnicode reads a CMap to Unicode (9.10.3).
func (f *File) toUnicode(t *font, data []byte) {
	s := scanner{s: data}
	var args []any
	code := func(v any) int {
		n := 0
		if b, is := v.(text); is {
			for _, c := range b[:min(len(b), 4)] {
				n = n<<8 | int(c)
			}
		}
		return n
	}
	for {
		v, ok := s.next(0)
		if !ok || len(t.unicode) > maxCodes {
			return
		}
		w, operator := v.(word)
		if !operator {
			if len(args) < maxItems {
				args = append(args, v)
			}
			continue
		}
		switch w {
		case "endcodespacerange":
			if len(args) > 0 {
				if b, is := args[len(args)-1].(text); is {
					t.two = len(b) == 2
				}
			}
		case "endbfchar":
			for i := 0; i+1 < len(args); i += 2 {
				if to, is := args[i+1].(text); is {
					t.unicode[code(args[i])] = utf16BE(to)
				}
			}
		case "endbfrange":
			for i := 0; i+2 < len(args); i += 3 {
				from, to := code(args[i]), code(args[i+1])
				switch dst := args[i+2].(type) {
				case text:
					for n := from; n <= to && n-from < maxCodes && len(t.unicode) <= maxCodes; n++ {
						t.unicode[n] = utf16BE(plus(dst, n-from))
					}
				case []any:
					for n, v := range dst {
						if b, is := v.(text); is {
							t.unicode[from+n] = utf16BE(b)
						}
					}
				}
			}
		}
		args = args[:0]
	}
}

// plus adds to the last character of a string of UTF-16.
func plus(b text, n int) text {
	if n == 0 || len(b) < 2 {
		return b
	}
	out := append(text(nil), b...)
	last := int(out[len(out)-2])<<8 | int(out[len(out)-1])
	last += n
	out[len(out)-2], out[len(out)-1] = byte(last>>8), byte(last)
	return out
}

func utf16BE(b []byte) string {
	u := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		u = append(u, uint16(b[i])<<8|uint16(b[i+1]))
	}
	return strings.ToValidUTF8(string(utf16.Decode(u)), "")
}

// textOf decodes a string of the file's own (7.9.2): UTF-16, UTF-8, or PDFDocEncoding, of which Latin-1 is the most part.
func textOf(b []byte) string {
	switch {
	case len(b) >= 2 && b[0] == 0xFE && b[1] == 0xFF:
		return utf16BE(b[2:])
	case len(b) >= 3 && b[0] == 0xEF && b[1] == 0xBB && b[2] == 0xBF:
		return strings.ToValidUTF8(string(b[3:]), "")
	}
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = charmap.Windows1252.DecodeByte(c)
	}
	return strings.ToValidUTF8(string(r), "")
}

// glyph returns the character of a glyph's name, "" of one that is not known (Adobe Glyph List, as far as the languages
// of Europe in Latin script need it).
func glyph(n string) string {
	n, _, _ = strings.Cut(n, ".")
	switch {
	case len(n) == 1:
		return n
	case strings.HasPrefix(n, "uni") && len(n) >= 7:
		if v, err := strconv.ParseUint(n[3:7], 16, 16); err == nil && utf8.ValidRune(rune(v)) {
			return string(rune(v))
		}
	case strings.HasPrefix(n, "u") && len(n) >= 5 && len(n) <= 7:
		if v, err := strconv.ParseUint(n[1:], 16, 32); err == nil && utf8.ValidRune(rune(v)) {
			return string(rune(v))
		}
	}
	if i := strings.Index(glyphNames, " "+n+"="); i >= 0 {
		rest := glyphNames[i+len(n)+2:]
		end := strings.IndexByte(rest, ' ')
		return rest[:end]
	}
	for _, accent := range accents() {
		if letter, is := strings.CutSuffix(n, accent.name); is && len(letter) == 1 {
			return accented(letter[0], accent.mark)
		}
	}
	return ""
}

// glyphNames are those that are no letter with an accent.
const glyphNames = " space=\u00a0 nbspace=\u00a0 exclam=! quotedbl=\" numbersign=# dollar=$ percent=% ampersand=& quotesingle=' quoteright=’ quoteleft=‘ parenleft=( parenright=) asterisk=* plus=+ comma=, hyphen=- sfthyphen=- minus=− period=. slash=/ " +
	"zero=0 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 colon=: semicolon=; less=< equal== greater=> question=? at=@ bracketleft=[ backslash=\\ bracketright=] asciicircum=^ underscore=_ grave=` braceleft={ bar=| braceright=} asciitilde=~ " +
	"endash=– emdash=— ellipsis=… bullet=• dagger=† daggerdbl=‡ quotedblleft=“ quotedblright=” quotedblbase=„ quotesinglbase=‚ guillemotleft=« guillemotright=» guilsinglleft=‹ guilsinglright=› " +
	"fi=fi fl=fl ff=ff ffi=ffi ffl=ffl germandbls=ß ae=æ AE=Æ oe=œ OE=Œ oslash=ø Oslash=Ø eth=ð Eth=Ð thorn=þ Thorn=Þ lslash=ł Lslash=Ł dcroat=đ Dcroat=Đ dotlessi=ı aring=å Aring=Å " +
	"section=§ paragraph=¶ degree=° copyright=© registered=® trademark=™ cent=¢ sterling=£ yen=¥ Euro=€ euro=€ mu=µ multiply=× divide=÷ plusminus=± periodcentered=· onehalf=½ onequarter=¼ threequarters=¾ onesuperior=¹ twosuperior=² threesuperior=³ ordfeminine=ª ordmasculine=º exclamdown=¡ questiondown=¿ "

type accentName struct{ name, mark string }

func accents() []accentName {
	return []accentName{{"acute", "\u0301"}, {"grave", "\u0300"}, {"circumflex", "\u0302"}, {"dieresis", "\u0308"}, {"caron", "\u030c"}, {"tilde", "\u0303"}, {"ring", "\u030a"},
		{"cedilla", "\u0327"}, {"ogonek", "\u0328"}, {"breve", "\u0306"}, {"macron", "\u0304"}, {"dotaccent", "\u0307"}, {"hungarumlaut", "\u030b"}, {"commaaccent", "\u0326"}}
}
