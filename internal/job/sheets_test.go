package job_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exclave/chain/decide"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/job"
	"exclave/internal/job/checkpoint"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/testweb"
)

// What a sheet blocks is asked for nothing, neither robots.txt nor a page, and crawl.log says why.
func TestBlockedBySheet(t *testing.T) {
	t.Parallel()
	j := newJob(t, testweb.Tiny{
		"http://a.test/":     testweb.National("/shut/x", "/open", "http://b.test/"),
		"http://a.test/open": testweb.NationalPage(1), "http://a.test/shut/x": testweb.NationalPage(2), "http://b.test/": testweb.NationalPage(3),
	}, func(c *config.Config) { c.Analysis.Depth = 1 })
	dir := filepath.Join(j.cfg.Dir, folder.SheetDir)
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "optout.toml"), []byte("[[sheet]]\nname = \"opt-out\"\nhosts = [\"b.test\"]\nsurts = [\"http://(test,a,)/shut/\"]\nblocked = true\n"), 0o644))
	h := j.run(job.Options{}, "http://a.test/")
	log := strings.Join(j.log(crawl.LogCrawl), "\n")
	if n := strings.Count(log, "blocked:opt-out"); n != 2 || strings.Count(log, " -5001 ") != 2 || strings.Contains(log, "b.test/robots.txt") {
		t.Errorf("%d URIs are blocked\n%s", n, log)
	}
	for _, r := range h.records {
		if strings.Contains(r.uri, "b.test") || strings.Contains(r.uri, "/shut/") {
			t.Errorf("asked for %s", r.uri)
		}
	}
}

// sheetFile writes a file of sheets into the folder of a job.
func sheetFile(t testing.TB, cfg *config.Config, text string) {
	t.Helper()
	dir := filepath.Join(cfg.Dir, folder.SheetDir)
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "a.toml"), []byte(text), 0o644))
}

// What sheets set for a host is what is asked for, received and followed there, and nowhere else.
func TestSheets(t *testing.T) {
	t.Parallel()
	long := testweb.National()
	j := newJob(t, testweb.Tiny{
		"http://a.test/":           testweb.National("/1", "http://b.test/", "http://out.test/", "http://no.test/"),
		"http://a.test/robots.txt": testweb.Text("User-agent: *\nDisallow: /1\n"), "http://a.test/1": testweb.NationalPage(1, "/1/2"),
		"http://a.test/1/2": testweb.NationalPage(2),
		"http://b.test/":    long, "http://b.test/robots.txt": testweb.Text("User-agent: *\nDisallow: /1\n"), "http://b.test/1": testweb.NationalPage(3),
		"http://out.test/": testweb.NationalPage(4, "/1", "/2", "/3", "/4"), "http://out.test/1": testweb.NationalPage(5), "http://out.test/2": testweb.NationalPage(6),
		"http://out.test/3": testweb.NationalPage(7), "http://out.test/4": testweb.NationalPage(8), "http://no.test/": testweb.NationalPage(9),
	}, func(c *config.Config) {
		c.Analysis.Depth = 3
		c.HTTP.Headers = map[string]string{"X-Job": "1"}
		c.Scope = append(c.Scope, decide.RuleConfig{Rule: "hosts", List: []string{"out.test"}})
	})
	sheetFile(t, j.cfg, `
[[sheet]]
name = "open"
hosts = ["a.test"]
max_hops = 1
[sheet.robots]
policy = "ignore"
[sheet.http]
accept_language = "cs"
referrer_policy = "unsafe-url"
headers = {X-Own = "yes"}
[[sheet]]
name = "short"
hosts = ["b.test"]
[sheet.http]
max_size = 100
[[sheet]]
name = "in"
hosts = ["out.test"]
scope = "accept"
[sheet.limits]
host_documents = 3
[[sheet]]
name = "out"
hosts = ["no.test"]
scope = "reject"
`)
	h := j.run(job.Options{}, "http://a.test/")
	if h.hits["http://a.test/1"] != 1 || h.hits["http://a.test/1/2"] != 0 || h.hits["http://b.test/1"] != 0 || h.hits["http://no.test/"] != 0 || h.hits["http://out.test/"] != 1 {
		t.Errorf("asked for %v", h.hits)
	}
	if n := h.hits["http://out.test/1"] + h.hits["http://out.test/2"] + h.hits["http://out.test/3"] + h.hits["http://out.test/4"]; n != 1 { // robots.txt and / are documents, too
		t.Errorf("%d pages beyond the first within the budget", n)
	}
	if r := h.of("response", "http://b.test/"); len(r) != 1 || r[0].header.Get("WARC-Truncated") != "length" {
		t.Errorf("%d records of what is too long", len(r))
	}
	if log := strings.Join(j.log(crawl.LogScope), "\n"); !strings.Contains(log, `"url":"http://no.test/","via":"http://a.test/","hops":"L","rule":"sheet"`) {
		t.Errorf("left out:\n%s", log)
	}
	asked := func(uri string) string {
		r := h.of("request", uri)
		if len(r) != 1 {
			t.Fatalf("%d requests for %s", len(r), uri)
		}
		return string(r[0].block)
	}
	for uri, want := range map[string][]string{
		"http://a.test/1": {"Accept-Language: cs\r\n", "Referer: http://a.test/\r\n", "X-Own: yes\r\n", "X-Job: 1\r\n"},
		"http://b.test/":  {"Accept-Language: cs,*;q=0.1\r\n", "Referer: http://a.test/\r\n", "X-Job: 1\r\n"},
	} {
		for _, field := range want {
			if !strings.Contains(asked(uri), field) {
				t.Errorf("%s: no %q in\n%s", uri, field, asked(uri))
			}
		}
	}
	if strings.Contains(asked("http://b.test/"), "X-Own") || strings.Contains(asked("http://a.test/"), "Referer") {
		t.Error(asked("http://b.test/"), asked("http://a.test/"))
	}
}

// A part of what is blocked may be open: robots.txt is asked for its sake, and not for that of the rest.
func TestOpenPartOfBlockedHost(t *testing.T) {
	t.Parallel()
	j := newJob(t, testweb.Tiny{
		"http://a.test/": testweb.National("http://b.test/shut", "http://b.test/open/", "http://c.test/"), "http://b.test/shut": testweb.NationalPage(1),
		"http://b.test/open/": testweb.NationalPage(2), "http://c.test/": testweb.NationalPage(3),
	}, func(c *config.Config) { c.Analysis.Depth = 1 })
	sheetFile(t, j.cfg, "[[sheet]]\nname = \"shut\"\ndomains = [\"b.test\", \"c.test\"]\nblocked = true\n[[sheet]]\nname = \"open\"\nsurts = [\"http://(test,b,)/open/\"]\nblocked = false\n")
	h := j.run(job.Options{}, "http://a.test/")
	want := map[string]int{"http://a.test/robots.txt": 1, "http://a.test/": 1, "http://b.test/robots.txt": 1, "http://b.test/open/": 1}
	if !maps.Equal(h.hits, want) {
		t.Errorf("asked for %v", h.hits)
	}
}

// A job that is restored from a checkpoint has the sheets.
func TestCheckpointHoldsSheets(t *testing.T) {
	t.Parallel()
	j := finishedJob(t, nil)
	const text = "[[sheet]]\nname = \"a\"\nhosts = [\"b.test\"]\nblocked = true\n"
	must(t, os.MkdirAll(filepath.Join(j.cfg.Dir, folder.SheetDir), 0o755))
	must(t, os.WriteFile(filepath.Join(j.cfg.Dir, folder.SheetDir, "a.toml"), []byte(text), 0o644))
	j.with(job.Options{}, func(b *job.Job) {
		_, err := b.Checkpoint(t.Context(), "one")
		must(t, err)
	})
	other := filepath.Join(t.TempDir(), "restored")
	_, err := checkpoint.Restore(t.Context(), filepath.Join(j.cfg.Dir, folder.CheckpointDir, "one"), other, folder.Env{})
	must(t, err)
	got, err := os.ReadFile(filepath.Join(other, folder.SheetDir, "a.toml"))
	if err != nil || string(got) != text {
		t.Errorf("%q, %v", got, err)
	}
}

// A sheet that cannot be read stops the job, with its line: it might be one that blocks.
func TestBadSheet(t *testing.T) {
	t.Parallel()
	j := newJob(t, testweb.Tiny{}, nil)
	dir := filepath.Join(j.cfg.Dir, folder.SheetDir)
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "a.toml"), []byte("[[sheet]]\nname = \"a\"\nhosts = [\"b.test\"]\nblock = true\n"), 0o644))
	got, err := job.Open(t.Context(), j.cfg, job.Options{})
	if err == nil || !strings.Contains(err.Error(), "a.toml:4:1: sheet[0].block") {
		t.Errorf("%v, %v", got, err)
	}
}

// A budget that a sheet raises lets the host go on at the next start; that of a sheet is not given out again by a start alone.
func TestBudgetOfSheetAtRestart(t *testing.T) {
	t.Parallel()
	j := newJob(t, testweb.Tiny{"http://a.test/": testweb.National("/1", "/2"), "http://a.test/1": testweb.NationalPage(1), "http://a.test/2": testweb.NationalPage(2)},
		func(c *config.Config) { c.Analysis.Depth = 1 })
	budget := func(documents string) {
		sheetFile(t, j.cfg, "[[sheet]]\nname = \"a\"\nhosts = [\"a.test\"]\n[sheet.limits]\nhost_documents = "+documents+"\n")
	}
	pages := func(h *harvest) int {
		return h.hits["http://a.test/"] + h.hits["http://a.test/1"] + h.hits["http://a.test/2"]
	}
	budget("2") // robots.txt is one
	if n := pages(j.run(job.Options{}, "http://a.test/")); n != 1 {
		t.Errorf("%d pages within the budget", n)
	}
	if n := pages(j.run(job.Options{})); n != 1 {
		t.Errorf("%d pages after another start", n)
	}
	budget("0")
	if n := pages(j.run(job.Options{})); n != 3 {
		t.Errorf("%d pages without a budget", n)
	}
}

// Who waits for the hours of a sheet is told so, and until when: neither politeness nor a failure is the reason.
func TestWhyOutsideHours(t *testing.T) {
	t.Parallel()
	j := newJob(t, testweb.Tiny{"http://a.test/": testweb.National("/1", "/2"), "http://a.test/1": testweb.NationalPage(1), "http://a.test/2": testweb.NationalPage(2)},
		func(c *config.Config) { c.Crawl.ToeThreads, c.Crawl.MaxURLs = 1, 1 })
	j.run(job.Options{}, "http://a.test/")
	from := time.Now().Add(2 * time.Hour).Format("15:04")
	hours := from + "-" + time.Now().Add(3*time.Hour).Format("15:04")
	sheetFile(t, j.cfg, "[[sheet]]\nname = \"hrs\"\nhosts = [\"a.test\"]\nhours = \""+hours+"\"\n")
	want := "it is outside the hours " + hours + " of sheet hrs, until " + from
	must(t, question.Look(t.Context(), folder.Of(j.cfg, folder.Env{}), func(b question.Questions) error {
		q, err := b.Queue(t.Context(), "a.test")
		must(t, err)
		if q.Why != want {
			t.Errorf("the queue: %s, want %s", q.Why, want)
		}
		w, err := b.Why(t.Context(), "http://a.test/")
		must(t, err)
		if text := strings.Join(w.Sentences, "\n"); !strings.Contains(text, "pending; "+want+".") {
			t.Errorf("the URL: %s", text)
		}
		return nil
	}))
}

// A delay that a crawl would cut short stops it, and a reload, with the line: its owner was promised another one.
func TestSheetDelayBeyondTheLongestWait(t *testing.T) {
	t.Parallel()
	j := newJob(t, testweb.Tiny{}, nil)
	write := func(delay string) {
		sheetFile(t, j.cfg, "[[sheet]]\nname = \"a\"\nhosts = [\"a.test\"]\n[sheet.frontier]\nmin_delay = \""+delay+"\"\n")
	}
	const want = "a.toml:5:1: sheet[0].frontier.min_delay: 5h0m0s is longer than the longest wait of [frontier], 4h0m0s"
	write("4h")
	j.with(job.Options{}, func(b *job.Job) {
		write("5h")
		if _, err := b.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	})
	if _, err := job.Open(t.Context(), j.cfg, job.Options{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	j.cfg.Frontier.MaxRetryDelay = 5 * time.Hour
	j.with(job.Options{}, func(*job.Job) {})
}
