package commit

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/frontier/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// steps is a group whose steps are noted; fails names the one that fails.
type steps struct {
	c     *counting
	taken int
}

// counting is what a committer works with, without a disk.
type counting struct {
	mu      sync.Mutex
	did     []string
	fails   string
	pending int
	err     error
	files   map[uint32]int64
	rs      []*Request
}

var errBroken = errors.New("broken")

func (s *steps) step(name string) error {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	s.c.did = append(s.c.did, name)
	if s.c.fails == name {
		return errBroken
	}
	return nil
}

func (s *steps) TakeOver(*Ahead) error {
	if s.taken++; s.taken > 1 { // how many groups come together is a matter of chance
		return nil
	}
	return s.step("take over")
}

func (s *steps) Apply(rs []*Request) error {
	s.c.rs = rs
	return s.step("apply")
}
func (s *steps) Append() error { return s.step("append") }
func (s *steps) Sync() error   { return s.step("sync") }
func (s *steps) Write() error  { return s.step("write") }
func (s *steps) Publish() error {
	for _, r := range s.c.rs {
		if r.URI != nil && r.URI.Span != nil {
			s.c.files[r.URI.Span.File] = r.URI.Span.End
		}
	}
	return s.step("publish")
}
func (s *steps) Complete() error { return s.step("complete") }
func (s *steps) Close() error    { return s.step("close") }

// committer returns one that is started; the caller stops it.
func committer(c *counting) *Committer {
	c.files = map[uint32]int64{}
	lock := func(do func()) {
		c.mu.Lock()
		defer c.mu.Unlock()
		do()
	}
	k := New(Env{
		Accept:    func() error { lock(func() { c.pending++ }); return nil },
		Answered:  func(n int) { lock(func() { c.pending -= n }) },
		Err:       func() (err error) { lock(func() { err = c.err }); return err },
		Fail:      func(err error) { lock(func() { c.err = err }) },
		Left:      func() bool { return false },
		Committed: func(file uint32) int64 { return c.files[file] },
		Begin:     func() Group { return &steps{c: c} },
		Ahead:     &Reader{Salt: &schema.Salt{}, Recent: &store.Recent{}},
	})
	k.read = func(*Ahead) error { return nil }
	k.Start()
	return k
}

// captured is a request of a URI with a capture group.
func captured(start, end int64) *Request {
	return &Request{Request: rules.Request{URI: &crawl.CrawlURI{Span: &crawl.Span{File: 1, Start: start, End: end}}}}
}

// The steps of a group come in their order, and none after one that fails: no row says what a file does not hold, nobody is
// shown what is not written, and nobody is answered before.
func TestSteps(t *testing.T) {
	all := []string{"take over", "apply", "append", "sync", "write", "publish", "complete"}
	for i, fails := range append(slices.Clone(all), "") {
		c := &counting{fails: fails}
		k := committer(c)
		err := k.Submit(t.Context(), &Request{})
		k.Stop()
		want := all
		if fails != "" {
			want = all[:i+1]
		}
		if want = append(slices.Clone(want), "close"); !slices.Equal(c.did, want) {
			t.Errorf("%s fails: %q, want %q", fails, c.did, want)
		}
		if failed := errors.Is(err, errBroken); failed != (fails != "") || failed != (c.err != nil) || c.pending != 0 {
			t.Errorf("%s fails: the caller hears %v, the frontier %v; %d pending", fails, err, c.err, c.pending)
		}
	}
}

// A capture waits for those before it in its file, whoever comes first.
func TestFileOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counting{}
		k := committer(c)
		last, first := captured(10, 20), captured(0, 10)
		for _, r := range []*Request{last, first} {
			if err := k.HandIn(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if r == last && c.pending != 1 {
				t.Error("it did not wait for what lies before it")
			}
		}
		if err := errors.Join(k.Wait(first), k.Wait(last)); err != nil || c.files[1] != 20 {
			t.Errorf("%v, committed %v", err, c.files)
		}
		k.Stop()
	})
}

// After a failure everybody is answered with it: who waited for an earlier capture, and who was queued just before.
func TestFailureAnswersAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counting{fails: "sync"}
		k := committer(c)
		var rs []*Request
		for _, r := range []*Request{captured(10, 20), captured(0, 10), captured(30, 40), {}} {
			if err := k.HandIn(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			rs = append(rs, r)
			synctest.Wait()
		}
		for i, r := range rs {
			if err := k.Wait(r); !errors.Is(err, errBroken) {
				t.Errorf("request %d: %v", i, err)
			}
		}
		k.Stop()
		if c.pending != 0 || strings.Contains(strings.Join(c.did, " "), "write") {
			t.Errorf("%d pending, %q", c.pending, c.did)
		}
	})
}

// What is to be done between two commits is done when the request is durable; its error is the answer.
func TestAfter(t *testing.T) {
	c := &counting{}
	k := committer(c)
	err := k.Submit(t.Context(), &Request{After: func() error {
		return errors.Join((&steps{c: c}).step("after"), errBroken)
	}})
	if err2 := k.Submit(t.Context(), &Request{}); !errors.Is(err, errBroken) || err2 != nil || c.err != nil {
		t.Errorf("%v, then %v; the frontier: %v", err, err2, c.err)
	}
	if i, j := slices.Index(c.did, "close"), slices.Index(c.did, "after"); i < 0 || j < i {
		t.Errorf("%q", c.did)
	}
	k.Stop()
	if err := k.Submit(context.Background(), &Request{}); !errors.Is(err, ErrClosed) || c.pending != 0 {
		t.Errorf("handed in when it is over: %v, %d pending", err, c.pending)
	}
}
