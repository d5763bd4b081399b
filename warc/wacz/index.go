package wacz

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"exclave/warc"
	"exclave/warc/cdx"
)

// blockLines is how many lines of the index are in a gzip member, as in packages of ArchiveWeb.page.
const blockLines = 1024

// Names of the index.
const (
	indexData  = "index.cdx.gz"
	indexTable = "index.idx"
)

// index is the lines of the index, which are written in blocks, with a table of these (ZipNum): a reader fetches a block, not all.
type index struct {
	*cdx.Index
	temp string
}

func newIndex(temp string) *index { return &index{cdx.NewIndex(cdx.CDXJ, temp), temp} }

// file takes the captures of a file, which has been read and is whole: what is told of it is that a record has no date or no address.
func (x *index) file(p *packing, from, base string) (err error) {
	f, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("wacz: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	report := func(warc.Defect) { p.result.Unindexed++ }
	return cdx.Read(f, base, cdx.Options{Post: true, Temp: x.temp}, report, func(c *cdx.Capture) error {
		return errors.Join(x.Add(c), p.ctx.Err())
	})
}

// block is a row of the table.
type block struct {
	Offset int64  `json:"offset"`
	Length int    `json:"length"`
	Digest string `json:"digest"`
	File   string `json:"filename"`
}

// write writes the index into the package.
func (x *index) write(to *packing) (n int64, err error) {
	table, err := os.CreateTemp(to.dir, "table-*")
	if err != nil {
		return 0, fmt.Errorf("wacz: %w", err)
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	if _, err := fmt.Fprintf(table, "!meta 0 {\"format\":\"cdxj-gzip-1.0\",\"filename\":%q}\n", indexData); err != nil {
		return 0, err
	}
	err = to.add("indexes/"+indexData, zip.Store, func(w io.Writer) error {
		n, err = x.blocks(to, w, table)
		return err
	})
	if err != nil {
		return 0, err
	}
	if _, err := table.Seek(0, io.SeekStart); err != nil {
		return 0, fmt.Errorf("wacz: %w", err)
	}
	return n, to.add("indexes/"+indexTable, zip.Deflate, func(w io.Writer) error {
		_, err := io.Copy(w, table)
		return err
	})
}

// blocks writes the lines to w and the rows of their blocks to table.
func (x *index) blocks(to *packing, w, table io.Writer) (n int64, err error) {
	return x.Blocks(w, blockLines, func(first []byte, offset int64, member []byte) error {
		h := sha256.New()
		h.Write(member)
		row, err := json.Marshal(block{offset, len(member), digestOf(h), indexData})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(table, "%s %s\n", first, row)
		return errors.Join(err, to.ctx.Err())
	})
}
