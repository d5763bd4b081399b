package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"

	"exclave/internal/fsx"
	"exclave/warc"
	"exclave/warc/cdx"
	"exclave/warc/rewrite"

	"github.com/spf13/cobra"
)

// pywbCollection is what `exclave pywb` makes.
type pywbCollection struct {
	dir, name, temp string
	zipnum          bool
	files           []string
	index           *cdx.Index
}

// collectionName is what pywb takes for the name of a collection.
var collectionName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*$`)

func newPywb() *cobra.Command {
	var c pywbCollection
	cmd := &cobra.Command{
		Use:   "pywb JOB|FILE|FOLDER... -o DIR",
		Short: "Lay out a collection that pywb's wayback serves at once",
		Long: `pywb makes the folder DIR/collections/NAME, with the WARC files in archive and their index in indexes: "wayback" in DIR serves it. Of a JOB it takes the finished
WARC files, also while it is crawled; of a FOLDER all archives below it. The files are not copied: they are linked, by a hard link where both are on one
disk (a job's file may then be moved away), else by a symbolic one. Of a file of zstd, which pywb does not read, the collection has a copy in gzip. DIR may be a folder of pywb already, to which the collection is added.

The collection is made beside the others and renamed as the last step: one that is there is refused, and after an error there is no half of one.

Exit codes: 0 made; 1 a file is damaged, nothing was made (exclave warc repair saves what is whole); 2 wrong flags, a file cannot be read, two files have one name, the collection is there;
3 a failure of our own; 130 interrupted, nothing was made.`,
		Example: `  exclave pywb my-job -o replay
  cd replay && wayback --bind 127.0.0.1`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if c.name == "" {
				c.name = filepath.Base(filepath.Clean(args[0]))
			}
			if !collectionName.MatchString(c.name) {
				return withCode(exitUsage, fmt.Errorf("pywb: %q cannot be the name of a collection: give --collection one of letters, digits, \".\", \"_\" and \"-\"", c.name))
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), endings()...)
			defer stop()
			if c.files, err = warcFiles(args); err != nil {
				return err
			}
			c.index = cdx.NewIndex(cdx.CDXJ, c.temp)
			defer func() { err = errors.Join(err, c.index.Close()) }()
			if err := c.make(ctx, cmd); err != nil {
				return warcEnd(ctx, "pywb", err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: collection %s of %s; serve it with: cd %s && wayback\n", c.dir, c.name, count(len(c.files), "WARC file"), c.dir)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVarP(&c.dir, "output", "o", "", "pywb's folder; made when it is not there")
	f.StringVar(&c.name, "collection", "", "name of the collection (default: that of the job's folder or of the file)")
	f.BoolVar(&c.zipnum, "zipnum", false, "the index in blocks with a table of them (ZipNum), for very many captures")
	tempFlag(cmd, &c.temp)
	_ = cmd.MarkFlagRequired("output") // it is there
	return cmd
}

// make makes the collection.
func (c *pywbCollection) make(ctx context.Context, cmd *cobra.Command) (err error) {
	place := filepath.Join(c.dir, "collections", c.name)
	if _, err := os.Lstat(place); err == nil {
		return withCode(exitUsage, fmt.Errorf("pywb: %s is there already; name another collection", place))
	}
	var made []string
	for _, dir := range []string{c.dir, filepath.Dir(place)} {
		if os.Mkdir(dir, fsx.FolderMode) == nil {
			made = append(made, dir)
		}
	}
	part, err := os.MkdirTemp(c.dir, "part-")
	defer func() {
		if err == nil {
			return
		}
		if part != "" {
			err = errors.Join(err, os.RemoveAll(part))
		}
		for i := len(made) - 1; i >= 0; i-- {
			err = errors.Join(err, os.Remove(made[i]))
		}
	}()
	if err != nil {
		return err
	}
	for _, name := range []string{"archive", "indexes"} {
		if err := os.Mkdir(filepath.Join(part, name), fsx.FolderMode); err != nil {
			return err
		}
	}
	bad := &defects{cmd: cmd}
	for _, name := range c.files {
		as, err := c.place(ctx, cmd, name, filepath.Join(part, "archive"))
		if err != nil {
			return err
		}
		if err := indexFile(ctx, cmd, as, cdx.Options{Post: true, Temp: c.temp}, false, bad, c.index); err != nil {
			return err
		}
	}
	if err := bad.end("pywb"); err != nil {
		return err
	}
	if err := c.writeIndex(filepath.Join(part, "indexes")); err != nil {
		return err
	}
	if err := os.Chmod(part, fsx.FolderMode); err != nil {
		return err
	}
	return os.Rename(part, place)
}

func (c *pywbCollection) writeIndex(dir string) error {
	if c.zipnum {
		_, err := c.index.WriteZipNum(dir, "index", cdx.BlockLines)
		return err
	}
	return writeNew(filepath.Join(dir, "index.cdxj"), func(w io.Writer) error {
		_, err := c.index.WriteTo(w)
		return err
	})
}

// place puts a file into the folder of the collection, and returns the name of what is to be indexed.
func (c *pywbCollection) place(ctx context.Context, cmd *cobra.Command, name, dir string) (string, error) {
	if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() {
		return "", withCode(exitUsage, errors.Join(fmt.Errorf("pywb: %s is no file on this machine", name), err))
	}
	zstd, err := isZstd(name)
	if err != nil {
		return "", withCode(exitUsage, fmt.Errorf("pywb: %w", err))
	}
	if !zstd {
		return name, c.link(name, filepath.Join(dir, filepath.Base(name)))
	}
	base := strings.TrimSuffix(filepath.Base(name), rewrite.Zstd.Ending()) + rewrite.Gzip.Ending()
	set, err := rewrite.NewSet(fsx.Real(), rewrite.Gzip, 0, nil)
	if err != nil {
		return "", err
	}
	in := &lateWARC{open: func() (io.ReadCloser, error) { return openWARC(ctx, cmd, name) }}
	to := filepath.Join(dir, base)
	if err := rewrite.Run(ctx, []rewrite.Input{{Name: name, R: in}}, &rewrite.Plan{Output: to, Temp: c.temp, EveryInfo: true}, set); err != nil {
		if errors.Is(err, os.ErrExist) {
			return "", sameName(base)
		}
		return "", err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: pywb does not read zstd; the collection has a copy in gzip, %s\n", name, base)
	return to, nil
}

func isZstd(name string) (_ bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b := make([]byte, 4)
	n, err := io.ReadFull(f, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return warc.IsZstd(b[:n]), err
}

func sameName(base string) error {
	return withCode(exitUsage, fmt.Errorf("pywb: two files are named %s: the index tells them apart by their names only; rename one", base))
}

// link puts a file into the collection.
func (c *pywbCollection) link(name, to string) error {
	whole, err := filepath.EvalSymlinks(name)
	if err == nil {
		whole, err = filepath.Abs(whole)
	}
	if err != nil {
		return err
	}
	if _, err := os.Lstat(to); err == nil {
		return sameName(filepath.Base(name))
	}
	if os.Link(whole, to) == nil {
		return nil
	}
	return os.Symlink(whole, to)
}
