package job_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"exclave/chain"
	"exclave/chain/standard"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/robots"
	"exclave/internal/testweb"
)

// robotsWeb has hosts whose robots.txt ends up in different places: in the archive, with a page (a.test), behind
// a redirect (b.test), in the state, since nothing was archived (c.test), nowhere (d.test), and one that fails.
func robotsWeb() testweb.Tiny {
	return testweb.Tiny{
		"http://a.test/":           testweb.National("/private/x", "http://b.test/", "http://c.test/", "http://d.test/", "http://e.test/"),
		"http://a.test/robots.txt": testweb.Text("# ours\nUser-agent: *\nDisallow: /private\nCrawl-delay: 0\nSitemap: http://a.test/map.xml\n"),
		"http://b.test/":           testweb.NationalPage(2),
		"http://b.test/robots.txt": testweb.Redirect(301, "/r.txt"),
		"http://b.test/r.txt":      testweb.Text("User-agent: *\nDisallow: /b\nAllow: /b\n").Encoded("gzip"),
		"http://c.test/":           testweb.Foreign(),
		"http://c.test/robots.txt": testweb.Text("User-agent: exclave\nDisallow: /c\n"),
		"http://d.test/":           testweb.NationalPage(3),
		"http://e.test/robots.txt": testweb.Text("busy").WithStatus(503),
	}
}

func askRobots(t *testing.T, cfg *config.Config, token string, urls ...string) []question.RobotsURL {
	t.Helper()
	var a *question.RobotsAnswer
	must(t, question.Look(t.Context(), folder.Of(cfg, folder.Env{}), func(j question.Questions) (err error) {
		a, err = j.Robots(t.Context(), urls, token)
		return err
	}))
	if len(a.URLs) != len(urls) {
		t.Fatalf("%d answers to %d questions", len(a.URLs), len(urls))
	}
	return a.URLs
}

// A robots.txt that cannot be had forbids everything, and says since when and until when; after 30 days everything is allowed, and the
// reason says so, too.
func TestRobotsUnreachable(t *testing.T) {
	t.Parallel()
	j := newJob(t, robotsWeb(), nil)
	says := func() string {
		u := askRobots(t, j.cfg, "", "http://e.test/x")[0]
		return fmt.Sprintf("%t, RFC 9309 %s: %s; library %t, %d notes", u.Allowed, u.Because.Number, u.Because.Says, u.Library.Same, len(u.Notes))
	}
	day := func(n int) string { return time.Now().UTC().AddDate(0, 0, n).Format(time.DateOnly) }
	since, until := day(0), day(30)
	j.run(job.Options{}, "http://e.test/")
	if got, want := says(), "false, RFC 9309 2.3.1.4: robots.txt cannot be reached: nothing is allowed until it can; that is so since "+since+", and asked for again after "+until+
		" it counts as absent (robots.unreachable_for); library true, 0 notes"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	j.run(job.Options{Clock: later{clock.System(), 31 * 24 * time.Hour}}, "http://e.test/", "http://e.test/2")
	if got, want := says(), "true, RFC 9309 2.3.1.4: robots.txt cannot be reached since "+since+", for longer than robots.unreachable_for: it counts as absent, so all is allowed; library false, 0 notes"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// What robots.txt decides, by which line, and where its text is from: the archive, the state, or nowhere.
func TestRobots(t *testing.T) {
	t.Parallel()
	j := newJob(t, robotsWeb(), func(c *config.Config) { c.Analysis.Depth = 0 })
	j.run(job.Options{}, "http://a.test/")
	urls := []string{"http://a.test/private/x#part", "http://a.test/", "http://b.test/b", "http://c.test/c", "http://d.test/x", "http://e.test/x", "http://f.test/"}
	a := askRobots(t, j.cfg, "", urls...)
	for i, want := range []struct {
		known, allowed bool
		rule           string
		because        string
		from           string // part
		library        string
	}{
		{true, false, "3 Disallow: /private", "", ".warc.gz at ", "same"},
		{true, true, "", "2.2.2", ".warc.gz at ", "same"},
		{true, true, "3 Allow: /b", "", ".warc.gz at ", "2.2.2"},
		{true, false, "2 Disallow: /c", "", "the state", "same"},
		{true, true, "", "2.3.1.3", "", "same"},
		{true, false, "", "2.3.1.4", "", "same"},
		{false, false, "", "", "", ""},
	} {
		u := a[i]
		if u.URL != urls[i] || u.Known != want.known || len(u.Notes) > 0 || !strings.Contains(u.From, want.from) || (u.From == "") != (want.from == "") {
			t.Errorf("%s: %+v", urls[i], u)
		}
		if !want.known {
			continue
		}
		rule, because, library := "", "", "same"
		if u.Rule != nil {
			rule = lineWords(u.Rule)
		}
		if u.Because != nil {
			because = u.Because.Number
		}
		if !u.Library.Same {
			library = u.Library.Because.Number
		}
		if u.Allowed != want.allowed || rule != want.rule || because != want.because || library != want.library || u.Read == nil || !u.Expires.After(*u.Read) || u.Status == "" {
			t.Errorf("%s: allowed %v by %q, because of %q, library %q: %+v", urls[i], u.Allowed, rule, because, library, u)
		}
	}
	if u := a[0]; u.CrawlDelay == nil || u.DelayLine.Number != 4 || len(u.Sitemaps) != 1 || u.File != "http://a.test/robots.txt" || !strings.Contains(u.Status, "200") {
		t.Errorf("%+v", u)
	}
	// For another crawler the text alone counts.
	if u := askRobots(t, j.cfg, "other", "http://c.test/c")[0]; !u.Known || !u.Allowed || u.Because.Number != "2.2.1" {
		t.Errorf("another token: %+v", u)
	}
	err := question.Look(t.Context(), folder.Of(j.cfg, folder.Env{}), func(j question.Questions) error {
		_, err := j.Robots(t.Context(), []string{"ftp://a.test/"}, "")
		return err
	})
	if !errors.Is(err, question.ErrURL) {
		t.Errorf("no URL: %v", err)
	}
	// Without the archive the rules in the state still decide.
	files, err := filepath.Glob(filepath.Join(j.cfg.Dir, folder.WARCDir, "*.warc.gz"))
	must(t, err)
	for _, name := range files {
		must(t, os.Remove(name))
	}
	u := askRobots(t, j.cfg, "", "http://a.test/private/x")[0]
	if !u.Known || u.Allowed || u.From != "" || u.Rule == nil || lineWords(u.Rule) != "0 disallow: /private" || u.Library != nil || u.CrawlDelay == nil || len(u.Notes) == 0 {
		t.Errorf("without the archive: %+v", u)
	}
	if u := askRobots(t, j.cfg, "other", "http://a.test/private/x")[0]; u.Known {
		t.Errorf("without the archive, another token: %+v", u)
	}
}

func lineWords(l *robots.Line) string { return strings.TrimSpace(fmt.Sprint(l.Number, " ", l.Text)) }

// A name that the crawler has now but had not when it read the file: what it obeys is what it read.
func TestRobotsOfAnEarlierToken(t *testing.T) {
	t.Parallel()
	j := newJob(t, robotsWeb(), nil)
	j.run(job.Options{}, "http://c.test/")
	j.cfg.HTTP.RobotsToken = "other"
	u := askRobots(t, j.cfg, "", "http://c.test/c")[0]
	if u.Allowed || len(u.Notes) != 1 || !strings.Contains(u.Notes[0], `"disallow: /c"`) {
		t.Errorf("%+v", u)
	}
}

// Pages that want no copy kept are left out by setting only, in the header field or in the page, for all or for us.
func TestNoarchive(t *testing.T) {
	t.Parallel()
	marked := testweb.NationalPage(2)
	marked.Body = strings.Replace(marked.Body, "<head>", `<head><meta name=exclave content="NOARCHIVE">`, 1)
	web := testweb.Tiny{
		"http://a.test/":      testweb.National("/tag", "/meta", "/other", "/index"),
		"http://a.test/tag":   testweb.NationalPage(1, "/behind").With("X-Robots-Tag", "exclave: noarchive"),
		"http://a.test/meta":  marked,
		"http://a.test/other": testweb.NationalPage(3).With("X-Robots-Tag", "otherbot: noarchive"),
		"http://a.test/index": testweb.NationalPage(4).With("X-Robots-Tag", "noindex"), "http://a.test/behind": testweb.NationalPage(5),
	}
	const all = "http://a.test/ http://a.test/behind http://a.test/index http://a.test/meta http://a.test/other http://a.test/tag"
	for options, want := range map[string]string{
		"": all, "obey_noarchive": "http://a.test/ http://a.test/index http://a.test/other", "obey_noindex": strings.Replace(all, "http://a.test/index ", "", 1),
	} {
		j := newJob(t, web, func(c *config.Config) {
			c.Analysis.Depth = 3
			steps := standard.Default()[chain.Extract]
			for i := range steps {
				if options != "" && steps[i].Kind == "directives" {
					steps[i].Options = map[string]any{options: true}
				}
			}
			c.Chain = map[chain.Name][]standard.StepConfig{chain.Extract: steps}
		})
		h := j.run(job.Options{}, "http://a.test/")
		if got := strings.Join(h.archived(), " "); got != want {
			t.Errorf("%q: archived\n%s, want\n%s", options, got, want)
		}
		if log := strings.Join(j.log(crawl.LogCrawl), "\n"); options == "obey_noarchive" && strings.Count(log, " -5002 ") != 2 {
			t.Errorf("crawl.log:\n%s", log)
		}
	}
}

// An endless web of one shape ends at the limit, a series of national pages of one shape does not, and a sheet lets one go on.
func TestShapeLimit(t *testing.T) {
	t.Parallel()
	web := testweb.Tiny{"http://a.test/": testweb.National("/trap/1", "/news/1"), "http://b.test/": testweb.National("/trap/1")}
	for i := 1; i < 18; i++ {
		next := "/trap/" + strconv.Itoa(i+1)
		web["http://a.test/trap/"+strconv.Itoa(i)] = testweb.ForeignPage(7, next)
		web["http://b.test/trap/"+strconv.Itoa(i)] = testweb.ForeignPage(7, next)
		web["http://a.test/news/"+strconv.Itoa(i)] = testweb.NationalPage(i, "/news/"+strconv.Itoa(i+1))
	}
	j := newJob(t, web, func(c *config.Config) {
		c.Crawl.ToeThreads = 1
		steps := standard.Default()[chain.Post]
		for i := range steps {
			if steps[i].Kind == standard.KindLinksScoper {
				steps[i].Options = map[string]any{"shape_limit": int64(10)}
			}
		}
		c.Chain = map[chain.Name][]standard.StepConfig{chain.Post: steps}
	})
	sheetFile(t, j.cfg, "[[sheet]]\nname = \"on\"\nsurts = [\"http://(test,b,)/trap/\"]\nscope = \"accept\"\n")
	h := j.run(job.Options{}, "http://a.test/", "http://b.test/")
	count := map[string]int{}
	for url := range h.hits {
		count[url[:strings.LastIndexByte(url, '/')+1]]++
	}
	if count["http://a.test/trap/"] != 10 || count["http://a.test/news/"] != 18 || count["http://b.test/trap/"] != 18 {
		t.Errorf("asked for %v", count)
	}
	if log := strings.Join(j.log(crawl.LogScope), "\n"); !strings.Contains(log, `"url":"http://a.test/trap/11"`) || !strings.Contains(log, `"rule":"shape"`) {
		t.Errorf("left out:\n%s", log)
	}
}
