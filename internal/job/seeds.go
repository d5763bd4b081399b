package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"slices"

	"exclave/chain/decide"
	"exclave/config"
	"exclave/crawl"
	"exclave/internal/seedlog"
	"exclave/internal/urlx"
)

// maxSeedLine bounds a line of a seed file; a longer one is broken.
const maxSeedLine = seedlog.MaxLine

// seedBatch is how many seeds become durable together, with the mark.
const seedBatch = 1000

// SeedReport says what became of the lines of a seed file. Each line is one of
// Blank, Skipped, Broken, Accepted, Known, or in Traps or Rejected.
type SeedReport struct {
	File          string              `json:"file"`
	Compression   seedlog.Compression `json:"compression,omitempty"`
	seedlog.State                     // how far it was read, and its lines that name no seed
	Accepted      int64               `json:"accepted"`             // new to the crawl
	Known         int64               `json:"known"`                // before, or several times in the file
	Rejected      map[string]int64    `json:"rejected,omitempty"`   // out of scope, by the deciding rule
	OwnDomain     map[string]int64    `json:"own_domain,omitempty"` // of Rejected, those below the top-level domain of a profile's nation
	Raw           int64               `json:"raw,omitempty"`        // bytes of a compressed file that were used for Offset
	Size          int64               `json:"size"`                 // of the file when last read
	Print         uint32              `json:"print"`                // checksum of what was taken, see fingerprint
	Done          bool                `json:"done"`
}

// String is one line for a person.
func (r SeedReport) String() string {
	s := fmt.Sprintf("%s: %s: %d lines, %d accepted, %d known, %d broken", r.File, r.Format, r.Lines, r.Accepted, r.Known, r.Broken)
	if r.Skipped > 0 {
		s += fmt.Sprintf(", %d no seeds", r.Skipped)
	}
	if n := r.LeftOut(); n > 0 {
		s += fmt.Sprintf(", %d left out", n)
	}
	for _, rule := range slices.Sorted(maps.Keys(r.Rejected)) {
		s += fmt.Sprintf(", %d out of scope (%s)", r.Rejected[rule], rule)
		if own := r.OwnDomain[rule]; own > 0 {
			s += fmt.Sprintf(", %d of them in the own domain", own)
		}
	}
	if r.Damage != "" {
		s += "; " + r.Damage
	}
	return s
}

// used is how many bytes of the file Print covers.
func (r SeedReport) used() int64 {
	if r.Raw > 0 {
		return r.Raw
	}
	return r.Offset
}

// printed is how many bytes at either end of what was taken tell whether a seed
// file was changed.
const printed = 64 << 10

// fingerprint is a checksum of the first and the last bytes before offset.
func fingerprint(f io.ReaderAt, offset int64) (uint32, error) {
	sum := crc32.NewIEEE()
	for _, from := range []int64{0, max(0, offset-printed)} {
		part := io.NewSectionReader(f, from, min(printed, offset-from))
		if _, err := io.Copy(sum, part); err != nil {
			return 0, err
		}
	}
	return sum.Sum32(), nil
}

// endsALine reports that what was taken ends where a line does: the last line of a
// plain file that was being written may have grown since.
func (r SeedReport) endsALine(f io.ReaderAt) (bool, error) {
	if r.Raw > 0 || r.Offset == 0 {
		return true, nil
	}
	var around [2]byte
	n, err := f.ReadAt(around[:], r.Offset-1)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return n < 2 || around[0] == '\n' || around[1] == '\n' || around[1] == '\r', nil
}

// seeder offers seeds to the frontier.
type seeder struct {
	schedule func(ctx context.Context, mark string, value []byte, cs ...crawl.Candidate) (known int, err error)
	marked   func(name string) ([]byte, bool, error)
	scope    *decide.Sequence
	rules    urlx.Rules
	again    bool   // offer finished seeds again
	tag      string // source tag of all; "" = what the log says
	users    seedlog.Userinfo
	traps    bool     // take what logs say was refused as a trap
	own      []string // top-level domains of the profiles' nations
}

// seederOf is a seeder as the configuration has it.
func (j *Job) seederOf() seeder {
	s := seeder{scope: j.scope, rules: j.cfg.URL.Rules, users: usersOf(j.cfg), traps: j.cfg.Job.SeedTraps}
	for _, p := range j.cfg.Analysis.Profiles {
		s.own = append(s.own, config.NationalDomains(p)...)
	}
	return s
}

// file streams a seed file into the frontier from where the last run stopped, or
// from its beginning when what was taken of it has changed since. name is the
// file as job.toml names it.
func (s *seeder) file(ctx context.Context, name, path string) (SeedReport, error) {
	mark := "seeds:" + name
	rep := SeedReport{File: name}
	f, err := os.Open(path)
	if err != nil {
		return rep, fmt.Errorf("job: seeds: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return rep, fmt.Errorf("job: seeds: %w", err)
	}
	if old, ok, err := s.marked(mark); err != nil {
		return rep, err
	} else if ok && !s.again {
		var was SeedReport
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
		if was.used() <= st.Size() && now == was.Print && whole && !(s.traps && was.LeftOut() > 0) {
			if was.Done && was.Size == st.Size() {
				return was, nil
			}
			rep = was
		}
	}
	rep.Size, rep.Done = st.Size(), false
	err = s.stream(ctx, f, seedlog.Options{Name: name, Resume: rep.State, Userinfo: s.users, Traps: s.traps}, &rep, func(batch []crawl.Candidate) (int, error) {
		if rep.Print, err = fingerprint(f, rep.used()); err != nil {
			return 0, fmt.Errorf("job: seeds: %w", err)
		}
		value, err := json.Marshal(rep)
		if err != nil {
			return 0, fmt.Errorf("job: seeds: %w", err)
		}
		return s.schedule(ctx, mark, value, batch...)
	})
	return rep, err
}

// stream reads a log to its end and flushes seeds in batches. flush is called with
// the report as it is after the batch, but for how many of it were known, which
// only flush can say.
func (s *seeder) stream(ctx context.Context, in io.Reader, o seedlog.Options, rep *SeedReport, flush func([]crawl.Candidate) (known int, err error)) error {
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
	batch := make([]crawl.Candidate, 0, seedBatch)
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
			if c, ok := s.candidate(u, log.Via(), string(e.Source), rep); ok {
				batch = append(batch, c)
			}
		}
		if len(batch) == seedBatch {
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
func (s *seeder) candidate(u *urlx.URL, via, source string, rep *SeedReport) (crawl.Candidate, bool) {
	if s.tag != "" {
		source = s.tag
	}
	c := crawl.Candidate{URL: u.String(), Key: s.rules.Key(u), Host: u.Hostname(), Via: via, Kind: crawl.LinkNav,
		SourceTag: source, Seed: true, Force: s.again, Claim: crawl.Claim{Analyse: true}}
	if d, _, rule := s.scope.Decide(&decide.Subject{URL: u, Cand: &c}); d != decide.Accept {
		rep.Rejected[rule]++
		if slices.Contains(s.own, urlx.TLD(c.Host)) {
			rep.OwnDomain[rule]++
		}
		return crawl.Candidate{}, false
	}
	return c, true
}
