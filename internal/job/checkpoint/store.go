package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"exclave/internal/fsx"
	"exclave/internal/job/folder"
)

// List returns the complete checkpoints of the job in the folder dir, oldest
// first. They may be asked for whatever else is done with the job. What is in the folder
// of checkpoints but is none of them is left out.
func List(dir string, e folder.Env) ([]Manifest, error) {
	fsys := e.WithDefaults().FS
	names, err := fsys.List(filepath.Join(dir, folder.CheckpointDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("job: checkpoints of %s: %w", dir, err)
	}
	var all []Manifest
	for _, name := range names {
		if st, err := fsx.Lstat(fsys, filepath.Join(dir, folder.CheckpointDir, name)); err != nil || !st.IsDir() {
			continue
		}
		c, err := readManifest(fsys, filepath.Join(dir, folder.CheckpointDir, name))
		if err == nil && c.Name == name {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b Manifest) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Name, b.Name)) })
	return all, nil
}

// Is reports whether a folder is, or was meant to be, a checkpoint.
func Is(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, manifestFile))
	return err == nil
}

// store is the folder of the checkpoints of a job.
type store struct{ folder.Folder }

// path is where the checkpoint of that name lies.
func (s store) path(name string) string { return s.Path(folder.CheckpointDir, name) }

// freeName is the first name that is free for a checkpoint of that time.
func (s store) freeName(t time.Time) string {
	for ; ; t = t.Add(time.Millisecond) {
		name := t.Format(timeName)
		if _, err := s.FS.Stat(s.path(name)); err != nil {
			return name
		}
	}
}

// clear removes what making and deleting left behind.
func (s store) clear() error {
	return errors.Join(s.FS.RemoveAll(s.path(makingDir)), s.FS.RemoveAll(s.path(removingDir)))
}

// retain deletes the oldest checkpoints that nobody named, but for as many as are to be
// kept; 0 keeps all.
func (s store) retain(keep int) error {
	if keep == 0 {
		return nil
	}
	all, err := List(s.Dir(), s.Env)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(c Manifest) bool { return c.Named })
	for _, c := range all[:max(0, len(all)-keep)] {
		// A part of a checkpoint must not be mistaken for a whole one.
		if err := s.FS.Rename(s.path(c.Name), s.path(removingDir)); err != nil {
			return fmt.Errorf("delete %s: %w", c.Name, err)
		}
		if err := errors.Join(fsx.SyncDir(s.FS, s.path("")), s.clear()); err != nil {
			return fmt.Errorf("delete %s: %w", c.Name, err)
		}
		s.Log.Info("old checkpoint deleted", "name", c.Name)
	}
	return nil
}
