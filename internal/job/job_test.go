package job_test

import (
	"testing"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/jobtest"
	"exclave/internal/job/verify"
	"exclave/internal/sharedtest"
	"exclave/internal/testweb"

	"go.uber.org/goleak"
)

// Pebble leaves its scheduler behind when it cannot open a store (TestFaults), and the
// cache of its files when it dies of a damaged one while it opens it (TestFlips…); a store
// that is not closed has more goroutines than these.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(sharedtest.InMemory(m), goleak.IgnoreTopFunction("github.com/cockroachdb/pebble/v2.(*ConcurrencyLimitScheduler).periodicGranter"),
		goleak.IgnoreTopFunction("github.com/cockroachdb/pebble/v2/internal/genericcache.(*shard[...]).releaseLoop"))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func serve(t testing.TB, web testweb.Web) *testweb.Server { t.Helper(); return jobtest.Serve(t, web) }

func testConfig(t testing.TB, srv *testweb.Server, seeds ...string) *config.Config {
	t.Helper()
	return jobtest.Config(t, srv, seeds...)
}

func runJob(t testing.TB, cfg *config.Config) job.Result { t.Helper(); return jobtest.Run(t, cfg) }

func verifyAll(t testing.TB, cfg *config.Config, o job.Options, workers ...int) []verify.Defect {
	t.Helper()
	return jobtest.Verify(t, folder.Of(cfg, o.Env()), workers...)
}
