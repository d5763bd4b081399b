package job

import (
	"context"
	"log/slog"

	"exclave/chain"
	"exclave/chain/write"
	"exclave/internal/clock"
	"exclave/warc/dedup"
)

// ChangeSteps lets a test put steps of its own into the chains.
func (o *Options) ChangeSteps(change func(map[chain.Name][]chain.Step)) { o.steps = change }

// NewServer makes a server as a crawl asks it; it is asked with the returned function, which says what was found and what became of asking so far.
func NewServer(at *dedup.Server, clk clock.Clock, log *slog.Logger) func(context.Context, write.Content) (bool, ServerNumbers) {
	s := newServer(at, 1, clk, log)
	return func(ctx context.Context, q write.Content) (bool, ServerNumbers) {
		_, ok := s.find(ctx, q)
		return ok, s.numbers()
	}
}
