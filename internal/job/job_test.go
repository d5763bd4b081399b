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

	"go.uber.org/goleak"
)

// Pebble leaves its scheduler behind when it cannot open a store (TestFaults), and the
// cache of its files when it dies of a damaged one while it opens it (TestFlips…); a store
// that is not closed has more goroutines than these.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/cockroachdb/pebble/v2.(*ConcurrencyLimitScheduler).periodicGranter"),
		goleak.IgnoreTopFunction("github.com/cockroachdb/pebble/v2/internal/genericcache.(*shard[...]).releaseLoop"))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func serve(t testing.TB, web testweb.Web) *testweb.Server {
	t.Helper()
	srv, err := testweb.Start(web, testweb.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, srv.Close()) })
	return srv
}

// testConfig makes a job folder without politeness delays, whose requests all go
// to srv.
func testConfig(t testing.TB, srv *testweb.Server, seeds ...string) *config.Config {
	t.Helper()
	cfg := config.Default("cz")
	cfg.Dir = t.TempDir()
	cfg.Job.Name = "test"
	cfg.Crawl.MinFreeDisk = 0
	cfg.HTTP.Contact = "http://127.0.0.1/"
	cfg.HTTP.Allow = []string{"127.0.0.0/8"}
	cfg.HTTP.ConnectTo = srv.ConnectTo()
	cfg.HTTP.RootFiles = []string{"ca.pem"}
	cfg.DNS.Servers = []string{srv.DNS()}
	cfg.Frontier.MinDelay, cfg.Frontier.MaxDelay = 0, 0
	cfg.Frontier.HostsPerAddress, cfg.Frontier.AddressDelay = 0, 0 // all hosts are on this machine
	cfg.Frontier.RetryDelay, cfg.Frontier.DNSRetryDelay, cfg.Frontier.MaxRetries = time.Millisecond, time.Millisecond, 2
	must(t, os.WriteFile(filepath.Join(cfg.Dir, "ca.pem"), srv.CACert(), 0o644))
	must(t, os.WriteFile(filepath.Join(cfg.Dir, "seeds.txt"), []byte(strings.Join(seeds, "\n")), 0o644))
	return cfg
}

func runJob(t testing.TB, cfg *config.Config) job.Result {
	t.Helper()
	j, err := job.Open(t.Context(), cfg, job.Options{Version: "test", Software: "exclave/test"})
	must(t, err)
	r, err := j.Run(t.Context())
	must(t, err)
	must(t, j.Close())
	return r
}

func verify(t testing.TB, cfg *config.Config) []job.Defect {
	t.Helper()
	return verifyAll(t, cfg, job.Options{})
}
