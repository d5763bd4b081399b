package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"exclave/internal/job"
	"exclave/internal/live"
)

// liveView is the live view of a crawl in this process, if it has one.
type liveView struct {
	log  *live.Log
	view *live.View // nil without a terminal
}

// openLiveView prepares a view on the terminal that stderr is. Without one, or when
// none is wanted, what is logged goes straight to stderr.
func openLiveView(stderr io.Writer, wanted bool) liveView {
	l := liveView{log: live.NewLog(stderr)}
	if !wanted {
		return l
	}
	view, err := live.Open(stderr, live.Options{Log: l.log, Kill: func() { os.Exit(int(exitInterrupt)) }})
	if err == nil { // else a line of progress is all that is possible
		l.view = view
	}
	return l
}

// restore gives the terminal back before the process ends at once.
func (l liveView) restore() {
	if l.view != nil {
		l.view.Restore()
	}
}

// show runs the view beside a crawl.
func (l liveView) show(j *job.Job) (end func()) {
	if l.view == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := l.view.Run(ctx, localCrawl{j}); err != nil && ctx.Err() == nil {
			// The crawl is worth more than the view of it.
			fmt.Fprintln(l.log, "exclave: the live view ended:", err)
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// unseen shows nothing.
func unseen(*job.Job) (end func()) { return func() {} }

// localCrawl is a crawl of this process.
type localCrawl struct{ job *job.Job }

// Snapshot implements [live.Crawl].
func (c localCrawl) Snapshot(context.Context) (job.Snapshot, error) { return c.job.Snapshot(), nil }

// Pause implements [live.Crawl].
func (c localCrawl) Pause(context.Context) error { c.job.Pause(); return nil }

// Resume implements [live.Crawl].
func (c localCrawl) Resume(context.Context) error { c.job.Resume(); return nil }

// Stop implements [live.Crawl].
func (c localCrawl) Stop(context.Context) error { c.job.Stop(); return nil }
