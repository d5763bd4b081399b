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

// dictionary counts the words of the title and the text; valid are those on a list that
// are of one class, by default words that belong to one language only.
type dictionary struct {
	list  *dict.List
	class dict.Class
}

// dictionaryOptions are those of the kind "dictionary".
type dictionaryOptions struct {
	List string `toml:"list,required"` // name of a built-in word list, or path of a file
	// Class of the words that are valid: "ascii", "shared"; "" or "exclusive" is what words
	// are that the list says nothing of.
	Class string `toml:"class"`
}

var _ namesFiles = (*dictionaryOptions)(nil)

// Validate returns every value that cannot be.
func (o *dictionaryOptions) Validate() (ps conf.Problems) {
	ps.Check(o.List != "", "list", "is empty")
	_, ok := dict.ParseClass(o.Class)
	ps.Check(ok || o.Class == "", "class", "%q: one of %s", o.Class, strings.Join(dict.Classes(), ", "))
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
	c, _ := dict.ParseClass(o.Class)
	return dictionary{l, c}, nil
}

// contents implements hasContents: the words count, not where they are read from.
func (s dictionary) contents() map[string]string {
	h := sha256.New()
	for w, c := range s.list.Classed() {
		if c == s.class {
			_, _ = io.WriteString(h, w+"\n") // never fails
		}
	}
	return map[string]string{"list": fmt.Sprintf("%d words, sha256 %.8x", s.list.LenOf(s.class), h.Sum(nil))}
}

// Search implements Searcher.
func (s dictionary) Search(ctx context.Context, p *Page) (Finding, error) {
	var t tally
	for w, where := range p.Words(ctx) {
		v, c, ok := s.list.Find(w)
		t.add(ok && c == s.class, v, where)
	}
	return t.finding(), ctx.Err()
}
