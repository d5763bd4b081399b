package langid

import (
	"cmp"
	"math"
	"slices"

	"exclave/dict"
)

// Bounds of how a text is looked at.
const (
	PassageWords = 16  // of a passage, more or less
	MaxPassages  = 200 // of a text; of a longer one as many are taken, spread evenly
)

// What a passage needs to be in a language, beside being nearer to it than to any other. Names
// are words of some language too, and a list of them has a nearest one; what tells a text is that its
// words are the frequent ones.
const (
	minWords  = 3   // words of a passage
	minCommon = 0.1 // of its words are among the most frequent ones of the language
	minScore  = 1.7 // nats a word, in the language
	minMargin = 0.1 // nats a word, over the next language
)

// Unknown is what is said of a passage that is in no language for certain.
const Unknown = "unknown"

// text reports whether the passage is running text in some language that is known.
func (p Passage) text() bool {
	least := max(1, int(math.Ceil(minCommon*float64(p.Words))))
	return p.Words >= minWords && p.Best.Common >= least && float64(p.Best.Score) >= minScore*Unit*float64(p.Words)
}

// clear reports whether it is nearer to one language than to all others.
func (p Passage) clear() bool {
	return float64(p.Best.Score-p.Second.Score) >= minMargin*Unit*float64(p.Words)
}

// Language returns the language of a passage, or Unknown.
func (p Passage) Language() string {
	if !p.text() || !p.clear() {
		return Unknown
	}
	return p.Best.Language
}

// Share is how much of a text is in one language.
type Share struct {
	Language string
	Passages int
}

// Text is what is said of a text.
type Text struct {
	Passages int     // that were looked at
	Words    int     // in them
	Letters  int     // in these
	Shares   []Share // most passages first; Unknown is one of them

	languages []string
	totals    []int // score of each language, in 1/Unit nats
	running   []int // the same of the passages that are running text
}

// Identify looks at a text.
func (m *Model) Identify(b *dict.Bag) Text {
	// One piece of memory for what is counted by language. The last of passages is what is unknown.
	of := len(m.languages)
	counts := make([]int, 4*of+2)
	t := Text{languages: m.languages, totals: counts[:of:of], running: counts[3*of+2:]}
	count := b.Count()
	if count == 0 {
		return t
	}
	passages, sure := counts[of:2*of+1], counts[2*of+1:3*of+2]
	all := max(1, (count+PassageWords/2)/PassageWords)
	looked := min(all, MaxPassages)
	var torn []Passage // between two languages
	s, _ := m.scorers.Get().(*Scorer)
	if s == nil {
		s = m.NewScorer()
	}
	defer s.keep()
	s.begin(b)
	for i := range looked {
		from, to := bounds(i, looked, all, count)
		s.find(b, b.Order()[from:to])
	}
	s.findRest()
	for i := range looked {
		from, to := bounds(i, looked, all, count)
		s.add(b, b.Order()[from:to])
		if p := t.take(s); !p.text() {
			passages[len(passages)-1]++
		} else if p.clear() {
			passages[m.number(p.Best.Language)]++
		} else {
			if torn == nil {
				torn = make([]Passage, 0, 16)
			}
			torn = append(torn, p)
		}
	}
	// A passage that may be in either of two languages is in that which the rest of the text is in.
	copy(sure, passages)
	for _, p := range torn {
		a, b := m.number(p.Best.Language), m.number(p.Second.Language)
		switch {
		case sure[a] > sure[b]:
			passages[a]++
		case sure[b] > sure[a]:
			passages[b]++
		case 2*(t.totals[a]-t.totals[b]) >= int(minMargin*Unit*float64(t.Words)):
			passages[a]++
		default:
			passages[len(passages)-1]++
		}
	}
	for i, n := range passages {
		if n > 0 {
			language := Unknown
			if i < len(m.languages) {
				language = m.languages[i]
			}
			if t.Shares == nil {
				t.Shares = make([]Share, 0, 8)
			}
			t.Shares = append(t.Shares, Share{language, n})
		}
	}
	slices.SortStableFunc(t.Shares, func(a, b Share) int { return cmp.Compare(b.Passages, a.Passages) })
	return t
}

// bounds returns which words the i-th passage that is looked at has.
func bounds(i, looked, all, count int) (from, to int) {
	i = i * all / looked
	return i * count / all, (i + 1) * count / all
}

// number returns the index of a language that m knows.
func (m *Model) number(code string) int {
	i, _ := slices.BinarySearch(m.languages, code)
	return i
}

// take ends a passage.
func (t *Text) take(s *Scorer) Passage {
	p := s.passage(t.totals, t.running)
	t.Passages++
	t.Words += p.Words
	t.Letters += p.Letters
	return p
}

// Of returns how many passages are in a language.
func (t Text) Of(language string) int {
	for _, s := range t.Shares {
		if s.Language == language {
			return s.Passages
		}
	}
	return 0
}

// Margin is Lead for each letter.
func (t Text) Margin(language string) float64 {
	if t.Letters == 0 {
		return 0
	}
	return t.Lead(language) / float64(t.Letters)
}

// Lead returns how much more probable the whole text is in a language than in the best other one, in
// nats; it is negative when the other one is nearer. In favour of the language only running text
// counts: lists of names, which are in none, are nearest to some language, too.
func (t Text) Lead(language string) float64 {
	all := t.lead(t.totals, language)
	if all <= 0 {
		return all
	}
	return min(all, max(0, t.lead(t.running, language)))
}

// LeadOfAll is Lead in which what is no running text counts in favour of the language, too: of a list
// of names it may be large.
func (t Text) LeadOfAll(language string) float64 { return t.lead(t.totals, language) }

func (t Text) lead(totals []int, language string) float64 {
	own, other := 0, 0
	for i, l := range t.languages {
		if l == language {
			own = totals[i]
		} else {
			other = max(other, totals[i])
		}
	}
	return float64(own-other) / Unit
}
