package collection

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"exclave/internal/fsx"
)

// Files beside the collections.
const (
	HostsName = "hosts.tsv"
	lockName  = "split.lock" // tells a folder in the making from anything else
	sortName  = "sort"       // folder of temporary files
)

// Errors of Make that callers tell apart.
var (
	ErrExists  = errors.New("is there already; name a new folder, or remove it")
	ErrNoSeeds = errors.New("the logs name no address that can be fetched")
)

// Make makes the folder dir with a folder for each collection and hosts.tsv. read
// gives logs to the Gatherer. job returns the text of a collection's job.toml, of
// which the name and the file of seeds are given.
//
// Everything is made in dir.tmp, which becomes dir when it is complete and durable.
// After an error nothing is left; what a crash leaves, the next call clears away.
func Make(ctx context.Context, dir string, o Options, p Plan, read func(*Gatherer) error, job func(name, seeds string) []byte) (_ []Collection, t Totals, err error) {
	if err := p.Validate().Err("collection"); err != nil {
		return nil, t, err
	}
	m := maker{dir: filepath.Clean(dir)}
	if err := m.begin(); err != nil {
		return nil, t, err
	}
	defer func() { err = errors.Join(err, m.end(err == nil)) }()
	o.Dir, o.Vias = m.path(sortName), true
	g := New(o)
	defer g.Close()
	if err := read(g); err != nil {
		return nil, t, err
	}
	hosts, err := create(m.path(HostsName))
	if err != nil {
		return nil, t, err
	}
	made, t, err := g.Split(ctx, p, hosts, func(name string) (io.WriteCloser, error) {
		if err := os.Mkdir(m.path(name), fsx.FolderMode); err != nil {
			return nil, fmt.Errorf("collection: %w", err)
		}
		return create(m.path(name, g.SeedsName()))
	})
	if err := errors.Join(err, hosts.Close()); err != nil {
		return nil, t, err
	}
	if len(made) == 0 {
		return nil, t, fmt.Errorf("collection: %w", ErrNoSeeds)
	}
	for _, c := range made {
		if err := fsx.WriteFileAtomic(fsx.Real(), m.path(c.Name, "job.toml"), job(c.Name, g.SeedsName())); err != nil {
			return nil, t, err
		}
	}
	return made, t, nil
}

// maker makes a folder under a temporary name.
type maker struct {
	dir  string
	lock io.Closer
}

func (m *maker) path(parts ...string) string {
	return filepath.Join(append([]string{m.dir + ".tmp"}, parts...)...)
}

// begin makes the temporary folder, or takes over what a crash left of one.
func (m *maker) begin() error {
	if _, err := os.Lstat(m.dir); err == nil {
		return fmt.Errorf("collection: %s %w", m.dir, ErrExists)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("collection: %w", err)
	}
	if err := fsx.MkdirAll(fsx.Real(), filepath.Dir(m.dir)); err != nil {
		return fmt.Errorf("collection: %w", err)
	}
	err := os.Mkdir(m.path(), fsx.FolderMode)
	if errors.Is(err, fs.ErrExist) {
		if _, err := os.Stat(m.path(lockName)); err != nil {
			return fmt.Errorf("collection: %s %w", m.path(), ErrExists)
		}
		err = nil
	}
	if err != nil {
		return fmt.Errorf("collection: %w", err)
	}
	if m.lock, err = fsx.Real().Lock(m.path(lockName)); err != nil {
		return fmt.Errorf("collection: %s is being made by another process: %w", m.dir, err)
	}
	left, err := os.ReadDir(m.path())
	for _, e := range left {
		if e.Name() != lockName {
			err = errors.Join(err, os.RemoveAll(m.path(e.Name())))
		}
	}
	if err = errors.Join(err, os.Mkdir(m.path(sortName), fsx.FolderMode)); err != nil {
		return errors.Join(fmt.Errorf("collection: %w", err), m.lock.Close())
	}
	return nil
}

// end gives the folder its name, or removes it.
func (m *maker) end(whole bool) error {
	if !whole {
		return errors.Join(os.RemoveAll(m.path()), m.lock.Close())
	}
	err := errors.Join(os.RemoveAll(m.path(sortName)), fsx.SyncDir(fsx.Real(), m.path()))
	if err == nil {
		err = os.Rename(m.path(), m.dir)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("collection: %w", err), os.RemoveAll(m.path()), m.lock.Close())
	}
	err = errors.Join(fsx.SyncDir(fsx.Real(), filepath.Dir(m.dir)), m.lock.Close(), os.Remove(filepath.Join(m.dir, lockName)))
	if err != nil {
		return fmt.Errorf("collection: %w", err)
	}
	return nil
}

// durable is a file that is on the disk when it is closed.
type durable struct{ *os.File }

func create(name string) (durable, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, fsx.FileMode)
	if err != nil {
		return durable{}, fmt.Errorf("collection: %w", err)
	}
	return durable{f}, nil
}

// Close implements io.Closer.
func (d durable) Close() error { return errors.Join(d.Sync(), d.File.Close()) }
