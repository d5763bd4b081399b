package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/fsx"
	"exclave/internal/job/evidence"
	"exclave/internal/job/folder"
	"exclave/warc"
)

// State is the state of a job that is open, as [frontier.Frontier] is: all that a checkpoint asks of a crawl, which goes
// on meanwhile.
type State interface {
	// HoldRolls keeps logs under their names until release is called.
	HoldRolls() (release func())
	// Checkpoint copies the state as it is between two commits into the new folder dir.
	Checkpoint(ctx context.Context, dir string) (frontier.Instant, error)
}

// Options say what a [Maker] puts into checkpoints beside what lies in the folder of the job.
type Options struct {
	Key      evidence.Key    // that evidence is hashed under
	Software string          // name/version
	Made     func(Manifest)  // called for each checkpoint that was made; may be nil
	Fail     *fsx.FailPoints // for kill tests; nil = none
}

// Maker makes checkpoints of a job that is open. It may be used from any goroutine.
type Maker struct {
	store
	state State
	o     Options
	busy  chan struct{} // held by whoever makes one
}

// NewMaker returns what makes checkpoints of the job in the folder, whose state is open.
func NewMaker(f folder.Folder, state State, o Options) *Maker {
	return &Maker{store{f}, state, o, make(chan struct{}, 1)}
}

// Make makes a checkpoint; a crawl goes on meanwhile. The
// name is letters, digits, ".", "_" and "-"; "" is the time. Then retention deletes old ones. One at a time is made,
// others wait. After an error there is no such checkpoint; [ErrUnusable] is about the name.
func (m *Maker) Make(ctx context.Context, name string) (Manifest, error) {
	select {
	case m.busy <- struct{}{}:
		defer func() { <-m.busy }()
	case <-ctx.Done():
		return Manifest{}, fmt.Errorf("job: checkpoint: %w", ctx.Err())
	}
	began := m.Clock.Mono()
	c, err := m.make(ctx, name, began)
	if err != nil {
		return Manifest{}, fmt.Errorf("job: checkpoint of %s: %w", m.Dir(), err)
	}
	m.Log.Info("checkpoint made", "name", c.Name, "took", c.Took, "held", c.Held, "copied", c.Copied)
	if m.o.Made != nil {
		m.o.Made(c)
	}
	if err := m.retain(m.Config.Checkpoint.Keep); err != nil {
		m.Log.Warn("old checkpoints were not deleted", "err", err)
	}
	return c, nil
}

func (m *Maker) make(ctx context.Context, name string, began time.Duration) (Manifest, error) {
	if !validName(name) {
		return Manifest{}, unusablef(`name %q: must be letters, digits, ".", "_" and "-", and not begin with "."`, name)
	}
	c := copier{Folder: m.Folder, ctx: ctx, fail: m.o.Fail, dir: m.path(makingDir), made: Manifest{Version: manifestVersion, Name: name, Named: name != "",
		Job: m.Config.Job.Name, Software: m.o.Software, Format: frontier.FormatVersion}}
	if name != "" {
		if _, err := m.FS.Stat(m.path(name)); err == nil {
			return Manifest{}, unusablef("%s is there already; choose another name", m.path(name))
		}
	}
	if err := errors.Join(fsx.MkdirAll(m.FS, m.path("")), m.clear()); err != nil {
		return Manifest{}, err
	}
	err := m.fill(&c)
	if err == nil {
		c.made.Took = m.Clock.Mono() - began
		err = m.finish(&c)
	}
	if err != nil {
		return Manifest{}, errors.Join(err, m.clear())
	}
	return c.made, nil
}

// fill puts everything that belongs to a checkpoint into its folder.
func (m *Maker) fill(c *copier) error {
	for _, d := range []string{"", folder.StateDir, folder.WARCDir, folder.LogDir, configDir} {
		if err := c.mkdir(d); err != nil {
			return err
		}
	}
	// Read before the instant: what the state knows of it, it has.
	if err := c.loose(); err != nil {
		return err
	}
	if err := c.write(filepath.Join(folder.StateDir, folder.EvidenceKeyFile), m.o.Key.Text()); err != nil {
		return err
	}
	defer m.state.HoldRolls()()
	stateDir := filepath.Join(folder.StateDir, folder.FrontierDir)
	at, err := m.state.Checkpoint(c.ctx, filepath.Join(c.dir, stateDir))
	if err != nil {
		return err
	}
	c.made.Time, c.made.Stats, c.made.Held, c.made.Copied = at.At.UTC(), at.Stats, at.Held, c.made.Copied+at.Copied
	if c.made.Name == "" {
		c.made.Name = m.freeName(c.made.Time)
	}
	if err := c.state(stateDir, at.Number); err != nil {
		return err
	}
	for _, row := range at.Files {
		if err := c.warc(warc.FileState(row)); err != nil {
			return err
		}
	}
	if err := c.looseFile(folder.MovedFile); err != nil { // after the files: what was deleted until then is in it
		return err
	}
	for l, row := range at.Logs { // by number; rows of a job's first run do not have it
		if err := c.log(crawl.LogID(l), row); err != nil {
			return err
		}
	}
	return nil
}

// finish makes everything durable and gives the checkpoint its name.
func (m *Maker) finish(c *copier) error {
	data, err := json.MarshalIndent(c.made, "", " ")
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	for _, d := range slices.Backward(c.dirs) {
		if err := fsx.SyncDir(m.FS, filepath.Join(c.dir, d)); err != nil {
			return err
		}
	}
	if err := fsx.WriteFileAtomic(m.FS, filepath.Join(c.dir, manifestFile), append(data, '\n')); err != nil {
		return err
	}
	m.o.Fail.Hit("job.checkpoint.made")
	if err := m.FS.Rename(c.dir, m.path(c.made.Name)); err != nil {
		return fmt.Errorf("name it %s: %w", c.made.Name, err)
	}
	m.o.Fail.Hit("job.checkpoint.named")
	if err := fsx.SyncDir(m.FS, m.path("")); err != nil {
		// It may not survive a crash: it does not count as a checkpoint.
		return errors.Join(err, m.FS.Rename(m.path(c.made.Name), c.dir))
	}
	return nil
}

// Watch makes checkpoints until ctx ends, as often as the configuration asks for them, but none of a
// crawl in which nothing has happened since the last; stats says what has.
func (m *Maker) Watch(ctx context.Context, stats func() frontier.Stats) {
	every := m.Config.Checkpoint.Every
	if every == 0 {
		return
	}
	t := m.Clock.NewTimer(every)
	defer t.Stop()
	var last frontier.Stats
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C():
		}
		now := stats()
		now.InProcess, now.Queued = 0, now.Queued+now.InProcess // URIs in process are not a change
		if now != last {
			_, err := m.Make(ctx, "")
			switch {
			case err == nil:
				last = now
			case ctx.Err() == nil:
				m.Log.Warn("no checkpoint was made; the crawl continues", "err", err)
			}
		}
		t.Reset(every)
	}
}
