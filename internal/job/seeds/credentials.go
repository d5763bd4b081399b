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

// userinfo says what becomes of user names and passwords in the lists of a job.
func userinfo(cfg *config.Config) seedlog.Userinfo {
	if cfg.Job.SeedCredentials == config.RefuseCredentials {
		return seedlog.RefuseUserinfo
	}
	return seedlog.DropUserinfo
}

// ErrCredentials is wrapped by the error about user names and passwords that cannot be used together.
var ErrCredentials = errors.New("the passwords of seeds cannot be used")

// ReadCredentials adds the user names and passwords in the files of seeds, if they are to
// be used. Nothing keeps them: each start reads the files.
func ReadCredentials(ctx context.Context, cfg *config.Config, to fetch.Credentials) error {
	if cfg.Job.SeedCredentials != config.UseCredentials {
		return nil
	}
	for _, name := range cfg.Job.Seeds {
		if err := credentialsOf(ctx, name, cfg.Path(name), to); err != nil {
			return fmt.Errorf("job: seed_credentials: %s: %w", cfg.Path(name), err)
		}
	}
	return nil
}

func credentialsOf(ctx context.Context, name, path string, to fetch.Credentials) error {
	f, err := os.Open(path)
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
			if err := to.Add(u); err != nil {
				return fmt.Errorf("line %d: %w: %w", e.Line, ErrCredentials, err)
			}
		}
		if e.Line%1024 == 0 && ctx.Err() != nil {
			return nil // the crawl ends before it begins
		}
	}
}
