package simhash_test

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"exclave/internal/markup"
	"exclave/internal/sharedtest"
	"exclave/internal/simhash"
)

// defined computes the numbers of a text as docs/formats/simhash.md says, step by step.
func defined(text string) simhash.Text {
	const k = 0x9e3779b97f4a7c15
	mix := func(x uint64) uint64 {
		x = (x ^ x>>33) * 0xff51afd7ed558ccd
		x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
		return x ^ x>>33
	}
	var spaced strings.Builder
	for _, r := range strings.ToValidUTF8(text, " ") {
		switch {
		case r >= 0xE00 && r <= 0xEFF, r >= 0x1000 && r <= 0x109F, r >= 0x1780 && r <= 0x17FF, r >= 0x3041 && r <= 0x30FF,
			r >= 0x3400 && r <= 0x4DBF, r >= 0x4E00 && r <= 0x9FFF, r >= 0x20000 && r <= 0x3FFFF:
			spaced.WriteString(" " + string(r) + " ")
		case unicode.In(r, unicode.L, unicode.M, unicode.Nd):
			spaced.WriteRune(unicode.ToLower(r))
		default:
			spaced.WriteByte(' ')
		}
	}
	t := simhash.Text{}
	var hashes []uint64
	for _, w := range strings.Split(spaced.String(), " ") {
		if w == "" {
			continue
		}
		h := fnv.New64a()
		h.Write([]byte(w))
		hashes = append(hashes, mix(h.Sum64()))
	}
	t.Words = len(hashes)
	for _, h := range hashes {
		t.Same = mix(t.Same*k + h)
	}
	for bit := range 64 {
		ones, all := 0, 0
		for i := 0; i+3 <= len(hashes); i++ {
			all++
			if mix((hashes[i]*k+hashes[i+1])*k+hashes[i+2])>>bit&1 == 1 {
				ones++
			}
		}
		if 2*ones > all {
			t.Hash |= 1 << bit
		}
	}
	return t
}

func odd() []string {
	return []string{"", " ", "a", "Ab cd", "a b c", "Příliš ŽLUŤOUČKÝ kůň, úpěl", "x\xffy z\xc3", "中文字 and ไทย かな", "e\u0301tude 42½ ½", strings.Repeat("one two three ", 300), "İstanbul ǅ ß", "\u3041\u3040\u30ff"}
}

// docs/formats/simhash.md: numbers are those of the definition.
func TestDefinition(t *testing.T) {
	for _, text := range odd() {
		if got, want := simhash.Of(text), defined(text); got != want {
			t.Errorf("%.40q: %+v, want %+v", text, got, want)
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, text := range odd() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := simhash.Of(text), defined(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	})
}

// Archives keep these numbers: no version may change them.
func TestNumbersStay(t *testing.T) {
	long := strings.Repeat("The quick brown fox jumps over the lazy dog; příliš žluťoučký kůň úpěl ďábelské ódy. ", 4)
	for _, c := range []struct{ text, sim, same string }{
		{"", "", ""},
		{"Hello, world", "", "9c6ed2546927e83d"},
		{"hello world!", "", "9c6ed2546927e83d"},
		{long, "7edee1a1d90610f0", "3611c593287c4634"},
	} {
		if sim, same := simhash.Of(c.text).Strings(); sim != c.sim || same != c.same {
			t.Errorf("%.20q: %q %q", c.text, sim, same)
		}
	}
}

// realTexts are the words of pages that others wrote, at least 400 of each.
func realTexts(t *testing.T) (texts [][]string) {
	t.Helper()
	for _, dir := range []string{"data/pages", "data/lang/udhr"} {
		names, err := filepath.Glob(filepath.Join(sharedtest.Path(t, dir), "*.html"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			body, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if words := strings.Fields(markup.Parse(markup.HTML, body, markup.Options{}).Text); len(words) >= 400 {
				texts = append(texts, words)
			}
		}
	}
	return texts
}

// ADR 81: of real pages with 700 to 1,700 words those of which little was changed are found at the default distance, mostly; others, and
// those of which much was changed, are not.
func TestRealTexts(t *testing.T) {
	const k, times = 3, 50
	texts := realTexts(t)
	r := rand.New(rand.NewPCG(81, 0))
	of := func(words []string) uint64 { return simhash.Of(strings.Join(words, " ")).Hash }
	nearest := 64
	for i, a := range texts {
		for _, b := range texts[:i] {
			nearest = min(nearest, simhash.Distance(of(a), of(b)))
		}
	}
	if t.Logf("%d texts, the nearest differ in %d bits", len(texts), nearest); len(texts) < 16 || nearest <= 2*k {
		t.Error("texts that are not the same are near")
	}
	for _, c := range []struct {
		what        string
		least, most float64 // share that is found
		change      func([]string) []string
	}{
		{"case, blanks and punctuation", 1, 1, func(w []string) []string {
			return strings.Fields(strings.ToUpper(strings.Join(w, " , ")))
		}},
		{"a date", 0.9, 1, func(w []string) []string {
			w = slices.Clone(w)
			i := r.IntN(len(w) - 3)
			copy(w[i:], []string{"17", "listopadu", "2026"})
			return w
		}},
		{"eight words of navigation more", 0.85, 1, func(w []string) []string {
			return slices.Insert(slices.Clone(w), r.IntN(30), "nová", "sekce", "kultura", "sport", "počasí", "kontakt", "přihlášení", "cs")
		}},
		{"half of the words", 0, 0, func(w []string) []string {
			w = slices.Clone(w)
			for i := range len(w) / 2 {
				w[2*i] += "x"
			}
			return w
		}},
		{"another text behind it", 0, 0, func(w []string) []string {
			other := w
			for &other[0] == &w[0] {
				other = texts[r.IntN(len(texts))]
			}
			return slices.Concat(w, other)
		}},
	} {
		found := 0
		for _, text := range texts {
			for range times {
				if simhash.Distance(of(text), of(c.change(text))) <= k {
					found++
				}
			}
		}
		share := float64(found) / float64(times*len(texts))
		if t.Logf("%s: %.3f found", c.what, share); share < c.least || share > c.most {
			t.Errorf("%s: %.3f found, not %v to %v", c.what, share, c.least, c.most)
		}
	}
}

func BenchmarkSimhash(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"english", strings.Repeat("The quick brown fox jumps over the lazy dog, 42 times. ", 4000)},
		{"czech", strings.Repeat("Příliš žluťoučký kůň úpěl ďábelské ódy a nic víc, říkal si. ", 4000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				simhash.Of(c.text)
			}
		})
	}
}
