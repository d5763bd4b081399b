package extract

import (
	"context"
	"runtime"
	"time"

	"exclave/internal/conf"
	"exclave/internal/markup"
)

// Documents bounds the reading of documents (section [documents] of job.toml).
type Documents struct {
	// AtOnce is how many documents are read at the same time, whatever the number of
	// ToeThreads, 0 … 10,000. 0 = as many as there are processors.
	AtOnce int `toml:"at_once"`
	// MaxTime is how long the extraction of links of one document may take, and how
	// long its analysis. What was found until then is kept. 0 = no limit.
	MaxTime time.Duration `toml:"max_time"`
	// Packed has documents in ZIP, tar, gzip and bzip2 files read, too.
	Packed bool `toml:"packed"`
}

// DefaultDocuments returns one document per processor and 30 s for each.
func DefaultDocuments() Documents { return Documents{MaxTime: 30 * time.Second} }

// Validate returns every value that cannot be.
func (d Documents) Validate() (ps conf.Problems) {
	if d.AtOnce < 0 || d.AtOnce > 10000 {
		ps.Add("at_once", "%d is not between 0 and 10000; 0 means as many as there are processors", d.AtOnce)
	}
	if d.MaxTime < 0 {
		ps.Add("max_time", "%v is negative; 0 means no limit", d.MaxTime)
	}
	return ps
}

const (
	// smallBody is the length up to which a document is small: reading it takes memory
	// that every processor may take at the same time.
	smallBody = 1 << 20
	// largeAtOnce is how many large documents are read at the same time, whatever the
	// number of processors: each takes up to thirty times its length.
	largeAtOnce = 2
)

// Room is where the documents of a crawl are read: memory and processors are taken by
// few at a time, however many ToeThreads there are. A nil Room has no bounds.
type Room struct {
	seats chan struct{} // one for each document being read
	large chan struct{} // one for each of the large among them
	// limited makes the context that ends with the time for one document.
	limited func(context.Context) (context.Context, context.CancelFunc)
	scripts *markup.Scripts
	bodies  Archived
}

// NewRoom returns a room for all processors of a crawl that read documents.
func NewRoom(d Documents) *Room {
	if d.AtOnce <= 0 {
		d.AtOnce = runtime.GOMAXPROCS(0)
	}
	limited := func(ctx context.Context) (context.Context, context.CancelFunc) {
		if d.MaxTime <= 0 {
			return context.WithCancel(ctx)
		}
		return context.WithTimeout(ctx, d.MaxTime)
	}
	return &Room{make(chan struct{}, d.AtOnce), make(chan struct{}, min(d.AtOnce, largeAtOnce)), limited, markup.NewScripts(), nil}
}

// With has pages read with the scripts that are archived, and scripts with their pages. It is called before the first document.
func (r *Room) With(a Archived) { r.bodies = a }

// archived has what may be read with a document; nil: nothing.
func (r *Room) archived() Archived {
	if r == nil {
		return nil
	}
	return r.bodies
}

// known are the scripts of documents that were read here.
func (r *Room) known() *markup.Scripts {
	if r == nil {
		return nil
	}
	return r.scripts
}

// enter waits for a seat and returns the context of what is done on it, which ends
// when the time is over, and what gives the seat back, which may be called again. Its
// error is ctx's. Who waits for a seat for a large document has none: the small ones
// go on.
func (r *Room) enter(ctx context.Context, large bool) (context.Context, func(), error) {
	if r == nil {
		return ctx, func() {}, ctx.Err()
	}
	var taken []chan struct{}
	leave := func() {
		for _, c := range taken {
			<-c
		}
		taken = nil
	}
	seats := []chan struct{}{r.seats}
	if large {
		seats = []chan struct{}{r.large, r.seats}
	}
	for _, c := range seats {
		select {
		case c <- struct{}{}:
			taken = append(taken, c)
		case <-ctx.Done():
			leave()
			return nil, nil, ctx.Err()
		}
	}
	in, cancel := r.limited(ctx)
	return in, func() { cancel(); leave() }, nil
}
