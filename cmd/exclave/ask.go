package main

import (
	"encoding/json"
	"errors"
	"io"

	"exclave/internal/control"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/printable"

	"github.com/spf13/cobra"
)

// ask puts a question to the running crawl of a job, or, when none runs, to its state.
func ask(cmd *cobra.Command, dir string, running func(*control.Client) error, resting func(*job.Job) error) error {
	c, err := control.Dial(dir)
	if err == nil {
		err = errors.Join(running(c), c.Close())
		if !errors.Is(err, control.ErrNotRunning) { // it may have ended just now
			return askError(err)
		}
	} else if !atRest(err) {
		return err
	}
	cfg, err := loadJob(cmd, dir)
	if err != nil {
		return err
	}
	return askError(job.Look(cmd.Context(), cfg, jobOptions(cmd.ErrOrStderr()), resting))
}

// alter asks the running crawl of a job for a change or, when none runs, opens the job for it. A job
// that was never begun stays so: there is nothing in it to change. [askError] tells what the error means.
func alter(cmd *cobra.Command, dir string, running func(*control.Client) error, resting func(*job.Job) error) error {
	c, err := control.Dial(dir)
	if err == nil {
		err = errors.Join(running(c), c.Close())
	}
	if !errors.Is(err, control.ErrNotRunning) { // it may have ended just now
		return err
	}
	cfg, err := loadJob(cmd, dir)
	if err != nil {
		return err
	}
	o := jobOptions(cmd.ErrOrStderr())
	if err := folder.Of(cfg, o.Env()).Begun(); err != nil {
		return err
	}
	j, err := job.Open(cmd.Context(), cfg, o)
	if err != nil {
		return err
	}
	return errors.Join(resting(j), j.Close())
}

// atRest reports that there is no crawl to ask, as far as this user can tell: the lock of the state
// says whether there is one after all.
func atRest(err error) bool {
	return errors.Is(err, control.ErrNotRunning) || errors.Is(err, control.ErrForbidden)
}

// askError tells a wrong question from a failure.
func askError(err error) error {
	var said *control.Error
	if errors.Is(err, job.ErrURL) || errors.Is(err, job.ErrFilter) || errors.As(err, &said) && said.Code == 400 {
		return withCode(exitUsage, err)
	}
	if errors.Is(err, folder.ErrNotBegun) {
		return withCode(exitNegative, err)
	}
	return jobError(err)
}

// forPrograms is where JSON goes: nothing of it is replaced, what would steer a terminal is escaped.
func forPrograms(out io.Writer) io.Writer {
	if p, ok := out.(*printable.Writer); ok {
		return p.JSON()
	}
	return out
}

// printJSON prints an object for programs.
func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(forPrograms(out))
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
