package metrics

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"exclave/chain"
	"exclave/crawl"
	"exclave/internal/job"
)

// metric is one exported name and how it is read from a snapshot.
type metric struct {
	name, help string
	kind       prometheus.ValueType
	labels     []string
	read       func(s *job.Snapshot, put put)
}

// put takes one value, with a value for each label.
type put func(v float64, labels ...string)

// one reads a metric without labels.
func one(v func(s *job.Snapshot) float64) func(*job.Snapshot, put) {
	return func(s *job.Snapshot, put put) { put(v(s)) }
}

func whole(v func(s *job.Snapshot) int64) func(*job.Snapshot, put) {
	return one(func(s *job.Snapshot) float64 { return float64(v(s)) })
}

// eachStep reads a metric of every step of the chains.
func eachStep(v func(chain.StepStats) float64) func(*job.Snapshot, put) {
	return func(s *job.Snapshot, put put) {
		for _, st := range s.Steps {
			put(v(st), string(st.Chain), st.Step)
		}
	}
}

// table lists the metrics in the order of docs/howto/metrics.md. What can become
// less is a gauge: a URI that is finished may be asked for again.
func table() []metric {
	const counter, gauge = prometheus.CounterValue, prometheus.GaugeValue
	step := []string{"chain", "step"}
	return []metric{
		{"exclave_uris_discovered_total", "URIs known, since the job began.", counter, nil,
			whole(func(s *job.Snapshot) int64 { return s.Frontier.Discovered })},
		{"exclave_uris_archived_total", "URIs with an answer in the archive, since the job began.", counter, nil,
			whole(func(s *job.Snapshot) int64 { return s.Frontier.Archived })},
		{"exclave_uris_retried_total", "Attempts that will be repeated, since this run began.", counter, nil,
			whole(func(s *job.Snapshot) int64 { return s.Frontier.Retried })},
		{"exclave_uris_queued", "URIs that wait.", gauge, nil, whole(func(s *job.Snapshot) int64 { return s.Frontier.Queued })},
		{"exclave_uris_in_process", "URIs that ToeThreads have.", gauge, nil, whole(func(s *job.Snapshot) int64 { return s.Frontier.InProcess })},
		{"exclave_uris_parked", "URIs known without a claim.", gauge, nil, whole(func(s *job.Snapshot) int64 { return s.Frontier.Parked })},
		{"exclave_uris_finished", "URIs with a final outcome.", gauge, nil, whole(func(s *job.Snapshot) int64 { return s.Frontier.Finished })},
		{"exclave_uris_failed", "Finished URIs whose last attempt failed.", gauge, nil, whole(func(s *job.Snapshot) int64 { return s.Frontier.Failed })},
		{"exclave_uris_disregarded", "Finished URIs that are out of scope or forbidden by robots.txt.", gauge, nil,
			whole(func(s *job.Snapshot) int64 { return s.Frontier.Disregarded })},
		{"exclave_uris_dropped", "URIs dropped at a cap for better ones, since the job began.", gauge, nil, whole(func(s *job.Snapshot) int64 { return s.Frontier.Dropped })},
		{"exclave_candidates_refused", "Candidates beyond a cap, and links of useless pages that are not followed; one found twice counts twice.", gauge, nil,
			whole(func(s *job.Snapshot) int64 { return s.Frontier.Refused })},
		{"exclave_pages_judged", "Pages that the analyzer has judged, since the job began.", gauge, nil, whole(func(s *job.Snapshot) int64 { return s.Frontier.Judged })},
		{"exclave_pages_valid", "Pages that a profile accepts, of those judged.", gauge, nil, whole(func(s *job.Snapshot) int64 { return s.Frontier.Valid })},
		{"exclave_answers_total", "Answers of web servers, since this run began.", counter, nil, whole(func(s *job.Snapshot) int64 { return s.Counts.Fetched })},
		{"exclave_received_bytes_total", "Bytes received in them.", counter, nil, whole(func(s *job.Snapshot) int64 { return s.Counts.Bytes })},
		{"exclave_errors_total", "Attempts that ended in an error, by class, since this run began.", counter, []string{"class"},
			func(s *job.Snapshot, put put) {
				for _, c := range crawl.ErrorClasses() {
					put(float64(s.Counts.Errors[c]), c)
				}
			}},
		{"exclave_hosts", "Hosts with URIs that wait, by state.", gauge, []string{"state"}, func(s *job.Snapshot, put put) {
			put(float64(s.Queues.InProcess), "in_process")
			put(float64(s.Queues.Ready), "ready")
			put(float64(s.Queues.Waiting), "waiting")
			put(float64(s.Queues.Resting), "resting")
			put(float64(s.Queues.Inactive), "inactive")
			put(float64(s.Queues.Retired), "retired")
		}},
		{"exclave_queue_changes_total", "What became of queues, since this run began.", counter, []string{"change"}, func(s *job.Snapshot, put put) {
			c := &s.Changes
			put(float64(c.Activated), "activated")
			put(float64(c.Deactivated), "deactivated")
			put(float64(c.Snoozed), "snoozed")
			put(float64(c.Woken), "woken")
			put(float64(c.Retired), "retired")
			put(float64(c.Revived), "revived")
			put(float64(c.Filled), "filled")
			put(float64(c.Exhausted), "exhausted")
		}},
		{"exclave_toe_threads", "ToeThreads of this run.", gauge, nil, whole(func(s *job.Snapshot) int64 { return int64(len(s.Workers)) })},
		{"exclave_toe_threads_busy", "ToeThreads at work on a URI.", gauge, nil, whole(func(s *job.Snapshot) int64 { return int64(s.Counts.Busy) })},
		{"exclave_uris_committing", "URIs whose outcome waits for the disk; they are in process.", gauge, nil, whole(func(s *job.Snapshot) int64 { return int64(s.Counts.Committing) })},
		{"exclave_step_runs_total", "URIs that a step has worked on, since this run began.", counter, step,
			eachStep(func(s chain.StepStats) float64 { return float64(s.Runs) })},
		{"exclave_step_skipped_total", "URIs that the rules of a step kept from it.", counter, step,
			eachStep(func(s chain.StepStats) float64 { return float64(s.Skipped) })},
		{"exclave_step_errors_total", "Failures of a step.", counter, step, eachStep(func(s chain.StepStats) float64 { return float64(s.Errors) })},
		{"exclave_step_seconds_total", "Time spent in a step, summed over ToeThreads; waiting for servers included.", counter, step,
			eachStep(func(s chain.StepStats) float64 { return s.Busy.Seconds() })},
		{"exclave_dedup_lookups_total", "Answers that CDX servers of [dedup] were asked about, or not while they did not answer, since this run began.", counter, []string{"result"},
			func(s *job.Snapshot, put put) {
				n := &s.Servers
				put(float64(n.Found), "found")
				put(float64(n.Asked-n.Found-n.Failed), "unknown")
				put(float64(n.Failed), "failed")
				put(float64(n.Skipped), "skipped")
			}},
		{"exclave_dedup_lookup_seconds_total", "Time that these questions took, summed up.", counter, nil, one(func(s *job.Snapshot) float64 { return s.Servers.Busy.Seconds() })},
		{"exclave_state", "1 for what the run is about to do, else 0.", gauge, []string{"state"}, func(s *job.Snapshot, put put) {
			for _, st := range []chain.State{chain.Running, chain.Paused, chain.Stopping} {
				v := 0.0
				if s.State == st {
					v = 1
				}
				put(v, string(st))
			}
		}},
		{"exclave_run_seconds", "Time since this run began.", gauge, nil, one(func(s *job.Snapshot) float64 { return s.Elapsed.Seconds() })},
		{"exclave_disk_free_bytes", "Bytes free where the job lies; missing where that is unknown.", gauge, nil, func(s *job.Snapshot, put put) {
			if s.FreeDisk >= 0 {
				put(float64(s.FreeDisk))
			}
		}},
	}
}

// buildInfo is the name of the metric that says which program this is.
const buildInfo = "exclave_build_info"

// collector turns one snapshot into the metrics of one scrape.
type collector struct {
	snapshot func() job.Snapshot
	metrics  []metric
	descs    []*prometheus.Desc
}

func newCollector(snapshot func() job.Snapshot) *collector {
	c := &collector{snapshot: snapshot, metrics: table()}
	for _, m := range c.metrics {
		c.descs = append(c.descs, prometheus.NewDesc(m.name, m.help, m.labels, nil))
	}
	return c
}

// Describe implements [prometheus.Collector].
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		ch <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	s := c.snapshot()
	for i, m := range c.metrics {
		m.read(&s, func(v float64, labels ...string) {
			p, err := prometheus.NewConstMetric(c.descs[i], m.kind, v, labels...)
			if err != nil {
				p = prometheus.NewInvalidMetric(c.descs[i], err) // the scrape says why
			}
			ch <- p
		})
	}
}

// registry makes a registry of the crawl, the program and the process.
func registry(snapshot func() job.Snapshot, version string) (*prometheus.Registry, error) {
	r := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: buildInfo, Help: "Always 1; the labels say which program this is.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()}})
	build.Set(1)
	for _, c := range []prometheus.Collector{newCollector(snapshot), build, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return r, nil
}
