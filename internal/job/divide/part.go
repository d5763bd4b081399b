package divide

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"exclave/crawl"
	"exclave/frontier"
	"exclave/internal/fsx"
	"exclave/warc"
)

// part is the archive of a profile being written.
type part struct {
	pool     *warc.Pool
	last     warc.Span // the last capture that was written; its file is not committed yet
	captures int64
	files    int

	originals, prerequisites, bytes int64
}

// newPart opens the archive of a part.
func (d *dividing) newPart(name string) (*part, error) {
	c := d.Config.WARC
	c.Dir, c.PoolSize, c.Prefix = filepath.Join(d.dir, name), 1, c.Prefix+"-"+name
	if err := fsx.MkdirAll(d.FS, c.Dir); err != nil {
		return nil, err
	}
	about := "profile " + name
	if name == NoProfile {
		about = "what belongs to none of its profiles"
	}
	about = "Part of the archive of job " + d.Config.Job.Name + ": " + about
	if d.Config.Job.Description != "" {
		about += ". " + d.Config.Job.Description
	}
	pool, err := warc.OpenPool(d.FS, c, warc.Info{Software: d.o.Software, Operator: d.Config.Job.Operator, IsPartOf: d.Config.Job.Name, Description: about,
		Robots: d.Config.Robots.Policy.String(), UserAgent: d.Config.HTTP.Agent(d.o.Version), From: d.Config.HTTP.From}, d.Clock, 1, nil, nil)
	if err != nil {
		return nil, err
	}
	return &part{pool: pool}, nil
}

// capture copies a capture group, or what others need of it, into the parts that are wanted.
func (d *dividing) capture(in io.ReaderAt, c frontier.Capture) error {
	own := d.b.partsOf(c.ID) & d.want
	whole := own | d.b.refers(c.Span)&d.want
	before := d.b.carries(c) & d.want &^ whole
	if whole|before == 0 {
		return nil
	}
	start, end := c.Span.Start, c.Span.End
	if start == 0 || before != 0 {
		var err error
		if start, end, err = ownRecords(in, c.Span); err != nil {
			return err
		}
	}
	for p := range (whole | before).all {
		w, err := d.part(p)
		if err != nil {
			return err
		}
		if before&of(p) == 0 {
			if own&of(p) != 0 {
				w.captures++
			} else {
				w.originals++
			}
			err = w.add(in, start, c.Span.End)
		} else if end > start {
			w.prerequisites++
			err = w.add(in, start, end)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ownRecords finds, in a capture group, where it begins behind the warcinfo record of the file, and where the page's own records begin
// behind those of DNS and robots.txt: the request that belongs to the answer that the metadata record is about, or a revisit record alone.
func ownRecords(in io.ReaderAt, s crawl.Span) (start, page int64, err error) {
	start, page = -1, -1
	alone := int64(-1)                     // a revisit record that is all of the page
	of, requests := "", map[string]int64{} // by the answer
	for r := warc.NewReaderAt(in, s.Start, s.End); ; {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, 0, err
		}
		if e.Type() == warc.TypeWarcinfo {
			continue
		}
		at, about := e.Offset, ""
		if start < 0 {
			start = at
		}
		if ids := e.ConcurrentTo(); len(ids) > 0 {
			about = ids[0]
		}
		switch e.Type() {
		case warc.TypeRequest:
			requests[about] = at
		case warc.TypeRevisit:
			if about == "" {
				alone = at
			}
		case warc.TypeMetadata:
			if of == "" {
				of = about
			}
		}
	}
	if start < 0 {
		return 0, 0, fmt.Errorf("the capture at %d has no record", s.Start)
	}
	if at, ok := requests[of]; ok {
		return start, at, nil
	}
	if alone >= 0 {
		return start, alone, nil
	}
	return start, start, nil
}

// add copies records as a capture.
func (w *part) add(in io.ReaderAt, from, to int64) (err error) {
	f, err := w.pool.Acquire(context.Background()) // nobody else has one
	if err != nil {
		return err
	}
	defer w.pool.Release(f)
	if n := w.last.File; n != 0 && n != f.Number() {
		if err := w.commit(); err != nil {
			return err
		}
	}
	if err := f.Begin(); err != nil {
		return err
	}
	if err := f.Copy(in, from, to); err != nil {
		return err
	}
	w.last, err = f.End()
	return err
}

// commit makes the file that was written last durable.
func (w *part) commit() error {
	if w.last.File == 0 {
		return nil
	}
	if err := w.pool.Sync([]uint32{w.last.File}); err != nil {
		return err
	}
	done, err := w.pool.Committed(w.last.File, w.last.End)
	w.files += len(done)
	w.bytes += w.last.End
	w.last = warc.Span{}
	return err
}

// close completes the files.
func (w *part) close() error {
	err := w.commit()
	done, cerr := w.pool.Close()
	w.files += len(done)
	return errors.Join(err, cerr)
}
