package store

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/internal/fsx"
	"exclave/internal/yield"
)

// TestYields: on one processor, somebody who is ready runs while a table is written, and while
// there is a loop over rows.
func TestYields(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	fs := storeFS{fsx.NewMem(), &Store{o: Options{Dir: "state"}, death: newDeath()}}
	table, err := fs.Create("000001.sst", vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = table.Close() }()
	var loop yield.Loop
	for name, work := range map[string]func(){
		"a table": func() {
			if _, err := table.Write([]byte("x")); err != nil {
				t.Fatal(err)
			}
		},
		"rows": func() { loop.Step(2) },
	} {
		var ran atomic.Bool
		go ran.Store(true)
		for range 4 { // Go may take the one that yielded first, once in a while
			work()
		}
		if !ran.Load() {
			t.Errorf("%s: nobody else ran", name)
		}
	}
}
