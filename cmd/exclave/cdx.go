package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"exclave/config"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/warc/cdx"

	"github.com/spf13/cobra"
)

func newCDX() *cobra.Command {
	var o cdx.Options
	var format, out, types string
	var anew bool
	var to cdxTo
	cmd := &cobra.Command{
		Use:   "cdx JOB|FILE|FOLDER...",
		Short: "Index WARC files for replay: CDXJ, or CDX of 11 or 9 fields",
		Long: `cdx prints the index of WARC files of any program: a line for each capture, sorted by key and time, as pywb, OutbackCDX and other replay
tools read it. Of a JOB it takes the finished WARC files, also while it is crawled; of a FOLDER all that end in .warc, .warc.gz,
.warc.zst, .arc or .arc.gz, in folders below it too. A FILE may be - for standard input, or an address of http or https. Lines are sorted on disk: memory does not
grow with the files. A line says the name of the file without its folders. Files that a crawl has indexed ([warc] cdxj) are not read again, unless they changed
since, or --anew, --records or another format is wanted.

With --post what POST and PUT requests sent becomes part of the key, as pywb has it: answers to different forms at one address are different captures.

--zipnum makes a folder with the CDXJ in blocks of --lines lines, and a table of them (ZipNum): for indexes too large to be read whole. pywb reads it.
--feed posts the index to a collection of an OutbackCDX server, as CDX 11 in batches; what it has already stays as it is, so a feed that was
interrupted is made again.

Exit codes: 0 done; 1 defects were found, what is whole is in the index; 2 wrong flags, a file cannot be read, the output is there, the server did not take it; 3 a failure
of our own; 130 interrupted, nothing was made (but for what a server was fed).`,
		Example: `  exclave cdx my-job -o index.cdxj
  exclave cdx --zipnum index /archive/2024
  exclave cdx --feed http://localhost:8080/nation my-job`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			f, err := cdx.ParseFormat(format)
			if err == nil {
				f, err = to.check(cmd, f, out, o)
			}
			if err != nil {
				return withCode(exitUsage, err)
			}
			if types != "" {
				o.Types = strings.Split(types, ",")
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), endings()...)
			defer stop()
			files, err := warcFiles(args)
			if err != nil {
				return err
			}
			x := cdx.NewIndex(f, o.Temp)
			defer func() { err = errors.Join(err, x.Close()) }()
			bad := &defects{cmd: cmd}
			for _, name := range files {
				if err := indexFile(ctx, cmd, name, o, anew, bad, x); err != nil {
					return warcEnd(ctx, "cdx", err)
				}
			}
			write := func(w io.Writer) error {
				_, err := x.WriteTo(w)
				return err
			}
			switch {
			case to.zipnum != "":
				err = to.folder(x)
			case to.feed != "":
				err = to.send(ctx, cmd, x)
			case out != "":
				err = writeNew(out, write)
			default:
				err = write(cmd.OutOrStdout())
			}
			if err != nil {
				return warcEnd(ctx, "cdx", err)
			}
			return bad.end("cdx")
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&format, "format", string(cdx.CDXJ), "cdxj, cdx11 or cdx9")
	fl.StringVarP(&out, "output", "o", "", "new file for the index (default: standard output)")
	fl.StringVar(&to.zipnum, "zipnum", "", "new folder for the index in blocks (ZipNum)")
	fl.IntVar(&to.lines, "lines", cdx.BlockLines, "lines of a block of --zipnum")
	fl.StringVar(&to.feed, "feed", "", "address of a collection of an OutbackCDX server that is fed")
	fl.StringVar(&types, "records", "", "types of records, apart by commas (default: response, revisit, and resource and metadata that are no application/warc-fields)")
	fl.BoolVar(&anew, "anew", false, "read the files themselves, also those that a crawl has indexed")
	fl.BoolVar(&o.Post, "post", false, "keys of answers to POST and PUT say what was sent")
	tempFlag(cmd, &o.Temp)
	return cmd
}

// indexFile adds the captures of a file, from the index that the crawl made of it if there is one and anew is not set. A crawl sends no POST, so that
// index is the same with [cdx.Options].Post.
func indexFile(ctx context.Context, cmd *cobra.Command, name string, o cdx.Options, anew bool, bad *defects, x *cdx.Index) (err error) {
	if dir := filepath.Dir(name); !anew && len(o.Types) == 0 && filepath.Base(dir) == folder.WARCDir {
		if ok, err := x.AddReady(ctx, fsx.Real(), filepath.Join(filepath.Dir(dir), folder.IndexDir), name); ok || err != nil {
			return err
		}
	}
	f, err := openWARC(ctx, cmd, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	err = cdx.Read(f, filepath.Base(name), o, bad.tell(name), func(c *cdx.Capture) error { return errors.Join(x.Add(c), ctx.Err()) })
	if errors.Is(err, cdx.ErrStream) {
		return withCode(exitUsage, fmt.Errorf("cdx %s: %w", name, err))
	}
	return err
}

// warcFiles are the WARC files that arguments name: the finished ones of a job, all below a folder, files, addresses and "-". Each
// once, those of a folder in the order of their names.
func warcFiles(args []string) (files []string, err error) {
	for _, arg := range args {
		st, err := os.Stat(arg)
		if arg == "-" || strings.Contains(arg, "://") || err == nil && !st.IsDir() {
			files = append(files, arg)
			continue
		}
		if err != nil {
			return nil, withCode(exitUsage, fmt.Errorf("warc: %w", err))
		}
		root := arg
		if _, err := os.Stat(filepath.Join(arg, config.FileName)); err == nil {
			root = filepath.Join(arg, folder.WARCDir)
			if err := allHere(arg); err != nil {
				return nil, err
			}
		}
		n := len(files)
		err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && isWARCName(name) {
				files = append(files, name)
			}
			return err
		})
		if err != nil {
			return nil, withCode(exitUsage, fmt.Errorf("warc: %w", err))
		}
		if len(files) == n {
			return nil, withCode(exitUsage, fmt.Errorf("warc: no WARC file in %s", root))
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(files, func(name string) bool {
		was := seen[name]
		seen[name] = true
		return was
	}), nil
}

// allHere returns an error when a WARC file of a job is registered as elsewhere, and is.
func allHere(dir string) error {
	f := folder.Of(&config.Config{Dir: dir}, folder.Env{})
	moved, err := f.Moved()
	if err != nil {
		return withCode(exitUsage, err)
	}
	for _, m := range moved {
		if isWARCName(m.File) && notHere(f, moved, m.File) {
			return withCode(exitUsage, fmt.Errorf("warc: %s: %w", dir, elsewhereError(moved, m.File)))
		}
	}
	return nil
}

// notHere reports whether a WARC file is registered as elsewhere, and not in the folder of its job.
func notHere(f folder.Folder, moved folder.MovedFiles, name string) bool {
	_, err := f.FS.Stat(f.Path(folder.WARCDir, name))
	return errors.Is(err, fs.ErrNotExist) && moved.Has(name)
}

// elsewhereError says where a file is.
func elsewhereError(moved folder.MovedFiles, name string) error {
	m, _ := moved.Find(name)
	return fmt.Errorf("%s was moved away (%s): name the files themselves, with those that are elsewhere, or put it back as long as it is needed", name, cmp.Or(m.To, "nobody said where"))
}

// isWARCName tells by the name of a file whether it is an archive. Those that are still written end in .open.
func isWARCName(name string) bool {
	for _, end := range []string{".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// writeNew writes a file that is not there yet: under a temporary name beside it, synced and renamed.
func writeNew(name string, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(name); err == nil {
		return withCode(exitUsage, fmt.Errorf("%s is there already; name another file or remove it", name))
	}
	part := name + ".part"
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fsx.FileMode)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Link(part, name) // refuses one that is there by now
	}
	return errors.Join(err, os.Remove(part))
}
