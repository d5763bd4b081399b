package dict_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"exclave/dict"
)

func TestWords(t *testing.T) {
	tests := []struct{ why, in, want string }{
		{"letter case tells nothing", "Dobrý DEN, Řezníku!", "dobrý|den|řezníku"},
		{"a decomposed text is the same text (UAX 15)", "c\u030cesky\u0301 Z\u030clut\u030c", "český|žluť"},
		{"one letter is no word", "a v on", "on"},
		{"a digit makes a name or a number of it", "covid19 19covid 3x mp3 ano", "ano"},
		{"hyphen and apostrophe separate", "česko-slovenský d'accord", "česko|slovenský|accord"},
		{"a soft hyphen only says where a line may break", "nej\u00adkrás\u00adnější", "nejkrásnější"},
		{"bytes that are not UTF-8 end a word", "ano\xffne", "ano|ne"},
		{"other scripts have words too", "слово λόγος", "слово|λόγος"},
		{"a mark alone is no word", "\u0301\u0301\u0301 ano", "ano"},
		{"a run longer than any word is none", strings.Repeat("a", 41) + " ano", "ano"},
		{"the longest word is one", strings.Repeat("a", 40), strings.Repeat("a", 40)},
		{"a text of marks must not fill the memory", "e" + strings.Repeat("\u0301", 1<<16) + " ano", "ano"},
		{"nothing in nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			var got []string
			for w := range dict.Words(tt.in) {
				got = append(got, string(w))
			}
			if s := strings.Join(got, "|"); s != tt.want {
				t.Errorf("%q, want %q", s, tt.want)
			}
		})
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"Dobrý den", "c\u030c", "\xff\xfe", "İı", "e\u0301\u00ad\u0301", "각 ᄀ\u1161", "ﬁn"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for w := range dict.Words(text) {
			if !utf8.Valid(w) || len(w) == 0 || len(w) > 16*dict.MaxWord {
				t.Errorf("%q of %q", w, text)
			}
		}
	})
}

func BenchmarkWords(b *testing.B) {
	text := strings.Repeat("Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. All human beings are born free. ", 1000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for range dict.Words(text) {
		}
	}
}
