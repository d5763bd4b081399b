package frontier

import "time"

// wall is the time by which hosts rest: that of the wall when the state was opened,
// and monotonic from there.
func (f *Frontier) wall() time.Time { return f.pace.Wall(f.o.Clock.Mono()) }
