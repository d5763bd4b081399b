package job_test

import (
	"bufio"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"

	"exclave/config"
	"exclave/crawl"
	"exclave/internal/job"
	"exclave/internal/job/jobtest"
	"exclave/internal/job/rebuild"
	"exclave/internal/testweb"
	"exclave/internal/testweb/ftpweb"
)

// A page of the nation leads to a directory of an FTP server: it is archived with what is in it, as far as the depth says, with what
// was said to the server; a seed of WHOIS is archived with the answer that it refers to. The state can be made anew from that.
func TestFTP(t *testing.T) {
	t.Parallel()
	const gif89 = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
	files, err := ftpweb.Start(map[string]string{"/pub/readme.txt": "soubory\r\n", "/pub/hlava.html": `<a href="/pub/deep/far.txt">x</a><img src="i.gif">`,
		"/pub/i.gif": gif89, "/pub/deep/far.txt": "far", "/other": "not linked"}, ftpweb.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, files.Close()) })
	whois := whoisPeer(t, map[string]string{"firma.cz": "refer: whois.nic.cz\r\n"})
	registry := whoisPeer(t, map[string]string{"firma.cz": "domain: firma.cz\r\ncountry: CZ\r\n"})
	web := testweb.Tiny{
		"http://a.test/":           testweb.National("ftp://ftp.test/pub"),
		"http://whois.iana.org/":   testweb.Foreign(), // the names are known
		"http://whois.nic.cz/":     testweb.Foreign(),
		"http://ftp.test/":         testweb.Foreign(),
		"http://a.test/robots.txt": testweb.Text("User-agent: *\nDisallow: /x\n"),
	}
	j := newJob(t, web, func(c *config.Config) {
		c.Analysis.Depth = 3
		c.HTTP.ConnectTo["ftp.test:21"], c.HTTP.ConnectTo["whois.iana.org:43"], c.HTTP.ConnectTo["whois.nic.cz:43"] = files.Addr(), whois, registry
	})
	h := j.run(job.Options{}, "http://a.test/", "whois:firma.cz")
	want := map[string]crawl.Status{
		"ftp://ftp.test/pub": 250, "ftp://ftp.test/pub/": 226, "ftp://ftp.test/pub/readme.txt": 226, "ftp://ftp.test/pub/hlava.html": 226,
		"ftp://ftp.test/pub/i.gif": 226, "ftp://ftp.test/pub/deep": 250, "ftp://ftp.test/pub/deep/": 226, "ftp://ftp.test/pub/deep/far.txt": 226,
		"whois://whois.iana.org/firma.cz": 2001, "whois://whois.nic.cz/firma.cz": 2001,
	}
	got := map[string]crawl.Status{}
	for u, o := range h.outcomes {
		if !strings.HasPrefix(u, "ftp:") && !strings.HasPrefix(u, "whois:") {
			continue
		}
		got[u] = o.Status
		if !o.Archived {
			t.Errorf("%s: %+v", u, o)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("fetched\n%v\nwant\n%v", got, want)
	}
	gif := h.of("resource", "ftp://ftp.test/pub/i.gif")
	if len(gif) != 1 || string(gif[0].block) != gif89 || gif[0].header.Get("Content-Type") != "image/gif" || gif[0].header.Get("WARC-IP-Address") != "127.0.0.1" {
		t.Errorf("%v", gif)
	}
	said := h.of("metadata", "urn:exclave:further:ftp://ftp.test/pub/i.gif")
	if i := slices.IndexFunc(said, func(r warcRecord) bool { return r.header.Get("Content-Type") == "text/x-ftp-control-conversation" }); i < 0 ||
		!strings.Contains(string(said[i].block), "\r\n> RETR pub/i.gif\r\n") || said[i].header.Get("WARC-Concurrent-To") != gif[0].header.Get("WARC-Record-ID") {
		t.Errorf("%v", said)
	}
	if r := h.of("response", "whois://whois.nic.cz/firma.cz"); len(r) != 1 || !strings.Contains(string(r[0].block), "country: CZ") || r[0].header.Get("Content-Type") != "text/plain" {
		t.Errorf("%v", r)
	}
	if log := strings.Join(j.log(crawl.LogCrawl), "\n"); !strings.Contains(log, " 226         43 ftp://ftp.test/pub/i.gif ") || !strings.Contains(log, " image/gif #") {
		t.Error(log)
	}
	s, err := jobtest.Show(t.Context(), j.cfg, "ftp://ftp.test/pub/i.gif")
	if must(t, err); !s.Known || len(s.Records) == 0 {
		t.Errorf("%+v", s)
	}
	loseState(t, j.cfg)
	recoverJob(t, j.cfg, rebuild.Options{})
	after, err := job.Outcomes(t.Context(), j.cfg)
	must(t, err)
	for u, o := range h.outcomes {
		if after[u] != o {
			t.Errorf("%s: %+v, made anew %+v", u, o, after[u])
		}
	}
}

// What a sheet sets for a SURT prefix of FTP holds for what is fetched there: sizes, and the budget of the host.
func TestFTPBySheet(t *testing.T) {
	t.Parallel()
	files, err := ftpweb.Start(map[string]string{"/a": strings.Repeat("a", 100), "/b": "b", "/c": "c", "/d": "d"}, ftpweb.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, files.Close()) })
	j := newJob(t, testweb.Tiny{"http://ftp.test/": testweb.Foreign()}, func(c *config.Config) { c.HTTP.ConnectTo["ftp.test:21"] = files.Addr() })
	sheetFile(t, j.cfg, "[[sheet]]\nname = \"ftp\"\nsurts = [\"ftp://(test,ftp,)/\"]\n[sheet.http]\nmax_size = 10\n[sheet.limits]\nhost_documents = 3\n")
	h := j.run(job.Options{}, "ftp://ftp.test/a", "ftp://ftp.test/b", "ftp://ftp.test/c", "ftp://ftp.test/d")
	if n := len(h.outcomes) - 1; n != 3 { // beside the name of the host
		t.Errorf("%d within the budget: %v", n, h.outcomes)
	}
	if o := h.outcomes["ftp://ftp.test/a"]; o.Status != 226 || !o.Truncated {
		t.Errorf("%+v", o)
	}
}

// whoisPeer is a WHOIS server with answers by question.
func whoisPeer(t *testing.T, answers map[string]string) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ended := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-ended })
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if question, err := bufio.NewReader(c).ReadString('\n'); err == nil {
				_, _ = io.WriteString(c, answers[strings.TrimSpace(question)])
			}
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}
