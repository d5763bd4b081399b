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

// The number of the last commit is in the store, and also in a small file beside it. If the
// store loses commits, the two disagree (ADR 31).

// MarkName returns the name of the file beside the store in dir.
func MarkName(dir string) string { return dir + ".mark" }

// slotSize is the distance between the two slots of the mark, so that a torn write cannot damage both.
const slotSize = 4096

// mark is the content of the file.
type mark struct {
	Number uint64 // of the last commit
	Closed bool   // the state was closed in order after that commit
}

// line is the mark as text: number, state, and CRC-32C of the text before it.
func (m mark) line() []byte {
	state := "running"
	if m.Closed {
		state = "closed "
	}
	s := fmt.Sprintf("exclave mark 1 commit %020d %s ", m.Number, state)
	return fmt.Appendf(nil, "%s%08x\n", s, crc32.Checksum([]byte(s), castagnoli()))
}

// parseMark reads a line; ok is false if line did not make it.
func parseMark(b []byte) (m mark, ok bool) {
	var state string
	if _, err := fmt.Sscanf(string(b), "exclave mark 1 commit %d %s", &m.Number, &state); err != nil {
		return mark{}, false
	}
	m.Closed = state == "closed"
	return m, string(m.line()) == string(b)
}

// readMark returns the mark beside the store in dir: the later of its two slots. ok is false if there
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
			continue // an incomplete line does not count
		} else if err != nil {
			return mark{}, false, fmt.Errorf("read the mark: %w", err)
		}
		if at, whole := parseMark(b); whole && (!ok || at.Number > m.Number) {
			m, ok = at, true
		}
	}
	return m, ok, nil
}

// marker writes the mark. It may be used by one goroutine.
type marker struct {
	f    vfs.File
	name string
}

// openMarker opens or creates the file, and makes its name durable.
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

// set makes a mark durable. Consecutive numbers use the slots in turn, so that the last mark
// stays readable until this one is written.
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

// beginMark opens the mark and marks that a run has begun.
func (f *Frontier) beginMark() (err error) {
	if f.marker, err = openMarker(f.o.FS, f.o.Dir); err != nil {
		return err
	}
	return f.marker.set(mark{Number: f.number})
}
