package verify

import (
	"errors"
	"fmt"
	"io"

	"exclave/frontier"
	"exclave/warc"
)

// glance checks where the records begin that the state knows of, and what their headers say.
func (v *verifier) glance(c *warc.Checker, in io.ReaderAt, r *result) error {
	in = &window{in: in, end: r.file.size}
	expected := pull(r.expected)
	want, wanted := expected()
	for _, span := range r.spans {
		for wanted && want.offset < span.Span.Start {
			want.missing(r.file.row.Number, r.bad)
			want, wanted = expected()
		}
		if err := v.look(c, in, r, span, nil); err != nil {
			return err
		}
		for wanted && want.offset < span.Span.End {
			if err := v.look(c, in, r, span, &want); err != nil {
				return err
			}
			want, wanted = expected()
		}
	}
	return nil
}

// look reads the header of the record that is expected in a capture; nil: of its first.
func (v *verifier) look(c *warc.Checker, in io.ReaderAt, r *result, span frontier.Capture, want *expectation) error {
	off := span.Span.Start
	if want != nil {
		off = want.offset
	}
	var e *warc.Entry
	var err error
	if want == nil && off > 0 {
		err = c.Starts(in, off)
	} else {
		e, err = c.Head(in, off)
	}
	at := func() string { return fmt.Sprintf("%s at %d", r.file.name, off) }
	var d *warc.Defect
	switch {
	case errors.As(err, &d):
		r.bad(at(), "%s: %s", d.Kind, d.Detail)
		if want != nil {
			want.missing(r.file.row.Number, r.bad)
		}
		return nil
	case err != nil:
		return err
	case want == nil:
		if off == 0 && e.Type() != warc.TypeWarcinfo {
			r.bad(at(), "the file does not begin with a warcinfo record")
		}
		return nil
	}
	kind, url := e.Type(), e.TargetURI()
	answer := kind == warc.TypeResponse || kind == warc.TypeRevisit || kind == warc.TypeResource
	switch {
	case want.kind == expectMetadata && (kind != warc.TypeMetadata || url != want.url), want.kind == expectResponse && !answer,
		want.kind == expectOriginal && kind != warc.TypeResponse:
		want.missing(r.file.row.Number, r.bad)
		return nil
	case want.kind == expectResponse:
		date, err := e.Date()
		if err != nil {
			r.bad(at(), "%v", err)
			return nil
		}
		want.compare(&response{url: url, digest: e.Header.Get("WARC-Payload-Digest"), id: e.ID(), kind: kind, date: date.UnixMilli()}, r.bad)
	}
	return v.lookAtEnd(c, in, r, span, want, e, at)
}

// lookAtEnd tells whether a record ends where the state says, and whether another one follows.
func (v *verifier) lookAtEnd(c *warc.Checker, in io.ReaderAt, r *result, span frontier.Capture, want *expectation, e *warc.Entry, at func() string) error {
	end := want.offset + want.length
	const least = 20 // of any member; a frame is longer
	if want.length < least || end > span.Span.End {
		r.bad(at(), "the record reaches over the end of its capture at %d", span.Span.End)
		return nil
	}
	if end > r.file.size {
		return nil // the file's length was told
	}
	ok, err := c.Ends(in, e, end, end < span.Span.End)
	if err != nil {
		return fmt.Errorf("job: verify %s: %w", r.file.name, err)
	}
	if !ok {
		r.bad(at(), "the record does not end where the state says, at %d", end)
	}
	return nil
}

// window reads a file in pieces that hold what is asked for next, mostly.
type window struct {
	in  io.ReaderAt
	end int64 // of the file
	at  int64
	n   int
	buf [2 << 10]byte
}

// ReadAt implements [io.ReaderAt].
func (w *window) ReadAt(b []byte, off int64) (int, error) {
	if len(b) > len(w.buf) || off < 0 || off >= w.end {
		return w.in.ReadAt(b, off)
	}
	if off < w.at || min(off+int64(len(b)), w.end) > w.at+int64(w.n) {
		n, err := w.in.ReadAt(w.buf[:min(int64(len(w.buf)), w.end-off)], off)
		w.at, w.n = off, n
		if err != nil && (err != io.EOF || n == 0) {
			return 0, err
		}
	}
	n := copy(b, w.buf[off-w.at:w.n])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
