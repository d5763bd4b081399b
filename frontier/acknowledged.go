package frontier

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"exclave/crawl"
	"exclave/frontier/schema"
	"exclave/internal/fsx"
)

// loadAcknowledged reads the number of the last commit and the committed lengths of WARC files
// and logs.
func (f *Frontier) loadAcknowledged() error {
	v, err := f.db.Get(schema.MetaKey(schema.MetaCommit))
	if err != nil {
		return err
	}
	if v != nil {
		if f.number, err = schema.DecodeNumber(v); err != nil {
			return fmt.Errorf("row of the last commit: %w", err)
		}
	}
	if err := f.db.Scan(schema.Files.Prefix(), func(k, v []byte) error {
		r, err := schema.DecodeFile(k, v)
		f.files[r.Number] = r
		return err
	}); err != nil {
		return fmt.Errorf("file rows: %w", err)
	}
	for l := range crawl.NumLogs {
		if err := f.loadParts(l); err != nil {
			return err
		}
		v, err := f.db.Get(schema.LogKey(l))
		if err != nil {
			return err
		}
		if v == nil {
			continue
		}
		if err := f.logRows[l].Decode(v); err != nil {
			return fmt.Errorf("log row %s: %w", l.Name(), err)
		}
	}
	return nil
}

// recoverLogs cuts each log to its committed length, and keeps the whole lines beyond it in
// Options.Aside.
func (f *Frontier) recoverLogs() error {
	for l := range crawl.NumLogs {
		name := f.o.FS.PathJoin(f.o.LogDir, l.Name())
		if err := f.endRoll(l); err != nil {
			return fmt.Errorf("frontier: recover %s: %w", name, err)
		}
		a, err := fsx.OpenAppend(f.o.FS, name)
		if err != nil {
			return fmt.Errorf("frontier: open log: %w", err)
		}
		f.logs[l] = a
		want := f.logRows[l].Length
		if a.Size() < want { // checkBeforeOpen found it long enough
			return fmt.Errorf("frontier: recover %s: %d bytes were acknowledged, the file has %d: lines are lost; put the complete file back from a copy",
				name, want, a.Size())
		}
		if a.Size() == want {
			continue
		}
		if err := f.setAside(a, want); err != nil {
			return fmt.Errorf("frontier: recover %s: %w", name, err)
		}
		f.o.Fail.Hit("frontier.recover.cut")
		if err := a.Truncate(want); err != nil {
			return fmt.Errorf("frontier: recover %s: %w", name, err)
		}
		f.o.Fail.Hit("frontier.recover.cutting")
		if err := a.Sync(); err != nil {
			return fmt.Errorf("frontier: recover %s: %w", name, err)
		}
	}
	return nil
}

// setAside keeps the whole lines that a log holds beyond its committed length.
func (f *Frontier) setAside(a *fsx.Append, want int64) error {
	whole, err := countLines(io.NewSectionReader(a, want, a.Size()-want))
	if err != nil {
		return err
	}
	if whole == 0 {
		f.o.Logger.Warn("recovered", "file", a.Name(), "what", fmt.Sprintf("a torn line of %d bytes is cut off", a.Size()-want))
		return nil
	}
	e, err := f.o.Aside.Tail(a.Name(), nil, want, whole, "lines that the state does not acknowledge; their URIs are offered again")
	if err != nil {
		return err
	}
	f.o.Logger.Warn("recovered", "file", a.Name(), "what", fmt.Sprintf("%d lines that were not acknowledged are kept in %s", whole, e.Kept))
	return nil
}

func countLines(in io.Reader) (n int64, err error) {
	b := make([]byte, 64<<10)
	for {
		got, err := in.Read(b)
		n += int64(bytes.Count(b[:got], []byte{'\n'}))
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
