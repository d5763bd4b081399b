package frontier

import (
	"fmt"
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
		if got := r.record("http://new.test/1"); got.Claim != link(1) || got.State != schema.Pending {
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
	f.filling.Wait()
	if f.filter.MayHave(1) {
		t.Error("the filter was not filled")
	}
	for _, filled := range []bool{false, true} {
		if !filled {
			must(t, f.filter.Stop())
		} else {
			must(t, f.filter.Start())
			must(t, f.filter.Fill(f.db, nil))
		}
		known, err := f.ScheduleMark(t.Context(), "", nil, cs...)
		must(t, err)
		if known != len(cs) {
			t.Errorf("%d of %d known", known, len(cs))
		}
		smallCaches(f, 10)
	}
	known, err := f.ScheduleMark(t.Context(), "", nil, cand("other.test", "/", analyse), cand("h1.test", "/other", analyse))
	must(t, err)
	if known != 0 {
		t.Errorf("%d of 2 new ones known", known)
	}
	sound(t, f)
	must(t, f.Close(t.Context()))
}

// The committer commits work of its own while others are read for: nothing was read for that,
// and it must not end what they began.
func TestWorkInBetweenEndsNoReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := open(t, quick(), oneProfile(0))
		before := f.number
		since := f.recent.BeginRead() // somebody reads for long
		f.schedule(cand("a.test", "/", analyse))
		f.leaving <- struct{}{}
		synctest.Wait()
		f.schedule(cand("b.test", "/", analyse))
		missed := f.recent.EndRead(since)
		if n := f.number - before; n < 2 || uint64(len(missed)) != n {
			t.Errorf("%d of the %d commits that the reader may have missed are left", len(missed), n)
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
		before := f.number
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
		if n := f.number - before; n != 2 {
			t.Errorf("%d commits for what was read during the first, want 1", n-1)
		}
		if !slices.Equal(known, []int{1, 2, 2}) {
			t.Errorf("known: %d", known)
		}
		if got := r.record("http://b.test/"); got.Claim != link(1) || got.State != schema.Pending {
			t.Errorf("claim %+v, state %s", got.Claim, got.State)
		}
		if s := f.Stats(); s.Discovered != 5 {
			t.Errorf("%+v", s)
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
		old, _ := f.recs.Get(id)
		f.schedule(cand("a.test", "/", link(1)))
		f.recs.Set(id, old) // as before the commit was complete
		u := f.next("http://a.test/")
		if u.Claim != link(1) {
			t.Errorf("offered with claim %+v", u.Claim)
		}
		f.recs.Set(id, nil)
		f.finish(f.answer(u, crawl.ClassHTML, 0))
	})
}
