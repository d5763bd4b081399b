package job

import (
	"bytes"
	"context"
	"sync"

	"exclave/chain/extract"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/job/records"
	"exclave/internal/mime"
	"exclave/internal/urlx"
)

// archived has the bodies of the job's own archive for documents that are read together (ADR 114), as far as its files are on this machine.
// What is short is kept for those that come: the pages of a site have their scripts in common.
type archived struct {
	state   *frontier.Frontier
	records records.Reader
	rules   urlx.Rules

	mu       sync.Mutex
	now, old map[crawl.Ref]text
	size     int // bytes of now
}

type text struct {
	body    []byte // nil: it cannot be read
	charset string
	long    bool // it is longer than what is kept
}

const (
	// keptTexts is how many bytes of bodies each half has, keptText how long the longest is.
	keptTexts = 4 << 20
	keptText  = 64 << 10
)

var _ extract.Archived = (*archived)(nil)

// Body implements [extract.Archived]. What cannot be read is not there: what is found with it is more than what is found without.
func (a *archived) Body(ctx context.Context, u *urlx.URL, most int64) ([]byte, string) {
	r, err := a.state.Lookup(a.rules.Key(u))
	if err != nil || r == nil || !r.Outcome.Archived || r.Outcome.Status != 200 || r.Response.Length > most { // in the archive it is shorter than by itself
		return nil, ""
	}
	t, ok := a.kept(r.Response)
	if !ok {
		t = a.load(ctx, r, most)
		a.keep(r.Response, t)
	}
	if int64(len(t.body)) > most || t.long && most <= keptText {
		return nil, ""
	}
	if t.long {
		t = a.load(ctx, r, most)
	}
	return t.body, t.charset
}

// load reads a body of up to most bytes.
func (a *archived) load(ctx context.Context, r *frontier.Record, most int64) (t text) {
	rec, err := a.records.Response(ctx, r.Response, r.Original)
	if err != nil {
		return text{}
	}
	body, err := rec.Body(most + 1)
	if t.long = int64(len(body)) > most; err == nil && !t.long {
		t = text{body: bytes.Clone(body), charset: mime.Charset(rec.Head().Get("Content-Type"))}
	}
	rec.Forget()
	if rec.Close() != nil { // its scratch file; it was read
		return text{}
	}
	return t
}

// PageOf implements [extract.Archived].
func (a *archived) PageOf(_ context.Context, u *urlx.URL, overWorkers bool) *urlx.URL {
	at := u
	for range maxScripts {
		r, err := a.state.Lookup(a.rules.Key(at))
		if err != nil || r == nil || r.Via == "" || r.Context == extract.ContextWorker && !overWorkers || r.Outcome.Class == crawl.ClassHTML && r.Context != "js/fetch" { // a page that a script leads to is one
			return at
		}
		via, err := urlx.Parse(r.Via)
		if err != nil {
			return at
		}
		at = via
	}
	return u
}

// maxScripts is over how many scripts a page leads to one.
const maxScripts = 16

func (a *archived) kept(at crawl.Ref) (text, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t, ok := a.now[at]
	if !ok {
		if t, ok = a.old[at]; ok {
			a.add(at, t)
		}
	}
	return t, ok
}

func (a *archived) keep(at crawl.Ref, t text) {
	if len(t.body) > keptText {
		t = text{long: true}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.add(at, t)
}

// add keeps a text; what was not asked for the longest goes, by halves. a.mu is held.
func (a *archived) add(at crawl.Ref, t text) {
	if _, has := a.now[at]; has {
		return
	}
	if a.size += len(t.body); a.size > keptTexts || a.now == nil {
		a.old, a.now, a.size = a.now, map[crawl.Ref]text{}, len(t.body)
	}
	a.now[at] = t
}
