package resolve

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// A host whose own servers fail is told from name servers that answer nothing, whatever way they
// do not: a name that nobody can have asked for before, under the same top-level domain, shows it.
func TestWatch(t *testing.T) {
	records := zone(t, "a.test. 60 A 127.0.0.1")
	broken := func(w dns.ResponseWriter, q *dns.Msg) {
		if strings.HasSuffix(q.Question[0].Name, "broken.test.") {
			fail(dns.RcodeServerFailure)(w, q)
			return
		}
		records(w, q)
	}
	// A server that only knows the domain test, and refuses what others are asked for.
	private := func(w dns.ResponseWriter, q *dns.Msg) {
		if !strings.HasSuffix(q.Question[0].Name, ".test.") {
			fail(dns.RcodeRefused)(w, q)
			return
		}
		records(w, q)
	}
	brokenTop := func(w dns.ResponseWriter, q *dns.Msg) {
		if strings.HasSuffix(q.Question[0].Name, ".broken.") {
			fail(dns.RcodeServerFailure)(w, q)
			return
		}
		records(w, q)
	}
	for _, c := range []struct {
		why, host string
		serve     dns.HandlerFunc
		class     Class // 0: it has an address
		silent    bool
	}{
		{"a host with an address", "a.test", records, 0, false},
		{"a name that does not exist", "nobody.test", records, NotFound, false},
		{"a domain whose servers fail", "www.broken.test", broken, ServFail, false},
		{"a top-level domain whose servers fail", "www.site.broken", brokenTop, ServFail, false},
		{"a top-level domain that the server knows nothing of, nor of others", "www.site.broken", private, ServFail, true},
		{"a server that can ask nobody", "a.test", fail(dns.RcodeServerFailure), ServFail, true},
		{"a server that refuses all", "a.test", fail(dns.RcodeRefused), ServFail, true},
		{"a server that says nothing sensible", "a", func(w dns.ResponseWriter, _ *dns.Msg) { _, _ = w.Write([]byte("?")) }, Malformed, true},
		{"no DNS name: nobody is asked", "-..-", fail(dns.RcodeRefused), Invalid, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			var told error
			w := NewWatch(resolver(t, func(c *Config) { c.Attempts, c.Timeout = 1, 50*time.Millisecond }, serve(t, c.serve)), func(err error) { told = err })
			_, err := w.Lookup(t.Context(), c.host)
			var e *Error
			if errors.As(err, &e); (e != nil) != (c.class != 0) || e != nil && e.Class != c.class {
				t.Errorf("error %v, want class %v", err, c.class)
			}
			if errors.Is(err, ErrSilent) != c.silent || (told != nil) != c.silent {
				t.Errorf("error %v, told %v; no server answers: want %v", err, told, c.silent)
			}
			if is := w.Answers(t.Context()) != nil; is != c.silent && c.class != Invalid {
				t.Errorf("servers do not answer: %v, want %v", is, c.silent)
			}
		})
	}
}

// Where only one domain is known, and another was seen to be answered for, the other's failure is not
// that of the servers.
func TestWatchRemembersWhoAnswered(t *testing.T) {
	records := zone(t, "a.test. 60 A 127.0.0.1")
	w := NewWatch(resolver(t, func(c *Config) { c.Attempts, c.Timeout = 1, 50*time.Millisecond }, serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
		if !strings.HasSuffix(q.Question[0].Name, ".test.") {
			fail(dns.RcodeRefused)(w, q)
			return
		}
		records(w, q)
	})), func(err error) { t.Error(err) })
	if _, err := w.Lookup(t.Context(), "a.test"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := w.Lookup(t.Context(), "www.broken"); err == nil || errors.Is(err, ErrSilent) {
			t.Errorf("a refused domain: %v", err)
		}
	}
	if err := w.Answers(t.Context()); err != nil {
		t.Errorf("it answers for test: %v", err)
	}
}

// Many lookups that fail at the same time ask once whether servers answer, or not at all when one
// answered meanwhile; one that is cut short does not decide for the others.
func TestWatchAsksOnce(t *testing.T) {
	const n = 20
	var strangers, arrived atomic.Int64
	var all sync.WaitGroup
	held := make(chan struct{})
	w := NewWatch(resolver(t, func(c *Config) { c.Attempts, c.Timeout = 1, time.Minute }, serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
		if strings.HasPrefix(q.Question[0].Name, "exclave-") {
			strangers.Add(1)
			fail(dns.RcodeNameError)(w, q)
			return
		}
		if arrived.Add(1) == n {
			close(held)
		}
		<-held // until all have asked
		fail(dns.RcodeServerFailure)(w, q)
	})), func(err error) { t.Error(err) })
	for i := range n {
		all.Go(func() {
			if _, err := w.Lookup(t.Context(), fmt.Sprintf("a%d.test", i)); errors.Is(err, ErrSilent) || err == nil {
				t.Errorf("got %v", err)
			}
		})
	}
	all.Wait()
	if got := strangers.Load(); got != 1 {
		t.Errorf("%d questions whether servers answer, want 1 for %d lookups", got, n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Lookup(ctx, "a.test"); !errors.Is(err, context.Canceled) {
		t.Errorf("cut short: %v", err)
	}
}
