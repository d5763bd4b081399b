package analyzer

import (
	"bytes"
	"context"
	"iter"

	"exclave/dict"
)

// pageWords are the words of a page in normal form (dict.Words), in the order of the page, a
// blank after each: one buffer for all searchers.
type pageWords struct {
	text  []byte
	title int // bytes of text that are the title's
	count int
}

// Words yields the words of the title and of the text, in normal form and in the order of the
// page, with where each stands ("title", "text"). They are split once for all that ask, by the
// goroutine that the page belongs to. A word is valid as long as the page and must not be
// changed. Words ends early when ctx does, which is for the caller to look at.
func (p *Page) Words(ctx context.Context) iter.Seq2[[]byte, string] {
	return func(yield func([]byte, string) bool) {
		w := p.split()
		n := 0
		for _, part := range [...]struct {
			text  []byte
			where string
		}{{w.text[:w.title], "title"}, {w.text[w.title:], "text"}} {
			for rest := part.text; len(rest) > 0; {
				end := bytes.IndexByte(rest, ' ')
				if n++; n%BetweenChecks == 0 && ctx.Err() != nil || !yield(rest[:end:end], part.where) {
					return
				}
				rest = rest[end+1:]
			}
		}
	}
}

// WordCount returns how many words the title and the text have.
func (p *Page) WordCount() int { return p.split().count }

// split returns the words; the first caller makes them.
func (p *Page) split() *pageWords {
	if p.words != nil {
		return p.words
	}
	// Normal forms are hardly ever longer than what they are made of.
	w := &pageWords{text: make([]byte, 0, len(p.Title)+len(p.Text)+2)}
	w.text, w.count = dict.AppendWords(w.text, p.Title)
	w.title = len(w.text)
	n := 0
	w.text, n = dict.AppendWords(w.text, p.Text)
	w.count += n
	p.words = w
	return w
}
