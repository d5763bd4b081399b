// Package warctest reads whole WARC files for tests of packages that make them.
//
// Not here: the verification of a job, which compares its files with its state and its logs
// (exclave verify).
package warctest

import (
	"errors"
	"fmt"
	"testing"

	"exclave/internal/fsx"
	"exclave/warc"
)

// Verify returns all that is wrong with a file, as [warc.VerifyFrom] finds it, and IDs that occur
// more than once. It calls each, unless nil, for every record whose framing is whole.
func Verify(fs fsx.FS, name string, each func(warc.RecordInfo) error) (defects []warc.Defect, err error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	report := func(d warc.Defect) {
		d.File = name
		defects = append(defects, d)
	}
	ids := map[string]int64{} // where each was first seen
	err = warc.VerifyFrom(f, func(i *warc.RecordInfo) error {
		if first, ok := ids[i.ID]; ok {
			report(warc.Defect{Offset: i.Ref.Offset, Kind: warc.KindDuplicate, Detail: fmt.Sprintf(warc.DuplicateID, i.ID, first)})
		} else {
			ids[i.ID] = i.Ref.Offset
		}
		if each == nil {
			return nil
		}
		return each(*i)
	}, report)
	return defects, err
}

// Dictionary returns a zstd dictionary of records as a crawl makes them.
func Dictionary(t testing.TB) *warc.Dictionary {
	t.Helper()
	var samples [][]byte
	for i := range 100 {
		samples = append(samples, fmt.Appendf(nil, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://www.example%d.com/page/%d\r\nWARC-Date: 2026-11-21T05:06:07.%03dZ\r\n"+
			"WARC-Payload-Digest: sha1:AAAA%d\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", i%7, i, i, i, 100+i))
	}
	d, err := warc.TrainDictionary(samples, 2<<10)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
