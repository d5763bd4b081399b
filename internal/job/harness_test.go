package job_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/config"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/logparts"
	"exclave/internal/testweb"
	"exclave/warc"
)

// testJob is a job in a folder of its own that crawls a web on loopback with the
// real engine and without delays.
type testJob struct {
	t   testing.TB
	cfg *config.Config
	web *testweb.Server
}

// newJob starts the web and makes the job; change may be nil.
func newJob(t testing.TB, web testweb.Web, change func(*config.Config)) *testJob {
	t.Helper()
	return newJobAt(t, web, nil, change)
}

// newJobAt is newJob with hosts at addresses of their own.
func newJobAt(t testing.TB, web testweb.Web, addrs map[string]netip.Addr, change func(*config.Config)) *testJob {
	t.Helper()
	srv, err := testweb.Start(web, testweb.Options{Addrs: addrs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	cfg := config.Default("cz")
	cfg.Dir = t.TempDir()
	cfg.Job.Name = "test"
	cfg.Crawl.MinFreeDisk, cfg.Crawl.ToeThreads = 0, 4
	cfg.HTTP.Contact = "http://127.0.0.1/"
	cfg.HTTP.Allow = []string{"127.0.0.0/8"}
	cfg.HTTP.ConnectTo = srv.ConnectTo()
	cfg.DNS.Servers = []string{srv.DNS()}
	cfg.Frontier.MinDelay, cfg.Frontier.MaxDelay = 0, 0
	cfg.Frontier.HostsPerAddress, cfg.Frontier.AddressDelay = 0, 0      // all hosts are on this machine
	cfg.Limits, cfg.Order.FollowUseless = frontier.LimitsConfig{}, true // what is archived must not depend on the order
	cfg.Frontier.RetryDelay, cfg.Frontier.DNSRetryDelay = time.Millisecond, time.Millisecond
	cfg.Frontier.MaxRetries, cfg.Frontier.DNSRetries, cfg.Frontier.RobotsRetries = 2, 2, 2
	if change != nil {
		change(cfg)
	}
	return &testJob{t, cfg, srv}
}

// harvest is what is known after a run, of all runs of the job.
type harvest struct {
	outcomes map[string]crawl.Outcome // of every finished URI, by URL
	hits     map[string]int           // requests by URL, as the server saw them
	records  []warcRecord             // of the archive, in order
	result   job.Result               // of this run
}

type warcRecord struct {
	kind, uri, digest string
	header            warc.Header
	block             []byte
}

// seeds appends seeds to those of earlier runs.
func (j *testJob) seeds(seeds ...string) {
	j.t.Helper()
	f, err := os.OpenFile(filepath.Join(j.cfg.Dir, "seeds.txt"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		j.t.Fatal(err)
	}
	_, err = f.WriteString(strings.Join(slices.Concat(seeds, []string{""}), "\n"))
	if err := errors.Join(err, f.Close()); err != nil {
		j.t.Fatal(err)
	}
}

// run appends seeds to those of earlier runs, crawls to the end, and demands that
// state, archive and logs agree.
func (j *testJob) run(o job.Options, seeds ...string) *harvest {
	t := j.t
	t.Helper()
	j.seeds(seeds...)
	o.Version, o.Software = "test", "exclave/test"
	h := &harvest{hits: map[string]int{}}
	b, err := job.Open(t.Context(), j.cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	h.result, err = b.Run(t.Context())
	if err := errors.Join(err, b.Close()); err != nil {
		t.Fatal(err)
	}
	for _, d := range verifyAll(t, j.cfg, o, 2) {
		t.Errorf("defect: %s", d)
	}
	if h.outcomes, err = job.Outcomes(t.Context(), j.cfg); err != nil {
		t.Fatal(err)
	}
	for _, hit := range j.web.Log() {
		h.hits[hit.URL]++
	}
	h.records = j.records()
	return h
}

// records reads the whole archive.
func (j *testJob) records() []warcRecord {
	t := j.t
	t.Helper()
	names, err := filepath.Glob(filepath.Join(j.cfg.Dir, folder.WARCDir, "*.warc.*"))
	if err != nil {
		t.Fatal(err)
	}
	var out []warcRecord
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for r := warc.NewReader(bytes.NewReader(data)); ; {
			e, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			block, err := io.ReadAll(e.Block)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, warcRecord{e.Type(), e.TargetURI(), e.Header.Get("WARC-Payload-Digest"), e.Header, block})
		}
	}
	return out
}

// log returns the lines of a log of the job.
func (j *testJob) log(l crawl.LogID) []string {
	j.t.Helper()
	in, err := logparts.Open(fsx.Real(), filepath.Join(j.cfg.Dir, folder.LogDir), l.Name())
	if err != nil {
		j.t.Fatal(err)
	}
	data, err := io.ReadAll(in)
	if err := errors.Join(err, in.Close()); err != nil {
		j.t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// urls returns the finished URLs with a property, sorted.
func (h *harvest) urls(is func(crawl.Outcome) bool) []string {
	var out []string
	for _, u := range slices.Sorted(maps.Keys(h.outcomes)) {
		if is(h.outcomes[u]) {
			out = append(out, u)
		}
	}
	return out
}

func (h *harvest) archived() []string {
	return h.urls(func(o crawl.Outcome) bool { return o.Archived })
}

func (h *harvest) valid() []string { return h.urls(crawl.Outcome.Valid) }

// of returns the records of a type for a URI.
func (h *harvest) of(kind, uri string) []warcRecord {
	var out []warcRecord
	for _, r := range h.records {
		if r.kind == kind && r.uri == uri {
			out = append(out, r)
		}
	}
	return out
}

// later is the system's clock, put forward.
type later struct {
	clock.Clock
	by time.Duration
}

func (l later) Now() time.Time { return l.Clock.Now().Add(l.by) }
