package job

import (
	"context"
	"errors"
	"time"

	"exclave/internal/job/folder"
	"exclave/internal/job/moved"
	"exclave/internal/job/storage"
	"exclave/internal/printable"
	"exclave/warc/store"
)

// uploads stores complete WARC files elsewhere, beside the crawl and one after the other, when the section store says where. Nothing waits for it:
// what one run does not come to, the next one does, or exclave store (ADR 77).
type uploads struct {
	j    *Job
	wake chan struct{}
}

func newUploads(j *Job) *uploads { return &uploads{j: j, wake: make(chan struct{}, 1)} }

// How long is waited after a failure: one that may pass, and one that somebody has to end.
const (
	uploadPause = time.Minute
	deniedPause = 10 * time.Minute
)

// look says that there may be something to store.
func (u *uploads) look() {
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// watch stores what is complete, and then what becomes so, until ctx is done.
func (u *uploads) watch(ctx context.Context) {
	if !u.j.cfg.Store.On() {
		return
	}
	for {
		err := u.round(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			select {
			case <-ctx.Done():
				return
			case <-u.wake:
			}
			continue
		}
		pause := uploadPause
		if errors.Is(err, store.ErrDenied) || errors.Is(err, store.ErrSettings) || errors.Is(err, store.ErrTaken) || errors.Is(err, store.ErrChanged) {
			pause = deniedPause
		}
		if !errors.Is(err, folder.ErrStoring) { // exclave store does it
			u.j.opts.Log.Warn("a WARC file is not stored; the crawl goes on, and it is tried again", "err", err, "after", pause)
		}
		t := u.j.opts.Clock.NewTimer(pause)
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C():
		}
	}
}

// round stores what is complete and not stored. A file that cannot be stored does not keep others from it.
func (u *uploads) round(ctx context.Context) (err error) {
	s, err := storage.Open(u.j.folder, u.j.cfg.Storage(), u.j.cfg.WARC.CDXJ)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	waiting, err := s.Waiting(moved.Files(u.j.frontier))
	if err != nil {
		return err
	}
	for _, f := range waiting {
		_, failed := s.Put(ctx, f)
		if failed == nil {
			continue
		}
		err = errors.Join(err, failed)
		if !errors.Is(failed, store.ErrTaken) && !errors.Is(failed, store.ErrChanged) {
			break
		}
	}
	return err
}

// tell says what is not stored at the end of a run.
func (u *uploads) tell() {
	if !u.j.cfg.Store.On() {
		return
	}
	waiting, err := storage.Waiting(u.j.folder, u.j.cfg.Storage(), moved.Files(u.j.frontier))
	if err != nil {
		u.j.opts.Log.Warn("it is not known which WARC files are stored", "err", err)
		return
	}
	var size int64
	for _, f := range waiting {
		size += f.Size
	}
	if len(waiting) > 0 {
		u.j.opts.Log.Warn("WARC files are not stored yet; the next run does it, or exclave store", "files", len(waiting), "size", printable.Size(size),
			"to", u.j.cfg.Store.To, "job", u.j.folder.Dir())
	}
}
