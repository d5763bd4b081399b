package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/config"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/logparts"
	"exclave/warc"
)

// copier copies a job into the folder of one checkpoint that is being made.
type copier struct {
	folder.Folder // of the job
	ctx           context.Context
	fail          *fsx.FailPoints
	dir           string
	dirs          []string // made, parents first
	made          Manifest
}

func (c *copier) mkdir(dir string) error {
	if slices.Contains(c.dirs, dir) {
		return nil
	}
	if dir != "" && filepath.Dir(dir) != "." {
		if err := c.mkdir(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	if err := c.FS.MkdirAll(filepath.Join(c.dir, dir), fsx.FolderMode); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	c.dirs = append(c.dirs, dir)
	return nil
}

// add notes a file that is in the checkpoint.
func (c *copier) add(path string, length int64, shared bool) {
	c.made.Files = append(c.made.Files, File{Path: filepath.ToSlash(path), Length: length, Shared: shared})
}

// write puts a file of its own into the checkpoint.
func (c *copier) write(path string, text []byte) error {
	if err := fsx.WriteFileAtomic(c.FS, filepath.Join(c.dir, path), text); err != nil {
		return err
	}
	c.add(path, int64(len(text)), false)
	return nil
}

// link puts a file of the job into the checkpoint: its first length bytes count.
func (c *copier) link(from, path string, length int64, shared bool) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	c.fail.Hit("job.checkpoint.link")
	copied, err := linkOrCopy(c.FS, from, filepath.Join(c.dir, path), length, c.Config.Crawl.MinFreeDisk)
	if err != nil {
		return err
	}
	c.made.Copied += copied
	c.add(path, length, shared)
	return nil
}

// warc links a WARC file, under the name it has when it is complete.
func (c *copier) warc(s warc.FileState) error {
	path := filepath.Join(folder.WARCDir, s.Name)
	err := c.link(c.Path(folder.WARCDir, s.DiskName()), path, s.Committed, s.Final)
	if errors.Is(err, fs.ErrNotExist) && !s.Final { // complete since
		err = c.link(c.Path(path), path, s.Committed, false)
	}
	if errors.Is(err, fs.ErrNotExist) && s.Final {
		c.made.Missing = append(c.made.Missing, s.Name) // moved away, which is allowed
		return nil
	}
	return err
}

// log links a log, under the length that the state knows, and its parts.
func (c *copier) log(l crawl.LogID, row frontier.LogRow) error {
	for _, p := range row.Parts {
		if err := c.logPart(p); err != nil {
			return err
		}
	}
	name := filepath.Join(folder.LogDir, l.Name())
	return c.link(c.Path(name), name, row.Length, false)
}

// logPart links a part of a log, compressed or not.
func (c *copier) logPart(p frontier.LogPart) error {
	for _, name := range []string{p.Name, p.Name + logparts.Packed} { // in the order in which one takes the other's place
		path := filepath.Join(folder.LogDir, name)
		st, err := c.FS.Stat(c.Path(path))
		if err == nil {
			err = c.link(c.Path(path), path, st.Size(), true)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	c.made.Missing = append(c.made.Missing, p.Name) // moved away, which is allowed
	return nil
}

// state notes the files of the copy of the state, and puts its mark, of the commit with that number, beside it.
func (c *copier) state(dir string, number uint64) error {
	names, err := c.FS.List(filepath.Join(c.dir, dir))
	if err != nil {
		return fmt.Errorf("list the state's copy: %w", err)
	}
	slices.Sort(names)
	for _, name := range names {
		st, err := c.FS.Stat(filepath.Join(c.dir, dir, name))
		if err != nil {
			return fmt.Errorf("list the state's copy: %w", err)
		}
		c.add(filepath.Join(dir, name), st.Size(), isTable(name))
	}
	c.dirs = append(c.dirs, dir)
	if err := frontier.WriteMark(c.FS, filepath.Join(c.dir, dir), number); err != nil {
		return err
	}
	name := frontier.MarkName(dir)
	st, err := c.FS.Stat(filepath.Join(c.dir, name))
	if err != nil {
		return fmt.Errorf("mark of the state's copy: %w", err)
	}
	c.add(name, st.Size(), false)
	return nil
}

// loose adds to the checkpoint the configuration, the seeds, the sheets, other files in the job's folder that job.toml names,
// and the log of statistics, which the state does not cover.
func (c *copier) loose() error {
	text, err := c.configText()
	if err != nil {
		return err
	}
	if err := c.write(filepath.Join(configDir, config.FileName), text); err != nil {
		return err
	}
	done := map[string]bool{config.FileName: true}
	for l := range crawl.NumLogs {
		done[filepath.Join(folder.LogDir, l.Name())] = true // is there already
	}
	sheets, _, err := c.SheetFiles()
	if err != nil {
		return fmt.Errorf("list sheets: %w", err)
	}
	for _, name := range append(append(c.Config.Files(), sheets...), filepath.Join(folder.LogDir, folder.ProgressLog)) {
		name = filepath.Clean(name)
		if done[name] || !filepath.IsLocal(name) {
			continue
		}
		done[name] = true
		if err := c.looseFile(name); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) looseFile(name string) error {
	from, path := c.Path(name), filepath.Join(configDir, name)
	st, err := c.FS.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the crawl reports missing files
	}
	if err != nil {
		return fmt.Errorf("look at %s: %w", from, err)
	}
	if err := c.mkdir(filepath.Dir(path)); err != nil {
		return err
	}
	if st.Size() <= looseBytes {
		c.add(path, st.Size(), false)
		return fsx.CopyStart(c.FS, from, filepath.Join(c.dir, path), st.Size())
	}
	if err := c.link(from, path, st.Size(), false); err != nil {
		return err
	}
	// Its bytes may not be durable yet.
	f, err := c.FS.OpenReadWrite(filepath.Join(c.dir, path), vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("sync %s: %w", from, err)
	}
	return errors.Join(f.Sync(), f.Close())
}

// configText is the job.toml that the job is open with: the file, with its comments, if
// it still says the same.
func (c *copier) configText() ([]byte, error) {
	ours := config.Template(c.Config)
	name := c.Path(config.FileName)
	if _, err := c.FS.Stat(name); err != nil {
		return ours, nil
	}
	now, _ := config.Load(name)
	if now == nil || !bytes.Equal(config.Template(now), ours) {
		return ours, nil
	}
	return folder.ReadFile(c.FS, name)
}
