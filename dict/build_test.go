package dict_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/dict"
)

func TestBuild(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	words := file("cs.tsv", "když\t0.01\nale\t0.02\nkterý\t0.005\nPraha\t0.004\nřeka\t0.001\n$100\t0.1\nčech\t0.001\n")
	rival := file("sk.tsv", "ale\t0.02\nktorý\t0.005\nkterý\t0.0001\n")
	names := file("names.txt", "praha\n")
	own := file("own.txt", "když\nřeka\nčech\nkterý\n")
	tests := []struct {
		why  string
		r    dict.Recipe
		want string
		err  string
	}{
		{"a word shared with another language tells nothing", dict.Recipe{Words: words, Others: []string{rival}, Ratio: 0.05, Max: 10}, "když který praha čech řeka", ""},
		{"ratio: how much of a stranger's use is forgiven", dict.Recipe{Words: words, Others: []string{rival}, Ratio: 0.01, Max: 10}, "když praha čech řeka", ""},
		{"excluded words go however rare they are elsewhere", dict.Recipe{Words: words, Exclude: []string{names}, Ratio: 1, Max: 10}, "ale když který čech řeka", ""},
		{"only kept words may stay", dict.Recipe{Words: words, Keep: own, Ratio: 1, Max: 10}, "když který čech řeka", ""},
		{"the most frequent win, then those that sort first: builds are reproducible", dict.Recipe{Words: words, Keep: own, Ratio: 1, Max: 3}, "když který čech", ""},
		{"a frequency that is none names file and line", dict.Recipe{Words: names, Ratio: 1, Max: 1}, "", "names.txt: line 1"},
		{"a missing file is named", dict.Recipe{Words: words, Others: []string{"no.tsv"}, Ratio: 1, Max: 1}, "", "no.tsv"},
		{"nothing asked for is a mistake", dict.Recipe{Words: words, Ratio: 1}, "", "must be positive"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			l, err := dict.Build("test", tt.r)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(slices.Collect(l.All()), " "); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
