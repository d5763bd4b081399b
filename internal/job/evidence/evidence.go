// Package evidence keeps the secret that the evidence of a job is hashed under (ADR 14). It lies in the job's folder,
// readable by its owner alone, and goes with checkpoints.
package evidence

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path/filepath"

	"exclave/internal/fsx"
	"exclave/internal/job/folder"
)

const keyBytes = 32

// Key is the secret. It is known to its holder only: nothing prints it.
type Key []byte

// NewKey makes up a secret, which is nowhere until [Key.Write].
func NewKey() Key {
	k := make(Key, keyBytes)
	_, _ = rand.Read(k) // never fails
	return k
}

// Read reads the secret of a job. The error wraps [fs.ErrNotExist] when it has none.
func Read(f folder.Folder) (Key, error) {
	text, err := f.ReadFile(folder.StateDir, folder.EvidenceKeyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("job: read the key of evidence: %w", err)
	}
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	if len(rest) > 2*keyBytes {
		rest = rest[:2*keyBytes]
	}
	key, err := hex.DecodeString(string(rest))
	if err != nil || !bytes.Equal(Key(key).Text(), text) {
		return nil, fmt.Errorf("job: %s is damaged; restore it from a checkpoint (%s), or remove it: "+
			"what is hashed from then on cannot be compared with what was hashed before",
			f.Path(folder.StateDir, folder.EvidenceKeyFile), filepath.Join(folder.CheckpointDir, "NAME", folder.StateDir, folder.EvidenceKeyFile))
	}
	return key, nil
}

// Write makes the secret that of a job, durably.
func (k Key) Write(f folder.Folder) error {
	if err := fsx.WriteFileAtomic(f.FS, f.Path(folder.StateDir, folder.EvidenceKeyFile), k.Text()); err != nil {
		return fmt.Errorf("job: make the key of evidence: %w", err)
	}
	return nil
}

// Text is the file of a key: what it is, the key, its CRC-32C.
func (k Key) Text() []byte {
	return fmt.Appendf(nil, "exclave evidence key 1\n%x %08x\n", []byte(k), crc32.Checksum(k, crc32.MakeTable(crc32.Castagnoli)))
}
