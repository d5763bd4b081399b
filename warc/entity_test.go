package warc

import (
	"fmt"
	"strings"
	"testing"

	"exclave/internal/record"
)

// ADR 79: of an answer in chunks the digest of what is stored is right, and that of the entity; of any other only the first. So for blocks that are
// held in memory, for those that are not, and in what copies records.
func TestEitherDigest(t *testing.T) {
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	data := strings.Repeat("0123456789abcdef", record.MaxHead/10)
	long := fmt.Sprintf("%x\r\n%s\r\n7\r\nthe end\r\n0\r\n\r\n", len(data), data)
	sum := func(s string) string {
		d, err := Digest(strings.NewReader(s))
		must(t, err)
		return d
	}
	for _, c := range []struct {
		why, kind, block, digest string
		right                    bool
	}{
		{"stored", TypeResponse, chunked + "3\r\nabc\r\n0\r\n\r\n", sum("3\r\nabc\r\n0\r\n\r\n"), true},
		{"entity", TypeResponse, chunked + "3\r\nabc\r\n0\r\n\r\n", sum("abc"), true},
		{"neither", TypeResponse, chunked + "3\r\nabc\r\n0\r\n\r\n", sum("abd"), false},
		{"entity, something behind the last chunk", TypeResponse, chunked + "3\r\nabc\r\n0\r\n\r\nmore", sum("abc"), true},
		{"entity of a body that was cut", TypeResponse, chunked + "ff\r\nabc", sum("abc"), true},
		{"a body that breaks the coding has no entity", TypeResponse, chunked + "3\r\nabcd", sum("abc"), false},
		{"not in chunks by its header", TypeResponse, "HTTP/1.1 200 OK\r\n\r\n3\r\nabc\r\n0\r\n\r\n", sum("abc"), false},
		{"a request", TypeRequest, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", sum("abc"), false},
		{"long, stored", TypeResponse, chunked + long, sum(long), true},
		{"long, entity", TypeResponse, chunked + long, sum(data + "the end"), true},
		{"long, neither", TypeResponse, chunked + long, sum(data), false},
	} {
		r := page(1)[0]
		r.Type, r.Block, r.PayloadDigest = c.kind, strings.NewReader(c.block), c.digest
		if c.kind == TypeRequest {
			r.ContentType = ContentHTTPRequest
		}
		fs, name, _ := capturedFile(t, []*Record{r})
		defects, err := verifyFile(fs, name, func(RecordInfo) error { return nil })
		must(t, err)
		if right := len(defects) == 0; right != c.right || !right && defects[0].Kind != KindPayload {
			t.Errorf("%s: %v", c.why, defects)
		}
		in, err := fs.Open(name)
		must(t, err)
		reader := NewReader(in)
		_, err = reader.Next()
		must(t, err)
		e, err := reader.Next()
		must(t, err)
		d := NewDigests(e)
		for b := make([]byte, 1000); ; {
			n, err := e.Block.Read(b)
			_, _ = d.Write(b[:n])
			if err != nil {
				break
			}
		}
		if wrong := d.Wrong(); (wrong == "") != c.right {
			t.Errorf("%s: %q", c.why, wrong)
		}
		must(t, in.Close())
	}
}
