package job

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"exclave/chain"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/crawllog"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/logparts"
	"exclave/warc"
)

// logFile is what a part of a log holds, or the file that is written to.
type logFile struct {
	name   string
	size   int64
	lines  int64 // that can be used
	broken int64 // lines that cannot
	torn   int64 // where the last line begins that has no end, -1 when there is none
	hurt   error // why a compressed part cannot be read to its end
}

// whole reports whether every line can be used.
func (f *logFile) whole() bool { return f.broken == 0 && f.torn < 0 && f.hurt == nil }

// logScan is what a log holds.
type logScan struct {
	files []logFile // the last is the one that is written to
	lines int64     // that can be used
	whole bool      // every line can
	last  time.Time
}

// goodLine reports whether a line is one of the log.
func goodLine(log crawl.LogID, line []byte) bool {
	if line[len(line)-1] != '\n' {
		return false
	}
	if log != crawl.LogCrawl {
		_, err := urlOf(log, line)
		return err == nil
	}
	e, err := crawllog.Parse(string(line))
	if err != nil || !crawl.PrereqHops(e.Hops) {
		return err == nil
	}
	// A line of a part whose bytes were changed may read well, and name what was never asked for.
	_, ok := crawl.PrereqKey(e.URL)
	return ok
}

// eachLogLine calls fn for every line of a log, if there is a log.
func (r *recoverer) eachLogLine(ctx context.Context, log crawl.LogID, fn func(line []byte, good bool) error) error {
	for _, f := range r.logs[log].files {
		hurt, err := r.eachLineOf(ctx, log, f.name, fn)
		if err == nil && hurt != nil && f.hurt == nil {
			err = fmt.Errorf("job: recover %s: it changed meanwhile: %w", f.name, hurt)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachLineOf calls fn for every line of a file of a log, as far as it can be read.
func (r *recoverer) eachLineOf(ctx context.Context, log crawl.LogID, name string, fn func(line []byte, good bool) error) (hurt, err error) {
	in, err := logparts.OpenPart(r.opts.FS, r.path(folder.LogDir), name)
	switch {
	case logparts.Damaged(err):
		return err, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("job: recover: %w", err)
	}
	err = logparts.Lines(in, func(n int64, line []byte) error {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return fn(line, goodLine(log, line))
	})
	if closed := in.Close(); err == nil { // else it says the same again
		err = closed
	}
	if logparts.Damaged(err) {
		return err, nil
	}
	if err != nil {
		return nil, fmt.Errorf("job: recover %s: %w", name, err)
	}
	return nil, nil
}

// readLogs looks at the logs before anything is changed.
func (r *recoverer) readLogs(ctx context.Context) error {
	r.lostIn, r.began = map[string]int64{}, r.opts.Clock.Now()
	for l := range crawl.NumLogs {
		parts, err := logparts.List(r.opts.FS, r.path(folder.LogDir), l.Name())
		if err != nil {
			return fmt.Errorf("job: recover: %w", err)
		}
		s := logScan{whole: true}
		for _, name := range append(parts, l.Name()) {
			f, err := r.readLog(ctx, l, name, &s.last)
			if err != nil {
				return err
			}
			s.files, s.lines, s.whole = append(s.files, f), s.lines+f.lines, s.whole && f.whole()
		}
		r.logs[l] = s
	}
	return nil
}

// readLog looks at a part of a log, or the file that is written to.
func (r *recoverer) readLog(ctx context.Context, l crawl.LogID, name string, last *time.Time) (logFile, error) {
	f := logFile{name: name, torn: -1}
	hurt, err := r.eachLineOf(ctx, l, name, func(line []byte, good bool) error {
		switch {
		case good:
			f.lines++
		case line[len(line)-1] != '\n':
			f.torn = f.size
			r.note("%s: the last line has no end: set aside", name)
		default:
			f.broken++
			r.note("%s at %d: is no line of the log: set aside", name, f.size)
		}
		f.size += int64(len(line))
		if !good || l != crawl.LogCrawl {
			return nil
		}
		e, err := crawllog.Parse(string(line))
		if err != nil {
			return err
		}
		if e.Time.Before(r.began) {
			r.began = e.Time
		}
		*last = e.Time
		if _, ok := r.numbers[e.WARCFilename]; !ok && e.WARCFilename != "" {
			r.lostIn[e.WARCFilename]++
		}
		return nil
	})
	if f.hurt = hurt; hurt != nil {
		r.note("%s: is damaged behind its %d whole lines, which are kept: %v", name, f.lines, hurt)
	}
	return f, err
}

// indexLines indexes analysis.jsonl.
func (r *recoverer) indexLines(ctx context.Context) error {
	return r.eachLogLine(ctx, crawl.LogAnalysis, func(line []byte, good bool) error {
		if !good {
			return nil
		}
		var a analysed
		if err := json.Unmarshal(line, &a); err != nil {
			return err
		}
		j, err := r.judgement(a.Verdicts)
		if err != nil {
			r.note("%s: %s: %v", crawl.LogAnalysis.Name(), a.URL, err)
			j = &crawl.Judgement{}
		}
		a.Verdicts, a.Judged = nil, *j
		a.Judged.JSON = nil
		row, err := json.Marshal(a)
		if err != nil {
			return err
		}
		return r.x.addLine(a, row)
	})
}

// over reports whether the last run ended because nothing was left to do.
func (r *recoverer) over() bool {
	data, err := folder.ReadFile(r.opts.FS, r.path(folder.LogDir, folder.ProgressLog))
	if err != nil {
		return false
	}
	last := ""
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, " CRAWL ") {
			last = strings.TrimSpace(line)
		}
	}
	at, ended, _ := strings.Cut(last, " ")
	t, err := time.Parse(time.RFC3339, at)
	return err == nil && ended == "CRAWL ENDED - "+string(chain.Finished) && r.logs[crawl.LogCrawl].last.Before(t.Add(time.Second))
}

// setAside takes out of archive and logs what the new state does not acknowledge, appends the lines that
// were missing, and returns the rows of the logs.
func (r *recoverer) setAside(ctx context.Context) ([]frontier.LogRow, error) {
	for _, n := range slices.Sorted(maps.Keys(r.files)) {
		row := r.files[n]
		if !row.Final && row.Committed == 0 {
			if err := r.opts.FS.Remove(r.path(folder.WARCDir, row.DiskName())); err != nil { // nothing was written to it
				return nil, fmt.Errorf("job: recover: %w", err)
			}
		} else if !row.Final && r.ends[n] < row.Committed {
			if err := r.cutOff(filepath.Join(folder.WARCDir, row.DiskName()), r.ends[n], r.behind[n], "no whole capture"); err != nil {
				return nil, err
			}
		}
	}
	if err := r.doubles(); err != nil {
		return nil, err
	}
	var rows []frontier.LogRow
	for l := range crawl.NumLogs {
		if err := r.mendLog(ctx, l); err != nil {
			return nil, err
		}
		row, err := r.logRow(ctx, l)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// doubles sets files aside that have their final name too.
func (r *recoverer) doubles() error {
	names, err := r.opts.FS.List(r.path(folder.WARCDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("job: recover: %w", err)
	}
	for _, name := range names {
		f, ok := warc.ParseName(name)
		if !ok || f.Final || r.files[f.Number].DiskName() == name {
			continue
		}
		if err := r.cutOff(filepath.Join(folder.WARCDir, name), 0, 0, "the file has its final name too"); err != nil {
			return err
		}
	}
	return nil
}

// mendLog takes lines that cannot be used out of a log, and appends those that were missing.
func (r *recoverer) mendLog(ctx context.Context, l crawl.LogID) error {
	name := filepath.Join(folder.LogDir, l.Name())
	for _, f := range r.logs[l].files {
		var err error
		switch {
		case f.whole():
		case f.name == l.Name() && f.broken == 0:
			err = r.cutOff(name, f.torn, 0, "a line without an end")
		default:
			err = r.rewrite(ctx, l, f)
		}
		if err != nil {
			return err
		}
	}
	if l != crawl.LogCrawl || r.missing.Size() == 0 {
		return nil
	}
	r.opts.Fail.Hit("recover.lines")
	a, err := fsx.OpenAppend(r.opts.FS, r.path(name))
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	err = eachLine(io.NewSectionReader(r.missing, 0, r.missing.Size()), func(line []byte) error {
		_, err := a.Write(line)
		return err
	})
	if err == nil {
		err = a.Sync()
	}
	if err := errors.Join(err, a.Close()); err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	return nil
}

// rewritten is behind the name of a file of a log while it is made anew.
const rewritten = ".tmp"

// rewrite makes a file of a log anew of its whole lines. The old one is kept.
func (r *recoverer) rewrite(ctx context.Context, l crawl.LogID, f logFile) error {
	o, name := r.opts, r.path(folder.LogDir, f.name)
	old, err := logparts.Find(o.FS, r.path(folder.LogDir), f.name)
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	tmp := name + rewritten
	if err := o.FS.RemoveAll(tmp); err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	out, err := fsx.OpenAppend(o.FS, tmp)
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	var buf bytes.Buffer
	flush := func() error {
		_, err := out.Write(buf.Bytes())
		buf.Reset()
		return err
	}
	_, err = r.eachLineOf(ctx, l, f.name, func(line []byte, good bool) error {
		if good {
			buf.Write(line)
		}
		if buf.Len() < 1<<20 {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if err == nil {
		err = out.Sync()
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("job: recover %s: %w", f.name, err)
	}
	why := fmt.Sprintf("the log as it was, with %d broken lines, which were taken out", f.broken)
	if f.hurt != nil {
		why += fmt.Sprintf("; it cannot be read behind its line %d", f.lines+f.broken)
	}
	e, err := r.aside.Tail(old, 0, f.lines, why)
	if err != nil {
		return err
	}
	r.made.Aside = append(r.made.Aside, e)
	if err := o.FS.Rename(tmp, name); err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	if err := fsx.SyncDir(o.FS, r.path(folder.LogDir)); err != nil || old == name {
		return err
	}
	if err := o.FS.Remove(old); err != nil { // is kept, and the plain one counts
		return fmt.Errorf("job: recover: %w", err)
	}
	return nil
}

// logRow makes the row of a log, and those of its parts.
func (r *recoverer) logRow(ctx context.Context, l crawl.LogID) (frontier.LogRow, error) {
	row := frontier.LogRow{Log: l}
	for _, f := range r.logs[l].files {
		p := frontier.LogPart{Name: f.name}
		if _, err := r.eachLineOf(ctx, l, f.name, func(line []byte, _ bool) error {
			p.Length += int64(len(line))
			p.Lines++
			p.CRC = crc32.Update(p.CRC, crc32.MakeTable(crc32.Castagnoli), line)
			return nil
		}); err != nil {
			return row, err
		}
		if f.name == l.Name() {
			row.Length, row.Lines, row.CRC = p.Length, p.Lines, p.CRC
		} else {
			row.Parts = append(row.Parts, p)
		}
	}
	return row, nil
}

// cutOff keeps the end of a file, which holds so many whole records or lines, elsewhere.
func (r *recoverer) cutOff(name string, from, whole int64, why string) error {
	path := r.path(name)
	if from == 0 {
		e, err := r.aside.Move(path, whole, why)
		r.made.Aside = append(r.made.Aside, e)
		return err
	}
	e, err := r.aside.Tail(path, from, whole, why)
	if err != nil {
		return err
	}
	r.made.Aside = append(r.made.Aside, e)
	r.opts.Fail.Hit("recover.cut")
	a, err := fsx.OpenAppend(r.opts.FS, path)
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
