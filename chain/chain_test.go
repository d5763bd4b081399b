package chain

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"exclave/chain/decide"
	"exclave/crawl"
	"exclave/internal/clock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a processor made of functions.
type fake struct {
	process     func(context.Context, *crawl.CrawlURI) (Result, error)
	start, stop func() error
	begin       func(context.Context) error
}

func (f fake) Process(ctx context.Context, u *crawl.CrawlURI) (Result, error) {
	if f.process == nil {
		return Result{}, nil
	}
	return f.process(ctx, u)
}

func (f fake) Start(ctx context.Context) error {
	if f.begin != nil {
		return f.begin(ctx)
	}
	if f.start == nil {
		return nil
	}
	return f.start()
}

func (f fake) Stop(context.Context) error {
	if f.stop == nil {
		return nil
	}
	return f.stop()
}

func does(fn func(*crawl.CrawlURI) (Result, error)) fake {
	return fake{process: func(_ context.Context, u *crawl.CrawlURI) (Result, error) { return fn(u) }}
}

func TestNewChains(t *testing.T) {
	for why, c := range map[string]struct {
		cfg  map[Name][]Step
		want string
	}{
		"an unknown chain must not swallow its steps (Heritrix skips the rest silently)": {
			map[Name][]Step{"post-process": {{Name: "a", Proc: fake{}}}}, `no chain "post-process"`},
		"two steps of one name could not be told apart in reports": {
			map[Name][]Step{Fetch: {{Name: "a", Proc: fake{}}}, Post: {{Name: "a", Proc: fake{}}}}, "stands twice"},
		"a step without a processor would panic at the first URI": {
			map[Name][]Step{Fetch: {{Name: "a"}}}, "no processor"},
	} {
		if _, err := NewChains(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", why, err)
		}
	}
}

type rejectAll struct{}

func (rejectAll) Decide(*decide.Subject) decide.Ruling {
	return decide.Ruling{Decision: decide.Reject, Rule: "all"}
}

func TestRun(t *testing.T) {
	boom := errors.New("boom")
	say := func(path *[]string, name string, res Result, err error) Step {
		return Step{Name: name, Proc: does(func(*crawl.CrawlURI) (Result, error) {
			*path = append(*path, name)
			return res, err
		})}
	}
	for _, c := range []struct {
		why    string
		cfg    func(path *[]string) map[Name][]Step
		path   string
		status crawl.Status
		fatal  bool
	}{
		{"the chains are passed in order (systems.md 1.1)", func(p *[]string) map[Name][]Step {
			return map[Name][]Step{Post: {say(p, "post", Result{}, nil)}, PreFetch: {say(p, "pre", Result{}, nil)}, Fetch: {say(p, "fetch", Result{}, nil)}}
		}, "pre fetch post", 200, false},
		{"a jump skips what lies between (systems.md 1.1)", func(p *[]string) map[Name][]Step {
			return map[Name][]Step{PreFetch: {say(p, "pre", Jump(Write), nil), say(p, "pre2", Result{}, nil)}, Fetch: {say(p, "fetch", Result{}, nil)}, Write: {say(p, "write", Result{}, nil)}}
		}, "pre write", 200, false},
		{"a jump backwards would never end: it is an error of ours", func(p *[]string) map[Name][]Step {
			return map[Name][]Step{Fetch: {say(p, "fetch", Jump(PreFetch), nil)}, Post: {say(p, "post", Result{}, nil)}}
		}, "fetch post", crawl.StatusRuntimeError, false},
		{"an error leads to the post chain, which runs to its end (systems.md 1.1)", func(p *[]string) map[Name][]Step {
			return map[Name][]Step{Fetch: {say(p, "fetch", Result{}, boom)}, Extract: {say(p, "extract", Result{}, nil)},
				Post: {say(p, "post1", Result{}, boom), say(p, "post2", Result{}, nil)}}
		}, "fetch post1 post2", crawl.StatusRuntimeError, false},
		{"a panic is an error of its processor only (decision 10)", func(p *[]string) map[Name][]Step {
			return map[Name][]Step{Extract: {{Name: "x", Proc: does(func(*crawl.CrawlURI) (Result, error) { panic("stranger's bytes") })}},
				Post: {say(p, "post", Result{}, nil)}}
		}, "post", crawl.StatusRuntimeError, false},
		{"a disk that cannot be written to ends the crawl", func(p *[]string) map[Name][]Step {
			return map[Name][]Step{Write: {say(p, "write", Result{}, boom)}, Post: {say(p, "post", Result{}, nil)}}
		}, "write post", crawl.StatusRuntimeError, true},
		{"rules make any processor skip a URI (systems.md 1.1)", func(p *[]string) map[Name][]Step {
			s := say(p, "skipped", Result{}, nil)
			s.Filter = rejectAll{}
			return map[Name][]Step{Fetch: {s, say(p, "fetch", Result{}, nil)}}
		}, "fetch", 200, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			var path []string
			ch, err := NewChains(c.cfg(&path))
			if err != nil {
				t.Fatal(err)
			}
			u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: "http://example.com/"}, Status: 200}
			fatal := ch.Run(t.Context(), u, func(Name, string) bool { return true }, nil)
			if got := strings.Join(path, " "); got != c.path {
				t.Errorf("passed %q, want %q", got, c.path)
			}
			if u.Status != c.status || (fatal != nil) != c.fatal {
				t.Errorf("status %v, fatal %v; want %v, %v", u.Status, fatal, c.status, c.fatal)
			}
		})
	}
}

func TestStats(t *testing.T) {
	// The framework observes (decision 10): runs, skips and errors are counted.
	skipped := Step{Name: "b", Proc: fake{}, Filter: rejectAll{}}
	ch, err := NewChains(map[Name][]Step{Fetch: {{Name: "a", Kind: "k", Proc: does(func(*crawl.CrawlURI) (Result, error) { return Result{}, errors.New("no") })}}, Post: {skipped}})
	if err != nil {
		t.Fatal(err)
	}
	_ = ch.Run(t.Context(), &crawl.CrawlURI{}, func(Name, string) bool { return true }, nil)
	s := ch.Stats()
	if s[0].Runs != 1 || s[0].Errors != 1 || s[0].Kind != "k" || s[1].Skipped != 1 || s[1].Runs != 0 {
		t.Errorf("got %+v", s)
	}
}

// list is a frontier of n URIs that keeps what comes back.
type list struct {
	mu       sync.Mutex
	left     int
	back     []*crawl.CrawlURI
	finished func(*crawl.CrawlURI) error
	forever  bool // Next blocks when nothing is left
}

func (l *list) Next(ctx context.Context) (*crawl.CrawlURI, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left == 0 && l.forever {
		l.mu.Unlock()
		<-ctx.Done()
		l.mu.Lock()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if l.left == 0 {
		return nil, crawl.ErrDone
	}
	l.left--
	return &crawl.CrawlURI{}, nil
}

func (l *list) Schedule(context.Context, ...crawl.Candidate) error { return nil }

func (l *list) Finished(_ context.Context, u *crawl.CrawlURI) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.back = append(l.back, u)
	if l.finished != nil {
		return l.finished(u)
	}
	return nil
}

func controller(t *testing.T, cfg Config, f Frontier, cs map[Name][]Step) *Controller {
	t.Helper()
	ch, err := NewChains(cs)
	if err != nil {
		t.Fatal(err)
	}
	return NewController(cfg, f, ch, clock.System(), slog.New(slog.DiscardHandler))
}

// Initial tasks are run before the first URI is taken, and what waits for them is told (systems.md
// 1.1); a stop ends one that takes long, and when one fails nothing begins.
func TestInitialTasks(t *testing.T) {
	t.Run("before the first URI", func(t *testing.T) {
		var started atomic.Bool
		early := does(func(*crawl.CrawlURI) (Result, error) {
			if !started.Load() {
				t.Error("a URI came before the initial tasks were done")
			}
			return Result{}, nil
		})
		early.start = func() error { started.Store(true); return nil }
		c := controller(t, Config{ToeThreads: 2}, &list{left: 3}, map[Name][]Step{Fetch: {{Name: "a", Proc: early}}})
		if reason, err := c.Run(t.Context()); reason != Finished || err != nil {
			t.Fatal(reason, err)
		}
		<-c.Begun()
	})
	t.Run("a stop", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		long := fake{begin: func(ctx context.Context) error { cancel(); <-ctx.Done(); return nil }}
		c := controller(t, Config{ToeThreads: 2}, &list{left: 3}, map[Name][]Step{Fetch: {{Name: "a", Proc: long}}})
		if reason, err := c.Run(ctx); reason != Stopped || err != nil {
			t.Error(reason, err)
		}
	})
	t.Run("a failure", func(t *testing.T) {
		broken := fake{start: func() error { return errors.New("no list") }, process: func(context.Context, *crawl.CrawlURI) (Result, error) {
			t.Error("a URI was processed")
			return Result{}, nil
		}}
		c := controller(t, Config{ToeThreads: 2}, &list{left: 3}, map[Name][]Step{Fetch: {{Name: "a", Proc: broken}}})
		if reason, err := c.Run(t.Context()); reason != Failed || err == nil || !strings.Contains(err.Error(), "start a: no list") {
			t.Error(reason, err)
		}
		select {
		case <-c.Begun():
			t.Error("it has begun")
		default:
		}
	})
}

func TestControllerFinishes(t *testing.T) {
	// Every URI taken is handed back exactly once, and final tasks run once.
	var stops atomic.Int32
	l := &list{left: 100}
	c := controller(t, Config{ToeThreads: 7, Grace: time.Second}, l, map[Name][]Step{Post: {{Name: "p", Proc: fake{stop: func() error { stops.Add(1); return nil }}}}})
	reason, err := c.Run(t.Context())
	if reason != Finished || err != nil || len(l.back) != 100 || stops.Load() != 1 {
		t.Errorf("%v, %v, %d back, stopped %d times", reason, err, len(l.back), stops.Load())
	}
}

func TestControllerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// A stop lets URIs in process be for the grace period but its last second, then cuts
		// them short; they are resigned, so the next run offers them again.
		hang := fake{process: func(ctx context.Context, u *crawl.CrawlURI) (Result, error) {
			<-ctx.Done()
			return Result{}, ctx.Err()
		}}
		l := &list{left: 2, forever: true}
		ctx, cancel := context.WithCancel(t.Context())
		c := controller(t, Config{ToeThreads: 3, Grace: 5 * time.Second}, l, map[Name][]Step{Fetch: {{Name: "hang", Proc: hang}}})
		time.AfterFunc(time.Minute, cancel)
		began := time.Now()
		reason, err := c.Run(ctx)
		if reason != Stopped || err != nil || time.Since(began) != 64*time.Second {
			t.Errorf("%v, %v after %v", reason, err, time.Since(began))
		}
		if len(l.back) != 2 || slices.ContainsFunc(l.back, func(u *crawl.CrawlURI) bool { return u.Disposition != crawl.Resign }) {
			t.Errorf("%d came back, not all resigned", len(l.back))
		}
	})
}

// TestControllerLeaves: a ToeThread that does not end after a stop keeps nobody from
// it. Its URI is never handed back, whatever it does later; one that has begun to write
// is waited for.
func TestControllerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never, later := make(chan struct{}), make(chan struct{})
		var wrote atomic.Int32
		steps := map[Name][]Step{
			Extract: {{Name: "stuck", Proc: does(func(u *crawl.CrawlURI) (Result, error) {
				if u.Worker == 1 {
					<-never
				}
				return Result{}, nil
			})}},
			Write: {{Name: "slow", Proc: does(func(u *crawl.CrawlURI) (Result, error) {
				wrote.Add(1)
				<-later
				u.Span = &crawl.Span{End: 1}
				return Result{}, nil
			})}},
		}
		l := &list{left: 2, forever: true}
		ctx, cancel := context.WithCancel(t.Context())
		c := controller(t, Config{ToeThreads: 2, Grace: 5 * time.Second}, l, steps)
		time.AfterFunc(time.Minute, cancel)
		time.AfterFunc(time.Hour, func() { close(later) })
		began := time.Now()
		reason, err := c.Run(ctx)
		if reason != Stopped || err != nil || time.Since(began) != time.Hour {
			t.Errorf("%v, %v after %v", reason, err, time.Since(began))
		}
		if len(l.back) != 1 || l.back[0].Worker != 2 || l.back[0].Span == nil || wrote.Load() != 1 {
			t.Errorf("%d came back, %d were written", len(l.back), wrote.Load())
		}
		close(never) // the document has an end after all
		synctest.Wait()
		if len(l.back) != 1 || wrote.Load() != 1 {
			t.Errorf("after the end %d came back, %d were written", len(l.back), wrote.Load())
		}
	})
}

func TestControllerLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// max_time ends a crawl in order (issue 3: limits on time).
		c := controller(t, Config{ToeThreads: 2, MaxTime: time.Hour, Grace: time.Second}, &list{forever: true}, nil)
		began := time.Now()
		reason, err := c.Run(t.Context())
		if reason != TimeLimit || err != nil || time.Since(began) != time.Hour {
			t.Errorf("%v, %v after %v", reason, err, time.Since(began))
		}
	})
}

func TestControllerFails(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		why   string
		steps map[Name][]Step
		fin   func(*crawl.CrawlURI) error
	}{
		{"a frontier that fails ends the crawl with its error", nil, func(*crawl.CrawlURI) error { return boom }},
		{"a write error ends the crawl with its error", map[Name][]Step{Write: {{Name: "w", Proc: does(func(*crawl.CrawlURI) (Result, error) { return Result{}, boom })}}}, nil},
		{"a failed start ends it before the first URI", map[Name][]Step{Write: {{Name: "w", Proc: fake{start: func() error { return boom }}}}}, nil},
		{"a failed final task is told", map[Name][]Step{Write: {{Name: "w", Proc: fake{stop: func() error { return boom }}}}}, nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			ctl := controller(t, Config{ToeThreads: 2, Grace: time.Second}, &list{left: 5, finished: c.fin}, c.steps)
			if _, err := ctl.Run(t.Context()); !errors.Is(err, boom) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestConfigValidate(t *testing.T) {
	// Every wrong value is told at once (issue 3: check).
	errs := Config{ToeThreads: 0, MaxTime: -1, MaxURLs: -1, MaxBytes: -1, Grace: -1}.Validate()
	if len(errs) != 5 || len(DefaultConfig().Validate()) != 0 {
		t.Errorf("got %v", errs)
	}
}
