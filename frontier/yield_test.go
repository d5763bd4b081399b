package frontier

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/internal/fsx"
)

// TestOthersHaveTheirTurn: on one processor, somebody who is ready runs while a table is written, and while
// there is a loop over rows.
func TestOthersHaveTheirTurn(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	fs := storeFS{fsx.NewMem(), "state", newDeath(), nil}
	table, err := fs.Create("000001.sst", vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = table.Close() }()
	var others turns
	for name, work := range map[string]func(){
		"a table": func() {
			if _, err := table.Write([]byte("x")); err != nil {
				t.Fatal(err)
			}
		},
		"rows": func() { others.step(2) },
	} {
		var ran atomic.Bool
		go ran.Store(true)
		for range 4 { // Go may take the one that gave way first, once in a while
			work()
		}
		if !ran.Load() {
			t.Errorf("%s: nobody else had a turn", name)
		}
	}
}
