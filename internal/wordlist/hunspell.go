package wordlist

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"exclave/dict"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// flag is one flag of a hunspell dictionary, as its FLAG says they are written.
type flag string

// affix is one line of a rule: what is taken off a word and what is put there.
type affix struct {
	prefix, cross bool
	strip, add    string
	cond          []letters
	more          []flag // of the form it makes
}

// letters is one element of a condition.
type letters struct {
	set      string // "" = any
	excluded bool
}

// affixes is a .aff file.
type affixes struct {
	charset   encoding.Encoding
	flags     string // "", "long", "num", "UTF-8"
	aliases   [][]flag
	rules     map[flag][]affix
	cross     map[flag]bool
	only      []flag // of what is no word by itself: NEEDAFFIX, ONLYINCOMPOUND, FORBIDDENWORD
	circumfix flag
}

// hunspell reads a dictionary with all forms that its affixes make. Compounds are not made.
func (s Source) hunspell(ctx context.Context, o readOptions, to emit) error {
	a, err := readAffixes(strings.TrimSuffix(s.Path, ".dic") + ".aff")
	if err != nil {
		return fmt.Errorf("wordlist: %w", err)
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return fmt.Errorf("wordlist: %w", err)
	}
	defer f.Close()
	sc := bufio.NewScanner(a.decoded(f))
	sc.Buffer(make([]byte, maxLine), maxLine)
	for n := 0; sc.Scan(); n++ {
		if n%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if n == 0 { // the number of words
			continue
		}
		stem, flags := a.entry(sc.Text())
		if stem == "" || !o.names && isName(stem) {
			continue
		}
		made, cut := 0, false
		err := a.forms(stem, flags, func(form string) error {
			if made++; made > o.forms {
				cut = true
				return errEnough
			}
			if w := dict.Normalize(form); dict.IsWord(w) {
				return to(w, 0)
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			return err
		}
		if cut && o.cut != nil {
			o.cut(stem)
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("wordlist: %s: %w", s.Path, err)
	}
	return nil
}

var errEnough = errors.New("enough forms")

func (a *affixes) decoded(r io.Reader) io.Reader {
	if a.charset == nil {
		return r
	}
	return a.charset.NewDecoder().Reader(r)
}

// entry takes a line of a .dic apart: "word/FLAGS<tab>what else is known".
func (a *affixes) entry(line string) (stem string, flags []flag) {
	line, _, _ = strings.Cut(strings.TrimPrefix(line, "\ufeff"), "\t")
	for i := 1; i < len(line); i++ {
		if line[i] == '/' && line[i-1] != '\\' {
			rest, _, _ := strings.Cut(line[i+1:], " ")
			stem, flags = line[:i], a.parse(strings.TrimRight(rest, "\r"))
			return strings.ReplaceAll(stem, `\/`, "/"), flags
		}
	}
	stem, _, _ = strings.Cut(strings.TrimSpace(line), " ")
	return stem, nil
}

// parse reads flags, or the number of an alias.
func (a *affixes) parse(s string) (out []flag) {
	if n, err := strconv.Atoi(s); err == nil && len(a.aliases) > 0 {
		if n >= 1 && n <= len(a.aliases) {
			return a.aliases[n-1]
		}
		return nil
	}
	switch a.flags {
	case "num":
		for n := range strings.SplitSeq(s, ",") {
			out = append(out, flag(n))
		}
	case "long":
		r := []rune(s)
		for i := 0; i+1 < len(r); i += 2 {
			out = append(out, flag(r[i:i+2]))
		}
	default:
		for _, r := range s {
			out = append(out, flag(r))
		}
	}
	return out
}

// readAffixes reads a .aff file. What only spelling checkers need is passed over.
func readAffixes(path string) (*affixes, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a := &affixes{rules: map[flag][]affix{}, cross: map[flag]bool{}}
	text := string(raw)
	for line := range strings.Lines(text) { // the charset first: flags may be letters
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "SET" {
			if f[1] == "UTF-8" {
				break
			}
			if a.charset, err = htmlindex.Get(strings.Replace(strings.ToLower(f[1]), "iso8859-", "iso-8859-", 1)); err != nil {
				return nil, fmt.Errorf("%s: SET %s: %w", path, f[1], err)
			}
			if text, err = a.charset.NewDecoder().String(text); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			break
		}
	}
	seen := map[flag]bool{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		switch f[0] {
		case "FLAG":
			a.flags = f[1]
		case "AF":
			if a.aliases == nil { // the first is how many there are
				a.aliases = [][]flag{}
				continue
			}
			aliases := a.aliases
			a.aliases = nil // a number is no alias here
			flags := a.parse(f[1])
			a.aliases = append(aliases, flags)
		case "NEEDAFFIX", "PSEUDOROOT", "ONLYINCOMPOUND", "FORBIDDENWORD":
			a.only = append(a.only, flag(f[1]))
		case "CIRCUMFIX":
			a.circumfix = flag(f[1])
		case "PFX", "SFX":
			if len(f) < 4 {
				continue
			}
			id := flag(f[1])
			if !seen[id] { // the head of the rule
				seen[id] = true
				a.cross[id] = f[2] == "Y"
				continue
			}
			r := affix{prefix: f[0] == "PFX", cross: a.cross[id], strip: zero(f[2])}
			add, flags, _ := strings.Cut(f[3], "/")
			r.add, r.more = zero(add), a.parse(flags)
			if len(f) > 4 {
				if r.cond, err = condition(f[4]); err != nil {
					return nil, fmt.Errorf("%s: line %d: %w", path, n, err)
				}
			}
			a.rules[id] = append(a.rules[id], r)
		}
	}
	return a, nil
}

func zero(s string) string {
	if s == "0" {
		return ""
	}
	return s
}

// condition reads "[^aeiou]y": one element a letter.
func condition(s string) (out []letters, err error) {
	for s != "" {
		if s[0] != '[' {
			r := []rune(s)[0]
			l := letters{set: string(r)}
			if r == '.' {
				l.set = ""
			}
			out, s = append(out, l), s[len(string(r)):]
			continue
		}
		set, rest, ok := strings.Cut(s[1:], "]")
		if !ok {
			return nil, fmt.Errorf("condition %q: a bracket is not closed", s)
		}
		set, excluded := strings.CutPrefix(set, "^")
		out, s = append(out, letters{set, excluded}), rest
	}
	if len(out) == 1 && out[0] == (letters{}) { // "." is no condition
		return nil, nil
	}
	return out, nil
}

func (l letters) match(r rune) bool {
	return l.set == "" || strings.ContainsRune(l.set, r) != l.excluded
}

// apply makes the form of a word; ok is false when the rule is not for it.
func (r *affix) apply(word string) (form string, ok bool) {
	if r.prefix {
		rest := word
		for _, c := range r.cond {
			if rest == "" || !c.match(firstRune(rest)) {
				return "", false
			}
			_, size := utf8.DecodeRuneInString(rest)
			rest = rest[size:]
		}
		rest, ok = strings.CutPrefix(word, r.strip)
		return r.add + rest, ok
	}
	rest := word
	for _, c := range slices.Backward(r.cond) {
		last, size := lastRune(rest)
		if size == 0 || !c.match(last) {
			return "", false
		}
		rest = rest[:len(rest)-size]
	}
	rest, ok = strings.CutSuffix(word, r.strip)
	return rest + r.add, ok
}

// forms calls each for every form of a stem: by itself, with a suffix or two, with a
// prefix, with both where both allow it.
func (a *affixes) forms(stem string, flags []flag, each func(string) error) error {
	if !a.hidden(flags) {
		if err := each(stem); err != nil {
			return err
		}
	}
	return a.affixed(stem, flags, false, false, each, 2)
}

// affixed makes the forms by the rules of flags; depth is how many affixes may follow one
// another, after a prefix (prefixed) or one with the circumfix flag.
func (a *affixes) affixed(word string, flags []flag, prefixed, half bool, each func(string) error, depth int) error {
	for _, id := range flags {
		rules := a.rules[id]
		for i := range rules {
			r := &rules[i]
			if r.prefix && prefixed {
				continue
			}
			form, ok := r.apply(word)
			if !ok || form == "" {
				continue
			}
			circum := a.circumfix != "" && slices.Contains(r.more, a.circumfix)
			if !a.hidden(r.more) && circum == half {
				if err := each(form); err != nil {
					return err
				}
			}
			if depth <= 1 {
				continue
			}
			more := r.more
			if r.cross {
				if r.prefix { // suffixes of the stem, behind this prefix
					more = slices.Concat(more, a.crossing(flags, false))
				}
			}
			if len(more) > 0 {
				if err := a.affixed(form, more, prefixed || r.prefix, circum, each, depth-1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// crossing returns the flags of prefixes, or of suffixes, that go with the other ones.
func (a *affixes) crossing(flags []flag, prefix bool) (out []flag) {
	for _, id := range flags {
		if r := a.rules[id]; len(r) > 0 && r[0].prefix == prefix && r[0].cross {
			out = append(out, id)
		}
	}
	return out
}

// hidden reports whether a form with these flags is no word by itself.
func (a *affixes) hidden(flags []flag) bool {
	return slices.ContainsFunc(flags, func(f flag) bool { return slices.Contains(a.only, f) })
}

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func lastRune(s string) (rune, int) {
	if s == "" {
		return 0, 0
	}
	return utf8.DecodeLastRuneInString(s)
}
