package job_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/testweb"
)

// number is a number of the environment.
func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTangles: a random web whose files are reached in many ways gives one archive, whatever
// the order of discovery and the number of ToeThreads (ADR 35). EXCLAVE_SEED repeats a web,
// EXCLAVE_WEBS says how many there are.
func TestTangles(t *testing.T) {
	t.Parallel()
	webs := number(t, "EXCLAVE_WEBS", 12)
	first := number(t, "EXCLAVE_SEED", rand.Uint64()>>32)
	for seed := first; seed < first+webs; seed++ {
		t.Run(fmt.Sprintf("EXCLAVE_SEED=%d", seed), func(t *testing.T) {
			t.Parallel()
			web := testweb.NewTangle(seed)
			r := rand.New(rand.NewPCG(seed, 2))
			depth, unclaimed := int32(r.IntN(3)), r.IntN(4) == 0
			var want, wantValid []string
			for i, workers := range []int{1, 4, 16} {
				j := newJob(t, web, func(c *config.Config) {
					c.Analysis.Depth, c.Crawl.ToeThreads, c.Crawl.FetchUnclaimedEmbeds = depth, workers, unclaimed
				})
				seeds := slices.Clone(web.Seeds)
				r.Shuffle(len(seeds), func(i, j int) { seeds[i], seeds[j] = seeds[j], seeds[i] })
				runs := [][]string{seeds}
				if i > 0 { // each is found when all that the others lead to is finished
					runs = slices.Collect(slices.Chunk(seeds, 1))
				}
				var h *harvest
				for _, run := range runs {
					h = j.run(job.Options{}, run...)
				}
				got, valid := slices.Compact(contents(h.records)), h.valid()
				if i == 0 {
					want, wantValid = got, valid
					continue
				}
				if !slices.Equal(got, want) || !slices.Equal(valid, wantValid) {
					t.Fatalf("depth %d, unclaimed %t, seeds %v: more %v, less %v than with all seeds at once; valid %v, not %v",
						depth, unclaimed, seeds, minus(got, want), minus(want, got), valid, wantValid)
				}
			}
		})
	}
}
