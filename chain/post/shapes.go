package post

import (
	"sync"

	"exclave/crawl"
	"exclave/internal/simhash"
	"exclave/internal/traps"
	"exclave/internal/urlx"
)

// shapes counts, of each shape of addresses, pages in a row that yield nothing new (ADR 108).
type shapes struct {
	limit int // 0 = nothing is counted

	mu sync.Mutex
	of map[string]*shape
}

type shape struct {
	last simhash.Text
	row  int
}

const (
	// maxShapes is how many are known; they are forgotten together.
	maxShapes = 100_000
	// ruleShape is the rule of links that are left out.
	ruleShape = "shape"
)

// observe counts a page that was read.
func (s *shapes) observe(u *crawl.CrawlURI) {
	if s.limit == 0 || u.Mode == crawl.ModeJudge || u.Status != 200 || u.Doc == nil || u.Class != crawl.ClassHTML || u.Parsed() == nil {
		return
	}
	name := traps.Shape(u.Parsed())
	if name == "" {
		return
	}
	text := simhash.Of(u.Doc.Text)
	valid := u.Judged != nil && u.Judged.ValidFor != 0
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.of[name]
	if at == nil {
		if s.of == nil || len(s.of) >= maxShapes {
			s.of = map[string]*shape{}
		}
		at = &shape{}
		s.of[name] = at
	}
	if at.row++; valid && (at.row == 1 || !text.Near(at.last)) {
		at.row = 1
	}
	at.last = text
}

// held reports whether links to an address are left out.
func (s *shapes) held(to *urlx.URL) bool {
	if s.limit == 0 {
		return false
	}
	name := traps.Shape(to)
	if name == "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.of[name]
	return at != nil && at.row >= s.limit
}
