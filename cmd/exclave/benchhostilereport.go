package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"exclave/internal/testweb/hostileweb"
)

// hostileReport is the JSON of exclave bench hostile. Keys are stable.
type hostileReport struct {
	Date       time.Time         `json:"date"`
	Version    string            `json:"version"` // of the bench; the crawl is that of Exclave
	Commit     string            `json:"commit"`
	Exclave    string            `json:"exclave,omitempty"` // the binary that crawled, when it is another
	Go         string            `json:"go"`
	CPU        string            `json:"cpu"`
	Cores      int               `json:"cores"`
	Params     hostileweb.Params `json:"params"`
	ToeThreads int               `json:"toe_threads"`
	MinDelay   float64           `json:"min_delay_seconds"`
	Limit      float64           `json:"limit_seconds"` // of a case, or of the soak
	Grace      float64           `json:"grace_seconds"`
	MaxMemory  int64             `json:"max_memory_bytes"`
	Runs       []hostileRun      `json:"runs"` // the first one without anything hostile
}

// How a crawl ended.
const (
	endedItself  = "itself"
	endedStopped = "stopped"
	endedKilled  = "killed" // it did not end long after a stop
	endedMemory  = "killed for its memory"
)

// hostileRun is what came of one crawl.
type hostileRun struct {
	Case        string  `json:"case"` // "" for the healthy hosts alone, or "soak"
	Ended       string  `json:"ended"`
	WallSeconds float64 `json:"wall_seconds"` // until it ended or was stopped
	StopSeconds float64 `json:"stop_seconds"` // from the stop to the end of the process
	Crawler     usage   `json:"crawler"`
	CrawlCode   int     `json:"crawl_exit_code"`

	Wanted        int              `json:"healthy_wanted"`     // addresses of healthy hosts that should have been found
	NearlySeconds int              `json:"healthy_95_seconds"` // from the first request until 95 % of them had been requested; 0: never
	Web           hostileweb.Stats `json:"web"`

	VerifyCode    int      `json:"verify_exit_code"`
	VerifySeconds float64  `json:"verify_seconds"`
	Defects       int      `json:"verify_defects"`
	DefectSamples []string `json:"defect_samples,omitempty"`
	Said          []string `json:"stderr,omitempty"` // the last lines, of a crawl that failed
}

func newHostileReport(o hostileOptions) *hostileReport {
	limit := o.limit
	if o.duration > 0 {
		limit = o.duration
	}
	other := ""
	if o.exclave != "" {
		other = filepath.Base(o.exclave)
	}
	return &hostileReport{Date: time.Now().UTC().Truncate(time.Second), Version: programVersion, Commit: readBuild().commit, Exclave: other,
		Go: runtime.Version(), CPU: cpuModel(), Cores: runtime.NumCPU(), Params: o.web, ToeThreads: o.toeThreads, MinDelay: o.minDelay.Seconds(),
		Limit: limit.Seconds(), Grace: o.grace.Seconds(), MaxMemory: o.maxMemory}
}

// want says how many healthy addresses should have been found, and finds the second at the
// end of which enough of them had been requested.
func (r *hostileRun) want(addresses int) {
	r.Wanted = addresses
	i := slices.IndexFunc(r.Web.FoundBySecond, func(n int) bool { return float64(n) >= enoughHealthy*float64(r.Wanted) })
	r.NearlySeconds, r.Web.FoundBySecond = i+1, nil
}

// stopSlack is what a stop may take beyond the grace: commit, logs, WARC files, the end
// of the process.
const stopSlack = 5.0

// wrong returns what is wrong with a run.
func (r *hostileRun) wrong(grace float64, maxMemory int64) (bad []string) {
	say := func(is bool, format string, args ...any) {
		if is {
			bad = append(bad, fmt.Sprintf(format, args...))
		}
	}
	say(r.Ended == endedMemory || r.Ended == endedKilled, "%s", r.Ended)
	say(r.Ended == endedStopped && r.StopSeconds > grace+stopSlack, "a stop of %.0f s", r.StopSeconds)
	say(r.Crawler.PeakRSS > maxMemory, "%d MB", r.Crawler.PeakRSS/1e6)
	say(float64(r.Web.Found) < enoughHealthy*float64(r.Wanted), "%d of %d healthy", r.Web.Found, r.Wanted)
	say(r.CrawlCode > 0, "crawl: exit code %d", r.CrawlCode)
	say(r.Defects > 0, "%s", count(r.Defects, "defect"))
	say(r.VerifyCode > int(exitNegative) || r.VerifyCode < 0, "verify: exit code %d", r.VerifyCode)
	return bad
}

// failed returns what is wrong with all runs.
func (r *hostileReport) failed() (bad []string) {
	for i := range r.Runs {
		for _, w := range r.Runs[i].wrong(r.Grace, r.MaxMemory) {
			bad = append(bad, orHealthy(r.Runs[i].Case)+": "+w)
		}
	}
	return bad
}

func (r *hostileReport) save(out io.Writer) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	_, err = out.Write(append(text, '\n'))
	return err
}

// saveTo writes what there is so far; nothing without a file.
func (r *hostileReport) saveTo(file string) error {
	if file == "" || file == "-" {
		return nil
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := r.save(out); err != nil {
		_ = out.Close() // the first error says more
		return err
	}
	return out.Close()
}

// maxSamples is how many defects of a run are printed; the JSON has more.
const maxSamples = 3

func (r *hostileReport) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "case\trequests\thostile\thealthy\t95 % after\tended\tafter\tstop\tCPU\tpeak memory\tdefects\t")
	for i := range r.Runs {
		n := &r.Runs[i]
		nearly := "never"
		if n.NearlySeconds > 0 {
			nearly = fmt.Sprintf("%d s", n.NearlySeconds)
		}
		stop := ""
		if n.StopSeconds > 0 {
			stop = fmt.Sprintf("%.1f s", n.StopSeconds)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d of %d\t%s\t%s\t%.0f s\t%s\t%.1f s\t%.0f MB\t%d\t\n", orHealthy(n.Case), n.Web.Requests, n.Web.Hostile,
			n.Web.Found, n.Wanted, nearly, n.Ended, n.WallSeconds, stop, n.Crawler.User+n.Crawler.System, float64(n.Crawler.PeakRSS)/1e6, n.Defects)
	}
	_ = w.Flush() // the writer below reports
	for i := range r.Runs {
		for _, d := range r.Runs[i].DefectSamples[:min(len(r.Runs[i].DefectSamples), maxSamples)] {
			fmt.Fprintf(out, "%s: %s\n", orHealthy(r.Runs[i].Case), d)
		}
		for _, d := range r.Runs[i].Said {
			fmt.Fprintf(out, "%s: stderr: %s\n", orHealthy(r.Runs[i].Case), d)
		}
	}
}
