package analyzer

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"

	"exclave/internal/conf"
)

// cities counts the words of the title and the text; valid are the names of towns, of one or
// several words, in the forms that the gazetteer has.
type cities struct {
	towns *gazetteer
}

// citiesOptions are those of the kind "cities".
type citiesOptions struct {
	List  string `toml:"list,required"` // name of a built-in gazetteer, or path of a file
	ASCII bool   `toml:"ascii"`         // names count without their diacritics too
}

var _ namesFiles = (*citiesOptions)(nil)

// Validate returns every value that cannot be.
func (o *citiesOptions) Validate() (ps conf.Problems) {
	ps.Check(o.List != "", "list", "is empty")
	return ps
}

func (o *citiesOptions) beside(dir string) {
	if isGazetteerFile(o.List) && !filepath.IsAbs(o.List) {
		o.List = filepath.Join(dir, o.List)
	}
}

func (o *citiesOptions) check() (ps conf.Problems) {
	if _, err := openGazetteer(o.List, o.ASCII); err != nil {
		ps = append(ps, conf.Problem{Key: "list", Msg: err.Error(), Fix: "a gazetteer has one name a line", Err: err})
	}
	return ps
}

// townList is what a gazetteer is shared by.
type townList struct {
	list  string
	plain bool
}

func (o *citiesOptions) open(r *resources) (Searcher, error) {
	g, err := shared(r, townList{o.List, o.ASCII}, func() (*gazetteer, error) { return openGazetteer(o.List, o.ASCII) })
	if err != nil {
		return nil, err
	}
	return cities{g}, nil
}

// contents implements hasContents: the names count, not where they are read from.
func (s cities) contents() map[string]string {
	h := sha256.New()
	keys := s.towns.keys()
	for _, k := range keys {
		_, _ = fmt.Fprintf(h, "%s\t%v\n", k, s.towns.at[k].capital) // never fails
	}
	return map[string]string{"list": fmt.Sprintf("%d names, sha256 %.8x", len(keys), h.Sum(nil))}
}

// Search implements Searcher.
func (s cities) Search(ctx context.Context, p *Page) (Finding, error) {
	var t tally
	var key []byte
	for _, part := range [...]struct{ text, where string }{{p.Title, "title"}, {p.Text, "text"}} {
		for at := (nameScanner{text: part.text}); at.next(); {
			if t.found%BetweenChecks == 0 && ctx.Err() != nil {
				return t.finding(), ctx.Err()
			}
			if at.digits {
				continue
			}
			var name int32
			name, key = s.towns.find(&at, &t.found, key)
			if name == 0 {
				t.found++
				continue
			}
			t.add(true, s.towns.names[name-1], part.where)
		}
	}
	return t.finding(), ctx.Err()
}

// find returns the longest name that begins at the scanner's word, and leaves the scanner at its
// last one; words counts those between. 0 = there is none. key is a buffer.
func (g *gazetteer) find(at *nameScanner, words *int, key []byte) (int32, []byte) {
	if !at.capital && !g.small {
		return 0, key
	}
	b := at.appendWord(key[:0])
	if b == nil {
		return 0, key
	}
	key = b
	n, ok := g.at[string(key)]
	var name int32
	if ok && n.name > 0 && (at.capital || !n.capital) {
		name = n.name
	}
	capital := at.capital
	look, more := *at, 0
	for n.longer && look.next() && look.joined {
		if b = look.appendWord(append(key, ' ')); b == nil {
			break
		}
		key = b
		if n, ok = g.at[string(key)]; !ok {
			break
		}
		more++
		if n.name > 0 && (capital || !n.capital) {
			name, *at = n.name, look
			*words += more
			more = 0
		}
	}
	return name, key
}
