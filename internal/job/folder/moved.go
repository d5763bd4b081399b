package folder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"exclave/internal/fsx"
)

// MovedFile is the register, in a job's folder, of complete WARC files and parts of logs that their owner moved
// away: one JSON object a line.
const MovedFile = "moved.jsonl"

// Moved is a complete WARC file, or a part of a log, that was moved away.
type Moved struct {
	File string    `json:"file"`         // base name; of a part of a log without ".gz"
	To   string    `json:"to,omitempty"` // where it is, in the owner's words
	Size int64     `json:"size"`         // bytes; of a part of a log before it was compressed
	Time time.Time `json:"time"`         // of the registration
}

// MovedFiles are the files that were moved away, in the order in which they were registered.
type MovedFiles []Moved

// Has reports whether a file was moved away.
func (m MovedFiles) Has(name string) bool {
	return slices.ContainsFunc(m, func(e Moved) bool { return e.File == name })
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

// WriteMoved replaces the register: whole, or not at all.
func (f Folder) WriteMoved(all MovedFiles) error {
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
