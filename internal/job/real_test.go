package job_test

import (
	"bufio"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"exclave/chain/decide"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/sharedtest"
	"exclave/internal/testweb"
	"exclave/warc"
	"exclave/warc/warctest"
)

// realCase is a web that others made or recorded, served on loopback under its own
// names and harvested with the real engine. Its folder below testdata/real holds
// what a person found out about it:
//
//   - expected.jsonl: what must be archived, found or neither, and why;
//   - exceptions.jsonl: answers with status 200 that are not archived, each with
//     the cause. One that ceases to be an exception fails the test.
type realCase struct {
	name     string
	web      func(t *testing.T) (testweb.Web, []testweb.Capture)
	seeds    []string
	profiles []string // built in, or a file of testdata/real/profiles
	none     string   // the one of them, if any, that no page may be valid for
	change   func(*config.Config, *testweb.Server)
}

// Issue 4, "On real input".
func TestRealInput(t *testing.T) {
	for _, c := range slices.Concat(recordedSites(), singlePages(), selftestSites()) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t)
		})
	}
}

// realHarvest is what is known after the run.
type realHarvest struct {
	cfg      *config.Config
	outcomes map[string]crawl.Outcome
	asked    map[string]bool   // URLs the server was asked for
	refused  map[string]bool   // URLs the scope refused
	payloads map[string]string // digest by URL, of responses and revisits
}

func (c realCase) test(t *testing.T) {
	web, truth := c.web(t)
	srv := serve(t, web)
	h := c.harvest(t, srv, truth)
	reached := reachable(t, srv, truth, c.seeds)
	exceptions := map[string]string{}
	for _, e := range readLines[realException](t, c.file("exceptions.jsonl")) {
		exceptions[e.URL] = e.Why
	}
	for _, r := range truth {
		if r.Status != http.StatusOK && r.Status/100 != 3 {
			continue
		}
		why, excepted := exceptions[r.URL]
		delete(exceptions, r.URL)
		got, archived := h.payloads[r.URL]
		same := got == "sha1:"+r.Payload || got == "sha1:"+r.Entity
		via, linked := reached[r.URL]
		switch {
		case excepted && same:
			t.Errorf("%s is archived: no longer an exception (%s)", r.URL, why)
		case excepted:
		case !archived && linked:
			t.Errorf("%s is not archived though %s links to it; outcome %+v", r.URL, via, h.outcomes[r.URL])
		case !archived:
			t.Errorf("%s is not archived and no link to it is known: find out why and list it", r.URL)
		case !same:
			t.Errorf("%s (%d): payload digest %q, recorded %s or %s", r.URL, r.Status, got, r.Payload, r.Entity)
		}
	}
	for url := range exceptions {
		t.Errorf("exceptions.jsonl: %s is not among the answers of this web", url)
	}
	for _, e := range readLines[realExpectation](t, c.file("expected.jsonl")) {
		h.check(t, e)
	}
	if i := slices.Index(c.profiles, c.none); i >= 0 {
		for url, o := range h.outcomes {
			if o.ValidFor&(1<<i) != 0 {
				t.Errorf("%s is valid for profile %s", url, c.none)
			}
		}
	}
}

func (c realCase) file(name string) string { return filepath.Join("testdata", "real", c.name, name) }

// harvest crawls to the end and has the result checked by verify, and by warcio
// when there is one. Pages link to thousands that nobody recorded: the scope takes
// links to what is there, and embeds wherever they are; all others it refuses, and
// says so in its log.
func (c realCase) harvest(t *testing.T, srv *testweb.Server, truth []testweb.Capture) *realHarvest {
	cfg := testConfig(t, srv, c.seeds...)
	var there []string
	for _, r := range truth {
		there = append(there, "^"+regexp.QuoteMeta(r.URL)+"$")
	}
	cfg.Scope[0] = decide.RuleConfig{Rule: "regex", Decision: "accept", List: there}
	cfg.Analysis.Profiles = nil
	for _, p := range c.profiles {
		if strings.HasSuffix(p, ".toml") {
			p = "./profiles/" + p
		}
		cfg.Analysis.Profiles = append(cfg.Analysis.Profiles, p)
	}
	must(t, os.CopyFS(filepath.Join(cfg.Dir, "profiles"), os.DirFS(filepath.Join("testdata", "real", "profiles"))))
	cfg.Frontier.DNSRetries, cfg.Frontier.RobotsRetries = 1, 1
	if c.change != nil {
		c.change(cfg, srv)
	}
	runJob(t, cfg)
	for _, d := range verifyAll(t, cfg, job.Options{}) {
		t.Errorf("defect: %s", d)
	}
	outcomes, err := job.Outcomes(t.Context(), cfg)
	must(t, err)
	h := &realHarvest{cfg: cfg, outcomes: outcomes, asked: map[string]bool{}, refused: map[string]bool{}}
	for _, hit := range srv.Log() {
		h.asked[hit.URL] = true
	}
	for _, l := range readLines[struct{ URL string }](t, filepath.Join(cfg.Dir, folder.LogDir, crawl.LogScope.Name())) {
		h.refused[l.URL] = true
	}
	files, err := filepath.Glob(filepath.Join(cfg.Dir, folder.WARCDir, "*.warc.gz"))
	must(t, err)
	h.payloads = payloads(t, files)
	if os.Getenv("EXCLAVE_WARCIO") != "" && len(files) > 0 {
		out, err := exec.Command(sharedtest.Warcio(t), append([]string{"check", "-v"}, files...)...).CombinedOutput()
		if err != nil || strings.Contains(string(out), "fail") {
			t.Errorf("warcio check: %v\n%s", err, out)
		}
	}
	return h
}

// realException is a line of exceptions.jsonl.
type realException struct{ URL, Why string }

// realExpectation is a line of expected.jsonl.
type realExpectation struct {
	URL string
	// Must is "archived"; "found": known to the crawl, whether it could be fetched
	// or the scope refused it; "not found": no trace of it, an address nobody
	// meant; "not archived": known or not.
	Must string
	// Valid, when given, is the verdict on the page.
	Valid *bool
	Why   string
}

func (h *realHarvest) check(t *testing.T, e realExpectation) {
	t.Helper()
	o, finished := h.outcomes[e.URL]
	_, archived := h.payloads[e.URL]
	archived = archived && o.Status/100 < 4 // so that an error is none
	found := finished || h.refused[e.URL] || h.asked[e.URL]
	ok := false
	switch e.Must {
	case "archived":
		ok = archived
	case "found":
		ok = found
	case "not found":
		ok = !found
	case "not archived":
		ok = !archived
	default:
		t.Errorf("%s: must %q", e.URL, e.Must)
	}
	if !ok || e.Why == "" {
		t.Errorf("%s must be %s (%s): outcome %+v, asked for %t, refused %t", e.URL, e.Must, e.Why, o, h.asked[e.URL], h.refused[e.URL])
	}
	if e.Valid != nil && o.Valid() != *e.Valid {
		t.Errorf("%s: valid %t, want %t (%s)", e.URL, o.Valid(), *e.Valid, e.Why)
	}
}

// readLines reads a file of JSON objects, one a line; unknown keys are ignored. No
// file is no lines.
func readLines[T any](t *testing.T, name string) []T {
	t.Helper()
	f, err := os.Open(name)
	if os.IsNotExist(err) {
		return nil
	}
	must(t, err)
	defer f.Close()
	var all []T
	for s := bufio.NewScanner(f); s.Scan(); {
		var v T
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			t.Fatalf("%s:%d: %v", name, len(all)+1, err)
		}
		all = append(all, v)
	}
	return all
}

// payloads returns the payload digest of every response and revisit by URL.
func payloads(t *testing.T, files []string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range files {
		_, err := warctest.Verify(fsx.Real(), name, func(r warc.RecordInfo) error {
			if r.Type == warc.TypeResponse || r.Type == warc.TypeRevisit {
				out[r.TargetURI] = r.Payload
			}
			return nil
		})
		must(t, err)
	}
	return out
}

// A harvest with the Czech profile alone judges these pages and archives nothing.
// That the pages of the other recorded sites are not Czech is seen above, where cz
// is their second profile; these have no room for it, or are few.
func TestRealForeignSitesLeaveNothing(t *testing.T) {
	for _, c := range recordedSites() {
		if c.name != "commoncrawl" && c.name != "iana" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.profiles = []string{"cz"}
			web, truth := c.web(t)
			h := c.harvest(t, serve(t, web), truth)
			if len(h.payloads) > 0 {
				t.Errorf("archived %v", slices.Sorted(maps.Keys(h.payloads)))
			}
			for _, s := range c.seeds {
				if !h.asked[s] {
					t.Errorf("%s was not asked for", s)
				}
			}
		})
	}
}
