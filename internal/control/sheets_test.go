package control_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exclave/internal/control"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/testweb"
)

// A host whose budget a sheet had, and which is raised there, goes on with the reload: no link to it need be found.
func TestReloadRaisesBudget(t *testing.T) {
	web := gate{asked: make(chan struct{}), open: make(chan struct{}), Web: testweb.Tiny{
		"http://a.test/held": testweb.NationalPage(1), "http://b.test/": testweb.NationalPage(2, "/1", "/2"),
		"http://b.test/1": testweb.NationalPage(3), "http://b.test/2": testweb.NationalPage(4),
	}}
	r := open(t, web, "")
	must(t, os.WriteFile(filepath.Join(r.cfg.Dir, "seeds.txt"), []byte("http://a.test/held\nhttp://b.test/\n"), 0o644))
	sheets := filepath.Join(r.cfg.Dir, folder.SheetDir)
	must(t, os.MkdirAll(sheets, 0o755))
	c := dial(t, r.cfg.Dir)
	budget := func(documents string) {
		t.Helper()
		must(t, os.WriteFile(filepath.Join(sheets, "a.toml"), []byte("[[sheet]]\nname = \"a\"\nhosts = [\"b.test\"]\n[sheet.limits]\nhost_documents = "+documents+"\n"), 0o644))
		_, err := c.Reload(t.Context())
		must(t, err)
	}
	budget("2") // robots.txt is one
	r.run(t.Context())
	<-web.asked
	until(t, c, "the budget spent", func(s job.Snapshot) bool { return s.Queues.Retired == 1 })
	if q, err := c.Queue(t.Context(), "b.test"); err != nil || !strings.Contains(q.Why, "or in a sheet, and exclave reload does") {
		t.Errorf("%+v, %v", q, err)
	}
	budget("3")
	until(t, c, "one more", func(s job.Snapshot) bool { return s.Queues.Retired == 1 && s.Frontier.Queued == 1 })
	must(t, os.Remove(filepath.Join(sheets, "a.toml"))) // job.toml has no budget
	_, err := c.Reload(t.Context())
	must(t, err)
	until(t, c, "all of it", func(s job.Snapshot) bool { return s.Queues.Retired == 0 && s.Frontier.Queued == 0 })
	close(web.open)
	r.end(t)
	if n := len(r.web.Log()); n != 6 { // two robots.txt
		t.Errorf("%d requests", n)
	}
}

// Queues that wait for the hours of a sheet go on at a reload which lets them be asked for now, and not with hours that are
// others but do not.
func TestReloadOfHours(t *testing.T) {
	r := open(t, testweb.Tiny{"http://a.test/": testweb.NationalPage(1)}, "")
	must(t, os.WriteFile(filepath.Join(r.cfg.Dir, "seeds.txt"), []byte("http://a.test/\n"), 0o644))
	sheets := filepath.Join(r.cfg.Dir, folder.SheetDir)
	must(t, os.MkdirAll(sheets, 0o755))
	c := dial(t, r.cfg.Dir)
	now := time.Now()
	hours := func(from, to time.Duration) string {
		t.Helper()
		h := now.Add(from).Format("15:04") + "-" + now.Add(to).Format("15:04")
		must(t, os.WriteFile(filepath.Join(sheets, "a.toml"), []byte("[[sheet]]\nname = \"hrs\"\nhosts = [\"a.test\"]\nhours = \""+h+"\"\n"), 0o644))
		_, err := c.Reload(t.Context())
		must(t, err)
		return h
	}
	why := func(want string) {
		t.Helper()
		q, err := c.Queue(t.Context(), "a.test")
		must(t, err)
		w, err := c.Why(t.Context(), "http://a.test/")
		must(t, err)
		if text := strings.Join(w.Sentences, "\n"); !strings.HasPrefix(q.Why, want) || !strings.Contains(text, "pending; "+want) {
			t.Errorf("%s\n%s\nwant %s", q.Why, text, want)
		}
	}
	shut := hours(2*time.Hour, 3*time.Hour)
	r.run(t.Context())
	until(t, c, "the queue snoozed", func(s job.Snapshot) bool { return s.Queues.Snoozed == 1 })
	why("it is outside the hours " + shut)
	shut = hours(4*time.Hour, 5*time.Hour)
	why("it is outside the hours " + shut)
	hours(-2*time.Hour, 3*time.Hour)
	r.end(t)
	if n := len(r.web.Log()); n != 2 { // robots.txt
		t.Errorf("%d requests", n)
	}
}

// A queue that was snoozed for the hours of a sheet is said to be, also when they were changed while the job was at rest: no
// politeness makes it wait so long.
func TestWhyAfterHoursChangedAtRest(t *testing.T) {
	r := open(t, testweb.Tiny{"http://a.test/": testweb.NationalPage(1)}, "")
	must(t, os.WriteFile(filepath.Join(r.cfg.Dir, "seeds.txt"), []byte("http://a.test/\n"), 0o644))
	sheets := filepath.Join(r.cfg.Dir, folder.SheetDir)
	must(t, os.MkdirAll(sheets, 0o755))
	c := dial(t, r.cfg.Dir)
	hours := time.Now().Add(2*time.Hour).Format("15:04") + "-" + time.Now().Add(3*time.Hour).Format("15:04")
	must(t, os.WriteFile(filepath.Join(sheets, "a.toml"), []byte("[[sheet]]\nname = \"hrs\"\nhosts = [\"a.test\"]\nhours = \""+hours+"\"\n"), 0o644))
	_, err := c.Reload(t.Context())
	must(t, err)
	r.run(t.Context())
	until(t, c, "the queue snoozed", func(s job.Snapshot) bool { return s.Queues.Snoozed == 1 })
	_, err = c.Stop(t.Context())
	must(t, err)
	r.end(t)
	must(t, os.Remove(filepath.Join(sheets, "a.toml")))
	must(t, question.Look(t.Context(), folder.Of(r.cfg, folder.Env{}), func(b question.Questions) error {
		q, err := b.Queue(t.Context(), "a.test")
		must(t, err)
		if want := "it is snoozed because a URI of it was due outside the hours of a sheet, and tried again in "; !strings.HasPrefix(q.Why, want) {
			t.Errorf("%s\nwant %s", q.Why, want)
		}
		return nil
	}))
}

// Sheets that are read anew act on what is queued; those with a mistake change nothing.
func TestReload(t *testing.T) {
	web, r, c := pausedAtFirst(t)
	close(web.open)
	untilAtRest(t, c)
	sheets := filepath.Join(r.cfg.Dir, folder.SheetDir)
	must(t, os.MkdirAll(sheets, 0o755))
	write := func(text string) { must(t, os.WriteFile(filepath.Join(sheets, "a.toml"), []byte(text), 0o644)) }
	write("[[sheet]]\nname = \"letter-1\"\nsurts = [\"http://(test,a,)/1\"]\nhosts = [\"b.test\"]\nblocked = true\n")
	if got, err := c.Reload(t.Context()); err != nil || got.Sheets != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	write("[[sheet]]\nname = \"letter-2\"\nhosts = [\"a.test\"]\nblock = true\n")
	var refused *control.Error
	if _, err := c.Reload(t.Context()); !errors.As(err, &refused) || refused.Code != 400 || !strings.Contains(err.Error(), "a.toml:4:1") {
		t.Errorf("%v", err)
	}
	if a, err := c.Sheet(t.Context(), "http://b.test/x", nil); err != nil || a.Sheets != 1 || len(a.Applied) != 2 || a.Applied[0].Sheet != "letter-1" {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := c.Sheet(t.Context(), "no url", nil); !errors.As(err, &refused) || refused.Code != 400 {
		t.Errorf("%v", err)
	}
	must(t, os.Remove(filepath.Join(sheets, "a.toml")))
	_, err := c.Resume(t.Context())
	must(t, err)
	r.end(t)
	for _, hit := range r.web.Log() {
		if hit.URL == "http://a.test/1" || hit.Host == "b.test" {
			t.Errorf("asked for %s", hit.URL)
		}
	}
	if log, err := os.ReadFile(filepath.Join(r.cfg.Dir, folder.LogDir, "crawl.log")); err != nil || strings.Count(string(log), "blocked:letter-1") != 2 {
		t.Errorf("%v\n%s", err, log)
	}
}
