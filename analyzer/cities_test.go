package analyzer

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// gazetteerFile writes a gazetteer and returns its path.
func gazetteerFile(t testing.TB, lines ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "towns.txt")
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestCitiesBeside: a gazetteer is looked for beside the profile that names it.
func TestCitiesBeside(t *testing.T) {
	list := gazetteerFile(t, "Praha")
	profile := filepath.Join(filepath.Dir(list), "p.toml")
	text := "[profile]\nname = \"p\"\nmin_points = 1\n[[searcher]]\nkind = \"cities\"\npoints = 1\nlist = \"./%s\"\n"
	for name, want := range map[string]string{filepath.Base(list): "", "none.txt": "searcher cities: "} {
		if err := os.WriteFile(profile, fmt.Appendf(nil, text, name), 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := Open(t.Context(), Config{Profiles: []string{profile}})
		if err == nil {
			err = a.Close()
		}
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestCities(t *testing.T) {
	list := gazetteerFile(t, "# towns", "Praha", "Písek", "Most\texact", "Hradec", "Hradec Králové", "Ústí nad Labem", "Ústí", "Frýdek-Místek", "Aš", "L'Aquila", "Łódź", "v Praze", "Nové Město na Moravě", "Plzeň\texact")
	tests := []struct {
		why, text string
		ascii     bool
		found     int
		want      string
	}{
		{"a name", "Praha je velká.", false, 3, "Praha text ×1"},
		{"in capitals", "PRAHA, HRADEC KRÁLOVÉ", false, 3, "Hradec Králové text ×1, Praha text ×1"},
		{"the longest name counts, once", "Hradec Králové, Hradec, Ústí nad Labem", false, 6, "Hradec text ×1, Hradec Králové text ×1, Ústí nad Labem text ×1"},
		{"a beginning of a name is none", "Nové Město na Praha", false, 4, "Praha text ×1"},
		{"the beginning of a longer name that does not go on", "Ústí nad Praha", false, 3, "Praha text ×1, Ústí text ×1"},
		{"sand is no town", "jemný písek a most", false, 4, ""},
		{"a hyphen, a blank or nothing else between the words", "Frýdek - Místek, Frýdek Místek, Frýdek\u00a0Místek", false, 6, "Frýdek-Místek text ×3"},
		{"a comma ends a name", "Hradec, Králové", false, 2, "Hradec text ×1"},
		{"a number between the words", "Hradec 1 Králové", false, 2, "Hradec text ×1"},
		{"forms as listed only, in the letter case that the list has", "v Praze, V PRAZE, Praze", false, 5, "v Praze text ×2"},
		{"marks of their own", "Hradec Kra\u0301love\u0301", false, 2, "Hradec Králové text ×1"},
		{"without diacritics only when that is wanted", "Hradec Kralove, Pisek", false, 3, "Hradec text ×1"},
		{"without diacritics", "Hradec Kralove, Pisek, Lodz, Praha", true, 5, "Hradec Králové text ×1, Praha text ×1, Písek text ×1, Łódź text ×1"},
		{"names that mean something else without diacritics", "Plzen, Plzeň", true, 2, "Plzeň text ×1"},
		{"an apostrophe", "L’Aquila", false, 2, "L'Aquila text ×1"},
		{"digits make no word", "Praha1 Praha 1", false, 1, "Praha text ×1"},
		{"a part of a word", "Prahaha Nepraha", false, 2, ""},
		{"a soft hyphen", "Pra\u00adha", false, 1, "Praha text ×1"},
		{"no words", "… 12 –", false, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			f, got := search(t, &citiesOptions{List: list, ASCII: tt.ascii}, &Page{Text: tt.text})
			if f.Found != tt.found || got != tt.want {
				t.Errorf("found %d %q, want %d %q", f.Found, got, tt.found, tt.want)
			}
		})
	}
	if _, got := search(t, &citiesOptions{List: list}, &Page{Title: "Praha", Text: "Praha"}); got != "Praha title ×2" {
		t.Errorf("the title counts: %s", got)
	}
}

func TestReadGazetteer(t *testing.T) {
	for in, want := range map[string]string{
		"Praha\n\n# x\nBrno\r\n":            "brno, praha",
		"\ufeffPraha\nHradec Králové":       "hradec králové, praha",
		"Praha\nPraha":                      "praha",
		"Ústí\tmaybe":                       `line 1: "maybe" after the tab: nothing, or exact`,
		"Praha\nPraha 1":                    `line 2: "Praha 1": a name of 1 to 8 words`,
		"Praha; Brno":                       `line 1: "Praha; Brno"`,
		"…":                                 `line 1: "…"`,
		strings.Repeat("a ", 9):             "line 1: ",
		strings.Repeat("a", 1<<17):          "line 1: ",
		"Praha\n" + strings.Repeat("á", 81): "line 2: ",
	} {
		g, err := readGazetteer(strings.NewReader(in), false)
		got := fmt.Sprint(err)
		if err == nil {
			got = strings.Join(g.keys(), ", ")
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%.20q: %s, want %s", in, got, want)
		}
	}
}

// TestGazetteers: the built-in ones can be read, tell their nation's largest towns, and no name
// is on two of them.
func TestGazetteers(t *testing.T) {
	if got := Gazetteers(); !slices.Equal(got, []string{"cz", "dk", "gr", "hr", "hu", "no", "pl", "pt", "si", "sk"}) {
		t.Fatalf("built in: %v", got)
	}
	at := map[string]string{}
	for _, name := range Gazetteers() {
		g, err := openGazetteer(name, false)
		if err != nil {
			t.Fatal(err)
		}
		if g.small {
			t.Errorf("%s has names that begin small", name)
		}
		for _, k := range g.keys() {
			if at[k] != "" {
				t.Errorf("%q is in %s and %s", k, name, at[k])
			}
			at[k] = name
		}
	}
	for town, want := range map[string]string{"praha": "cz", "české budějovice": "cz", "bratislava": "sk", "warszawa": "pl", "ljubljana": "si",
		"zagreb": "hr", "budapest": "hu", "københavn": "dk", "oslo": "no", "lisboa": "pt", "αθήνα": "gr", "most": "", "martin": "", "split": ""} {
		if at[town] != want {
			t.Errorf("%s is in %q, want %q", town, at[town], want)
		}
	}
	if !strings.Contains(Notice(), "GeoNames") || !strings.Contains(Notice(), "Attribution 4.0") {
		t.Error("the notice must name GeoNames and the licence")
	}
	_, err := openGazetteer("xx", false)
	if got := fmt.Sprint(err); got != `gazetteer "xx": no such built-in one (built in are cz, dk, gr, hr, hu, no, pl, pt, si, sk)` {
		t.Error(got)
	}
}
