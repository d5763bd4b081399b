package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"

	"exclave/config"
	"exclave/internal/control"
	"exclave/internal/job"
	"exclave/internal/job/folder"
	"exclave/internal/job/question"
	"exclave/internal/printable"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// either lets the running crawl of a job answer, or opens the job when none runs. It is the one place that decides
// which. Whoever only wants to look may also look when a crawl of another user cannot be asked: the lock of the state
// says whether there is one after all.
func either(cmd *cobra.Command, dir string, look bool, running func(*control.Client) error, resting func(*config.Config, job.Options) error) error {
	c, err := control.Dial(dir)
	if err == nil {
		err = errors.Join(running(c), c.Close())
	}
	if !errors.Is(err, control.ErrNotRunning) && !(look && errors.Is(err, control.ErrForbidden)) { // it may have ended just now
		return err
	}
	cfg, err := loadJob(cmd, dir)
	if err != nil {
		return err
	}
	return resting(cfg, jobOptions(cmd.ErrOrStderr()))
}

// ask puts questions about a job to whoever can answer. When a crawl ends while it is asked, fn is called again.
func ask(cmd *cobra.Command, dir string, fn func(question.Questions) error) error {
	return askError(inquire(cmd, dir, fn))
}

// inquire is ask with the error as it is.
func inquire(cmd *cobra.Command, dir string, fn func(question.Questions) error) error {
	return either(cmd, dir, true, func(c *control.Client) error { return fn(c) }, func(cfg *config.Config, o job.Options) error {
		return question.Look(cmd.Context(), folder.Of(cfg, o.Env()), fn)
	})
}

// alter has whoever has a job open change it: the running crawl or, when none runs, the job opened for it. A job
// that was never begun stays so: there is nothing in it to change. [askError] tells what the error means.
func alter(cmd *cobra.Command, dir string, fn func(question.Changes) error) error {
	return either(cmd, dir, false, func(c *control.Client) error { return fn(c) }, func(cfg *config.Config, o job.Options) error {
		if err := folder.Of(cfg, o.Env()).Begun(); err != nil {
			return err
		}
		return opened(cmd, cfg, o, fn)
	})
}

// opened opens a job for a change.
func opened(cmd *cobra.Command, cfg *config.Config, o job.Options, fn func(question.Changes) error) error {
	o.AtRest = true
	j, err := job.Open(cmd.Context(), cfg, o)
	if err != nil {
		return err
	}
	return errors.Join(fn(j), j.Close())
}

// askError tells a wrong question from a failure.
func askError(err error) error {
	var said *control.Error
	if errors.Is(err, question.ErrURL) || errors.Is(err, question.ErrProfile) || errors.Is(err, question.ErrFilter) || errors.As(err, &said) && said.Code == 400 {
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

// forBytes is where the bytes of records go: nothing of them is replaced, unless they are shown on a terminal.
func forBytes(out io.Writer) io.Writer {
	p, ok := out.(*printable.Writer)
	if !ok {
		return out
	}
	if tty, ok := p.Bytes().(*os.File); ok && term.IsTerminal(int(tty.Fd())) {
		return out
	}
	return p.Bytes()
}

// printJSON prints an object for programs.
func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(forPrograms(out))
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
