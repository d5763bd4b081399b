package printable

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Steers reports whether a character does something to a terminal, or to the text around it, instead of being
// shown: C0 but for tab and end of line, DEL, C1, marks of direction, separators of lines and paragraphs.
func Steers(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0:
		return true
	case r < 0x61c:
		return false
	}
	return r == 0x61c || r == 0x200e || r == 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// Text returns s as one line: what steers a terminal, ends of lines and tabs too, is replaced by U+FFFD.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || Steers(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Writer passes text on, with U+FFFD for what steers a terminal and for what is no UTF-8. A character may be
// divided between two calls of Write. It may be used by several goroutines.
type Writer struct {
	to     *output
	escape bool // for JSON
}

type output struct {
	mu   sync.Mutex
	w    io.Writer
	part []byte // of a character whose end is not there yet
	buf  []byte
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: &output{w: w}} }

// JSON returns a Writer to the same place for JSON, which loses nothing: it escapes as JSON does (\u202e).
func (w *Writer) JSON() *Writer { return &Writer{to: w.to, escape: true} }

// Bytes returns what w writes to, for what is no text: nothing of it is replaced.
func (w *Writer) Bytes() io.Writer { return w.to.w }

// Write implements [io.Writer].
func (w *Writer) Write(p []byte) (int, error) {
	o := w.to
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.part) == 0 && harmless(p) {
		return o.w.Write(p)
	}
	text := p
	if len(o.part) > 0 {
		text = append(o.part, p...)
		o.part = nil
	}
	o.buf = o.buf[:0]
	for len(text) > 0 {
		if !utf8.FullRune(text) {
			o.part = append([]byte(nil), text...)
			break
		}
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		switch {
		case !Steers(r):
			o.buf = utf8.AppendRune(o.buf, r)
		case w.escape:
			o.buf = fmt.Appendf(o.buf, `\u%04x`, r)
		default:
			o.buf = utf8.AppendRune(o.buf, unicode.ReplacementChar)
		}
	}
	if _, err := o.w.Write(o.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes U+FFFD for a character whose end never came.
func (w *Writer) Flush() error {
	o := w.to
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.part) == 0 {
		return nil
	}
	o.part = nil
	_, err := io.WriteString(o.w, string(unicode.ReplacementChar))
	return err
}

// harmless says whether all of p is printable ASCII, ends of lines and tabs.
func harmless(p []byte) bool {
	for _, c := range p {
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// File returns the file that w writes to, through a [Writer] or not.
func File(w io.Writer) (*os.File, bool) {
	if p, ok := w.(*Writer); ok {
		w = p.to.w
	}
	f, ok := w.(*os.File)
	return f, ok
}
