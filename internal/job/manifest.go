package job

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"

	"exclave/internal/job/folder"
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
		e := m.one(ctx, names[i], sums, unread == nil)
		if errors.Is(e, fs.ErrNotExist) { // moved away
			e = nil
		}
		err = errors.Join(err, e)
		var damaged *warc.Defect
		if e != nil && !errors.As(e, &damaged) {
			break // it holds for all: a full disk
		}
	}
	switch {
	case ctx.Err() != nil:
		m.mu.Lock()
		m.pending = append(names, m.pending...)
		m.mu.Unlock()
	case err != nil:
		m.j.opts.Log.Warn("WARC files are not registered in their manifest, or not indexed; the next run makes it good", "err", err)
	}
}

// one makes what is missing of a file.
func (m *manifest) one(ctx context.Context, name string, sums warc.Manifest, known bool) error {
	fsys, dir := m.j.opts.FS, m.j.path(folder.WARCDir)
	var indexed error
	index := func(in io.Reader) {
		indexed = cdx.WriteReady(ctx, fsys, m.j.path(folder.IndexDir), name, in, m.j.path(folder.StateDir, folder.ScratchDir))
	}
	if _, err := fsys.Stat(m.j.path(folder.IndexDir, name+cdx.ReadySuffix)); !m.j.cfg.WARC.CDXJ || err == nil {
		index = nil
	}
	switch {
	case known && sums[name] == "":
		if err := sums.Add(ctx, fsys, dir, name, index); err != nil {
			return err
		}
		return errors.Join(sums.Write(fsys, dir), indexed)
	case index == nil:
		return nil
	}
	f, err := fsys.Open(fsys.PathJoin(dir, name))
	if err != nil {
		return err
	}
	index(f)
	return errors.Join(indexed, f.Close())
}
