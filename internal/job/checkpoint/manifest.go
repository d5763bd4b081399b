package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"exclave/frontier"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/printable"
)

const (
	manifestFile    = "checkpoint.json"
	manifestVersion = 1
	configDir       = "config" // folder of loose files: a checkpoint is no job
	makingDir       = ".making"
	removingDir     = ".removing"
	// timeName is the name of a checkpoint that nobody named: names in order are
	// checkpoints in order.
	timeName = "20060102T150405.000Z"
	// looseBytes is up to which length loose files are copied into a checkpoint.
	looseBytes = 16 << 20
)

// ErrUnusable is what errors are (errors.Is) about a name or a folder that cannot be
// used as it was asked for; nothing was changed.
var ErrUnusable = errors.New("not a checkpoint to be used")

// unusable is an [ErrUnusable] that says in its own words what is wrong.
type unusable struct{ error }

// Unwrap makes it an [ErrUnusable].
func (u unusable) Unwrap() []error { return []error{ErrUnusable, u.error} }

func unusablef(format string, a ...any) error { return unusable{fmt.Errorf(format, a...)} }

// Manifest describes a checkpoint: a consistent copy of a job as it was at an instant.
type Manifest struct {
	Version  int            `json:"version"`
	Name     string         `json:"name"`
	Named    bool           `json:"named"` // by a person: retention lets it be
	Job      string         `json:"job"`
	Time     time.Time      `json:"time"` // the instant
	Software string         `json:"software"`
	Format   int            `json:"state_format"`
	Stats    frontier.Stats `json:"frontier"`
	// Took is how long it took to make, Held how long nothing could be committed
	// meanwhile, in nanoseconds.
	Took   time.Duration `json:"took"`
	Held   time.Duration `json:"held"`
	Copied int64         `json:"copied"` // bytes of files that could not be linked
	// Missing are complete WARC files, and parts of logs, that were no longer in the job's folder.
	Missing []string `json:"missing,omitempty"`
	Files   []File   `json:"files"`
}

// File is a file of a checkpoint.
type File struct {
	Path   string `json:"path"`   // in the checkpoint, with slashes
	Length int64  `json:"length"` // of it belong to the checkpoint; it may be longer
	// Shared files are never written again by anybody, and may be linked.
	Shared bool `json:"shared"`
}

// inJob is where the file belongs in a job's folder.
func (f File) inJob() string { return strings.TrimPrefix(f.Path, configDir+"/") }

// Bytes is the length of the whole.
func (c Manifest) Bytes() (n int64) {
	for _, f := range c.Files {
		n += f.Length
	}
	return n
}

// String is one line for a person.
func (c Manifest) String() string {
	s := fmt.Sprintf("%s: %d files, %s, %d URIs finished, %d queued", c.Name, len(c.Files), printable.Size(c.Bytes()), c.Stats.Finished,
		c.Stats.Queued+c.Stats.InProcess)
	if c.Copied > 0 {
		s += fmt.Sprintf("; %s copied, not linked", printable.Size(c.Copied))
	}
	if n := len(c.Missing); n > 0 {
		s += fmt.Sprintf("; without %d complete WARC files and parts of logs that are no longer in the job's folder, %s the first", n, c.Missing[0])
	}
	return s
}

// readManifest reads a manifest. The error wraps [fs.ErrNotExist] when dir is no
// checkpoint.
func readManifest(fsys fsx.FS, dir string) (c Manifest, err error) {
	if _, err := plainFile(fsys, dir, manifestFile); err != nil {
		return c, err
	}
	data, err := folder.ReadFile(fsys, filepath.Join(dir, manifestFile))
	if err != nil {
		return c, err
	}
	c, err = parseManifest(data)
	if errors.Is(err, errVersion) {
		return c, fmt.Errorf("%s: %w", filepath.Join(dir, manifestFile), err)
	}
	if err != nil {
		return c, unusablef("%s: the checkpoint is damaged (%w); use another", filepath.Join(dir, manifestFile), err)
	}
	return c, nil
}

// errVersion is wrapped by the error about a checkpoint of another program.
var errVersion = errors.New("use the program that made it")

// parseManifest reads a manifest, which may come from anywhere: no file of it lies
// outside, is there twice or is shared although it is written to.
func parseManifest(data []byte) (c Manifest, err error) {
	if err := json.Unmarshal(data, &c); err != nil {
		return c, err
	}
	if c.Version != manifestVersion {
		return c, fmt.Errorf("it has version %d, this program knows %d; %w (%q)", c.Version, manifestVersion, errVersion, c.Software)
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
func (f File) check() error {
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

func validName(name string) bool {
	return !strings.HasPrefix(name, ".") && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}
