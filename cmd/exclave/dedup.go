package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"exclave/internal/printable"
	"exclave/warc/dedup"

	"github.com/klauspost/compress/gzip"
	"github.com/spf13/cobra"
)

func newDedup() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dedup",
		Short: "Index what earlier harvests archived: which content, where and when",
		Long: `dedup makes folders that tell which content is archived already, where and when: ten million answers in 27 MB of memory. A crawl looks into those
that [dedup] index of its job names: what it finds there, or in its own job, it does not store again.

Exit codes: 0 done; 1 defects were found, what is whole was added; lookup: it is not there; 2 wrong flags, a file cannot be read, the index is damaged or in use, a server does not answer; 3 a
failure of our own; 130 interrupted, nothing was added.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDedupBuild(), newDedupInfo(), newDedupLookup())
	return cmd
}

func newDedupBuild() *cobra.Command {
	var temp string
	cmd := &cobra.Command{
		Use:   "build DIR JOB|FILE|FOLDER|INDEX...",
		Short: "Add answers of WARC files and indexes to a dedup index",
		Long: `build adds to the index in DIR, which it makes when it is not there. Of a JOB it takes the finished WARC files, also while it is crawled; of a FOLDER all archives below it. A FILE
whose name ends in .cdxj, .cdx or .cdx11, also with .gz behind it (ZipNum), is an index of captures: CDXJ, or CDX with a header line or of the usual fields; others are WARC
files, - is one on standard input.

Of WARC files the content is digested, so answers in chunks are found, too, and the record IDs are known. An index of captures says neither: it is quicker, and is what there is of
archives that lie elsewhere. What is in the index already is not added again. All is added or, after an error, nothing; crawls that have the index open go on with what it was.`,
		Example: `  exclave dedup build earlier old-job
  exclave dedup build earlier /archive/2024/*.warc.gz /archive/2023.cdxj`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			ctx, stop := signal.NotifyContext(cmd.Context(), endings()...)
			defer stop()
			var warcs, indexes []string
			for _, arg := range args[1:] {
				if isCDXName(arg) {
					indexes = append(indexes, arg)
					continue
				}
				files, err := warcFiles([]string{arg})
				if err != nil {
					return err
				}
				warcs = append(warcs, files...)
			}
			b, err := dedup.NewBuilder(args[0], temp)
			if err != nil {
				return dedupError(err)
			}
			defer func() { err = errors.Join(err, b.Close()) }()
			bad := &defects{cmd: cmd}
			for _, name := range warcs {
				if err := dedupWARC(ctx, cmd, name, temp, bad, b); err != nil {
					return dedupEnd(ctx, err)
				}
			}
			for _, name := range indexes {
				if err := dedupCDX(ctx, cmd, name, b); err != nil {
					return dedupEnd(ctx, err)
				}
			}
			added, err := b.Commit()
			if err != nil {
				return dedupEnd(ctx, err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s added of %s\n", args[0], count(int(added), "answer"), count(len(warcs)+len(indexes), "file"))
			return bad.end("dedup build")
		},
	}
	tempFlag(cmd, &temp)
	return cmd
}

// isCDXName tells by the name of a file whether it is an index of captures.
func isCDXName(name string) bool {
	for _, end := range []string{".cdxj", ".cdx", ".cdx11"} {
		if strings.HasSuffix(strings.TrimSuffix(name, ".gz"), end) {
			return true
		}
	}
	return false
}

func dedupWARC(ctx context.Context, cmd *cobra.Command, name, temp string, bad *defects, b *dedup.Builder) (err error) {
	f, err := openWARC(ctx, cmd, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return dedup.FromWARC(f, temp, bad.tell(name), func(c dedup.Content, o *dedup.Original) error { return errors.Join(b.Add(c, o), ctx.Err()) })
}

func dedupCDX(ctx context.Context, cmd *cobra.Command, name string, b *dedup.Builder) (err error) {
	f, err := os.Open(name)
	if err != nil {
		return withCode(exitUsage, fmt.Errorf("dedup: %w", err))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in := io.Reader(f)
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return withCode(exitUsage, fmt.Errorf("dedup: %s: %w", name, err))
		}
	}
	n, err := dedup.FromCDX(in, func(c dedup.Content, o *dedup.Original) error { return errors.Join(b.Add(c, o), ctx.Err()) })
	if errors.Is(err, dedup.ErrNoIndex) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
		return withCode(exitUsage, fmt.Errorf("%s: %w", name, err))
	}
	if n.Bad > 0 || n.Other > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: of %s %d cannot be read, %d have a digest that is not SHA-1\n", printable.Text(name), count(int(n.Lines), "line"), n.Bad, n.Other)
	}
	return err
}

func dedupEnd(ctx context.Context, err error) error {
	var c coded
	switch {
	case errors.As(err, &c):
		return err
	case ctx.Err() != nil:
		return withCode(exitInterrupt, errors.New("dedup build: interrupted; nothing was added"))
	}
	return dedupError(err)
}

// dedupError gives an error of an index its exit code.
func dedupError(err error) error {
	if errors.Is(err, dedup.ErrDamaged) || errors.Is(err, dedup.ErrLocked) || errors.Is(err, dedup.ErrNone) || errors.Is(err, dedup.ErrServer) {
		return withCode(exitUsage, err)
	}
	return err
}

func newDedupInfo() *cobra.Command {
	return &cobra.Command{
		Use:   "info DIR",
		Short: "Say how much a dedup index holds",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			x, err := dedup.Open(args[0])
			if err != nil {
				return dedupError(err)
			}
			defer func() { err = errors.Join(err, x.Close()) }()
			i, err := x.Info()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "answers   %d\nsegments  %d\non disk   %d bytes\nin memory %d bytes\n", i.Rows, i.Segments, i.Bytes, i.Memory)
			return err
		},
	}
}

func newDedupLookup() *cobra.Command {
	var l dedupLookup
	cmd := &cobra.Command{
		Use:   "lookup DIR DIGEST | --server SERVER --url URL DIGEST",
		Short: "Print which archived answers have some content",
		Long: `lookup prints date, address, record ID and digest of each answer in the index in DIR that has the content with the SHA-1 DIGEST (base32 or hexadecimal, with sha1: or without), at each
of its addresses once. With --url it prints one: the answer that a revisit record of that address would refer to, which is its own if there is one.

With --server it asks a collection of OutbackCDX, or /COLLECTION/cdx of pywb, as a crawl does whose [dedup] servers names it: which answer of --url has the content.`,
		Example: `  exclave dedup lookup earlier sha1:G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK
  exclave dedup lookup --server http://localhost:8080/nation --url http://example.com/ G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 1) != (l.server != "") || l.server != "" && l.url == "" || l.server == "" && l.logins != "" {
				return withCode(exitUsage, errors.New("dedup lookup: give an index folder and a digest, or --server, --url and a digest; --logins goes with --server"))
			}
			digest := args[len(args)-1]
			if _, ok := dedup.ParseContent(digest, false); !ok {
				return withCode(exitUsage, fmt.Errorf("dedup lookup: %q is no SHA-1 of some content", digest))
			}
			var all []dedup.Original
			var err error
			if l.server != "" {
				all, err = l.ask(cmd.Context(), digest)
			} else {
				all, err = l.look(args[0], digest)
			}
			if err != nil {
				return dedupError(err)
			}
			for _, o := range all {
				fmt.Fprintln(cmd.OutOrStdout(), printable.Text(strings.TrimRight(strings.Join([]string{o.Date.Format(time.RFC3339), o.URL, o.Digest, o.ID}, " "), " ")))
			}
			if len(all) == 0 {
				return withCode(exitNegative, errors.New("dedup lookup: it is not there"))
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&l.url, "url", "", "print only the answer that a revisit record of this address would refer to")
	f.StringVar(&l.server, "server", "", "ask this CDX server instead of an index folder")
	f.StringVar(&l.logins, "logins", "", "file with name and password for --server: lines https://name:password@host/")
	return cmd
}

// dedupLookup is what dedup lookup looks for, and where.
type dedupLookup struct{ url, server, logins string }

// lookupTimeout is how long a server may take.
const lookupTimeout = 10 * time.Second

// ask asks the server.
func (l dedupLookup) ask(ctx context.Context, digest string) ([]dedup.Original, error) {
	logins := dedup.Logins{}
	if l.logins != "" {
		var err error
		if logins, err = dedup.ReadLogins(l.logins); err != nil {
			return nil, withCode(exitUsage, err)
		}
	}
	s, err := dedup.NewServer(dedup.ServerConfig{URL: l.server, Login: logins.Of(l.server), Timeout: lookupTimeout, Connections: 1})
	if err != nil {
		return nil, withCode(exitUsage, err)
	}
	defer s.Close()
	o, ok, err := s.Find(ctx, digest, l.url, false)
	if err != nil || !ok {
		return nil, err
	}
	return []dedup.Original{o}, nil
}

// look looks into a folder, for bodies in chunks and others.
func (l dedupLookup) look(dir, digest string) (all []dedup.Original, err error) {
	x, err := dedup.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	for _, chunked := range []bool{false, true} {
		c, _ := dedup.ParseContent(digest, chunked)
		some, err := originalsOf(x, c, l.url)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func originalsOf(x *dedup.Index, c dedup.Content, url string) ([]dedup.Original, error) {
	if url == "" {
		return x.All(c)
	}
	o, ok, err := x.Find(c, url, false)
	if err != nil || !ok {
		return nil, err
	}
	return []dedup.Original{o}, nil
}
