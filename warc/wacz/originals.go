package wacz

import (
	"encoding/binary"
	"errors"
	"time"

	"exclave/internal/extsort"
	"exclave/warc"
)

// originals finds out whether the package has what its revisit records stand for: replay tools look for it by address and date.
type originals struct {
	seen *extsort.Sorter
}

// What is known of an address at a date.
const (
	isThere  = 't'
	isWanted = 'w' // by a revisit record
)

func newOriginals(scratch *extsort.Scratch) *originals {
	return &originals{scratch.Sorter("originals")}
}

func (o *originals) abandon() { o.seen.Abandon() }

// record takes a record that is packed.
func (o *originals) record(e *warc.Entry) error {
	switch e.Type() {
	case warc.TypeResponse, warc.TypeResource:
		return o.tell(isThere, e.TargetURI(), e.Header.Get("WARC-Date"))
	case warc.TypeRevisit:
		if uri := bare(e.Header.Get("WARC-Refers-To-Target-URI")); uri != "" {
			return o.tell(isWanted, uri, e.Header.Get("WARC-Refers-To-Date"))
		}
	}
	return nil
}

// tell keeps dates to the second, as an index does.
func (o *originals) tell(what byte, uri, date string) error {
	if t, err := time.Parse(time.RFC3339Nano, date); err == nil {
		date = t.UTC().Format(time.RFC3339)
	}
	s := sum(uri, date)
	return o.seen.Add(binary.BigEndian.Uint64(s[:]), binary.BigEndian.Uint64(s[8:]), []byte{what})
}

// missing counts what is wanted and not there.
func (o *originals) missing() (n int64, err error) {
	all, err := o.seen.Sorted()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	var a, b uint64
	there := false
	for all.Next() { // of an address what is there comes first
		if all.A != a || all.B != b {
			a, b, there = all.A, all.B, false
		}
		if all.Data[0] == isThere {
			there = true
		} else if !there {
			n++
		}
	}
	return n, all.Err
}
