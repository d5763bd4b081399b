package seeds

import (
	"context"
	"io"
	"slices"

	"exclave/config"
	"exclave/crawl"
	"exclave/internal/seedlog"
)

// ImportOptions say how seeds from outside are read. The zero value recognises
// everything.
type ImportOptions struct {
	Source   string         // source tag of all seeds; "" = what the log says
	Format   seedlog.Format // Auto = recognise
	Statuses []int          // of a crawl.log whose lines are seeds; none = −5000
	Traps    bool           // take what the log says was refused as a trap
}

// Import streams a log into the frontier, in any format and compression of
// docs/formats/seeds.md. name stands for it in the report. What is scheduled is durable; nothing remembers how
// far in was read, but a second import of the same finds everything known. An
// error comes with the report of what was taken before it.
func (s *Seeder) Import(ctx context.Context, in io.Reader, name string, o ImportOptions) (Report, error) {
	users := userinfo(s.cfg)
	if users == seedlog.DropUserinfo && s.cfg.Job.SeedCredentials == config.UseCredentials {
		users = seedlog.RefuseUserinfo // nobody could read them again at the next start
	}
	log := seedlog.Options{Format: o.Format, Name: name, Statuses: o.Statuses, Userinfo: users, Traps: o.Traps}
	rep := Report{File: name}
	var waiting pending
	err := s.stream(ctx, in, log, crawl.Candidate{SourceTag: o.Source}, &rep, func(batch []crawl.Candidate) (int, error) {
		if len(batch) == 0 {
			return 0, nil
		}
		if len(waiting) == maxPending {
			if err := waiting.first(&rep); err != nil {
				return 0, err
			}
		}
		durable, err := s.frontier.ScheduleLater(ctx, slices.Clone(batch))
		if err == nil {
			waiting = append(waiting, pendingBatch{int64(len(batch)), durable})
		}
		return 0, err // first counts them
	})
	for len(waiting) > 0 {
		if failed := waiting.first(&rep); err == nil {
			err = failed
		}
	}
	return rep, err
}

// maxPending is how many batches may be in flight: one is being committed, rows are being read ahead for the next, and
// one waits.
const maxPending = 3

// pendingBatch are seeds that were counted as accepted and are not durable yet.
type pendingBatch struct {
	n       int64
	durable func() (known int, err error)
}

type pending []pendingBatch

// first waits for the first batch and counts what was known of it, or that it failed.
func (p *pending) first(rep *Report) error {
	b := (*p)[0]
	*p = (*p)[1:]
	known, err := b.durable()
	if err != nil {
		rep.Accepted -= b.n
		return err
	}
	rep.Accepted -= int64(known)
	rep.Known += int64(known)
	return nil
}
