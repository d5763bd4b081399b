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
	"exclave/warc"
)

// logScan is what a log holds.
type logScan struct {
	size   int64
	lines  int64 // that can be used
	broken int64 // lines that cannot
	torn   int64 // where the last line begins that has no end, -1 when there is none
	last   time.Time
}

// goodLine reports whether a line is one of the log.
func goodLine(log crawl.LogID, line []byte) bool {
	if line[len(line)-1] != '\n' {
		return false
	}
	_, err := urlOf(log, line)
	return err == nil
}

// eachLogLine calls fn for every line of a log, if there is a log.
func (r *recoverer) eachLogLine(ctx context.Context, log crawl.LogID, fn func(line []byte, good bool) error) error {
	in, err := r.opts.FS.Open(r.path(LogDir, log.Name()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	n := 0
	err = eachLine(in, func(line []byte) error {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		return fn(line, goodLine(log, line))
	})
	if err := errors.Join(err, in.Close()); err != nil {
		return fmt.Errorf("job: recover %s: %w", log.Name(), err)
	}
	return nil
}

// readLogs looks at the logs before anything is changed.
func (r *recoverer) readLogs(ctx context.Context) error {
	r.lostIn, r.began = map[string]int64{}, r.opts.Clock.Now()
	for l := range crawl.NumLogs {
		s := logScan{torn: -1}
		if err := r.eachLogLine(ctx, l, func(line []byte, good bool) error {
			switch {
			case good:
				s.lines++
			case line[len(line)-1] != '\n':
				s.torn = s.size
				r.note("%s: the last line has no end: set aside", l.Name())
			default:
				s.broken++
				r.note("%s at %d: is no line of the log: set aside", l.Name(), s.size)
			}
			s.size += int64(len(line))
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
			s.last = e.Time
			if _, ok := r.numbers[e.WARCFilename]; !ok && e.WARCFilename != "" {
				r.lostIn[e.WARCFilename]++
			}
			return nil
		}); err != nil {
			return err
		}
		r.logs[l] = s
	}
	return nil
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
	data, err := readFile(r.opts.FS, r.path(LogDir, ProgressLog))
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
			if err := r.opts.FS.Remove(r.path(WARCDir, row.DiskName())); err != nil { // nothing was written to it
				return nil, fmt.Errorf("job: recover: %w", err)
			}
		} else if !row.Final && r.ends[n] < row.Committed {
			if err := r.cutOff(filepath.Join(WARCDir, row.DiskName()), r.ends[n], r.behind[n], "no whole capture"); err != nil {
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
	names, err := r.opts.FS.List(r.path(WARCDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("job: recover: %w", err)
	}
	for _, name := range names {
		f, ok := warc.ParseName(name)
		if !ok || f.Final || r.files[f.Number].DiskName() == name {
			continue
		}
		if err := r.cutOff(filepath.Join(WARCDir, name), 0, 0, "the file has its final name too"); err != nil {
			return err
		}
	}
	return nil
}

// mendLog takes lines that cannot be used out of a log, and appends those that were missing.
func (r *recoverer) mendLog(ctx context.Context, l crawl.LogID) error {
	s, name := r.logs[l], filepath.Join(LogDir, l.Name())
	if s.broken > 0 {
		if err := r.rewrite(ctx, l); err != nil {
			return err
		}
	} else if s.torn >= 0 {
		if err := r.cutOff(name, s.torn, 0, "a line without an end"); err != nil {
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

// rewrite makes a log anew of its whole lines. The old one is kept.
func (r *recoverer) rewrite(ctx context.Context, l crawl.LogID) error {
	o, name := r.opts, r.path(LogDir, l.Name())
	tmp := name + ".tmp"
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
	err = r.eachLogLine(ctx, l, func(line []byte, good bool) error {
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
		return fmt.Errorf("job: recover %s: %w", l.Name(), err)
	}
	e, err := r.aside.Tail(name, 0, r.logs[l].lines, fmt.Sprintf("the log as it was, with %d broken lines, which were taken out", r.logs[l].broken))
	if err != nil {
		return err
	}
	r.made.Aside = append(r.made.Aside, e)
	if err := o.FS.Rename(tmp, name); err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	return fsx.SyncDir(o.FS, r.path(LogDir))
}

func (r *recoverer) logRow(ctx context.Context, l crawl.LogID) (frontier.LogRow, error) {
	row := frontier.LogRow{Log: l}
	err := r.eachLogLine(ctx, l, func(line []byte, _ bool) error {
		row.Length += int64(len(line))
		row.Lines++
		row.CRC = crc32.Update(row.CRC, crc32.MakeTable(crc32.Castagnoli), line)
		return nil
	})
	return row, err
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
