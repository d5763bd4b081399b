package job

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"exclave/chain/write"
	"exclave/internal/clock"
	"exclave/warc/dedup"
)

// A server that failed so often in a row rests, first for the shorter time, at most for the longer.
const (
	failuresToRest = 3
	shortestRest   = 30 * time.Second
	longestRest    = 10 * time.Minute
)

// ServerNumbers is what became of asking CDX servers, since this run began.
type ServerNumbers struct {
	Asked   int64         `json:"asked"`
	Found   int64         `json:"found"`   // of those asked
	Failed  int64         `json:"failed"`  // of those asked
	Skipped int64         `json:"skipped"` // not asked, for the server rests
	Busy    time.Duration `json:"busy"`    // time between question and answer, summed up, nanoseconds
	Resting bool          `json:"resting"` // one rests
}

// server is a CDX server as a crawl asks it: few questions at the same time, and none for a while when it fails. Then one question tells whether it
// answers again.
type server struct {
	at     *dedup.Server
	places chan struct{}
	clk    clock.Clock
	log    *slog.Logger

	mu       sync.Mutex
	failures int           // in a row
	rest     time.Duration // that it was given; 0: it answers
	until    time.Duration // monotonic time
	trying   bool          // the question that tells is asked
	n        ServerNumbers
}

func newServer(at *dedup.Server, connections int, clk clock.Clock, log *slog.Logger) *server {
	return &server{at: at, places: make(chan struct{}, connections), clk: clk, log: log}
}

// find asks about an answer. Bodies in chunks are asked for as they are stored: only the same chunks have the same digest, so the original has them, too.
func (s *server) find(ctx context.Context, q write.Content) (o dedup.Original, ok bool) {
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-ctx.Done():
		return o, false
	}
	trial, may := s.mayAsk()
	if !may {
		return o, false
	}
	began := s.clk.Mono()
	o, ok, err := s.at.Find(ctx, q.Stored, q.URL, q.OnlyURL)
	s.asked(trial, ok, err, ctx.Err() != nil, s.clk.Mono()-began)
	return o, ok
}

// mayAsk reports whether a question may be asked, and whether that is the one that ends a rest.
func (s *server) mayAsk() (trial, may bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.rest == 0:
		return false, true
	case s.trying || s.clk.Mono() < s.until:
		s.n.Skipped++
		return false, false
	}
	s.trying = true
	return true, true
}

// asked notes how a question ended; one that was given up by us says nothing about the server.
func (s *server) asked(trial, found bool, err error, givenUp bool, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if trial {
		s.trying = false
	}
	if err != nil && givenUp {
		return
	}
	s.n.Asked++
	s.n.Busy += took
	if found {
		s.n.Found++
	}
	if err == nil {
		if s.rest > 0 {
			s.log.Info("a CDX server of [dedup] answers again", "server", s.at.String(), "skipped", s.n.Skipped)
		}
		s.failures, s.rest = 0, 0
		return
	}
	s.n.Failed++
	s.failures++
	switch {
	case trial:
		s.rest = min(2*s.rest, longestRest)
	case s.rest == 0 && s.failures >= failuresToRest:
		s.rest = shortestRest
		s.log.Warn("a CDX server of [dedup] fails and is not asked for a while; what it should find is archived whole", "server", s.at.String(), "err", err)
	default:
		return
	}
	s.until = s.clk.Mono() + s.rest
}

// numbers returns what became of asking it.
func (s *server) numbers() ServerNumbers {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.n
	n.Resting = s.rest > 0
	return n
}
