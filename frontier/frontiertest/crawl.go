package frontiertest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"exclave/crawl"
	"exclave/internal/mime"
)

// Frontier is what is tested.
type Frontier interface {
	Next(ctx context.Context) (*crawl.CrawlURI, error)
	Schedule(ctx context.Context, cs ...crawl.Candidate) error
	Finished(ctx context.Context, u *crawl.CrawlURI) error
}

// Crawl takes the place of ToeThreads and chains: it answers as the web does and hands in
// captures of a single WARC file, which thus reach the frontier out of order.
type Crawl struct {
	Web *Web
	// Resign hands a URI back unprocessed when it returns true, so that the order
	// becomes another one. It is called with a lock held; nil is never.
	Resign func() bool
	// Acknowledged is called after each Finished that succeeded.
	Acknowledged func(u *crawl.CrawlURI)

	mu       sync.Mutex
	end      int64 // of the file
	captures map[string]int
	busy     map[string]string // host → URL
	faults   []error
}

// NewCrawl starts at the given length of WARC file 1, as recovery left it.
func NewCrawl(w *Web, committed int64) *Crawl {
	return &Crawl{Web: w, end: committed, captures: map[string]int{}, busy: map[string]string{}}
}

// Run crawls with the given number of workers until the frontier is done or
// fails, or ctx ends. The error is the first one that is neither crawl.ErrDone
// nor of ctx.
func (c *Crawl) Run(ctx context.Context, f Frontier, workers int) error {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				u, err := f.Next(ctx)
				if err == nil {
					c.take(u)
					c.process(u)
					err = c.hand(f, u)
				}
				if err != nil {
					if !errors.Is(err, crawl.ErrDone) && ctx.Err() == nil {
						c.fault(err)
					}
					return
				}
			}
		})
	}
	wg.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return errors.Join(c.faults...)
}

func (c *Crawl) fault(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, err)
}

func (c *Crawl) take(u *crawl.CrawlURI) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.busy[u.Host]; other != "" {
		c.faults = append(c.faults, fmt.Errorf("%s and %s are in process at once: one connection per host", u.URL, other))
	}
	c.busy[u.Host] = u.URL
}

func (c *Crawl) hand(f Frontier, u *crawl.CrawlURI) error {
	c.mu.Lock()
	delete(c.busy, u.Host) // before Finished: the queue may be dispatched again before it returns
	c.mu.Unlock()
	err := f.Finished(context.Background(), u)
	if err == nil && c.Acknowledged != nil && u.Disposition == crawl.Done {
		c.Acknowledged(u)
	}
	return err
}

// process does what the five chains do.
func (c *Crawl) process(u *crawl.CrawlURI) {
	i, ok := c.Web.index[u.Key]
	if !ok {
		c.fault(fmt.Errorf("%s was never scheduled", u.Key))
		return
	}
	p := c.Web.Pages[i].as(u.Ways)
	u.Disposition = crawl.Done
	u.Lines = []crawl.LogLine{{Log: crawl.LogCrawl, Text: []byte(u.Key + "\n")}}
	if u.Mode == crawl.ModeFetch && !p.accepts(u.Claim, u.Ways) {
		u.Status = crawl.StatusOutOfScope
		return
	}
	u.Status, u.Class, u.Judgeable = p.Status, p.Class, p.Judgeable
	if p.Open && p.Class == crawl.ClassText {
		u.MIME.Open = mime.HintCSS
	}
	if p.Judgeable && u.Claim.Analyse && (u.Prior == nil || !u.Prior.Outcome.Judged) {
		u.Judged = &crawl.Judgement{ValidFor: p.Valid}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Resign != nil && c.Resign() {
		u.Disposition, u.Judged = crawl.Resign, nil
		return
	}
	if u.Mode == crawl.ModeFetch {
		if c.Web.Depths.Archived(u.Claim, u.Outcome()) {
			start := c.end
			c.end += 100
			u.Span = &crawl.Span{File: 1, Start: start, End: c.end}
			u.Response = crawl.Ref{File: 1, Offset: start, Length: 100}
			u.RecordID = fmt.Sprintf("urn:test:%d", start)
			c.captures[u.Key]++
		}
	}
	o := u.Outcome()
	for _, l := range p.Links {
		to := c.Web.Pages[l.To]
		u.Embedding, u.Guesses = u.Embedding || l.hop() != crawl.HopLink, u.Guesses || l.Kind == crawl.LinkSpeculative
		ways, kind := c.Web.reach(l, u.Claim, o, u.Ways)
		claim := c.Web.Depths.Child(u.Claim, o, kind)
		if !to.accepts(claim, ways) {
			continue
		}
		u.Links = append(u.Links, crawl.Candidate{URL: to.Key, Key: to.Key, Host: to.Host, Via: u.URL, Kind: kind,
			Hops: u.Hops + string(rune(l.hop())), Ways: ways, Claim: claim})
	}
}

// Twice returns a key that was captured more than once, "" when there is none.
// Only a crash may cause it.
func (c *Crawl) Twice() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, n := range c.captures {
		if n > 1 {
			return k
		}
	}
	return ""
}
