package dict_test

import (
	"bytes"
	"errors"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"exclave/dict"
)

func TestRead(t *testing.T) {
	tests := []struct{ why, in, want, err string }{
		{"any order and repeats will do: a user's file is not sorted", "voda\nahoj\nvoda\n", "ahoj voda", ""},
		{"words are normalised when read, as they are when looked up", "ČESKÝ\nc\u030ceský\n", "český", ""},
		{"comments and empty lines are for people", "# mine\n\nahoj\n", "ahoj", ""},
		{"a class behind the tab is no part of the word; of two the one that tells more counts", "ahoj\tshared\nvoda\tascii\nahoj\tascii\n", "ahoj voda", ""},
		{"a frequency list is a list", "ahoj\t0.001\n", "ahoj", ""},
		{"files from Windows end lines with CR LF", "ahoj\r\nvoda\r\n", "ahoj voda", ""},
		{"the last line may lack its end", "ahoj", "ahoj", ""},
		{"an empty list is a list without words", "", "", ""},
		{"two words in a line would never be found: say so, and where", "ahoj\ndobrý den\n", "", `line 2: "dobrý den" is not one word`},
		{"a digit makes no word", "covid19\n", "", "line 1"},
		{"a single letter is no word", "a\n", "", "line 1"},
		{"bytes that are not UTF-8 are no word", "ahoj\xff\n", "", "line 1"},
		{"a line longer than any word ends the reading, not the program", strings.Repeat("a", 1<<17), "", "too long"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			l, err := dict.Read(strings.NewReader(tt.in), "test")
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := slices.Collect(l.All())
			if strings.Join(got, " ") != tt.want || l.Len() != len(got) {
				t.Errorf("%q (%d), want %q", got, l.Len(), tt.want)
			}
			for _, w := range got {
				if !l.Has(w) || !l.Has(strings.ToUpper(w)) || l.Has(w+"x") || l.Has(w[:len(w)-1]) {
					t.Errorf("lookup of %q is wrong", w)
				}
			}
		})
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "towns.txt")
	if err := os.WriteFile(path, []byte("praha\nbrno\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := dict.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if l.Name() != "towns" || !l.Has("Brno") || l.Has("brn") {
		t.Errorf("%s: %v", l.Name(), slices.Collect(l.All()))
	}
	if _, err := dict.Open(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := dict.Load("cz"); !errors.Is(err, dict.ErrNoList) || !strings.Contains(err.Error(), "cs, da, hr, hu, no, pl, sk, sl") {
		t.Errorf("a missing built-in list must name those there are: %v", err)
	}
}

// TestBuiltin: the built-in files are indexed as they are, so they must keep
// the invariants of a List themselves.
func TestBuiltin(t *testing.T) {
	if got := dict.Builtins(); !slices.Equal(got, []string{"cs", "da", "hr", "hu", "no", "pl", "sk", "sl"}) {
		t.Fatalf("built in: %v", got)
	}
	lists := map[string]*dict.List{}
	for _, name := range dict.Builtins() {
		l, err := dict.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		lists[name] = l
		var text bytes.Buffer
		if _, err := l.WriteTo(&text); err != nil {
			t.Fatal(err)
		}
		again, err := dict.Read(bytes.NewReader(text.Bytes()), name)
		if err != nil {
			t.Fatal(err)
		}
		var norm bytes.Buffer
		if _, err := again.WriteTo(&norm); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text.Bytes(), norm.Bytes()) {
			t.Errorf("%s: not sorted, normalised and unique", name)
		}
		if l.Len() < 10_000 || again.Len() != l.Len() || len(l.Notes()) == 0 {
			t.Errorf("%s: %d words, %q", name, l.Len(), l.Notes())
		}
	}
	// What is said to be of one language is of no other one, in any class; what two
	// languages share may be shared with either.
	for name, l := range lists {
		for w, c := range l.Classed() {
			for other, o := range lists {
				if _, as, ok := o.Find([]byte(w)); ok && other != name && (c != dict.Shared || as != dict.Shared) {
					t.Errorf("%q is %s on list %s, and %s on %s", w, c, name, as, other)
				}
			}
		}
	}
	if !strings.Contains(dict.Notice(), "ShareAlike 4.0") {
		t.Error("the notice must name the licence of the words")
	}
}

// TestLookupConcurrent: the thesis's dictionary was read under a lock; this one
// is read by thousands of workers at once (run with -race).
func TestLookupConcurrent(t *testing.T) {
	l, err := dict.Builtin("cs")
	if err != nil {
		t.Fatal(err)
	}
	words := slices.Collect(l.All())
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := i; j < len(words); j += 8 {
				if w, ok := l.Lookup([]byte(words[j])); !ok || w != words[j] {
					t.Errorf("%q not found", words[j])
				}
			}
		})
	}
	wg.Wait()
}

// TestFindAll: words that are looked up at once are those that are looked up one after the other.
func TestFindAll(t *testing.T) {
	l, err := dict.Builtin("cs")
	if err != nil {
		t.Fatal(err)
	}
	words := [][]byte{[]byte("x")} // so that the last of AtOnce is on the list
	for w := range l.All() {
		words = append(words, []byte(w), []byte(w+"x"))
	}
	for i, n := 0, 0; i < len(words); i, n = i+n, (n+1)%(dict.AtOnce+1) {
		some := words[i:min(i+n, len(words))]
		got := map[int]string{}
		l.FindAll(some, func(i int, w string, c dict.Class) { got[i] = w + c.String() })
		for i, w := range some {
			if v, c, ok := l.Find(w); ok != (got[i] != "") || ok && got[i] != v+c.String() {
				t.Fatalf("%q: %q, want %v", w, got[i], ok)
			}
		}
	}
}

// TestLookupAllocations: lookup is the hot path of the analysis.
func TestLookupAllocations(t *testing.T) {
	l, err := dict.Builtin("cs")
	if err != nil {
		t.Fatal(err)
	}
	hit, miss := []byte("protože"), []byte("because")
	if n := testing.AllocsPerRun(100, func() { l.Lookup(hit); l.Lookup(miss) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"ahoj\nvoda\n", "#\n\t\n", "a\xffb", "ahoj\t1e-5\n", "\u0301\u0301\n", "İstanbul\n", "ǅ\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := dict.Read(bytes.NewReader(data), "fuzz")
		if err != nil {
			return
		}
		for w := range l.All() {
			if !l.Has(w) {
				t.Errorf("%q is on the list and is not found", w)
			}
		}
	})
}

func BenchmarkLookup(b *testing.B) {
	l, err := dict.Builtin("cs")
	if err != nil {
		b.Fatal(err)
	}
	words := [][]byte{[]byte("protože"), []byte("because"), []byte("nejkrásnější"), []byte("www")}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		l.Lookup(words[i%len(words)])
	}
}

// BenchmarkLookupLarge looks words up in a list of 4 million, half of them in vain: as often
// as words are in texts (Zipf's law), and each as often as any other, so that nothing is
// in the processor's cache.
func BenchmarkLookupLarge(b *testing.B) {
	const n = 4_000_000
	word := func(i int) string {
		var w strings.Builder
		for i = i * 2654435761 % (1 << 32); w.Len() < 10; i /= 26 {
			w.WriteByte(byte('a' + i%26))
		}
		return w.String()
	}
	words := make([]dict.Word, n)
	for i := range words {
		words[i].Text = word(i)
	}
	l, err := dict.New("large", words)
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewSource(1))
	zipf := rand.NewZipf(r, 1.07, 2, 2*n-1)
	for name, next := range map[string]func() int{"text": func() int { return int(zipf.Uint64()) }, "uniform": func() int { return r.Intn(2 * n) }} {
		asked := make([][]byte, 1<<16)
		for i := range asked {
			asked[i] = []byte(word(next()))
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				l.Lookup(asked[i%len(asked)])
			}
		})
	}
}

func BenchmarkBuiltin(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dict.Unpack("cs"); err != nil {
			b.Fatal(err)
		}
	}
}

// Issue: all who ask for a built-in list get the same words, unpacked once; a note is only in the list of who made it.
func TestBuiltinIsShared(t *testing.T) {
	one, err := dict.Builtin("cs")
	if err != nil {
		t.Fatal(err)
	}
	notes := one.Notes()
	one.Annotate("mine")
	other, err := dict.Builtin("cs")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(other.Notes(), notes) || !slices.Equal(one.Notes(), append(notes, "mine")) {
		t.Errorf("notes %q, then %q and %q", notes, one.Notes(), other.Notes())
	}
	if _, err := dict.Builtin("../data/cs"); !errors.Is(err, dict.ErrNoList) {
		t.Errorf("a name that is none: %v", err)
	}
}
