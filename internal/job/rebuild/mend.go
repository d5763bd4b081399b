package rebuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"exclave/crawl"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/logparts"
)

// mend takes lines that cannot be used out of a log, and appends those that were missing.
func (r *logs) mend(ctx context.Context, l crawl.LogID, missing *fsx.Append) error {
	name := filepath.Join(folder.LogDir, l.Name())
	for _, f := range r.scans[l].files {
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
	if l != crawl.LogCrawl || missing.Size() == 0 {
		return nil
	}
	r.o.Fail.Hit("recover.lines")
	a, err := fsx.OpenAppend(r.FS, r.Path(name))
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	err = logparts.Lines(io.NewSectionReader(missing, 0, missing.Size()), func(_ int64, line []byte) error {
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
func (r *logs) rewrite(ctx context.Context, l crawl.LogID, f logFile) error {
	name := r.Path(folder.LogDir, f.name)
	old, err := logparts.Find(r.FS, r.Path(folder.LogDir), f.name)
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	tmp := name + rewritten
	if err := r.FS.RemoveAll(tmp); err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	out, err := fsx.OpenAppend(r.FS, tmp)
	if err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	var buf bytes.Buffer
	flush := func() error {
		_, err := out.Write(buf.Bytes())
		buf.Reset()
		return err
	}
	_, err = r.eachOf(ctx, l, f.name, func(line []byte, good bool) error {
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
	if f.damage != nil {
		why += fmt.Sprintf("; it cannot be read behind its line %d", f.lines+f.broken)
	}
	e, err := r.aside.Tail(old, nil, 0, f.lines, why)
	if err != nil {
		return err
	}
	r.made.Aside = append(r.made.Aside, e)
	if err := r.FS.Rename(tmp, name); err != nil {
		return fmt.Errorf("job: recover: %w", err)
	}
	if err := fsx.SyncDir(r.FS, r.Path(folder.LogDir)); err != nil || old == name {
		return err
	}
	if err := r.FS.Remove(old); err != nil { // is kept, and the plain one counts
		return fmt.Errorf("job: recover: %w", err)
	}
	return nil
}
