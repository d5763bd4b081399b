package frontier

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"

	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/internal/fsx"
)

// The number of the last commit stands in the store, and beside it in a small file: a store
// that lost what it had written is not what that file says (ADR 31).

// MarkName returns the name of the file beside the store in dir.
func MarkName(dir string) string { return dir + ".mark" }

// slotSize keeps the two places of the mark apart: no write, however torn, harms both.
const slotSize = 4096

// mark is what the file says.
type mark struct {
	Number uint64 // of the last commit
	Closed bool   // in order: nothing was committed after it
}

// line is the mark as text: %d, state, CRC-32C of what stands before it.
func (m mark) line() []byte {
	state := "running"
	if m.Closed {
		state = "closed "
	}
	s := fmt.Sprintf("exclave mark 1 commit %020d %s ", m.Number, state)
	return fmt.Appendf(nil, "%s%08x\n", s, crc32.Checksum([]byte(s), castagnoli()))
}

// parseMark reads a line, false when it is not one that line made.
func parseMark(b []byte) (m mark, ok bool) {
	var state string
	if _, err := fmt.Sscanf(string(b), "exclave mark 1 commit %d %s", &m.Number, &state); err != nil {
		return mark{}, false
	}
	m.Closed = state == "closed"
	return m, string(m.line()) == string(b)
}

// readMark returns the mark beside the store in dir: the later of its two places. It is false when there
// is none, or none that can be read.
func readMark(fsys fsx.FS, dir string) (m mark, ok bool, err error) {
	f, err := fsys.Open(MarkName(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return mark{}, false, nil
	}
	if err != nil {
		return mark{}, false, fmt.Errorf("read the mark: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for slot := range int64(2) {
		b := make([]byte, len(mark{}.line()))
		if _, err := f.ReadAt(b, slot*slotSize); errors.Is(err, io.EOF) {
			continue // a part of a line is none
		} else if err != nil {
			return mark{}, false, fmt.Errorf("read the mark: %w", err)
		}
		if at, whole := parseMark(b); whole && (!ok || at.Number > m.Number) {
			m, ok = at, true
		}
	}
	return m, ok, nil
}

// marker writes the mark. It belongs to one goroutine.
type marker struct {
	f    vfs.File
	name string
}

// openMarker opens the file, or makes it, and makes its name durable.
func openMarker(fsys fsx.FS, dir string) (*marker, error) {
	name := MarkName(dir)
	f, err := fsys.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, fmt.Errorf("open the mark: %w", err)
	}
	if err := fsx.SyncDir(fsys, fsys.PathDir(name)); err != nil {
		return nil, errors.Join(fmt.Errorf("open the mark: %w", err), f.Close())
	}
	return &marker{f, name}, nil
}

// set makes a mark durable. Numbers follow one another, so that the mark before stays
// readable until this one is written.
func (w *marker) set(m mark) error {
	_, err := w.f.WriteAt(m.line(), int64(m.Number%2)*slotSize)
	if err == nil {
		err = w.f.Sync()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", w.name, err)
	}
	return nil
}

func (w *marker) close() error {
	if w == nil {
		return nil
	}
	return w.f.Close()
}

// beginMark marks that a run has begun.
func (f *Frontier) beginMark() (err error) {
	if f.marker, err = openMarker(f.o.FS, f.o.Dir); err != nil {
		return err
	}
	return f.marker.set(mark{Number: f.number})
}
