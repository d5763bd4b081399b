package analyzer

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"exclave/dict"
	"exclave/internal/conf"
)

// dictionary counts the words of the title and the text; valid are those on a
// list of words that belong to one language only.
type dictionary struct {
	list *dict.List
}

// dictionaryOptions are those of the kind "dictionary".
type dictionaryOptions struct {
	List string `toml:"list,required"` // name of a built-in word list, or path of a file
}

var _ namesFiles = (*dictionaryOptions)(nil)

// Validate returns every value that cannot be.
func (o *dictionaryOptions) Validate() (ps conf.Problems) {
	ps.Check(o.List != "", "list", "is empty")
	return ps
}

func (o *dictionaryOptions) beside(dir string) {
	if dict.IsFile(o.List) && !filepath.IsAbs(o.List) {
		o.List = filepath.Join(dir, o.List)
	}
}

func (o *dictionaryOptions) check() (ps conf.Problems) {
	if _, err := dict.Load(o.List); err != nil {
		ps = append(ps, conf.Problem{Key: "list", Msg: strings.TrimPrefix(err.Error(), "dict: "), Fix: "docs/howto/word-lists.md says how lists are built"})
	}
	return ps
}

// wordList is what a list is shared by.
type wordList string

func (o *dictionaryOptions) open(r *resources) (Searcher, error) {
	l, err := shared(r, wordList(o.List), func() (*dict.List, error) { return dict.Load(o.List) })
	if err != nil {
		return nil, err
	}
	return dictionary{l}, nil
}

// contents implements hasContents: the words count, not where they are read from.
func (s dictionary) contents() map[string]string {
	h := sha256.New()
	for w := range s.list.All() {
		_, _ = io.WriteString(h, w+"\n") // never fails
	}
	return map[string]string{"list": fmt.Sprintf("%d words, sha256 %.8x", s.list.Len(), h.Sum(nil))}
}

// Search implements Searcher.
func (s dictionary) Search(ctx context.Context, p *Page) (Finding, error) {
	var t tally
	for w, where := range p.Words(ctx) {
		v, ok := s.list.Lookup(w)
		t.add(ok, v, where)
	}
	return t.finding(), ctx.Err()
}
