package warc

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

// Issue: every defect. An ID that occurs twice is told with both places, in one file and across files, in the order of the files, however many
// records there are: the hashes of these do not fit in a chunk of memory.
func TestDuplicates(t *testing.T) {
	const n = 150_000 // of each file
	dir := t.TempDir()
	d := NewDuplicates(dir)
	info := func(kind, id string, off int64) *RecordInfo {
		return &RecordInfo{Version: "1.1", Type: kind, ID: id, Ref: Ref{Offset: off}, Header: Header{{"WARC-Record-ID", id}, {"Content-Length", "7"}}}
	}
	for file := range 2 {
		for i := range int64(n) {
			id := fmt.Sprint("urn:", file, ":", i)
			switch i {
			case 5, 140_000:
				id = "urn:five"
			case 9:
				must(t, d.Add(file, info(TypeWarcinfo, "urn:info", i))) // twice the same
				continue
			case 10:
				r := info(TypeWarcinfo, "urn:other", i)
				r.Header[1].Value = fmt.Sprint(file)
				must(t, d.Add(file, r))
				continue
			case 11: // without an ID, told as a defect of its own; ARC has none
				must(t, d.Add(file, info(TypeResponse, "", i)))
				arc := info(TypeResponse, "urn:arc", i)
				arc.Version = VersionARC
				must(t, d.Add(file, arc))
				continue
			}
			must(t, d.Add(file, info(TypeResponse, id, i)))
		}
	}
	var got []string
	must(t, d.Each(func(first int, firstOffset int64, file int, offset int64) error {
		got = append(got, fmt.Sprintf("%d of %d as %d of %d", offset, file, firstOffset, first))
		return nil
	}))
	if want := []string{"140000 of 0 as 5 of 0", "5 of 1 as 5 of 0", "10 of 1 as 10 of 0", "140000 of 1 as 5 of 0"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("nothing was sorted on disk: %v, %v", files, err)
	}
	must(t, d.Close())
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}
