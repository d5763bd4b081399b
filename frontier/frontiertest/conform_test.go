package frontiertest_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"
	"testing/cryptotest"

	"pgregory.net/rapid"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/frontier/frontiertest"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// TestConforms compares the frontier with the model of frontiertest: random operations,
// restarts and crashes, everything compared after each.
func TestConforms(t *testing.T) {
	if os.Getenv("EXCLAVE_LONG") == "" && !flagGiven("rapid.checks") {
		// Each check opens a frontier several times.
		if err := flag.Set("rapid.checks", "100"); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		// The salt of a state orders its queues: a failure happens again with the same one only.
		cryptotest.SetGlobalRandom(t, rapid.Uint64().Draw(rt, "salt"))
		rapid.SyncTest(rt, func(rt *rapid.T) { frontiertest.Conform(rt, &memStore{mem: fsx.NewMem()}) })
	})
}

func flagGiven(name string) (given bool) {
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// memStore keeps frontiers on a file system in memory.
type memStore struct {
	mem   *fsx.Mem
	clone *fsx.Mem // as the machine stopped, at the moment armed
}

var momentPoints = map[frontiertest.Moment]string{
	frontiertest.BeforeCommit: "frontier.commit.after-sync=1", frontiertest.AfterCommit: "frontier.commit.after-batch=1",
}

func (s *memStore) Open(r frontiertest.Rules, clk clock.Clock) (frontiertest.Subject, error) {
	return s.open(r, clk, nil)
}

func (s *memStore) OpenToCrash(r frontiertest.Rules, clk clock.Clock, m frontiertest.Moment, keep int, rng *rand.Rand) (frontiertest.Subject, error) {
	fail, err := fsx.NewFailPoints(momentPoints[m], func(string) { s.clone = s.mem.CrashClone(fsx.Crash{KeepPercent: keep, Rand: rng}) })
	if err != nil {
		return nil, err
	}
	return s.open(r, clk, fail)
}

func (s *memStore) Crash() {
	if s.clone == nil {
		s.clone = s.mem.CrashClone(fsx.Crash{})
	}
	s.mem, s.clone = s.clone, nil
}

func (s *memStore) open(r frontiertest.Rules, clk clock.Clock, fail *fsx.FailPoints) (frontiertest.Subject, error) {
	c := frontier.Config{DelayFactor: float64(r.Factor), MinDelay: r.MinDelay, MaxDelay: r.MaxDelay, MaxCrawlDelay: r.MaxCrawlDelay,
		RetryDelay: r.RetryDelay, MaxRetryDelay: r.MaxRetryDelay, MaxRetryAfter: r.MaxRetryAfter, DNSRetryDelay: r.DNSRetry,
		MaxRetries: r.MaxRetries, DNSRetries: r.DNSRetries, RobotsRetries: r.RobotsRetries, RefusedBurst: r.RefusedBurst,
		HostsInMemory: r.HostsInMemory, QueueKey: frontier.QueueByHost, ConnectionsPerHost: max(r.Connections, 1)}
	if r.ByDomain {
		c.QueueKey = frontier.QueueByDomain
	}
	o := frontier.Options{FS: s.mem, Dir: "/state", LogDir: "/", Config: c, Order: frontier.DefaultOrderConfig(), Depths: r.Depths, Clock: clk,
		Fail: fail, Logger: slog.New(slog.DiscardHandler)}
	o.Order.Policies, o.Order.SessionBalance = nil, r.Session
	o.Order.FollowUseless = true // the model knows neither skipped links nor URIs found again over fewer hops
	if r.Rank != frontiertest.RankNone {
		o.Order.Policies = []frontier.PolicyName{frontier.PolicyName(r.Rank)}
	}
	if r.Best {
		o.Order.Queues = frontier.QueuesBest
	}
	o.Limits = frontier.LimitsConfig{HostURIs: r.HostURIs, HostURIsMax: r.HostURIsMax, URIsPerValid: r.URIsPerValid,
		HostDocuments: r.HostDocuments, SourceDocuments: r.SourceDocuments}
	budget := &atomic.Int64{}
	budget.Store(r.HostDocuments)
	o.HostLimits = func(string) frontier.LimitsConfig {
		l := o.Limits
		l.HostDocuments = budget.Load()
		return l
	}
	f, err := frontier.Open(context.Background(), o)
	if err != nil {
		return nil, err
	}
	return subject{f, budget}, f.Start(warcs{}, f.Files())
}

// subject makes a frontier a Subject.
type subject struct {
	*frontier.Frontier
	budget *atomic.Int64 // of hosts, in documents
}

func (s subject) RaiseBudget(ctx context.Context, documents int64) error {
	s.budget.Store(documents)
	return s.ReviveRaised(ctx)
}

func (s subject) Drop(ctx context.Context, keys ...string) (int, error) {
	var ids []crawl.ID
	for _, k := range keys {
		r, err := s.Lookup(k)
		if r == nil || err != nil {
			return 0, err
		}
		ids = append(ids, r.ID)
	}
	return s.Frontier.Drop(ctx, crawl.StatusDeletedByUser, func(u *crawl.CrawlURI) []crawl.LogLine {
		return []crawl.LogLine{{Log: crawl.LogCrawl, Text: []byte(u.URL + "\n")}}
	}, ids...)
}

func (s subject) URIs() (map[string]frontiertest.URI, error) {
	out := map[string]frontiertest.URI{}
	return out, s.EachURI(func(r *frontier.Record) error {
		out[r.Key] = frontiertest.URI{State: r.State.String(), Claim: r.Claim, Hops: r.Hops, Ways: r.Ways(), Seed: r.Seed, Attempts: r.Attempts,
			Finishes: r.Finishes, Outcome: r.Outcome}
		return nil
	})
}

func (s subject) Contradictions() ([]string, error) { return s.Check() }

func (s subject) Numbers() frontiertest.Numbers {
	c := s.Census()
	n, q, m := c.Stats, c.Queues, c.Changes
	return frontiertest.Numbers{Discovered: n.Discovered, Queued: n.Queued, Parked: n.Parked, InProcess: n.InProcess,
		Finished: n.Finished, Dropped: n.Dropped, Refused: n.Refused, Retried: n.Retried, Archived: n.Archived, Judged: n.Judged,
		Valid: n.Valid, Failed: n.Failed,
		Queues: map[string]int64{"in process": int64(q.InProcess), "ready": int64(q.Ready), "waiting": int64(q.Waiting),
			"resting in memory": int64(q.Resting - q.Snoozed), "snoozed": int64(q.Snoozed), "inactive": int64(q.Inactive), "retired": int64(q.Retired)},
		Groups: map[string][]string{"in line": {"inactive"}, "asleep": {"snoozed"}, "spent": {"retired"},
			"filled": {"in process", "ready", "waiting", "resting in memory", "snoozed", "inactive", "retired"}},
		Began:   map[string]int64{"in line": m.Began.Inactive, "asleep": m.Began.Snoozed, "spent": m.Began.Retired, "filled": m.Began.Inactive + m.Began.Snoozed + m.Began.Retired},
		Entered: map[string]int64{"in line": m.Deactivated, "asleep": m.Snoozed, "spent": m.Retired, "filled": m.Filled},
		Left:    map[string]int64{"in line": m.Activated, "asleep": m.Woken, "spent": m.Revived, "filled": m.Exhausted}}
}

// warcs is an archive whose files need no syncing.
type warcs struct{}

func (warcs) Sync([]uint32) error                                 { return nil }
func (warcs) Committed(uint32, int64) ([]frontier.FileRow, error) { return nil, nil }
func (warcs) FileName(file uint32) string                         { return fmt.Sprintf("%d.warc.gz", file) }
