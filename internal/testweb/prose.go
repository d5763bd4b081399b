package testweb

import (
	_ "embed" // the sentences
	"strconv"
	"strings"
)

//go:embed prose/cs.txt
var czech string

//go:embed prose/en.txt
var english string

// nationalText is Czech prose in paragraphs of HTML, with a Czech address.
func nationalText(seed uint64, sentences int) string {
	h := mix(seed, 7)
	phone := func(h uint64) string {
		return "+420 6" + pad(h%100, 2) + " " + pad(h/100%1000, 3) + " " + pad(h/100_000%1000, 3)
	}
	return paragraphs(czech, seed, sentences) +
		"<p>Napište nám na info@firma" + strconv.FormatUint(h%1000, 10) + ".cz nebo zavolejte na " +
		phone(h>>8) + ", případně " + phone(h>>20) + ".</p>\n"
}

func foreignText(seed uint64, sentences int) string {
	return paragraphs(english, seed, sentences)
}

// paragraphs takes consecutive sentences from a place that seed decides, three
// to a paragraph.
func paragraphs(source string, seed uint64, sentences int) string {
	lines := strings.Split(strings.TrimSpace(source), "\n")
	first := int(mix(seed, 3) % uint64(len(lines)))
	step := []int{1, 5, 7, 11}[mix(seed, 4)%4] // coprime to the number of lines: no sentence twice
	var b strings.Builder
	for i := range sentences {
		if i%3 == 0 {
			b.WriteString("<p>")
		}
		b.WriteString(lines[(first+i*step)%len(lines)])
		if i%3 == 2 || i == sentences-1 {
			b.WriteString("</p>\n")
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func pad(n uint64, width int) string {
	s := strconv.FormatUint(n, 10)
	return strings.Repeat("0", max(0, width-len(s))) + s
}

func itoa(n int) string { return strconv.Itoa(n) }
