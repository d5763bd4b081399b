package cdx

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"exclave/internal/fsx"

	"github.com/klauspost/compress/gzip"
)

// BlockLines is how many lines a block of ZipNum usually has.
const BlockLines = 3000

// Blocks writes the lines to w in gzip members of so many lines each, and tells every member after it was written: key and time of its first
// line, where it begins, and its bytes, which are valid until each returns. It is called once, after the last Add, in place of [Index.Each].
func (x *Index) Blocks(w io.Writer, lines int, each func(first []byte, offset int64, member []byte) error) (n int64, err error) {
	var member bytes.Buffer
	z := gzip.NewWriter(&member)
	var first []byte
	var at int64
	flush := func() error {
		if n == 0 {
			return nil
		}
		if err := z.Close(); err != nil {
			return err
		}
		if _, err := w.Write(member.Bytes()); err != nil {
			return err
		}
		if err := each(first, at, member.Bytes()); err != nil {
			return err
		}
		at += int64(member.Len())
		member.Reset()
		z.Reset(&member)
		return nil
	}
	err = x.Each(func(line []byte) error {
		if n%int64(lines) == 0 {
			if err := flush(); err != nil {
				return err
			}
			key := bytes.IndexByte(line, ' ') + 1
			first = bytes.Clone(line[:key+max(bytes.IndexByte(line[key:], ' '), 0)])
		}
		n++
		_, err := z.Write(line)
		return err
	})
	if err != nil {
		return n, err
	}
	return n, flush()
}

// WriteZipNum writes the lines as a cluster that pywb reads (ZipNum), into a folder that is there: NAME.cdxj.gz has them in blocks, NAME.idx says
// where each block is, NAME.loc where the first file is. It returns how many lines there are. What was begun stays after an error.
func (x *Index) WriteZipNum(dir, name string, lines int) (n int64, err error) {
	data := name + ".cdxj.gz"
	err = create(filepath.Join(dir, name+".idx"), func(table io.Writer) error {
		return create(filepath.Join(dir, data), func(w io.Writer) error {
			blocks := 0
			var err error
			n, err = x.Blocks(w, lines, func(first []byte, offset int64, member []byte) error {
				blocks++
				_, err := fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%d\n", first, data, offset, len(member), blocks)
				return err
			})
			return err
		})
	})
	if err != nil {
		return n, err
	}
	return n, create(filepath.Join(dir, name+".loc"), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s\t%s\n", data, data)
		return err
	})
}

// create writes a new file and makes it durable.
func create(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fsx.FileMode)
	if err != nil {
		return fmt.Errorf("cdx: %w", err)
	}
	w := bufio.NewWriterSize(f, 64<<10)
	err = write(w)
	if err == nil {
		err = errors.Join(w.Flush(), f.Sync())
	}
	return errors.Join(err, f.Close())
}
