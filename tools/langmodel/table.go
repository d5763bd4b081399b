package main

import (
	"archive/zip"
	"cmp"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"exclave/langid"
)

const (
	floor      = 1e-6 // share of a word in a text of no known language
	gramFloor  = 4e-5 // of an n-gram, among the n-grams of rare words
	gramScale  = 0.3  // n-grams overlap: what they say is not independent
	gramMost   = 9_000
	gramLeast  = 0.7 // nats below which a weight is not worth its place
	wordLeast  = 0.7
	otherForm  = 0.1 // of the words of a text with diacritics are written without
	commonMost = 400 // most frequent words of a class, which are hardly ever names
)

// class is one way to write a language.
type class struct {
	name  string
	words frequencies
	most  int
	plain map[string]bool // words that text has in small letters: no names; nil = none is known
}

func collect(wheel *zip.Reader, texts string) ([]class, error) {
	english, err := wordfreq(wheel, "en")
	if err != nil {
		return nil, err
	}
	var out []class
	for _, s := range sources() {
		f := frequencies{}
		if s.list != "" {
			if f, err = wordfreq(wheel, s.list); err != nil {
				return nil, err
			}
		}
		if s.ui != "" {
			ui, err := counted(filepath.Join(texts, "ui", s.ui+".txt"), english)
			if err != nil {
				return nil, err
			}
			if s.list == "" {
				f = ui
			} else if f, err = serboCroatian(f, s.code == "hr", texts); err != nil {
				return nil, err
			}
		}
		if s.code != "en" {
			f = f.clean(english)
		}
		plain, err := smallLetters(filepath.Join(texts, "ui", cmp.Or(s.ui, map[string]string{"fil": "tl"}[s.list], s.list)+".txt"))
		if err != nil && s.code != "en" { // the browser is English as it is: there is no translation
			return nil, err
		}
		name := s.code
		if s.class == "cyrillic" {
			f = f.mapped(cyrillic().Replace)
		}
		if s.class != "" {
			name += "/" + s.class
		}
		most := cmp.Or(s.words, fewWords)
		if !s.fold {
			out = append(out, class{name, f, most, plain})
			continue
		}
		folded := f.mapped(folder(false))
		if s.code == "de" || s.code == "da" || s.code == "no" || s.code == "sv" {
			folded = mix(folded, f.mapped(folder(true)), 0.5)
		}
		out = append(out, class{name, mix(f, folded, otherForm), most, plain}, class{name + "/ascii", mix(folded, f, otherForm), most, plain})
	}
	return out, nil
}

func (f frequencies) mapped(form func(string) string) frequencies {
	out := make(frequencies, len(f))
	for _, w := range f.sorted() {
		out[form(w)] += f[w]
	}
	return out
}

func (f frequencies) sorted() []string { return slices.Sorted(maps.Keys(f)) }

// mix is a with a share of b.
func mix(a, b frequencies, share float64) frequencies {
	out := make(frequencies, len(a)+len(b)/2)
	for w, v := range a {
		out[w] += (1 - share) * v
	}
	for w, v := range b {
		out[w] += share * v
	}
	return out
}

// strip takes the marks off letters.
func strip(s string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(s) {
		if !unicode.Is(unicode.Mn, r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// serboCroatian divides the list that Croatian and Serbian have in common: by the yat, which is
// (i)je in one and e in the other, by words and endings that only one has, by the translations of the browser.
func serboCroatian(both frequencies, croatian bool, texts string) (frequencies, error) {
	hr, err := counted(filepath.Join(texts, "ui", "hr.txt"), nil)
	if err != nil {
		return nil, err
	}
	sr, err := counted(filepath.Join(texts, "ui", "sr.txt"), nil)
	if err != nil {
		return nil, err
	}
	sr = sr.mapped(latin().Replace)
	croatianStems, serbianStems := stems()
	known := func(w string) bool { return both[w] > 0 }
	odds := map[string]float64{} // that it is Croatian, in nats
	for _, w := range both.sorted() {
		const seldom = 5e-5
		odds[w] = math.Log((hr[w]+seldom)/(sr[w]+seldom)) + stemmed(w, croatianStems, serbianStems) + grammatical(w, known)
	}
	const sure = 2.5
	for _, w := range both.sorted() {
		for _, yat := range []string{"ije", "je"} {
			for at := 0; ; {
				i := strings.Index(w[at:], yat)
				if i < 0 {
					break
				}
				at += i
				if e := w[:at] + "e" + w[at+len(yat):]; at > 0 && len(w) > 4 && both[e] > 0 {
					odds[w] += sure
					odds[e] -= sure
				}
				at += len(yat)
			}
		}
	}
	for _, d := range differing() {
		odds[d[0]] += sure
		odds[d[1]] -= sure
	}
	out := frequencies{}
	for w, f := range both {
		o := max(-4, min(4, odds[w]))
		if !croatian {
			o = -o
		}
		out[w] = f * 2 / (1 + math.Exp(-o))
	}
	return out.scaled(), nil
}

type weighed struct {
	class int
	nats  float64
	// common is set for the most frequent words that are no names.
	common bool
}

// table makes the entries of words and of n-grams.
func table(classes []class) ([]string, []langid.Entry) {
	var names []string
	words, grams := map[string][]weighed{}, map[string][]weighed{}
	for c, k := range classes {
		names = append(names, k.name)
		top(k.words, k.most, func(w string, f float64, rank int) {
			if nats := math.Log(f / floor); nats >= wordLeast {
				words[w] = append(words[w], weighed{c, nats, rank < commonMost && (k.plain == nil || k.plain[w])})
			}
		})
		// Words that are not in the table are rare ones: common words count no more than others.
		counts := frequencies{}
		for _, w := range k.words.sorted() {
			weight := math.Pow(k.words[w], 0.4)
			langid.Grams([]byte(w), func(key []byte) { counts[string(key)] += weight })
		}
		most := gramMost
		if k.most == fewWords {
			most /= 2
		}
		top(counts.scaled(), most, func(g string, f float64, rank int) {
			if nats := math.Log(f / gramFloor); nats >= gramLeast {
				grams[g] = append(grams[g], weighed{c, nats * gramScale, false})
			}
		})
	}
	var entries []langid.Entry
	for _, from := range []map[string][]weighed{words, grams} {
		for _, key := range slices.Sorted(maps.Keys(from)) {
			if e := entry(key, from[key], len(classes)); len(e.Weights) > 0 {
				entries = append(entries, e)
			}
		}
	}
	return names, entries
}

// top calls f for the most frequent.
func top(all frequencies, most int, f func(key string, share float64, rank int)) {
	keys := all.sorted()
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(all[b], all[a]) })
	for rank, k := range keys[:min(most, len(keys))] {
		f(k, all[k], rank)
	}
}

// entry rounds the weights and keeps the largest. A feature that nearly all have says nothing;
// what it says is what it says beyond the least of the many.
func entry(key string, ws []weighed, classes int) langid.Entry {
	slices.SortStableFunc(ws, func(a, b weighed) int { return cmp.Compare(b.nats, a.nats) })
	base := 0.0
	if len(ws) > langid.MaxWeights {
		base = ws[langid.MaxWeights].nats
		ws = ws[:langid.MaxWeights]
	}
	e := langid.Entry{Key: key}
	for _, w := range ws {
		if v := int(math.Round((w.nats - base) * langid.Unit)); v > 0 {
			e.Weights = append(e.Weights, langid.Weight{Class: w.class, Value: min(v, langid.MaxWeight), Common: w.common})
		}
	}
	return e
}
