package job

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

// ImportSeeds streams a log into the frontier, in any format and compression of
// docs/formats/seeds.md. name stands for it in the report. It may be called from
// any goroutine as long as the job is open, also while it runs; the crawl does not
// end before the import does. What is scheduled is durable; nothing remembers how
// far in was read, but a second import of the same finds everything known. An
// error comes with the report of what was taken before it.
func (j *Job) ImportSeeds(ctx context.Context, in io.Reader, name string, o ImportOptions) (SeedReport, error) {
	defer j.frontier.Hold()()
	s := j.seederOf()
	s.tag = o.Source
	if s.users == seedlog.DropUserinfo && j.cfg.Job.SeedCredentials == config.UseCredentials {
		s.users = seedlog.RefuseUserinfo // nobody could read them again at the next start
	}
	rep := SeedReport{File: name}
	var way onTheirWay
	err := s.stream(ctx, in, seedlog.Options{Format: o.Format, Name: name, Statuses: o.Statuses, Userinfo: s.users, Traps: o.Traps}, &rep, func(batch []crawl.Candidate) (int, error) {
		if len(batch) == 0 {
			return 0, nil
		}
		if len(way) == mostOnTheirWay {
			if err := way.first(&rep); err != nil {
				return 0, err
			}
		}
		durable, err := j.frontier.ScheduleLater(ctx, slices.Clone(batch))
		if err == nil {
			way = append(way, seedsOnTheirWay{int64(len(batch)), durable})
		}
		return 0, err // first counts them
	})
	for len(way) > 0 {
		if failed := way.first(&rep); err == nil {
			err = failed
		}
	}
	return rep, err
}

// mostOnTheirWay is how many batches are handed in and not durable yet: one is committed, the
// next is read for, and the one after that is there in time.
const mostOnTheirWay = 3

// seedsOnTheirWay are seeds that were counted as accepted.
type seedsOnTheirWay struct {
	n       int64
	durable func() (known int, err error)
}

type onTheirWay []seedsOnTheirWay

// first waits for the first batch and counts what was known of it, or that it failed.
func (w *onTheirWay) first(rep *SeedReport) error {
	b := (*w)[0]
	*w = (*w)[1:]
	known, err := b.durable()
	if err != nil {
		rep.Accepted -= b.n
		return err
	}
	rep.Accepted -= int64(known)
	rep.Known += int64(known)
	return nil
}
