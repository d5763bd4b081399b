package seeds

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"exclave/chain/fetch"
	"exclave/config"
	"exclave/internal/seedlog"
)

// Check is what a file of seeds holds, as far as it was read.
type Check struct {
	Path  string
	URLs  int64
	State seedlog.State // its lines that name no seed, and damage
	More  bool          // lines were left unread
	Err   error         // it cannot be read; wraps [seedlog.ErrNoLog] when it is no text of seeds
}

// CheckFiles reads the files that a job's configuration names, of each at most so many
// lines, as a crawl would. The scope is not asked, nothing is written. The error is ctx's.
func CheckFiles(ctx context.Context, cfg *config.Config, lines int64) ([]Check, error) {
	var all []Check
	var credentials fetch.Credentials
	if cfg.Job.SeedCredentials == config.UseCredentials {
		credentials = fetch.Credentials{}
	}
	for _, name := range cfg.Job.Seeds {
		c := Check{Path: cfg.Path(name)}
		o := seedlog.Options{Name: name, Userinfo: userinfo(cfg), Traps: cfg.Job.SeedTraps}
		if c.Err = c.read(ctx, o, lines, credentials); ctx.Err() != nil {
			return all, ctx.Err()
		}
		all = append(all, c)
	}
	return all, nil
}

// read reads a file of seeds. Credentials, when they are to be used, are those of all files.
func (c *Check) read(ctx context.Context, o seedlog.Options, lines int64, credentials fetch.Credentials) error {
	if credentials != nil {
		o.Userinfo = seedlog.KeepUserinfo
	}
	f, err := os.Open(c.Path)
	if err != nil {
		return fmt.Errorf("job: seeds: %w", err)
	}
	defer f.Close()
	log, err := seedlog.Open(f, o)
	if err != nil {
		return fmt.Errorf("job: seeds: read %s: %w", c.Path, err)
	}
	defer log.Close()
	defer func() { c.State = log.State() }()
	for e, err := log.Next(); ; e, err = log.Next() {
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("job: seeds: read %s: %w", c.Path, err)
		case e.Line > lines:
			c.More = true
			return nil
		case e.Line%1024 == 0 && ctx.Err() != nil:
			return ctx.Err()
		case log.URL() != nil:
			c.URLs++
			if u := log.URL(); credentials != nil && u.Userinfo() != "" {
				if err := credentials.Add(u); err != nil {
					return fmt.Errorf("%s: line %d: %w: %w", c.Path, e.Line, ErrCredentials, err)
				}
			}
		}
	}
}
