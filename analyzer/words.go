package analyzer

import (
	"context"
	"iter"
	"sync"

	"exclave/dict"
)

// pageWords are the words of a page in normal form (dict.Words), split and told apart once for all
// searchers.
type pageWords struct {
	dict.Bag
	title     int // how many words are the title's
	different int // how many different ones these are; they come first

	named bool     // whether names are known
	names []uint32 // of each different word, how often it is a part of a proper name
}

// Words yields the words of the title and of the text, in normal form and in the order of the
// page, with where each stands ("title", "text"). They are split once for all that ask, by the
// goroutine that the page belongs to. A word is valid as long as the page is judged and must not be
// changed. Words ends early when ctx does, which is for the caller to look at.
func (p *Page) Words(ctx context.Context) iter.Seq2[[]byte, string] {
	return func(yield func([]byte, string) bool) {
		w := p.split()
		for i, n := range w.Order() {
			where := "title"
			if i >= w.title {
				where = "text"
			}
			word, _ := w.Word(int(n))
			if (i+1)%BetweenChecks == 0 && ctx.Err() != nil || !yield(word, where) {
				return
			}
		}
	}
}

// WordCount returns how many words the title and the text have.
func (p *Page) WordCount() int { return p.split().Count() }

// split returns the words; the first caller makes them.
func (p *Page) split() *pageWords {
	if p.words != nil {
		return p.words
	}
	w := &pageWords{}
	if p.pool != nil {
		w = p.pool.get()
	}
	w.Add(p.Title)
	w.title, w.different = w.Count(), w.Len()
	w.Add(p.Text)
	p.words = w
	return w
}

// wordPool keeps the memory for words from one page for the next: what a judged page leaves behind does not
// depend on its length.
type wordPool struct{ pool sync.Pool }

// maxPooled is how much memory is kept; few pages need more.
const maxPooled = 1 << 22

func (w *wordPool) get() *pageWords {
	if p, ok := w.pool.Get().(*pageWords); ok {
		return p
	}
	return &pageWords{}
}

// put takes back the words of a page that nobody looks at any longer.
func (w *wordPool) put(p *Page) {
	if p.words != nil && p.words.Room() <= maxPooled {
		p.words.Reset()
		p.words.named = false
		w.pool.Put(p.words)
	}
	p.words = nil
}
