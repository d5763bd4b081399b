package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"exclave/internal/fsx"
	"exclave/warc/cdx"

	"github.com/spf13/cobra"
)

// cdxTo is where an index goes that is not one file.
type cdxTo struct {
	zipnum, feed string
	lines        int
}

// mostLines bounds a block: readers unpack it whole.
const mostLines = 1_000_000

// check refuses flags that contradict each other, and returns the format that the index has there.
func (c *cdxTo) check(cmd *cobra.Command, f cdx.Format, out string, o cdx.Options) (cdx.Format, error) {
	given := 0
	for _, s := range []string{c.zipnum, c.feed, out} {
		if s != "" {
			given++
		}
	}
	switch {
	case given > 1:
		return f, errors.New("cdx: --output, --zipnum and --feed exclude each other")
	case c.lines < 1 || c.lines > mostLines:
		return f, fmt.Errorf("cdx: --lines %d: must be 1 … %d", c.lines, mostLines)
	case c.zipnum != "" && f != cdx.CDXJ:
		return f, fmt.Errorf("cdx: --zipnum is of lines of CDXJ, not of %s", f)
	case c.feed == "":
		return f, nil
	case cmd.Flags().Changed("format") && f != cdx.CDX11:
		return f, fmt.Errorf("cdx: --feed sends CDX 11: of CDXJ OutbackCDX stored other digests; leave --format %s out", f)
	case o.Post:
		return f, errors.New("cdx: --feed without --post: OutbackCDX makes keys of the addresses alone")
	}
	if u, err := url.Parse(c.feed); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || len(u.Path) < 2 {
		return f, fmt.Errorf("cdx: --feed %q is no address of a collection, such as http://localhost:8080/nation", c.feed)
	}
	return cdx.CDX11, nil
}

// folder makes the folder of --zipnum: whole, or not at all.
func (c *cdxTo) folder(x *cdx.Index) (err error) {
	if _, err := os.Lstat(c.zipnum); err == nil {
		return withCode(exitUsage, fmt.Errorf("cdx: %s is there already; name another folder or remove it", c.zipnum))
	}
	part, err := os.MkdirTemp(filepath.Dir(c.zipnum), "part-")
	if err != nil {
		return err
	}
	if _, err = x.WriteZipNum(part, "index", c.lines); err == nil {
		err = os.Chmod(part, fsx.FolderMode)
	}
	if err == nil {
		err = os.Rename(part, c.zipnum)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	return nil
}

// feedLines is how many lines a request has: some 3 MB.
const feedLines = 10_000

// send feeds a server.
func (c *cdxTo) send(ctx context.Context, cmd *cobra.Command, x *cdx.Index) error {
	n, err := cdx.Feed{URL: c.feed, Client: http.DefaultClient, Lines: feedLines, Pause: wait}.Send(ctx, x)
	if err == nil {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", c.feed, count(int(n), "line"))
		return err
	}
	err = fmt.Errorf("%w; %s taken", err, count(int(n), "line"))
	if errors.Is(err, cdx.ErrFeed) && ctx.Err() == nil {
		return withCode(exitUsage, err)
	}
	return err
}

// wait waits until ctx is done.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
