package aside

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"exclave/internal/clock"
	"exclave/internal/fsx"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, fs fsx.FS, name, text string) {
	t.Helper()
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	must(t, err)
	_, err = io.WriteString(f, text)
	must(t, err)
	must(t, f.Sync())
	must(t, f.Close())
}

func read(t testing.TB, fs fsx.FS, name string) string {
	t.Helper()
	f, err := fs.Open(name)
	must(t, err)
	defer f.Close()
	b, err := io.ReadAll(f)
	must(t, err)
	return string(b)
}

func folder(t testing.TB) (fsx.FS, *Folder) {
	t.Helper()
	fs := fsx.NewMem()
	must(t, fsx.MkdirAll(fs, "/job/logs"))
	return fs, New(fs, "/job", clock.NewFake(time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)))
}

// What is kept once is kept once, other bytes of the same place beside it; the file itself
// is left to the caller.
func TestTail(t *testing.T) {
	fs, f := folder(t)
	const log = "/job/logs/crawl.log"
	write(t, fs, log, "one\ntwo\nthr")
	first, err := f.Tail(log, nil, 4, 1, "not acknowledged")
	must(t, err)
	again, err := f.Tail(log, nil, 4, 1, "not acknowledged")
	must(t, err)
	write(t, fs, log, "one\n2\n")
	other, err := f.Tail(log, nil, 4, 1, "not acknowledged")
	must(t, err)
	if first != again || first.Kept == other.Kept {
		t.Errorf("%+v\n%+v\n%+v", first, again, other)
	}
	if first.File != "logs/crawl.log" || first.Length != 7 || !strings.HasPrefix(first.Kept, "recovered/crawl-from-4-") || !strings.HasSuffix(first.Kept, ".log") {
		t.Errorf("%+v", first)
	}
	if got := read(t, fs, "/job/"+first.Kept) + read(t, fs, "/job/"+other.Kept) + read(t, fs, log); got != "two\nthr2\none\n2\n" {
		t.Errorf("kept %q", got)
	}
	es, err := f.Entries()
	must(t, err)
	if len(es) != 2 || es[0] != first || es[1] != other {
		t.Errorf("register: %+v", es)
	}
}

// A file and a folder of the same name are both kept; a torn line of the register harms no other.
func TestMove(t *testing.T) {
	fs, f := folder(t)
	write(t, fs, "/job/a.warc.gz.open", "x")
	_, err := f.Move("/job/a.warc.gz.open", 1, "no row")
	must(t, err)
	a, err := fsx.OpenAppend(fs, "/job/recovered/register.jsonl")
	must(t, err)
	_, err = a.Write([]byte(`{"time":"20`))
	must(t, err)
	must(t, a.Close())
	must(t, fsx.MkdirAll(fs, "/job/state/a.warc.gz"))
	e, err := f.Move("/job/state/a.warc.gz", 0, "made anew")
	must(t, err)
	if e.Kept != "recovered/1-a.warc.gz" || read(t, fs, "/job/recovered/a.warc.gz") != "x" {
		t.Errorf("%+v", e)
	}
	if st, err := fs.Stat("/job/recovered/1-a.warc.gz"); err != nil || !st.IsDir() {
		t.Errorf("the folder: %v", err)
	}
	es, err := f.Entries()
	must(t, err)
	if len(es) != 2 || es[1] != e {
		t.Errorf("register: %+v", es)
	}
}

// Whatever operation fails: an error, or copy and register are durable. The file is as it was.
func TestTailFaults(t *testing.T) {
	for at := int64(0); ; at++ {
		mem, _ := folder(t)
		must(t, mem.(*fsx.Mem).MkdirAll("/job/logs", 0o777))
		write(t, mem, "/job/logs/crawl.log", "one\ntwo\n")
		must(t, fsx.SyncDir(mem, "/job/logs"))
		faulty := fsx.NewFaulty(mem, fsx.Fault{At: at, Err: syscall.EIO})
		e, err := New(faulty, "/job", clock.NewFake(time.Unix(0, 0))).Tail("/job/logs/crawl.log", nil, 4, 1, "x")
		crashed := mem.(*fsx.Mem).CrashClone(fsx.Crash{})
		if err == nil {
			es, rerr := New(crashed, "/job", clock.NewFake(time.Unix(0, 0))).Entries()
			if rerr != nil || len(es) != 1 || read(t, crashed, "/job/"+e.Kept) != "two\n" {
				t.Fatalf("operation %d: register %+v, %v", at, es, rerr)
			}
		}
		if got := read(t, crashed, "/job/logs/crawl.log"); got != "one\ntwo\n" {
			t.Fatalf("operation %d: the log holds %q", at, got)
		}
		if _, failed := faulty.Counts(); failed == 0 {
			must(t, err)
			break
		}
		if err == nil {
			t.Fatalf("operation %d failed unnoticed", at)
		}
	}
}

// twoDisks renames nothing from one folder to another.
type twoDisks struct{ fsx.FS }

func (d twoDisks) Rename(from, to string) error {
	if d.PathDir(from) != d.PathDir(to) {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EXDEV}
	}
	return d.FS.Rename(from, to)
}

// What lies on another disk than the job's folder is copied: warcs and state may be links.
func TestMoveFromAnotherDisk(t *testing.T) {
	fs, f := folder(t)
	f.fs = twoDisks{fs}
	must(t, fsx.MkdirAll(fs, "/job/state/frontier/sub"))
	write(t, fs, "/job/state/frontier/1.log", "one")
	write(t, fs, "/job/state/frontier/sub/2.log", "two")
	write(t, fs, "/job/logs/a.warc.gz.open", "three")
	dir, err := f.Move("/job/state/frontier", 0, "as it was")
	must(t, err)
	file, err := f.Move("/job/logs/a.warc.gz.open", 1, "unknown")
	must(t, err)
	c := fs.(*fsx.Mem).CrashClone(fsx.Crash{})
	if got := read(t, c, "/job/"+dir.Kept+"/1.log") + read(t, c, "/job/"+dir.Kept+"/sub/2.log") + read(t, c, "/job/"+file.Kept); got != "onetwothree" {
		t.Errorf("kept %q", got)
	}
	for _, gone := range []string{"/job/state/frontier", "/job/logs/a.warc.gz.open"} {
		if _, err := fs.Stat(gone); err == nil {
			t.Errorf("%s is there still", gone)
		}
	}
}

// A copy whose name was given, but not yet durable, when recovery was killed, is durable when Tail returns.
func TestTailKilledBeforeItsNameIsDurable(t *testing.T) {
	fs, f := folder(t)
	const log = "/job/logs/crawl.log"
	write(t, fs, log, "one\ntwo\n")
	e, err := f.Tail(log, nil, 4, 1, "not acknowledged")
	must(t, err)
	kept := "/job/" + e.Kept
	must(t, fs.Remove(kept))
	must(t, fsx.SyncDir(fs, "/job/recovered"))
	write(t, fs, kept, "two\n")
	_, err = f.Tail(log, nil, 4, 1, "not acknowledged")
	must(t, err)
	c := fs.(*fsx.Mem).CrashClone(fsx.Crash{})
	if _, err := c.Stat(kept); err != nil {
		t.Errorf("after a crash: %v", err)
	}
}
