package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"exclave/config"
	"exclave/internal/seedlog"
)

// usersOf is what becomes of user names and passwords in the lists of a job.
func usersOf(cfg *config.Config) seedlog.Userinfo {
	if cfg.Job.SeedCredentials == config.RefuseCredentials {
		return seedlog.RefuseUserinfo
	}
	return seedlog.DropUserinfo
}

// ErrCredentials is wrapped by the error about user names and passwords that cannot be used together.
var ErrCredentials = errors.New("the passwords of seeds cannot be used")

// readCredentials takes user names and passwords from the files of seeds, if they are to
// be used. Nothing keeps them: each start reads the files.
func (j *Job) readCredentials(ctx context.Context) error {
	if j.cfg.Job.SeedCredentials != config.UseCredentials {
		return nil
	}
	for _, name := range j.cfg.Job.Seeds {
		if err := j.credentialsOf(ctx, name); err != nil {
			return fmt.Errorf("job: seed_credentials: %s: %w", j.cfg.Path(name), err)
		}
	}
	return nil
}

func (j *Job) credentialsOf(ctx context.Context, name string) error {
	f, err := os.Open(j.cfg.Path(name))
	if err != nil {
		return err
	}
	defer f.Close()
	log, err := seedlog.Open(f, seedlog.Options{Name: name, Userinfo: seedlog.KeepUserinfo})
	if err != nil {
		return err
	}
	defer log.Close()
	for {
		e, err := log.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if u := log.URL(); u != nil && u.Userinfo() != "" {
			if err := j.credentials.Add(u); err != nil {
				return fmt.Errorf("line %d: %w: %w", e.Line, ErrCredentials, err)
			}
		}
		if e.Line%1024 == 0 && ctx.Err() != nil {
			return nil // the crawl ends before it begins
		}
	}
}
