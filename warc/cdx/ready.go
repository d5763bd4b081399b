package cdx

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"exclave/internal/fsx"
	"exclave/warc"
)

// A ready index is the CDXJ of one complete file, sorted, line for line what [Read] and [Index] make of it. It lies in a folder of such, under
// the name of the file with ReadySuffix behind it.
const ReadySuffix = ".cdxj"

// WriteReady makes the ready index of a file that in reads, in a folder that is there, whole or not at all. Of a file that is not whole none
// is made: the error is its first defect, a *warc.Defect. Large indexes are sorted in temp.
func WriteReady(ctx context.Context, fsys fsx.FS, dir, name string, in io.Reader, temp string) (err error) {
	x := newIndex(CDXJ, temp, fileChunk)
	defer func() { err = errors.Join(err, x.Close()) }()
	var first *warc.Defect
	report := func(d warc.Defect) {
		if first == nil {
			d.File = name
			first = &d
		}
	}
	if err := Read(in, name, Options{Temp: temp}, report, func(c *Capture) error { return errors.Join(x.Add(c), ctx.Err()) }); err != nil {
		return err
	}
	if first != nil {
		return first
	}
	to := fsys.PathJoin(dir, name+ReadySuffix)
	part := to + ".tmp"
	f, err := fsys.Create(part, fsx.Shared)
	if err != nil {
		return fmt.Errorf("cdx: %w", err)
	}
	n, err := x.WriteTo(f)
	if err == nil {
		var st fs.FileInfo
		if st, err = f.Stat(); err == nil && st.Size() != n {
			err = fmt.Errorf("%s: %d bytes written, %d found", part, n, st.Size())
		}
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = fsys.Rename(part, to)
	}
	if err != nil {
		if rm := fsys.Remove(part); rm != nil && !errors.Is(rm, fs.ErrNotExist) {
			err = errors.Join(err, rm)
		}
		return fmt.Errorf("cdx: %w", err)
	}
	return fsx.SyncDir(fsys, dir)
}

// errStale is the error of a ready index that is not of the file as it is.
var errStale = errors.New("cdx: the index is not of the file as it is")

// AddReady takes the lines of the ready index of a file, if it has one in dir and that is not older than the file, and all its lines lie in the file.
// Else it takes none, and ok is false; so it is of an index of another format than [CDXJ].
func (x *Index) AddReady(ctx context.Context, fsys fsx.FS, dir, file string) (ok bool, err error) {
	if x.format != CDXJ {
		return false, nil
	}
	name := fsys.PathBase(file)
	of, err := fsys.Stat(file)
	if err != nil {
		return false, nil // whoever reads the file says so
	}
	f, err := fsys.Open(fsys.PathJoin(dir, name+ReadySuffix))
	if err != nil {
		return false, nil
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if st, err := f.Stat(); err != nil || st.ModTime().Before(of.ModTime()) {
		return false, nil
	}
	for _, take := range []bool{false, true} { // nothing is taken of an index that turns out to be stale
		in := bufio.NewReaderSize(io.NewSectionReader(f, 0, 1<<62), 256<<10)
		for {
			x.line, err = readLine(in, x.line[:0])
			if err == io.EOF {
				break
			}
			if err == nil && !take {
				err = within(x.line, name, of.Size())
			}
			switch {
			case errors.Is(err, errStale):
				return false, nil
			case err == nil && take:
				err = x.add()
			}
			if err = errors.Join(err, ctx.Err()); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// readLine appends a line with its end; one without is [errStale].
func readLine(in *bufio.Reader, b []byte) ([]byte, error) {
	for {
		piece, err := in.ReadSlice('\n')
		b = append(b, piece...)
		switch {
		case err == nil:
			return b, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(b) > 0:
			return b, errStale
		default:
			return b, err
		}
	}
}

// within demands that a line leads into a file.
func within(line []byte, name string, size int64) error {
	var to struct{ Offset, Length, Filename string }
	if _, in, ok := bytes.Cut(line, []byte(" {")); !ok || json.Unmarshal(append([]byte("{"), in...), &to) != nil {
		return errStale
	}
	at, err := strconv.ParseInt(to.Offset, 10, 64)
	n, err2 := strconv.ParseInt(to.Length, 10, 64)
	if err != nil || err2 != nil || at < 0 || n < 0 || to.Filename != name || n > size || at > size-n {
		return errStale
	}
	return nil
}
