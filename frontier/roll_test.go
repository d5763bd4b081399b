package frontier

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/logparts"
)

// rolling are options of a frontier that rolls a log with each group that writes to it.
func rolling(fsys fsx.FS) Options {
	o := options(fsys, clock.NewFake(began), quick(), oneProfile(0))
	o.Logs = LogsConfig{MaxSize: 1, Compress: true}
	return o
}

// rollSome finishes URIs, each with a line of crawl.log, until there are n or one fails; it returns what was
// acknowledged.
func rollSome(t testing.TB, o Options, n int) (lines []string, err error) {
	t.Helper()
	f, _, err := start(t, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close(t.Context())) }()
	for i := range n {
		if err := f.Schedule(t.Context(), cand("a.test", fmt.Sprint("/", i), analyse)); err != nil {
			return lines, err
		}
	}
	for f.Stats().Queued > 0 {
		u, err := f.Next(t.Context())
		if err != nil {
			return lines, err
		}
		r := &rig{Frontier: f, t: t, fs: o.FS, clk: o.Clock.(*clock.Fake)}
		line := u.URL + "\n"
		u = logs(r.answer(u, crawl.ClassHTML, 0), line)
		u.Lines = append(u.Lines, crawl.LogLine{Log: crawl.LogAnalysis, Text: []byte("judged " + line)})
		if err := f.Finished(t.Context(), u); err != nil {
			return lines, err
		}
		lines = append(lines, line)
	}
	f.Packed(t.Context())
	return lines, nil
}

// logLines are the lines of crawl.log, of all its parts.
func logLines(t testing.TB, fsys fsx.FS) (lines []string) {
	t.Helper()
	must(t, logparts.EachLine(fsys, "/", "crawl.log", func(_ logparts.Place, line []byte) error {
		lines = append(lines, string(line))
		return nil
	}))
	return lines
}

// partNames are the names of the files of crawl.log.
func partNames(t testing.TB, fsys fsx.FS) []string {
	t.Helper()
	names, err := fsys.List("/")
	must(t, err)
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.Contains(n, "crawl.log") })
	slices.Sort(names)
	return names
}

// rowsAgree demands that the rows of the logs say what their files hold.
func rowsAgree(t testing.TB, o Options) {
	t.Helper()
	o.ReadOnly = true
	f, err := Open(t.Context(), o)
	must(t, err)
	var parts []schema.LogPart
	for l, row := range f.Logs() {
		parts = append(append(parts, row.Parts...), schema.LogPart{Name: crawl.LogID(l).Name(), Length: row.Length, Lines: row.Lines, CRC: row.CRC})
	}
	for _, p := range parts {
		in, err := logparts.OpenPart(o.FS, "/", p.Name)
		if errors.Is(err, fs.ErrNotExist) && p.Length == 0 {
			continue
		}
		must(t, err)
		text, err := io.ReadAll(in)
		must(t, errors.Join(err, in.Close()))
		if have := (schema.LogPart{Name: p.Name, Length: int64(len(text)), Lines: int64(strings.Count(string(text), "\n")), CRC: crc32.Checksum(text, castagnoli())}); have != p {
			t.Errorf("%+v is acknowledged, there is %+v", p, have)
		}
	}
	must(t, f.Close(t.Context()))
}

// A log that is long enough becomes a part, under the name that Heritrix gives it, and is compressed.
func TestRoll(t *testing.T) {
	mem := fsx.NewMem()
	o := rolling(mem)
	want, err := rollSome(t, o, 3)
	must(t, err)
	if got, want := partNames(t, mem), []string{"crawl.log", "crawl.log.20261121050000.gz", "crawl.log.20261121050001.gz", "crawl.log.20261121050002.gz"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	if got := logLines(t, mem); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	rowsAgree(t, o)
	o.Logs.MaxSize = 0
	f, _, err := start(t, o)
	must(t, err)
	row := f.Logs()[crawl.LogCrawl]
	if length, lines := row.Total(); len(row.Parts) != 3 || lines != 3 || row.Length != 0 || length != int64(len(strings.Join(want, ""))) {
		t.Errorf("%+v", row)
	}
	must(t, f.Close(t.Context()))
}

// With max_size = 0 a log has one file, and without compress parts stay as they are; a job that was begun so rolls
// when the setting changes.
func TestRollSettings(t *testing.T) {
	mem := fsx.NewMem()
	o := rolling(mem)
	o.Logs = LogsConfig{}
	first, err := rollSome(t, o, 2)
	must(t, err)
	if got := partNames(t, mem); len(got) != 1 {
		t.Errorf("%q", got)
	}
	o.Logs.MaxSize = 1
	_, err = rollSome(t, o, 3)
	must(t, err)
	if got, want := partNames(t, mem), []string{"crawl.log", "crawl.log.20261121050000", "crawl.log.20261121050001"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	if got := logLines(t, mem); len(got) != 3 || !slices.Equal(got[:2], first) {
		t.Errorf("%q after %q", got, first)
	}
	rowsAgree(t, o)
}

// At whatever operation of the file system a crawl that rolls with each group fails, and whatever of what was not synced
// survives: every line that was acknowledged is there once, no line is there twice, and the crawl goes on. All operations
// are tried with EXCLAVE_LONG=1, else a growing stride.
func TestRollFaults(t *testing.T) {
	const uris = 2
	match := func(op fsx.Op) bool {
		return !op.Reads() && (!strings.HasPrefix(op.Path, "/state") || op.Path == "/state.mark")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for at := int64(0); ; at++ {
		if os.Getenv("EXCLAVE_LONG") == "" {
			at += at / 16
		}
		for _, stay := range []bool{false, true} {
			mem := fsx.NewMem()
			faulty := fsx.NewFaulty(mem, fsx.Fault{At: at, Stay: stay, Err: syscall.EIO, Match: match})
			acknowledged, err := rollSome(t, rolling(faulty), uris)
			if _, failed := faulty.Counts(); failed == 0 {
				must(t, err)
				if at < 40 {
					t.Fatalf("only %d operations", at)
				}
				return
			}
			for _, keep := range []int{0, 100, 50, 50, 50, 50} {
				after := mem.CrashClone(fsx.Crash{KeepPercent: keep, Rand: rng})
				afterCrash(t, after, acknowledged, uris)
				if t.Failed() {
					t.Fatalf("operation %d, stay %v, %d%% kept; it ended with: %v", at, stay, keep, err)
				}
			}
		}
	}
}

// afterCrash goes on with a crawl that stopped anywhere.
func afterCrash(t *testing.T, mem *fsx.Mem, acknowledged []string, uris int) {
	t.Helper()
	o := rolling(mem)
	if _, err := mem.Stat("/state/CURRENT"); err == nil {
		f, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		must(t, f.Close(t.Context()))
		rowsAgree(t, o)
	}
	have := logLines(t, mem)
	for _, l := range acknowledged {
		if !slices.Contains(have, l) {
			t.Errorf("%q was acknowledged, and is not there: %q", l, have)
		}
	}
	_, err := rollSome(t, o, uris)
	must(t, err)
	rowsAgree(t, o)
	have = logLines(t, mem)
	slices.Sort(have)
	if len(have) != uris || len(slices.Compact(have)) != uris {
		t.Errorf("in the end: %q", have)
	}
	for _, n := range partNames(t, mem) {
		if n != "crawl.log" && !strings.HasSuffix(n, logparts.Packed) {
			t.Errorf("%s is left", n)
		}
	}
}

// A kill at each step of a roll and of a compression.
func TestRollKilled(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, point := range []string{"frontier.roll.committed", "frontier.roll.renamed", "frontier.roll.synced", "logs.compressed", "logs.compress.renamed"} {
		for hit := 1; hit <= 3; hit++ {
			for _, keep := range []int{0, 50, 100} {
				mem := fsx.NewMem()
				o := rolling(mem)
				var crashed *fsx.Mem
				var err error
				o.Fail, err = fsx.NewFailPoints(fmt.Sprintf("%s=%d", point, hit), func(string) { crashed = mem.CrashClone(fsx.Crash{KeepPercent: keep, Rand: rng}) })
				must(t, err)
				_, err = rollSome(t, o, 3)
				must(t, err)
				if crashed == nil {
					t.Fatalf("%s: hit %d never came", point, hit)
				}
				ro := rolling(crashed)
				// At 50 a file may be left under both of its names; a compression ends at any moment of a commit.
				if keep != 50 && strings.HasPrefix(point, "frontier.") {
					rowsAgree(t, ro) // by who only reads, before anything is mended
				}
				if afterCrash(t, crashed, nil, 3); t.Failed() {
					t.Fatalf("%s, hit %d, %d%% kept", point, hit, keep)
				}
			}
		}
	}
}

// Parts that are not what the state knows are refused and nothing is changed; one that was moved away on purpose is
// not missed.
func TestPartsThatAreNotThere(t *testing.T) {
	const name = "/crawl.log.20261121050001.gz"
	for _, c := range []struct {
		why    string
		change func(m *fsx.Mem) error
		says   []string
	}{
		{"missing", func(m *fsx.Mem) error { return m.Remove(name) }, []string{"crawl.log.20261121050001, a part of crawl.log, is missing", "exclave moved", "exclave recover"}},
		{"cut", func(m *fsx.Mem) error { return m.Truncate(name, 20) }, []string{"damaged", "exclave recover"}},
		{"compressed otherwise", func(m *fsx.Mem) error { return m.Rename(name, strings.TrimSuffix(name, ".gz")+".zst") }, []string{"is missing", "crawl.log.20261121050001.zst lies there, too"}},
		{"there twice", func(m *fsx.Mem) error {
			return fsx.WriteFileAtomic(m, strings.TrimSuffix(name, ".gz"), []byte("half"))
		}, []string{"has 4 bytes, not", "crawl.log.20261121050001.gz lies there, too"}},
		{"unknown", func(m *fsx.Mem) error { return fsx.WriteFileAtomic(m, "/crawl.log.20261121050009", []byte("x\n")) }, []string{"crawl.log.20261121050009 has the name of a part", "the state does not know it"}},
		{"without a state", func(m *fsx.Mem) error {
			return errors.Join(m.RemoveAll("/state"), m.Remove("/state.mark"), m.Remove("/crawl.log"))
		}, []string{"there is no state", "/crawl.log holds"}},
	} {
		mem := fsx.NewMem()
		o := rolling(mem)
		_, err := rollSome(t, o, 3)
		must(t, err)
		must(t, c.change(mem))
		before, _ := list(mem)
		_, err = Open(t.Context(), o)
		for _, s := range c.says {
			if err == nil || !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %v, not %q", c.why, err, s)
			}
		}
		if after, _ := list(mem); after != before {
			t.Errorf("%s: changed from %s to %s", c.why, before, after)
		}
		if c.why == "missing" {
			o.MovedLog = func(part string) bool { return part == "crawl.log.20261121050001" }
			_, err := rollSome(t, o, 3)
			must(t, err)
		}
	}
}

// A part that does not hold what is acknowledged is not compressed: whoever mends it needs it as it is.
func TestDamagedPartStays(t *testing.T) {
	mem := fsx.NewMem()
	o := rolling(mem)
	o.Logs.Compress = false
	_, err := rollSome(t, o, 2)
	must(t, err)
	const name = "/crawl.log.20261121050000"
	must(t, fsx.WriteFileAtomic(mem, name, []byte(strings.Repeat("x", len(logLines(t, mem)[0])))))
	o.Logs.Compress = true
	_, err = rollSome(t, o, 2)
	must(t, err)
	if got, want := partNames(t, mem), []string{"crawl.log", "crawl.log.20261121050000", "crawl.log.20261121050001.gz"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// unread is a file system whose parts of logs may be looked at, but not read.
type unread struct{ fsx.FS }

// Open implements vfs.FS.
func (u unread) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := u.FS.Open(name, o...)
	if err == nil && strings.HasPrefix(name, "/crawl.log.") {
		f = unreadFile{f}
	}
	return f, err
}

type unreadFile struct{ vfs.File }

var errRead = errors.New("a part is read")

// Read implements vfs.File.
func (unreadFile) Read([]byte) (int, error) { return 0, errRead }

// ReadAt implements vfs.File.
func (f unreadFile) ReadAt(b []byte, at int64) (int, error) {
	if len(b) > 4 {
		return 0, errRead
	}
	return f.File.ReadAt(b, at)
}

// A job with many parts is opened without reading them.
func TestOpenReadsNoPart(t *testing.T) {
	mem := fsx.NewMem()
	o := rolling(mem)
	_, err := rollSome(t, o, 3)
	must(t, err)
	o.FS = unread{mem}
	_, err = rollSome(t, o, 3)
	must(t, err)
	if _, err := logparts.SumOf(t.Context(), o.FS, "/crawl.log.20261121050000.gz"); !errors.Is(err, errRead) {
		t.Errorf("the test does not notice reading: %v", err)
	}
}
