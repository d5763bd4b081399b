package record

import (
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
	Odd    int  // lines that are not fields; they are skipped
	Long   bool // fields were left out, none of those that steer the crawler
}

// QuotedString reads a quoted string of a header field (RFC 9110 §5.6.4) from the beginning of s: what it says, and what
// follows it; ok is false when s begins with none. One without an end goes to the end of s.
func QuotedString(s string) (value, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", s, false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:], true
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), "", true
}

// Limits of what ParseHead keeps. The bytes of the recording are not affected.
const (
	maxFields     = 500
	maxFieldBytes = 64 << 10
	maxFolds      = 500 // each copies the value so far
)

// steers reports whether the crawler acts on a field: where the body ends, how it is
// coded, what it is, where to go next and when. Such fields are kept wherever they
// stand, within limits of their own.
func steers(name string) bool {
	switch strings.ToLower(name) {
	case "content-length", "transfer-encoding", "content-encoding", "connection", "content-type", "location", "retry-after":
		return true
	}
	return false
}

// limits is what is left of what may be kept.
type limits struct{ fields, bytes int }

func (l *limits) allow(line string) bool {
	l.fields, l.bytes = l.fields-1, l.bytes-len(line)
	return l.fields >= 0 && l.bytes >= 0
}

// ParseHead reads a status line and header fields. Lines may end with LF alone or
// with any number of CRs before it; lines that begin with a space continue the one
// before; lines without a colon are counted and skipped. At most 500 fields and 64 KB
// of them are kept, as many of those that steer the crawler
// behind them, and as many continuations.
func ParseHead(b []byte) Head {
	common, steering, folded := limits{maxFields, maxFieldBytes}, limits{maxFields, maxFieldBytes}, limits{maxFolds, maxFieldBytes}
	line, rest := cutLine(string(b[:min(len(b), MaxHead)])) // all values are parts of one string
	h := Head{Status: statusOf(line), HTTP11: strings.HasPrefix(line, "HTTP/1.1") || strings.HasPrefix(line, "HTTP/2")}
	for kept := false; len(rest) > 0; {
		line, rest = cutLine(rest)
		if len(line) == 0 {
			break
		}
		if n := len(h.Fields); (line[0] == ' ' || line[0] == '\t') && n > 0 {
			if line = strings.TrimSpace(line); kept && line != "" && folded.allow(line) {
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
		if kept = !h.Long && common.allow(line); !kept {
			h.Long = true
			if kept = steers(name) && steering.allow(line); !kept {
				continue
			}
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
	return strings.TrimRight(line, "\r"), rest
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
// is false when none is, or one of them is anything but digits (RFC 9110 §8.6).
func (h *Head) Length() (least, greatest int64, ok bool) {
	for _, m := range h.list("Content-Length") {
		n, err := strconv.ParseInt(m, 10, 64)
		if err != nil || m[0] == '-' || m[0] == '+' {
			return 0, 0, false
		}
		if !ok {
			least = n
		}
		least, greatest, ok = min(least, n), max(greatest, n), true
	}
	return least, greatest, ok
}

// OddLength reports that a length is declared that is none.
func (h *Head) OddLength() bool {
	for _, f := range h.Fields {
		if strings.EqualFold(f.Name, "Content-Length") {
			_, _, ok := h.Length()
			return !ok
		}
	}
	return false
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
