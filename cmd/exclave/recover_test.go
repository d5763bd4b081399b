package main

import (
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/testweb"
	"exclave/warc"
	"exclave/warc/warctest"
)

// The moments at which recover itself is killed, in turn.
func recoverMoments() []string {
	return []string{"recover.built=1", "recover.cut=1", "recover.lines=1", "recover.closed=1", "recover.aside=1", "recover.mark=1", "recover.renamed=1"}
}

// Issue 16: `exclave recover` makes a state anew from archive and logs, whenever the crawl was killed,
// whatever was lost, and whenever recover itself is killed: verify passes after it, nothing that is in the archive is
// asked for again, and the archive in the end is that of a crawl nobody disturbed. EXCLAVE_RECOVERS sets how
// often, EXCLAVE_SEED repeats a run.
func TestRecover(t *testing.T) {
	if testing.Short() {
		t.Skip("crawls some hundred URLs several times")
	}
	times, seed := number(t, "EXCLAVE_RECOVERS", 2), number(t, "EXCLAVE_SEED", time.Now().UnixNano())
	t.Logf("EXCLAVE_SEED=%d", seed)
	p := testweb.DefaultParams()
	p.Hosts, p.Pages = 25, 10
	synthetic := testweb.NewSynthetic(p)
	web := &watchedWeb{Web: synthetic}
	srv, err := testweb.Start(web, testweb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	k := &killer{web: web, rng: rand.New(rand.NewPCG(uint64(seed), 3)), fired: map[string]int{}}
	dir := writeKillJob(t, srv, synthetic.Seeds())
	k.finish(t, dir)
	want, hits := archived(t, dir), web.arm(0, nil)
	if len(want) < 200 {
		t.Fatalf("%d URLs are too few for this test", len(want))
	}
	first := k.rng.IntN(len(losses()))
	for i := first; i < first+int(times); i++ {
		dir := writeKillJob(t, srv, synthetic.Seeds())
		k.run(t, dir, "", hits/8+k.rng.IntN(hits*7/8))
		lost := losses()[i%len(losses())]
		lost.lose(t, dir)
		moment := recoverMoments()[i%len(recoverMoments())]
		before := responses(t, dir)
		k.web.arm(0, nil)
		out, killed := recoverJob(t, dir, moment)
		if killed {
			k.fired[moment]++
			out, _ = recoverJob(t, dir, "")
		}
		t.Logf("%s, killed at %s: %t: %s", lost.what, moment, killed, out)
		if out, err := exec.Command("exclave", "verify", dir).CombinedOutput(); err != nil {
			t.Fatalf("verify after recover: %v\n%s", err, tail(out))
		}
		k.web.arm(0, nil)
		if out, err := exec.Command("exclave", "crawl", dir).CombinedOutput(); err != nil {
			t.Fatalf("crawl after recover: %v\n%s", err, tail(out))
		}
		for url := range before {
			if k.web.asked(url) && !strings.HasSuffix(url, "/robots.txt") {
				t.Errorf("%s was in the archive, and was asked for again", url)
			}
		}
		if out, err := exec.Command("exclave", "verify", dir).CombinedOutput(); err != nil {
			t.Fatalf("verify at the end: %v\n%s", err, tail(out))
		}
		if got := archived(t, dir); !maps.Equal(got, want) {
			t.Errorf("%s: archived %d URLs, an undisturbed crawl %d; first differences: %s", lost.what, len(got), len(want), differences(got, want))
		}
	}
	t.Logf("killed at %v", k.fired)
}

// losses are what a job loses beside its state.
func losses() []struct {
	what string
	lose func(t *testing.T, dir string)
} {
	remove := func(names ...string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			for _, n := range names {
				if err := os.RemoveAll(filepath.Join(dir, n)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	damage := func(t *testing.T, dir string) {
		names, err := filepath.Glob(filepath.Join(dir, folder.StateDir, "frontier", "*"))
		if err != nil || len(names) == 0 {
			t.Fatal(names, err)
		}
		for _, n := range names {
			if err := os.Truncate(n, 10); err != nil {
				t.Fatal(err)
			}
		}
	}
	return []struct {
		what string
		lose func(t *testing.T, dir string)
	}{
		{"no state", remove("state")},
		{"a damaged state", damage},
		{"no crawl.log", remove("state", "logs/crawl.log")},
		{"no analysis.jsonl", remove("state/frontier", "logs/analysis.jsonl")},
		{"no logs", remove("state/frontier", "logs")},
		{"nothing but the state is lost, the last line is cut", func(t *testing.T, dir string) {
			remove("state/frontier")(t, dir)
			name := filepath.Join(dir, "logs", "crawl.log")
			if st, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
				return // killed before the first commit of lines
			} else if err != nil {
				t.Fatal(err)
			} else if err := os.Truncate(name, max(st.Size()-20, 0)); err != nil {
				t.Fatal(err)
			}
		}},
	}
}

// recoverJob runs the real binary.
func recoverJob(t *testing.T, dir, moment string) (out string, killed bool) {
	t.Helper()
	cmd := exec.Command("exclave", "recover", dir)
	cmd.Env = append(os.Environ(), failPointVariable+"="+moment)
	text, err := cmd.CombinedOutput()
	if err != nil && (moment == "" || !strings.Contains(err.Error(), "killed")) {
		t.Fatalf("recover: %v\n%s", err, tail(text))
	}
	return string(text), err != nil
}

// responses are the URLs with a whole response in the archive, finished or not.
func responses(t *testing.T, dir string) map[string]bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, folder.WARCDir, "*.warc.*"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, name := range names {
		for url := range pagesOf(t, name) {
			got[url] = true
		}
	}
	return got
}

// pagesOf are the URLs of a WARC file that have response and metadata, both whole.
func pagesOf(t *testing.T, name string) map[string]bool {
	t.Helper()
	answers, got := map[string]string{}, map[string]bool{}
	_, err := warctest.Verify(fsx.Real(), name, func(r warc.RecordInfo) error {
		switch {
		case r.Type == warc.TypeResponse:
			answers[r.ID] = r.TargetURI
		case r.Type == warc.TypeMetadata && len(r.ConcurrentTo) > 0 && answers[r.ConcurrentTo[0]] == r.TargetURI:
			got[r.TargetURI] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}
