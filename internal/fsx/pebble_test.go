package fsx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2"
)

type quiet struct{}

// fatal is how Pebble reports that it cannot go on after an I/O error.
type fatal struct{ msg string }

func (quiet) Infof(string, ...any)      {}
func (quiet) Errorf(string, ...any)     {}
func (quiet) Fatalf(f string, a ...any) { panic(fatal{fmt.Sprintf(f, a...)}) }

func openPebble(fsys FS) (*pebble.DB, error) {
	return pebble.Open("/db", &pebble.Options{
		FS: fsys, Logger: quiet{}, MemTableSize: 64 << 10,
		FormatMajorVersion:          pebble.FormatNewest,
		DisableAutomaticCompactions: true, // compactions fail on goroutines of Pebble's own
	})
}

// step is one group of a committer in miniature: log line, sync, then a Pebble
// batch that says how long the log is.
func step(db *pebble.DB, log *Append, i int) error {
	if _, err := fmt.Fprintf(log, "line %d\n", i); err != nil {
		return err
	}
	if err := log.Sync(); err != nil {
		return err
	}
	return db.Set([]byte("committed"), fmt.Appendf(nil, "%d %d", i, log.Size()), pebble.Sync)
}

// verify reopens what a crash left: at least acked steps are there and the log
// holds every line that Pebble says is committed.
func verify(t *testing.T, fsys FS, acked int) {
	t.Helper()
	db, err := openPebble(fsys)
	must(t, err)
	defer func() { must(t, db.Close()) }()
	got, size := -1, 0
	switch v, closer, err := db.Get([]byte("committed")); {
	case err == nil:
		_, err = fmt.Sscanf(string(v), "%d %d", &got, &size)
		must(t, errors.Join(err, closer.Close()))
	case !errors.Is(err, pebble.ErrNotFound):
		t.Fatal(err)
	}
	if got < acked {
		t.Fatalf("step %d was acknowledged, the state holds %d", acked, got)
	}
	if got < 0 {
		return
	}
	log := read(t, fsys, "/log")
	if len(log) < size {
		t.Fatalf("log has %d bytes, %d are committed", len(log), size)
	}
	if lines := strings.Count(log[:size], "\n"); lines != got+1 {
		t.Fatalf("%d lines are committed, want %d", lines, got+1)
	}
}

func TestPebbleOnMemSurvivesCrashes(t *testing.T) {
	// Decision 11: Pebble and logs are cut at one instant and agree afterwards.
	r := rand.New(rand.NewPCG(7, 7))
	m := NewMem()
	db, err := openPebble(m)
	must(t, err)
	log, err := OpenAppend(m, "/log")
	must(t, err)
	for i := range 60 {
		must(t, step(db, log, i))
		must(t, second(log.Write([]byte("not synced"))))
		must(t, db.Set([]byte(fmt.Sprint("unsynced", i)), make([]byte, 3000), pebble.NoSync))
		verify(t, m.CrashClone(Crash{KeepPercent: (i % 3) * 50, Rand: r}), i)
		must(t, log.Truncate(log.Size()-int64(len("not synced"))))
	}
	must(t, errors.Join(log.Close(), db.Close()))
}

func TestFaultAtEveryOperation(t *testing.T) {
	// Pebble's own pattern (error_test.go): fail operation 0, 1, 2 … until a run
	// has none; whatever was acknowledged is there after reopening.
	for _, stay := range []bool{false, true} {
		for at := int64(0); ; at++ {
			m := NewMem()
			f := NewFaulty(m, Fault{At: at, Stay: stay, Err: syscall.ENOSPC})
			acked, err := workload(f)
			_, failed := f.Counts()
			if failed > 0 && stay && err == nil && acked < 3 {
				t.Fatalf("operation %d failed unnoticed", at)
			}
			verify(t, m.CrashClone(Crash{}), acked)
			if failed == 0 {
				must(t, err)
				break
			}
		}
	}
}

// workload returns the last step that was acknowledged, −1 for none.
func workload(f FS) (acked int, err error) {
	acked = -1
	defer func() {
		if p := recover(); p != nil {
			// Pebble panics where it cannot go on: through the logger's Fatalf, or
			// with the I/O error itself when a directory cannot be synced.
			if e, ok := p.(error); ok && errors.Is(e, syscall.ENOSPC) {
				err = e
			} else if e, ok := p.(fatal); ok {
				err = errors.New(e.msg)
			} else {
				panic(p)
			}
		}
	}()
	db, err := openPebble(f)
	if err != nil {
		return acked, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	log, err := OpenAppend(f, "/log")
	if err != nil {
		return acked, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	for i := range 4 {
		if err := step(db, log, i); err != nil {
			return acked, err
		}
		acked = i
	}
	return acked, nil
}
