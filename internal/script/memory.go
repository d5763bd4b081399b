package script

import (
	"sync"
	"unsafe"
)

// memory is what values and names of a page are made in. Pages have it one after another: most scripts make hundreds of small things that
// nobody knows any more when the page is read.
type memory struct {
	objects   slab[object]
	functions slab[function]
	props     slab[prop]
	texts     slab[text]
	lazies    slab[lazy]
	frames    slab[frame]
	envs      slab[env]
	bindings  slab[binding]
	values    slab[value]
	parts     slab[*text]
	own       slab[*prop]
	keys      slab[string]
}

var memories = sync.Pool{New: func() any { return &memory{} }}

// Free gives back what the page's values are made in: after that nothing may be asked of it, nor of the texts that it found.
func (p *Page) Free() {
	m := p.mem
	p.mem = nil
	m.objects.reset()
	m.functions.reset()
	m.props.reset()
	m.texts.reset()
	m.lazies.reset()
	m.frames.reset()
	m.envs.reset()
	m.bindings.reset()
	m.values.reset()
	m.parts.reset()
	m.own.reset()
	m.keys.reset()
	memories.Put(m)
}

// sourceText is a piece of a script as a string, which lasts as long as the script: nobody changes that.
func sourceText(src []byte) string { return unsafe.String(unsafe.SliceData(src), len(src)) }

// Chunks of a slab, in things: each is twice as long as the one before, up to the longest. So many are kept.
const (
	firstChunk = 32
	keptChunks = 6
	lastChunk  = firstChunk << (keptChunks - 1)
	mostChunks = 4 * keptChunks // that a page holds to its end; others go with what is in them
)

// slab makes things of a kind, which all end together.
type slab[T any] struct {
	chunks [][]T
	next   int  // the first chunk that is not begun
	free   []T  // of the chunk before
	over   bool // free is of a chunk that is none of these
}

// get makes one, which is the zero value.
func (s *slab[T]) get() *T {
	if len(s.free) == 0 {
		s.more()
	}
	t := &s.free[0]
	s.free = s.free[1:]
	return t
}

// few makes room for n of them; what is appended beyond is elsewhere.
func (s *slab[T]) few(n int) []T {
	if n > lastChunk {
		return make([]T, 0, n)
	}
	for len(s.free) < n {
		s.more()
	}
	room := s.free[:0:n]
	s.free = s.free[n:]
	return room
}

func (s *slab[T]) more() {
	if s.next == len(s.chunks) {
		made := make([]T, firstChunk<<min(s.next, keptChunks-1))
		if s.next == mostChunks {
			s.free, s.over = made, true
			return
		}
		s.chunks = append(s.chunks, made)
	}
	s.free = s.chunks[s.next]
	s.next++
}

// reset makes room for other things.
func (s *slab[T]) reset() {
	if s.over {
		s.free, s.over = nil, false
	}
	for i := range min(s.next, keptChunks) {
		used := s.chunks[i]
		if i == s.next-1 {
			used = used[:len(used)-len(s.free)]
		}
		clear(used)
	}
	if len(s.chunks) > keptChunks {
		clear(s.chunks[keptChunks:])
		s.chunks = s.chunks[:keptChunks]
	}
	s.next, s.free = 0, nil
}
