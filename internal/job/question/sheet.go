package question

import (
	"context"
	"fmt"

	"exclave/internal/job/folder"
	"exclave/internal/job/rules"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
)

// SheetAnswer is what sheets set for a URL.
type SheetAnswer struct {
	URL     string          `json:"url"`
	Sheets  int             `json:"sheets"`  // how many the job has
	Applied []sheet.Applied `json:"applied"` // by keys; none: what job.toml says holds
}

// Sheet tells what the sheets in force set for a URL, and why.
func (a *Answers) Sheet(_ context.Context, raw string) (SheetAnswer, error) {
	return ofSheet(a.Sheets.Now(), raw)
}

// SheetOf is [Answers.Sheet] of a job that does not run, begun or not: of the sheets in its folder.
func SheetOf(f folder.Folder, raw string) (SheetAnswer, error) {
	set, err := rules.Sheets(f)
	if err != nil {
		return SheetAnswer{}, err
	}
	return ofSheet(set, raw)
}

func ofSheet(set *sheet.Set, raw string) (SheetAnswer, error) {
	u, err := urlx.Parse(raw)
	if err != nil {
		return SheetAnswer{}, fmt.Errorf("job: sheet: %w: %w", ErrURL, err)
	}
	return SheetAnswer{u.String(), set.Len(), set.Explain(u)}, nil
}
