package pause

import (
	"context"
	"log/slog"
	"time"

	"exclave/internal/clock"
)

// Names pauses a crawl while no name server answers: without the pause, all URIs whose hosts cannot be looked up would be
// given up. Use it from any goroutine.
// Make it with [NewNames].
type Names struct {
	reasons *Reasons
	clk     clock.Clock
	log     *slog.Logger
	tell    func(what, why string)
	none    chan struct{} // filled when no name server answers
}

// NewNames returns a Names that sets a reason of r; tell is called when the reason begins and when it ends.
func NewNames(r *Reasons, clk clock.Clock, log *slog.Logger, tell func(what, why string)) *Names {
	return &Names{r, clk, log, tell, make(chan struct{}, 1)}
}

// None notes that no name server answers, with the error of a lookup. That lookup must not be counted as a failure.
func (n *Names) None(err error) {
	if !n.reasons.setUnanswered(n.clk.Now()) {
		return
	}
	n.log.Warn("paused: no name server answers; the crawl resumes when one does", "err", err)
	n.tell("NO NAME SERVER", err.Error())
	select {
	case n.none <- struct{}{}:
	default: // Watch knows
	}
}

// Watch looks, while no name server answers, whether one does again: then ask returns no error. It ends with ctx.
func (n *Names) Watch(ctx context.Context, ask func(context.Context) error) {
	t := n.clk.NewTimer(checkEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.none:
		}
		for since := n.reasons.UnansweredSince(); !since.IsZero(); since = n.reasons.UnansweredSince() {
			t.Reset(checkEvery)
			select {
			case <-ctx.Done():
				return
			case <-t.C():
			}
			if ask(ctx) != nil {
				continue
			}
			took := n.clk.Now().Sub(since).Round(time.Second)
			n.log.Info("a name server answers again: the crawl resumes", "after", took)
			n.tell("NAME SERVER", "one answers again after "+took.String())
			n.reasons.setUnanswered(time.Time{})
		}
	}
}
