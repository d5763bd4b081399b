package job

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path/filepath"

	"exclave/analyzer"
	"exclave/crawl"
	"exclave/internal/fsx"
	"exclave/internal/job/folder"
	"exclave/internal/logparts"
)

const evidenceKeyBytes = 32

// openEvidenceKey reads the job's secret, and thinks of one for a job that has none: keepEvidenceKey writes it.
func (j *Job) openEvidenceKey(context.Context) error {
	name := j.path(folder.StateDir, folder.EvidenceKeyFile)
	text, err := folder.ReadFile(j.opts.FS, name)
	if errors.Is(err, fs.ErrNotExist) {
		j.evidenceKey = make([]byte, evidenceKeyBytes)
		_, _ = rand.Read(j.evidenceKey) // never fails
		j.newKey = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("job: read the key of evidence: %w", err)
	}
	_, rest, _ := bytes.Cut(text, []byte("\n"))
	if len(rest) > 2*evidenceKeyBytes {
		rest = rest[:2*evidenceKeyBytes]
	}
	key, err := hex.DecodeString(string(rest))
	if err != nil || !bytes.Equal(evidenceKeyText(key), text) {
		return fmt.Errorf("job: %s is damaged; restore it from a checkpoint (%s), or remove it: "+
			"what is hashed from then on cannot be compared with what was hashed before",
			name, filepath.Join(folder.CheckpointDir, "NAME", folder.StateDir, folder.EvidenceKeyFile))
	}
	j.evidenceKey = key
	return nil
}

// keepEvidenceKey writes a new secret, once the state was not refused: nothing was changed until then.
func (j *Job) keepEvidenceKey(context.Context) error {
	if !j.newKey {
		return nil
	}
	if err := fsx.WriteFileAtomic(j.opts.FS, j.path(folder.StateDir, folder.EvidenceKeyFile), evidenceKeyText(j.evidenceKey)); err != nil {
		return fmt.Errorf("job: make the key of evidence: %w", err)
	}
	j.tellNewKey()
	return nil
}

// tellNewKey says that what is hashed from now on cannot be compared with what was.
func (j *Job) tellNewKey() {
	log := j.path(folder.LogDir, crawl.LogAnalysis.Name())
	if logparts.Any(j.opts.FS, j.path(folder.LogDir), crawl.LogAnalysis.Name()) && j.cfg.Analysis.Evidence == analyzer.DetailHashed {
		j.opts.Log.Warn("the job had no key for hashed evidence, or one that was not secret; from now on it is hashed under a new one", "log", log)
	}
}

// evidenceKeyText is the file of a key: what it is, the key, its CRC-32C.
func evidenceKeyText(key []byte) []byte {
	return fmt.Appendf(nil, "exclave evidence key 1\n%x %08x\n", key, crc32.Checksum(key, crc32.MakeTable(crc32.Castagnoli)))
}
