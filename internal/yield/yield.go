// Package yield lets other goroutines run in the middle of a long loop. Go gives a goroutine 10 ms
// before it looks for another one; on few processors the committer, the reader and a compaction
// would keep those waiting who call Next for a moment's work.
//
// There is no state and no I/O.
package yield

import "runtime"

// Loop counts the work of a loop. The zero Loop is ready. It is for one goroutine.
type Loop struct{ done int }

// Work that is done in about 50 to 100 µs, in calls of [Loop.Step].
const (
	Rows  = 64  // rows encoded, decoded or copied
	Seeks = 16  // rows looked for in the store
	Puts  = 256 // rows put into a batch
)

// Step counts a piece of work and lets others run after so many.
func (l *Loop) Step(every int) {
	if l.done++; l.done >= every {
		l.done = 0
		runtime.Gosched()
	}
}
