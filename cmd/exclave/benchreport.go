package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"exclave/analyzer"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/logparts"
	"exclave/internal/testweb/benchweb"
	"exclave/warc"
)

// benchReport is the JSON of exclave bench. Keys are stable.
type benchReport struct {
	Date       time.Time       `json:"date"`
	Version    string          `json:"version"`
	Commit     string          `json:"commit"`
	Go         string          `json:"go"`
	CPU        string          `json:"cpu"`
	Cores      int             `json:"cores"`
	Params     benchweb.Params `json:"params"`
	ToeThreads int             `json:"toe_threads"`
	National   bool            `json:"national_only"`

	WallSeconds float64     `json:"wall_seconds"`
	Crawler     usage       `json:"crawler"`
	Web         benchServed `json:"web"`
	WARCBytes   int64       `json:"warc_bytes"`
	StateBytes  int64       `json:"state_bytes"`

	ResponsesPerSecond float64 `json:"responses_per_second"`
	CPUPer1000         float64 `json:"crawler_cpu_seconds_per_1000"`
	UserPer1000        float64 `json:"crawler_user_seconds_per_1000"`
	SystemPer1000      float64 `json:"crawler_system_seconds_per_1000"`
	WebCPUPer1000      float64 `json:"web_cpu_seconds_per_1000"`

	Defects      int           `json:"verify_defects"`
	Reachable    int           `json:"reachable"`
	Found        int           `json:"found"` // of the reachable
	Completeness float64       `json:"completeness"`
	Missing      []benchMissed `json:"missing,omitempty"`
	Repeated     int           `json:"repeated"` // resources requested more than once
	RepeatedURLs []string      `json:"repeated_urls,omitempty"`
	Forbidden    int           `json:"forbidden"` // resources requested although robots.txt forbids it
	Invented     int64         `json:"invented"`  // requests for what does not exist
	Precision    float64       `json:"precision"` // requests for what exists ÷ requests, traps and robots.txt left out
	Wrong        int           `json:"wrong"`     // resources with another status in the state than the server's, not archived, or with other bytes
	WrongURLs    []string      `json:"wrong_urls,omitempty"`
	Compared     int           `json:"compared"` // archived answers whose payload digest was compared with that of the bytes sent

	Pages             int     `json:"pages"`
	NationalPages     int     `json:"national_pages"`
	NationalPrecision float64 `json:"national_precision"`
	NationalRecall    float64 `json:"national_recall"`

	Wget *wgetReport `json:"wget,omitempty"`
}

// benchMissed is a resource that was not requested.
type benchMissed struct {
	URL string             `json:"url"`
	Via string             `json:"via"`
	By  benchweb.Construct `json:"by"`
}

// wgetReport is what wget did.
type wgetReport struct {
	WallSeconds float64     `json:"wall_seconds"`
	Wget        usage       `json:"wget"`
	Web         benchServed `json:"web"`
	Found       int         `json:"found"`
}

const maxShown = 20

func newBenchReport(o benchOptions) *benchReport {
	return &benchReport{Date: time.Now().UTC().Truncate(time.Second), Version: programVersion, Commit: readBuild().commit, Go: runtime.Version(),
		CPU: cpuModel(), Cores: runtime.NumCPU(), Params: o.web, ToeThreads: o.toeThreads, National: o.national}
}

// cpuModel is what the kernel says, "" when it does not.
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(text), "model name")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.Trim(line, "\t: ")
}

// judge compares counts, state and log with the truth.
func (r *benchReport) judge(ctx context.Context, cfg *config.Config, web *benchweb.Web, counts []byte) error {
	n := float64(r.Web.Responses) / 1000
	r.ResponsesPerSecond = float64(r.Web.Responses) / r.WallSeconds
	r.UserPer1000, r.SystemPer1000 = r.Crawler.User/n, r.Crawler.System/n
	r.CPUPer1000, r.WebCPUPer1000 = r.UserPer1000+r.SystemPer1000, (r.Web.User+r.Web.System)/n
	outcomes, err := job.Outcomes(ctx, cfg)
	if err != nil {
		return err
	}
	payloads, err := job.Payloads(ctx, cfg)
	if err != nil {
		return err
	}
	taken, err := nationalByPoints(cfg)
	if err != nil {
		return err
	}
	right, judged := 0, 0
	for id, asked := range counts {
		t := web.Resource(id)
		if asked > 1 {
			r.Repeated++
			if len(r.RepeatedURLs) < maxShown {
				r.RepeatedURLs = append(r.RepeatedURLs, t.URL)
			}
		}
		if !t.Reachable {
			r.Forbidden += min(int(asked), 1)
			continue
		}
		r.Reachable++
		if asked == 0 {
			if len(r.Missing) < maxShown {
				r.Missing = append(r.Missing, benchMissed{t.URL, t.Via, t.By})
			}
			continue
		}
		r.Found++
		sum := web.Payload(id)
		sent := warc.Label(sum[:])
		o, got := outcomes[t.URL], payloads[t.URL]
		if got != "" {
			r.Compared++
		}
		if int(o.Status) != t.Status || !r.National && t.Status < 400 && !o.Archived || o.Archived && got != sent {
			r.Wrong++
			if len(r.WrongURLs) < maxShown {
				r.WrongURLs = append(r.WrongURLs, fmt.Sprintf("%s status %d, archived %v, digest %s; the server sent %d, %s", t.URL, o.Status, o.Archived, got, t.Status, sent))
			}
		}
		if t.Kind != benchweb.HTML {
			continue
		}
		r.Pages++
		if t.National {
			r.NationalPages++
		}
		if taken[t.URL] {
			judged++
			if t.National {
				right++
			}
		}
	}
	r.Completeness = ratio(r.Found, r.Reachable)
	r.Invented = r.Web.Unknown
	asked := r.Web.Requests - r.Web.Robots - r.Web.Traps
	r.Precision = ratio(int(asked-r.Invented), int(asked))
	r.NationalPrecision, r.NationalRecall = ratio(right, judged), ratio(right, r.NationalPages)
	return nil
}

// ratio is 1 of nothing.
func ratio(part, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(part) / float64(all)
}

// nationalByPoints reads crawl.log: the pages with as many points as cz asks for.
func nationalByPoints(cfg *config.Config) (taken map[string]bool, err error) {
	cz, err := analyzer.LoadProfile("cz")
	if err != nil {
		return nil, err
	}
	in, err := logparts.Open(fsx.Real(), filepath.Join(cfg.Dir, folder.LogDir), crawl.LogCrawl.Name())
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	taken = map[string]bool{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) < 12 {
			return nil, fmt.Errorf("bench: crawl.log: line of %d fields: %.200s", len(f), lines.Text())
		}
		for _, a := range strings.Split(f[11], ",") {
			if points, ok := strings.CutPrefix(a, "valid:"); ok {
				n, err := strconv.ParseInt(points, 10, 64)
				if err != nil {
					return nil, fmt.Errorf("bench: crawl.log: annotation %s: %w", a, err)
				}
				taken[f[3]] = n >= cz.MinPoints
			}
		}
	}
	return taken, lines.Err()
}

// files measures what the job left.
func (r *benchReport) files(dir string) error {
	for _, d := range []struct {
		name string
		to   *int64
	}{{folder.WARCDir, &r.WARCBytes}, {folder.StateDir, &r.StateBytes}} {
		if err := filepath.WalkDir(filepath.Join(dir, d.name), func(_ string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			info, err := e.Info()
			if err == nil {
				*d.to += info.Size()
			}
			return err
		}); err != nil {
			return withCode(exitFailure, fmt.Errorf("bench: %w", err))
		}
	}
	return nil
}

// right reports whether the crawl found exactly what it should. With archiving of
// national pages only, pages whose claim grows after they were fetched are fetched
// again, as they must be.
func (r *benchReport) right() bool {
	return r.Found == r.Reachable && r.Invented == 0 && r.Forbidden == 0 && r.Wrong == 0 && r.Defects == 0 && (r.National || r.Repeated == 0)
}

func (r *benchReport) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	row := func(name, format string, args ...any) { fmt.Fprintf(w, name+"\t"+format+"\n", args...) }
	row("responses", "%d in %.2f s, %.1f MB, %.1f KB each", r.Web.Responses, r.WallSeconds, float64(r.Web.Bytes)/1e6, float64(r.Web.Bytes)/1e3/float64(max(r.Web.Responses, 1)))
	row("responses per second", "%.0f", r.ResponsesPerSecond)
	row("crawler, CPU-s per 1,000", "%.3f (user %.3f, system %.3f)", r.CPUPer1000, r.UserPer1000, r.SystemPer1000)
	row("web, CPU-s per 1,000", "%.3f (user %.3f, system %.3f)", r.WebCPUPer1000, r.Web.User*1000/float64(r.Web.Responses), r.Web.System*1000/float64(r.Web.Responses))
	row("crawler, peak memory", "%.0f MB", float64(r.Crawler.PeakRSS)/1e6)
	row("WARC files, state", "%.1f MB, %.1f MB", float64(r.WARCBytes)/1e6, float64(r.StateBytes)/1e6)
	row("connections, lookups", "%d, %d", r.Web.Connections, r.Web.Lookups)
	row("completeness", "%.4f (%d of %d)", r.Completeness, r.Found, r.Reachable)
	row("precision", "%.4f (%d invented)", r.Precision, r.Invented)
	row("asked more than once", "%d", r.Repeated)
	row("asked although forbidden", "%d", r.Forbidden)
	row("wrong", "%d (%d payload digests compared)", r.Wrong, r.Compared)
	row("in traps", "%d", r.Web.Traps)
	row("defects", "%d", r.Defects)
	row("national: precision, recall", "%.4f, %.4f (%d of %d pages)", r.NationalPrecision, r.NationalRecall, r.NationalPages, r.Pages)
	_ = w.Flush() // the writer below reports
	for _, m := range r.Missing {
		fmt.Fprintf(out, "missing: %s (%s on %s)\n", m.URL, m.By, m.Via)
	}
	for _, u := range r.Web.UnknownURLs[:min(len(r.Web.UnknownURLs), maxShown)] {
		fmt.Fprintf(out, "invented: %s\n", u)
	}
	for _, u := range r.RepeatedURLs {
		fmt.Fprintf(out, "asked more than once: %s\n", u)
	}
	for _, u := range r.WrongURLs {
		fmt.Fprintf(out, "wrong: %s\n", u)
	}
	if r.Wget != nil {
		r.Wget.print(out, r)
	}
}

func (g *wgetReport) print(out io.Writer, r *benchReport) {
	n := float64(g.Web.Responses)
	cpu, rate := (g.Wget.User+g.Wget.System)*1000/n, n/g.WallSeconds
	fmt.Fprintf(out, "\nwget: %d responses in %.2f s (%d resources), %.0f per second, %.3f CPU-s per 1,000 (user %.3f, system %.3f), %.0f MB\n",
		g.Web.Responses, g.WallSeconds, g.Found, rate, cpu, g.Wget.User*1000/n, g.Wget.System*1000/n, float64(g.Wget.PeakRSS)/1e6)
	fmt.Fprintf(out, "exclave ÷ wget: CPU per response %.2f, responses per second %.2f\n", r.CPUPer1000/cpu, r.ResponsesPerSecond/rate)
}
