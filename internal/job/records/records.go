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
	"exclave/internal/job/elsewhere"
	"exclave/internal/job/folder"
	"exclave/internal/record"
	"exclave/internal/urlx"
	"exclave/warc"
)

// Reader reads single records of a job's archive, those of files that were stored elsewhere too. Several goroutines may use it. Make it with [Of].
type Reader struct {
	fs      fsx.FS
	dir     string
	scratch string // where long answers spill to
	away    *elsewhere.Files
	name    func(file uint32) (warc.FileState, bool)
}

// Of returns a Reader of a job's archive; name knows its WARC files by number.
func Of(f folder.Folder, name func(file uint32) (warc.FileState, bool)) Reader {
	return Reader{fs: f.FS, dir: f.Path(folder.WARCDir), scratch: f.Path(folder.StateDir, folder.ScratchDir), away: elsewhere.Of(f), name: name}
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

// Here is a Reader that has only what is on this machine.
func (r Reader) Here() Reader {
	r.away = nil
	return r
}

// pieceSize is how many bytes are read at once of a file that is elsewhere: most records are smaller.
const pieceSize = 256 << 10

// file is an open WARC file.
type file interface {
	io.ReaderAt
	io.Closer
}

// Open returns the record at ref; the caller closes it, before ctx is done.
func (r Reader) Open(ctx context.Context, ref crawl.Ref) (*warc.Entry, io.Closer, error) {
	f, name, err := r.File(ctx, ref.File)
	if err != nil {
		return nil, nil, err
	}
	e, err := warc.NewReaderAt(f, ref.Offset, ref.Offset+ref.Length).Next()
	if err != nil {
		_ = f.Close()
		return nil, nil, fmt.Errorf("job: record at %d in %s: %w", ref.Offset, name, err)
	}
	return e, f, nil
}

// File opens a WARC file of the job, to be read until ctx is done, and returns its name on disk.
func (r Reader) File(ctx context.Context, n uint32) (file, string, error) {
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
	if err == nil {
		return f, name, nil
	}
	if !errors.Is(err, fs.ErrNotExist) || r.away == nil {
		return nil, "", fmt.Errorf("job: %w", err)
	}
	o, err := r.away.Open(ctx, name, pieceSize)
	if err != nil {
		return nil, "", err
	}
	return o, name, nil
}

// Links finds the outlinks of an archived page in its metadata record.
type Links struct {
	Reader
	Rules urlx.Rules // that make keys
}

var _ frontier.LinkReader = Links{}

// Outlinks implements [frontier.LinkReader].
func (l Links) Outlinks(ctx context.Context, ref crawl.Ref) ([]frontier.KnownLink, error) {
	e, c, err := l.Open(ctx, ref)
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
	case "I": // the icon of a host
		return crawl.LinkEmbed
	case "X":
		if where == "js/fetch" {
			return crawl.LinkEmbed
		}
		return crawl.LinkSpeculative
	case "R":
		switch where {
		case "Location:", "ftp:directory", "whois:referral":
			return crawl.LinkRedirect
		}
	}
	return crawl.LinkNav
}

// Response implements [fetch.ArchiveReader].
func (r Reader) Response(ctx context.Context, ref, original crawl.Ref) (*record.Recording, error) {
	e, c, err := r.Open(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	block := e.Block
	if !original.IsZero() {
		o, c, err := r.Open(ctx, original)
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
