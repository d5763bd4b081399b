package job

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"exclave/config"
	"exclave/frontier"
	"exclave/internal/fsx"
	"exclave/internal/logparts"
)

// MovedFile is the register, in a job's folder, of complete WARC files and parts of logs that their owner moved
// away: one JSON object a line.
const MovedFile = "moved.jsonl"

// Moved is a complete WARC file, or a part of a log, that was moved away.
type Moved struct {
	File string    `json:"file"`         // base name; of a part of a log without ".gz"
	To   string    `json:"to,omitempty"` // where it is, in the owner's words
	Size int64     `json:"size"`         // bytes; of a part of a log before it was compressed
	Time time.Time `json:"time"`         // of the registration
}

type movedFiles []Moved

func (m movedFiles) has(name string) bool {
	return slices.ContainsFunc(m, func(e Moved) bool { return e.File == name })
}

// ErrNotMoved is wrapped by the error of Move for a file that cannot be registered; nothing was.
var ErrNotMoved = errors.New("cannot be registered as moved")

// readMoved reads the register of the job in dir.
func readMoved(fsys fsx.FS, dir string) (_ movedFiles, err error) {
	name := fsys.PathJoin(dir, MovedFile)
	in, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("job: read %s: %w", name, err)
	}
	var all movedFiles
	n := 0
	for line := range bytes.Lines(text) {
		if n++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e Moved
		err := json.Unmarshal(line, &e)
		if err == nil && e.File == "" {
			err = errors.New("it names no file")
		}
		if err != nil {
			return nil, fmt.Errorf("job: %s line %d: is not what exclave moved writes (%w); mend or delete the line", name, n, err)
		}
		all = append(all, e)
	}
	return all, nil
}

// Move registers complete WARC files, and parts of logs, of a job as moved away to a place that to describes;
// whether they are there still does not matter: the crawl, and verify, do without them from
// now on when they are not. With no names it registers every one that is missing. It returns those it
// registered. An error that wraps [ErrNotMoved] names files that the job does not have, or that
// are not complete.
func Move(ctx context.Context, cfg *config.Config, o Options, to string, names []string) (_ []Moved, err error) {
	o = o.withDefaults()
	j := Job{cfg: cfg, opts: o, dir: cfg.Dir}
	if err := Begun(cfg, o); err != nil {
		return nil, err
	}
	lock, err := j.lock("register files of")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	f, err := openState(ctx, cfg, o)
	if err != nil {
		return nil, err
	}
	all := movable(f)
	if err := f.Close(ctx); err != nil {
		return nil, err
	}
	old, err := readMoved(o.FS, j.dir)
	if err != nil {
		return nil, err
	}
	made, err := j.moved(all, old, to, names)
	if err != nil || len(made) == 0 {
		return nil, err
	}
	var b []byte
	for _, e := range append(slices.Clone(old), made...) {
		line, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("job: %w", err)
		}
		b = append(append(b, line...), '\n')
	}
	return made, fsx.WriteFileAtomic(o.FS, j.path(MovedFile), b)
}

// belonging is a file that its owner may move away, once it is complete.
type belonging struct {
	dir, name string
	size      int64
	complete  bool
}

// movable are the WARC files and the parts of logs of a job.
func movable(f *frontier.Frontier) (all []belonging) {
	for _, r := range f.Files() {
		all = append(all, belonging{WARCDir, r.Name, r.Committed, r.Final})
	}
	for _, l := range f.Logs() {
		for _, p := range l.Parts {
			all = append(all, belonging{LogDir, p.Name, p.Length, true})
		}
	}
	return all
}

// moved returns what is to be registered.
func (j *Job) moved(all []belonging, old movedFiles, to string, names []string) (made []Moved, err error) {
	if len(names) == 0 {
		for _, b := range all {
			if _, err := logparts.Find(j.opts.FS, j.path(b.dir), b.name); b.complete && errors.Is(err, fs.ErrNotExist) {
				names = append(names, b.name)
			}
		}
	}
	var errs []error
	for _, name := range names {
		name = j.opts.FS.PathBase(name)
		i := slices.IndexFunc(all, func(b belonging) bool {
			return b.name == name || b.dir == LogDir && b.name+logparts.Packed == name
		})
		switch {
		case i < 0:
			errs = append(errs, fmt.Errorf("job: %s %w: the state knows no WARC file, nor part of a log, of this name", name, ErrNotMoved))
		case !all[i].complete:
			errs = append(errs, fmt.Errorf("job: %s %w: it is not complete yet; the crawl goes on writing it", name, ErrNotMoved))
		case !old.has(all[i].name) && !movedFiles(made).has(all[i].name):
			made = append(made, Moved{File: all[i].name, To: to, Size: all[i].size, Time: j.opts.Clock.Now().UTC().Truncate(time.Second)})
		}
	}
	slices.SortFunc(made, func(a, b Moved) int { return cmp.Compare(a.File, b.File) })
	return made, errors.Join(errs...)
}
