package warc

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"exclave/internal/aside"
	"exclave/internal/fsx"
)

// Note says what Recover changed.
type Note struct {
	File string // base name
	What string
}

// Recover brings the files of a directory to what rows say is committed, after
// whatever end of the last run. It must be called before OpenPool; it returns
// the rows as they are now. The caller stores the changed ones; until it has,
// Recover comes to the same result again. It may itself be killed at any time.
//
//   - Of an open file longer than its committed length the rest is kept aside and cut off.
//   - A file that was renamed before its row could say so becomes final, also when it was moved away since, which moved reports by its name.
//   - A file named by this package that is open and has no row holds nothing that
//     was acknowledged, and is moved aside.
//   - Final files are not looked at: see [Check].
//
// What holds no whole record is not kept. Bytes that were committed and are not there are an
// error, and nothing is changed then. The fail points are warc.recover.cut (before a cut) and
// warc.recover.cutting (cut, not synced).
func Recover(fsys fsx.FS, dir string, rows []FileState, keep *aside.Folder, moved func(name string) bool, fp *fsx.FailPoints) ([]FileState, []Note, error) {
	r := recovery{fs: fsys, dir: dir, keep: keep, moved: moved, fp: fp, rows: slices.Clone(rows), sizes: make(map[string]int64)}
	if err := r.look(); err != nil {
		return nil, nil, err
	}
	if err := r.plan(); err != nil {
		return nil, nil, err
	}
	for _, act := range r.acts {
		if err := act(); err != nil {
			return nil, nil, err
		}
	}
	if len(r.acts) > 0 {
		if err := fsx.SyncDir(fsys, dir); err != nil {
			return nil, nil, fmt.Errorf("warc: recover: %w", err)
		}
	}
	return r.rows, r.notes, nil
}

type recovery struct {
	fs    fsx.FS
	dir   string
	keep  *aside.Folder
	moved func(name string) bool
	fp    *fsx.FailPoints
	rows  []FileState
	sizes map[string]int64 // of the files in dir
	acts  []func() error
	notes []Note
}

func (r *recovery) look() error {
	names, err := r.fs.List(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("warc: recover %s: %w", r.dir, err)
	}
	for _, name := range names {
		st, err := r.fs.Stat(r.fs.PathJoin(r.dir, name))
		if err != nil {
			return fmt.Errorf("warc: recover %s: %w", name, err)
		}
		if !st.IsDir() {
			r.sizes[name] = st.Size()
		}
	}
	return nil
}

// plan finds every loss before anything is changed.
func (r *recovery) plan() error {
	var errs []error
	known := make(map[string]bool)
	for i := range r.rows {
		known[r.rows[i].Name+openSuffix] = true
		if !r.rows[i].Final {
			errs = append(errs, r.planRow(&r.rows[i]))
		}
	}
	for name := range r.sizes {
		if !known[name] && oursOpen(name) {
			r.acts = append(r.acts, func() error { return r.setAside(name, "nothing in this file was acknowledged") })
		}
	}
	return errors.Join(errs...)
}

func (r *recovery) planRow(row *FileState) error {
	final, isFinal := r.sizes[row.Name]
	open, isOpen := r.sizes[row.Name+openSuffix]
	switch {
	case isFinal && final == row.Committed:
		row.Final = true
		r.note(row.Name, "complete: the last run had renamed it")
		// Both names are there when the crash came before the directory was synced.
		if isOpen {
			r.acts = append(r.acts, func() error { return r.firstName(row.Name) })
		}
		// A rename that is only seen, not durable, is made so by the final sync.
		r.acts = append(r.acts, func() error { return nil })
	case isFinal:
		return r.loss(row, row.Name, final)
	case isOpen && open < row.Committed:
		return r.loss(row, row.Name+openSuffix, open)
	case isOpen && open > row.Committed:
		name, to := row.Name+openSuffix, row.Committed
		r.acts = append(r.acts, func() error { return r.cut(name, open, to) })
	case !isOpen && row.Committed > 0 && r.moved(row.Name):
		row.Final = true
		r.note(row.Name, "complete, and moved away: the last run had renamed it")
	case !isOpen && row.Committed > 0:
		return r.loss(row, row.Name+openSuffix, 0)
	}
	return nil
}

// loss is an error that says how to go on: silence would turn a lost file into
// an archive that looks whole.
func (r *recovery) loss(row *FileState, name string, have int64) error {
	if have > row.Committed {
		return fmt.Errorf("warc: recover %s: the file is complete with %d bytes, the state knows of %d: the state is older than the archive; "+
			"put the state back from a copy, restore a checkpoint into a new folder (exclave checkpoint list JOB), or make a state anew (exclave recover JOB)",
			r.fs.PathJoin(r.dir, name), have, row.Committed)
	}
	return fmt.Errorf("warc: recover %s: %d bytes were committed, the file has %d: acknowledged captures are lost; "+
		"put the complete file back from a copy and start again",
		r.fs.PathJoin(r.dir, name), row.Committed, have)
}

func (r *recovery) note(name, what string) { r.notes = append(r.notes, Note{File: name, What: what}) }

// setAside moves a file aside, or removes it when it holds no whole record.
func (r *recovery) setAside(name, why string) error {
	whole, err := wholeRecords(r.fs, r.fs.PathJoin(r.dir, name), 0)
	if err != nil {
		return err
	}
	if whole == 0 {
		return r.remove(name, "removed: it holds no whole record")
	}
	e, err := r.keep.Move(r.fs.PathJoin(r.dir, name), whole, why)
	if err != nil {
		return fmt.Errorf("warc: recover %s: %w", name, err)
	}
	r.note(name, fmt.Sprintf("%s; its %d records are kept in %s", why, whole, e.Kept))
	return nil
}

// firstName removes the name that a complete file had while it was open.
func (r *recovery) firstName(name string) error {
	same, err := sameBytes(r.fs, r.fs.PathJoin(r.dir, name), r.fs.PathJoin(r.dir, name+openSuffix))
	if err != nil {
		return fmt.Errorf("warc: recover %s: %w", name, err)
	}
	if !same {
		return r.setAside(name+openSuffix, "the file is there complete, under its final name, and these bytes differ")
	}
	return r.remove(name+openSuffix, "removed: the same file under its first name")
}

// sameBytes reports whether two files hold the same.
func sameBytes(fsys fsx.FS, a, b string) (same bool, err error) {
	var sums [2][sha256.Size]byte
	for i, name := range []string{a, b} {
		f, err := fsys.Open(name)
		if err != nil {
			return false, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return false, err
		}
		h.Sum(sums[i][:0])
	}
	return sums[0] == sums[1], nil
}

// wholeRecords counts the whole records of a file from an offset on.
func wholeRecords(fsys fsx.FS, name string, from int64) (n int64, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return 0, fmt.Errorf("warc: recover: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r := NewTolerantReader(io.NewSectionReader(f, from, 1<<62-from), func(Defect) {})
	r.file = f
	for {
		_, err := r.Next()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, fmt.Errorf("warc: recover %s: %w", name, err)
		}
		length, err := r.Finish()
		if err != nil && !errors.Is(err, io.EOF) {
			return n, fmt.Errorf("warc: recover %s: %w", name, err)
		}
		if length >= 0 {
			n++
		}
	}
}

// KeepTail keeps aside what a file holds from an offset on, behind the dictionary, if the file is a WARC file that begins with one: else nobody could read
// the records. See [aside.Folder.Tail].
func KeepTail(keep *aside.Folder, fsys fsx.FS, name string, from, whole int64, why string) (_ aside.Entry, err error) {
	f, err := fsys.Open(name)
	if err != nil {
		return aside.Entry{}, fmt.Errorf("warc: keep the end of %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var head []byte
	if from > 0 {
		if head, err = dictionaryFrame(f); err != nil {
			return aside.Entry{}, fmt.Errorf("warc: keep the end of %s: %w", name, err)
		}
	}
	return keep.Tail(name, head, from, whole, why)
}

func (r *recovery) remove(name, what string) error {
	if err := r.fs.Remove(r.fs.PathJoin(r.dir, name)); err != nil {
		return fmt.Errorf("warc: recover %s: %w", name, err)
	}
	r.note(name, what)
	return nil
}

// cut cuts an open file of size bytes to what was acknowledged, and keeps whole records behind that.
func (r *recovery) cut(name string, size, to int64) error {
	path := r.fs.PathJoin(r.dir, name)
	whole, err := wholeRecords(r.fs, path, to)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("cut from %d to %d bytes, what was acknowledged", size, to)
	if whole > 0 {
		e, err := KeepTail(r.keep, r.fs, path, to, whole, "records that the state does not acknowledge; their URIs are offered again")
		if err != nil {
			return fmt.Errorf("warc: recover %s: %w", name, err)
		}
		what += fmt.Sprintf("; the %d records behind it are kept in %s", whole, e.Kept)
	}
	r.note(name, what)
	r.fp.Hit("warc.recover.cut")
	a, err := fsx.OpenAppend(r.fs, path)
	if err != nil {
		return fmt.Errorf("warc: recover: %w", err)
	}
	err = a.Truncate(to)
	r.fp.Hit("warc.recover.cutting")
	if err == nil {
		err = a.Sync()
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return fmt.Errorf("warc: recover: %w", err)
	}
	return nil
}
