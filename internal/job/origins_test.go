package job_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"exclave/chain"
	"exclave/config"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/verify"
	"exclave/internal/testweb"
)

// A closed port 443 keeps nothing else of the host waiting, and what waits for it is told
// (docs/adr/0036).
func TestClosedPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	j := newJob(t, testweb.Tiny{
		"http://a.test/":  testweb.NationalPage(1, "/1", "https://a.test/1"),
		"http://a.test/1": testweb.NationalPage(2, "/2"),
		"http://a.test/2": testweb.NationalPage(3),
	}, func(c *config.Config) {
		c.HTTP.ConnectTo["*:443"] = closed
		c.Frontier.RetryDelay = 15 * time.Minute
	})
	j.seeds("https://a.test/", "http://a.test/")
	b, err := job.Open(t.Context(), j.cfg, job.Options{Version: "test", Software: "exclave/test"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() {
		r, err := b.Run(ctx)
		if r.Reason != chain.Stopped {
			t.Errorf("the crawl ended as %s", r.Reason)
		}
		ended <- err
	}()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for limit := time.Now().Add(5 * time.Minute); b.Snapshot().Frontier.Archived < 3 || b.Snapshot().Frontier.InProcess > 0; <-look.C {
		if time.Now().After(limit) {
			t.Fatalf("the pages of http are not crawled: %+v", b.Snapshot())
		}
	}
	q, err := b.Queue(t.Context(), "a.test")
	if err != nil || len(q.Origins) != 1 || q.Origins[0].Origin != "https://a.test" || !strings.Contains(q.Why, "https://a.test backs off until ") {
		t.Errorf("%v; told of the queue: %+v", err, q)
	}
	why, err := b.Why(t.Context(), "https://a.test/1")
	if err != nil || !strings.Contains(strings.Join(why.Sentences, "\n"), "https://a.test backs off until ") {
		t.Errorf("%v; told of a URI that waits: %v", err, why)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if defects, err := verify.All(t.Context(), folder.Of(j.cfg, folder.Env{})); err != nil || len(defects) > 0 {
		t.Errorf("%v %v", err, defects)
	}
}
