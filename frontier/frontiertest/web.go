package frontiertest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"exclave/crawl"
)

// Link is a link of a Page to the page with the given number.
type Link struct {
	To   int
	Kind crawl.LinkKind
}

// Page is what a web server would answer.
type Page struct {
	Key, Host string
	Status    crawl.Status
	Class     crawl.TypeClass
	Judgeable bool
	Valid     uint8 // bit i: profile i would accept it
	Links     []Link
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
		kind := r.IntN(12)
		if i == 0 {
			kind = 11
		}
		switch kind {
		case 0, 1:
			p.Class = crawl.ClassContainer
		case 2:
			p.Class = crawl.ClassOther
		case 3, 4:
			p.Class, p.Status = crawl.ClassRedirect, 301
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
			p.Links = []Link{{r.IntN(n), crawl.LinkRedirect}}
		case crawl.ClassContainer:
			for range r.IntN(3) {
				p.Links = append(p.Links, Link{r.IntN(n), crawl.LinkEmbed})
			}
		case crawl.ClassHTML:
			links := r.IntN(5)
			if i == 0 {
				links = 4 + r.IntN(4)
			}
			for range links {
				l := Link{r.IntN(n), crawl.LinkNav}
				if r.IntN(2) == 0 {
					l.Kind = crawl.LinkKind(1 + r.IntN(4))
				}
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

// outcome is what page i comes to under a claim.
func (w *Web) outcome(i int, c crawl.Claim) crawl.Outcome {
	p := w.Pages[i]
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
	claims := make([]crawl.Claim, len(w.Pages))
	claims[0] = crawl.Claim{Analyse: true}
	for changed := true; changed; {
		changed = false
		join := func(i int, c crawl.Claim) {
			if j := claims[i].Join(c); j != claims[i] {
				claims[i], changed = j, true
			}
		}
		for i, p := range w.Pages {
			if claims[i].IsZero() {
				continue
			}
			o := w.outcome(i, claims[i])
			for _, l := range p.Links {
				if l.To == i {
					continue
				}
				join(l.To, w.Depths.Child(claims[i], o, l.Kind))
				to := w.outcome(l.To, claims[l.To])
				if p.Class == crawl.ClassRedirect && (to.Valid() || to.Class == crawl.ClassRedirect && claims[l.To].Keep) {
					join(i, crawl.Claim{Keep: true})
				}
			}
		}
	}
	out := make(map[string]bool)
	for i, p := range w.Pages {
		if !claims[i].IsZero() && w.outcome(i, claims[i]).Archived {
			out[p.Key] = true
		}
	}
	return out
}
