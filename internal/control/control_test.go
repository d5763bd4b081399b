package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/chain"
	"exclave/config"
	"exclave/internal/control"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/job/verify"
	"exclave/internal/sharedtest"
	"exclave/internal/testweb"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// gate is a web that holds the answers for /held back until it is opened.
type gate struct {
	testweb.Web
	asked chan struct{} // gets a value at each request held
	open  chan struct{}
}

// Host implements [testweb.Web].
func (g gate) Host(name string) http.Handler {
	h := g.Web.Host(name)
	if h == nil {
		return nil
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/held" {
			g.asked <- struct{}{}
			<-g.open
		}
		h.ServeHTTP(w, r)
	})
}

// running is a job with its control socket, of a web on loopback.
type running struct {
	*job.Job
	cfg    *config.Config
	web    *testweb.Server
	server *control.Server
	ended  chan error // of Run
	result job.Result
}

// open opens a job for the web and serves its socket; dir "" is a new folder.
func open(t testing.TB, web testweb.Web, dir string) *running {
	t.Helper()
	srv, err := testweb.Start(web, testweb.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, srv.Close()) })
	if dir == "" {
		dir = t.TempDir()
	}
	cfg := config.Default("cz")
	cfg.Dir, cfg.Job.Name = dir, "test"
	cfg.Crawl.MinFreeDisk, cfg.Crawl.ToeThreads = 0, 4
	cfg.HTTP.Contact = "http://127.0.0.1/"
	cfg.HTTP.Allow = []string{"127.0.0.0/8"}
	cfg.HTTP.ConnectTo, cfg.DNS.Servers = srv.ConnectTo(), []string{srv.DNS()}
	cfg.Frontier.MinDelay, cfg.Frontier.MaxDelay = 0, 0
	cfg.Frontier.HostsPerAddress, cfg.Frontier.AddressDelay = 0, 0 // all hosts are on this machine
	must(t, os.WriteFile(filepath.Join(dir, "seeds.txt"), []byte("http://a.test/held\n"), 0o644))
	r := &running{cfg: cfg, web: srv, ended: make(chan error, 1)}
	r.Job, err = job.Open(t.Context(), cfg, job.Options{Version: "test", Software: "exclave/test"})
	must(t, err)
	r.server, err = control.Serve(r.Job, dir, slog.New(slog.DiscardHandler))
	must(t, err)
	return r
}

func (r *running) run(ctx context.Context) {
	go func() {
		var err error
		r.result, err = r.Run(ctx)
		r.ended <- err
	}()
}

// end waits for the end of the run, closes everything, and demands that state,
// archive and logs agree.
func (r *running) end(t *testing.T) {
	t.Helper()
	must(t, <-r.ended)
	must(t, r.server.Close())
	must(t, r.Close())
	defects, err := verify.All(t.Context(), folder.Of(r.cfg, folder.Env{}))
	must(t, err)
	for _, d := range defects {
		t.Errorf("defect: %s", d)
	}
}

func dial(t *testing.T, dir string) *control.Client {
	t.Helper()
	c, err := control.Dial(dir)
	must(t, err)
	t.Cleanup(func() { must(t, c.Close()) })
	return c
}

// until asks for snapshots until one is as it should be.
func until(t *testing.T, c *control.Client, what string, is func(job.Snapshot) bool) job.Snapshot {
	t.Helper()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	limit := time.After(5 * time.Minute)
	for {
		s, err := c.Snapshot(t.Context())
		must(t, err)
		if is(s) {
			return s
		}
		select {
		case <-again.C:
		case <-limit:
			t.Fatalf("never %s; now %+v", what, s)
		}
	}
}

func chainOfPages() gate {
	return gate{asked: make(chan struct{}), open: make(chan struct{}), Web: testweb.Tiny{
		"http://a.test/held": testweb.NationalPage(1, "/1", "/2", "http://b.test/"),
		"http://a.test/1":    testweb.NationalPage(2),
		"http://a.test/2":    testweb.NationalPage(3),
		"http://b.test/":     testweb.NationalPage(4),
	}}
}

// pausedAtFirst is a crawl of that chain, paused while its first page is held: until web.open is closed.
func pausedAtFirst(t *testing.T) (web gate, r *running, c *control.Client) {
	t.Helper()
	web = chainOfPages()
	r = open(t, web, "")
	c = dial(t, r.cfg.Dir)
	r.run(t.Context())
	<-web.asked
	s, err := c.Pause(t.Context())
	must(t, err)
	if s.State != chain.Paused {
		t.Errorf("after pause the crawl is %s", s.State)
	}
	return web, r, c
}

// untilAtRest waits for a paused crawl whose first page is judged.
func untilAtRest(t *testing.T, c *control.Client) {
	t.Helper()
	until(t, c, "at rest with links queued", func(s job.Snapshot) bool {
		return s.State == chain.Paused && s.Counts.Busy == 0 && s.Frontier.Judged == 1 && s.Frontier.Queued > 0
	})
}

// Of what waits since no connection was made it is said that this is a proxy's doing, perhaps: otherwise its server is blamed.
func TestWhyProxy(t *testing.T) {
	r := open(t, testweb.Tiny{"http://a.test/held": testweb.NationalPage(1)}, "")
	sheets := filepath.Join(r.cfg.Dir, folder.SheetDir)
	must(t, os.MkdirAll(sheets, 0o755))
	must(t, os.WriteFile(filepath.Join(sheets, "a.toml"), []byte("[[sheet]]\nname = \"p\"\nhosts = [\"a.test\"]\n[sheet.http]\nproxy = \"http://127.0.0.1:1\"\n"), 0o644))
	c := dial(t, r.cfg.Dir)
	_, err := c.Reload(t.Context())
	must(t, err)
	r.run(t.Context())
	until(t, c, "a failure", func(s job.Snapshot) bool { return s.Frontier.Retried == 1 })
	w, err := c.Why(t.Context(), "http://a.test/held")
	must(t, err)
	if text := strings.Join(w.Sentences, "\n"); !strings.Contains(text, "no connection.\nIt is connected to through the proxy http://127.0.0.1:1,") {
		t.Error(text)
	}
	_, err = c.Stop(t.Context())
	must(t, err)
	r.end(t)
}

// failing is a web of which b.test/ is not to be had for now, and whose host c.test hangs up.
type failing struct{ testweb.Web }

// Host implements [testweb.Web].
func (f failing) Host(name string) http.Handler {
	h := f.Web.Host(name)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case name == "c.test":
			panic(http.ErrAbortHandler)
		case name == "b.test" && r.URL.Path == "/":
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			h.ServeHTTP(w, r)
		}
	})
}

// Of a URL that waits for another attempt it is said what failed, when and how often, and when it is tried again; also when
// that is its robots.txt. A job at rest says the same.
func TestWhyFailed(t *testing.T) {
	page := testweb.NationalPage(1)
	web := gate{asked: make(chan struct{}), open: make(chan struct{}), Web: failing{testweb.Tiny{"http://a.test/held": page, "http://b.test/": page, "http://c.test/": page}}}
	r := open(t, web, "")
	must(t, os.WriteFile(filepath.Join(r.cfg.Dir, "seeds.txt"), []byte("http://a.test/held\nhttp://b.test/\nhttp://c.test/\n"), 0o644))
	c := dial(t, r.cfg.Dir)
	r.run(t.Context())
	<-web.asked
	until(t, c, "two failures", func(s job.Snapshot) bool { return s.Frontier.Retried == 2 })
	failed := func(q question.Questions) {
		t.Helper()
		for url, want := range map[string]string{
			"http://b.test/":       `It failed 1×, the last time at 20[-0-9T:]+Z: 503 Service Unavailable\.\nAttempt 2 of at most 30: not before 20[-0-9T:]+Z\.$`,
			"http://c.test/":       `http://c\.test/robots\.txt, which it needs, failed 1×, the last time at 20[-0-9T:]+Z: -3 the connection broke\.\nAttempt 2 of at most 10: not before 20[-0-9T:]+Z\.$`,
			"robots:http://c.test": `\nIt failed 1×, the last time at 20[-0-9T:]+Z: -3 the connection broke\.\nAttempt 2 of at most 10: not before 20[-0-9T:]+Z\.$`,
		} {
			w, err := q.Why(t.Context(), url)
			must(t, err)
			if text := strings.Join(w.Sentences, "\n"); strings.Count(text, "Attempt ") != 1 || !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("%s: %s", url, text)
			}
		}
		shown, err := q.Queue(t.Context(), "b.test")
		must(t, err)
		if !strings.Contains(shown.Why, "http://b.test/ failed 1×, the last time at 20") {
			t.Error(shown.Why)
		}
		s, err := q.Show(t.Context(), "http://b.test/", false)
		must(t, err)
		if f := s.Failure; f == nil || f.Code != 503 || f.At.IsZero() {
			t.Errorf("%+v", f)
		}
	}
	failed(c)
	_, err := c.Stop(t.Context())
	must(t, err)
	close(web.open)
	r.end(t)
	must(t, question.Look(t.Context(), folder.Of(r.cfg, folder.Env{}), func(q question.Questions) error {
		failed(q)
		return nil
	}))
}

// A paused crawl finishes what is in process and asks for nothing else; resumed,
// it goes on and misses nothing.
func TestPauseResume(t *testing.T) {
	web, r, c := pausedAtFirst(t)
	before := len(r.web.Log())
	close(web.open)
	untilAtRest(t, c)
	for range 20 { // long enough for many requests on loopback
		if s := until(t, c, "", func(job.Snapshot) bool { return true }); s.Counts.Busy > 0 {
			t.Errorf("a ToeThread works although the crawl is paused: %+v", s.Workers)
		}
	}
	if log := r.web.Log(); len(log) != before {
		t.Errorf("a paused crawl asked for %+v", log[before:])
	}
	if s, err := c.Resume(t.Context()); err != nil || s.State != chain.Running {
		t.Errorf("after resume the crawl is %s (%v)", s.State, err)
	}
	r.end(t)
	if r.result.Reason != chain.Finished || r.result.Stats.Valid != 4 {
		t.Errorf("the crawl ended as %s with %d of 4 pages", r.result.Reason, r.result.Stats.Valid)
	}
	if _, err := c.Snapshot(t.Context()); !errors.Is(err, control.ErrNotRunning) {
		t.Errorf("the crawl has ended, but asking it says: %v", err)
	}
}

// A stop ends the run in order although nothing can be begun, and the next run
// finds all that was left.
func TestStopWhilePaused(t *testing.T) {
	web, r, c := pausedAtFirst(t)
	s, err := c.Stop(t.Context())
	must(t, err)
	if s.State != chain.Stopping {
		t.Errorf("after stop the crawl is %s", s.State)
	}
	close(web.open)
	r.end(t)
	if r.result.Reason != chain.Stopped {
		t.Errorf("the crawl ended as %s", r.result.Reason)
	}
	again := chainOfPages()
	close(again.open)
	go func() { // the page that was held may have to be asked for once more
		for range again.asked {
		}
	}()
	defer close(again.asked)
	r = open(t, again, r.cfg.Dir)
	r.run(t.Context())
	r.end(t)
	if r.result.Stats.Valid != 4 {
		t.Errorf("two runs found %d of 4 pages", r.result.Stats.Valid)
	}
}

// The stop of a paused crawl sends no request: ToeThreads that waited for a URI when the pause
// began are given those of links found meanwhile, and must not begin them.
func TestStopWhilePausedSendsNothing(t *testing.T) {
	web, r, c := pausedAtFirst(t)
	before := len(r.web.Log())
	close(web.open)
	until(t, c, "at rest with links queued", func(s job.Snapshot) bool {
		return s.Counts.Busy == 0 && s.Counts.Committing == 0 && s.Frontier.Judged == 1 && s.Frontier.Queued > 0
	})
	_, err := c.Stop(t.Context())
	must(t, err)
	r.end(t)
	if log := r.web.Log(); len(log) != before {
		t.Errorf("between the pause and the end of the crawl these were asked for: %+v", log[before:])
	}
}

// What is finished is offered again while the crawl runs, and is crawled once more.
func TestRetryRunning(t *testing.T) {
	web := chainOfPages()
	r := open(t, web, "")
	must(t, os.WriteFile(filepath.Join(r.cfg.Dir, "seeds.txt"), []byte("http://a.test/held\nhttp://b.test/gone\n"), 0o644))
	c := dial(t, r.cfg.Dir)
	r.run(t.Context())
	<-web.asked
	gone := question.Retry{Filter: question.Filter{Host: "b.test"}, Statuses: question.Statuses{{First: 404, Last: 404}}, Since: time.Now().Add(-time.Hour), Dry: true}
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for limit := time.Now().Add(5 * time.Minute); ; <-again.C {
		out, err := c.Retry(t.Context(), gone)
		must(t, err)
		if out.URIs == 1 && out.ByStatus[0].Words == "404 Not Found" {
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("the page that is gone is not finished: %+v", out)
		}
	}
	gone.Dry = false
	if out, err := c.Retry(t.Context(), gone); err != nil || out.URIs != 1 {
		t.Errorf("%v; offered again: %+v", err, out)
	}
	if _, err := c.Retry(t.Context(), question.Retry{Filter: question.Filter{Regex: "("}}); err == nil {
		t.Error("a filter that is none is taken")
	}
	close(web.open)
	r.end(t)
	asked := 0
	for _, hit := range r.web.Log() {
		if hit.URL == "http://b.test/gone" {
			asked++
		}
	}
	if asked != 2 || r.result.Stats.Valid != 4 {
		t.Errorf("asked for it %d×, want 2; %+v", asked, r.result.Stats)
	}
}

// Orders that come before the run are not lost: the socket is there first.
func TestBeforeRun(t *testing.T) {
	r := open(t, testweb.Tiny{"http://a.test/held": testweb.NationalPage(1)}, "")
	c := dial(t, r.cfg.Dir)
	if s, err := c.Snapshot(t.Context()); err != nil || s.Job != "test" || s.Elapsed != 0 {
		t.Errorf("before the run: %+v, %v", s, err)
	}
	_, err := c.Pause(t.Context())
	must(t, err)
	_, err = c.Stop(t.Context())
	must(t, err)
	r.run(t.Context())
	r.end(t)
	if r.result.Reason != chain.Stopped || r.result.Counts.Fetched != 0 {
		t.Errorf("a run that was stopped before it began: %+v", r.result)
	}
}

// The socket is for this user alone, goes with the crawl, and a second crawl of
// the job does not take it away.
func TestSocket(t *testing.T) {
	r := open(t, testweb.Tiny{"http://a.test/held": testweb.NationalPage(1)}, "")
	sock := filepath.Join(r.cfg.Dir, folder.StateDir, "control.sock")
	st, err := os.Stat(sock)
	must(t, err)
	if st.Mode() != os.ModeSocket|0o600 {
		t.Errorf("mode of the socket: %v", st.Mode())
	}
	if _, err := control.Serve(r.Job, r.cfg.Dir, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "another crawl answers") {
		t.Errorf("a second server of one job: %v", err)
	}
	must(t, dial(t, r.cfg.Dir).Close())
	must(t, r.server.Close())
	left, err := filepath.Glob(filepath.Join(r.cfg.Dir, folder.StateDir, "*control*"))
	must(t, err)
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	must(t, r.Close())
}

// A running crawl says what robots.txt decides as one at rest does, of more URLs than one request takes.
func TestRobotsOfARunningCrawl(t *testing.T) {
	g := gate{testweb.Tiny{"http://a.test/held": testweb.National(), "http://a.test/robots.txt": testweb.Text("User-agent: *\nDisallow: /no\n")},
		make(chan struct{}), make(chan struct{})}
	r := open(t, g, "")
	r.run(t.Context())
	<-g.asked // robots.txt was read before
	c := dial(t, r.cfg.Dir)
	urls := []string{"http://a.test/no", "http://a.test/yes", "http://b.test/"}
	for range 120 {
		urls = append(urls, "http://a.test/no")
	}
	a, err := c.Robots(t.Context(), urls, "")
	must(t, err)
	if a.Token != "exclave" || a.Policy != "obey" || len(a.URLs) != len(urls) || a.URLs[2].Known {
		t.Fatalf("%d answers of %d: %+v", len(a.URLs), len(urls), a)
	}
	if no := a.URLs[0]; !no.Known || no.Allowed || no.Rule.Number != 2 || no.From != "the state" || !no.Library.Same || no.Read.IsZero() {
		t.Errorf("%+v", no)
	}
	if yes := a.URLs[1]; !yes.Known || !yes.Allowed || yes.Because.Number != "2.2.2" {
		t.Errorf("%+v", yes)
	}
	if other, err := c.Robots(t.Context(), urls[:1], "other"); err != nil || other.Token != "other" {
		t.Errorf("%+v, %v", other, err)
	}
	var refused *control.Error
	if _, err := c.Robots(t.Context(), []string{"ftp://a.test/"}, ""); !errors.As(err, &refused) || refused.Code != 400 {
		t.Errorf("no URL: %v", err)
	}
	close(g.open)
	r.end(t)
}

// The table of docs/howto/control.md has every route, and none that is not there.
func TestRoutesAreDocumented(t *testing.T) {
	r := open(t, testweb.Tiny{"http://a.test/held": testweb.NationalPage(1)}, "")
	page, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), "docs", "howto", "control.md"))
	must(t, err)
	var documented []string
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| `GET /") && !strings.HasPrefix(line, "| `POST /") {
			continue
		}
		row, _, _ := strings.Cut(line[2:], " | ")
		method := ""
		for name := range strings.SplitSeq(row, ", ") {
			name = strings.Trim(name, "`")
			if m, path, ok := strings.Cut(name, " "); ok {
				method, name = m, path
			}
			name, _, _ = strings.Cut(name, "?")
			documented = append(documented, method+" "+name)
		}
	}
	slices.Sort(documented)
	if routes := r.server.Routes(); !slices.Equal(documented, routes) {
		t.Errorf("control.md has\n%q\nthe crawl answers\n%q", documented, routes)
	}
	must(t, r.server.Close())
	must(t, r.Close())
}

// A path that is too long for a socket is no reason to be without one.
func TestLongPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long/", 30))
	must(t, os.MkdirAll(dir, 0o755))
	r := open(t, testweb.Tiny{}, dir)
	if _, err := dial(t, dir).Snapshot(t.Context()); err != nil {
		t.Error(err)
	}
	name, err := os.ReadFile(filepath.Join(dir, folder.StateDir, "control"))
	must(t, err)
	folder := filepath.Dir(string(name))
	st, err := os.Stat(folder)
	must(t, err)
	if st.Mode().Perm() != 0o700 {
		t.Errorf("mode of the folder of the socket: %v", st.Mode())
	}
	must(t, r.server.Close())
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s was left behind: %v", folder, err)
	}
	must(t, r.Close())
}

// What a kill leaves behind is known by nobody listening, and replaced.
func TestStaleSocket(t *testing.T) {
	dir := t.TempDir()
	if _, err := control.Dial(dir); !errors.Is(err, control.ErrNotRunning) {
		t.Errorf("a job that never ran: %v", err)
	}
	state := filepath.Join(dir, folder.StateDir)
	must(t, os.Mkdir(state, 0o755))
	sock := filepath.Join(state, "control.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: sock, Net: "unix"})
	must(t, err)
	l.SetUnlinkOnClose(false)
	must(t, l.Close())
	must(t, os.WriteFile(filepath.Join(state, "control"), []byte(sock+"\n"), 0o644))
	if _, err := control.Dial(dir); !errors.Is(err, control.ErrNotRunning) {
		t.Errorf("a socket with nobody behind it: %v", err)
	}
	r := open(t, testweb.Tiny{}, dir)
	if _, err := dial(t, dir).Snapshot(t.Context()); err != nil {
		t.Error(err)
	}
	must(t, r.server.Close())
	must(t, r.Close())
}

// Whoever asks by other means gets sensible answers: curl --unix-socket.
func TestErrors(t *testing.T) {
	r := open(t, testweb.Tiny{"http://a.test/held": testweb.NationalPage(1)}, "")
	sock := filepath.Join(r.cfg.Dir, folder.StateDir, "control.sock")
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", sock)
	}}
	defer tr.CloseIdleConnections()
	for _, c := range []struct {
		method, path string
		code         int
		says         string
	}{
		{"GET", "/nothing", 404, "there is no GET /nothing"},
		{"GET", "/pause", 404, "there is no GET /pause"}, // asking must not change anything
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, "http://crawl"+c.path, nil)
		must(t, err)
		res, err := tr.RoundTrip(req)
		must(t, err)
		body, err := io.ReadAll(res.Body)
		must(t, errors.Join(err, res.Body.Close()))
		var said struct{ Error string }
		if err := json.Unmarshal(body, &said); err != nil || res.StatusCode != c.code || !strings.Contains(said.Error, c.says) {
			t.Errorf("%s %s: %d %s", c.method, c.path, res.StatusCode, body)
		}
	}
	must(t, r.server.Close())
	must(t, r.Close())
}
