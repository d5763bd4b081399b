package resolve

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// TestFlight: ten who ask for a name at once ask once, and who leaves does not end it for the others.
func TestFlight(t *testing.T) {
	const n = 10
	var questions atomic.Int32
	full := zone(t, testZone)
	asked, answer := make(chan struct{}), make(chan struct{})
	r := resolver(t, func(c *Config) { c.Timeout = time.Hour }, serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
		if questions.Add(1) == 1 {
			close(asked)
		}
		<-answer
		full(w, q)
	}))
	first, leave := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := r.Lookup(first, "a.cz"); !errors.Is(err, context.Canceled) {
			t.Errorf("who left got %v", err)
		}
	})
	<-asked
	for range n {
		wg.Go(func() {
			if a, err := r.Lookup(t.Context(), "a.cz"); err != nil || len(a.Addrs) != 2 {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
	for waiting := 0; waiting < n+1; {
		r.flights.mu.Lock()
		waiting = r.flights.by[question{"a.cz.", dns.TypeA}].waiting
		r.flights.mu.Unlock()
	}
	leave()
	close(answer)
	wg.Wait()
	if q := questions.Load(); q != 1 {
		t.Errorf("asked %d times", q)
	}
	if len(r.flights.by) != 0 {
		t.Errorf("%d questions are kept", len(r.flights.by))
	}
}

// lossy answers every name of the form n.test with an address, and loses a share of the questions
// and of the answers.
func lossy(share float64, questions *atomic.Int64) dns.HandlerFunc {
	return func(w dns.ResponseWriter, q *dns.Msg) {
		questions.Add(1)
		if question, answer := rand.Float64(), rand.Float64(); question < share || answer < share {
			return
		}
		m := new(dns.Msg).SetReply(q)
		m.Answer = []dns.RR{&dns.A{
			Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 3600}, A: net.IPv4(192, 0, 2, 1),
		}}
		_ = w.WriteMsg(m)
	}
}

// TestLoss: of 500 names none is lost with a fifth of the questions and of the answers.
func TestLoss(t *testing.T) {
	var questions atomic.Int64
	r := resolver(t, func(c *Config) { c.Timeout, c.Attempts, c.Rate = time.Second, 5, 0 }, serve(t, lossy(0.2, &questions)))
	if lost := lookupAll(t, r, 500, 250); lost != 0 {
		t.Errorf("%d names lost", lost)
	}
	if questions.Load() < 600 {
		t.Errorf("%d questions: nothing was sent again", questions.Load())
	}
}

// lookupAll looks n names up, so many at once, and returns how many were not found.
func lookupAll(tb testing.TB, r *Resolver, n, atOnce int) int64 {
	tb.Helper()
	var next, lost atomic.Int64
	var wg sync.WaitGroup
	for range atOnce {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				if _, err := r.Lookup(tb.Context(), fmt.Sprintf("n%d.test", i)); err != nil {
					lost.Add(1)
				}
			}
		})
	}
	wg.Wait()
	return lost.Load()
}

// BenchmarkNames looks 20,000 names up, 250 at once, with no packet lost, and with one in twenty lost each way.
func BenchmarkNames(b *testing.B) {
	for _, share := range []float64{0, 0.05} {
		b.Run(fmt.Sprintf("loss=%v", share), func(b *testing.B) {
			const n = 20000
			var questions atomic.Int64
			c := DefaultConfig()
			c.Servers, c.Rate = []string{serve(b, lossy(share, &questions))}, 0
			r, err := New(c)
			if err != nil {
				b.Fatal(err)
			}
			var lost int64
			for b.Loop() {
				lost += lookupAll(b, r, n, 250)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "names/s")
			b.ReportMetric(float64(lost)/float64(b.N), "lost/op")
			b.ReportMetric(float64(questions.Load())/float64(b.N), "questions/op")
		})
	}
}

// TestRate: the second question has to wait, which a deadline shows at once; and so has one that
// is to be sent again.
func TestRate(t *testing.T) {
	var questions atomic.Int32
	server := serve(t, func(dns.ResponseWriter, *dns.Msg) { questions.Add(1) })
	r := resolver(t, func(c *Config) { c.Timeout, c.Attempts, c.Rate = 100*time.Millisecond, 1, 1e-6 }, server)
	if _, err := r.Lookup(t.Context(), "a.cz"); err == nil {
		t.Error("an answer came from nowhere")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	if _, err := r.roundTrip(ctx, "udp", 0, new(dns.Msg).SetQuestion("b.cz.", dns.TypeA)); err == nil || ctx.Err() != nil {
		t.Errorf("a second question: %v", err)
	}
	if q := questions.Load(); q != 1 {
		t.Errorf("asked %d times", q)
	}
}

// TestNegative: RFC 2308 §5, the lesser of the SOA record's TTL and its last field, bounded.
func TestNegative(t *testing.T) {
	with := func(code int, ttl, minimum uint32) dns.HandlerFunc {
		return func(w dns.ResponseWriter, q *dns.Msg) {
			m := new(dns.Msg).SetRcode(q, code)
			m.Ns = []dns.RR{&dns.SOA{
				Hdr: dns.RR_Header{Name: "cz.", Rrtype: dns.TypeSOA, Class: dns.ClassINET, Ttl: ttl}, Ns: "a.", Mbox: "b.", Minttl: minimum,
			}}
			_ = w.WriteMsg(m)
		}
	}
	for _, c := range []struct {
		why    string
		answer dns.HandlerFunc
		want   time.Duration
	}{
		{"no such name", with(dns.RcodeNameError, 3600, 1800), 30 * time.Minute},
		{"no such record", with(dns.RcodeSuccess, 1200, 1800), 20 * time.Minute},
		{"less than min_ttl", with(dns.RcodeNameError, 5, 5), 10 * time.Minute},
		{"more than three hours", with(dns.RcodeNameError, 86400, 86400), 3 * time.Hour},
		{"no SOA record", fail(dns.RcodeNameError), time.Hour},
	} {
		_, err := resolver(t, nil, serve(t, c.answer)).Lookup(t.Context(), "a.cz")
		var e *Error
		if !errors.As(err, &e) || e.Class != NotFound || e.TTL != c.want {
			t.Errorf("%s: %+v, want %v", c.why, e, c.want)
		}
	}
}
