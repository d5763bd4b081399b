package rebuild

import (
	"context"
	"errors"
	"fmt"

	"exclave/analyzer"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/aside"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/job/records"
	"exclave/internal/job/rules"
	"exclave/warc"
)

// ErrRefused is wrapped by errors of State that leave the job as it was, because it is not to be
// recovered as asked.
var ErrRefused = errors.New("the state cannot be rebuilt")

// Options say how [State] goes about what is missing.
type Options struct {
	// FetchMissing offers again what lies, by crawl.log, in WARC files that are not there.
	FetchMissing bool
	Fail         *fsx.FailPoints // for kill tests; nil = none
}

// State makes the state of a job that is not running anew, from its archive and its logs, as far as they
// tell: what was archived and judged, and links of archived pages that were not fetched yet. The
// state that is there is kept, in the folder recovered. What is no whole capture and no whole line is
// set aside there too. Whenever it ends before its time, it can be asked again. [ErrRefused] says that
// nothing was changed, [folder.ErrLocked] that another process works on the job.
func State(ctx context.Context, f folder.Folder, o Options) (_ Result, err error) {
	r := &rebuilding{Folder: f, o: o, aside: f.Aside()}
	r.archive = archive{rebuilding: r, files: map[uint32]warc.FileState{}, numbers: map[string]uint32{}, ends: map[uint32]int64{}, behind: map[uint32]int64{}}
	r.logs = logs{rebuilding: r, lostIn: map[string]int64{}, began: f.Clock.Now()}
	if err := r.anything(); err != nil {
		return Result{}, err
	}
	for _, d := range []string{folder.StateDir, folder.WARCDir, folder.LogDir} {
		if err := fsx.MkdirAll(r.FS, r.Path(d)); err != nil {
			return Result{}, fmt.Errorf("job: recover: %w", err)
		}
	}
	lock, err := r.Lock("recover")
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := r.openRules(ctx); err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, r.analyzer.Close()) }()
	p := &replay{rebuilding: r}
	if err := p.openScoper(); err != nil {
		return Result{}, err
	}
	for _, step := range []func(context.Context) error{r.archive.list, r.logs.read, r.mayRecover, r.clear, func(ctx context.Context) error { return r.build(ctx, p) }} {
		if err := step(ctx); err != nil {
			return Result{}, err
		}
	}
	return r.made, nil
}

// rebuilding is what all parts of the work share.
type rebuilding struct {
	folder.Folder
	o        Options
	made     Result
	aside    *aside.Folder
	analyzer *analyzer.Analyzer
	profiles []string
	depths   crawl.Depths
	archive  archive
	logs     logs
}

// openRules opens what the job decides by.
func (r *rebuilding) openRules(ctx context.Context) (err error) {
	if r.analyzer, err = rules.OpenAnalyzer(ctx, r.Folder, nil); err != nil {
		return err
	}
	r.profiles = r.analyzer.Names()
	r.depths = rules.Depths(r.Config, r.analyzer)
	return nil
}

func (r *rebuilding) note(format string, a ...any) {
	if len(r.made.Notes) < maxNotes {
		r.made.Notes = append(r.made.Notes, fmt.Sprintf(format, a...))
	} else {
		r.made.More++
	}
}

func refused(format string, a ...any) error {
	return fmt.Errorf("job: recover: %s: %w", fmt.Sprintf(format, a...), ErrRefused)
}

// Folders of the new state, and of scratch files, within folder.StateDir.
const (
	newState  = "frontier.new"
	moreLines = "recover.log" // lines that crawl.log is missing
)

// anything demands that there is something to make a state from.
func (r *rebuilding) anything() error {
	for _, d := range []string{folder.WARCDir, folder.LogDir} {
		if names, err := r.FS.List(r.Path(d)); err == nil && len(names) > 0 {
			return nil
		}
	}
	return refused("%s has neither WARC files nor logs; was the job ever started?", r.Dir())
}

// clear removes what a recovery that was killed left.
func (r *rebuilding) clear(context.Context) error {
	for _, d := range []string{newState, moreLines} {
		if err := r.FS.RemoveAll(r.Path(folder.StateDir, d)); err != nil {
			return fmt.Errorf("job: recover: remove what is left of an earlier attempt: %w", err)
		}
	}
	return nil
}

// build makes the new state and puts it in the place of the old one.
func (r *rebuilding) build(ctx context.Context, p *replay) (err error) {
	with := rules.Frontier(r.Folder, r.analyzer)
	with.Dir = r.Path(folder.StateDir, newState)
	with.Links = records.Links{Rules: r.Config.URL.Rules, Reader: records.Of(r.Folder, func(n uint32) (warc.FileState, bool) { f, ok := r.archive.files[n]; return f, ok })}
	b, err := frontier.Rebuild(ctx, with, r.logs.began)
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	open := true
	defer func() {
		if open {
			err = errors.Join(err, b.Discard(), r.FS.RemoveAll(with.Dir))
		}
	}()
	missing, err := fsx.OpenAppend(r.FS, r.Path(folder.StateDir, moreLines))
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	defer func() { err = errors.Join(err, missing.Close(), r.FS.Remove(missing.Name())) }()
	if err := b.Do(func() error { return p.run(ctx, b, missing) }); err != nil {
		return err
	}
	r.made.Stats = b.Stats()
	r.o.Fail.Hit("recover.built")
	files := r.archive.rows()
	r.made.Files = int64(len(files))
	logs, err := r.setAside(ctx, missing)
	if err != nil {
		return err
	}
	open = false
	if err := b.Close(files, logs); err != nil {
		return err
	}
	r.o.Fail.Hit("recover.closed")
	return r.install()
}

// setAside takes out of archive and logs what the new state does not acknowledge, appends the lines that
// were missing, and returns the rows of the logs.
func (r *rebuilding) setAside(ctx context.Context, missing *fsx.Append) ([]frontier.LogRow, error) {
	if err := r.archive.cutEnds(); err != nil {
		return nil, err
	}
	if err := r.archive.setDoublesAside(); err != nil {
		return nil, err
	}
	var rows []frontier.LogRow
	for l := range crawl.NumLogs {
		if err := r.logs.mend(ctx, l, missing); err != nil {
			return nil, err
		}
		row, err := r.logs.row(ctx, l)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// cutOff keeps the end of a file, which holds so many whole records or lines, elsewhere.
func (r *rebuilding) cutOff(name string, from, whole int64, why string) error {
	path := r.Path(name)
	if from == 0 {
		e, err := r.aside.Move(path, whole, why)
		r.made.Aside = append(r.made.Aside, e)
		return err
	}
	e, err := warc.KeepTail(r.aside, r.FS, path, from, whole, why)
	if err != nil {
		return err
	}
	r.made.Aside = append(r.made.Aside, e)
	r.o.Fail.Hit("recover.cut")
	a, err := fsx.OpenAppend(r.FS, path)
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	err = a.Truncate(from)
	if err == nil {
		err = a.Sync()
	}
	if err := errors.Join(err, a.Close()); err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	return nil
}

// install sets the old state aside and gives the new one its name.
func (r *rebuilding) install() error {
	old := r.Path(folder.StateDir, folder.FrontierDir)
	if _, err := r.FS.Stat(old); err == nil {
		e, err := r.aside.Move(old, 0, "the state as it was before it was rebuilt")
		if err != nil {
			return err
		}
		r.made.Aside = append(r.made.Aside, e)
		r.o.Fail.Hit("recover.aside")
	}
	if _, err := r.FS.Stat(frontier.MarkName(old)); err == nil { // it is about the old state; the next crawl makes one
		e, err := r.aside.Move(frontier.MarkName(old), 0, "the mark of the state as it was")
		if err != nil {
			return err
		}
		r.made.Aside = append(r.made.Aside, e)
		r.o.Fail.Hit("recover.mark")
	}
	if err := r.FS.Rename(r.Path(folder.StateDir, newState), old); err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	r.o.Fail.Hit("recover.renamed")
	return fsx.SyncDir(r.FS, r.Path(folder.StateDir))
}
