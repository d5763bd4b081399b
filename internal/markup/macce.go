package markup

import "unicode/utf8"

// macCEHigh is what the bytes from 0x80 on stand for in x-mac-ce, the charset of Central European
// Macintoshes (Apple, CENTEURO.TXT), which neither browsers nor x/text know.
const macCEHigh = "ÄĀāÉĄÖÜáąČäčĆćéŹźĎíďĒēĖóėôöõúĚěü" +
	"†°Ę£§•¶ß®©™ę¨≠ģĮįĪ≤≥īĶ∂∑łĻļĽľĹĺŅ" +
	"ņŃ¬√ńŇ∆«»…\u00a0ňŐÕőŌ–—“”‘’÷◊ōŔŕŘ‹›řŖ" +
	"ŗŠ‚„šŚśÁŤťÍŽžŪÓÔūŮÚůŰűŲųÝýķŻŁżĢˇ"

// macCE decodes x-mac-ce.
type macCE [128]rune

func newMacCE() *macCE {
	m, i := &macCE{}, 0
	for _, r := range macCEHigh {
		m[i] = r
		i++
	}
	return m
}

// DecodeByte is as that of a charmap.
func (m *macCE) DecodeByte(c byte) rune {
	if c < utf8.RuneSelf {
		return rune(c)
	}
	return m[c-utf8.RuneSelf]
}

func (m *macCE) bytes(body []byte) []byte {
	out := make([]byte, 0, len(body)+len(body)/8)
	for _, c := range body {
		out = utf8.AppendRune(out, m.DecodeByte(c))
	}
	return out
}
