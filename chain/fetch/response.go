package fetch

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"

	"exclave/crawl"
	"exclave/internal/record"
)

const (
	// maxInterim is how many 1xx answers are skipped.
	maxInterim = 20
	// maxBlank is how many bytes of empty lines before an answer are skipped.
	maxBlank = 1 << 10
	// usualBlank is how many are no oddity.
	usualBlank = 4
)

// response reads one answer.
type response struct {
	answer
	c             *conn
	rec           *record.Recording
	most          bounds
	maxBody       int64 // 0 = no limit
	got           int64 // bytes of the body
	framed        bool  // something tells where the body ends
	chunked       bool
	chunks        record.Chunks
	least, length int64 // Content-Length, when framed and not chunked
}

func (r *response) note(word string) {
	if !slices.Contains(r.notes, word) {
		r.notes = append(slices.Clip(r.notes), word) // the notes before are the connection's
	}
}

func (r *response) noteSlow(err error) {
	if word := slowNote(err); word != "" {
		r.note(word)
	}
}

// read reads the final answer. A *failure is what a server did; other errors are
// ours.
func (r *response) read() error {
	head, err := r.header()
	if err != nil {
		return err
	}
	if r.truncated == "" && r.hasBody() {
		r.frame(head)
		if r.maxBody = r.most.body(head); r.refuses() {
			return nil
		}
		r.c.pace.beginBody()
		if err := r.body(); err != nil {
			return err
		}
	}
	r.keep = r.keep && r.truncated == ""
	return nil
}

// refuses reports whether the body is left where it is because it says to be too long.
func (r *response) refuses() bool {
	if !r.most.refuse || r.maxBody == 0 || !r.framed || r.chunked || r.least <= r.maxBody {
		return false
	}
	r.truncated, r.keep = crawl.TruncLength, false
	r.note("lenRefused")
	return true
}

// header reads up to the empty line of the final answer.
func (r *response) header() (*record.Head, error) {
	for n := range maxInterim + 1 {
		status, err := r.start(n > 0)
		if err != nil {
			return nil, err
		}
		if !status {
			if r.c.reused && n == 0 {
				// Left over from the last answer: not ours.
				return nil, &failure{crawl.StatusConnectionLost, r.notes, errStale}
			}
			r.note("http09")
			r.status = 200
			return &record.Head{}, nil
		}
		raw, err := r.lines()
		if err != nil {
			return nil, err
		}
		head := record.ParseHead(raw)
		if head.Status == 0 {
			return nil, &failure{crawl.StatusConnectionLost, append(slices.Clip(r.notes), "header:odd"), errors.New("no status in the status line")}
		}
		if head.Status < 200 && head.Status != 101 && r.truncated == "" {
			continue
		}
		if head.Odd > 0 {
			r.note("header:odd")
		}
		if head.Long {
			r.note("header:long")
		}
		r.status = head.Status
		r.keep = head.KeepAlive() && r.truncated == "" && head.Status != 101
		if _, length, ok := head.Length(); ok {
			r.rec.Expect(int64(len(raw)) + length)
		}
		return &head, r.rec.SetHead(raw, head)
	}
	return nil, &failure{crawl.StatusConnectionLost, r.notes, fmt.Errorf("more than %d interim answers", maxInterim)}
}

// start reports whether an answer begins with a status line, before which empty lines
// are skipped; one that does not has no header, and they are part of it. Behind an
// interim answer the connection is not one that was dead before the request.
func (r *response) start(interim bool) (status bool, err error) {
	stale := errStale
	if interim {
		stale = nil
	}
	for blank := 0; ; {
		p, err := r.c.br.Peek(blank + 5)
		for blank < min(len(p), maxBlank) && (p[blank] == '\r' || p[blank] == '\n') {
			blank++
		}
		start := p[blank:]
		switch {
		case len(start) == 0 && err != nil:
			return false, r.lost(err, stale)
		case len(start) < 5 && err == nil && blank < maxBlank:
			continue
		case len(start) < 5 && err != nil && (err != io.EOF || strings.HasPrefix("HTTP/", string(start)) || strings.HasPrefix("ICY ", string(start))):
			return false, r.lost(err, nil)
		case !record.IsStatusLine(start):
			return false, nil
		}
		if blank > usualBlank {
			r.note("header:odd")
		}
		_, err = r.c.br.Discard(blank)
		return true, err
	}
}

// lines reads a header with its empty line. The bytes are valid until the next call.
func (r *response) lines() ([]byte, error) {
	raw := r.c.head[:0]
	defer func() {
		if cap(raw) <= 16<<10 {
			r.c.head = raw
		}
	}()
	for end, ended := (record.HeadEnd{}), false; !ended; {
		p, err := r.c.br.Peek(1)
		if len(p) == 0 {
			return nil, r.lost(err, nil)
		}
		p, _ = r.c.br.Peek(r.c.br.Buffered()) // cannot fail for what is buffered
		var used int
		used, ended = end.Feed(p[:min(len(p), r.most.header-len(raw))])
		raw = append(raw, p[:used]...)
		if _, err := r.c.br.Discard(used); err != nil {
			return nil, err
		}
		if len(raw) == r.most.header {
			r.truncated = crawl.TruncLength
			r.note("headerTrunc")
			break
		}
	}
	return raw, nil
}

// lost is the failure of an answer whose header did not come.
func (r *response) lost(err, reason error) error {
	status := crawl.StatusConnectionLost
	if isTimeout(err) {
		status, reason = crawl.StatusTimeout, nil
		r.noteSlow(err)
	}
	if reason != nil {
		err = fmt.Errorf("%w: %w", reason, err)
	}
	return &failure{status, r.notes, err}
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &t) && t.Timeout()
}

func (r *response) hasBody() bool {
	return r.status != 204 && r.status != 304 && r.status != 101
}

// frame finds out where the body ends (RFC 9112 §6.3), leniently: of several
// lengths the greatest counts.
func (r *response) frame(h *record.Head) {
	r.chunked = h.Chunked()
	least, greatest, ok := h.Length()
	if h.OddLength() {
		r.note("length:odd")
	}
	switch {
	case r.chunked:
		r.framed = true
	case ok && !h.Unframed():
		r.framed, r.least, r.length = true, least, greatest
		if least != greatest {
			r.note("length:conflict")
			r.keep = false
		}
	default:
		r.keep = false
	}
}

// body records up to the end of the body.
func (r *response) body() error {
	for !r.complete() {
		p, err := r.c.br.Peek(1)
		if len(p) == 0 {
			r.cut(err)
			return nil
		}
		p, _ = r.c.br.Peek(r.c.br.Buffered()) // cannot fail for what is buffered
		n := r.take(p)
		if r.maxBody > 0 && r.got+int64(n) > r.maxBody {
			n = int(r.maxBody - r.got)
			r.truncated = crawl.TruncLength
			r.note("lenTrunc")
		}
		if _, err := r.rec.Write(p[:n]); err != nil {
			return err
		}
		r.got += int64(n)
		if _, err := r.c.br.Discard(n); err != nil {
			return err
		}
		if r.truncated != "" {
			return nil
		}
	}
	return nil
}

// complete reports that the body has come to its declared end.
func (r *response) complete() bool {
	if r.chunked {
		return r.chunks.Done()
	}
	return r.framed && r.got >= r.length
}

// take returns how many of the bytes belong to the body.
func (r *response) take(p []byte) int {
	if !r.framed {
		return len(p)
	}
	if !r.chunked {
		return int(min(int64(len(p)), r.length-r.got))
	}
	n := 0
	for n < len(p) && !r.chunks.Done() {
		used, _ := r.chunks.Feed(p[n:])
		n += used
		if r.chunks.Broken() {
			// No end can be told any more but that of the connection.
			r.note("chunked:broken")
			r.chunked, r.framed, r.keep = false, false, false
			return len(p)
		}
	}
	return n
}

// cut says what the end of the connection means for the body so far.
func (r *response) cut(err error) {
	r.keep = false
	// TLS servers often leave without close_notify, which is ErrUnexpectedEOF.
	ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case r.chunked && r.chunks.Complete():
		// Only trailers are missing.
	case r.framed && !r.chunked && r.least < r.length && r.got >= r.least:
		// Of two lengths the lesser was right.
	case ended && !r.framed && !r.chunks.Broken():
		// That is how such a body ends.
	case isTimeout(err):
		r.truncated = crawl.TruncTime
		r.note("timeTrunc")
		r.noteSlow(err)
	default:
		r.truncated = crawl.TruncDisconnect
		r.note("discTrunc")
	}
}
