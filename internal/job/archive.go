package job

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"exclave/frontier"
	"exclave/internal/job/folder"
	"exclave/internal/job/records"
	"exclave/warc"
)

// openArchive brings the WARC files back to what the state acknowledges, and goes on with them.
func (c *composer) openArchive(ctx context.Context) error {
	var rows []warc.FileState
	next := uint32(1)
	for _, r := range c.frontier.Files() {
		rows = append(rows, warc.FileState(r))
		next = max(next, r.Number+1)
	}
	rows, notes, err := warc.Recover(c.opts.FS, c.path(folder.WARCDir), rows, c.folder.Aside(), c.away.Has, c.opts.Fail)
	if err != nil {
		return fmt.Errorf("job: %w", err)
	}
	for _, n := range notes {
		c.opts.Log.Warn("recovered", "file", n.File, "what", n.What)
	}
	files := c.cfg.WARC
	files.Dir = c.path(folder.WARCDir)
	pool, err := warc.OpenPool(c.opts.FS, files, c.info(), c.opts.Clock, next, rows, c.opts.Fail)
	if err != nil {
		return fmt.Errorf("job: %w", err)
	}
	c.pool, c.manifest, c.uploads = pool, newManifest(c.Job), newUploads(c.Job)
	// Closed before the frontier: completed files are stored by it.
	c.onClose(func(ctx context.Context) error {
		done, err := pool.Close()
		c.manifest.completed(done)
		defer c.uploads.tell()
		defer c.manifest.register(ctx, nil)
		if c.frontier.Err() != nil {
			return err // the state takes nothing any more; the next start sees the names
		}
		return errors.Join(err, c.frontier.SetFiles(ctx, finalRows(done)))
	})
	fr := make([]frontier.FileRow, 0, len(rows))
	for _, r := range rows {
		fr = append(fr, frontier.FileRow(r))
	}
	return c.frontier.Start(archive{pool, c.manifest.completed}, fr)
}

// checkArchive compares the WARC files with what the state acknowledges of them.
func (c *composer) checkArchive(_ context.Context, k *frontier.Known, strict bool) error {
	if _, _, err := c.away.Find(""); err != nil {
		return err // rather than miss what it would say
	}
	var rows []warc.FileState
	for _, r := range k.Files {
		rows = append(rows, warc.FileState(r))
	}
	last := func(file uint32) (warc.Span, bool, error) {
		s, ok, err := k.Last(file)
		return warc.Span(s), ok, err
	}
	return warc.Check(c.opts.FS, c.path(folder.WARCDir), rows, last, c.away.Has, strict)
}

// info is what each WARC file says of the crawl.
func (c *composer) info() warc.Info {
	host, _ := os.Hostname()
	return warc.Info{Software: c.opts.Software, Hostname: host, IP: ownAddress(), Operator: c.cfg.Job.Operator,
		IsPartOf: c.cfg.Job.Name, Description: c.cfg.Job.Description, Robots: c.cfg.Robots.Policy.String(),
		UserAgent: c.cfg.HTTP.Agent(c.opts.Version), From: c.cfg.HTTP.From}
}

// ownAddress is the machine's first address that others can see, "" without one.
func ownAddress() string {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			return n.IP.String()
		}
	}
	return ""
}

// records reads single records of the archive, also of files that are being written.
func (j *Job) records() records.Reader {
	return records.Of(j.folder, func(n uint32) (warc.FileState, bool) {
		if j.pool != nil {
			if s, ok := j.pool.File(n); ok {
				return s, true
			}
		}
		return records.FileOf(j.frontier, n)
	})
}

// archive lets the frontier's committer speak to the WARC files.
type archive struct {
	pool      *warc.Pool
	completed func([]warc.Event)
}

var _ frontier.Archive = archive{}

func (a archive) Sync(files []uint32) error { return a.pool.Sync(files) }

func (a archive) Committed(file uint32, length int64) ([]frontier.FileRow, error) {
	done, err := a.pool.Committed(file, length)
	a.completed(done)
	return finalRows(done), err
}

func (a archive) FileName(file uint32) string {
	s, _ := a.pool.File(file)
	return s.Name
}

// finalRows are the rows of files that got their final names. Committed is left
// to the frontier, which knows it.
func finalRows(done []warc.Event) []frontier.FileRow {
	var rows []frontier.FileRow
	for _, e := range done {
		rows = append(rows, frontier.FileRow{Number: e.File, Name: e.Name, Final: true})
	}
	return rows
}
