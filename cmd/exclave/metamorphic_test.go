package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/testweb"
)

// TestMetamorphic: the same web, its seeds in another order, in other orders of
// discovery, with 1 … 200 ToeThreads and SIGKILLs, gives the same archive and the same
// verdicts. EXCLAVE_SEED repeats a run.
func TestMetamorphic(t *testing.T) {
	if os.Getenv("EXCLAVE_LONG") == "" {
		t.Skip("crawls five times: EXCLAVE_LONG=1")
	}
	seed := number(t, "EXCLAVE_SEED", time.Now().UnixNano())
	t.Logf("EXCLAVE_SEED=%d", seed)
	p := testweb.DefaultParams()
	p.Hosts, p.Pages = 25, 10
	synthetic := testweb.NewSynthetic(p)
	web := &watchedWeb{Web: synthetic}
	srv, err := testweb.Start(web, testweb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	k := &killer{web: web, rng: rand.New(rand.NewPCG(uint64(seed), 2)), fired: map[string]int{}}
	var want, wantVerdicts map[string]string
	for i, c := range []struct {
		threads, kills int
		order          string
	}{
		{50, 0, ""},
		{1, 2, `policies = ["hops"]`},
		{3, 3, "policies = [\"depth-first\"]\nqueues = \"best\"\nsession_balance = 1"},
		{50, 4, "policies = [\"relevance\"]\nfaster_first = true"},
		{200, 3, "policies = []\nround_host_urls = 3"},
	} {
		seeds := synthetic.Seeds()
		k.rng.Shuffle(len(seeds), func(a, b int) { seeds[a], seeds[b] = seeds[b], seeds[a] })
		dir := writeKillJob(t, srv, seeds)
		change(t, filepath.Join(dir, "job.toml"), c.threads, c.order)
		made := 0
		for range c.kills {
			if _, _, killed := k.run(t, dir, "", 1+k.rng.IntN(k.hits/c.kills)); killed {
				made++
			}
		}
		k.web.arm(0, nil)
		k.finish(t, dir)
		got, judged := archived(t, dir), verdictsOf(t, dir)
		t.Logf("%d ToeThreads, %d kills, [order] %q: %d archived, %d finished", c.threads, made, c.order, len(got), len(judged))
		if i == 0 {
			want, wantVerdicts, k.hits = got, judged, web.arm(0, nil)
			if len(want) < 200 {
				t.Fatalf("%d URLs are too few for this test", len(want))
			}
			continue
		}
		if made == 0 {
			t.Error("no crawl was killed")
		}
		if !maps.Equal(got, want) {
			t.Errorf("archived %d URLs, not %d; first differences: %s", len(got), len(want), differences(got, want))
		}
		if !maps.Equal(judged, wantVerdicts) {
			t.Errorf("verdicts differ: %s", differences(judged, wantVerdicts))
		}
	}
}

// change sets ToeThreads and order of a job.
func change(t *testing.T, name string, threads int, order string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out := strings.Replace(string(text), "[crawl]\n", fmt.Sprintf("[crawl]\ntoe_threads = %d\n", threads), 1) + "[order]\n" + order + "\n"
	if err := os.WriteFile(name, []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
}

// verdictsOf are the outcomes by the state of every URL that is not a prerequisite.
func verdictsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	cfg, problems := config.Load(dir)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	outcomes, err := job.Outcomes(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for url, o := range outcomes {
		if !strings.HasPrefix(url, "dns:") && !strings.HasSuffix(url, "/robots.txt") {
			got[url] = fmt.Sprintf("%d %v archived %t judged %t valid %b", o.Status, o.Class, o.Archived, o.Judged, o.ValidFor)
		}
	}
	return got
}
