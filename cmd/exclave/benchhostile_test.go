package main

import (
	"slices"
	"testing"

	"exclave/internal/testweb/hostileweb"
)

// What is asked of a crawl beside hostile hosts: little memory, a stop within its grace,
// nearly all that is healthy, an archive without defects. Each alone makes a run bad.
func TestWhatIsWrongWithAHostileRun(t *testing.T) {
	good := func() hostileRun {
		r := hostileRun{Ended: endedStopped, StopSeconds: 6, Crawler: usage{PeakRSS: 900}, Web: hostileweb.Stats{Found: 95, FoundBySecond: []int{10, 94, 95, 95}}}
		r.want(100)
		return r
	}
	r := good()
	if bad := r.wrong(5, 1000); len(bad) > 0 || r.NearlySeconds != 3 || r.Web.FoundBySecond != nil {
		t.Errorf("a good run: %q, 95 %% after %d s", bad, r.NearlySeconds)
	}
	for want, change := range map[string]func(*hostileRun){
		"a stop of 11 s":        func(r *hostileRun) { r.StopSeconds = 11 },
		"killed":                func(r *hostileRun) { r.Ended = endedKilled },
		"killed for its memory": func(r *hostileRun) { r.Ended = endedMemory },
		"2 MB":                  func(r *hostileRun) { r.Crawler.PeakRSS = 2e6 },
		"94 of 100 healthy":     func(r *hostileRun) { r.Web.Found = 94 },
		"crawl: exit code 3":    func(r *hostileRun) { r.CrawlCode = 3 },
		"1 defect":              func(r *hostileRun) { r.Defects = 1 },
		"verify: exit code 3":   func(r *hostileRun) { r.VerifyCode = 3 },
		"verify: exit code -1":  func(r *hostileRun) { r.VerifyCode = -1 },
	} {
		r := good()
		change(&r)
		if bad := r.wrong(5, 1000); !slices.Equal(bad, []string{want}) {
			t.Errorf("%s is said to be %q", want, bad)
		}
		report := hostileReport{Runs: []hostileRun{good(), r}, Grace: 5, MaxMemory: 1000}
		report.Runs[1].Case = "icy"
		if bad := report.failed(); !slices.Equal(bad, []string{"icy: " + want}) {
			t.Errorf("%s: the report says %q", want, bad)
		}
	}
	never := hostileRun{Web: hostileweb.Stats{FoundBySecond: []int{94}}}
	if never.want(100); never.NearlySeconds != 0 {
		t.Errorf("94 of 100 are 95 %% after %d s", never.NearlySeconds)
	}
}
