package analyzer

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"exclave/dict"
	"exclave/internal/conf"
)

// dictionary counts the words of the title and the text; valid are those on a list that
// are of one class, by default words that belong to one language only.
type dictionary struct {
	list  *sharedList
	class dict.Class
}

// dictionaryOptions are those of the kind "dictionary".
type dictionaryOptions struct {
	List string `toml:"list,required"` // name of a built-in word list, or path of a file
	// Class of the words that are valid: "ascii", "shared"; "" or "exclusive" is what words
	// are that the list says nothing of.
	Class string `toml:"class"`
	// SkipNames leaves out words where they are written like proper names: they are found, and not valid.
	SkipNames bool `toml:"skip_names"`
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
	if slices.Contains(dict.Builtins(), o.List) {
		return nil // and what is in the binary is in order
	}
	if _, err := dict.Load(o.List); err != nil {
		ps = append(ps, conf.Problem{Key: "list", Msg: strings.TrimPrefix(err.Error(), "dict: "), Fix: "docs/howto/word-lists.md says how lists are built"})
	}
	return ps
}

// wordList is what the words of a list are shared by.
type wordList string

// lookUp is what the look-up of a list is shared by.
type lookUp struct {
	list      string
	skipNames bool
}

// sharedList is a list and what is wanted of it: the words of a page are looked up once for all
// searchers that have the list.
type sharedList struct {
	*dict.List
	wanted    [dict.NumClasses]bool // by class; set before the first page
	skipNames bool
}

func (o *dictionaryOptions) open(r *resources) (Searcher, error) {
	l, err := shared(r, lookUp{o.List, o.SkipNames}, func() (*sharedList, error) {
		words, err := shared(r, wordList(o.List), func() (*dict.List, error) { return dict.Load(o.List) })
		return &sharedList{List: words, skipNames: o.SkipNames}, err
	})
	if err != nil {
		return nil, err
	}
	c, _ := dict.ParseClass(o.Class)
	l.wanted[c] = true
	return dictionary{l, c}, nil
}

// contents implements hasContents: the words count, not where they are read from.
func (s dictionary) contents() map[string]string {
	return map[string]string{"list": fmt.Sprintf("%d words, sha256 %s", s.list.LenOf(s.class), s.list.Digest(s.class))}
}

// Search implements Searcher.
func (s dictionary) Search(ctx context.Context, p *Page) (Finding, error) {
	all := p.listed(ctx, s.list)
	if err := ctx.Err(); err != nil {
		return Finding{}, err
	}
	f := all[s.class]
	f.Evidence = slices.Clone(f.Evidence) // another profile may hide it
	return f, nil
}

// onList is what was found of a list, by class.
type onList struct {
	list  *sharedList
	found [dict.NumClasses]Finding
}

// listed looks the words of the page up, once for all searchers of a list.
func (p *Page) listed(ctx context.Context, l *sharedList) *[dict.NumClasses]Finding {
	for i := range p.lists {
		if p.lists[i].list == l {
			return &p.lists[i].found
		}
	}
	o := onList{list: l}
	var best [dict.NumClasses]mostFrequent
	bag := p.split()
	var words [dict.AtOnce][]byte
	var names []uint32
	if l.skipNames {
		names = p.names()
	}
	for from := 0; from < bag.Len(); from += len(words) {
		if from/BetweenChecks != (from+len(words))/BetweenChecks && ctx.Err() != nil {
			return &o.found // of a part of the page
		}
		n := min(len(words), bag.Len()-from)
		for i := range n {
			words[i], _ = bag.Word(from + i)
		}
		l.FindAll(words[:n], func(i int, v string, c dict.Class) {
			if !l.wanted[c] {
				return
			}
			_, count := bag.Word(from + i)
			if len(names) > 0 {
				if count -= int(names[from+i]); count == 0 {
					return
				}
			}
			f := &o.found[c]
			f.Valid += count
			if f.Distinct < maxDistinct {
				f.Distinct++
				best[c].add(v, count, from+i < bag.different)
			}
		})
	}
	for c := range best {
		o.found[c].Found = bag.Count()
		o.found[c].Evidence = best[c].evidence()
	}
	if p.lists == nil {
		p.lists = make([]onList, 0, 4)
	}
	p.lists = append(p.lists, o)
	return &p.lists[len(p.lists)-1].found
}

// mostFrequent are the values that evidence is made of: the most frequent first, of those that are equally so the
// first ones in bytewise order.
type mostFrequent struct {
	n      int
	values [MaxEvidence]struct {
		value string
		count int
		title bool
	}
}

// add adds a value that was not added before.
func (m *mostFrequent) add(value string, count int, title bool) {
	i := m.n
	for ; i > 0; i-- {
		if v := &m.values[i-1]; v.count > count || v.count == count && v.value < value {
			break
		}
		if i < len(m.values) {
			m.values[i] = m.values[i-1]
		}
	}
	if i < len(m.values) {
		m.values[i].value, m.values[i].count, m.values[i].title = value, count, title
		m.n = min(m.n+1, len(m.values))
	}
}

func (m *mostFrequent) evidence() []Evidence {
	if m.n == 0 {
		return nil
	}
	list := make([]Evidence, m.n)
	for i, v := range m.values[:m.n] {
		where := "text"
		if v.title {
			where = "title"
		}
		list[i] = Evidence{Value: cut(v.value, MaxEvidenceValue), Where: where, Count: v.count}
	}
	return list
}
