package job

import (
	"exclave/frontier"
	"exclave/warc"
)

// archive lets the frontier's committer speak to the WARC files.
type archive struct{ pool *warc.Pool }

var _ frontier.Archive = archive{}

func (a archive) Sync(files []uint32) error { return a.pool.Sync(files) }

func (a archive) Committed(file uint32, length int64) ([]frontier.FileRow, error) {
	done, err := a.pool.Committed(file, length)
	return finalRows(done), err
}

func (a archive) FileName(file uint32) string {
	s, _ := a.pool.File(file)
	return s.Name
}

// finalRows are the rows of files that got their final names. Committed is left
// to the frontier, which knows it.
func finalRows(done []warc.Event) []frontier.FileRow {
	var rows []frontier.FileRow
	for _, e := range done {
		rows = append(rows, frontier.FileRow{Number: e.File, Name: e.Name, Final: true})
	}
	return rows
}
