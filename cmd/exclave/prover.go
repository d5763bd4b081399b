package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"exclave/warc/dedup"
)

// A prover asks CDX servers whether they have what revisit records refer to. A server that fails so often in a row as a question is put is not asked
// again: the rest cannot be proven.
type prover struct {
	servers []*proving
	places  chan struct{} // questions at the same time
}

// proving is a server that is asked.
type proving struct {
	*dedup.Server
	mu     sync.Mutex
	failed int   // in a row
	last   error // why
}

// proverTries is how often a question is put to a server that does not answer.
const proverTries = 3

func newProver(servers []*dedup.Server, connections int) *prover {
	p := &prover{places: make(chan struct{}, connections)}
	for _, s := range servers {
		p.servers = append(p.servers, &proving{Server: s})
	}
	return p
}

func (p *prover) close() {
	for _, s := range p.servers {
		s.Close()
	}
}

// has reports whether one of the servers has a response. An error says that none of those that answer has it, and that some do not answer.
func (p *prover) has(ctx context.Context, url, digest string, date time.Time) (bool, error) {
	select {
	case p.places <- struct{}{}:
		defer func() { <-p.places }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	var errs []error
	for _, s := range p.servers {
		found, err := s.has(ctx, dedup.Original{URL: url, Date: date, Digest: digest})
		if found {
			return true, nil
		}
		errs = append(errs, err)
	}
	return false, errors.Join(errs...)
}

func (s *proving) has(ctx context.Context, o dedup.Original) (bool, error) {
	for try := 1; ; try++ {
		if err := s.givenUp(); err != nil {
			return false, err
		}
		found, err := s.Has(ctx, o)
		s.note(err)
		if err == nil || try == proverTries {
			return found, err
		}
		if err := wait(ctx, 100*time.Millisecond<<try); err != nil {
			return false, err
		}
	}
}

// note counts failures in a row.
func (s *proving) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last = err; err == nil {
		s.failed = 0
		return
	}
	s.failed++
}

// givenUp returns why the server is not asked any more, nil when it is.
func (s *proving) givenUp() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed < proverTries {
		return nil
	}
	return s.last
}
