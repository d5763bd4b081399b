package crawllog

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds a line in bytes; URLs and annotations are far shorter.
const maxLine = 1 << 20

// LineError is a line that cannot be read. Reading goes on with the next.
type LineError struct {
	Line int64 // from 1
	Err  error
}

// Error says which line, and why.
func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns why.
func (e *LineError) Unwrap() error { return e.Err }

// Reader reads a log line by line.
type Reader struct {
	in   *bufio.Reader
	line int64
}

// NewReader reads a log from in, plain or gzip (also of several members), told
// apart by its first bytes. in stays the caller's to close.
func NewReader(in io.Reader) (*Reader, error) {
	b := bufio.NewReaderSize(in, 64<<10)
	if magic, err := b.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("crawllog: %w", err)
		}
		b = bufio.NewReaderSize(z, 64<<10)
	}
	return &Reader{in: b}, nil
}

// Next returns the next entry; blank lines are passed over. The error is io.EOF
// at the end, a *LineError for a line that does not fit, or that of the source,
// after which nothing follows.
func (r *Reader) Next() (Entry, error) {
	for {
		line, err := r.read()
		if errors.Is(err, io.EOF) {
			return Entry{}, io.EOF
		}
		var bad *LineError
		if errors.As(err, &bad) {
			return Entry{}, bad
		}
		if err != nil {
			return Entry{}, fmt.Errorf("crawllog: after line %d: %w", r.line, err)
		}
		if len(line) == 0 {
			continue
		}
		e, err := Parse(string(line))
		if err != nil {
			return Entry{}, &LineError{r.line, err}
		}
		return e, nil
	}
}

// read returns a line without its end.
func (r *Reader) read() ([]byte, error) {
	var line []byte
	for long := false; ; {
		part, err := r.in.ReadSlice('\n')
		if len(line)+len(part) <= maxLine {
			line = append(line, part...)
		} else {
			long = true
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) > 0, err == nil:
			r.line++
			if long {
				return nil, &LineError{r.line, fmt.Errorf("crawllog: %w: it is longer than %d bytes", ErrLine, maxLine)}
			}
			return bytes.TrimSpace(line), nil
		default:
			return nil, err
		}
	}
}
