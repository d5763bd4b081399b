package frontier

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/crawl"
	"exclave/frontier/sched"
	"exclave/frontier/store"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// impatient is a context that ends when somebody waits for its end.
type impatient struct {
	context.Context
	waited bool
}

func (c *impatient) Done() <-chan struct{} {
	c.waited = true
	ended := make(chan struct{})
	close(ended)
	return ended
}

func (c *impatient) Err() error {
	if c.waited {
		return context.Canceled
	}
	return c.Context.Err()
}

// offered is what Next returned.
type offered struct {
	u   *crawl.CrawlURI
	err error
}

// nextLater calls Next beside the test.
func nextLater(t *testing.T, f *Frontier) <-chan offered {
	c := make(chan offered, 1)
	go func() {
		u, err := f.Next(t.Context())
		c <- offered{u, err}
	}()
	return c
}

// While Next reads, everybody else goes on; the crawl is not over; and what a commit made old
// meanwhile is not offered.
func TestNextReadsWithoutTheLock(t *testing.T) {
	f := open(t, quick(), oneProfile(0))
	f.schedule(cand("page.test", "/", analyse))
	page := f.next("http://page.test/")
	found := cand("a.test", "/", analyse)
	found.Via = page.URL
	f.finish(f.answer(page, crawl.ClassHTML, 0, found))

	gate := make(chan struct{}) // until then the name of its host cannot be looked up: reading does not end
	f.names = store.NewCache(store.CacheOptions[uint64, string]{Most: 100, Hash: func(uint64) uint64 { <-gate; return 0 }})
	first := nextLater(t, f.Frontier)
	for reads := false; !reads; runtime.Gosched() {
		f.mu.Lock()
		reads = f.sched.Count(sched.Loading) == 1
		f.mu.Unlock()
	}
	if u, err := f.Next(&impatient{Context: t.Context()}); !errors.Is(err, context.Canceled) {
		t.Errorf("offered %v, %v while another host is being read", u, err)
	}
	if q := f.Queues(); q.Ready != 1 {
		t.Errorf("%+v", q)
	}
	better := cand("a.test", "/seed", analyse)
	better.Seed = true
	f.schedule(better)
	if l, in := f.look("a.test"); !in || l.State != sched.Loading {
		t.Errorf("a queue that is being read may be asked for: %+v", l)
	}
	close(gate)
	got := <-first
	must(t, got.err)
	if got.u.URL != better.URL {
		t.Errorf("offered %s, though %s goes first", got.u.URL, better.URL)
	}
	f.finish(f.answer(got.u, crawl.ClassHTML, 0))
	f.finish(f.answer(f.next(found.URL), crawl.ClassHTML, 0))
	f.over()
}

// slowReads holds up one read of a file, once it was armed.
type slowReads struct {
	fsx.FS
	armed           atomic.Bool
	begun, released chan struct{}
}

func (s *slowReads) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	f, err := s.FS.Open(name, o...)
	return slowFile{f, s}, err
}

type slowFile struct {
	vfs.File
	fs *slowReads
}

func (f slowFile) ReadAt(b []byte, at int64) (int, error) {
	if f.fs.armed.CompareAndSwap(true, false) {
		close(f.fs.begun)
		<-f.fs.released
	}
	return f.File.ReadAt(b, at)
}

// A queue that a commit changes while it is being read is read again.
func TestQueueIsNotOlderThanItsHost(t *testing.T) {
	fs := &slowReads{FS: fsx.NewMem(), begun: make(chan struct{}), released: make(chan struct{})}
	clk := clock.NewFake(began)
	f, _, err := start(t, options(fs, clk, quick(), oneProfile(0)))
	must(t, err)
	var hosts []string
	for i := range 60 {
		hosts = append(hosts, fmt.Sprintf("h%d.test", i))
	}
	// The first in line is the last on disk: its rows are not read with the places.
	slices.SortFunc(hosts, func(a, b string) int { return cmp.Compare(f.hash(b), f.hash(a)) })
	for _, host := range hosts {
		var cs []crawl.Candidate
		for n := range 200 {
			cs = append(cs, cand(host, path(n), analyse))
		}
		must(t, f.Schedule(t.Context(), cs...))
		clk.Advance(time.Second)
	}
	must(t, f.Close(t.Context()))
	f, _, err = start(t, options(fs, clk, quick(), oneProfile(0)))
	must(t, err)
	f.filling.Wait()
	fs.armed.Store(true)
	first := nextLater(t, f)
	<-fs.begun
	var better crawl.Candidate
	r := &rig{Frontier: f, t: t, clk: clk}
	for _, host := range hosts {
		if l, in := r.look(host); in && l.State == sched.Loading {
			if !l.RowLoaded || l.URIs > 0 {
				t.Error("it is not a queue that is being read")
			}
			better = cand(host, "/seed", analyse)
		}
	}
	better.Seed, better.Hops = true, ""
	must(t, f.Schedule(t.Context(), better))
	close(fs.released)
	got := <-first
	must(t, got.err)
	us := []*crawl.CrawlURI{got.u}
	for us[len(us)-1].Host != better.Host { // others may go before that host, once it was read in vain
		u, err := f.Next(t.Context())
		must(t, err)
		us = append(us, u)
	}
	if u := us[len(us)-1]; u.URL != better.URL {
		t.Errorf("offered %s, though %s goes first", u.URL, better.URL)
	}
	for _, u := range us {
		u.Disposition = crawl.Resign
		must(t, f.Finished(t.Context(), u))
	}
	sound(t, f)
	must(t, f.Close(t.Context()))
}

// Many threads, few hosts that most commits change, caches and memory for a few of them, URIs that
// are dropped or give way: nothing is offered twice or left behind, and the changes add up.
func TestNextAmongCommits(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { nextAmongCommits(t, seed) })
	}
}

func nextAmongCommits(t *testing.T, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	r := openWith(t, func(o *Options) {
		o.Order = DefaultOrderConfig()
		o.Order.SessionBalance = []int{0, 3}[rnd.IntN(2)]
		o.Order.Policies = []PolicyName{PolicyHops}
		o.Order.FollowUseless = true // else what comes nearer is offered again
		if rnd.IntN(2) == 0 {
			o.Order.Queues = QueuesBest
		}
		o.Config.HostsInMemory = []int{4, 100}[rnd.IntN(2)]
		o.Config.ConnectionsPerHost = 1 + rnd.IntN(3)
		if rnd.IntN(2) == 0 {
			o.Limits.HostURIs = 40
		}
	})
	smallCaches(r.Frontier, 1)
	const hosts = 25
	host := func(i int) string { return fmt.Sprintf("h%d.test", i) }
	for i := range hosts {
		r.schedule(cand(host(i), "/0", analyse))
	}
	var mu sync.Mutex
	count := map[string]int{}
	made := 0
	var wg sync.WaitGroup
	for w := range 12 {
		rnd := rand.New(rand.NewPCG(seed, uint64(w)+10))
		wg.Go(func() {
			for {
				u, err := r.Next(t.Context())
				if errors.Is(err, crawl.ErrDone) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				var links []crawl.Candidate
				mu.Lock()
				count[u.Key]++
				if count[u.Key] > 1 {
					t.Errorf("%s offered %d times", u.Key, count[u.Key])
				}
				if made < 1500 {
					for range rnd.IntN(12) {
						c := cand(host(rnd.IntN(hosts)), path(rnd.IntN(100)), analyse)
						c.Hops = []string{"L", "LL", "LLL", "LLLL"}[rnd.IntN(4)]
						links = append(links, c)
						made++
					}
				}
				mu.Unlock()
				u.Status, u.Class, u.Disposition = 200, crawl.ClassHTML, crawl.Done
				u.Links = links
				if rnd.IntN(20) == 0 {
					var ids []crawl.ID
					for range 3 {
						ids = append(ids, r.id("http://"+host(rnd.IntN(hosts))+path(rnd.IntN(100))))
					}
					if _, err := r.Drop(t.Context(), crawl.StatusDeletedByUser, func(u *crawl.CrawlURI) []crawl.LogLine { return nil }, ids...); err != nil {
						t.Error(err)
					}
				}
				if err := r.Finished(t.Context(), u); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	s := r.Stats()
	if s.Queued != 0 || s.InProcess != 0 {
		t.Errorf("%+v", s)
	}
	c := r.Census()
	m := c.Changes
	if d := m.Began.Inactive + m.Deactivated - m.Activated; d != int64(c.Queues.Inactive) {
		t.Errorf("%d stand in line by the changes, %d do", d, c.Queues.Inactive)
	}
	if d := m.Filled - m.Exhausted; d != 0 {
		t.Errorf("%d are left that were filled", d)
	}
}

// A host that came to memory from disk, and that a commit changes before its row is read, rests as
// its row says.
func TestUnreadHostRests(t *testing.T) {
	fs, clk := fsx.NewMem(), clock.NewFake(began)
	o := options(fs, clk, unlimited(), oneProfile(0))
	f, ar, err := start(t, o)
	must(t, err)
	r := &rig{Frontier: f, t: t, fs: fs, clk: clk, ar: ar}
	r.schedule(cand("b.test", "/1", analyse), cand("b.test", "/2", analyse))
	u := r.answer(r.next("http://b.test/1"), crawl.ClassHTML, 0)
	u.Took = 6 * time.Second // five times that, or the most
	r.finish(u)
	left := r.rests("b.test")
	must(t, f.Close(t.Context()))
	r.Frontier, r.ar, err = start(t, o)
	must(t, err)
	r.mu.Lock()
	d := r.pick()
	_, err = r.do(&d) // takes it into memory
	r.mu.Unlock()
	must(t, err)
	if l, in := r.look("b.test"); !in || l.RowLoaded {
		t.Fatalf("%+v is not a queue that has not been read", l)
	}
	r.schedule(cand("b.test", "/3", analyse))
	if got := r.rests("b.test"); got != left || left < 5*time.Second {
		t.Errorf("rests for %v, want %v", got, left)
	}
	if u := r.ready(); u != nil {
		t.Errorf("%s is offered %v early", u.URL, left)
	}
	clk.Advance(left)
	r.next("http://b.test/2").Disposition = crawl.Resign
	must(t, r.Close(t.Context()))
}
