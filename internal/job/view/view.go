package view

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"exclave/analyzer"
	"exclave/chain/decide"
	"exclave/frontier"
	"exclave/internal/job/folder"
	"exclave/internal/job/records"
	"exclave/internal/job/rules"
	"exclave/internal/sheet"
	"exclave/warc"
)

// Options say what a View is for. The zero Options are for looking at the state.
type Options struct {
	For   string // what a refusal says the job was wanted for; "": look into
	Rules bool   // keep what judges and scopes URLs open: Analyzer and Scope
	Cache int64  // of the state, in bytes; 0: the frontier's own
	Files bool   // keep WARC files from being deleted by who stores them elsewhere
}

// View is a job at rest, open to be looked at. Its methods may be called by several goroutines; Close it.
type View struct {
	folder.Folder // read-only
	State         *frontier.Frontier
	Analyzer      *analyzer.Analyzer // nil unless Options.Rules
	Scope         *decide.Sequence   // nil unless Options.Rules
	Sheets        *sheet.Live        // the same

	lock  io.Closer
	files io.Closer // of Options.Files
}

// Open opens the state of a job that is not running, and changes nothing. The error wraps [folder.ErrLocked] when
// another process works on the job, [folder.ErrStoring] when Options.Files cannot be had, [folder.ErrNotBegun] when it has no state.
func Open(ctx context.Context, f folder.Folder, o Options) (_ *View, err error) {
	v := &View{Folder: f.ReadOnly()}
	defer func() {
		if err != nil {
			err = errors.Join(err, v.Close())
		}
	}()
	if o.For == "" {
		o.For = "look into"
	}
	if err := v.Begun(); errors.Is(err, folder.ErrNotBegun) { // whoever works on it
		return nil, err
	}
	if err := v.hold(o.For); err != nil {
		return nil, err
	}
	if err := v.Begun(); err != nil {
		return nil, err
	}
	if o.Files {
		if v.files, err = v.HoldFiles(); err != nil {
			return nil, err
		}
	}
	return v, v.open(ctx, o)
}

// hold locks the state when there is a folder for it.
func (v *View) hold(why string) (err error) {
	if _, err := v.FS.Stat(v.Path(folder.StateDir)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	v.lock, err = v.Lock(why)
	return err
}

func (v *View) open(ctx context.Context, o Options) error {
	a, err := rules.OpenAnalyzer(ctx, v.Folder, nil)
	if err != nil {
		return err
	}
	with := rules.Frontier(v.Folder, a)
	with.ReadOnly, with.Cache = true, o.Cache
	if o.Rules {
		v.Analyzer = a
		sheets, err := rules.Sheets(v.Folder, a.Names())
		if err != nil {
			return err
		}
		v.Sheets = sheet.NewLive(sheets)
		if v.Scope, err = rules.Scope(v.Folder, v.Sheets); err != nil {
			return err
		}
	} else if err := a.Close(); err != nil { // its word lists are large
		return err
	}
	if v.State, err = frontier.Open(ctx, with); err != nil {
		return fmt.Errorf("job: %w", err)
	}
	return nil
}

// Close gives back everything, the lock last. It may be called again.
func (v *View) Close() error {
	var errs []error
	if v.State != nil {
		errs = append(errs, v.State.Close(context.Background()))
	}
	if v.Analyzer != nil {
		errs = append(errs, v.Analyzer.Close())
	}
	for _, lock := range []io.Closer{v.files, v.lock} {
		if lock != nil {
			errs = append(errs, lock.Close())
		}
	}
	v.State, v.Analyzer, v.files, v.lock = nil, nil, nil, nil
	return errors.Join(errs...)
}

// Records reads single records of the archive.
func (v *View) Records() records.Reader {
	return records.Of(v.Folder, func(n uint32) (warc.FileState, bool) { return records.FileOf(v.State, n) })
}
