package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"exclave/config"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/logparts"
	"exclave/internal/printable"
	"exclave/warc"
)

const (
	checkpointFile    = "checkpoint.json"
	checkpointVersion = 1
	checkpointConfig  = "config" // folder of loose files: a checkpoint is no job
	making            = ".making"
	removing          = ".removing"
	// checkpointTime is the name of a checkpoint that nobody named: names in order are
	// checkpoints in order.
	checkpointTime = "20060102T150405.000Z"
	// looseBytes is up to which length loose files are copied into a checkpoint.
	looseBytes = 16 << 20
)

// ErrCheckpoint is what errors are (errors.Is) about a name or a folder that cannot be
// used as it was asked for; nothing was changed.
var ErrCheckpoint = errors.New("not a checkpoint to be used")

// unusable is an [ErrCheckpoint] that says in its own words what is wrong.
type unusable struct{ error }

// Unwrap makes it an [ErrCheckpoint].
func (u unusable) Unwrap() []error { return []error{ErrCheckpoint, u.error} }

func unusablef(format string, a ...any) error { return unusable{fmt.Errorf(format, a...)} }

// Checkpoint is a consistent copy of a job as it was at an instant, as its manifest
// describes it.
type Checkpoint struct {
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
	Missing []string         `json:"missing,omitempty"`
	Files   []CheckpointFile `json:"files"`
}

// CheckpointFile is a file of a checkpoint.
type CheckpointFile struct {
	Path   string `json:"path"`   // in the checkpoint, with slashes
	Length int64  `json:"length"` // of it belong to the checkpoint; it may be longer
	// Shared files are never written again by anybody, and may be linked.
	Shared bool `json:"shared"`
}

// inJob is where the file belongs in a job's folder.
func (f CheckpointFile) inJob() string { return strings.TrimPrefix(f.Path, checkpointConfig+"/") }

// Bytes is the length of the whole.
func (c Checkpoint) Bytes() (n int64) {
	for _, f := range c.Files {
		n += f.Length
	}
	return n
}

// String is one line for a person.
func (c Checkpoint) String() string {
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

// Checkpoint makes a checkpoint while the job is open; a crawl goes on meanwhile. The
// name is letters, digits, ".", "_" and "-"; "" is the time. Then retention does its
// work. It may be called from any goroutine; one at a time is made, others wait for their
// turn. After an error there is no such checkpoint; [ErrCheckpoint] is about the name.
func (j *Job) Checkpoint(ctx context.Context, name string) (Checkpoint, error) {
	select {
	case j.checkpoints <- struct{}{}:
		defer func() { <-j.checkpoints }()
	case <-ctx.Done():
		return Checkpoint{}, fmt.Errorf("job: checkpoint: %w", ctx.Err())
	}
	began := j.opts.Clock.Mono()
	c, err := j.checkpoint(ctx, name, began)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("job: checkpoint of %s: %w", j.dir, err)
	}
	j.opts.Log.Info("checkpoint made", "name", c.Name, "took", c.Took, "held", c.Held, "copied", c.Copied)
	j.tell(event{"CHECKPOINTED", fmt.Sprintf("%s in %v, commits held for %v", c.Name, c.Took.Round(time.Millisecond), c.Held.Round(time.Millisecond))})
	if err := j.retain(); err != nil {
		j.opts.Log.Warn("old checkpoints were not deleted", "err", err)
	}
	return c, nil
}

func (j *Job) checkpoint(ctx context.Context, name string, began time.Duration) (Checkpoint, error) {
	fsys := j.opts.FS
	if !validName(name) {
		return Checkpoint{}, unusablef(`name %q: must be letters, digits, ".", "_" and "-", and not begin with "."`, name)
	}
	m := maker{j: j, ctx: ctx, dir: j.path(folder.CheckpointDir, making), c: Checkpoint{Version: checkpointVersion, Name: name, Named: name != "",
		Job: j.cfg.Job.Name, Software: j.opts.Software, Format: frontier.FormatVersion}}
	if name != "" {
		if _, err := fsys.Stat(j.path(folder.CheckpointDir, name)); err == nil {
			return Checkpoint{}, unusablef("%s is there already; choose another name", j.path(folder.CheckpointDir, name))
		}
	}
	if err := errors.Join(fsx.MkdirAll(fsys, j.path(folder.CheckpointDir)), j.clearCheckpoints()); err != nil {
		return Checkpoint{}, err
	}
	err := m.make()
	if err == nil {
		m.c.Took = j.opts.Clock.Mono() - began
		err = m.finish()
	}
	if err != nil {
		return Checkpoint{}, errors.Join(err, j.clearCheckpoints())
	}
	return m.c, nil
}

func validName(name string) bool {
	return !strings.HasPrefix(name, ".") && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}

// timeName is the first name that is free for a checkpoint of that time.
func (j *Job) timeName(t time.Time) string {
	for ; ; t = t.Add(time.Millisecond) {
		name := t.Format(checkpointTime)
		if _, err := j.opts.FS.Stat(j.path(folder.CheckpointDir, name)); err != nil {
			return name
		}
	}
}

// clearCheckpoints removes what making and deleting left behind.
func (j *Job) clearCheckpoints() error {
	return errors.Join(j.opts.FS.RemoveAll(j.path(folder.CheckpointDir, making)), j.opts.FS.RemoveAll(j.path(folder.CheckpointDir, removing)))
}

// maker makes one checkpoint.
type maker struct {
	j    *Job
	ctx  context.Context
	dir  string
	dirs []string // made, parents first
	c    Checkpoint
}

func (m *maker) make() error {
	for _, d := range []string{"", folder.StateDir, folder.WARCDir, folder.LogDir, checkpointConfig} {
		if err := m.mkdir(d); err != nil {
			return err
		}
	}
	// Read before the instant: what the state knows of it, it has.
	if err := m.loose(); err != nil {
		return err
	}
	key := filepath.Join(folder.StateDir, folder.EvidenceKeyFile)
	text := evidenceKeyText(m.j.evidenceKey)
	if err := fsx.WriteFileAtomic(m.j.opts.FS, filepath.Join(m.dir, key), text); err != nil {
		return err
	}
	m.add(key, int64(len(text)), false)
	defer m.j.frontier.HoldRolls()()
	stateDir := filepath.Join(folder.StateDir, "frontier")
	at, err := m.j.frontier.Checkpoint(m.ctx, filepath.Join(m.dir, stateDir))
	if err != nil {
		return err
	}
	m.c.Time, m.c.Stats, m.c.Held, m.c.Copied = at.At.UTC(), at.Stats, at.Held, m.c.Copied+at.Copied
	if m.c.Name == "" {
		m.c.Name = m.j.timeName(m.c.Time)
	}
	if err := m.listState(stateDir); err != nil {
		return err
	}
	if err := m.mark(stateDir, at.Number); err != nil {
		return err
	}
	for _, row := range at.Files {
		if err := m.warc(warc.FileState(row)); err != nil {
			return err
		}
	}
	for l, row := range at.Logs { // by number; rows of a job's first run do not have it
		for _, p := range row.Parts {
			if err := m.logPart(p); err != nil {
				return err
			}
		}
		name := filepath.Join(folder.LogDir, crawl.LogID(l).Name())
		if err := m.link(m.j.path(name), name, row.Length, false); err != nil {
			return err
		}
	}
	return nil
}

// finish makes everything durable and gives the checkpoint its name.
func (m *maker) finish() error {
	fsys := m.j.opts.FS
	data, err := json.MarshalIndent(m.c, "", " ")
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	for _, d := range slices.Backward(m.dirs) {
		if err := fsx.SyncDir(fsys, filepath.Join(m.dir, d)); err != nil {
			return err
		}
	}
	if err := fsx.WriteFileAtomic(fsys, filepath.Join(m.dir, checkpointFile), append(data, '\n')); err != nil {
		return err
	}
	m.j.opts.Fail.Hit("job.checkpoint.made")
	if err := fsys.Rename(m.dir, m.j.path(folder.CheckpointDir, m.c.Name)); err != nil {
		return fmt.Errorf("name it %s: %w", m.c.Name, err)
	}
	m.j.opts.Fail.Hit("job.checkpoint.named")
	if err := fsx.SyncDir(fsys, m.j.path(folder.CheckpointDir)); err != nil {
		// Whether it survives a crash nobody knows: it is none.
		return errors.Join(err, fsys.Rename(m.j.path(folder.CheckpointDir, m.c.Name), m.dir))
	}
	return nil
}

func (m *maker) mkdir(dir string) error {
	if slices.Contains(m.dirs, dir) {
		return nil
	}
	if dir != "" && filepath.Dir(dir) != "." {
		if err := m.mkdir(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	if err := m.j.opts.FS.MkdirAll(filepath.Join(m.dir, dir), fsx.FolderMode); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	m.dirs = append(m.dirs, dir)
	return nil
}

// add notes a file that is in the checkpoint.
func (m *maker) add(path string, length int64, shared bool) {
	m.c.Files = append(m.c.Files, CheckpointFile{Path: filepath.ToSlash(path), Length: length, Shared: shared})
}

// link puts a file of the job into the checkpoint: its first length bytes count.
func (m *maker) link(from, path string, length int64, shared bool) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	m.j.opts.Fail.Hit("job.checkpoint.link")
	copied, err := linkOrCopy(m.j.opts.FS, from, filepath.Join(m.dir, path), length, m.j.cfg.Crawl.MinFreeDisk)
	if err != nil {
		return err
	}
	m.c.Copied += copied
	m.add(path, length, shared)
	return nil
}

// linkOrCopy links a file, or copies what counts of it where that cannot be, as long as
// so many bytes stay free.
func linkOrCopy(fsys fsx.FS, from, to string, length, leave int64) (copied int64, err error) {
	if st, err := fsx.Lstat(fsys, from); err == nil && st.Mode()&fs.ModeSymlink != 0 {
		if from, err = filepath.EvalSymlinks(from); err != nil { // what it leads to is meant
			return 0, err
		}
	}
	err = fsys.Link(from, to)
	if err == nil || !fsx.CannotLink(err) {
		return 0, err
	}
	if u, uerr := fsys.GetDiskUsage(filepath.Dir(to)); uerr == nil && int64(u.AvailBytes)-length < leave {
		return 0, fmt.Errorf("%w; to copy it takes %s, %s are free, and min_free_disk asks for %s: make room, or have both on one file system",
			err, printable.Size(length), printable.Size(int64(u.AvailBytes)), printable.Size(leave))
	}
	return length, fsx.CopyStart(fsys, from, to, length)
}

// warc links a WARC file, under the name it has when it is complete.
func (m *maker) warc(s warc.FileState) error {
	path := filepath.Join(folder.WARCDir, s.Name)
	err := m.link(m.j.path(folder.WARCDir, s.DiskName()), path, s.Committed, s.Final)
	if errors.Is(err, fs.ErrNotExist) && !s.Final { // complete since
		err = m.link(m.j.path(path), path, s.Committed, false)
	}
	if errors.Is(err, fs.ErrNotExist) && s.Final {
		m.c.Missing = append(m.c.Missing, s.Name) // moved away, which is allowed
		return nil
	}
	return err
}

// logPart links a part of a log, compressed or not.
func (m *maker) logPart(p frontier.LogPart) error {
	for _, name := range []string{p.Name, p.Name + logparts.Packed} { // in the order in which one takes the other's place
		path := filepath.Join(folder.LogDir, name)
		st, err := m.j.opts.FS.Stat(m.j.path(path))
		if err == nil {
			err = m.link(m.j.path(path), path, st.Size(), true)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	m.c.Missing = append(m.c.Missing, p.Name) // moved away, which is allowed
	return nil
}

// listState notes the files of the state's copy.
func (m *maker) listState(dir string) error {
	names, err := m.j.opts.FS.List(filepath.Join(m.dir, dir))
	if err != nil {
		return fmt.Errorf("list the state's copy: %w", err)
	}
	slices.Sort(names)
	for _, name := range names {
		st, err := m.j.opts.FS.Stat(filepath.Join(m.dir, dir, name))
		if err != nil {
			return fmt.Errorf("list the state's copy: %w", err)
		}
		m.add(filepath.Join(dir, name), st.Size(), isTable(name))
	}
	m.dirs = append(m.dirs, dir)
	return nil
}

// mark puts the mark of the state's copy beside it.
func (m *maker) mark(stateDir string, number uint64) error {
	if err := frontier.WriteMark(m.j.opts.FS, filepath.Join(m.dir, stateDir), number); err != nil {
		return err
	}
	name := frontier.MarkName(stateDir)
	st, err := m.j.opts.FS.Stat(filepath.Join(m.dir, name))
	if err != nil {
		return fmt.Errorf("mark of the state's copy: %w", err)
	}
	m.add(name, st.Size(), false)
	return nil
}

// loose puts configuration, seeds and what else job.toml names in the job's folder into
// the checkpoint, and the log of statistics, which no state knows.
func (m *maker) loose() error {
	text, err := m.j.configText()
	if err != nil {
		return err
	}
	path := filepath.Join(checkpointConfig, config.FileName)
	if err := fsx.WriteFileAtomic(m.j.opts.FS, filepath.Join(m.dir, path), text); err != nil {
		return err
	}
	m.add(path, int64(len(text)), false)
	done := map[string]bool{config.FileName: true}
	for l := range crawl.NumLogs {
		done[filepath.Join(folder.LogDir, l.Name())] = true // is there already
	}
	for _, name := range append(m.j.cfg.Files(), filepath.Join(folder.LogDir, folder.ProgressLog)) {
		name = filepath.Clean(name)
		if done[name] || !filepath.IsLocal(name) {
			continue
		}
		done[name] = true
		if err := m.looseFile(name); err != nil {
			return err
		}
	}
	return nil
}

func (m *maker) looseFile(name string) error {
	from, path := m.j.path(name), filepath.Join(checkpointConfig, name)
	st, err := m.j.opts.FS.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the crawl says what it misses
	}
	if err != nil {
		return fmt.Errorf("look at %s: %w", from, err)
	}
	if err := m.mkdir(filepath.Dir(path)); err != nil {
		return err
	}
	if st.Size() <= looseBytes {
		m.add(path, st.Size(), false)
		return fsx.CopyStart(m.j.opts.FS, from, filepath.Join(m.dir, path), st.Size())
	}
	if err := m.link(from, path, st.Size(), false); err != nil {
		return err
	}
	// Nobody has promised that its bytes are durable.
	f, err := m.j.opts.FS.OpenReadWrite(filepath.Join(m.dir, path), vfs.WriteCategoryUnspecified)
	if err != nil {
		return fmt.Errorf("sync %s: %w", from, err)
	}
	return errors.Join(f.Sync(), f.Close())
}

// configText is the job.toml that the job is open with: the file, with its comments, if
// it still says the same.
func (j *Job) configText() ([]byte, error) {
	ours := config.Template(j.cfg)
	name := j.path(config.FileName)
	if _, err := j.opts.FS.Stat(name); err != nil {
		return ours, nil
	}
	c, _ := config.Load(name)
	if c == nil || !bytes.Equal(config.Template(c), ours) {
		return ours, nil
	}
	return folder.ReadFile(j.opts.FS, name)
}
