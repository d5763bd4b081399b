package frontier

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

func TestReadAheadSeesTheCommitUnderWay(t *testing.T) {
	// What was read while a group was being committed is brought up to date with it: URIs
	// it made known, finished or gave a claim, hosts it made known.
	synctest.Test(t, func(t *testing.T) {
		d := oneProfile(1)
		f, ar, err := start(t, options(fsx.NewMem(), clock.NewFake(began), quick(), d))
		must(t, err)
		r := &rig{Frontier: f, t: t, clk: f.o.Clock.(*clock.Fake), ar: ar}
		r.schedule(cand("a.test", "/", link(1)))
		u := r.captured(r.take("http://a.test/"), 1, 0)
		u.Links = []crawl.Candidate{cand("new.test", "/1", link(0)), cand("a.test", "/2", link(0))}
		ar.hold = make(chan struct{})
		first, second := make(chan error, 1), make(chan error, 1)
		go func() { first <- f.Finished(t.Context(), u) }()
		synctest.Wait() // its archive is being synced
		var known int
		go func() {
			var err error
			known, err = f.ScheduleMark(t.Context(), "", nil, cand("new.test", "/1", link(1)), cand("a.test", "/2", crawl.Claim{}),
				cand("a.test", "/", link(1)), cand("new.test", "/3", crawl.Claim{}))
			second <- err
		}()
		synctest.Wait() // what it needs was read
		select {
		case err := <-first:
			t.Fatal("the first group was not held up", err)
		default:
		}
		close(ar.hold)
		must(t, <-first)
		must(t, <-second)
		if known != 3 {
			t.Errorf("%d of the candidates were known, want 3", known)
		}
		if s := f.Stats(); s.Discovered != 4 || s.Finished != 1 || s.Parked != 1 {
			t.Errorf("%+v", s)
		}
		if got := r.record("http://new.test/1"); got.Claim != link(1) || got.State != schema.Waiting {
			t.Errorf("claim %+v, state %s", got.Claim, got.State)
		}
		sound(t, f)
		must(t, f.Close(t.Context()))
	})
}

func TestFilterKnowsAllOfAState(t *testing.T) {
	// A state that is opened again: nothing in it is taken for new, before the filter is
	// filled and after.
	fs, clk := fsx.NewMem(), clock.NewFake(began)
	f, _, err := start(t, options(fs, clk, quick(), oneProfile(0)))
	must(t, err)
	var cs []crawl.Candidate
	for i := range 3000 {
		cs = append(cs, cand(fmt.Sprintf("h%d.test", i%700), path(i), analyse))
	}
	must(t, f.Schedule(t.Context(), cs...))
	must(t, f.Close(t.Context()))
	f, _, err = start(t, options(fs, clk, quick(), oneProfile(0)))
	must(t, err)
	f.seen.filling.Wait()
	if !f.seen.complete.Load() {
		t.Error("the filter was not filled")
	}
	for _, filled := range []bool{false, true} {
		f.seen.complete.Store(filled)
		known, err := f.ScheduleMark(t.Context(), "", nil, cs...)
		must(t, err)
		if known != len(cs) {
			t.Errorf("%d of %d known", known, len(cs))
		}
		f.recs, f.hostRows, f.domainRows = newRowCache(10, uriHash), newRowCache(10, hostHash), newRowCache(10, nameHash())
	}
	known, err := f.ScheduleMark(t.Context(), "", nil, cand("other.test", "/", analyse), cand("h1.test", "/other", analyse))
	must(t, err)
	if known != 0 {
		t.Errorf("%d of 2 new ones known", known)
	}
	sound(t, f)
	must(t, f.Close(t.Context()))
}

func TestSeen(t *testing.T) {
	const n = 20000
	s := &seen{words: make([]uint64, n*134/10/512*8)} // as many bits for each as with 20 million
	s.complete.Store(true)
	r := rand.New(rand.NewPCG(1, 1))
	added := make([]uint64, n)
	for i := range added {
		added[i] = r.Uint64()
		s.add(added[i])
	}
	for _, h := range added {
		if !s.may(h) {
			t.Fatalf("%x was added", h)
		}
	}
	wrong := 0
	for range 100000 {
		if s.may(r.Uint64()) {
			wrong++
		}
	}
	if wrong > 800 { // some 500 expected
		t.Errorf("%d of 100,000 taken for known", wrong)
	}
	s.complete.Store(false)
	if !s.may(r.Uint64()) {
		t.Error("a filter that is not complete must not rule anything out")
	}
}

func TestPutsInOrder(t *testing.T) {
	var p puts
	must(t, p.Set([]byte("u2"), []byte("old")))
	must(t, p.Set([]byte("u1234567890b"), []byte("b")))
	must(t, p.Delete([]byte("u2")))
	must(t, p.Set([]byte("h1"), []byte("h")))
	must(t, p.Set([]byte("u1234567890a"), []byte("a")))
	must(t, p.Delete([]byte("w1")))
	must(t, p.Set([]byte("w1"), nil))
	f := open(t, quick(), oneProfile(0))
	b, err := p.batch(f.db)
	must(t, err)
	must(t, b.Close())
	var got []string
	for _, o := range p.ops {
		got = append(got, fmt.Sprintf("%s=%s %v", o.key, o.value, o.deletes))
	}
	want := []string{"h1=h false", "u1234567890a=a false", "u1234567890b=b false", "u2= true", "w1= false"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if u := p.table(schema.URIs); len(u) != 3 || string(u[0].key) != "u1234567890a" || len(p.table(schema.Retired)) != 0 {
		t.Errorf("table u: %v", u)
	}
}

func TestRowCache(t *testing.T) {
	c := newRowCache(2*cacheShards, func(uint64) uint64 { return 7 })
	key := func(n uint64) []byte { return binary.BigEndian.AppendUint64(schema.Hosts.Prefix(), n) }
	set := func(n uint64, v string) {
		c.take([]put{{key: key(n), value: []byte(v)}}, binary.BigEndian.Uint64)
	}
	is := func(n uint64, want string) {
		t.Helper()
		if got := c.get(n); string(got) != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	set(1, "a")
	set(2, "b")
	set(3, "c") // 1 and 2 are the old ones
	set(1, "A") // hides the old value
	is(1, "A")
	is(2, "b") // is young again, 1 and 3 are old
	is(3, "c")
	c.take([]put{{key: key(3), deletes: true}, {key: key(1), deletes: true}}, binary.BigEndian.Uint64)
	is(1, "")
	is(3, "")
	is(2, "b")
	set(4, "d") // 2 is old
	set(2, "B")
	c.take([]put{{key: key(2), deletes: true}}, binary.BigEndian.Uint64)
	is(2, "") // nor is the old value there
	set(2, "b")
	c.keep([]uint64{2, 5}, [][]byte{[]byte("stale"), []byte("e")})
	is(2, "b")
	is(5, "e")
	set(6, "f")
	set(7, "g")
	set(8, "h")
	set(9, "i")
	is(2, "")
}

// Whoever began to read first may end last: the changes since then are kept for it.
func TestRecentChanges(t *testing.T) {
	var r recent
	numbers := func(cs []changes) (n []uint64) {
		for _, c := range cs {
			n = append(n, c.commit)
		}
		return n
	}
	r.committed(&puts{}) // 1: nobody reads
	a := r.begin()
	r.committed(&puts{}) // 2: a may not have seen it
	b := r.begin()
	r.committed(&puts{}) // 3: nor b this one
	if got := numbers(r.ended(b)); !slices.Equal(got, []uint64{3}) {
		t.Errorf("b may have missed %v", got)
	}
	if got := numbers(r.ended(a)); !slices.Equal(got, []uint64{2, 3}) {
		t.Errorf("a may have missed %v", got)
	}
	r.committed(&puts{})
	if got := numbers(r.ended(r.begin())); got != nil {
		t.Errorf("who begins now may have missed %v", got)
	}
}

// The committer commits work of its own while others are read for: nothing was read for that,
// and it must not end what they began.
func TestWorkInBetweenEndsNoReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, quick(), oneProfile(0))
		since := f.recent.begin() // somebody reads for long
		f.schedule(cand("a.test", "/", analyse))
		f.offs <- struct{}{}
		synctest.Wait()
		f.schedule(cand("b.test", "/", analyse))
		missed := f.recent.ended(since)
		if n := len(f.recent.reading); n > 0 {
			t.Errorf("%d still read", n)
		}
		if len(missed) == 0 || missed[0].commit != since+1 {
			t.Errorf("of the commits after %d that the reader may have missed there are left %v", since, missed)
		}
	})
}

// Groups that were read while one was committed are committed together, the URIs that several
// of them are about once.
func TestGroupsAreCommittedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, ar, err := start(t, options(fsx.NewMem(), clock.NewFake(began), quick(), oneProfile(1)))
		must(t, err)
		r := &rig{Frontier: f, t: t, clk: f.o.Clock.(*clock.Fake), ar: ar}
		r.schedule(cand("a.test", "/", link(1)))
		u := r.captured(r.take("http://a.test/"), 1, 0)
		before := f.recent.commits
		ar.hold = make(chan struct{})
		errs := make(chan error, 4)
		go func() { errs <- f.Finished(t.Context(), u) }()
		synctest.Wait() // its archive is being synced
		known := make([]int, 3)
		for i := range known {
			go func() {
				n, err := f.ScheduleMark(t.Context(), "", nil, cand("b.test", "/", crawl.Claim{}), cand("b.test", path(i), link(int32(i))), cand("b.test", "/", link(1)))
				known[i] = n
				errs <- err
			}()
			synctest.Wait() // what it needs was read: each is a group
		}
		close(ar.hold)
		for range 4 {
			must(t, <-errs)
		}
		if n := f.recent.commits - before; n != 2 {
			t.Errorf("%d commits for what was read during the first, want 1", n-1)
		}
		if !slices.Equal(known, []int{1, 2, 2}) {
			t.Errorf("known: %d", known)
		}
		if got := r.record("http://b.test/"); got.Claim != link(1) || got.State != schema.Waiting {
			t.Errorf("claim %+v, state %s", got.Claim, got.State)
		}
		if s := f.Stats(); s.Discovered != 5 {
			t.Errorf("%+v", s)
		}
		if n := len(f.recent.reading) + len(f.recent.changes); n > 0 {
			t.Errorf("%d still kept for who reads", n)
		}
		sound(t, f)
		must(t, f.Close(t.Context()))
	})
}

// A queue that is read while a commit is synced has its rows already; a record from the cache
// is that of the commit before.
func TestHeadIsNotOlderThanItsQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, quick(), oneProfile(1))
		f.schedule(cand("a.test", "/", crawl.Claim{})) // known, not queued
		id := f.id("http://a.test/")
		old := f.recs.get(id)
		f.schedule(cand("a.test", "/", link(1)))
		f.recs.take([]put{{key: schema.URIKey(id), value: old}}, schema.ReadID) // as before the commit was complete
		u := f.next("http://a.test/")
		if u.Claim != link(1) {
			t.Errorf("offered with claim %+v", u.Claim)
		}
		f.recs.take([]put{{key: schema.URIKey(id), deletes: true}}, schema.ReadID)
		f.finish(f.answer(u, crawl.ClassHTML, 0))
	})
}
