package rescore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"exclave/analyzer"
	"exclave/crawl"
	"exclave/internal/fsx"
	"exclave/internal/labels"
	"exclave/internal/logparts"
)

// Judgement is a line of analysis.jsonl, judged again.
type Judgement struct {
	URL      string
	Via      string
	Archived bool
	Was      analyzer.Verdict   // that the profile was applied to the findings of
	Now      analyzer.Verdict   // what the profile makes of them
	Logged   []analyzer.Verdict // all of the line
	Others   bool               // another profile of the job accepts the page
}

// Log judges the lines of the log in a folder again and calls each for every one that was judged. from is the profile whose
// findings are used, "" = the one of the same name or, when there is only one, that.
func Log(ctx context.Context, dir string, p *analyzer.Rejudge, profile, from string, each func(Judgement) error) error {
	if from != "" {
		profile = from
	}
	return logparts.EachLine(fsx.Real(), dir, crawl.LogAnalysis.Name(), func(at logparts.Place, text []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		var line struct {
			URL      string             `json:"url"`
			Via      string             `json:"via"`
			Archived bool               `json:"archived"`
			Verdicts []analyzer.Verdict `json:"verdicts"`
		}
		if err := json.Unmarshal(text, &line); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		was, ok := labels.Logged(line.Verdicts, profile)
		if from != "" {
			ok = ok && was.Profile == from
		}
		if !ok {
			return &Error{fmt.Errorf("%s: no verdict of profile %s: there are %s; name one (--from)", at, profile, names(line.Verdicts))}
		}
		if !was.Judged {
			return nil
		}
		now, err := p.Verdict(was, analyzer.Seen{URL: line.URL, Via: line.Via}, -1)
		if err != nil {
			return &Error{fmt.Errorf("%s: %w", at, err)}
		}
		j := Judgement{URL: line.URL, Via: line.Via, Archived: line.Archived, Was: was, Now: now, Logged: line.Verdicts}
		for _, v := range line.Verdicts {
			j.Others = j.Others || v.Valid && v.Profile != was.Profile
		}
		return each(j)
	})
}

// Error reports a profile that the log cannot be judged by.
type Error struct{ err error }

func (e *Error) Error() string {
	if errors.Is(e.err, analyzer.ErrUnlogged) {
		return e.err.Error() + "; judge the archive itself (exclave analyze WARC… --profile), or leave the searcher out (--without)"
	}
	return e.err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.err }

func names(vs []analyzer.Verdict) []string {
	var out []string
	for _, v := range vs {
		out = append(out, v.Profile)
	}
	return out
}

// Counts are what would change.
type Counts struct {
	Judged        int `json:"judged"`
	ValidBefore   int `json:"valid_before"`
	ValidNow      int `json:"valid_now"`
	Gained        int `json:"gained"`          // valid now only
	GainedPresent int `json:"gained_archived"` // of these, in the archive all the same
	Lost          int `json:"lost"`            // valid before only
	LostOthers    int `json:"lost_others"`     // of these, accepted by another profile of the job
}

// Add counts a judgement.
func (c *Counts) Add(j Judgement) {
	c.Judged++
	if j.Was.Valid {
		c.ValidBefore++
	}
	if j.Now.Valid {
		c.ValidNow++
	}
	switch {
	case j.Now.Valid && !j.Was.Valid:
		c.Gained++
		if j.Archived {
			c.GainedPresent++
		}
	case j.Was.Valid && !j.Now.Valid:
		c.Lost++
		if j.Others {
			c.LostOthers++
		}
	}
}

// Mark is how an archive list marks the page: '+' would have been archived and is not, '=' is archived and
// would be, '-' is archived as a page of the profile and would not be on its own account; 0: neither.
func (j Judgement) Mark() byte {
	switch {
	case j.Now.Valid && j.Archived:
		return '='
	case j.Now.Valid:
		return '+'
	case j.Was.Valid && j.Archived && !j.Others:
		return '-'
	}
	return 0
}
