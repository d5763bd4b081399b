package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"exclave/internal/printable"
	"exclave/internal/record"
	"exclave/internal/urlx"
	"exclave/warc"
	"exclave/warc/remote"
	"exclave/warc/rewrite"

	"github.com/spf13/cobra"
)

func newWARC() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "warc",
		Short: "List, check, repair, compare, filter and rewrite anybody's WARC and ARC files",
		Long: `warc works on WARC and ARC files of any program and size: plain, gzip and zstd, with a member or frame for each record or one over all.
What a file is, is told by its bytes. A FILE may be - for standard input, or an address of http or https, which is read by ranges where
the server gives them. Offsets are those of the file; of gzip or zstd over several records those of the unpacked file.

Verbs that make files write them under a temporary name beside (.part), sync and rename them. An input is only read, a file that is there
is never replaced, and after an error there is nothing new.

Exit codes: 0 done; 1 defects were found, nothing was found; 2 wrong flags, a file cannot be read, an output is there; 3 a failure of our own;
130 interrupted, nothing was made.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newWARCLs(), newWARCCat(), newWARCGet(), newWARCCheck(), newWARCStats(), newWARCNear(), newWARCRepair(), newWARCSplit(), newWARCMerge(), newWARCFilter(), newWARCRecompress(), newWARCDictionary())
	return cmd
}

// openWARC opens a file, an address or standard input.
func openWARC(ctx context.Context, cmd *cobra.Command, name string) (io.ReadCloser, error) {
	switch {
	case name == "-":
		return io.NopCloser(struct{ io.Reader }{cmd.InOrStdin()}), nil // a pipe cannot seek, whatever its type says
	case strings.HasPrefix(name, "http://"), strings.HasPrefix(name, "https://"):
		f, err := remote.Open(ctx, http.DefaultClient, name)
		if err != nil {
			return nil, withCode(exitUsage, fmt.Errorf("warc: %w", err))
		}
		return f, nil
	}
	if _, err := sizesOf(name); err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, withCode(exitUsage, fmt.Errorf("warc: %w", err))
	}
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, withCode(exitUsage, errors.Join(err, f.Close()))
	case !st.Mode().IsRegular(): // a pipe has a Seek that fails
		return struct {
			io.Reader
			io.Closer
		}{f, f}, nil
	}
	return f, nil
}

// sizesOf returns how many bytes files have together, -1 when there is one of which nobody knows. A file that is not there, or a folder, is told
// before the others are read, which may take hours.
func sizesOf(files ...string) (sum int64, err error) {
	for _, name := range files {
		if name == "-" || strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
			sum = -1
			continue
		}
		st, err := os.Stat(name)
		switch {
		case err != nil:
			return 0, withCode(exitUsage, fmt.Errorf("warc: %w", err))
		case st.IsDir():
			return 0, withCode(exitUsage, fmt.Errorf("warc: %s is a folder; name files", name))
		case !st.Mode().IsRegular():
			sum = -1
		case sum >= 0:
			sum += st.Size()
		}
	}
	return sum, nil
}

// warcEnd gives an error of a verb its exit code.
func warcEnd(ctx context.Context, verb string, err error) error {
	var d *warc.Defect
	var c coded
	switch {
	case err == nil || errors.As(err, &c):
		return err
	case ctx.Err() != nil:
		return withCode(exitInterrupt, fmt.Errorf("warc %s: interrupted; nothing was made", verb))
	case errors.As(err, &d):
		return withCode(exitNegative, fmt.Errorf("%s; nothing was made; save what is whole with exclave warc repair", printable.Text(d.Error())))
	case errors.Is(err, os.ErrExist):
		return withCode(exitUsage, fmt.Errorf("warc %s: %w", verb, err))
	}
	return fmt.Errorf("warc %s: %w", verb, err)
}

// defects counts defects and tells them on stderr.
type defects struct {
	cmd *cobra.Command
	n   int
}

func (d *defects) tell(file string) func(warc.Defect) {
	return func(x warc.Defect) {
		d.n++
		x.File = file
		fmt.Fprintln(d.cmd.ErrOrStderr(), printable.Text((&x).Error()))
	}
}

func (d *defects) end(verb string) error {
	if d.n == 0 {
		return nil
	}
	return withCode(exitNegative, fmt.Errorf("warc %s: %s; exclave warc check says what to do", verb, count(d.n, "defect")))
}

// eachRecord reads every whole record of files.
func eachRecord(cmd *cobra.Command, verb string, files []string, temp string, do func(*rewrite.Record) error) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), endings()...)
	defer stop()
	bad := &defects{cmd: cmd}
	if _, err := sizesOf(files...); err != nil {
		return err
	}
	for _, name := range files {
		err := func() (err error) {
			f, err := openWARC(ctx, cmd, name)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, f.Close()) }()
			for r := warc.NewTolerantReader(f, bad.tell(name)); ; {
				e, err := r.Next()
				if err == io.EOF {
					return nil
				}
				if err = errors.Join(err, ctx.Err()); err != nil {
					return err
				}
				rec, ok, err := rewrite.Read(r, e, name, temp)
				if err != nil {
					return err
				}
				if ok {
					if err := errors.Join(do(rec), rec.Close()); err != nil {
						return err
					}
				}
			}
		}()
		if errors.Is(err, errFound) {
			return nil
		}
		if err != nil {
			return warcEnd(ctx, verb, err)
		}
	}
	return bad.end(verb)
}

// errFound ends reading: there is nothing more to look for.
var errFound = errors.New("found")

// listed is a line of ls --json.
type listed struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	Length int64  `json:"length"` // compressed
	Type   string `json:"type"`
	Date   string `json:"date,omitempty"`
	Status int    `json:"status,omitempty"`
	MIME   string `json:"mime,omitempty"`
	URL    string `json:"url,omitempty"`
	ID     string `json:"id,omitempty"`
	Size   int64  `json:"size"` // of the block
}

func newWARCLs() *cobra.Command {
	var asJSON bool
	var temp string
	cmd := &cobra.Command{
		Use:   "ls FILE…",
		Short: "List the records of WARC files",
		Long: `ls prints a line for each record that is whole: offset, length in the file, type, date, status, MIME type and URL, with - for what there
is not. With --json a line is an object, with file, record ID and size of the block besides. Damage is told on stderr.

Exit codes: 0 listed; 1 something is damaged; 2 a file cannot be read; 3 a failure of our own; 130 interrupted.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			out := json.NewEncoder(cmd.OutOrStdout())
			out.SetEscapeHTML(false)
			return eachRecord(cmd, "ls", args, temp, func(r *rewrite.Record) error {
				l := listed{r.Input, r.Offset, r.Length, r.Type, r.Fields.Get("WARC-Date"), r.Status, r.MIME, r.URI, r.ID, r.Size}
				if asJSON {
					return out.Encode(l)
				}
				status := "-"
				if l.Status != 0 {
					status = fmt.Sprint(l.Status)
				}
				_, err := fmt.Fprintln(cmd.OutOrStdout(), l.Offset, l.Length, orDash(l.Type), orDash(l.Date), status, orDash(l.MIME), orDash(l.URL))
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "an object a line")
	tempFlag(cmd, &temp)
	return cmd
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return strings.ReplaceAll(s, " ", "%20")
}

func tempFlag(cmd *cobra.Command, temp *string) {
	cmd.Flags().StringVar(temp, "temp", "", "folder of temporary files, for blocks of more than 1 MiB (default: the system's)")
}

// shown is what cat and get print of a record.
type shown struct{ record, decoded bool }

func (s *shown) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&s.record, "record", false, "the whole record, with its headers")
	cmd.Flags().BoolVar(&s.decoded, "decoded", false, "the payload without chunks and content coding")
	cmd.MarkFlagsMutuallyExclusive("record", "decoded")
}

// print writes a record, its payload, or its payload without codings.
func (s *shown) print(w io.Writer, r *rewrite.Record, temp string) error {
	http := strings.HasPrefix(strings.ToLower(r.Fields.Get("Content-Type")), "application/http")
	switch {
	case s.record:
		_, err := io.Copy(w, io.MultiReader(strings.NewReader(r.Head), r.Block(), strings.NewReader("\r\n\r\n")))
		return err
	case !http:
		_, err := io.Copy(w, r.Block())
		return err
	case s.decoded && r.Type != warc.TypeRequest:
		rec, err := record.Load(r.Block(), temp, record.DefaultMemory)
		if err != nil {
			return err
		}
		body, err := rec.Body(mostDecoded)
		if err == nil || errors.Is(err, record.ErrChunks) {
			_, err = io.Copy(w, bytes.NewReader(body))
		}
		return errors.Join(err, rec.Close())
	}
	n, err := record.HeadLen(r.Block())
	if err != nil {
		return err
	}
	block := r.Block()
	if _, err := io.CopyN(io.Discard, block, n); err != nil {
		return err
	}
	_, err = io.Copy(w, block)
	return err
}

// mostDecoded bounds what a body may become.
const mostDecoded = 1 << 30

func newWARCCat() *cobra.Command {
	var s shown
	var temp string
	var offset int64
	cmd := &cobra.Command{
		Use:   "cat FILE --offset N",
		Short: "Print a record of a WARC file",
		Long: `cat prints the payload of the record at an offset, as ls shows it: what follows the HTTP header, as it came over the wire. With
--decoded chunks and content coding are taken off, with --record everything is printed. A record of a file or a server with ranges is read
without what stands in front of it, but for a dictionary of zstd; of a file that is compressed as a whole everything in front is read.

Exit codes: 0 printed; 1 there is no record at the offset, or it is damaged; 2 wrong flags, the file cannot be read; 3 a failure of our own;
130 interrupted.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), endings()...)
			defer stop()
			f, err := openWARC(ctx, cmd, args[0])
			if err != nil {
				return err
			}
			err = errors.Join(catAt(ctx, cmd, f, args[0], offset, s, temp), f.Close())
			return warcEnd(ctx, "cat", err)
		},
	}
	cmd.Flags().Int64Var(&offset, "offset", 0, "of the record")
	s.flags(cmd)
	tempFlag(cmd, &temp)
	return cmd
}

func catAt(ctx context.Context, cmd *cobra.Command, f io.Reader, name string, offset int64, s shown, temp string) error {
	reader := warc.NewReader(f)
	if at, ok := f.(io.ReaderAt); ok {
		magic := make([]byte, 5)
		_, err := at.ReadAt(magic, offset)
		if err == nil && (magic[0] == 0x1f && magic[1] == 0x8b || string(magic) == "WARC/" || warc.IsZstd(magic)) {
			reader = warc.NewReaderAt(at, offset, 1<<62)
		}
	}
	for {
		e, err := reader.Next()
		if err == io.EOF || err == nil && e.Offset > offset && offset > 0 { // the first record may stand behind a dictionary
			return withCode(exitNegative, fmt.Errorf("warc cat: %s: no record begins at this offset; exclave warc ls shows where they do", name))
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if e.Offset < offset {
			continue
		}
		rec, ok, err := rewrite.Read(reader, e, name, temp)
		if err != nil || !ok {
			return err
		}
		return errors.Join(s.print(forBytes(cmd.OutOrStdout()), rec, temp), rec.Close())
	}
}

func newWARCGet() *cobra.Command {
	var s shown
	var temp, date string
	cmd := &cobra.Command{
		Use:   "get URL FILE…",
		Short: "Print a capture of a URL",
		Long: `get reads files and prints the payload of the response or resource of the URL, http and https being the same: the first one, or with
--date the one that is nearest to it. A revisit record is given when there is nothing else. With --decoded chunks and content coding are taken
off, with --record everything is printed. An index is faster: exclave warc cat with --offset reads one record.

Exit codes: 0 printed; 1 there is none, or something is damaged; 2 wrong flags, a file cannot be read; 3 a failure of our own; 130 interrupted.`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			want, err := urlx.Parse(args[0])
			if err != nil {
				return withCode(exitUsage, err)
			}
			var near time.Time
			if date != "" {
				if near, err = warcDate(date); err != nil {
					return withCode(exitUsage, err)
				}
			}
			key := urlx.SURT(want.WithoutFragment())
			var best bytes.Buffer
			var found *rewrite.Record
			err = eachRecord(cmd, "get", args[1:], temp, func(r *rewrite.Record) error {
				if r.Type != warc.TypeResponse && r.Type != warc.TypeResource && r.Type != warc.TypeRevisit {
					return nil
				}
				u, err := urlx.Parse(r.URI)
				if err != nil || urlx.SURT(u.WithoutFragment()) != key || found != nil && !nearer(r, found, near) {
					return nil
				}
				if found = r; near.IsZero() && r.Type != warc.TypeRevisit {
					return errors.Join(s.print(forBytes(cmd.OutOrStdout()), r, temp), errFound)
				}
				best.Reset()
				return s.print(&best, r, temp)
			})
			switch {
			case err != nil && codeOf(err) != int(exitNegative):
				return err
			case found == nil:
				return errors.Join(err, withCode(exitNegative, fmt.Errorf("warc get: there is no capture of %s", want)))
			}
			_, wrong := io.Copy(forBytes(cmd.OutOrStdout()), &best)
			return errors.Join(err, wrong)
		},
	}
	cmd.Flags().StringVar(&date, "date", "", "2006-01-02, with time as in WARC, or 14 digits: the nearest capture")
	s.flags(cmd)
	tempFlag(cmd, &temp)
	return cmd
}

// nearer reports whether r is rather wanted than best: content rather than a revisit, then what is nearer to a date.
func nearer(r, best *rewrite.Record, to time.Time) bool {
	if rv, bv := r.Type == warc.TypeRevisit, best.Type == warc.TypeRevisit; rv != bv {
		return bv
	}
	return !to.IsZero() && r.Date.Sub(to).Abs() < best.Date.Sub(to).Abs()
}

// warcDate reads a date, a time as WARC has it, or digits as CDX has them.
func warcDate(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02", "20060102150405", "20060102", "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no date; 2024-01-31, 2024-01-31T12:00:00Z or 20240131120000 are", s)
}
