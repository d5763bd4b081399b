package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/warc"
)

// noted is what was seen of the records of a part of a file, beside what is wrong.
type noted struct {
	ids   []idAt
	haves []haveAt
	needs []haveAt // of pages: their URLs
	refs  []refAt
}

type idAt struct {
	hash   uint64
	offset int64
}

type haveAt struct {
	key string // or URL
	ms  int64
}

// keep stores what was noted.
func (v *verifier) keep(file uint32, n *noted) error {
	for _, id := range n.ids {
		if err := v.ids.Add(uint64(file), id.hash, appendOffset(nil, id.offset)); err != nil {
			return err
		}
	}
	for _, h := range n.haves {
		if err := v.have(h.key, h.ms); err != nil {
			return err
		}
	}
	for _, p := range n.needs {
		if err := v.need(p.key, p.ms); err != nil {
			return err
		}
	}
	for i := range n.refs {
		if err := v.refer(file, &n.refs[i]); err != nil {
			return err
		}
	}
	*n = noted{ids: n.ids[:0], haves: n.haves[:0], needs: n.needs[:0], refs: n.refs[:0]}
	return nil
}

// walk follows the records of a file, or of a part of it, through its captures and what the state
// expects of them.
type walk struct {
	name string
	file uint32
	bad  func(where, format string, a ...any)
	// spans and expected give the next capture, or expectation, until ok is false.
	spans    func() (frontier.Capture, bool)
	expected func() (expectation, bool)
	noted    noted

	span     frontier.Capture // in hand
	spanned  bool             // there is one
	want     expectation      // the next
	wanted   bool
	answers  int             // responses of the capture's own URI in it
	ids      map[string]bool // of the capture's records
	urls     map[string]bool // of the capture's responses
	pointers []string        // WARC-Concurrent-To within the capture
	begun    bool
}

// begin takes the first capture and expectation.
func (w *walk) begin() *walk {
	w.ids, w.urls = map[string]bool{}, map[string]bool{}
	w.span, w.spanned = w.spans()
	w.want, w.wanted = w.expected()
	return w
}

func (w *walk) where(off int64) string { return fmt.Sprintf("%s at %d", w.name, off) }

func (w *walk) record(r *warc.RecordInfo) error {
	for w.spanned && r.Ref.Offset >= w.span.Span.End {
		w.closeCapture()
	}
	w.missed(r.Ref.Offset)
	w.noted.ids = append(w.noted.ids, idAt{xxhash.Sum64String(r.ID), r.Ref.Offset})
	if w.spanned && r.Ref.Offset >= w.span.Span.Start {
		w.within(r)
	} else {
		w.bad(w.where(r.Ref.Offset), "%s record of %s belongs to no acknowledged capture", r.Type, r.TargetURI)
	}
	w.missed(r.Ref.Offset + 1)
	return nil
}

// missed reports what was expected before an offset and not found.
func (w *walk) missed(before int64) {
	for w.wanted && w.want.offset < before {
		w.want.missing(w.file, w.bad)
		w.want, w.wanted = w.expected()
	}
}

// within handles a record of the capture in hand.
func (w *walk) within(r *warc.RecordInfo) {
	c := w.span
	if !w.begun {
		w.begun = true
		// The first record of a file may stand behind a dictionary of zstd.
		if r.Ref.Offset != c.Span.Start && (c.Span.Start != 0 || r.Type != warc.TypeWarcinfo) {
			w.bad(w.where(c.Span.Start), "a capture begins here, but no record does")
		}
	}
	if r.Ref.Offset+r.Ref.Length > c.Span.End {
		w.bad(w.where(r.Ref.Offset), "the record reaches over the end of its capture at %d", c.Span.End)
	}
	if r.Ref.Offset == 0 && r.Type != warc.TypeWarcinfo {
		w.bad(w.where(r.Ref.Offset), "the file does not begin with a warcinfo record")
	}
	w.ids[r.ID] = true
	w.pointers = append(w.pointers, r.ConcurrentTo...)
	switch r.Type {
	case warc.TypeMetadata:
		w.compare(r, nil)
	case warc.TypeResponse, warc.TypeRevisit, warc.TypeResource:
		w.response(r, c)
	}
}

// compare compares what is expected at the place of a record with it; rec is nil of metadata. An original is a response.
func (w *walk) compare(r *warc.RecordInfo, rec *response) {
	for w.wanted && w.want.offset == r.Ref.Offset {
		kind := w.want.kind
		fits := w.want.length == r.Ref.Length && (kind == expectMetadata) == (rec == nil)
		switch {
		case !fits || kind == expectOriginal && r.Type != warc.TypeResponse || kind == expectMetadata && w.want.url != r.TargetURI:
			w.want.missing(w.file, w.bad)
		case kind == expectResponse:
			w.want.compare(rec, w.bad)
			w.noted.needs = append(w.noted.needs, haveAt{w.want.url, rec.date})
		}
		w.want, w.wanted = w.expected()
	}
}

// response notes a record that the state may point to or that pages need.
func (w *walk) response(r *warc.RecordInfo, c frontier.Capture) {
	ms := r.Date.UnixMilli()
	// Of several records of one URL the first is the prerequisite's: a robots.txt may be
	// the page itself too.
	first := !w.urls[r.TargetURI]
	w.urls[r.TargetURI] = true
	if crawl.IsDNS(r.TargetURI) {
		w.noted.haves = append(w.noted.haves, haveAt{r.TargetURI, ms})
		return
	}
	w.refer(r)
	w.compare(r, &response{url: r.TargetURI, digest: r.Payload, id: r.ID, kind: r.Type, date: ms})
	if key, ok := crawl.PrereqKey(r.TargetURI); ok {
		w.noted.haves = append(w.noted.haves, haveAt{key, ms})
	}
	if !first || !slices.Contains(c.Carried, carriedKey(r.TargetURI)) {
		w.answers++
	}
}

// carriedKey is the key of the deferred answer that became a record; its redirects have
// other URIs.
func carriedKey(uri string) string {
	if origin, ok := strings.CutSuffix(uri, crawl.RobotsURL("")); ok {
		return crawl.RobotsKey(origin)
	}
	return uri
}

func (w *walk) closeCapture() {
	c := w.span
	at := w.where(c.Span.Start)
	if !w.begun {
		w.bad(at, "the capture of %d bytes holds no record", c.Span.End-c.Span.Start)
	} else {
		for _, key := range c.Carried {
			if !w.urls[crawl.PrereqURL(key)] {
				w.bad(at, "the capture does not hold the record of %s that the state says it brought", crawl.PrereqURL(key))
			}
		}
		if c.Response && w.answers == 0 {
			w.bad(at, "the capture holds no response")
		}
	}
	for _, p := range w.pointers {
		// A verdict made later points to the response of an earlier capture.
		if c.Response && !w.ids[p] {
			w.bad(at, "WARC-Concurrent-To %s is not in the capture", p)
		}
	}
	w.begun, w.answers, w.pointers = false, 0, w.pointers[:0]
	clear(w.ids)
	clear(w.urls)
	w.span, w.spanned = w.spans()
}

// end closes what is left.
func (w *walk) end() {
	for w.spanned {
		w.closeCapture()
	}
	for w.wanted {
		w.want.missing(w.file, w.bad)
		w.want, w.wanted = w.expected()
	}
}
