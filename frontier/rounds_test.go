package frontier

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"exclave/crawl"
	"exclave/frontier/rules"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// Whatever fails and rests, no round has more than it may, of a host or in all, and in the end
// everything was asked for, each URI once.
func TestRoundsHold(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		most := rapid.IntRange(0, 6).Draw(rt, "of a round")
		ofHost := rapid.IntRange(0, 3).Draw(rt, "of a host")
		if most+ofHost == 0 {
			ofHost = 1
		}
		r := &rig{t: t, fs: fsx.NewMem(), clk: clock.NewFake(began)}
		o := options(r.fs, r.clk, quick(), oneProfile(0))
		o.Order = rules.DefaultOrderConfig()
		o.Order.RoundURLs, o.Order.RoundHostURLs = most, ofHost
		o.Config.RetryDelay, o.Config.HostsInMemory = time.Hour, 4
		r.begin(o)
		all := 0
		for h := range rapid.IntRange(1, 9).Draw(rt, "hosts") {
			for p := range rapid.IntRange(1, 5).Draw(rt, "URIs") {
				r.schedule(cand(fmt.Sprintf("h%d.test", h), path(p), analyse))
				all++
			}
		}
		type where struct {
			round int
			host  string
		}
		asked, done := map[where]int{}, map[string]bool{}
		for {
			u := r.any()
			if u == nil { // another round, or who rests
				r.clk.Advance(24 * time.Hour)
				var err error
				if u, err = r.Next(t.Context()); errors.Is(err, crawl.ErrDone) {
					break
				}
				must(t, err)
			}
			if !u.LastAttempt && rapid.IntRange(0, 2).Draw(rt, "fails") == 0 {
				u.Status, u.Disposition = crawl.StatusConnectFailed, crawl.Retry
				r.finish(u)
				continue
			}
			round := r.Queues().Round
			asked[where{round, u.Host}]++
			asked[where{round, ""}]++
			if n := asked[where{round, u.Host}]; ofHost > 0 && n > ofHost {
				rt.Fatalf("%d URIs of %s in round %d of %d of a host", n, u.Host, round, ofHost)
			}
			if n := asked[where{round, ""}]; most > 0 && n > most {
				rt.Fatalf("%d URIs in round %d of %d", n, round, most)
			}
			if done[u.URL] {
				rt.Fatalf("%s twice", u.URL)
			}
			done[u.URL] = true
			r.finish(r.answer(u, crawl.ClassHTML, 0))
		}
		if len(done) != all {
			rt.Fatalf("%d of %d URIs were asked for", len(done), all)
		}
		sound(t, r.Frontier)
		must(t, r.Close(t.Context()))
	})
}
