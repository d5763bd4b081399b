package job_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"exclave/config"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/clock"
	"exclave/internal/crawllog"
	"exclave/internal/fsx"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/job/rebuild"
	"exclave/internal/job/view"
	"exclave/internal/logparts"
	"exclave/internal/testweb"
	"exclave/warc"
	"exclave/warc/warctest"
)

// finishedIn are the records of all URIs that were finished, without what only their place in a queue and
// the store decide, as text by key.
func finishedIn(t *testing.T, cfg *config.Config) map[string]string {
	t.Helper()
	depths := crawl.Depths{D: [4]int32{cfg.Analysis.Depth, -1, -1, -1}}
	f, err := frontier.Open(t.Context(), frontier.Options{FS: fsx.Real(), Dir: filepath.Join(cfg.Dir, folder.StateDir, "frontier"), LogDir: filepath.Join(cfg.Dir, folder.LogDir),
		Config: cfg.Frontier, Order: cfg.Order, Limits: cfg.Limits, Depths: depths, RulesHash: cfg.URL.Hash(), Clock: clock.System(), ReadOnly: true})
	must(t, err)
	logged := map[string]string{}
	must(t, logparts.EachLine(fsx.Real(), filepath.Join(cfg.Dir, folder.LogDir), crawl.LogCrawl.Name(), func(_ logparts.Place, line []byte) error {
		e, err := crawllog.Parse(string(line))
		logged[e.URL] = e.Hops
		return err
	}))
	got := map[string]string{}
	must(t, f.EachURI(func(r *frontier.Record) error {
		if r.Finishes > 0 {
			if !r.Outcome.Archived { // these matter of what is archived only
				r.Outcome.Open, r.Outcome.Embedding = 0, false
			}
			switch hops := logged[r.URL]; { // a shorter way that came while it was in process, no log tells of
			case r.Finishes > 1:
				r.Hops = ""
			case len(r.Hops) < len(hops):
				r.Hops = hops
			}
			got[r.Key] = fmt.Sprintf("%v %s %q seed %t %v %+v finishes %d judgings %d outcome %+v %v %v %s %s %s %q %q links %t targeted %t original %v", r.State, r.URL, r.Hops, r.Seed, r.SourceTag, r.Claim,
				r.Finishes, r.Judgings, r.Outcome, r.Response, r.Metadata, r.RecordID, r.Date, r.Digest, r.ETag, r.LastModified, r.LinksInMetadata, r.RedirectTarget, r.Original)
		}
		return nil
	}))
	must(t, f.Close(t.Context()))
	return got
}

// recoverJob makes the state anew and demands that verify passes after it.
func recoverJob(t *testing.T, cfg *config.Config, o rebuild.Options) rebuild.Result {
	t.Helper()
	made, err := rebuild.State(t.Context(), folder.Of(cfg, folder.Env{}), o)
	must(t, err)
	t.Logf("%s%s", made, strings.Join(made.Notes, "\n"))
	for _, d := range verifyAll(t, cfg, job.Options{}) {
		t.Errorf("after recover: %s", d)
	}
	return made
}

func loseState(t *testing.T, cfg *config.Config) {
	t.Helper()
	must(t, os.RemoveAll(filepath.Join(cfg.Dir, folder.StateDir)))
}

// Issue 16: what archive and logs tell of what was finished is all that the state knew of it: claims,
// outcomes, places in the archive.
func TestRecoverKnowsWhatWasKnown(t *testing.T) {
	p := testweb.DefaultParams()
	p.Hosts, p.Pages = 8, 8
	web := testweb.NewSynthetic(p)
	j := newJob(t, web, nil)
	j.run(job.Options{}, web.Seeds()...)
	want := finishedIn(t, j.cfg)
	loseState(t, j.cfg)
	made := recoverJob(t, j.cfg, rebuild.Options{})
	if !made.Over || made.Written+made.Lost+made.Abandoned+made.Unclaimed > 0 {
		t.Errorf("%+v", made)
	}
	got := finishedIn(t, j.cfg)
	if len(want) < 100 {
		t.Fatalf("%d URIs are too few", len(want))
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got[key] != want[key] {
			t.Errorf("%s:\n%s, was\n%s", key, got[key], want[key])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d URIs are finished, %d were", len(got), len(want))
	}
	before := len(j.web.Log())
	j.run(job.Options{})
	defer func() {
		// Lines after the end are of a run whose beginning was lost with the machine.
		name := filepath.Join(j.cfg.Dir, folder.LogDir, folder.ProgressLog)
		data, err := os.ReadFile(name)
		must(t, err)
		early := regexp.MustCompile(`(?m)^.* CRAWL ENDED`).ReplaceAllString(string(data), "2001-01-01T00:00:00Z CRAWL ENDED")
		must(t, os.WriteFile(name, []byte(early), 0o600))
		if made := recoverJob(t, j.cfg, rebuild.Options{}); made.Over || made.Refetched == 0 {
			t.Errorf("crawl.log goes on after the end: %+v", made)
		}
	}()
	if hits := j.web.Log(); len(hits) > before {
		t.Errorf("a crawl that was over asked for %d URLs again, %s first", len(hits)-before, hits[before].URL)
	}
}

// A shorter way to a page that comes while the page is in process, the state knows, and no log: after a recovery
// the page has the way that it was dispatched with.
func TestRecoverKnowsTheWayThatWasLogged(t *testing.T) {
	pages := testweb.Tiny{
		"http://a.test/":     testweb.NationalPage(1, "http://b.test/", "http://c.test/"),
		"http://b.test/":     testweb.NationalPage(2, "http://d.test/"),
		"http://c.test/":     testweb.NationalPage(3, "http://page.test/", "http://after.test/"),
		"http://d.test/":     testweb.NationalPage(4, "http://page.test/"),
		"http://page.test/":  testweb.NationalPage(5),
		"http://after.test/": testweb.NationalPage(6),
	}
	asked := map[string]chan struct{}{"page.test": make(chan struct{}), "after.test": make(chan struct{})}
	until := map[string]string{"c.test": "page.test", "page.test": "after.test"} // c.test was read when after.test is asked
	web := testweb.Func(func(host string) http.Handler {
		if pages.Host(host) == nil {
			return nil
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/" {
				if c := asked[host]; c != nil {
					close(c)
				}
				if other := until[host]; other != "" {
					select {
					case <-asked[other]:
					case <-r.Context().Done():
					}
				}
			}
			pages.ServeHTTP(w, r)
		})
	})
	j := newJob(t, web, nil)
	j.run(job.Options{}, "http://a.test/")
	hops := func() (hops string) {
		v, err := view.Open(t.Context(), folder.Of(j.cfg, folder.Env{}), view.Options{})
		must(t, err)
		must(t, v.State.EachURI(func(r *frontier.Record) error {
			if r.URL == "http://page.test/" {
				hops = r.Hops
			}
			return nil
		}))
		must(t, v.Close())
		return hops
	}
	if h := hops(); h != "LL" {
		t.Fatalf("its hops are %s: the shorter way did not come while it was in process", h)
	}
	want := finishedIn(t, j.cfg)
	loseState(t, j.cfg)
	recoverJob(t, j.cfg, rebuild.Options{})
	if h := hops(); h != "LLL" {
		t.Errorf("its hops are %s, not as crawl.log has them", h)
	}
	if got := finishedIn(t, j.cfg); !maps.Equal(got, want) {
		t.Errorf("%q, was\n%q", got, want)
	}
}

// crawledJob is a small job that is over: several WARC files, pages of all kinds.
func crawledJob(t *testing.T) (j *testJob, archived []string) {
	t.Helper()
	j = newJob(t, smallWeb(), func(c *config.Config) { c.WARC.MaxSize, c.WARC.PoolSize, c.Crawl.ToeThreads = 2<<10, 1, 1 })
	return j, j.run(job.Options{}, "http://a.test/", "http://c.test/").archived()
}

func warcs(t *testing.T, cfg *config.Config) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(cfg.Dir, folder.WARCDir, "*.warc.*"))
	must(t, err)
	if len(names) < 3 {
		t.Fatalf("%d WARC files are too few", len(names))
	}
	return names
}

// Links that a page forbids to follow are in its metadata record too: they are not followed after a recovery
// either.
func TestRecoverObeysNofollow(t *testing.T) {
	page := testweb.NationalPage(1, "/no")
	page.Body = strings.Replace(page.Body, "<head>", `<head><meta name="robots" content="nofollow">`, 1)
	j := newJob(t, testweb.Tiny{"http://a.test/": page, "http://a.test/no": testweb.NationalPage(2)}, nil)
	if got := j.run(job.Options{}, "http://a.test/").archived(); len(got) != 1 {
		t.Fatalf("archived %v", got)
	}
	loseState(t, j.cfg)
	recoverJob(t, j.cfg, rebuild.Options{})
	if h := j.run(job.Options{}); h.hits["http://a.test/no"] > 0 {
		t.Error("a link was followed that the page forbids to follow")
	}
}

// What the scripts of a page ask for it needs, also of one that is not archived: only links.log tells that such a guess is none.
func TestRecoverKnowsWhatPagesNeed(t *testing.T) {
	page := testweb.Foreign()
	page.Body = strings.Replace(page.Body, "</body>", `<script>fetch("/data.json").then(function (r) { return r.json() }); var s = "/guess.json"</script></body>`, 1)
	j := newJob(t, testweb.Tiny{"http://a.test/": page, "http://a.test/data.json": testweb.Text("{}").With("Content-Type", "application/json"),
		"http://a.test/guess.json": testweb.Text("{}").With("Content-Type", "application/json")},
		func(c *config.Config) { c.Crawl.LinksLog, c.Crawl.FetchUnclaimedEmbeds = true, true })
	j.run(job.Options{}, "http://a.test/")
	shown := func(url string) (out string) {
		t.Helper()
		must(t, question.Look(t.Context(), folder.Of(j.cfg, folder.Env{}), func(q question.Questions) error {
			s, err := q.Show(t.Context(), url, false)
			must(t, err)
			out = fmt.Sprintf("%s, %s, %q, hops %s, found in %s", s.State, s.Status.Words, s.Claim, s.Hops, s.Context)
			return nil
		}))
		return out
	}
	before := shown("http://a.test/data.json")
	if !strings.Contains(before, "hops X, found in js/fetch") {
		t.Fatal(before)
	}
	loseState(t, j.cfg)
	recoverJob(t, j.cfg, rebuild.Options{})
	if after := shown("http://a.test/data.json"); after != before {
		t.Errorf("%s\nwas %s", after, before)
	}
	log := filepath.Join(j.cfg.Dir, folder.LogDir, folder.LinksLog)
	f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString("http://a.test/\ttorn\t3\tX\tjs") // of a run that was killed
	must(t, errors.Join(err, f.Close()))
	loseState(t, j.cfg)
	recoverJob(t, j.cfg, rebuild.Options{})
	must(t, os.Remove(log)) // it is not needed
	loseState(t, j.cfg)
	recoverJob(t, j.cfg, rebuild.Options{})
}

// An answer without status line (HTTP/0.9) is a resource in the archive, robots.txt too: of what it says nothing is lost, and its page and
// its lines without a log come back as those of other answers do.
func TestRecoverHTTP09(t *testing.T) {
	page := testweb.NationalPage(1, "/old", "/no")
	old := testweb.NationalPage(2)
	j := newJob(t, testweb.Tiny{"http://a.test/": page, "http://a.test/old": {Raw: old.Body}, "http://a.test/no": testweb.NationalPage(3),
		"http://a.test/robots.txt": {Raw: "User-agent: *\nDisallow: /no\n"}}, nil)
	j.run(job.Options{}, "http://a.test/")
	asked := func() (robots, old string) {
		t.Helper()
		must(t, question.Look(t.Context(), folder.Of(j.cfg, folder.Env{}), func(q question.Questions) error {
			a, err := q.Robots(t.Context(), []string{"http://a.test/no"}, "")
			must(t, err)
			s, err := q.Show(t.Context(), "http://a.test/old", false)
			must(t, err)
			robots = fmt.Sprintf("%s, allowed %t", a.URLs[0].Status, a.URLs[0].Allowed)
			if r := a.URLs[0].Rule; r != nil {
				robots += fmt.Sprintf(" by line %d", r.Number)
			}
			old = fmt.Sprintf("%s, archived %t", s.Status.Words, s.Archived)
			return nil
		}))
		return robots, old
	}
	for _, before := range []func(){
		func() {},
		func() { loseState(t, j.cfg); recoverJob(t, j.cfg, rebuild.Options{}) },
		func() {
			loseState(t, j.cfg)
			must(t, os.Remove(filepath.Join(j.cfg.Dir, folder.LogDir, "crawl.log")))
			recoverJob(t, j.cfg, rebuild.Options{})
		},
	} {
		before()
		if robots, old := asked(); robots != "200 OK, allowed false by line 2" || old != "200 OK, archived true" {
			t.Errorf("robots.txt: %s; page: %s", robots, old)
		}
	}
}

// hostsIn are the target URIs of a WARC file.
func hostsIn(t *testing.T, name string) (all string) {
	t.Helper()
	_, err := warctest.Verify(fsx.Real(), name, func(r warc.RecordInfo) error { all += r.TargetURI + "\n"; return nil })
	must(t, err)
	return all
}

// A WARC file that crawl.log names and that is not there may lie on another disk: nothing is done before somebody
// says that its pages are to be fetched again.
func TestRecoverWithoutAWARCFile(t *testing.T) {
	j, archived := crawledJob(t)
	name := warcs(t, j.cfg)[0]
	for _, n := range warcs(t, j.cfg) { // one that no other needs
		if !strings.Contains(hostsIn(t, n), "dns:") {
			name = n
		}
	}
	elsewhere := filepath.Join(t.TempDir(), "moved")
	must(t, os.Rename(name, elsewhere))
	loseState(t, j.cfg)
	_, err := rebuild.State(t.Context(), folder.Of(j.cfg, folder.Env{}), rebuild.Options{})
	if !errors.Is(err, rebuild.ErrRefused) || !strings.Contains(err.Error(), filepath.Base(name)) || !strings.Contains(err.Error(), "--fetch-missing") {
		t.Fatalf("a missing WARC file: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(j.cfg.Dir, folder.StateDir, "frontier*")); len(left) > 0 {
		t.Errorf("refused, but there is %v", left)
	}
	made := recoverJob(t, j.cfg, rebuild.Options{FetchMissing: true})
	if made.Lost == 0 || made.Stats.Queued < made.Lost {
		t.Errorf("%+v", made)
	}
	if got := j.run(job.Options{}).archived(); !slices.Equal(got, archived) {
		t.Errorf("archived %v, want %v", got, archived)
	}
}

// What is damaged in the archive stays as it is; the page is fetched again. Files of other programs are named
// and left alone.
func TestRecoverFromADamagedArchive(t *testing.T) {
	j, archived := crawledJob(t)
	var name string
	var at int64
	for _, line := range j.log(crawl.LogCrawl) {
		if e, err := crawllog.Parse(line); err == nil && e.URL == "http://a.test/b" && e.WARCFilename != "" {
			name, at = filepath.Join(j.cfg.Dir, folder.WARCDir, e.WARCFilename), e.WARCFileOffset
		}
	}
	if name == "" {
		t.Fatal("http://a.test/b is not in the archive")
	}
	data, err := os.ReadFile(name)
	must(t, err)
	data[at+100] ^= 0x10 // of its response: a robots.txt that is damaged would be missing to other pages, too
	must(t, os.WriteFile(name, data, 0o600))
	other := filepath.Join(j.cfg.Dir, folder.WARCDir, "other.warc.gz")
	must(t, os.WriteFile(other, []byte("of another program"), 0o600))
	loseState(t, j.cfg)
	made, err := rebuild.State(t.Context(), folder.Of(j.cfg, folder.Env{}), rebuild.Options{})
	must(t, err)
	t.Log(made, made.Notes)
	if made.Lost+made.Abandoned == 0 || !slices.ContainsFunc(made.Notes, func(n string) bool { return strings.HasPrefix(n, "other.warc.gz") }) {
		t.Errorf("%+v", made)
	}
	if now, err := os.ReadFile(name); err != nil || string(now) != string(data) {
		t.Errorf("the damaged file was changed: %v", err)
	}
	for _, d := range verifyAll(t, j.cfg, job.Options{}) { // the damage is there still, and nothing else is wrong
		if !strings.HasPrefix(d.Where, filepath.Base(name)) && d.Where != "other.warc.gz" {
			t.Errorf("after recover: %s", d)
		}
	}
	must(t, os.Remove(other))
	b, err := job.Open(t.Context(), j.cfg, job.Options{})
	must(t, err)
	_, err = b.Run(t.Context())
	must(t, errors.Join(err, b.Close()))
	outcomes, err := job.Outcomes(t.Context(), j.cfg)
	must(t, err)
	h := harvest{outcomes: outcomes}
	if got := h.archived(); !slices.Equal(got, archived) {
		t.Errorf("archived %v, want %v", got, archived)
	}
}

// fullest returns the complete WARC file with the most answers.
func fullest(t *testing.T, cfg *config.Config) (file string) {
	t.Helper()
	n := map[string]int{}
	for _, m := range members(t, filepath.Join(cfg.Dir, folder.WARCDir, "*.warc.*")) {
		if m.kind == warc.TypeMetadata {
			if n[m.file]++; n[m.file] > n[file] {
				file = m.file
			}
		}
	}
	return file
}

// A complete WARC file that is damaged at its end, or in the address of a capture, stays as it is; the crawl goes on after the
// recovery.
func TestRecoverFromADamagedEnd(t *testing.T) {
	for name, harm := range map[string]func(b []byte) []byte{
		"cut":         func(b []byte) []byte { return b[:len(b)-200] },
		"zeros":       func(b []byte) []byte { clear(b[len(b)-150:]); return b },
		"one bit":     func(b []byte) []byte { b[len(b)-100] ^= 4; return b },
		"more behind": func(b []byte) []byte { return append(b, "garbage"...) },
		"an address": func(b []byte) []byte {
			var out bytes.Buffer
			for in := bytes.NewReader(b); in.Len() > 0; {
				z, err := gzip.NewReader(in)
				must(t, err)
				z.Multistream(false)
				record, err := io.ReadAll(z)
				must(t, err)
				if bytes.Contains(record, []byte("WARC-Type: response")) {
					record = bytes.Replace(record, []byte("WARC-Target-URI: http://"), []byte("WARC-Target-URI: http2//"), 1)
				}
				w := gzip.NewWriter(&out)
				_, err = w.Write(record)
				must(t, errors.Join(err, w.Close()))
			}
			return out.Bytes()
		},
	} {
		t.Run(name, func(t *testing.T) {
			j, archived := crawledJob(t)
			file := fullest(t, j.cfg)
			data, err := os.ReadFile(file)
			must(t, err)
			must(t, os.WriteFile(file, harm(data), 0o600))
			loseState(t, j.cfg)
			made, err := rebuild.State(t.Context(), folder.Of(j.cfg, folder.Env{}), rebuild.Options{})
			must(t, err)
			t.Log(made, made.Notes)
			b, err := job.Open(t.Context(), j.cfg, job.Options{})
			must(t, err)
			_, err = b.Run(t.Context())
			must(t, errors.Join(err, b.Close()))
			outcomes, err := job.Outcomes(t.Context(), j.cfg)
			must(t, err)
			if got := (&harvest{outcomes: outcomes}).archived(); !slices.Equal(got, archived) {
				t.Errorf("archived %v, want %v", got, archived)
			}
			for _, d := range verifyAll(t, j.cfg, job.Options{}) {
				if !strings.HasPrefix(d.Where, filepath.Base(file)) && !strings.Contains(d.What, "robots.txt of") && !strings.Contains(d.What, "DNS record of") {
					t.Errorf("after recover: %s", d) // those of a host may have been in the file
				}
			}
		})
	}
}

// The end of a WARC file that was being written when the machine stopped, without a whole capture, is set aside; the
// file is written on.
func TestRecoverFromATornArchive(t *testing.T) {
	j, archived := crawledJob(t)
	names := warcs(t, j.cfg)
	name := names[len(names)-1]
	data, err := os.ReadFile(name)
	must(t, err)
	var request []byte
	_, err = warctest.Verify(fsx.Real(), name, func(r warc.RecordInfo) error {
		if r.Type == warc.TypeRequest {
			request = data[r.Ref.Offset : r.Ref.Offset+r.Ref.Length]
		}
		return nil
	})
	must(t, err)
	tail := string(request) + string(data[:len(data)/3])
	must(t, os.WriteFile(name+".open", append(slices.Clone(data), tail...), 0o600))
	must(t, os.Remove(name))
	loseState(t, j.cfg)
	made := recoverJob(t, j.cfg, rebuild.Options{})
	if len(made.Aside) != 1 || made.Aside[0].Offset != int64(len(data)) || made.Aside[0].Whole < 1 {
		t.Fatalf("set aside: %+v", made.Aside)
	}
	kept, err := os.ReadFile(filepath.Join(j.cfg.Dir, made.Aside[0].Kept))
	if err != nil || string(kept) != tail {
		t.Errorf("%d bytes were kept, %d stood behind the last capture: %v", len(kept), len(tail), err)
	}
	if got := j.run(job.Options{}).archived(); !slices.Equal(got, archived) {
		t.Errorf("archived %v, want %v", got, archived)
	}
}

// Lines that are none are taken out of a log, which is kept as it was; a line without an end is set aside.
func TestRecoverFromDamagedLogs(t *testing.T) {
	j, archived := crawledJob(t)
	name := filepath.Join(j.cfg.Dir, folder.LogDir, "crawl.log")
	data, err := os.ReadFile(name)
	must(t, err)
	lines := strings.SplitAfter(string(data), "\n")
	lines[5] = strings.Repeat("\x00", 100) + "\n"
	damaged := strings.Join(lines, "")
	damaged = damaged[:len(damaged)-10]
	must(t, os.WriteFile(name, []byte(damaged), 0o600))
	for _, l := range []string{"analysis.jsonl", "out-of-scope.jsonl"} {
		f, err := os.OpenFile(filepath.Join(j.cfg.Dir, folder.LogDir, l), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
		must(t, err)
		_, err = f.WriteString(`{"url":"http://c.test/d","ti`)
		must(t, errors.Join(err, f.Close()))
	}
	loseState(t, j.cfg)
	made := recoverJob(t, j.cfg, rebuild.Options{})
	if made.Over || len(made.Aside) != 3 {
		t.Errorf("%+v", made)
	}
	for _, a := range made.Aside {
		kept, err := os.ReadFile(filepath.Join(j.cfg.Dir, a.Kept))
		must(t, err)
		if a.File == "logs/crawl.log" && string(kept) != damaged {
			t.Errorf("crawl.log was not kept as it was: %d bytes of %d", len(kept), len(damaged))
		}
	}
	if got := j.run(job.Options{}).archived(); !slices.Equal(got, archived) {
		t.Errorf("archived %v, want %v", got, archived)
	}
}

// docs/howto/recover.md: a line that is written again from the archive says of the sizes what the lost one said.
func TestRecoveredLinesHaveTheSizes(t *testing.T) {
	j, _ := crawledJob(t)
	name := filepath.Join(j.cfg.Dir, folder.LogDir, "crawl.log")
	sizes := func() map[string]string {
		data, err := os.ReadFile(name)
		must(t, err)
		got := map[string]string{}
		for line := range strings.Lines(string(data)) {
			e, err := crawllog.Parse(line)
			must(t, err)
			if e.WARCFilename != "" && !strings.Contains(line, "duplicate:") {
				got[e.URL] = fmt.Sprint(e.Size, " ", e.ContentSize)
				if e.Size < 0 || e.Size >= e.ContentSize {
					t.Errorf("body of %d bytes, %d received: %s", e.Size, e.ContentSize, line)
				}
			}
		}
		return got
	}
	want := sizes()
	must(t, os.Remove(name))
	loseState(t, j.cfg)
	recoverJob(t, j.cfg, rebuild.Options{})
	if got := sizes(); len(got) == 0 || !maps.Equal(got, want) {
		t.Errorf("%v\nwant\n%v", got, want)
	}
}

// An I/O error at any operation leaves a job that can be recovered.
func TestRecoverOnAFailingDisk(t *testing.T) {
	j, archived := crawledJob(t)
	loseState(t, j.cfg)
	name := filepath.Join(j.cfg.Dir, folder.LogDir, "crawl.log")
	data, err := os.ReadFile(name)
	must(t, err)
	must(t, os.WriteFile(name, data[:len(data)-10], 0o600))
	failures := 0
	for at := int64(0); ; at += 1 + at/8 {
		disk := fsx.NewFaulty(fsx.Real(), fsx.Fault{At: at, Err: syscall.EIO})
		_, err := rebuild.State(t.Context(), folder.Of(j.cfg, folder.Env{FS: disk}), rebuild.Options{})
		if _, failed := disk.Counts(); failed == 0 {
			must(t, err)
			break
		}
		failures++
	}
	if failures < 20 {
		t.Errorf("%d failures are too few", failures)
	}
	recoverJob(t, j.cfg, rebuild.Options{})
	if got := j.run(job.Options{}).archived(); !slices.Equal(got, archived) {
		t.Errorf("archived %v, want %v", got, archived)
	}
}

// What is to be recovered must be there, and be nobody else's.
func TestRecoverRefuses(t *testing.T) {
	j := newJob(t, smallWeb(), nil)
	if _, err := rebuild.State(t.Context(), folder.Of(j.cfg, folder.Env{}), rebuild.Options{}); !errors.Is(err, rebuild.ErrRefused) {
		t.Errorf("a job that was never begun: %v", err)
	}
	j.seeds("http://a.test/")
	b, err := job.Open(t.Context(), j.cfg, job.Options{})
	must(t, err)
	_, err = b.Run(t.Context())
	must(t, err)
	if _, err := rebuild.State(t.Context(), folder.Of(j.cfg, folder.Env{}), rebuild.Options{}); !errors.Is(err, folder.ErrLocked) {
		t.Errorf("a job that is open: %v", err)
	}
	must(t, b.Close())
}
