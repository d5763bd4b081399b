package job_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/chain/decide"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/jobtest"
	"exclave/internal/job/question"
	"exclave/internal/job/rebuild"
	"exclave/internal/job/seeds"
	"exclave/internal/testweb"
)

// The page on which a log found a seed goes with the seed (issue 17): into the state, where the first one stays, the
// lists of what waits, analysis.jsonl, the archive and what is shown, also after a recovery; but not into crawl.log,
// where a seed has none. No password of it is anywhere.
func TestSeedVia(t *testing.T) {
	const page, foreign, dead = "http://a.test/", "http://b.test/x", "http://c.test/gone"
	via := map[string]string{page: "http://domaci.cz/odkazy?a=1&b", foreign: "http://domaci.cz/jinde", dead: "http://domaci.cz/konec"}
	j := newJob(t, testweb.Tiny{page: testweb.NationalPage(1), foreign: testweb.ForeignPage(2)}, func(c *config.Config) {
		c.Scope = []decide.RuleConfig{{Rule: "accept"}}
	})
	log := `2019-05-02T10:11:12.123Z 0 RejectDecideRule REJECT http://a.test/ {"hopPath":"LL","via":"http://name:geheim@domaci.cz/odkazy?a=1&b#x","seed":"http://domaci.cz/"}
2019-05-02T10:11:12.124Z 0 RejectDecideRule REJECT http://a.test/ {"hopPath":"LLL","via":"http://domaci.cz/pozdeji"}
2019-05-02T10:11:12.125Z 0 RejectDecideRule REJECT http://b.test/x {"hopPath":"L","via":"http://domaci.cz/jinde"}
2019-05-02T10:11:12.126Z 0 RejectDecideRule REJECT http://c.test/gone {"hopPath":"L","via":"http://domaci.cz/konec"}
2019-05-02T10:11:12.127Z 0 RejectDecideRule REJECT http://c.test/gone2 {"hopPath":"L","via":"no address"}
`
	must(t, os.WriteFile(filepath.Join(j.cfg.Dir, "seeds.txt"), nil, 0o600))
	j.with(job.Options{}, func(b *job.Job) {
		// A seed that was known without its via gets it.
		for _, text := range []string{dead + "\n", log, log} {
			if _, err := b.ImportSeeds(t.Context(), strings.NewReader(text), "log", seeds.ImportOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		var list bytes.Buffer
		must(t, b.WritePending(t.Context(), question.Filter{}, 0, &list))
		for url, via := range via {
			if want := `{"url":"` + url + `","via":"` + via + `","hops":"",`; !strings.Contains(list.String(), want) {
				t.Errorf("waiting: no %s in\n%s", want, list.String())
			}
		}
	})
	h := j.run(job.Options{})
	for _, line := range j.log(crawl.LogAnalysis) {
		for url, via := range via {
			if strings.Contains(line, `"url":"`+url+`"`) && !strings.Contains(line, `"via":"`+via+`","seed":true,`) {
				t.Errorf("no via, or no seed: %s", line)
			}
		}
	}
	for _, line := range j.log(crawl.LogCrawl) {
		if f := strings.Fields(line); via[f[3]] != "" && (f[4] != "-" || f[5] != "-") {
			t.Errorf("a seed has neither hops nor via in crawl.log: %s", line)
		}
	}
	if of := h.of("metadata", page); len(of) == 0 || !strings.HasPrefix(string(of[0].block), "seed: \r\nvia: "+via[page]+"\r\n") {
		t.Errorf("the archive: %+v", of)
	}
	shown := func(when string, url string, want string) {
		t.Helper()
		s, err := jobtest.Show(t.Context(), j.cfg, url)
		must(t, err)
		if !s.Seed || s.Hops != "" || (len(s.Via) == 1) != (want != "") || want != "" && (s.Via[0].URL != want || s.ViaEnd == "") {
			t.Errorf("%s: %s: seed %t, hops %q, via %+v %q, want %s", when, url, s.Seed, s.Hops, s.Via, s.ViaEnd, want)
		}
	}
	for url, via := range via {
		shown("crawled", url, via)
	}
	shown("crawled", "http://c.test/gone2", "")
	j.with(job.Options{}, func(b *job.Job) {
		why, err := b.Why(t.Context(), page)
		must(t, err)
		if text := strings.Join(why.Sentences, "\n"); !strings.Contains(text, "It is a seed, which a log says was found on "+via[page]) {
			t.Error(text)
		}
	})
	must(t, filepath.WalkDir(j.cfg.Dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if bytes.Contains(text, []byte("geheim")) {
			t.Errorf("%s has the password", name)
		}
		return err
	}))

	loseState(t, j.cfg)
	recoverJob(t, j.cfg, rebuild.Options{})
	shown("recovered from the archive", page, via[page])
	shown("recovered from analysis.jsonl", foreign, via[foreign])
	shown("recovered from crawl.log alone", dead, "")
	j.with(job.Options{}, func(b *job.Job) {
		if _, err := b.ImportSeeds(t.Context(), strings.NewReader(log), "log", seeds.ImportOptions{}); err != nil {
			t.Fatal(err)
		}
	})
	shown("imported again", page, via[page])
	shown("imported again", dead, via[dead])

	// Without crawl.log what archive and analysis.jsonl hold is told by their own.
	loseState(t, j.cfg)
	must(t, os.Remove(filepath.Join(j.cfg.Dir, folder.LogDir, crawl.LogCrawl.Name())))
	recoverJob(t, j.cfg, rebuild.Options{})
	shown("recovered without crawl.log", page, via[page])
	shown("recovered without crawl.log", foreign, via[foreign])
}
