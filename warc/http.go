package warc

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
)

// HTTP is where the parts of a recorded HTTP message are.
type HTTP struct {
	Status int   // of the final response, 100 … 999; 0 when there is no status line
	Header int64 // offset of the final header; interim (1xx) responses lie before it
	Body   int64 // offset of the body; the size of the block when the header never ends
}

// maxHTTPHeader bounds one header, and what is searched for its end.
const maxHTTPHeader = 1 << 20

// SplitHTTP finds header and body of a recorded response or request. Lines may
// end with LF alone. Interim responses are skipped, but for 101, which ends
// HTTP. A block that is not HTTP at all is one body: Header and Body are 0.
func SplitHTTP(block Block) (HTTP, error) { return splitHTTP(block, true) }

// FinalResponse returns the block without the interim (1xx) responses in front:
// what a response record holds. Tools take the first header they find for the
// answer, so a 103 in front would be replayed, and digested, instead of the page.
func FinalResponse(block Block) (Block, error) {
	h, err := SplitHTTP(block)
	if err != nil || h.Header == 0 {
		return block, err
	}
	return io.NewSectionReader(block, h.Header, block.Size()-h.Header), nil
}

func splitHTTP(block Block, skipInterim bool) (HTTP, error) {
	size := block.Size()
	var h HTTP
	for {
		head, end, err := readHeader(block, h.Header, size)
		if err != nil {
			return HTTP{}, err
		}
		h.Status = statusOf(head)
		if h.Header == 0 && h.Status == 0 && !bytes.Contains(firstLine(head), []byte(" HTTP/")) {
			return HTTP{}, nil
		}
		h.Body = end
		if !skipInterim || h.Status < 100 || h.Status > 199 || h.Status == 101 || end >= size {
			return h, nil
		}
		next := make([]byte, 5)
		if _, err := block.ReadAt(next, end); err != nil && err != io.EOF {
			return HTTP{}, fmt.Errorf("warc: split http message: %w", err)
		}
		if string(next) != "HTTP/" {
			return h, nil
		}
		h.Header = end
	}
}

// readHeader returns the header that starts at off, with its empty line, and
// where it ends; when it does not end, the end of the block.
func readHeader(block Block, off, size int64) ([]byte, int64, error) {
	limit := min(size-off, maxHTTPHeader)
	var head []byte
	for n := int64(4096); ; n *= 4 {
		n = min(n, limit)
		from := len(head)
		head = append(head, make([]byte, n-int64(from))...)
		if m, err := block.ReadAt(head[from:], off+int64(from)); m < len(head)-from && err != nil {
			return nil, 0, fmt.Errorf("warc: split http message: %w", err)
		}
		if e := headerEnd(head); e >= 0 {
			return head[:e], off + int64(e), nil
		}
		if n == limit {
			return head, size, nil
		}
	}
}

// headerEnd returns the offset after the first empty line, −1 without one.
func headerEnd(b []byte) int {
	for i := 0; ; {
		n := bytes.IndexByte(b[i:], '\n')
		if n < 0 {
			return -1
		}
		i += n + 1
		rest := b[i:]
		if len(rest) > 0 && rest[0] == '\n' {
			return i + 1
		}
		if len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n' {
			return i + 2
		}
	}
}

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return bytes.TrimRight(line, "\r")
}

// statusOf reads the status of "HTTP/1.1 200 OK"; 0 for anything else.
func statusOf(head []byte) int {
	version, rest, ok := bytes.Cut(firstLine(head), []byte(" "))
	if !ok || !bytes.HasPrefix(version, []byte("HTTP/")) {
		return 0
	}
	rest = bytes.TrimLeft(rest, " ")
	if len(rest) < 3 || len(rest) > 3 && rest[3] != ' ' {
		return 0
	}
	n, err := strconv.Atoi(string(rest[:3]))
	if err != nil || n < 100 {
		return 0
	}
	return n
}
