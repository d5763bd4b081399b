package labelled

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

//go:embed texts
var texts embed.FS

// furnitureFile is what each language has beside its texts.
const furnitureFile = "furniture.txt"

// block is a paragraph, a verse, a list or a table of a text.
type block struct {
	lines []string // of a verse or list one each; of a table cells divided by tabs
	list  bool
	table bool
}

// origin is one text as it was written.
type origin struct {
	language string // the folder
	code     string // as lang attributes have it: nb, nn
	number   int
	kind     string
	title    string
	menu     []string
	blocks   []block
}

// name is what an origin is called: cs/03-shop.
func (o *origin) name() string { return fmt.Sprintf("%s/%02d-%s", o.language, o.number, o.kind) }

// testing reports on which side of the split an origin is: two of five numbers are for tests.
// All languages agree, so that texts with one number may stand on one page.
func (o *origin) testing() bool { return o.number%5 == 2 || o.number%5 == 4 }

// source is what folds are divided by. Languages whose texts are mixed with each other on one
// page share their sources, and so do the two texts of a portal.
func (o *origin) source() string {
	family := o.language
	for _, f := range mixing() {
		if slices.Contains(f, family) {
			family = strings.Join(f, "-")
			break
		}
	}
	return fmt.Sprintf("%s/%02d", family, (o.number-1)/10*10+(o.number-1)%5+1)
}

// mixing returns the families of languages whose texts stand on one page.
func mixing() [][]string {
	return [][]string{{"cs", "en", "hu", "sk"}, {"hr", "sl"}, {"da", "no"}}
}

// furniture is what the pages of a language have around their texts.
type furniture map[string][]string

// side returns the phrase of one side of the split, "" when there is none.
func (f furniture) side(key string, testing bool) string {
	v := f[key]
	switch {
	case len(v) == 0:
		return ""
	case testing:
		return v[len(v)-1]
	}
	return v[0]
}

// all returns the phrases of one side of the split, which are divided by semicolons.
func (f furniture) all(key string, testing bool) (out []string) {
	for s := range strings.SplitSeq(f.side(key, testing), ";") {
		out = append(out, strings.TrimSpace(s))
	}
	return out
}

// pick returns one of the values.
func (f furniture) pick(key string, d dice) string {
	if v := f[key]; len(v) > 0 {
		return v[d.n("furniture "+key, len(v))]
	}
	return ""
}

// load reads all texts, by language in the order of their numbers.
func load() (map[string][]*origin, map[string]furniture, error) {
	origins, around := map[string][]*origin{}, map[string]furniture{}
	err := fs.WalkDir(texts, "texts", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := texts.ReadFile(p)
		if err != nil {
			return err
		}
		language := path.Base(path.Dir(p))
		if path.Base(p) == furnitureFile {
			around[language], err = parseFurniture(string(data))
		} else {
			var o *origin
			if o, err = parseOrigin(language, path.Base(p), string(data)); err == nil {
				origins[language] = append(origins[language], o)
			}
		}
		if err != nil {
			return fmt.Errorf("labelled: %s: %w", p, err)
		}
		return nil
	})
	for language := range origins {
		if around[language] == nil && err == nil {
			err = fmt.Errorf("labelled: texts/%s has no %s", language, furnitureFile)
		}
	}
	return origins, around, err
}

// parseFurniture reads lines "key: value | value".
func parseFurniture(text string) (furniture, error) {
	f := furniture{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("line %q: no colon", line)
		}
		f[key] = splitList(value)
	}
	return f, nil
}

func splitList(s string) (out []string) {
	for v := range strings.SplitSeq(s, "|") {
		if v = strings.TrimSpace(v); v != "" {
			out = append(out, v)
		}
	}
	return out
}

// parseOrigin reads a text: keys title, menu, and language when it is not the folder's; a line "--", blocks divided by empty lines. Lines
// of a list start with "- ", those of a table with "| ".
func parseOrigin(language, file, text string) (*origin, error) {
	number, kind, ok := strings.Cut(strings.TrimSuffix(file, ".txt"), "-")
	n, err := strconv.Atoi(number)
	if !ok || err != nil {
		return nil, fmt.Errorf("its name is not NN-kind.txt")
	}
	o := &origin{language: language, code: code(language), number: n, kind: kind}
	head, body, ok := strings.Cut(text, "\n--\n")
	if !ok {
		return nil, fmt.Errorf("no line -- after the head")
	}
	for line := range strings.Lines(head) {
		switch key, value, _ := strings.Cut(line, ":"); key {
		case "title":
			o.title = strings.TrimSpace(value)
		case "language":
			o.code = strings.TrimSpace(value)
		case "menu":
			o.menu = splitList(value)
		default:
			return nil, fmt.Errorf("unknown key %q", key)
		}
	}
	for part := range strings.SplitSeq(body, "\n\n") {
		var b block
		for line := range strings.Lines(part) {
			line = strings.TrimSpace(line)
			switch {
			case line == "":
				continue
			case strings.HasPrefix(line, "- "):
				b.list = true
				line = line[2:]
			case strings.HasPrefix(line, "| "):
				b.table = true
				line = strings.ReplaceAll(line[2:], " | ", "\t")
			}
			b.lines = append(b.lines, line)
		}
		if len(b.lines) > 0 {
			o.blocks = append(o.blocks, b)
		}
	}
	if o.title == "" || len(o.blocks) == 0 {
		return nil, fmt.Errorf("no title, or no text")
	}
	return o, nil
}

// sentences returns what an origin says, divided at the ends of sentences, lines and cells.
func (o *origin) sentences() (out []string) {
	for _, b := range o.blocks {
		for _, line := range b.lines {
			for cell := range strings.SplitSeq(line, "\t") {
				out = append(out, divide(cell)...)
			}
		}
	}
	return out
}

// divide divides a paragraph after . ! ? … where a blank and no small letter follow.
func divide(s string) (out []string) {
	rs, start := []rune(s), 0
	for i, r := range rs {
		if !strings.ContainsRune(".!?…“”", r) || i+2 >= len(rs) || rs[i+1] != ' ' {
			continue
		}
		if next := rs[i+2]; unicode.IsLower(next) || unicode.IsDigit(next) || (r == '“' || r == '”') && !strings.ContainsRune(".!?", rs[max(i-1, 0)]) {
			continue
		}
		if strings.TrimSpace(string(rs[start:i+1])) != "" {
			out = append(out, strings.TrimSpace(string(rs[start:i+1])))
		}
		start = i + 1
	}
	if rest := strings.TrimSpace(string(rs[start:])); rest != "" {
		out = append(out, rest)
	}
	return out
}

// Words returns how many words a text has: runs of letters and marks, with apostrophes and hyphens within
// them.
func Words(s string) (n int) {
	in := false
	for _, r := range s {
		letter := unicode.IsLetter(r) || unicode.IsMark(r) || in && (r == '\'' || r == '’' || r == '-')
		if letter && !in {
			n++
		}
		in = letter
	}
	return n
}

// passage returns the words from sentence first on: whole sentences, at most most words.
func (o *origin) passage(first, most int) string {
	var parts []string
	left := most
	for _, s := range o.sentences()[first:] {
		fields := strings.Fields(s)
		if len(fields) >= left {
			parts = append(parts, strings.Join(fields[:left], " "))
			break
		}
		parts = append(parts, s)
		left -= len(fields)
	}
	return strings.Join(parts, " ")
}
