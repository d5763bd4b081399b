package seeds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"exclave/chain/decide"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/seedlog"
	"exclave/internal/urlx"
)

// batchSize is how many seeds become durable together, with the mark.
const batchSize = 1000

// Frontier takes seeds, as [frontier.Frontier] does.
type Frontier interface {
	// ScheduleMark makes candidates durable together with a mark; known is how many of them were known.
	ScheduleMark(ctx context.Context, mark string, value []byte, cs ...crawl.Candidate) (known int, err error)
	// Marked returns the value of a mark.
	Marked(name string) (value []byte, ok bool, err error)
	// ScheduleLater takes candidates, which are no longer the caller's; durable waits until they are.
	ScheduleLater(ctx context.Context, cs []crawl.Candidate) (durable func() (known int, err error), err error)
}

// Seeder offers seeds to the frontier of a job. It may be used from any goroutine; the files of
// the job are offered by one at a time.
type Seeder struct {
	cfg      *config.Config
	scope    *decide.Sequence
	frontier Frontier
	national []string // top-level domains of the profiles' nations
}

// New returns the seeder of a job, with the scope of its chains.
func New(cfg *config.Config, scope *decide.Sequence, f Frontier) *Seeder {
	s := &Seeder{cfg: cfg, scope: scope, frontier: f}
	for _, p := range cfg.Analysis.Profiles {
		s.national = append(s.national, config.NationalDomains(p)...)
	}
	return s
}

// Files offers the files of seeds that job.toml names, each from where the last run stopped; again offers all of
// them from the beginning, and finished ones too. It ends early with ctx: the marks say where to go on. The
// reports are those of the files that were begun.
func (s *Seeder) Files(ctx context.Context, again bool) (reports []Report, err error) {
	var errs []error
	for _, name := range s.cfg.Job.Seeds {
		rep, err := s.file(ctx, name, s.cfg.Path(name), again)
		reports = append(reports, rep)
		if ctx.Err() != nil {
			break
		}
		errs = append(errs, err)
	}
	return reports, errors.Join(errs...)
}

// file streams a seed file into the frontier from where the last run stopped, or
// from its beginning when what was taken of it has changed since. name is the
// file as job.toml names it.
func (s *Seeder) file(ctx context.Context, name, path string, again bool) (Report, error) {
	mark := "seeds:" + name
	rep := Report{File: name}
	f, err := os.Open(path)
	if err != nil {
		return rep, fmt.Errorf("job: seeds: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return rep, fmt.Errorf("job: seeds: %w", err)
	}
	if old, ok, err := s.frontier.Marked(mark); err != nil {
		return rep, err
	} else if ok && !again {
		var was Report
		if err := json.Unmarshal(old, &was); err != nil {
			return rep, fmt.Errorf("job: seeds: mark of %s: %w", name, err)
		}
		now, err := fingerprint(f, was.used())
		if err != nil {
			return rep, fmt.Errorf("job: seeds: %w", err)
		}
		whole, err := was.endsALine(f)
		if err != nil {
			return rep, fmt.Errorf("job: seeds: %w", err)
		}
		if was.used() <= st.Size() && now == was.Print && whole && !(s.cfg.Job.SeedTraps && was.LeftOut() > 0) {
			if was.Done && was.Size == st.Size() {
				return was, nil
			}
			rep = was
		}
	}
	rep.Size, rep.Done = st.Size(), false
	o := seedlog.Options{Name: name, Resume: rep.State, Userinfo: userinfo(s.cfg), Traps: s.cfg.Job.SeedTraps}
	err = s.stream(ctx, f, o, crawl.Candidate{Force: again}, &rep, func(batch []crawl.Candidate) (int, error) {
		if rep.Print, err = fingerprint(f, rep.used()); err != nil {
			return 0, fmt.Errorf("job: seeds: %w", err)
		}
		value, err := json.Marshal(rep)
		if err != nil {
			return 0, fmt.Errorf("job: seeds: %w", err)
		}
		return s.frontier.ScheduleMark(ctx, mark, value, batch...)
	})
	return rep, err
}

// stream reads a log to its end and flushes seeds in batches. Each seed is like the candidate, whose source tag, if it
// has one, replaces that of the log. flush is called with the report as it is after the batch, but for how many of it
// were known, which only flush can say.
func (s *Seeder) stream(ctx context.Context, in io.Reader, o seedlog.Options, like crawl.Candidate, rep *Report, flush func([]crawl.Candidate) (known int, err error)) error {
	log, err := seedlog.Open(in, o)
	if err != nil {
		return fmt.Errorf("job: seeds: read %s: %w", rep.File, err)
	}
	defer log.Close()
	if rep.Rejected == nil {
		rep.Rejected = map[string]int64{}
	}
	if rep.OwnDomain == nil {
		rep.OwnDomain = map[string]int64{}
	}
	rep.Compression = log.Compression()
	offer := func(batch []crawl.Candidate) error {
		if rep.State = log.State(); rep.Compression != seedlog.Plain {
			rep.Raw = log.RawOffset()
		}
		rep.Accepted += int64(len(batch))
		known, err := flush(batch)
		if err != nil {
			rep.Accepted -= int64(len(batch))
			return err
		}
		rep.Accepted -= int64(known)
		rep.Known += int64(known)
		if rep.Done && known > 0 {
			_, err = flush(nil) // the mark, now that the last batch is known
		}
		return err
	}
	batch := make([]crawl.Candidate, 0, batchSize)
	for {
		e, err := log.Next()
		if errors.Is(err, io.EOF) {
			rep.Done = true
			return offer(batch)
		}
		if err != nil {
			return fmt.Errorf("job: seeds: read %s: %w", rep.File, err)
		}
		if u := log.URL(); u != nil {
			if c, ok := s.candidate(like, u, log.Via(), string(e.Source), rep); ok {
				batch = append(batch, c)
			}
		}
		if len(batch) == batchSize {
			if err := offer(batch); err != nil {
				return err
			}
			batch = batch[:0]
		} else if e.Line%1024 == 0 && ctx.Err() != nil {
			return fmt.Errorf("job: seeds: read %s: %w", rep.File, ctx.Err())
		}
	}
}

// candidate makes a seed of an address, or counts the rule that keeps it out.
func (s *Seeder) candidate(c crawl.Candidate, u *urlx.URL, via, source string, rep *Report) (crawl.Candidate, bool) {
	c.SetURL(u, s.cfg.URL.Key(u))
	c.Via, c.Kind, c.Seed, c.Claim = via, crawl.LinkNav, true, crawl.Claim{Analyse: true}
	if c.SourceTag == "" {
		c.SourceTag = source
	}
	if r := s.scope.Decide(&decide.Subject{Cand: &c}); r.Decision != decide.Accept {
		rep.Rejected[r.Rule]++
		if slices.Contains(s.national, urlx.TLD(c.Host)) {
			rep.OwnDomain[r.Rule]++
		}
		return crawl.Candidate{}, false
	}
	return c, true
}
