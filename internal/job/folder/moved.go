package folder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"exclave/internal/fsx"
)

// MovedFile is the register, in a job's folder, of complete WARC files and parts of logs that are elsewhere: one JSON object a line.
const MovedFile = "moved.jsonl"

// Names, within StateDir, of locks: of who writes the register, for a moment, and of who stores WARC files or needs all of them to stay.
const (
	movedLock = "moved.lock"
	storeLock = "store.lock"
)

// Moved is a complete WARC file, or a part of a log, that is elsewhere. Of what exclave put there (SHA256 is not empty) To is an address,
// else it is in the owner's words.
type Moved struct {
	File     string    `json:"file"`               // base name; of a part of a log without ".gz"
	To       string    `json:"to,omitempty"`       // where it is
	Endpoint string    `json:"endpoint,omitempty"` // of the S3 server, when it is not Amazon's
	Region   string    `json:"region,omitempty"`   // of the bucket
	SHA256   string    `json:"sha256,omitempty"`   // in hexadecimal
	Size     int64     `json:"size"`               // bytes; of a part of a log before it was compressed
	Time     time.Time `json:"time"`               // of the registration
	Deleted  bool      `json:"deleted,omitempty"`  // exclave deleted the file here
}

// Stored reports whether exclave put the file there and compared it.
func (m Moved) Stored() bool { return m.SHA256 != "" }

// MovedFiles are the files that are elsewhere, in the order in which they were registered. A file has a row for each place.
type MovedFiles []Moved

// Has reports whether a file is elsewhere.
func (m MovedFiles) Has(name string) bool {
	return slices.ContainsFunc(m, func(e Moved) bool { return e.File == name })
}

// Find returns where a file is: the newest place that exclave put it, or else the newest one.
func (m MovedFiles) Find(name string) (found Moved, ok bool) {
	for _, e := range m {
		if e.File == name && (!ok || e.Stored() || !found.Stored()) {
			found, ok = e, true
		}
	}
	return found, ok
}

// Moved reads the register of the job; without one nothing was moved.
func (f Folder) Moved() (MovedFiles, error) {
	text, err := f.ReadFile(MovedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("job: read %s: %w", f.Path(MovedFile), err)
	}
	var all MovedFiles
	n := 0
	for line := range bytes.Lines(text) {
		if n++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e Moved
		err := json.Unmarshal(line, &e)
		if err == nil && e.File == "" {
			err = errors.New("it names no file")
		}
		if err != nil {
			return nil, fmt.Errorf("job: %s line %d: is not what exclave moved writes (%w); mend or delete the line", f.Path(MovedFile), n, err)
		}
		all = append(all, e)
	}
	return all, nil
}

// Register adds rows to the register, and replaces those of the same file and place. It may be called beside a crawl, and by several
// processes; each waits for the other, for some seconds at most.
func (f Folder) Register(rows ...Moved) error {
	return f.Alone(func() error { return f.register(rows) })
}

func (f Folder) register(rows []Moved) error {
	all, err := f.Moved()
	if err != nil {
		return err
	}
	for _, r := range rows {
		if i := slices.IndexFunc(all, func(e Moved) bool { return e.File == r.File && e.To == r.To }); i >= 0 {
			all[i] = r
		} else {
			all = append(all, r)
		}
	}
	var b []byte
	for _, e := range all {
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("job: %w", err)
		}
		b = append(append(b, line...), '\n')
	}
	return fsx.WriteFileAtomic(f.FS, f.Path(MovedFile), b)
}

// Alone calls fn while nobody else writes the register of moved files or the manifest of WARC files. It waits for whoever does, for some seconds at most.
func (f Folder) Alone(fn func() error) error {
	const pause, most = 20 * time.Millisecond, 500
	for n := 0; ; n++ {
		lock, err := f.FS.Lock(f.Path(StateDir, movedLock))
		if err == nil {
			return errors.Join(fn(), lock.Close())
		}
		if n == most || errors.As(err, new(*fs.PathError)) {
			return fmt.Errorf("job: lock %s: %w", f.Path(StateDir, movedLock), err)
		}
		<-f.Clock.NewTimer(pause).C()
	}
}

// ErrStoring is wrapped by the error of HoldFiles when another process stores WARC files of the job, or needs them to stay.
var ErrStoring = errors.New("another process stores WARC files of this job, or reads all of them")

// HoldFiles keeps other processes from deleting complete WARC files of the job, or from needing them to stay, until what it returns is closed.
func (f Folder) HoldFiles() (io.Closer, error) {
	lock, err := f.FS.Lock(f.Path(StateDir, storeLock))
	if err == nil || errors.As(err, new(*fs.PathError)) {
		return lock, err
	}
	return nil, fmt.Errorf("job: %s: %w (%w); stop it first, or wait for its end", f.Dir(), ErrStoring, err)
}
