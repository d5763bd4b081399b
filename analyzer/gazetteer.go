package analyzer

import (
	"bufio"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// towns holds the built-in gazetteers, each called like the top-level domain of its nation;
// NOTICE says whose names they are and tools/gazetteers how they are made.
//
//go:embed gazetteers/*.txt gazetteers/NOTICE
var towns embed.FS

// Gazetteers returns the names of the built-in gazetteers, sorted: cz, sk.
func Gazetteers() []string {
	files, err := fs.Glob(towns, "gazetteers/*.txt")
	if err != nil {
		return nil
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(path.Base(f), ".txt")
	}
	return files
}

// Notice returns whose the built-in gazetteers are, and their licence, which asks for that.
func Notice() string {
	text, err := towns.ReadFile("gazetteers/NOTICE")
	if err != nil {
		return ""
	}
	return string(text)
}

// Bounds of a name in a gazetteer, which bound what a text is compared with.
const (
	maxNameWords = 8
	maxNameBytes = 120
)

// gazetteer is an immutable set of names of one or several words. Names are looked up word by
// word: each beginning of a name is in the table too.
type gazetteer struct {
	names []string        // as they are shown
	at    map[string]node // by words in normal form, a blank between them
	small bool            // some name begins with a small letter
}

// node is what begins with some words.
type node struct {
	name    int32 // 1 + index in names; 0 = these words are no name
	longer  bool  // names begin with them
	capital bool  // the name begins with a capital letter, and so it must in a text
}

// openGazetteer opens the file at the path if name is one (as of word lists, a path holds a
// separator or a dot), else the built-in gazetteer. With plain, names are found without their
// diacritics too.
func openGazetteer(name string, plain bool) (*gazetteer, error) {
	if !isGazetteerFile(name) {
		text, err := towns.ReadFile("gazetteers/" + name + ".txt")
		if err != nil {
			return nil, fmt.Errorf("gazetteer %q: no such built-in one (built in are %s)", name, strings.Join(Gazetteers(), ", "))
		}
		return readGazetteer(strings.NewReader(string(text)), plain)
	}
	f, err := os.Open(name)
	if err != nil {
		if p := (*fs.PathError)(nil); errors.As(err, &p) {
			err = p.Err
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	g, err := readGazetteer(f, plain)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

func isGazetteerFile(name string) bool { return strings.ContainsAny(name, `/\.`) }

// readGazetteer reads names, one a line; empty lines and lines that start with # are skipped.
// "exact" after a tab says that the name is not found without its diacritics. An error names
// the line.
func readGazetteer(r io.Reader, plain bool) (*gazetteer, error) {
	g := &gazetteer{at: map[string]node{}}
	lines := bufio.NewScanner(r)
	n := 0
	for lines.Scan() {
		n++
		name, mark, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "\ufeff"), "\t")
		name, mark = strings.TrimSpace(name), strings.TrimSpace(mark)
		if name == "" || name[0] == '#' {
			continue
		}
		if mark != "" && mark != "exact" {
			return nil, fmt.Errorf("line %d: %q after the tab: nothing, or exact", n, cut(mark, 40))
		}
		words := splitName(name)
		if len(words) == 0 || len(words) > maxNameWords || len(name) > maxNameBytes {
			return nil, fmt.Errorf("line %d: %q: a name of 1 to %d words and at most %d bytes is wanted", n, cut(name, 40), maxNameWords, maxNameBytes)
		}
		name = norm.NFC.String(name)
		first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }))
		g.names = append(g.names, name)
		g.add(words, unicode.IsUpper(first))
		if bare := withoutDiacritics(words); plain && mark == "" && !slices.Equal(bare, words) {
			g.add(bare, unicode.IsUpper(first))
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	return g, nil
}

// add adds the last of names by its words. Of two names with the same words the first is
// shown; when one of them is written small, any letter case will do.
func (g *gazetteer) add(words []string, capital bool) {
	key := ""
	for i, w := range words {
		if i > 0 {
			at := g.at[key]
			at.longer = true
			g.at[key] = at
			key += " "
		}
		key += w
	}
	at := g.at[key]
	if at.name == 0 {
		at.name, at.capital = int32(len(g.names)), capital
	}
	at.capital = at.capital && capital
	g.at[key] = at
	g.small = g.small || !capital
}

// keys returns what is looked for, sorted, for people to compare two gazetteers by.
func (g *gazetteer) keys() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(g.at)), func(k string) bool { return g.at[k].name == 0 })
}

// splitName returns the words of a name in normal form; nil when it holds a digit or a word
// that no text can have.
func splitName(name string) (words []string) {
	for s := (nameScanner{text: norm.NFC.String(name)}); s.next(); {
		w := s.appendWord(nil)
		if w == nil || len(words) > 0 && !s.joined {
			return nil
		}
		words = append(words, string(w))
	}
	return words
}

var foldLetters = strings.NewReplacer("ł", "l", "ø", "o", "đ", "d", "æ", "ae", "ß", "ss", "ı", "i", "œ", "oe")

// withoutDiacritics returns words in normal form as people write them with the letters of
// ASCII.
func withoutDiacritics(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = foldLetters.Replace(norm.NFC.String(strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFD.String(w))))
	}
	return out
}
