package dedup_test

import (
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"

	"exclave/warc"
	"exclave/warc/dedup"
)

func numbered(n uint64) string {
	s := sha1.Sum(binary.BigEndian.AppendUint64(nil, n))
	return warc.Label(s[:])
}

// BenchmarkFind looks contents up in an index of so many (EXCLAVE_DEDUP, 100,000 when it is not set), each in turn one that is there and
// one that is not (docs/benchmarks.md).
func BenchmarkFind(b *testing.B) {
	most := uint64(100_000)
	if s := os.Getenv("EXCLAVE_DEDUP"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		must(b, err)
		most = n
	}
	dir := b.TempDir()
	to, err := dedup.NewBuilder(dir, b.TempDir())
	must(b, err)
	for n := range most {
		d := numbered(n)
		must(b, to.Add(content(b, d, false), &dedup.Original{URL: fmt.Sprintf("https://www.host%d.example.cz/some/path/to/%d.html", n%1000, n), Date: day, Digest: d,
			ID: fmt.Sprintf("urn:uuid:%08x-0000-4000-8000-%012d", n*2654435761%(1<<32), n)}))
	}
	_, err = to.Commit()
	must(b, errors.Join(err, to.Close()))
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	x, err := dedup.Open(dir)
	must(b, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	info, err := x.Info()
	must(b, err)
	r := rand.New(rand.NewPCG(1, 2))
	for _, there := range []bool{true, false} {
		b.Run(fmt.Sprintf("there=%v", there), func(b *testing.B) {
			for b.Loop() {
				n := r.Uint64N(most)
				if !there {
					n += most
				}
				if _, ok, err := x.Find(content(b, numbered(n), false), "https://another.cz/", false); err != nil || ok != there {
					b.Fatal(n, ok, err)
				}
			}
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(most), "heap-B/row")
			b.ReportMetric(float64(info.Bytes)/float64(most), "disk-B/row")
		})
	}
	must(b, x.Close())
}
