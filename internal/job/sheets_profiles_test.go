package job_test

import (
	"maps"
	"strings"
	"testing"

	"exclave/chain/decide"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/testweb"
)

// What each profile found is asked for as its sheets say, one by address goes before them, and seeds are of no profile.
func TestSheetsOfProfiles(t *testing.T) {
	t.Parallel()
	j := newJob(t, testweb.Tiny{
		"http://c.test/":  testweb.National("http://a.test/1", "http://a.test/own", "http://out.test/c"),
		"http://s.test/":  slovak(`<a href="http://a.test/2">x</a>` + `<a href="http://out.test/s">x</a>`),
		"http://f.test/":  testweb.Foreign("http://a.test/3"),
		"http://a.test/1": testweb.ForeignPage(1, "http://a.test/beyond"), "http://a.test/2": testweb.ForeignPage(2), "http://a.test/3": testweb.ForeignPage(3), "http://a.test/own": testweb.ForeignPage(4),
		"http://a.test/beyond": testweb.ForeignPage(5), "http://out.test/c": testweb.ForeignPage(6), "http://out.test/s": testweb.ForeignPage(7),
	}, func(c *config.Config) {
		c.Analysis.Profiles, c.Analysis.Depth = []string{"cz", "sk"}, 1
		c.Scope = append(c.Scope, decide.RuleConfig{Rule: "hosts", List: []string{"out.test"}})
	})
	sheetFile(t, j.cfg, `
[[sheet]]
name = "owner"
surts = ["http://a.test/own"]
http.accept_language = "en"
[[sheet]]
name = "czech"
profiles = ["cz"]
http.accept_language = "cs"
http.headers = {X-Found = "cz"}
[[sheet]]
name = "slovak"
profiles = ["sk"]
scope = "accept"
robots.policy = "ignore"
[sheet.http]
accept_language = "sk"
max_size = 100
`)
	h := j.run(job.Options{}, "http://c.test/", "http://s.test/", "http://f.test/")
	asked := map[string]string{}
	for _, r := range h.records {
		if r.kind == "request" && !strings.HasSuffix(r.uri, "/robots.txt") {
			_, rest, _ := strings.Cut(string(r.block), "\r\nAccept-Language: ")
			language, _, _ := strings.Cut(rest, "\r\n")
			if strings.Contains(string(r.block), "\r\nX-Found: cz\r\n") {
				language += " found by cz"
			}
			asked[r.uri] = language
		}
	}
	const asJob = "cs,sk;q=0.8,*;q=0.1"
	if want := map[string]string{"http://c.test/": asJob, "http://s.test/": asJob, "http://a.test/1": "cs found by cz", "http://a.test/own": "en found by cz",
		"http://a.test/2": "sk", "http://out.test/s": "sk"}; !maps.Equal(asked, want) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
	for uri, truncated := range map[string]string{"http://s.test/": "", "http://a.test/1": "", "http://a.test/2": "length", "http://out.test/s": "length"} {
		if r := h.of("response", uri); len(r) != 1 || r[0].header.Get("WARC-Truncated") != truncated {
			t.Errorf("%s: %d records, want one that is cut by %q", uri, len(r), truncated)
		}
	}
	if log := strings.Join(j.log(crawl.LogScope), "\n"); !strings.Contains(log, `"url":"http://out.test/c"`) || strings.Contains(log, `"url":"http://out.test/s"`) {
		t.Errorf("left out:\n%s", log)
	}
	for i, a := range askRobots(t, j.cfg, "", "http://a.test/2", "http://a.test/1") {
		if want := [...]string{"ignore", ""}[i]; a.Policy != want {
			t.Errorf("robots.txt of %s: by a sheet %q, want %q", a.URL, a.Policy, want)
		}
	}
	for _, c := range []struct {
		url      string
		profiles []string
		want     string
	}{
		{"http://a.test/1", nil, "cz: http.accept_language cs czech, http.headers.X-Found cz czech"},
		{"http://a.test/own", nil, "cz: http.accept_language en owner, http.headers.X-Found cz czech"},
		{"http://a.test/2", nil, "sk: http.accept_language sk slovak, http.max_size 100 slovak, robots.policy ignore slovak, scope accept slovak"},
		{"http://a.test/3", nil, ": "},      // a page led to it that is not valid
		{"http://a.test/beyond", nil, ": "}, // from where the depth ends
		{"http://c.test/", nil, ": "},       // a seed
		{"http://a.test/unknown", nil, ": "},
		{"http://a.test/unknown", []string{"cz"}, "cz: http.accept_language cs czech, http.headers.X-Found cz czech"},
		{"http://a.test/1", []string{"sk", "cz"}, "cz sk: http.accept_language sk slovak, http.headers.X-Found cz czech, http.max_size 100 slovak, robots.policy ignore slovak, scope accept slovak"},
	} {
		said := func(a question.SheetAnswer, err error) {
			t.Helper()
			must(t, err)
			var applied []string
			for _, s := range a.Applied {
				applied = append(applied, s.Key+" "+s.Value+" "+s.Sheet)
			}
			if got := strings.Join(a.Profiles, " ") + ": " + strings.Join(applied, ", "); got != c.want || a.Sheets != 3 || a.ByProfile != 2 {
				t.Errorf("%s as of %v: %s, want %s", c.url, c.profiles, got, c.want)
			}
		}
		said(question.SheetOf(t.Context(), folder.Of(j.cfg, folder.Env{}), c.url, c.profiles))
		j.with(job.Options{}, func(b *job.Job) { said(b.Sheet(t.Context(), c.url, c.profiles)) })
	}
}

// What a profile found can be kept from being asked for: neither the page nor, for its sake, robots.txt.
func TestBlockedByProfile(t *testing.T) {
	t.Parallel()
	j := newJob(t, testweb.Tiny{"http://c.test/": testweb.National("http://a.test/1"), "http://f.test/": testweb.Foreign("http://b.test/2"),
		"http://a.test/1": testweb.ForeignPage(1), "http://b.test/2": testweb.ForeignPage(2)}, func(c *config.Config) { c.Analysis.Depth = 1 })
	sheetFile(t, j.cfg, "[[sheet]]\nname = \"seeds only\"\nreason = \"seeds\"\nprofiles = [\"cz\"]\nblocked = true\n")
	h := j.run(job.Options{}, "http://c.test/", "http://f.test/")
	want := map[string]int{"http://c.test/robots.txt": 1, "http://c.test/": 1, "http://f.test/robots.txt": 1, "http://f.test/": 1, "http://b.test/robots.txt": 1, "http://b.test/2": 1}
	if !maps.Equal(h.hits, want) {
		t.Errorf("asked for %v", h.hits)
	}
	if log := strings.Join(j.log(crawl.LogCrawl), "\n"); strings.Count(log, "blocked:seeds") != 1 {
		t.Errorf("crawl.log:\n%s", log)
	}
}

// A profile that the job does not have stops it, and a reload, with the line: a sheet that applies to nothing may be one that blocks.
func TestSheetOfUnknownProfile(t *testing.T) {
	t.Parallel()
	j := finishedJob(t, nil)
	const want = `a.toml:3:13: sheet[0].profiles[0]: "cs" is no profile of this job, whose [analysis] profiles are "cz"`
	j.with(job.Options{}, func(b *job.Job) {
		sheetFile(t, j.cfg, "[[sheet]]\nname = \"a\"\nprofiles = [\"cz\"]\nmax_hops = 3\n")
		if n, err := b.Reload(t.Context()); n != 1 || err != nil {
			t.Errorf("%d sheets, %v", n, err)
		}
		sheetFile(t, j.cfg, "[[sheet]]\nname = \"a\"\nprofiles = [\"cs\"]\nmax_hops = 3\n")
		if _, err := b.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
		if a, err := b.Sheet(t.Context(), "http://a.test/", []string{"cz"}); err != nil || len(a.Applied) != 1 {
			t.Errorf("%+v, %v", a, err)
		}
	})
	if _, err := job.Open(t.Context(), j.cfg, job.Options{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}
