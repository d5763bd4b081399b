package frontier

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/sched"
	"exclave/frontier/schema"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// Pebble leaves the cache of its files behind when it dies of a damaged one while it opens it (TestDamagedTable);
// a store that is not closed has more goroutines than that.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/cockroachdb/pebble/v2/internal/genericcache.(*shard[...]).releaseLoop"))
}

// began is where the fake clocks stand.
var began = time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// warcs is an archive whose files need no syncing.
type warcs struct {
	mu        sync.Mutex
	synced    []uint32
	committed map[uint32]int64
	syncErr   error
	hold      chan struct{} // nil, or a sync waits until it is closed
}

func (w *warcs) Sync(files []uint32) error {
	if w.hold != nil {
		<-w.hold
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.synced = append(w.synced, files...)
	return w.syncErr
}

func (w *warcs) Committed(file uint32, length int64) ([]schema.FileRow, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.committed == nil {
		w.committed = map[uint32]int64{}
	}
	if length <= w.committed[file] {
		return nil, fmt.Errorf("file %d is committed to %d after %d", file, length, w.committed[file])
	}
	w.committed[file] = length
	return nil, nil
}

func (w *warcs) FileName(file uint32) string { return fmt.Sprintf("%d.warc.gz", file) }

// quick has no delays and few attempts.
func quick() rules.Config {
	c := unlimited()
	c.DelayFactor, c.MinDelay, c.MaxDelay, c.MaxCrawlDelay = 0, 0, 0, 0
	c.MaxRetryDelay, c.RetryDelay, c.MaxRetryAfter, c.DNSRetryDelay, c.MaxRetries = 0, 0, 0, 0, 3
	return c
}

type rig struct {
	*Frontier
	t   testing.TB
	fs  fsx.FS
	clk *clock.Fake
	ar  *warcs
}

func options(fs fsx.FS, clk clock.Clock, c rules.Config, d crawl.Depths) Options {
	return Options{FS: fs, Dir: "/state", LogDir: "/", Config: c, Depths: d, Clock: clk, Logger: slog.New(slog.DiscardHandler)}
}

func oneProfile(d int32) crawl.Depths {
	return crawl.Depths{D: [crawl.MaxProfiles]int32{d, -1, -1, -1}, AnalyseLinked: true}
}

func start(t testing.TB, o Options) (*Frontier, *warcs, error) {
	f, err := Open(t.Context(), o)
	if err != nil {
		return nil, nil, err
	}
	ar := &warcs{}
	return f, ar, errors.Join(err, f.Start(ar, f.Files()))
}

// open starts a frontier that is checked and closed when the test ends.
func open(t testing.TB, c rules.Config, d crawl.Depths) *rig {
	t.Helper()
	return openWith(t, func(o *Options) { o.Config, o.Depths = c, d })
}

// sound fails the test when the state contradicts itself.
func sound(t testing.TB, f *Frontier) {
	t.Helper()
	bad, err := f.Check()
	must(t, err)
	for _, b := range bad {
		t.Error(b)
	}
	nearby(t, f)
	s := f.Stats()
	if s.Discovered != s.Queued+s.Parked+s.InProcess+s.Finished+s.Dropped {
		t.Errorf("discovered is not the sum of its parts: %+v", s)
	}
}

// nearby fails the test unless exactly the hosts up to the horizons are in memory,
// beside those in process (docs/adr/0026).
func nearby(t testing.TB, f *Frontier) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for kind, counted := range map[schema.Table]uint64{schema.Line: f.st.InLine, schema.Snoozed: f.st.Snoozed, schema.Retired: f.st.Retired} {
		stand := uint64(0)
		must(t, f.db.Scan(kind.Prefix(), func(k, _ []byte) error {
			p := schema.ReadPlace(k)
			h, in := f.sched.QueueInfo(p, f.o.Clock.Mono())
			if stand++; h.Resident && !in || !h.Resident && in && h.State < sched.InProcess && h.State != sched.Leaving {
				t.Errorf("queue at %+v: in memory %v, near the head: %v", p, in, h.Resident)
			}
			if in && h.Place != p {
				t.Errorf("queue at %+v is thought to be at %+v", p, h.Place)
			}
			if kind != schema.Retired && !in && !h.WillBeLoaded {
				t.Errorf("queue at %+v would never be taken into memory", p)
			}
			return nil
		}))
		if stand != counted {
			t.Errorf("%d hosts stand in order %c, counted were %d", stand, kind, counted)
		}
	}
}

func cand(host, path string, c crawl.Claim) crawl.Candidate {
	u := "http://" + host + path
	return crawl.Candidate{URL: u, Key: u, Host: host, Kind: crawl.LinkNav, Hops: "L", Claim: c}
}

var analyse = crawl.Claim{Analyse: true}

func link(depth int32) crawl.Claim { return crawl.Claim{Link: [crawl.MaxProfiles]int32{1 + depth}} }

func (r *rig) schedule(cs ...crawl.Candidate) {
	r.t.Helper()
	must(r.t, r.Schedule(r.t.Context(), cs...))
}

// next takes the URI that must be ready now.
func (r *rig) next(want string) *crawl.CrawlURI {
	r.t.Helper()
	u := r.ready()
	if u == nil || u.URL != want {
		r.t.Fatalf("offered %+v, want %s", u, want)
	}
	return u
}

// ready takes a URI if one may be asked for now.
func (r *rig) ready() *crawl.CrawlURI {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		d := r.pickInRound()
		if d.Action != sched.Dispatch && d.Action != sched.Read {
			return nil
		}
		u, err := r.do(&d)
		must(r.t, err)
		if u != nil {
			return u
		}
	}
}

// pickInRound asks the scheduler what to do in this round.
func (r *rig) pickInRound() sched.Decision {
	r.holds++ // else it may begin the next round
	defer func() { r.holds-- }()
	return r.pick()
}

// inMemory is how many queues are in memory.
func (r *rig) inMemory() (n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for s := sched.Waiting; s <= sched.InProcessRetired; s++ {
		n += r.sched.Count(s)
	}
	return n
}

// look is what the scheduler knows of the queue of a host.
func (r *rig) look(host string) (sched.QueueInfo, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sched.QueueInfo(schema.Place{Host: r.hash(host)}, r.clk.Mono())
}

// over fails the test unless the crawl is over.
func (r *rig) over() {
	r.t.Helper()
	if u, err := r.Next(r.t.Context()); !errors.Is(err, crawl.ErrDone) {
		r.t.Fatalf("the crawl goes on: %+v, %v", u, err)
	}
}

// settle waits until work rows are drained.
func (r *rig) settle() {
	r.t.Helper()
	for {
		r.mu.Lock()
		works, changed := r.works, r.wakeup
		r.mu.Unlock()
		if works == 0 {
			return
		}
		// A group without callers tells nobody but publish broadcasts.
		<-changed
	}
}

func (r *rig) finish(u *crawl.CrawlURI) {
	r.t.Helper()
	must(r.t, r.Finished(r.t.Context(), u))
	r.settle()
}

// answer is a processed URI: HTML unless class says otherwise, archived when the
// claims ask for it.
func (r *rig) answer(u *crawl.CrawlURI, class crawl.TypeClass, valid uint8, links ...crawl.Candidate) *crawl.CrawlURI {
	u.Status, u.Class, u.Disposition = 200, class, crawl.Done
	if class == crawl.ClassRedirect {
		u.Status = 301
	}
	u.Judgeable = class == crawl.ClassHTML
	if u.Judgeable && u.Claim.Analyse {
		u.Judged = &crawl.Judgement{ValidFor: valid}
	}
	d := r.o.Depths
	if u.Mode == crawl.ModeFetch && d.Archived(u.Claim, u.Outcome()) {
		r.mu.Lock()
		at := r.files[1].Committed
		r.mu.Unlock()
		u.Span = &crawl.Span{File: 1, Start: at, End: at + 10}
		u.Response, u.RecordID = crawl.Ref{File: 1, Offset: at, Length: 10}, fmt.Sprint("urn:", at)
	}
	for _, l := range links {
		l.Via, l.Claim = u.URL, d.Child(u.Claim, u.Outcome(), l.Kind)
		u.Links = append(u.Links, l)
	}
	return u
}

func (r *rig) record(key string) *schema.Record {
	r.t.Helper()
	rec, err := r.Lookup(key)
	must(r.t, err)
	if rec == nil {
		r.t.Fatalf("%s is not known", key)
	}
	return rec
}

// openWith is open with other options than the usual.
func openWith(t testing.TB, change func(*Options)) *rig {
	t.Helper()
	r := &rig{t: t, fs: fsx.NewMem(), clk: clock.NewFake(began)}
	o := options(r.fs, r.clk, quick(), oneProfile(0))
	change(&o)
	var err error
	r.Frontier, r.ar, err = start(t, o)
	must(t, err)
	t.Cleanup(func() {
		sound(t, r.Frontier)
		must(t, r.Close(context.Background()))
	})
	return r
}

type linkList struct {
	links []rules.KnownLink
	asked crawl.Ref
}

func (l *linkList) Outlinks(_ context.Context, ref crawl.Ref) ([]rules.KnownLink, error) {
	l.asked = ref
	return l.links, nil
}

func path(i int) string { return fmt.Sprintf("/%d", i) }

// unlimited is the default, but that addresses have no limits: hosts of tests share one.
func unlimited() rules.Config {
	c := rules.DefaultConfig()
	c.HostsPerAddress, c.AddressDelay = 0, 0
	return c
}
