package frontier

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/frontier/store"
	"exclave/internal/conf"
	"exclave/internal/fsx"
	"exclave/internal/logparts"
)

// LogsConfig says when logs are rolled, and whether parts are compressed (section [logs] of job.toml).
type LogsConfig struct {
	// MaxSize is the length in bytes at which a log becomes a part, and begins anew; 0 = never.
	MaxSize int64 `toml:"max_size"`
	// Compress says that parts are compressed.
	Compress bool `toml:"compress"`
}

// DefaultLogsConfig returns parts of 256 MiB, compressed.
func DefaultLogsConfig() LogsConfig { return LogsConfig{MaxSize: 256 << 20, Compress: true} }

// Validate returns all values that are not allowed.
func (c LogsConfig) Validate() (ps conf.Problems) {
	if c.MaxSize < 0 {
		ps.Add("max_size", "%d is negative; 0 means that no log is rolled", c.MaxSize)
	}
	return ps
}

// sumOf returns length and checksum of a part.
func sumOf(p schema.LogPart) logparts.Sum { return logparts.Sum{Length: p.Length, CRC: p.CRC} }

// setLog sets the row of a log and that of its last part; with all, those of all its parts.
func setLog(b *store.Batch, row *schema.LogRow, all bool) {
	first := len(row.Parts) - 1
	if all {
		first = 0
	}
	for i := max(first, 0); i < len(row.Parts); i++ {
		b.Set(schema.PartKey(row.Log, i+1), row.Parts[i].Encode())
	}
	b.Set(schema.LogKey(row.Log), row.Encode())
}

// loadParts reads the rows of a log's parts.
func (f *Frontier) loadParts(l crawl.LogID) error {
	row := &f.logRows[l]
	row.Parts = nil
	return f.db.Scan(schema.LogKey(l), func(k, v []byte) error {
		if bytes.Equal(k, schema.LogKey(l)) {
			return nil // the row of the log itself
		}
		p, err := schema.DecodeLogPart(v)
		row.Parts = append(row.Parts, p)
		if err != nil {
			return fmt.Errorf("row of part %d of %s: %w", len(row.Parts), l.Name(), err)
		}
		if !bytes.Equal(k, schema.PartKey(l, len(row.Parts))) {
			return fmt.Errorf("the row of part %d of %s is missing", len(row.Parts), l.Name())
		}
		return nil
	})
}

// roll turns logs that are long enough into parts, in rows only. finishRoll renames the files after the commit.
func (f *Frontier) roll(rows *[crawl.NumLogs]schema.LogRow) (rolled []crawl.LogID, err error) {
	most := f.o.Logs.MaxSize
	f.mu.Lock()
	held := f.held > 0
	f.mu.Unlock()
	if held {
		return nil, nil
	}
	for l := range crawl.NumLogs {
		row := &rows[l]
		if most == 0 || row.Length < most {
			continue
		}
		last := ""
		if n := len(row.Parts); n > 0 {
			last, _ = logparts.Parse(l.Name(), row.Parts[n-1].Name)
		}
		stamp, err := logparts.NextName(f.o.FS, f.o.LogDir, l.Name(), last, f.o.Clock.Now())
		if err != nil {
			return nil, fmt.Errorf("roll %s: %w", l.Name(), err)
		}
		p := schema.LogPart{Name: logparts.Name(l.Name(), stamp), Length: row.Length, Lines: row.Lines, CRC: row.CRC}
		*row = schema.LogRow{Log: l, Parts: append(slices.Clip(row.Parts), p)}
		rolled = append(rolled, l)
	}
	return rolled, nil
}

// HoldRolls keeps logs from being rolled until release is called. A checkpoint needs it, because it links the logs
// after its instant.
func (f *Frontier) HoldRolls() (release func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held++
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.held--
	})
}

// finishRoll renames the file of a log to its last part, and opens a new, empty log.
func (f *Frontier) finishRoll(l crawl.LogID) error {
	row := &f.logRows[l]
	name, part := f.o.FS.PathJoin(f.o.LogDir, l.Name()), row.Parts[len(row.Parts)-1].Name
	f.o.Fail.Hit("frontier.roll.committed")
	err := f.o.FS.Rename(name, f.o.FS.PathJoin(f.o.LogDir, part))
	if err == nil {
		f.o.Fail.Hit("frontier.roll.renamed")
		err = fsx.SyncDir(f.o.FS, f.o.LogDir)
	}
	if err == nil {
		f.o.Fail.Hit("frontier.roll.synced")
		old := f.logs[l]
		if f.logs[l], err = fsx.OpenAppend(f.o.FS, name); err == nil {
			err = old.Close()
		} else {
			f.logs[l] = old
		}
	}
	if err != nil {
		return fmt.Errorf("roll %s: %w", name, err)
	}
	select {
	case f.rolled <- struct{}{}:
	default:
	}
	return nil
}

// halfRoll is the state of a roll that a kill interrupted.
type halfRoll int

const (
	noHalf     halfRoll = iota
	notRenamed          // the part still has the log's name
	bothNames           // the part has its own name and the log's
)

// half detects a roll that a kill interrupted.
func (f *Frontier) half(l crawl.LogID) (halfRoll, error) {
	row := &f.logRows[l]
	if len(row.Parts) == 0 || row.Length > 0 {
		return noHalf, nil
	}
	last := row.Parts[len(row.Parts)-1]
	name := f.o.FS.PathJoin(f.o.LogDir, l.Name())
	if st, err := f.o.FS.Stat(name); errors.Is(err, fs.ErrNotExist) || err == nil && st.Size() != last.Length {
		return noHalf, nil
	} else if err != nil {
		return noHalf, err
	}
	is := func(path string) (bool, error) {
		have, err := logparts.SumOf(context.Background(), f.o.FS, path)
		return have == sumOf(last), err
	}
	if ok, err := is(name); !ok {
		return noHalf, err
	}
	path, err := logparts.Find(f.o.FS, f.o.LogDir, last.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return notRenamed, nil
	}
	if err != nil || strings.HasSuffix(path, logparts.Packed) {
		return noHalf, err
	}
	if ok, err := is(path); !ok {
		return noHalf, err
	}
	return bothNames, nil
}

// endRoll finishes a roll that a kill interrupted.
func (f *Frontier) endRoll(l crawl.LogID) error {
	h, err := f.half(l)
	if err != nil || h == noHalf {
		return err
	}
	row := &f.logRows[l]
	name, part := f.o.FS.PathJoin(f.o.LogDir, l.Name()), row.Parts[len(row.Parts)-1].Name
	if h == notRenamed {
		err = f.o.FS.Rename(name, f.o.FS.PathJoin(f.o.LogDir, part))
	} else {
		err = f.o.FS.Remove(name) // both names are links to one file: appending to the log would change the part
	}
	if err == nil {
		err = fsx.SyncDir(f.o.FS, f.o.LogDir)
	}
	if err == nil {
		f.o.Logger.Info("a log that was being rolled is rolled", "part", part)
	}
	return err
}

// undoHalfRoll undoes an unfinished roll in the rows in memory, for a state that is ReadOnly.
func (f *Frontier) undoHalfRoll(l crawl.LogID) error {
	h, err := f.half(l)
	if err != nil || h != notRenamed {
		return err
	}
	row := &f.logRows[l]
	n := len(row.Parts) - 1
	p := row.Parts[n]
	*row = schema.LogRow{Log: l, Length: p.Length, Lines: p.Lines, CRC: p.CRC, Parts: row.Parts[:n]}
	return nil
}

// checkParts returns an error unless every part exists with its length, or was moved away, and there is no part that
// the state does not know.
func (f *Frontier) checkParts(l crawl.LogID, h halfRoll) error {
	const unchanged = "; nothing was changed"
	row, known := &f.logRows[l], map[string]bool{}
	for i, p := range row.Parts {
		known[p.Name] = true
		err := logparts.Check(f.o.FS, f.o.LogDir, p.Name, p.Length)
		switch {
		case err == nil, h == notRenamed && i == len(row.Parts)-1:
		case errors.Is(err, fs.ErrNotExist):
			if f.o.MovedLog == nil || !f.o.MovedLog(p.Name) {
				return fmt.Errorf("%s, a part of %s, is missing, %d bytes of it were acknowledged%s%s; put it back, register it when it was moved away on purpose (exclave moved JOB %s), or %s",
					f.o.FS.PathJoin(f.o.LogDir, p.Name), l.Name(), p.Length, unchanged, f.otherForm(p.Name), p.Name, recoverIt)
			}
		default:
			return fmt.Errorf("a part of %s is damaged: %w%s%s; put the complete file back from a copy, or %s", l.Name(), err, unchanged, f.otherForm(p.Name), recoverIt)
		}
	}
	names, err := logparts.List(f.o.FS, f.o.LogDir, l.Name())
	if err != nil {
		return err
	}
	for _, n := range names {
		if !known[n] {
			return fmt.Errorf("%s has the name of a part of %s, and the state does not know it: the state is older, or the file is not of this job%s; move the file away when it is not of this job, else %s",
				f.o.FS.PathJoin(f.o.LogDir, n), l.Name(), unchanged, mend)
		}
	}
	return nil
}

// otherForm names another file that may be the missing or damaged part: half unpacked, or compressed with another
// program. The result is "" if there is none.
func (f *Frontier) otherForm(part string) string {
	path, _ := logparts.Find(f.o.FS, f.o.LogDir, part)
	names, err := f.o.FS.List(f.o.LogDir)
	i := slices.IndexFunc(names, func(n string) bool {
		return strings.HasPrefix(n, part) && (path == "" || n != f.o.FS.PathBase(path))
	})
	if err != nil || i < 0 {
		return ""
	}
	return fmt.Sprintf("; %s lies there, too: if it holds the part, give it the part's form, plain or compressed with gzip, and let it alone be there", names[i])
}

// packParts compresses parts until ctx ends: those that exist, and those that logs become meanwhile.
func (f *Frontier) packParts(ctx context.Context) {
	defer close(f.packed)
	seen := map[string]bool{}
	for {
		for _, row := range f.Logs() {
			for _, p := range row.Parts {
				if seen[p.Name] {
					continue
				}
				if _, err := logparts.Find(f.o.FS, f.o.LogDir, p.Name); errors.Is(err, fs.ErrNotExist) {
					continue // moved away, or not renamed yet
				}
				err := logparts.Compress(ctx, f.o.FS, f.o.LogDir, p.Name, sumOf(p), f.o.Fail)
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					f.o.Logger.Warn("a part of a log is not compressed; the next run tries again", "err", err)
				}
				seen[p.Name] = true
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-f.rolled:
		case f.atRest <- struct{}{}:
		}
	}
}

// Packed waits until every part that can be compressed is compressed, or ctx ends. It is called at the end of a crawl,
// because there may be no further run to compress them.
func (f *Frontier) Packed(ctx context.Context) {
	for {
		select {
		case <-f.atRest:
			if len(f.rolled) == 0 {
				return
			}
		case <-f.packed:
			return
		case <-ctx.Done():
			return
		}
	}
}
