package frontiertest_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/frontier/frontiertest"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// TestMetamorphic: the same web with its links in another order, crawled in another
// order by another number of workers, over other crashes, gives the same archive and the
// same verdicts; and the numbers add up at every instant on the way.
func TestMetamorphic(t *testing.T) {
	for seed := range uint64(3) {
		web := frontiertest.RandomWeb(rand.New(rand.NewPCG(seed, 3)))
		want := verdicts{}
		for k := range web.Archived() {
			want[k] = 0
		}
		var first verdicts
		for i, workers := range []int{1, 2, 17, 200} {
			m := &metamorphic{T: t, web: web.Permuted(rand.New(rand.NewPCG(seed, uint64(i)))), rng: rand.New(rand.NewPCG(seed, 10+uint64(i))), mem: fsx.NewMem()}
			for range i {
				m.crawl(workers, 1+m.rng.IntN(6))
			}
			got := m.crawl(workers, 0)
			if first == nil {
				first = got
			}
			if d := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))); d != "" {
				t.Errorf("web %d, %d workers (-model +archived):\n%s", seed, workers, d)
			}
			if d := cmp.Diff(first, got); d != "" {
				t.Errorf("web %d, %d workers (-verdicts of one worker +these):\n%s", seed, workers, d)
			}
		}
	}
}

// verdicts are the profiles that find a page valid, by the key of what is archived.
type verdicts map[string]uint8

type metamorphic struct {
	*testing.T
	web *frontiertest.Web
	rng *rand.Rand
	mem *fsx.Mem
}

// order is one that does not change what is archived.
func (m *metamorphic) order() frontier.OrderConfig {
	o := frontier.DefaultOrderConfig()
	all := []frontier.PolicyName{frontier.PolicyKind, frontier.PolicyHops, frontier.PolicyDepthFirst, frontier.PolicyRelevance}
	o.Policies = []frontier.PolicyName{all[m.rng.IntN(len(all))]}
	o.SessionBalance = m.rng.IntN(3)
	o.FasterFirst = m.rng.IntN(2) == 0
	if m.rng.IntN(2) == 0 {
		o.Queues = frontier.QueuesBest
	}
	return o
}

// crawl crawls to the end, or until the machine stops after a number of URIs.
func (m *metamorphic) crawl(workers, crash int) verdicts {
	m.Helper()
	cfg := frontier.DefaultConfig()
	cfg.MinDelay, cfg.MaxDelay, cfg.DelayFactor = 0, 0, 0
	cfg.HostsInMemory = []int{4, 50000}[m.rng.IntN(2)]
	f, err := frontier.Open(m.Context(), frontier.Options{FS: m.mem, Dir: "/state", LogDir: "/", Config: cfg, Order: m.order(),
		Depths: m.web.Depths, Clock: clock.NewFake(time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC)), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		m.Fatal(err)
	}
	if err := f.Start(warcs{}, f.Files()); err != nil {
		m.Fatal(err)
	}
	var end int64
	for _, row := range f.Files() {
		end = row.Committed
	}
	if err := f.Schedule(m.Context(), m.web.Seed()); err != nil {
		m.Fatal(err)
	}
	ctx, stop := context.WithCancel(m.Context())
	defer stop()
	var mu sync.Mutex
	var clone *fsx.Mem
	c := frontiertest.NewCrawl(m.web, end)
	c.Resign = func() bool { return m.rng.IntN(4) == 0 }
	c.Acknowledged = func(*crawl.CrawlURI) {
		if err := (subject{f, nil}).Numbers().AddUp(); err != nil {
			m.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if crash--; crash == 0 {
			clone = m.mem.CrashClone(fsx.Crash{})
			stop()
		}
	}
	if err := c.Run(ctx, f, workers); err != nil {
		m.Fatal(err)
	}
	got := verdicts{}
	if err := f.EachURI(func(r *frontier.Record) error {
		if r.Outcome.Archived {
			got[r.Key] = r.Outcome.ValidFor
		}
		return nil
	}); err != nil {
		m.Fatal(err)
	}
	if bad, err := f.Check(); err != nil || len(bad) > 0 {
		m.Fatal(fmt.Sprint(bad, err))
	}
	if err := f.Close(m.Context()); err != nil {
		m.Fatal(err)
	}
	if clone != nil {
		m.mem = clone
	}
	return got
}
