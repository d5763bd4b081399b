package post

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"exclave/chain"
	"exclave/chain/decide"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/crawllog"
	"exclave/internal/markup"
	"exclave/internal/mime"
	"exclave/internal/record"
	"exclave/internal/robots"
	"exclave/internal/urlx"
)

var now = time.Date(2011, 6, 23, 17, 12, 8, 802e6, time.UTC)

func process(t testing.TB, u *crawl.CrawlURI, ps ...chain.Processor) {
	t.Helper()
	for _, p := range ps {
		if _, err := p.Process(context.Background(), u); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStateUpdater(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	live := context.Background()
	for _, c := range []struct {
		why    string
		ctx    context.Context
		u      crawl.CrawlURI
		want   crawl.Disposition
		status crawl.Status
	}{
		{"an answer is an answer", live, crawl.CrawlURI{Status: 404}, crawl.Done, 404},
		{"formats.md: 503 passes", live, crawl.CrawlURI{Status: 503}, crawl.Retry, 503},
		{"the last 503 is an answer", live, crawl.CrawlURI{Status: 503, LastAttempt: true}, crawl.Done, 503},
		{"a lost connection passes", live, crawl.CrawlURI{Status: crawl.StatusConnectionLost}, crawl.Retry, -3},
		{"a page that robots.txt forbids stays forbidden (case 29)", live, crawl.CrawlURI{Status: crawl.StatusRobots}, crawl.Done, -9998},
		{"architecture 8: our failure is tried again", live, crawl.CrawlURI{Status: crawl.StatusRuntimeError}, crawl.Retry, -5},
		{"bytes that make us fail do so again: no host rests for hours because of them", live, crawl.CrawlURI{Status: crawl.StatusRuntimeError, Err: errors.New("panic"), Attempt: ownAttempts}, crawl.Done, -5},
		{"what fails because we stop is nobody's failure", ended, crawl.CrawlURI{Status: crawl.StatusTimeout}, crawl.Resign, -4},
		{"what a processor decided stays", live, crawl.CrawlURI{Status: 200, Disposition: crawl.Resign}, crawl.Resign, 200},
		{"a prerequisite goes first", live, crawl.CrawlURI{Status: crawl.StatusDeferred, Prereq: &crawl.Candidate{}}, crawl.Defer, -50},
		{"no processor took it: ftp, or the chain was emptied", live, crawl.CrawlURI{}, crawl.Done, crawl.StatusUnfetchable},
		{"judging needs no status", live, crawl.CrawlURI{Mode: crawl.ModeJudge}, crawl.Done, 0},
		{"a 503 whose capture is in the archive is done", live, crawl.CrawlURI{Status: 503, Span: &crawl.Span{}}, crawl.Done, 503},
	} {
		t.Run(c.why, func(t *testing.T) {
			if _, err := NewStateUpdater().Process(c.ctx, &c.u); err != nil {
				t.Fatal(err)
			}
			if c.u.Disposition != c.want || c.u.Status != c.status {
				t.Errorf("disposition %d, status %v; want %d, %v", c.u.Disposition, c.u.Status, c.want, c.status)
			}
		})
	}
}

func scoper(t testing.TB, cfg ScopeConfig, national ...string) *LinksScoper {
	t.Helper()
	scope, problems := decide.Build(decide.DefaultScope(national...), "", time.Time{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return NewLinksScoper(cfg, scope, crawl.Depths{D: [4]int32{1, -1, -1, -1}}, urlx.Rules{}, clock.NewFake(now))
}

// found is a page judged valid, with the links.
func found(valid uint8, links ...crawl.Outlink) *crawl.CrawlURI {
	return &crawl.CrawlURI{
		Candidate: crawl.Candidate{URL: "http://a.com/", Key: "http://a.com/", Hops: "L", SourceTag: "harvest", Claim: crawl.Claim{Analyse: true}},
		Status:    200, HTTPStatus: 200, Class: crawl.ClassHTML, Judgeable: true, Judged: &crawl.Judgement{ValidFor: valid},
		Outlinks: links,
	}
}

func shown(cs []crawl.Candidate) string {
	var b strings.Builder
	for _, c := range cs {
		fmt.Fprintf(&b, "%s %s kind=%d A=%t B=%t L=%d\n", c.URL, c.Hops, c.Kind, c.Claim.Analyse, c.Claim.Bin, c.Claim.Link[0])
	}
	return b.String()
}

func TestLinksScoper(t *testing.T) {
	nav := func(url string) crawl.Outlink {
		return crawl.Outlink{URL: at(t, url), Hop: 'L', Kind: crawl.LinkNav, Context: "a/@href"}
	}
	embed := func(url string) crawl.Outlink {
		return crawl.Outlink{URL: at(t, url), Hop: 'E', Kind: crawl.LinkEmbed, Context: "img/@src"}
	}
	frame := crawl.Outlink{URL: at(t, "http://f.com/"), Hop: 'E', Kind: crawl.LinkFrame, Context: "iframe/@src"}
	for _, c := range []struct {
		why   string
		u     *crawl.CrawlURI
		links string
		lines []string
	}{
		{
			"systems.md case 27: embeds of archived pages on .cz enter, navigation into .cz does not",
			found(1, embed("http://x.cz/i.png"), nav("http://x.cz/"), nav("http://b.com/")),
			"http://x.cz/i.png LE kind=2 A=false B=false L=1\nhttp://b.com/ LL kind=1 A=false B=false L=1\n",
			[]string{`{"url":"http://x.cz/","via":"http://a.com/","hops":"LL","rule":"hosts","time":"2011-06-23T17:12:08.802Z","source":"harvest"}`},
		}, {
			"links of an invalid page are to be judged, its embeds are parked (case 5)",
			found(0, embed("http://b.com/i.png"), nav("http://b.com/")),
			"http://b.com/i.png LE kind=2 A=false B=false L=0\nhttp://b.com/ LL kind=1 A=true B=false L=0\n",
			nil,
		}, {
			"a link that stands twice on a page leaves one line and one candidate",
			found(1, nav("http://b.com/"), nav("http://x.cz/"), nav("http://b.com/"), nav("http://x.cz/"), crawl.Outlink{URL: at(t, "http://x.cz/"), Hop: 'L', Kind: crawl.LinkNav, Context: "area/@href"}),
			"http://b.com/ LL kind=1 A=false B=false L=1\n",
			[]string{`{"url":"http://x.cz/","via":"http://a.com/","hops":"LL","rule":"hosts","time":"2011-06-23T17:12:08.802Z","source":"harvest"}`},
		}, {
			"link and embed of one address stay apart: a later claim reaches each differently",
			found(1, nav("http://b.com/i.png"), embed("http://b.com/i.png")),
			"http://b.com/i.png LL kind=1 A=false B=false L=1\nhttp://b.com/i.png LE kind=2 A=false B=false L=1\n",
			nil,
		}, {
			"case 13: a frame uses no depth",
			found(1, frame),
			"http://f.com/ LE kind=3 A=false B=false L=2\n",
			nil,
		}, {
			"files of FTP servers are links, too",
			found(1, nav("ftp://b.com/")),
			"ftp://b.com/ LL kind=1 A=false B=false L=1\n", nil,
		}, {
			"ampersands stay readable in the log",
			found(1, nav("http://x.cz/?a=1&b=2")),
			"",
			[]string{`{"url":"http://x.cz/?a=1&b=2","via":"http://a.com/","hops":"LL","rule":"hosts","time":"2011-06-23T17:12:08.802Z","source":"harvest"}`},
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			process(t, c.u, scoper(t, DefaultScopeConfig(), "cz"), NewFrontierScheduler())
			if got := shown(c.u.Links); got != c.links {
				t.Errorf("links\n%swant\n%s", got, c.links)
			}
			var lines []string
			for _, l := range c.u.Lines {
				if l.Log != crawl.LogScope || !strings.HasSuffix(string(l.Text), "\n") {
					t.Errorf("line %q of log %d", l.Text, l.Log)
				}
				lines = append(lines, strings.TrimSuffix(string(l.Text), "\n"))
			}
			if got, want := strings.Join(lines, "\n"), strings.Join(c.lines, "\n"); got != want {
				t.Errorf("lines\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Lists of a calendar that the scope leaves out are counted: a page of nothing else leads nowhere.
func TestCalendarLinks(t *testing.T) {
	u := found(1)
	for _, url := range []string{"http://b.com/calendar/2031/05/12/", "http://b.com/calendar/2031/05/13/", "http://b.com/calendar/2031/05/13/", "http://x.cz/", "http://b.com/"} {
		u.Outlinks = append(u.Outlinks, crawl.Outlink{URL: at(t, url), Hop: 'L', Kind: crawl.LinkNav})
	}
	process(t, u, scoper(t, DefaultScopeConfig(), "cz"))
	if u.CalendarLinks != 2 || len(u.Links) != 1 {
		t.Errorf("%d lists of a calendar, want 2, and %d links", u.CalendarLinks, len(u.Links))
	}
}

// Case 13: a frame within frames beyond the limit is a link: it uses depth up.
func TestFrameBeyondTheLimit(t *testing.T) {
	u := found(1, crawl.Outlink{URL: at(t, "http://f.com/"), Hop: 'E', Kind: crawl.LinkFrame})
	u.Hops, u.Judged, u.Claim.Link[0] = "LEE", nil, 2
	process(t, u, scoper(t, DefaultScopeConfig()))
	if got, want := shown(u.Links), "http://f.com/ LEEE kind=1 A=false B=false L=1\n"; got != want {
		t.Errorf("%swant %s", got, want)
	}
}

// ADR 35: frames of a valid page are counted from it.
func TestFrameOfValidPage(t *testing.T) {
	u := found(1, crawl.Outlink{URL: at(t, "http://f.com/"), Hop: 'E', Kind: crawl.LinkFrame})
	u.Hops = "LEE"
	process(t, u, scoper(t, DefaultScopeConfig()))
	if got, want := shown(u.Links), "http://f.com/ LEEE kind=3 A=false B=false L=2\n"; got != want {
		t.Errorf("%swant %s", got, want)
	}
}

// HTML standard: robots meta nofollow is about links readers follow.
func TestNofollow(t *testing.T) {
	links := []crawl.Outlink{{URL: at(t, "http://b.com/"), Hop: 'L', Kind: crawl.LinkNav}, {URL: at(t, "http://b.com/i.png"), Hop: 'E', Kind: crawl.LinkEmbed},
		{URL: at(t, "http://b.com/ad"), Hop: 'L', Kind: crawl.LinkNav, NoFollow: true}, {URL: at(t, "http://b.com/by-script"), Hop: 'L', Kind: crawl.LinkNav, PageNoFollow: true}, {URL: at(t, "http://b.com/s.png"), Hop: 'E', Kind: crawl.LinkEmbed, PageNoFollow: true}}
	for _, c := range []struct {
		why       string
		meta, rel bool   // obeyed
		field     string // X-Robots-Tag
		page      bool   // has the meta element
		want      int
	}{
		{"meta", true, false, "", true, 2}, {"meta is not obeyed", false, false, "", true, 5}, {"header", true, false, "nofollow", false, 2},
		{"header for us", true, false, "exclave: none", false, 2}, {"header for another", true, false, "otherbot: nofollow", false, 4},
		{"rel", true, true, "", false, 3}, {"rel is not obeyed", true, false, "", false, 4},
	} {
		u := found(1, links...)
		u.Doc = &markup.Doc{Robots: robots.Directives{NoFollow: c.page}}
		u.Headers = append(u.Headers, crawl.Header{Name: "x-robots-tag", Value: c.field})
		cfg := DefaultScopeConfig()
		cfg.ObeyNofollow, cfg.ObeyRelNofollow, cfg.Token = c.meta, c.rel, "exclave"
		process(t, u, scoper(t, cfg))
		if len(u.Links) != c.want {
			t.Errorf("%s: %d links", c.why, len(u.Links))
		}
	}
}

// systems.md, System 2: optionally only links to other hosts are followed; what a page
// embeds is not a link.
func TestOtherHostsOnly(t *testing.T) {
	cfg := DefaultScopeConfig()
	cfg.OtherHostsOnly = true
	u := found(1, crawl.Outlink{URL: at(t, "http://a.com/own"), Hop: 'L', Kind: crawl.LinkNav}, crawl.Outlink{URL: at(t, "http://b.com/"), Hop: 'L', Kind: crawl.LinkNav},
		crawl.Outlink{URL: at(t, "http://a.com/i.png"), Hop: 'E', Kind: crawl.LinkEmbed})
	u.Host = "a.com"
	process(t, u, scoper(t, cfg))
	if len(u.Links) != 2 || u.Links[0].URL != "http://b.com/" || u.Links[1].URL != "http://a.com/i.png" {
		t.Errorf("%s", shown(u.Links))
	}
}

// systems.md case 15: the target of a redirect has its claims; the frontier
// expects it first.
func TestRedirect(t *testing.T) {
	u := found(0, crawl.Outlink{URL: at(t, "http://b.com/s.css"), Hop: 'E', Kind: crawl.LinkEmbed},
		crawl.Outlink{URL: at(t, "https://a.com/"), Hop: 'R', Kind: crawl.LinkRedirect, Context: "Location:"})
	u.Class, u.Judged, u.Claim = crawl.ClassRedirect, nil, crawl.Claim{Analyse: true, Link: [4]int32{3}, Keep: true}
	process(t, u, scoper(t, DefaultScopeConfig()), NewFrontierScheduler())
	if got := u.Links[0]; got.URL != "https://a.com/" || got.Kind != crawl.LinkRedirect || got.Hops != "LR" || got.SourceTag != "harvest" ||
		got.Claim != (crawl.Claim{Analyse: true, Link: [4]int32{3}}) || got.Via != "http://a.com/" || got.Host != "a.com" || got.Key != "https://a.com/" {
		t.Errorf("%+v", got)
	}
}

// A URI that is tried again must not leave links or lines of this try.
func TestNotDone(t *testing.T) {
	u := found(1, crawl.Outlink{URL: at(t, "http://x.cz/"), Hop: 'L', Kind: crawl.LinkNav})
	u.Disposition, u.Links = crawl.Retry, []crawl.Candidate{{URL: "http://b.com/"}}
	clk := clock.NewFake(now)
	process(t, u, scoper(t, DefaultScopeConfig(), "cz"), NewFrontierScheduler(), NewCrawlLog(nil, clk), NewAnalysisLog(clk))
	if len(u.Lines) > 0 || len(u.Links) > 0 {
		t.Errorf("lines %v, links %v", u.Lines, u.Links)
	}
}

// A page judged from the archive hands its links on with new claims; what the
// scope refuses was logged when the page was fetched.
func TestJudgedFromTheArchive(t *testing.T) {
	u := found(1, crawl.Outlink{URL: at(t, "http://x.cz/"), Hop: 'L', Kind: crawl.LinkNav}, crawl.Outlink{URL: at(t, "http://b.com/"), Hop: 'L', Kind: crawl.LinkNav})
	u.Mode, u.Prior = crawl.ModeJudge, &crawl.Prior{Outcome: crawl.Outcome{Status: 200, Class: crawl.ClassHTML, Archived: true}}
	process(t, u, scoper(t, DefaultScopeConfig(), "cz"))
	if got, want := shown(u.Links), "http://b.com/ LL kind=1 A=false B=false L=1\n"; got != want || len(u.Lines) > 0 {
		t.Errorf("%swant %s, lines %v", got, want, u.Lines)
	}
}

// A page that failed after its links were found must not hand on claims as if it
// were archived.
func TestFailedPageHasNoLinks(t *testing.T) {
	u := found(1, crawl.Outlink{URL: at(t, "http://b.com/"), Hop: 'L', Kind: crawl.LinkNav})
	u.Status, u.LastAttempt = crawl.StatusRuntimeError, true
	process(t, u, NewStateUpdater(), scoper(t, DefaultScopeConfig()), NewFrontierScheduler())
	if u.Disposition != crawl.Done || len(u.Links) > 0 {
		t.Errorf("disposition %d, links %v", u.Disposition, u.Links)
	}
}

// The hop path is bounded, or a trap would make every record of the state grow.
func TestHopPathIsBounded(t *testing.T) {
	u := found(1, crawl.Outlink{URL: at(t, "http://b.com/"), Hop: 'E', Kind: crawl.LinkEmbed})
	u.Hops = strings.Repeat("L", decide.MaxHopPath)
	s := scoper(t, DefaultScopeConfig())
	c := s.candidate(u, u.Outcome(), u.Outlinks[0])
	if len(c.Hops) != decide.MaxHopPath || !strings.HasSuffix(c.Hops, "LE") {
		t.Errorf("%d letters, %q", len(c.Hops), c.Hops)
	}
}

func TestAnalysisLog(t *testing.T) {
	u := found(1)
	u.MIME, u.Digest, u.Via = mime.Info{Type: "text/html"}, "sha1:X", "http://v.cz/?a&b"
	u.Judged.JSON = []byte(`[{"profile":"cz","valid":true}]`)
	process(t, u, NewAnalysisLog(clock.NewFake(now)))
	want := `{"time":"2011-06-23T17:12:08.802Z","url":"http://a.com/","via":"http://v.cz/?a&b","source":"harvest","status":200,"mime":"text/html","digest":"sha1:X","valid":true,"archived":false,"verdicts":[{"profile":"cz","valid":true}]}` + "\n"
	if len(u.Lines) != 1 || u.Lines[0].Log != crawl.LogAnalysis || string(u.Lines[0].Text) != want {
		t.Errorf("%s\nwant\n%s", u.Lines[0].Text, want)
	}
	var got map[string]any
	if err := json.Unmarshal(u.Lines[0].Text, &got); err != nil {
		t.Error(err)
	}
}

// sample is the line of Heritrix's manual, whose third field is the body alone, with
// the thirteenth that Heritrix's logExtraInfo adds: contentSize has the header too.
const sample = `2011-06-23T17:12:08.802Z   200       1299 http://example.com/robots.txt LREP http://example.com/x text/plain #014 20110623171208574+225 sha1:YIUOKDGOLGI5JYHDTXRFFQ5FF4N2EJRV - - {"contentSize":1318}`

// fetched is a URI with an answer of a header of 19 bytes and a body.
func fetched(t testing.TB, body int) *crawl.CrawlURI {
	t.Helper()
	const head = "HTTP/1.1 200 OK\r\n\r\n"
	rec, err := record.Load(strings.NewReader(head+strings.Repeat("x", body)), t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rec.Close() })
	return &crawl.CrawlURI{
		Candidate: crawl.Candidate{URL: "http://example.com/robots.txt", Hops: "LREP", Via: "http://example.com/x"},
		Attempt:   1, Worker: 14, Status: 200, Rec: rec, MIME: mime.Info{Type: "text/plain"},
		Started: time.Date(2011, 6, 23, 17, 12, 8, 574e6, time.UTC), Took: 225 * time.Millisecond,
		Digest: "sha1:YIUOKDGOLGI5JYHDTXRFFQ5FF4N2EJRV",
	}
}

// dns is a recording without a header.
func dns(t *testing.T, size int) *record.Recording {
	t.Helper()
	rec := record.New(t.TempDir(), 1<<20)
	t.Cleanup(func() { _ = rec.Close() })
	if _, err := rec.Write(make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	return rec
}

// formats.md: write it exactly, tools that libraries own read it.
func TestCrawlLogLine(t *testing.T) {
	for _, c := range []struct {
		why  string
		edit func(u *crawl.CrawlURI)
		file string
		want string
	}{
		{"the sample of the manual", func(*crawl.CrawlURI) {}, "", sample},
		{"a seed, archived, judged, with everything that can be said of it", func(u *crawl.CrawlURI) {
			u.Hops, u.Via, u.SourceTag, u.Attempt, u.Truncated, u.Dropped = "", "", "my seeds", 3, crawl.TruncLength, 7
			u.Annotations = []string{"redacted", "valid:120", "redacted"}
			u.Claim = crawl.Claim{Bin: true, Link: [4]int32{0, 3, 1}}
			u.Response = crawl.Ref{File: 1, Offset: 512, Length: 9}
			u.Simhash, u.TextHash = "00000000000000ff", "0123456789abcdef"
		}, "EXCLAVE-1.warc.gz", `2011-06-23T17:12:08.802Z   200       1299 http://example.com/robots.txt - - text/plain #014 20110623171208574+225 sha1:YIUOKDGOLGI5JYHDTXRFFQ5FF4N2EJRV my%20seeds 3t,lenTrunc,dol:7,redacted,valid:120,validLink:2,binLink {"contentSize":1318,"warcFilename":"EXCLAVE-1.warc.gz","warcFileOffset":512,"simhash":"00000000000000ff","textHash":"0123456789abcdef"}`},
		{"the size of an answer without a body is 0, as in Heritrix", func(u *crawl.CrawlURI) { *u = *fetched(t, 0) }, "",
			strings.NewReplacer(" 1299", "    0", "1318", "19").Replace(sample)},
		{"what has no header is its own body: the answer of a name server", func(u *crawl.CrawlURI) {
			u.URL, u.Status, u.Rec = "dns:example.com", crawl.StatusDNS, dns(t, 52)
		}, "", strings.NewReplacer("  200 ", "    1 ", "1299", "  52", "http://example.com/robots.txt", "dns:example.com", "1318", "52").Replace(sample)},
		{"a server that said nothing has no size", func(u *crawl.CrawlURI) { u.Status, u.Rec = -4, dns(t, 0) }, "",
			strings.NewReplacer("  200 ", "   -4 ", "1299", "   -", ` {"contentSize":1318}`, "").Replace(sample)},
		{"nothing was fetched: Heritrix's code, widths and dashes", func(u *crawl.CrawlURI) {
			*u = crawl.CrawlURI{Candidate: crawl.Candidate{URL: "http://a.com/"}, Status: crawl.StatusRobots, Worker: 1}
		}, "", `2011-06-23T17:12:08.802Z -9998          - http://a.com/ - - unknown #001 - - - robotExcluded`},
		{"the last 50 of 57 hops", func(u *crawl.CrawlURI) { u.Hops = "RRRRRRR" + strings.Repeat("L", 49) + "E" }, "",
			strings.Replace(sample, "LREP", "7+"+strings.Repeat("L", 49)+"E", 1)},
		{"a stranger's blanks and line ends split no field", func(u *crawl.CrawlURI) {
			u.URL, u.Via, u.MIME.Type, u.Annotations = "http://a.com/\n2011 x", "http://a.com/\u2028\u00a0", "text/\tplain", []string{"err=a, b\r\n"}
		}, "", `2011-06-23T17:12:08.802Z   200       1299 http://a.com/%0A2011%20x LREP http://a.com/%E2%80%A8%C2%A0 text/%09plain #014 20110623171208574+225 sha1:YIUOKDGOLGI5JYHDTXRFFQ5FF4N2EJRV - err=a%2C%20b%0D%0A {"contentSize":1318}`},
		{"judged from the archive: no bytes came, so none are counted", func(u *crawl.CrawlURI) {
			u.Mode, u.Status, u.Digest, u.Started = crawl.ModeJudge, 0, "", time.Time{}
			u.Prior = &crawl.Prior{Outcome: crawl.Outcome{Status: 200}, PayloadDigest: "sha1:Y"}
			u.Annotations = []string{"invalid:0"}
		}, "", `2011-06-23T17:12:08.802Z   200          - http://example.com/robots.txt LREP http://example.com/x text/plain #014 - sha1:Y - judged,invalid:0`},
		{"a slow and large one is wider than its column, as in Heritrix", func(u *crawl.CrawlURI) {
			u.Worker, u.Took, u.Truncated = 1234, -time.Second, crawl.TruncTime
		}, "", strings.NewReplacer("#014", "#1234", "+225", "+0", " - -", " - timeTrunc").Replace(sample)},
	} {
		t.Run(c.why, func(t *testing.T) {
			u := fetched(t, 1299)
			c.edit(u)
			got := string(CrawlLogLine(u, c.file, now))
			if got != c.want+"\n" {
				t.Errorf("line\n%swant\n%s", got, c.want)
			}
			e, err := crawllog.Parse(got)
			if err != nil {
				t.Fatal(err)
			}
			if e.URL == "" || e.Worker != u.Worker || e.WARCFilename != c.file || !e.Time.Equal(now) {
				t.Errorf("read back %+v", e)
			}
		})
	}
}

// What is written is read again, whatever strangers put into the fields.
func FuzzCrawlLogLine(f *testing.F) {
	f.Add("http://a.com/", "LRE", "http://b.com/", "src", "err=a, b", "text/html")
	f.Add("http://a.com/\n2011 x", "", "\u2028\u00a0", "-", "", "text/\tplain")
	f.Fuzz(func(t *testing.T, url, hops, via, source, word, mime string) {
		if url == "" || strings.Trim(hops, "LEPRX") != "" {
			return // no URI has them
		}
		u := &crawl.CrawlURI{Candidate: crawl.Candidate{URL: url, Hops: hops, Via: via, SourceTag: source}, Annotations: []string{word}}
		u.MIME.Type = mime
		out := string(CrawlLogLine(u, "", now))
		if strings.Count(out, "\n") != 1 {
			t.Fatalf("%q", out)
		}
		e, err := crawllog.Parse(out)
		if err != nil || e.EarlierHops+len(e.Hops) != len(hops) || len(e.Annotations) > 1 {
			t.Errorf("%q: %+v %v", out, e, err)
		}
	})
}

func BenchmarkCrawlLogLine(b *testing.B) {
	u := fetched(b, 1299)
	for b.Loop() {
		CrawlLogLine(u, "EXCLAVE-1.warc.gz", now)
	}
}

// at is an address.
func at(t testing.TB, url string) *urlx.URL {
	t.Helper()
	u, err := urlx.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
