package frontiertest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"exclave/crawl"
	"exclave/internal/mime"
)

// Link is a link of a Page to the page with the given number.
type Link struct {
	To    int
	Kind  crawl.LinkKind
	Sheet bool // the link is to a style sheet
}

// hop is the letter of a link.
func (l Link) hop() byte {
	switch l.Kind {
	case crawl.LinkNav:
		return crawl.HopLink
	case crawl.LinkRedirect:
		return crawl.HopRedirect
	case crawl.LinkSpeculative:
		return crawl.HopSpeculative
	}
	return crawl.HopEmbed
}

// The limits of scope, as by default.
const maxEmbeds, maxGuesses, maxFrames = 2, 1, 2

// reach returns how a link is reached from a page with claim and outcome that is reached in ways,
// and its kind there.
func (w *Web) reach(l Link, c crawl.Claim, o crawl.Outcome, ways crawl.Ways) (crawl.Ways, crawl.LinkKind) {
	hints := mime.Hints(0)
	if l.Sheet {
		hints = mime.HintCSS
	}
	to, kind := w.Depths.Reach(ways, c, o, l.hop(), l.Kind, hints), l.Kind
	if kind == crawl.LinkFrame && !to.Loose && !to.Within(maxFrames, maxFrames) {
		kind = crawl.LinkNav
	}
	return to, kind
}

// Page is what a web server would answer.
type Page struct {
	Key, Host string
	Status    crawl.Status
	Class     crawl.TypeClass
	Judgeable bool
	Valid     uint8 // bit i: profile i would accept it
	Links     []Link
	Open      bool // of class text; a style sheet, which has its links, where a link says so
	Excluded  bool // accepted only as what an archived page embeds
}

// accepts reports whether the scope accepts the page.
func (p Page) accepts(c crawl.Claim, w crawl.Ways) bool {
	onlyJudged := c.Analyse && !c.Bin && c.Link == [crawl.MaxProfiles]int32{}
	return !p.Excluded || !onlyJudged && w.Within(maxEmbeds, maxGuesses)
}

// as returns what the page is when it was reached in ways.
func (p Page) as(w crawl.Ways) Page {
	switch {
	case p.Open && w.Hints&mime.HintCSS != 0:
		p.Class = crawl.ClassContainer
	case p.Open:
		p.Links = nil
	}
	return p
}

// Web is a web of at most some dozens of pages; Pages[0] is the seed.
type Web struct {
	Pages  []Page
	Depths crawl.Depths
	index  map[string]int
}

// RandomWeb makes a web of 6 … 20 pages on up to eight hosts. The seed is an
// invalid page with many links, so that most of the web is reached, in many
// orders.
func RandomWeb(r *rand.Rand) *Web {
	w := &Web{Depths: crawl.Depths{D: [crawl.MaxProfiles]int32{r.Int32N(3), r.Int32N(4) - 1, -1, -1}, AnalyseLinked: true}}
	n := 6 + r.IntN(15)
	for i := range n {
		host := fmt.Sprintf("h%d.test", r.IntN(8))
		p := Page{Key: fmt.Sprintf("http://%s/%d", host, i), Host: host, Status: 200}
		kind := r.IntN(14)
		if i == 0 {
			kind = 11
		}
		p.Excluded = i > 0 && r.IntN(3) == 0
		switch kind {
		case 0, 1:
			p.Class = crawl.ClassContainer
		case 2:
			p.Class = crawl.ClassOther
		case 3, 4:
			p.Class, p.Status = crawl.ClassRedirect, 301
		case 12, 13:
			p.Class, p.Open, p.Judgeable = crawl.ClassText, true, true
		case 5:
			p.Class, p.Status = crawl.ClassHTML, 404
		default:
			p.Class, p.Judgeable = crawl.ClassHTML, true
			if i > 0 && r.IntN(3) == 0 {
				p.Valid = uint8(1 + r.IntN(3))
			}
			if w.Depths.D[1] < 0 {
				p.Valid &= 1
			}
		}
		switch p.Class {
		case crawl.ClassRedirect:
			p.Links = []Link{{r.IntN(n), crawl.LinkRedirect, false}}
		case crawl.ClassContainer, crawl.ClassText:
			for range r.IntN(3) {
				p.Links = append(p.Links, Link{r.IntN(n), crawl.LinkEmbed, r.IntN(2) == 0})
			}
		case crawl.ClassHTML:
			links := r.IntN(5)
			if i == 0 {
				links = 4 + r.IntN(4)
			}
			for range links {
				l := Link{r.IntN(n), crawl.LinkNav, false}
				if r.IntN(2) == 0 {
					l.Kind = crawl.LinkKind(1 + r.IntN(4))
				}
				l.Sheet = l.Kind == crawl.LinkEmbed && r.IntN(2) == 0
				p.Links = append(p.Links, l)
			}
		}
		w.Pages = append(w.Pages, p)
	}
	w.Build()
	return w
}

// Build prepares a web whose Pages were set by hand.
func (w *Web) Build() {
	w.index = make(map[string]int)
	for i, p := range w.Pages {
		w.index[p.Key] = i
	}
}

// Permuted returns the web with the links of each page in another order.
func (w *Web) Permuted(r *rand.Rand) *Web {
	p := &Web{Pages: slices.Clone(w.Pages), Depths: w.Depths}
	for i := range p.Pages {
		links := slices.Clone(p.Pages[i].Links)
		r.Shuffle(len(links), func(a, b int) { links[a], links[b] = links[b], links[a] })
		p.Pages[i].Links = links
	}
	p.Build()
	return p
}

// Seed returns the candidate of Pages[0].
func (w *Web) Seed() crawl.Candidate {
	p := w.Pages[0]
	return crawl.Candidate{URL: p.Key, Key: p.Key, Host: p.Host, Seed: true, Claim: crawl.Claim{Analyse: true}}
}

// outcome is the outcome of page i under a claim.
func (w *Web) outcome(i int, c crawl.Claim, ways crawl.Ways) crawl.Outcome {
	p := w.Pages[i].as(ways)
	o := crawl.Outcome{Status: p.Status, Class: p.Class, Judgeable: p.Judgeable}
	if p.Judgeable && c.Analyse {
		o.Judged, o.ValidFor = true, p.Valid
	}
	o.Archived = w.Depths.Archived(c, o)
	return o
}

// Archived returns the keys that a crawl from the seed must archive: the least
// fixpoint, by joining until nothing changes.
func (w *Web) Archived() map[string]bool {
	claims, ways := make([]crawl.Claim, len(w.Pages)), make([]crawl.Ways, len(w.Pages))
	claims[0], ways[0] = crawl.Claim{Analyse: true}, crawl.Ways{Nav: true}
	processed := func(i int) bool { return !claims[i].IsZero() && w.Pages[i].accepts(claims[i], ways[i]) }
	for changed := true; changed; {
		changed = false
		join := func(i int, c crawl.Claim, v crawl.Ways) {
			if c, v := claims[i].Join(c), ways[i].Join(v); c != claims[i] || v != ways[i] {
				claims[i], ways[i], changed = c, v, true
			}
		}
		for i := range w.Pages {
			if !processed(i) {
				continue
			}
			p, o := w.Pages[i].as(ways[i]), w.outcome(i, claims[i], ways[i])
			for _, l := range p.Links {
				if l.To == i {
					continue
				}
				v, kind := w.reach(l, claims[i], o, ways[i])
				c := w.Depths.Child(claims[i], o, kind)
				if !w.Pages[l.To].accepts(c, v) {
					continue
				}
				join(l.To, c, v)
				to := w.outcome(l.To, claims[l.To], ways[l.To])
				if p.Class == crawl.ClassRedirect && processed(l.To) && (to.Valid() || to.Class == crawl.ClassRedirect && claims[l.To].Keep) {
					join(i, crawl.Claim{Keep: true}, crawl.Ways{})
				}
			}
		}
	}
	out := make(map[string]bool)
	for i, p := range w.Pages {
		if processed(i) && w.outcome(i, claims[i], ways[i]).Archived {
			out[p.Key] = true
		}
	}
	return out
}
