package job_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"

	"exclave/chain"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/clock"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/verify"
	"exclave/internal/live"
	"exclave/internal/testweb"
)

// nameServer passes questions on to another server, or does something else with them.
type nameServer struct {
	addr  string
	asked atomic.Int64
	serve atomic.Pointer[func(w dns.ResponseWriter, q *dns.Msg) bool] // false: the question is passed on
	to    atomic.Pointer[testweb.Server]                              // whose name server that goes
}

func startNameServer(t *testing.T) *nameServer {
	t.Helper()
	pc, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &nameServer{addr: pc.LocalAddr().String()}
	s := &dns.Server{PacketConn: pc, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		n.asked.Add(1)
		if serve := n.serve.Load(); serve != nil && (*serve)(w, q) {
			return
		}
		if m, err := dns.Exchange(q, n.to.Load().DNS()); err == nil {
			_ = w.WriteMsg(m) // the asker went away
		}
	})}
	ended := make(chan error, 1)
	go func() { ended <- s.ActivateAndServe() }()
	t.Cleanup(func() {
		_ = pc.Close() // Shutdown fails when it comes before the start
		if err := <-ended; err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	return n
}

func rcode(code int) func(dns.ResponseWriter, *dns.Msg) bool {
	return func(w dns.ResponseWriter, q *dns.Msg) bool {
		_ = w.WriteMsg(new(dns.Msg).SetRcode(q, code)) // the asker went away
		return true
	}
}

// When no name server answers, the crawl pauses, says so, and goes on when one does; nothing is
// given up, no attempt counts (issue 16: it finished with "has no address" for everything).
func TestNoNameServer(t *testing.T) {
	for why, dead := range map[string]func(dns.ResponseWriter, *dns.Msg) bool{
		"no answer":      func(dns.ResponseWriter, *dns.Msg) bool { return true },
		"REFUSED":        rcode(dns.RcodeRefused),
		"server failure": rcode(dns.RcodeServerFailure),
	} {
		t.Run(why, func(t *testing.T) {
			n := startNameServer(t)
			n.serve.Store(&dead)
			j := newJob(t, testweb.Tiny{
				"http://a.test/": testweb.NationalPage(1, "/1", "http://c.test/"), "http://a.test/1": testweb.NationalPage(2),
				"http://b.test/": testweb.NationalPage(3), "http://c.test/": testweb.NationalPage(4),
			}, func(c *config.Config) {
				c.DNS.Servers, c.DNS.Timeout, c.DNS.Attempts = []string{n.addr}, 200*time.Millisecond, 1
				c.Frontier.DNSRetries = 20 // a slow machine may answer later than that, too
			})
			n.to.Store(j.web)
			j.seeds("http://a.test/", "http://b.test/", "http://nobody.test/")
			b, err := job.Open(t.Context(), j.cfg, job.Options{Version: "test", Software: "exclave/test", Clock: hurried{clock.System()}})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			ended := make(chan error, 1)
			var r job.Result
			go func() {
				var err error
				r, err = b.Run(ctx)
				ended <- err
			}()
			look := time.NewTicker(5 * time.Millisecond)
			defer look.Stop()
			for limit := time.Now().Add(5 * time.Minute); ; <-look.C {
				s := b.Snapshot()
				if s.State == chain.Paused && !s.Unanswered.IsZero() && s.Frontier.InProcess == 0 {
					if text, _ := live.Why(&s); !strings.Contains(text, "no name server answers since ") {
						t.Errorf("why: %s", text)
					}
					if s.Frontier.Finished > 0 || s.Frontier.Retried > 0 || s.Counts.Errors[crawl.ErrorDNS] > 0 {
						t.Errorf("an attempt counted: %+v %+v", s.Frontier, s.Counts)
					}
					break
				}
				select {
				case err := <-ended:
					t.Fatalf("the crawl ended: %v, %s, %+v", err, r.Reason, r.Stats)
				default:
				}
				if time.Now().After(limit) {
					t.Fatalf("never paused: %+v", s)
				}
			}
			var report strings.Builder
			if err := b.Report(t.Context(), "job-report", &report); err != nil || !strings.Contains(report.String(), "status: paused: no name server answers since ") {
				t.Errorf("%v; the report says\n%s", err, report.String())
			}
			b.Resume() // a person cannot
			if s := b.Snapshot(); s.State != chain.Paused {
				t.Errorf("after resume: %s", s.State)
			}
			for asked := n.asked.Load(); n.asked.Load() < asked+3; <-look.C { // it looks whether one answers
			}
			n.serve.Store(nil)
			if err := <-ended; err != nil || r.Reason != chain.Finished {
				t.Fatalf("%v, %s", err, r.Reason)
			}
			if r.Stats.Valid != 4 || r.Stats.Failed != 2 { // nobody.test, and the dns: of it
				t.Errorf("%+v", r.Stats)
			}
			if err := b.Close(); err != nil {
				t.Fatal(err)
			}
			log, err := os.ReadFile(filepath.Join(j.cfg.Dir, folder.LogDir, folder.ProgressLog))
			if err != nil || !strings.Contains(string(log), "CRAWL NO NAME SERVER - ") || !strings.Contains(string(log), "CRAWL NAME SERVER - one answers again") {
				t.Errorf("%v; the log of statistics says\n%s", err, log)
			}
			if defects, err := verify.All(t.Context(), folder.Of(j.cfg, folder.Env{})); err != nil || len(defects) > 0 {
				t.Errorf("%v %v", err, defects)
			}
		})
	}
}

// A name whose own servers fail pauses nothing.
func TestBrokenDomain(t *testing.T) {
	n := startNameServer(t)
	broken := func(w dns.ResponseWriter, q *dns.Msg) bool {
		return strings.HasSuffix(q.Question[0].Name, "broken.test.") && rcode(dns.RcodeServerFailure)(w, q)
	}
	n.serve.Store(&broken)
	j := newJob(t, testweb.Tiny{"http://a.test/": testweb.NationalPage(1)}, func(c *config.Config) {
		c.DNS.Servers, c.DNS.Attempts = []string{n.addr}, 1
	})
	n.to.Store(j.web)
	h := j.run(job.Options{Clock: hurried{clock.System()}}, "http://www.broken.test/", "http://x.broken.test/", "http://a.test/")
	if r := h.result; r.Stats.Valid != 1 || r.Stats.Failed != 4 {
		t.Errorf("%+v", r.Stats)
	}
}
