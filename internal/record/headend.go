package record

import (
	"bytes"
	"io"
)

// MaxHead is the longest header that is looked for the end of.
const MaxHead = 1 << 20

// HeadEnd finds the end of a header in bytes that arrive in pieces: behind its first
// line that is empty, CRs aside (RFC 9112 §2.2 asks to read LF alone as a line end;
// servers also send CR CR LF), or after MaxHead bytes. Who reads answers from the wire
// or from the archive uses this, else the payload and its digest are not the same for
// all of them. The zero HeadEnd stands before the first line.
type HeadEnd struct {
	n    int  // bytes so far
	text bool // the present line is not empty
}

// Feed returns how many bytes from the start of p belong to the header, and whether
// it ends with them. When it has ended, the HeadEnd is of no further use.
func (h *HeadEnd) Feed(p []byte) (used int, ended bool) {
	for used < len(p) && h.n < MaxHead {
		line := p[used:min(len(p), used+MaxHead-h.n)]
		lf := bytes.IndexByte(line, '\n')
		if lf >= 0 {
			line = line[:lf+1]
		}
		used, h.n = used+len(line), h.n+len(line)
		h.text = h.text || len(bytes.TrimRight(line, "\r\n")) > 0
		if lf < 0 {
			continue
		}
		if !h.text {
			return used, true
		}
		h.text = false
	}
	return used, h.n >= MaxHead
}

// HeadLen returns how many bytes of a stored answer are its header, with the empty
// line: 0 when it has none ([IsStatusLine]), all of them when it does not end. It
// reads no more than it needs. An error is that of r.
func HeadLen(r io.Reader) (int64, error) { return headLen(r) }

// HeadLenOf is [HeadLen] of bytes in memory, the first of an answer or of a request, whose
// first line ends with the version instead.
func HeadLenOf(b []byte, answer bool) int64 {
	if answer && !IsStatusLine(b) || !answer && !isRequestLine(b[:min(len(b), headPiece)]) {
		return 0
	}
	var h HeadEnd
	used, _ := h.Feed(b)
	return int64(used)
}

// headPiece is how much of a header is read at a time; the first line of a request is longer in none.
const headPiece = 4 << 10

func headLen(r io.Reader) (int64, error) {
	buf := make([]byte, headPiece)
	var h HeadEnd
	for total := int64(0); ; {
		n, err := io.ReadFull(r, buf)
		p := buf[:n]
		if total == 0 && !IsStatusLine(p) {
			p = nil
		}
		used, ended := h.Feed(p)
		total += int64(used)
		switch {
		case ended || len(p) == 0 || err == io.EOF || err == io.ErrUnexpectedEOF:
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				err = nil
			}
			return total, err
		case err != nil:
			return 0, err
		}
	}
}

// IsStatusLine reports whether an answer that begins with b has a header; what
// has none is HTTP/0.9: a body and nothing else. Five bytes decide.
func IsStatusLine(b []byte) bool {
	return bytes.HasPrefix(b, []byte("HTTP/")) || bytes.HasPrefix(b, []byte("ICY "))
}

func isRequestLine(b []byte) bool {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return bytes.Contains(line, []byte(" HTTP/"))
}
