package job

import (
	"context"
	"time"
)

// nobodyAnswers lets the crawl stand still because no name server answers: what cannot be looked up
// would be given up. The lookup that found it out is not counted.
func (j *Job) nobodyAnswers(err error) {
	began := false
	j.paused.set(j.ctl, func(p *pauses) {
		if began = p.unanswered.IsZero(); began {
			p.unanswered = j.opts.Clock.Now()
		}
	})
	if !began {
		return
	}
	j.opts.Log.Warn("paused: no name server answers; the crawl goes on when one does", "err", err)
	j.tell(event{"NO NAME SERVER", err.Error()})
	select {
	case j.unanswered <- struct{}{}:
	default: // somebody looks
	}
}

// watchNames looks, while no name server answers, whether one does again.
func (j *Job) watchNames(ctx context.Context) {
	t := j.opts.Clock.NewTimer(checkEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-j.unanswered:
		}
		for since := j.paused.unansweredSince(); !since.IsZero(); since = j.paused.unansweredSince() {
			t.Reset(checkEvery)
			select {
			case <-ctx.Done():
				return
			case <-t.C():
			}
			if j.names.Answers(ctx) != nil {
				continue
			}
			took := j.opts.Clock.Now().Sub(since).Round(time.Second)
			j.opts.Log.Info("a name server answers again: the crawl goes on", "after", took)
			j.tell(event{"NAME SERVER", "one answers again after " + took.String()})
			j.paused.set(j.ctl, func(p *pauses) { p.unanswered = time.Time{} })
		}
	}
}
