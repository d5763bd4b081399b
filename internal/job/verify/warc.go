package verify

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/frontier"
	"exclave/internal/job/folder"
	"exclave/warc"
)

// archiveFile is a WARC file that the state knows.
type archiveFile struct {
	row     frontier.FileRow
	name    string // on disk
	size    int64
	missing error
	away    bool        // it is registered as moved, and is, and is not read
	remote  bool        // it is read from its place
	trouble atomic.Bool // it is not as it should be: it is read again, carefully
	open    warcFile    // while parts of it are read
	parts   atomic.Int32
}

// warcFile is an open file, here or elsewhere.
type warcFile interface {
	io.ReaderAt
	io.Closer
}

// pieceSize is how many bytes are read at once of a file that is elsewhere.
const pieceSize = 4 << 20

// openFile opens a WARC file, where it is.
func (v *verifier) openFile(ctx context.Context, f *archiveFile) (warcFile, error) {
	if !f.remote {
		in, err := v.FS.Open(v.Path(folder.WARCDir, f.name), vfs.SequentialReadsOption)
		if err != nil {
			return nil, fmt.Errorf("job: verify: %w", err)
		}
		return in, nil
	}
	in, err := v.moved.Open(ctx, f.name, pieceSize)
	if err != nil {
		return nil, err
	}
	f.size = in.Size()
	return in, nil
}

// release closes the file when no part of it is read any more.
func (f *archiveFile) release() error {
	if f.parts.Add(-1) > 0 || f.open == nil {
		return nil
	}
	in := f.open
	f.open = nil
	return in.Close()
}

// findFiles looks for the WARC files of the state.
func (v *verifier) findFiles() {
	for _, row := range v.State.Files() {
		s := warc.FileState(row)
		f := &archiveFile{row: row, name: s.DiskName()}
		st, err := v.FS.Stat(v.Path(folder.WARCDir, f.name))
		if err != nil && !row.Final { // renamed before the state could say so
			f.name = row.Name
			st, err = v.FS.Stat(v.Path(folder.WARCDir, f.name))
		}
		if f.missing = err; err == nil {
			f.size = st.Size()
		} else if m, ok, err := v.moved.Find(row.Name); ok && err == nil {
			f.name = row.Name
			v.registered(f, m)
		}
		v.files = append(v.files, f)
	}
}

// registered decides what becomes of a file that is registered as moved, and is.
func (v *verifier) registered(f *archiveFile, m folder.Moved) {
	if v.with.Remote && m.Stored() {
		f.remote, f.missing, f.size = true, nil, f.row.Committed
		return
	}
	f.away = true
	v.away++
	if !m.Stored() {
		v.Log.Warn("not checked: registered as moved away", "file", f.name)
		return
	}
	if v.sums == nil {
		var err error
		if v.sums, err = warc.ReadManifest(v.FS, v.Path(folder.WARCDir)); err != nil {
			v.Log.Warn("the manifest of WARC files cannot be read; none that is elsewhere is taken on trust", "err", err)
			v.sums = warc.Manifest{}
		}
	}
	switch sum := v.sums[f.name]; {
	case m.Size != f.row.Committed:
		v.bad(f.name, "is registered as stored at %s with %d bytes, %d are acknowledged", m.To, m.Size, f.row.Committed)
	case sum == "":
		v.bad(f.name, "is stored at %s, but %s has no line for it: nothing but the register says that this is the file that was written; --remote reads it", m.To, warc.ManifestName)
	case sum != m.SHA256:
		v.bad(f.name, "is registered as stored at %s with SHA-256 %s, %s says %s", m.To, m.SHA256, warc.ManifestName, sum)
	default:
		v.trusted++
		v.trustedBytes += m.Size
	}
}

// file returns the file with a number, nil when there is none.
func (v *verifier) file(number uint32) *archiveFile {
	for _, f := range v.files {
		if f.row.Number == number {
			return f
		}
	}
	return nil
}

// archive checks the WARC files, and that each record lies in a capture. Parts of them are read at
// the same time; a file in which something is wrong is then read by one reader from its beginning,
// for only that one knows what damage hides.
func (v *verifier) archive(ctx context.Context) error {
	v.effort.begin("archive")
	names, err := v.FS.List(v.Path(folder.WARCDir))
	if err != nil {
		return fmt.Errorf("job: verify: %w", err)
	}
	known := map[string]bool{}
	for _, f := range v.files {
		known[f.name] = true
	}
	if err := v.units(ctx); err != nil {
		return err
	}
	if !v.with.Fast {
		if err := v.carefully(ctx); err != nil {
			return err
		}
		if err := v.duplicates(ctx); err != nil {
			return err
		}
		if err := v.revisits(ctx); err != nil {
			return err
		}
	}
	for _, n := range names {
		if !known[n] && !warc.IsManifest(n) {
			v.bad(n, "the state does not know this file%s", v.unlessClean())
		}
	}
	return nil
}

// unlessClean says what to do about leftovers of a killed run.
func (v *verifier) unlessClean() string {
	if v.State.Clean() {
		return ""
	}
	return "; the job was killed: let exclave crawl continue it first"
}

// carefully reads files in which something is wrong from their beginning, as far as anything can be found.
func (v *verifier) carefully(ctx context.Context) (err error) {
	troubled := map[uint32]bool{}
	for _, f := range v.files {
		if f.trouble.Load() {
			troubled[f.row.Number] = true
		}
	}
	if len(troubled) == 0 {
		return nil
	}
	again := v.scratch.Sorter("again")
	defer again.Abandon()
	n := 0
	if err := v.State.EachURI(func(r *frontier.Record) error {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !r.Outcome.Archived || !troubled[r.Response.File] && !troubled[r.Metadata.File] {
			return nil
		}
		return v.expect(again, r)
	}); err != nil {
		return err
	}
	if err := v.State.EachCapture(func(c frontier.Capture) error {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !troubled[c.Original.File] {
			return nil
		}
		return v.expectOriginal(again, &c)
	}); err != nil {
		return err
	}
	expected, err := again.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, expected.Close()) }()
	more := expected.Next()
	for _, f := range v.files {
		number := uint64(f.row.Number)
		for more && expected.A < number {
			more = expected.Next()
		}
		if !f.trouble.Load() {
			continue
		}
		if err := v.careful(ctx, f, func() (e expectation, ok bool) {
			if !more || expected.A != number {
				return e, false
			}
			e = readExpectation(&expected.Record)
			more = expected.Next()
			return e, true
		}); err != nil {
			return err
		}
	}
	return expected.Err
}

// wasAt says where a file should be that is not there.
func (v *verifier) wasAt(f *archiveFile) string {
	if m, ok, err := v.moved.Find(f.name); f.remote && ok && err == nil {
		return ", at " + m.To
	}
	return ""
}

// careful reads a file from its beginning.
func (v *verifier) careful(ctx context.Context, f *archiveFile, expected func() (expectation, bool)) (err error) {
	w := &walk{name: f.name, file: f.row.Number, bad: v.bad, spans: pull[frontier.Capture](nil), expected: expected}
	if f.missing != nil {
		v.bad(f.name, "is missing; %d bytes in it are acknowledged%s", f.row.Committed, v.wasAt(f))
		w.begin().end()
		return nil
	}
	g := gaps{f: f, bad: v.bad}
	if err := v.State.CapturesOf(f.row.Number, func(c frontier.Capture) error { g.capture(c); return nil }); err != nil {
		return err
	}
	g.end(v.unlessClean())
	in, err := v.openFile(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	var failed error
	next, stop := iter.Pull(func(yield func(frontier.Capture) bool) {
		failed = v.State.CapturesOf(f.row.Number, func(c frontier.Capture) error {
			if !yield(c) {
				return errTrouble
			}
			return nil
		})
	})
	defer stop()
	w.spans = next
	w.begin()
	err = warc.VerifyFrom(patient{ctx, in}, func(r *warc.RecordInfo) error {
		if err := w.record(r); err != nil || len(w.noted.ids) < maxTold {
			return err
		}
		return v.keep(f.row.Number, &w.noted)
	}, func(d warc.Defect) { v.bad(w.where(d.Offset), "%s: %s", d.Kind, d.Detail) })
	if err != nil {
		return fmt.Errorf("job: verify %s: %w", f.name, err)
	}
	w.end()
	if failed != nil {
		return failed
	}
	return v.keep(f.row.Number, &w.noted)
}

func appendOffset(b []byte, off int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(off)) }

// duplicates looks for record IDs that occur twice in a file: by their hashes, then by themselves.
func (v *verifier) duplicates(ctx context.Context) (err error) {
	ids, err := v.ids.Sorted()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ids.Close()) }()
	c := warc.NewChecker()
	var file, hash uint64
	first, n := int64(-1), 0
	for ids.Next() {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		off := int64(binary.BigEndian.Uint64(ids.Data))
		if first < 0 || ids.A != file || ids.B != hash {
			file, hash, first = ids.A, ids.B, off
			continue
		}
		if err := v.duplicate(ctx, c, v.file(uint32(file)), first, off); err != nil {
			return err
		}
	}
	return ids.Err
}

func (v *verifier) duplicate(ctx context.Context, c *warc.Checker, f *archiveFile, first, second int64) (err error) {
	in, err := v.openFile(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	var heads [2]*warc.Entry
	for i, off := range []int64{first, second} {
		var d *warc.Defect
		if heads[i], err = c.Head(in, off); errors.As(err, &d) {
			return nil // told already
		} else if err != nil {
			return err
		}
	}
	if id := heads[0].ID(); id == heads[1].ID() && id != "" {
		v.bad(fmt.Sprintf("%s at %d", f.name, second), "%s: "+warc.DuplicateID, warc.KindDuplicate, id, first)
	}
	return nil
}
