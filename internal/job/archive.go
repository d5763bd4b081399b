package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/fsx"
	"exclave/internal/record"
	"exclave/internal/urlx"
	"exclave/warc"
)

// archive lets the frontier's committer speak to the WARC files.
type archive struct{ pool *warc.Pool }

var _ frontier.Archive = archive{}

func (a archive) Sync(files []uint32) error { return a.pool.Sync(files) }

func (a archive) Committed(file uint32, length int64) ([]frontier.FileRow, error) {
	done, err := a.pool.Committed(file, length)
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

// records reads single records of the archive while it is being written.
type records struct {
	fs      fsx.FS
	dir     string
	scratch string // where long answers spill to
	name    func(file uint32) (warc.FileState, bool)
}

// open returns the record at ref; the caller closes it.
func (r records) open(ref crawl.Ref) (*warc.Entry, io.Closer, error) {
	s, ok := r.name(ref.File)
	if !ok {
		return nil, nil, fmt.Errorf("job: there is no WARC file number %d", ref.File)
	}
	f, err := r.fs.Open(r.fs.PathJoin(r.dir, s.DiskName()))
	if err != nil && !s.Final { // renamed since
		f, err = r.fs.Open(r.fs.PathJoin(r.dir, s.Name))
	}
	if s.Final && errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("job: the crawl needs the record at %d of a WARC file that is not in its folder: %w; put it back until the crawl is over", ref.Offset, err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("job: %w", err)
	}
	e, err := warc.NewReader(io.NewSectionReader(f, ref.Offset, ref.Length)).Next()
	if err != nil {
		_ = f.Close()
		return nil, nil, fmt.Errorf("job: record at %d in %s: %w", ref.Offset, s.Name, err)
	}
	return e, f, nil
}

// linkReader finds the outlinks of an archived page in its metadata record.
type linkReader struct {
	records
	rules urlx.Rules
}

// Outlinks implements [frontier.LinkReader].
func (l linkReader) Outlinks(_ context.Context, ref crawl.Ref) ([]frontier.KnownLink, error) {
	e, c, err := l.open(ref)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	block, err := io.ReadAll(e.Block)
	if err != nil {
		return nil, fmt.Errorf("job: outlinks of %s: %w", e.TargetURI(), err)
	}
	var links []frontier.KnownLink
	for line := range bytes.Lines(block) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "outlink: ")
		if !ok {
			continue
		}
		if o, ok := outlink(rest); ok {
			links = append(links, frontier.KnownLink{Key: l.rules.Key(o.URL), Kind: o.Kind})
		}
	}
	return links, nil
}

// outlink reads the value of a field "outlink": URI, hop letter and context, which may be missing
// (docs/formats/warc.md).
func outlink(value string) (o crawl.Outlink, ok bool) {
	f := strings.Fields(value)
	if len(f) < 2 || len(f[1]) != 1 {
		return o, false
	}
	u, err := urlx.Parse(f[0])
	if err != nil {
		return o, false
	}
	o = crawl.Outlink{URL: u.WithoutUserinfo().WithoutFragment(), Hop: f[1][0]}
	if len(f) > 2 {
		o.Context = f[2]
	}
	o.Kind = kindOf(f[1], o.Context)
	return o, true
}

// kindOf reads hop letter and context as the write chain put them down.
func kindOf(hop, where string) crawl.LinkKind {
	switch hop {
	case "E":
		tag, _, _ := strings.Cut(where, "/")
		switch tag {
		case "frame", "iframe", "object", "embed":
			return crawl.LinkFrame
		}
		return crawl.LinkEmbed
	case "X":
		return crawl.LinkSpeculative
	case "R":
		if where == "Location:" {
			return crawl.LinkRedirect
		}
	}
	return crawl.LinkNav
}

// Response implements [fetch.ArchiveReader]. A revisit record stands for the
// answer it refers to, which the job's archive holds.
func (r records) Response(_ context.Context, ref crawl.Ref) (*record.Recording, error) {
	e, c, err := r.open(ref)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	rec, err := record.Load(e.Block, r.scratch, record.DefaultMemory)
	if err != nil {
		return nil, fmt.Errorf("job: archived answer of %s: %w", e.TargetURI(), err)
	}
	return rec, nil
}
