package job_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/testweb"
)

// BenchmarkCrawl is a whole crawl of the default synthetic web (3,130 URLs on 60
// hosts) with analysis, WARC and every fsync on, delays off. The server runs in
// the same process, so CPU time is that of both.
func BenchmarkCrawl(b *testing.B) {
	web := testweb.NewSynthetic(testweb.DefaultParams())
	srv, err := testweb.Start(web, testweb.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer srv.Close()
	var took time.Duration
	var urls, bytes int64
	for b.Loop() {
		cfg := benchConfig(b, srv, web.Seeds())
		j, err := job.Open(b.Context(), cfg, job.Options{Version: "bench", Software: "exclave/bench"})
		if err != nil {
			b.Fatal(err)
		}
		r, err := j.Run(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if err := j.Close(); err != nil {
			b.Fatal(err)
		}
		took, urls, bytes = took+r.Took, urls+r.Counts.Fetched, bytes+r.Counts.Bytes
	}
	b.ReportMetric(float64(urls)/took.Seconds(), "URIs/s")
	b.ReportMetric(float64(bytes)/1e6/took.Seconds(), "MB/s")
}

// benchConfig makes a job folder without politeness delays.
func benchConfig(b *testing.B, srv *testweb.Server, seeds []string) *config.Config {
	b.Helper()
	cfg := config.Default("cz")
	cfg.Dir = b.TempDir()
	cfg.Job.Name = "bench"
	cfg.Crawl.MinFreeDisk = 0
	cfg.HTTP.Contact = "http://127.0.0.1/"
	cfg.HTTP.Allow = []string{"127.0.0.0/8"}
	cfg.HTTP.ConnectTo = srv.ConnectTo()
	cfg.DNS.Servers = []string{srv.DNS()}
	cfg.Frontier.MinDelay, cfg.Frontier.MaxDelay = 0, 0
	cfg.Frontier.HostsPerAddress, cfg.Frontier.AddressDelay = 0, 0 // all hosts are on this machine
	cfg.Frontier.RetryDelay, cfg.Frontier.MaxRetries = time.Millisecond, 2
	if err := os.WriteFile(filepath.Join(cfg.Dir, "seeds.txt"), []byte(strings.Join(seeds, "\n")), 0o644); err != nil {
		b.Fatal(err)
	}
	return cfg
}
