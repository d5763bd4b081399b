package chain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync/atomic"
	"time"

	"exclave/chain/decide"
	"exclave/crawl"
)

// Filter decides whether a processor is skipped for a URI. A nil Filter skips
// nothing; otherwise Reject skips. [*decide.Sequence] is one.
type Filter interface {
	Decide(s *decide.Subject) decide.Ruling
}

// Step is a processor in its place.
type Step struct {
	Name   string // unique within the chains; shown in reports
	Kind   string // of the built-in table
	Proc   Processor
	Filter Filter
}

// StepStats counts the work of one step. Read it with [Chains.Stats].
type StepStats struct {
	Chain   Name          `json:"chain"`
	Step    string        `json:"step"`
	Kind    string        `json:"kind"`
	Runs    int64         `json:"runs"`
	Handled int64         `json:"handled"` // runs in which the processor had something to do
	Links   int64         `json:"links"`   // outlinks that it found
	Skipped int64         `json:"skipped"` // by the step's own rules
	Errors  int64         `json:"errors"`  // returned errors and recovered panics
	Busy    time.Duration `json:"busy"`    // nanoseconds
}

type step struct {
	Step
	chain                                   Name
	runs, handled, links, skipped, errs, ns atomic.Int64
}

// Chains are the five chains, ready to run. They are immutable; Run may be called
// concurrently.
type Chains struct {
	steps [5][]*step
	index map[Name]int
}

// NewChains puts steps in order. Unknown chain names, repeated step names and
// nil processors are errors.
func NewChains(cfg map[Name][]Step) (*Chains, error) {
	c := &Chains{index: map[Name]int{}}
	for i, n := range Names() {
		c.index[n] = i
	}
	seen := map[string]bool{}
	var errs []error
	for n := range cfg {
		if _, ok := c.index[n]; !ok {
			errs = append(errs, fmt.Errorf("chain: there is no chain %q; the chains are %v", n, Names()))
		}
	}
	for i, n := range Names() {
		for _, s := range cfg[n] {
			switch {
			case s.Proc == nil:
				errs = append(errs, fmt.Errorf("chain: %s: step %q has no processor", n, s.Name))
			case seen[s.Name]:
				errs = append(errs, fmt.Errorf("chain: %s: step %q stands twice", n, s.Name))
			}
			seen[s.Name] = true
			c.steps[i] = append(c.steps[i], &step{Step: s, chain: n})
		}
	}
	return c, errors.Join(errs...)
}

// each calls fn for every step in order.
func (c *Chains) each(fn func(*step)) {
	for _, ss := range c.steps {
		for _, s := range ss {
			fn(s)
		}
	}
}

// Stats returns the counters of all steps, in order.
func (c *Chains) Stats() []StepStats {
	var out []StepStats
	c.each(func(s *step) {
		out = append(out, StepStats{Chain: s.chain, Step: s.Name, Kind: s.Kind, Runs: s.runs.Load(),
			Handled: s.handled.Load(), Links: s.links.Load(), Skipped: s.skipped.Load(), Errors: s.errs.Load(), Busy: time.Duration(s.ns.Load())})
	})
	return out
}

// Report writes what the processor of a step tells of itself: nothing unless it is a
// [Reporter].
func (c *Chains) Report(name string, w io.Writer) error {
	var err error
	c.each(func(s *step) {
		if r, ok := s.Proc.(Reporter); ok && s.Name == name {
			err = r.Report(w)
		}
	})
	return err
}

// Start runs the initial tasks in order and stops at the first that fails.
func (c *Chains) Start(ctx context.Context) error {
	var err error
	c.each(func(s *step) {
		if st, ok := s.Proc.(Starter); ok && err == nil {
			if e := st.Start(ctx); e != nil {
				err = fmt.Errorf("chain: start %s: %w", s.Name, e)
			}
		}
	})
	return err
}

// Stop runs all final tasks, also after failures.
func (c *Chains) Stop(ctx context.Context) error {
	var errs []error
	c.each(func(s *step) {
		if st, ok := s.Proc.(Stopper); ok {
			if e := st.Stop(ctx); e != nil {
				errs = append(errs, fmt.Errorf("chain: stop %s: %w", s.Name, e))
			}
		}
	})
	return errors.Join(errs...)
}

// errLeft is the end of a URI whose ToeThread was left behind.
var errLeft = errors.New("chain: the ToeThread was left behind")

// Run carries a URI through the chains. at is told every step before it runs, and
// false ends the run there and then; begin is asked before the fetch chain, and false
// hands the URI back as it was (nil: true). A failing step sends the URI to the post
// chain, whose steps all run. The error is that of the write chain, which the crawl
// must not go on after: a disk that cannot be written to would turn every page into a
// failure.
func (c *Chains) Run(ctx context.Context, u *crawl.CrawlURI, at func(Name, string) bool, begin func() bool) error {
	var fatal error
	post := c.index[Post]
	for i := 0; i <= post; {
		if i == c.index[Fetch] && begin != nil && !begin() {
			u.Disposition, i = crawl.Resign, post
		}
		next := i + 1
		for _, s := range c.steps[i] {
			if s.skips(u) {
				continue
			}
			if !at(s.chain, s.Name) {
				return errLeft
			}
			res, err := s.run(ctx, u)
			if err == nil && res.Jump == "" {
				continue
			}
			if err == nil {
				to, ok := c.index[res.Jump]
				if ok && to > i {
					next = to
					break
				}
				err = fmt.Errorf("chain: %s jumped from %s to %q, which is not a later chain", s.Name, s.chain, res.Jump)
			}
			if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
				s.errs.Add(1)
				if s.chain == Write {
					fatal = errors.Join(fatal, fmt.Errorf("%s: %s: %w", s.Name, u.URL, err))
				}
				fail(u, s.Name, err)
			} else {
				u.Disposition, u.Err = crawl.Resign, err
			}
			if i != post {
				next = post
				break
			}
		}
		i = next
	}
	return fatal
}

// fail notes our own failure on a URI.
func fail(u *crawl.CrawlURI, step string, err error) {
	u.Err = errors.Join(u.Err, fmt.Errorf("%s: %w", step, err))
	if u.Status >= 0 && u.Span == nil { // an archived answer keeps its status
		u.Status = crawl.StatusRuntimeError
	}
	u.Annotate("err=" + step)
}

func (s *step) skips(u *crawl.CrawlURI) bool {
	if s.Filter == nil {
		return false
	}
	if s.Filter.Decide(&decide.Subject{Cand: &u.Candidate}).Decision == decide.Reject {
		s.skipped.Add(1)
		return true
	}
	return false
}

func (s *step) run(ctx context.Context, u *crawl.CrawlURI) (res Result, err error) {
	began, links := time.Now(), len(u.Outlinks)
	defer func() {
		s.runs.Add(1)
		if !res.Idle {
			s.handled.Add(1)
			s.links.Add(int64(len(u.Outlinks) - links))
		}
		s.ns.Add(int64(time.Since(began)))
		if p := recover(); p != nil {
			res, err = Result{}, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return s.Proc.Process(ctx, u)
}
