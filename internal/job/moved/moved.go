// Package moved registers complete WARC files, and parts of logs, that their owner moved out of a job's folder. The
// register itself ([folder.Folder.Moved]) is read by whoever would miss them: a crawl, recovery,
// and verification.
package moved

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"exclave/frontier"
	"exclave/internal/job/folder"
	"exclave/internal/job/view"
	"exclave/internal/logparts"
)

// ErrRefused is wrapped by the error of Register for a file that cannot be registered; nothing was.
var ErrRefused = errors.New("cannot be registered as moved")

// Register notes complete WARC files, and parts of logs, of a job at rest as moved away to a place that to describes;
// whether they are there still does not matter: the crawl, and verify, do without them from
// now on when they are not. With no names it registers every one that is missing. It returns those it
// registered. An error that wraps [ErrRefused] names files that the job does not have, or that
// are not complete.
func Register(ctx context.Context, f folder.Folder, to string, names []string) (_ []folder.Moved, err error) {
	v, err := view.Open(ctx, f, view.Options{For: "register files of"})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	old, err := f.Moved()
	if err != nil {
		return nil, err
	}
	made, err := choose(v, movable(v.State), old, to, names)
	if err != nil || len(made) == 0 {
		return nil, err
	}
	return made, f.WriteMoved(append(slices.Clone(old), made...))
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
		all = append(all, belonging{folder.WARCDir, r.Name, r.Committed, r.Final})
	}
	for _, l := range f.Logs() {
		for _, p := range l.Parts {
			all = append(all, belonging{folder.LogDir, p.Name, p.Length, true})
		}
	}
	return all
}

// choose returns what is to be registered.
func choose(v *view.View, all []belonging, old folder.MovedFiles, to string, names []string) (made []folder.Moved, err error) {
	if len(names) == 0 {
		for _, b := range all {
			if _, err := logparts.Find(v.FS, v.Path(b.dir), b.name); b.complete && errors.Is(err, fs.ErrNotExist) {
				names = append(names, b.name)
			}
		}
	}
	var errs []error
	for _, name := range names {
		name = v.FS.PathBase(name)
		i := slices.IndexFunc(all, func(b belonging) bool {
			return b.name == name || b.dir == folder.LogDir && b.name+logparts.Packed == name
		})
		switch {
		case i < 0:
			errs = append(errs, fmt.Errorf("job: %s %w: the state knows no WARC file, nor part of a log, of this name", name, ErrRefused))
		case !all[i].complete:
			errs = append(errs, fmt.Errorf("job: %s %w: it is not complete yet; the crawl still writes to it", name, ErrRefused))
		case !old.Has(all[i].name) && !folder.MovedFiles(made).Has(all[i].name):
			made = append(made, folder.Moved{File: all[i].name, To: to, Size: all[i].size, Time: v.Clock.Now().UTC().Truncate(time.Second)})
		}
	}
	slices.SortFunc(made, func(a, b folder.Moved) int { return cmp.Compare(a.File, b.File) })
	return made, errors.Join(errs...)
}
