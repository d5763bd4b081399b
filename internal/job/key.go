package job

import (
	"context"
	"errors"
	"io/fs"

	"exclave/analyzer"
	"exclave/crawl"
	"exclave/internal/job/evidence"
	"exclave/internal/job/folder"
	"exclave/internal/logparts"
)

// openKey reads the job's secret, and makes one up for a job that has none: keepKey writes it.
func (j *Job) openKey(context.Context) (err error) {
	if j.key, err = evidence.Read(j.folder); errors.Is(err, fs.ErrNotExist) {
		j.key, j.newKey = evidence.NewKey(), true
		return nil
	}
	return err
}

// keepKey writes a new secret, once the state was not refused: nothing was changed until then. It says when what is
// hashed from now on cannot be compared with what was.
func (j *Job) keepKey(context.Context) error {
	if !j.newKey {
		return nil
	}
	if err := j.key.Write(j.folder); err != nil {
		return err
	}
	log := crawl.LogAnalysis.Name()
	if logparts.Any(j.opts.FS, j.path(folder.LogDir), log) && j.cfg.Analysis.Evidence == analyzer.DetailHashed {
		j.opts.Log.Warn("the job had no key for hashed evidence, or one that was not secret; from now on it is hashed under a new one",
			"log", j.path(folder.LogDir, log))
	}
	return nil
}
