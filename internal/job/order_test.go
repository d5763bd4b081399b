package job_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"exclave/config"
	"exclave/crawl"
	"exclave/internal/job"
	"exclave/internal/testweb"
	"exclave/warc"
)

// TestOrderDoesNotMatter: any order of discovery and any number of ToeThreads give
// the same archive (System 1, §1.3: claims are joined), the one that the rules'
// least fixpoint names.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	web := testweb.NewSynthetic(testweb.Params{Seed: seed, Hosts: 8, Pages: 12, FanOut: 2, Cross: 2, Images: 1,
		National: 0.25, Windows1250: 0.2, Redirects: 0.2, Errors: 0.15, TLS: 0.2})
	for _, depth := range []int32{0, 2} {
		want := fixpoint(web.Truth(), web.Seeds(), depth)
		workers := []int{1, 4, 16, 64}
		archives := make([][]string, len(workers))
		where := fmt.Sprintf("seed %#x, depth %d", seed, depth)
		t.Run(fmt.Sprintf("depth %d", depth), func(t *testing.T) {
			for i, n := range workers {
				t.Run(fmt.Sprintf("%d workers", n), func(t *testing.T) {
					t.Parallel()
					j := newJob(t, web, func(c *config.Config) { c.Analysis.Depth, c.Crawl.ToeThreads = depth, n })
					seeds := web.Seeds()
					rand.New(rand.NewPCG(seed, uint64(i))).Shuffle(len(seeds), func(i, j int) { seeds[i], seeds[j] = seeds[j], seeds[i] })
					// Seeds of a second run are found when most is finished already.
					cut := i * len(seeds) / len(workers)
					j.run(job.Options{}, seeds[:len(seeds)-cut]...)
					h := j.run(job.Options{}, seeds[len(seeds)-cut:]...)
					if got := h.archived(); !slices.Equal(got, want) {
						t.Fatalf("%s: archived but not wanted %v; wanted but not archived %v", where, minus(got, want), minus(want, got))
					}
					archives[i] = contents(h.records)
				})
			}
		})
		for i, a := range archives {
			if a != nil && !slices.Equal(a, archives[0]) {
				t.Errorf("%s, %d workers: more %v, less %v than with one", where, workers[i], minus(a, archives[0]), minus(archives[0], a))
			}
		}
	}
}

// contents are address and payload digest of the answers in an archive; those of
// the name server carry the time.
func contents(records []warcRecord) []string {
	var out []string
	for _, r := range records {
		if r.kind == warc.TypeResponse && !strings.HasPrefix(r.uri, "dns:") {
			out = append(out, r.uri+" "+r.digest)
		}
	}
	slices.Sort(out)
	return out
}

// minus returns what of a is not in b, the first ten.
func minus(a, b []string) []string {
	d := slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
	return d[:min(len(d), 10)]
}

// fixpoint applies the rules of claims to the truth about a web until nothing
// changes, and returns what is archived then.
func fixpoint(truth []testweb.Resource, seeds []string, depth int32) []string {
	d := crawl.Depths{D: [crawl.MaxProfiles]int32{depth, -1, -1, -1}, AnalyseLinked: true}
	claims := map[string]crawl.Claim{}
	for _, s := range seeds {
		claims[s] = crawl.Claim{Analyse: true}
	}
	keeps := map[string]bool{} // redirects to it are archived
	archived := map[string]bool{}
	for changed := true; changed; {
		changed = false
		join := func(url string, c crawl.Claim) {
			if n := claims[url].Join(c); n != claims[url] {
				claims[url], changed = n, true
			}
		}
		for _, r := range truth {
			c := claims[r.URL]
			if c.IsZero() {
				continue
			}
			o := outcomeOf(r, c)
			archived[r.URL] = d.Archived(c, o)
			if r.Kind == testweb.KindRedirect {
				join(r.Links[0], d.Child(c, o, crawl.LinkRedirect))
				if keeps[r.Links[0]] {
					join(r.URL, crawl.Claim{Keep: true})
				}
				continue
			}
			changed = changed || o.Valid() && !keeps[r.URL]
			keeps[r.URL] = o.Valid()
			for _, l := range r.Links {
				join(l, d.Child(c, o, crawl.LinkNav))
			}
			for _, e := range r.Embeds {
				join(e, d.Child(c, o, crawl.LinkEmbed))
			}
		}
	}
	var out []string
	for url, is := range archived {
		if is {
			out = append(out, url)
		}
	}
	slices.Sort(out)
	return out
}

func outcomeOf(r testweb.Resource, c crawl.Claim) crawl.Outcome {
	o := crawl.Outcome{Status: crawl.Status(r.Status)}
	switch r.Kind {
	case testweb.KindHTML, testweb.KindError:
		o.Class = crawl.ClassHTML
	case testweb.KindCSS:
		o.Class = crawl.ClassContainer
	case testweb.KindImage:
		o.Class = crawl.ClassOther
	case testweb.KindRedirect:
		o.Class = crawl.ClassRedirect
	}
	if r.Kind == testweb.KindHTML && c.Analyse {
		o.Judgeable, o.Judged = true, true
		if r.National {
			o.ValidFor = 1
		}
	}
	return o
}
