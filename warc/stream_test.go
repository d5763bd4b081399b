package warc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
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

func gzipOf(t testing.TB, b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write(b)
	must(t, err)
	must(t, z.Close())
	return out.Bytes()
}

func zstdOf(t testing.TB, b []byte, o ...zstd.EOption) []byte {
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

// A member that cannot be opened, behind records of one stream, is not tried for ever: its dictionary is none.
func TestStreamEnds(t *testing.T) {
	records := plainRecords(t, sharedtest.Path(t, warcData+"warcio/test/data/example.warc.gz"))
	data := slices.Concat(gzipOf(t, slices.Concat(records...)), skippable(dictionaryMagic, []byte("\x37\xa4\x30\xec1234")), zstdOf(t, records[0]), gzipOf(t, records[1]))
	whole, defects := 0, 0
	r := NewTolerantReader(bytes.NewReader(data), func(Defect) { defects++ })
	for {
		_, err := r.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		if n, err := r.Finish(); n >= 0 && err == nil {
			whole++
		}
	}
	if whole != len(records)+1 || defects == 0 {
		t.Errorf("%d records, want %d; %d defects %v", whole, len(records)+1, defects, r.done)
	}
}

// What is missing is named.
func TestNoDictionary(t *testing.T) {
	records := plainRecords(t, sharedtest.Path(t, warcData+"warcio/test/data/example.warc.gz"))
	data := forms(t, records)["zstd, dictionary"]
	n := 8 + binary.LittleEndian.Uint32(data[4:])
	_, err := NewReader(bytes.NewReader(data[n:])).Next()
	var d *Defect
	if !errors.As(err, &d) || d.Kind != KindZstd {
		t.Errorf("without its dictionary: %v", err)
	}
}

// The two ways to verify say the same, of good files and of damaged ones, blocks that are larger than what is handed over among them; and
// an error of the caller ends it.
func TestVerifyReader(t *testing.T) {
	records := plainRecords(t, sharedtest.Path(t, warcData+"resiliparse/tests/data/warcfile.warc.gz"))
	big := strings.Repeat("0123456789", wholeBlock/5)
	large := fmt.Sprintf("WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2024-01-02T03:04:05Z\r\nWARC-Target-URI: http://a.example/\r\n"+
		"WARC-Block-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(big), big)
	records = slices.Insert(records, 3, []byte(large), []byte("garbage between records\r\n"))
	plain := slices.Concat(records...)
	for _, data := range [][]byte{plain, gzipOf(t, plain), plain[:len(plain)-100], nil} {
		var got, want []string
		note := func(to *[]string) (func(*RecordInfo) error, func(Defect)) {
			return func(i *RecordInfo) error { *to = append(*to, fmt.Sprint(i.Ref, i.ID, i.Status, i.Size)); return nil },
				func(d Defect) { *to = append(*to, d.Error()) }
		}
		each, report := note(&want)
		must(t, VerifyFrom(bytes.NewReader(data), each, report))
		each, report = note(&got)
		must(t, VerifyReader(bytes.NewReader(data), each, report))
		if !slices.Equal(got, want) {
			t.Errorf("VerifyReader says\n%.3000s\nVerifyFrom\n%.3000s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if len(data) > 0 && len(want) < 50 {
			t.Errorf("%d records and defects", len(want))
		}
	}
	mine := errors.New("mine")
	for stop := 1; stop < 8; stop++ {
		n := 0
		err := VerifyReader(bytes.NewReader(plain), func(*RecordInfo) error {
			if n++; n == stop {
				return mine
			}
			return nil
		}, func(Defect) {})
		if !errors.Is(err, mine) || n != stop {
			t.Errorf("the caller's error at record %d: %v after %d", stop, err, n)
		}
	}
}

// BenchmarkForms reads the records of a file of each form.
func BenchmarkForms(b *testing.B) {
	var records, gz, zst []byte
	r := text(20 << 10)
	z, err := zstd.NewWriter(nil)
	must(b, err)
	for range 200 {
		one := fmt.Appendf(nil, "WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(r), r)
		var m bytes.Buffer
		w := gzip.NewWriter(&m)
		_, err := w.Write(one)
		must(b, errors.Join(err, w.Close()))
		records, gz, zst = append(records, one...), append(gz, m.Bytes()...), z.EncodeAll(one, zst)
	}
	for name, data := range map[string][]byte{"plain": records, "gzip": gz, "zstd": zst} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(records)))
			for b.Loop() {
				for r := NewReader(bytes.NewReader(data)); ; {
					if _, err := r.Next(); err == io.EOF {
						break
					} else {
						must(b, err)
					}
				}
			}
		})
	}
}
