package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"exclave/chain"
	"exclave/chain/decide"
	"exclave/chain/post"
	"exclave/chain/standard"
	"exclave/config"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/aside"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/job/records"
	"exclave/internal/job/rules"
	"exclave/internal/logparts"
	"exclave/warc"
)

// ErrNoRecovery is wrapped by errors of Recover that leave the job as it was, because it is not to be
// recovered as asked.
var ErrNoRecovery = errors.New("the state is not made anew")

// RecoverOptions say how [Recover] goes about what is missing.
type RecoverOptions struct {
	// FetchMissing offers again what lies, by crawl.log, in WARC files that are not there.
	FetchMissing bool
}

// Recovered is what [Recover] made.
type Recovered struct {
	Files, Captures int64 // in the archive, and counted as acknowledged
	Abandoned       int64 // captures that count for nothing
	Lines           int64 // of crawl.log that the state was made from
	Written         int64 // lines of crawl.log that were missing
	Stats           frontier.Stats
	frontier.Settled
	Lost   int64         // archived by crawl.log, but not, or no more, in the archive
	Unread int64         // judged by crawl.log, but nothing has the verdict
	Over   bool          // the crawl was over: nothing that was found was left to fetch
	Aside  []aside.Entry // what was set aside
	Notes  []string      // contradictions and damage, for a person
	More   int64         // notes beyond those
}

// maxRecoverNotes bounds Recovered.Notes.
const maxRecoverNotes = 200

// Recover makes the state of a job that is not running anew, from its archive and its logs, as far as they
// tell: what was archived and judged, and links of archived pages that were not fetched yet. The
// state that is there is kept, in the folder recovered. What is no whole capture and no whole line is
// set aside there too. Whenever it ends before its time, it can be asked again. [ErrNoRecovery] says that
// nothing was changed, [ErrLocked] that another process works on the job.
func Recover(ctx context.Context, cfg *config.Config, o Options, ro RecoverOptions) (_ Recovered, err error) {
	o = o.withDefaults()
	r := &recoverer{Job: &Job{cfg: cfg, opts: o, dir: cfg.Dir, folder: folder.Of(cfg, o.Env())}, ro: ro, files: map[uint32]warc.FileState{}, numbers: map[string]uint32{},
		ends: map[uint32]int64{}, behind: map[uint32]int64{}, aside: aside.New(o.FS, cfg.Dir, o.Clock)}
	if err := r.anything(); err != nil {
		return Recovered{}, err
	}
	for _, d := range []string{folder.StateDir, folder.WARCDir, folder.LogDir} {
		if err := fsx.MkdirAll(o.FS, r.path(d)); err != nil {
			return Recovered{}, fmt.Errorf("job: recover: %w", err)
		}
	}
	lock, err := r.folder.Lock("recover")
	if err != nil {
		return Recovered{}, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	defer func() { err = errors.Join(err, r.Close()) }()
	for _, step := range []func(context.Context) error{r.openAnalyzer, r.openScoper, r.listFiles, r.readLogs, r.mayRecover, r.clear, r.build} {
		if err := step(ctx); err != nil {
			return Recovered{}, err
		}
	}
	return r.made, nil
}

type recoverer struct {
	*Job
	ro       RecoverOptions
	made     Recovered
	profiles []string
	rules    crawl.Depths
	scoper   chain.Processor
	joiner   chain.Processor
	files    map[uint32]warc.FileState
	numbers  map[string]uint32 // of files, by final name
	ends     map[uint32]int64  // where the last whole group of a file that is open ends
	lostIn   map[string]int64  // lines of crawl.log by the WARC file that is missing
	logs     [crawl.NumLogs]logScan
	began    time.Time
	x        *index
	b        *frontier.Builder
	behind   map[uint32]int64 // whole records behind that
	aside    *aside.Folder
	missing  *fsx.Append // lines of crawl.log that were missing
}

func (r *recoverer) note(format string, a ...any) {
	if len(r.made.Notes) < maxRecoverNotes {
		r.made.Notes = append(r.made.Notes, fmt.Sprintf(format, a...))
	} else {
		r.made.More++
	}
}

func refused(format string, a ...any) error {
	return fmt.Errorf("job: recover: %s: %w", fmt.Sprintf(format, a...), ErrNoRecovery)
}

// Folders of the new state, and of scratch files, within StateDir.
const (
	newState  = "frontier.new"
	moreLines = "recover.log" // lines that crawl.log is missing
)

// anything demands that there is something to make a state from.
func (r *recoverer) anything() error {
	for _, d := range []string{folder.WARCDir, folder.LogDir} {
		if names, err := r.opts.FS.List(r.path(d)); err == nil && len(names) > 0 {
			return nil
		}
	}
	return refused("%s has neither WARC files nor logs; was the job ever started?", r.dir)
}

// openScoper builds the processors that turn links into candidates, as the job's chains have them.
func (r *recoverer) openScoper(context.Context) error {
	for _, p := range r.analyzer.Profiles() {
		r.profiles = append(r.profiles, p.Name)
	}
	if n := len(r.profiles); n > crawl.MaxProfiles {
		return refused("%d profiles; a crawl has at most %d", n, crawl.MaxProfiles)
	}
	r.rules = rules.Depths(r.cfg, r.analyzer)
	scope, problems := decide.Build(r.cfg.Scope, r.dir, r.opts.Clock.Now())
	if len(problems) > 0 {
		return refused("scope%s: %s", problems[0].Key, problems[0].Msg)
	}
	steps, bad := standard.Build(&standard.Env{Dir: r.dir, Clock: r.opts.Clock, Depths: r.rules, Keys: r.cfg.URL.Rules, Scope: scope,
		Robots: r.cfg.Robots.Policy, Analyzer: r.analyzer}, r.cfg.Chain)
	if len(bad) > 0 {
		return refused("chain%s: %s", bad[0].Key, bad[0].Msg)
	}
	for _, s := range steps[chain.Post] {
		switch s.Proc.(type) {
		case *post.LinksScoper:
			r.scoper = s.Proc
		case *post.FrontierScheduler:
			r.joiner = s.Proc
		}
	}
	return nil
}

// listFiles finds the job's WARC files.
func (r *recoverer) listFiles(context.Context) error {
	names, err := r.opts.FS.List(r.path(folder.WARCDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("job: recover: %w", err)
	}
	slices.Sort(names) // a final name comes before the same name with .open
	for _, name := range names {
		st, err := r.opts.FS.Stat(r.path(folder.WARCDir, name))
		if err != nil {
			return fmt.Errorf("job: recover: %w", err)
		}
		f, ours := warc.ParseName(name)
		switch was, twice := r.files[f.Number]; {
		case st.IsDir():
			continue
		case !ours:
			r.note("%s: no WARC file of this program: left alone", name)
			continue
		case twice && was.Name == f.Name:
			r.note("%s: the same file has its final name too: this one is set aside", name)
			continue // see setAside
		case twice:
			return refused("%s and %s have the same number; move the one that is not of this job away", was.Name, name)
		}
		f.Committed = st.Size()
		r.files[f.Number], r.numbers[f.Name] = f, f.Number
	}
	return nil
}

// mayRecover refuses to go on without files that crawl.log names.
func (r *recoverer) mayRecover(ctx context.Context) error {
	if err := r.partsOnce(ctx); err != nil {
		return err
	}
	if !r.ro.FetchMissing {
		if err := errors.Join(r.mayMissParts(), r.noStrangeLogs()); err != nil {
			return err
		}
	}
	if len(r.lostIn) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(r.lostIn))
	lines := int64(0)
	for _, n := range r.lostIn {
		lines += n
	}
	if !r.ro.FetchMissing {
		moved, err := r.folder.Moved()
		if err != nil {
			return err
		}
		to := ""
		if i := slices.IndexFunc(moved, func(m folder.Moved) bool { return m.File == names[0] && m.To != "" }); i >= 0 {
			to = " (moved to " + moved[i].To + ")"
		}
		return refused("WARC files that crawl.log names are missing: %d, the first is %s%s; by crawl.log they hold %d answers, and recover reads all: put them, or links to them, back into %s as long as it works, or have these answers fetched again (--fetch-missing)",
			len(names), names[0], to, lines, r.path(folder.WARCDir))
	}
	for _, n := range names {
		r.note("%s: is missing; the %d answers in it are fetched again", n, r.lostIn[n])
	}
	return nil
}

// mayMissParts refuses to go on without parts of logs that were moved away.
func (r *recoverer) mayMissParts() error {
	moved, err := r.folder.Moved()
	if err != nil {
		return err
	}
	for _, m := range moved {
		if !folder.IsLogPart(m.File) {
			continue
		}
		if _, err := logparts.Find(r.opts.FS, r.path(folder.LogDir), m.File); errors.Is(err, fs.ErrNotExist) {
			return refused("%s, a part of a log, was moved away (to %q), and recover reads all: put it back into %s as long as it works, or do without its lines (--fetch-missing)",
				m.File, m.To, r.path(folder.LogDir))
		}
	}
	return nil
}

// noStrangeLogs refuses to go on when files beside a log may hold lines of it: somebody rotated it, or compressed a part
// with another program.
func (r *recoverer) noStrangeLogs() error {
	names, err := r.logNames()
	if err != nil {
		return err
	}
	for l := range crawl.NumLogs {
		for _, name := range names {
			if name == l.Name() || !strings.HasPrefix(name, l.Name()) || folder.IsLogPart(name) || strings.HasSuffix(name, rewritten) {
				continue
			}
			return refused("%s may hold lines of %s, and recover does not read it: give it its name back, a part of a log plain or compressed with gzip; move it away when it is not of this job; or do without its lines (--fetch-missing)",
				r.path(folder.LogDir, name), l.Name())
		}
	}
	return nil
}

// partsOnce refuses to go on when a part lies there plain and compressed, and each can be read and holds something else;
// or under the name of its log, too.
func (r *recoverer) partsOnce(ctx context.Context) error {
	names, err := r.logNames()
	if err != nil {
		return err
	}
	for _, name := range names {
		plain, packed := strings.CutSuffix(name, logparts.Packed)
		if _, err := r.opts.FS.Stat(r.path(folder.LogDir, plain)); !packed || !folder.IsLogPart(name) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		have, err := logparts.SumOf(ctx, r.opts.FS, r.path(folder.LogDir, name))
		if logparts.Damaged(err) {
			continue // the plain one counts
		}
		want, plainErr := logparts.SumOf(ctx, r.opts.FS, r.path(folder.LogDir, plain))
		if err := errors.Join(err, plainErr); err != nil {
			return fmt.Errorf("job: recover: %w", err)
		}
		if have != want {
			return refused("%s and %s hold different bytes: move the one away that is not whole", r.path(folder.LogDir, plain), name)
		}
	}
	for l := range crawl.NumLogs {
		if err := r.rolledOnce(ctx, l); err != nil {
			return err
		}
	}
	return nil
}

// rolledOnce refuses to go on when a log and its last part are the same: a kill left a rename of which the disk kept half.
func (r *recoverer) rolledOnce(ctx context.Context, l crawl.LogID) error {
	files := r.logs[l].files
	n := len(files) - 1
	if n == 0 || files[n].size == 0 || files[n].size != files[n-1].size {
		return nil
	}
	part, err := logparts.Find(r.opts.FS, r.path(folder.LogDir), files[n-1].name)
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	want, partErr := logparts.SumOf(ctx, r.opts.FS, part)
	have, err := logparts.SumOf(ctx, r.opts.FS, r.path(folder.LogDir, l.Name()))
	if logparts.Damaged(partErr) {
		return nil
	}
	if err := errors.Join(err, partErr); err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	if have == want {
		return refused("%s and its last part, %s, hold the same: remove the former", r.path(folder.LogDir, l.Name()), files[n-1].name)
	}
	return nil
}

func (r *recoverer) logNames() ([]string, error) {
	names, err := r.opts.FS.List(r.path(folder.LogDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("job: recover: %w", err)
	}
	slices.Sort(names)
	return names, nil
}

// clear removes what a recovery that was killed left.
func (r *recoverer) clear(context.Context) error {
	for _, d := range []string{newState, moreLines} {
		if err := r.opts.FS.RemoveAll(r.path(folder.StateDir, d)); err != nil {
			return fmt.Errorf("job: recover: remove what is left of an earlier attempt: %w", err)
		}
	}
	return nil
}

// scanFiles indexes the archive and analysis.jsonl.
func (r *recoverer) scanFiles(ctx context.Context) error {
	for _, n := range slices.Sorted(maps.Keys(r.files)) {
		row := r.files[n]
		s := scan{r: r, row: row, each: r.x.addGroup}
		if err := s.file(ctx, row.DiskName()); err != nil {
			return err
		}
		for _, d := range s.hurt {
			if d.Offset < s.end { // what stands behind is said when it is set aside
				r.note("%s at %d: %s: %s", row.Name, d.Offset, d.Kind, d.Detail)
			}
		}
		if row.Final && s.end == 0 {
			return refused("%s holds no whole capture; move it away", row.Name)
		}
		r.ends[n], r.behind[n] = s.end, s.behind
	}
	return r.indexLines(ctx)
}

// build makes the new state and puts it in the place of the old one.
func (r *recoverer) build(ctx context.Context) (err error) {
	o := r.opts
	dir := r.path(folder.StateDir, newState)
	with := rules.Frontier(r.folder, r.analyzer)
	with.Dir, with.Logs = dir, frontier.LogsConfig{} // logs stay as they are
	with.Links = records.Links{Rules: r.cfg.URL.Rules, Reader: records.Of(r.folder, func(n uint32) (warc.FileState, bool) { f, ok := r.files[n]; return f, ok })}
	r.b, err = frontier.Rebuild(ctx, with, r.began)
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	open := true
	defer func() {
		if open {
			err = errors.Join(err, r.b.Discard(), o.FS.RemoveAll(dir))
		}
	}()
	if r.missing, err = fsx.OpenAppend(o.FS, r.path(folder.StateDir, moreLines)); err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	r.onClose(func(context.Context) error { return errors.Join(r.missing.Close(), o.FS.Remove(r.missing.Name())) })
	r.x = &index{b: r.b}
	if err := r.b.Do(func() error {
		if err := r.scanFiles(ctx); err != nil {
			return err
		}
		return r.replay(ctx)
	}); err != nil {
		return err
	}
	r.made.Stats = r.b.Stats()
	o.Fail.Hit("recover.built")
	var files []frontier.FileRow
	for _, n := range slices.Sorted(maps.Keys(r.files)) {
		row := r.files[n]
		if !row.Final {
			row.Committed = r.ends[n]
		}
		if row.Committed > 0 {
			files = append(files, frontier.FileRow(row))
		}
	}
	r.made.Files = int64(len(files))
	logs, err := r.setAside(ctx)
	if err != nil {
		return err
	}
	open = false
	if err := r.b.Close(files, logs); err != nil {
		return err
	}
	o.Fail.Hit("recover.closed")
	return r.install()
}

// install sets the old state aside and gives the new one its name.
func (r *recoverer) install() error {
	o := r.opts
	old := r.path(folder.StateDir, "frontier")
	if _, err := o.FS.Stat(old); err == nil {
		e, err := r.aside.Move(old, 0, "the state as it was: it was made anew")
		if err != nil {
			return err
		}
		r.made.Aside = append(r.made.Aside, e)
		o.Fail.Hit("recover.aside")
	}
	if _, err := o.FS.Stat(frontier.MarkName(old)); err == nil { // it is about the old state; the next crawl makes one
		e, err := r.aside.Move(frontier.MarkName(old), 0, "the mark of the state as it was")
		if err != nil {
			return err
		}
		r.made.Aside = append(r.made.Aside, e)
		o.Fail.Hit("recover.mark")
	}
	if err := o.FS.Rename(r.path(folder.StateDir, newState), old); err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	o.Fail.Hit("recover.renamed")
	return fsx.SyncDir(o.FS, r.path(folder.StateDir))
}

// String says in lines what was made, for a person.
func (r Recovered) String() string {
	var b strings.Builder
	s := r.Stats
	fmt.Fprintf(&b, "from %d lines of crawl.log and %d captures in %d WARC files: %d URIs known, %d finished, %d archived, %d judged, %d valid, %d queued\n",
		r.Lines, r.Captures, r.Files, s.Discovered, s.Finished, s.Archived, s.Judged, s.Valid, s.Queued)
	for _, l := range []struct {
		n    int64
		what string
	}{
		{r.Written, "archived or judged, without a line of crawl.log: the line was written (recovered)"},
		{r.Lost, "archived by crawl.log, but the archive does not hold them: fetched again"},
		{r.Unread, "judged by crawl.log, but neither archive nor analysis.jsonl has the verdict: taken by the word in crawl.log"},
		{r.Abandoned, "captures count for nothing: of pages that are archived elsewhere, or not whole"},
		{r.Again, "claimed more than they were fetched for: fetched or judged again"},
		{r.Refetched, "not archived, so that nobody knows their links: fetched again"},
		{r.Unclaimed, "in the archive, and nothing tells why: they stay, their links are not followed"},
	} {
		if l.n > 0 {
			fmt.Fprintf(&b, "%d %s\n", l.n, l.what)
		}
	}
	if r.Over {
		b.WriteString("the crawl was over: links of pages that are not archived were all followed\n")
	}
	return b.String()
}
