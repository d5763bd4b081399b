// Package storage stores complete WARC files of a job elsewhere, registers them, and deletes them here when it is told to (ADR 77).
//
// Order, for each file: its digest is that of the manifest; it is stored and compared there; it is registered; it is deleted; that is registered. Whatever
// ends it, the next call goes on there. One Storer of a job is open at a time, in whatever process; a crawl may run beside it.
// What is not here: which files are complete, and when to store them.
package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/job/moved"
	"exclave/warc"
	"exclave/warc/cdx"
	"exclave/warc/store"
)

// Storer stores files of a job in one place. Make it with [Open]; it belongs to one goroutine.
type Storer struct {
	folder.Folder
	with  store.Config
	index bool
	store *store.Store
	lock  io.Closer
}

// Open returns the Storer of a configuration in which names of files are absolute. The error wraps [folder.ErrStoring] when another process
// stores files of the job or needs them to stay, [store.ErrSettings] when the configuration cannot be used. With index a file without a ready index
// gets one before it may be deleted.
func Open(f folder.Folder, c store.Config, index bool) (*Storer, error) {
	s := &Storer{Folder: f, with: c, index: index}
	var err error
	if s.store, err = store.New(c, store.Options{FS: f.FS, Clock: f.Clock, Retry: func(what string, err error, after time.Duration) {
		f.Log.Warn("storage: tried again", "what", what, "err", err, "after", after)
	}}); err != nil {
		return nil, err
	}
	if s.lock, err = f.HoldFiles(); err != nil {
		return nil, err
	}
	return s, nil
}

// Close gives the lock back.
func (s *Storer) Close() error { return s.lock.Close() }

// Waiting returns the complete WARC files among all that are here and are not yet stored in this place, or are to be deleted.
func (s *Storer) Waiting(all []moved.File) ([]moved.File, error) {
	return Waiting(s.Folder, s.with, all)
}

// Waiting is [Storer.Waiting] without one, for a configuration in which names of files are absolute.
func Waiting(j folder.Folder, c store.Config, all []moved.File) (waiting []moved.File, err error) {
	known, err := j.Moved()
	if err != nil {
		return nil, err
	}
	stored := map[string]bool{}
	for _, m := range known {
		stored[m.File] = stored[m.File] || m.Stored() && m.To == c.Address(m.File)
	}
	for _, f := range Complete(all) {
		if stored[f.Name] && !c.Delete {
			continue
		}
		switch _, err := j.FS.Stat(j.Path(folder.WARCDir, f.Name)); {
		case err == nil:
			waiting = append(waiting, f)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("job: %w", err)
		}
	}
	return waiting, nil
}

// Complete returns the complete WARC files among all.
func Complete(all []moved.File) (complete []moved.File) {
	for _, f := range all {
		if f.Dir == folder.WARCDir && f.Complete {
			complete = append(complete, f)
		}
	}
	return complete
}

// Put stores a complete WARC file that is here, registers it, and deletes it here when that is asked for. The error is that of [store.Store.Put], or
// of the disk here.
func (s *Storer) Put(ctx context.Context, f moved.File) (store.Stored, error) {
	digest, err := Digest(ctx, s.Folder, f.Name, s.index)
	switch {
	case digest == "":
		return store.Stored{}, err
	case err != nil:
		s.Log.Warn("a WARC file that is stored has no index", "err", err)
	}
	path := s.Path(folder.WARCDir, f.Name)
	if st, err := s.FS.Stat(path); err != nil || st.Size() != f.Size {
		return store.Stored{}, errors.Join(err, fmt.Errorf("job: %s has not the %d bytes that the state acknowledges: nothing was stored: verify the job, and put the file back from a copy", path, f.Size))
	}
	put, err := s.store.Put(ctx, path, f.Name, digest)
	if err != nil {
		return put, err
	}
	row := folder.Moved{File: f.Name, To: put.Address, SHA256: digest, Size: f.Size, Time: s.Clock.Now().UTC().Truncate(time.Second)}
	if _, disk := store.Folder(s.with.To); !disk {
		row.Endpoint, row.Region = s.with.Endpoint, s.with.Region
	}
	if err := s.Register(row); err != nil || !s.with.Delete {
		return put, err
	}
	if err := errors.Join(s.FS.Remove(path), fsx.SyncDir(s.FS, s.Path(folder.WARCDir))); err != nil {
		return put, fmt.Errorf("job: %s is stored at %s and registered, but not deleted here: %w", path, put.Address, err)
	}
	row.Deleted = true
	return put, s.Register(row)
}

// Digest returns the SHA-256 of a complete WARC file by its line in the manifest, which is added when there is none; with index the file gets its ready
// index, too, when it has none, in the same reading. Without a digest the error says why; with one it is that of the index.
func Digest(ctx context.Context, f folder.Folder, name string, index bool) (digest string, err error) {
	dir := f.Path(folder.WARCDir)
	sums, unread := warc.ReadManifest(f.FS, dir)
	digest = sums[name]
	var indexed error
	var also func(io.Reader)
	if _, err := f.FS.Stat(f.Path(folder.IndexDir, name+cdx.ReadySuffix)); index && err != nil {
		also = func(in io.Reader) {
			indexed = cdx.WriteReady(ctx, f.FS, f.Path(folder.IndexDir), name, in, f.Path(folder.StateDir, folder.ScratchDir))
		}
	}
	if also == nil && (unread != nil || digest != "") {
		return digest, unread
	}
	made := warc.Manifest{}
	if err := made.Add(ctx, f.FS, dir, name, also); err != nil {
		return digest, errors.Join(unread, err)
	}
	if unread != nil || digest != "" {
		return digest, errors.Join(unread, indexed)
	}
	err = f.Alone(func() error { // another process may have added others meanwhile
		sums, err := warc.ReadManifest(f.FS, dir)
		if err != nil {
			return err
		}
		sums[name] = made[name]
		return sums.Write(f.FS, dir)
	})
	if err != nil {
		return "", errors.Join(err, indexed)
	}
	return made[name], indexed
}
