package warc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/sharedtest"
)

// trained returns a dictionary of pages that begin at n.
func trained(t testing.TB, n int) *Dictionary {
	t.Helper()
	var samples [][]byte
	for i := range 60 {
		for _, r := range page(n + i) {
			must(t, r.complete(nil))
			block, err := io.ReadAll(r.reader())
			must(t, err)
			samples = append(samples, append(r.appendHeader(nil), block...))
		}
	}
	d, err := TrainDictionary(samples, 4<<10)
	must(t, err)
	return d
}

func zstdConfig(d *Dictionary) Config {
	c := testConfig()
	c.Compression, c.Dictionary, c.MaxSize = Zstd, d, 1<<40
	return c
}

// openConfig is openTestPool of another configuration.
func openConfig(t testing.TB, fs fsx.FS, c Config, next uint32, open ...FileState) *Pool {
	t.Helper()
	if _, err := fs.Stat("warcs"); err != nil {
		must(t, fsx.MkdirAll(fs, "warcs"))
	}
	p, err := OpenPool(fs, c, testInfo, clock.NewFake(day), next, open, nil)
	must(t, err)
	return p
}

// commit makes all of a file durable.
func commit(t testing.TB, p *Pool, f *File) FileState {
	t.Helper()
	must(t, p.Sync([]uint32{f.number}))
	_, err := p.Committed(f.number, f.written)
	must(t, err)
	s, _ := p.File(f.number)
	return s
}

func fileBytes(t testing.TB, fs fsx.FS, name string) []byte {
	t.Helper()
	f, err := fs.Open(name)
	must(t, err)
	data, err := io.ReadAll(f)
	must(t, errors.Join(err, f.Close()))
	return data
}

// large is a record that is compressed as a stream, with several blocks.
func large(t testing.TB) *Record {
	r := page(1)[0]
	noise := make([]byte, 700<<10)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	block := "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + string(noise) + strings.Repeat("0", 9<<20)
	var err error
	r.PayloadDigest, err = PayloadDigest(strings.NewReader(block))
	must(t, err)
	r.Block = strings.NewReader(block)
	return r
}

// Issue 20: zstd while crawling, with a dictionary by setting. Every way in which a record is read, from the beginning of the file or at its own
// place, gives what was written; each frame is what the specification wants.
func TestZstdFiles(t *testing.T) {
	for why, d := range map[string]*Dictionary{"without a dictionary": nil, "with a dictionary, which what is read at an offset needs too": trained(t, 100)} {
		t.Run(why, func(t *testing.T) {
			fs := fsx.NewMem()
			p := openConfig(t, fs, zstdConfig(d), 1)
			f, err := p.Acquire(t.Context())
			must(t, err)
			var spans []Span
			var refs []Ref
			for _, records := range [][]*Record{page(1), {large(t)}, page(3)} {
				s, r, err := capture(f, records)
				must(t, err)
				spans, refs = append(spans, s), append(refs, r...)
			}
			s := commit(t, p, f)
			p.Release(f)
			_, err = p.Close()
			must(t, err)
			name := "warcs/" + s.Name
			if !strings.HasSuffix(s.Name, "-host.warc.zst") || spans[0].Start != 0 {
				t.Errorf("%s, first capture from %d", s.Name, spans[0].Start)
			}
			if n := len(clean(t, fs, name)); n != len(refs)+1 {
				t.Errorf("%d records, %d were written", n, len(refs)+1)
			}
			data := fileBytes(t, fs, name)
			if first := binary.LittleEndian.Uint32(data); first != dictionaryMagic && d != nil || first != frameMagic && d == nil {
				t.Errorf("the file begins with %x", first)
			}
			s.Final = true
			last := func(uint32) (Span, bool, error) { return spans[2], true, nil }
			must(t, Check(fs, "warcs", []FileState{s}, last, nil, true))
			in, err := fs.Open(name)
			must(t, err)
			defer in.Close()
			c := NewChecker()
			for i, ref := range refs {
				e, done, err := ReadAt(fs, name, ref)
				must(t, err)
				n, err := io.Copy(io.Discard, e.Block)
				must(t, errors.Join(err, done()))
				if n != e.Size || e.Offset != ref.Offset {
					t.Errorf("record %d: %d bytes of %d, at %d, not %d", i, n, e.Size, e.Offset, ref.Offset)
				}
				head, err := c.Head(in, ref.Offset)
				must(t, errors.Join(err, c.Starts(in, ref.Offset)))
				if head.Raw() != e.Raw() {
					t.Errorf("record %d: header %q", i, head.Raw())
				}
				end := ref.Offset + ref.Length
				for at, want := range map[int64]bool{end: true, end - 1: false, end + 1: false} {
					if got, err := c.Ends(in, head, at, i+1 < len(refs)); got != want || err != nil {
						t.Errorf("record %d ends at %d: %t, it does at %d %v", i, at, got, end, err)
					}
				}
				var h zstd.Header
				must(t, h.Decode(data[ref.Offset:]))
				size, unpacked, err := frameAt(in, ref.Offset)
				must(t, err)
				if size != ref.Length || unpacked != int64(len(e.Raw()))+e.Size+4 || !h.HasCheckSum || h.WindowSize > 8<<20 || d != nil && h.DictionaryID != idOf(d.data) || d == nil && h.DictionaryID != 0 {
					t.Errorf("record %d: frame %+v of %d bytes for %d, want %d", i, h, size, unpacked, ref.Length)
				}
			}
			for i, s := range spans {
				n := 0
				bad, err := c.Range(in, s.Start, s.End, func(*RecordInfo) error { n++; return nil })
				must(t, err)
				if want := []int{4, 1, 3}[i]; bad != nil || n != want {
					t.Errorf("capture %d: %d records, want %d; %v", i, n, want, bad)
				}
			}
			unpackedByZstd(t, data, d)
		})
	}
}

// unpackedByZstd has the program of that name test and unpack a file.
func unpackedByZstd(t *testing.T, data []byte, d *Dictionary) {
	bin := sharedtest.Zstd(t)
	name := filepath.Join(t.TempDir(), "x.warc.zst")
	must(t, os.WriteFile(name, data, 0o644))
	args := []string{"-q"}
	if d != nil {
		dict := filepath.Join(t.TempDir(), "dictionary")
		must(t, os.WriteFile(dict, d.Bytes(), 0o644))
		args = append(args, "-D", dict)
	}
	out, err := exec.Command(bin, append(args, "-t", name)...).CombinedOutput()
	if err != nil {
		t.Errorf("zstd -t: %v %s", err, out)
	}
	plain, err := exec.Command(bin, append(args, "-dc", name)...).Output()
	must(t, err)
	var want []byte
	for r := NewReader(bytes.NewReader(data)); ; {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		block, err := io.ReadAll(e.Block)
		must(t, err)
		want = append(append(append(want, e.Raw()...), block...), "\r\n\r\n"...)
	}
	if !bytes.Equal(plain, want) {
		t.Errorf("zstd -dc gives %d bytes, we %d", len(plain), len(want))
	}
}

// A setting may change between two runs of a job: what was begun is finished in its own form, with its own dictionary.
func TestZstdSettingChanges(t *testing.T) {
	a, b := trained(t, 100), trained(t, 500)
	for _, c := range []struct {
		why         string
		first, then Config
		begins      []byte
		ends        string // of new files
	}{
		{"gzip, then zstd", testConfig(), zstdConfig(a), []byte{0x1f, 0x8b}, zstdEnding},
		{"zstd, then gzip", zstdConfig(nil), testConfig(), []byte{0x28, 0xb5, 0x2f, 0xfd}, gzipEnding},
		{"a dictionary, then gzip", zstdConfig(a), testConfig(), a.Frame(), gzipEnding},
		{"a dictionary, then another", zstdConfig(a), zstdConfig(b), a.Frame(), zstdEnding},
		{"no dictionary, then one", zstdConfig(nil), zstdConfig(b), []byte{0x28, 0xb5, 0x2f, 0xfd}, zstdEnding},
	} {
		t.Run(c.why, func(t *testing.T) {
			fs := fsx.NewMem()
			c.first.MaxSize, c.then.MaxSize = 1<<40, 1<<40
			p := openConfig(t, fs, c.first, 1)
			f, err := p.Acquire(t.Context())
			must(t, err)
			_, _, err = capture(f, page(1))
			must(t, err)
			s := commit(t, p, f) // and the process is killed
			p = openConfig(t, fs, c.then, 2, s)
			f, err = p.Acquire(t.Context())
			must(t, err)
			other, err := p.Acquire(t.Context())
			must(t, err)
			for _, f := range []*File{f, other} {
				_, _, err = capture(f, page(2))
				must(t, err)
				commit(t, p, f)
				p.Release(f)
			}
			done, err := p.Close()
			must(t, err)
			if len(done) != 2 || done[0].Name != s.Name || !strings.HasSuffix(done[1].Name, c.ends) {
				t.Fatalf("files %v, the first was %s", done, s.Name)
			}
			for i, want := range []int{7, 4} {
				if got := clean(t, fs, "warcs/"+done[i].Name); len(got) != want {
					t.Errorf("%s: %d records, want %d", done[i].Name, len(got), want)
				}
			}
			if data := fileBytes(t, fs, "warcs/"+s.Name); !bytes.HasPrefix(data, c.begins) {
				t.Errorf("%s begins with %x", s.Name, data[:8])
			}
		})
	}
}

// A capture that is rolled back takes the dictionary with it; the next one brings it again, once.
func TestZstdRollback(t *testing.T) {
	fs, d := fsx.NewMem(), trained(t, 100)
	p := openConfig(t, fs, zstdConfig(d), 1)
	f, err := p.Acquire(t.Context())
	must(t, err)
	broke := page(1)
	broke[2].Block = &broken{*strings.NewReader("x")}
	if _, _, err := capture(f, broke); err == nil {
		t.Fatal("the broken block was written")
	}
	must(t, f.Begin())
	_, err = f.Write(large(t)) // more than is kept in memory
	must(t, err)
	must(t, f.Rollback())
	_, _, err = capture(f, page(2))
	must(t, err)
	s := commit(t, p, f)
	p.Release(f)
	data := fileBytes(t, fs, "warcs/"+s.DiskName())
	if n := bytes.Count(data, d.Frame()); n != 1 || !bytes.HasPrefix(data, d.Frame()) {
		t.Errorf("the dictionary is there %d times", n)
	}
	if got := clean(t, fs, "warcs/"+s.DiskName()); len(got) != 4 {
		t.Errorf("records %v", got)
	}
}

// ADR 31: what recovery takes away can be read by itself.
func TestZstdTailIsReadable(t *testing.T) {
	for why, d := range map[string]*Dictionary{"without a dictionary": nil, "with one": trained(t, 100)} {
		t.Run(why, func(t *testing.T) {
			fs := fsx.NewMem()
			p := openConfig(t, fs, zstdConfig(d), 1)
			f, err := p.Acquire(t.Context())
			must(t, err)
			_, _, err = capture(f, page(1))
			must(t, err)
			s := commit(t, p, f)
			_, _, err = capture(f, page(2))
			must(t, err)
			rows, notes, err := Recover(fs, "warcs", []FileState{s}, keep(fs), nil, nil)
			must(t, err)
			kept, err := keep(fs).Entries()
			must(t, err)
			if len(kept) != 1 || kept[0].Whole != 3 || !strings.HasSuffix(kept[0].Kept, zstdEnding) {
				t.Fatalf("kept %+v, notes %v", kept, notes)
			}
			if got := clean(t, fs, kept[0].Kept); len(got) != 3 {
				t.Errorf("kept records %v", got)
			}
			if st, err := fs.Stat(kept[0].Kept); err != nil || st.Size() != kept[0].Length {
				t.Errorf("kept %+v: %v", kept[0], err)
			}
			p = openConfig(t, fs, zstdConfig(d), 2, rows...)
			if got := clean(t, fs, "warcs/"+rows[0].DiskName()); len(got) != 4 {
				t.Errorf("records %v", got)
			}
			_, err = p.Close()
			must(t, err)
		})
	}
}

// A part of a divided archive may be of another form than the files it is made of, and these of several: records are copied as they are compressed where
// that can be read, and else compressed anew, the same bytes within.
func TestCopyBetweenForms(t *testing.T) {
	a, b := trained(t, 100), trained(t, 500)
	twin, err := ParseDictionary(slices.Concat(b.Bytes()[:4], a.Bytes()[4:8], b.Bytes()[8:]))
	must(t, err)
	forms := map[string]Config{"gzip": testConfig(), "zstd": zstdConfig(nil), "dictionary": zstdConfig(a), "other dictionary": zstdConfig(b), "other dictionary of the same ID": zstdConfig(twin)}
	content := func(fs fsx.FS, name string, from, to int64) (out []string) {
		in, err := fs.Open(name)
		must(t, err)
		defer in.Close()
		for r := NewReaderAt(in, from, to); ; {
			e, err := r.Next()
			if errors.Is(err, io.EOF) {
				return out
			}
			must(t, err)
			block, err := io.ReadAll(e.Block)
			must(t, err)
			out = append(out, e.Raw()+string(block))
		}
	}
	for from, source := range forms {
		fs := fsx.NewMem()
		source.MaxSize = 1 << 40
		p := openConfig(t, fs, source, 1)
		f, err := p.Acquire(t.Context())
		must(t, err)
		_, _, err = capture(f, page(1))
		must(t, err)
		span, _, err := capture(f, page(7))
		must(t, err)
		s := commit(t, p, f)
		p.Release(f)
		in, err := fs.Open("warcs/" + s.DiskName())
		must(t, err)
		packed := fileBytes(t, fs, "warcs/"+s.DiskName())[span.Start:span.End]
		want := content(fs, "warcs/"+s.DiskName(), span.Start, span.End)
		for to, c := range forms {
			t.Run(from+" to "+to, func(t *testing.T) {
				c.Prefix, c.MaxSize = "COPY", 1<<40
				p := openConfig(t, fs, c, 2)
				f, err := p.Acquire(t.Context())
				must(t, err)
				_, _, err = capture(f, page(2))
				must(t, err)
				must(t, f.Begin())
				must(t, f.Copy(in, span.Start, span.End))
				copied, err := f.End()
				must(t, err)
				s := commit(t, p, f)
				p.Release(f)
				name := "warcs/" + s.DiskName()
				if diff := cmp.Diff(want, content(fs, name, copied.Start, copied.End)); diff != "" {
					t.Error(diff)
				}
				if got := clean(t, fs, name); len(got) != 7 {
					t.Errorf("records %v", got)
				}
				if same := bytes.Equal(fileBytes(t, fs, name)[copied.Start:copied.End], packed); same != (from == to) && (from != "gzip" || to != "gzip") {
					t.Errorf("the compressed bytes are the same: %t", same)
				}
				must(t, fs.Remove(name))
			})
		}
		must(t, in.Close())
	}
}

// What is no dictionary, or one that nobody could ask for, is refused with what to do.
func TestWrongDictionaries(t *testing.T) {
	good := trained(t, 1).Bytes()
	noID := bytes.Clone(good)
	clear(noID[4:8])
	for why, data := range map[string][]byte{
		"empty": nil, "text": []byte("a list of words"), "cut off": good[:60], "no ID, so records could not name it": noID, "longer than readers must take": append(bytes.Clone(good), make([]byte, 8<<20)...),
	} {
		if _, err := ParseDictionary(data); err == nil || !strings.HasPrefix(err.Error(), "warc: dictionary: ") {
			t.Errorf("%s: %v", why, err)
		}
	}
	if d, err := ParseDictionary(good); err != nil || !bytes.Equal(d.Bytes(), good) {
		t.Errorf("the good one: %v", err)
	}
	for why, samples := range map[string][][]byte{"none": nil, "one": {[]byte("GET / HTTP/1.1")}, "short": {[]byte("a"), []byte("b")}, "nothing in common": {[]byte("abcdefghijklm"), []byte("0123456789ABC")}} {
		if _, err := TrainDictionary(samples, 1<<10); err == nil {
			t.Errorf("%s: a dictionary was made", why)
		}
	}
}

// A frame that needs a dictionary which its file does not have is damage, not another record.
func TestZstdWithoutItsDictionary(t *testing.T) {
	d := trained(t, 100)
	z, err := NewZstdWriter(3, d)
	must(t, err)
	var out bytes.Buffer
	record := "WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n"
	z.Reset(&out, int64(len(record)))
	_, err = fmt.Fprint(z, record)
	must(t, errors.Join(err, z.Close()))
	_, err = NewReader(&out).Next()
	if bad := (*Defect)(nil); !errors.As(err, &bad) || bad.Kind != KindZstd {
		t.Errorf("error %v", err)
	}
	z.Reset(&out, 5)
	if _, err = fmt.Fprint(z, "abc"); err != nil || z.Close() == nil {
		t.Errorf("a record that is shorter than was said: %v", err)
	}
}
