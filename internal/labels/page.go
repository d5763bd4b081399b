package labels

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"exclave/analyzer"
	"exclave/internal/urlx"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/ianaindex"
)

// Page is one line of a file of labelled pages.
type Page struct {
	URL  string  `json:"url"`
	Via  string  `json:"via,omitempty"`
	HTML *string `json:"html,omitempty"`
	Text *string `json:"text,omitempty"`
	Body []byte  `json:"body,omitempty"`
	File string  `json:"file,omitempty"` // beside the file of labels, until [Read] put its folder before it

	Charset string `json:"charset,omitempty"` // that HTML and Text are put into
	Type    string `json:"type,omitempty"`    // Content-Type

	Nations  *[]string       `json:"nations,omitempty"` // nil = see Label
	Label    map[string]bool `json:"label,omitempty"`
	Language string          `json:"language,omitempty"`
	Source   string          `json:"source,omitempty"`
	Split    string          `json:"split,omitempty"`
	Kind     string          `json:"kind,omitempty"`
	Tags     []string        `json:"tags,omitempty"`

	Words    *int               `json:"words,omitempty"`
	Verdicts []analyzer.Verdict `json:"verdicts,omitempty"`
}

// The values of Page.Split; "" is both.
const (
	SplitTrain = "train"
	SplitTest  = "test"
)

// Belongs reports whether the page belongs to a nation, and whether that is known.
func (p *Page) Belongs(nation string) (yes, known bool) {
	if yes, known = p.Label[nation]; known || p.Nations == nil {
		return yes, known
	}
	return slices.Contains(*p.Nations, nation), true
}

// Origin is what the text is from: pages of one origin are never divided between folds.
func (p *Page) Origin() string {
	if p.Source != "" {
		return p.Source
	}
	if u, err := urlx.Parse(p.URL); err == nil {
		return u.Hostname()
	}
	return p.URL
}

// hasDocument reports whether the page brings its document.
func (p *Page) hasDocument() bool {
	return p.HTML != nil || p.Text != nil || p.Body != nil || p.File != ""
}

// document returns the bytes of the page and their Content-Type, "" when nobody says it.
func (p *Page) document() (body []byte, contentType string, err error) {
	contentType = p.Type
	switch {
	case p.HTML != nil:
		body, err = encode(*p.HTML, p.Charset, encoding.HTMLEscapeUnsupported)
		if contentType == "" {
			contentType = "text/html"
		}
	case p.Text != nil:
		body, err = encode(*p.Text, p.Charset, encoding.ReplaceUnsupported)
		if contentType == "" {
			contentType = "text/plain"
		}
	case p.File != "":
		body, err = os.ReadFile(p.File)
	default:
		body = p.Body
	}
	return body, contentType, err
}

// encode puts a text into a charset, "" = UTF-8.
func encode(text, name string, lenient func(*encoding.Encoder) *encoding.Encoder) ([]byte, error) {
	e, _ := charset.Lookup(name)
	if e == nil && name != "" {
		e, _ = ianaindex.IANA.Encoding(name)
	}
	switch {
	case name == "" || e == encoding.Nop:
		return []byte(text), nil
	case e == nil:
		return nil, fmt.Errorf("charset %q: there is none", name)
	}
	out, err := lenient(e.NewEncoder()).String(text)
	return []byte(out), err
}

// parse reads a line; dir is the folder of its file.
func parse(line []byte, dir string) (*Page, error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	p := &Page{}
	if err := d.Decode(p); err != nil {
		return nil, mistake(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something behind the object; write one object a line")
	}
	documents := 0
	for _, has := range []bool{p.HTML != nil, p.Text != nil, p.Body != nil, p.File != ""} {
		if has {
			documents++
		}
	}
	_, err := encode("", p.Charset, encoding.ReplaceUnsupported)
	switch u, bad := urlx.Parse(p.URL); {
	case bad != nil:
		return nil, fmt.Errorf("url %q: %w", p.URL, bad)
	case u.Hostname() == "":
		return nil, fmt.Errorf("url %q has no host", p.URL)
	case documents > 1:
		return nil, errors.New("at most one of html, text, body and file is wanted")
	case p.Nations == nil && len(p.Label) == 0:
		return nil, errors.New("nations or label is wanted")
	case p.Split != "" && p.Split != SplitTrain && p.Split != SplitTest:
		return nil, fmt.Errorf("split %q: \"train\" or \"test\"", p.Split)
	case err != nil:
		return nil, err
	}
	if p.File != "" && !filepath.IsAbs(p.File) {
		p.File = filepath.Join(dir, p.File)
	}
	return p, nil
}

// mistake says what is wrong with a line in words of the format, and what to write.
func mistake(err error) error {
	var (
		typ    *json.UnmarshalTypeError
		syntax *json.SyntaxError
		base   base64.CorruptInputError
	)
	switch {
	case errors.As(err, &typ) && typ.Field == "":
		return fmt.Errorf("the line is %s; write one object a line, %s", article(typ.Value), example)
	case errors.As(err, &typ):
		key, _, _ := strings.Cut(typ.Field, ".")
		return fmt.Errorf("%s cannot be %s; %s", typ.Field, article(typ.Value), wanted(key))
	case errors.As(err, &syntax):
		return fmt.Errorf("no JSON from byte %d of the line on; write one object a line, %s", syntax.Offset, example)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the object has no end; write one object a line, with nothing of it on the next")
	case errors.As(err, &base):
		return errors.New("body is not in base64; " + wanted("body"))
	}
	if _, key, ok := strings.Cut(err.Error(), "unknown field "); ok {
		return fmt.Errorf("key %s is none of a labelled page; docs/formats/labelled.md lists them", key)
	}
	return err
}

// example is the shortest page that can be.
const example = `such as {"url":"https://www.example.com/","label":{"cz":true}}`

// wanted says what to write for a key.
func wanted(key string) string {
	switch key {
	case "label":
		return `write yes or no for each nation, such as {"cz":true,"sk":false}`
	case "nations", "tags":
		return `write a list of texts, such as ["cz","sk"]`
	case "words":
		return "write a whole number"
	case "verdicts":
		return "write them as analysis.jsonl has them"
	case "body":
		return "write a text in base64"
	}
	return "write a text"
}

// article puts an article before a JSON type, of which a value may be told behind it ("number 1.5").
func article(typ string) string {
	switch {
	case typ == "bool":
		return "true or false"
	case typ == "string":
		return "a text"
	case typ == "array":
		return "a list"
	case typ == "object":
		return "an object"
	}
	return "a " + typ
}
