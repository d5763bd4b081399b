package fsx

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// each runs a test on the machine's file system and in memory: Mem is only worth
// something where it behaves as the machine does.
func each(t *testing.T, f func(t *testing.T, fsys FS, dir string)) {
	t.Run("real", func(t *testing.T) { f(t, Real(), t.TempDir()) })
	t.Run("mem", func(t *testing.T) { f(t, NewMem(), "/") })
	t.Run("faulty", func(t *testing.T) { f(t, NewFaulty(NewMem(), Fault{At: -1}), "/") })
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, fsys FS, name string) string {
	t.Helper()
	f, err := fsys.Open(name)
	must(t, err)
	b, err := io.ReadAll(f)
	must(t, errors.Join(err, f.Close()))
	return string(b)
}

func TestNamesAndErrors(t *testing.T) {
	// Callers branch on ErrNotExist and ErrExist; both file systems must agree.
	each(t, func(t *testing.T, fsys FS, dir string) {
		p := func(s string) string { return fsys.PathJoin(dir, s) }
		must(t, MkdirAll(fsys, p("a/b")))
		must(t, MkdirAll(fsys, p("a/b")))
		must(t, WriteFileAtomic(fsys, p("a/b/x"), []byte("one")))
		must(t, WriteFileAtomic(fsys, p("a/b/x"), []byte("two")))
		must(t, fsys.Link(p("a/b/x"), p("a/l")))
		if err := fsys.Link(p("a/b/x"), p("a/l")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("link over a name: %v", err)
		}
		must(t, fsys.Rename(p("a/b/x"), p("a/y")))
		if got := read(t, fsys, p("a/y")); got != "two" {
			t.Errorf("renamed file holds %q", got)
		}
		must(t, fsys.Truncate(p("a/l"), 1))
		if got := read(t, fsys, p("a/y")); got != "t" {
			t.Errorf("truncated through a link: %q", got)
		}
		for name, err := range map[string]error{
			"open":     second(fsys.Open(p("none"))),
			"stat":     second(fsys.Stat(p("a/none"))),
			"list":     second(fsys.List(p("none"))),
			"remove":   fsys.Remove(p("none")),
			"rename":   fsys.Rename(p("none"), p("other")),
			"truncate": fsys.Truncate(p("none"), 0),
			"create":   second(fsys.Create(p("none/x"), vfs.WriteCategoryUnspecified)),
		} {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s of a missing name: %v", name, err)
			}
		}
		if err := fsys.Remove(p("a")); err == nil {
			t.Error("removed a directory that is not empty")
		}
		names, err := fsys.List(p("a"))
		if err != nil || len(names) != 3 {
			t.Errorf("list: %v %v", names, err)
		}
		must(t, fsys.RemoveAll(p("a")))
		must(t, fsys.RemoveAll(p("a")))
		lock, err := fsys.Lock(p("LOCK"))
		must(t, err)
		must(t, lock.Close())
	})
}

func second[T any](_ T, err error) error { return err }

func TestAppend(t *testing.T) {
	// vfs.File has neither Seek nor Truncate: position and length are Append's.
	each(t, func(t *testing.T, fsys FS, dir string) {
		name := fsys.PathJoin(dir, "log")
		a, err := OpenAppend(fsys, name)
		must(t, err)
		for _, s := range []string{"one\n", "two\n"} {
			must(t, second(a.Write([]byte(s))))
		}
		must(t, a.Sync())
		must(t, a.Truncate(4))
		if a.Truncate(5) == nil || a.Truncate(-1) == nil {
			t.Error("truncate outside the file succeeded")
		}
		must(t, second(a.Write([]byte("three\n"))))
		must(t, a.Close())
		a, err = OpenAppend(fsys, name)
		must(t, err)
		if a.Size() != 10 {
			t.Errorf("reopened at %d", a.Size())
		}
		must(t, second(a.Write([]byte("x"))))
		must(t, a.Close())
		if got := read(t, fsys, name); got != "one\nthree\nx" {
			t.Errorf("file holds %q", got)
		}
	})
}

func TestAppendFailures(t *testing.T) {
	// A torn write, a torn write that cannot be undone, and a failed fsync (after
	// which a second fsync may lie) are three different states of a file.
	on := func(kind string) func(Op) bool { return func(o Op) bool { return o.Kind == kind } }
	mem := NewMem()
	f := NewFaulty(mem, Fault{At: -1})
	a, err := OpenAppend(f, "log")
	must(t, err)
	must(t, second(a.Write([]byte("good"))))

	f.Set(Fault{Match: on("writeat"), Err: syscall.ENOSPC})
	if _, err := a.Write([]byte("0123456789")); !errors.Is(err, syscall.ENOSPC) || a.Err() != nil {
		t.Fatalf("torn write: %v, broken %v", err, a.Err())
	}
	if got := read(t, mem, "log"); got != "good" {
		t.Fatalf("after a torn write: %q", got)
	}
	f.Set(Fault{Match: on("sync"), Err: syscall.EIO})
	if err := a.Sync(); !errors.Is(err, syscall.EIO) {
		t.Fatalf("sync: %v", err)
	}
	if err := a.Sync(); !errors.Is(err, syscall.EIO) {
		t.Fatalf("a later sync must not succeed: %v", err)
	}
	must(t, a.Close())

	a, err = OpenAppend(f, "log")
	must(t, err)
	f.Set(Fault{Match: func(o Op) bool { return o.Kind == "writeat" || o.Kind == "truncate" }, Stay: true, Err: syscall.EIO})
	if _, err := a.Write([]byte("0123456789")); err == nil || a.Err() == nil || a.Size() != 4 {
		t.Fatalf("write %v, broken %v, size %d", err, a.Err(), a.Size())
	}
	f.Set(Fault{At: -1})
	if _, err := a.Write([]byte("x")); err == nil {
		t.Fatal("a broken file took a write")
	}
	must(t, a.Sync())
	must(t, a.Truncate(4))
	must(t, a.Close())
	if got := read(t, mem, "log"); got != "good" {
		t.Fatalf("after cutting a broken file: %q", got)
	}
}

func TestWriteFileAtomicFaults(t *testing.T) {
	// Whatever operation fails, the file holds the old or the new text.
	for at := int64(0); ; at++ {
		mem := NewMem()
		must(t, WriteFileAtomic(mem, "f", []byte("old")))
		f := NewFaulty(mem, Fault{At: at, Err: syscall.EIO})
		err := WriteFileAtomic(f, "f", []byte("new"))
		for _, state := range []FS{mem, mem.CrashClone(Crash{})} {
			got := read(t, state, "f")
			if got != "old" && got != "new" || err == nil && got != "new" {
				t.Fatalf("operation %d (%v): %q", at, err, got)
			}
		}
		if _, failed := f.Counts(); failed == 0 {
			must(t, err)
			break
		}
		if err == nil {
			t.Fatalf("operation %d failed unnoticed", at)
		}
	}
}

func TestCrashLosesExactlyWhatIsNotDurable(t *testing.T) {
	// The crash model itself (docs/adr/0011): each row is one promise.
	cases := []struct {
		why  string
		do   func(t *testing.T, m *Mem)
		want map[string]string
	}{
		{"a synced file without a synced name is gone", func(t *testing.T, m *Mem) {
			f, err := m.Create("x", vfs.WriteCategoryUnspecified)
			must(t, err)
			must(t, second(f.Write([]byte("x"))))
			must(t, f.Sync())
		}, map[string]string{}},
		{"a synced name without synced data is empty", func(t *testing.T, m *Mem) {
			f, err := m.Create("x", vfs.WriteCategoryUnspecified)
			must(t, err)
			must(t, second(f.Write([]byte("x"))))
			must(t, SyncDir(m, "/"))
		}, map[string]string{"x": ""}},
		{"a cut that was not synced is undone", func(t *testing.T, m *Mem) {
			must(t, WriteFileAtomic(m, "x", []byte("long")))
			must(t, m.Truncate("x", 1))
		}, map[string]string{"x": "long"}},
		{"bytes after an unsynced cut are not durable", func(t *testing.T, m *Mem) {
			must(t, WriteFileAtomic(m, "x", []byte("long")))
			a, err := OpenAppend(m, "x")
			must(t, err)
			must(t, a.Truncate(2))
			must(t, second(a.Write([]byte("mp"))))
		}, map[string]string{"x": "long"}},
		{"a synced cut stays", func(t *testing.T, m *Mem) {
			must(t, WriteFileAtomic(m, "x", []byte("long")))
			a, err := OpenAppend(m, "x")
			must(t, err)
			must(t, a.Truncate(2))
			must(t, second(a.Write([]byte("ng"))))
			must(t, a.Sync())
		}, map[string]string{"x": "long"[:2] + "ng"}},
		{"a rename that was not synced is undone", func(t *testing.T, m *Mem) {
			must(t, WriteFileAtomic(m, "x", []byte("1")))
			must(t, m.Rename("x", "y"))
		}, map[string]string{"x": "1"}},
		{"a removal that was not synced is undone", func(t *testing.T, m *Mem) {
			must(t, WriteFileAtomic(m, "x", []byte("1")))
			must(t, m.Remove("x"))
		}, map[string]string{"x": "1"}},
	}
	for _, c := range cases {
		t.Run(c.why, func(t *testing.T) {
			m := NewMem()
			c.do(t, m)
			m = m.CrashClone(Crash{})
			names, err := m.List("/")
			must(t, err)
			got := make(map[string]string)
			for _, n := range names {
				got[n] = read(t, m, n)
			}
			if len(got) != len(c.want) {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			for n, w := range c.want {
				if got[n] != w {
					t.Errorf("%s: got %q, want %q", n, got[n], w)
				}
			}
		})
	}
}

func TestCrashNeverLosesARenamedFile(t *testing.T) {
	// Journalling file systems rename atomically: one name at least survives.
	for seed := range uint64(200) {
		m := NewMem()
		must(t, WriteFileAtomic(m, "x", []byte("1")))
		must(t, m.Rename("x", "y"))
		c := m.CrashClone(Crash{KeepPercent: 50, Rand: rand.New(rand.NewPCG(1, seed))})
		names, err := c.List("/")
		must(t, err)
		if len(names) == 0 {
			t.Fatalf("seed %d: the file is gone", seed)
		}
		for _, n := range names {
			if got := read(t, c, n); got != "1" {
				t.Fatalf("seed %d: %s holds %q", seed, n, got)
			}
		}
	}
}

func TestCrashKeepsPrefixUnderRandomLoss(t *testing.T) {
	// Recovery relies on it: below the synced length bytes are right, whatever
	// happened to those above.
	data := bytes.Repeat([]byte("0123456789abcdef"), 4096)
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(2, seed))
		m := NewMem()
		a, err := OpenAppend(m, "log")
		must(t, err)
		synced := 0
		for a.Size() < int64(len(data)) {
			n := min(r.Int64N(9000)+1, int64(len(data))-a.Size())
			must(t, second(a.Write(bytes.Clone(data[a.Size():a.Size()+n]))))
			if r.IntN(3) == 0 {
				must(t, a.Sync())
				synced = int(a.Size())
			}
			got := read(t, m.CrashClone(Crash{KeepPercent: 50, Rand: r}), "log")
			if len(got) < synced || got[:synced] != string(data[:synced]) {
				t.Fatalf("seed %d: synced %d bytes, found %d", seed, synced, len(got))
			}
		}
	}
}

func TestFailPoints(t *testing.T) {
	// The kill tests name a point and a hit; only that hit may act.
	var hits []string
	f, err := NewFailPoints("a=2,b=1", func(p string) { hits = append(hits, p) })
	must(t, err)
	for _, p := range []string{"a", "c", "b", "a", "a", "b"} {
		f.Hit(p)
	}
	if got := strings.Join(hits, " "); got != "b a" {
		t.Errorf("acted at %q", got)
	}
	for _, bad := range []string{"a", "a=0", "a=x", "=1", "a=1,", "a=-1"} {
		if _, err := NewFailPoints(bad, nil); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	none, err := ParseFailPoints("")
	must(t, err)
	none.Hit("a")
}

func TestFailPointKills(t *testing.T) {
	// It must be SIGKILL: an orderly exit would run deferred closes.
	if spec := os.Getenv("FSX_TEST_FAILPOINT"); spec != "" {
		f, err := ParseFailPoints(spec)
		must(t, err)
		f.Hit("x")
		t.Fatal("survived")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFailPointKills$")
	cmd.Env = append(os.Environ(), "FSX_TEST_FAILPOINT=x=1")
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("child: %v", err)
	}
	if ws, ok := exit.Sys().(syscall.WaitStatus); !ok || ws.Signal() != syscall.SIGKILL {
		t.Fatalf("child ended by %v", err)
	}
}
