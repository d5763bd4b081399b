package warctest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exclave/internal/clock"
	"exclave/internal/fsx"
	"exclave/warc"
)

// Issue 3: a record that stands twice is found, at its second place.
func TestVerifyFindsDoubledRecords(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	c := warc.DefaultConfig()
	c.Dir = t.TempDir()
	pool, err := warc.OpenPool(fsx.Real(), c, warc.Info{}, clock.System(), 1, nil, nil)
	must(err)
	f, err := pool.Acquire(t.Context())
	must(err)
	must(f.Begin())
	_, err = f.Write(&warc.Record{Type: warc.TypeMetadata, TargetURI: "http://a.test/", Date: time.Unix(1e9, 0),
		ContentType: warc.ContentFields, Block: strings.NewReader("via: x\r\n")})
	must(err)
	span, err := f.End()
	must(err)
	must(pool.Sync([]uint32{span.File}))
	_, err = pool.Committed(span.File, span.End)
	must(err)
	pool.Release(f)
	rows, err := pool.Close()
	must(err)
	name := filepath.Join(c.Dir, rows[0].Name)
	data, err := os.ReadFile(name)
	must(err)

	verify := func(data []byte) (records []warc.RecordInfo, defects []warc.Defect) {
		must(os.WriteFile(name, data, 0o600))
		defects, err := Verify(fsx.Real(), name, func(r warc.RecordInfo) error { records = append(records, r); return nil })
		must(err)
		return records, defects
	}
	records, defects := verify(bytes.Clone(data))
	if len(records) != 2 || len(defects) > 0 {
		t.Fatalf("%d records, %v", len(records), defects)
	}
	last := records[1].Ref
	records, defects = verify(append(bytes.Clone(data), data[last.Offset:last.Offset+last.Length]...))
	if len(records) != 3 || len(defects) != 1 || defects[0].Kind != warc.KindDuplicate || defects[0].Offset != last.Offset+last.Length || defects[0].File != name {
		t.Errorf("%d records, %v", len(records), defects)
	}
}
