// Package elsewhere reads WARC files of a job that are not in its folder, where the register says that exclave stored them.
// Credentials are those of the job's section store. What is not here: whether what is read is right.
package elsewhere

import (
	"context"
	"fmt"
	"io/fs"
	"sync"

	"exclave/internal/job/folder"
	"exclave/warc/store"
)

// Files finds and opens files that are elsewhere. Make it with [Of]; several goroutines may use it.
type Files struct {
	folder.Folder

	mu     sync.Mutex
	known  folder.MovedFiles
	stores map[store.Config]*store.Store
}

// Of returns the files of a job that are elsewhere.
func Of(f folder.Folder) *Files { return &Files{Folder: f, stores: map[store.Config]*store.Store{}} }

// Has reports whether a file is registered as elsewhere. The register is read again when it did not have it; one that cannot be read has nothing.
func (e *Files) Has(name string) bool {
	_, ok, err := e.Find(name)
	return ok && err == nil
}

// Find returns where a file is, by the register, which is read again when it did not have it.
func (e *Files) Find(name string) (folder.Moved, bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if m, ok := e.known.Find(name); ok {
		return m, true, nil
	}
	var err error
	if e.known, err = e.Moved(); err != nil {
		return folder.Moved{}, false, err
	}
	m, ok := e.known.Find(name)
	return m, ok, nil
}

// Open opens a file that is not in the job's folder, to be read in pieces of so many bytes until ctx is done. The error wraps [fs.ErrNotExist] when nobody
// knows where it is, or it is not there any more.
func (e *Files) Open(ctx context.Context, name string, piece int) (*store.Object, error) {
	m, ok, err := e.Find(name)
	if ok && !m.Stored() { // it may be by now
		e.mu.Lock()
		e.known = nil
		e.mu.Unlock()
		m, ok, err = e.Find(name)
	}
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, fmt.Errorf("job: %s is not in its folder, and not registered as moved: put it back from a copy: %w", name, fs.ErrNotExist)
	case !m.Stored():
		return nil, fmt.Errorf("job: %s is not in its folder; it was moved away (%q): put it back for as long as it is needed: %w", name, m.To, fs.ErrNotExist)
	}
	s, base, err := e.store(m)
	if err != nil {
		return nil, fmt.Errorf("job: %s is not in its folder, but at %s: %w", name, m.To, err)
	}
	o, err := s.Open(ctx, base, piece)
	if err != nil {
		return nil, fmt.Errorf("job: %s is not in its folder, but elsewhere: %w", name, err)
	}
	return o, nil
}

// store returns the Store of the place where a file is.
func (e *Files) store(m folder.Moved) (*store.Store, string, error) {
	c := e.Config.Storage()
	var name string
	c.To, name = store.Split(m.To)
	c.Endpoint = m.Endpoint
	if m.Region != "" {
		c.Region = m.Region
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.stores[c]; s != nil {
		return s, name, nil
	}
	s, err := store.New(c, store.Options{FS: e.FS, Clock: e.Clock})
	if err != nil {
		return nil, "", err
	}
	e.stores[c] = s
	return s, name, nil
}
