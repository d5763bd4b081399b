// Package records reads single records of a job's archive, also while it is being written: what a state refers to by
// file number, offset and length. It knows how the write chain puts outlinks into a metadata record. What is not here:
// reading whole WARC files (package warc).
package records

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
	"exclave/internal/job/folder"
	"exclave/internal/record"
	"exclave/internal/urlx"
	"exclave/warc"
)

// Reader reads single records of a job's archive. Several goroutines may use it. Make it with [Of].
type Reader struct {
	fs      fsx.FS
	dir     string
	scratch string // where long answers spill to
	name    func(file uint32) (warc.FileState, bool)
}

// Of returns a Reader of a job's archive; name knows its WARC files by number.
func Of(f folder.Folder, name func(file uint32) (warc.FileState, bool)) Reader {
	return Reader{fs: f.FS, dir: f.Path(folder.WARCDir), scratch: f.Path(folder.StateDir, folder.ScratchDir), name: name}
}

// FileOf returns the row of a WARC file in a state.
func FileOf(state *frontier.Frontier, n uint32) (warc.FileState, bool) {
	for _, r := range state.Files() {
		if r.Number == n {
			return warc.FileState(r), true
		}
	}
	return warc.FileState{}, false
}

// Open returns the record at ref; the caller closes it.
func (r Reader) Open(ref crawl.Ref) (*warc.Entry, io.Closer, error) {
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
	e, err := warc.NewReaderAt(f, ref.Offset, ref.Offset+ref.Length).Next()
	if err != nil {
		_ = f.Close()
		return nil, nil, fmt.Errorf("job: record at %d in %s: %w", ref.Offset, s.Name, err)
	}
	return e, f, nil
}

// File opens a WARC file of the job and returns its name on disk.
func (r Reader) File(n uint32) (interface {
	io.ReaderAt
	io.Closer
}, string, error) {
	s, ok := r.name(n)
	if !ok {
		return nil, "", fmt.Errorf("job: there is no WARC file number %d", n)
	}
	name := s.DiskName()
	f, err := r.fs.Open(r.fs.PathJoin(r.dir, name))
	if err != nil && !s.Final { // renamed since
		name = s.Name
		f, err = r.fs.Open(r.fs.PathJoin(r.dir, name))
	}
	if err != nil {
		return nil, "", fmt.Errorf("job: %w", err)
	}
	return f, name, nil
}

// Links finds the outlinks of an archived page in its metadata record.
type Links struct {
	Reader
	Rules urlx.Rules // that make keys
}

var _ frontier.LinkReader = Links{}

// Outlinks implements [frontier.LinkReader].
func (l Links) Outlinks(_ context.Context, ref crawl.Ref) ([]frontier.KnownLink, error) {
	e, c, err := l.Open(ref)
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
		if o, ok := ParseOutlink(rest); ok {
			links = append(links, frontier.KnownLink{Key: l.Rules.Key(o.URL), Kind: o.Kind})
		}
	}
	return links, nil
}

// ParseOutlink reads the value of a field "outlink": URI, hop letter and context, which may be missing
// (docs/formats/warc.md).
func ParseOutlink(value string) (o crawl.Outlink, ok bool) {
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

// kindOf reads hop letter and context as the write chain wrote them.
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

// Response implements [fetch.ArchiveReader].
func (r Reader) Response(_ context.Context, ref, original crawl.Ref) (*record.Recording, error) {
	e, c, err := r.Open(ref)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	block := e.Block
	if !original.IsZero() {
		o, c, err := r.Open(original)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		if o.Type() != warc.TypeResponse {
			return nil, fmt.Errorf("job: archived answer of %s: its original at %d is a %s record", e.TargetURI(), original.Offset, o.Type())
		}
		head, err := io.ReadAll(io.LimitReader(o.Block, record.MaxHead))
		if err != nil {
			return nil, fmt.Errorf("job: archived answer of %s: its original at %d: %w", e.TargetURI(), original.Offset, err)
		}
		block = io.MultiReader(block, bytes.NewReader(head[record.HeadLenOf(head, true):]), o.Block)
	}
	rec, err := record.Load(block, r.scratch, record.DefaultMemory)
	if err != nil {
		return nil, fmt.Errorf("job: archived answer of %s: %w", e.TargetURI(), err)
	}
	return rec, nil
}
