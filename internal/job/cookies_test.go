package job_test

import (
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/testweb"
)

// shop is a web with hosts that want cookies: a.test redirects to itself until its own comes back, b.test lets in who has
// one from elsewhere, c.test is asked without any, d.test leads over a page that asks for consent.
type shop struct {
	testweb.Tiny
	sent map[string][]string // values of Cookie, by host
}

// Host implements [testweb.Web].
func (s shop) Host(name string) http.Handler {
	h := s.Tiny.Host(name)
	if h == nil {
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			s.sent[name] = append(s.sent[name], r.Header.Get("Cookie"))
			switch {
			case name == "d.test" && r.URL.Path == "/consent":
				http.SetCookie(w, &http.Cookie{Name: "seen", Value: "yes", Path: "/"})
				http.Redirect(w, r, "http://d.test"+r.FormValue("to"), http.StatusFound)
				return
			case name == "d.test" && !strings.Contains(r.Header.Get("Cookie"), "seen=yes"):
				http.Redirect(w, r, "/consent?to="+r.URL.Path, http.StatusFound)
				return
			case name != "b.test" && !strings.Contains(r.Header.Get("Cookie"), "seen=yes"):
				http.SetCookie(w, &http.Cookie{Name: "seen", Value: "yes", Path: "/"})
				http.Redirect(w, r, "http://"+name+r.URL.Path, http.StatusFound)
				return
			case name == "b.test" && r.Header.Get("Cookie") != "member=s3cr3t-c00kie":
				http.Error(w, "no", http.StatusForbidden)
				return
			}
		}
		h.ServeHTTP(w, r)
	})
}

func TestCookies(t *testing.T) {
	t.Parallel()
	web := shop{testweb.Tiny{"http://a.test/": testweb.National("http://b.test/", "/next", "http://c.test/"), "http://a.test/next": testweb.NationalPage(1),
		"http://b.test/": testweb.NationalPage(2), "http://c.test/": testweb.NationalPage(3), "http://a.test/later": testweb.NationalPage(4), "http://d.test/": testweb.National("/on"), "http://d.test/on": testweb.NationalPage(5)}, map[string][]string{}}
	j := newJob(t, web, func(c *config.Config) {
		c.Analysis.Depth, c.HTTP.CookiesFile, c.Crawl.ToeThreads = 1, "cookies.txt", 1
	})
	file := filepath.Join(j.cfg.Dir, "cookies.txt")
	must(t, os.WriteFile(file, []byte("b.test\tFALSE\t/\tFALSE\t0\tmember\ts3cr3t-c00kie\n"), 0o644))
	j.seeds("http://a.test/", "http://d.test/")
	if _, err := job.Open(t.Context(), j.cfg, job.Options{}); err == nil || !strings.Contains(err.Error(), "chmod 600") || strings.Contains(err.Error(), "s3cr3t") {
		t.Fatalf("a file that others may read: %v", err)
	}
	must(t, os.Chmod(file, 0o600))
	sheetFile(t, j.cfg, "[[sheet]]\nname = \"none\"\nhosts = [\"c.test\"]\n[sheet.http]\ncookies = false\n")
	h := j.run(job.Options{})
	for _, page := range []string{"http://a.test/", "http://a.test/next", "http://b.test/", "http://d.test/", "http://d.test/on"} {
		if o := h.outcomes[page]; o.Status != 200 || !o.Archived {
			t.Errorf("%s: %+v", page, o)
		}
	}
	if h.hits["http://a.test/"] != 2 || h.hits["http://a.test/next"] != 1 {
		t.Errorf("a redirect to itself: %d requests, then %d for another page", h.hits["http://a.test/"], h.hits["http://a.test/next"])
	}
	if strings.Join(web.sent["c.test"], "") != "" || h.hits["http://c.test/"] != 1 {
		t.Errorf("c.test was sent %q", web.sent["c.test"])
	}
	h = j.run(job.Options{}, "http://a.test/later")
	if h.hits["http://a.test/later"] != 1 || h.outcomes["http://a.test/later"].Status != 200 {
		t.Errorf("the jar did not last: %d requests", h.hits["http://a.test/later"])
	}
	for _, r := range h.records {
		if bytes.Contains(r.block, []byte("s3cr3t")) {
			t.Errorf("%s of %s has the cookie", r.kind, r.uri)
		}
		if r.kind == "request" && bytes.Contains(r.block, []byte("Cookie: seen")) {
			t.Errorf("request of %s has a cookie in clear", r.uri)
		}
	}
	must(t, filepath.WalkDir(j.cfg.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == file || name == filepath.Join(j.cfg.Dir, folder.StateDir, folder.CookieFile) {
			return err
		}
		text, err := os.ReadFile(name)
		if bytes.Contains(text, []byte("s3cr3t")) {
			t.Errorf("%s has the cookie", name)
		}
		return err
	}))
}
