package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"exclave/internal/job/folder"
	"exclave/internal/testweb"
)

// moments are when the kill test kills, in turn. The points of recovery need a
// tail, which the kill before them leaves.
var moments = []struct {
	point string // "" = at a random number of requests to the servers
	most  int    // hits of the point, at most, for the whole crawl
}{
	{"warc.write.mid", 800},
	{"warc.recover.cut", 1},
	{"frontier.commit.after-sync", 600}, // the first commits of a run log nothing
	{"frontier.recover.cutting", 1},
	{"warc.rename", 5},
	{"", 0},
	{"warc.renamed", 5},
	{"frontier.commit.before-sync", 600},
	{"frontier.recover.cut", 1},
	{"frontier.commit.after-batch", 200},
	{"warc.sync", 200},
	{"warc.recover.cutting", 1},
	{"frontier.logs.mid", 400},
	{"warc.synced", 200},
	{"warc.create", 3},
	{"frontier.roll.committed", 40},
	{"logs.compress.renamed", 30},
	{"frontier.roll.renamed", 40},
	{"logs.compressed", 30},
	{"frontier.roll.synced", 40},
	{"", 0},
}

// killsPerCrawl bounds the kills of one crawl, so that each run gets somewhere.
const killsPerCrawl = 25

// The promise of the state (docs/formats/state.md): whatever the moment of a
// SIGKILL, nothing acknowledged is lost or archived twice, and the archive in the
// end is that of a crawl nobody disturbed. EXCLAVE_KILLS sets the number of kills,
// EXCLAVE_SEED repeats a run.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("crawls 3,000 URLs several times")
	}
	kills, seed := number(t, "EXCLAVE_KILLS", 5), number(t, "EXCLAVE_SEED", time.Now().UnixNano())
	t.Logf("EXCLAVE_SEED=%d", seed)
	synthetic := testweb.NewSynthetic(testweb.DefaultParams())
	web := &watchedWeb{Web: pictures{synthetic}}
	srv, err := testweb.Start(web, testweb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	k := &killer{web: web, rng: rand.New(rand.NewPCG(uint64(seed), 1)), fired: map[string]int{}}

	dir := writeKillJob(t, srv, synthetic.Seeds())
	k.finish(t, dir)
	want, hits := archived(t, dir), web.arm(0, nil)
	if n := revisits(t, dir); n < 100 {
		t.Fatalf("%d revisit records in the undisturbed crawl; nothing is the same on this web", n)
	}
	if len(want) < 1000 || hits < 3000 {
		t.Fatalf("the undisturbed crawl archived %d URLs with %d requests; the web is too small for this test", len(want), hits)
	}
	e := earlierPictures(t, k, srv, synthetic.Seeds())
	dictionary := filepath.Join(t.TempDir(), "trained")
	names, err := filepath.Glob(filepath.Join(dir, folder.WARCDir, "*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if code, out, err := inside("", append([]string{"warc", "dictionary", "-o", dictionary, "--size", "16K"}, names...)...); code != 0 {
		t.Fatal(out, err)
	}
	for done := 0; done < int(kills); {
		n := min(int(kills)-done, killsPerCrawl)
		k.hits = 3 * hits / 2 / n
		dir := writeKillJob(t, srv, synthetic.Seeds(), e.settings)
		if done/killsPerCrawl%2 == 0 { // every other crawl in gzip, as the undisturbed one
			inZstd(t, dir, dictionary)
		}
		made := k.crawl(t, dir, done, n)
		if made == 0 {
			t.Fatal("a crawl ended before it could be killed")
		}
		done += made
		k.finish(t, dir)
		if got := archived(t, dir); !maps.Equal(got, want) {
			t.Errorf("archived %d URLs, an undisturbed crawl %d; first differences: %s", len(got), len(want), differences(got, want))
		}
		e.check(t, dir)
	}
	t.Logf("%d kills, of them at %v", kills, k.fired)
	for _, m := range moments {
		if kills >= 9*int64(len(moments)) && // with fewer it may be chance
			k.fired[m.point] == 0 {
			t.Errorf("no kill at %q", m.point)
		}
	}
}

func number(t *testing.T, variable string, otherwise int64) int64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

type killer struct {
	web   *watchedWeb
	rng   *rand.Rand
	hits  int            // requests between two kills, at most
	fired map[string]int // kills by point
	last  time.Time      // the last kill: when it was asked for, or else found out
}

// crawl runs the job and kills it up to n times; it returns how often it did.
// turn is the number of kills made before.
func (k *killer) crawl(t *testing.T, dir string, turn, n int) int {
	t.Helper()
	var before map[string]bool
	var held map[string]string
	for made := range n {
		m := moments[(turn+made)%len(moments)]
		spec := ""
		if m.point != "" {
			spec = fmt.Sprintf("%s=%d", m.point, 1+k.rng.IntN(max(1, m.most/n)))
		}
		hits := 1 + k.rng.IntN(k.hits)
		if m.point != "" {
			hits = k.hits // the point is to come first
		}
		out, byHits, killed := k.run(t, dir, spec, hits)
		if !killed {
			return made
		}
		if byHits {
			k.fired[""]++
		} else {
			k.fired[m.point]++
		}
		holds := wholeRecords(t, dir)
		maps.Copy(holds, wholeLines(t, dir))
		for id, where := range held {
			if holds[id] == "" {
				t.Errorf("kill %d (%s): the whole record or line %s of %s is gone\n%s", turn+made, spec, id, where, out)
			}
		}
		held = holds
		if m.most == 1 && !byHits {
			continue // killed in recovery: nothing can have changed
		}
		now := archivedByState(t, dir)
		for url := range before {
			if !now[url] {
				t.Errorf("kill %d (%s): %s was archived before, and is not now\n%s", turn+made, spec, url, out)
			}
			if k.web.asked(url) {
				t.Errorf("kill %d (%s): %s was archived before, and asked for again", turn+made, spec, url)
			}
		}
		before = now
	}
	return n
}

// run crawls until the fail point or the given number of requests kills it.
func (k *killer) run(t *testing.T, dir, spec string, hits int) (out string, byHits, killed bool) {
	t.Helper()
	cmd := exec.Command("exclave", "crawl", "--quiet", dir)
	cmd.Env = append(os.Environ(), failPointVariable+"="+spec)
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	reached := make(chan struct{})
	k.web.arm(hits, reached)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var err error
	select {
	case err = <-ended:
		k.last = time.Now()
	case <-reached:
		byHits, k.last = true, time.Now()
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		err = <-ended
	}
	if err == nil {
		return both.String(), byHits, false
	}
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || s.Signal() != syscall.SIGKILL {
		t.Fatalf("crawl with %q: %v, not killed\n%s", spec, err, both.String())
	}
	return both.String(), byHits, true
}

// finish lets the crawl come to its end, and verifies it with the real binary.
func (k *killer) finish(t *testing.T, dir string) {
	t.Helper()
	k.web.arm(0, nil)
	for _, verb := range []string{"crawl", "verify"} {
		if out, err := exec.Command("exclave", verb, dir).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", verb, err, tail(out))
		}
	}
}

func tail(out []byte) []byte { return out[max(0, len(out)-8<<10):] }

// watchedWeb counts requests for what is archived and says when a number is
// reached.
type watchedWeb struct {
	testweb.Web
	mu      sync.Mutex
	n, at   int
	reached chan<- struct{}
	urls    map[string]bool
}

// arm closes reached at the given number of requests from now on; it returns the
// number since the last call.
func (w *watchedWeb) arm(at int, reached chan<- struct{}) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.n
	w.n, w.at, w.reached, w.urls = 0, at, reached, map[string]bool{}
	return n
}

// asked says whether a URL was requested since the last call of arm.
func (w *watchedWeb) asked(url string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.urls[url]
}

// Host implements [testweb.Web].
func (w *watchedWeb) Host(name string) http.Handler {
	h := w.Web.Host(name)
	if h == nil {
		return nil
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.n++
		w.urls[testweb.URL(r)] = true
		if w.n == w.at {
			close(w.reached)
		}
		w.mu.Unlock()
		h.ServeHTTP(rw, r)
	})
}

const killSettings = `
[job]
name = "kill"
operator = "test"
seeds = ["seeds.txt"]
[http]
contact = "http://127.0.0.1/"
allow = ["127.0.0.0/8"]
root_certificates = ["ca.pem"]
[http.connect_to]
%s
[dns]
servers = [%q]
[crawl]
min_free_disk = 0
grace = "1s"
[analysis]
profiles = ["cz"]
[frontier]
min_delay = "0s"
max_delay = "0s"
hosts_per_address = 0
address_delay = "0s"
retry_delay = "10ms"
dns_retry_delay = "10ms"
[warc]
max_size = %d
[dedup]
min_size = 1
%s
[logs]
max_size = 8192
[[scope]]
rule = "accept"
[[scope]]
rule = "prerequisite"
`

// writeKillJob makes a job of seeds without politeness, with small WARC files,
// so that some get complete between two kills.
func writeKillJob(t *testing.T, srv *testweb.Server, seeds []string, dedup ...string) string {
	t.Helper()
	dir := t.TempDir()
	writeKillJobAt(t, dir, srv, seeds, dedup...)
	return dir
}

// writeKillJobAt makes it in the folder given, with further settings of [dedup].
func writeKillJobAt(t *testing.T, dir string, srv *testweb.Server, seeds []string, dedup ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	var connect strings.Builder
	for from, to := range srv.ConnectTo() {
		fmt.Fprintf(&connect, "%q = %q\n", from, to)
	}
	for name, text := range map[string]string{
		"job.toml":  fmt.Sprintf(killSettings, connect.String(), srv.DNS(), 64<<10, strings.Join(dedup, "\n")),
		"ca.pem":    string(srv.CACert()),
		"seeds.txt": strings.Join(seeds, "\n") + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
