package job_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/config"
	"exclave/crawl"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/jobtest"
	"exclave/internal/job/rebuild"
	"exclave/internal/testweb"
)

// Pages that only sitemaps name are found where sitemaps are asked for: by robots.txt, an index, gzip, well-known places; and
// nothing is asked for where they are off.
func TestSitemaps(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte("http://a.test/three\nhttp://b.test/not/followed\n"))
	must(t, err)
	must(t, z.Close())
	const head = `<?xml version="1.0"?>`
	web := testweb.Tiny{
		"http://a.test/":           testweb.National("http://b.test/"),
		"http://a.test/robots.txt": testweb.Text("User-agent: *\nDisallow: /no\nSitemap: /index.xml\nSitemap: http://a.test/no/map.xml\n"),
		"http://a.test/index.xml": testweb.Text(head+`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>http://a.test/1.xml</loc></sitemap>`+
			`<sitemap><loc>http://a.test/2.txt.gz</loc></sitemap></sitemapindex>`).With("Content-Type", "application/xml"),
		"http://a.test/1.xml": testweb.Text(head+`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>http://a.test/one</loc><lastmod>2026-11-01</lastmod>`+
			`<priority>0.9</priority></url><url><loc>http://a.test/two</loc></url></urlset>`).With("Content-Type", "text/xml"),
		"http://a.test/2.txt.gz": testweb.Text(packed.String()).With("Content-Type", "application/x-gzip"),
		"http://a.test/one":      testweb.NationalPage(1), "http://a.test/two": testweb.Foreign(), "http://a.test/three": testweb.NationalPage(3),
		"http://b.test/": testweb.NationalPage(4), "http://b.test/sitemap.xml": testweb.Text("http://b.test/four\n"), "http://b.test/four": testweb.NationalPage(5),
		"http://b.test/not/followed": testweb.Foreign(),
	}
	maps := []string{"http://a.test/index.xml", "http://a.test/1.xml", "http://a.test/2.txt.gz"}
	pages := []string{"http://a.test/one", "http://a.test/two", "http://a.test/three"}
	all := []string{"http://b.test/sitemap.xml", "http://b.test/four"}
	for use, want := range map[string][][]string{"off": {}, "robots": {maps, pages}, "all": {maps, pages, all}} {
		j := newJob(t, web, func(c *config.Config) { c.Sitemaps.Use, c.Analysis.Depth = use, 1 })
		if use == "robots" { // a sheet asks for them
			j.cfg.Sitemaps.Use = "off"
			sheetFile(t, j.cfg, "[[sheet]]\nname = \"a\"\nhosts = [\"a.test\"]\n[sheet.sitemaps]\nuse = \"robots\"\n")
		}
		h := j.run(job.Options{}, "http://a.test/")
		asked := map[string]bool{}
		for _, urls := range want {
			for _, u := range urls {
				asked[u] = true
			}
		}
		for _, urls := range [][]string{maps, pages, all} {
			for _, u := range urls {
				if (h.hits[u] == 1) != asked[u] || h.hits[u] > 1 {
					t.Errorf("%s: %s was asked for %d times", use, u, h.hits[u])
				}
			}
		}
		if h.hits["http://a.test/no/map.xml"] > 0 {
			t.Error("robots.txt forbids one, and it was asked for")
		}
		if use == "off" {
			continue
		}
		if !h.outcomes["http://a.test/one"].Archived || h.outcomes["http://a.test/two"].Archived || h.outcomes["http://a.test/1.xml"].Archived {
			t.Errorf("%s: archived %v", use, h.archived())
		}
		if log := strings.Join(j.log(crawl.LogCrawl), "\n"); !strings.Contains(log, " http://a.test/one PMMM http://a.test/1.xml ") {
			t.Errorf("%s:\n%s", use, log)
		}
		s, err := jobtest.Show(t.Context(), j.cfg, "http://a.test/one")
		if must(t, err); len(s.Via) == 0 || !strings.Contains(s.Via[0].Context, "[lastmod=2026-11-01,priority=0.9]") {
			t.Errorf("%s: %+v", use, s.Via)
		}
	}
}

// What a sitemap says of its entries is in crawl.log, for no archive has the sitemap: after recover it is known of those that were
// fetched. The others are there only when the sitemap is read once more.
func TestRecoverKnowsSitemaps(t *testing.T) {
	t.Parallel()
	const entry = `<url><loc>http://a.test/%d</loc><lastmod>2026-11-0%[1]d</lastmod><priority>0.%[1]d</priority></url>`
	web := testweb.Tiny{
		"http://a.test/":           testweb.National(),
		"http://a.test/robots.txt": testweb.Text("User-agent: *\nSitemap: /index.xml\n"),
		"http://a.test/index.xml":  testweb.Text(`<?xml version="1.0"?><sitemapindex><sitemap><loc>http://a.test/map.xml</loc><lastmod>2026-11-09</lastmod></sitemap></sitemapindex>`).With("Content-Type", "text/xml"),
	}
	all := `<?xml version="1.0"?><urlset>`
	for i := 1; i <= 8; i++ {
		all += fmt.Sprintf(entry, i)
		url := fmt.Sprintf("http://a.test/%d", i)
		if web[url] = testweb.Foreign(); i%2 == 0 {
			web[url] = testweb.NationalPage(i)
		}
	}
	web["http://a.test/map.xml"] = testweb.Text(all+"</urlset>").With("Content-Type", "text/xml")
	j := newJob(t, web, func(c *config.Config) { c.Sitemaps.Use, c.Crawl.ToeThreads, c.Crawl.MaxURLs = "robots", 1, 8 })
	h := j.run(job.Options{}, "http://a.test/")
	fetched := 0
	for i := 1; i <= 8; i++ {
		fetched += h.hits[fmt.Sprintf("http://a.test/%d", i)]
	}
	if fetched < 2 || fetched > 6 {
		t.Fatalf("%d of 8 entries were fetched before the end", fetched)
	}
	loseState(t, j.cfg)
	if made := recoverJob(t, j.cfg, rebuild.Options{}); made.Over || made.Refetched < 2 {
		t.Errorf("sitemaps are not read once more: %+v", made)
	}
	said := func() (known int) {
		for i := 1; i <= 8; i++ {
			s, err := jobtest.Show(t.Context(), j.cfg, fmt.Sprintf("http://a.test/%d", i))
			must(t, err)
			if !s.Known {
				continue
			}
			known++
			if want := fmt.Sprintf("sitemap:loc[lastmod=2026-11-0%d,priority=0.%[1]d]", i); len(s.Via) == 0 || s.Via[0].Context != want {
				t.Errorf("%s: %+v, want %s", s.URL, s.Via, want)
			}
		}
		return known
	}
	if n := said(); n != fetched {
		t.Errorf("%d entries are known after recover, %d were fetched", n, fetched)
	}
	j.cfg.Crawl.MaxURLs = 0
	j.run(job.Options{})
	if n := said(); n != 8 {
		t.Errorf("%d of 8 entries are known in the end", n)
	}
	if log := strings.Join(j.log(crawl.LogCrawl), "\n"); !strings.Contains(log, "found:sitemap:index/loc[lastmod=2026-11-09]") || !strings.Contains(log, "found:robots.txt/sitemap") {
		t.Error(log)
	}
}

// links.log has every link, and is not there where it is not asked for.
func TestLinksLog(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{true, false} {
		j := newJob(t, testweb.Tiny{"http://a.test/": testweb.National("/1", `<a rel=nofollow href="http://out.test/#x">two	words</a><img src=i.png><iframe src=/f></iframe>`), "http://a.test/1": testweb.Redirect(302, "/2"), "http://a.test/2": testweb.Foreign()},
			func(c *config.Config) { c.Crawl.LinksLog = on })
		j.run(job.Options{}, "http://a.test/")
		text, err := os.ReadFile(filepath.Join(j.cfg.Dir, folder.LogDir, folder.LinksLog))
		if !on {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q, %v", text, err)
			}
			continue
		}
		must(t, err)
		for _, line := range []string{"http://a.test/\thttp://out.test/\thttp://out.test/\t0\tL\ta/@href\tnofollow\ttwo words\n", "http://a.test/\thttp://a.test/i.png\thttp://a.test/i.png\t3\tE\timg/@src\t-\t\n",
			"http://a.test/\thttp://a.test/f\thttp://a.test/f\t1\tE\tiframe/@src\t-\t\n", "http://a.test/1\thttp://a.test/2\thttp://a.test/2\t2\tR\tLocation:\t-\t\n"} {
			if !strings.Contains(string(text), line) {
				t.Errorf("no %q in\n%s", line, text)
			}
		}
	}
}
