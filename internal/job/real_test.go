package job_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/sharedtest"
	"exclave/internal/testweb"
	"exclave/warc"
)

// The pages of the recorded sites are in English: a profile for their language.
const english = `
[profile]
name = "english"
min_points = 60
depth = 3

[[searcher]]
kind = "dictionary"
list = "./english.txt"
points = 10
cap = 100
distinct = true
`

const englishWords = "the\nthis\nfor\nuse\nmay\nwithout\nwith\nyou\nand\nare\nasking\nprior\n"

// Issue 3, "What shows it": sites recorded by another program (py-wacz, fixture of
// its tests), served from loopback under their own names, are harvested whole,
// every byte as it was, into files that warcio reads without complaint.
func TestRealSitesAreArchivedAsTheyAre(t *testing.T) {
	sites, err := testweb.FromWARC(sharedtest.Path(t, "data/warc/py-wacz/tests/fixtures/example-collection-with-lists.warc"))
	must(t, err)
	cfg := testConfig(t, serve(t, sites), "https://example.com/")
	must(t, os.WriteFile(filepath.Join(cfg.Dir, "english.toml"), []byte(english), 0o644))
	must(t, os.WriteFile(filepath.Join(cfg.Dir, "english.txt"), []byte(englishWords), 0o644))
	cfg.Analysis.Profiles = []string{"./english.toml"}
	runJob(t, cfg)
	for _, d := range verify(t, cfg) {
		t.Error(d)
	}
	files, err := filepath.Glob(filepath.Join(cfg.Dir, job.WARCDir, "*.warc.gz"))
	must(t, err)
	archived := payloads(t, files)
	for _, c := range sites.Truth() {
		if got := archived[c.URL]; got != "sha1:"+c.Payload && got != "sha1:"+c.Entity {
			t.Errorf("%s (%d): payload digest %q, recorded %s or %s", c.URL, c.Status, got, c.Payload, c.Entity)
		}
	}
	out, err := exec.Command(sharedtest.Warcio(t), append([]string{"check", "-v"}, files...)...).CombinedOutput()
	if err != nil || strings.Contains(string(out), "fail") {
		t.Errorf("warcio check: %v\n%s", err, out)
	}
}

// payloads returns the payload digest of every response by URL.
func payloads(t *testing.T, files []string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range files {
		_, err := warc.Verify(fsx.Real(), name, func(r warc.RecordInfo) error {
			if r.Type == warc.TypeResponse {
				out[r.TargetURI] = r.Payload
			}
			return nil
		})
		must(t, err)
	}
	return out
}
