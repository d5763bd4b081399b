package resolve

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/miekg/dns"
)

// ErrSilent is wrapped by the error of a lookup that failed because no name server answers any
// question: it says nothing of the host.
var ErrSilent = errors.New("no name server answers")

// Watch looks hosts up and tells a host whose own name servers fail from servers of ours that do
// not answer at all. Its methods may be called from any goroutine.
type Watch struct {
	r      *Resolver
	silent func(error)

	mu       sync.Mutex
	answered time.Time // when some question was last answered, also that a name does not exist
	asking   *asking   // nil: nobody asks
	host     string    // the last that could not be looked up
}

// asking is a question about a name that is surely not known, put for all who wait.
type asking struct {
	done chan struct{}
	err  error
}

// NewWatch returns a Watch. silent is called, from any goroutine and before the lookup returns, when
// one fails and no server answers; it must not block.
func NewWatch(r *Resolver, silent func(error)) *Watch { return &Watch{r: r, silent: silent} }

// Lookup is [Resolver.Lookup], but that it may take twice as long to fail: when servers fail with a
// question and none of them has answered another meanwhile, they are asked for a name under the same
// top-level domain that nobody can have asked for. When they cannot tell that either, the
// error wraps [ErrSilent].
func (w *Watch) Lookup(ctx context.Context, host string) (*Answer, error) {
	began := time.Now()
	a, err := w.r.Lookup(ctx, host)
	var e *Error
	switch {
	case err == nil && a.Server != "", errors.As(err, &e) && e.Class == NotFound:
		w.heard()
		return a, err
	case e == nil, e.Class == Invalid: // answered without asking, or cut short
		return a, err
	}
	for {
		if w.heardSince(began) {
			return nil, err
		}
		cause := w.ask(ctx, host)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("resolve: lookup %s: %w", host, ctx.Err())
		}
		if cause == nil || errors.Is(cause, context.Canceled) { // that of who asked
			continue
		}
		err = fmt.Errorf("%w: %w", ErrSilent, err)
		w.silent(err)
		return nil, err
	}
}

// Answers returns nil when some name server answers.
func (w *Watch) Answers(ctx context.Context) error {
	w.mu.Lock()
	host := w.host
	w.mu.Unlock()
	return w.ask(ctx, host)
}

func (w *Watch) heard() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered = time.Now()
}

func (w *Watch) heardSince(t time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.answered.Before(t)
}

// ask finds out whether servers answer; those who want to know at the same time ask once.
func (w *Watch) ask(ctx context.Context, host string) error {
	w.mu.Lock()
	w.host = host
	q := w.asking
	if q != nil {
		w.mu.Unlock()
		select {
		case <-q.done:
			return q.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	q = &asking{done: make(chan struct{})}
	w.asking = q
	w.mu.Unlock()
	if _, _, q.err = w.r.ask(ctx, stranger(host), dns.TypeA); q.err == nil {
		w.heard()
	}
	w.mu.Lock()
	w.asking = nil
	w.mu.Unlock()
	close(q.done)
	return q.err
}

// stranger is a name under the top-level domain of a host that nobody can have asked for.
func stranger(host string) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	top := ""
	if i := strings.LastIndexByte(strings.TrimSuffix(host, "."), '.'); i >= 0 {
		top = host[i+1:]
	}
	return dns.CanonicalName("exclave-" + hex.EncodeToString(b[:]) + "." + top)
}
