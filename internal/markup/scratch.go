package markup

import (
	"sync"

	"exclave/internal/script"
)

// scratch is what a document is read with and nobody keeps: documents have it one after another.
type scratch struct {
	text    []byte
	links   []Link
	guess   []Link
	seen    seenLinks
	tags    script.StartTags
	waiting []waitingGuess
	string  []byte
}

var scratches = sync.Pool{New: func() any { return &scratch{} }}

// Of a scratch that a long document was read with no more is kept than this.
const (
	keptText  = 256 << 10
	keptLinks = 2 << 10
	keptTags  = 16 << 10
)

// borrow makes a builder with a scratch.
func borrow(doc *Doc, o Options) (*builder, *scratch) {
	s := scratches.Get().(*scratch)
	b := &builder{doc: doc, o: o, contexts: map[string]string{}, guess: s.guess, seen: s.seen, tags: s.tags, waiting: s.waiting, unescaped: s.string}
	b.text.buf, doc.Links = s.text, s.links
	return b, s
}

// giveBack keeps the builder's scratch for the next document; what the Doc has of it is copied before.
func (s *scratch) giveBack(b *builder, links []Link) {
	*s = scratch{links: kept(links, keptLinks), guess: kept(b.guess, keptLinks), waiting: kept(b.waiting, keptLinks)}
	if cap(b.text.buf) <= keptText {
		s.text = b.text.buf[:0]
	}
	if cap(b.unescaped) <= keptText {
		s.string = b.unescaped
	}
	if b.tags.Len() <= keptTags {
		s.tags = b.tags
		s.tags.Reset()
	}
	if s.seen.links = kept(b.seen.links, keptLinks); s.seen.links != nil {
		s.seen.urls = b.seen.urls
		clear(s.seen.urls)
	}
	scratches.Put(s)
}

// kept is a list without what is in it, nil when it was long.
func kept[T any](list []T, most int) []T {
	if cap(list) > most {
		return nil
	}
	clear(list)
	return list[:0]
}
