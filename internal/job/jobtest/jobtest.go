package jobtest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/job/verify"
	"exclave/internal/testweb"
)

// Must ends a test that cannot go on after an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Serve starts a web on loopback, until the end of the test.
func Serve(t testing.TB, web testweb.Web) *testweb.Server {
	t.Helper()
	srv, err := testweb.Start(web, testweb.Options{})
	Must(t, err)
	t.Cleanup(func() { Must(t, srv.Close()) })
	return srv
}

// Config makes a job folder without politeness delays, whose requests all go
// to srv.
func Config(t testing.TB, srv *testweb.Server, seeds ...string) *config.Config {
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
	Must(t, os.WriteFile(filepath.Join(cfg.Dir, "ca.pem"), srv.CACert(), 0o644))
	Must(t, os.WriteFile(filepath.Join(cfg.Dir, "seeds.txt"), []byte(strings.Join(seeds, "\n")), 0o644))
	return cfg
}

// Run crawls a job to its end.
func Run(t testing.TB, cfg *config.Config) job.Result {
	t.Helper()
	j, err := job.Open(t.Context(), cfg, job.Options{Version: "test", Software: "exclave/test"})
	Must(t, err)
	r, err := j.Run(t.Context())
	Must(t, err)
	Must(t, j.Close())
	return r
}

// VerifyWith verifies a job in one way, demands that nothing is left in the temporary folder, and returns
// the defects in the order of their texts.
func VerifyWith(t testing.TB, f folder.Folder, with verify.Options) []string {
	t.Helper()
	with.Temp = t.TempDir()
	var defects []string
	with.Defect = func(d verify.Defect) { defects = append(defects, d.String()) }
	Must(t, verify.Run(t.Context(), f, with))
	if left, err := os.ReadDir(with.Temp); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v %v", left, err)
	}
	slices.Sort(defects)
	return defects
}

// Tiny lets a verification hold next to nothing at a time.
func Tiny() verify.Sizes { return verify.Sizes{Chunk: 300, Unit: 1, Lines: 40, Cache: 1 << 20} }

// Verify verifies a job, and demands that the same is found when next to nothing is held in memory and
// by these numbers of workers (1 and 3), and by a quick look no defect where there is none.
func Verify(t testing.TB, f folder.Folder, workers ...int) []verify.Defect {
	t.Helper()
	if len(workers) == 0 {
		workers = []int{1, 3}
	}
	defects, err := verify.All(t.Context(), f)
	Must(t, err)
	var want []string
	for _, d := range defects {
		want = append(want, d.String())
	}
	slices.Sort(want)
	for _, n := range workers {
		tiny := verify.Options{Workers: n}
		if got := VerifyWith(t, f, tiny); !slices.Equal(got, want) {
			t.Errorf("%d workers find\n%s\nnot\n%s", n, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		tiny.Sizes = Tiny()
		if got := VerifyWith(t, f, tiny); !slices.Equal(got, want) {
			t.Errorf("%d workers with next to no memory find\n%s\nnot\n%s", n, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		tiny.Fast = true
		if got := VerifyWith(t, f, tiny); len(want) == 0 && len(got) > 0 {
			t.Errorf("a quick look finds in a job without defects\n%s", strings.Join(got, "\n"))
		}
	}
	return defects
}

// Show tells everything known about a URL of a job at rest.
func Show(ctx context.Context, cfg *config.Config, url string) (s *question.Shown, err error) {
	err = question.Look(ctx, folder.Of(cfg, folder.Env{}), func(q question.Questions) error {
		s, err = q.Show(ctx, url, false)
		return err
	})
	return s, err
}
