package benchweb

import (
	"bufio"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
)

// Payload returns the digest of what stands behind the HTTP header when the id-th
// resource is sent to a client that accepts gzip: compressed, and in chunks, where
// the server sends it so.
func (w *Web) Payload(id int) [sha1.Size]byte {
	wk, n := new(work), w.nodeOf(id)
	a := w.answerOf(n, true)
	wk.body.begin(a.gzip)
	w.render(&wk.body, n)
	payload := wk.body.end()
	if a.chunked {
		wk.wire = appendChunks(wk.wire[:0], payload)
		payload = wk.wire
	}
	return sha1.Sum(payload)
}

// WriteTruth writes a line of JSON for each resource, in order of their numbers.
// withSHA1 adds the digest of the body as sent to a client that does not accept
// gzip; it takes as long as serving everything.
func (w *Web) WriteTruth(out io.Writer, withSHA1 bool) error {
	buf := bufio.NewWriterSize(out, 1<<16)
	lines := json.NewEncoder(buf)
	lines.SetEscapeHTML(false)
	var b body
	for id := range w.p.Resources {
		r := w.Resource(id)
		if withSHA1 {
			b.begin(false)
			w.render(&b, w.nodeOf(id))
			sum := sha1.Sum(b.end())
			r.SHA1 = hex.EncodeToString(sum[:])
		}
		if err := lines.Encode(r); err != nil {
			return fmt.Errorf("benchweb: write truth: %w", err)
		}
	}
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("benchweb: write truth: %w", err)
	}
	return nil
}
