package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"exclave/config"
	"exclave/frontier"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/job/view"
	"exclave/internal/logparts"
)

// Restored is what [Restore] made.
type Restored struct {
	Manifest
	Linked, Bytes int64 // bytes that are shared with the checkpoint, and all
}

// Restore makes a job, in the new folder dir, that goes on where the job of a checkpoint
// was. Nothing that is ever written to is shared with the checkpoint, so that any number
// of jobs can begin from it. After an error there is no dir. [ErrUnusable] says that
// from is no checkpoint, is damaged, or that dir cannot be used.
func Restore(ctx context.Context, from, dir string, e folder.Env) (Restored, error) {
	e = e.WithDefaults()
	r := restorer{Env: e, from: from, to: filepath.Clean(dir) + ".tmp"}
	var err error
	if r.c, err = readManifest(e.FS, from); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = unusablef("it has no %s; `exclave checkpoint list JOB` names those that there are", manifestFile)
		}
		return Restored{}, fmt.Errorf("job: restore %s: %w", from, err)
	}
	if _, err := e.FS.Stat(dir); err == nil {
		return Restored{}, fmt.Errorf("job: restore %s: %w", from, unusablef("%s is there already; name a new folder", dir))
	}
	made, err := r.restore(ctx, filepath.Clean(dir))
	if err != nil {
		return Restored{}, fmt.Errorf("job: restore %s: %w", from, err)
	}
	return made, nil
}

type restorer struct {
	folder.Env
	c        Manifest
	from, to string
	leave    int64 // bytes that stay free
	linked   int64
	dirs     []string
}

func (r *restorer) restore(ctx context.Context, dir string) (_ Restored, err error) {
	if err := r.check(); err != nil {
		return Restored{}, err
	}
	if c, _ := config.Load(filepath.Join(r.from, configDir)); c != nil {
		r.leave = c.Crawl.MinFreeDisk
	}
	if err := r.FS.RemoveAll(r.to); err != nil { // of a restore that was killed
		return Restored{}, fmt.Errorf("remove what is left of an earlier attempt: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.FS.RemoveAll(r.to))
		}
	}()
	for _, f := range r.c.Files {
		if err := ctx.Err(); err != nil {
			return Restored{}, err
		}
		if err := r.file(f); err != nil {
			return Restored{}, err
		}
	}
	for _, d := range slices.Backward(r.dirs) {
		if err := fsx.SyncDir(r.FS, d); err != nil {
			return Restored{}, err
		}
	}
	if err := r.agrees(ctx); err != nil {
		return Restored{}, err
	}
	if err := r.FS.Rename(r.to, dir); err != nil {
		return Restored{}, fmt.Errorf("name it %s: %w", dir, err)
	}
	return Restored{Manifest: r.c, Linked: r.linked, Bytes: r.c.Bytes()}, fsx.SyncDir(r.FS, filepath.Dir(dir))
}

// check demands that everything is there before anything is made.
func (r *restorer) check() error {
	if r.c.Format > frontier.FormatVersion {
		return fmt.Errorf("its state has format %d, this program knows %d; use the program that made it (%q)",
			r.c.Format, frontier.FormatVersion, r.c.Software)
	}
	damaged := func(f File, format string, a ...any) error {
		return unusablef("%s %s: the checkpoint is damaged; use another", filepath.Join(r.from, f.Path), fmt.Sprintf(format, a...))
	}
	for _, f := range r.c.Files {
		st, err := plainFile(r.FS, r.from, f.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return damaged(f, "is missing")
		case err != nil:
			return err
		case st.Size() < f.Length:
			return damaged(f, "has %d bytes of %d", st.Size(), f.Length)
		case st.Size() > f.Length && f.Shared:
			return damaged(f, "has %d bytes, it had %d", st.Size(), f.Length)
		}
	}
	return nil
}

func (r *restorer) file(f File) error {
	from, to := filepath.Join(r.from, f.Path), filepath.Join(r.to, f.inJob())
	if d := filepath.Dir(to); !slices.Contains(r.dirs, d) {
		if err := fsx.MkdirAll(r.FS, d); err != nil {
			return err
		}
		r.dirs = append(r.dirs, d)
	}
	if !f.Shared {
		return fsx.CopyStart(r.FS, from, to, f.Length)
	}
	copied, err := linkOrCopy(r.FS, from, to, f.Length, r.leave)
	if copied == 0 {
		r.linked += f.Length
	}
	return err
}

// agrees demands that configuration and state of what was made can be read, and that the
// state is that of the manifest.
func (r *restorer) agrees(ctx context.Context) (err error) {
	cfg, problems := config.Load(r.to)
	if len(problems) > 0 {
		var said []string
		for _, p := range problems {
			said = append(said, p.String())
		}
		return unusablef("its configuration cannot be used from here:\n%s", strings.Join(said, "\n"))
	}
	v, err := view.Open(ctx, folder.Of(cfg, r.Env), view.Options{})
	if err != nil {
		return fmt.Errorf("its state cannot be read; use another checkpoint: %w", err)
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	have, shared := map[string]int64{}, map[string]bool{}
	for _, f := range r.c.Files {
		have[f.Path], shared[f.Path] = f.Length, f.Shared
	}
	for _, row := range v.State.Files() {
		if n := have[folder.WARCDir+"/"+row.Name]; n != row.Committed && !slices.Contains(r.c.Missing, row.Name) {
			return unusablef("the state has %d bytes of %s, the manifest %d: the checkpoint is damaged; use another",
				row.Committed, row.Name, n)
		}
		if !row.Final && shared[folder.WARCDir+"/"+row.Name] {
			return unusablef("%s is shared, but written to: the checkpoint is damaged; use another", row.Name)
		}
	}
	for _, row := range v.State.Logs() {
		for _, p := range row.Parts {
			_, packed := have[folder.LogDir+"/"+p.Name+logparts.Packed]
			if n := have[folder.LogDir+"/"+p.Name]; !packed && n != p.Length && !slices.Contains(r.c.Missing, p.Name) {
				return unusablef("the state has %d bytes of %s, the manifest %d: the checkpoint is damaged; use another", p.Length, p.Name, n)
			}
		}
		if n := have[folder.LogDir+"/"+row.Log.Name()]; n != row.Length {
			return unusablef("the state has %d bytes of %s, the manifest %d: the checkpoint is damaged; use another",
				row.Length, row.Log.Name(), n)
		}
	}
	return nil
}
