package analyzer

import (
	"context"

	"exclave/dict"
)

// dictionary counts the words of the title and the text; valid are those on a
// list of words that belong to one language only.
type dictionary struct {
	list *dict.List
}

func openDictionary(c SearcherConfig, m *managers) (Searcher, error) {
	l, err := m.list(c.List)
	if err != nil {
		return nil, err
	}
	return dictionary{l}, nil
}

// Search implements Searcher.
func (s dictionary) Search(ctx context.Context, p *Page) (Finding, error) {
	var t tally
	for _, part := range []struct{ text, where string }{{p.Title, "title"}, {p.Text, "text"}} {
		for w := range counted(ctx, dict.Words(part.text)) {
			v, ok := s.list.Lookup(w)
			t.add(ok, v, part.where)
		}
		if err := ctx.Err(); err != nil {
			return Finding{}, err
		}
	}
	return t.finding(), nil
}
