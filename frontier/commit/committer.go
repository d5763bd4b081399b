package commit

import (
	"context"
	"errors"
	"slices"

	"exclave/frontier/rules"
	"exclave/frontier/schema"
)

// ErrClosed is returned for requests that came too late to be committed.
var ErrClosed = errors.New("frontier: closed")

// Request is a change of the state that is to be made durable.
type Request struct {
	rules.Request
	Files []schema.FileRow // rows of WARC files that got their final names
	// After is called when the request is durable, before the next commit; its error is the answer to the request. It may
	// be nil.
	After func() error
	done  chan error
}

// Env is the environment of a Committer: what it needs of the frontier.
type Env struct {
	// Accept counts a request that is handed in; its error refuses the request. Answered removes n requests from the
	// count.
	Accept   func() error
	Answered func(n int)
	// Err returns the error that made the frontier fail for good; Fail sets it.
	Err  func() error
	Fail func(err error)
	// Left reports whether there is something to commit without a request; Wake receives when there may be.
	Left func() bool
	Wake <-chan struct{}
	// Committed returns the committed length of a WARC file.
	Committed func(file uint32) int64
	// Begin begins a group.
	Begin func() Group
	Ahead *Reader // reads ahead
}

// Group is a group of requests that are made durable together. Its methods are the steps, in the order in which they are
// called. After an error only Close is called.
type Group interface {
	TakeOver(a *Ahead) error   // gives the rows that were read ahead to the rules
	Apply(rs []*Request) error // lets the rules change rows
	Append() error             // appends lines to logs
	Sync() error               // makes logs and WARC files durable
	Write() error              // writes the rows, durably, under the next number
	Publish() error            // tells the scheduler what the commit changed
	Complete() error           // renames full logs and WARC files
	Close() error
}

// run calls the steps of a group.
func run(g Group, as []*Ahead, rs []*Request) (err error) {
	defer func() { err = errors.Join(err, g.Close()) }()
	for _, a := range as {
		err = errors.Join(err, g.TakeOver(a))
	}
	if err != nil {
		return err
	}
	for _, step := range []func() error{func() error { return g.Apply(rs) }, g.Append, g.Sync, g.Write, g.Publish, g.Complete} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// maxGroup bounds the requests of a group. A group, or the groups of one commit, gather no more requests when they have
// enoughLinks links, so that there is something left to read ahead during the commit.
const (
	maxGroup    = 512
	enoughLinks = 4000
)

// groupsAhead is how many groups may wait to be committed, requestsWaiting how many requests to be gathered.
const (
	groupsAhead     = 8
	requestsWaiting = 1024
)

// Committer is the only writer of the state.
type Committer struct {
	env    Env
	read   func(a *Ahead) error // reads ahead
	reqs   chan *Request
	groups chan *Ahead
	quit   chan struct{}
	idle   chan struct{} // closed when the committer has ended
}

// New returns a committer; [Committer.Start] starts it.
func New(env Env) *Committer {
	c := &Committer{env: env, reqs: make(chan *Request, requestsWaiting), groups: make(chan *Ahead, groupsAhead), quit: make(chan struct{}), idle: make(chan struct{})}
	c.read = func(a *Ahead) error { return env.Ahead.Store.Guard(func() error { return env.Ahead.read(a) }) }
	return c
}

// Start starts the two goroutines of the committer.
func (c *Committer) Start() {
	go c.readLoop()
	go c.commitLoop()
}

// Stop waits until all requests handed in are committed and the committer has ended. It may be called only once.
func (c *Committer) Stop() {
	close(c.quit)
	<-c.idle
}

// Stopping is closed when Stop is called.
func (c *Committer) Stopping() <-chan struct{} { return c.quit }

// Idle is closed when the committer has ended.
func (c *Committer) Idle() <-chan struct{} { return c.idle }

// Submit hands in a request and waits until it is durable.
func (c *Committer) Submit(ctx context.Context, r *Request) error {
	if err := c.HandIn(ctx, r); err != nil {
		return err
	}
	return c.Wait(r)
}

// HandIn hands in a request. Requests are committed in this order, except captures that lie behind others in their
// WARC file that were not handed in yet.
func (c *Committer) HandIn(ctx context.Context, r *Request) (err error) {
	r.done = make(chan error, 1)
	if err := c.env.Accept(); err != nil {
		return err
	}
	select {
	case c.reqs <- r:
		return nil
	case <-c.idle:
		err = ErrClosed
	case <-ctx.Done():
		err = ctx.Err()
	}
	c.env.Answered(1)
	return err
}

// Wait waits until a request that was handed in is durable.
func (c *Committer) Wait(r *Request) error {
	select {
	case err := <-r.done:
		return err
	case <-c.idle:
	}
	select {
	case err := <-r.done: // answered just before the committer ended
		return err
	default:
		c.env.Answered(1)
		return ErrClosed
	}
}

func (c *Committer) commitLoop() {
	defer close(c.idle)
	var held []*Request // captures that lie behind others not yet handed in
	for {
		as, ok := c.nextGroups()
		if !ok {
			c.answer(held, ErrClosed)
			return
		}
		if err := c.env.Err(); err != nil {
			// Nothing is committed any more, so held captures need not wait for others.
			c.answer(append(held, requests(as)...), err)
			held = nil
			continue
		}
		ready, wait := c.inFileOrder(append(held, requests(as)...))
		held = wait
		if len(ready) == 0 && !c.env.Left() {
			for _, a := range as {
				c.env.Ahead.Recent.EndRead(a.since)
			}
			continue
		}
		err := run(c.env.Begin(), as, ready)
		if err != nil {
			c.env.Fail(err)
		}
		var after []*Request
		ready = slices.DeleteFunc(ready, func(r *Request) bool {
			if r.After != nil && err == nil {
				after = append(after, r)
				return true
			}
			return false
		})
		c.answer(ready, err)
		for _, r := range after {
			c.answer([]*Request{r}, r.After())
		}
		if err != nil {
			c.answer(held, err)
			held = nil
		}
	}
}

// inFileOrder holds back the captures that lie behind one not yet handed in.
func (c *Committer) inFileOrder(rs []*Request) (ready, wait []*Request) {
	ends := map[uint32]int64{}
	for progress := true; progress; {
		progress, wait = false, nil
		for _, r := range rs {
			if r.URI == nil || r.URI.Span == nil {
				ready = append(ready, r)
				continue
			}
			s := r.URI.Span
			end, ok := ends[s.File]
			if !ok {
				end = c.env.Committed(s.File)
			}
			if s.Start != end {
				wait = append(wait, r)
				continue
			}
			ends[s.File] = s.End
			ready, progress = append(ready, r), true
		}
		rs = wait
	}
	return ready, wait
}

func (c *Committer) answer(rs []*Request, err error) {
	c.env.Answered(len(rs))
	for _, r := range rs {
		r.done <- err
	}
}

// nextGroups returns the groups for the next commit: those read since the last one, until they have
// enoughLinks. It may return none if there is something to commit without a request. ok is false
// when the committer was stopped and nothing is left.
func (c *Committer) nextGroups() (as []*Ahead, ok bool) {
	links := 0
	take := func(a *Ahead, open bool) {
		if ok = open; !open {
			return
		}
		as = append(as, a)
		for _, r := range a.requests {
			links += r.Links()
		}
	}
	if !c.env.Left() {
		select {
		case a, open := <-c.groups:
			take(a, open)
		case <-c.env.Wake:
			ok = true
		}
	} else {
		ok = true
	}
	for ok && links < enoughLinks {
		select {
		case a, open := <-c.groups:
			take(a, open)
			continue
		default:
		}
		break
	}
	return as, ok || len(as) > 0
}

func requests(as []*Ahead) (rs []*Request) {
	for _, a := range as {
		rs = append(rs, a.requests...)
	}
	return rs
}
