package rebuild

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"exclave/chain/post"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/job/folder"
)

// A state is made of files alone: no crawl is needed. What crawl.log names and nobody has is refused, and nothing is
// changed by that, or fetched again, as asked.
func TestStateOfALog(t *testing.T) {
	cfg := config.Default("cz")
	cfg.Dir = t.TempDir()
	f := folder.Of(cfg, folder.Env{})
	refused := func(says string) {
		t.Helper()
		if _, err := State(t.Context(), f, Options{}); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), says) {
			t.Fatalf("%v, want %q", err, says)
		}
		if _, err := os.Stat(f.Path(folder.StateDir, folder.FrontierDir)); err == nil {
			t.Fatal("there is a state")
		}
	}
	refused("neither WARC files nor logs")

	at := time.Date(2026, 11, 23, 1, 2, 3, 0, time.UTC)
	var text []byte
	for i, url := range []string{"http://a.test/", "http://b.test/"} {
		u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: url, Key: url, Seed: true}, Status: 200, Started: at, Took: time.Second}
		file := ""
		if i == 1 {
			file, u.Response = "EXAMPLE-20261123010203000-00001-1~h~1.warc.gz", crawl.Ref{File: 1, Offset: 100, Length: 50}
		}
		text = append(text, post.CrawlLogLine(u, file, at)...)
	}
	name := f.Path(folder.LogDir, crawl.LogCrawl.Name())
	if err := errors.Join(os.MkdirAll(f.Path(folder.LogDir), 0o700), os.WriteFile(name, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	refused("WARC files that crawl.log names are missing: 1")

	stray := name + ".1"
	if err := os.WriteFile(stray, text, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("may hold lines of crawl.log")
	if err := os.Remove(stray); err != nil {
		t.Fatal(err)
	}

	made, err := State(t.Context(), f, Options{FetchMissing: true})
	if err != nil {
		t.Fatal(err)
	}
	if made.Lines != 2 || made.Lost != 1 || made.Captures != 0 || made.Stats.Discovered != 2 || made.Stats.Archived != 0 || len(made.Notes) != 1 {
		t.Errorf("%+v\n%s", made, made)
	}
	if now, err := os.ReadFile(name); err != nil || string(now) != string(text) {
		t.Errorf("crawl.log is now\n%s%v", now, err)
	}
	if _, err := os.Stat(f.Path(folder.StateDir, moreLines)); err == nil {
		t.Error("a scratch file is left")
	}
}
