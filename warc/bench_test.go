package warc

import (
	"bufio"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/sharedtest"
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
func BenchmarkCapture(b *testing.B) { benchCapture(b, testConfig()) }

// BenchmarkCaptureZstd is BenchmarkCapture in zstd, without and with a dictionary.
func BenchmarkCaptureZstd(b *testing.B) {
	b.Run("plain", func(b *testing.B) { benchCapture(b, zstdConfig(nil)) })
	b.Run("dictionary", func(b *testing.B) { benchCapture(b, zstdConfig(trained(b, 100))) })
}

func benchCapture(b *testing.B, c Config) {
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

// BenchmarkCheck does what exclave warc check does with a file of EXCLAVE_CHECK bytes of blocks (64 MB), of records of other people with
// IDs of their own. EXCLAVE_CHECK_FILE is where the file is made, or is, and stays.
func BenchmarkCheck(b *testing.B) {
	name := os.Getenv("EXCLAVE_CHECK_FILE")
	if name == "" {
		name = b.TempDir() + "/x.warc.gz"
	}
	if _, err := os.Stat(name); err != nil {
		checkFile(b, name)
	}
	b.ResetTimer()
	for b.Loop() {
		f, err := os.Open(name)
		must(b, err)
		ids, n := NewDuplicates(b.TempDir()), int64(0)
		must(b, VerifyReader(f, func(i *RecordInfo) error {
			n += i.Size
			return ids.Add(0, i)
		}, func(d Defect) { b.Error(d) }))
		must(b, ids.Each(func(_ int, _ int64, _ int, offset int64) error {
			return fmt.Errorf("offset %d: an ID once more", offset)
		}))
		must(b, errors.Join(ids.Close(), f.Close()))
		b.SetBytes(n)
	}
}

func checkFile(b *testing.B, name string) {
	size := int64(64e6)
	if s := os.Getenv("EXCLAVE_CHECK"); s != "" {
		var err error
		size, err = strconv.ParseInt(s, 10, 64)
		must(b, err)
	}
	var heads []string
	var blocks [][]byte
	for _, from := range []string{"resiliparse/tests/data/warcfile.warc.gz", "ipwb/samples/warcs/sample-1.warc.gz", "py-wacz/tests/fixtures/example-collection-with-lists.warc"} {
		f, err := os.Open(sharedtest.Path(b, warcData+from))
		must(b, err)
		for r := NewReader(f); ; {
			e, err := r.Next()
			if err == io.EOF {
				break
			}
			must(b, err)
			block, err := io.ReadAll(e.Block)
			must(b, err)
			heads, blocks = append(heads, e.raw), append(blocks, block)
		}
		must(b, f.Close())
	}
	out, err := os.Create(name)
	must(b, err)
	w := bufio.NewWriterSize(out, 1<<20)
	z, err := gzip.NewWriterLevel(nil, 6)
	must(b, err)
	id := regexp.MustCompile(`urn:uuid:[0-9a-f-]{36}`)
	for n := int64(0); n < size; {
		ids := map[string]string{} // of this round: records still name each other
		for i, head := range heads {
			head = id.ReplaceAllStringFunc(head, func(was string) string {
				if ids[was] == "" {
					ids[was] = NewID()
				}
				return ids[was]
			})
			z.Reset(w)
			_, err := io.WriteString(z, head+string(blocks[i])+"\r\n\r\n")
			must(b, errors.Join(err, z.Close()))
			n += int64(len(blocks[i]))
		}
	}
	must(b, errors.Join(w.Flush(), out.Close()))
}
