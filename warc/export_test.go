package warc

import (
	"errors"

	"exclave/internal/fsx"
)

// NextFile returns the number the next new file will have.
func (p *Pool) NextFile() uint32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.next
}

// verifyFile returns the defects of a file.
func verifyFile(fs fsx.FS, name string, each func(RecordInfo) error) (defects []Defect, err error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	err = VerifyFrom(f, func(i *RecordInfo) error { return each(*i) }, func(d Defect) { defects = append(defects, d) })
	return defects, err
}
