package job_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/config"
	"exclave/crawl"
	"exclave/internal/aside"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/verify"
	"exclave/internal/logparts"
	"exclave/internal/testweb"
	"exclave/warc"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// holdings is what a job's folder holds that nothing may destroy: how often each whole record of
// a WARC file and each whole line of a log is there, wherever it is kept.
func holdings(t *testing.T, cfg *config.Config, fsys fsx.FS) map[string]int {
	t.Helper()
	out := map[string]int{}
	for l := range crawl.NumLogs {
		if err := logparts.EachLine(fsys, filepath.Join(cfg.Dir, folder.LogDir), l.Name(), func(_ logparts.Place, line []byte) error {
			if line[len(line)-1] == '\n' {
				out[string(line)]++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{folder.WARCDir, aside.Dir} {
		names, err := fsys.List(filepath.Join(cfg.Dir, dir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for _, n := range names {
			if warc.IsManifest(n) {
				continue
			}
			data := readOn(t, fsys, filepath.Join(cfg.Dir, dir, n))
			switch {
			case strings.Contains(n, ".warc.gz"):
				r := warc.NewTolerantReader(bytes.NewReader(data), func(warc.Defect) {})
				for e, err := r.Next(); err == nil; e, err = r.Next() {
					if length, _ := r.Finish(); length >= 0 {
						out[string(data[e.Offset:][:length])]++
					}
				}
			case n == aside.Register:
			default:
				for line := range bytes.Lines(data) {
					if line[len(line)-1] == '\n' {
						out[string(line)]++
					}
				}
			}
		}
	}
	return out
}

func readOn(t *testing.T, fsys fsx.FS, name string) []byte {
	t.Helper()
	f, err := fsys.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// under lists the files below a folder, longest names last.
func under(t *testing.T, fsys fsx.FS, dir string) (out []string) {
	t.Helper()
	names, err := fsys.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	for _, n := range names {
		name := filepath.Join(dir, n)
		st, err := fsys.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if st.IsDir() {
			out = append(out, under(t, fsys, name)...)
		} else {
			out = append(out, name)
		}
	}
	return out
}

// killedAt crawls on mem until a fail point and returns what a kill at that moment leaves.
func killedAt(t *testing.T, cfg *config.Config, mem *fsx.Mem, point string) *fsx.Mem {
	t.Helper()
	var left *fsx.Mem
	points, err := fsx.NewFailPoints(point, func(string) {
		if left == nil {
			left = mem.CrashClone(fsx.Crash{KeepPercent: 100, Rand: rand.New(rand.NewPCG(1, 1))})
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := crawlOn(t, cfg, mem, points); err != nil {
		t.Fatal(err)
	}
	if left == nil {
		t.Fatalf("the crawl never came to %s", point)
	}
	return left
}

// One bit flipped, an end cut off, or a file removed, anywhere under state/: the job is refused and nothing of archive
// and logs is changed, or the crawl goes on and nothing is lost.
func TestFlipsAndCuts(t *testing.T) {
	srv, err := testweb.Start(smallWeb(), testweb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	cfg := smallJob(t, srv)
	cfg.WARC.MaxSize = 1 << 20 // what is lost is lost in open files
	finished := fsx.NewMem()
	want := finishOn(t, cfg, finished)
	killed := killedAt(t, cfg, fsx.NewMem(), "frontier.commit.after-batch=12")
	bases := map[string]*fsx.Mem{
		"finished":           finished,
		"killed":             killed,
		"killed with a tail": killedAt(t, cfg, fsx.NewMem(), "frontier.commit.after-sync=9"),
		"killed again":       killedAt(t, cfg, killed.CrashClone(fsx.Crash{}), "frontier.commit.after-sync=4"),
	}
	flips := 12
	if os.Getenv("EXCLAVE_LONG") != "" {
		flips = 200
	}
	counts := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(bases)) {
		base := bases[name]
		before := holdings(t, cfg, base)
		for _, file := range under(t, base, filepath.Join(cfg.Dir, folder.StateDir)) {
			size := int64(len(readOn(t, base, file)))
			for _, d := range harms(size, flips) {
				crashed := base.CrashClone(fsx.Crash{}) // without the locks, which nobody syncs
				c := damageCase{t: t, cfg: cfg, fs: crashed, before: before, want: want, over: base == finished, files: len(under(t, crashed, cfg.Dir)),
					name: fmt.Sprintf("%s: %s: %s", name, strings.TrimPrefix(file, cfg.Dir), d.what)}
				d.do(t, c.fs, file)
				how := c.run()
				counts[how]++
				t.Logf("%s: %s", c.name, how)
			}
		}
	}
	t.Logf("%v", counts)
	if n := counts["refused"] + counts["went on"] + counts["ended"]; n < 200 {
		t.Errorf("%d cases, at least 200 were wanted", n)
	}
	if counts["refused"] == 0 || counts["went on"] == 0 {
		t.Errorf("of each kind there should be some: %v", counts)
	}
}

type harm struct {
	what string
	do   func(*testing.T, fsx.FS, string)
}

// harms are flips at places spread over a file, and cuts; the same in every run.
func harms(size int64, flips int) (out []harm) {
	if size == 0 {
		return nil
	}
	rng := rand.New(rand.NewPCG(uint64(size), 7))
	for i := range flips {
		at, bit := rng.Int64N(size), byte(1)<<rng.IntN(8)
		if i < 4 {
			at = min(int64(i)*3, size-1) // headers
		}
		out = append(out, harm{fmt.Sprintf("bit %d of byte %d of %d", bit, at, size), func(t *testing.T, fsys fsx.FS, name string) {
			f, err := fsys.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
			if err != nil {
				t.Fatal(err)
			}
			var b [1]byte
			_, err = f.ReadAt(b[:], at)
			b[0] ^= bit
			_, werr := f.WriteAt(b[:], at)
			if err := errors.Join(err, werr, f.Sync(), f.Close()); err != nil {
				t.Fatal(err)
			}
		}})
	}
	for _, to := range []int64{0, size / 3, size - 1} {
		out = append(out, harm{fmt.Sprintf("cut from %d to %d", size, to), func(t *testing.T, fsys fsx.FS, name string) {
			if err := fsys.Truncate(name, to); err != nil {
				t.Fatal(err)
			}
		}})
	}
	return append(out, harm{"removed", func(t *testing.T, fsys fsx.FS, name string) {
		if err := fsys.Remove(name); err != nil {
			t.Fatal(err)
		}
	}})
}

type damageCase struct {
	t      *testing.T
	cfg    *config.Config
	fs     *fsx.Mem
	name   string
	files  int  // in the job's folder
	over   bool // the crawl had ended
	before map[string]int
	want   map[string]string
}

// run crawls on and says how that ended.
func (c *damageCase) run() string {
	t := c.t
	j, err := job.Open(t.Context(), c.cfg, job.Options{FS: c.fs, Version: "test", Software: "exclave/test"})
	if err != nil {
		if after := holdings(t, c.cfg, c.fs); !maps.Equal(after, c.before) {
			t.Errorf("%s: refused (%v), but archive or logs were changed", c.name, err)
		}
		if !strings.Contains(err.Error(), "exclave recover JOB") && !strings.Contains(c.name, folder.EvidenceKeyFile) {
			t.Errorf("%s: refused, but what to do is not said: %v", c.name, err)
		}
		if got := len(under(t, c.fs, c.cfg.Dir)); got < c.files-1 {
			t.Errorf("%s: refused (%v), but of %d files there are %d", c.name, err, c.files, got)
		}
		return "refused"
	}
	_, err = j.Run(t.Context())
	err = errors.Join(err, j.Close())
	after := holdings(t, c.cfg, c.fs)
	for what, n := range c.before {
		if after[what] < n {
			t.Errorf("%s: lost (the crawl ended with %v): %.80q", c.name, err, what)
			return "lost"
		}
	}
	if err != nil {
		return "ended" // by damage that was found later; nothing was lost
	}
	if c.over && len(after) != len(c.before) {
		t.Errorf("%s: the job was over, and was crawled again in silence: %d records and lines, %d before", c.name, len(after), len(c.before))
	}
	got := archivedOn(t, c.cfg, c.fs)
	for url := range c.want {
		if _, ok := got[url]; !ok {
			t.Errorf("%s: %s is not in the archive", c.name, url)
		}
	}
	if defects, err := verify.All(t.Context(), folder.Of(c.cfg, folder.Env{FS: c.fs})); err != nil || len(defects) > 0 {
		t.Errorf("%s: verify: %v %v", c.name, defects, err)
	}
	return "went on"
}
