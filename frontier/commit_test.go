package frontier

import (
	"errors"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"exclave/crawl"
	"exclave/frontier/frontiertest"
	"exclave/frontier/schema"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// captured is a URI with a capture group of ten bytes.
func (r *rig) captured(u *crawl.CrawlURI, file uint32, start int64) *crawl.CrawlURI {
	u.Status, u.Class, u.Disposition = 200, crawl.ClassOther, crawl.Done
	u.Span = &crawl.Span{File: file, Start: start, End: start + 10}
	u.Response, u.RecordID = crawl.Ref{File: file, Offset: start, Length: 10}, "urn"
	return u
}

func TestCapturesOfAFileCommitInFileOrder(t *testing.T) {
	// Decision 2: a committed length never covers a capture that nobody handed in.
	synctest.Test(t, func(t *testing.T) {
		f := open(t, quick(), oneProfile(0))
		f.schedule(cand("a.test", "/", link(0)), cand("b.test", "/", link(0)), cand("c.test", "/", link(0)))
		a, b, c := f.take("http://a.test/"), f.take("http://b.test/"), f.take("http://c.test/")
		later := make(chan error, 1)
		go func() { later <- f.Finished(t.Context(), f.captured(b, 1, 10)) }()
		synctest.Wait()
		select {
		case err := <-later:
			t.Fatalf("a capture was acknowledged ahead of the one before it (%v)", err)
		default:
		}
		f.finish(f.captured(c, 2, 0)) // other files do not wait
		f.finish(f.captured(a, 1, 0))
		must(t, <-later)
		if f.ar.committed[1] != 20 || f.ar.committed[2] != 10 {
			t.Errorf("committed %v", f.ar.committed)
		}
	})
}

func TestFailureAnswersEveryone(t *testing.T) {
	// Whoever waits learns of the failure, also who waited for an earlier capture
	// of the same file: a ToeThread that waits for ever would keep the crawl from
	// ending.
	synctest.Test(t, func(t *testing.T) {
		f, ar, err := start(t, options(fsx.NewMem(), clock.NewFake(began), quick(), oneProfile(0)))
		must(t, err)
		r := &rig{Frontier: f, t: t, clk: f.o.Clock.(*clock.Fake), ar: ar}
		r.schedule(cand("a.test", "/", link(0)), cand("b.test", "/", link(0)))
		a, b := r.take("http://a.test/"), r.take("http://b.test/")
		ar.syncErr = syscall.EIO
		held := make(chan error, 1)
		hold := func() { held <- f.Finished(t.Context(), r.captured(b, 1, 10)) }
		go hold()
		synctest.Wait()
		if err := f.Finished(t.Context(), r.captured(a, 1, 0)); !errors.Is(err, syscall.EIO) {
			t.Fatalf("sync failed, Finished returned %v", err)
		}
		synctest.Wait()
		select {
		case err := <-held:
			if !errors.Is(err, syscall.EIO) {
				t.Errorf("held capture: %v", err)
			}
		default:
			t.Error("a held capture was never answered")
		}
		if err := f.Schedule(t.Context(), cand("d.test", "/", analyse)); !errors.Is(err, syscall.EIO) {
			t.Errorf("schedule after a failure: %v", err)
		}
		if _, err := f.Next(t.Context()); !errors.Is(err, syscall.EIO) {
			t.Errorf("next after a failure: %v", err)
		}
		must(t, f.Close(t.Context()))
	})
}

func TestClosedFrontierTakesNothing(t *testing.T) {
	// A seed reader that comes too late must get an answer.
	synctest.Test(t, func(t *testing.T) {
		f, _, err := start(t, options(fsx.NewMem(), clock.NewFake(began), quick(), oneProfile(0)))
		must(t, err)
		must(t, f.Close(t.Context()))
		done := make(chan error, 1)
		go func() { done <- f.Schedule(t.Context(), cand("a.test", "/", analyse)) }()
		synctest.Wait()
		select {
		case err := <-done:
			if err == nil {
				t.Error("schedule after close succeeded")
			}
		default:
			t.Fatal("schedule after close waits for ever")
		}
	})
}

func TestUnfinishedCaptureIsAbandoned(t *testing.T) {
	// Decision 2: a whole capture whose URI is not done is committed as abandoned.
	f := open(t, quick(), oneProfile(0))
	f.schedule(cand("a.test", "/", link(0)))
	u := f.captured(f.next("http://a.test/"), 1, 0)
	u.Disposition, u.Err = crawl.Resign, errors.New("the crawl stops")
	f.finish(u)
	f.finish(f.captured(f.next("http://a.test/"), 1, 10))
	var got []string
	must(t, f.EachCapture(func(c schema.Capture) error { got = append(got, c.Abandoned); return nil }))
	if len(got) != 2 || got[0] != "the crawl stops" || got[1] != "" {
		t.Errorf("captures abandoned for %q", got)
	}
}

func TestLogsAreCutToTheCommittedLength(t *testing.T) {
	// Decision 2: lines that nobody acknowledged are cut; a log that is too short
	// is an error that names the file and both sizes.
	mem := fsx.NewMem()
	o := options(mem, clock.NewFake(began), quick(), oneProfile(0))
	f, ar, err := start(t, o)
	must(t, err)
	r := &rig{Frontier: f, t: t, clk: o.Clock.(*clock.Fake), ar: ar}
	r.schedule(cand("a.test", "/", analyse))
	u := r.answer(r.next("http://a.test/"), crawl.ClassHTML, 0)
	u.Lines = []crawl.LogLine{{Log: crawl.LogCrawl, Text: []byte("one line\n")}}
	r.finish(u)
	must(t, f.Close(t.Context()))
	log, err := fsx.OpenAppend(mem, "/crawl.log")
	must(t, err)
	_, err = log.Write([]byte("torn"))
	must(t, errors.Join(err, log.Close()))
	f, err = Open(t.Context(), o)
	must(t, err)
	if !f.Clean() {
		t.Error("closed in order, but not clean")
	}
	must(t, f.Close(t.Context()))
	if st, err := mem.Stat("/crawl.log"); err != nil || st.Size() != 9 {
		t.Errorf("log has %d bytes, want 9 (%v)", st.Size(), err)
	}
	must(t, mem.Truncate("/crawl.log", 5))
	_, err = Open(t.Context(), o)
	for _, want := range []string{"/crawl.log", "9", "5"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %s", err, want)
		}
	}
}

func TestChangedRulesAreRefused(t *testing.T) {
	// Decision 5: keys made by other rules would not match.
	o := options(fsx.NewMem(), clock.NewFake(began), quick(), oneProfile(0))
	f, err := Open(t.Context(), o)
	must(t, err)
	must(t, f.Close(t.Context()))
	o.RulesHash++
	if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), "[url]") {
		t.Errorf("other rules: %v", err)
	}
}

func TestMarksAreCommittedWithTheirCandidates(t *testing.T) {
	// A mark says how far the seeds were read: it must not be ahead of them.
	f := open(t, quick(), oneProfile(0))
	c := cand("a.test", "/", analyse)
	known, err := f.ScheduleMark(t.Context(), "seeds", []byte("7"), c, c)
	must(t, err)
	if known != 1 {
		t.Errorf("known: %d, want 1: the second of the two", known)
	}
	v, ok, err := f.Marked("seeds")
	if err != nil || !ok || string(v) != "7" {
		t.Errorf("mark %q %v %v", v, ok, err)
	}
	if _, ok, err := f.Marked("other"); ok || err != nil {
		t.Errorf("a mark that was not set: %v %v", ok, err)
	}
}

func TestHoldKeepsTheCrawlFromEnding(t *testing.T) {
	// Seeds are read while the crawl runs.
	synctest.Test(t, func(t *testing.T) {
		f := open(t, quick(), oneProfile(0))
		release := f.Hold()
		done := make(chan error, 1)
		go func() { _, err := f.Next(t.Context()); done <- err }()
		synctest.Wait()
		if len(done) > 0 {
			t.Fatal("the crawl ended while held")
		}
		release()
		if err := <-done; !errors.Is(err, crawl.ErrDone) {
			t.Error(err)
		}
	})
}

func TestFaultAtEveryWriteOfALog(t *testing.T) {
	// Decision 11: the n-th write or sync of a log fails; what was acknowledged is
	// there after reopening, and nobody waits for ever. Pebble's own files fail in
	// the tests of the store's death.
	match := func(o fsx.Op) bool { return !o.Reads() && o.Kind != "close" && o.Path == "/crawl.log" }
	for at := int64(0); ; at++ {
		mem := fsx.NewMem()
		faulty := fsx.NewFaulty(mem, fsx.Fault{At: -1})
		w := frontiertest.RandomWeb(rand.New(rand.NewPCG(11, 11)))
		o := options(faulty, clock.NewFake(began), quick(), w.Depths)
		f, _, err := start(t, o)
		must(t, err)
		faulty.Set(fsx.Fault{At: at, Stay: true, Err: syscall.ENOSPC, Match: match})
		acked := 0
		err = f.Schedule(t.Context(), w.Seed())
		if err == nil {
			c := frontiertest.NewCrawl(w, 0)
			c.Acknowledged = func(*crawl.CrawlURI) { acked++ }
			err = c.Run(t.Context(), f, 1)
		}
		_, failed := faulty.Counts()
		if (failed > 0) != (err != nil) {
			t.Fatalf("operation %d: %d failed, the crawl says %v", at, failed, err)
		}
		faulty.Set(fsx.Fault{At: -1})
		must(t, f.Close(t.Context()))
		o.FS = mem.CrashClone(fsx.Crash{})
		f, _, err = start(t, o)
		must(t, err)
		sound(t, f)
		finished := 0
		must(t, f.EachURI(func(r *schema.Record) error {
			finished += r.Finishes
			return nil
		}))
		if finished < acked {
			t.Fatalf("operation %d: %d were acknowledged, %d are there", at, acked, finished)
		}
		must(t, f.Close(t.Context()))
		if failed == 0 {
			return
		}
	}
}
