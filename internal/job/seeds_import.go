package job

import (
	"context"
	"io"

	"exclave/crawl"
	"exclave/internal/seedlog"
)

// ImportOptions say how seeds from outside are read. The zero value recognises
// everything.
type ImportOptions struct {
	Source   string         // source tag of all seeds; "" = what the log says
	Format   seedlog.Format // Auto = recognise
	Statuses []int          // of a crawl.log whose lines are seeds; none = −5000
}

// ImportSeeds streams a log into the frontier, in any format and compression of
// docs/formats/seeds.md. name stands for it in the report. It may be called from
// any goroutine as long as the job is open, also while it runs; the crawl does not
// end before the import does. What is scheduled is durable; nothing remembers how
// far in was read, but a second import of the same finds everything known. An
// error comes with the report of what was taken before it.
func (j *Job) ImportSeeds(ctx context.Context, in io.Reader, name string, o ImportOptions) (SeedReport, error) {
	defer j.frontier.Hold()()
	s := seeder{scope: j.scope, rules: j.cfg.URL.Rules, tag: o.Source}
	rep := SeedReport{File: name}
	err := s.stream(ctx, in, seedlog.Options{Format: o.Format, Name: name, Statuses: o.Statuses}, &rep, func(batch []crawl.Candidate) (int, error) {
		if len(batch) == 0 {
			return 0, nil
		}
		return j.frontier.ScheduleMark(ctx, "", nil, batch...)
	})
	return rep, err
}
