package job

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"exclave/internal/job/folder"
	"exclave/internal/job/storage"
	"exclave/warc"
	"exclave/warc/cdx"
)

// manifest registers complete WARC files in the manifest beside them, and makes their indexes, in one reading of each. Nothing waits for it
// and nothing depends on it: what one run does not come to, or cannot write, the next one makes good (ADR 76, 82).
type manifest struct {
	j    *Job
	wake chan struct{}

	mu      sync.Mutex
	pending []string // complete, not yet looked at

	writing sync.Mutex
}

func newManifest(j *Job) *manifest { return &manifest{j: j, wake: make(chan struct{}, 1)} }

// completed notes files that got their final names.
func (m *manifest) completed(done []warc.Event) {
	if len(done) == 0 {
		return
	}
	m.mu.Lock()
	for _, e := range done {
		m.pending = append(m.pending, e.Name)
	}
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// watch registers what the state knows as complete, and then what becomes so, until ctx is done.
func (m *manifest) watch(ctx context.Context) {
	var names []string
	for _, r := range m.j.frontier.Files() {
		if r.Final {
			names = append(names, r.Name)
		}
	}
	for {
		m.register(ctx, names)
		select {
		case <-ctx.Done():
			return
		case <-m.wake:
			names = nil
		}
	}
}

// register takes names, and what is pending, into the manifest, and indexes them.
func (m *manifest) register(ctx context.Context, names []string) {
	m.mu.Lock()
	names, m.pending = append(names, m.pending...), nil
	m.mu.Unlock()
	if len(names) == 0 {
		return
	}
	m.writing.Lock()
	defer m.writing.Unlock()
	sums, err := warc.ReadManifest(m.j.opts.FS, m.j.path(folder.WARCDir))
	unread := err
	for i := 0; i < len(names) && ctx.Err() == nil; i++ {
		if sums[names[i]] != "" && m.indexed(names[i]) {
			continue
		}
		_, e := storage.Digest(ctx, m.j.folder, names[i], m.j.cfg.WARC.CDXJ)
		if errors.Is(e, fs.ErrNotExist) { // moved away
			e = nil
		}
		if unread != nil {
			continue // an index is made all the same
		}
		err = errors.Join(err, e)
		var damaged *warc.Defect
		if e != nil && !errors.As(e, &damaged) {
			break // it holds for all: a full disk
		}
	}
	m.j.uploads.look()
	switch {
	case ctx.Err() != nil:
		m.mu.Lock()
		m.pending = append(names, m.pending...)
		m.mu.Unlock()
	case err != nil:
		m.j.opts.Log.Warn("WARC files are not registered in their manifest, or not indexed; the next run makes it good", "err", err)
	}
}

// indexed reports whether no index of a file is to be made.
func (m *manifest) indexed(name string) bool {
	_, err := m.j.opts.FS.Stat(m.j.path(folder.IndexDir, name+cdx.ReadySuffix))
	return err == nil || !m.j.cfg.WARC.CDXJ
}
