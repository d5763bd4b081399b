package labelled

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Page is one labelled page, a line of the format of docs/formats/labelled.md.
type Page struct {
	URL      string   `json:"url"`
	HTML     string   `json:"html,omitempty"`     // the document; exactly one of HTML, Text and Body is there
	Text     string   `json:"text,omitempty"`     // a plain-text document
	Body     []byte   `json:"body,omitempty"`     // a document that is not UTF-8
	Type     string   `json:"type"`               // the Content-Type that the server sends, true or false
	Language string   `json:"language,omitempty"` // of the main text
	Nations  []string `json:"nations"`            // profiles' names; empty = it belongs to none
	Source   string   `json:"source"`             // pages with one source are on one side of the split
	Split    string   `json:"split"`              // "train" or "test"
	Kind     string   `json:"kind"`
	Tags     []string `json:"tags,omitempty"`
	Words    int      `json:"words"` // of the visible text, as Words counts them
}

// Bytes returns the document as a server would send it.
func (p Page) Bytes() []byte {
	switch {
	case p.Body != nil:
		return slices.Clone(p.Body)
	case p.HTML != "":
		return []byte(p.HTML)
	}
	return []byte(p.Text)
}

// Write writes pages as JSON Lines.
func Write(w io.Writer, pages []Page) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, p := range pages {
		if err := e.Encode(p); err != nil {
			return fmt.Errorf("labelled: write %s: %w", p.URL, err)
		}
	}
	return nil
}
