package warc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
)

// header reads the version line and the fields of e from r.inner.
func (r *Reader) header(e *Entry) error {
	if start, _ := r.inner.Peek(16); !bytes.HasPrefix(start, []byte("WARC/")) && schemed(start) { // an error comes again
		return r.arcHeader(e)
	}
	raw, err := r.headerLines(e.Offset)
	if err != nil {
		return err
	}
	err = e.parse(raw)
	r.warc = r.warc || e.Version != ""
	return err
}

// usualFields is how many fields a header has, about.
const usualFields = 12

// parse takes a header apart, which ends with its first empty line.
func (e *Entry) parse(raw string) error {
	e.raw = raw
	bad := func(format string, a ...any) error { return defect(e.Offset, KindHeader, format, a...) }
	line, rest := cutAfterLF(raw)
	version, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "WARC/")
	if !ok {
		return bad("version line %q", clip(line))
	}
	e.Version = version
	e.Header = make(Header, 0, usualFields)
	for rest != "" {
		line, rest = cutAfterLF(rest)
		text := trimEnd(line)
		if text == "" {
			continue
		}
		if !utf8.ValidString(text) {
			return bad("line %q is not UTF-8", clip(line))
		}
		if text[0] == ' ' || text[0] == '\t' { // folded
			if len(e.Header) == 0 {
				return bad("continuation line %q without a field", clip(line))
			}
			last := &e.Header[len(e.Header)-1]
			last.Value = strings.TrimSpace(last.Value + " " + strings.TrimSpace(text))
			continue
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok || !validName(strings.TrimRight(name, " \t")) {
			return bad("line %q is no field", clip(line))
		}
		e.Header = append(e.Header, Field{strings.TrimRight(name, " \t"), strings.TrimSpace(value)})
	}
	return nil
}

// trimEnd is strings.TrimRight of CR and LF.
func trimEnd(s string) string {
	for s != "" && (s[len(s)-1] == '\n' || s[len(s)-1] == '\r') {
		s = s[:len(s)-1]
	}
	return s
}

// cutAfterLF returns the first line with its end, and what follows.
func cutAfterLF(s string) (line, rest string) {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i+1], s[i+1:]
	}
	return s, ""
}

// headerLines returns everything up to and with the first empty line.
func (r *Reader) headerLines(off int64) (string, error) {
	raw := r.lines[:0]
	defer func() { r.lines = raw[:0] }()
	for {
		line, err := r.inner.ReadSlice('\n')
		raw = append(raw, line...)
		switch {
		case len(raw) > maxRecordHeader:
			return "", defect(off, KindHeader, "no end of the header within %d bytes", maxRecordHeader)
		case errors.Is(err, io.EOF) && r.zipped:
			return "", defect(off, KindHeader, "the member ends inside the header")
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return "", damage(off, err)
		case err == nil && len(bytes.TrimRight(line, "\r\n")) == 0 && (len(raw) == len(line) || raw[len(raw)-len(line)-1] == '\n'):
			return string(raw), nil
		}
	}
}

func clip(s string) string { return s[:min(len(s), 60)] }

func isGzip(err error) bool {
	var corrupt flate.CorruptInputError
	var internal flate.InternalError // of klauspost's decoder, about some corrupt codes
	return errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt) || errors.As(err, &internal)
}
