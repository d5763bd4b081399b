package frontier

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/frontier/store"
	"exclave/internal/logparts"
)

// Known is what the state knows of archive and logs when it is opened, before anything is changed.
type Known struct {
	Files []schema.FileRow // in the order of their numbers
	Logs  []schema.LogRow
	f     *Frontier
}

// Last returns the last committed capture of a file that is not abandoned (an abandoned one may be damaged); ok is
// false if there is none.
func (k *Known) Last(file uint32) (span crawl.Span, ok bool, err error) {
	from := schema.CapturesOf(file)
	it, err := k.f.db.Iter(from, schema.After(from))
	if err != nil {
		return span, false, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for more := it.Last(); more; more = it.Prev() {
		v, err := it.ValueAndErr()
		if err != nil {
			return span, false, err
		}
		c, err := schema.DecodeCapture(it.Key(), v)
		if err != nil {
			return span, false, fmt.Errorf("row of a capture: %w", err)
		}
		if c.Abandoned == "" {
			return c.Span, true, nil
		}
	}
	return span, false, it.Error()
}

// checkBeforeOpen compares the state with its mark and with the logs, and lets Options.Check compare it with the
// archive. It opens the store to read only, because a store opened for writing deletes what it cannot
// read.
func (f *Frontier) checkBeforeOpen(ctx context.Context) (err error) {
	names, err := f.o.FS.List(f.o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(names) == 0 {
		return f.checkNew(ctx)
	}
	ro := &Frontier{o: f.o, files: map[uint32]schema.FileRow{}}
	ro.o.ReadOnly = true
	if err := ro.openStore(); err != nil {
		if errors.Is(err, store.ErrNone) {
			return f.checkNew(ctx)
		}
		return err
	}
	defer func() { err = errors.Join(err, ro.db.Close()) }()
	return ro.db.Guard(func() error { return ro.checkAll(ctx) })
}

// checkAll does the comparisons of checkBeforeOpen; the store is open to read only.
func (f *Frontier) checkAll(ctx context.Context) error {
	row, err := f.db.Get(schema.MetaKey(schema.MetaFormat))
	if err != nil {
		return err
	}
	if row == nil {
		return f.checkNew(ctx)
	}
	if err := f.loadAcknowledged(); err != nil {
		return err
	}
	if err := f.checkCommits(); err != nil {
		return err
	}
	marked, ok, err := readMark(f.o.FS, f.o.Dir)
	if err != nil {
		return err
	}
	if ok {
		if err := f.checkMark(marked); err != nil {
			return err
		}
	}
	format, _ := schema.DecodeFormat(row) // a damaged one is refused when the state is loaded
	numbered := format.Version >= schema.NumberedFormat
	for l := range crawl.NumLogs {
		half, err := f.half(l)
		if err == nil {
			err = f.checkParts(l, half)
		}
		if err == nil && half == noHalf {
			err = f.checkLog(l, numbered && !ok)
		}
		if err != nil {
			return err
		}
	}
	if f.o.Check == nil {
		return nil
	}
	return f.o.Check(ctx, &Known{Files: f.Files(), Logs: f.Logs(), f: f}, numbered && !ok)
}

// checkMark returns an error if store and mark cannot belong together.
func (f *Frontier) checkMark(m mark) error {
	switch {
	case m.Number > f.number+1 || m.Closed && m.Number > f.number:
		return fmt.Errorf("the state is older than it should be: its last commit has number %d, %s says %d; the store lost what it had written (damage, or a copy "+
			"of another day); nothing was changed; %s", f.number, MarkName(f.o.Dir), m.Number, mend)
	case f.number > m.Number+1:
		return fmt.Errorf("%s is older than the state: it says %d, the last commit has number %d; nothing was changed; put the one of this state back, or delete it if archive and logs are those of this state",
			MarkName(f.o.Dir), m.Number, f.number)
	}
	return nil
}

// checkCommits returns an error unless each of the last commits is in the store. Rows y hold their numbers, each written by
// its own commit: if a file of the store's log is missing, or was cut between two records, and there are later files,
// the store does not notice, but a number is missing.
func (f *Frontier) checkCommits() error {
	if f.number == 0 {
		return nil
	}
	first := max(f.number, schema.CommitsKept) - schema.CommitsKept + 1
	have := uint64(0)
	if err := f.db.Scan(schema.Commits.Prefix(), func(_, v []byte) error {
		n, err := schema.DecodeNumber(v)
		if n >= first && n <= f.number {
			have++
		}
		return err
	}); err != nil {
		return fmt.Errorf("rows of commits: %w", err)
	}
	if want := f.number - first + 1; have < want {
		return fmt.Errorf("the state has a gap: %d of its last %d commits are not in it (a file of it is missing, or was cut); nothing was changed; %s", want-have, want, mend)
	}
	return nil
}

// Behind returns an error if a state that was opened ReadOnly has a gap or disagrees with its mark.
func (f *Frontier) Behind() error {
	if err := f.checkCommits(); err != nil {
		return err
	}
	m, ok, err := readMark(f.o.FS, f.o.Dir)
	if err != nil || !ok {
		return err
	}
	return f.checkMark(m)
}

// checkLog returns an error if a log is shorter than its committed length; with exactly, also if it is longer, because
// without a mark the state may be too old.
func (f *Frontier) checkLog(l crawl.LogID, exactly bool) error {
	name, want := f.o.FS.PathJoin(f.o.LogDir, l.Name()), f.logRows[l].Length
	size, missing := int64(0), false
	st, err := f.o.FS.Stat(name)
	switch {
	case err == nil:
		size = st.Size()
	case errors.Is(err, fs.ErrNotExist):
		missing = true
	default:
		return err
	}
	const unchanged = "; nothing was changed"
	switch {
	case missing && want > 0:
		return fmt.Errorf("%s is missing, %d bytes of it were acknowledged%s; %s", name, want, unchanged, f.whereLog(l, want))
	case size < want:
		return fmt.Errorf("%s has %d bytes, %d were acknowledged: lines are lost%s; %s", name, size, want, unchanged, f.whereLog(l, want))
	case exactly && size > want:
		return fmt.Errorf("%s is missing or unreadable, and %s holds %d bytes more than the state acknowledges: whether the state is older cannot be known%s; %s",
			MarkName(f.o.Dir), name, size-want, unchanged, mend)
	case want == 0:
		return nil
	}
	in, err := f.o.FS.Open(name)
	if err != nil {
		return err
	}
	var last [1]byte
	if _, err := in.ReadAt(last[:], want-1); err != nil {
		return errors.Join(err, in.Close())
	}
	if last[0] != '\n' {
		return errors.Join(fmt.Errorf("%s: no line ends where what is acknowledged ends, at %d: it is not the file that the state knows%s; %s",
			name, want, unchanged, f.whereLog(l, want)), in.Close())
	}
	return in.Close()
}

// whereLog advises where the complete log may be found.
func (f *Frontier) whereLog(l crawl.LogID, want int64) string {
	names, err := f.o.FS.List(f.o.LogDir)
	if err == nil {
		slices.Sort(names)
		for _, n := range names {
			if _, part := logparts.Parse(l.Name(), n); part {
				continue
			}
			st, err := f.o.FS.Stat(f.o.FS.PathJoin(f.o.LogDir, n))
			if err == nil && !st.IsDir() && n != l.Name() && strings.HasPrefix(n, l.Name()) && st.Size() >= want {
				return fmt.Sprintf("%s was perhaps rotated to %s by somebody else: give it its name back, and let nobody else rotate the logs of a job", l.Name(), n)
			}
		}
	}
	return "put the complete file back from a copy, or " + recoverIt
}

// checkRotated returns an error if another program cut or moved a log during the crawl: if the log does not hold the
// written lines, or no line ends where they begin. After logrotate with copytruncate, the file would begin with zeros.
func (f *Frontier) checkRotated(l crawl.LogID, before, after int64) error {
	name := f.o.FS.PathJoin(f.o.LogDir, l.Name())
	st, err := f.o.FS.Stat(name)
	if err != nil {
		return fmt.Errorf("%s is gone while the crawl runs: %w; %s", name, err, rotatedBack)
	}
	if st.Size() < after {
		return fmt.Errorf("%s has %d bytes, %d were written: somebody else cut or rotated it while the crawl runs; %s", name, st.Size(), after, rotatedBack)
	}
	if before == 0 {
		return nil
	}
	var last [1]byte
	if _, err := f.logs[l].ReadAt(last[:], before-1); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if last[0] != '\n' {
		return fmt.Errorf("%s: no line ends where this run wrote one, at %d: somebody else cut or copied it while the crawl runs; %s", name, before, rotatedBack)
	}
	return nil
}

const rotatedBack = "give the complete file its name back, and let nobody else rotate, cut or move the logs of a job"
