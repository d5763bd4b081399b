package testweb

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// After says what becomes of the connection when the raw bytes of a [Page] are
// sent.
type After int

const (
	// Shut ends the connection in order.
	Shut After = iota
	// Keep goes on with the next request; the bytes must have a length that
	// the client can know.
	Keep
	// Reset cuts the connection, so that the client sees a reset.
	Reset
	// Hold sends nothing more and leaves the connection open until the client
	// or the server closes.
	Hold
)

// Page is one answer. The zero Page is 200 with an empty body and no
// Content-Type.
type Page struct {
	Status int         // 0 is 200
	Header http.Header // sent as given; Content-Length is added
	Body   string

	// Raw, when not empty, is sent instead of all of the above: every byte of
	// the answer, whatever it is worth. After follows it.
	Raw   string
	After After

	Delay time.Duration // before the first byte
	// Drip sends the answer in pieces of so many bytes with Every between
	// them. 0 sends it at once.
	Drip  int
	Every time.Duration
}

// ServeHTTP implements [http.Handler].
func (p Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.Delay > 0 && !wait(r.Context(), p.Delay) {
		return
	}
	if p.Raw != "" || p.Drip > 0 || p.After == Reset || p.After == Hold {
		p.serveRaw(w, r)
		return
	}
	h := w.Header()
	h["Date"], h["Content-Type"] = nil, nil // neither added nor guessed
	for name, values := range p.Header {
		h[name] = slices.Clone(values)
	}
	if _, given := p.Header["Content-Length"]; !given && bodyAllowed(p.status()) {
		h.Set("Content-Length", strconv.Itoa(len(p.Body)))
	}
	w.WriteHeader(p.status())
	if r.Method != http.MethodHead && bodyAllowed(p.status()) {
		_, _ = w.Write([]byte(p.Body)) // the client went away
	}
}

func (p Page) status() int {
	if p.Status == 0 {
		return http.StatusOK
	}
	return p.Status
}

func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// Wire returns the answer as raw bytes, with the headers in order of name.
func (p Page) Wire() string {
	if p.Raw != "" {
		return p.Raw
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", p.status(), http.StatusText(p.status()))
	h := p.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if _, given := h["Content-Length"]; !given && bodyAllowed(p.status()) {
		h.Set("Content-Length", strconv.Itoa(len(p.Body)))
	}
	_ = h.Write(&b) // a buffer takes everything
	b.WriteString("\r\n" + p.Body)
	return b.String()
}

func (p Page) serveRaw(w http.ResponseWriter, r *http.Request) {
	nc, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "testweb: raw answer: "+err.Error(), http.StatusInternalServerError)
		return
	}
	wire := []byte(p.Wire())
	a, served := w.(*answer)
	if served {
		a.taken = true
		if status := wireStatus(wire); status != 0 {
			a.note(status)
		}
	}
	for p.Drip > 0 && len(wire) > p.Drip {
		if _, err := nc.Write(wire[:p.Drip]); err != nil || !wait(r.Context(), p.Every) {
			_ = nc.Close()
			return
		}
		wire = wire[p.Drip:]
	}
	if served && p.After != Hold {
		a.finish()
	}
	if _, err = nc.Write(wire); err != nil {
		_ = nc.Close()
		return
	}
	p.leave(nc.(*conn), buf.Reader)
}

// leave does with the connection what After asks for.
func (p Page) leave(c *conn, ahead *bufio.Reader) {
	switch p.After {
	case Keep:
		rest, _ := ahead.Peek(ahead.Buffered()) // cannot fail for what is buffered
		c.giveBack(rest)
	case Reset:
		c.reset()
	case Hold:
		var one [1]byte
		for {
			if _, err := c.Conn.Read(one[:]); err != nil {
				break
			}
		}
		_ = c.Close()
	default:
		_ = c.Close()
	}
}

// wireStatus returns the status of the first answer in raw bytes that is not
// informational, 0 when there is none.
func wireStatus(wire []byte) int {
	for {
		line, _, _ := bytes.Cut(wire, []byte("\n"))
		fields := bytes.Fields(line)
		if len(fields) < 2 || !bytes.HasPrefix(fields[0], []byte("HTTP/")) {
			return 0
		}
		status, err := strconv.Atoi(string(fields[1]))
		if err != nil {
			return 0
		}
		if status >= 200 {
			return status
		}
		_, rest, more := bytes.Cut(wire, []byte("\r\n\r\n"))
		if !more {
			return 0
		}
		wire = rest
	}
}

func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// With returns the page with one more header.
func (p Page) With(name, value string) Page {
	p.Header = p.Header.Clone()
	if p.Header == nil {
		p.Header = http.Header{}
	}
	p.Header.Set(name, value)
	return p
}

// WithStatus returns the page with another status.
func (p Page) WithStatus(status int) Page {
	p.Status = status
	return p
}

// Chunked returns the page as raw bytes in chunks of size bytes, with the
// given trailer lines ("Name: value"), on a connection that is kept.
func (p Page) Chunked(size int, trailers ...string) Page {
	if size <= 0 {
		size = max(len(p.Body), 1)
	}
	var b strings.Builder
	for body := p.Body; body != ""; {
		n := min(size, len(body))
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	b.WriteString("0\r\n")
	for _, t := range trailers {
		b.WriteString(t + "\r\n")
	}
	b.WriteString("\r\n")
	head := p.With("Transfer-Encoding", "chunked")
	head.Header["Content-Length"] = nil // present and empty: not added, not written
	head.Body = ""
	p.Raw, p.After = head.Wire()+b.String(), Keep
	return p
}

// Unframed returns the page as raw bytes without any length: it ends where the
// connection ends.
func (p Page) Unframed() Page {
	head := p.With("Connection", "close")
	head.Header["Content-Length"] = nil
	p.Raw, p.After = head.Wire(), Shut
	return p
}

// Encoded returns the page with its body compressed and Content-Encoding set.
// coding is gzip, br, zstd, deflate (zlib, as the standard has it) or
// deflate-raw (without zlib's header, as some servers send it; declared as
// deflate). Any other coding is declared but not applied.
func (p Page) Encoded(coding string) Page {
	name := coding
	var b bytes.Buffer
	var z interface {
		Write([]byte) (int, error)
		Close() error
	}
	switch coding {
	case "gzip":
		z = gzip.NewWriter(&b)
	case "br":
		z = brotli.NewWriter(&b)
	case "zstd":
		enc, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return Failure(err)
		}
		z = enc
	case "deflate":
		z = zlib.NewWriter(&b)
	case "deflate-raw":
		fw, err := flate.NewWriter(&b, flate.DefaultCompression)
		if err != nil {
			return Failure(err)
		}
		z, name = fw, "deflate"
	default:
		return p.With("Content-Encoding", coding)
	}
	_, err := z.Write([]byte(p.Body))
	if e := z.Close(); err == nil {
		err = e
	}
	if err != nil {
		return Failure(err)
	}
	p.Body = b.String()
	return p.With("Content-Encoding", name)
}

// Failure is the page that says what went wrong while another was made.
func Failure(err error) Page {
	return text(http.StatusInternalServerError, "testweb: "+err.Error()+"\n")
}

func text(status int, body string) Page {
	return Page{Status: status, Body: body}.With("Content-Type", "text/plain; charset=utf-8")
}
