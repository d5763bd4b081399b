package logparts

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"runtime"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/klauspost/compress/gzip"

	"exclave/internal/fsx"
)

// Sum is what a part holds, whether or not it is compressed.
type Sum struct {
	Length int64
	CRC    uint32 // CRC-32C
}

// ErrOther is wrapped by the error of Compress about a part that does not hold what it should; it stays as it is.
var ErrOther = errors.New("holds something else than is acknowledged")

// level costs a quarter of the time of the best, for files that are larger by a tenth.
const level = 6

// Compress compresses a part, which holds want, and removes the plain file once the other is durable and was read back. A
// part that is compressed already is left alone; what was cut short before begins again. After an error the plain
// file is there. It may run while others read the part.
func Compress(ctx context.Context, fsys fsx.FS, dir, name string, want Sum, fail *fsx.FailPoints) (err error) {
	plain := fsys.PathJoin(dir, name)
	if _, err := fsys.Stat(plain); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	tmp := fsys.PathJoin(dir, "."+name+Packed+".tmp")
	if err := write(ctx, fsys, plain, tmp, want); err != nil {
		if rm := fsys.Remove(tmp); rm != nil && !errors.Is(rm, fs.ErrNotExist) {
			err = errors.Join(err, rm)
		}
		return fmt.Errorf("logparts: compress %s: %w", plain, err)
	}
	fail.Hit("logs.compressed")
	err = fsys.Rename(tmp, plain+Packed)
	if err == nil {
		err = fsx.SyncDir(fsys, dir)
	}
	if err == nil {
		fail.Hit("logs.compress.renamed")
		err = fsys.Remove(plain)
	}
	if err != nil {
		return fmt.Errorf("logparts: compress %s: %w", plain, err)
	}
	return nil
}

// write writes the compressed file, durable but for its name, and reads it back.
func write(ctx context.Context, fsys fsx.FS, plain, tmp string, want Sum) error {
	in, err := fsys.Open(plain, vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	out, err := fsys.Create(tmp, vfs.WriteCategoryUnspecified)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	z, err := gzip.NewWriterLevel(out, level)
	if err != nil {
		return errors.Join(err, in.Close(), out.Close())
	}
	have, err := copySum(ctx, z, in)
	if err == nil && have != want {
		err = fmt.Errorf("it %w: %d bytes with the checksum %08x, not %d with %08x", ErrOther, have.Length, have.CRC, want.Length, want.CRC)
	}
	err = errors.Join(err, z.Close())
	if err == nil {
		err = out.Sync()
	}
	if err := errors.Join(err, out.Close(), in.Close()); err != nil {
		return err
	}
	back, err := fsys.Open(tmp, vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	r, err := gzip.NewReader(back)
	if err != nil {
		return errors.Join(err, back.Close())
	}
	have, err = copySum(ctx, io.Discard, r)
	if err == nil && have != want {
		err = fmt.Errorf("what was written to %s is not what was read", tmp)
	}
	return errors.Join(err, r.Close(), back.Close())
}

// copySum copies until ctx ends, and leaves others their turn.
func copySum(ctx context.Context, to io.Writer, from io.Reader) (s Sum, err error) {
	b := make([]byte, 64<<10)
	for {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		n, err := from.Read(b)
		s.Length += int64(n)
		s.CRC = crc32.Update(s.CRC, crc32.MakeTable(crc32.Castagnoli), b[:n])
		if _, err := to.Write(b[:n]); err != nil {
			return s, err
		}
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return s, err
		}
		runtime.Gosched()
	}
}

// SumOf reads a part, plain or compressed. The error wraps [fs.ErrNotExist] when it is not there.
func SumOf(ctx context.Context, fsys fsx.FS, path string) (_ Sum, err error) {
	var in io.ReadCloser
	if strings.HasSuffix(path, Packed) {
		in, err = openPacked(fsys, path)
	} else {
		in, err = fsys.Open(path, vfs.SequentialReadsOption)
	}
	if err != nil {
		return Sum{}, fmt.Errorf("logparts: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return copySum(ctx, io.Discard, in)
}
