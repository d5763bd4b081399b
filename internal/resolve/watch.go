package resolve

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
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
	known    string    // the top-level domain of the host that was last found
	asking   *asking   // nil: nobody asks
	host     string    // the last that could not be looked up
}

// usual is the top-level domain to ask about before any host was found.
const usual = "com"

// asking is a question about a name that is surely not known, put for all who wait.
type asking struct {
	done chan struct{}
	err  error
}

// NewWatch returns a Watch. silent is called, from any goroutine and before the lookup returns, when
// one fails and no server answers; it must not block.
func NewWatch(r *Resolver, silent func(error)) *Watch {
	return &Watch{r: r, silent: silent, known: usual}
}

// Lookup is [Resolver.Lookup], but that it may take three times as long to fail: when servers fail
// with a question and none of them has answered another meanwhile, they are asked for names that
// nobody can have asked for, under the same top-level domain and under one that was answered for: one
// whose own servers fail, or that the servers are told to refuse, is in links of strangers. When they
// cannot tell either, the error wraps [ErrSilent].
func (w *Watch) Lookup(ctx context.Context, host string) (*Answer, error) {
	began := time.Now()
	a, err := w.r.Lookup(ctx, host)
	var e *Error
	switch {
	case err == nil && a.Server != "":
		w.heard(topLevel(host))
		return a, nil
	case errors.As(err, &e) && e.Class == NotFound:
		w.heard("")
		return nil, err
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
		if cause == nil || errors.Is(cause, context.Canceled) || w.heardSince(began) { // that of who asked
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

// heard notes an answer; known, when not empty, is the top-level domain of the host that it found.
func (w *Watch) heard(known string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answered = time.Now()
	if known != "" {
		w.known = known
	}
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
	tops := []string{topLevel(host), w.known}
	w.mu.Unlock()
	for _, top := range slices.Compact(tops) {
		if _, _, q.err = w.r.ask(ctx, stranger(top), dns.TypeA); q.err == nil {
			w.heard("")
			break
		}
	}
	w.mu.Lock()
	w.asking = nil
	w.mu.Unlock()
	close(q.done)
	return q.err
}

// topLevel returns the last label of a host that has several, else "".
func topLevel(host string) string {
	host = strings.TrimSuffix(host, ".")
	if i := strings.LastIndexByte(host, '.'); i >= 0 {
		return host[i+1:]
	}
	return ""
}

// stranger is a name under a top-level domain, or one itself, that nobody can have asked for.
func stranger(top string) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return dns.CanonicalName("exclave-" + hex.EncodeToString(b[:]) + "." + top)
}
