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

// Known is what a state acknowledges of archive and logs, before anything is changed.
type Known struct {
	Files []schema.FileRow // in the order of their numbers
	Logs  []schema.LogRow
	f     *Frontier
}

// Last returns the last capture that is acknowledged of a file and counts (one that does not may be damaged); false
// when there is none.
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

// look compares the state with its mark and with the logs, and lets the caller compare it
// with the archive, all before anything is changed: a store that is opened for writing drops what it
// cannot read.
func (f *Frontier) look(ctx context.Context) (err error) {
	names, err := f.o.FS.List(f.o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if len(names) == 0 {
		return f.mayBegin(ctx)
	}
	ro := &Frontier{o: f.o, files: map[uint32]schema.FileRow{}}
	ro.o.ReadOnly = true
	if err := ro.openStore(); err != nil {
		if errors.Is(err, store.ErrNone) {
			return f.mayBegin(ctx)
		}
		return err
	}
	defer func() { err = errors.Join(err, ro.db.Close()) }()
	return ro.db.Guard(func() error { return ro.compare(ctx) })
}

// compare is look, of a store that is open for reading.
func (f *Frontier) compare(ctx context.Context) error {
	row, err := f.db.Get(schema.MetaKey(schema.MetaFormat))
	if err != nil {
		return err
	}
	if row == nil {
		return f.mayBegin(ctx)
	}
	if err := f.loadAcknowledged(); err != nil {
		return err
	}
	if err := f.unbroken(); err != nil {
		return err
	}
	marked, ok, err := readMark(f.o.FS, f.o.Dir)
	if err != nil {
		return err
	}
	if ok {
		if err := f.agrees(marked); err != nil {
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

// agrees says whether store and mark may be of one moment.
func (f *Frontier) agrees(m mark) error {
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

// Rows y hold the numbers of the last commits, each written by its own: a file of the store's log that is missing, or was
// cut between two records, leaves a gap that the store does not notice when there are later files.

// unbroken demands that every one of the last commits is in the store.
func (f *Frontier) unbroken() error {
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

// Behind says in what way the state of a job that is only looked at has a gap, or disagrees with its mark; nil when it does not.
func (f *Frontier) Behind() error {
	if err := f.unbroken(); err != nil {
		return err
	}
	m, ok, err := readMark(f.o.FS, f.o.Dir)
	if err != nil || !ok {
		return err
	}
	return f.agrees(m)
}

// checkLog demands that a log holds what is acknowledged of it; exactly that, when nothing tells whether
// the state is older.
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

// whereLog says where a log may be.
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

// checkRotated demands that what was written to a log is under its name still, behind what was there before: of a log
// that was cut to nothing (logrotate with copytruncate) writing makes one that begins with zeros.
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
