package metrics_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"go.uber.org/goleak"

	"exclave/chain"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/job"
	"exclave/internal/metrics"
	"exclave/internal/sharedtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// snapshot has another number for everything.
func snapshot() job.Snapshot {
	return job.Snapshot{Job: "test", Elapsed: 90 * time.Second, State: chain.Paused, FreeDisk: 4096,
		Frontier: frontier.Stats{Discovered: 1, Queued: 2, Parked: 3, InProcess: 4, Finished: 5, Archived: 6, Judged: 7, Valid: 8,
			Failed: 9, Disregarded: 10, Retried: 11},
		Queues:  frontier.QueueStates{InProcess: 12, Ready: 13, Waiting: 14, Resting: 15, Inactive: 25},
		Counts:  chain.Counts{Fetched: 16, Bytes: 17, Busy: 18, Errors: map[string]int64{crawl.ErrorDNS: 19}},
		Workers: make([]chain.Activity, 20),
		Steps:   []chain.StepStats{{Chain: chain.Fetch, Step: "http", Runs: 21, Skipped: 22, Errors: 23, Busy: 24 * time.Second}}}
}

func serve(t *testing.T) *metrics.Server {
	t.Helper()
	s, err := metrics.Serve("127.0.0.1:0", snapshot, "9.9", slog.New(slog.DiscardHandler))
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	must(t, err)
	res, err := tr.RoundTrip(req)
	must(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	must(t, err)
	return res.StatusCode, string(body)
}

// scrape returns every value by its name and labels.
func scrape(t *testing.T, s *metrics.Server) (names []string, values map[string]float64) {
	t.Helper()
	code, body := get(t, "http://"+s.Addr()+"/metrics")
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, body)
	}
	var p expfmt.TextParser
	families, err := p.TextToMetricFamilies(strings.NewReader(body))
	must(t, err)
	values = map[string]float64{}
	for name, f := range families {
		names = append(names, name)
		if (f.GetType().String() == "COUNTER") != strings.HasSuffix(name, "_total") && strings.HasPrefix(name, "exclave_") {
			t.Errorf("%s is a %s", name, f.GetType())
		}
		for _, m := range f.GetMetric() {
			key := name
			for _, l := range m.GetLabel() {
				key += " " + l.GetName() + "=" + l.GetValue()
			}
			values[key] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return names, values
}

// Every number of a snapshot arrives under its own name.
func TestScrape(t *testing.T) {
	names, got := scrape(t, serve(t))
	for key, want := range map[string]float64{
		"exclave_uris_discovered_total": 1, "exclave_uris_queued": 2, "exclave_uris_parked": 3, "exclave_uris_in_process": 4,
		"exclave_uris_finished": 5, "exclave_uris_archived_total": 6, "exclave_pages_judged": 7, "exclave_pages_valid": 8,
		"exclave_uris_failed": 9, "exclave_uris_disregarded": 10, "exclave_uris_retried_total": 11,
		"exclave_hosts state=in_process": 12, "exclave_hosts state=ready": 13, "exclave_hosts state=waiting": 14, "exclave_hosts state=resting": 15, "exclave_hosts state=inactive": 25,
		"exclave_answers_total": 16, "exclave_received_bytes_total": 17, "exclave_toe_threads_busy": 18, "exclave_errors_total class=dns": 19,
		"exclave_errors_total class=5xx": 0, "exclave_toe_threads": 20, "exclave_step_runs_total chain=fetch step=http": 21,
		"exclave_step_skipped_total chain=fetch step=http": 22, "exclave_step_errors_total chain=fetch step=http": 23,
		"exclave_step_seconds_total chain=fetch step=http": 24, "exclave_state state=paused": 1, "exclave_state state=running": 0,
		"exclave_run_seconds": 90, "exclave_disk_free_bytes": 4096,
	} {
		if v, ok := got[key]; !ok || v != want {
			t.Errorf("%s: %v (there: %v), want %v", key, v, ok, want)
		}
	}
	for _, name := range metrics.Names() {
		if !slices.Contains(names, name) {
			t.Errorf("%s is in the table, but not scraped", name)
		}
	}
	for _, name := range []string{"go_goroutines", "process_open_fds"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is missing", name)
		}
	}
}

// Only /metrics is there, and a second server on the address is refused with
// words that help.
func TestServe(t *testing.T) {
	s := serve(t)
	if code, _ := get(t, "http://"+s.Addr()+"/"); code != http.StatusNotFound {
		t.Errorf("/ answers %d", code)
	}
	_, err := metrics.Serve(s.Addr(), snapshot, "9.9", slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), s.Addr()) || !strings.Contains(err.Error(), "[metrics]") {
		t.Errorf("a busy port: %v", err)
	}
}

// What operators read is what is exported: names in the order of the table.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), "docs", "howto", "metrics.md"))
	must(t, err)
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(exclave_[a-z_]+)`").FindAllStringSubmatch(string(page), -1) {
		documented = append(documented, row[1])
	}
	if !slices.Equal(documented, metrics.Names()) {
		t.Errorf("metrics.md has\n%q\nexported are\n%q", documented, metrics.Names())
	}
}

// The dashboard asks for nothing that does not exist.
func TestDashboard(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), "docs", "howto", "grafana-dashboard.json"))
	must(t, err)
	if !json.Valid(page) {
		t.Fatal("the dashboard is no JSON")
	}
	names, _ := scrape(t, serve(t))
	asked := regexp.MustCompile(`\b(?:exclave|go|process)_[a-z_]+`).FindAllString(string(page), -1)
	if len(asked) < 20 {
		t.Errorf("the dashboard asks for %d metrics only", len(asked))
	}
	for _, name := range asked {
		if !slices.Contains(names, name) {
			t.Errorf("the dashboard asks for %s, which does not exist", name)
		}
	}
}
