package job

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/urlx"
	"exclave/warc"
)

// archive checks the WARC files, and that each record lies in a capture.
func (v *verifier) archive(context.Context) error {
	rows := v.f.Files()
	known := map[string]bool{}
	for _, row := range rows {
		s := warc.FileState(row)
		name := s.DiskName()
		if _, err := v.opts.FS.Stat(v.path(WARCDir, name)); err != nil && !row.Final {
			name = row.Name // renamed before the state could say so
		}
		known[name] = true
		if err := v.file(row, name); err != nil {
			return err
		}
	}
	for n := range v.captures {
		if !slices.ContainsFunc(rows, func(r frontier.FileRow) bool { return r.Number == n }) {
			v.bad(StateDir, "captures lie in WARC file number %d, which has no row", n)
		}
	}
	names, err := v.opts.FS.List(v.path(WARCDir))
	if err != nil {
		return fmt.Errorf("job: verify: %w", err)
	}
	for _, n := range names {
		if !known[n] {
			v.bad(n, "the state does not know this file%s", v.unlessClean())
		}
	}
	return nil
}

// unlessClean says what to do about leftovers of a killed run.
func (v *verifier) unlessClean() string {
	if v.f.Clean() {
		return ""
	}
	return "; the job was killed: let exclave crawl go on with it first"
}

func (v *verifier) file(row frontier.FileRow, name string) error {
	st, err := v.opts.FS.Stat(v.path(WARCDir, name))
	if err != nil && row.Final && v.moved.has(name) {
		v.opts.Log.Warn("not checked: registered as moved away", "file", name)
		v.away[row.Number] = true
		return nil
	}
	if err != nil {
		v.bad(name, "is missing; %d bytes in it are acknowledged", row.Committed)
		return nil
	}
	if st.Size() != row.Committed {
		v.bad(name, "has %d bytes, %d are acknowledged%s", st.Size(), row.Committed, v.unlessClean())
	}
	spans := v.captures[row.Number]
	at := int64(0)
	for _, c := range spans {
		switch {
		case c.Span.Start > at:
			v.bad(fmt.Sprintf("%s at %d", name, at), "no capture is acknowledged up to %d", c.Span.Start)
		case c.Span.Start < at:
			v.bad(fmt.Sprintf("%s at %d", name, c.Span.Start), "the capture begins before the one ahead of it ends, at %d", at)
		}
		at = c.Span.End
	}
	if at != row.Committed {
		v.bad(name, "captures end at %d, %d bytes are acknowledged", at, row.Committed)
	}
	walk := &fileWalk{v: v, name: name, row: row, spans: spans, ids: map[string]bool{}, urls: map[string]bool{}}
	defects, err := warc.Verify(v.opts.FS, v.path(WARCDir, name), walk.record)
	if err != nil {
		return err
	}
	for _, d := range defects {
		v.bad(fmt.Sprintf("%s at %d", name, d.Offset), "%s: %s", d.Kind, d.Detail)
	}
	walk.end()
	return nil
}

// fileWalk follows the records of a file through its captures.
type fileWalk struct {
	v        *verifier
	name     string
	row      frontier.FileRow
	spans    []frontier.Capture
	i        int             // capture in hand
	answers  int             // responses of the capture's own URI in it
	ids      map[string]bool // of the capture's records
	urls     map[string]bool // of the capture's responses
	pointers []string        // WARC-Concurrent-To within the capture
	begun    bool
}

func (w *fileWalk) where(off int64) string { return fmt.Sprintf("%s at %d", w.name, off) }

func (w *fileWalk) record(r warc.RecordInfo) error {
	for w.i < len(w.spans) && r.Ref.Offset >= w.spans[w.i].Span.End {
		w.closeCapture()
	}
	at := w.where(r.Ref.Offset)
	if w.i >= len(w.spans) || r.Ref.Offset < w.spans[w.i].Span.Start {
		w.v.bad(at, "%s record of %s belongs to no acknowledged capture", r.Type, r.TargetURI)
		return nil
	}
	c := w.spans[w.i]
	if !w.begun {
		w.begun = true
		if r.Ref.Offset != c.Span.Start {
			w.v.bad(w.where(c.Span.Start), "a capture begins here, but no record does")
		}
	}
	if r.Ref.Offset+r.Ref.Length > c.Span.End {
		w.v.bad(at, "the record reaches over the end of its capture at %d", c.Span.End)
	}
	if r.Ref.Offset == 0 && r.Type != warc.TypeWarcinfo {
		w.v.bad(at, "the file does not begin with a warcinfo record")
	}
	w.ids[r.ID] = true
	w.pointers = append(w.pointers, r.ConcurrentTo...)
	w.note(r, c)
	return nil
}

// note remembers the records that the state points to or that pages need.
func (w *fileWalk) note(r warc.RecordInfo, c frontier.Capture) {
	ref := crawl.Ref{File: w.row.Number, Offset: r.Ref.Offset, Length: r.Ref.Length}
	switch r.Type {
	case warc.TypeMetadata:
		w.v.metadata[ref] = r.TargetURI
	case warc.TypeResponse, warc.TypeRevisit:
		ms := r.Date.UnixMilli()
		// Of several records of one URL the first is the prerequisite's: a robots.txt may be
		// the page itself too.
		first := !w.urls[r.TargetURI]
		w.urls[r.TargetURI] = true
		if host, ok := strings.CutPrefix(r.TargetURI, "dns:"); ok {
			keepEarliest(w.v.dns, host, ms)
			return
		}
		w.v.responses[ref] = response{url: r.TargetURI, digest: r.Payload, id: r.ID, kind: r.Type, date: ms}
		if u, err := urlx.Parse(r.TargetURI); err == nil && u.PathQuery() == "/robots.txt" {
			keepEarliest(w.v.robots, u.Origin(), ms)
		}
		if !first || !slices.Contains(c.Carried, carriedKey(r.TargetURI)) {
			w.answers++
		}
	}
}

func keepEarliest(m map[string]int64, key string, ms int64) {
	if t, ok := m[key]; !ok || ms < t {
		m[key] = ms
	}
}

// carriedURI is the target URI of the record that a deferred answer became.
func carriedURI(key string) string {
	if origin, ok := strings.CutPrefix(key, crawl.RobotsKey("")); ok {
		return origin + "/robots.txt"
	}
	return key
}

// carriedKey is the opposite of carriedURI.
func carriedKey(uri string) string {
	if origin, ok := strings.CutSuffix(uri, "/robots.txt"); ok {
		return crawl.RobotsKey(origin)
	}
	return uri
}

func (w *fileWalk) closeCapture() {
	c := w.spans[w.i]
	at := w.where(c.Span.Start)
	if !w.begun {
		w.v.bad(at, "the capture of %d bytes holds no record", c.Span.End-c.Span.Start)
	} else {
		for _, key := range c.Carried {
			if !w.urls[carriedURI(key)] {
				w.v.bad(at, "the capture does not hold the record of %s that the state says it brought", carriedURI(key))
			}
		}
		if c.Response && w.answers == 0 {
			w.v.bad(at, "the capture holds no response")
		}
	}
	for _, p := range w.pointers {
		// A verdict made later points to the response of an earlier capture.
		if c.Response && !w.ids[p] {
			w.v.bad(at, "WARC-Concurrent-To %s is not in the capture", p)
		}
	}
	w.i, w.begun, w.answers, w.pointers = w.i+1, false, 0, nil
	w.ids, w.urls = map[string]bool{}, map[string]bool{}
}

func (w *fileWalk) end() {
	for w.i < len(w.spans) {
		w.closeCapture()
	}
}
