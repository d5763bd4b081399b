package analyzer

import (
	"errors"
	"io"
)

// resources are what the searchers of one Analyzer share: word lists, databases. Each is
// opened once, before the first page, and closed with the Analyzer. The zero value is
// ready.
type resources struct {
	profile int // number of the profile whose searchers are being opened

	opened  map[any]any
	closers []io.Closer
}

// shared returns the resource called key, and opens it when nobody has yet. The key is of
// a type of the searcher's own, so that no two kinds mean the same by it. What has
// Close() error is closed with the Analyzer.
func shared[T any](r *resources, key any, open func() (T, error)) (T, error) {
	if v, ok := provided[T](r, key); ok {
		return v, nil
	}
	v, err := open()
	if err != nil {
		return v, err
	}
	if r.opened == nil {
		r.opened = map[any]any{}
	}
	r.opened[key] = v
	if c, ok := any(v).(io.Closer); ok {
		r.closers = append(r.closers, c)
	}
	return v, nil
}

// provided returns the resource called key when somebody has opened it.
func provided[T any](r *resources, key any) (T, bool) {
	v, ok := r.opened[key].(T)
	return v, ok
}

// close closes what was opened, the last first.
func (r *resources) close() error {
	var errs []error
	for i := len(r.closers) - 1; i >= 0; i-- {
		errs = append(errs, r.closers[i].Close())
	}
	*r = resources{}
	return errors.Join(errs...)
}
