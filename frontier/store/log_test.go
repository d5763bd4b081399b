package store

import (
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"testing"

	"exclave/frontier/schema"
	"exclave/internal/fsx"
)

// TestFailingDisk: whatever operation of an open store fails, on its log, its tables or its folder, once or from then on, the process
// lives, whoever waits for something is told why, and what was durable is there on a disk that works again.
func TestFailingDisk(t *testing.T) {
	for _, stay := range []bool{false, true} {
		for at := int64(0); ; at++ {
			mem := fsx.NewMem()
			faulty := fsx.NewFaulty(mem, fsx.Fault{At: -1})
			s, err := Open(Options{FS: faulty, Dir: "state", Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			fault := fsx.Fault{At: at, Stay: stay, Err: syscall.EIO}
			if stay { // Pebble tries to write a table until it is written
				fault.Match = func(op fsx.Op) bool { return op.Path == "state" || strings.HasSuffix(op.Path, ".log") }
			}
			faulty.Set(fault)
			durable := 0
			for i := 0; i < 3 && err == nil; i++ {
				b := &Batch{}
				b.Set(logKey(i), make([]byte, 1000))
				if err = s.Commit(b, true); err == nil {
					durable = i + 1
					err = s.Flush()
				}
			}
			failedBefore := s.Cause()
			closed := s.Close()
			if _, failed := faulty.Counts(); failed == 0 {
				if err != nil || closed != nil {
					t.Fatalf("nothing failed, yet %v, %v", err, closed)
				}
				break
			}
			if failedBefore != nil && !saysWhy(closed) || err != nil && !saysWhy(err) {
				t.Errorf("operation %d: %v, closed with %v", at, err, closed)
			}
			again, err := Open(Options{FS: mem.CrashClone(fsx.Crash{KeepPercent: 0}), Dir: "state", Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatalf("operation %d: %v", at, err)
			}
			for i := range durable {
				if _, err := again.Get(logKey(i)); err != nil {
					t.Errorf("operation %d: row %d of %d: %v", at, i, durable, err)
				}
			}
			if err := again.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// saysWhy reports an error that has the one of the disk, or, of Pebble's, its words.
func saysWhy(err error) bool { return err != nil && strings.Contains(err.Error(), syscall.EIO.Error()) }

func logKey(i int) []byte { return append(schema.FileKey(0), fmt.Sprint(i)...) }

// TestLogWritesWhole: what fails of a file of the log is told as written whole, for a part that is written is an error of its own.
func TestLogWritesWhole(t *testing.T) {
	faulty := fsx.NewFaulty(fsx.NewMem(), fsx.Fault{At: -1})
	s, err := Open(Options{FS: faulty, Dir: "state", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	file, err := storeFS{faulty, s}.Create("state/000099.log", "")
	if err != nil {
		t.Fatal(err)
	}
	faulty.Set(fsx.Fault{At: 0, Err: syscall.EIO})
	for range 2 { // the first one fails, the second is not tried
		if n, err := file.Write(make([]byte, 100)); n != 100 || err != nil {
			t.Errorf("%d of 100 bytes, %v", n, err)
		}
	}
	if err := s.Close(); !saysWhy(err) {
		t.Errorf("closed with %v", err)
	}
}
