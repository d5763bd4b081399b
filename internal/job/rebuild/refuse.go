package rebuild

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"exclave/crawl"
	"exclave/internal/job/folder"
	"exclave/internal/logparts"
)

// mayRecover refuses to go on without files that crawl.log names.
func (r *rebuilding) mayRecover(ctx context.Context) error {
	if err := r.logs.partsOnce(ctx); err != nil {
		return err
	}
	if !r.o.FetchMissing {
		if err := errors.Join(r.logs.mayMissParts(), r.logs.noStrangeLogs()); err != nil {
			return err
		}
	}
	if len(r.logs.lostIn) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(r.logs.lostIn))
	lines := int64(0)
	for _, n := range r.logs.lostIn {
		lines += n
	}
	if !r.o.FetchMissing {
		moved, err := r.Moved()
		if err != nil {
			return err
		}
		to := ""
		if i := slices.IndexFunc(moved, func(m folder.Moved) bool { return m.File == names[0] && m.To != "" }); i >= 0 {
			to = " (moved to " + moved[i].To + ")"
		}
		return refused("WARC files that crawl.log names are missing: %d, the first is %s%s; by crawl.log they hold %d answers, and recover reads all: put them, or links to them, back into %s as long as it works, or have these answers fetched again (--fetch-missing)",
			len(names), names[0], to, lines, r.Path(folder.WARCDir))
	}
	for _, n := range names {
		r.note("%s: is missing; the %d answers in it are fetched again", n, r.logs.lostIn[n])
	}
	return nil
}

// mayMissParts refuses to go on without parts of logs that were moved away.
func (r *logs) mayMissParts() error {
	moved, err := r.Moved()
	if err != nil {
		return err
	}
	for _, m := range moved {
		if !folder.IsLogPart(m.File) {
			continue
		}
		if _, err := logparts.Find(r.FS, r.Path(folder.LogDir), m.File); errors.Is(err, fs.ErrNotExist) {
			return refused("%s, a part of a log, was moved away (to %q), and recover reads all: put it back into %s as long as it works, or do without its lines (--fetch-missing)",
				m.File, m.To, r.Path(folder.LogDir))
		}
	}
	return nil
}

// noStrangeLogs refuses to go on when files beside a log may hold lines of it: somebody rotated it, or compressed a part
// with another program.
func (r *logs) noStrangeLogs() error {
	names, err := r.names()
	if err != nil {
		return err
	}
	for l := range crawl.NumLogs {
		for _, name := range names {
			if name == l.Name() || !strings.HasPrefix(name, l.Name()) || folder.IsLogPart(name) || strings.HasSuffix(name, rewritten) {
				continue
			}
			return refused("%s may hold lines of %s, and recover does not read it: give it its name back, a part of a log plain or compressed with gzip; move it away when it is not of this job; or do without its lines (--fetch-missing)",
				r.Path(folder.LogDir, name), l.Name())
		}
	}
	return nil
}

// partsOnce refuses to go on when a part lies there plain and compressed, and each can be read and holds something else;
// or under the name of its log, too.
func (r *logs) partsOnce(ctx context.Context) error {
	names, err := r.names()
	if err != nil {
		return err
	}
	for _, name := range names {
		plain, packed := strings.CutSuffix(name, logparts.Packed)
		if _, err := r.FS.Stat(r.Path(folder.LogDir, plain)); !packed || !folder.IsLogPart(name) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		have, err := logparts.SumOf(ctx, r.FS, r.Path(folder.LogDir, name))
		if logparts.Damaged(err) {
			continue // the plain one counts
		}
		want, plainErr := logparts.SumOf(ctx, r.FS, r.Path(folder.LogDir, plain))
		if err := errors.Join(err, plainErr); err != nil {
			return fmt.Errorf("job: recover: %w", err)
		}
		if have != want {
			return refused("%s and %s hold different bytes: move the one away that is not whole", r.Path(folder.LogDir, plain), name)
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
func (r *logs) rolledOnce(ctx context.Context, l crawl.LogID) error {
	files := r.scans[l].files
	n := len(files) - 1
	if n == 0 || files[n].size == 0 || files[n].size != files[n-1].size {
		return nil
	}
	part, err := logparts.Find(r.FS, r.Path(folder.LogDir), files[n-1].name)
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	want, partErr := logparts.SumOf(ctx, r.FS, part)
	have, err := logparts.SumOf(ctx, r.FS, r.Path(folder.LogDir, l.Name()))
	if logparts.Damaged(partErr) {
		return nil
	}
	if err := errors.Join(err, partErr); err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	if have == want {
		return refused("%s and its last part, %s, hold the same: remove the former", r.Path(folder.LogDir, l.Name()), files[n-1].name)
	}
	return nil
}
