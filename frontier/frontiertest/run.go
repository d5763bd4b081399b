package frontiertest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"exclave/crawl"
	"exclave/internal/clock"
)

// Conform compares a frontier with the model: it opens one in the store, runs random
// operations on both, stops the machine now and then, and compares everything that can
// be seen after each. It must be called within [rapid.SyncTest]. A failure ends rt, with
// the operations in its log.
func Conform(rt *rapid.T, s Store) {
	r := rules().Draw(rt, "rules")
	c := &conformance{T: rt, store: s, clk: clock.NewFake(time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC)), model: newModel(r)}
	c.open(r)
	defer func() {
		if err := c.subject.Close(context.Background()); err != nil {
			rt.Errorf("close: %v", err)
		}
	}()
	rt.Repeat(map[string]func(*rapid.T){
		"":         c.compare,
		"schedule": c.schedule,
		"take":     c.take, "take another": c.take, "take a third": c.take,
		"finish": c.finish, "finish another": c.finish,
		"drop":         c.drop,
		"raise budget": c.raise,
		"pass time":    c.pass,
		"wait":         c.wait,
		"reopen":       c.reopen,
		"crash":        c.crash,
		"crash during": c.crashDuring,
	})
	c.drain()
}

// conformance is one run.
type conformance struct {
	*rapid.T
	store     Store
	clk       *clock.Fake
	subject   Subject
	model     *model
	inProcess []*crawl.CrawlURI // in process
}

func rules() *rapid.Generator[Rules] {
	return rapid.Custom(func(t *rapid.T) Rules {
		pick := func(label string, of ...int) int { return rapid.SampledFrom(of).Draw(t, label) }
		seconds := func(label string, of ...int) time.Duration { return time.Duration(pick(label, of...)) * time.Second }
		is := func(label string) bool { return rapid.Bool().Draw(t, label) }
		r := Rules{Factor: pick("factor", 0, 5), MinDelay: seconds("min_delay", 0, 3), MaxDelay: 30 * time.Second, MaxCrawlDelay: 5 * time.Minute,
			RetryDelay: seconds("retry_delay", 0, 20, 900), MaxRetryAfter: time.Hour, MaxRetryDelay: time.Hour, DNSRetry: 5 * time.Minute,
			MaxRetries: pick("max_retries", 1, 3), DNSRetries: 2, RobotsRetries: 2, RefusedBurst: pick("refused_burst", 0, 2),
			HostsInMemory: 50000, Rank: rapid.SampledFrom([]Rank{RankNone, RankKind, RankHops, RankDeep}).Draw(t, "rank")}
		r.Depths = rapid.SampledFrom([]crawl.Depths{
			{D: [crawl.MaxProfiles]int32{0, -1, -1, -1}, AnalyseLinked: true},
			{D: [crawl.MaxProfiles]int32{1, 0, -1, -1}, AnalyseLinked: true, UnclaimedEmbeds: true},
			{D: [crawl.MaxProfiles]int32{2, 1, -1, -1}},
		}).Draw(t, "depths")
		r.ByDomain, r.Best, r.Session = is("by domain"), is("best first"), pick("session", 0, 1, 3)
		if is("caps") {
			r.HostURIs, r.URIsPerValid = int64(pick("host_uris", 0, 1, 3)), int64(pick("uris_per_valid", 0, 1))
			r.HostURIsMax = int64(pick("host_uris_max", 0, 3, 4))
		}
		if !r.ByDomain && is("host budget") {
			r.HostDocuments = int64(pick("host_documents", 1, 3))
		}
		if is("source budget") {
			r.SourceDocuments = int64(pick("source_documents", 1, 3))
		}
		// URIs in process count for budgets and ranks.
		if r.SourceDocuments == 0 && !r.Best {
			r.Connections = pick("connections", 1, 1, 2, 5)
		}
		return r
	})
}

var hosts = []string{"a.d0.test", "b.d0.test", "a.d1.test", "a.d2.test"}

func (c *conformance) int(label string, most int) int {
	return rapid.IntRange(0, most).Draw(c.T, label)
}

// chance is true once in n times, and never in the simplest run.
func (c *conformance) chance(label string, n int) bool { return c.int(label, n-1) == n-1 }

func (c *conformance) say(format string, a ...any) { c.Logf(format, a...) }

func (c *conformance) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatalf("%v", err)
	}
}

// page is a URI of the small world that the operations are about.
func (c *conformance) page() crawl.Candidate {
	host := rapid.SampledFrom(hosts).Draw(c.T, "host")
	scheme := "http"
	// The order of URIs of spent sources and those whose origin backs off is not specified.
	if c.chance("secure", 3) && !(c.model.r.Best && c.model.r.SourceDocuments > 0) {
		scheme = "https"
	}
	url := fmt.Sprintf("%s://%s/%d", scheme, host, c.int("page", 4))
	return crawl.Candidate{URL: url, Key: url, Host: host, Kind: crawl.LinkNav, Hops: "L"}
}

// candidate is one that comes from outside.
func (c *conformance) candidate() crawl.Candidate {
	u := c.page()
	u.Hops = []string{"L", "", "LL", "LLEL", "E"}[c.int("hops", 4)]
	u.Context = []string{"", sheet}[c.int("context", 1)]
	u.Seed = c.chance("seed", 5)
	u.Force = c.chance("force", 6)
	if c.model.r.SourceDocuments > 0 {
		u.SourceTag = []string{"", "log", "other"}[c.int("source", 2)]
	}
	// No claim has links beyond the depths of the job: links of pages that cannot pass anything on are not
	// stored.
	d := &c.model.r.Depths.D
	switch c.int("claim", 4) {
	case 0:
		u.Claim.Analyse = true
	case 1:
		u.Force = false // a prerequisite else
	case 2:
		u.Claim.Bin = true
	case 3:
		u.Claim.Analyse = d[0] == 0
		u.Claim.Link[0] = min(int32(1+c.int("depth", 2)), d[0])
	case 4:
		u.Claim.Analyse, u.Claim.Link[1] = true, min(int32(c.int("depth", 1)), max(d[1], 0))
	}
	return u
}

func describe(u crawl.Candidate) string {
	s := fmt.Sprintf("%s %q %+v %+v", u.Key, u.Hops, u.Reached(), u.Claim)
	if u.Seed {
		s += " seed"
	}
	if u.Force {
		s += " forced"
	}
	if u.SourceTag != "" {
		s += " of " + u.SourceTag
	}
	return s
}

func (c *conformance) schedule(*rapid.T) {
	u := c.candidate()
	c.say("schedule %s", describe(u))
	c.must(c.subject.Schedule(c.Context(), u))
	c.model.apply(func() { c.model.discover(u) })
}

// offered is the result of a call of Next.
type offered struct {
	u   *crawl.CrawlURI
	err error
}

// next calls Next and waits until it has returned or blocks; stop ends a call that
// blocks.
func (c *conformance) next() (got chan offered, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	got = make(chan offered, 1)
	go func() {
		u, err := c.subject.Next(ctx)
		got <- offered{u, err}
	}()
	synctest.Wait()
	return got, cancel
}

// take asks for a URI: what the model says must be offered, or nothing yet, or the
// crawl is over.
func (c *conformance) take(*rapid.T) {
	got, stop := c.next()
	defer stop()
	now, wake := c.model.ready()
	select {
	case o := <-got:
		c.got(o, now, wake)
	default:
		if len(now) > 0 {
			c.Fatalf("nothing is offered, though %s are ready", keysOf(now))
		}
		if wake < 0 && !c.model.inProcess("") && !c.model.snoozed() {
			c.Fatalf("nothing is offered or pending, and the crawl is not over")
		}
		stop()
		if o := <-got; !errors.Is(o.err, context.Canceled) {
			c.Fatalf("Next returned %+v at the end of its context", o)
		}
	}
}

func keysOf(es []*entry) (keys []string) {
	for _, e := range es {
		keys = append(keys, e.c.Key)
	}
	slices.Sort(keys)
	return keys
}

// got compares what was offered with the model.
func (c *conformance) got(o offered, now []*entry, wake time.Duration) {
	c.Helper()
	switch {
	case errors.Is(o.err, crawl.ErrDone):
		if len(now) > 0 || wake >= 0 || c.model.inProcess("") {
			c.Fatalf("the crawl is over, though %v are ready, the next in %v", keysOf(now), wake-c.model.now)
		}
		return
	case o.err != nil:
		c.Fatalf("Next: %v", o.err)
	}
	c.say("offered %s", describe(o.u.Candidate))
	i := slices.IndexFunc(now, func(e *entry) bool { return e.c.Key == o.u.Key })
	if i < 0 {
		c.Fatalf("%s is offered, one of %v must be; queues %s", o.u.Key, keysOf(now), c.lines())
	}
	e := now[i]
	if d := cmp.Diff(seen(c.model.offer(e)), seen(o.u), cmpopts.IgnoreUnexported(crawl.Candidate{})); d != "" {
		c.Fatalf("offered otherwise than the model says (-model +frontier):\n%s", d)
	}
	c.model.offered(e)
	c.inProcess = append(c.inProcess, o.u)
}

// offer is what a ToeThread sees of a URI that it gets.
type offer struct {
	URI         crawl.Candidate
	Mode        crawl.Mode
	Attempt     int
	LastAttempt bool
	Prior       crawl.Outcome
}

func seen(u *crawl.CrawlURI) offer {
	o := offer{u.Candidate, u.Mode, u.Attempt, u.LastAttempt, crawl.Outcome{}}
	o.URI.Via, o.URI.Kind, o.URI.Context = "", 0, "" // the page it was found on first is not specified
	if u.Prior != nil {
		o.Prior = u.Prior.Outcome
	}
	return o
}

func (c *conformance) lines() string {
	s := ""
	for _, name := range slices.Sorted(maps.Keys(c.model.queues)) {
		q := c.model.queues[name]
		heads, _ := c.model.heads(name)
		s += fmt.Sprintf("\n%s: wakes in %v, retired %v, next %v", name, q.wake-c.model.now, q.retired, keysOf(heads))
	}
	for _, name := range slices.Sorted(maps.Keys(c.model.origins)) {
		o := c.model.origins[name]
		s += fmt.Sprintf("\n%s: wakes in %v, %d failures, gave up: %v", name, o.until-c.model.now, o.backoff, o.gaveUp)
	}
	return s
}

// wait lets a ToeThread wait for the first wake time: a moment before it nothing is offered, at that time a
// URI is.
func (c *conformance) wait(*rapid.T) {
	now, wake := c.model.ready()
	if len(now) > 0 || wake < 0 {
		c.Skip("nothing waits for a time")
	}
	got, stop := c.next()
	defer stop()
	c.advance(wake - c.model.now - time.Millisecond)
	synctest.Wait()
	select {
	case o := <-got:
		c.Fatalf("%+v is offered before its time; queues %s", o, c.lines())
	default:
	}
	c.advance(time.Millisecond)
	synctest.Wait()
	select {
	case o := <-got:
		now, wake = c.model.ready()
		c.got(o, now, wake)
	default:
		c.Fatalf("nothing is offered at the wake time of %v", c.lines())
	}
}

func (c *conformance) advance(d time.Duration) {
	c.say("%v pass", d)
	c.clk.Advance(d)
	c.model.now += d
}

func (c *conformance) pass(*rapid.T) {
	c.advance(time.Duration([]int{1, 3, 20, 60, 900, 3600}[c.int("seconds", 5)]) * time.Second)
}

func (c *conformance) drop(*rapid.T) {
	known := slices.Sorted(maps.Keys(c.model.uris))
	if len(known) == 0 {
		c.Skip("nothing is known")
	}
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom(known), 1, min(3, len(known)), rapid.ID).Draw(c.T, "keys")
	c.say("drop %v", keys)
	n, err := c.subject.Drop(c.Context(), keys...)
	c.must(err)
	c.model.apply(func() {
		if want := c.model.deletePending(keys...); n != want {
			c.Fatalf("%d dropped, want %d", n, want)
		}
	})
}

// oneInProcess chooses one of the URIs in process.
func (c *conformance) oneInProcess() int {
	if len(c.inProcess) == 0 {
		c.Skip("nothing is in process")
	}
	return c.int("lent", len(c.inProcess)-1)
}

func (c *conformance) finish(*rapid.T) {
	i := c.oneInProcess()
	u := c.inProcess[i]
	c.inProcess = slices.Delete(c.inProcess, i, i+1)
	c.process(u)
	c.handIn(u)
}

func (c *conformance) handIn(u *crawl.CrawlURI) {
	c.must(c.subject.Finished(c.Context(), u))
	c.model.apply(func() { c.model.finish(u) })
}

// compare compares everything that can be seen with the model.
func (c *conformance) compare(*rapid.T) {
	synctest.Wait() // claims are passed on
	bad, err := c.subject.Contradictions()
	c.must(err)
	for _, b := range bad {
		c.Errorf("%s", b)
	}
	uris, err := c.subject.URIs()
	c.must(err)
	want := map[string]URI{}
	for k, e := range c.model.uris {
		want[k] = e.URI
	}
	if d := cmp.Diff(want, uris); d != "" {
		c.Fatalf("the URIs (-model +frontier):\n%s", d)
	}
	n := c.subject.Numbers()
	c.addUp(n)
	n.Queues, n.Groups, n.Began, n.Entered, n.Left = nil, nil, nil, nil, nil
	if d := cmp.Diff(c.model.numbers(), n); d != "" {
		c.Fatalf("the numbers (-model +frontier):\n%s", d)
	}
}

// addUp demands that the numbers of one instant add up.
func (c *conformance) addUp(n Numbers) {
	if err := n.AddUp(); err != nil {
		c.Fatalf("%v", err)
	}
	queues := map[string]bool{}
	for _, e := range c.model.uris {
		if e.State == pending {
			queues[c.model.queueOf(e)] = true
		}
	}
	all := int64(0)
	for _, k := range n.Queues {
		all += k
	}
	if all != int64(len(queues)) {
		c.Fatalf("%d queues by their states %v; %d have pending URIs", all, n.Queues, len(queues))
	}
}

// AddUp reports numbers of one instant that do not add up, nil when they do.
func (n Numbers) AddUp() error {
	if n.Discovered != n.Queued+n.Parked+n.InProcess+n.Finished+n.Dropped || min(n.Queued, n.Parked, n.InProcess, n.Finished, n.Dropped) < 0 {
		return fmt.Errorf("discovered is not the sum of its parts: %+v", n)
	}
	for group, states := range n.Groups {
		stand := int64(0)
		for _, s := range states {
			stand += n.Queues[s]
		}
		if moved := n.Began[group] + n.Entered[group] - n.Left[group]; moved != stand {
			return fmt.Errorf("%d queues are %s, but %d began so, %d entered and %d left; %+v", stand, group, n.Began[group], n.Entered[group], n.Left[group], n)
		}
	}
	return nil
}

func (c *conformance) open(r Rules) {
	var err error
	c.subject, err = c.store.Open(r, c.clk)
	c.must(err)
}

// later returns rules that a later run may have.
func (c *conformance) later() Rules {
	r := c.model.r
	if r.HostDocuments > 0 && c.chance("greater host budget", 2) {
		r.HostDocuments += 2
	}
	if r.SourceDocuments > 0 && c.chance("greater source budget", 2) {
		r.SourceDocuments += 2
	}
	return r
}

// raise has hosts with a greater budget go on while the crawl runs.
func (c *conformance) raise(*rapid.T) {
	waits := false
	for _, e := range c.model.uris {
		waits = waits || e.State == pending && c.model.line(e).retired
	}
	if !waits { // and none would soon, were it raised
		c.Skip("no URI waits for a budget")
	}
	r := c.model.r
	r.HostDocuments++
	c.say("budget of hosts: %d", r.HostDocuments)
	c.must(c.subject.RaiseBudget(c.Context(), r.HostDocuments))
	c.model.raised(r)
}

func (c *conformance) reopen(*rapid.T) {
	r := c.later()
	c.say("reopen")
	c.must(c.subject.Close(c.Context()))
	c.open(r)
	c.closed()
	c.model.reopened(r)
}

// closed notes that URIs in process were not handed back: they may have been requested, as before
// a kill.
func (c *conformance) closed() {
	if len(c.inProcess) > 0 {
		c.model.killed = c.model.now
	}
	c.inProcess = nil
}

func (c *conformance) crash(*rapid.T) {
	c.say("crash")
	c.store.Crash()
	c.restart()
}

// restart opens the state after a crash.
func (c *conformance) restart() {
	c.must(c.subject.Close(c.Context()))
	c.open(c.model.r)
	c.inProcess = nil
	c.model.reopened(c.model.r)
	c.model.killed = c.model.now
}

// crashDuring stops the machine in the midst of an operation: afterwards all of it
// happened, or nothing did.
func (c *conformance) crashDuring(*rapid.T) {
	if c.model.r.SourceDocuments > 0 {
		c.Skip("Next itself may commit then")
	}
	moment := []Moment{BeforeCommit, AfterCommit}[c.int("moment", 1)]
	keep := 50 * c.int("keep", 1)
	c.say("crash %s, %d %% of what is not durable is kept", moment, keep)
	c.must(c.subject.Close(c.Context()))
	rng := rand.New(rand.NewPCG(uint64(c.int("luck", 1000)), 1))
	var err error
	c.subject, err = c.store.OpenToCrash(c.model.r, c.clk, moment, keep, rng)
	c.must(err)
	c.closed()
	c.model.reopened(c.model.r)
	before := c.model.clone()
	if now, _ := c.model.ready(); len(now) > 0 && c.chance("finish", 2) {
		c.take(c.T)
		before = c.model.clone()
		c.finish(c.T)
	} else {
		c.schedule(c.T)
	}
	synctest.Wait()
	c.store.Crash()
	if moment == BeforeCommit {
		c.model = before
	}
	c.restart()
}

// drain crawls to the end: nothing may be pending but URIs whose budgets are spent.
func (c *conformance) drain() {
	c.say("to the end")
	for turns := 0; ; turns++ {
		if turns > 2000 {
			c.Fatalf("the crawl does not end; queues %s", c.lines())
		}
		for len(c.inProcess) > 0 {
			u := c.inProcess[0]
			c.inProcess = c.inProcess[1:]
			c.answer(u, 404, crawl.ClassHTML, 0)
			c.handIn(u)
			synctest.Wait()
		}
		now, wake := c.model.ready()
		if len(now) == 0 && wake >= 0 {
			c.advance(wake - c.model.now)
		}
		c.take(c.T)
		if len(now) == 0 && wake < 0 {
			break
		}
	}
	c.compare(c.T)
	for k, e := range c.model.uris {
		if e.State == pending && !c.model.line(e).retired && c.model.r.SourceDocuments == 0 {
			c.Errorf("%s is pending at the end", k)
		}
	}
}
