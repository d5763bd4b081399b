package conf

import (
	"errors"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// Doc is a TOML text that was read: its values, and where they stand.
type Doc struct {
	file, text string
	tree       map[string]any
	at         positions
	whole      bool // at has all elements of arrays, too
}

// Parse reads a TOML text; file is what it is called in problems. There is no Doc of what
// is not TOML.
func Parse(data []byte, file string) (*Doc, Problems) {
	text := string(data)
	s := scan(text, false)
	if s.deep {
		return nil, Problems{{File: file, Msg: fmt.Sprintf("keys or values are nested more than %d deep", maxDepth), Fix: "nothing here is: write it flatter"}}
	}
	d := &Doc{file: file, text: text, at: s.at}
	err := toml.Unmarshal(data, &d.tree)
	if err == nil {
		return d, nil
	}
	p := Problem{File: file, Msg: "not TOML: " + err.Error(), Fix: "see https://toml.io"}
	var pe toml.ParseError
	if errors.As(err, &pe) {
		at := position(text, pe.Position.Start)
		p.Line, p.Col, p.Msg = at.Line, at.Col, "not TOML: "+pe.Message
	}
	return nil, Problems{p}
}

// Decode is [Decode] of the whole text.
func (d *Doc) Decode(into ...any) Problems { return Decode(d.tree, into...) }

// Has reports whether the text has the key.
func (d *Doc) Has(key string) bool {
	_, ok := d.places(key)[key]
	return ok
}

// places returns where keys stand, that of key among them, if it is in the text.
func (d *Doc) places(key string) positions {
	if _, ok := d.at[key]; !ok && !d.whole && strings.HasSuffix(key, "]") {
		d.at, d.whole = scanText(d.text).at, true
	}
	return d.at
}

// Locate says where in the text the keys of problems stand, but for those that a file is
// known of already, and sorts all by their places. A key that the text does not have is
// located where its table begins.
func (d *Doc) Locate(ps Problems) Problems {
	for i := range ps {
		if p := &ps[i]; p.File == "" {
			at := d.places(p.Key).find(p.Key)
			p.File, p.Line, p.Col = d.file, at.Line, at.Col
		}
	}
	ps.Sort()
	return ps
}
