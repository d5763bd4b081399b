package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"exclave/config"
	"exclave/internal/fsx"
	"exclave/internal/testweb/benchweb"

	"github.com/spf13/cobra"
)

// What the default job must reach on a web with traps.
const (
	nearClicks  = 4    // all national pages so far from a seed
	enoughPages = 0.98 // of all national pages
	mostTrapped = 0.05 // of the requests
)

// defaultReport is the JSON of exclave bench --default-job. Keys are stable.
type defaultReport struct {
	Version string          `json:"version"`
	Commit  string          `json:"commit"`
	Params  benchweb.Params `json:"params"`
	Seeds   int             `json:"seeds"`
	MaxURLs int64           `json:"max_urls"`
	crawlCost

	National int           `json:"national_pages"` // that a seed leads to
	Found    int           `json:"found"`
	Near     int           `json:"national_pages_near"` // within four clicks of a seed
	NearHit  int           `json:"found_near"`
	ByClicks []clicksRow   `json:"by_clicks"`
	ByRun    []runRow      `json:"by_run"`
	Missing  []missingPage `json:"missing,omitempty"`
	Refused  int           `json:"national_pages_left_out"` // that robots.txt or the scope refuses, or nothing leads to

	Requests     int64   `json:"requests"`
	TrapShare    float64 `json:"trap_share"`
	FoundShare   float64 `json:"found_share"`
	NearShare    float64 `json:"found_near_share"`
	OwnRequests  int64   `json:"requests_to_own_domain"`
	ForbiddenGot int     `json:"forbidden"` // resources requested although robots.txt forbids it
}

// clicksRow counts national pages at a distance from a seed.
type clicksRow struct {
	Clicks   int `json:"clicks"`
	National int `json:"national_pages"`
	Found    int `json:"found"`
}

// runRow counts national pages behind a number of pages in a row that are not national.
type runRow struct {
	Run      int `json:"run"` // at least, for the last row
	National int `json:"national_pages"`
	Found    int `json:"found"`
}

// missingPage is a national page that was not requested, and the way to it.
type missingPage struct {
	Clicks int      `json:"clicks"`
	Way    []string `json:"way"` // from a seed; "national" and "found" come before pages that are
}

// benchDefault measures the default job.
func benchDefault(cmd *cobra.Command, o benchOptions, web *benchweb.Web) error {
	cost, _, counts, err := crawlWeb(cmd, o, writeDefaultJob)
	if err != nil {
		return err
	}
	r := &defaultReport{Version: programVersion, Commit: readBuild().commit, Params: o.web, Seeds: len(web.Seeds()), MaxURLs: o.maxURLs, crawlCost: cost}
	r.judge(web, counts)
	if err := o.write(cmd, r); err != nil {
		return err
	}
	if what := r.wrong(); what != "" {
		return withCode(exitNegative, errors.New("bench: the default job "+what))
	}
	return nil
}

// writeDefaultJob makes the job of exclave init, with what a web on loopback needs changed.
func writeDefaultJob(dir string, o benchOptions, w *webProcess) error {
	if _, err := makeJob(dir, []string{"cz"}, "http://127.0.0.1/exclave-bench", config.NationalDomains("cz")); err != nil {
		return err
	}
	c, problems := config.Load(dir)
	if len(problems) > 0 {
		return withCode(exitFailure, fmt.Errorf("bench: %v", problems))
	}
	c.HTTP.ConnectTo = map[string]string{"*:80": w.HTTP, "*:443": w.HTTPS}
	c.HTTP.Allow = []string{"127.0.0.0/8"}
	c.DNS.Servers = []string{w.DNS}
	c.Crawl.MinFreeDisk, c.Crawl.MaxURLs = 0, o.maxURLs
	const soon = 10 * time.Millisecond
	f := &c.Frontier
	f.MinDelay, f.MaxDelay, f.AddressDelay = 0, 0, 0
	f.RetryDelay, f.MaxRetryDelay, f.DNSRetryDelay = soon, soon, soon
	return errors.Join(os.WriteFile(filepath.Join(dir, config.FileName), config.Template(c), fsx.FileMode),
		os.WriteFile(filepath.Join(dir, "seeds.txt"), []byte(strings.Join(w.Seeds, "\n")+"\n"), fsx.FileMode))
}

// judge compares what was requested with the truth.
func (r *defaultReport) judge(web *benchweb.Web, counts []byte) {
	clicks, via := web.Clicks()
	runs := web.Runs()
	for n := range benchweb.MaxRun + 2 {
		r.ByRun = append(r.ByRun, runRow{Run: n})
	}
	for id, asked := range counts {
		t := web.Resource(id)
		if !t.Reachable {
			r.ForbiddenGot += min(int(asked), 1)
		}
		if !t.National {
			continue
		}
		far := clicks[id]
		if far == benchweb.Unreached {
			r.Refused++
			continue
		}
		for len(r.ByClicks) <= far {
			r.ByClicks = append(r.ByClicks, clicksRow{Clicks: len(r.ByClicks)})
		}
		found := min(int(asked), 1)
		r.ByClicks[far].National++
		r.ByClicks[far].Found += found
		run := runs[id]
		if run == benchweb.Unreached {
			run = benchweb.MaxRun + 1
		}
		r.ByRun[run].National++
		r.ByRun[run].Found += found
		if found == 0 {
			r.Missing = append(r.Missing, missingPage{far, wayTo(web, counts, via, id)})
		}
	}
	for _, row := range r.ByClicks {
		r.National += row.National
		r.Found += row.Found
		if row.Clicks <= nearClicks {
			r.Near += row.National
			r.NearHit += row.Found
		}
	}
	slices.SortStableFunc(r.Missing, func(a, b missingPage) int { return a.Clicks - b.Clicks })
	r.Requests, r.OwnRequests = r.Web.Requests, r.Web.Own
	r.FoundShare, r.NearShare = ratio(r.Found, r.National), ratio(r.NearHit, r.Near)
	r.TrapShare = float64(r.Web.Traps) / float64(max(r.Requests, 1))
}

// wayTo is a shortest way from a seed to a resource.
func wayTo(web *benchweb.Web, counts []byte, via []int, id int) (way []string) {
	for ; id != benchweb.Unreached; id = via[id] {
		t, mark := web.Resource(id), ""
		switch {
		case t.National && counts[id] > 0:
			mark = "national, found "
		case t.National:
			mark = "national "
		case counts[id] > 0:
			mark = "found "
		}
		way = append(way, mark+t.URL)
	}
	slices.Reverse(way)
	return way
}

// wrong returns what the job did not reach, "" for nothing.
func (r *defaultReport) wrong() string {
	var what []string
	if r.NearHit < r.Near {
		what = append(what, fmt.Sprintf("missed %d of %d national pages within %d clicks of a seed", r.Near-r.NearHit, r.Near, nearClicks))
	}
	if r.FoundShare < enoughPages {
		what = append(what, fmt.Sprintf("found %.2f %% of all national pages, not %.0f %%", 100*r.FoundShare, 100*enoughPages))
	}
	if r.TrapShare > mostTrapped {
		what = append(what, fmt.Sprintf("made %.2f %% of its requests in traps, more than %.0f %%", 100*r.TrapShare, 100*mostTrapped))
	}
	if r.OwnRequests > 0 || r.ForbiddenGot > 0 {
		what = append(what, fmt.Sprintf("asked %d times for what its scope leaves out, and for %d resources that robots.txt forbids", r.OwnRequests, r.ForbiddenGot))
	}
	if r.Defects > 0 {
		what = append(what, fmt.Sprintf("left %d defects", r.Defects))
	}
	return strings.Join(what, "; ")
}

func (r *defaultReport) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	row := func(name, format string, args ...any) { fmt.Fprintf(w, name+"\t"+format+"\n", args...) }
	row("requests", "%d in %.2f s, %.1f MB; %d seeds", r.Requests, r.WallSeconds, float64(r.Web.Bytes)/1e6, r.Seeds)
	row("crawler", "%.1f CPU-s, %.0f MB", r.Crawler.User+r.Crawler.System, float64(r.Crawler.PeakRSS)/1e6)
	row(fmt.Sprintf("national, within %d clicks", nearClicks), "%.4f (%d of %d)", r.NearShare, r.NearHit, r.Near)
	row("national, all", "%.4f (%d of %d; %d more are left out)", r.FoundShare, r.Found, r.National, r.Refused)
	for _, c := range r.ByClicks {
		row(fmt.Sprintf("  %d clicks", c.Clicks), "%d of %d", c.Found, c.National)
	}
	for _, c := range r.ByRun {
		if c.National > 0 {
			row(fmt.Sprintf("  behind %d others in a row", c.Run), "%d of %d", c.Found, c.National)
		}
	}
	row("in traps", "%.2f %% of the requests (%d)", 100*r.TrapShare, r.Web.Traps)
	for _, kind := range slices.Sorted(maps.Keys(r.Web.TrapsByKind)) {
		row("  "+kind, "%d", r.Web.TrapsByKind[kind])
	}
	row("to the own domain, forbidden", "%d, %d", r.OwnRequests, r.ForbiddenGot)
	row("defects", "%d", r.Defects)
	_ = w.Flush() // the writer below reports
	for _, m := range r.Missing[:min(len(r.Missing), maxShown)] {
		fmt.Fprintf(out, "missing, %d clicks: %s\n", m.Clicks, strings.Join(m.Way[max(len(m.Way)-3, 0):], " → "))
	}
	for _, u := range r.Web.UnknownURLs[:min(len(r.Web.UnknownURLs), maxShown)] {
		fmt.Fprintf(out, "invented: %s\n", u)
	}
}
