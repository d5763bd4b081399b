package chain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/conf"
)

// Config is the configuration of the controller (section [crawl] of job.toml).
type Config struct {
	ToeThreads int           `toml:"toe_threads"` // workers, 1 … 10,000
	MaxTime    time.Duration `toml:"max_time"`    // the crawl stops in order after it; 0 = no limit
	MaxURLs    int64         `toml:"max_urls"`    // answers fetched in this run; 0 = no limit
	MaxBytes   int64         `toml:"max_bytes"`   // bytes received in this run; 0 = no limit
	Grace      time.Duration `toml:"grace"`       // how long a stop waits for URIs in process
}

// DefaultConfig returns the defaults: 50 ToeThreads, no limits, 5 s of grace.
func DefaultConfig() Config { return Config{ToeThreads: 50, Grace: 5 * time.Second} }

// Validate returns every value that cannot be.
func (c Config) Validate() (ps conf.Problems) {
	if c.ToeThreads < 1 || c.ToeThreads > 10000 {
		ps.Add("toe_threads", "%d is not between 1 and 10000", c.ToeThreads)
	}
	if c.MaxTime < 0 {
		ps.Add("max_time", "%v is negative; 0 means no limit", c.MaxTime)
	}
	if c.MaxURLs < 0 {
		ps.Add("max_urls", "%d is negative; 0 means no limit", c.MaxURLs)
	}
	if c.MaxBytes < 0 {
		ps.Add("max_bytes", "%d is negative; 0 means no limit", c.MaxBytes)
	}
	if c.Grace < 0 {
		ps.Add("grace", "%v is negative", c.Grace)
	}
	return ps
}

// Activity is what a ToeThread is doing: a snapshot for the threads report.
type Activity struct {
	Worker int       `json:"worker"` // from 1
	URL    string    `json:"url"`    // "" while it waits for a URI
	Host   string    `json:"host"`   // of the URL
	Chain  Name      `json:"chain"`
	Step   string    `json:"step"`
	Since  time.Time `json:"since"` // when the step, or the waiting, began
	// Of the URI, for the report on ToeThreads.
	Hops, Via string    `json:"-"`
	Attempt   int       `json:"-"` // from 1
	Taken     time.Time `json:"-"` // when the frontier gave it out
}

// Reason says why a crawl ended.
type Reason string

// The reasons for the end of a run.
const (
	Finished  Reason = "finished"
	Stopped   Reason = "stopped"
	TimeLimit Reason = "time limit"
	URLLimit  Reason = "URL limit"
	ByteLimit Reason = "byte limit"
	DiskLimit Reason = "disk limit"
	Failed    Reason = "failed"
)

// State is what a run is about to do.
type State string

// The states of a run.
const (
	Running  State = "running"
	Paused   State = "paused" // what was begun is finished, nothing is begun
	Stopping State = "stopping"
)

// Counts are what the controller has seen in this run.
type Counts struct {
	Fetched int64 `json:"fetched"` // answers of web servers
	Bytes   int64 `json:"bytes"`   // received from them
	Busy    int   `json:"busy"`    // ToeThreads with a URI
	// Committing are URIs whose outcome waits for the disk: their ToeThreads have gone
	// on, their hosts are in process until it is committed.
	Committing int `json:"committing"`
	// Errors are attempts that failed, by [crawl.Status.ErrorClass]: a URI that is
	// tried three times counts up to three times. A server without a robots.txt
	// made no error. Classes without errors are left out.
	Errors map[string]int64 `json:"errors"`
}

// Controller runs a crawl: it starts the chains, lets ToeThreads take URIs from
// the frontier, and stops them in order. Use it once.
type Controller struct {
	cfg      Config
	frontier Frontier
	chains   *Chains
	clk      clock.Clock
	log      *slog.Logger

	activity       []atomic.Pointer[Activity]
	fetched, bytes atomic.Int64
	busy           atomic.Int64
	committing     atomic.Int64
	errors         map[string]*atomic.Int64 // by class; the map never changes
	handing        sync.WaitGroup           // outcomes on their way to the frontier
	holds          []atomic.Int32           // of each ToeThread, see hold.go
	slots          chan struct{}            // one for each of them, and for each ToeThread
	stop           context.CancelCauseFunc
	take           context.Context // ends when no further URI is to be taken
	stopOnce       sync.Once
	mu             sync.Mutex
	reason         Reason
	err            error
	ending         bool
	paused         chan struct{} // nil while running; closed by Resume
	changed        chan struct{} // closed and renewed with each change of the state
	begun          chan struct{} // closed after the initial tasks
}

// StepCommits is where a ToeThread is that has a URI and does not begin it, because
// outcomes of others wait for the disk, as many as may; or has done with one whose
// outcome is large, and waits until it is on the disk.
const StepCommits = "wait for commits"

// StepHandIn is where a ToeThread is that gives a URI back to the frontier.
const StepHandIn = "hand in"

// maxHanding is how many outcomes may wait for the disk at the same time. They are
// small: recording and document are given up before. For one whose facts are larger
// than maxFacts its ToeThread waits, so that there are no more of those than threads.
const (
	maxHanding = 500
	maxFacts   = 64 << 10
)

// NewController prepares a crawl.
func NewController(cfg Config, f Frontier, c *Chains, clk clock.Clock, log *slog.Logger) *Controller {
	ctl := &Controller{cfg: cfg, frontier: f, chains: c, clk: clk, log: log,
		changed: make(chan struct{}), begun: make(chan struct{}), slots: make(chan struct{}, maxHanding+cfg.ToeThreads),
		activity: make([]atomic.Pointer[Activity], cfg.ToeThreads), errors: map[string]*atomic.Int64{}, holds: make([]atomic.Int32, cfg.ToeThreads)}
	for _, class := range crawl.ErrorClasses() {
		ctl.errors[class] = new(atomic.Int64)
	}
	return ctl
}

// Run crawls until nothing is left, a limit is reached, ctx ends (a stop in
// order) or something fails that must not be gone on after. It returns when all
// ToeThreads have handed their URIs back and the final tasks have run; those that do
// not give theirs back after a stop are left behind, with URIs that the next run is
// offered.
func (c *Controller) Run(ctx context.Context) (Reason, error) {
	take, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c.mu.Lock()
	c.stop, c.take = stop, take
	c.mu.Unlock()
	// Work outlives the stop by most of the grace period.
	work, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()

	if err := c.chains.Start(take); err != nil {
		return Failed, errors.Join(err, c.chains.Stop(context.WithoutCancel(ctx)))
	}
	close(c.begun)
	var limit <-chan time.Time
	if c.cfg.MaxTime > 0 {
		t := c.clk.NewTimer(c.cfg.MaxTime)
		defer t.Stop()
		limit = t.C()
	}
	ended := make(chan int, c.cfg.ToeThreads)
	for i := range c.cfg.ToeThreads {
		go func() {
			defer func() { ended <- i }()
			c.toeThread(take, work, i)
		}()
	}
	r := roll{ended: ended, here: c.cfg.ToeThreads, gone: make([]bool, c.cfg.ToeThreads)}
	if !r.call(take.Done(), limit) && take.Err() == nil {
		c.end(TimeLimit, nil)
	}
	if own, back := settle(c.cfg.Grace); !c.callFor(own, &r) {
		kill()
		if !c.callFor(back, &r) {
			c.leave(&r)
			r.call(nil, nil)
		}
	}
	c.handing.Wait()
	if ctx.Err() != nil {
		c.end(Stopped, nil)
	}
	stopErr := c.chains.Stop(context.WithoutCancel(ctx))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason == "" {
		c.reason = Finished
	}
	return c.reason, errors.Join(c.err, stopErr)
}

// Begun returns a channel that is closed when the initial tasks of all processors are done. It
// never is when one fails, which ends Run.
func (c *Controller) Begun() <-chan struct{} { return c.begun }

// Stop ends the crawl in order for the given reason; Run returns it. Before Run
// it does nothing.
func (c *Controller) Stop(r Reason) {
	c.mu.Lock()
	running := c.stop != nil
	c.mu.Unlock()
	if running {
		c.end(r, nil)
	}
}

// end notes the first reason to end, every error, and stops handing out URIs.
func (c *Controller) end(r Reason, err error) {
	c.mu.Lock()
	if c.reason == "" {
		c.reason = r
	}
	if err != nil && (c.err == nil || r == Failed && c.reason != Failed) {
		c.reason, c.err = r, err
	}
	c.ending = true
	c.change()
	stop := c.stop
	c.mu.Unlock()
	c.stopOnce.Do(func() { stop(nil) })
}

// Pause keeps ToeThreads from beginning a request: when it returns, URIs whose fetch was begun
// are finished, those before it are handed back as they were. A pause does not outlast the run.
func (c *Controller) Pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused == nil {
		c.paused = make(chan struct{})
		c.change()
	}
}

// Resume ends a pause.
func (c *Controller) Resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused != nil {
		close(c.paused)
		c.paused = nil
		c.change()
	}
}

// Changed returns a channel that is closed when Pause, Resume or the end of the
// run changes the state. The end of Run's context is not told.
func (c *Controller) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// change tells those who wait. c.mu is held.
func (c *Controller) change() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// State returns what the run is about to do.
func (c *Controller) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ending || c.take != nil && c.take.Err() != nil:
		return Stopping
	case c.paused != nil:
		return Paused
	}
	return Running
}

// begin reports whether a request may be begun now. What it allowed is in process: a Pause that
// comes later does not concern it.
func (c *Controller) begin() bool { return c.State() == Running }

// await blocks while the run is paused. It returns at once when take ends.
func (c *Controller) await(take context.Context) {
	for {
		c.mu.Lock()
		paused := c.paused
		c.mu.Unlock()
		if paused == nil {
			return
		}
		select {
		case <-paused:
		case <-take.Done():
			return
		}
	}
}

// toeThread takes one URI after the other through the chains.
func (c *Controller) toeThread(take, work context.Context, i int) {
	for {
		c.activity[i].Store(&Activity{Worker: i + 1, Since: c.clk.Now()})
		c.await(take)
		u, err := c.frontier.Next(take)
		if err != nil {
			if !errors.Is(err, crawl.ErrDone) && take.Err() == nil {
				c.end(Failed, fmt.Errorf("chain: next URI: %w", err))
			}
			return
		}
		// Before anything is written: outcomes on their way may wait for the one that
		// wrote before them into the same file, and that one must not wait for them.
		select {
		case c.slots <- struct{}{}:
		default:
			c.at(i, u, Post, StepCommits)
			c.slots <- struct{}{}
		}
		err = nil
		if c.begin() { // the pause may have begun while this thread waited for a URI
			err = c.process(work, i, u)
		} else {
			u.Disposition = crawl.Resign
		}
		if !c.keep(i) {
			return // nobody waits for it, and the frontier may be closed
		}
		large, done := factsOf(u) > maxFacts, make(chan struct{})
		c.committing.Add(1)
		c.handing.Go(func() {
			defer func() { c.committing.Add(-1); <-c.slots; close(done) }()
			if err := c.handIn(work, u); err != nil {
				c.end(Failed, err)
			}
		})
		c.holds[i].Store(holdsNothing)
		if large {
			c.at(i, u, Post, StepCommits)
			<-done
		}
		if err != nil {
			c.end(Failed, err)
			return
		}
		c.limits()
	}
}

// factsOf returns how many bytes an outcome holds of what a server sent.
func factsOf(u *crawl.CrawlURI) (n int) {
	if u.Deferred != nil {
		n += len(u.Deferred.Raw)
	}
	if u.Origin != nil {
		n += len(u.Origin.Robots)
	}
	return n
}

// process carries a URI through the chains.
func (c *Controller) process(ctx context.Context, i int, u *crawl.CrawlURI) error {
	c.busy.Add(1)
	defer c.busy.Add(-1)
	u.Worker = i + 1
	at := func(n Name, step string) bool {
		if n == Write || n == Post {
			if !c.keep(i) {
				return false
			}
		}
		c.at(i, u, n, step)
		return true
	}
	fatal := c.chains.Run(ctx, u, at, c.begin)
	if errors.Is(fatal, errLeft) {
		_ = u.CloseRecordings() // who would be told of an error is gone
		return nil
	}
	if u.Span == nil && (fatal != nil || ctx.Err() != nil) {
		u.Disposition = crawl.Resign // our disk failed or we were cut short, not the page
	}
	if u.Err != nil && u.Disposition != crawl.Resign {
		c.log.Error("processor failed", "url", u.URL, "err", u.Err)
	}
	c.at(i, u, Post, StepHandIn)
	c.count(u)
	// All that is large is given up; the outcome does not need it. The document
	// may look into the recording.
	u.Strip()
	if u.Rec != nil {
		_, u.Received = u.Rec.Response()
	}
	return errors.Join(fatal, u.CloseRecordings())
}

// at notes what a ToeThread is about to do with a URI.
func (c *Controller) at(i int, u *crawl.CrawlURI, n Name, step string) {
	now := c.clk.Now()
	a := Activity{Worker: i + 1, URL: u.URL, Host: u.Host, Chain: n, Step: step, Since: now}
	if was := c.activity[i].Load(); was != nil && was.URL != "" { // what is handed in belongs to the committer
		a.Hops, a.Via, a.Attempt, a.Taken = was.Hops, was.Via, was.Attempt, was.Taken
	} else {
		a.Hops, a.Via, a.Attempt, a.Taken = u.Hops, u.Via, u.Attempt, now
	}
	c.activity[i].Store(&a)
}

// handIn gives an outcome back to the frontier. Its ToeThread is not kept waiting
// for the disk: it takes the next URI, of another host.
func (c *Controller) handIn(ctx context.Context, u *crawl.CrawlURI) error {
	if err := c.frontier.Finished(context.WithoutCancel(ctx), u); err != nil {
		return fmt.Errorf("chain: finish %s: %w", u.URL, err)
	}
	return nil
}

// count notes what came of an attempt.
func (c *Controller) count(u *crawl.CrawlURI) {
	if u.Mode != crawl.ModeFetch {
		return
	}
	if u.Status.IsHTTP() && u.Rec != nil {
		_, n := u.Rec.Response()
		c.fetched.Add(1)
		c.bytes.Add(n)
	}
	class := u.Status.ErrorClass()
	if u.Disposition == crawl.Resign || class == crawl.Error4xx && u.IsPrereq() {
		return // cut short by us; no robots.txt: everything is allowed
	}
	if n := c.errors[class]; n != nil {
		n.Add(1)
	}
}

func (c *Controller) limits() {
	if c.cfg.MaxURLs > 0 && c.fetched.Load() >= c.cfg.MaxURLs {
		c.end(URLLimit, nil)
	}
	if c.cfg.MaxBytes > 0 && c.bytes.Load() >= c.cfg.MaxBytes {
		c.end(ByteLimit, nil)
	}
}

// Activities returns what every ToeThread is doing now.
func (c *Controller) Activities() []Activity {
	out := make([]Activity, 0, len(c.activity))
	for i := range c.activity {
		if a := c.activity[i].Load(); a != nil {
			out = append(out, *a)
		}
	}
	return out
}

// Counts returns the counters of this run.
func (c *Controller) Counts() Counts {
	counts := Counts{Fetched: c.fetched.Load(), Bytes: c.bytes.Load(), Busy: int(c.busy.Load()), Committing: int(c.committing.Load()), Errors: map[string]int64{}}
	for class, n := range c.errors {
		if n := n.Load(); n > 0 {
			counts.Errors[class] = n
		}
	}
	return counts
}
