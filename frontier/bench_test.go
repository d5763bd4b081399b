package frontier

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"

	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/fsx"
)

// onDisk is a frontier in a directory of the machine: its syncs are real.
func onDisk(b *testing.B) *Frontier {
	b.Helper()
	dir := b.TempDir()
	o := Options{FS: fsx.Real(), Dir: dir + "/state", LogDir: dir, Config: quick(), Depths: oneProfile(0),
		Clock: clock.System(), Logger: slog.New(slog.DiscardHandler)}
	f, _, err := start(b, o)
	must(b, err)
	b.Cleanup(func() { must(b, f.Close(b.Context())) })
	return f
}

// BenchmarkSchedule makes new URIs durable in batches of 100.
func BenchmarkSchedule(b *testing.B) {
	f := onDisk(b)
	for n := 0; b.Loop(); n++ {
		cs := make([]crawl.Candidate, 100)
		for i := range cs {
			cs[i] = cand(fmt.Sprintf("h%d.test", i), path(n), analyse)
		}
		must(b, f.Schedule(b.Context(), cs...))
	}
	b.ReportMetric(float64(b.N)*100/b.Elapsed().Seconds(), "URIs/s")
}

// BenchmarkFinished is the whole way of a page with 20 new links, durable, with
// 50 ToeThreads.
func BenchmarkFinished(b *testing.B) {
	f := onDisk(b)
	var seeds []crawl.Candidate
	for i := range 1000 {
		seeds = append(seeds, cand(fmt.Sprintf("h%d.test", i), "/", analyse))
	}
	must(b, f.Schedule(b.Context(), seeds...))
	var n atomic.Int64
	b.SetParallelism(25)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			u, err := f.Next(b.Context())
			if err != nil {
				b.Error(err)
				return
			}
			u.Status, u.Class = 200, crawl.ClassHTML
			page := n.Add(1)
			for i := range 20 {
				u.Links = append(u.Links, cand(fmt.Sprintf("h%d.test", (page+int64(i)*37)%1000), fmt.Sprintf("/%d/%d", page, i), analyse))
			}
			u.Lines = []crawl.LogLine{{Log: crawl.LogCrawl, Text: []byte(u.URL + "\n")}}
			if err := f.Finished(b.Context(), u); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "URIs/s")
}

// BenchmarkFinishedKnown is a page whose 100 links are all known, as the menus of
// a site are.
func BenchmarkFinishedKnown(b *testing.B) {
	f := onDisk(b)
	var links []crawl.Candidate
	for i := range 100 {
		links = append(links, cand("b.test", path(i), analyse))
	}
	must(b, f.Schedule(b.Context(), links...))
	_, err := f.Next(b.Context()) // their host stays busy
	must(b, err)
	before := f.db.Logged()
	for n := 0; b.Loop(); n++ {
		must(b, f.Schedule(b.Context(), cand(fmt.Sprintf("h%d.test", n), "/", analyse)))
		u, err := f.Next(b.Context())
		must(b, err)
		u.Status, u.Class = 200, crawl.ClassHTML
		u.Links = links
		must(b, f.Finished(b.Context(), u))
	}
	b.ReportMetric(float64(f.db.Logged()-before)/float64(b.N), "logged-B/op")
}
