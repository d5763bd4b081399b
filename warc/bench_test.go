package warc

import (
	"crypto/sha1"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// text is n bytes that compress about as HTML does.
func text(n int) string {
	r := rand.New(rand.NewPCG(1, 1))
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "<li><a href=\"/page/%d\">word%d word%d</a></li>\n", r.IntN(9999), r.IntN(400), r.IntN(400))
	}
	return b.String()[:n]
}

func benchRecords(b *testing.B) []*Record {
	records := page(1)
	block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + text(20<<10)
	d, err := PayloadDigest(strings.NewReader(block))
	must(b, err)
	records[0].Block, records[0].PayloadDigest = strings.NewReader(block), d
	return records
}

// BenchmarkCapture writes a page of 20 KB, its request and metadata, digests
// included, to a real file; BenchmarkHashAndCompress is the floor under it.
func BenchmarkCapture(b *testing.B) {
	c := testConfig()
	c.Dir, c.MaxSize = b.TempDir(), 1<<40
	p, err := OpenPool(fsx.Real(), c, testInfo, clock.System(), 0, nil, nil)
	must(b, err)
	f, err := p.Acquire(b.Context())
	must(b, err)
	records := benchRecords(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, r := range records {
			r.BlockDigest = ""
		}
		_, _, err := capture(f, records)
		must(b, err)
	}
	b.StopTimer()
	p.Release(f)
}

// BenchmarkHashAndCompress digests and compresses the records of BenchmarkCapture as the writer does, and does nothing else with them.
func BenchmarkHashAndCompress(b *testing.B) {
	records := benchRecords(b)
	var members, blocks [][]byte
	for _, r := range records {
		must(b, r.complete(nil))
		block, err := io.ReadAll(r.reader())
		must(b, err)
		blocks = append(blocks, block)
		members = append(members, append(append(r.appendHeader(nil), block...), "\r\n\r\n"...))
	}
	z, err := gzip.NewWriterLevel(io.Discard, testConfig().GzipLevel)
	must(b, err)
	var tiny small
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		for i, m := range members {
			sha1.Sum(blocks[i])
			if len(m) <= smallRecord {
				out = tiny.appendMember(out[:0], m)
				continue
			}
			z.Reset(io.Discard)
			_, err := z.Write(m)
			must(b, err)
			must(b, z.Close())
		}
	}
}

// BenchmarkVerify reads a file of 100 captures as those of BenchmarkCapture, which compress well.
func BenchmarkVerify(b *testing.B) {
	var captures [][]*Record
	for range 100 {
		captures = append(captures, benchRecords(b))
	}
	_, _, data := capturedFile(b, captures...)
	name := b.TempDir() + "/x.warc.gz"
	must(b, os.WriteFile(name, data, 0o644))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		_, err := verifyFile(fsx.Real(), name, func(RecordInfo) error { return nil })
		must(b, err)
	}
}
