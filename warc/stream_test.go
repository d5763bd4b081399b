package warc

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"exclave/internal/sharedtest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// plainRecords returns the records of a file, unpacked.
func plainRecords(t *testing.T, name string) (out [][]byte) {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	for r := NewReader(bytes.NewReader(data)); ; {
		e, err := r.Next()
		if err == io.EOF {
			return out
		}
		must(t, err)
		block, err := io.ReadAll(e.Block)
		must(t, err)
		out = append(out, slices.Concat([]byte(e.raw), block, []byte("\r\n\r\n")))
	}
}

func gzipOf(t *testing.T, b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write(b)
	must(t, err)
	must(t, z.Close())
	return out.Bytes()
}

func zstdOf(t *testing.T, b []byte, o ...zstd.EOption) []byte {
	z, err := zstd.NewWriter(nil, o...)
	must(t, err)
	return z.EncodeAll(b, nil)
}

func skippable(magic uint32, b []byte) []byte {
	out := binary.LittleEndian.AppendUint32(nil, magic)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(b))), b...)
}

// forms are files of the same records.
func forms(t *testing.T, records [][]byte) map[string][]byte {
	dict, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 40000, Contents: records, History: records[len(records)-1], Offsets: [3]int{1, 4, 8}})
	must(t, err)
	plain := slices.Concat(records...)
	out := map[string][]byte{
		"gzip, one stream": gzipOf(t, plain), "zstd, one stream": zstdOf(t, plain),
		"zstd, dictionary":        skippable(dictionaryMagic, dict),
		"zstd, packed dictionary": skippable(dictionaryMagic, zstdOf(t, dict)),
	}
	for i, r := range records {
		out["zstd"] = append(out["zstd"], zstdOf(t, r)...)
		out["zstd, no checksum"] = append(out["zstd, no checksum"], zstdOf(t, r, zstd.WithEncoderCRC(false))...)
		for _, name := range []string{"zstd, dictionary", "zstd, packed dictionary"} {
			out[name] = append(out[name], zstdOf(t, r, zstd.WithEncoderDict(dict))...)
		}
		out["zstd, frames to skip, two frames a record"] = slices.Concat(out["zstd, frames to skip, two frames a record"],
			zstdOf(t, r[:len(r)/3]), skippable(skippableMagic+3, []byte("padding")), zstdOf(t, r[len(r)/3:]))
		out["gzip, two records a member"] = append(out["gzip, two records a member"], gzipOf(t, slices.Concat(records[i], nil))...)
		if i%2 == 1 {
			pair := gzipOf(t, slices.Concat(records[i-1], r))
			out["gzip, pairs"] = append(out["gzip, pairs"], pair...)
		}
	}
	delete(out, "gzip, two records a member")
	if len(records)%2 == 1 {
		delete(out, "gzip, pairs")
	}
	return out
}

// Issue: anybody's files are read. The same records come out of each form, and where they lie is told: in frames by their place
// in the file, of one stream by their place in the unpacked file.
func TestForms(t *testing.T) {
	for _, file := range []string{"warcio/test/data/example.warc.gz", "resiliparse/tests/data/warcfile.warc.gz"} {
		records := plainRecords(t, sharedtest.Path(t, warcData+file))
		plain := slices.Concat(records...)
		for name, data := range forms(t, records) {
			t.Run(name, func(t *testing.T) {
				r := NewReader(bytes.NewReader(data))
				for i, want := range records {
					e, err := r.Next()
					must(t, err)
					block, err := io.ReadAll(e.Block)
					must(t, err)
					if got := slices.Concat([]byte(e.raw), block, []byte("\r\n\r\n")); !bytes.Equal(got, want) {
						t.Fatalf("record %d is %q, want %q", i, got, want)
					}
					n, err := r.Finish()
					if err != nil {
						t.Fatalf("record %d at %d: %v", i, e.Offset, err)
					}
					at := data
					if r.Stream() {
						at = plain
						if got := at[e.Offset : e.Offset+n]; !bytes.Equal(got, want) {
							t.Fatalf("record %d is not at %d + %d", i, e.Offset, n)
						}
						continue
					}
					if name == "zstd" {
						if got := plainOf(t, at[e.Offset:e.Offset+n]); !bytes.Equal(got, want) {
							t.Fatalf("record %d is not at %d + %d", i, e.Offset, n)
						}
					}
				}
				if _, err := r.Next(); err != io.EOF {
					t.Errorf("after the last record: %v", err)
				}
			})
		}
	}
}

func plainOf(t *testing.T, b []byte) []byte {
	z, err := zstd.NewReader(nil)
	must(t, err)
	defer z.Close()
	out, err := z.DecodeAll(b, nil)
	must(t, err)
	return out
}

// A stranger's bytes: of each form with one byte changed, or cut, a tolerant reader tells at least one defect or gives every
// record, ends, and gives no record that is not there.
func TestFormsDamaged(t *testing.T) {
	records := plainRecords(t, sharedtest.Path(t, warcData+"warcio/test/data/example.warc.gz"))
	for name, data := range forms(t, records) {
		t.Run(name, func(t *testing.T) {
			for at := 0; at < len(data); at += 1 + len(data)/150 {
				flipped := slices.Clone(data)
				flipped[at] ^= 0x55
				for _, damaged := range [][]byte{flipped, data[:at]} {
					defects, whole := 0, 0
					r := NewTolerantReader(bytes.NewReader(damaged), func(Defect) { defects++ })
					for {
						_, err := r.Next()
						if err == io.EOF {
							break
						}
						must(t, err)
						n, err := r.Finish()
						if err != nil && err != io.EOF {
							t.Fatal(err)
						}
						if n >= 0 {
							whole++
						}
					}
					if whole > len(records) || whole < len(records) && defects == 0 && (len(damaged) == len(data) || strings.HasSuffix(name, "one stream") && at > 0) {
						t.Errorf("byte %d: %d records of %d, %d defects", at, whole, len(records), defects)
					}
				}
			}
		})
	}
}

// What is missing is named.
func TestNoDictionary(t *testing.T) {
	records := plainRecords(t, sharedtest.Path(t, warcData+"warcio/test/data/example.warc.gz"))
	data := forms(t, records)["zstd, dictionary"]
	n := 8 + binary.LittleEndian.Uint32(data[4:])
	_, err := NewReader(bytes.NewReader(data[n:])).Next()
	if d, ok := err.(*Defect); !ok || d.Kind != KindZstd {
		t.Errorf("without its dictionary: %v", err)
	}
}
