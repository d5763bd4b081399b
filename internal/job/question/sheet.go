package question

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"exclave/config"
	"exclave/frontier"
	"exclave/internal/job/folder"
	"exclave/internal/job/rules"
	"exclave/internal/job/view"
	"exclave/internal/sheet"
	"exclave/internal/urlx"
)

// ErrProfile is wrapped by the error of Sheet when the job has no such profile.
var ErrProfile = errors.New("not a profile of this job")

// SheetAnswer is what sheets set for a URL. Fields may be added.
type SheetAnswer struct {
	URL       string          `json:"url"`
	Sheets    int             `json:"sheets"`               // how many the job has
	ByProfile int             `json:"by_profile,omitempty"` // how many of them are for profiles
	Profiles  []string        `json:"profiles,omitempty"`   // which the URL is of now, or was asked about as if it were
	Applied   []sheet.Applied `json:"applied"`              // by keys; none: what job.toml says holds
}

// Sheet tells what the sheets in force set for a URL, and why: as its claim is now or, with profiles, as if it were of these.
func (a *Answers) Sheet(_ context.Context, raw string, profiles []string) (SheetAnswer, error) {
	q := sheetQuestion{a.Sheets.Now(), a.Analyzer.Names()}
	return q.answer(raw, profiles, func(u *urlx.URL) (uint8, error) { return profilesOf(a.State, a.Config, u) })
}

// SheetOf is [Answers.Sheet] of a job that does not run, begun or not: of the sheets in its folder. Its state is opened only
// when a sheet is for profiles and none are given.
func SheetOf(ctx context.Context, f folder.Folder, raw string, profiles []string) (SheetAnswer, error) {
	names, err := f.Config.Analyzer().Names()
	if err != nil {
		return SheetAnswer{}, fmt.Errorf("job: sheet: %w", err)
	}
	set, err := rules.Sheets(f, names)
	if err != nil {
		return SheetAnswer{}, err
	}
	q := sheetQuestion{set, names}
	return q.answer(raw, profiles, func(u *urlx.URL) (profiles uint8, err error) {
		v, err := view.Open(ctx, f, view.Options{})
		if errors.Is(err, folder.ErrNotBegun) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, v.Close()) }()
		return profilesOf(v.State, f.Config, u)
	})
}

// profilesOf returns which profiles a URL is of, by its claim; one that is not known is of none.
func profilesOf(state *frontier.Frontier, cfg *config.Config, u *urlx.URL) (uint8, error) {
	r, err := state.Lookup(cfg.URL.Key(u.WithoutUserinfo().WithoutFragment()))
	if r == nil || err != nil {
		return 0, err
	}
	return r.Claim.Profiles(), nil
}

// sheetQuestion is asked of a set; names are those of the job's profiles.
type sheetQuestion struct {
	set   *sheet.Set
	names []string
}

func (q sheetQuestion) answer(raw string, profiles []string, known func(*urlx.URL) (uint8, error)) (SheetAnswer, error) {
	u, err := urlx.Parse(raw)
	if err != nil {
		return SheetAnswer{}, fmt.Errorf("job: sheet: %w: %w", ErrURL, err)
	}
	var of uint8
	for _, name := range profiles {
		i := slices.Index(q.names, name)
		if i < 0 {
			return SheetAnswer{}, fmt.Errorf("job: sheet: %q: %w; it has %s", name, ErrProfile, strings.Join(q.names, ", "))
		}
		of |= 1 << i
	}
	if len(profiles) == 0 && q.set.ByProfile() > 0 {
		if of, err = known(u); err != nil {
			return SheetAnswer{}, fmt.Errorf("job: sheet: %w", err)
		}
	}
	out := SheetAnswer{URL: u.WithoutUserinfo().String(), Sheets: q.set.Len(), ByProfile: q.set.ByProfile(), Applied: q.set.Explain(u, of)}
	if out.Applied == nil {
		out.Applied = []sheet.Applied{} // [] for programs
	}
	for i, name := range q.names {
		if of&(1<<i) != 0 {
			out.Profiles = append(out.Profiles, name)
		}
	}
	return out, nil
}
