package frontier

import (
	"runtime"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// turns lets others run after some work in a loop. Go gives a goroutine 10 ms before it looks
// for another one; on few processors the committer, the reader and a compaction would keep those
// waiting who call Next for a moment's work.
type turns struct{ done int }

// Work that is done in about 50 to 100 µs, in calls of step.
const (
	everyRow  = 64 // rows encoded, decoded or copied
	everySeek = 16 // rows looked for in the store
)

// step counts a piece of work and lets others run after so many.
func (t *turns) step(every int) {
	if t.done++; t.done >= every {
		t.done = 0
		runtime.Gosched()
	}
}

// backgroundFile is a table of the store that is written in the background, as others leave it time.
type backgroundFile struct{ vfs.File }

// Write implements vfs.File.
func (p backgroundFile) Write(b []byte) (int, error) {
	runtime.Gosched()
	return p.File.Write(b)
}

// Create implements vfs.FS.
func (s storeFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := s.FS.Create(name, c)
	if err != nil || !strings.HasSuffix(name, ".sst") {
		return f, err
	}
	return backgroundFile{f}, nil
}
