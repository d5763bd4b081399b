package warc

import (
	"bytes"
	"fmt"
	"io"

	"exclave/internal/record"
)

// HTTP is where the parts of a recorded HTTP message are.
type HTTP struct {
	Status int   // of the final response, 100 … 999; 0 when there is no status line
	Header int64 // offset of the final header; interim (1xx) responses lie before it
	Body   int64 // offset of the body; the size of the block when the header never ends
}

// maxHTTPHeader bounds one header, and what is searched for its end.
const maxHTTPHeader = record.MaxHead

// SplitHTTP finds header and body of a recorded response, as the client that recorded
// it does ([record.HeadLen]). Interim responses are skipped, but for 101, which ends
// HTTP. A block that has no header is one body: Header and Body are 0.
func SplitHTTP(block Block) (HTTP, error) {
	var h HTTP
	for {
		n, err := headerAt(block, h.Header, record.HeadLen)
		if err != nil {
			return HTTP{}, err
		}
		if h.Body = h.Header + n; n == 0 {
			return h, nil
		}
		if h.Status, err = statusAt(block, h.Header); err != nil {
			return HTTP{}, err
		}
		if h.Status < 100 || h.Status > 199 || h.Status == 101 || h.Body >= block.Size() {
			return h, nil
		}
		next := make([]byte, 5)
		if _, err := block.ReadAt(next, h.Body); err != nil && err != io.EOF {
			return HTTP{}, fmt.Errorf("warc: split http message: %w", err)
		}
		if !record.IsStatusLine(next) {
			return h, nil
		}
		h.Header = h.Body
	}
}

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

// headerAt returns the length of the header at off.
func headerAt(block Block, off int64, length func(io.Reader) (int64, error)) (int64, error) {
	n, err := length(io.NewSectionReader(block, off, block.Size()-off))
	if err != nil {
		return 0, fmt.Errorf("warc: split http message: %w", err)
	}
	return n, nil
}

// statusAt returns the status of the response at off, 0 when its first line has none.
func statusAt(block Block, off int64) (int, error) {
	line := make([]byte, 64)
	n, err := block.ReadAt(line, off)
	if err != nil && err != io.EOF {
		return 0, fmt.Errorf("warc: split http message: %w", err)
	}
	line, _, _ = bytes.Cut(line[:n], []byte("\n"))
	head := record.ParseHead(line)
	return head.Status, nil
}
