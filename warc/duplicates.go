package warc

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"

	"exclave/internal/extsort"
)

// Duplicates finds record IDs that occur more than once in any number of files. It sorts their hashes on disk: memory does not grow with
// the files, the disk takes some 30 bytes for each record. Warcinfo records that are the same field for field are no duplicates: who
// divides files puts them before what they describe. ARC records have no IDs of their own. It belongs to one goroutine.
type Duplicates struct {
	scratch *extsort.Scratch
	ids     *extsort.Sorter // hashes of IDs: file, offset, hash of the header when it is of a warcinfo record
	again   *extsort.Sorter // file, offset: where the ID was before
	seed    maphash.Seed
	row     []byte
}

const duplicatesChunk = 4 << 20

// NewDuplicates returns a Duplicates that sorts in a folder of its own in temp, "" for the system's. Close it.
func NewDuplicates(temp string) *Duplicates {
	s := extsort.NewScratch(temp, duplicatesChunk)
	return &Duplicates{scratch: s, ids: s.Sorter("ids"), again: s.Sorter("again"), seed: maphash.MakeSeed()}
}

// Add takes a record of a file; files have numbers, from 0 on.
func (d *Duplicates) Add(file int, i *RecordInfo) error {
	if i.ID == "" || i.Version == VersionARC {
		return nil
	}
	sum := sha256.Sum256([]byte(i.ID))
	d.row = place(d.row[:0], file, i.Ref.Offset)
	if i.Type == TypeWarcinfo {
		var h maphash.Hash
		h.SetSeed(d.seed)
		for _, f := range i.Header {
			_, _ = io.WriteString(&h, f.Name+":"+f.Value+"\n")
		}
		d.row = binary.BigEndian.AppendUint64(d.row, h.Sum64())
	}
	return d.ids.Add(binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:]), d.row)
}

// place appends where a record is, so that places sort.
func place(b []byte, file int, offset int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, uint32(file)), uint64(offset))
}

func placed(b []byte) (file int, offset int64) {
	return int(binary.BigEndian.Uint32(b)), int64(binary.BigEndian.Uint64(b[4:]))
}

// Each calls tell, after the last Add, for each record whose ID another record had before it, in the order of files and offsets. What
// tell gets first is where that one is.
func (d *Duplicates) Each(tell func(first int, firstOffset int64, file int, offset int64) error) error {
	if err := each(d.ids, d.repeated()); err != nil {
		return err
	}
	return each(d.again, func(r *extsort.Record) error {
		first, firstOffset := placed(r.Data)
		return tell(first, firstOffset, int(r.A), int64(r.B))
	})
}

// repeated notes the places of records that come behind another one with the same hash.
func (d *Duplicates) repeated() func(*extsort.Record) error {
	var a, b uint64
	var first []byte
	return func(r *extsort.Record) error {
		if first == nil || r.A != a || r.B != b {
			a, b, first = r.A, r.B, append(first[:0], r.Data...)
			return nil
		}
		const short = 4 + 8
		if len(r.Data) > short && string(r.Data[short:]) == string(first[short:]) {
			return nil
		}
		file, offset := placed(r.Data)
		return d.again.Add(uint64(file), uint64(offset), first[:short])
	}
}

// each reads what was sorted.
func each(s *extsort.Sorter, do func(*extsort.Record) error) (err error) {
	m, err := s.Sorted()
	if err != nil {
		return fmt.Errorf("warc: record IDs: %w", err)
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	for m.Next() {
		if err := do(&m.Record); err != nil {
			return err
		}
	}
	return m.Err
}

// Close removes what is on disk.
func (d *Duplicates) Close() error {
	d.ids.Abandon()
	d.again.Abandon()
	return d.scratch.Close()
}
