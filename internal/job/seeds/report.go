package seeds

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"

	"exclave/internal/seedlog"
)

// Report counts the lines of a seed file by their result. Each line is one of
// Blank, Skipped, Broken, Accepted, Known, or in Traps or Rejected.
type Report struct {
	File          string              `json:"file"`
	Compression   seedlog.Compression `json:"compression,omitempty"`
	seedlog.State                     // how far it was read, and its lines that name no seed
	Accepted      int64               `json:"accepted"`             // new to the crawl
	Known         int64               `json:"known"`                // before, or several times in the file
	Rejected      map[string]int64    `json:"rejected,omitempty"`   // out of scope, by the deciding rule
	OwnDomain     map[string]int64    `json:"own_domain,omitempty"` // of Rejected, those below the top-level domain of a profile's nation
	Raw           int64               `json:"raw,omitempty"`        // bytes of a compressed file that were used for Offset
	Size          int64               `json:"size"`                 // of the file when last read
	Print         uint32              `json:"print"`                // checksum of what was read, see fingerprint
	Done          bool                `json:"done"`
}

// String is one line for a person.
func (r Report) String() string {
	s := fmt.Sprintf("%s: %s: %d lines, %d accepted, %d known, %d broken", r.File, r.Format, r.Lines, r.Accepted, r.Known, r.Broken)
	if r.Skipped > 0 {
		s += fmt.Sprintf(", %d no seeds", r.Skipped)
	}
	if n := r.LeftOut(); n > 0 {
		s += fmt.Sprintf(", %d left out", n)
	}
	for _, rule := range slices.Sorted(maps.Keys(r.Rejected)) {
		s += fmt.Sprintf(", %d out of scope (%s)", r.Rejected[rule], rule)
		if own := r.OwnDomain[rule]; own > 0 {
			s += fmt.Sprintf(", %d of them in the own domain", own)
		}
	}
	if r.Damage != "" {
		s += "; " + r.Damage
	}
	return s
}

// used is how many bytes of the file Print covers.
func (r Report) used() int64 {
	if r.Raw > 0 {
		return r.Raw
	}
	return r.Offset
}

// printed is how many bytes at either end of what was read are compared to find out whether a
// seed file was changed.
const printed = 64 << 10

// fingerprint is a checksum of the first and the last bytes before offset.
func fingerprint(f io.ReaderAt, offset int64) (uint32, error) {
	sum := crc32.NewIEEE()
	for _, from := range []int64{0, max(0, offset-printed)} {
		part := io.NewSectionReader(f, from, min(printed, offset-from))
		if _, err := io.Copy(sum, part); err != nil {
			return 0, err
		}
	}
	return sum.Sum32(), nil
}

// endsALine reports whether what was read ends at the end of a line: the last line of a
// plain file that was being written may have grown since.
func (r Report) endsALine(f io.ReaderAt) (bool, error) {
	if r.Raw > 0 || r.Offset == 0 {
		return true, nil
	}
	var around [2]byte
	n, err := f.ReadAt(around[:], r.Offset-1)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return n < 2 || around[0] == '\n' || around[1] == '\n' || around[1] == '\r', nil
}
