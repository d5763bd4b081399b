package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"exclave/internal/fsx"
	"exclave/internal/printable"
	"exclave/warc"
	"exclave/warc/rewrite"

	"github.com/spf13/cobra"
)

// rewriting is the flags that verbs have that make WARC files.
type rewriting struct {
	out, form, temp, log, dictionary string
	level                            int
	look                             func(ctx context.Context, inputs []rewrite.Input, temp string) error // before the Run; nil: nothing
}

func (o *rewriting) flags(cmd *cobra.Command, out string) {
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", out)
	f.StringVar(&o.form, "form", "", "gzip, zstd or plain (default: by the name, else gzip)")
	f.IntVar(&o.level, "level", 0, "of compression: gzip 1 to 9, zstd 1 to 22 (default 6)")
	f.StringVar(&o.dictionary, "dictionary", "", "file of a zstd dictionary that the new files begin with; exclave warc dictionary makes one")
	f.StringVar(&o.log, "log", "", "new file, there when the outputs are, with a line for each record that is left out or lost (default: stderr)")
	tempFlag(cmd, &o.temp)
}

// formed returns the form of the outputs.
func (o *rewriting) formed() (rewrite.Form, error) {
	form := rewrite.Form(cmp.Or(o.form, string(rewrite.FormOf(o.out))))
	if !slices.Contains(rewrite.Forms(), form) {
		return "", withCode(exitUsage, fmt.Errorf("warc: --form %s is none of %v", form, rewrite.Forms()))
	}
	return form, nil
}

// outcome is what a Run did.
type outcome struct{ written, left, lost int }

// run runs a plan over files. What is left out goes to the log, which is there when the outputs are.
func (o *rewriting) run(cmd *cobra.Command, verb string, files []string, plan *rewrite.Plan) (sum outcome, err error) {
	ctx, stop := signal.NotifyContext(cmd.Context(), endings()...)
	defer stop()
	form, err := o.formed()
	if err != nil {
		return sum, err
	}
	if o.out == "" {
		return sum, withCode(exitUsage, fmt.Errorf("warc %s: name the output with --output", verb))
	}
	dict, err := readDictionary(o.dictionary)
	if err != nil {
		return sum, withCode(exitUsage, fmt.Errorf("warc %s: %w", verb, err))
	}
	var set *rewrite.Set
	if o.out == "-" {
		set, err = rewrite.NewStream(fsx.Real(), forBytes(cmd.OutOrStdout()), form, o.level, dict)
	} else {
		set, err = rewrite.NewSet(fsx.Real(), form, o.level, dict)
	}
	if err != nil {
		return sum, withCode(exitUsage, err)
	}
	if _, err := sizesOf(files...); err != nil {
		return sum, err
	}
	for _, name := range []string{o.out, o.log} { // before hours of reading
		if _, err := os.Lstat(name); err == nil && name != "-" && (plan.Name == nil || name == o.log) {
			return sum, withCode(exitUsage, fmt.Errorf("warc %s: %s: %w; name another file, or remove it first", verb, name, os.ErrExist))
		}
		if st, err := os.Stat(filepath.Dir(name)); err != nil || !st.IsDir() {
			return sum, fmt.Errorf("warc %s: %s: there is no folder %s; make it first", verb, name, filepath.Dir(name))
		}
	}
	if o.look != nil {
		if err := o.look(ctx, twice(ctx, cmd, files), o.temp); err != nil {
			return sum, warcEnd(ctx, verb, err)
		}
	}
	log := cmd.ErrOrStderr()
	if o.log != "" {
		if log, err = set.Log(o.log); err != nil {
			return sum, withCode(exitUsage, fmt.Errorf("warc %s: log: %w", verb, errors.Join(err, set.Abort())))
		}
	}
	plan.Output, plan.Temp = o.out, o.temp
	if plan.Damage != nil {
		plan.Damage = func(input string, d warc.Defect) {
			sum.lost++
			fmt.Fprintf(log, "lost\t%s\t%d\t%s\t%s\n", input, d.Offset, d.Kind, printable.Text(d.Detail))
		}
	}
	plan.Left = func(r *rewrite.Record, why string) {
		sum.left++
		fmt.Fprintf(log, "left out\t%s\t%d\t%s\t%s\t%s\t%s\n", r.Input, r.Offset, why, r.Type, orDash(printable.Text(r.URI)), orDash(r.ID))
	}
	plan.Written = func(r *rewrite.Record, _ string) {
		sum.written++
		if plan.Damage != nil && r.Digest != "" {
			fmt.Fprintf(log, "kept, digest differs\t%s\t%d\t%s\t%s\n", r.Input, r.Offset, r.Digest, orDash(r.ID))
		}
	}
	if err := rewrite.Run(ctx, lateWARCs(ctx, cmd, files), plan, set); err != nil {
		return sum, warcEnd(ctx, verb, err)
	}
	if sum.written == 0 && plan.Keep == nil && plan.Damage == nil {
		return sum, withCode(exitNegative, fmt.Errorf("warc %s: there is no record in %s, so no file was made", verb, strings.Join(files, ", ")))
	}
	for _, f := range set.Files() {
		size := ""
		if o.out != "-" {
			size = ", " + printable.Size(f.Size())
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s%s\n", f.Name, count(int(f.Records), "record"), size)
	}
	return sum, nil
}

// lateWARCs makes inputs of files.
func lateWARCs(ctx context.Context, cmd *cobra.Command, files []string) (inputs []rewrite.Input) {
	for _, name := range files {
		inputs = append(inputs, rewrite.Input{Name: name, R: &lateWARC{open: func() (io.ReadCloser, error) { return openWARC(ctx, cmd, name) }}})
	}
	return inputs
}

// twice makes inputs of the files that can be read once more afterwards, and tells of the others.
func twice(ctx context.Context, cmd *cobra.Command, files []string) []rewrite.Input {
	return lateWARCs(ctx, cmd, slices.DeleteFunc(slices.Clone(files), func(name string) bool {
		st, err := os.Stat(name)
		once := name == "-" || err == nil && !st.Mode().IsRegular()
		if once {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s can be read once only: a record that stands before the one it belongs to, and has another address, stays; "+
				"copy it to a file first to have such records found\n", name)
		}
		return once
	}))
}

// lateWARC is a file that is opened when it is read, and closed at its end: there may be thousands.
type lateWARC struct {
	open func() (io.ReadCloser, error)
	f    io.ReadCloser
	err  error
}

func (l *lateWARC) ready() error {
	if l.f == nil && l.err == nil {
		l.f, l.err = l.open()
	}
	return l.err
}

// Read implements io.Reader.
func (l *lateWARC) Read(p []byte) (int, error) {
	if err := l.ready(); err != nil {
		return 0, err
	}
	return l.f.Read(p)
}

// Seek implements io.Seeker where the file does.
func (l *lateWARC) Seek(offset int64, whence int) (int64, error) {
	if err := l.ready(); err != nil {
		return 0, err
	}
	s, ok := l.f.(io.Seeker)
	if !ok {
		return 0, warc.ErrNoSeek
	}
	return s.Seek(offset, whence)
}

// Close implements io.Closer.
func (l *lateWARC) Close() error {
	if l.f == nil {
		return nil
	}
	return l.f.Close()
}

func newWARCRepair() *cobra.Command {
	var o rewriting
	cmd := &cobra.Command{
		Use:   "repair FILE… -o NEW.warc.gz",
		Short: "Save what is whole from damaged WARC files",
		Long: `repair copies every record that is whole into a new file, header and block as they are, and logs what was lost, with offset and reason. A
record whose digest differs from its block is copied and logged: its bytes are all that is left of it. The inputs are not changed.

Exit codes: 0 repaired, or nothing was wrong; 1 nothing was whole; 2 wrong flags, a file cannot be read, an output is there; 3 a failure of our
own; 130 interrupted, nothing was made.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			sum, err := o.run(cmd, "repair", args, &rewrite.Plan{Damage: func(string, warc.Defect) {}, EveryInfo: true})
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%s saved, %s of damage\n", count(sum.written, "record"), count(sum.lost, "place"))
			if sum.written == 0 {
				return withCode(exitNegative, errors.New("warc repair: no record is whole"))
			}
			return nil
		},
	}
	o.flags(cmd, "new file for what is whole, - for stdout")
	return cmd
}

func newWARCMerge() *cobra.Command {
	var o rewriting
	cmd := &cobra.Command{
		Use:   "merge FILE… -o NEW.warc.gz",
		Short: "Make one WARC file of several",
		Long: `merge copies the records of all files, in their order, into a new one. Each warcinfo record stands before what it describes.

Exit codes: 0 merged; 1 an input is damaged or no record is there; 2 wrong flags, a file cannot be read, the output is there; 3 a failure of our own; 130
interrupted. But for 0 nothing was made.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := o.run(cmd, "merge", args, &rewrite.Plan{EveryInfo: true})
			return err
		},
	}
	o.flags(cmd, "new file, - for stdout")
	return cmd
}

func newWARCRecompress() *cobra.Command {
	var o rewriting
	cmd := &cobra.Command{
		Use:   "recompress FILE -o NEW.warc.gz",
		Short: "Compress the records of a WARC file anew, each by itself",
		Long: `recompress copies all records into a new file of another form, level or dictionary: gzip, zstd or plain. From a file that is compressed as a whole it
makes one with a member or frame for each record, to which indexes can lead. Header and block of each record stay the same bytes.

Exit codes: 0 made; 1 the input is damaged or no record is there; 2 wrong flags, the file cannot be read, the output is there; 3 a failure of our own; 130
interrupted. But for 0 nothing was made.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := o.run(cmd, "recompress", args, &rewrite.Plan{EveryInfo: true})
			return err
		},
	}
	o.flags(cmd, "new file, - for stdout")
	return cmd
}

func newWARCSplit() *cobra.Command {
	var o rewriting
	var d rewrite.Divide
	var date, size string
	cmd := &cobra.Command{
		Use:   "split FILE… -o DIR/NAME [--size 1G] [--by-host] [--by-date day]",
		Short: "Divide WARC files by size, host or date",
		Long: `split copies the records into files DIR/NAME-HOST-DATE-00000.warc.gz, with those parts of the name that are asked for. Records that stand
together and name each other stay together, and each file begins with the warcinfo record of what is in it. A file takes no capture any more
from --size on.

Exit codes: 0 divided; 1 an input is damaged or no record is there; 2 wrong flags, a file cannot be read, an output is there; 3 a failure of our own; 130
interrupted. But for 0 nothing was made.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			layouts := map[string]string{"": "", "year": "2006", "month": "2006-01", "day": "2006-01-02"}
			layout, ok := layouts[date]
			if !ok {
				return withCode(exitUsage, fmt.Errorf("warc split: --by-date %s is none of year, month, day", date))
			}
			if size != "" {
				if d.Size, err = byteSize(size); err != nil {
					return withCode(exitUsage, fmt.Errorf("warc split: --size: %w", err))
				}
			}
			if d.Size == 0 && !d.Host && layout == "" {
				return withCode(exitUsage, errors.New("warc split: say by what: --size, --by-host or --by-date"))
			}
			if o.out == "-" || o.out == "" {
				return withCode(exitUsage, errors.New("warc split: name folder and beginning of the new files with --output"))
			}
			form, err := o.formed()
			if err != nil {
				return err
			}
			d.Prefix, d.Form, d.Date = filepath.Clean(strings.TrimSuffix(o.out, form.Ending())), form, layout
			_, err = o.run(cmd, "split", args, &rewrite.Plan{Name: d.Name})
			return err
		},
	}
	o.flags(cmd, "folder and beginning of the names of the new files")
	cmd.Flags().StringVar(&size, "size", "", "of a file, as 500M or 1G: bytes on disk")
	cmd.Flags().BoolVar(&d.Host, "by-host", false, "a file for each host")
	cmd.Flags().StringVar(&date, "by-date", "", "a file for each year, month or day of WARC-Date, in UTC")
	return cmd
}

// byteSize reads a number of bytes with K, M, G or T behind it, powers of 1024.
func byteSize(s string) (int64, error) {
	var n int64
	var unit string
	if _, err := fmt.Sscanf(s+" ", "%d%s", &n, &unit); err != nil && n <= 0 {
		return 0, fmt.Errorf("%q is no size; 500M and 1G are", s)
	}
	shift := map[string]int{"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
	by, ok := shift[strings.ToUpper(strings.TrimSuffix(strings.TrimSuffix(unit, "B"), "i"))]
	if !ok || n <= 0 || n > 1<<62>>by {
		return 0, fmt.Errorf("%q is no size; 500M and 1G are", s)
	}
	return n << by, nil
}

func newWARCFilter() *cobra.Command {
	var o rewriting
	var f rewrite.Filter
	var without []string
	var since, before, verdict string
	cmd := &cobra.Command{
		Use:   "filter FILE… -o NEW.warc.gz",
		Short: "Copy chosen records of WARC files, or all but some",
		Long: `filter copies the captures that meet all flags into a new file, and logs each record that it leaves out. A response answers for its request and
metadata, when they stand beside it and name each other. Flags that may be given several times mean any of them.

--without URL leaves out an address, http and https being the same, with requests, metadata, verdicts and revisit records that stand for it;
--without 'http://(cz,example,' does so for a SURT prefix, here a domain with all below it. The files are read twice, so what belongs to a record
that is left out is found before and behind it and in all files of the call; standard input can be read once only. Other pages that link to it stay
as they are.

--verdict and --profile look at the verdict that exclave has written into the capture; captures without one are left out.

Exit codes: 0 copied; 1 nothing met the flags, of which the log is made, or an input is damaged; 2 wrong flags, a file cannot be read, the output is
there; 3 a failure of our own; 130 interrupted. But for 0 no WARC file was made.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if err := f.Check(); err != nil {
				return withCode(exitUsage, fmt.Errorf("warc filter: %w", err))
			}
			for _, d := range []struct {
				s  string
				to *time.Time
			}{{since, &f.Since}, {before, &f.Before}} {
				if d.s != "" {
					if *d.to, err = warcDate(d.s); err != nil {
						return withCode(exitUsage, fmt.Errorf("warc filter: %w", err))
					}
				}
			}
			switch verdict {
			case "":
			case "valid", "invalid":
				valid := verdict == "valid"
				f.Valid = &valid
			default:
				return withCode(exitUsage, fmt.Errorf("warc filter: --verdict %s is neither valid nor invalid", verdict))
			}
			down, err := rewrite.NewTakedown(without)
			if err != nil {
				return withCode(exitUsage, fmt.Errorf("warc filter: --without: %w", err))
			}
			if len(without) > 0 {
				o.look = down.Look
			}
			sum, err := o.run(cmd, "filter", args, &rewrite.Plan{Keep: func(capture []*rewrite.Record) []rewrite.Fate {
				fates := f.Keep(capture)
				for i, fate := range down.Keep(capture) {
					if fate.Drop {
						fates[i] = fate
					}
				}
				return fates
			}})
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%s copied, %d left out\n", count(sum.written, "record"), sum.left)
			if sum.written == 0 {
				return withCode(exitNegative, errors.New("warc filter: no record is left, so no file was made; the log says why of each"))
			}
			return nil
		},
	}
	o.flags(cmd, "new file, - for stdout")
	fl := cmd.Flags()
	fl.StringArrayVar(&f.Hosts, "host", nil, "with all hosts below it")
	fl.StringArrayVar(&f.MIMEs, "mime", nil, "as text/html or image/*")
	fl.StringArrayVar(&f.Statuses, "http-status", nil, "as 200 or 4xx")
	fl.StringArrayVar(&f.Types, "type", nil, "of single records: response, revisit, request, …")
	fl.StringVar(&since, "since", "", "WARC-Date from then on: 2024-01-31, with time, or 14 digits")
	fl.StringVar(&before, "before", "", "WARC-Date before then")
	fl.StringVar(&verdict, "verdict", "", "valid or invalid")
	fl.StringVar(&f.Profile, "profile", "", "of the verdict")
	fl.StringArrayVar(&without, "without", nil, "leave out a URL, or what is below a SURT prefix")
	return cmd
}
