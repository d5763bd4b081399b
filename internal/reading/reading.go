// Package reading reads a document without a crawl as a crawl reads it, for `exclave extract`: the answer goes
// through the processors of the extract chain that look for links, each with its defaults.
//
// A Reader may be used by any number of goroutines. What is not here: where answers are from and their MIME type
// (internal/judge, chain/fetch), and verdicts.
package reading

import (
	"context"
	"fmt"
	"slices"

	"exclave/chain"
	"exclave/chain/extract"
	"exclave/chain/standard"
	"exclave/crawl"
	"exclave/internal/markup"
)

// Link is a link of a document.
type Link struct {
	Hop     string `json:"hop"`            // letter of the hop path: L, E, R, X
	Kind    string `json:"kind"`           // nav, embed, frame, speculative, redirect
	Context string `json:"context"`        // where it is: a/@href; without blanks
	URL     string `json:"url"`            // as it would be queued; as found where the document has no address
	Rel     string `json:"rel,omitempty"`  // as the element or the Link field says
	Text    string `json:"text,omitempty"` // of an anchor, its alt attribute, or the title of a link element or field
}

// Lang is a language attribute.
type Lang struct {
	Value   string `json:"value"`
	Element string `json:"element"`
	Attr    string `json:"attr"`
}

// Document is what a crawl reads in an answer.
type Document struct {
	Source      string   `json:"source"`               // file or URL
	URL         string   `json:"url"`                  // that links are relative to, but for base
	Status      int      `json:"status,omitempty"`     // of HTTP; 0 of a file
	MIME        string   `json:"mime"`                 // that it is read as
	Declared    string   `json:"declared,omitempty"`   // type that the server said
	Format      string   `json:"format"`               // none, html, css, …
	Base        string   `json:"base,omitempty"`       // of its base element, as found
	Charset     string   `json:"charset,omitempty"`    // that it is read in
	CharsetFrom string   `json:"charset_by,omitempty"` // what told: bom, http, meta, xml, css, detected, default
	Title       string   `json:"title,omitempty"`
	Langs       []Lang   `json:"langs,omitempty"`
	NoIndex     bool     `json:"noindex"`   // robots meta element
	NoFollow    bool     `json:"nofollow"`  // robots meta element; by setting, a crawl does not queue the links
	NoArchive   bool     `json:"noarchive"` // robots meta element
	Links       []Link   `json:"links"`
	Dropped     int      `json:"dropped,omitempty"` // links that were too many or too long
	Notes       []string `json:"notes,omitempty"`   // annotations of crawl.log
	Error       string   `json:"error,omitempty"`   // why reading ended early
	Text        string   `json:"text"`              // without markup, a line for each block
}

// Reader has the processors.
type Reader struct{ steps []chain.Processor }

// MaxLinks is how many links of a document are taken, as in a new job.
func MaxLinks() int { return extract.DefaultConfig().MaxOutlinks }

// New returns a reader; packed says that it opens ZIP, tar, gzip and bzip2 files, as documents.packed does in a job. archived, when not nil, has what
// documents are read together with. An error is one of this program.
func New(packed bool, archived extract.Archived) (*Reader, error) {
	r := &Reader{}
	env := &standard.Env{Packed: packed}
	if archived != nil {
		env.Room = extract.NewRoom(extract.DefaultDocuments())
		env.Room.With(archived)
	}
	for _, k := range standard.Kinds() {
		if k.Chain != chain.Extract || k.Kind == "web-analyzer" {
			continue
		}
		p, problems := k.New(env, nil)
		if len(problems) > 0 {
			return nil, fmt.Errorf("reading: processor %s: %v", k.Kind, problems)
		}
		r.steps = append(r.steps, p)
	}
	// Texts without links are read by the analyzer only.
	r.steps = append(r.steps, extract.NewMarkup(extract.DefaultConfig(), markup.PlainText))
	return r, nil
}

// Read reads the answer that u has; of an error, the caller says where the answer is from. The Recording stays the caller's.
func (r *Reader) Read(ctx context.Context, source string, u *crawl.CrawlURI) (Document, error) {
	for _, p := range r.steps {
		if _, err := p.Process(ctx, u); err != nil {
			return Document{}, err
		}
	}
	d := Document{
		Source: source, URL: u.URL, Status: u.HTTPStatus, MIME: u.MIME.Type, Declared: u.MIME.Declared,
		Format: markup.None.String(), Dropped: u.Dropped, Notes: slices.Clone(u.Annotations), Links: []Link{},
	}
	for _, o := range u.Outlinks {
		d.Links = append(d.Links, Link{string(rune(o.Hop)), kindName(o.Kind), o.Context, o.URL.String(), o.Rel, o.Text})
	}
	if u.Doc != nil {
		d.take(u.Doc, u.Parsed() == nil)
	}
	return d, nil
}

// take adds what markup tells; asFound says that nothing could be resolved.
func (d *Document) take(doc *markup.Doc, asFound bool) {
	d.Format, d.Base, d.Title, d.Text = doc.Kind.String(), doc.Base, doc.Title, doc.Text
	d.Charset, d.CharsetFrom = doc.Charset, doc.CharsetFrom
	d.NoIndex, d.NoFollow, d.NoArchive = doc.Robots.NoIndex, doc.Robots.NoFollow, doc.Robots.NoArchive
	for _, l := range doc.Langs {
		d.Langs = append(d.Langs, Lang(l))
	}
	if doc.Err != nil {
		d.Error = doc.Err.Error()
	}
	if !asFound {
		return
	}
	d.Dropped = doc.DroppedLinks
	for _, l := range doc.Links {
		kind := [...]string{markup.Nav: "nav", markup.Embed: "embed", markup.Frame: "frame", markup.Refresh: "nav", markup.Speculative: "speculative"}[l.Kind]
		d.Links = append(d.Links, Link{string(rune(l.Hop)), kind, l.Context, l.URL, l.Rel, l.Text})
	}
}

func kindName(k crawl.LinkKind) string {
	switch k {
	case crawl.LinkEmbed:
		return "embed"
	case crawl.LinkFrame:
		return "frame"
	case crawl.LinkSpeculative:
		return "speculative"
	case crawl.LinkRedirect:
		return "redirect"
	}
	return "nav"
}
