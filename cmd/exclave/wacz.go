package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"

	"exclave/config"
	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/internal/job/divide"
	"exclave/internal/job/folder"
	"exclave/internal/job/view"
	"exclave/internal/printable"
	"exclave/warc"
	"exclave/warc/wacz"

	"github.com/spf13/cobra"
)

// packer is `exclave wacz` under way.
type packer struct {
	cmd     *cobra.Command
	out     string
	profile string
	o       wacz.Options
	files   []string       // and folders of them
	close   []func() error // in reverse
}

func newWACZ() *cobra.Command {
	var p packer
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "wacz JOB|FILE|DIR… -o FILE.wacz",
		Short: "Pack an archive for replay tools: WARC files, index and pages in one file",
		Long: `wacz makes a package (WACZ 1.1.1) that ReplayWeb.page and other tools open: the WARC files, an index, and the list of pages with titles
and text. It takes jobs that are not running, of which it packs the complete files; WARC files of any program; and folders of such files.

Listed as pages are HTML pages that were answered with 200: of an archive with verdicts those that are valid, else all; seeds first. --host
packs only what is of a host or of hosts below it, and what its revisit records stand for. --profile packs what this profile of the job alone
would have archived, as exclave divide does. Files of gzip members are packed byte for byte, others are compressed anew.

The package is written as FILE.wacz.part and renamed when it is whole. One that is there is never replaced.

Exit codes: 0 packed; 1 there is nothing to pack, a file is damaged, the job was never begun; 2 wrong flags, a file cannot be read, the
package is there, the job has no such profile or its configuration is wrong; 3 a failure of our own; 4 another process works on the job; 130
interrupted. Unless 0, nothing was made.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			ctx, stop := signal.NotifyContext(cmd.Context(), endings()...)
			defer stop()
			p.cmd = cmd
			defer func() {
				for i := len(p.close) - 1; i >= 0; i-- {
					err = errors.Join(err, p.close[i]())
				}
			}()
			r, err := p.run(ctx, args)
			if err != nil {
				return waczEnd(ctx, err)
			}
			if r.Unindexed > 0 {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s without date or address: packed, but no index has them\n", count(int(r.Unindexed), "record"))
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), r)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %s, %s, %s\n", printable.Text(p.out), count(r.Files, "WARC file"), count(int(r.Captures), "capture"), count(int(r.Pages), "page"), printable.Size(r.Bytes))
			return err
		},
	}
	f := cmd.Flags()
	f.StringVarP(&p.out, "output", "o", "", "the new package")
	f.StringSliceVar(&p.o.Hosts, "host", nil, "pack only what is of this host or below it; may be repeated")
	f.StringVar(&p.profile, "profile", "", "pack only what this profile of the job would have archived")
	f.StringVar(&p.o.Title, "title", "", "of the package (default: the name of the job)")
	f.StringVar(&p.o.About, "description", "", "of the package (default: that of the job)")
	f.StringVar(&p.o.Temp, "temp", "", "folder of temporary files (default: the system's)")
	f.BoolVar(&asJSON, "json", false, "counts as one JSON object")
	_ = cmd.MarkFlagRequired("output") // it is there
	return cmd
}

// waczEnd gives an error its exit code.
func waczEnd(ctx context.Context, err error) error {
	var d *warc.Defect
	var c coded
	switch {
	case ctx.Err() != nil:
		return withCode(exitInterrupt, errors.New("wacz: interrupted; nothing was made"))
	case errors.As(err, &c):
		return err
	case errors.As(err, &d):
		return withCode(exitNegative, fmt.Errorf("%s; nothing was made; save what is whole with exclave warc repair", printable.Text(d.Error())))
	case errors.Is(err, wacz.ErrNothing), errors.Is(err, divide.ErrNothing):
		return withCode(exitNegative, err)
	case errors.Is(err, fs.ErrExist), errors.Is(err, divide.ErrUnusable):
		return withCode(exitUsage, err)
	}
	return askError(err)
}

func (p *packer) run(ctx context.Context, args []string) (wacz.Result, error) {
	if st, err := os.Stat(p.o.Temp); p.o.Temp != "" && (err != nil || !st.IsDir()) {
		return wacz.Result{}, withCode(exitUsage, fmt.Errorf("wacz: --temp %s is no folder", p.o.Temp))
	}
	if _, err := fsx.Lstat(fsx.Real(), p.out); err == nil { // before hours of work
		return wacz.Result{}, withCode(exitUsage, fmt.Errorf("wacz: %s is there already; name a new package", p.out))
	}
	for _, arg := range args {
		if err := p.add(ctx, arg); err != nil {
			return wacz.Result{}, err
		}
	}
	files, err := warcFiles(p.files) // what is in folders, and each once
	if err != nil {
		return wacz.Result{}, err
	}
	p.o.Profile, p.o.Software, p.o.Created = p.profile, "exclave/"+programVersion, clock.System().Now()
	return wacz.Pack(ctx, fsx.Real(), p.out, files, p.o)
}

// add takes the files of an argument.
func (p *packer) add(ctx context.Context, arg string) error {
	st, err := os.Stat(arg)
	if err != nil {
		return withCode(exitUsage, fmt.Errorf("wacz: %w", err))
	}
	if !st.IsDir() && filepath.Base(arg) != config.FileName {
		if !st.Mode().IsRegular() {
			return withCode(exitUsage, fmt.Errorf("wacz: %s is neither a file nor a folder", arg))
		}
		p.files = append(p.files, arg)
		return p.profileOf(arg)
	}
	if st.IsDir() {
		if _, err := os.Stat(filepath.Join(arg, config.FileName)); errors.Is(err, fs.ErrNotExist) {
			p.files = append(p.files, arg)
			return p.profileOf(arg)
		}
	}
	return p.job(ctx, arg)
}

// profileOf refuses --profile of what is no job.
func (p *packer) profileOf(arg string) error {
	if p.profile == "" {
		return nil
	}
	return withCode(exitUsage, fmt.Errorf("wacz: --profile is for jobs, whose links say what belongs to it; %s is none", arg))
}

// job takes the complete files of a job, which is locked until all is packed, or those of the part of a profile.
func (p *packer) job(ctx context.Context, dir string) error {
	cfg, err := loadJob(p.cmd, dir)
	if err != nil {
		return err
	}
	jo := jobOptions(p.cmd.ErrOrStderr())
	f := folder.Of(cfg, jo.Env())
	if p.o.Title == "" {
		p.o.Title = cfg.Job.Name
	}
	if p.o.About == "" {
		p.o.About = cfg.Job.Description
	}
	if p.profile != "" {
		return p.part(ctx, f, divide.Options{Profiles: []string{p.profile}, Software: jo.Software, Version: jo.Version})
	}
	v, err := view.Open(ctx, f, view.Options{For: "wacz", Files: true})
	if err != nil {
		return err
	}
	p.close = append(p.close, v.Close)
	moved, err := f.Moved()
	if err != nil {
		return err
	}
	open := 0
	for _, row := range v.State.Files() {
		switch {
		case !row.Final:
			open++
		case notHere(f, moved, row.Name):
			return withCode(exitUsage, fmt.Errorf("wacz %s: %w", dir, elsewhereError(moved, row.Name)))
		default:
			p.files = append(p.files, f.Path(folder.WARCDir, row.Name))
		}
	}
	if open > 0 {
		fmt.Fprintf(p.cmd.ErrOrStderr(), "%s: %s left out: the crawl is not over; exclave crawl completes them\n", dir, count(open, "open WARC file"))
	}
	return nil
}

// part makes the archive of a profile in a temporary folder.
func (p *packer) part(ctx context.Context, f folder.Folder, o divide.Options) error {
	temp, err := os.MkdirTemp(p.o.Temp, "exclave-wacz-part-")
	if err != nil {
		return fmt.Errorf("wacz: temporary folder: %w", err)
	}
	p.close = append(p.close, func() error { return os.RemoveAll(temp) })
	to := filepath.Join(temp, "parts")
	if _, err := divide.Archive(ctx, f, to, o); err != nil {
		return err
	}
	p.files = append(p.files, to)
	return nil
}
