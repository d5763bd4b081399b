package logparts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"exclave/internal/fsx"
)

// timeForm is how a part's time is written.
const timeForm = "20060102150405"

// Packed is behind the name of a part that is compressed.
const Packed = ".gz"

// Parse reads the name of a file of a log's part, compressed or not, and returns the part's time as it is written.
func Parse(log, file string) (stamp string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSuffix(file, Packed), log+".")
	if _, err := time.Parse(timeForm, rest); !ok || err != nil || len(rest) != len(timeForm) {
		return "", false
	}
	return rest, true
}

// isPart reports whether a name is one of a part that is not compressed: a log itself is never.
func isPart(name string) bool {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return false
	}
	stamp, ok := Parse(name[:i], name)
	return ok && Name(name[:i], stamp) == name
}

// Name returns the name of a part that is not compressed.
func Name(log, stamp string) string { return log + "." + stamp }

// NextName returns the name of the part of a log that is rolled now; last is the time of its last part, "" when there
// is none. No file has that name.
func NextName(fsys fsx.FS, dir, log, last string, now time.Time) (stamp string, err error) {
	if t, err := time.Parse(timeForm, last); err == nil && !now.After(t.Add(time.Second)) {
		now = t.Add(time.Second)
	}
	for ; ; now = now.Add(time.Second) {
		stamp := now.UTC().Format(timeForm)
		_, err := Find(fsys, dir, Name(log, stamp))
		if errors.Is(err, fs.ErrNotExist) {
			return stamp, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// List returns the names of the parts of a log, without [Packed], in order. A folder that is not there has none.
func List(fsys fsx.FS, dir, log string) ([]string, error) {
	names, err := fsys.List(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("logparts: list parts of %s: %w", log, err)
	}
	var out []string
	for _, n := range names {
		if stamp, ok := Parse(log, n); ok {
			out = append(out, Name(log, stamp))
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Any reports whether a log holds anything; it is false when that cannot be known.
func Any(fsys fsx.FS, dir, log string) bool {
	if st, err := fsys.Stat(fsys.PathJoin(dir, log)); err == nil && st.Size() > 0 {
		return true
	}
	parts, err := List(fsys, dir, log)
	return err == nil && len(parts) > 0
}

// Find returns the path of the file that holds a part, plain or compressed, or a log itself. The error wraps [fs.ErrNotExist] when
// neither is there.
func Find(fsys fsx.FS, dir, name string) (string, error) {
	plain := fsys.PathJoin(dir, name)
	_, err := fsys.Stat(plain)
	if errors.Is(err, fs.ErrNotExist) && isPart(name) {
		if _, packed := fsys.Stat(plain + Packed); packed == nil {
			return plain + Packed, nil
		} else if !errors.Is(packed, fs.ErrNotExist) {
			err = packed
		}
	}
	if err != nil {
		return "", fmt.Errorf("logparts: %w", err)
	}
	return plain, nil
}

// Check demands, without reading it, that a part may hold so many bytes. The error wraps [fs.ErrNotExist] when it
// is not there.
func Check(fsys fsx.FS, dir, name string, length int64) (err error) {
	path, err := Find(fsys, dir, name)
	if err != nil {
		return err
	}
	in, err := fsys.Open(path)
	if err != nil {
		return fmt.Errorf("logparts: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	st, err := in.Stat()
	if err != nil {
		return fmt.Errorf("logparts: %w", err)
	}
	if !strings.HasSuffix(path, Packed) {
		if st.Size() != length {
			return fmt.Errorf("logparts: %s has %d bytes, not %d", path, st.Size(), length)
		}
		return nil
	}
	var size [4]byte // the last field of a gzip file (RFC 1952, 2.3.1: ISIZE)
	if st.Size() < int64(len(size)) {
		return fmt.Errorf("logparts: %s has %d bytes: it was cut", path, st.Size())
	}
	if _, err := in.ReadAt(size[:], st.Size()-int64(len(size))); err != nil {
		return fmt.Errorf("logparts: %s: %w", path, err)
	}
	if binary.LittleEndian.Uint32(size[:]) != uint32(length) {
		return fmt.Errorf("logparts: %s does not end as a compressed file of %d bytes does", path, length)
	}
	return nil
}
