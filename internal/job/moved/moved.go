// Package moved knows which files of a job its owner may move away, and registers complete WARC files, and parts of logs, that were. The
// register itself ([folder.Folder.Moved]) is read by whoever would miss them: a crawl, recovery,
// and verification. Files are stored elsewhere by package storage.
package moved

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"exclave/frontier"
	"exclave/internal/job/folder"
	"exclave/internal/logparts"
)

// ErrRefused is wrapped by the error of Register for a file that cannot be registered; nothing was.
var ErrRefused = errors.New("cannot be registered as moved")

// File is a file that its owner may move away, once it is complete.
type File struct {
	Dir      string `json:"dir"`  // folder.WARCDir or folder.LogDir
	Name     string `json:"name"` // base name; of a part of a log without ".gz"
	Size     int64  `json:"size"` // bytes acknowledged; of a part of a log before it was compressed
	Complete bool   `json:"complete"`
}

// Files are the WARC files and the parts of logs of a job, as its state knows them.
func Files(state *frontier.Frontier) (all []File) {
	for _, r := range state.Files() {
		all = append(all, File{folder.WARCDir, r.Name, r.Committed, r.Final})
	}
	for _, l := range state.Logs() {
		for _, p := range l.Parts {
			all = append(all, File{folder.LogDir, p.Name, p.Length, true})
		}
	}
	return all
}

// Register notes complete files of a job, running or at rest, as moved away to a place that to describes; all are those of
// the job. Whether they are there still does not matter: the crawl, and verify, do without them from
// now on when they are not. With no names it registers every one that is missing. It returns those it
// registered. An error that wraps [ErrRefused] names files that the job does not have, or that
// are not complete.
func Register(f folder.Folder, all []File, to string, names []string) ([]folder.Moved, error) {
	old, err := f.Moved()
	if err != nil {
		return nil, err
	}
	made, err := choose(f, all, old, to, names)
	if err != nil || len(made) == 0 {
		return nil, err
	}
	return made, f.Register(made...)
}

// choose returns what is to be registered.
func choose(f folder.Folder, all []File, old folder.MovedFiles, to string, names []string) (made []folder.Moved, err error) {
	if len(names) == 0 {
		for _, b := range all {
			if _, err := logparts.Find(f.FS, f.Path(b.Dir), b.Name); b.Complete && errors.Is(err, fs.ErrNotExist) {
				names = append(names, b.Name)
			}
		}
	}
	var errs []error
	for _, name := range names {
		name = f.FS.PathBase(name)
		i := slices.IndexFunc(all, func(b File) bool {
			return b.Name == name || b.Dir == folder.LogDir && b.Name+logparts.Packed == name
		})
		switch {
		case i < 0:
			errs = append(errs, fmt.Errorf("job: %s %w: the state knows no WARC file, nor part of a log, of this name", name, ErrRefused))
		case !all[i].Complete:
			errs = append(errs, fmt.Errorf("job: %s %w: it is not complete yet; the crawl still writes to it", name, ErrRefused))
		case !old.Has(all[i].Name) && !folder.MovedFiles(made).Has(all[i].Name):
			made = append(made, folder.Moved{File: all[i].Name, To: to, Size: all[i].Size, Time: f.Clock.Now().UTC().Truncate(time.Second)})
		}
	}
	slices.SortFunc(made, func(a, b folder.Moved) int { return cmp.Compare(a.File, b.File) })
	return made, errors.Join(errs...)
}
