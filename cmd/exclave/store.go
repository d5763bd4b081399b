package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"path/filepath"
	"strings"

	"exclave/config"
	"exclave/internal/job/folder"
	"exclave/internal/job/moved"
	"exclave/internal/job/storage"
	"exclave/internal/printable"
	"exclave/warc/store"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newStore() *cobra.Command {
	var c store.Config
	var list bool
	cmd := &cobra.Command{
		Use:   "store JOB",
		Short: "Store complete WARC files in S3-compatible storage or another folder",
		Long: `store puts the complete WARC files of a job, running or at rest, that are not there yet into
a bucket (--to s3://BUCKET/PREFIX) or a folder (--to /other/disk, file:///other/disk), and
registers each in moved.jsonl once it was compared: its SHA-256 here is that of SHA256SUMS,
what the server or the other disk has is the same. With --delete it is then deleted here. What
is not given is as the section [store] of job.toml has it; with that section the crawl does the
same beside its work.

An object that is there with other content is not overwritten. What breaks off is tried
again, and run again it continues. Keys come from --credentials FILE (AWS's shared credentials) or from
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. --list tells where each file is, and stores nothing.

Exit codes: 0 all are stored; 1 some cannot be: other content has the name, or the file is not what
its digest says, or access is denied; 2 arguments, configuration or keys are wrong; 3 it failed
otherwise: run it again; 4 another process stores files of the job, or cannot be asked; 130 interrupted.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := loadJob(cmd, args[0])
			if err != nil {
				return err
			}
			with := storeConfig(cmd.Flags(), cfg, c)
			all, err := filesOf(cmd, args[0])
			if err != nil {
				return askError(err)
			}
			f := folder.Of(cfg, jobOptions(cmd.ErrOrStderr()).Env())
			if list {
				return listStored(cmd.OutOrStdout(), f, all)
			}
			if !with.On() {
				return withCode(exitUsage, fmt.Errorf("store %s: where to? give --to s3://BUCKET/PREFIX or a folder, or to in [store] of job.toml", args[0]))
			}
			for _, p := range with.Validate() {
				return withCode(exitUsage, fmt.Errorf("store %s: --%s: %s", args[0], p.Key, p.Msg))
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), endings()...)
			defer stop()
			err = storeAll(ctx, cmd.OutOrStdout(), f, with, cfg.WARC.CDXJ, all)
			if err != nil && ctx.Err() != nil {
				return withCode(exitInterrupt, fmt.Errorf("store %s: interrupted; run it again to continue", args[0]))
			}
			return err
		},
	}
	d := store.DefaultConfig()
	f := cmd.Flags()
	f.StringVar(&c.To, "to", "", "s3://BUCKET/PREFIX, file:///FOLDER or a folder")
	f.StringVar(&c.Endpoint, "endpoint", "", "URL of the S3 server (default: Amazon's)")
	f.StringVar(&c.Region, "region", d.Region, "region of the bucket")
	f.BoolVar(&c.Delete, "delete", false, "delete each file here once it is stored, compared and registered")
	f.BoolVar(&c.ReadBack, "read-back", false, "read each object from its place, also when the server states its SHA-256")
	f.BoolVar(&list, "list", false, "only tell where each file is")
	keyFlags(f, &c)
	return cmd
}

// keyFlags are those of who reads or writes elsewhere.
func keyFlags(f *pflag.FlagSet, c *store.Config) {
	f.StringVar(&c.Credentials, "credentials", "", "file of keys in the form of AWS's shared credentials (default: the environment)")
	f.StringVar(&c.CA, "ca", "", "PEM file of certificates that are trusted beside the system's")
}

// storeConfig returns the section store of a job with what flags say instead; it is the job's from now on.
func storeConfig(f *pflag.FlagSet, cfg *config.Config, given store.Config) store.Config {
	c := cfg.Storage()
	for name, set := range map[string]func(){
		"to":          func() { c.To = store.Absolute(given.To, here()) },
		"endpoint":    func() { c.Endpoint = given.Endpoint },
		"region":      func() { c.Region = given.Region },
		"credentials": func() { c.Credentials = absolute(given.Credentials) },
		"ca":          func() { c.CA = absolute(given.CA) },
		"delete":      func() { c.Delete = given.Delete },
		"read-back":   func() { c.ReadBack = given.ReadBack },
	} {
		if f.Changed(name) {
			set()
		}
	}
	cfg.Store = c
	return c
}

// here is the folder that names in arguments begin in.
func here() string { return absolute(".") }

// absolute is the absolute name of a file; without a working folder it stays as it is. "" is none.
func absolute(name string) string {
	if name == "" {
		return ""
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// storeAll stores what waits. What is wrong with one file does not keep others from it.
func storeAll(ctx context.Context, out io.Writer, f folder.Folder, with store.Config, index bool, all []moved.File) (err error) {
	s, err := storage.Open(f, with, index)
	if err != nil {
		return storeError(err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	waiting, err := s.Waiting(all)
	if err != nil {
		return jobError(err)
	}
	var failed []error
	for _, file := range waiting {
		put, err := s.Put(ctx, file)
		switch {
		case errors.Is(err, store.ErrTaken), errors.Is(err, store.ErrChanged):
			failed = append(failed, err)
			continue
		case err != nil:
			return storeError(errors.Join(append(failed, err)...))
		}
		what := "stored at "
		if put.There {
			what = "is the same at "
		}
		gone := ""
		if with.Delete {
			gone = ", deleted here"
		}
		fmt.Fprintf(out, "%s: %d bytes, %s%s%s\n", file.Name, file.Size, what, put.Address, gone)
	}
	if len(waiting) == 0 {
		fmt.Fprintf(out, "nothing to store: %s\n", count(len(storage.Complete(all)), "complete WARC file"))
	}
	return storeError(errors.Join(failed...))
}

// storeError gives errors of storing their exit codes.
func storeError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, store.ErrSettings):
		return withCode(exitUsage, err)
	case errors.Is(err, store.ErrTaken), errors.Is(err, store.ErrChanged), errors.Is(err, store.ErrDenied):
		return withCode(exitNegative, err)
	}
	return jobError(err)
}

// listStored tells where each WARC file is.
func listStored(out io.Writer, f folder.Folder, all []moved.File) error {
	known, err := f.Moved()
	if err != nil {
		return jobError(err)
	}
	for _, file := range storage.Complete(all) {
		var at []string
		if _, err := f.FS.Stat(f.Path(folder.WARCDir, file.Name)); err == nil {
			at = append(at, "here")
		}
		for _, m := range known {
			switch {
			case m.File != file.Name:
			case m.Stored():
				at = append(at, m.To)
			default:
				at = append(at, fmt.Sprintf("moved away (%q)", m.To))
			}
		}
		if len(at) == 0 {
			at = []string{"missing"}
		}
		fmt.Fprintf(out, "%s\t%s\t%s\n", file.Name, printable.Size(file.Size), strings.Join(at, ", "))
	}
	return nil
}
