package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"exclave/frontier"
	"exclave/internal/extsort"
	"exclave/warc"
)

// unit is a part of a WARC file that one worker reads: whole captures, and what is expected there.
type unit struct {
	file     *archiveFile // nil: there are only defects
	from, to int64
	spans    []frontier.Capture
	expected []expectation
	defects  []Defect // found before
}

// result is the result of a unit.
type result struct {
	*unit
	noted   noted
	trouble bool
}

func (r *result) bad(where, format string, a ...any) {
	r.defects = append(r.defects, Defect{where, fmt.Sprintf(format, a...)})
}

// units lets workers read the archive.
func (v *verifier) units(ctx context.Context) (err error) {
	expected, err := v.expected.Sorted()
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, expected.Close())
		for _, f := range v.files { // of an end before the end
			if f.open != nil {
				err = errors.Join(err, f.open.Close())
				f.open = nil
			}
		}
	}()
	p := &unitMaker{v: v, ctx: ctx, expected: expected}
	return inOrder(ctx, v.with.Workers, p.all, v.unitWorker, func(r *result) error {
		v.effort.add(r.to - r.from)
		for _, d := range r.defects {
			v.bad(d.Where, "%s", d.What)
		}
		if r.file == nil {
			return nil
		}
		if r.trouble {
			r.file.trouble.Store(true)
			return nil
		}
		return v.keep(r.file.row.Number, &r.noted)
	})
}

// unitWorker returns what a worker does with units.
func (v *verifier) unitWorker() func(context.Context, *unit) (*result, error) {
	c := warc.NewChecker()
	return func(ctx context.Context, u *unit) (_ *result, err error) {
		r := &result{unit: u}
		if u.file == nil {
			return r, nil
		}
		defer func() { err = errors.Join(err, u.file.release()) }()
		in := patient{ctx, u.file.open}
		switch {
		case v.with.Fast:
			err = v.glance(c, in, r)
		case u.file.trouble.Load():
			r.trouble = true
		default:
			w := (&walk{name: u.file.name, file: u.file.row.Number, bad: func(string, string, ...any) { r.trouble = true },
				spans: pull(u.spans), expected: pull(u.expected)}).begin()
			var d *warc.Defect
			if d, err = c.Range(in, u.from, u.to, w.record); d != nil {
				r.trouble = true
			}
			w.end()
			r.noted = w.noted
		}
		u.spans, u.expected = nil, nil
		return r, err
	}
}

// pull gives the elements of a slice one after another.
func pull[T any](all []T) func() (T, bool) {
	return func() (next T, ok bool) {
		if len(all) == 0 {
			return next, false
		}
		next, all = all[0], all[1:]
		return next, true
	}
}

// patient reads a file until ctx ends.
type patient struct {
	ctx context.Context
	io.ReaderAt
}

// ReadAt implements [io.ReaderAt].
func (p patient) ReadAt(b []byte, off int64) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.ReaderAt.ReadAt(b, off)
}

// maxSpans bounds the captures of a unit, and maxTold the defects of one that has only these.
const (
	maxSpans = 2000
	maxTold  = 1000
)

// unitMaker divides the archive.
type unitMaker struct {
	v        *verifier
	ctx      context.Context
	expected *extsort.Merge // by file and offset
	more     bool
	emit     func(*unit) error
}

func (m *unitMaker) all(emit func(*unit) error) error {
	m.emit, m.more = emit, m.expected.Next()
	for _, f := range m.v.files {
		if err := m.stray(uint64(f.row.Number), 0); err != nil {
			return err
		}
		if err := m.file(f); err != nil {
			return err
		}
	}
	return errors.Join(m.stray(1<<32, 0), m.expected.Err)
}

// stray reports what is expected before a place and cannot be there.
func (m *unitMaker) stray(file, place uint64) error {
	u := &unit{}
	for m.more && (m.expected.A < file || m.expected.A == file && m.expected.B < place) {
		r, e := result{unit: u}, readExpectation(&m.expected.Record)
		e.missing(uint32(m.expected.A), r.bad)
		m.more = m.expected.Next()
		if len(u.defects) == maxTold {
			if err := m.emit(u); err != nil {
				return err
			}
			u = &unit{}
		}
	}
	if len(u.defects) == 0 {
		return nil
	}
	return m.emit(u)
}

// skip leaves out what is expected in a file.
func (m *unitMaker) skip(file uint32) error {
	for m.more && m.expected.A == uint64(file) {
		m.more = m.expected.Next()
	}
	return m.expected.Err
}

// file divides a file. What is wrong with all of it is told where nobody reads it again.
func (m *unitMaker) file(f *archiveFile) (err error) {
	number, whole := f.row.Number, &result{unit: &unit{}}
	bad := whole.bad
	if !m.v.with.Fast {
		bad = func(string, string, ...any) { f.trouble.Store(true) }
	}
	switch {
	case f.away:
		return m.skip(number)
	case f.missing != nil:
		bad(f.name, "is missing; %d bytes in it are acknowledged", f.row.Committed)
	default:
		f.open, err = m.v.openFile(m.ctx, f)
		if f.remote && errors.Is(err, fs.ErrNotExist) {
			f.open, f.missing = nil, err
			bad(f.name, "is not where it was stored: %v", err)
			break
		}
		if err != nil {
			return err
		}
		f.parts.Store(1)
		defer func() { err = errors.Join(err, f.release()) }()
		if err := m.captures(f, bad); err != nil {
			return err
		}
	}
	if f.trouble.Load() {
		return m.skip(number)
	}
	if len(whole.defects) > 0 {
		if err := m.emit(whole.unit); err != nil {
			return err
		}
	}
	if m.v.with.Fast {
		return m.stray(uint64(number)+1, 0)
	}
	if m.more && m.expected.A == uint64(number) {
		f.trouble.Store(true)
	}
	return m.skip(number)
}

// errTrouble ends the division of a file that is read again anyway.
var errTrouble = errors.New("read again")

func (m *unitMaker) captures(f *archiveFile, bad func(string, string, ...any)) error {
	u := &unit{file: f}
	g := gaps{f: f, bad: bad}
	flush := func() error {
		if len(u.spans) == 0 {
			return nil
		}
		for m.more && m.expected.A == uint64(f.row.Number) && int64(m.expected.B/expectKinds) < u.to {
			u.expected = append(u.expected, readExpectation(&m.expected.Record))
			m.more = m.expected.Next()
		}
		f.parts.Add(1)
		err := m.emit(u)
		u = &unit{file: f}
		return err
	}
	err := m.v.State.CapturesOf(f.row.Number, func(c frontier.Capture) error {
		if f.trouble.Load() {
			return errTrouble
		}
		if len(u.spans) > 0 && (c.Span.End-u.from > m.v.with.Sizes.Unit || len(u.spans) == maxSpans || c.Span.Start != u.to) {
			if err := flush(); err != nil {
				return err
			}
		}
		g.capture(c)
		if len(u.spans) == 0 {
			u.from = c.Span.Start
		}
		u.to = c.Span.End
		u.spans = append(u.spans, c)
		return nil
	})
	if errors.Is(err, errTrouble) {
		return nil
	}
	if err == nil {
		err = flush()
	}
	g.end(m.v.unlessClean())
	return err
}

// gaps demands that captures follow one another from the beginning of a file to its end.
type gaps struct {
	f   *archiveFile
	at  int64
	bad func(string, string, ...any)
}

func (g *gaps) capture(c frontier.Capture) {
	name := g.f.name
	switch {
	case c.Span.Start > g.at:
		g.bad(fmt.Sprintf("%s at %d", name, g.at), "no capture is acknowledged up to %d", c.Span.Start)
	case c.Span.Start < g.at:
		g.bad(fmt.Sprintf("%s at %d", name, c.Span.Start), "the capture begins before the one ahead of it ends, at %d", g.at)
	}
	g.at = c.Span.End
}

func (g *gaps) end(unlessClean string) {
	if g.f.size != g.f.row.Committed {
		g.bad(g.f.name, "has %d bytes, %d are acknowledged%s", g.f.size, g.f.row.Committed, unlessClean)
	}
	if g.at != g.f.row.Committed {
		g.bad(g.f.name, "captures end at %d, %d bytes are acknowledged", g.at, g.f.row.Committed)
	}
}
