package frontier

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// Either place of the mark may be torn: what the other says is a commit old at most.
func TestMark(t *testing.T) {
	fs := fsx.NewMem()
	w, err := openMarker(fs, "/state")
	must(t, err)
	for n := range uint64(4) {
		must(t, w.set(mark{Number: n}))
		m, ok, err := readMark(fs, "/state")
		must(t, err)
		if !ok || m != (mark{Number: n}) {
			t.Errorf("after %d: %+v, %v", n, m, ok)
		}
	}
	must(t, w.set(mark{Number: 3, Closed: true}))
	must(t, w.close())
	for at, want := range map[int64]mark{slotSize + 20: {Number: 2}, 20: {Number: 3, Closed: true}} {
		c := fs.CrashClone(fsx.Crash{})
		flip(t, c, "/state.mark", at)
		if m, ok, err := readMark(c, "/state"); err != nil || !ok || m != want {
			t.Errorf("byte %d changed: %+v, %v, %v", at, m, ok, err)
		}
		flip(t, c, "/state.mark", slotSize+20-at+20)
		if m, ok, err := readMark(c, "/state"); err != nil || ok {
			t.Errorf("both places changed: %+v, %v, %v", m, ok, err)
		}
	}
}

func flip(t *testing.T, fs fsx.FS, name string, at int64) {
	t.Helper()
	f, err := fs.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	must(t, err)
	var b [1]byte
	_, err = f.ReadAt(b[:], at)
	b[0] ^= 1
	_, werr := f.WriteAt(b[:], at)
	must(t, errors.Join(err, werr, f.Sync(), f.Close()))
}

func TestMarkAgrees(t *testing.T) {
	f := &Frontier{number: 10}
	for _, c := range []struct {
		m    mark
		says string
	}{
		{mark{Number: 10, Closed: true}, ""},
		{mark{Number: 10}, ""},
		{mark{Number: 9}, ""},
		{mark{Number: 11}, ""},
		{mark{Number: 12}, "older than it should be"},
		{mark{Number: 11, Closed: true}, "older than it should be"},
		{mark{Number: 8}, "older than the state"},
	} {
		if err := f.checkMark(c.m); err == nil != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.m, err)
		}
	}
}

// logged is a frontier whose crawl.log has two lines, closed.
func logged(t *testing.T) (*fsx.Mem, Options) {
	t.Helper()
	fs := fsx.NewMem()
	o := options(fs, clock.NewFake(began), quick(), oneProfile(0))
	f, ar, err := start(t, o)
	must(t, err)
	r := &rig{Frontier: f, t: t, fs: fs, clk: o.Clock.(*clock.Fake), ar: ar}
	for _, path := range []string{"/one", "/two"} {
		must(t, f.Schedule(t.Context(), cand("a.test", path, analyse)))
		r.finish(logs(r.answer(r.any(), crawl.ClassHTML, 0), path+"\n"))
	}
	must(t, f.Close(t.Context()))
	return fs, o
}

// logs gives a URI a line of crawl.log.
func logs(u *crawl.CrawlURI, line string) *crawl.CrawlURI {
	u.Lines = append(u.Lines, crawl.LogLine{Log: crawl.LogCrawl, Text: []byte(line)})
	return u
}

// A log that is not what the state knows is refused and nothing is changed; where it may be is said.
func TestLogsThatAreNotThere(t *testing.T) {
	const name = "/crawl.log"
	for _, c := range []struct {
		why    string
		change func(fs *fsx.Mem) error
		says   []string
	}{
		{"missing", func(fs *fsx.Mem) error { return fs.Remove(name) }, []string{"/crawl.log is missing", "exclave recover"}},
		{"rotated", func(fs *fsx.Mem) error { return fs.Rename(name, name+".1") }, []string{"/crawl.log is missing", "rotated to crawl.log.1"}},
		{"rotated, a new one begun", func(fs *fsx.Mem) error {
			return errors.Join(fs.Rename(name, name+".1"), fsx.WriteFileAtomic(fs, name, []byte("x\n")))
		}, []string{"lines are lost", "rotated to crawl.log.1"}},
		{"cut", func(fs *fsx.Mem) error { return fs.Truncate(name, 3) }, []string{"/crawl.log has 3 bytes", "lines are lost"}},
		{"another", func(fs *fsx.Mem) error { return fsx.WriteFileAtomic(fs, name, []byte(strings.Repeat("x", 100))) }, []string{"no line ends where"}},
		{"longer, and the mark is gone", func(fs *fsx.Mem) error {
			a, err := fsx.OpenAppend(fs, name)
			if err != nil {
				return err
			}
			_, err = a.Write([]byte("more\n"))
			return errors.Join(err, a.Close(), fs.Remove("/state.mark"))
		}, []string{"/state.mark is missing or unreadable", "5 bytes more"}},
		{"without a state", func(fs *fsx.Mem) error { return errors.Join(fs.RemoveAll("/state"), fs.Remove(name)) }, []string{"there is no state", "/state.mark says"}},
	} {
		fs, o := logged(t)
		must(t, c.change(fs))
		before, _ := list(fs)
		_, err := Open(t.Context(), o)
		for _, s := range c.says {
			if err == nil || !strings.Contains(err.Error(), s) {
				t.Errorf("%s: %v, not %q", c.why, err, s)
			}
		}
		if after, _ := list(fs); after != before {
			t.Errorf("%s: changed from %s to %s", c.why, before, after)
		}
	}
}

// list is the names and lengths of what lies beside the state.
func list(fs fsx.FS) (string, error) {
	names, err := fs.List("/")
	slices.Sort(names)
	out := ""
	for _, n := range names {
		if st, err := fs.Stat("/" + n); err == nil && !st.IsDir() {
			out += n + strings.Repeat(".", int(st.Size()%97)) + " "
		}
	}
	return out, err
}

// A mark that is gone is made again when nothing tells that the state is older.
func TestMarkMadeAgain(t *testing.T) {
	fs, o := logged(t)
	must(t, fs.Remove("/state.mark"))
	f, _, err := start(t, o)
	must(t, err)
	must(t, f.Close(t.Context()))
	if m, ok, err := readMark(fs, "/state"); err != nil || !ok || !m.Closed || m.Number != f.number || m.Number == 0 {
		t.Errorf("%+v, %v, %v", m, ok, err)
	}
}

// Whole lines that are not acknowledged are kept, the log is cut to what is.
func TestLinesSetAside(t *testing.T) {
	fs, o := logged(t)
	a, err := fsx.OpenAppend(fs, "/crawl.log")
	must(t, err)
	_, err = a.Write([]byte("whole\ntor"))
	must(t, errors.Join(err, a.Close()))
	f, _, err := start(t, o)
	must(t, err)
	must(t, f.Close(t.Context()))
	es, err := f.o.Aside.Entries()
	must(t, err)
	if len(es) != 1 || es[0].Whole != 1 || es[0].Length != 9 || es[0].File != "crawl.log" {
		t.Fatalf("%+v", es)
	}
	for name, want := range map[string]string{"/crawl.log": "/one\n/two\n", "/" + es[0].Kept: "whole\ntor"} {
		in, err := fs.Open(name)
		must(t, err)
		got, err := io.ReadAll(in)
		must(t, errors.Join(err, in.Close()))
		if string(got) != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A log that somebody renames while the crawl runs is noticed by the commit that writes to it.
func TestLogRotatedMeanwhile(t *testing.T) {
	fs := fsx.NewMem()
	o := options(fs, clock.NewFake(began), quick(), oneProfile(0))
	f, ar, err := start(t, o)
	must(t, err)
	r := &rig{Frontier: f, t: t, fs: fs, clk: o.Clock.(*clock.Fake), ar: ar}
	must(t, f.Schedule(t.Context(), cand("a.test", "/one", analyse)))
	u := logs(r.answer(r.any(), crawl.ClassHTML, 0), "/one\n")
	must(t, fs.Rename("/crawl.log", "/crawl.log.1"))
	if err := f.Finished(t.Context(), u); err == nil || !strings.Contains(err.Error(), "nobody else rotate") {
		t.Errorf("finished: %v", err)
	}
	if f.Err() == nil {
		t.Error("the frontier works on")
	}
	_ = f.Close(t.Context())
}

// A log that somebody cuts while the crawl runs is noticed by the next commit that writes to it, which would leave
// zeros where the lines were.
func TestLogCutMeanwhile(t *testing.T) {
	for _, to := range []int64{0, 2} {
		fs := fsx.NewMem()
		o := options(fs, clock.NewFake(began), quick(), oneProfile(0))
		f, ar, err := start(t, o)
		must(t, err)
		r := &rig{Frontier: f, t: t, fs: fs, clk: o.Clock.(*clock.Fake), ar: ar}
		must(t, f.Schedule(t.Context(), cand("a.test", "/one", analyse), cand("a.test", "/two", analyse)))
		r.finish(logs(r.answer(r.any(), crawl.ClassHTML, 0), "/one\n"))
		u := logs(r.answer(r.any(), crawl.ClassHTML, 0), "/two\n")
		must(t, fs.Truncate("/crawl.log", to))
		if err := f.Finished(t.Context(), u); err == nil || !strings.Contains(err.Error(), "no line ends where") {
			t.Errorf("cut to %d bytes: finished: %v", to, err)
		}
		_ = f.Close(t.Context()) // it has failed
	}
}

// A file of the store's log that is missing, or was cut between two records, while later ones are there, is a gap that the
// store does not notice: its last commit is there.
func TestGapInTheState(t *testing.T) {
	fs := fsx.NewMem()
	o := options(fs, clock.NewFake(began), quick(), oneProfile(0))
	f, _, err := start(t, o)
	must(t, err)
	for i := range 20 {
		value := make([]byte, 100<<10)
		_, _ = rand.Read(value)
		_, err := f.ScheduleMark(t.Context(), fmt.Sprint("mark ", i), value, cand("a.test", fmt.Sprint("/", i), analyse))
		must(t, err)
	}
	killed := fs.CrashClone(fsx.Crash{})
	must(t, f.Close(t.Context()))
	names, err := killed.List("/state")
	must(t, err)
	names = slices.DeleteFunc(names, func(n string) bool { return !strings.HasSuffix(n, ".log") })
	slices.Sort(names)
	if len(names) < 3 {
		t.Fatalf("%q: fewer logs than were wanted", names)
	}
	for _, n := range names[1 : len(names)-1] {
		for what, do := range map[string]func(*fsx.Mem) error{
			"gone":  func(m *fsx.Mem) error { return m.Remove("/state/" + n) },
			"empty": func(m *fsx.Mem) error { return m.Truncate("/state/"+n, 0) },
		} {
			m := killed.CrashClone(fsx.Crash{})
			must(t, do(m))
			o.FS, o.Aside = m, nil
			if f, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "gap") || !strings.Contains(err.Error(), "exclave recover") {
				t.Errorf("%s %s: %v", n, what, err)
				if err == nil {
					must(t, f.Close(t.Context()))
				}
			}
		}
	}
	o.FS, o.Aside = killed, nil
	f, err = Open(t.Context(), o)
	must(t, err)
	if f.number < 20 {
		t.Errorf("%d commits", f.number)
	}
	must(t, f.Close(t.Context()))
}
