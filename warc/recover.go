package warc

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"

	"exclave/internal/fsx"
)

// Note says what Recover changed.
type Note struct {
	File string // base name
	What string
}

// ours matches the names that fileName makes, while they are open.
var ours = regexp.MustCompile(`^[A-Za-z0-9._-]+-\d{17}-\d{5,}-\d+~[A-Za-z0-9._-]+~\d+\.warc\.gz\.open$`)

// Recover brings the files of a directory to what rows say is committed, after
// whatever end of the last run. It must be called before OpenPool; it returns
// the rows as they are now. The caller stores the changed ones; until it has,
// Recover comes to the same result again. It may itself be killed at any time.
//
//   - An open file longer than its committed length is cut.
//   - A file that was renamed before its row could say so becomes final.
//   - A file named by this package that is open and has no row holds nothing that
//     was acknowledged, and is removed.
//   - Final files are not looked at: they may have been moved away.
//
// Bytes that were committed and are not there are an error, and nothing is
// changed then. The fail points are warc.recover.cut (before a cut) and
// warc.recover.cutting (cut, not synced).
func Recover(fsys fsx.FS, dir string, rows []FileState, fp *fsx.FailPoints) ([]FileState, []Note, error) {
	r := recovery{fs: fsys, dir: dir, fp: fp, rows: slices.Clone(rows), sizes: make(map[string]int64)}
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
		if !known[name] && ours.MatchString(name) {
			r.remove(name, "removed: nothing in it was acknowledged")
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
			r.remove(row.Name+openSuffix, "removed: the same file under its first name")
		}
		// A rename that is only seen, not durable, is made so by the final sync.
		r.acts = append(r.acts, func() error { return nil })
	case isFinal:
		return r.loss(row, row.Name, final)
	case isOpen && open < row.Committed:
		return r.loss(row, row.Name+openSuffix, open)
	case isOpen && open > row.Committed:
		name, to := row.Name+openSuffix, row.Committed
		r.note(name, fmt.Sprintf("cut from %d to %d bytes, what was acknowledged", open, to))
		r.acts = append(r.acts, func() error { return r.cut(name, to) })
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
			"put the state back from a copy, or restore a checkpoint into a new folder (exclave checkpoint list JOB)",
			r.fs.PathJoin(r.dir, name), have, row.Committed)
	}
	return fmt.Errorf("warc: recover %s: %d bytes were committed, the file has %d: acknowledged captures are lost; "+
		"put the complete file back from a copy and start again",
		r.fs.PathJoin(r.dir, name), row.Committed, have)
}

func (r *recovery) note(name, what string) { r.notes = append(r.notes, Note{File: name, What: what}) }

func (r *recovery) remove(name, what string) {
	r.note(name, what)
	r.acts = append(r.acts, func() error {
		if err := r.fs.Remove(r.fs.PathJoin(r.dir, name)); err != nil {
			return fmt.Errorf("warc: recover %s: %w", name, err)
		}
		return nil
	})
}

func (r *recovery) cut(name string, to int64) error {
	r.fp.Hit("warc.recover.cut")
	a, err := fsx.OpenAppend(r.fs, r.fs.PathJoin(r.dir, name))
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
