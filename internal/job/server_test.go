package job_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"exclave/chain/write"
	"exclave/config"
	"exclave/internal/clock"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/verify"
	"exclave/internal/testweb"
	"exclave/warc"
	"exclave/warc/dedup"
	"exclave/warc/dedup/deduptest"
)

// feed gives a server the responses of a harvest.
func feed(t *testing.T, o *deduptest.Outback, h *harvest) {
	t.Helper()
	var lines strings.Builder
	for _, r := range h.records {
		if r.kind == warc.TypeResponse && strings.HasPrefix(r.uri, "http") {
			date, err := time.Parse(time.RFC3339, r.header.Get("WARC-Date"))
			must(t, err)
			fmt.Fprintf(&lines, "- %s %s image/png 200 %s - - 0 0 f.warc.gz\n", date.UTC().Format("20060102150405"), r.uri, strings.TrimPrefix(r.digest, "sha1:"))
		}
	}
	must(t, o.Feed(lines.String()))
}

// proof is what verify says of a job, asking its servers.
type proof struct {
	defects  []string
	unproven int64
	why      error
}

func prove(t *testing.T, cfg *config.Config, offline bool) (p proof) {
	t.Helper()
	servers, err := job.DedupServers(cfg)
	must(t, err)
	must(t, verify.Run(t.Context(), folder.Of(cfg, folder.Env{}), verify.Options{
		Defect:  func(d verify.Defect) { p.defects = append(p.defects, d.String()) },
		Earlier: func(func(string, time.Time, string) error) error { return nil },
		Offline: offline,
		Ask: func(ctx context.Context, url, digest string, date time.Time) (found bool, err error) {
			for _, s := range servers {
				if found, err = s.Has(ctx, dedup.Original{URL: url, Date: date, Digest: digest}); found || err != nil {
					return found, err
				}
			}
			return false, nil
		},
		Unproven: func(n int64, why error) { p.unproven, p.why = n, why },
	}))
	for _, s := range servers {
		s.Close()
	}
	return p
}

// Issue 20: identical payloads against a CDX server. What it has at the same address becomes a revisit record of that capture, also in the same chunks; what it has at
// another address, and pages, are archived whole. verify asks it.
func TestDedupServers(t *testing.T) {
	t.Parallel()
	web := func(chunk int, extra ...string) testweb.Web {
		return conditional{tiny(pages{"/v": national(append([]string{testweb.Img("/1"), testweb.Img("/ch1"), testweb.Img("/ch2"), testweb.Img("/gz1")}, extra...)...), "/1": big(0).With("ETag", `"1"`),
			"/ch1": big(2).Chunked(100), "/ch2": big(3).Chunked(chunk), "/gz1": digits().Encoded("gzip"), "/moved": big(0), "/new": big(4)})}
	}
	old := newJob(t, web(50), thesis).run(job.Options{}, site+"/v")
	o := deduptest.StartOutback(t)
	feed(t, o, old)
	second := newJob(t, web(60, testweb.Img("/moved"), testweb.Img("/new")), func(c *config.Config) { thesis(c); c.Dedup.Servers = []string{o.URL}; c.Dedup.WithinJob = false })
	h := second.run(job.Options{}, site+"/v")
	for _, path := range []string{"/1", "/ch1", "/gz1"} {
		rs, of := h.of(warc.TypeRevisit, site+path), old.of(warc.TypeResponse, site+path)[0]
		if len(rs) != 1 || len(h.of(warc.TypeResponse, site+path)) != 0 {
			t.Errorf("%s: %d revisit records", path, len(rs))
			continue
		}
		date, err := time.Parse(time.RFC3339, of.header.Get("WARC-Date"))
		must(t, err)
		to, err := time.Parse(time.RFC3339, rs[0].header.Get("WARC-Refers-To-Date"))
		if err != nil || !to.Equal(date.Truncate(time.Second)) || rs[0].header.Get("WARC-Refers-To") != "" || rs[0].header.Get("WARC-Refers-To-Target-URI") != site+path || rs[0].digest != of.digest {
			t.Errorf("revisit %v\nof %v", rs[0].header, of.header)
		}
	}
	for _, path := range []string{"/v", "/new", "/moved", "/ch2"} {
		if len(h.of(warc.TypeResponse, site+path)) != 1 {
			t.Errorf("%s is not archived whole", path)
		}
	}
	asked := o.Queries()
	for _, q := range asked {
		if strings.HasSuffix(q.Get("url"), "/v") || strings.HasSuffix(q.Get("url"), "/robots.txt") {
			t.Errorf("asked about %s, which is archived whole", q.Get("url"))
		}
	}
	report, err := os.ReadFile(filepath.Join(second.cfg.Dir, folder.ReportDir, "processors-report.txt"))
	if err != nil || !strings.Contains(string(report), "CDX server "+o.URL+": 6 asked, 3 found, 0 failed") {
		t.Errorf("%v\n%s", err, report)
	}
	if p := prove(t, second.cfg, false); len(p.defects)+int(p.unproven) > 0 || len(o.Queries()) != len(asked)+3 {
		t.Errorf("verify: %+v, %d questions", p, len(o.Queries())-len(asked))
	}

	o.Answer(func(http.ResponseWriter, *http.Request) {}) // nothing is there any more
	if p := prove(t, second.cfg, false); len(p.defects) != 3 || p.unproven != 0 || slices.ContainsFunc(p.defects, func(s string) bool { return !strings.Contains(s, "neither in an index nor on a server") }) {
		t.Errorf("without the originals: %+v", p)
	}
	if p := prove(t, second.cfg, true); len(p.defects) != 0 || p.unproven != 3 {
		t.Errorf("offline: %+v", p)
	}
	o.Fail(1 << 30)
	if p := prove(t, second.cfg, false); len(p.defects) != 0 || p.unproven != 3 || !errors.Is(p.why, dedup.ErrServer) {
		t.Errorf("when it does not answer: %+v", p)
	}
}

// A server that fails costs no page: all is archived whole, it is said once, and it is not asked again for a while.
func TestDedupServerFails(t *testing.T) {
	t.Parallel()
	var tags []string
	web := pages{}
	for i := range byte(12) {
		tags = append(tags, testweb.Img(fmt.Sprint("/", i)))
		web[fmt.Sprint("/", i)] = big(i)
	}
	web["/v"] = national(tags...)
	o := deduptest.StartOutback(t)
	o.Fail(1 << 30)
	j := newJob(t, tiny(web), func(c *config.Config) { thesis(c); c.Dedup.Servers, c.Dedup.ServerConnections = []string{o.URL}, 1 })
	var log bytes.Buffer
	h := j.run(job.Options{Log: slog.New(slog.NewTextHandler(&log, nil))}, site+"/v")
	for i := range 12 {
		if len(h.of(warc.TypeResponse, fmt.Sprint(site, "/", i))) != 1 {
			t.Errorf("/%d is not archived whole", i)
		}
	}
	report, err := os.ReadFile(filepath.Join(j.cfg.Dir, folder.ReportDir, "processors-report.txt"))
	if err != nil || len(o.Queries()) != 3 || strings.Count(log.String(), "is not asked for a while") != 1 || !strings.Contains(string(report), "3 asked, 0 found, 3 failed, 9 not asked while it did not answer") {
		t.Errorf("%d questions; %v\n%s\n%s", len(o.Queries()), err, &log, report)
	}
}

// Three failures in a row give a rest; one question ends it or doubles it, up to ten minutes. What is given up by us is no failure.
func TestServerRests(t *testing.T) {
	t.Parallel()
	o := deduptest.StartOutback(t)
	clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	at, err := dedup.NewServer(dedup.ServerConfig{URL: o.URL, Timeout: time.Minute, Connections: 1})
	must(t, err)
	t.Cleanup(at.Close)
	var log bytes.Buffer
	ask := job.NewServer(at, clk, slog.New(slog.NewTextHandler(&log, nil)))
	q := write.Content{URL: "http://a.cz/", Stored: "sha1:G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK"}
	times := func(n int) (last job.ServerNumbers) {
		for range n {
			_, last = ask(t.Context(), q)
		}
		return last
	}
	want := func(n job.ServerNumbers, asked, failed, skipped int64, resting bool) {
		t.Helper()
		n.Busy = 0
		if w := (job.ServerNumbers{Asked: asked, Failed: failed, Skipped: skipped, Resting: resting}); n != w {
			t.Errorf("%+v, want %+v", n, w)
		}
	}
	o.Fail(2)
	want(times(3), 3, 2, 0, false) // two in a row are none
	o.Fail(1 << 30)
	want(times(2), 5, 4, 0, false)
	ended, end := context.WithCancel(t.Context())
	end()
	_, n := ask(ended, q)
	want(n, 5, 4, 0, false)
	want(times(5), 6, 5, 4, true)
	for rest, skipped := 30*time.Second, int64(4); rest < 24*time.Minute; rest *= 2 {
		clk.Advance(min(rest, 10*time.Minute) - time.Nanosecond)
		_, before := ask(t.Context(), q)
		clk.Advance(time.Nanosecond)
		_, after := ask(t.Context(), q)
		if skipped++; before.Skipped != skipped || after.Skipped != skipped || after.Asked != before.Asked+1 {
			t.Errorf("after %s: %+v, then %+v", rest, before, after)
		}
	}
	clk.Advance(10 * time.Minute)
	_, given := ask(ended, q)
	o.Fail(0)
	if got := times(2); got.Resting || got.Asked != given.Asked+2 {
		t.Errorf("when it answers again: %+v", got)
	}
	if s := log.String(); strings.Count(s, "is not asked for a while") != 1 || strings.Count(s, "answers again") != 1 {
		t.Errorf("%s", s)
	}
}
