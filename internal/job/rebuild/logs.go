package rebuild

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"
	"strings"
	"time"

	"exclave/chain"
	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/crawllog"
	"exclave/internal/job/folder"
	"exclave/internal/job/lines"
	"exclave/internal/logparts"
)

// logFile is what a part of a log holds, or the file that is written to.
type logFile struct {
	name   string
	size   int64
	lines  int64 // that can be used
	broken int64 // lines that cannot
	torn   int64 // where the last line begins that has no end, -1 when there is none
	damage error // why a compressed part cannot be read to its end
}

// whole reports whether every line can be used.
func (f *logFile) whole() bool { return f.broken == 0 && f.torn < 0 && f.damage == nil }

// logScan is what a log holds.
type logScan struct {
	files []logFile // the last is the one that is written to
	lines int64     // that can be used
	whole bool      // every line can
	last  time.Time
}

// logs are the logs of the job as they are before anything is changed.
type logs struct {
	*rebuilding
	scans  [crawl.NumLogs]logScan
	lostIn map[string]int64 // lines of crawl.log by the WARC file that is missing
	began  time.Time        // of the first visit that crawl.log has
}

// goodLine reports whether a line is one of the log.
func goodLine(log crawl.LogID, line []byte) bool {
	if line[len(line)-1] != '\n' {
		return false
	}
	if log != crawl.LogCrawl {
		_, err := lines.URL(log, line)
		return err == nil
	}
	e, err := crawllog.Parse(string(line))
	if err != nil || !crawl.PrereqHops(e.Hops) {
		return err == nil
	}
	// A line of a part whose bytes were changed may read well, and name a URI that was never requested.
	_, ok := crawl.PrereqKey(e.URL)
	return ok
}

// each calls fn for every line of a log, if there is a log.
func (r *logs) each(ctx context.Context, log crawl.LogID, fn func(line []byte, good bool) error) error {
	for _, f := range r.scans[log].files {
		damage, err := r.eachOf(ctx, log, f.name, fn)
		if err == nil && damage != nil && f.damage == nil {
			err = fmt.Errorf("job: recover %s: it changed meanwhile: %w", f.name, damage)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// eachOf calls fn for every line of a file of a log, as far as it can be read.
func (r *logs) eachOf(ctx context.Context, log crawl.LogID, name string, fn func(line []byte, good bool) error) (damage, err error) {
	in, err := logparts.OpenPart(r.FS, r.Path(folder.LogDir), name)
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

// read looks at the logs before anything is changed.
func (r *logs) read(ctx context.Context) error {
	for l := range crawl.NumLogs {
		parts, err := logparts.List(r.FS, r.Path(folder.LogDir), l.Name())
		if err != nil {
			return fmt.Errorf("job: recover: %w", err)
		}
		s := logScan{whole: true}
		for _, name := range append(parts, l.Name()) {
			f, err := r.readOne(ctx, l, name, &s.last)
			if err != nil {
				return err
			}
			s.files, s.lines, s.whole = append(s.files, f), s.lines+f.lines, s.whole && f.whole()
		}
		r.scans[l] = s
	}
	return nil
}

// readOne looks at a part of a log, or the file that is written to.
func (r *logs) readOne(ctx context.Context, l crawl.LogID, name string, last *time.Time) (logFile, error) {
	f := logFile{name: name, torn: -1}
	damage, err := r.eachOf(ctx, l, name, func(line []byte, good bool) error {
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
		if _, ok := r.archive.numbers[e.WARCFilename]; !ok && e.WARCFilename != "" {
			r.lostIn[e.WARCFilename]++
		}
		return nil
	})
	if f.damage = damage; damage != nil {
		r.note("%s: is damaged behind its %d whole lines, which are kept: %v", name, f.lines, damage)
	}
	return f, err
}

// over reports whether the last run ended because nothing was left to do.
func (r *logs) over() bool {
	data, err := r.ReadFile(folder.LogDir, folder.ProgressLog)
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
	return err == nil && ended == "CRAWL ENDED - "+string(chain.Finished) && r.scans[crawl.LogCrawl].last.Before(t.Add(time.Second))
}

// row makes the row of a log, and those of its parts.
func (r *logs) row(ctx context.Context, l crawl.LogID) (frontier.LogRow, error) {
	row := frontier.LogRow{Log: l}
	for _, f := range r.scans[l].files {
		p := frontier.LogPart{Name: f.name}
		if _, err := r.eachOf(ctx, l, f.name, func(line []byte, _ bool) error {
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

func (r *logs) names() ([]string, error) {
	names, err := r.FS.List(r.Path(folder.LogDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("job: recover: %w", err)
	}
	slices.Sort(names)
	return names, nil
}
