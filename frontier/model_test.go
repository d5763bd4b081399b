package frontier

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"exclave/crawl"
	"exclave/frontier/frontiertest"
	"exclave/frontier/rules"
	"exclave/frontier/schema"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

func archived(t testing.TB, f *Frontier) []string {
	t.Helper()
	var out []string
	must(t, f.EachURI(func(r *schema.Record) error {
		if r.Outcome.Archived {
			out = append(out, r.Key)
		}
		return nil
	}))
	slices.Sort(out)
	return out
}

func TestArchivedSetIsTheLeastFixpoint(t *testing.T) {
	// Decision 1: what is archived depends neither on the order of discovery nor
	// on the number of workers, and nothing archived is captured again.
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		for range 8 {
			crawlWeb(t, rt, r)
		}
	})
}

func crawlWeb(t *testing.T, rt *rapid.T, r *rand.Rand) {
	w := frontiertest.RandomWeb(r)
	cfg := quick()
	cfg.HostsInMemory = []int{4, 50000}[r.IntN(2)]
	cfg.QueueKey = []rules.QueueKey{rules.QueueByHost, rules.QueueByAuthority, rules.QueueByDomain}[r.IntN(3)]
	o := options(fsx.NewMem(), clock.NewFake(began), cfg, w.Depths)
	o.Order = randomOrder(r)
	f, _, err := start(t, o)
	must(t, err)
	defer func() { must(t, f.Close(context.Background())) }()
	must(t, f.Schedule(t.Context(), w.Seed()))
	workers := 1 + r.IntN(5)
	c := frontiertest.NewCrawl(w, 0)
	c.Resign = func() bool { return r.IntN(3) == 0 }
	if err := c.Run(t.Context(), f, workers); err != nil {
		rt.Fatal(err)
	}
	want := slices.Sorted(maps.Keys(w.Archived()))
	if got := archived(t, f); !slices.Equal(got, want) {
		rt.Fatalf("archived %v\nwant     %v\nof %+v", got, want, *w)
	}
	if k := c.Twice(); k != "" {
		rt.Fatalf("%s was captured twice; web %+v", k, *w)
	}
	sound(t, f)
}

// randomOrder is an order that does not change what is archived.
func randomOrder(r *rand.Rand) rules.OrderConfig {
	c := rules.DefaultOrderConfig()
	all := []rules.PolicyName{rules.PolicyKind, rules.PolicyHops, rules.PolicyDepthFirst, rules.PolicyScore, rules.PolicyRelevance}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	c.Policies = all[:r.IntN(3)]
	c.Queues = []rules.QueuePrecedence{rules.QueuesFair, rules.QueuesBest}[r.IntN(2)]
	c.FasterFirst = r.IntN(2) == 0
	c.SessionBalance = []int{0, 1, 3, 3000}[r.IntN(4)]
	c.RoundHostURLs = []int{0, 0, 2}[r.IntN(3)]
	return c
}

func TestCrashLosesNothingAcknowledged(t *testing.T) {
	// Decision 2: the machine stops at any instant; what was acknowledged is
	// there, and the crawl ends with the same archive as without the crash.
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		w := frontiertest.RandomWeb(r)
		mem := fsx.NewMem()
		for crash := range 4 {
			last := crash == 3
			mem = crawlAndCrash(t, mem, w, r, last)
			if last {
				break
			}
		}
	}
}

// crawlAndCrash crawls until a random instant, or to the end, and returns the
// file system as the crash left it.
func crawlAndCrash(t *testing.T, mem *fsx.Mem, w *frontiertest.Web, r *rand.Rand, last bool) *fsx.Mem {
	t.Helper()
	o := options(mem, clock.NewFake(began), quick(), w.Depths)
	o.Order = randomOrder(r)
	f, _, err := start(t, o)
	must(t, err)
	sound(t, f)
	must(t, f.Schedule(t.Context(), w.Seed()))
	end := int64(0)
	for _, row := range f.Files() {
		end = row.Committed
	}
	c := frontiertest.NewCrawl(w, end)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var mu sync.Mutex
	acked := map[string]crawl.Outcome{}
	var clone *fsx.Mem
	var held map[string]crawl.Outcome
	left := r.IntN(8)
	keep := 50 * r.IntN(2)
	c.Acknowledged = func(u *crawl.CrawlURI) {
		mu.Lock()
		defer mu.Unlock()
		acked[u.Key] = u.Outcome()
		if left--; left == 0 && !last {
			held = maps.Clone(acked)
			clone = mem.CrashClone(fsx.Crash{KeepPercent: keep, Rand: r})
			stop()
		}
	}
	must(t, c.Run(ctx, f, 3))
	if last {
		want := slices.Sorted(maps.Keys(w.Archived()))
		if got := archived(t, f); !slices.Equal(got, want) {
			t.Fatalf("after three crashes archived %v\nwant %v\nof %+v", got, want, *w)
		}
		sound(t, f)
	}
	must(t, f.Close(t.Context()))
	if clone == nil {
		return mem
	}
	o = options(clone, clock.NewFake(began), quick(), w.Depths)
	f, err = Open(t.Context(), o)
	must(t, err)
	sound(t, f)
	for key, out := range held {
		rec, err := f.Lookup(key)
		must(t, err)
		if rec == nil || rec.Finishes == 0 || out.Archived && !rec.Outcome.Archived || out.Valid() && !rec.Outcome.Valid() {
			t.Fatalf("%s was acknowledged as %+v; after the crash it is %+v", key, out, rec)
		}
	}
	must(t, f.Close(t.Context()))
	return clone
}
