package wordlist_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/internal/wordlist"

	"golang.org/x/text/encoding/charmap"
)

// TestHunspell: forms worked out by hand after hunspell(5).
func TestHunspell(t *testing.T) {
	tests := []struct{ why, aff, dic, want string }{
		{"a suffix whose condition holds; what is put there, and what is taken off",
			"SET UTF-8\nSFX A Y 2\nSFX A e í [^aš]e\nSFX A še ším še\n", "2\nmoře/A\nduše/A\nlano\n", "duše duším lano moře moří"},
		{"the condition of a prefix is about the beginning; a word that is shorter does not meet it",
			"SET UTF-8\nPFX N Y 1\nPFX N 0 ne [^ún].\nSFX A Y 1\nSFX A 0 y .[dt]\n", "5\ndát/NA\nnést/N\núpět/N\na/N\nd/A\n", "dát dáty nedát nedáty nést úpět"},
		{"prefix and suffix cross when both say so",
			"SET UTF-8\nPFX N Y 1\nPFX N 0 ne .\nSFX A Y 1\nSFX A t l at\n", "1\ndělat/NA\n", "dělal dělat nedělal nedělat"},
		{"and do not when one does not",
			"SET UTF-8\nPFX N N 1\nPFX N 0 ne .\nSFX A Y 1\nSFX A t l at\n", "1\ndělat/NA\n", "dělal dělat nedělat"},
		{"a suffix behind a suffix",
			"SET UTF-8\nSFX A Y 1\nSFX A 0 ost/B .\nSFX B Y 1\nSFX B 0 i .\n", "1\nmlad/A\n", "mlad mladost mladosti"},
		{"flags of two letters, and aliases of them",
			"SET UTF-8\nFLAG long\nAF 2\nAF AaBb # 1\nAF Bb\nSFX Aa Y 1\nSFX Aa 0 a .\nSFX Bb Y 1\nSFX Bb 0 i .\n", "2\nhrad/1\nles/2\n", "hrad hrada hradi les lesi"},
		{"flags that are numbers",
			"SET UTF-8\nFLAG num\nSFX 100 Y 1\nSFX 100 0 a .\nSFX 7 Y 1\nSFX 7 0 i .\n", "1\nhrad/100,7\n", "hrad hrada hradi"},
		{"a stem that is no word by itself",
			"SET UTF-8\nNEEDAFFIX X\nFORBIDDENWORD F\nSFX A Y 1\nSFX A 0 ý .\n", "2\nstar/XA\nblb/F\n", "starý"},
		{"a circumfix needs both ends",
			"SET UTF-8\nCIRCUMFIX X\nPFX N Y 1\nPFX N 0 nej/X .\nSFX A Y 2\nSFX A ý ší/NX ý\nSFX A ý ěji ý\n", "1\nnový/A\n", "nejnovší nový nověji"},
		{"names are not of the language; what stands behind a tab is about the word",
			"SET UTF-8\n", "3\nPraha\nřeka\tpo:noun\nab\\/cd\n", "řeka"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"x.aff": tt.aff, "x.dic": tt.dic} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := built(t, filepath.Join(dir, "x.dic")); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func built(t *testing.T, name string) string {
	t.Helper()
	r := wordlist.DefaultRecipe()
	r.Words = source(t, name)
	l, _, err := wordlist.Build(t.Context(), "test", r)
	if err != nil {
		t.Fatal(err)
	}
	return render(l)
}

// Dictionaries older than UTF-8 say their charset; flags may be letters of it.
func TestHunspellCharset(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"x.aff": "SET ISO8859-2\nSFX ž Y 1\nSFX ž 0 ů .\n", "x.dic": "1\nhřích/ž\n"} {
		old, err := charmap.ISO8859_2.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(old), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := built(t, filepath.Join(dir, "x.dic")); got != "hřích hříchů" {
		t.Error(got)
	}
}

// TestHunspellForms: affixes that multiply are cut off, and it is said.
func TestHunspellForms(t *testing.T) {
	dir := t.TempDir()
	aff := "SET UTF-8\nSFX A Y 26\nSFX B Y 26\n"
	for c := 'a'; c <= 'z'; c++ {
		aff += "SFX A 0 x" + string(c) + "/B .\nSFX B 0 y" + string(c) + " .\n"
	}
	for name, text := range map[string]string{"x.aff": aff, "x.dic": "2\nkoza/A\nkráva\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := wordlist.DefaultRecipe()
	r.Words, r.Forms = source(t, filepath.Join(dir, "x.dic")), 100
	l, st, err := wordlist.Build(t.Context(), "test", r)
	if err != nil || l.Len() != 101 || st.Cut != 1 || st.Name != "koza" || !l.Has("kráva") {
		t.Errorf("%d words, %+v, %v", l.Len(), st, err)
	}
}

// FuzzHunspell: a dictionary is a stranger's.
func FuzzHunspell(f *testing.F) {
	f.Add("SET UTF-8\nFLAG num\nAF 1\nAF 1,2\nPFX 1 Y 1\nPFX 1 a b/1 [^x]a\n", "1\nabc/1\n")
	f.Add("SFX A Y 1\nSFX A 0 0/A .\n", "1\na/A\n\n/\n\\/\n")
	f.Add("SET nothing\n", "")
	f.Fuzz(func(t *testing.T, aff, dic string) {
		dir := t.TempDir()
		for name, text := range map[string]string{"x.aff": aff, "x.dic": dic} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r := wordlist.DefaultRecipe()
		r.Words, r.Forms, r.Memory = source(t, filepath.Join(dir, "x.dic")), 50, 1<<16
		l, _, err := wordlist.Build(t.Context(), "fuzz", r)
		if err == nil && strings.Contains(render(l), "\n") {
			t.Error(render(l))
		}
	})
}
