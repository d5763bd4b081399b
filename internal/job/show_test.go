package job_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/jobtest"
	"exclave/internal/job/question"
	"exclave/internal/job/rebuild"
	"exclave/internal/testweb"
)

// A curator asks why a page is in the archive, or why not: every kind of answer.
func TestShow(t *testing.T) {
	j := newJob(t, testweb.Tiny{
		"http://a.test/":        testweb.NationalPage(1, "/foreign", "/moved", testweb.Img("/pic")),
		"http://a.test/foreign": testweb.Foreign(testweb.Img("/never")),
		"http://a.test/moved":   testweb.Redirect(301, "/target"),
		"http://a.test/target":  testweb.NationalPage(2),
		"http://a.test/pic":     testweb.Image(1),
	}, func(c *config.Config) { c.Analysis.Depth = 0 })
	j.run(job.Options{}, "http://a.test/")
	show := func(url string) *question.Shown {
		t.Helper()
		s, err := jobtest.Show(t.Context(), j.cfg, url)
		must(t, err)
		return s
	}
	t.Run("archived", func(t *testing.T) {
		s := show("http://a.test/#part")
		if !s.Known || s.URL != "http://a.test/" || s.State != "done" || !s.Seed || !s.Archived || s.Status.Words != "200 OK" ||
			!strings.HasPrefix(s.Digest, "sha1:") || s.Fetched == nil || len(s.Via) > 0 {
			t.Errorf("%+v", s)
		}
		if s.Verdicts == nil || !strings.Contains(s.Verdicts.From, ".warc.gz at ") || !s.Verdicts.By[0].Valid || len(s.Verdicts.By[0].By) == 0 {
			t.Errorf("verdicts %+v", s.Verdicts)
		}
		var kinds []string
		for _, r := range s.Records {
			kinds = append(kinds, r.Type)
			if r.Current != (r.Type == "response" && r.Target == s.URL) || r.Length <= 0 || r.ID == "" {
				t.Errorf("record %+v", r)
			}
		}
		for _, kind := range []string{"request", "response", "metadata"} {
			if !slices.Contains(kinds, kind) {
				t.Errorf("no %s among %q", kind, kinds)
			}
		}
		links := map[string]question.ShownLink{}
		for _, l := range s.Links.First {
			links[l.URL] = l
		}
		if pic := links["http://a.test/pic"]; s.Links.Total != 3 || pic.Hop != "E" || pic.State != "done" || !pic.Archived || *pic.Status != 200 {
			t.Errorf("links %+v", s.Links)
		}
		if s.Facts == nil || !slices.Equal(s.Facts.Addresses, []string{"127.0.0.1"}) || s.Facts.RobotsExpires == nil {
			t.Errorf("facts %+v", s.Facts)
		}
	})
	t.Run("way to the seed", func(t *testing.T) {
		s := show("http://a.test/target")
		if s.Hops != "LR" || len(s.Via) != 2 || s.Via[0].URL != "http://a.test/moved" || s.Via[0].Hop != "R" || *s.Via[0].Status != 301 ||
			s.Via[1].URL != "http://a.test/" || s.Via[1].Hop != "L" || s.ViaEnd != "" {
			t.Errorf("hops %s, via %+v, %s", s.Hops, s.Via, s.ViaEnd)
		}
	})
	t.Run("judged, not archived", func(t *testing.T) {
		s := show("http://a.test/foreign")
		if s.Archived || len(s.Records) > 0 || s.Links != nil || s.Verdicts == nil ||
			!strings.HasPrefix(s.Verdicts.From, "analysis.jsonl line ") || s.Verdicts.By[0].Valid {
			t.Errorf("%+v, verdicts %+v", s, s.Verdicts)
		}
	})
	t.Run("parked", func(t *testing.T) {
		s := show("http://a.test/never")
		if s.State != "parked" || s.Status != nil || len(s.Claim) != 1 || !strings.HasPrefix(s.Claim[0], "none") {
			t.Errorf("%+v", s)
		}
	})
	t.Run("not known", func(t *testing.T) {
		if s := show("http://other.test/"); s.Known || s.Scope == nil || s.Scope.Decision != "ACCEPT" || s.Scope.Rule == "" || s.Key != "http://other.test/" {
			t.Errorf("%+v, scope %+v", s, s.Scope)
		}
		if s := show("http://domaci.cz/"); s.Known || s.Scope.Decision != "REJECT" || s.Scope.Rule == "" {
			t.Errorf("%+v, scope %+v", s, s.Scope)
		}
	})
	t.Run("prerequisites", func(t *testing.T) {
		for _, key := range []string{"dns:a.test", "robots:http://a.test"} {
			if s := show(key); !s.Known || s.State != "done" {
				t.Errorf("%s: %+v", key, s)
			}
		}
		// whoever asks for the address means what the crawler itself asked for, unless a page links to it
		s := show("http://a.test/robots.txt")
		if !s.Known || s.State != "done" || s.Key != "robots:http://a.test" || s.Scope != nil || s.Facts == nil || len(s.Claim) != 1 || !strings.Contains(s.Claim[0], "prerequisite") {
			t.Errorf("robots.txt: %+v", s)
		}
		if s := show("http://a.test/robots.txt?x"); s.Known {
			t.Errorf("another address: %+v", s)
		}
		must(t, question.Look(t.Context(), folder.Of(j.cfg, folder.Env{}), func(q question.Questions) error {
			w, err := q.Why(t.Context(), "http://a.test/robots.txt")
			must(t, err)
			if text := strings.Join(w.Sentences, "\n"); !w.Known || !strings.Contains(text, "It was finished 1×") || !strings.Contains(text, "archived beside the first page") {
				t.Errorf("why: %s", text)
			}
			return nil
		}))
	})
	t.Run("no URL", func(t *testing.T) {
		for _, url := range []string{"a.test", "gopher://a.test/", "http://"} {
			if _, err := jobtest.Show(t.Context(), j.cfg, url); !errors.Is(err, question.ErrURL) {
				t.Errorf("%q: %v", url, err)
			}
		}
	})
}

// So many URIs are listed as were asked for: prerequisites, which wait beside them, do not count.
func TestWaitingLimit(t *testing.T) {
	t.Parallel()
	web, seeds := testweb.Tiny{}, []string(nil)
	for i := range 9 {
		seeds = append(seeds, fmt.Sprintf("http://h%d.test/", i))
		web[seeds[i]] = testweb.Foreign()
	}
	j := newJob(t, web, func(c *config.Config) { c.Crawl.ToeThreads, c.Crawl.MaxURLs = 1, 1 })
	j.run(job.Options{}, seeds...)
	list := func(limit int) int {
		var out strings.Builder
		if err := question.Look(t.Context(), folder.Of(j.cfg, folder.Env{}), func(b question.Questions) error {
			return b.WritePending(t.Context(), question.Filter{}, limit, &out)
		}); err != nil {
			t.Fatal(err)
		}
		return strings.Count(out.String(), "\n")
	}
	if all := list(0); all < 3 {
		t.Fatalf("%d URIs wait", all)
	}
	if n := list(3); n != 3 {
		t.Errorf("%d of the first 3", n)
	}
}

// Why nothing of an error page was followed is said, and of a redirect only where it leads.
func TestWhyOfOtherAnswers(t *testing.T) {
	const other, to = "No links are read in an answer that is not 2xx", "Of an answer 3xx the address that it names is taken"
	j := newJob(t, testweb.Tiny{"http://a.test/": testweb.National("/none", "/moved", "/to"), "http://a.test/moved": testweb.Redirect(302, "/to"), "http://a.test/to": testweb.NationalPage(1)},
		func(c *config.Config) { c.Analysis.Depth = 2 })
	j.run(job.Options{}, "http://a.test/")
	err := question.Look(t.Context(), folder.Of(j.cfg, folder.Env{}), func(b question.Questions) error {
		for url, want := range map[string]string{"http://a.test/none": other, "http://a.test/moved": to, "http://a.test/to": ""} {
			w, err := b.Why(t.Context(), url)
			if err != nil {
				return err
			}
			text := strings.Join(w.Sentences, "\n")
			if got := strings.Contains(text, other) || strings.Contains(text, to); got != (want != "") || !strings.Contains(text, want) {
				t.Errorf("%s: %s", url, text)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What a cap refused is not remembered: why must not claim that nobody links to it (issue 17).
func TestWhyOfWhatACapRefused(t *testing.T) {
	j := newJob(t, testweb.Tiny{"http://a.test/": testweb.National("/1", "/2")}, func(c *config.Config) { c.Limits.HostURIsMax = 2 })
	j.run(job.Options{}, "http://a.test/")
	err := question.Look(t.Context(), folder.Of(j.cfg, folder.Env{}), func(b question.Questions) error {
		w, err := b.Why(t.Context(), "http://a.test/2")
		if err != nil {
			return err
		}
		if text := strings.Join(w.Sentences, "\n"); w.Known || !strings.Contains(text, " were refused by a cap") {
			t.Errorf("%v %q", w.Known, text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if report := readReport(t, j, "job-report"); !strings.Contains(report, "\nlinks refused: 2\n") {
		t.Errorf("job-report does not count it:\n%s", report)
	}
}

// What gowarc objects to in a record is a note of those who read it, show and recover; the record counts
// all the same.
func TestReadersHaveASecondOpinion(t *testing.T) {
	cfg := testConfig(t, serve(t, testweb.Tiny{"http://a.test/": testweb.National()}), "http://a.test/")
	cfg.Crawl.ToeThreads, cfg.WARC.PoolSize = 1, 1
	runJob(t, cfg)
	before, err := jobtest.Show(t.Context(), cfg, "http://a.test/")
	must(t, err)
	files, err := filepath.Glob(filepath.Join(cfg.Dir, folder.WARCDir, "*.warc.gz"))
	if err != nil || len(files) != 1 {
		t.Fatalf("WARC files %v, %v", files, err)
	}
	v := &jobtest.Victim{TB: t, Config: cfg, WARC: files[0]}
	v.Rewrite(func(ms []jobtest.Member) []jobtest.Member {
		i := jobtest.Find(t, ms, "request", "http://a.test/")
		ms[i] = jobtest.Edited(t, ms[i], func(s string) string {
			return strings.Replace(s, "Content-Type: application/http; msgtype=request\r\n", "", 1)
		})
		return ms
	})
	s, err := jobtest.Show(t.Context(), cfg, "http://a.test/")
	must(t, err)
	if len(before.Notes) > 0 || len(s.Records) != len(before.Records) {
		t.Errorf("notes before %q, %d records, then %d", before.Notes, len(before.Records), len(s.Records))
	}
	if len(s.Notes) != 1 || !strings.Contains(s.Notes[0], ".warc.gz at ") || !strings.Contains(s.Notes[0], "gowarc: missing required field: Content-Type") {
		t.Errorf("notes %q", s.Notes)
	}
	loseState(t, cfg)
	made, err := rebuild.State(t.Context(), folder.Of(cfg, folder.Env{}), rebuild.Options{})
	must(t, err)
	if !slices.ContainsFunc(made.Notes, func(n string) bool { return strings.Contains(n, "gowarc: missing required field: Content-Type") }) {
		t.Errorf("notes of recover %q", made.Notes)
	}
}
