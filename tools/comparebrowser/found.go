package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"exclave/chain/extract"
	"exclave/crawl"
	"exclave/internal/mime"
	"exclave/internal/reading"
	"exclave/internal/record"
	"exclave/internal/urlx"

	"golang.org/x/net/html"
)

// finder reads what the browser got as a crawl reads it.
type finder struct {
	client *http.Client
	reader *reading.Reader
	got    map[string]got          // of the page, as a crawl would have archived it by now
	via    map[string]reading.Link // what led to an address, with the page's as its URL
}

// got is a document that the browser got.
type got struct {
	body    []byte
	charset string
	page    bool
}

// Body implements extract.Archived.
func (f *finder) Body(_ context.Context, u *urlx.URL, most int64) ([]byte, string) {
	g := f.got[u.WithoutFragment().String()]
	if int64(len(g.body)) > most {
		return nil, ""
	}
	return g.body, g.charset
}

// PageOf implements extract.Archived.
func (f *finder) PageOf(_ context.Context, u *urlx.URL, overWorkers bool) *urlx.URL {
	for at := u.String(); ; at = f.via[at].URL {
		if g, has := f.got[at]; has && g.page && f.via[at].Context != "js/fetch" || f.via[at].URL == "" || f.via[at].Context == extract.ContextWorker && !overWorkers {
			if page, err := urlx.Parse(at); err == nil {
				return page
			}
			return u
		}
	}
}

// finding is what was found in a page and in what it loads.
type finding struct {
	links   map[string]reading.Link // by URL
	order   []string
	written map[string]bool // addresses that an attribute of a document has, as another parser sees it
}

// get asks the server, once.
func (f *finder) get(ctx context.Context, target string) (status int, header http.Header, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
	if err != nil {
		return 0, nil, nil, err
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	return resp.StatusCode, resp.Header, body, err
}

// find reads the page and, transitively, what the browser asked for.
func (f *finder) find(ctx context.Context, start string, asked []string) (*finding, error) {
	out := &finding{links: map[string]reading.Link{}, written: map[string]bool{}}
	todo, seen := []string{start}, map[string]bool{}
	f.via = map[string]reading.Link{start: {}}
	clear(f.got)
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if seen[at] || at != start && !slices.Contains(asked, at) {
			continue
		}
		seen[at] = true
		d, body, err := f.read(ctx, at, f.via[at])
		if err != nil {
			return nil, err
		}
		f.got[at] = got{body, mime.Charset(d.Declared), strings.Contains(d.MIME, "html")}
		if strings.Contains(d.MIME, "html") || strings.Contains(d.MIME, "xml") {
			attributes(out.written, at, body)
		}
		for _, l := range d.Links {
			if l.Hop == string(crawl.HopSpeculative) {
				l.Kind = "speculative" // also what scripts ask for, which has the claims of an embed
			}
			if _, known := out.links[l.URL]; !known {
				out.links[l.URL] = l
				out.order = append(out.order, l.URL)
			}
			if _, known := f.via[l.URL]; !known {
				f.via[l.URL] = reading.Link{URL: at, Context: l.Context, Hop: l.Hop}
			}
			todo = append(todo, l.URL)
		}
	}
	return out, nil
}

// read reads one answer, found in by.URL, or the page itself. The body is without content codings, where these can be undone.
func (f *finder) read(ctx context.Context, at string, by reading.Link) (reading.Document, []byte, error) {
	status, header, body, err := f.get(ctx, at)
	if err != nil { // an address that no server can be asked for, or one that breaks off
		return reading.Document{}, nil, nil
	}
	var raw bytes.Buffer
	fmt.Fprintf(&raw, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	hops := string(crawl.HopEmbed)
	switch {
	case by.URL == "":
		hops = ""
	case by.Hop != "":
		hops = by.Hop
	}
	c := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: at, Hops: hops, Via: by.URL, Context: by.Context}, HTTPStatus: status, Status: crawl.Status(status)}
	for name, values := range header {
		for _, v := range values {
			if name == "Content-Length" || name == "Transfer-Encoding" {
				continue // the body is whole
			}
			fmt.Fprintf(&raw, "%s: %s\r\n", name, v)
			c.Headers = append(c.Headers, crawl.Header{Name: name, Value: v})
		}
	}
	raw.WriteString("\r\n")
	raw.Write(body)
	if c.Rec, err = record.Load(&raw, "", 32<<20); err != nil {
		return reading.Document{}, nil, err
	}
	head, _ := c.Rec.Body(mime.HeadSize) // what is there of a body that breaks off
	c.MIME = mime.Detect(at, header.Get("Content-Type"), head, mime.HintsOf(by.Context))
	d, err := f.reader.Read(ctx, at, c)
	if plain, broken := c.Rec.Body(32 << 20); broken == nil {
		body = bytes.Clone(plain)
	}
	return d, body, errors.Join(err, c.Rec.Close())
}

// attributes adds the addresses that attributes of a page have, whatever the attribute is: each value, and each part of one that blanks,
// commas, quotes or brackets bound. It reads with golang.org/x/net/html, which nothing of ours reads links with.
func attributes(into map[string]bool, at string, body []byte) {
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return
	}
	bases := []*url.URL{}
	if u, err := url.Parse(at); err == nil {
		bases = append(bases, u)
	}
	add := func(value string) {
		for _, base := range bases {
			if ref, err := base.Parse(value); err == nil {
				if u, err := urlx.Parse(ref.String()); err == nil {
					into[u.WithoutUserinfo().WithoutFragment().String()] = true
				}
			}
		}
	}
	var nodes []*html.Node
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		nodes = append(nodes, n)
		for _, a := range n.Attr {
			if n.Data == "base" && a.Key == "href" && len(bases) > 0 {
				if u, err := bases[0].Parse(strings.TrimSpace(a.Val)); err == nil {
					bases = append(bases, u)
				}
			}
		}
	}
	for _, n := range nodes {
		for _, a := range n.Attr {
			add(strings.TrimSpace(a.Val))
			for _, part := range strings.FieldsFunc(a.Val, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;\"'()[]{}<>=", r) }) {
				add(strings.ReplaceAll(part, `\/`, "/"))
			}
		}
	}
}

// invented are the links that the server does not have, that no browser asked for and that are in no attribute: the speculative ones and
// the others.
func (f *finder) invented(ctx context.Context, in *finding, asked []string) (guessed, stated []string) {
	for _, target := range in.order {
		l := in.links[target]
		if in.written[target] || slices.Contains(asked, target) || !strings.HasPrefix(target, "http") {
			continue
		}
		status, _, _, err := f.get(ctx, target)
		if err == nil && status/100 <= 3 {
			continue
		}
		if l.Kind == "speculative" {
			guessed = append(guessed, target)
		} else {
			stated = append(stated, target+" "+l.Context)
		}
	}
	return guessed, stated
}
