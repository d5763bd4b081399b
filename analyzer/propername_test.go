package analyzer

import (
	"strings"
	"testing"
)

// TestProperNames: which words of a text are not counted, since they are parts of names.
func TestProperNames(t *testing.T) {
	for _, tt := range []struct{ why, text, want string }{
		{"a sentence begins with a capital", "Přijďte včas. Prodejna je zavřena", ""},
		{"within a sentence two capitals are a name, one may be anything", "Tam přišel Karel Veselý od Hradce", "Karel Veselý"},
		{"lines of capitals only are names", "Jan Veselý\nMalá Eva\n", "Jan Veselý Malá Eva"},
		{"rows of capitals only are names", "1\tVeselý\tJan\n2\tMalá\tEva\n", "Veselý Jan Malá Eva"},
		{"surnames of opponents, numbers between", "Veselá – Malá 6:4, 7.5 Tichá", "Veselá Malá Tichá"},
		{"initials and short titles end no sentence", "J. Veselý, E. Malá, Ing. Tichý", "Veselý Malá Ing Tichý"},
		{"a menu, a word a line", "Úvod\nKontakty\nCeník\nO nás", ""},
		{"a menu in one line", "Úvod | Kontakty · Ceník / Galerie", ""},
		{"the first word before a name may be any", "Starosta Jan Veselý řekl", "Jan Veselý"},
		{"a row with small letters is no list of names", "Sobota\tOtevřeno celý den", ""},
		{"a heading in capitals", "OTEVÍRACÍ DOBA\nCENÍK", ""},
		{"a surname in capitals beside a first name", "VESELÝ Jan\nEva MALÁ", "VESELÝ Jan MALÁ"},
		{"units have capitals too", "Rohlík 3 Kč\nMléko 20 Kč", ""},
		{"quotations begin like sentences", "Řekl: „Nechoďte tam“ a odešel", ""},
		{"other scripts", "слово 東京", ""},
		{"nothing", "", ""},
	} {
		t.Run(tt.why, func(t *testing.T) {
			for _, p := range []*Page{{Text: tt.text}, {Title: tt.text}, {Title: "Jan Veselý", Text: tt.text}} {
				names := p.names()
				var got, all []string
				for i, n := range p.split().Order() {
					text, at := p.Title, p.split().From()[i]
					if i >= p.split().title {
						text = p.Text
					}
					w, _ := p.split().Word(int(n))
					all = append(all, string(w))
					if len(names) > 0 && names[n] > 0 {
						got = append(got, text[at:int(at)+len(w)])
					}
				}
				want := tt.want
				if p.Title != "" && p.Text == tt.text {
					want = strings.TrimSpace("Jan Veselý " + want)
				}
				if s := strings.Join(got, " "); s != want {
					t.Errorf("of %q names are %q, want %q", all, s, want)
				}
			}
		})
	}
}

// TestSkipNames: a list of people is found, and not counted; the same words in small letters are; without the option both.
func TestSkipNames(t *testing.T) {
	const profile = "[profile]\nname = \"p\"\nmin_points = 1\n[[searcher]]\nkind = \"dictionary\"\nlist = \"cs\"\npoints = 1\n"
	for _, tt := range []struct {
		why, text    string
		skip, counts int
	}{
		{"people", strings.Repeat("Jan Křížek\nEva Procházková\n", 5), 0, 10},
		{"words", "křížek a procházková", 2, 2},
		{"a word in both", "křížek Jana Křížek", 1, 2},
	} {
		for option, want := range map[string]int{"": tt.counts, "skip_names = true\n": tt.skip} {
			_, p, ps := parseProfile([]byte(profile+option), "p.toml", kinds())
			if len(ps) > 0 {
				t.Fatal(ps)
			}
			r := &resources{}
			s, err := p.Searchers[0].own.open(r)
			if err != nil {
				t.Fatal(err)
			}
			f, err := s.Search(t.Context(), &Page{Text: tt.text})
			if err != nil || f.Valid != want || f.Found < want {
				t.Errorf("%s, %q: %d valid of %d, want %d; %v", tt.why, option, f.Valid, f.Found, want, err)
			}
		}
	}
}
