package record

import (
	"bytes"
	"strconv"
	"strings"
)

// Field is one header field as received, spaces around the value removed.
type Field struct{ Name, Value string }

// Head is what the header of an answer says. The zero Head is an answer without
// a header (HTTP/0.9).
type Head struct {
	Status int  // 100 … 999; 0 when the status line has none
	HTTP11 bool // HTTP/1.1 or later, not 1.0, ICY or nothing
	Fields []Field
	Odd    int // lines that are not fields; they are skipped
}

// Limits of what ParseHead keeps. The bytes of the recording are not affected.
const (
	maxFields     = 500
	maxFieldBytes = 64 << 10
	maxFolds      = 500 // each copies the value so far
)

// ParseHead reads a status line and header fields. Lines may end with LF alone;
// lines that begin with a space continue the one before; lines without a colon
// are counted and skipped. At most 500 fields and 64 KB of them are kept.
func ParseHead(b []byte) Head {
	room, folds := maxFieldBytes, 0
	line, rest := cutLine(string(b[:min(len(b), MaxHead)])) // all values are parts of one string
	h := Head{Status: statusOf(line), HTTP11: strings.HasPrefix(line, "HTTP/1.1") || strings.HasPrefix(line, "HTTP/2")}
	for len(rest) > 0 && len(h.Fields) < maxFields {
		line, rest = cutLine(rest)
		if len(line) == 0 {
			break
		}
		if room -= len(line); room < 0 {
			break
		}
		if n := len(h.Fields); (line[0] == ' ' || line[0] == '\t') && n > 0 {
			if line = strings.TrimSpace(line); line != "" && folds < maxFolds {
				folds++
				h.Fields[n-1].Value = strings.TrimSpace(h.Fields[n-1].Value + " " + line)
			}
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		name = strings.TrimSpace(name)
		if !ok || len(name) == 0 {
			h.Odd++
			continue
		}
		if h.Fields == nil {
			h.Fields = make([]Field, 0, min(1+strings.Count(rest, "\n"), maxFields))
		}
		h.Fields = append(h.Fields, Field{name, strings.TrimSpace(value)})
	}
	return h
}

func cutLine(s string) (line, rest string) {
	line, rest, _ = strings.Cut(s, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

// statusOf reads the status of "HTTP/1.1 200 OK" and of "ICY 200 OK".
func statusOf(line string) int {
	_, rest, ok := strings.Cut(line, " ")
	if !ok || !strings.HasPrefix(line, "HTTP/") && !strings.HasPrefix(line, "ICY ") {
		return 0
	}
	rest = strings.TrimLeft(rest, " ")
	if len(rest) < 3 || len(rest) > 3 && rest[3] != ' ' {
		return 0
	}
	n, err := strconv.Atoi(rest[:3])
	if err != nil || n < 100 {
		return 0
	}
	return n
}

// IsStatusLine reports whether an answer that begins with b has a header; what
// has none is HTTP/0.9: a body and nothing else. Five bytes decide.
func IsStatusLine(b []byte) bool {
	return bytes.HasPrefix(b, []byte("HTTP/")) || bytes.HasPrefix(b, []byte("ICY "))
}

// Get returns the first value of a field, compared without case, "" when there
// is none.
func (h *Head) Get(name string) string {
	for _, f := range h.Fields {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// list returns the members of all fields of a comma-separated list, in lower
// case and without parameters.
func (h *Head) list(name string) []string {
	var out []string
	for _, f := range h.Fields {
		if !strings.EqualFold(f.Name, name) {
			continue
		}
		for m := range strings.SplitSeq(f.Value, ",") {
			m, _, _ = strings.Cut(m, ";")
			if m = strings.ToLower(strings.TrimSpace(m)); m != "" {
				out = append(out, m)
			}
		}
	}
	return out
}

// Chunked reports that the body is framed by the chunked coding.
func (h *Head) Chunked() bool {
	codings := h.list("Transfer-Encoding")
	return len(codings) > 0 && codings[len(codings)-1] == "chunked"
}

// Unframed reports that a transfer coding makes any Content-Length void, and
// that the body ends with the connection (RFC 9112 §6.3).
func (h *Head) Unframed() bool {
	for _, c := range h.list("Transfer-Encoding") {
		if c != "identity" {
			return !h.Chunked()
		}
	}
	return false
}

// Length returns the least and the greatest Content-Length that is declared; ok
// is false when none is, or one of them is not a number.
func (h *Head) Length() (least, greatest int64, ok bool) {
	for _, m := range h.list("Content-Length") {
		n, err := strconv.ParseInt(m, 10, 64)
		if err != nil || n < 0 {
			return 0, 0, false
		}
		if !ok {
			least = n
		}
		least, greatest, ok = min(least, n), max(greatest, n), true
	}
	return least, greatest, ok
}

// KeepAlive reports that the server means to leave the connection open.
func (h *Head) KeepAlive() bool {
	keep := h.HTTP11
	for _, c := range h.list("Connection") {
		switch c {
		case "close":
			return false
		case "keep-alive":
			keep = true
		}
	}
	return keep
}

// codings returns the codings around the content, the last applied last.
func (h *Head) codings() []string {
	var out []string
	for _, name := range []string{"Content-Encoding", "Transfer-Encoding"} {
		for _, c := range h.list(name) {
			if c != "identity" && (c != "chunked" || name == "Content-Encoding") {
				out = append(out, c)
			}
		}
	}
	return out
}
