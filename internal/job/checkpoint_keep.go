package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"exclave/frontier"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
)

// Checkpoints returns the complete checkpoints of the job in the folder dir, oldest
// first. They may be asked for whatever else is done with the job. What is in the folder
// of checkpoints but is none of them is left out.
func Checkpoints(dir string, o Options) ([]Checkpoint, error) {
	fsys := o.withDefaults().FS
	names, err := fsys.List(filepath.Join(dir, folder.CheckpointDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("job: checkpoints of %s: %w", dir, err)
	}
	var all []Checkpoint
	for _, name := range names {
		if st, err := fsx.Lstat(fsys, filepath.Join(dir, folder.CheckpointDir, name)); err != nil || !st.IsDir() {
			continue
		}
		c, err := readCheckpoint(fsys, filepath.Join(dir, folder.CheckpointDir, name))
		if err == nil && c.Name == name {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b Checkpoint) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Name, b.Name)) })
	return all, nil
}

// IsCheckpoint reports whether a folder is, or was meant to be, a checkpoint.
func IsCheckpoint(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, checkpointFile))
	return err == nil
}

// readCheckpoint reads a manifest. The error wraps [fs.ErrNotExist] when dir is no
// checkpoint.
func readCheckpoint(fsys fsx.FS, dir string) (c Checkpoint, err error) {
	if _, err := plainFile(fsys, dir, checkpointFile); err != nil {
		return c, err
	}
	data, err := folder.ReadFile(fsys, filepath.Join(dir, checkpointFile))
	if err != nil {
		return c, err
	}
	c, err = parseCheckpoint(data)
	if errors.Is(err, errVersion) {
		return c, fmt.Errorf("%s: %w", filepath.Join(dir, checkpointFile), err)
	}
	if err != nil {
		return c, unusablef("%s: the checkpoint is damaged (%w); use another", filepath.Join(dir, checkpointFile), err)
	}
	return c, nil
}

// errVersion is wrapped by the error about a checkpoint of another program.
var errVersion = errors.New("use the program that made it")

// parseCheckpoint reads a manifest, which may come from anywhere: no file of it lies
// outside, is there twice or is shared although it is written to.
func parseCheckpoint(data []byte) (c Checkpoint, err error) {
	if err := json.Unmarshal(data, &c); err != nil {
		return c, err
	}
	if c.Version != checkpointVersion {
		return c, fmt.Errorf("it has version %d, this program knows %d; %w (%q)", c.Version, checkpointVersion, errVersion, c.Software)
	}
	if c.Name == "" || !validName(c.Name) || !validName(strings.TrimLeft(c.Job, ".")) {
		return c, fmt.Errorf("its name is %q, its job %q", c.Name, c.Job)
	}
	places := make(map[string]bool, len(c.Files))
	for _, f := range c.Files {
		if err := f.check(); err != nil {
			return c, fmt.Errorf("%q %w", f.Path, err)
		}
		if places[f.inJob()] {
			return c, fmt.Errorf("%q is named twice", f.inJob())
		}
		places[f.inJob()] = true
	}
	return c, nil
}

// check returns what a manifest may not say of a file.
func (f CheckpointFile) check() error {
	for _, p := range []string{f.Path, f.inJob()} {
		if !filepath.IsLocal(filepath.FromSlash(p)) || path.Clean(p) != p || strings.ContainsFunc(p, unicode.IsControl) {
			return errors.New("lies outside")
		}
	}
	switch dir := path.Dir(f.Path); {
	case f.Length < 0:
		return errors.New("has a negative length")
	case f.Shared && dir == folder.LogDir && folder.IsLogPart(path.Base(f.Path)):
	case f.Shared && dir != folder.WARCDir && (dir != folder.StateDir+"/frontier" || !isTable(f.Path)):
		return errors.New("is shared, but written to")
	}
	return nil
}

// isTable reports that Pebble never writes to a file again.
func isTable(name string) bool { return path.Ext(name) == ".sst" || path.Ext(name) == ".blob" }

// plainFile demands that a file of a checkpoint is one, in folders that are folders: a
// checkpoint may come from anywhere, and a link in it may lead anywhere.
func plainFile(fsys fsx.FS, dir, name string) (fs.FileInfo, error) {
	for at, parts := dir, strings.Split(name, "/"); ; parts = parts[1:] {
		at = filepath.Join(at, parts[0])
		st, err := fsx.Lstat(fsys, at)
		switch last := len(parts) == 1; {
		case err != nil:
			return nil, err
		case st.Mode()&fs.ModeSymlink != 0:
			return nil, unusablef("%s is a link, which is not followed: the checkpoint is damaged; use another", at)
		case last && !st.Mode().IsRegular():
			return nil, unusablef("%s is no file: the checkpoint is damaged; use another", at)
		case last:
			return st, nil
		}
	}
}

// retain deletes the oldest checkpoints that nobody named, but for as many as are to be
// kept.
func (j *Job) retain() error {
	keep := j.cfg.Checkpoint.Keep
	if keep == 0 {
		return nil
	}
	all, err := Checkpoints(j.dir, j.opts)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(c Checkpoint) bool { return c.Named })
	for _, c := range all[:max(0, len(all)-keep)] {
		// Not a part of one may be taken for the whole.
		if err := j.opts.FS.Rename(j.path(folder.CheckpointDir, c.Name), j.path(folder.CheckpointDir, removing)); err != nil {
			return fmt.Errorf("delete %s: %w", c.Name, err)
		}
		if err := errors.Join(fsx.SyncDir(j.opts.FS, j.path(folder.CheckpointDir)), j.clearCheckpoints()); err != nil {
			return fmt.Errorf("delete %s: %w", c.Name, err)
		}
		j.opts.Log.Info("old checkpoint deleted", "name", c.Name)
	}
	return nil
}

// watchCheckpoints makes checkpoints as the configuration asks for them, but none of a
// crawl in which nothing has happened since the last.
func (j *Job) watchCheckpoints(ctx context.Context) {
	every := j.cfg.Checkpoint.Every
	if every == 0 {
		return
	}
	t := j.opts.Clock.NewTimer(every)
	defer t.Stop()
	var last frontier.Stats
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C():
		}
		now := j.frontier.Stats()
		now.InProcess, now.Queued = 0, now.Queued+now.InProcess // what is handed out is no change
		if now != last {
			_, err := j.Checkpoint(ctx, "")
			switch {
			case err == nil:
				last = now
			case ctx.Err() == nil:
				j.opts.Log.Warn("no checkpoint was made; the crawl goes on", "err", err)
			}
		}
		t.Reset(every)
	}
}
