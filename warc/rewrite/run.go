package rewrite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"exclave/warc"
)

// Input is a file to be read. With an io.Seeker, damage costs less; an io.Closer is closed at its end.
type Input struct {
	Name string
	R    io.Reader
}

// Plan says what a Run does.
type Plan struct {
	// Keep says of each record of a capture whether it is written; nil keeps all. Of one that is not, it says why. Warcinfo records are
	// not asked about: they follow what they describe.
	Keep func(capture []*Record) []Fate
	// Name returns the name of the output for a capture, given what the last one has; without it all goes to Output.
	Name   func(s *Set, capture []*Record) (string, error)
	Output string
	// Damage, when set, is told of each defect, and what is whole is copied. Without it a defect ends the Run with it as error.
	Damage func(input string, d warc.Defect)
	// Left is told of each record that is not written; Written of each that is. Either may be nil.
	Left, Written func(r *Record, why string)
	Temp          string // folder of temporary files; empty: the system's
	EveryInfo     bool   // warcinfo records that describe nothing are written too
}

// Fate is what happens to a record.
type Fate struct {
	Drop bool
	Why  string
}

// run is a Run under way.
type run struct {
	ctx     context.Context
	plan    *Plan
	set     *Set
	info    *Record // of the input, that describes what follows
	fresh   bool    // info was not written anywhere
	capture []*Record
	ids     map[string]bool // of the capture, and what it names
}

// Run copies inputs to the outputs of a Set, and commits it. After an error nothing is left.
func Run(ctx context.Context, inputs []Input, plan *Plan, set *Set) (err error) {
	r := &run{ctx: ctx, plan: plan, set: set, ids: map[string]bool{}}
	defer func() {
		r.drop()
		if r.info != nil {
			err = errors.Join(err, r.info.Close())
		}
		if err != nil {
			err = errors.Join(err, set.Abort())
		}
	}()
	for _, in := range inputs {
		if err := r.input(in); err != nil {
			return in.wrong(err)
		}
	}
	return set.Commit()
}

// wrong puts the name of the input to an error.
func (in *Input) wrong(err error) error {
	var d *warc.Defect
	if errors.As(err, &d) {
		d.File = in.Name
		return err
	}
	return fmt.Errorf("%s: %w", in.Name, err)
}

func (r *run) input(in Input) (err error) {
	if c, ok := in.R.(io.Closer); ok {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	reader := warc.NewReader(in.R)
	if r.plan.Damage != nil {
		reader = warc.NewTolerantReader(in.R, func(d warc.Defect) { r.plan.Damage(in.Name, d) })
	}
	if err := r.newInfo(nil); err != nil {
		return err
	}
	for {
		e, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return errors.Join(r.flush(), r.newInfo(nil))
		}
		if err != nil {
			return err
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		rec, ok, err := Read(reader, e, in.Name, r.plan.Temp)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := r.add(rec); err != nil {
			return err
		}
	}
}

// add takes the next record of the input.
func (r *run) add(rec *Record) error {
	if rec.Type == warc.TypeWarcinfo {
		if err := r.flush(); err != nil {
			return err
		}
		return r.newInfo(rec)
	}
	if len(r.capture) > 0 && (!r.belongs(rec) || len(r.capture) == mostTogether) {
		if err := r.flush(); err != nil {
			return errors.Join(err, rec.Close())
		}
	}
	r.capture = append(r.capture, rec)
	r.ids[rec.ID] = true
	for _, id := range rec.names() {
		r.ids[id] = true
	}
	return nil
}

// belongs reports whether a record is of the capture: they name each other or the same one.
func (r *run) belongs(rec *Record) bool {
	return rec.ID != "" && r.ids[rec.ID] || slices.ContainsFunc(rec.names(), func(id string) bool { return r.ids[id] })
}

// newInfo has what follows described by another warcinfo record, or by none.
func (r *run) newInfo(rec *Record) error {
	var err error
	if r.info != nil {
		if r.fresh && r.plan.EveryInfo {
			err = r.write([]*Record{}, true)
		}
		err = errors.Join(err, r.info.Close())
	}
	r.info, r.fresh = rec, rec != nil
	return err
}

func (r *run) drop() {
	for _, rec := range r.capture {
		_ = rec.Close() // a temporary file without a name
	}
	r.capture = r.capture[:0]
	clear(r.ids)
}

// flush writes the capture.
func (r *run) flush() error {
	defer r.drop()
	if len(r.capture) == 0 {
		return nil
	}
	kept := r.capture
	if r.plan.Keep != nil {
		kept = nil
		for i, f := range r.plan.Keep(r.capture) {
			switch {
			case !f.Drop:
				kept = append(kept, r.capture[i])
			case r.plan.Left != nil:
				r.plan.Left(r.capture[i], f.Why)
			}
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return r.write(kept, false)
}

// write appends records to their output, behind the warcinfo record that describes them.
func (r *run) write(kept []*Record, infoOnly bool) error {
	name, about := r.plan.Output, kept
	if infoOnly {
		about = []*Record{r.info}
	}
	if r.plan.Name != nil {
		var err error
		if name, err = r.plan.Name(r.set, about); err != nil {
			return err
		}
	}
	o, err := r.set.File(name)
	if err != nil {
		return err
	}
	if r.info != nil && o.info != r.info.place() {
		o.info, r.fresh = r.info.place(), false
		if err := r.one(o, r.info); err != nil {
			return err
		}
	}
	for _, rec := range kept {
		if err := r.one(o, rec); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) one(o *Output, rec *Record) error {
	if err := r.set.Write(o, rec); err != nil {
		return err
	}
	if r.plan.Written != nil {
		r.plan.Written(rec, o.Name)
	}
	return nil
}

func (r *Record) place() string { return fmt.Sprintf("%s %d", r.Input, r.Offset) }
