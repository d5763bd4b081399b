package markup

import (
	"math"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// detectSize is how much of an undeclared body is counted.
const detectSize = 256 << 10

// detect guesses the charset of a body that declares none. What is valid UTF-8
// is UTF-8, also with one damaged character, or one in ten. For the rest, the bytes above 0x7F that stand in words are counted
// and compared with the letters that languages use outside ASCII, in each
// charset they are written in: Czech in windows-1250 needs no declaration to be
// told from French in windows-1252. The language of the root element, when
// known, breaks near ties and decides when there is nothing to count.
func detect(body []byte, lang string) (name, from string) {
	body = body[:min(len(body), detectSize)]
	if name := utf16Guess(body); name != "" {
		return name, "detected"
	}
	switch n := countUTF8(body); {
	case n.broken == 0 && n.valid == 0:
		return "utf-8", "default" // ASCII
	case n.broken == 0, n.valid > 10*n.broken, n.oneDamaged():
		return "utf-8", "detected"
	}
	c := countHigh(body)
	g := guess(c, lang, "")
	if c.total == 0 && g.score <= 0 {
		return "windows-1252", "default"
	}
	return g.charset, "detected"
}

// guessed is the likeliest charset of a text.
type guessed struct {
	charset  string
	score    float64
	declared float64 // score of the declared charset, in its likeliest language
	same     float64 // and in the language that charset was guessed by
	broken   int     // signs that break words in the declared charset
}

// guess compares the counts with what is known of languages and their charsets.
func guess(counts *highCounts, lang, declared string) guessed {
	g := guessed{score: math.Inf(-1), declared: math.Inf(-1)}
	for _, m := range letterModels() {
		better, own := false, math.Inf(-1)
		for _, c := range m.charsets {
			score := m.score(c, counts)
			if m.lang == lang {
				score += float64(counts.total)*0.7 + 1
			}
			if score > g.score {
				g.score, g.charset, better = score, c.name, true
			}
			if c.name == declared {
				own, g.broken = score, c.broken(counts)
			}
		}
		g.declared = max(g.declared, own)
		if better {
			g.same = own
		}
	}
	return g
}

// utf16Share is the share of the characters, one in so many, that are ASCII where a body is UTF-16.
const utf16Share = 16

func utf16Guess(b []byte) string {
	n := min(len(b)&^1, 1024)
	var zero [2]int
	for i := range n {
		if b[i] == 0 {
			zero[i&1]++
		}
	}
	// Blanks and signs have a zero byte in every script; other charsets have none at all.
	switch least := max(4, n/2/utf16Share); {
	case zero[0] == 0 && zero[1] >= least:
		return "utf-16le"
	case zero[1] == 0 && zero[0] >= least:
		return "utf-16be"
	}
	return ""
}

// utf8Count is how many sequences of a body are well-formed and broken; one cut off by the end of the body is neither.
type utf8Count struct {
	valid, broken int
	from, to      int // where the first broken one begins, and the last one ends
}

func countUTF8(b []byte) (c utf8Count) {
	for i := 0; i < len(b); {
		if i += asciiLen(b[i:]); i == len(b) {
			break
		}
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r != utf8.RuneError || n > 1:
			c.valid++
		case !utf8.FullRune(b[i:]):
			return c
		default:
			if c.broken++; c.broken == 1 {
				c.from = i
			}
			c.to = i + n
		}
		i += n
	}
	return c
}

// oneDamaged reports UTF-8 in which one character is damaged: a byte of it is lost, or it was cut. In texts in other charsets
// most sequences are broken.
func (c utf8Count) oneDamaged() bool {
	return c.valid >= minUTF8 && c.broken > 0 && c.to-c.from < utf8.UTFMax
}

// highCounts are bytes above 0x7F next to a letter: those in words. Signs that stand alone tell
// nothing about the language.
type highCounts struct {
	n      [128]int
	inside [128]int // of these, with a letter on both sides
	small  [128]int // of these, with a small letter of ASCII on both sides
	total  int
}

func countHigh(b []byte) *highCounts {
	word := func(i int) bool {
		return i >= 0 && i < len(b) && (b[i] >= 0x80 || 'a' <= b[i]|0x20 && b[i]|0x20 <= 'z')
	}
	c := &highCounts{}
	for i, h := range b {
		if h < 0x80 {
			continue
		}
		before, after := word(i-1), word(i+1)
		if before || after {
			c.n[h-0x80]++
			c.total++
		}
		if before && after {
			c.inside[h-0x80]++
			if min(b[i-1], b[i+1]) >= 'a' && max(b[i-1], b[i+1]) <= 'z' {
				c.small[h-0x80]++
			}
		}
	}
	return c
}

// letterModel is what a language writes outside ASCII: its letters, the most
// frequent first, and the charsets its pages use, the likeliest first.
type letterModel struct {
	lang     string
	letters  string
	charsets []singleByte
}

type singleByte struct {
	name string
	m    interface{ DecodeByte(c byte) rune }
}

// broken counts what no word holds, if the text is in c: controls, signs with letters on both sides, capitals
// with small ones.
func (c singleByte) broken(counts *highCounts) (n int) {
	for i := range counts.n {
		switch r := c.m.DecodeByte(byte(i + 0x80)); {
		case r == utf8.RuneError || unicode.IsControl(r):
			n += counts.n[i]
		case breaksWord(r):
			n += counts.inside[i]
		case unicode.IsUpper(r):
			n += counts.small[i]
		}
	}
	return n
}

// breaksWord reports whether r stands between no two letters. An acute accent does, where people type it for an
// apostrophe.
func breaksWord(r rune) bool {
	return (unicode.IsSymbol(r) || unicode.IsNumber(r)) && r != '´' || r == '¶' || r == '§'
}

func letterModels() []letterModel {
	var (
		w1250 = singleByte{"windows-1250", charmap.Windows1250}
		w1251 = singleByte{"windows-1251", charmap.Windows1251}
		w1252 = singleByte{"windows-1252", charmap.Windows1252}
		w1253 = singleByte{"windows-1253", charmap.Windows1253}
		w1254 = singleByte{"windows-1254", charmap.Windows1254}
		w1257 = singleByte{"windows-1257", charmap.Windows1257}
		iso2  = singleByte{"iso-8859-2", charmap.ISO8859_2}
		ibm2  = singleByte{"ibm852", charmap.CodePage852}
		mac2  = singleByte{"x-mac-ce", newMacCE()}
		iso5  = singleByte{"iso-8859-5", charmap.ISO8859_5}
		koi8r = singleByte{"koi8-r", charmap.KOI8R}
		koi8u = singleByte{"koi8-u", charmap.KOI8U}
	)
	west, central := []singleByte{w1252}, []singleByte{w1250, iso2, ibm2, mac2}
	return []letterModel{
		// Western first: of equal scores the first is kept.
		{"de", "üäößé", west},
		{"fr", "éèàêçôîûùâëïœ", west},
		{"es", "óíáéñúü¿¡", west},
		{"pt", "ãçáéóíêõúâàô", west},
		{"it", "èàùòìé", west},
		{"da", "øåæé", west},
		{"sv", "äöåé", west},
		{"nl", "ëéïöèü", west},
		{"ca", "àéóíçèòúïü", west},
		{"et", "äõüöšž", []singleByte{w1252, w1257}},
		{"is", "íáðóþæöéúý", west},
		{"cs", "íáéěřčžýšůúťďňó", central},
		{"sk", "áíéčžýšúťľôďňäóĺŕ", central},
		{"pl", "ąłęóżśćńź", central},
		{"hu", "áéöóőíüúű", central},
		{"sl", "čšžćđ", central},
		{"hr", "čšžćđ", central},
		{"hsb", "ěłóšćžńčřź", central},
		{"ro", "ăîâşţ", central},
		{"ru", "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё", []singleByte{w1251, koi8r, iso5}},
		{"uk", "оаинівертслкдмупязьбгчйхжцїюєшщф", []singleByte{w1251, koi8u, iso5}},
		{"bg", "аоиетнрсвлкдпмзугяъбчцжйщхшюфь", []singleByte{w1251, iso5}},
		{"el", "αοιετσνρκπυμλςηίγόδάέωήθύφχβώξζψ", []singleByte{w1253}},
		{"tr", "ıişğüöçâ", []singleByte{w1254}},
		{"lt", "ėšžįųčąūę", []singleByte{w1257}},
		{"lv", "āīēšūžņļčģķ", []singleByte{w1257}},
	}
}

const (
	logForeign = -8.0 // a letter the language does not have
	logSign    = -5.0 // a sign inside a word: soft hyphen, apostrophe, broken text
	logControl = -12.0
	logCapital = -1.5 // beside the letter's own: of a wrong Cyrillic charset most letters are
)

// score is the logarithm of the likelihood of the counts, letters weighing by
// Zipf's law in the order of the model.
func (m letterModel) score(c singleByte, counts *highCounts) float64 {
	rank, norm := map[rune]float64{}, 0.0
	for _, r := range m.letters {
		rank[r] = float64(len(rank) + 2)
		norm += 1 / rank[r]
	}
	var sum float64
	var capitals, small int
	for i, n := range counts.n {
		if n == 0 {
			continue
		}
		r := unicode.ToLower(c.m.DecodeByte(byte(i + 0x80)))
		p := logForeign
		switch {
		case rank[r] > 0:
			p = -math.Log(rank[r] * norm)
			if r != c.m.DecodeByte(byte(i+0x80)) {
				capitals += n
				sum += float64(counts.small[i]) * logForeign
			} else {
				small += n
			}
		case unicode.IsLetter(r):
		case r == utf8.RuneError || unicode.IsControl(r):
			p = logControl
		default:
			p = logSign
			if breaksWord(r) {
				sum += float64(counts.inside[i]) * (logForeign - logSign)
			}
		}
		sum += float64(n) * p
	}
	if small < capitals && capitals <= 50*small { // else it has headings, or is in capitals
		sum += logCapital * float64(capitals)
	}
	return sum
}
