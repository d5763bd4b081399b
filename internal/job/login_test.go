package job_test

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"exclave/chain/fetch"
	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/testweb"
)

// closed has a site behind Basic authentication, and one behind a form.
type closed struct{ testweb.Tiny }

// Host implements [testweb.Web].
func (c closed) Host(name string) http.Handler {
	h := c.Tiny.Host(name)
	switch {
	case name == "basic.test" && h != nil:
		return testweb.Protected(h, "/in", "archive", "reader", "pass-of-basic")
	case name == "form.test" && h != nil:
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			member, err := r.Cookie("member")
			switch {
			case r.URL.Path == "/robots.txt", err == nil && member.Value == "yes":
				h.ServeHTTP(w, r)
			case r.URL.Path == "/login" && r.PostFormValue("pass") == "pass-of-form":
				http.SetCookie(w, &http.Cookie{Name: "member", Value: "yes", Path: "/"})
			case r.URL.Path == "/login":
				_, _ = w.Write([]byte("<form><input name=name><input name=pass type=password></form>")) // the crawler is gone
			default:
				http.Redirect(w, r, "/login", http.StatusFound)
			}
		})
	}
	return h
}

// Pages behind a password and behind a form are archived, and no password is in any file of the job, nor in what the
// archive unpacks to.
func TestLogin(t *testing.T) {
	web := closed{testweb.Tiny{"http://basic.test/": testweb.National("/in", "http://form.test/"), "http://basic.test/in": testweb.NationalPage(1),
		"http://form.test/": testweb.NationalPage(2, "/more"), "http://form.test/more": testweb.NationalPage(3)}}
	t.Setenv("JOB_TEST_PASSWORD", "pass-of-form")
	j := newJob(t, web, func(c *config.Config) {
		c.Analysis.Depth = 1
		c.Credentials = []fetch.Credential{{Prefix: "http://basic.test/", User: "reader", PasswordFile: "basic.txt"},
			{Prefix: "http://form.test/", User: "reader", PasswordEnv: "JOB_TEST_PASSWORD", Login: "http://form.test/login", UserField: "name", PasswordField: "pass"}}
	})
	file := filepath.Join(j.cfg.Dir, "basic.txt")
	must(t, os.WriteFile(file, []byte("pass-of-basic\n"), 0o600))
	h := j.run(job.Options{}, "http://basic.test/")
	for _, page := range []string{"http://basic.test/in", "http://form.test/", "http://form.test/more"} {
		if o := h.outcomes[page]; o.Status != 200 || !o.Archived {
			t.Errorf("%s: %+v", page, o)
		}
	}
	secrets := []string{"pass-of", base64.StdEncoding.EncodeToString([]byte("reader:pass-of-basic")), "pass%2Dof"}
	look := func(where string, text []byte) {
		for _, s := range secrets {
			if bytes.Contains(text, []byte(s)) {
				t.Errorf("%s has %s", where, s)
			}
		}
	}
	for _, r := range h.records {
		look(r.kind+" of "+r.uri, r.block)
	}
	must(t, filepath.WalkDir(j.cfg.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == file {
			return err
		}
		text, err := os.ReadFile(name)
		look(name, text)
		return err
	}))
}
