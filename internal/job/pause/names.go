package pause

import (
	"context"
	"log/slog"
	"time"

	"exclave/internal/clock"
)

// Names pauses a crawl while no name server answers: what cannot be looked up would be given up. Use it from any goroutine.
// Make it with [NewNames].
type Names struct {
	reasons *Reasons
	clk     clock.Clock
	log     *slog.Logger
	tell    func(what, why string)
	none    chan struct{} // filled when no name server answers
}

// NewNames returns what sets a reason of r; tell is told when it comes and goes.
func NewNames(r *Reasons, clk clock.Clock, log *slog.Logger, tell func(what, why string)) *Names {
	return &Names{r, clk, log, tell, make(chan struct{}, 1)}
}

// None says that no name server answers, as the error of a lookup tells. That lookup is not to be counted.
func (n *Names) None(err error) {
	if !n.reasons.setUnanswered(n.clk.Now()) {
		return
	}
	n.log.Warn("paused: no name server answers; the crawl resumes when one does", "err", err)
	n.tell("NO NAME SERVER", err.Error())
	select {
	case n.none <- struct{}{}:
	default: // somebody looks
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
