package job_test

import (
	"bufio"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"exclave/config"
	"exclave/crawl"
	"exclave/internal/job"
	"exclave/internal/job/folder"
)

// Issue 19: a crawl asks a WHOIS server about the domains of pages that it judges, once each, and not again when it
// goes on. Where nobody answers that is said, and is no evidence.
func TestWhois(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if domain, err := bufio.NewReader(c).ReadString('\n'); err == nil {
				asked.Add(1)
				country := "CZ"
				if !strings.HasPrefix(domain, "a.com\r\n") {
					country = "US"
				}
				_, _ = c.Write([]byte("Registrant Name: Jan\r\nRegistrant Country: " + country + "\r\n"))
			}
			_ = c.Close()
		}
	}()
	stop := func() { _ = l.Close(); <-ended }
	defer stop()
	web := tiny(pages{"/v": foreign("/w", "http://b.com/", "http://c.com/"), "/w": foreign(), "http://b.com/": foreign(), "http://c.com/": foreign(),
		"/x": foreign(), "http://d.com/": foreign()})
	j := newJob(t, web, func(c *config.Config) {
		withProfile(t, c, "[[searcher]]\nkind = \"whois\"\npattern = '^registrant country: cz$'\npoints = 10\n")
		c.Whois.Server, c.Whois.MinDelay = l.Addr().String(), 0
	})
	h := j.run(job.Options{}, site+"/v", "http://b.com/")
	if got := strings.Join(h.valid(), " "); got != "http://a.com/v http://a.com/w" || asked.Load() != 3 {
		t.Errorf("valid %s; %d questions\n%s", got, asked.Load(), strings.Join(j.log(crawl.LogAnalysis), "\n"))
	}
	if v := verdictOn(t, j, site+"/w"); !strings.Contains(v, `{"value":"registrant country: cz","where":"whois","count":1}`) {
		t.Errorf("%s", v)
	}
	text, err := os.ReadFile(filepath.Join(j.cfg.Dir, folder.StateDir, folder.WhoisFile))
	if err != nil || strings.Count(string(text), "\n") != 3 || strings.Contains(string(text), "jan") {
		t.Errorf("%s, %v", text, err)
	}
	stop()
	h = j.run(job.Options{}, site+"/x", "http://d.com/")
	if !h.outcomes[site+"/x"].Valid() || h.outcomes["http://d.com/"].Valid() {
		t.Errorf("after a restart: %+v", h.outcomes)
	}
	for _, line := range j.log(crawl.LogCrawl) {
		if strings.Contains(line, " http://d.com/ - ") != strings.Contains(line, "whois:failed") {
			t.Errorf("%s", line)
		}
	}
}
