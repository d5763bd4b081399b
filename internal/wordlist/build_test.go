package wordlist_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/dict"
	"exclave/internal/wordlist"
)

func file(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func source(t testing.TB, names ...string) (sources []wordlist.Source) {
	t.Helper()
	for _, s := range names {
		one, err := wordlist.ParseSource(s)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, one)
	}
	return sources
}

// render writes a list as "word word/class".
func render(l *dict.List) string {
	var out []string
	for w, c := range l.Classed() {
		if c != dict.Exclusive {
			w += "/" + c.String()
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

func TestBuild(t *testing.T) {
	words := file(t, "cs.tsv", "když\t0.01\nale\t0.02\nkterý\t0.005\nPraha\t0.004\nřeka\t0.001\n$100\t0.1\nčech\t0.001\n")
	rival := file(t, "sk.tsv", "ale\t0.02\nktorý\t0.005\nkterý\t0.0001\n")
	names := file(t, "names.txt", "Praha\n")
	own := file(t, "own.txt", "když\nřeka\nčech\nkterý\nPraha\n")
	german := file(t, "de.tsv", "kdyz\t0.5\nreka\t0.00000001\n")
	tests := []struct {
		why  string
		r    wordlist.Recipe
		want string
		err  string
	}{
		{"a word of another language tells nothing; a rare one is forgiven", wordlist.Recipe{Words: source(t, words), Minus: source(t, rival)}, "když který praha čech řeka", ""},
		{"ratio: how much is forgiven", wordlist.Recipe{Words: source(t, words), Minus: source(t, rival), Ratio: 0.01}, "když praha čech řeka", ""},
		{"without frequencies being there is enough, with a capital too", wordlist.Recipe{Words: source(t, words), Minus: source(t, names)}, "ale když který čech řeka", ""},
		{"only kept words may stay; names are not kept", wordlist.Recipe{Words: source(t, words), Keep: source(t, own)}, "když který čech řeka", ""},
		{"the most frequent stay, then those that sort first: builds are reproducible", wordlist.Recipe{Words: source(t, words), Keep: source(t, own), Max: 3}, "když který čech", ""},
		{"a least frequency", wordlist.Recipe{Words: source(t, words), Least: 0.005}, "ale když který", ""},
		{"what a neighbour has is a class of its own", wordlist.Recipe{Words: source(t, words), Shared: source(t, rival), Max: 2}, "ale/shared když který", ""},
		{"unless others have it, too", wordlist.Recipe{Words: source(t, words), Shared: source(t, rival), Minus: source(t, rival)}, "když který praha čech řeka", ""},
		{"without diacritics: what no other language has in any form", wordlist.Recipe{Words: source(t, words), Keep: source(t, own), Shared: source(t, rival), Minus: source(t, german), ASCII: true}, "cech/ascii když ktery/ascii který reka/ascii čech řeka", ""},
		{"a form without diacritics is no other language's word without its own", wordlist.Recipe{Words: source(t, file(t, "a.tsv", "rád\t0.1\nrada\t0.1\n")), Minus: source(t, file(t, "b.tsv", "rāda\t0.1\n")), ASCII: true, LeastASCII: 3}, "rad/ascii rád", ""},
		{"short forms are everybody's", wordlist.Recipe{Words: source(t, words), Keep: source(t, own), ASCII: true, LeastASCII: 5}, "když ktery/ascii který čech řeka", ""},
		{"counts are made relative: a large corpus has more of everything", wordlist.Recipe{Words: source(t, file(t, "x.tsv", "ano\t90\nne\t10\n")), Minus: source(t, file(t, "y.tsv", "ne\t3\nja\t9997\n"))}, "ano ne", ""},
		{"texts are counted", wordlist.Recipe{Words: source(t, "corpus:"+file(t, "t.txt", "Ano, ano. Ne! Ano,\nano")), Least: 0.5}, "ano", ""},
		{"a list of no frequencies", wordlist.Recipe{Words: source(t, own), Minus: source(t, rival)}, "když čech řeka", ""},
		{"of no frequencies none is the most frequent: what sorts first would be words with a", wordlist.Recipe{Words: source(t, own), Max: 3}, "", "no source says how frequent words are"},
		{"unless all may stay", wordlist.Recipe{Words: source(t, own), Max: 4}, "když který čech řeka", ""},
		{"where some are known, the others go first", wordlist.Recipe{Words: source(t, words, file(t, "more.txt", "aby\nbez\n")), Keep: source(t, file(t, "all.txt", "aby\nbez\nkdyž\nkterý\n")), Max: 3}, "když který", ""},
		{"a frequency that is none names file and line", wordlist.Recipe{Words: source(t, "freq:"+names)}, "", "names.txt: line 1"},
		{"a missing file is named", wordlist.Recipe{Words: source(t, words), Minus: source(t, "no.tsv")}, "", "no.tsv"},
		{"nothing asked for is a mistake", wordlist.Recipe{}, "", "no words"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			r := wordlist.DefaultRecipe()
			r.Words, r.Keep, r.Minus, r.Shared, r.ASCII, r.Max, r.Least = tt.r.Words, tt.r.Keep, tt.r.Minus, tt.r.Shared, tt.r.ASCII, tt.r.Max, tt.r.Least
			if tt.r.Ratio > 0 {
				r.Ratio = tt.r.Ratio
			}
			if tt.r.LeastASCII > 0 {
				r.LeastASCII = tt.r.LeastASCII
			}
			r.Temp = t.TempDir()
			l, _, err := wordlist.Build(t.Context(), "test", r)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := render(l); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// TestBuildSortsOnDisk: what does not fit into memory gives the same list.
func TestBuildSortsOnDisk(t *testing.T) {
	var words, rival strings.Builder
	for i := range 20_000 {
		w := strings.NewReplacer("0", "á", "1", "b", "2", "c", "3", "d", "4", "é", "5", "f", "6", "g", "7", "h", "8", "i", "9", "j").Replace(fmt.Sprintf("%05d", i))
		fmt.Fprintf(&words, "slovo%s\t1\n", w)
		if i%2 == 0 {
			fmt.Fprintf(&rival, "slovo%s\n", w)
		}
	}
	r := wordlist.DefaultRecipe()
	r.Words, r.Minus, r.ASCII, r.Temp = source(t, file(t, "a.tsv", words.String())), source(t, file(t, "b.txt", rival.String())), true, t.TempDir()
	all, st, err := wordlist.Build(t.Context(), "test", r)
	if err != nil {
		t.Fatal(err)
	}
	if all.LenOf(dict.Exclusive) == 0 || all.LenOf(dict.Exclusive) > 10_000 || st.Read != 30_000 {
		t.Errorf("%d words of %+v", all.Len(), st)
	}
	r.Memory = 1 << 18
	small, _, err := wordlist.Build(t.Context(), "test", r)
	if err != nil {
		t.Fatal(err)
	}
	if render(small) != render(all) {
		t.Errorf("%d words, in memory %d", small.Len(), all.Len())
	}
	if left, err := os.ReadDir(r.Temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := wordlist.Build(ctx, "test", r); !errors.Is(err, context.Canceled) {
		t.Errorf("a build that is stopped: %v", err)
	}
}

func TestParseSource(t *testing.T) {
	for in, want := range map[string]wordlist.Source{
		"a/cs_CZ.dic": {wordlist.KindHunspell, "a/cs_CZ.dic"}, "x.tsv": {wordlist.KindFrequency, "x.tsv"}, "x.warc.gz": {wordlist.KindWARC, "x.warc.gz"}, "x.warc.zst": {wordlist.KindWARC, "x.warc.zst"},
		"x.txt": {wordlist.KindList, "x.txt"}, "corpus:x.txt": {wordlist.KindCorpus, "x.txt"}, "C:x": {wordlist.KindList, "C:x"},
	} {
		if got, err := wordlist.ParseSource(in); err != nil || got != want {
			t.Errorf("%s: %+v %v", in, got, err)
		}
	}
	if _, err := wordlist.ParseSource(""); err == nil {
		t.Error("nothing is no source")
	}
}

func TestCheck(t *testing.T) {
	l, err := dict.Read(strings.NewReader("když\nřeka\nreka\tascii\nale\tshared\n"), "test")
	if err != nil {
		t.Fatal(err)
	}
	h, err := wordlist.Check(t.Context(), l, strings.NewReader("Když řeka teče\nkdyž když\nale\nřeka ale reka jde\n\nno nothing here\n"), 2)
	// One word is no sentence; the same word twice is one.
	if err != nil || h.Sentences != 3 || h.Hit != [3]int{1, 0, 0} || h.Listed != [3]int{5, 1, 2} || h.Words != 13 {
		t.Errorf("%+v %v", h, err)
	}
	if h.Share(dict.Exclusive) < 0.33 || (wordlist.Hits{}).Share(dict.ASCII) != 0 {
		t.Errorf("%v", h.Share(dict.Exclusive))
	}
}
