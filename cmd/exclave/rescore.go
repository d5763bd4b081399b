package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"exclave/analyzer"
	"exclave/config"
	"exclave/internal/job/folder"
	"exclave/internal/printable"
	"exclave/internal/rescore"

	"github.com/spf13/cobra"
)

// changed is a page whose verdict would be another one.
type changed struct {
	URL      string   `json:"url"`
	Valid    bool     `json:"valid"` // now
	Archived bool     `json:"archived"`
	Was      string   `json:"was"` // summaries
	Now      string   `json:"now"`
	Why      []string `json:"why"`
}

// rescored is the summary.
type rescored struct {
	Profile string `json:"profile"`
	rescore.Counts
}

func newRescore() *cobra.Command {
	var (
		profile, from, list string
		without             []string
		show                int
		asJSON              bool
	)
	cmd := &cobra.Command{
		Use:   "rescore JOB",
		Short: "Apply another profile to the logged evidence of a harvest",
		Long: `rescore judges the pages of a harvest again by what searchers found then (analysis.jsonl, all its
parts), without fetching: other points, weights, thresholds, another expression. It says which
verdicts would be others and why, and counts. It finds nothing new: every searcher of the
profile must be in the log, under the same name. The job may be running.

Exit codes: 0 judged again; 1 the log has no verdict; 2 the profile is wrong or needs what the log
does not have, the configuration is wrong; 3 the log cannot be read, the list not written.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			cfg, err := loadJob(cmd, args[0])
			if err != nil {
				return err
			}
			p, err := analyzer.LoadProfile(profile)
			if err != nil {
				return withCode(exitUsage, err)
			}
			for _, name := range without {
				if !slices.ContainsFunc(p.Searchers, func(s analyzer.SearcherConfig) bool { return s.Name == name }) {
					return withCode(exitUsage, fmt.Errorf("--without %q: profile %s has no such searcher", name, p.Name))
				}
			}
			var notes []string
			for _, name := range p.Off(cfg.Analyzer()) {
				if !slices.Contains(without, name) {
					notes = append(notes, fmt.Sprintf("searcher %s is off in the job, and judged without", name))
					without = append(without, name)
				}
			}
			w := &rescoring{notes: append(notes, otherSearchers(cfg, p, from)...), errOut: cmd.ErrOrStderr(), out: cmd.OutOrStdout(), left: show, asJSON: asJSON, sum: rescored{Profile: p.Name}}
			closeList, err := w.open(list)
			if err != nil {
				return withCode(exitFailure, err)
			}
			err = rescore.Log(cmd.Context(), filepath.Join(cfg.Dir, folder.LogDir), analyzer.NewRejudge(p, without...), p.Name, from, w.take)
			if err = errors.Join(err, closeList(err == nil)); err != nil {
				if wrong := (*rescore.Error)(nil); errors.As(err, &wrong) {
					return withCode(exitUsage, fmt.Errorf("rescore: %w", err))
				}
				return withCode(exitFailure, fmt.Errorf("rescore: %w", err))
			}
			if w.sum.Judged == 0 {
				return withCode(exitNegative, fmt.Errorf("rescore %s: analysis.jsonl has no verdict", args[0]))
			}
			return w.end()
		},
	}
	cmd.Flags().StringVar(&profile, "profile", "", "profile to judge by: built-in name or file")
	cmd.Flags().StringVar(&from, "from", "", "profile of the job whose findings are used; without it the one of the same name, or the only one")
	cmd.Flags().StringSliceVar(&without, "without", nil, "searchers of the profile to judge without, as if they were off")
	cmd.Flags().StringVar(&list, "archive-list", "", "write to this file the pages that would have been archived: + is not yet, = is; and - those that are, but would not")
	cmd.Flags().IntVar(&show, "changes", 20, "how many pages with another verdict are shown")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a page with another verdict, all of them, then one with the counts")
	_ = cmd.MarkFlagRequired("profile") // it is there
	return cmd
}

// otherSearchers says which searchers of the job's profile whose findings are used, as rescore.Log chooses it,
// found something else than those of a profile would. Profiles that cannot be read are left out: they are not needed.
func otherSearchers(cfg *config.Config, p analyzer.Profile, from string) (notes []string) {
	for _, name := range cfg.Analysis.Profiles {
		if analyzer.IsFile(name) {
			name = cfg.Path(name)
		}
		was, err := analyzer.LoadProfile(name)
		used := from == "" && len(cfg.Analysis.Profiles) == 1 || was.Name == cmp.Or(from, p.Name)
		if err == nil && used {
			switch names := analyzer.OtherFindings(was, p); len(names) {
			case 0:
			case 1:
				notes = append(notes, fmt.Sprintf("searcher %s of profile %s is set differently in profile %s of the job, whose findings are used", names[0], p.Name, was.Name))
			default:
				notes = append(notes, fmt.Sprintf("searchers %s of profile %s are set differently in profile %s of the job, whose findings are used", strings.Join(names, ", "), p.Name, was.Name))
			}
		}
	}
	return notes
}

// rescoring prints what changes, as it is found.
type rescoring struct {
	out    io.Writer
	list   *bufio.Writer // nil = none
	left   int           // changes to show
	hidden int
	asJSON bool
	sum    rescored
	notes  []string // printed before the first page: of what cannot be judged there is nothing to note
	errOut io.Writer
}

// open makes the archive list. What it returns puts it in its place, or removes it when something failed.
func (w *rescoring) open(name string) (func(ok bool) error, error) {
	if name == "" {
		return func(bool) error { return nil }, nil
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return nil, fmt.Errorf("--archive-list %s: %w", name, cause(err))
	}
	w.list = bufio.NewWriter(f)
	return func(ok bool) error {
		err := errors.Join(w.list.Flush(), f.Chmod(0o644), f.Sync(), f.Close())
		if ok && err == nil {
			if err = os.Rename(f.Name(), name); err != nil {
				err = fmt.Errorf("--archive-list %s: %w", name, cause(err))
			}
		}
		if ok && err == nil {
			return nil
		}
		return errors.Join(err, os.Remove(f.Name()))
	}, nil
}

// cause is what is wrong, without the name of a file that nobody asked for.
func cause(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	if l := (*os.LinkError)(nil); errors.As(err, &l) {
		return l.Err
	}
	return err
}

func (w *rescoring) take(j rescore.Judgement) error {
	for _, n := range w.notes {
		fmt.Fprintf(w.errOut, "exclave: note: %s\n", n)
	}
	w.notes = nil
	w.sum.Add(j)
	if m := j.Mark(); m != 0 && w.list != nil {
		if _, err := fmt.Fprintf(w.list, "%c %s\n", m, j.URL); err != nil {
			return err
		}
	}
	if j.Was.Valid == j.Now.Valid {
		return nil
	}
	c := changed{URL: j.URL, Valid: j.Now.Valid, Archived: j.Archived, Was: j.Was.Summary(), Now: j.Now.Summary(), Why: analyzer.Changes(j.Was, j.Now)}
	if w.asJSON {
		return json.NewEncoder(forPrograms(w.out)).Encode(c)
	}
	if w.left == 0 {
		w.hidden++
		return nil
	}
	w.left--
	verdict := "not valid"
	if c.Valid {
		verdict = "valid"
	}
	_, err := fmt.Fprintf(w.out, "%s\n  now %s: %s\n  was: %s\n  because %s\n", printable.Text(c.URL), verdict, c.Now, c.Was, printable.Text(strings.Join(c.Why, ", ")))
	return err
}

func (w *rescoring) end() error {
	if w.asJSON {
		return json.NewEncoder(forPrograms(w.out)).Encode(w.sum)
	}
	if w.hidden > 0 {
		fmt.Fprintf(w.out, "… and %s more (--changes)\n", count(w.hidden, "page"))
	}
	c := w.sum.Counts
	_, err := fmt.Fprintf(w.out, "profile %s: %s judged again, %d valid (before: %d)\n  %d valid now only, %d of them archived all the same\n  %d valid before only, %d of them accepted by another profile\n",
		printable.Text(w.sum.Profile), count(c.Judged, "page"), c.ValidNow, c.ValidBefore, c.Gained, c.GainedPresent, c.Lost, c.LostOthers)
	return err
}
