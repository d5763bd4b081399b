package logparts

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/internal/fsx"
)

const dir, log = "/logs", "crawl.log"

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t testing.TB, fsys fsx.FS, name, text string) Sum {
	t.Helper()
	must(t, fsx.WriteFileAtomic(fsys, fsys.PathJoin(dir, name), []byte(text)))
	return Sum{int64(len(text)), crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))}
}

func empty(t testing.TB) *fsx.Mem {
	t.Helper()
	mem := fsx.NewMem()
	must(t, fsx.MkdirAll(mem, dir))
	return mem
}

func all(t testing.TB, fsys fsx.FS) string {
	t.Helper()
	r, err := Open(fsys, dir, log)
	must(t, err)
	text, err := io.ReadAll(r)
	must(t, errors.Join(err, r.Close()))
	return string(text)
}

// Names are those of Heritrix, and nothing else is taken for a part.
func TestNames(t *testing.T) {
	mem := empty(t)
	for _, n := range []string{"crawl.log.20261123101946.gz", "crawl.log.20261123101945", "crawl.log.20261123101945.gz", log, "crawl.log.1", "crawl.log.20261199101945",
		"crawl.log.cp00001-20261123101946", ".crawl.log.20261123101947.gz.tmp", "crawl.log.20261123101948.gz.tmp", "crawl.log.202611231019450", "analysis.jsonl.20261123101944"} {
		put(t, mem, n, "x\n")
	}
	got, err := List(mem, dir, log)
	must(t, err)
	if want := []string{"crawl.log.20261123101945", "crawl.log.20261123101946"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// A name is later than the last one, whatever the clock says, and belongs to no file.
func TestNextName(t *testing.T) {
	mem := empty(t)
	now := time.Date(2026, 11, 23, 11, 19, 46, 5e8, time.FixedZone("CET", 3600))
	put(t, mem, "crawl.log.20261123101948.gz", "")
	for last, want := range map[string]string{"": "20261123101946", "20261123101945": "20261123101946", "20261123101946": "20261123101947",
		"20261123101947": "20261123101949", "20271231235959": "20280101000000"} {
		if got, err := NextName(mem, dir, log, last, now); got != want || err != nil {
			t.Errorf("after %q: %q, not %q, %v", last, got, want, err)
		}
	}
}

// Parts are read in order, compressed or not, then the log; of a part that is there twice one is read.
func TestOpen(t *testing.T) {
	mem := empty(t)
	if _, err := Open(mem, dir, log); !errors.Is(err, fs.ErrNotExist) || Any(mem, dir, log) {
		t.Errorf("nothing is there: %v", err)
	}
	long := strings.Repeat("x", 200<<10) + "\n"
	must(t, Compress(t.Context(), mem, dir, "crawl.log.20261123101946", put(t, mem, "crawl.log.20261123101946", long+"2\n"), nil))
	put(t, mem, "crawl.log.20261123101945", "0\n1\n")
	put(t, mem, "crawl.log.20261123101945.gz", "half of it")
	put(t, mem, "crawl.log.20261123101947", "")
	if got, want := all(t, mem), "0\n1\n"+long+"2\n"; got != want {
		t.Errorf("without the log: %d bytes, not %d", len(got), len(want))
	}
	put(t, mem, log+Packed, "of somebody else")
	if _, err := OpenPart(mem, dir, log); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a log itself, compressed: %v", err)
	}
	put(t, mem, log, "3\nend")
	if got, want := all(t, mem), "0\n1\n"+long+"2\n3\nend"; got != want {
		t.Errorf("%d bytes, not %d", len(got), len(want))
	}
	var got []string
	must(t, EachLine(mem, dir, log, func(at Place, line []byte) error {
		got = append(got, fmt.Sprint(at, " ", len(line)))
		return nil
	}))
	if want := []string{"crawl.log.20261123101945 line 1 2", "crawl.log.20261123101945 line 2 2", "crawl.log.20261123101946 line 1 204801",
		"crawl.log.20261123101946 line 2 2", "crawl.log line 1 2", "crawl.log line 2 3"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// during is a file system on which something happens before the n-th opening of a file.
type during struct {
	fsx.FS
	n  int
	do func()
}

// Open implements vfs.FS.
func (d *during) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	if d.n--; d.n == 0 {
		d.do()
	}
	return d.FS.Open(name, o...)
}

// List implements vfs.FS.
func (d *during) List(dir string) ([]string, error) {
	if d.n--; d.n == 0 {
		d.do()
	}
	return d.FS.List(dir)
}

// Whenever the log is rolled or a part compressed while somebody reads, no line is missing or there twice.
func TestReadWhileItRolls(t *testing.T) {
	for n := 1; n < 8; n++ {
		mem := empty(t)
		first := put(t, mem, "crawl.log.20261123101945", "0\n1\n")
		put(t, mem, log, "2\n")
		fsys := &during{mem, n, func() {
			must(t, Compress(t.Context(), mem, dir, "crawl.log.20261123101945", first, nil))
			must(t, mem.Rename(dir+"/"+log, dir+"/crawl.log.20261123101946"))
		}}
		if got := all(t, fsys); got != "0\n1\n2\n" {
			t.Errorf("at operation %d: %q", n, got)
		}
		mem = empty(t)
		put(t, mem, log, "0\n")
		begun := &during{mem, n, func() { must(t, mem.Rename(dir+"/"+log, dir+"/crawl.log.20261123101945")) }}
		if got := all(t, begun); got != "0\n" {
			t.Errorf("the first roll, at operation %d: %q", n, got)
		}
	}
}

// zcat, as users have it, reads a compressed part, and a glob over all has them in order.
func TestZcat(t *testing.T) {
	at := t.TempDir()
	for i, name := range []string{"crawl.log.20261123101945", "crawl.log.20261123101946", log} {
		text := fmt.Sprint(i, "\n")
		must(t, fsx.WriteFileAtomic(fsx.Real(), at+"/"+name, []byte(text)))
		if i == 0 {
			must(t, Compress(t.Context(), fsx.Real(), at, name, Sum{2, crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))}, nil))
		}
	}
	out, err := exec.Command("sh", "-c", "cd "+at+" && zcat -f crawl.log.* crawl.log").CombinedOutput()
	if err != nil || string(out) != "0\n1\n2\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// What Check looks at without reading.
func TestCheck(t *testing.T) {
	mem := empty(t)
	const name = "crawl.log.20261123101945"
	if err := Check(mem, dir, name, 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	sum := put(t, mem, name, "0\n1\n")
	must(t, Check(mem, dir, name, 4))
	if err := Check(mem, dir, name, 5); err == nil {
		t.Error("too short: nothing is said")
	}
	must(t, Compress(t.Context(), mem, dir, name, sum, nil))
	must(t, Check(mem, dir, name, 4))
	if err := Check(mem, dir, name, 5); err == nil {
		t.Error("another length: nothing is said")
	}
	must(t, mem.Truncate(dir+"/"+name+Packed, 10))
	if err := Check(mem, dir, name, 4); err == nil {
		t.Error("cut: nothing is said")
	}
	if _, err := OpenPart(mem, dir, name); !Damaged(err) {
		in, _ := OpenPart(mem, dir, name)
		if _, err := io.ReadAll(in); !Damaged(err) {
			t.Errorf("cut: %v", err)
		}
	}
	must(t, mem.Truncate(dir+"/"+name+Packed, 0))
	if _, err := OpenPart(mem, dir, name); !Damaged(err) {
		t.Errorf("empty: %v", err)
	}
}

// A part that does not hold what it should stays as it is.
func TestCompressOther(t *testing.T) {
	mem := empty(t)
	const name = "crawl.log.20261123101945"
	sum := put(t, mem, name, "0\n1\n")
	put(t, mem, name, "0\n2\n")
	if err := Compress(t.Context(), mem, dir, name, sum, nil); !errors.Is(err, ErrOther) {
		t.Errorf("%v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Compress(ended, mem, dir, name, put(t, mem, name, "0\n"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	names, err := mem.List(dir)
	must(t, err)
	if len(names) != 1 || names[0] != name {
		t.Errorf("%q is there", names)
	}
}

// At whatever operation compression fails, or the machine stops, the part can be read, and compressing it again
// brings it to its end.
func TestCompressFaults(t *testing.T) {
	const name = "crawl.log.20261123101945"
	text := strings.Repeat("a line\n", 1000)
	for at := int64(0); ; at++ {
		mem := empty(t)
		sum := put(t, mem, name, text)
		faulty := fsx.NewFaulty(mem, fsx.Fault{At: at, Err: syscall.EIO})
		err := Compress(t.Context(), faulty, dir, name, sum, nil)
		if _, failed := faulty.Counts(); failed == 0 {
			must(t, err)
			if at < 8 {
				t.Fatalf("only %d operations", at)
			}
			return
		}
		for _, keep := range []int{0, 100} {
			after := mem.CrashClone(fsx.Crash{KeepPercent: keep, Rand: rand.New(rand.NewPCG(uint64(at), 1))})
			if got := all(t, after); got != text {
				t.Fatalf("operation %d, %d%% kept: %d bytes of %d", at, keep, len(got), len(text))
			}
			must(t, Compress(t.Context(), after, dir, name, sum, nil))
			if got := all(t, after); got != text {
				t.Fatalf("operation %d, %d%% kept, compressed: %d bytes of %d", at, keep, len(got), len(text))
			}
			if names, _ := after.List(dir); len(names) != 1 || names[0] != name+Packed {
				t.Fatalf("operation %d: %q is left", at, names)
			}
		}
	}
}
