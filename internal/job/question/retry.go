package question

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"exclave/crawl"
	"exclave/frontier"
)

// Retry chooses finished URIs. All that is given must match.
type Retry struct {
	Filter   // its Host is that of the URL
	Statuses Statuses
	Since    time.Time // finished at this time or later; zero: whenever
	Dry      bool      // count, and change nothing

	// Truncated chooses among those whose answer was cut, of all statuses when none is given.
	Truncated bool

	// Archived chooses among what is archived, of all statuses when none is given: it is asked for again with the
	// validators of its capture. Before and Verdict are for these.
	Archived bool
	Before   time.Time // finished before this time; zero: whenever
	Verdict  Verdict
}

// Verdict chooses pages by what the analyzer said.
type Verdict string

// The verdicts that can be asked for.
const (
	AnyVerdict Verdict = ""
	Valid      Verdict = "valid"    // a profile accepted it
	Invalid    Verdict = "invalid"  // judged, accepted by none: archived because a valid page leads to it
	Unjudged   Verdict = "unjudged" // images, style sheets and what else is not judged
)

// ParseVerdict reads the word of a verdict. An error wraps [ErrFilter].
func ParseVerdict(text string) (Verdict, error) {
	switch v := Verdict(text); v {
	case AnyVerdict, Valid, Invalid, Unjudged:
		return v, nil
	}
	return AnyVerdict, fmt.Errorf("job: %w: verdict %q is none of %s, %s, %s", ErrFilter, text, Valid, Invalid, Unjudged)
}

func (v Verdict) has(o crawl.Outcome) bool {
	switch v {
	case Valid:
		return o.Valid()
	case Invalid:
		return o.Judged && !o.Valid()
	case Unjudged:
		return !o.Judged
	case AnyVerdict:
	}
	return true
}

// choosesOutcome reports whether the outcome of a URI is one that is asked for.
func (r *Retry) choosesOutcome(o crawl.Outcome) bool {
	if r.Truncated && (!o.Truncated || len(r.Statuses) == 0) {
		return o.Truncated
	}
	if !r.Archived {
		return r.Statuses.has(o.Status)
	}
	return o.Archived && r.Verdict.has(o) && (len(r.Statuses) == 0 || r.Statuses.has(o.Status))
}

// Statuses are ranges of statuses; none stands for all that mean a failure ([frontier.Failed]).
type Statuses []StatusRange

// StatusRange is the statuses from the first to the last.
type StatusRange struct{ First, Last crawl.Status }

// ParseStatuses reads "-2,503" or "-4..-2": numbers and ranges, apart by commas. An error wraps
// [ErrFilter].
func ParseStatuses(text string) (out Statuses, err error) {
	if text == "" {
		return nil, nil
	}
	number := func(s string) crawl.Status {
		n, e := strconv.ParseInt(strings.TrimSpace(s), 10, 32)
		if e != nil {
			err = errors.Join(err, fmt.Errorf("job: %w: status %q is no number", ErrFilter, s))
		}
		return crawl.Status(n)
	}
	for part := range strings.SplitSeq(text, ",") {
		first, last, is := strings.Cut(part, "..")
		r := StatusRange{First: number(first)}
		if r.Last = r.First; is {
			r.Last = number(last)
		}
		if r.Last < r.First && err == nil {
			err = fmt.Errorf("job: %w: statuses %q end before they begin", ErrFilter, part)
		}
		out = append(out, r)
	}
	return out, err
}

// String is what [ParseStatuses] reads.
func (s Statuses) String() string {
	parts := make([]string, len(s))
	for i, r := range s {
		parts[i] = fmt.Sprintf("%d..%d", r.First, r.Last)
	}
	return strings.Join(parts, ",")
}

func (s Statuses) has(status crawl.Status) bool {
	for _, r := range s {
		if r.First <= status && status <= r.Last {
			return true
		}
	}
	return len(s) == 0 && frontier.Failed(status)
}

// Retried is how many URIs were offered again, or would be.
type Retried struct {
	URIs     int64           `json:"uris"`
	ByStatus []RetriedStatus `json:"by_status"` // in ascending order
	// Untimed are URIs that a program before format 5 finished: whether that was since the time asked for
	// is not known, and they are left alone.
	Untimed int64 `json:"untimed,omitempty"`
}

// RetriedStatus is how many of them had a status.
type RetriedStatus struct {
	Status crawl.Status `json:"status"`
	Words  string       `json:"words"`
	URIs   int64        `json:"uris"`
}

// Retry offers the finished URIs that are chosen again, as [frontier.Frontier.Retry] does; prerequisites
// are left alone. It walks all URIs that are known and holds 1,000 of them.
func (a *Answers) Retry(ctx context.Context, r Retry) (out Retried, err error) {
	host := hostOf(r.Host)
	chosen, err := r.compile()
	if err != nil {
		return out, err
	}
	n := map[crawl.Status]int64{}
	batch := make([]frontier.Again, 0, 1000)
	flush := func() error {
		if r.Dry {
			for _, b := range batch {
				n[b.Status]++
			}
		} else {
			did, err := a.State.Retry(ctx, batch...)
			for s, k := range did {
				n[s] += k
			}
			if err != nil {
				return err
			}
		}
		batch = batch[:0]
		return ctx.Err()
	}
	err = a.State.EachURI(func(u *frontier.Record) error {
		switch {
		case u.State != frontier.Done || u.Claim.IsZero() || !r.choosesOutcome(u.Outcome):
			return nil
		case host != "" && u.Host != host, !chosen(u):
			return nil
		case !r.Since.IsZero() && u.Last.IsZero():
			out.Untimed++
			return nil
		case u.Last.Before(r.Since), !r.Before.IsZero() && !u.Last.Before(r.Before):
			return nil
		}
		if batch = append(batch, frontier.Again{ID: u.ID, Status: u.Outcome.Status, Force: r.Archived || r.Truncated}); len(batch) == cap(batch) {
			return flush()
		}
		return nil
	})
	if err = errors.Join(err, flush()); err != nil {
		err = fmt.Errorf("job: retry: %w", err)
	}
	for _, s := range slices.Sorted(maps.Keys(n)) {
		out.URIs += n[s]
		out.ByStatus = append(out.ByStatus, RetriedStatus{s, statusWords(s), n[s]})
	}
	return out, err
}

// CountRetry tells what Retry would offer again, and changes nothing.
func (a *Answers) CountRetry(ctx context.Context, r Retry) (Retried, error) {
	r.Dry = true
	return a.Retry(ctx, r)
}
