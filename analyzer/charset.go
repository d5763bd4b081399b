package analyzer

import (
	"context"
	"fmt"

	"golang.org/x/text/encoding/htmlindex"

	"exclave/internal/conf"
)

// charsets counts the charset that a document was decoded by, once; it is valid when it is
// on the list.
type charsets struct {
	names map[string]struct{}
}

// charsetName is the WHATWG name of a charset; profiles may write any label of it.
type charsetName string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *charsetName) UnmarshalText(text []byte) error {
	e, err := htmlindex.Get(string(text))
	if err != nil {
		return fmt.Errorf("%q: a charset that browsers know is wanted, like \"windows-1250\"", text)
	}
	name, err := htmlindex.Name(e)
	*c = charsetName(name)
	return err
}

// charsetOptions are those of the kind "charset".
type charsetOptions struct {
	Charsets []charsetName `toml:"charsets,required"`
}

// Validate returns every value that cannot be.
func (o *charsetOptions) Validate() (ps conf.Problems) {
	ps.Check(len(o.Charsets) > 0, "charsets", "is empty")
	return ps
}

func (o *charsetOptions) open(*resources) (Searcher, error) {
	s := charsets{map[string]struct{}{}}
	for _, c := range o.Charsets {
		s.names[string(c)] = struct{}{}
	}
	return s, nil
}

// Search implements Searcher.
func (s charsets) Search(_ context.Context, p *Page) (Finding, error) {
	var t tally
	if p.Charset != "" {
		_, ok := s.names[p.Charset]
		t.add(ok, p.Charset, p.CharsetFrom)
	}
	return t.finding(), nil
}
