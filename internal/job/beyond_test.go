package job_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/chain/decide"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/collection"
	"exclave/internal/job"
	"exclave/internal/job/rebuild"
	"exclave/internal/job/seeds"
	"exclave/internal/seedlog"
	"exclave/internal/testweb"
)

// withProfile gives a job a profile of its own with these searchers; a page needs 10 points.
func withProfile(t *testing.T, c *config.Config, searchers string) {
	t.Helper()
	c.Analysis.Dir = c.Dir
	c.Analysis.Profiles = []string{"./own.toml"}
	must(t, os.WriteFile(filepath.Join(c.Dir, "own.toml"), []byte("[profile]\nname = \"own\"\nmin_points = 10\ndepth = 1\n"+searchers), 0o600))
}

// verdictOn returns the line of analysis.jsonl about a page.
func verdictOn(t *testing.T, j *testJob, url string) string {
	t.Helper()
	for _, line := range j.log(crawl.LogAnalysis) {
		if strings.Contains(line, `"url":"`+url+`"`) {
			return line
		}
	}
	t.Fatalf("%s was not judged", url)
	return ""
}

// A gallery on a host whose other pages are national inherits, and says so; one on another host
// does not (issue 19). The counts survive a recovery.
func TestInherits(t *testing.T) {
	web := testweb.Tiny{}
	const pages = 6
	for i := range pages {
		next := fmt.Sprintf("/%d", i+1)
		if i == pages-1 {
			next = "/gallery"
		}
		web[fmt.Sprintf("http://a.test/%d", i)] = testweb.NationalPage(i, next)
		web[fmt.Sprintf("http://b.test/%d", i)] = testweb.ForeignPage(i, next)
	}
	for _, host := range []string{"a", "b"} {
		web["http://"+host+".test/gallery"] = testweb.HTML("<p>2026</p><img src=/1.png>")
	}
	j := newJob(t, web, func(c *config.Config) {
		c.Scope = []decide.RuleConfig{{Rule: "accept"}}
		withProfile(t, c, "[[searcher]]\nkind = \"dictionary\"\nlist = \"cs\"\npoints = 10\ncap = 10\n"+
			"[[searcher]]\nkind = \"host\"\npoints = 10\ndistinct = true\nmin_share = 0.9\n")
	})
	h := j.run(job.Options{}, "http://a.test/0", "http://b.test/0")
	for url, valid := range map[string]bool{"http://a.test/5": true, "http://a.test/gallery": true, "http://b.test/5": false, "http://b.test/gallery": false} {
		if o := h.outcomes[url]; !o.Judged || o.Valid() != valid {
			t.Errorf("%s: %+v, want valid: %v", url, o, valid)
		}
	}
	if got, want := verdictOn(t, j, "http://a.test/gallery"), `"searcher":"host","found":6,"valid":6,"distinct":1,"evidence":[{"value":"6 of 6 pages of the host","where":"host","count":1}]`; !strings.Contains(got, want) {
		t.Errorf("%s\nhas no %s", got, want)
	}
	if got, want := verdictOn(t, j, "http://b.test/gallery"), `"searcher":"host","found":6,"valid":0,"distinct":0,`; !strings.Contains(got, want) {
		t.Errorf("%s\nhas no %s", got, want)
	}
	loseState(t, j.cfg)
	recoverJob(t, j.cfg, rebuild.Options{})
}

// What the nation's harvest links to and leaves out is known to come from there in the next
// harvest, whether its log was divided into jobs or imported (issue 19: in_links).
func TestInLinksOfAnotherHarvest(t *testing.T) {
	const found, other = "http://a.test/", "http://b.test/"
	web := testweb.Tiny{"http://www.domaci.cz/odkazy": testweb.National(found), found: testweb.ForeignPage(1, other), other: testweb.ForeignPage(2)}
	first := newJob(t, web, func(c *config.Config) {
		c.Scope = []decide.RuleConfig{{Rule: "accept"}, {Rule: "hosts", List: []string{"a.test"}}}
	})
	first.run(job.Options{}, "http://www.domaci.cz/odkazy")
	log := strings.Join(first.log(crawl.LogScope), "\n") + "\n"

	made := filepath.Join(t.TempDir(), "made")
	_, _, err := collection.Make(t.Context(), made, collection.Options{TLDs: []string{"cz"}}, collection.Plan{By: collection.ByHost, Parts: 1},
		func(g *collection.Gatherer) error {
			_, err := g.Read(t.Context(), strings.NewReader(log), seedlog.Options{})
			return err
		}, func(name, seeds string) []byte { return nil })
	must(t, err)
	divided, err := os.ReadFile(filepath.Join(made, "0001", "seeds.jsonl"))
	must(t, err)

	for how, seedsText := range map[string][]byte{"imported": []byte(log), "divided": divided} {
		j := newJob(t, web, func(c *config.Config) {
			c.Scope = []decide.RuleConfig{{Rule: "accept"}}
			withProfile(t, c, "[[searcher]]\nkind = \"in_links\"\ndomains = [\"cz\"]\npoints = 10\n")
		})
		must(t, os.WriteFile(filepath.Join(j.cfg.Dir, "seeds.txt"), nil, 0o600))
		j.with(job.Options{}, func(b *job.Job) {
			_, err := b.ImportSeeds(t.Context(), bytes.NewReader(seedsText), "log", seeds.ImportOptions{})
			must(t, err)
		})
		h := j.run(job.Options{})
		if !h.outcomes[found].Valid() || h.outcomes[other].Valid() {
			t.Errorf("%s: %+v %+v", how, h.outcomes[found], h.outcomes[other])
		}
		if got, want := verdictOn(t, j, found), `"evidence":[{"value":"http://www.domaci.cz/odkazy","where":"via","count":1}]`; !strings.Contains(got, want) {
			t.Errorf("%s: %s\nhas no %s", how, got, want)
		}
		if got, want := verdictOn(t, j, other), `"searcher":"in_links","found":1,"valid":0,`; !strings.Contains(got, want) {
			t.Errorf("%s: %s\nhas no %s", how, got, want)
		}
	}
}
