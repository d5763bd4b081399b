package warc

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// VerifyReader is [VerifyFrom] of a stream; of an io.Seeker damage costs less. Records are read and unpacked by one goroutine and checked by
// another, from which each and report are called, in the order of the file, and never after VerifyReader has returned.
func VerifyReader(f io.Reader, each func(*RecordInfo) error, report func(Defect)) error {
	p := &pipeline{todo: make(chan *checkJob, ahead), free: make(chan []byte, ahead+2), quit: make(chan struct{})}
	v := verifier{second: newSecondOpinion(), scratch: &scratch{}, each: each, tell: report}
	ended := make(chan error, 1)
	go func() {
		defer close(p.todo)
		ended <- p.read(f, &v)
	}()
	var wrong error
	for job := range p.todo {
		if wrong == nil {
			if wrong = job.check(&v); wrong != nil {
				close(p.quit)
			}
		}
		select {
		case p.free <- job.block[:0]:
		default:
		}
		if job.done != nil {
			close(job.done)
		}
	}
	return errors.Join(wrong, <-ended)
}

// ahead is how many records are unpacked and wait to be checked.
const ahead = 8

type pipeline struct {
	todo chan *checkJob
	free chan []byte   // to read blocks into
	quit chan struct{} // closed when nobody checks any more
	told []Defect      // of the reader, since the last job
}

// checkJob is a record that was read, or only what was wrong.
type checkJob struct {
	before []Defect
	entry  *Entry
	block  []byte
	length int64         // -1: there is no record
	done   chan struct{} // closed when it was checked; may be nil
}

func (j *checkJob) check(v *verifier) error {
	found := v.found
	for _, d := range j.before {
		v.report(d)
	}
	if j.length < 0 {
		return nil
	}
	e := *j.entry
	if !slices.ContainsFunc(j.before, func(d Defect) bool { return d.Offset == e.Offset }) {
		found = v.found // what is wrong is not this record
	}
	e.Block = bytes.NewReader(j.block)
	b, err := v.scratch.digest(&e)
	if err != nil {
		return err
	}
	return v.judge(&e, j.length, b, found)
}

// errQuit ends reading for an error that the one who checks returns.
var errQuit = errors.New("warc: verify: ended")

func (p *pipeline) give(j *checkJob) error {
	j.before, p.told = p.told, nil
	select {
	case p.todo <- j:
		return nil
	case <-p.quit:
		return errQuit
	}
}

// read reads every record. The verifier is only touched while nobody else checks.
func (p *pipeline) read(f io.Reader, v *verifier) error {
	r := NewTolerantReader(f, func(d Defect) { p.told = append(p.told, d) })
	for stream := false; ; {
		e, err := r.Next()
		if r.Stream() && !stream {
			stream = true
			p.told = append(p.told, *defect(0, KindFormat, "%s", streamed))
		}
		if err == nil && e.Size > wholeBlock {
			err = p.large(r, e, v)
		} else if err == nil {
			err = p.small(r, e)
		}
		switch {
		case errors.Is(err, io.EOF):
			err = p.give(&checkJob{length: -1})
			fallthrough
		case err != nil:
			if errors.Is(err, errQuit) {
				return nil
			}
			return err
		}
	}
}

// small hands over a record.
func (p *pipeline) small(r *Reader, e *Entry) error {
	var block []byte
	select {
	case block = <-p.free:
	default:
	}
	b := bytes.NewBuffer(block)
	_, err := b.ReadFrom(e.Block)
	var d *Defect
	if err != nil && !errors.As(err, &d) {
		return err
	}
	length, err := r.Finish()
	if err != nil && err != io.EOF {
		return err
	}
	if length < 0 { // what the reader has told comes with the next one
		return nil
	}
	return p.give(&checkJob{entry: e, block: b.Bytes(), length: length})
}

// large checks a record while it is read, when everything before it was checked.
func (p *pipeline) large(r *Reader, e *Entry, v *verifier) error {
	j := &checkJob{length: -1, done: make(chan struct{})}
	if err := p.give(j); err != nil {
		return err
	}
	select {
	case <-j.done:
	case <-p.quit:
		return errQuit
	}
	b, digestErr := v.scratch.digest(e)
	found := v.found
	length, err := r.Finish()
	if err != nil && err != io.EOF {
		return err
	}
	for _, d := range p.told {
		v.report(d)
	}
	p.told = nil
	if length < 0 || digestErr != nil {
		return nil
	}
	return v.judge(e, length, b, found)
}
